// Replies and error bodies: clean ones, and what must be found in damaged ones.

import { responsesFull } from './clean.mjs';

const called = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
};
const edit = (change) => (body) => {
    change(body);
};

const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const chatReply = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    usage,
    choices: [
        {
            index: 0,
            finish_reason: 'tool_calls',
            logprobs: null,
            message: {
                role: 'assistant',
                content: null,
                refusal: null,
                tool_calls: called.tool_calls,
            },
        },
    ],
};
const textReply = {
    id: 'cmpl-1',
    object: 'text_completion',
    created: 1,
    model: 'm',
    usage,
    choices: [{ index: 0, text: 'Hi', logprobs: null, finish_reason: 'stop' }],
};
const messagesReply = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: 'tool_use',
    stop_sequence: null,
    stop_details: null,
    container: null,
    content: [
        { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
        { type: 'text', text: 'Hi', citations: null },
        { type: 'tool_use', id: 't1', name: 'f', input: {}, caller: { type: 'direct' } },
    ],
    usage: {
        input_tokens: 3,
        output_tokens: 4,
        cache_creation: null,
        cache_creation_input_tokens: null,
        cache_read_input_tokens: null,
        inference_geo: null,
        output_tokens_details: null,
        server_tool_use: null,
        service_tier: null,
    },
};
const openaiError = {
    error: { message: 'No credit', type: 'billing_error', param: null, code: null },
};
const messagesError = {
    type: 'error',
    error: { type: 'billing_error', message: 'No credit' },
    request_id: 'req_1',
};

const responsesReply = responsesFull().at(-1).response;

// [what it is, rule or null if it is clean, family, body, change, options]
export const REPLIES = [
    ['a clean chat reply', null, 'chat', chatReply],
    [
        'a chat reply without refusal',
        'schema',
        'chat',
        chatReply,
        edit((b) => {
            delete b.choices[0].message.refusal;
        }),
    ],
    [
        'a chat reply with stop after a call',
        'c.finish-tool',
        'chat',
        chatReply,
        edit((b) => {
            b.choices[0].finish_reason = 'stop';
        }),
    ],
    [
        'a chat reply with torn arguments',
        'c.tool-json',
        'chat',
        chatReply,
        edit((b) => {
            b.choices[0].message.tool_calls[0].function.arguments = '{';
        }),
    ],
    [
        'a chat reply with a wrong total',
        'c.usage-sum',
        'chat',
        chatReply,
        edit((b) => {
            b.usage.total_tokens = 3;
        }),
    ],
    [
        'a chat reply whose choices start at 1',
        'c.choice-index',
        'chat',
        chatReply,
        edit((b) => {
            b.choices[0].index = 1;
        }),
    ],
    [
        'a chat reply with two equal ids',
        'c.tool-id',
        'chat',
        chatReply,
        edit((b) => {
            b.choices[0].message.tool_calls.push(b.choices[0].message.tool_calls[0]);
        }),
    ],
    ['a clean text reply', null, 'completions', textReply],
    [
        'a text reply with a chat message',
        'schema',
        'completions',
        textReply,
        edit((b) => {
            delete b.choices[0].text;
        }),
    ],
    [
        'a text reply whose choices start at 1',
        'c.choice-index',
        'completions',
        textReply,
        edit((b) => {
            b.choices[0].index = 1;
        }),
    ],
    ['a clean response', null, 'responses', responsesReply],
    [
        'a response of unknown status',
        'r.status',
        'responses',
        responsesReply,
        edit((b) => {
            b.status = 'done';
        }),
    ],
    [
        'a response with two equal items',
        'r.item-unique',
        'responses',
        responsesReply,
        edit((b) => {
            b.output.push(b.output[1]);
        }),
    ],
    [
        'a response with more cached than input tokens',
        'r.usage-sum',
        'responses',
        responsesReply,
        edit((b) => {
            b.usage.input_tokens_details.cached_tokens = 31;
        }),
    ],
    [
        'a message with two equal tool ids',
        'm.tool-id',
        'messages',
        messagesReply,
        edit((b) => {
            b.content.push(b.content[2]);
        }),
    ],
    ['a clean message', null, 'messages', messagesReply],
    [
        'a message that ends with end_turn after a tool',
        'm.stop-tool',
        'messages',
        messagesReply,
        edit((b) => {
            b.stop_reason = 'end_turn';
        }),
    ],
    [
        'a message without a stop_reason',
        'm.stop-reason',
        'messages',
        messagesReply,
        edit((b) => {
            b.stop_reason = null;
        }),
    ],
    [
        'a message with unsigned thinking',
        'm.thinking-unsigned',
        'messages',
        messagesReply,
        edit((b) => {
            b.content[0].signature = '';
        }),
    ],
    [
        'a message with an empty text',
        'm.text-blank',
        'messages',
        messagesReply,
        edit((b) => {
            b.content[1].text = '';
        }),
    ],
    [
        'a message without container',
        'schema',
        'messages',
        messagesReply,
        edit((b) => {
            delete b.container;
        }),
    ],
    [
        'a message without container, tolerated',
        null,
        'messages',
        messagesReply,
        edit((b) => {
            delete b.container;
        }),
        { strict: false },
    ],
    ['a token count', null, 'messages', { input_tokens: 5 }],
    ['a token count as text', 'schema', 'messages', { input_tokens: '5' }],
    ['an error of the OpenAI style', null, 'chat', openaiError],
    [
        'an error without param',
        'schema',
        'responses',
        openaiError,
        edit((b) => {
            delete b.error.param;
        }),
    ],
    [
        'an error that has only detail',
        'schema',
        'chat',
        { detail: [{ loc: ['body', 'model'], msg: 'x', type: 'missing' }] },
        undefined,
        { kind: 'error' },
    ],
    [
        'an error with detail beside it',
        null,
        'chat',
        openaiError,
        edit((b) => {
            b.detail = [{ loc: ['body', 'messages', 0], msg: 'x', type: 'missing' }];
        }),
    ],
    ['an error of the Messages style', null, 'messages', messagesError],
    ['an error of the OpenAI style on Messages', 'schema', 'messages', openaiError],
    [
        'an error of unknown type on Messages',
        'schema',
        'messages',
        messagesError,
        edit((b) => {
            b.error.type = 'server_error';
        }),
    ],
    [
        'an error without a request id on Messages',
        'schema',
        'messages',
        messagesError,
        edit((b) => {
            delete b.request_id;
        }),
    ],
    [
        'a model list',
        null,
        'models',
        { object: 'list', data: [{ id: 'power-ai', object: 'model', created: 1, owned_by: 'us' }] },
    ],
    [
        'a model without owner',
        'schema',
        'models',
        { object: 'list', data: [{ id: 'power-ai', object: 'model', created: 1 }] },
    ],
    ['a model list of the Messages style without cursors', 'schema', 'models', { data: [] }],
    [
        'a model list of the Messages style',
        null,
        'models',
        {
            data: [
                {
                    id: 'power-ai',
                    type: 'model',
                    display_name: 'Power AI',
                    created_at: '2026-01-01T00:00:00Z',
                    capabilities: null,
                    max_input_tokens: null,
                    max_tokens: null,
                },
            ],
            has_more: false,
            first_id: 'power-ai',
            last_id: 'power-ai',
        },
    ],
    ['a deleted response', null, 'responses', { id: 'resp_1', object: 'response', deleted: true }],
    [
        'an input token count',
        null,
        'responses',
        { object: 'response.input_tokens', input_tokens: 5 },
    ],
    [
        'an input item list without has_more',
        'schema',
        'responses',
        { object: 'list', data: [], first_id: 'a', last_id: 'b' },
    ],
    [
        'the messages of a stored completion',
        null,
        'chat',
        {
            object: 'list',
            first_id: 'c-0',
            last_id: 'c-0',
            has_more: false,
            data: [{ id: 'c-0', role: 'user', content: 'Hi', name: null, content_parts: null }],
        },
        undefined,
        { kind: 'messages' },
    ],
    ['a list where a reply is due', 'schema', 'chat', [], undefined, { kind: 'completion' }],
];
