// One probe at work: sends requests, checks what comes back, and keeps what it found.
//
// A probe is {id, optional, run(t)}. It passes if nothing of severity error was found. An
// optional probe tries a feature that a service may refuse: an orderly refusal (400, 404,
// 405 or 422 with an error body of the right shape) skips it, and so does t.skip().

import { checkStream, validateReply } from '../check.mjs';
import { Findings } from '../lib/findings.mjs';
import { parseJson } from '../lib/json-text.mjs';
import { parseEvents } from '../lib/sse.mjs';
import { READ } from './read.mjs';

const REFUSALS = new Set([400, 404, 405, 422]); // "this I cannot do", not "not now" or "not you"

class Skip extends Error {}
class Stop extends Error {}

export class Probe {
    // gateway: hold the service to what only a gateway owes: both request id headers, the model
    // name that was asked for.
    constructor(definition, client, { model, strict, gateway }) {
        this.definition = definition;
        [this.family] = definition.id.split('.');
        this.client = client;
        this.model = model;
        this.gateway = gateway;
        this.findings = new Findings(strict);
        this.exchanges = [];
    }

    // Runs the probe and returns {id, result, findings, ms, skipped, exchanges}.
    async run() {
        const started = performance.now();
        let skipped;
        try {
            await this.definition.run(this);
        } catch (error) {
            if (error instanceof Skip) {
                skipped = error.message;
            } else if (!(error instanceof Stop)) {
                this.fail(error.timeout ? 'http.timeout' : 'http.connection', error.message);
            }
        }
        const result = !this.findings.ok ? 'FAIL' : skipped !== undefined ? 'SKIP' : 'PASS';
        return {
            id: this.definition.id,
            result,
            findings: this.findings.list,
            skipped,
            ms: Math.round(performance.now() - started),
            exchanges: this.exchanges,
        };
    }

    fail(rule, message) {
        this.findings.add(rule, this.definition.id, message);
    }

    // Ends the probe: what follows would only repeat the failure.
    stop(rule, message) {
        this.fail(rule, message);
        throw new Stop();
    }

    skip(why) {
        throw new Skip(why);
    }

    // Fails unless `holds`.
    expect(holds, message) {
        if (!holds) {
            this.fail('probe.answer', message);
        }
    }

    async send(method, path, { body, auth, headers, family = this.family } = {}) {
        const all = { ...this.client.headersFor(family, auth), ...headers };
        const reply = await this.client.send(method, path, { body, headers: all });
        const id = reply.headers['x-request-id'] ?? reply.headers['request-id'];
        this.exchanges.push({
            method,
            path,
            body,
            status: reply.status,
            requestId: id,
            reply: reply.bytes,
        });
        this.requestIds(reply);
        return reply;
    }

    requestIds({ headers }) {
        const [one, other] = [headers['x-request-id'], headers['request-id']];
        const isSound = this.gateway ? one && one === other : one || other;
        if (!isSound) {
            this.fail(
                'http.request-id',
                `x-request-id ${one ?? '(none)'}, request-id ${other ?? '(none)'}`,
            );
        }
    }

    contentType({ headers }, wanted) {
        const type = (headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
        if (type !== wanted) {
            this.stop('http.content-type', `${type || '(none)'} where ${wanted} is due`);
        }
    }

    json(reply) {
        this.contentType(reply, 'application/json');
        const body = parseJson(reply.bytes.toString('utf8'), (rule, message) =>
            this.fail(rule, message),
        );
        if (typeof body !== 'object' || body === null) {
            this.stop('http.body', 'the body is not a JSON object');
        }
        return body;
    }

    take(verdict) {
        for (const finding of verdict.findings) {
            this.findings.add(finding.rule, finding.at, finding.message);
        }
    }

    // Holds a reply to status 200; a refusal skips an optional probe.
    success(reply) {
        if (reply.status === 200) {
            return;
        }
        if (REFUSALS.has(reply.status) && this.definition.optional) {
            const message = this.errorBody(reply).error?.message;
            this.skip(`refused with ${reply.status}: ${message}`);
        }
        if (reply.status === 429 && reply.headers['retry-after'] === undefined) {
            this.fail('http.retry-after', 'a 429 without Retry-After');
        }
        this.stop(
            'http.status',
            `${reply.status} where 200 is due: ${reply.bytes.toString('utf8', 0, 200)}`,
        );
    }

    errorBody(reply, family = this.family) {
        const body = this.json(reply);
        const strict = this.findings.strict;
        this.take(validateReply(family, body, { kind: 'error', strict }));
        const id = reply.headers['request-id'] ?? reply.headers['x-request-id'];
        if (family === 'messages' && body.request_id !== id) {
            this.fail(
                'http.request-id',
                `request_id ${body.request_id} in the body, another in the header`,
            );
        }
        return body;
    }

    // Sends a request that must fail with one of `statuses` and an error body of the family.
    async refused(statuses, method, path, options = {}) {
        const reply = await this.send(method, path, options);
        if (!statuses.includes(reply.status)) {
            this.stop('http.status', `${reply.status} where ${statuses.join(' or ')} is due`);
        }
        if (method !== 'HEAD') {
            this.errorBody(reply, options.family === 'messages' ? 'messages' : this.family);
        }
        return reply;
    }

    // Sends a request and returns the parsed body of its reply, held to `kind`.
    async object(method, path, kind, options = {}) {
        const reply = await this.send(method, path, options);
        this.success(reply);
        const body = this.json(reply);
        this.take(validateReply(this.family, body, { kind, strict: this.findings.strict }));
        return body;
    }

    // Generates without streaming; returns what the reply says and the body.
    async generate(path, request, options = {}) {
        const body = await this.object('POST', path, options.kind, {
            ...options,
            body: { model: this.model, ...request },
        });
        this.sameModel(body.model);
        return { ...READ[this.family].reply(body), body };
    }

    // Generates with streaming; returns what the events say and the events.
    async stream(path, request, options = {}) {
        const body = { model: this.model, ...request, stream: true };
        const reply = await this.send('POST', path, { ...options, body });
        this.success(reply);
        return this.readStream(reply, { request: body });
    }

    readStream(reply, options) {
        this.contentType(reply, 'text/event-stream');
        const strict = this.findings.strict;
        this.take(checkStream(this.family, reply.bytes, { ...options, strict, keepalive: true }));
        const events = parseEvents(reply.bytes, new Findings(false))
            .map((event) => parse(event.data))
            .filter(Boolean);
        const failure = events.map((event) => event.error ?? event.response?.error).find(Boolean);
        if (failure !== undefined) {
            this.stop(
                'probe.answer',
                `the stream failed: ${failure.message ?? JSON.stringify(failure)}`,
            );
        }
        const head = events.find((event) => !event.error) ?? {};
        this.sameModel(head.model ?? head.message?.model ?? head.response?.model);
        return { ...READ[this.family].stream(events), events };
    }

    // A gateway answers with the model name that was asked for; a provider may tell a fuller one.
    sameModel(model) {
        const isOther = this.gateway && model !== undefined && model !== this.model;
        this.expect(!isOther, `asked for model ${this.model}, got ${model}`);
    }
}

function parse(data) {
    try {
        const value = JSON.parse(data);
        return typeof value === 'object' ? value : null;
    } catch {
        return null;
    }
}
