#!/usr/bin/env node
// mg-conform: does a service speak Chat Completions, Completions, Responses and Messages as it
// should?

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Findings } from './lib/findings.mjs';
import { parseJson } from './lib/json-text.mjs';

const HELP = `usage: mg-conform [probe] --base-url URL [--key KEY | --key-file FILE] [options]
       mg-conform stream  --family F [FILE]     check a recorded stream (server-sent events)
       mg-conform reply   --family F [FILE]     check a reply or an error body (JSON)
       mg-conform request --family F [FILE]     check a request body (JSON)
       mg-conform batch                         check JSON lines from standard input
       mg-conform rules                         print the rules
       mg-conform list                          print the ids of the probes

A FILE that is missing or "-" is standard input. Families: chat, completions, responses, messages;
models too for probes and replies. Exit status: 0 nothing failed, 1 something did, 2 wrong usage.

Probes
  --base-url URL       address of the service, with or without /v1   (environment: MG_BASE_URL)
  --key KEY            its key; better in a file or in MG_KEY, where no other user can read it
  --key-file FILE      a file whose first line is the key
  --model M            model to ask for                              (power-ai)
  --families F,F…      families to probe                             (all)
  --only ID, --skip ID only these probes, not these; may be repeated, and "*" stands for anything
  --timeout S          seconds for one request                       (60)
  --version-header H   header that selects the Messages style        (anthropic-version)
  --version V          its value                                     (2023-06-01)
  --provider           it is a provider, not a gateway: it may answer with its own model names, and
                       with a request id under one of the two header names
  --header 'N: VALUE'  send this header with every request; may be repeated
  --save DIR           keep every request and reply in DIR

Checks
  --tolerant           allow what the real services leave out; the default holds to the full form
  --kind K             kind of request (create, count_tokens, input_tokens, compact, update) or of
                       reply (completion, response, message, list …); told from the body if absent
  --beta               hold Messages requests to the schema with the beta members
  --include-usage, --no-include-usage
                       the request of the stream did, or did not, ask for a usage chunk
  --keepalive          keepalive events were agreed to
  --starting-after N   the stream is a replay that begins after this sequence number

Output
  --warnings           show warnings too
  --json               print JSON
  -h, --help`;

const OPTIONS = {
    'base-url': { type: 'string' },
    key: { type: 'string' },
    'key-file': { type: 'string' },
    model: { type: 'string', default: 'power-ai' },
    families: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    skip: { type: 'string', multiple: true, default: [] },
    timeout: { type: 'string', default: '60' },
    'version-header': { type: 'string', default: 'anthropic-version' },
    version: { type: 'string', default: '2023-06-01' },
    save: { type: 'string' },
    header: { type: 'string', multiple: true, default: [] },
    provider: { type: 'boolean', default: false },
    family: { type: 'string' },
    kind: { type: 'string' },
    tolerant: { type: 'boolean', default: false },
    beta: { type: 'boolean', default: false },
    'include-usage': { type: 'boolean' },
    'no-include-usage': { type: 'boolean' },
    keepalive: { type: 'boolean', default: false },
    'starting-after': { type: 'string' },
    warnings: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
};

class Usage extends Error {}

function key(values) {
    if (values['key-file'] !== undefined) {
        return readFileSync(values['key-file'], 'utf8').split('\n')[0].trim();
    }
    return values.key ?? process.env.MG_KEY ?? '';
}

function number(values, name) {
    const text = values[name];
    if (text !== undefined && !(Number(text) >= 0)) {
        throw new Usage(`--${name} is not a number: ${text}`);
    }
    return text === undefined ? undefined : Number(text);
}

function checkOptions(values) {
    const asked = values['include-usage'] ? true : values['no-include-usage'] ? false : undefined;
    return {
        strict: !values.tolerant,
        kind: values.kind,
        beta: values.beta,
        keepalive: values.keepalive,
        includeUsage: asked,
        startingAfter: number(values, 'starting-after'),
    };
}

function headers(values) {
    return Object.fromEntries(
        values.header.map((line) => {
            const colon = line.indexOf(':');
            if (colon < 1) {
                throw new Usage(`--header is not a header: ${line}`);
            }
            return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
        }),
    );
}

async function probe(values) {
    const { choose, runProbes, PROBE_FAMILIES } = await import('./probes/all.mjs');
    const { probeLine, totals, totalLine } = await import('./lib/report.mjs');
    const baseUrl = values['base-url'] ?? process.env.MG_BASE_URL;
    if (!/^https?:\/\//.test(baseUrl ?? '')) {
        throw new Usage('--base-url is needed, and starts with http:// or https://');
    }
    const families = values.families?.split(',') ?? PROBE_FAMILIES;
    const wrong = families.find((name) => !PROBE_FAMILIES.includes(name));
    const probes = choose(families, values.only, values.skip);
    if (wrong !== undefined || probes.length === 0) {
        throw new Usage(
            wrong !== undefined ? `no family ${wrong}` : `no probe ${values.only.join(' ')}`,
        );
    }
    const options = {
        baseUrl,
        key: key(values),
        model: values.model,
        timeout: number(values, 'timeout') * 1000,
        versionHeader: values['version-header'].toLowerCase(),
        version: values.version,
        headers: headers(values),
        strict: !values.tolerant,
        gateway: !values.provider,
        saveTo: values.save,
    };
    const report = values.json
        ? () => {}
        : (result) => console.log(probeLine(result, values.warnings));
    const results = await runProbes(probes, options, report);
    const sum = totals(results);
    console.log(
        values.json
            ? JSON.stringify({ baseUrl, model: values.model, ...sum, probes: results }, null, 2)
            : `\n${totalLine(sum)}`,
    );
    return sum.failed === 0;
}

function input(file) {
    return readFileSync(file === undefined || file === '-' ? 0 : file);
}

// The text of an object is judged before what it says.
function checkText(text, validate, options) {
    const findings = new Findings(options.strict);
    const body = parseJson(text, (rule, message) => findings.add(rule, '/', message));
    if (body === undefined) {
        findings.add('schema', '/', 'the text is not JSON');
        return findings.verdict();
    }
    const verdict = validate(body);
    verdict.findings.unshift(...findings.list);
    return { ...verdict, ok: verdict.ok && findings.ok };
}

async function checkFile(mode, values, file) {
    const { checkStream, validateReply, validateRequest, FAMILIES } = await import('./check.mjs');
    const { verdictLines } = await import('./lib/report.mjs');
    if (!FAMILIES.includes(values.family) && !(mode === 'reply' && values.family === 'models')) {
        throw new Usage(`--family is one of ${FAMILIES.join(', ')}`);
    }
    const data = input(file);
    const options = checkOptions(values);
    const validate = mode === 'reply' ? validateReply : validateRequest;
    const verdict =
        mode === 'stream'
            ? checkStream(values.family, data, options)
            : checkText(
                  data.toString('utf8'),
                  (body) => validate(values.family, body, options),
                  options,
              );
    if (values.json) {
        console.log(JSON.stringify(verdict, null, 2));
    } else {
        verdictLines(verdict, values.warnings).forEach((line) => console.log(line));
        console.log(verdict.ok ? 'ok' : 'not ok');
    }
    return verdict.ok;
}

const MODES = {
    probe,
    stream: (values, file) => checkFile('stream', values, file),
    reply: (values, file) => checkFile('reply', values, file),
    request: (values, file) => checkFile('request', values, file),
    async batch() {
        const { runBatch } = await import('./lib/batch.mjs');
        return runBatch(process.stdin, process.stdout);
    },
    async rules() {
        const { RULES } = await import('./lib/rules.mjs');
        for (const [id, [severity, text]] of Object.entries(RULES)) {
            console.log(`${id.padEnd(24)} ${severity.padEnd(6)} ${text}`);
        }
        return true;
    },
    async list() {
        const { PROBES } = await import('./probes/all.mjs');
        PROBES.forEach(({ id, optional }) => console.log(`${id}${optional ? '  (optional)' : ''}`));
        return true;
    },
};

async function main(args) {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    if (values.help) {
        console.log(HELP);
        return true;
    }
    const [mode = 'probe', file, ...rest] = positionals;
    if (!Object.hasOwn(MODES, mode) || rest.length > 0) {
        throw new Usage(rest.length > 0 ? `too many files: ${rest.join(' ')}` : `no mode ${mode}`);
    }
    return MODES[mode](values, file);
}

main(process.argv.slice(2)).then(
    (isOk) => {
        process.exitCode = isOk ? 0 : 1;
    },
    (error) => {
        console.error(`mg-conform: ${error.message}`);
        if (error instanceof Usage || error.code?.startsWith('ERR_PARSE_ARGS')) {
            console.error('Try mg-conform --help.');
        } else if (error.code === 'MODULE_NOT_FOUND') {
            console.error('Run npm ci in the folder of mg-conform first.');
        }
        process.exitCode = 2;
    },
);
