// Messages and models through the Anthropic SDK.

import assert from 'node:assert/strict';
import { arguments_, collect, failure, load, pdf, png, schema, sim, skip, tag, test, upstreamRequests } from './lib/suite.mjs';

const weather = { name: 'get_weather', description: 'Tells the weather', input_schema: schema };

const ask = (model, commands, more) => ({
    model,
    max_tokens: 2000,
    messages: [{ role: 'user', content: sim(commands) }],
    ...more,
});

const textOf = (message) =>
    message.content
        .filter(({ type }) => type === 'text')
        .map(({ text }) => text)
        .join('');

export async function models(client, model) {
    await test('models.list pages through every model, once', async () => {
        const all = (await collect(client.models.list())).map(({ id }) => id);
        assert.ok(all.includes(model) && all.includes('power-ai'), all.join());
        const paged = (await collect(client.models.list({ limit: 2 }))).map(({ id }) => id);
        assert.deepEqual(paged, all);
        const page = await client.models.list({ limit: 2 });
        assert.equal(page.data.length, 2);
        assert.equal(page.has_more, true);
        assert.equal(page.last_id, page.data[1].id);
        const before = await client.models.list({ before_id: all[3], limit: 2 });
        assert.deepEqual(before.data.map(({ id }) => id), [all[1], all[2]]);
    });
    await test('models.retrieve finds a model', async () => {
        const found = await client.models.retrieve(model);
        assert.equal(found.id, model);
        assert.equal(found.type, 'model');
        assert.equal(found.max_tokens, 64000);
        assert.equal(found.max_input_tokens, 200000);
        assert.ok(!Number.isNaN(Date.parse(found.created_at)), found.created_at);
    });
    await test('models.retrieve tells that a model is unknown', async () => {
        const error = await failure(client.models.retrieve('no/such model'));
        assert.equal(error.constructor.name, 'NotFoundError');
        assert.equal(error.error.error.type, 'not_found_error');
        assert.ok(error.requestID?.startsWith('req_'), error.requestID);
    });
    await test('a batch is no message, and refused as unknown', async () => {
        const error = await failure(client.messages.batches.create({ requests: [] }));
        assert.equal(error.constructor.name, 'NotFoundError');
    });
}

async function plain(client, model, name) {
    await test(`${name}: messages.create answers`, async () => {
        const reply = await client.messages.create(
            ask(model, { text: 'Hi ünd 你好' }, { system: 'Be brief.', metadata: { user_id: 'u' } }),
        );
        assert.deepEqual(reply.content.map(({ type, text }) => [type, text]), [['text', 'Hi ünd 你好']]);
        assert.equal(reply.stop_reason, 'end_turn');
        assert.equal(reply.model, model);
        assert.ok(reply.usage.input_tokens > 0 && reply.usage.output_tokens > 0);
        assert.ok(reply._request_id?.startsWith('req_'), 'no _request_id');
    });
    await test(`${name}: messages.create takes an image and a document`, async () => {
        const word = tag();
        const source = (type, data) => ({ type: 'base64', media_type: type, data });
        await client.messages.create({
            model,
            max_tokens: 100,
            messages: [
                {
                    role: 'user',
                    content: [
                        { type: 'text', text: word },
                        { type: 'image', source: source('image/png', png) },
                        { type: 'document', title: 'a.pdf', source: source('application/pdf', pdf) },
                    ],
                },
            ],
        });
        const [request] = await upstreamRequests(word);
        assert.ok(request.body.includes(png), 'the image did not reach the upstream');
        assert.ok(request.body.includes(pdf), 'the document did not reach the upstream');
    });
    await test(`${name}: messages.create stops at its limit`, async () => {
        const reply = await client.messages.create(ask(model, { words: 60 }, { max_tokens: 16 }));
        assert.equal(reply.stop_reason, 'max_tokens');
    });
}

async function streams(client, model, name) {
    await test(`${name}: a Messages stream is one block at a time`, async () => {
        const events = await collect(
            await client.messages.create(ask(model, { words: 7 }, { stream: true })),
        );
        const types = events.map(({ type }) => type).filter((type) => type !== 'ping');
        assert.equal(types[0], 'message_start');
        assert.deepEqual(types.slice(-3), ['content_block_stop', 'message_delta', 'message_stop']);
        assert.equal(types.filter((type) => type === 'message_start').length, 1);
        assert.equal(events[0].message.model, model);
        assert.ok(events[0].message.usage.input_tokens > 0, 'no estimate of the input at the start');
        const deltas = events.filter(({ type }) => type === 'content_block_delta');
        assert.ok(deltas.length > 2, 'the text came in one piece');
        assert.equal(
            deltas.map(({ delta }) => delta.text).join(''),
            'alpha beta gamma delta omega sigma kappa',
        );
    });
    await test(`${name}: the messages.stream helper collects text and calls`, async () => {
        const stream = client.messages.stream(
            ask(
                model,
                { parts: 'text,tool', tools: 2, text: 'Let me look.', args: arguments_ },
                { tools: [weather] },
            ),
        );
        let seen = '';
        stream.on('text', (delta) => (seen += delta));
        const message = await stream.finalMessage();
        assert.equal(seen, 'Let me look.');
        assert.deepEqual(message.content.map(({ type }) => type), ['text', 'tool_use', 'tool_use']);
        assert.deepEqual(message.content[2].input, JSON.parse(arguments_));
        assert.notEqual(message.content[1].id, message.content[2].id);
        assert.equal(message.stop_reason, 'tool_use');
        assert.ok(message.usage.output_tokens > 0);
    });
    await test(`${name}: thinking comes with a signature that the next turn may carry`, async () => {
        const thinking = { type: 'enabled', budget_tokens: 1024 };
        const commands = { reasoning: 9, words: 4, summary: 1, reasoning_field: 'reasoning_content' };
        const stream = client.messages.stream(ask(model, commands, { thinking }));
        const message = await stream.finalMessage();
        assert.deepEqual(message.content.map(({ type }) => type), ['thinking', 'text']);
        assert.ok(message.content[0].signature.length > 0, 'no signature');
        const again = await client.messages.create({
            model,
            max_tokens: 2000,
            thinking,
            messages: [
                { role: 'user', content: 'Think.' },
                { role: 'assistant', content: message.content },
                { role: 'user', content: sim({ text: 'Second turn' }) },
            ],
        });
        assert.equal(textOf(again), 'Second turn');
    });
}

async function helpers(client, model, name, library) {
    const { jsonSchemaOutputFormat } = load(`${library}/helpers/json-schema`);
    await test(`${name}: messages.parse gives the object`, async () => {
        const format = jsonSchemaOutputFormat(schema);
        const reply = await client.messages.parse(
            ask(model, { text: arguments_ }, { output_config: { format } }),
        );
        assert.deepEqual(reply.parsed_output, JSON.parse(arguments_));
    });
    const { betaTool } = load(`${library}/helpers/beta/json-schema`);
    for (const stream of [false, true]) {
        const how = stream ? 'streamed' : 'whole';
        await test(`${name}: the tool runner runs the tool and goes on (${how})`, async () => {
            const given = [];
            const tool = betaTool({
                name: 'get_weather',
                description: 'Tells the weather',
                inputSchema: schema,
                run: (found) => given.push(found) && 'Minus three, and snow.',
            });
            const last = await client.beta.messages.toolRunner(
                ask(model, { tool: 'get_weather', args: arguments_ }, { tools: [tool], stream }),
            );
            assert.match(textOf(await last), /Minus three, and snow\./);
            assert.deepEqual(given, [JSON.parse(arguments_)]);
        });
    }
}

async function counts(client, model, name) {
    const what = `${name}: messages.countTokens counts`;
    const request = ask(model, {}, { system: 'Be brief.', tools: [weather] });
    delete request.max_tokens;
    if (!(await client.messages.countTokens(request).catch(({ status }) => status !== 404))) {
        skip(what, 'this gateway has no endpoint that counts tokens');
        return;
    }
    await test(what, async () => {
        const few = await client.messages.countTokens(request);
        const more = await client.messages.countTokens({
            ...request,
            messages: [{ role: 'user', content: 'word '.repeat(500) }],
        });
        assert.ok(few.input_tokens > 0 && more.input_tokens > few.input_tokens + 300);
    });
}

export async function messages(client, model, name, library) {
    await plain(client, model, name);
    await streams(client, model, name);
    await helpers(client, model, name, library);
    await counts(client, model, name);
}
