// Probes of /v1/responses, with the stored responses and token counting.

import * as ask from './common.mjs';

const PATH = '/v1/responses';
const fn = (tool) => ({ type: 'function', ...tool, parameters: ask.SCHEMA, strict: true });
const user = (...content) => ({ role: 'user', content });
const brief = { role: 'developer', content: 'Be brief.' };
const question = { type: 'input_text', text: 'Which colour is this?' };
const image = {
    type: 'input_image',
    detail: 'auto',
    image_url: `data:image/png;base64,${ask.PNG}`,
};
const reasoning = {
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
};
const forced = { tools: [fn(ask.TOOL)], tool_choice: { type: 'function', name: ask.TOOL.name } };
const both = { tools: [fn(ask.TOOL), fn(ask.SECOND_TOOL)], tool_choice: 'required' };
const format = {
    text: { format: { type: 'json_schema', name: 'capital', strict: true, schema: ask.SCHEMA } },
};
const custom = {
    tools: [{ type: 'custom', name: 'note', description: 'Takes a note as plain text' }],
    tool_choice: 'required',
};
const history = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: ask.ASK_TOOL }] },
    { type: 'function_call', call_id: 'call_1', name: ask.TOOL.name, arguments: '{"city":"Bern"}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'Sunny, 21 degrees' },
];

async function shortLimit(t) {
    const { body, usage } = await t.generate(PATH, { input: ask.ASK_COUNT, max_output_tokens: 16 });
    const isCut =
        body.status === 'incomplete' && body.incomplete_details?.reason === 'max_output_tokens';
    t.expect(
        isCut || usage?.output_tokens <= 16,
        `status ${body.status} with ${usage?.output_tokens} tokens of 16`,
    );
}

async function previous(t) {
    const first = await t.generate(PATH, { input: 'My name is Ada. Say hello.', store: true });
    const second = await t.generate(PATH, {
        input: 'What is my name?',
        previous_response_id: first.body.id,
    });
    t.expect(
        second.body.previous_response_id === first.body.id,
        'the reply does not name the previous response',
    );
    t.expect(
        second.usage?.input_tokens > first.usage?.input_tokens,
        'the chain adds no input tokens',
    );
}

// The tool call of the stored turn is answered with nothing but its output.
async function previousTool(t) {
    const first = await t.generate(PATH, { input: ask.ASK_TOOL, store: true, ...forced });
    const call = ask.expectCall(t, first);
    const second = await t.generate(PATH, {
        previous_response_id: first.body.id,
        tools: forced.tools,
        input: [{ type: 'function_call_output', call_id: call.id, output: 'Sunny' }],
    });
    ask.expectText(t, second);
}

async function stored(t) {
    const { body } = await t.generate(PATH, { input: ask.ASK, store: true });
    const own = `${PATH}/${encodeURIComponent(body.id)}`;
    const found = await t.object('GET', own, 'response');
    t.expect(found.id === body.id, `asked for ${body.id}, got ${found.id}`);
    const items = await t.object('GET', `${own}/input_items?limit=5`, 'input_items');
    t.expect(
        items.data.length === 1 && Boolean(items.data[0]?.id),
        'the input is not one item with an id',
    );
    const cancel = await t.send('POST', `${own}/cancel`);
    t.expect(
        cancel.status >= 400 && cancel.status < 500,
        `cancelling a completed response gave ${cancel.status}`,
    );
    t.errorBody(cancel);
    await t.object('DELETE', own, 'deleted');
    await t.refused([404], 'GET', own);
    await t.refused([400, 404], 'POST', PATH, {
        body: { model: t.model, input: 'Hi', previous_response_id: body.id },
    });
}

async function notStored(t) {
    const { body } = await t.generate(PATH, { input: ask.ASK, store: false });
    t.expect(body.store === false, 'store is not told as false');
    await t.refused([404], 'GET', `${PATH}/${encodeURIComponent(body.id)}`);
}

async function replay(t) {
    const { events } = await t.stream(PATH, { input: ask.ASK, store: true });
    const { id } = events[0].response;
    const reply = await t.send(
        'GET',
        `${PATH}/${encodeURIComponent(id)}?stream=true&starting_after=2`,
    );
    t.success(reply);
    const again = t.readStream(reply, { startingAfter: 2 });
    t.expect(
        again.events.at(-1)?.type === events.at(-1)?.type,
        'the replay ends otherwise than the stream',
    );
}

async function compact(t) {
    const body = await t.object('POST', `${PATH}/compact`, 'compaction', {
        body: { model: t.model, input: history },
    });
    const said = await t.generate(PATH, {
        input: [...body.output, { role: 'user', content: ask.ASK }],
    });
    ask.expectText(t, said);
}

async function count(t) {
    const few = await t.object('POST', `${PATH}/input_tokens`, 'input_tokens', {
        body: { model: t.model, input: ask.ASK },
    });
    const many = await t.object('POST', `${PATH}/input_tokens`, 'input_tokens', {
        body: { model: t.model, input: history, tools: forced.tools },
    });
    t.expect(few.input_tokens > 0, 'a text counts nothing');
    t.expect(many.input_tokens > few.input_tokens, 'tools and tool items count nothing');
}

async function customTool(t) {
    const said = await t.stream(PATH, { input: 'Note the word pong with the tool.', ...custom });
    const call = said.calls.find((one) => one.custom);
    t.expect(
        call?.name === 'note' && call.args !== '',
        'the custom tool was not called with an input',
    );
}

// A client that asks for a WebSocket falls back to plain HTTP at once on 426; 400 ends its turn.
async function webSocket(t) {
    const reply = await t.send('GET', PATH, {
        headers: {
            connection: 'Upgrade',
            upgrade: 'websocket',
            'sec-websocket-version': '13',
            'sec-websocket-key': 'bWctY29uZm9ybS1wcm9iZQ==',
        },
    });
    if (reply.status === 101) {
        t.skip('WebSocket is served');
    }
    t.expect(reply.status === 426, `an upgrade is answered with ${reply.status}, clients want 426`);
}

export const responses = ask.table(PATH, [
    { id: 'responses.plain', ask: { input: ask.ASK } },
    { id: 'responses.stream', stream: { input: ask.ASK } },
    { id: 'responses.instructions', ask: { input: ask.ASK, instructions: 'Be brief.' } },
    { id: 'responses.items', ask: { input: [brief, user({ type: 'input_text', text: ask.ASK })] } },
    { id: 'responses.tools', both: { input: ask.ASK_TOOL, ...forced }, expect: ask.expectCall },
    {
        id: 'responses.parallel',
        both: { input: ask.ASK_TOOLS, ...both },
        expect: ask.expectParallel,
    },
    { id: 'responses.tool-result', both: { input: history, tools: forced.tools } },
    { id: 'responses.custom-tool', optional: true, run: customTool },
    {
        id: 'responses.structured',
        optional: true,
        ask: { input: ask.ASK_JSON, ...format },
        expect: ask.expectJson,
    },
    { id: 'responses.image', optional: true, ask: { input: [user(question, image)] } },
    { id: 'responses.max-tokens', run: shortLimit },
    { id: 'responses.reasoning', optional: true, both: { input: ask.ASK, ...reasoning } },
    { id: 'responses.previous', optional: true, run: previous },
    { id: 'responses.previous-tool', optional: true, run: previousTool },
    { id: 'responses.stored', optional: true, run: stored },
    { id: 'responses.not-stored', optional: true, run: notStored },
    { id: 'responses.replay', optional: true, run: replay },
    { id: 'responses.compact', optional: true, run: compact },
    { id: 'responses.count', optional: true, run: count },
    { id: 'responses.websocket', run: webSocket },
    { id: 'responses.bad-request', refuse: [400, 422], body: { input: 7 } },
    {
        id: 'responses.bad-request-stream',
        refuse: [400, 422],
        body: { input: [{ role: 'user' }], stream: true },
    },
    { id: 'responses.bad-json', refuse: [400, 422], body: '{"model": ' },
    {
        id: 'responses.unknown-model',
        refuse: [400, 404],
        body: { model: ask.UNKNOWN_MODEL, input: ask.ASK },
    },
    { id: 'responses.no-key', refuse: [401], auth: 'none', body: { input: ask.ASK } },
    { id: 'responses.unknown-id', run: (t) => t.refused([404], 'GET', `${PATH}/resp_no_such_id`) },
]);
