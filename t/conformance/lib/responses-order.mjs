// The order of a Responses stream: response.created, response.in_progress, the windows of the
// output items, and one of completed, incomplete, failed, which repeats what was told.

import { isDeepStrictEqual } from 'node:util';
import { StreamChecker } from './stream.mjs';
import { ItemWindows } from './responses-items.mjs';
import { checkResponse } from './responses-object.mjs';

const STATUS = {
    'response.created': ['in_progress', 'queued'],
    'response.queued': ['queued'],
    'response.in_progress': ['in_progress'],
    'response.completed': ['completed'],
    'response.incomplete': ['incomplete'],
    'response.failed': ['failed'],
};
const TERMINAL = new Set(['response.completed', 'response.incomplete', 'response.failed']);

export class ResponsesStream extends StreamChecker {
    // options.keepalive: keepalive events and a repeated in_progress are agreed to;
    // options.startingAfter: a replay that begins after that sequence number.
    constructor(options) {
        super(options);
        this.partial = this.options.startingAfter !== undefined;
        this.next = this.partial ? this.options.startingAfter + 1 : 0;
        this.windows = new ItemWindows((rule, text) => this.fail(rule, text), this.partial);
        this.head = null;
        this.created = this.partial;
        this.running = this.partial;
        this.error = false;
        this.terminal = null;
        this.marked = false;
    }

    marker() {
        if (this.marked || this.terminal === null) {
            this.fail(
                'r.done-marker',
                this.marked ? 'a second [DONE]' : '[DONE] before the final event',
            );
        }
        this.marked = true;
    }

    event(event, name) {
        if (this.framed && name !== event.type) {
            this.fail('r.event-name', `event line ${name ?? '(none)'}, type ${event.type}`);
        }
        if (this.terminal !== null || this.marked) {
            this.fail('r.after-terminal', `${event.type} after ${this.terminal ?? '[DONE]'}`);
            return;
        }
        this.sequence(event);
        if (event.type === 'keepalive') {
            this.keepalive('r.keepalive', 'a keepalive event');
        } else if (event.type === 'error') {
            this.error = true;
        } else if (STATUS[event.type] !== undefined) {
            this.state(event.type, event.response ?? {});
        } else {
            this.output(event);
        }
    }

    keepalive(rule, text) {
        if (!this.options.keepalive) {
            this.fail(rule, text);
        }
    }

    sequence({ type, sequence_number: number }) {
        if (number === undefined && type === 'keepalive') {
            return;
        }
        if (number !== this.next) {
            this.fail('r.sequence', `${type} has ${number} where ${this.next} is next`);
        }
        this.next = Number.isInteger(number) ? number + 1 : this.next + 1;
    }

    output(event) {
        if (!this.created) {
            this.fail('r.created-first', `${event.type} before response.created`);
            this.created = true;
        }
        if (!this.running) {
            this.fail('r.in-progress', `${event.type} before response.in_progress`);
            this.running = true;
        }
        if (this.error) {
            this.fail('r.error-failed', `${event.type} after an error`);
        }
        this.windows.take(event);
    }

    state(type, response) {
        const mayStart = type === 'response.created' || (type === 'response.failed' && this.error);
        if (this.created ? type === 'response.created' : !mayStart) {
            this.fail(
                'r.created-first',
                this.created ? 'a second response.created' : `${type} comes first`,
            );
        }
        this.created = true;
        this.sameHead(response);
        if (!STATUS[type].includes(response.status)) {
            this.fail('r.status', `${type} with status ${response.status}`);
        }
        if (TERMINAL.has(type)) {
            this.final(type, response);
            return;
        }
        if (type === 'response.in_progress') {
            if (this.running) {
                this.keepalive('r.in-progress-again', 'response.in_progress again');
            }
            this.running = true;
        }
        if (this.windows.items.length === 0 && (response.output ?? []).length > 0) {
            this.fail('r.start-empty', `${type} with output`);
        }
    }

    sameHead({ id, model, created_at: created }) {
        const head = JSON.stringify([id, model, created]);
        this.head ??= head;
        if (head !== this.head) {
            this.fail('r.same-head', `${head} after ${this.head}`);
        }
    }

    final(type, response) {
        this.terminal = type;
        checkResponse(response, (rule, text) => this.fail(rule, text));
        if (type === 'response.failed') {
            if (!this.error) {
                this.fail('r.failed-alone', 'no error event before response.failed');
            }
            return;
        }
        if (this.error) {
            this.fail('r.error-failed', `${type} after an error`);
        }
        if (!this.running) {
            this.fail('r.in-progress', `${type} before response.in_progress`);
        }
        for (const { item } of this.windows.unclosed()) {
            this.fail('r.item-unclosed', `${item.type} ${item.id} is open at ${type}`);
        }
        if (!this.partial) {
            this.sameOutput(response.output ?? []);
        }
    }

    sameOutput(output) {
        const done = this.windows.items.map((state) => state.done);
        if (output.length !== done.length) {
            this.fail('r.output', `${output.length} items where ${done.length} were added`);
            return;
        }
        output.forEach((item, index) => {
            if (!isDeepStrictEqual(this.comparable(item), this.comparable(done[index] ?? {}))) {
                this.fail('r.output', `item ${index} is not the one that was done`);
            }
        });
    }

    // A provider seals the same item anew for each event; a gateway has it once.
    comparable(item) {
        return this.findings.strict
            ? item
            : { ...item, encrypted_content: null, fingerprint: null };
    }

    end() {
        if (this.terminal === null) {
            const rule = this.error ? 'r.error-failed' : 'r.terminal';
            this.fail(rule, 'the stream ends without completed, incomplete or failed');
        }
    }
}
