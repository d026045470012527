// Requests: clean ones, and what must be found in damaged ones.

const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
const called = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
};
const chatRequest = {
    model: 'power-ai',
    tools: [tool],
    tool_choice: { type: 'function', function: { name: 'f' } },
    messages: [
        { role: 'user', content: 'Hi' },
        called,
        { role: 'tool', tool_call_id: 'c1', content: 'ok' },
    ],
};

const use = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] };
const result = {
    role: 'user',
    content: [
        { type: 'tool_result', tool_use_id: 't1', content: 'ok' },
        { type: 'text', text: 'go on' },
    ],
};
const messagesRequest = {
    model: 'power-ai',
    max_tokens: 2000,
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    tool_choice: { type: 'auto' },
    thinking: { type: 'enabled', budget_tokens: 1024 },
    messages: [{ role: 'user', content: 'Hi' }, use, result],
};

const responsesRequest = {
    model: 'power-ai',
    tools: [{ type: 'function', name: 'f', parameters: {}, strict: false }],
    tool_choice: { type: 'function', name: 'f' },
    input: [
        { role: 'user', content: 'Hi' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'ok' },
    ],
};

const edit = (change) => (body) => {
    change(body);
};

// [what it is, rule or null if it is clean, family, body, change, options]
export const REQUESTS = [
    ['a clean chat request', null, 'chat', chatRequest],
    [
        'a chat request without messages',
        'schema',
        'chat',
        chatRequest,
        edit((b) => {
            delete b.messages;
        }),
    ],
    [
        'an unknown role',
        'schema',
        'chat',
        chatRequest,
        edit((b) => {
            b.messages[0].role = 'robot';
        }),
    ],
    [
        'a tool call is not answered',
        'cq.tool-pair',
        'chat',
        chatRequest,
        edit((b) => {
            b.messages.pop();
        }),
    ],
    [
        'a tool message has no call',
        'cq.tool-pair',
        'chat',
        chatRequest,
        edit((b) => {
            b.messages.splice(1, 1);
        }),
    ],
    [
        'a user turn comes instead of the tool message',
        'cq.tool-pair',
        'chat',
        chatRequest,
        edit((b) => {
            b.messages[2] = b.messages[0];
        }),
    ],
    [
        'a user turn comes before the tool message',
        'cq.tool-pair',
        'chat',
        chatRequest,
        edit((b) => {
            b.messages.splice(2, 0, b.messages[0]);
        }),
    ],
    [
        'arguments in the history are torn',
        'cq.tool-json',
        'chat',
        chatRequest,
        edit((b) => {
            b.messages[1].tool_calls[0].function.arguments = '{';
        }),
    ],
    [
        'tool_choice names no tool',
        'cq.choice-name',
        'chat',
        chatRequest,
        edit((b) => {
            b.tool_choice.function.name = 'g';
        }),
    ],
    ['a clean messages request', null, 'messages', messagesRequest],
    [
        'max_tokens is missing',
        'schema',
        'messages',
        messagesRequest,
        edit((b) => {
            delete b.max_tokens;
        }),
    ],
    [
        'an unknown member',
        'schema',
        'messages',
        messagesRequest,
        edit((b) => {
            b.seed = 1;
        }),
    ],
    [
        'a beta member',
        'schema',
        'messages',
        messagesRequest,
        edit((b) => {
            b.context_management = { edits: [] };
        }),
    ],
    [
        'a beta member, allowed',
        null,
        'messages',
        messagesRequest,
        edit((b) => {
            b.context_management = { edits: [] };
        }),
        { beta: true },
    ],
    [
        'a tool name with a dot',
        'schema',
        'messages',
        messagesRequest,
        edit((b) => {
            b.tools[0].name = 'a.b';
        }),
    ],
    [
        'an empty text block',
        'schema',
        'messages',
        messagesRequest,
        edit((b) => {
            b.messages[2].content[1].text = '';
        }),
    ],
    [
        'tool_choice none with a parallel flag',
        'schema',
        'messages',
        messagesRequest,
        edit((b) => {
            b.tool_choice = { type: 'none', disable_parallel_tool_use: true };
        }),
    ],
    [
        'a tool_use without a result',
        'mq.tool-pair',
        'messages',
        messagesRequest,
        edit((b) => {
            b.messages.pop();
        }),
    ],
    [
        'a result without a tool_use',
        'mq.tool-pair',
        'messages',
        messagesRequest,
        edit((b) => {
            b.messages.splice(1, 1);
        }),
    ],
    [
        'text before the tool result',
        'mq.result-first',
        'messages',
        messagesRequest,
        edit((b) => {
            b.messages[2].content.reverse();
        }),
    ],
    [
        'a budget as large as max_tokens',
        'mq.budget',
        'messages',
        messagesRequest,
        edit((b) => {
            b.max_tokens = 1024;
        }),
    ],
    [
        'a forced tool with thinking',
        'mq.forced-thinking',
        'messages',
        messagesRequest,
        edit((b) => {
            b.tool_choice = { type: 'any' };
        }),
    ],
    [
        'tool_choice names no tool (messages)',
        'mq.choice-name',
        'messages',
        messagesRequest,
        edit((b) => {
            b.tool_choice = { type: 'tool', name: 'g' };
        }),
    ],
    ['a clean responses request', null, 'responses', responsesRequest],
    [
        'a function tool without strict',
        'schema',
        'responses',
        responsesRequest,
        edit((b) => {
            delete b.tools[0].strict;
        }),
    ],
    [
        'a call without an output',
        'rq.call-pair',
        'responses',
        responsesRequest,
        edit((b) => {
            b.input.pop();
        }),
    ],
    [
        'an output without a call',
        'rq.call-pair',
        'responses',
        responsesRequest,
        edit((b) => {
            b.input.splice(1, 1);
        }),
    ],
    [
        'an output whose call is in the previous response',
        null,
        'responses',
        responsesRequest,
        edit((b) => {
            b.input.splice(1, 1);
            b.previous_response_id = 'resp_1';
        }),
    ],
    [
        'arguments in the input are torn',
        'rq.args-json',
        'responses',
        responsesRequest,
        edit((b) => {
            b.input[1].arguments = '{';
        }),
    ],
    [
        'tool_choice names no tool (responses)',
        'rq.choice-name',
        'responses',
        responsesRequest,
        edit((b) => {
            b.tool_choice.name = 'g';
        }),
    ],
    [
        'a count request',
        null,
        'messages',
        { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
        undefined,
        { kind: 'count_tokens' },
    ],
    [
        'a count request with max_tokens',
        'schema',
        'messages',
        messagesRequest,
        undefined,
        { kind: 'count_tokens' },
    ],
    ['a metadata update', null, 'chat', { metadata: { a: 'b' } }, undefined, { kind: 'update' }],
    [
        'a metadata update with a number',
        'schema',
        'chat',
        { metadata: { a: 1 } },
        undefined,
        { kind: 'update' },
    ],
    ['an unknown family', 'schema.unknown', 'gopher', {}],
];
