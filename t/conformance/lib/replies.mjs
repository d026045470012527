// What a reply that is not streamed must tell beyond its schema.

import { checkChatUsage, checkMessagesUsage } from './usage.mjs';
import { checkFinish } from './chat-order.mjs';
import { checkResponse } from './responses-object.mjs';
import { checkStop } from './messages-order.mjs';

function chat(body, fail) {
    (body.choices ?? []).forEach((choice, place) => {
        if (choice.index !== place) {
            fail('c.choice-index', `choice ${choice.index} where ${place} is next`);
        }
        const calls = (choice.message?.tool_calls ?? []).map((call) => ({
            id: call.id,
            args: call.function?.arguments ?? '',
            custom: call.type === 'custom',
        }));
        if (new Set(calls.map((call) => call.id)).size < calls.length) {
            fail('c.tool-id', 'two tool calls have the same id');
        }
        if (!choice.message?.function_call) {
            checkFinish(choice.finish_reason, calls, fail);
        }
    });
    if (body.usage) {
        checkChatUsage(body.usage, fail);
    }
}

function completions(body, fail) {
    (body.choices ?? []).forEach((choice, place) => {
        if (choice.index !== place) {
            fail('c.choice-index', `choice ${choice.index} where ${place} is next`);
        }
    });
    if (body.usage) {
        checkChatUsage(body.usage, fail);
    }
}

function messages(body, fail) {
    const content = body.content ?? [];
    const calls = content.filter((block) => block.type === 'tool_use');
    if (new Set(calls.map((block) => block.id)).size < calls.length) {
        fail('m.tool-id', 'two tool_use blocks have the same id');
    }
    if (content.some((block) => block.type === 'text' && block.text === '')) {
        fail('m.text-blank', 'a text block is empty');
    }
    if (content.some((block) => block.type === 'thinking' && block.thinking && !block.signature)) {
        fail('m.thinking-unsigned', 'a thinking block has no signature');
    }
    checkStop(body.stop_reason ?? null, body.stop_sequence ?? null, calls.length, fail);
    checkMessagesUsage(body.usage ?? {}, fail);
}

// "family/kind" → rules of a reply; kinds without rules of their own are held to the schema alone.
export const REPLY_RULES = {
    'chat/completion': chat,
    'completions/completion': completions,
    'messages/message': messages,
    'responses/response': checkResponse,
};
