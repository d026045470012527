// What the streams of Chat Completions and of legacy Completions have in common: chunks of one
// object, choices by index, a usage chunk if it was asked for, and [DONE] unless the stream fails.

import { StreamChecker } from './stream.mjs';
import { checkChatUsage } from './usage.mjs';

export class ChunkStream extends StreamChecker {
    // options.includeUsage: true or false as asked for in the request; undefined when not known.
    // A family extends this with choice(choice), which keeps {finish} by index in this.choices.
    constructor(options) {
        super(options);
        this.head = null;
        this.choices = new Map();
        this.usageSeen = false;
        this.terminal = null;
    }

    marker() {
        if (this.terminal === 'error') {
            this.fail('c.done-after-error', '[DONE] after an error');
        } else if (this.terminal !== null) {
            this.fail('c.done', 'a second [DONE]');
        }
        this.terminal ??= '[DONE]';
    }

    event(chunk, name) {
        if (name !== undefined && name !== null) {
            this.fail('c.event-name', `event line ${name}`);
        }
        if (this.terminal !== null) {
            this.fail('c.after-done', `a chunk after ${this.terminal}`);
            return;
        }
        if (chunk.error) {
            this.terminal = 'error';
            return;
        }
        const head = JSON.stringify([chunk.id, chunk.model, chunk.created]);
        this.head ??= head;
        if (head !== this.head) {
            this.fail('c.same-head', `${head} after ${this.head}`);
        }
        if (this.usageSeen) {
            this.fail('c.usage-last', 'a chunk after the usage chunk');
        }
        (chunk.choices ?? []).forEach((choice) => this.choice(choice));
        this.usage(chunk);
    }

    // Notes the finish_reason of a choice; `added` says whether this chunk adds to what it said.
    closeChoice(index, reason, added) {
        const state = this.choices.get(index);
        if (state.finish !== null && added) {
            this.fail('c.after-finish', `choice ${index} goes on after ${state.finish}`);
        }
        if (state.finish !== null && reason !== null) {
            this.fail('c.finish-once', `choice ${index} finishes again with ${reason}`);
        }
        state.finish ??= reason;
    }

    usage(chunk) {
        const empty = (chunk.choices ?? []).length === 0;
        if (!chunk.usage) {
            if (empty) {
                this.fail('c.empty-chunk', 'a chunk with neither choices nor usage');
            }
            return;
        }
        if (this.options.includeUsage === false) {
            this.fail('c.usage-unasked', 'usage was not asked for');
        }
        if (!empty) {
            this.fail('c.usage-last', 'usage in a chunk that has choices');
        }
        this.usageSeen = true;
        checkChatUsage(chunk.usage, (rule, text) => this.fail(rule, text));
    }

    end() {
        if (this.terminal === 'error') {
            return;
        }
        if (this.framed && this.terminal === null) {
            this.fail('c.done', 'the stream ends without [DONE]');
        }
        if (this.options.includeUsage === true && !this.usageSeen) {
            this.fail('c.usage-missing', 'no usage chunk');
        }
        if (this.choices.size === 0) {
            this.fail('c.finish-missing', 'the stream has no choice');
        }
        [...this.choices.keys()]
            .sort((a, b) => a - b)
            .forEach((index, place) => {
                if (index !== place) {
                    this.fail('c.choice-index', `choice ${index} where ${place} is next`);
                }
                this.endChoice(index, this.choices.get(index));
            });
    }

    endChoice(index, { finish }) {
        if (finish === null) {
            this.fail('c.finish-missing', `choice ${index} has no finish_reason`);
        }
    }
}
