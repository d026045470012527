// The order of a Chat Completions stream: for each choice a role, then content or pieces of tool
// calls, then one finish_reason that suits them.

import { ChunkStream } from './chunk-stream.mjs';
import { jsonObject } from './stream.mjs';

const CUT_SHORT = new Set(['length', 'content_filter']);

export class ChatStream extends ChunkStream {
    choice({ index, delta = {}, finish_reason: reason = null }) {
        if (!this.choices.has(index)) {
            this.choices.set(index, { finish: null, tools: new Map(), legacyCall: false });
            if (delta.role !== 'assistant') {
                this.fail('c.role-first', `first delta of choice ${index} has role ${delta.role}`);
            }
        } else if (delta.role) {
            this.fail('c.role-once', `choice ${index} repeats its role`);
        }
        const state = this.choices.get(index);
        state.legacyCall ||= Boolean(delta.function_call);
        this.closeChoice(index, reason, hasContent(delta));
        for (const piece of delta.tool_calls ?? []) {
            this.toolPiece(state.tools, piece);
        }
    }

    toolPiece(tools, piece) {
        const body = piece.function ?? piece.custom ?? {};
        let call = tools.get(piece.index);
        if (call === undefined) {
            call = { id: piece.id, args: '', custom: piece.custom !== undefined };
            this.toolHead(tools, piece, body);
            tools.set(piece.index, call);
        } else if (piece.id || body.name) {
            this.fail('c.tool-head-once', `tool call ${piece.index} repeats its id or name`);
        }
        call.args += body.arguments ?? body.input ?? '';
    }

    toolHead(tools, piece, body) {
        if (piece.index !== tools.size) {
            this.fail('c.tool-index', `tool call ${piece.index} where ${tools.size} is next`);
        }
        if (!piece.id || !piece.type || !body.name) {
            this.fail('c.tool-head', `tool call ${piece.index} starts without id, type or name`);
        }
        if ([...tools.values()].some((other) => other.id === piece.id)) {
            this.fail('c.tool-id', `tool call id ${piece.id} again`);
        }
    }

    endChoice(index, state) {
        super.endChoice(index, state);
        if (state.finish !== null && !state.legacyCall) {
            checkFinish(state.finish, [...state.tools.values()], (rule, text) =>
                this.fail(rule, text),
            );
        }
    }
}

function hasContent(delta) {
    return Boolean(
        delta.content ||
        delta.refusal ||
        delta.function_call ||
        delta.reasoning_content ||
        delta.tool_calls?.length,
    );
}

// finish_reason suits the calls, a list of {args, custom}; a turn that was cut short may hold a
// torn call.
export function checkFinish(finish, calls, fail) {
    if (finish === 'tool_calls' && calls.length === 0) {
        fail('c.finish-tool', 'finish_reason tool_calls without a tool call');
    } else if (calls.length > 0 && finish !== 'tool_calls' && !CUT_SHORT.has(finish)) {
        fail('c.finish-tool', `a tool was called, and finish_reason is ${finish}`);
    }
    for (const call of calls) {
        if (!call.custom && !CUT_SHORT.has(finish) && jsonObject(call.args) === null) {
            fail('c.tool-json', `arguments ${call.args.slice(0, 80)}`);
        }
    }
}
