// What a request must keep to beyond its schema, because the service behind it refuses it
// otherwise. A gateway that translates requests is tested with these rules on what it sends
// upstream.

function listOf(value) {
    return Array.isArray(value) ? value : [];
}

function messages(body, fail) {
    const thinking = body.thinking?.type;
    const choice = body.tool_choice ?? {};
    if (thinking === 'enabled' && body.thinking.budget_tokens >= (body.max_tokens ?? Infinity)) {
        fail('mq.budget', `budget ${body.thinking.budget_tokens}, max_tokens ${body.max_tokens}`);
    }
    if (thinking === 'enabled' && ['any', 'tool'].includes(choice.type)) {
        fail('mq.forced-thinking', `tool_choice ${choice.type} with thinking`);
    }
    if (choice.type === 'tool' && !listOf(body.tools).some((tool) => tool.name === choice.name)) {
        fail('mq.choice-name', `no tool ${choice.name}`);
    }
    let waiting = [];
    listOf(body.messages).forEach((message, place) => {
        const blocks = listOf(message.content);
        const results = blocks
            .filter((block) => block.type === 'tool_result')
            .map((block) => block.tool_use_id);
        if (message.role === 'user' && results.length > 0) {
            const first = blocks
                .slice(0, results.length)
                .every((block) => block.type === 'tool_result');
            if (!first) {
                fail('mq.result-first', `messages/${place}: other content before a tool_result`);
            }
        }
        const orphan = results.find((id) => !waiting.includes(id));
        const open = waiting.find((id) => !results.includes(id));
        if (orphan !== undefined || open !== undefined) {
            fail('mq.tool-pair', `messages/${place}: ${orphan ?? open} has no partner`);
        }
        waiting =
            message.role === 'assistant'
                ? blocks.filter((block) => block.type === 'tool_use').map((block) => block.id)
                : [];
    });
    if (waiting.length > 0) {
        fail('mq.tool-pair', `${waiting[0]} has no tool_result`);
    }
}

function isJson(text) {
    try {
        JSON.parse(text);
        return true;
    } catch {
        return false;
    }
}

function chat(body, fail) {
    const named = body.tool_choice?.function?.name;
    if (named !== undefined && !listOf(body.tools).some((tool) => tool.function?.name === named)) {
        fail('cq.choice-name', `no tool ${named}`);
    }
    let waiting = new Set();
    listOf(body.messages).forEach((message, place) => {
        if (message.role === 'tool') {
            if (!waiting.delete(message.tool_call_id)) {
                fail('cq.tool-pair', `messages/${place}: no call ${message.tool_call_id}`);
            }
            return;
        }
        if (waiting.size > 0) {
            fail('cq.tool-pair', `messages/${place}: ${[...waiting][0]} has no tool message yet`);
        }
        const calls = listOf(message.tool_calls);
        waiting = new Set(calls.map((call) => call.id));
        for (const call of calls) {
            if (call.type === 'function' && !isJson(call.function?.arguments)) {
                fail(
                    'cq.tool-json',
                    `messages/${place}: ${String(call.function?.arguments).slice(0, 60)}`,
                );
            }
        }
    });
    if (waiting.size > 0) {
        fail('cq.tool-pair', `${[...waiting][0]} has no tool message`);
    }
}

function responses(body, fail) {
    const named = body.tool_choice?.type === 'function' ? body.tool_choice.name : undefined;
    if (named !== undefined && !listOf(body.tools).some((tool) => tool.name === named)) {
        fail('rq.choice-name', `no tool ${named}`);
    }
    const waiting = new Set();
    const elsewhere = Boolean(body.previous_response_id || body.conversation);
    listOf(body.input).forEach((item, place) => {
        if (item.type === 'function_call' || item.type === 'custom_tool_call') {
            waiting.add(item.call_id);
            if (item.type === 'function_call' && !isJson(item.arguments)) {
                fail('rq.args-json', `input/${place}: ${String(item.arguments).slice(0, 60)}`);
            }
        } else if (
            item.type === 'function_call_output' ||
            item.type === 'custom_tool_call_output'
        ) {
            if (!waiting.delete(item.call_id) && !elsewhere) {
                fail('rq.call-pair', `input/${place}: no call ${item.call_id}`);
            }
        } else if (item.type === 'item_reference') {
            waiting.clear();
        }
    });
    if (waiting.size > 0) {
        fail('rq.call-pair', `${[...waiting][0]} has no output`);
    }
}

// family → rules of a request
export const REQUEST_RULES = { chat, messages, responses };
