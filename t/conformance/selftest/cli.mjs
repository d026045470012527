// The command line: modes, exit status, and what goes to which output.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { formatEvents } from '../lib/sse.mjs';
import { messagesText, chatTools } from './clean.mjs';

const TOOL = fileURLToPath(new URL('../mg-conform.mjs', import.meta.url));
const clean = formatEvents(messagesText());
const cut = formatEvents(messagesText().slice(0, -1));
const chat = formatEvents(chatTools());
const count = '{"input_tokens":5}';
const lines = [
    { id: 1, kind: 'reply', family: 'messages', body: { input_tokens: 5 } },
    { id: 2, kind: 'reply', family: 'messages', body: { input_tokens: '5' } },
]
    .map((line) => JSON.stringify(line))
    .join('\n');

// [what is asked, arguments, input, exit status, what the output holds]
const CASES = [
    ['a clean stream', ['stream', '--family', 'messages'], clean, 0, /^ok$/m],
    ['a cut stream', ['stream', '--family', 'messages', '-'], cut, 1, /m\.terminal/],
    [
        'a stream with usage that was asked for',
        ['stream', '--family', 'chat', '--include-usage'],
        chat,
        0,
        /^ok$/m,
    ],
    [
        'a stream with usage that was not asked for',
        ['stream', '--family', 'chat', '--no-include-usage'],
        chat,
        1,
        /c\.usage-unasked/,
    ],
    ['a reply', ['reply', '--family', 'messages'], count, 0, /^ok$/m],
    ['a reply that is not JSON', ['reply', '--family', 'messages'], '<html>', 1, /not JSON/],
    [
        'a reply as JSON output',
        ['reply', '--family', 'messages', '--json'],
        count,
        0,
        /"findings": \[\]/,
    ],
    [
        'a request of another kind',
        ['request', '--family', 'chat', '--kind', 'update'],
        '{"metadata":{}}',
        0,
        /^ok$/m,
    ],
    ['a bad request', ['request', '--family', 'chat'], '{}', 1, /messages/],
    ['a batch with a bad line', ['batch'], lines, 1, /"id":1,"ok":true[^]*"id":2,"ok":false/],
    ['a batch that is not JSON', ['batch'], 'hello', 1, /"ok":false/],
    ['an empty batch', ['batch'], '', 0, /^$/],
    ['the rules', ['rules'], '', 0, /m\.block-index/],
    ['the probes', ['list'], '', 0, /responses\.stream/],
    ['help', ['--help'], '', 0, /^usage:/],
    ['an unknown mode', ['dance'], '', 2, /no mode dance/],
    ['an unknown option', ['--dance'], '', 2, /dance/],
    ['an unknown family', ['stream', '--family', 'gopher'], '', 2, /--family is one of/],
    ['a probe without an address', ['--base-url', 'here'], '', 2, /--base-url is needed/],
    ['a missing file', ['reply', '--family', 'chat', '/nonexistent'], '', 2, /ENOENT/],
    [
        'a service that is not there',
        ['--base-url', 'http://127.0.0.1:1', '--only', 'chat.pl*'],
        '',
        1,
        /^0 passed, 1 failed, 0 skipped$/m,
    ],
];

// Runs every case and calls ok(what, holds, detail).
export function commandLine(ok) {
    const env = { ...process.env, MG_BASE_URL: '', MG_KEY: '' };
    for (const [what, args, input, status, output] of CASES) {
        const got = spawnSync(process.execPath, [TOOL, ...args], { input, env, encoding: 'utf8' });
        const all = got.stdout + got.stderr;
        ok(
            `command line: ${what} ends with ${status}`,
            got.status === status && output.test(all),
            `status ${got.status}\n${all}`,
        );
    }
}
