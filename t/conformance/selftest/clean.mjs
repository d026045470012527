// Streams as a gateway should send them, built by hand: they pass every check in strict mode and
// hold what recordings of the real services lack (thinking, two tools at once, refusals, custom
// tools, usage chunks, failures). The mutations start from these and from the recordings.

const PIECES = ['Hel', 'lo, ', 'wörld'];
const ARGS = ['', '{"ci', 'ty":"Bern"', '}'];

function usageStart() {
    return {
        input_tokens: 20,
        cache_creation_input_tokens: 7,
        cache_read_input_tokens: 100,
        output_tokens: 1,
        cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 },
        output_tokens_details: { thinking_tokens: 0 },
        server_tool_use: null,
        service_tier: 'standard',
        inference_geo: null,
    };
}

function usageDelta() {
    return {
        input_tokens: 20,
        cache_creation_input_tokens: 7,
        cache_read_input_tokens: 100,
        output_tokens: 42,
        output_tokens_details: { thinking_tokens: 9 },
        server_tool_use: null,
    };
}

function messageStart() {
    return {
        type: 'message_start',
        message: {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            model: 'power-ai',
            content: [],
            stop_reason: null,
            stop_sequence: null,
            stop_details: null,
            container: null,
            usage: usageStart(),
        },
    };
}

function block(index, content, deltas) {
    return [
        { type: 'content_block_start', index, content_block: content },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
    ];
}

function textBlock(index) {
    return block(
        index,
        { type: 'text', text: '', citations: null },
        PIECES.map((text) => ({ type: 'text_delta', text })),
    );
}

function toolBlock(index, id) {
    return block(
        index,
        { type: 'tool_use', id, name: 'get_weather', input: {}, caller: { type: 'direct' } },
        ARGS.map((json) => ({ type: 'input_json_delta', partial_json: json })),
    );
}

function messageEnd(reason, sequence = null) {
    return [
        {
            type: 'message_delta',
            delta: {
                stop_reason: reason,
                stop_sequence: sequence,
                stop_details: null,
                container: null,
            },
            usage: usageDelta(),
        },
        { type: 'message_stop' },
    ];
}

export function messagesTools() {
    return [
        messageStart(),
        { type: 'ping' },
        ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
            { type: 'thinking_delta', thinking: 'Bern is ' },
            { type: 'thinking_delta', thinking: 'a city.' },
            { type: 'signature_delta', signature: 'c2lnbmVk' },
        ]),
        ...textBlock(1),
        ...toolBlock(2, 'toolu_1'),
        ...toolBlock(3, 'toolu_2'),
        ...messageEnd('tool_use'),
    ];
}

export function messagesText() {
    return [messageStart(), ...textBlock(0), ...messageEnd('stop_sequence', 'END')];
}

export function messagesFailed() {
    return [
        messageStart(),
        ...textBlock(0).slice(0, 3),
        { type: 'error', error: { type: 'overloaded_error', message: 'The model is overloaded' } },
    ];
}

function chunk(choices, more = {}) {
    return {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1790000000,
        model: 'power-ai',
        choices,
        ...more,
    };
}

function choice(index, delta, reason = null) {
    return { index, delta, finish_reason: reason, logprobs: null };
}

function chatUsage() {
    return chunk([], {
        usage: {
            prompt_tokens: 30,
            completion_tokens: 12,
            total_tokens: 42,
            prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 5 },
            completion_tokens_details: { reasoning_tokens: 4 },
        },
    });
}

export function chatTools() {
    const head = (index, id) => ({
        tool_calls: [
            { index, id, type: 'function', function: { name: 'get_weather', arguments: '' } },
        ],
    });
    const piece = (index, args) => ({ tool_calls: [{ index, function: { arguments: args } }] });
    return [
        chunk([choice(0, { role: 'assistant', content: null })]),
        ...PIECES.map((text) => chunk([choice(0, { content: text })])),
        ...[0, 1]
            .flatMap((index) => [
                head(index, `call_${index}`),
                ...ARGS.slice(1).map((args) => piece(index, args)),
            ])
            .map((delta) => chunk([choice(0, delta)])),
        chunk([choice(0, {}, 'tool_calls')]),
        chatUsage(),
        '[DONE]',
    ];
}

export function chatText() {
    const each = (delta, reason) => [0, 1].map((index) => chunk([choice(index, delta, reason)]));
    return [
        ...each({ role: 'assistant', content: '' }),
        ...PIECES.flatMap((text) => each({ content: text })),
        ...each({}, 'stop'),
        '[DONE]',
    ];
}

export function chatFailed() {
    return [
        chunk([choice(0, { role: 'assistant', content: '' })]),
        chunk([choice(0, { content: 'Hel' })]),
        { error: { message: 'The model stopped', type: 'server_error', param: null, code: null } },
    ];
}

export function completionsText() {
    const part = (index, text, reason = null) => ({
        id: 'cmpl-1',
        object: 'text_completion',
        created: 1790000000,
        model: 'power-ai',
        choices: [{ index, text, logprobs: null, finish_reason: reason }],
    });
    const { usage } = chatUsage();
    return [
        ...PIECES.flatMap((text) => [part(0, text), part(1, text)]),
        part(0, '', 'stop'),
        part(1, '', 'length'),
        {
            id: 'cmpl-1',
            object: 'text_completion',
            created: 1790000000,
            model: 'power-ai',
            choices: [],
            usage,
        },
        '[DONE]',
    ];
}

function response(status, more = {}) {
    return {
        id: 'resp_1',
        object: 'response',
        created_at: 1790000000,
        completed_at: null,
        status,
        error: null,
        incomplete_details: null,
        model: 'power-ai',
        previous_response_id: null,
        instructions: null,
        output: [],
        tools: [],
        tool_choice: 'auto',
        truncation: 'disabled',
        parallel_tool_calls: true,
        text: {
            format: {
                type: 'json_schema',
                name: 'greeting',
                description: null,
                schema: { type: 'object' },
                strict: true,
            },
        },
        top_p: 1,
        presence_penalty: 0,
        frequency_penalty: 0,
        top_logprobs: 0,
        temperature: 1,
        reasoning: { effort: 'medium', summary: null },
        usage: null,
        max_output_tokens: null,
        max_tool_calls: null,
        store: true,
        background: false,
        service_tier: 'default',
        metadata: {},
        safety_identifier: null,
        prompt_cache_key: null,
        ...more,
    };
}

function responseUsage() {
    return {
        input_tokens: 30,
        input_tokens_details: { cached_tokens: 10, cache_write_tokens: 2 },
        output_tokens: 12,
        output_tokens_details: { reasoning_tokens: 4 },
        total_tokens: 42,
    };
}

// Returns the events of one item: added, what `inside` says, done.
function item(index, started, whole, inside) {
    const place = { item_id: whole.id, output_index: index };
    return [
        { type: 'response.output_item.added', output_index: index, item: { ...whole, ...started } },
        ...inside(place),
        { type: 'response.output_item.done', output_index: index, item: whole },
    ];
}

function reasoningItem(index) {
    const whole = {
        id: 'rs_1',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: PIECES.join('') }],
        encrypted_content: 'gAAA',
    };
    const events = item(index, { summary: [] }, whole, (place) => {
        const part = { ...place, summary_index: 0 };
        return [
            {
                type: 'response.reasoning_summary_part.added',
                ...part,
                part: { type: 'summary_text', text: '' },
            },
            ...PIECES.map((delta) => ({
                type: 'response.reasoning_summary_text.delta',
                ...part,
                delta,
            })),
            { type: 'response.reasoning_summary_text.done', ...part, text: PIECES.join('') },
            { type: 'response.reasoning_summary_part.done', ...part, part: whole.summary[0] },
        ];
    });
    return { whole, events };
}

function messageItem(index, refusal = false) {
    const name = refusal ? 'refusal' : 'output_text';
    const key = refusal ? 'refusal' : 'text';
    const part = (text) =>
        refusal
            ? { type: 'refusal', refusal: text }
            : { type: 'output_text', text, annotations: [], logprobs: [] };
    const extra = refusal ? {} : { logprobs: [] };
    const whole = {
        id: `msg_${index}`,
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [part(PIECES.join(''))],
    };
    const events = item(index, { status: 'in_progress', content: [] }, whole, (place) => {
        const at = { ...place, content_index: 0 };
        return [
            { type: 'response.content_part.added', ...at, part: part('') },
            ...PIECES.map((delta) => ({ type: `response.${name}.delta`, ...at, delta, ...extra })),
            { type: `response.${name}.done`, ...at, [key]: PIECES.join(''), ...extra },
            { type: 'response.content_part.done', ...at, part: part(PIECES.join('')) },
        ];
    });
    return { whole, events };
}

function callItem(index) {
    const whole = {
        id: `fc_${index}`,
        type: 'function_call',
        call_id: `call_${index}`,
        name: 'get_weather',
        arguments: ARGS.join(''),
        status: 'completed',
    };
    const events = item(index, { arguments: '', status: 'in_progress' }, whole, (place) => [
        ...ARGS.slice(1).map((delta) => ({
            type: 'response.function_call_arguments.delta',
            ...place,
            delta,
        })),
        {
            type: 'response.function_call_arguments.done',
            ...place,
            name: whole.name,
            arguments: whole.arguments,
        },
    ]);
    return { whole, events };
}

function customItem(index) {
    const whole = {
        id: `ctc_${index}`,
        type: 'custom_tool_call',
        call_id: `call_${index}`,
        name: 'apply_patch',
        input: PIECES.join(''),
    };
    const events = item(index, { input: '' }, whole, (place) => [
        ...PIECES.map((delta) => ({
            type: 'response.custom_tool_call_input.delta',
            ...place,
            delta,
        })),
        { type: 'response.custom_tool_call_input.done', ...place, input: whole.input },
    ]);
    return { whole, events };
}

// Gives the events of a Responses stream their numbers.
export function renumber(events) {
    events.forEach((event, number) => {
        event.sequence_number = number;
    });
    return events;
}

function responseStream(items, last) {
    return renumber([
        { type: 'response.created', response: response('in_progress') },
        { type: 'response.in_progress', response: response('in_progress') },
        ...items.flatMap((one) => one.events),
        ...last(items.map((one) => one.whole)),
    ]);
}

export function responsesFull() {
    const items = [reasoningItem(0), messageItem(1), callItem(2), callItem(3), customItem(4)];
    return responseStream(items, (output) => [
        {
            type: 'response.completed',
            response: response('completed', {
                completed_at: 1790000001,
                output,
                usage: responseUsage(),
            }),
        },
    ]);
}

export function responsesRefusal() {
    return responseStream([messageItem(0, true)], (output) => [
        {
            type: 'response.incomplete',
            response: response('incomplete', {
                output,
                usage: responseUsage(),
                incomplete_details: { reason: 'content_filter' },
            }),
        },
    ]);
}

export function responsesFailed() {
    const error = {
        type: 'server_error',
        code: 'server_error',
        message: 'The model stopped',
        param: null,
    };
    const { events } = messageItem(0);
    return responseStream([{ events: events.slice(0, 3) }], () => [
        { type: 'error', code: error.code, message: error.message, param: null, error },
        {
            type: 'response.failed',
            response: response('failed', { error: { code: error.code, message: error.message } }),
        },
    ]);
}

// name → {family, includeUsage, events()}
export const CLEAN = {
    messagesTools: { family: 'messages', events: messagesTools },
    messagesText: { family: 'messages', events: messagesText },
    messagesFailed: { family: 'messages', events: messagesFailed },
    chatTools: { family: 'chat', includeUsage: true, events: chatTools },
    chatText: { family: 'chat', includeUsage: false, events: chatText },
    chatFailed: { family: 'chat', includeUsage: false, events: chatFailed },
    completionsText: { family: 'completions', includeUsage: true, events: completionsText },
    responsesFull: { family: 'responses', events: responsesFull },
    responsesRefusal: { family: 'responses', events: responsesRefusal },
    responsesFailed: { family: 'responses', events: responsesFailed },
};
