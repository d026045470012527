// The catalogue of rules: id, severity and one line that says what must hold.
//
// A rule id starts with what it looks at: schema, json (the text), sse (framing), http (status
// and headers), probe, m (Messages), c (Chat Completions and legacy Completions), r (Responses);
// mq, cq and rq are rules for requests. An entry is [severity, text] or [severity, text, severity
// in tolerant mode]: strict mode is for what a gateway sends out, tolerant mode for what it is
// sent. `error` fails a verdict, `warn` is only reported, `off` is silent.

export const RULES = {
    schema: ['error', 'the object fits the published schema of its format'],
    'schema.open-responses': [
        'error',
        'a Responses object also fits the Open Responses schema',
        'off',
    ],
    'schema.unknown': [
        'error',
        'the family, the kind of object or the event type is known',
        'warn',
    ],

    'json.twice': ['error', 'no object has a member twice'],
    'json.surrogate': ['error', 'no string holds half of a surrogate pair'],

    'sse.json': ['error', 'every data field holds one JSON object'],
    'sse.empty': ['error', 'no event goes out without data: clients break on it'],
    'sse.utf8': ['error', 'the stream is valid UTF-8'],
    'sse.replaced': ['warn', 'no U+FFFD: it stands where a character was torn'],
    'sse.cut': ['error', 'the last event is closed by an empty line'],
    'sse.field': ['warn', 'only the fields event, data, id, retry and comments are used'],

    'http.status': ['error', 'the status is the one that the probe expects'],
    'http.content-type': [
        'error',
        'JSON replies are application/json, streams are text/event-stream',
    ],
    'http.request-id': [
        'error',
        'a request id is sent; by a gateway as x-request-id and as request-id',
    ],
    'http.retry-after': ['error', 'a 429 says in Retry-After when to come back', 'warn'],
    'http.body': ['error', 'the body can be read as what its content type says'],
    'http.connection': [
        'error',
        'the service can be reached and holds the connection until the reply ends',
    ],
    'http.timeout': ['error', 'the reply arrives within the time limit'],
    'probe.answer': ['error', 'the reply holds what the probe asked for'],

    'm.start-first': ['error', 'message_start comes first; only pings and an error may precede it'],
    'm.start-once': ['error', 'there is exactly one message_start'],
    'm.start-empty': ['error', 'message_start carries no content and no stop_reason yet'],
    'm.block-index': ['error', 'content blocks are numbered 0, 1, 2 … in the order they start'],
    'm.block-single': ['error', 'one content block is open at a time'],
    'm.block-unknown': ['error', 'a delta or stop names the block that is open'],
    'm.block-unclosed': ['error', 'every block is stopped before message_delta and message_stop'],
    'm.delta-type': ['error', 'the type of a delta suits the type of its block'],
    'm.tool-start': ['error', 'a tool_use block starts with an empty input'],
    'm.tool-json': [
        'error',
        'the joined input_json_delta pieces are one JSON object, or nothing at all',
    ],
    'm.tool-id': ['error', 'tool_use ids are not empty and not used twice'],
    'm.signature-last': ['error', 'signature_delta comes once, as the last delta of its block'],
    'm.thinking-unsigned': ['warn', 'a thinking block is signed, or it cannot be sent back'],
    'm.text-blank': [
        'warn',
        'a text block holds text: an empty one is refused when it is sent back',
    ],
    'm.order': ['error', 'after message_delta no content block starts'],
    'm.stop-reason': ['error', 'a stop_reason is given before message_stop, and only one'],
    'm.stop-tool': ['error', 'stop_reason is tool_use if, and only if, a tool was called'],
    'm.stop-sequence': [
        'error',
        'stop_sequence is set if, and only if, stop_reason is stop_sequence',
    ],
    'm.usage-output': ['error', 'output_tokens never goes down'],
    'm.usage-input': [
        'warn',
        'the input figures of message_delta are not below those of message_start',
    ],
    'm.usage-start': ['warn', 'message_start tells an input figure above zero'],
    'm.usage-cache': ['error', 'the 5m and 1h cache figures add up to cache_creation_input_tokens'],
    'm.usage-thinking': ['error', 'thinking_tokens is part of output_tokens'],
    'm.terminal': ['error', 'the stream ends with message_stop or with an error event'],
    'm.after-terminal': ['error', 'nothing follows message_stop or an error'],
    'm.event-name': ['error', 'the event line equals the type in the data'],
    'm.done-marker': ['error', '[DONE] is not part of the Messages format'],

    'c.same-head': ['error', 'id, model and created are the same in every chunk'],
    'c.role-first': ['error', 'the first delta of a choice has the role assistant'],
    'c.role-once': ['warn', 'the role is sent once'],
    'c.choice-index': ['error', 'choices are numbered from 0 without a gap'],
    'c.tool-index': ['error', 'tool calls are numbered 0, 1, 2 … in the order they start'],
    'c.tool-head': ['error', 'the first piece of a tool call has id, type and name'],
    'c.tool-head-once': ['error', 'id and name are not repeated in later pieces', 'warn'],
    'c.tool-id': ['error', 'tool call ids are not used twice'],
    'c.tool-json': ['error', 'the joined arguments are one JSON object'],
    'c.finish-once': ['error', 'a choice gets one finish_reason'],
    'c.finish-missing': ['error', 'every choice gets a finish_reason'],
    'c.finish-tool': [
        'error',
        'finish_reason is tool_calls if, and only if, a tool was called',
        'warn',
    ],
    'c.after-finish': ['error', 'nothing is added to a choice after its finish_reason'],
    'c.usage-unasked': ['error', 'usage is streamed only when include_usage asked for it'],
    'c.usage-missing': ['error', 'usage is streamed when include_usage asked for it'],
    'c.usage-last': ['error', 'the usage chunk comes last, once, with empty choices', 'warn'],
    'c.usage-sum': ['error', 'total_tokens is the sum, and the details are parts of it'],
    'c.empty-chunk': ['warn', 'a chunk without choices is the usage chunk'],
    'c.done': ['error', '[DONE] ends the stream, once'],
    'c.after-done': ['error', 'nothing follows [DONE] or an error'],
    'c.done-after-error': ['error', 'a failed stream has no [DONE]'],
    'c.event-name': ['warn', 'chunks have no event line'],

    'r.sequence': ['error', 'sequence_number counts 0, 1, 2 … without a gap'],
    'r.created-first': ['error', 'response.created comes first and once'],
    'r.in-progress': ['error', 'response.in_progress follows created before any output'],
    'r.in-progress-again': [
        'warn',
        'response.in_progress is repeated only to keep a connection alive',
    ],
    'r.start-empty': [
        'error',
        'created carries no output, a new item or part no text: deltas are added to it',
    ],
    'r.same-head': ['error', 'every response object has the same id, model and created_at'],
    'r.status': ['error', 'the status of a response object suits its event and its details'],
    'r.item-index': ['error', 'output items are numbered 0, 1, 2 … in the order they are added'],
    'r.item-open': [
        'error',
        'an event that belongs to an item comes between its added and its done',
    ],
    'r.item-id': ['error', 'item_id is the id of the item at output_index'],
    'r.item-same': ['error', 'added and done show the same item: id, type, call_id and name'],
    'r.item-unclosed': ['error', 'every added item is done before the response is'],
    'r.item-unique': ['error', 'item ids and call ids are not used twice'],
    'r.item-overlap': ['warn', 'one output item is open at a time'],
    'r.item-status': [
        'error',
        'a done item is not in_progress, and items of a completed response are completed',
        'warn',
    ],
    'r.part-index': [
        'error',
        'content and summary parts are numbered 0, 1, 2 … in the order they are added',
    ],
    'r.part-open': ['error', 'text comes between the added and the done of its part'],
    'r.part-type': ['error', 'the type of a delta suits the type of its part and its item'],
    'r.part-unclosed': ['error', 'every part is done before its item is'],
    'r.text-concat': [
        'error',
        'the deltas, the done event, the part and the item tell the same text',
    ],
    'r.args-concat': ['error', 'the deltas, the done event and the item tell the same arguments'],
    'r.args-json': ['error', 'the arguments of a function call are one JSON object'],
    'r.args-name': ['error', 'arguments.done tells the name of its item', 'warn'],
    'r.args-done': ['error', 'a tool call gets its arguments.done or input.done', 'warn'],
    'r.output': ['error', 'the output of the final response is the items that were done, in order'],
    'r.terminal': ['error', 'there is exactly one of completed, incomplete, failed'],
    'r.error-failed': ['error', 'an error event is followed by response.failed', 'warn'],
    'r.after-terminal': ['error', 'nothing follows the final event'],
    'r.failed-alone': [
        'warn',
        'an error event comes before response.failed: some clients act on it alone',
    ],
    'r.usage-missing': ['error', 'a finished response has usage', 'warn'],
    'r.usage-sum': [
        'error',
        'usage has all figures, total_tokens is the sum, the details are parts of it',
    ],
    'r.event-name': ['error', 'the event line equals the type in the data'],
    'r.keepalive': [
        'error',
        'keepalive events are sent only where the reader agreed to them',
        'off',
    ],
    'r.done-marker': ['error', '[DONE] comes at most once, and last'],

    'mq.tool-pair': [
        'error',
        'every tool_use is answered by a tool_result in the next user turn, and only there',
    ],
    'mq.result-first': ['error', 'tool results come first in their user turn'],
    'mq.budget': ['error', 'the thinking budget is below max_tokens'],
    'mq.forced-thinking': ['error', 'a forced tool is not combined with thinking'],
    'mq.choice-name': ['error', 'tool_choice names a tool of the request'],
    'cq.tool-pair': [
        'error',
        'every tool call is answered by a tool message before the next turn, and only there',
    ],
    'cq.tool-json': ['error', 'the arguments of a tool call are JSON'],
    'cq.choice-name': ['error', 'tool_choice names a tool of the request'],
    'rq.call-pair': ['error', 'every call has one output after it, and every output a call'],
    'rq.args-json': ['error', 'the arguments of a function call are JSON'],
    'rq.choice-name': ['error', 'tool_choice names a tool of the request'],
};

// Returns the severity of rule `id` for the mode; an id that is not in the catalogue is our own
// bug.
export function severity(id, strict) {
    const rule = RULES[id];
    if (rule === undefined) {
        throw new Error(`no rule named ${id}`);
    }
    return strict ? rule[0] : (rule[2] ?? rule[0]);
}
