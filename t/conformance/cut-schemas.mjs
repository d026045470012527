#!/usr/bin/env node
// Cuts the published OpenAPI documents down to the definitions that this tool validates against.
//
//   node cut-schemas.mjs DIR
//
// DIR holds openai.json, messages.json and open-responses.json: the three OpenAPI 3.1 documents
// converted from YAML to JSON and otherwise unchanged. The result goes to schemas/. Run it only
// when a new edition of a document is taken over; the self-test shows what the new edition changes.
//
// What the cut does, and nothing else:
//   - keeps the definitions reachable from the roots below;
//   - drops what does not validate (descriptions, titles, examples, defaults, vendor extensions);
//   - spells `nullable: true` as a type union, which is what OpenAPI 3.1 and ajv understand;
//   - spells the old `$recursiveRef: "#"` as a reference to the definition it stands in.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join, dirname } from 'node:path';

const ROOTS = {
    'openai.json': [
        'CreateChatCompletionRequest',
        'CreateChatCompletionResponse',
        'CreateChatCompletionStreamResponse',
        'ChatCompletionList',
        'ChatCompletionDeleted',
        'ChatCompletionMessageList',
        'CreateCompletionRequest',
        'CreateCompletionResponse',
        'ListModelsResponse',
        'Model',
        'CreateResponse',
        'Response',
        'ResponseStreamEvent',
        'ResponseItemList',
        'TokenCountsBody',
        'TokenCountsResource',
        'CompactResponseMethodPublicBody',
        'CompactResource',
        'ErrorResponse',
    ],
    'messages.json': [
        'CreateMessageParams',
        'Message',
        'MessageStreamEvent',
        'ErrorResponse',
        'CountMessageTokensParams',
        'CountMessageTokensResponse',
        'ListResponse_ModelInfo_',
        'ModelInfo',
        'BetaCreateMessageParams',
        'BetaCountMessageTokensParams',
    ],
    'open-responses.json': [
        'ResponseResource',
        'CreateResponseBody',
        'CompactResource',
        'CompactResponseMethodPublicBody',
        /StreamingEvent$/,
    ],
};

const ANNOTATIONS = new Set([
    'description',
    'title',
    'example',
    'examples',
    'summary',
    'deprecated',
    'externalDocs',
    'default',
    'discriminator',
]);
const NAME_MAPS = new Set(['properties', 'patternProperties', '$defs']);

// Returns `node` without annotations. Inside a map of names every key is a name, never a keyword.
function strip(node, owner, keysAreNames = false) {
    if (Array.isArray(node)) {
        return node.map((item) => strip(item, owner));
    }
    if (node === null || typeof node !== 'object') {
        return node;
    }
    const out = {};
    for (const [key, value] of Object.entries(node)) {
        if (keysAreNames) {
            out[key] = strip(value, owner);
        } else if (key === '$ref') {
            out.$ref = value.replace('#/components/schemas/', '#/$defs/');
        } else if (key === '$recursiveRef') {
            out.$ref = `#/$defs/${owner}`;
        } else if (key === 'enum' || key === 'const') {
            out[key] = value;
        } else if (!ANNOTATIONS.has(key) && !key.startsWith('x-') && key !== '$recursiveAnchor') {
            out[key] = strip(value, owner, NAME_MAPS.has(key));
        }
    }
    return keysAreNames ? out : unfoldNullable(out);
}

function unfoldNullable(schema) {
    if (schema.nullable === undefined) {
        return schema;
    }
    const { nullable, ...rest } = schema;
    return nullable ? { anyOf: [rest, { type: 'null' }] } : rest;
}

function* references(node) {
    if (Array.isArray(node)) {
        for (const item of node) {
            yield* references(item);
        }
    } else if (node !== null && typeof node === 'object') {
        for (const [key, value] of Object.entries(node)) {
            if (key === '$ref' && typeof value === 'string') {
                yield value.replace('#/$defs/', '');
            } else {
                yield* references(value);
            }
        }
    }
}

function cut(document, roots) {
    const all = document.components.schemas;
    const todo = roots.flatMap((root) =>
        root instanceof RegExp ? Object.keys(all).filter((name) => root.test(name)) : [root],
    );
    const kept = {};
    while (todo.length > 0) {
        const name = todo.pop();
        if (kept[name] !== undefined) {
            continue;
        }
        if (all[name] === undefined) {
            throw new Error(`no definition named ${name}`);
        }
        kept[name] = strip(all[name], name);
        todo.push(...references(kept[name]));
    }
    return kept;
}

// One definition a line: small, and a new edition still gives a readable diff.
function print(id, comment, defs) {
    const lines = Object.keys(defs)
        .sort()
        .map((name) => `${JSON.stringify(name)}: ${JSON.stringify(defs[name])}`);
    return (
        `{"$id": ${JSON.stringify(id)}, "$comment": ${JSON.stringify(comment)}, "$defs": {\n` +
        `${lines.join(',\n')}\n}}\n`
    );
}

const from = process.argv[2];
if (from === undefined) {
    console.error('usage: node cut-schemas.mjs DIR');
    process.exit(2);
}
const to = join(dirname(fileURLToPath(import.meta.url)), 'schemas');
for (const [file, roots] of Object.entries(ROOTS)) {
    const document = JSON.parse(readFileSync(join(from, file), 'utf8'));
    const defs = cut(document, roots);
    const { title, version } = document.info;
    const comment = `Cut from "${title}"${version ? ` ${version}` : ''}; see README.md here`;
    writeFileSync(join(to, file), print(file.replace('.json', ''), comment, defs));
    console.log(`${file}: ${Object.keys(defs).length} definitions`);
}
