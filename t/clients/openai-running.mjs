// Responses that run in the background, compaction and counting through the OpenAI SDK.

import assert from 'node:assert/strict';
import { collect, failure, sim, test, until } from './lib/suite.mjs';

async function background(client, model, name) {
    await test(`${name}: a background response is polled to its end`, async () => {
        const request = { model, background: true, input: sim({ words: 6, gap: 30 }) };
        let reply = await client.responses.create(request);
        assert.ok(['queued', 'in_progress'].includes(reply.status), reply.status);
        await until(async () => {
            reply = await client.responses.retrieve(reply.id);
            return !['queued', 'in_progress'].includes(reply.status);
        }, 'it ends');
        assert.equal(reply.status, 'completed');
        assert.equal(reply.output_text, 'alpha beta gamma delta omega sigma');
        const failed = await failure(client.responses.cancel(reply.id));
        assert.equal(failed.status, 400, 'a completed one is refused');
    });
    await test(`${name}: a background stream is left and taken up again`, async () => {
        const stream = await client.responses.create({
            model,
            background: true,
            stream: true,
            input: sim({ words: 20, gap: 40 }),
        });
        const seen = [];
        for await (const event of stream) {
            seen.push(event);
            if (seen.filter(({ type }) => type === 'response.output_text.delta').length === 3) {
                break; // closes the connection
            }
        }
        const { id } = seen[0].response;
        const rest = await collect(
            await client.responses.retrieve(id, {
                stream: true,
                starting_after: seen.at(-1).sequence_number,
            }),
        );
        const all = [...seen, ...rest];
        assert.deepEqual(
            all.map(({ sequence_number: number }) => number),
            all.map((_, place) => place),
        );
        assert.equal(all.at(-1).type, 'response.completed');
        const text = all.filter(({ type }) => type === 'response.output_text.delta');
        assert.equal(text.map(({ delta }) => delta).join('').split(' ').length, 20);
    });
    await test(`${name}: a background response is cancelled`, async () => {
        const request = { model, background: true, input: sim({ words: 3000, gap: 50 }) };
        const { id } = await client.responses.create(request);
        const cancelled = await client.responses.cancel(id);
        assert.equal(cancelled.status, 'cancelled');
        assert.equal((await client.responses.retrieve(id)).status, 'cancelled');
        assert.equal((await client.responses.cancel(id)).status, 'cancelled', 'again');
    });
}

async function compaction(client, model, name) {
    await test(`${name}: responses.compact makes what responses.create takes`, async () => {
        const compact = await client.responses.compact({
            model,
            input: [
                { role: 'user', content: sim({ text: 'They spoke.' }) },
                { role: 'assistant', content: 'Well.' },
            ],
        });
        assert.equal(compact.object, 'response.compaction');
        assert.deepEqual(
            compact.output.map(({ type }) => type),
            ['message', 'compaction'],
        );
        assert.ok(compact.usage.total_tokens > 0);
        const next = { role: 'user', content: sim({ text: 'Go on' }) };
        const input = [...compact.output, next];
        const reply = await client.responses.create({ model, store: false, input });
        assert.equal(reply.output_text, 'Go on');
    });
}

async function counting(client, model, name) {
    await test(`${name}: responses.inputTokens.count counts`, async () => {
        const few = await client.responses.inputTokens.count({ model, input: 'Hello, world' });
        const more = await client.responses.inputTokens.count({
            model,
            instructions: 'one two three four five six seven eight',
            input: 'Hello, world',
        });
        assert.equal(few.object, 'response.input_tokens');
        assert.ok(few.input_tokens > 0 && more.input_tokens > few.input_tokens + 6);
    });
}

export async function running(client, model, name) {
    await background(client, model, name);
    if (client.responses.compact !== undefined) {
        await compaction(client, model, name);
    }
    if (client.responses.inputTokens !== undefined) {
        await counting(client, model, name);
    }
}
