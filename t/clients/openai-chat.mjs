// Chat Completions, legacy Completions and models through the OpenAI SDK.

import assert from 'node:assert/strict';
import { arguments_, collect, failure, png, schema, sim, tag, test, upstreamRequests } from './lib/suite.mjs';

const ask = (commands) => [{ role: 'user', content: sim(commands) }];

const weather = {
    type: 'function',
    function: { name: 'get_weather', description: 'Tells the weather', parameters: schema },
};

export async function models(client, model) {
    await test('models.list has every model, once', async () => {
        const ids = (await collect(client.models.list())).map(({ id }) => id);
        assert.ok(ids.includes(model) && ids.includes('power-ai'), ids.join());
        assert.equal(new Set(ids).size, ids.length);
    });
    await test('models.retrieve finds a model', async () => {
        const found = await client.models.retrieve(model);
        assert.equal(found.id, model);
        assert.equal(found.object, 'model');
        assert.ok(found._request_id?.startsWith('req_'));
    });
    await test('models.retrieve tells that a model is unknown', async () => {
        const error = await failure(client.models.retrieve('no/such model'));
        assert.equal(error.status, 404);
        assert.equal(error.code, 'model_not_found');
        assert.ok(error.requestID?.startsWith('req_'), error.requestID);
    });
}

function usageIsSound(usage) {
    assert.ok(usage.prompt_tokens > 0 && usage.completion_tokens > 0, JSON.stringify(usage));
    assert.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
}

async function plain(client, model, name) {
    await test(`${name}: chat.completions.create answers`, async () => {
        const reply = await client.chat.completions.create({
            model,
            messages: [{ role: 'system', content: 'Be brief.' }, ...ask({ text: 'Hi ünd 你好' })],
        });
        assert.equal(reply.choices[0].message.content, 'Hi ünd 你好');
        assert.equal(reply.choices[0].finish_reason, 'stop');
        assert.equal(reply.model, model);
        assert.ok(reply._request_id?.startsWith('req_'), 'no _request_id');
        usageIsSound(reply.usage);
    });
    await test(`${name}: chat.completions.create takes an image`, async () => {
        const word = tag();
        await client.chat.completions.create({
            model,
            messages: [
                {
                    role: 'user',
                    content: [
                        { type: 'text', text: word },
                        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
                    ],
                },
            ],
        });
        const [request] = await upstreamRequests(word);
        assert.ok(request.body.includes(png), 'the image did not reach the upstream');
    });
    await test(`${name}: chat.completions.create stops at its limit`, async () => {
        const reply = await client.chat.completions.create({
            model,
            messages: ask({ words: 60 }),
            max_completion_tokens: 16,
        });
        assert.equal(reply.choices[0].finish_reason, 'length');
    });
}

async function streams(client, model, name) {
    for (const wanted of [true, undefined]) {
        const asked = wanted ? 'with' : 'without';
        await test(`${name}: a chat stream ${asked} usage`, async () => {
            const chunks = await collect(
                await client.chat.completions.create({
                    model,
                    messages: ask({ words: 7 }),
                    stream: true,
                    ...(wanted && { stream_options: { include_usage: true } }),
                }),
            );
            const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
            assert.equal(text, 'alpha beta gamma delta omega sigma kappa');
            assert.equal(chunks[0].choices[0].delta.role, 'assistant');
            assert.ok(chunks.every((chunk) => chunk.model === model && chunk.id === chunks[0].id));
            const ends = chunks.filter(({ choices }) => choices[0]?.finish_reason);
            assert.deepEqual(ends.map(({ choices }) => choices[0].finish_reason), ['stop']);
            const usages = chunks.filter(({ usage }) => usage);
            assert.equal(usages.length, wanted ? 1 : 0);
            assert.equal(chunks.filter(({ choices }) => choices.length === 0).length, usages.length);
            if (wanted) {
                usageIsSound(chunks.at(-1).usage);
            }
        });
    }
    await test(`${name}: the chat.completions.stream helper collects text`, async () => {
        const stream = client.chat.completions.stream({ model, messages: ask({ words: 5 }) });
        let seen = '';
        stream.on('content', (delta) => (seen += delta));
        assert.equal(await stream.finalContent(), 'alpha beta gamma delta omega');
        assert.equal(seen, 'alpha beta gamma delta omega');
    });
    await test(`${name}: the chat.completions.stream helper collects parallel calls`, async () => {
        const stream = client.chat.completions.stream({
            model,
            messages: ask({ tools: 3, parts: 'text,tool', text: 'Let me look.', args: arguments_ }),
            tools: [weather],
        });
        const { message, finish_reason: reason } = (await stream.finalChatCompletion()).choices[0];
        assert.equal(message.content, 'Let me look.');
        assert.equal(reason, 'tool_calls');
        assert.equal(message.tool_calls.length, 3);
        for (const call of message.tool_calls) {
            assert.equal(call.function.name, 'get_weather');
            assert.equal(call.function.arguments, arguments_);
        }
        assert.equal(new Set(message.tool_calls.map(({ id }) => id)).size, 3);
    });
}

async function helpers(client, model, name) {
    await test(`${name}: chat.completions.parse gives the object`, async () => {
        const reply = await client.chat.completions.parse({
            model,
            messages: ask({ text: arguments_ }),
            response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } },
        });
        assert.deepEqual(reply.choices[0].message.parsed, JSON.parse(arguments_));
    });
    await test(`${name}: json_object gives an object`, async () => {
        const reply = await client.chat.completions.create({
            model,
            messages: [{ role: 'user', content: 'Answer in JSON' }],
            response_format: { type: 'json_object' },
        });
        assert.equal(typeof JSON.parse(reply.choices[0].message.content), 'object');
    });
    for (const stream of [false, true]) {
        const how = stream ? 'streamed' : 'whole';
        await test(`${name}: chat.completions.runTools runs the tool and goes on (${how})`, async () => {
            const given = [];
            const runner = client.chat.completions.runTools({
                model,
                stream,
                messages: ask({ tool: 'get_weather', args: arguments_ }),
                tools: [
                    {
                        type: 'function',
                        function: {
                            ...weather.function,
                            parse: JSON.parse,
                            function: (found) => {
                                given.push(found);
                                return 'Minus three, and snow.';
                            },
                        },
                    },
                ],
            });
            assert.match(await runner.finalContent(), /Minus three, and snow\./);
            assert.deepEqual(given, [JSON.parse(arguments_)]);
            const roles = runner.messages.map(({ role }) => role);
            assert.deepEqual(roles, ['user', 'assistant', 'tool', 'assistant']);
        });
    }
}

async function legacy(client, model, name) {
    await test(`${name}: completions.create answers`, async () => {
        const reply = await client.completions.create({
            model,
            prompt: sim({ text: 'Once upon a time' }),
            max_tokens: 50,
        });
        assert.equal(reply.object, 'text_completion');
        assert.equal(reply.choices[0].text, 'Once upon a time');
        assert.equal(reply.choices[0].finish_reason, 'stop');
        assert.equal(reply.model, model);
        usageIsSound(reply.usage);
    });
    await test(`${name}: completions.create streams`, async () => {
        const chunks = await collect(
            await client.completions.create({
                model,
                prompt: sim({ words: 6 }),
                max_tokens: 50,
                stream: true,
                stream_options: { include_usage: true },
            }),
        );
        const text = chunks.map(({ choices }) => choices[0]?.text ?? '').join('');
        assert.equal(text, 'alpha beta gamma delta omega sigma');
        usageIsSound(chunks.at(-1).usage);
    });
}

export async function chat(client, model, name) {
    await plain(client, model, name);
    await streams(client, model, name);
    await helpers(client, model, name);
    await legacy(client, model, name);
}
