// The probes against a small service of our own, which is sound or has one fault at a time.

import http from 'node:http';
import { choose, runProbes } from '../probes/all.mjs';
import { formatEvents } from '../lib/sse.mjs';
import { messagesText } from './clean.mjs';

const ID = 'req_1';
const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'power-ai',
    stop_reason: 'end_turn',
    stop_sequence: null,
    stop_details: null,
    container: null,
    content: [{ type: 'text', text: 'Hello', citations: null }],
    usage: {
        input_tokens: 3,
        output_tokens: 4,
        cache_creation: null,
        cache_creation_input_tokens: null,
        cache_read_input_tokens: null,
        inference_geo: null,
        output_tokens_details: null,
        server_tool_use: null,
        service_tier: null,
    },
};
const refusal = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'Images are not supported' },
    request_id: ID,
};
const ids = { 'x-request-id': ID, 'request-id': ID };
const json = { 'content-type': 'application/json', ...ids };
const sse = { 'content-type': 'text/event-stream; charset=utf-8', ...ids };

const plain = (res, headers = json) => res.writeHead(200, headers).end(JSON.stringify(message));
const stream = (res, headers = sse, text = formatEvents(messagesText())) =>
    res.writeHead(200, headers).end(text);
const refuse = (res, status, body = refusal) =>
    res.writeHead(status, json).end(JSON.stringify(body));

// [what the service does, probe, result, rule or null, how it answers, options]
const CASES = [
    ['answers soundly', 'messages.plain', 'PASS', null, plain],
    ['streams soundly', 'messages.stream', 'PASS', null, stream],
    [
        'answers as text',
        'messages.plain',
        'FAIL',
        'http.content-type',
        (res) => plain(res, { ...json, 'content-type': 'text/plain' }),
    ],
    ['streams as JSON', 'messages.stream', 'FAIL', 'http.content-type', (res) => stream(res, json)],
    ['answers a stream with a whole reply', 'messages.stream', 'FAIL', 'http.content-type', plain],
    [
        'sends no request id',
        'messages.plain',
        'FAIL',
        'http.request-id',
        (res) => plain(res, { 'content-type': 'application/json' }),
    ],
    [
        'sends two request ids',
        'messages.plain',
        'FAIL',
        'http.request-id',
        (res) => plain(res, { ...json, 'x-request-id': 'other' }),
    ],
    [
        'sends one request id, as a provider may',
        'messages.plain',
        'PASS',
        null,
        (res) => plain(res, { 'content-type': 'application/json', 'request-id': ID }),
        { gateway: false },
    ],
    [
        'answers with broken JSON',
        'messages.plain',
        'FAIL',
        'http.body',
        (res) => res.writeHead(200, json).end('{"id":'),
    ],
    ['fails', 'messages.plain', 'FAIL', 'http.status', (res) => refuse(res, 500)],
    [
        'cuts the stream',
        'messages.stream',
        'FAIL',
        'm.terminal',
        (res) => stream(res, sse, formatEvents(messagesText().slice(0, -2))),
    ],
    [
        'closes the connection',
        'messages.stream',
        'FAIL',
        'http.connection',
        (res) => {
            res.writeHead(200, sse).write('event: ping\n');
            res.socket.end();
        },
    ],
    ['never answers', 'messages.plain', 'FAIL', 'http.timeout', () => {}, { timeout: 200 }],
    [
        'never ends the stream',
        'messages.stream',
        'FAIL',
        'http.timeout',
        (res) => {
            res.writeHead(200, sse).write(': wait\n\n');
        },
        { timeout: 200 },
    ],
    [
        'answers with another model',
        'messages.plain',
        'FAIL',
        'probe.answer',
        (res) => res.writeHead(200, json).end(JSON.stringify({ ...message, model: 'other' })),
    ],
    [
        'answers with another model, as a provider may',
        'messages.plain',
        'PASS',
        null,
        (res) => res.writeHead(200, json).end(JSON.stringify({ ...message, model: 'other' })),
        { gateway: false },
    ],
    ['does not call the forced tool', 'messages.tools', 'FAIL', 'probe.answer', plain],
    ['refuses what it cannot do', 'messages.image', 'SKIP', null, (res) => refuse(res, 400)],
    [
        'refuses in another style',
        'messages.image',
        'FAIL',
        'schema',
        (res) => refuse(res, 400, { detail: 'no' }),
    ],
    ['refuses what it must do', 'messages.plain', 'FAIL', 'http.status', (res) => refuse(res, 400)],
    ['refuses a bad request', 'messages.bad-request', 'PASS', null, (res) => refuse(res, 422)],
    ['accepts a bad request', 'messages.bad-request', 'FAIL', 'http.status', plain],
    [
        'tells another request id in the body',
        'messages.bad-request',
        'FAIL',
        'http.request-id',
        (res) => refuse(res, 400, { ...refusal, request_id: 'other' }),
    ],
    [
        'limits without saying for how long',
        'messages.image',
        'FAIL',
        'http.retry-after',
        (res) => refuse(res, 429),
    ],
];

// Runs every case and calls ok(what, holds, detail).
export async function probing(ok, seen) {
    let answer;
    const server = http.createServer((req, res) => {
        req.resume().on('end', () => answer(res));
    });
    await new Promise((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
    });
    const options = {
        baseUrl: `http://127.0.0.1:${server.address().port}/v1/`,
        key: 'k',
        model: 'power-ai',
        timeout: 20000,
        versionHeader: 'anthropic-version',
        version: '2023-06-01',
        strict: true,
        gateway: true,
    };
    for (const [what, id, result, rule, how, more] of CASES) {
        answer = how;
        const [got] = await runProbes(
            choose(['messages'], [id]),
            { ...options, ...more },
            () => {},
        );
        const rules = got.findings.map((finding) => finding.rule);
        rules.forEach((one) => seen.add(one));
        ok(
            `probe: a service that ${what}: ${id} is ${result}${rule === null ? '' : ` (${rule})`}`,
            got.result === result && (rule === null ? rules.length === 0 : rules.includes(rule)),
            got,
        );
    }
    server.closeAllConnections?.();
    server.close();
}
