// How the Anthropic SDK sees what goes wrong, when it repeats a request, and that a stream which
// it gives up is given up upstream.

import assert from 'node:assert/strict';
import { collect, counter, failure, sim, slow, tag, test, until, upstreamRequests } from './lib/suite.mjs';

const ask = (model, commands, more) => ({
    model,
    max_tokens: 2000,
    messages: [{ role: 'user', content: sim(commands) }],
    ...more,
});

async function refused(make, model, name) {
    const cases = [
        ['a wrong key', { wrong: true }, ask(model, {}), 401, 'authentication_error'],
        ['an empty wallet', { poor: true }, ask(model, {}), 402, 'billing_error'],
        ['an unknown model', {}, ask('no-such-model', {}), 404, 'not_found_error'],
        ['a wrong type', {}, ask(model, {}, { max_tokens: 'many' }), 422, 'invalid_request_error'],
    ];
    const classes = { 401: 'AuthenticationError', 404: 'NotFoundError', 422: 'UnprocessableEntityError' };
    for (const [what, account, body, status, type] of cases) {
        await test(`${name}: ${what} is ${type}, and not repeated`, async () => {
            const seen = counter();
            const client = make({ ...account, fetch: seen.fetch });
            const error = await failure(client.messages.create(body));
            assert.equal(error.status, status, String(error));
            if (classes[status]) {
                assert.equal(error.constructor.name, classes[status]);
            }
            assert.equal(error.error.type, 'error');
            assert.equal(error.error.error.type, type);
            assert.ok(error.requestID?.startsWith('req_'), `request id ${error.requestID}`);
            assert.equal(error.error.request_id, error.requestID);
            assert.equal(seen.last.headers.get('x-request-id'), error.requestID);
            assert.equal(seen.count, 1);
        });
    }
}

async function upstreamFails(make, model, name) {
    const cases = [
        [{ status: 400, message: 'prompt is too long: 9 > 8' }, 'BadRequestError', 400,
            'invalid_request_error', /prompt is too long: 9 > 8/, 1],
        [{ status: 413, message: 'too large' }, undefined, 413, 'request_too_large', /too large/, 1],
        [{ status: 401, message: 'bad key sk-upstream' }, 'InternalServerError', 502, 'api_error',
            /upstream/, 2],
        [{ status: 404, message: 'no model' }, 'InternalServerError', 502, 'api_error', /upstream/, 2],
        [{ status: 429, message: 'slow down', 'hdr-retry-after': 1 }, 'RateLimitError', 429,
            'rate_limit_error', /upstream/, 2],
        [{ status: 500, message: 'oops' }, 'InternalServerError', 502, 'api_error', /upstream/, 2],
        [{ status: 529, message: 'busy', 'hdr-retry-after': 1 }, undefined, 503, 'overloaded_error',
            /overloaded/, 2],
    ];
    for (const [commands, className, status, type, text, requests] of cases) {
        await test(`${name}: ${commands.status} of the upstream is ${type} ${status}`, async () => {
            const seen = counter();
            const client = make({ fetch: seen.fetch });
            const error = await failure(client.messages.create(ask(model, commands)));
            assert.equal(error.status, status, String(error));
            if (className) {
                assert.equal(error.constructor.name, className);
            }
            assert.equal(error.error.error.type, type);
            assert.match(error.message, text);
            assert.ok(!error.message.includes('sk-upstream'), 'the upstream key shows');
            assert.ok(error.requestID?.startsWith('req_'));
            assert.equal(seen.count, requests);
        });
    }
    await test(`${name}: a refusal of the upstream that passes is repeated with success`, async () => {
        const seen = counter();
        const client = make({ fetch: seen.fetch });
        const commands = { status: 503, times: 1, tag: tag(), 'hdr-retry-after': 1 };
        const reply = await client.messages.create(ask(model, commands));
        assert.ok(reply.content[0].text.length > 0);
        assert.equal(seen.count, 2);
    });
}

async function brokenStreams(make, model, name) {
    for (const commands of [
        { fault: 'cut', words: 20, at: 6 },
        { fault: 'end', words: 20, at: 6 },
        { fault: 'error-event', words: 20, at: 6, message: 'it broke' },
    ]) {
        await test(`${name}: ${commands.fault} within a stream throws`, async () => {
            const stream = await make().messages.create(ask(model, commands, { stream: true }));
            const error = await failure(collect(stream));
            assert.equal(error.constructor.name, 'APIError', String(error));
            const helper = make().messages.stream(ask(model, commands));
            assert.match(String(await failure(helper.finalMessage())), /Error/);
        });
    }
}

async function aborts(make, model, name) {
    await test(`${name}: abort of a stream reaches the upstream`, async () => {
        const word = tag();
        const stream = make().messages.stream(ask(model, { words: 400, gap: 50, tag: word }));
        stream.on('text', () => stream.abort());
        await failure(stream.finalMessage());
        const [request] = await until(async () => {
            const found = await upstreamRequests(word);
            return found.every(({ outcome }) => outcome !== 'open') && found;
        }, 'the upstream is left');
        assert.equal(request.outcome, 'client-gone');
        assert.ok(request.took_ms < 10000 * slow, `after ${request.took_ms} ms`);
    });
}

export async function faults(make, model, name) {
    await refused(make, model, name);
    await upstreamFails(make, model, name);
    await brokenStreams(make, model, name);
    await aborts(make, model, name);
}
