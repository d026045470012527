// Loads the schema documents and validates objects against one definition, strict or tolerant.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { correct } from './corrections.mjs';
import { rewriteUnions } from './unions.mjs';

const require = createRequire(import.meta.url);
const DOCUMENTS = ['openai', 'messages', 'open-responses', 'own'];
const LOOSE_FORMATS = ['unixtime', 'float', 'int64', 'byte'];
const MOST_ERRORS = 5;

const validators = new Map(); // mode → ajv instance, built at first use

function load(name) {
    const file = new URL(`../schemas/${name}.json`, import.meta.url);
    return JSON.parse(readFileSync(file, 'utf8'));
}

function build(strict) {
    const { default: Ajv } = require('ajv/dist/2020.js');
    const { default: addFormats } = require('ajv-formats');
    const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
    addFormats(ajv, { mode: 'fast' });
    for (const format of LOOSE_FORMATS) {
        ajv.addFormat(format, true);
    }
    for (const name of DOCUMENTS) {
        ajv.addSchema(rewriteUnions(correct(load(name), strict)));
    }
    return ajv;
}

function validator(strict) {
    if (!validators.has(strict)) {
        validators.set(strict, build(strict));
    }
    return validators.get(strict);
}

// Returns the definition names of a document, for look-ups by event type.
export function definitions(name) {
    return load(name).$defs;
}

// Validates `body` against "document#Definition". Returns a list of {at, message}, empty if it
// fits.
export function validate(schema, body, strict) {
    const [document, name] = schema.split('#');
    const check = validator(strict).getSchema(`${document}#/$defs/${name}`);
    if (check(body)) {
        return [];
    }
    return explain(check.errors);
}

// The branches that a rewritten union did not choose leave errors of their own kind behind; what
// remains is what a reader can act on.
function explain(errors) {
    const deep = errors.filter((error) => !['if', 'anyOf', 'oneOf'].includes(error.keyword));
    const seen = new Map();
    for (const error of deep.length > 0 ? deep : errors) {
        const finding = { at: error.instancePath || '/', message: sentence(error) };
        seen.set(`${finding.at} ${finding.message}`, finding);
    }
    return [...seen.values()].slice(0, MOST_ERRORS);
}

function sentence(error) {
    const { params } = error;
    if (error.keyword === 'additionalProperties') {
        return `must not have ${params.additionalProperty}`;
    }
    if (error.keyword === 'enum') {
        const values = params.allowedValues;
        const shown = values
            .slice(0, 8)
            .map((value) => JSON.stringify(value))
            .join(', ');
        return `must be one of ${shown}${values.length > 8 ? ' …' : ''}`;
    }
    if (error.keyword === 'const') {
        return `must be ${JSON.stringify(params.allowedValue)}`;
    }
    return error.message;
}
