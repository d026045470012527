// Probes of /v1/messages and of its token counting.

import * as ask from './common.mjs';

const PATH = '/v1/messages';
const COUNT = `${PATH}/count_tokens`;
const user = (content) => ({ max_tokens: 1024, messages: [{ role: 'user', content }] });
const fn = (tool) => ({ ...tool, input_schema: ask.SCHEMA });
const forced = { tools: [fn(ask.TOOL)], tool_choice: { type: 'tool', name: ask.TOOL.name } };
const both = { tools: [fn(ask.TOOL), fn(ask.SECOND_TOOL)], tool_choice: { type: 'any' } };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: ask.PNG } };
const text = {
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: 'The word is pong.' },
};
const marked = (words) => ({ type: 'text', text: words, cache_control: { type: 'ephemeral' } });
const words = (written) => ({ type: 'text', text: written });
const system = [words('Be brief.'), marked('Be kind.')];
const format = { format: { type: 'json_schema', schema: ask.SCHEMA } };
const thinking = { max_tokens: 4096, thinking: { type: 'enabled', budget_tokens: 1024 } };
const history = [
    { role: 'user', content: ask.ASK_TOOL },
    {
        role: 'assistant',
        content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'toolu_1', name: ask.TOOL.name, input: { city: 'Bern' } },
        ],
    },
    {
        role: 'user',
        content: [
            {
                type: 'tool_result',
                tool_use_id: 'toolu_1',
                content: [{ type: 'text', text: 'Sunny' }],
            },
        ],
    },
];
const withResult = { max_tokens: 1024, messages: history, tools: [fn(ask.TOOL)] };

async function shortLimit(t) {
    const said = await t.generate(PATH, { ...user(ask.ASK_COUNT), max_tokens: 5 });
    t.expect(
        said.end === 'max_tokens' || said.usage.output_tokens <= 5,
        `stop_reason ${said.end} with ${said.usage.output_tokens} tokens of 5`,
    );
}

async function stopSequence(t) {
    const said = await t.generate(PATH, { ...user(ask.ASK_COUNT), stop_sequences: ['7'] });
    ask.expectStopped(t, said);
    t.expect(
        said.end === 'stop_sequence' && said.stopSequence === '7',
        `stop_reason ${said.end}, stop_sequence ${said.stopSequence}`,
    );
}

function think(t, said) {
    ask.expectText(t, said);
    if (!said.thinking) {
        t.skip('the model did not think');
    }
}

async function count(t) {
    const plain = { model: t.model, messages: history.slice(0, 1) };
    const few = await t.object('POST', COUNT, 'count_tokens', { body: plain });
    const many = await t.object('POST', COUNT, 'count_tokens', {
        body: { model: t.model, messages: history, tools: withResult.tools, system: 'Be brief.' },
    });
    t.expect(few.input_tokens > 0, 'a text counts nothing');
    t.expect(many.input_tokens > few.input_tokens, 'tools, tool blocks and system count nothing');
    await t.object('POST', COUNT, 'count_tokens', { body: { ...plain, tools: [] } });
}

async function countIsNear(t) {
    const request = { model: t.model, messages: history, tools: withResult.tools };
    const { input_tokens: counted } = await t.object('POST', COUNT, 'count_tokens', {
        body: request,
    });
    const { usage } = await t.generate(PATH, { max_tokens: 64, ...request });
    const used =
        usage.input_tokens +
        (usage.cache_creation_input_tokens ?? 0) +
        (usage.cache_read_input_tokens ?? 0);
    t.expect(counted >= used / 2 && counted <= used * 2, `counted ${counted}, used ${used}`);
}

export const messages = ask.table(PATH, [
    { id: 'messages.plain', ask: user(ask.ASK) },
    { id: 'messages.stream', stream: user(ask.ASK) },
    { id: 'messages.system', ask: { ...user(ask.ASK), system: 'Be brief.' } },
    { id: 'messages.system-blocks', stream: { ...user([marked(ask.ASK)]), system } },
    { id: 'messages.beta-query', path: `${PATH}?beta=true`, ask: user(ask.ASK) },
    { id: 'messages.bearer', auth: 'bearer', ask: user(ask.ASK) },
    { id: 'messages.tools', both: { ...user(ask.ASK_TOOL), ...forced }, expect: ask.expectCall },
    {
        id: 'messages.parallel',
        both: { ...user(ask.ASK_TOOLS), ...both },
        expect: ask.expectParallel,
    },
    { id: 'messages.tool-result', both: withResult },
    {
        id: 'messages.structured',
        optional: true,
        ask: { ...user(ask.ASK_JSON), output_config: format },
        expect: ask.expectJson,
    },
    { id: 'messages.image', optional: true, ask: user([image, words('Which colour is this?')]) },
    { id: 'messages.document', optional: true, ask: user([text, words('Which word is in it?')]) },
    { id: 'messages.max-tokens', run: shortLimit },
    { id: 'messages.stop-sequence', optional: true, run: stopSequence },
    {
        id: 'messages.thinking',
        optional: true,
        both: { ...user(ask.ASK), ...thinking },
        expect: think,
    },
    { id: 'messages.count', run: count },
    { id: 'messages.count-near', run: countIsNear },
    { id: 'messages.bad-request', refuse: [400, 422], body: { max_tokens: 5, messages: 'no' } },
    { id: 'messages.no-limit', refuse: [400, 422], body: { messages: history.slice(0, 1) } },
    {
        id: 'messages.bad-request-stream',
        refuse: [400, 422],
        body: { max_tokens: 5, stream: true },
    },
    { id: 'messages.bad-json', refuse: [400, 422], body: '{"model": ' },
    {
        id: 'messages.unknown-model',
        refuse: [400, 404],
        body: { model: ask.UNKNOWN_MODEL, ...user(ask.ASK) },
    },
    { id: 'messages.no-key', refuse: [401], auth: 'none', body: user(ask.ASK) },
    { id: 'messages.unknown-path', path: `${PATH}/no-such-path`, refuse: [404], body: {} },
]);
