// The order of a Messages stream:
//
//   message_start (content_block_start content_block_delta* content_block_stop)* message_delta+
//   message_stop, with pings anywhere, or an error event at any point instead of what was to come.

import { StreamChecker, jsonObject } from './stream.mjs';
import { checkMessagesUsage, inputTotal } from './usage.mjs';

// Which delta types a block takes. A block that is not listed is sent whole in content_block_start.
const DELTAS = {
    text: ['text_delta', 'citations_delta'],
    thinking: ['thinking_delta', 'signature_delta'],
    tool_use: ['input_json_delta'],
    server_tool_use: ['input_json_delta'],
    mcp_tool_use: ['input_json_delta'],
    compaction: ['compaction_delta'],
};
const TOOL_BLOCKS = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);
const CUT_SHORT = new Set(['max_tokens', 'refusal', 'pause_turn', 'model_context_window_exceeded']);

export class MessagesStream extends StreamChecker {
    constructor(options) {
        super(options);
        this.started = false;
        this.terminal = null;
        this.open = null;
        this.nextIndex = 0;
        this.toolCalls = 0;
        this.toolIds = new Set();
        this.stopReason = null;
        this.stopSequence = null;
        this.deltaSeen = false;
        this.output = 0;
        this.input = 0;
    }

    marker() {
        this.fail('m.done-marker', 'the stream has a [DONE] line');
    }

    event(event, name) {
        if (this.framed && name !== event.type) {
            this.fail('m.event-name', `event line ${name ?? '(none)'}, type ${event.type}`);
        }
        if (this.terminal !== null) {
            this.fail('m.after-terminal', `${event.type} after ${this.terminal}`);
            return;
        }
        if (event.type === 'ping') {
            return;
        }
        if (event.type === 'error') {
            this.terminal = 'error';
            return;
        }
        if (!this.started && event.type !== 'message_start') {
            this.fail('m.start-first', `${event.type} before message_start`);
            this.started = true;
        }
        this.step(event);
    }

    step(event) {
        switch (event.type) {
            case 'message_start':
                return this.start(event.message ?? {});
            case 'content_block_start':
                return this.blockStart(event);
            case 'content_block_delta':
                return this.blockDelta(event);
            case 'content_block_stop':
                return this.blockStop(event);
            case 'message_delta':
                return this.messageDelta(event);
            case 'message_stop':
                return this.messageStop();
            default:
                return undefined; // an unknown type is the schema's finding
        }
    }

    start(message) {
        if (this.started) {
            this.fail('m.start-once', 'a second message_start');
            return;
        }
        this.started = true;
        if ((message.content ?? []).length > 0 || (message.stop_reason ?? null) !== null) {
            this.fail('m.start-empty', 'message_start has content or a stop_reason');
        }
        const usage = message.usage ?? {};
        this.input = inputTotal(usage);
        this.output = usage.output_tokens ?? 0;
        if (this.input === 0) {
            this.fail('m.usage-start', 'no input tokens in message_start');
        }
        checkMessagesUsage(usage, (rule, text) => this.fail(rule, text));
    }

    blockStart({ index, content_block: block = {} }) {
        if (this.open !== null) {
            this.fail('m.block-single', `block ${index} starts while ${this.open.index} is open`);
        }
        if (index !== this.nextIndex) {
            this.fail('m.block-index', `block ${index} where ${this.nextIndex} is next`);
        }
        if (this.deltaSeen) {
            this.fail('m.order', `block ${index} starts after message_delta`);
        }
        this.nextIndex = Math.max(this.nextIndex, index) + 1;
        this.open = {
            index,
            type: block.type,
            json: '',
            text: block.text ?? '',
            thinking: block.thinking ?? '',
            signed: Boolean(block.signature),
            citations: (block.citations ?? []).length,
        };
        if (block.type === 'tool_use') {
            this.toolStart(block);
        }
    }

    toolStart(block) {
        this.toolCalls += 1;
        if (!block.id || this.toolIds.has(block.id)) {
            this.fail('m.tool-id', `tool_use id ${JSON.stringify(block.id)}`);
        }
        this.toolIds.add(block.id);
        if (Object.keys(block.input ?? {}).length > 0) {
            this.fail('m.tool-start', 'the block starts with an input');
        }
    }

    blockDelta({ index, delta = {} }) {
        const block = this.open;
        if (block === null || block.index !== index) {
            this.fail('m.block-unknown', `delta for block ${index}, which is not open`);
            return;
        }
        if (!(DELTAS[block.type] ?? []).includes(delta.type)) {
            this.fail('m.delta-type', `${delta.type} in a ${block.type} block`);
            return;
        }
        if (block.type === 'thinking' && block.signed) {
            this.fail('m.signature-last', `${delta.type} after the signature`);
        }
        block.text += delta.text ?? '';
        block.thinking += delta.thinking ?? '';
        block.json += delta.partial_json ?? '';
        block.signed ||= delta.type === 'signature_delta';
    }

    blockStop({ index }) {
        const block = this.open;
        if (block === null || block.index !== index) {
            this.fail('m.block-unknown', `stop for block ${index}, which is not open`);
            return;
        }
        this.open = null;
        if (TOOL_BLOCKS.has(block.type) && block.json !== '' && jsonObject(block.json) === null) {
            this.brokenJson = `block ${index}: ${block.json.slice(0, 80)}`;
        }
        if (block.type === 'thinking' && block.thinking !== '' && !block.signed) {
            this.fail('m.thinking-unsigned', `block ${index} has no signature`);
        }
        if (block.type === 'text' && block.text === '') {
            this.fail('m.text-blank', `block ${index} is empty`);
        }
    }

    messageDelta({ delta = {}, usage = {} }) {
        if (this.open !== null) {
            this.fail('m.block-unclosed', `block ${this.open.index} is open at message_delta`);
            this.open = null;
        }
        this.deltaSeen = true;
        if (
            this.stopReason !== null &&
            (delta.stop_reason ?? this.stopReason) !== this.stopReason
        ) {
            this.fail('m.stop-reason', `${delta.stop_reason} after ${this.stopReason}`);
        }
        this.stopReason = delta.stop_reason ?? this.stopReason;
        this.stopSequence = delta.stop_sequence ?? this.stopSequence;
        this.usage(usage);
    }

    usage(usage) {
        if ((usage.output_tokens ?? this.output) < this.output) {
            this.fail(
                'm.usage-output',
                `output_tokens ${usage.output_tokens} after ${this.output}`,
            );
        }
        if (Number.isInteger(usage.input_tokens) && inputTotal(usage) < this.input) {
            this.fail('m.usage-input', `input ${inputTotal(usage)} after ${this.input}`);
        }
        this.output = usage.output_tokens ?? this.output;
        checkMessagesUsage(usage, (rule, text) => this.fail(rule, text));
    }

    messageStop() {
        this.terminal = 'message_stop';
        if (this.open !== null) {
            this.fail('m.block-unclosed', `block ${this.open.index} is open at message_stop`);
        }
        checkStop(this.stopReason, this.stopSequence, this.toolCalls, (rule, text) =>
            this.fail(rule, text),
        );
        if (this.brokenJson !== undefined && !CUT_SHORT.has(this.stopReason)) {
            this.fail('m.tool-json', this.brokenJson);
        }
    }

    end() {
        if (this.terminal === null) {
            this.fail('m.terminal', 'the stream ends without message_stop or error');
        }
    }
}

// The reason for the end suits what was sent. A turn that was cut short may hold a tool call.
export function checkStop(reason, sequence, toolCalls, fail) {
    if (reason === null) {
        fail('m.stop-reason', 'no stop_reason');
    } else if (reason === 'tool_use' && toolCalls === 0) {
        fail('m.stop-tool', 'stop_reason tool_use without a tool_use block');
    } else if (toolCalls > 0 && reason !== 'tool_use' && !CUT_SHORT.has(reason)) {
        fail('m.stop-tool', `a tool was called, and stop_reason is ${reason}`);
    }
    if ((reason === 'stop_sequence') !== (sequence !== null)) {
        fail('m.stop-sequence', `stop_reason ${reason}, stop_sequence ${JSON.stringify(sequence)}`);
    }
}
