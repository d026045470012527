// A stand-in for Stripe's API, for tests: checkout sessions with idempotency, and events that the
// real library signs. Says its port on standard output. What is asked of it is kept, so that a
// test can compare our requests with those of the real library, which it drives, too.
//
//   GET  /_requests                  every API request: {method, path, query, headers, form}
//   POST /_create {params, key}      the real library creates a session here
//   POST /_set {session, ...}        the provider's mind about a session
//   POST /_event {id, type, object}  {payload, header} of a signed event; also: secret, timestamp
//   POST /_down {status}             the API answers with this status until told 0

import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const Stripe = createRequire(`${process.env.MG_CLIENTS}/package.json`)('stripe');
const key = process.env.MG_STRIPE_KEY;
const sessions = new Map();
const answers = new Map(); // by Idempotency-Key
let requests = [];
let down = 0;
let counter = 0;

const library = () =>
    new Stripe(key, { host: '127.0.0.1', port: server.address().port, protocol: 'http' });

const error = (status, code, message) => ({ status, body: { error: { code, message, type: code } } });

function createSession(form) {
    const id = `cs_test_${++counter}`;
    const cents = Number(form.get('line_items[0][price_data][unit_amount]'));
    const session = {
        id, object: 'checkout.session', mode: form.get('mode'), status: 'open',
        payment_status: 'unpaid', client_reference_id: form.get('client_reference_id'),
        currency: form.get('line_items[0][price_data][currency]'),
        amount_subtotal: cents, amount_total: cents, payment_intent: null,
        metadata: { order_id: form.get('metadata[order_id]') },
        success_url: form.get('success_url'), cancel_url: form.get('cancel_url'),
        url: `https://checkout.stripe.com/c/pay/${id}`,
        expires_at: Math.floor(Date.now() / 1000) + 86400,
    };
    sessions.set(id, session);
    return { status: 200, body: session };
}

function create(request) {
    const { form, headers, text } = request;
    if (headers['content-type']?.split(';')[0] !== 'application/x-www-form-urlencoded')
        return error(400, 'invalid_request_error', 'not a form');
    const name = headers['idempotency-key'];
    const earlier = answers.get(name);
    if (earlier) return earlier.text === text ? earlier.answer
        : error(400, 'idempotency_error', 'Keys for idempotent requests can only be used with the same parameters');
    const answer = createSession(form);
    if (name) answers.set(name, { text, answer });
    return answer;
}

// A session as an answer that expands its payment's charge.
function show(session, query) {
    const body = { ...session };
    if (query.getAll('expand[]').includes('payment_intent.latest_charge') && body.payment_intent)
        body.payment_intent = {
            id: session.payment_intent, object: 'payment_intent',
            latest_charge: {
                id: 'ch_1', object: 'charge', payment_intent: session.payment_intent,
                amount_refunded: session._refunded ?? 0,
                receipt_url: 'https://pay.stripe.com/receipts/x', metadata: session.metadata,
            },
        };
    delete body._refunded;
    return { status: 200, body };
}

function api(request) {
    const { method, path, query, headers } = request;
    if (headers.authorization !== `Bearer ${key}`)
        return error(401, 'api_key_invalid', `Invalid API Key provided: ${headers.authorization}`);
    if (down) return error(down, 'api_error', 'out of order');
    if (method === 'POST' && path === '/v1/checkout/sessions') return create(request);
    if (method === 'GET' && path === '/v1/checkout/sessions') {
        const of = query.get('payment_intent');
        return { status: 200, body: { object: 'list', has_more: false,
            data: [...sessions.values()].filter((s) => of && s.payment_intent === of) } };
    }
    const session = sessions.get(decodeURIComponent(path.replace('/v1/checkout/sessions/', '')));
    if (method !== 'GET' || !session) return error(404, 'resource_missing', 'No such session');
    return show(session, query);
}

function sign({ id, type, object, secret, timestamp }) {
    const payload = JSON.stringify({ id, object: 'event', type, api_version: '2026-10-28.endive',
        created: 1, livemode: false, data: { object } }, null, 2);
    const header = library().webhooks.generateTestHeaderString({
        payload, secret: secret ?? process.env.MG_STRIPE_SECRET,
        timestamp: timestamp ?? Math.floor(Date.now() / 1000) });
    return { payload, header };
}

async function control(path, text) {
    const given = text ? JSON.parse(text) : {};
    switch (path) {
        case '/_requests': { const seen = requests; requests = []; return seen; }
        case '/_create': return library().checkout.sessions.create(given.params, { idempotencyKey: given.key });
        case '/_set': return Object.assign(sessions.get(given.session), given.values);
        case '/_event': return sign(given);
        case '/_down': down = given.status; return {};
        default: throw new Error(path);
    }
}

const server = createServer((incoming, reply) => {
    const pieces = [];
    incoming.on('data', (piece) => pieces.push(piece));
    incoming.on('end', async () => {
        const text = Buffer.concat(pieces).toString();
        const url = new URL(incoming.url, 'http://x');
        const send = (status, body) => {
            reply.writeHead(status, { 'content-type': 'application/json' });
            reply.end(JSON.stringify(body));
        };
        if (url.pathname.startsWith('/_')) {
            try { send(200, await control(url.pathname, text)); } catch (e) { send(500, String(e)); }
            return;
        }
        const form = new URLSearchParams(text);
        requests.push({ method: incoming.method, path: url.pathname, query: url.search,
            headers: incoming.headers, form: Object.fromEntries(form), text });
        const { status, body } = api({ method: incoming.method, path: url.pathname,
            query: url.searchParams, headers: incoming.headers, form, text });
        send(status, body);
    });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume();
process.stdin.on('end', () => process.exit(0)); // the test is gone
