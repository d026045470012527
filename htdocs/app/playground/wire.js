// The three formats as the playground speaks them: a request's body, what an event adds to the
// answer, and which events end it. A stream without its terminal event is not a success.

export const formats = {
    responses: {
        title: 'Responses', path: '/v1/responses',
        body: ({model, system, turns, most}) => ({model, input: turns, ...(system ? {instructions: system} : {}), max_output_tokens: most, store: false, stream: true}),
        text: (data, event) => (event === 'response.output_text.delta' ? data.delta : ''),
        end: (data, event) => {
            if (event === 'response.completed') return {ok: true};
            if (event === 'response.incomplete') return {ok: true, note: `The answer ended early: ${data.response?.incomplete_details?.reason ?? 'incomplete'}.`};
            if (event === 'response.failed') return {ok: false, note: data.response?.error?.message};
            if (event === 'error') return {ok: false, note: data.message ?? data.error?.message};
            return null;
        },
    },
    chat: {
        title: 'Chat Completions', path: '/v1/chat/completions',
        body: ({model, system, turns, most}) => ({model, messages: [...(system ? [{role: 'system', content: system}] : []), ...turns], max_tokens: most, stream: true}),
        text: data => data.choices?.[0]?.delta?.content ?? '',
        end: (data, event, raw) => (raw === '[DONE]' ? {ok: true} : data?.error ? {ok: false, note: data.error.message} : null),
    },
    messages: {
        title: 'Messages', path: '/v1/messages',
        body: ({model, system, turns, most}) => ({model, max_tokens: most, messages: turns, ...(system ? {system} : {}), stream: true}),
        text: (data, event) => (event === 'content_block_delta' ? data.delta?.text ?? '' : ''),
        end: (data, event) => (event === 'message_stop' ? {ok: true} : event === 'error' ? {ok: false, note: data.error?.message} : null),
    },
};

// Splits a growing text into events: feed(chunk) gives those that are whole.
export function eventReader() {
    let rest = '';
    return chunk => {
        rest += chunk;
        const blocks = rest.split(/\r?\n\r?\n/);
        rest = blocks.pop();
        return blocks.map(block => {
            const one = {event: '', raw: '', text: block};
            for (const line of block.split(/\r?\n/)) {
                if (line.startsWith('event:')) one.event = line.slice(6).trim();
                else if (line.startsWith('data:')) one.raw += (one.raw ? '\n' : '') + line.slice(5).replace(/^ /, '');
            }
            try { one.data = JSON.parse(one.raw); } catch { one.data = null; }
            if (!one.event) one.event = one.data?.type ?? '';
            return one;
        });
    };
}

// A failure before the stream, in any of the error shapes.
export async function refusal(reply) {
    const text = await reply.text().catch(() => '');
    let body = null;
    try { body = JSON.parse(text); } catch { /* not JSON: the status alone has to do */ }
    return {status: reply.status, message: body?.error?.message ?? `The service answered ${reply.status}.`,
        requestId: reply.headers.get('x-request-id'), retryAfter: reply.headers.get('retry-after')};
}

// The request as a curl command that anybody can run; the key stays a placeholder.
export function curlText(base, format, body) {
    const quote = text => `'${text.replaceAll("'", String.raw`'\''`)}'`;
    const key = format === 'messages' ? "x-api-key: $MG_KEY" : 'Authorization: Bearer $MG_KEY';
    return `curl -N ${quote(base + formats[format].path)} \\\n  -H "${key}" -H 'Content-Type: application/json' \\\n`
        + `${format === 'messages' ? "  -H 'anthropic-version: 2023-06-01' \\\n" : ''}  -d ${quote(JSON.stringify(body, null, 2))}\n`;
}
