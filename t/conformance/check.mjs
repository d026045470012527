// Checks for the Chat Completions, legacy Completions, Responses and Messages formats.
//
//   validateRequest(family, body, options)   a request body
//   validateReply(family, body, options)     a reply that is not streamed, or an error body
//   validateEvent(family, event, options)    one event of a stream, by itself
//   checkStream(family, input, options)      a whole stream: framing, every event, and the order
//   openStream(family, options)              the same, fed event by event: push(…), then finish()
//
// Every function returns a verdict {ok, findings}; a finding is {rule, severity, at, message},
// and RULES explains the rules. Options for all: strict (default true) is for what a gateway
// sends to its clients; strict: false tolerates what the real services are known to leave out.

import { Findings } from './lib/findings.mjs';
import { ChatStream } from './lib/chat-order.mjs';
import { CompletionsStream } from './lib/completions-order.mjs';
import { MessagesStream } from './lib/messages-order.mjs';
import { ResponsesStream } from './lib/responses-order.mjs';
import { REPLY_RULES } from './lib/replies.mjs';
import { REQUEST_RULES } from './lib/requests.mjs';
import { eventFindings, replySchemas, requestSchema, openResponsesView } from './lib/kinds.mjs';
import { validate } from './lib/schemas.mjs';
import { parseEvents } from './lib/sse.mjs';

export { RULES } from './lib/rules.mjs';

export const FAMILIES = ['chat', 'completions', 'responses', 'messages'];
const STREAMS = {
    chat: ChatStream,
    completions: CompletionsStream,
    responses: ResponsesStream,
    messages: MessagesStream,
};

function isObject(body) {
    return body !== null && typeof body === 'object' && !Array.isArray(body);
}

function run(schemas, rules, body, options) {
    const findings = new Findings(options.strict ?? true);
    for (const schema of schemas) {
        const rule = schema.startsWith('open-responses') ? 'schema.open-responses' : 'schema';
        if (rule !== 'schema' && !findings.strict) {
            continue;
        }
        const subject = rule === 'schema' ? body : openResponsesView(body);
        for (const { at, message } of validate(schema, subject, findings.strict)) {
            findings.add(rule, at, message);
        }
    }
    if (rules !== undefined && isObject(body)) {
        rules(body, (rule, message) => findings.add(rule, '/', message));
    }
    return findings.verdict();
}

function unknown(what, options) {
    const findings = new Findings(options.strict ?? true);
    findings.add('schema.unknown', '/', what);
    return findings.verdict();
}

// options.kind: create (default), count_tokens, input_tokens, compact, update;
// options.beta: hold a Messages request to the schema with the beta features.
export function validateRequest(family, body, options = {}) {
    const kind = options.kind ?? 'create';
    const schema = requestSchema(family, kind, options.beta ?? false);
    if (schema === undefined) {
        return unknown(`no ${kind} request in family ${family}`, options);
    }
    return run([schema], kind === 'create' ? REQUEST_RULES[family] : undefined, body, options);
}

// options.kind: told from the body when absent; see lib/kinds.mjs. Family models has the kinds
// list, model, messages-list and messages-model.
export function validateReply(family, body, options = {}) {
    const found = replySchemas(family, body, options.kind);
    if (found === undefined) {
        return unknown(`no ${options.kind ?? 'such'} reply in family ${family}`, options);
    }
    return run(found.schemas, REPLY_RULES[`${family}/${found.kind}`], body, options);
}

export function validateEvent(family, event, options = {}) {
    const findings = new Findings(options.strict ?? true);
    for (const { rule, at, message } of eventFindings(family, event, findings.strict)) {
        findings.add(rule, at, message);
    }
    return findings.verdict();
}

// options as for checkStream. framed: push() takes {name, data} from bytes, not plain events.
export function openStream(family, options = {}) {
    const Stream = STREAMS[family];
    if (Stream === undefined) {
        throw new Error(`no family ${family}`);
    }
    const strict = options.strict ?? true;
    const schema =
        options.schema === false ? undefined : (event) => eventFindings(family, event, strict);
    return new Stream({ ...options, includeUsage: wantsUsage(options), schema });
}

function wantsUsage({ includeUsage, request }) {
    return (
        includeUsage ??
        (request === undefined ? undefined : Boolean(request.stream_options?.include_usage))
    );
}

// `input`: bytes or text of a stream, or a list of events as recordings keep them ("[DONE]" may
// be among them). Options: includeUsage (or request, the body that was sent), keepalive,
// startingAfter, and schema: false for the order rules alone.
export function checkStream(family, input, options = {}) {
    const framed = !Array.isArray(input);
    const findings = new Findings(options.strict ?? true);
    const stream = openStream(family, { ...options, framed, findings });
    const events = framed ? parseEvents(input, findings) : input;
    events.forEach((event) => stream.push(event));
    return { ...stream.finish(), events: events.length };
}
