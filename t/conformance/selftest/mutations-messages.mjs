// Damage to Messages streams: [what is done, the rule that must see it, sample, how].

const start = 'content_block_start';
const delta = 'content_block_delta';
const stop = 'content_block_stop';
const json = (event) => event.delta?.type === 'input_json_delta';
const signature = (event) => event.delta?.type === 'signature_delta';

export const MESSAGES = [
    ['message_start is missing', 'm.start-first', 'messagesTools', (s) => s.drop('message_start')],
    [
        'message_start comes twice',
        'm.start-once',
        'messagesTools',
        (s) => s.duplicate('message_start'),
    ],
    [
        'message_start comes again before the text',
        'm.start-once',
        'messagesText',
        (s) => s.insert(2, s.events[0]),
    ],
    [
        'message_start comes after the first block',
        'm.start-first',
        'messagesText',
        (s) => s.swap('message_start'),
    ],
    [
        'message_start has a stop_reason',
        'm.start-empty',
        'messagesText',
        (s) =>
            s.edit('message_start', (e) => {
                e.message.stop_reason = 'end_turn';
            }),
    ],
    [
        'message_start already holds text',
        'm.start-empty',
        'messagesText',
        (s) =>
            s.edit('message_start', (e) => {
                e.message.content = [{ type: 'text', text: 'Hi', citations: null }];
            }),
    ],
    [
        'message_start tells no input',
        'm.usage-start',
        'messagesText',
        (s) =>
            s.edit('message_start', (e) => {
                Object.assign(e.message.usage, {
                    input_tokens: 0,
                    cache_read_input_tokens: 0,
                    cache_creation_input_tokens: 0,
                    cache_creation: null,
                });
            }),
    ],
    [
        'message_start has no usage',
        'schema',
        'messagesText',
        (s) =>
            s.edit('message_start', (e) => {
                delete e.message.usage;
            }),
    ],
    [
        'a block index is skipped',
        'm.block-index',
        'messagesTools',
        (s) =>
            s.events
                .filter((e) => e.index > 1)
                .forEach((e) => {
                    e.index += 1;
                }),
    ],
    [
        'two tools share an index',
        'm.block-index',
        'messagesTools',
        (s) =>
            s.events
                .filter((e) => e.index === 3)
                .forEach((e) => {
                    e.index = 2;
                }),
    ],
    [
        'blocks start at 1',
        'm.block-index',
        'messagesText',
        (s) =>
            s.events
                .filter((e) => e.index === 0)
                .forEach((e) => {
                    e.index = 1;
                }),
    ],
    ['a block start is missing', 'm.block-unknown', 'messagesTools', (s) => s.drop(start, 1)],
    ['a block start comes twice', 'm.block-single', 'messagesTools', (s) => s.duplicate(start, 1)],
    ['a block stop is missing', 'm.block-single', 'messagesTools', (s) => s.drop(stop, 1)],
    [
        'the last block stop is missing',
        'm.block-unclosed',
        'messagesTools',
        (s) => s.drop(stop, -1),
    ],
    [
        'a block is open at message_stop',
        'm.block-unclosed',
        'messagesText',
        (s) => s.drop(stop).drop('message_delta'),
    ],
    ['a block stop comes twice', 'm.block-unknown', 'messagesTools', (s) => s.duplicate(stop, 0)],
    ['two blocks are interleaved', 'm.block-single', 'messagesTools', (s) => s.swap(stop, 2)],
    [
        'a delta names another block',
        'm.block-unknown',
        'messagesTools',
        (s) =>
            s.edit(
                delta,
                (e) => {
                    e.index = 3;
                },
                4,
            ),
    ],
    ['a delta comes after its block', 'm.block-unknown', 'messagesText', (s) => s.swap(delta, 2)],
    [
        'text comes in a tool block',
        'm.delta-type',
        'messagesTools',
        (s) =>
            s.edit(json, (e) => {
                e.delta = { type: 'text_delta', text: 'x' };
            }),
    ],
    [
        'tool arguments come in a text block',
        'm.delta-type',
        'messagesText',
        (s) =>
            s.edit(
                delta,
                (e) => {
                    e.delta = { type: 'input_json_delta', partial_json: '' };
                },
                1,
            ),
    ],
    [
        'a thinking delta comes in a text block',
        'm.delta-type',
        'messagesText',
        (s) =>
            s.edit(delta, (e) => {
                e.delta = { type: 'thinking_delta', thinking: 'x' };
            }),
    ],
    ['a piece of tool arguments is lost', 'm.tool-json', 'messagesTools', (s) => s.drop(json, 2)],
    ['tool arguments come twice', 'm.tool-json', 'messagesTools', (s) => s.duplicate(json, 1)],
    [
        'tool arguments are a list',
        'm.tool-json',
        'messagesTools',
        (s) =>
            s
                .editAll(delta, (e) => {
                    e.delta.partial_json &&= '[';
                })
                .edit(json, (e) => {
                    e.delta.partial_json = '[]';
                }),
    ],
    [
        'a tool block starts with its input',
        'm.tool-start',
        'messagesTools',
        (s) =>
            s.edit(
                start,
                (e) => {
                    e.content_block.input = { city: 'Bern' };
                },
                2,
            ),
    ],
    [
        'two tools have one id',
        'm.tool-id',
        'messagesTools',
        (s) =>
            s.edit(
                start,
                (e) => {
                    e.content_block.id = 'toolu_1';
                },
                3,
            ),
    ],
    [
        'a tool has an empty id',
        'm.tool-id',
        'messagesTools',
        (s) =>
            s.edit(
                start,
                (e) => {
                    e.content_block.id = '';
                },
                2,
            ),
    ],
    [
        'thinking goes on after the signature',
        'm.signature-last',
        'messagesTools',
        (s) => s.swap(delta, 1),
    ],
    [
        'the signature comes twice',
        'm.signature-last',
        'messagesTools',
        (s) => s.duplicate(signature),
    ],
    ['the signature is missing', 'm.thinking-unsigned', 'messagesTools', (s) => s.drop(signature)],
    [
        'a text block is empty',
        'm.text-blank',
        'messagesText',
        (s) => s.drop(delta).drop(delta).drop(delta),
    ],
    [
        'message_delta comes before the last stop',
        'm.block-unclosed',
        'messagesText',
        (s) => s.swap(stop),
    ],
    [
        'a block follows message_delta',
        'm.order',
        'messagesText',
        (s) =>
            s.insert(
                -2,
                {
                    type: start,
                    index: 1,
                    content_block: { type: 'text', text: '', citations: null },
                },
                { type: delta, index: 1, delta: { type: 'text_delta', text: 'x' } },
                { type: stop, index: 1 },
            ),
    ],
    ['message_delta is missing', 'm.stop-reason', 'messagesText', (s) => s.drop('message_delta')],
    [
        'stop_reason is null',
        'm.stop-reason',
        'messagesTools',
        (s) =>
            s.edit('message_delta', (e) => {
                e.delta.stop_reason = null;
            }),
    ],
    [
        'a second message_delta changes the stop_reason',
        'm.stop-reason',
        'messagesTools',
        (s) =>
            s.duplicate('message_delta').edit(
                'message_delta',
                (e) => {
                    e.delta.stop_reason = 'end_turn';
                },
                1,
            ),
    ],
    [
        'a turn with tools ends with end_turn',
        'm.stop-tool',
        'messagesTools',
        (s) =>
            s.edit('message_delta', (e) => {
                e.delta.stop_reason = 'end_turn';
            }),
    ],
    [
        'a turn without tools ends with tool_use',
        'm.stop-tool',
        'messagesText',
        (s) =>
            s.edit('message_delta', (e) => {
                Object.assign(e.delta, { stop_reason: 'tool_use', stop_sequence: null });
            }),
    ],
    [
        'stop_sequence is lost',
        'm.stop-sequence',
        'messagesText',
        (s) =>
            s.edit('message_delta', (e) => {
                e.delta.stop_sequence = null;
            }),
    ],
    [
        'stop_sequence comes with end_turn',
        'm.stop-sequence',
        'messagesText',
        (s) =>
            s.edit('message_delta', (e) => {
                e.delta.stop_reason = 'end_turn';
            }),
    ],
    [
        'the stop_reason is one of another format',
        'schema',
        'messagesText',
        (s) =>
            s.edit('message_delta', (e) => {
                e.delta.stop_reason = 'stop';
            }),
    ],
    [
        'output_tokens goes down',
        'm.usage-output',
        'messagesTools',
        (s) =>
            s.edit('message_start', (e) => {
                e.message.usage.output_tokens = 50;
            }),
    ],
    [
        'the final input is below the first',
        'm.usage-input',
        'messagesTools',
        (s) =>
            s.edit('message_delta', (e) => {
                e.usage.cache_read_input_tokens = 0;
            }),
    ],
    [
        'the cache lifetimes do not add up',
        'm.usage-cache',
        'messagesTools',
        (s) =>
            s.edit('message_start', (e) => {
                e.message.usage.cache_creation.ephemeral_1h_input_tokens = 0;
            }),
    ],
    [
        'more thinking than output',
        'm.usage-thinking',
        'messagesTools',
        (s) =>
            s.edit('message_delta', (e) => {
                e.usage.output_tokens_details.thinking_tokens = 43;
            }),
    ],
    [
        'usage is a string',
        'schema',
        'messagesTools',
        (s) =>
            s.edit('message_delta', (e) => {
                e.usage.output_tokens = '42';
            }),
    ],
    ['message_stop is missing', 'm.terminal', 'messagesTools', (s) => s.drop('message_stop')],
    ['the stream is cut inside a tool', 'm.terminal', 'messagesTools', (s) => s.cut(json, -1)],
    [
        'message_stop comes twice',
        'm.after-terminal',
        'messagesTools',
        (s) => s.duplicate('message_stop'),
    ],
    [
        'text follows message_stop',
        'm.after-terminal',
        'messagesText',
        (s) => s.insert(-1, s.events[1]),
    ],
    [
        'an error follows message_stop',
        'm.after-terminal',
        'messagesText',
        (s) => s.insert(-1, { type: 'error', error: { type: 'api_error', message: 'late' } }),
    ],
    [
        'message_stop follows an error',
        'm.after-terminal',
        'messagesFailed',
        (s) => s.insert(-1, { type: 'message_stop' }),
    ],
    [
        'the error has no message',
        'schema',
        'messagesFailed',
        (s) =>
            s.edit('error', (e) => {
                delete e.error.message;
            }),
    ],
    [
        'an unknown event is sent',
        'schema.unknown',
        'messagesText',
        (s) => s.insert(3, { type: 'heartbeat' }),
    ],
    ['the stream ends with [DONE]', 'm.done-marker', 'messagesText', (s) => s.insert(-1, '[DONE]')],
];
