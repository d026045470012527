// What a reply says, in one form for all families, so that the probes can ask the same questions:
// {text, calls: [{id, name, args}], end, usage, thinking}. `end` is the family's own word for the
// end.

function joinCalls(pieces) {
    const calls = new Map();
    for (const piece of pieces) {
        const call = calls.get(piece.index) ?? {
            id: piece.id,
            name: piece.function?.name,
            args: '',
        };
        call.args += piece.function?.arguments ?? '';
        calls.set(piece.index, call);
    }
    return [...calls.values()];
}

const chat = {
    reply(body) {
        const { message = {}, finish_reason: end } = body.choices?.[0] ?? {};
        const calls = (message.tool_calls ?? []).map((call) => ({
            id: call.id,
            name: call.function?.name,
            args: call.function?.arguments,
        }));
        return { text: message.content ?? '', calls, end, usage: body.usage };
    },
    stream(events) {
        const choices = events
            .flatMap((event) => event.choices ?? [])
            .filter((choice) => choice.index === 0);
        return {
            text: choices.map((choice) => choice.delta?.content ?? '').join(''),
            calls: joinCalls(choices.flatMap((choice) => choice.delta?.tool_calls ?? [])),
            end: choices.find((choice) => choice.finish_reason)?.finish_reason,
            usage: events.findLast((event) => event.usage)?.usage,
        };
    },
};

const completions = {
    reply(body) {
        const { text = '', finish_reason: end } = body.choices?.[0] ?? {};
        return { text, calls: [], end, usage: body.usage };
    },
    stream(events) {
        const choices = events
            .flatMap((event) => event.choices ?? [])
            .filter((choice) => choice.index === 0);
        return {
            text: choices.map((choice) => choice.text ?? '').join(''),
            calls: [],
            end: choices.find((choice) => choice.finish_reason)?.finish_reason,
            usage: events.findLast((event) => event.usage)?.usage,
        };
    },
};

const responses = {
    reply(body) {
        const output = body.output ?? [];
        const parts = output
            .filter((item) => item.type === 'message')
            .flatMap((item) => item.content ?? []);
        const calls = output
            .filter((item) => ['function_call', 'custom_tool_call'].includes(item.type))
            .map((item) => ({
                id: item.call_id,
                name: item.name,
                args: item.arguments ?? item.input,
                custom: item.type === 'custom_tool_call',
            }));
        return {
            text: parts.map((part) => part.text ?? '').join(''),
            calls,
            end: body.status,
            usage: body.usage,
            thinking: output.some((item) => item.type === 'reasoning'),
        };
    },
    stream(events) {
        const final = events.findLast((event) => event.response)?.response ?? {};
        const deltas = events.filter((event) => event.type === 'response.output_text.delta');
        return { ...responses.reply(final), text: deltas.map((event) => event.delta).join('') };
    },
};

const messages = {
    reply(body) {
        const content = body.content ?? [];
        const calls = content
            .filter((block) => block.type === 'tool_use')
            .map((block) => ({
                id: block.id,
                name: block.name,
                args: JSON.stringify(block.input),
            }));
        return {
            text: content.map((block) => block.text ?? '').join(''),
            calls,
            end: body.stop_reason,
            stopSequence: body.stop_sequence,
            usage: body.usage,
            thinking: content.some((block) => block.type === 'thinking'),
        };
    },
    stream(events) {
        const deltas = events.filter((event) => event.type === 'content_block_delta');
        const starts = events.filter((event) => event.type === 'content_block_start');
        const last = events.findLast((event) => event.type === 'message_delta') ?? {};
        const calls = starts
            .filter((event) => event.content_block?.type === 'tool_use')
            .map((event) => ({
                id: event.content_block.id,
                name: event.content_block.name,
                args:
                    deltas
                        .filter((delta) => delta.index === event.index)
                        .map((delta) => delta.delta?.partial_json ?? '')
                        .join('') || '{}',
            }));
        return {
            text: deltas.map((event) => event.delta?.text ?? '').join(''),
            calls,
            end: last.delta?.stop_reason,
            stopSequence: last.delta?.stop_sequence,
            usage: last.usage,
            thinking: starts.some((event) => event.content_block?.type === 'thinking'),
        };
    },
};

export const READ = { chat, completions, responses, messages };
