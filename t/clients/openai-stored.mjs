// Stored responses and chat completions through the OpenAI SDK's own methods.

import assert from 'node:assert/strict';
import { collect, failure, schema, sim, tag, test, upstreamRequests } from './lib/suite.mjs';

const weather = {
    type: 'function',
    name: 'get_weather',
    description: 'Tells the weather',
    parameters: schema,
    strict: true,
};

async function storedResponse(client, model, name) {
    await test(`${name}: responses.retrieve gives what create gave`, async () => {
        const made = await client.responses.create({ model, input: 'Hello' });
        const found = await client.responses.retrieve(made.id, {
            include: ['reasoning.encrypted_content'],
        });
        assert.equal(found.output_text, made.output_text);
        assert.deepEqual(found.output, made.output);
        assert.deepEqual(found.usage, made.usage);
    });
    await test(`${name}: responses.retrieve streams from where a reader was`, async () => {
        const events = await collect(
            await client.responses.create({ model, input: 'Hello', stream: true }),
        );
        const { id } = events[0].response;
        const rest = await collect(
            await client.responses.retrieve(id, { stream: true, starting_after: 4 }),
        );
        assert.deepEqual(rest, events.filter((event) => event.sequence_number > 4));
    });
    await test(`${name}: responses.stream goes on with a response that is over`, async () => {
        const made = await client.responses.create({ model, input: 'Hello' });
        const final = await client.responses.stream({ response_id: made.id }).finalResponse();
        assert.equal(final.output_text, made.output_text);
    });
    await test(`${name}: responses.cancel of a finished one is an error`, async () => {
        const made = await client.responses.create({ model, input: 'Hello' });
        const error = await failure(client.responses.cancel(made.id));
        assert.equal(error.status, 400);
        assert.match(error.message, /Cannot cancel/);
    });
    await test(`${name}: responses.delete, and nothing finds it any more`, async () => {
        const made = await client.responses.create({ model, input: 'Hello' });
        await client.responses.delete(made.id);
        assert.equal((await failure(client.responses.retrieve(made.id))).status, 404);
        assert.equal((await failure(client.responses.inputItems.list(made.id))).status, 404);
        const error = await failure(
            client.responses.create({ model, input: 'x', previous_response_id: made.id }),
        );
        assert.equal(error.code, 'previous_response_not_found');
    });
    await test(`${name}: responses.inputItems.list turns the pages by itself`, async () => {
        const input = ['a', 'b', 'c', 'd', 'e'].map((content) => ({ role: 'user', content }));
        const made = await client.responses.create({ model, input });
        const items = await collect(
            client.responses.inputItems.list(made.id, { limit: 2, order: 'asc' }),
        );
        assert.deepEqual(items.map((item) => item.content[0].text), ['a', 'b', 'c', 'd', 'e']);
        const newest = await client.responses.inputItems.list(made.id);
        assert.equal(newest.data[0].content[0].text, 'e');
    });
}

// Each turn sends only what is new: the calls and their outputs live in the chain.
async function chains(client, model, name) {
    await test(`${name}: a chain of tool calls by previous_response_id`, async () => {
        const word = tag();
        let reply = await client.responses.create({
            model,
            input: `Weather? ${word}`,
            tools: [weather],
            tool_choice: { type: 'function', name: 'get_weather' },
        });
        for (const turn of [1, 2, 3]) {
            const calls = reply.output.filter((item) => item.type === 'function_call');
            assert.equal(calls.length, 1, `turn ${turn} makes a call`);
            reply = await client.responses.create({
                model,
                previous_response_id: reply.id,
                tools: [weather],
                input: [
                    {
                        type: 'function_call_output',
                        call_id: calls[0].call_id,
                        output: `o${turn}${word}`,
                    },
                    ...(turn < 3 ? [{ role: 'user', content: sim({ tool: weather.name }) }] : []),
                ],
            });
        }
        assert.ok(reply.output_text.length > 0, 'no answer in the end');
        const sent = (await upstreamRequests(`o3${word}`)).at(-1).body;
        for (const part of [`Weather? ${word}`, `o1${word}`, `o2${word}`, `o3${word}`]) {
            assert.equal(sent.split(part).length, 2, `${part} is there ${sent.split(part).length - 1} times`);
        }
    });
    await test(`${name}: items of earlier answers are referred to`, async () => {
        const made = await client.responses.create({ model, input: 'Hello' });
        const word = tag();
        await client.responses.create({
            model,
            input: [
                { type: 'item_reference', id: made.output.at(-1).id },
                { role: 'user', content: word },
            ],
        });
        const [request] = await upstreamRequests(word);
        assert.ok(request.body.includes('simulated'), 'the item did not reach the upstream');
    });
}

async function storedCompletion(client, model, name) {
    const set = tag();
    const messages = [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
    ];
    const make = (more) =>
        client.chat.completions.create({ model, messages, store: true, metadata: { set }, ...more });
    await test(`${name}: chat.completions.retrieve, update and delete`, async () => {
        const made = await make({ metadata: {} });
        const found = await client.chat.completions.retrieve(made.id);
        assert.deepEqual(found.choices, made.choices);
        const updated = await client.chat.completions.update(made.id, { metadata: { a: 'b' } });
        assert.deepEqual(updated.metadata, { a: 'b' });
        const gone = await client.chat.completions.delete(made.id);
        assert.deepEqual(gone, { object: 'chat.completion.deleted', id: made.id, deleted: true });
        assert.equal((await failure(client.chat.completions.retrieve(made.id))).status, 404);
    });
    await test(`${name}: a streamed chat completion is kept whole`, async () => {
        const chunks = await collect(await make({ stream: true, metadata: {} }));
        const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
        const found = await client.chat.completions.retrieve(chunks[0].id);
        assert.equal(found.choices[0].message.content, text);
        assert.equal(found.choices[0].finish_reason, 'stop');
    });
    await test(`${name}: chat.completions.list turns the pages by itself`, async () => {
        const ids = [];
        for (let i = 0; i < 5; i += 1) {
            ids.push((await make()).id);
        }
        const found = await collect(client.chat.completions.list({ limit: 2, metadata: { set } }));
        assert.deepEqual(found.map((one) => one.id), ids);
        const newest = await client.chat.completions.list({
            limit: 1,
            order: 'desc',
            model,
            metadata: { set },
        });
        assert.equal(newest.data[0].id, ids.at(-1));
    });
    await test(`${name}: chat.completions.messages.list turns the pages by itself`, async () => {
        const made = await make({ metadata: {} });
        const found = await collect(client.chat.completions.messages.list(made.id, { limit: 1 }));
        assert.deepEqual(found.map((one) => one.content), ['Be brief.', 'Hello']);
        assert.deepEqual(found.map((one) => one.id), [`${made.id}-0`, `${made.id}-1`]);
    });
}

export async function stored(client, model, name) {
    await storedResponse(client, model, name);
    await chains(client, model, name);
    await storedCompletion(client, model, name);
}
