// How the OpenAI SDK sees what goes wrong, when it repeats a request, and that a stream which it
// gives up is given up upstream.

import assert from 'node:assert/strict';
import { collect, counter, failure, sim, slow, tag, test, until, upstreamRequests } from './lib/suite.mjs';

const ask = (model, commands) => ({ model, messages: [{ role: 'user', content: sim(commands) }] });

// What each kind of failure is for the SDK: who makes it, the class, code, type, and how many
// requests the SDK makes of it when it may repeat once.
function refusals(model, { other, poor }) {
    return [
        ['a wrong key', other, ask(model, {}), 'AuthenticationError', 401, 'invalid_api_key', 1],
        ['an empty wallet', poor, ask(model, {}), 'APIError', 402, 'insufficient_quota', 1],
        ['an unknown model', undefined, ask('no-such-model', {}), 'NotFoundError', 404,
            'model_not_found', 1],
        ['a wrong type', undefined, { model, messages: 7 }, 'UnprocessableEntityError', 422,
            undefined, 1],
    ];
}

async function refused(make, model, name) {
    for (const [what, client, body, type, status, code, requests] of refusals(model, {
        other: make({ apiKey: 'sk-wrong' }),
        poor: make({ poor: true }),
    })) {
        await test(`${name}: ${what} is ${type}, and not repeated`, async () => {
            const seen = counter();
            const error = await failure(
                (client ?? make()).withOptions({ fetch: seen.fetch }).chat.completions.create(body),
            );
            assert.equal(error.constructor.name, type, String(error));
            assert.equal(error.status, status);
            if (code) {
                assert.equal(error.code, code);
            }
            assert.equal(typeof error.type, 'string');
            assert.ok(error.requestID?.startsWith('req_'), `request id ${error.requestID}`);
            assert.equal(error.requestID, seen.last.headers.get('request-id'));
            assert.equal(seen.count, requests);
        });
    }
    await test(`${name}: every wrong field is listed beside the error`, async () => {
        const error = await failure(make().chat.completions.create({ model, messages: 7, n: 'x' }));
        assert.equal(error.param, 'messages');
        assert.match(error.message, /messages/);
    });
}

async function upstreamFails(make, model, name) {
    const cases = [
        [{ status: 400, message: 'prompt is too long: 9 > 8', code: 'context_length_exceeded' },
            'BadRequestError', 400, /prompt is too long: 9 > 8/, 1],
        [{ status: 401, message: 'bad key sk-upstream' }, 'InternalServerError', 502, /upstream/, 2],
        [{ status: 403, message: 'no access' }, 'InternalServerError', 502, /upstream/, 2],
        [{ status: 429, message: 'slow down', 'hdr-retry-after': 1 }, 'RateLimitError', 429,
            /upstream/, 2],
        [{ status: 500, message: 'oops' }, 'InternalServerError', 502, /upstream/, 2],
        [{ status: 503, message: 'busy', 'hdr-retry-after': 1 }, 'InternalServerError', 503,
            /overloaded/, 2],
    ];
    for (const [commands, type, status, text, requests] of cases) {
        await test(`${name}: ${commands.status} of the upstream is ${type} ${status}`, async () => {
            const seen = counter();
            const client = make({ fetch: seen.fetch });
            const error = await failure(client.chat.completions.create(ask(model, commands)));
            assert.equal(error.constructor.name, type, String(error));
            assert.equal(error.status, status);
            assert.match(error.message, text);
            assert.ok(!error.message.includes('sk-upstream'), 'the upstream key shows');
            assert.ok(error.requestID?.startsWith('req_'));
            assert.equal(seen.count, requests);
        });
    }
    await test(`${name}: a refusal of the upstream that passes is repeated with success`, async () => {
        const seen = counter();
        const client = make({ fetch: seen.fetch });
        const body = ask(model, { status: 503, times: 1, tag: tag(), 'hdr-retry-after': 0 });
        const reply = await client.chat.completions.create(body);
        assert.ok(reply.choices[0].message.content.length > 0);
        assert.equal(seen.count, 2);
    });
}

async function brokenStreams(make, model, name) {
    for (const commands of [
        { fault: 'cut', words: 20, at: 6 },
        { fault: 'end', words: 20, at: 6 },
        { fault: 'error-event', words: 20, at: 6, message: 'it broke' },
    ]) {
        await test(`${name}: ${commands.fault} within a chat stream throws`, async () => {
            const stream = await make().chat.completions.create({
                ...ask(model, commands),
                stream: true,
            });
            const error = await failure(collect(stream));
            assert.equal(error.constructor.name, 'APIError', String(error));
        });
        await test(`${name}: ${commands.fault} within a Responses stream throws`, async () => {
            const stream = await make().responses.create({
                model,
                input: sim(commands),
                store: false,
                stream: true,
            });
            const error = await failure(collect(stream));
            assert.equal(error.constructor.name, 'APIError', String(error));
        });
    }
}

async function aborts(make, model, name) {
    const open = {
        chat: (client, text) =>
            client.chat.completions.create({
                model,
                messages: [{ role: 'user', content: text }],
                stream: true,
            }),
        responses: (client, text) =>
            client.responses.create({ model, input: text, store: false, stream: true }),
    };
    for (const [family, start] of Object.entries(open)) {
        await test(`${name}: abort of a ${family} stream reaches the upstream`, async () => {
            const word = tag();
            const text = sim({ words: 400, gap: 50, tag: word });
            const stream = await start(make(), text);
            for await (const event of stream) {
                if (event.choices?.[0]?.delta.content || event.delta) {
                    stream.controller.abort();
                }
            }
            const [request] = await until(async () => {
                const found = await upstreamRequests(word);
                return found.every(({ outcome }) => outcome !== 'open') && found;
            }, 'the upstream is left');
            assert.equal(request.outcome, 'client-gone');
            assert.ok(request.took_ms < 10000 * slow, `after ${request.took_ms} ms`);
        });
    }
}

export async function faults(make, model, name) {
    await refused(make, model, name);
    await upstreamFails(make, model, name);
    await brokenStreams(make, model, name);
    await aborts(make, model, name);
}
