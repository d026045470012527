// htdocs/openapi.json before three judges: a validator of OpenAPI documents, ajv on every example,
// and the gateway itself, whose replies must be what the document says. The examples of the
// documentation run as they stand, in each language.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { baseUrl, key, load, test } from './lib/suite.mjs';

const run = promisify(execFile);
const session = process.env.MG_SESSION;
const htdocs = process.env.MG_HTDOCS;
const folder = mkdtempSync(path.join(process.env.HOME ?? tmpdir(), 'docs-'));

// The dashboard's modules are modules by their name's place, not by a package.json.
async function module(name) {
    const copy = path.join(folder, `${path.basename(name, '.js')}.mjs`);
    writeFileSync(copy, readFileSync(path.join(htdocs, name)));
    return import(copy);
}

const doc = JSON.parse(readFileSync(path.join(htdocs, 'openapi.json'), 'utf8'));
const guides = JSON.parse(readFileSync(path.join(htdocs, 'docs/guides.json'), 'utf8'));
const { snippets, call } = await module('docs/snippets.js');

const operations = Object.entries(doc.paths).flatMap(([route, methods]) => Object.entries(methods)
    .map(([method, operation]) => ({ route, method, operation, id: operation.operationId })));
const follow = (node) => (node?.$ref ? node.$ref.slice(2).split('/').reduce((at, part) => at[part], doc) : node);

const { Validator } = await import(load.resolve?.('@seriousme/openapi-schema-validator')
    ?? path.join(process.env.MG_CLIENTS, 'node_modules/@seriousme/openapi-schema-validator/index.js'));
const { default: Ajv } = load('ajv/dist/2020.js');
const { default: addFormats } = load('ajv-formats');
const ajv = addFormats(new Ajv({ strict: false, allErrors: true }));
ajv.addSchema({ $id: 'api', ...doc });

// A schema of the document as a function; its references lead into the document.
const compiled = new Map();
function judge(schema) {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
    if (!compiled.has(text)) {
        compiled.set(text, ajv.compile(JSON.parse(text)));
    }
    return compiled.get(text);
}

function check(schema, value, what) {
    const fits = judge(schema);
    assert.ok(fits(value), `${what}: ${ajv.errorsText(fits.errors)}\n${JSON.stringify(value).slice(0, 600)}`);
}

// Members that the document does not have, anywhere the schema lists members.
function unknown(schema, value, at = '') {
    const s = follow(schema);
    if (Array.isArray(value) && s?.items) {
        return value.flatMap((one, i) => unknown(s.items, one, `${at}/${i}`));
    }
    const choices = s?.anyOf ?? s?.oneOf;
    if (choices) {
        return choices.map((one) => unknown(one, value, at)).sort((a, b) => a.length - b.length)[0];
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value) || !s?.properties) {
        return [];
    }
    return Object.entries(value).flatMap(([name, one]) => (s.properties[name]
        ? unknown(s.properties[name], one, `${at}/${name}`) : [`${at}/${name}`]));
}

await test('a validator of OpenAPI documents accepts it', async () => {
    const result = await new Validator().validate(structuredClone(doc));
    assert.ok(result.valid, JSON.stringify(result.errors)?.slice(0, 1500));
});

await test('every example fits its schema', async () => {
    let count = 0;
    for (const { id, operation } of operations) {
        const places = [[operation.requestBody, 'body'],
            ...Object.entries(operation.responses).map(([status, reply]) => [follow(reply), status])];
        for (const [place, what] of places) {
            for (const content of Object.values(place?.content ?? {})) {
                const examples = [content.example, ...Object.values(content.examples ?? {}).map((e) => e.value)];
                for (const example of examples.filter((e) => e !== undefined)) {
                    check(content.schema, example, `${id} ${what}`);
                    count += 1;
                }
            }
        }
    }
    assert.ok(count > 100, `${count} examples are too few`);
});

//// The gateway's own replies

const made = {};
const replace = { 'resp_0192f0c0': 'response', 'chatcmpl-0192f0c0': 'completion', ord_0192f0c0a1b27c3d8e4f5a6b7c8d9e0f: 'order' };

// What cannot be asked without breaking the session or having a mail; other tests have them.
const apart = new Set(['register', 'signIn', 'signInV1', 'signOut', 'verifyEmail', 'resendVerification',
    'forgotPassword', 'resetPassword', 'changePassword', 'changeEmail', 'endSession', 'endOtherSessions',
    'checkIn', 'cancelResponse', 'getSetupScript']);
// The order in which objects come to be and go.
const first = ['createResponse', 'createChatCompletion', 'startCheckout', 'createKey'];
const last = ['deleteResponse', 'deleteChatCompletion', 'revokeKey'];

function request(one) {
    const asked = call(baseUrl, one.method, one.route, one.operation);
    for (const [example, name] of Object.entries(replace)) {
        asked.url = asked.url.replace(example, made[name] ?? example);
    }
    if (one.route.includes('{key_id}')) {
        asked.url = asked.url.replace(/keys\/7$/, `keys/${made.key}`);
    }
    if (one.id === 'createChatCompletion') {
        asked.body = { ...asked.body, store: true };
    }
    return asked;
}

async function ask(one) {
    const { method, url, body, variable } = request(one);
    return fetch(url, {
        method,
        headers: {
            ...(variable ? { Authorization: `Bearer ${variable === 'MG_KEY' ? key : session}` } : {}),
            ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
    });
}

function remember(id, json) {
    if (id === 'createResponse') made.response = json.id;
    if (id === 'createChatCompletion') made.completion = json.id;
    if (id === 'startCheckout') made.order = json.id;
    if (id === 'createKey') made.key = json.id;
}

async function isAsDescribed(one) {
    const reply = await ask(one);
    const text = await reply.text();
    const described = follow(one.operation.responses[reply.status]);
    assert.ok(described, `status ${reply.status} is not described: ${text.slice(0, 300)}`);
    assert.ok(reply.status < 300 || one.id === 'callMessagesSubpath', `${reply.status} ${text.slice(0, 300)}`);
    assert.match(reply.headers.get('x-request-id') ?? '', /^req_/, 'x-request-id');
    const type = (reply.headers.get('content-type') ?? '').split(';')[0];
    if (!described.content) {
        assert.equal(text, '', 'no body is described');
        return;
    }
    assert.ok(described.content[type], `type ${type} is not described`);
    if (type !== 'application/json') {
        return;
    }
    const json = JSON.parse(text);
    remember(one.id, json);
    check(described.content[type].schema, json, one.id);
    if (one.route.startsWith('/api/')) {
        assert.deepEqual(unknown(described.content[type].schema, json), [], 'members that are not described');
    }
}

const place = (id) => (first.includes(id) ? first.indexOf(id) : last.includes(id) ? 1000 + last.indexOf(id) : 100);
for (const one of operations.filter((o) => !apart.has(o.id)).sort((a, b) => place(a.id) - place(b.id))) {
    await test(`${one.method.toUpperCase()} ${one.route} answers as described`, () => isAsDescribed(one));
}

await test('the Messages style of the model list is as described', async () => {
    const reply = await fetch(`${baseUrl}/v1/models`, { headers: { Authorization: `Bearer ${key}`, 'vendorb-version': '2023-06-01' } });
    check({ $ref: '#/components/schemas/MessagesModelList' }, await reply.json(), 'list');
});

await test('errors have the bodies of the document', async () => {
    const post = (route, body, headers = { Authorization: `Bearer ${key}` }) => fetch(baseUrl + route,
        { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) });
    const cases = [[await post('/v1/messages', {}, {}), 401, 'MessagesErrorBody'], [await post('/v1/chat/completions', {}, {}), 401, 'ErrorBody'],
        [await post('/v1/chat/completions', {}), 422, 'HTTPValidationError'], [await post('/v1/messages', {}), 422, 'HTTPValidationError'],
        [await fetch(`${baseUrl}/api/me`), 401, 'ErrorBody']];
    for (const [reply, status, schema] of cases) {
        assert.equal(reply.status, status);
        check({ $ref: `#/components/schemas/${schema}` }, await reply.json(), schema);
    }
});

//// The examples, run

const env = { PATH: process.env.PATH, HOME: folder, MG_KEY: key, MG_SESSION: session };
const programs = { curl: ['bash', 'sh'], python: ['python3', 'py'], js: [process.execPath, 'mjs'] };
// What is made in the tests above has another id than the examples.
const shown = operations.filter((o) => ['createResponse', 'createChatCompletion', 'createMessage', 'createCompletion', 'countMessageTokens',
    'countResponseInput', 'listModels', 'getModel', 'listCatalogue', 'getHealth', 'getKeyAccount', 'setDefaultModel', 'getWalletStatus',
    'listTokenUsage', 'getAccount', 'exportUsage', 'quoteTopup'].includes(o.id));

async function runs(one, language, example) {
    const [program, ending] = programs[language];
    const file = path.join(folder, `${one.id}-${example ?? 'plain'}.${ending}`);
    writeFileSync(file, snippets(baseUrl, one.method, one.route, one.operation, example)[language]);
    const { stdout } = await run(program, [file], { env, timeout: 60000, maxBuffer: 1 << 24 });
    assert.ok(!/"error":\s*\{/.test(stdout) && stdout.length > 1, `${file}: ${stdout.slice(0, 400)}`);
    if (example === 'stream') {
        assert.match(stdout, /response\.completed|\[DONE\]|message_stop/, 'the stream came to its end');
    }
}

for (const language of Object.keys(programs)) {
    await test(`the ${language} examples run`, async () => {
        for (const one of shown) {
            const names = Object.keys(one.operation.requestBody?.content?.['application/json']?.examples ?? {});
            await Promise.all((names.length ? names : [null]).map((name) => runs(one, language, name)));
        }
    }, 120);
}

await test('the SDK examples run', async () => {
    for (const guide of guides.filter((g) => g.file === 'javascript')) {
        const file = path.join(process.env.MG_CLIENTS, `docs-${process.pid}.mjs`);
        writeFileSync(file, guide.text.replaceAll('{base_url}', baseUrl));
        const { stdout } = await run(process.execPath, [file], { env, timeout: 60000 })
            .finally(() => import('node:fs').then((fs) => fs.rmSync(file)));
        assert.ok(stdout.trim().length > 0, `${guide.id} prints nothing`);
    }
}, 60);
