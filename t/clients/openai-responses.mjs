// Responses through the OpenAI SDK.

import assert from 'node:assert/strict';
import { arguments_, collect, load, pdf, png, schema, sim, tag, test, upstreamRequests } from './lib/suite.mjs';

const weather = {
    type: 'function',
    name: 'get_weather',
    description: 'Tells the weather',
    parameters: schema,
    strict: true,
};

// Every request says store: false, so that nothing of these tests depends on stored state.
const ask = (model, commands, more) => ({ model, input: sim(commands), store: false, ...more });

async function plain(client, model, name) {
    await test(`${name}: responses.create answers`, async () => {
        const reply = await client.responses.create(
            ask(model, { text: 'Hi ünd 你好' }, { instructions: 'Be brief.', metadata: { a: 'b' } }),
        );
        assert.equal(reply.output_text, 'Hi ünd 你好');
        assert.equal(reply.status, 'completed');
        assert.equal(reply.model, model);
        assert.equal(reply.instructions, 'Be brief.');
        assert.ok(reply._request_id?.startsWith('req_'), 'no _request_id');
        const { input_tokens: input, output_tokens: output, total_tokens: total } = reply.usage;
        assert.ok(input > 0 && output > 0 && total === input + output, JSON.stringify(reply.usage));
    });
    await test(`${name}: responses.create takes an image and a document`, async () => {
        const word = tag();
        await client.responses.create({
            model,
            store: false,
            input: [
                {
                    role: 'user',
                    content: [
                        { type: 'input_text', text: word },
                        { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' },
                        {
                            type: 'input_file',
                            filename: 'a.pdf',
                            file_data: `data:application/pdf;base64,${pdf}`,
                        },
                    ],
                },
            ],
        });
        const [request] = await upstreamRequests(word);
        assert.ok(request.body.includes(png), 'the image did not reach the upstream');
        assert.ok(request.body.includes(pdf), 'the document did not reach the upstream');
    });
    await test(`${name}: responses.create says that an answer was cut`, async () => {
        const reply = await client.responses.create(
            ask(model, { words: 60 }, { max_output_tokens: 16 }),
        );
        assert.equal(reply.status, 'incomplete');
        assert.equal(reply.incomplete_details.reason, 'max_output_tokens');
    });
}

async function streams(client, model, name) {
    await test(`${name}: a Responses stream is numbered and ends completed`, async () => {
        const events = await collect(
            await client.responses.create(ask(model, { words: 7 }, { stream: true })),
        );
        assert.deepEqual(
            events.map(({ sequence_number: number }) => number),
            events.map((_, place) => place),
        );
        assert.equal(events[0].type, 'response.created');
        assert.equal(events.at(-1).type, 'response.completed');
        assert.equal(events.at(-1).response.model, model);
        assert.equal(events.at(-1).response.id, events[0].response.id);
        const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
        assert.ok(deltas.length > 2, 'the text came in one piece');
        assert.equal(
            deltas.map(({ delta }) => delta).join(''),
            'alpha beta gamma delta omega sigma kappa',
        );
    });
    await test(`${name}: the responses.stream helper collects text and calls`, async () => {
        const stream = client.responses.stream(
            ask(
                model,
                { parts: 'text,tool', tools: 2, text: 'Let me look.', args: arguments_ },
                { tools: [weather] },
            ),
        );
        const reply = await stream.finalResponse();
        assert.equal(reply.status, 'completed');
        assert.equal(reply.output_text, 'Let me look.');
        const calls = reply.output.filter(({ type }) => type === 'function_call');
        assert.equal(calls.length, 2);
        for (const call of calls) {
            assert.equal(call.name, 'get_weather');
            assert.deepEqual(call.parsed_arguments, JSON.parse(arguments_));
        }
    });
    await test(`${name}: the responses.stream helper collects reasoning`, async () => {
        const stream = client.responses.stream(
            ask(
                model,
                { reasoning: 9, words: 4, reasoning_field: 'reasoning_content' },
                {
                    reasoning: { effort: 'high', summary: 'auto' },
                    include: ['reasoning.encrypted_content'],
                    max_output_tokens: 40000,
                },
            ),
        );
        const reply = await stream.finalResponse();
        assert.equal(reply.output_text, 'alpha beta gamma delta');
        const thought = reply.output.find(({ type }) => type === 'reasoning');
        assert.ok(thought, 'no reasoning item');
        const again = await client.responses.create({
            model,
            store: false,
            include: ['reasoning.encrypted_content'],
            input: [
                { role: 'user', content: 'Think.' },
                ...reply.output,
                { role: 'user', content: sim({ text: 'Second turn' }) },
            ],
        });
        assert.equal(again.output_text, 'Second turn');
    });
}

async function tools(client, model, name) {
    await test(`${name}: responses.parse gives the object`, async () => {
        const reply = await client.responses.parse(
            ask(
                model,
                { text: arguments_ },
                { text: { format: { type: 'json_schema', name: 'place', schema, strict: true } } },
            ),
        );
        assert.deepEqual(reply.output_parsed, JSON.parse(arguments_));
    });
    await test(`${name}: a tool loop without stored state comes to its end`, async () => {
        const input = [{ role: 'user', content: sim({ tool: 'get_weather', args: arguments_ }) }];
        const request = { model, store: false, input, tools: [weather] };
        const first = await client.responses.create(request);
        const call = first.output.find(({ type }) => type === 'function_call');
        assert.equal(call.arguments, arguments_);
        input.push(...first.output, {
            type: 'function_call_output',
            call_id: call.call_id,
            output: 'Minus three.',
        });
        assert.match((await client.responses.create(request)).output_text, /Minus three\./);
    });
    await test(`${name}: a custom tool gets bare text`, async () => {
        const patch = '*** Begin Patch\n"quoted" \\ and\ttabs\n*** End Patch';
        const tool = { type: 'custom', name: 'apply_patch', description: 'Takes a patch' };
        const input = [{ role: 'user', content: sim({ tool: 'apply_patch', input: patch }) }];
        const request = { model, store: false, input, tools: [tool] };
        const stream = await client.responses.create({ ...request, stream: true });
        const { response } = (await collect(stream)).at(-1);
        const call = response.output.find(({ type }) => type === 'custom_tool_call');
        assert.equal(call.input, patch);
        input.push(...response.output, {
            type: 'custom_tool_call_output',
            call_id: call.call_id,
            output: 'Patched.',
        });
        assert.match((await client.responses.create(request)).output_text, /Patched\./);
    });
}

async function runner(client, model, name, library) {
    const { ResponsesToolRunner } = load(`${library}/helpers/responses-tool-runner`);
    for (const stream of [false, true]) {
        const how = stream ? 'streamed' : 'whole';
        await test(`${name}: the Responses tool runner comes to its end (${how})`, async () => {
            const given = [];
            const execute = (found) => given.push(found) && 'Minus three.';
            const run = new ResponsesToolRunner({ functions: [{ tool: weather, execute }] });
            const request = ask(model, { tool: 'get_weather', args: arguments_ });
            const reply = await run.run(client, request, { stream });
            assert.match(reply.output_text, /Minus three\./);
            assert.deepEqual(given, [JSON.parse(arguments_)]);
        });
    }
}

export async function responses(client, model, name, library) {
    await plain(client, model, name);
    await streams(client, model, name);
    await tools(client, model, name);
    if (library === 'openai') {
        await runner(client, model, name, library); // the older edition has none
    }
}
