// Probes of /v1/chat/completions, with the stored completions.

import * as ask from './common.mjs';

const PATH = '/v1/chat/completions';
const user = (content) => ({ messages: [{ role: 'user', content }] });
const brief = { role: 'system', content: 'Be brief.' };
const words = (text) => ({ type: 'text', text });
const fn = (tool) => ({ type: 'function', function: { ...tool, parameters: ask.SCHEMA } });
const forced = {
    tools: [fn(ask.TOOL)],
    tool_choice: { type: 'function', function: { name: ask.TOOL.name } },
};
const both = { tools: [fn(ask.TOOL), fn(ask.SECOND_TOOL)], tool_choice: 'required' };
const format = {
    response_format: {
        type: 'json_schema',
        json_schema: { name: 'capital', strict: true, schema: ask.SCHEMA },
    },
};
const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${ask.PNG}` } };
const history = [
    { role: 'user', content: ask.ASK_TOOL },
    {
        role: 'assistant',
        content: null,
        tool_calls: [
            {
                id: 'call_1',
                type: 'function',
                function: { name: ask.TOOL.name, arguments: '{"city":"Bern"}' },
            },
        ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'Sunny, 21 degrees' },
];

async function stored(t) {
    const { body } = await t.generate(PATH, {
        ...user(ask.ASK),
        store: true,
        metadata: { probe: 'conform' },
    });
    const own = `${PATH}/${encodeURIComponent(body.id)}`;
    const first = await t.send('GET', own);
    if (first.status === 404) {
        t.skip('completions are not stored');
    }
    const found = await t.object('GET', own, 'completion');
    t.expect(found.id === body.id, `asked for ${body.id}, got ${found.id}`);
    const list = await t.object('GET', `${PATH}?limit=1&order=desc`, 'list');
    t.expect(list.data.length <= 1, 'limit=1 returned more than one');
    await t.object('GET', `${own}/messages`, 'messages');
    const changed = await t.object('POST', own, 'completion', {
        body: { metadata: { probe: 'changed' } },
    });
    t.expect(changed.metadata?.probe === 'changed', 'the metadata did not change');
    await t.object('DELETE', own, 'deleted');
    await t.refused([404], 'GET', own);
}

async function streamedUsage(t) {
    const said = await t.stream(PATH, {
        ...user(ask.ASK),
        stream_options: { include_usage: true },
    });
    ask.expectText(t, said);
    t.expect(said.usage?.prompt_tokens > 0, 'usage tells no prompt tokens');
}

async function shortLimit(t) {
    const said = await t.generate(PATH, { ...user(ask.ASK_COUNT), max_tokens: 16 });
    const used = said.usage?.completion_tokens ?? 0;
    t.expect(
        said.end === 'length' || used <= 16,
        `finish_reason ${said.end} with ${used} tokens of 16`,
    );
}

async function stopSequence(t) {
    const said = await t.generate(PATH, { ...user(ask.ASK_COUNT), stop: ['7'] });
    ask.expectStopped(t, said);
    t.expect(said.end === 'stop', `finish_reason ${said.end}`);
}

async function severalChoices(t) {
    const { body } = await t.generate(PATH, { ...user(ask.ASK), n: 2 });
    t.expect(body.choices.length === 2, `${body.choices.length} choices of 2`);
}

export const chat = ask.table(PATH, [
    { id: 'chat.plain', ask: user(ask.ASK) },
    { id: 'chat.stream', stream: user(ask.ASK) },
    { id: 'chat.stream-usage', run: streamedUsage },
    { id: 'chat.system', ask: { messages: [brief, ...user(ask.ASK).messages] } },
    { id: 'chat.parts', ask: user([words(ask.ASK), words('In English.')]) },
    { id: 'chat.tools', both: { ...user(ask.ASK_TOOL), ...forced }, expect: ask.expectCall },
    { id: 'chat.parallel', both: { ...user(ask.ASK_TOOLS), ...both }, expect: ask.expectParallel },
    { id: 'chat.tool-result', both: { messages: history, tools: forced.tools } },
    {
        id: 'chat.structured',
        optional: true,
        ask: { ...user(ask.ASK_JSON), ...format },
        expect: ask.expectJson,
    },
    { id: 'chat.image', optional: true, ask: user([words('Which colour is this?'), image]) },
    { id: 'chat.max-tokens', run: shortLimit },
    { id: 'chat.stop', optional: true, run: stopSequence },
    { id: 'chat.reasoning', optional: true, ask: { ...user(ask.ASK), reasoning_effort: 'low' } },
    { id: 'chat.choices', optional: true, run: severalChoices },
    { id: 'chat.stored', optional: true, run: stored },
    { id: 'chat.bad-request', refuse: [400, 422], body: { messages: 'no' } },
    { id: 'chat.bad-request-stream', refuse: [400, 422], body: { stream: true } },
    { id: 'chat.bad-json', refuse: [400, 422], body: '{"model": ' },
    {
        id: 'chat.unknown-model',
        refuse: [400, 404],
        body: { model: ask.UNKNOWN_MODEL, ...user(ask.ASK) },
    },
    { id: 'chat.no-key', refuse: [401], auth: 'none', body: user(ask.ASK) },
    { id: 'chat.unknown-id', run: (t) => t.refused([404], 'GET', `${PATH}/chatcmpl-no-such-id`) },
]);
