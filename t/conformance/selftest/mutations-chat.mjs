// Damage to Chat Completions and legacy Completions streams.

const first = (event) => event.choices?.[0]?.delta?.role === 'assistant';
const text = (event) => Boolean(event.choices?.[0]?.delta?.content);
const call = (event) => event.choices?.[0]?.delta?.tool_calls !== undefined;
const end = (event) => Boolean(event.choices?.[0]?.finish_reason);
const usage = (event) => Boolean(event.usage);
const done = (event) => event === '[DONE]';
const calls = (event) => event.choices[0].delta.tool_calls[0];

export const CHAT = [
    [
        'the id changes',
        'c.same-head',
        'chatTools',
        (s) =>
            s.edit(text, (e) => {
                e.id = 'chatcmpl-2';
            }),
    ],
    [
        'the model changes',
        'c.same-head',
        'chatTools',
        (s) =>
            s.edit(
                text,
                (e) => {
                    e.model = 'other';
                },
                1,
            ),
    ],
    [
        'the time of creation changes',
        'c.same-head',
        'chatText',
        (s) =>
            s.edit(end, (e) => {
                e.created += 1;
            }),
    ],
    [
        'the object is that of a whole reply',
        'schema',
        'chatText',
        (s) =>
            s.edit(text, (e) => {
                e.object = 'chat.completion';
            }),
    ],
    [
        'the role is missing',
        'c.role-first',
        'chatTools',
        (s) =>
            s.edit(first, (e) => {
                delete e.choices[0].delta.role;
            }),
    ],
    ['the first chunk is lost', 'c.role-first', 'chatText', (s) => s.drop(first)],
    ['the role comes twice', 'c.role-once', 'chatTools', (s) => s.duplicate(first)],
    [
        'a choice is numbered 2',
        'c.choice-index',
        'chatText',
        (s) =>
            s.events
                .filter((e) => e.choices?.[0]?.index === 1)
                .forEach((e) => {
                    e.choices[0].index = 2;
                }),
    ],
    [
        'both tool calls have index 0',
        'c.tool-head-once',
        'chatTools',
        (s) =>
            s.events.filter(call).forEach((e) => {
                calls(e).index = 0;
            }),
    ],
    [
        'both tool calls have index 0 and the joined arguments are torn',
        'c.tool-json',
        'chatTools',
        (s) =>
            s.events.filter(call).forEach((e) => {
                calls(e).index = 0;
            }),
    ],
    [
        'tool calls start at index 1',
        'c.tool-index',
        'chatTools',
        (s) =>
            s.events.filter(call).forEach((e) => {
                calls(e).index += 1;
            }),
    ],
    [
        'a tool call has no id',
        'c.tool-head',
        'chatTools',
        (s) =>
            s.edit(call, (e) => {
                delete calls(e).id;
            }),
    ],
    [
        'a tool call has no name',
        'c.tool-head',
        'chatTools',
        (s) =>
            s.edit(
                call,
                (e) => {
                    delete calls(e).function.name;
                },
                4,
            ),
    ],
    ['the head of a tool call is lost', 'c.tool-head', 'chatTools', (s) => s.drop(call, 4)],
    [
        'a later piece repeats the name',
        'c.tool-head-once',
        'chatTools',
        (s) =>
            s.edit(
                call,
                (e) => {
                    calls(e).function.name = 'get_weather';
                },
                1,
            ),
    ],
    [
        'two tool calls have one id',
        'c.tool-id',
        'chatTools',
        (s) =>
            s.edit(
                call,
                (e) => {
                    calls(e).id = 'call_0';
                },
                4,
            ),
    ],
    ['a piece of the arguments is lost', 'c.tool-json', 'chatTools', (s) => s.drop(call, 1)],
    [
        'a piece of the arguments comes twice',
        'c.tool-json',
        'chatTools',
        (s) => s.duplicate(call, 2),
    ],
    [
        'a tool without arguments sends none',
        'c.tool-json',
        'chatTools',
        (s) => s.drop(call, 2).drop(call, 1),
    ],
    [
        'arguments are an object',
        'schema',
        'chatTools',
        (s) =>
            s.edit(
                call,
                (e) => {
                    calls(e).function.arguments = {};
                },
                1,
            ),
    ],
    ['the finish chunk comes twice', 'c.finish-once', 'chatTools', (s) => s.duplicate(end)],
    ['the finish chunk is lost', 'c.finish-missing', 'chatTools', (s) => s.drop(end)],
    ['one of two choices never finishes', 'c.finish-missing', 'chatText', (s) => s.drop(end, 1)],
    [
        'a turn with tools ends with stop',
        'c.finish-tool',
        'chatTools',
        (s) =>
            s.edit(end, (e) => {
                e.choices[0].finish_reason = 'stop';
            }),
    ],
    [
        'a turn without tools ends with tool_calls',
        'c.finish-tool',
        'chatText',
        (s) =>
            s.edit(end, (e) => {
                e.choices[0].finish_reason = 'tool_calls';
            }),
    ],
    [
        'the finish_reason is one of another format',
        'schema',
        'chatText',
        (s) =>
            s.edit(end, (e) => {
                e.choices[0].finish_reason = 'end_turn';
            }),
    ],
    [
        'text comes after the finish',
        'c.after-finish',
        'chatTools',
        (s) => s.insert(s.find(end) + 1, s.events[1]),
    ],
    ['a tool piece comes after the finish', 'c.after-finish', 'chatTools', (s) => s.swap(call, -1)],
    [
        'usage comes unasked',
        'c.usage-unasked',
        'chatText',
        (s) =>
            s.insert(-2, {
                ...s.events[0],
                choices: [],
                usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
            }),
    ],
    ['usage was asked for and is lost', 'c.usage-missing', 'chatTools', (s) => s.drop(usage)],
    ['usage comes before the finish', 'c.usage-last', 'chatTools', (s) => s.swap(end)],
    ['usage comes twice', 'c.usage-last', 'chatTools', (s) => s.duplicate(usage)],
    [
        'usage comes in the finish chunk',
        'c.usage-last',
        'chatTools',
        (s) => {
            const whole = s.events[s.find(usage)].usage;
            s.drop(usage).edit(end, (e) => {
                e.usage = whole;
            });
        },
    ],
    [
        'the total is wrong',
        'c.usage-sum',
        'chatTools',
        (s) =>
            s.edit(usage, (e) => {
                e.usage.total_tokens = 12;
            }),
    ],
    [
        'more cached than prompt tokens',
        'c.usage-sum',
        'chatTools',
        (s) =>
            s.edit(usage, (e) => {
                e.usage.prompt_tokens_details.cached_tokens = 31;
            }),
    ],
    [
        'more reasoning than completion tokens',
        'c.usage-sum',
        'chatTools',
        (s) =>
            s.edit(usage, (e) => {
                e.usage.completion_tokens_details.reasoning_tokens = 13;
            }),
    ],
    [
        'a chunk has nothing in it',
        'c.empty-chunk',
        'chatText',
        (s) => s.insert(1, { ...s.events[0], choices: [] }),
    ],
    ['[DONE] is missing', 'c.done', 'chatTools', (s) => s.drop(done)],
    ['[DONE] comes twice', 'c.done', 'chatTools', (s) => s.duplicate(done)],
    ['[DONE] comes before the usage', 'c.after-done', 'chatTools', (s) => s.swap(usage)],
    [
        'the stream is cut inside a tool call',
        'c.finish-missing',
        'chatTools',
        (s) => s.cut(call, -1),
    ],
    ['[DONE] follows an error', 'c.done-after-error', 'chatFailed', (s) => s.insert(-1, '[DONE]')],
    ['text follows an error', 'c.after-done', 'chatFailed', (s) => s.insert(-1, s.events[1])],
    [
        'the error is a bare string',
        'schema',
        'chatFailed',
        (s) =>
            s.edit(
                (e) => e.error,
                (e) => {
                    e.error = 'broken';
                },
            ),
    ],
    [
        'there is no chunk at all',
        'c.finish-missing',
        'chatText',
        (s) => {
            s.events.length = 0;
            s.events.push('[DONE]');
        },
    ],
    [
        'a foreign object is among the chunks',
        'schema',
        'chatText',
        (s) => s.insert(2, { type: 'ping' }),
    ],
];

const part = (index) => (event) => event.choices?.[0]?.index === index;

export const COMPLETIONS = [
    [
        'the id changes (text)',
        'c.same-head',
        'completionsText',
        (s) =>
            s.edit(
                part(0),
                (e) => {
                    e.id = 'cmpl-2';
                },
                1,
            ),
    ],
    [
        'the finish chunk is lost (text)',
        'c.finish-missing',
        'completionsText',
        (s) => s.drop(part(1), -1),
    ],
    [
        'the finish chunk comes twice (text)',
        'c.finish-once',
        'completionsText',
        (s) => s.duplicate(part(1), -1),
    ],
    [
        'text comes after the finish (text)',
        'c.after-finish',
        'completionsText',
        (s) => s.insert(-3, s.events[0]),
    ],
    [
        'a choice is numbered 3 (text)',
        'c.choice-index',
        'completionsText',
        (s) =>
            s.events.filter(part(1)).forEach((e) => {
                e.choices[0].index = 3;
            }),
    ],
    [
        'the object is that of a chat chunk (text)',
        'schema',
        'completionsText',
        (s) =>
            s.edit(part(0), (e) => {
                e.object = 'chat.completion.chunk';
            }),
    ],
    [
        'usage was asked for and is lost (text)',
        'c.usage-missing',
        'completionsText',
        (s) => s.drop(usage),
    ],
    ['[DONE] is missing (text)', 'c.done', 'completionsText', (s) => s.drop(done)],
];
