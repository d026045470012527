// What the order checkers of all families share: reading the data, validating each event against
// the schema, and the life of a stream. A family extends StreamChecker with event(), marker() and
// end().

import { Findings } from './findings.mjs';
import { parseJson } from './json-text.mjs';

export class StreamChecker {
    // options: strict (default true); schema(event) → [{rule, at, message}] validates one event;
    // framed: the events come from bytes, so that event names and end markers can be judged.
    constructor(options = {}) {
        this.options = options;
        this.framed = options.framed ?? false;
        this.findings = options.findings ?? new Findings(options.strict ?? true);
        this.at = -1;
    }

    fail(rule, message) {
        this.findings.add(rule, this.at, message);
    }

    // Takes one event: {name, data} from bytes, or a plain object (or "[DONE]") from a recording.
    push(item) {
        this.at += 1;
        const isFrame = this.framed;
        const data = isFrame ? item.data : item;
        if (data === '[DONE]') {
            this.marker();
            return;
        }
        const event = isFrame ? parseJson(data, (rule, message) => this.fail(rule, message)) : data;
        if (typeof event !== 'object' || event === null || Array.isArray(event)) {
            this.fail('sse.json', `not a JSON object: ${String(data).slice(0, 60)}`);
            return;
        }
        for (const one of this.options.schema?.(event) ?? []) {
            this.fail(one.rule, `${one.at}: ${one.message}`);
        }
        this.event(event, isFrame ? item.name : undefined);
    }

    // Closes the stream and returns the verdict.
    finish() {
        this.at += 1;
        this.end();
        return this.findings.verdict();
    }
}

// Returns the parsed value if `text` is one JSON object, otherwise null.
export function jsonObject(text) {
    try {
        const value = JSON.parse(text);
        return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null;
    } catch {
        return null;
    }
}
