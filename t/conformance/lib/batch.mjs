// The batch form: one JSON object a line in, one verdict a line out, so that thousands of objects
// are checked in one process. A line has
//   kind     request, reply, event or stream
//   family   chat, completions, responses, messages, or models (replies only)
//   id       anything; comes back in the verdict
//   body     the request, reply or event; for a stream: events (a list) or sse (the text)
// and, where they matter, object (the kind of request or reply) and the options of the library:
// strict, beta, includeUsage, request, keepalive, startingAfter.

import { createInterface } from 'node:readline';
import { checkStream, validateEvent, validateReply, validateRequest, FAMILIES } from '../check.mjs';

function broken(id, message) {
    return {
        id,
        ok: false,
        findings: [{ rule: 'schema.unknown', severity: 'error', at: '/', message }],
    };
}

// Checks one parsed line and returns {id, ok, findings}.
export function checkLine(line) {
    const { id = null, kind, family, body, events, sse, object, ...options } = line ?? {};
    if (!FAMILIES.includes(family) && !(family === 'models' && kind === 'reply')) {
        return broken(id, `no family ${family}`);
    }
    switch (kind) {
        case 'request':
            return { id, ...validateRequest(family, body, { ...options, kind: object }) };
        case 'reply':
            return { id, ...validateReply(family, body, { ...options, kind: object }) };
        case 'event':
            return { id, ...validateEvent(family, body, options) };
        case 'stream':
            return { id, ...checkStream(family, sse ?? events ?? [], options) };
        default:
            return broken(id, `no kind ${kind}`);
    }
}

function parseLine(text) {
    try {
        return checkLine(JSON.parse(text));
    } catch (error) {
        return broken(null, error.message);
    }
}

// Answers every line of `input` on `output`. Returns true if all verdicts are ok.
export async function runBatch(input, output) {
    let allOk = true;
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
        if (text.trim() === '') {
            continue;
        }
        const verdict = parseLine(text);
        allOk &&= verdict.ok;
        if (!output.write(`${JSON.stringify(verdict)}\n`)) {
            await new Promise((resolve) => {
                output.once('drain', resolve);
            });
        }
    }
    return allOk;
}
