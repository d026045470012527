// What every script of this folder uses: tests that are sentences and whose results go to standard
// output as JSON lines, the pinned packages, the gateway under test, and the control door of the
// simulated provider behind it. t/lib/MG/Clients.pm sets the environment and reads the lines.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const environment = (name) => {
    assert.ok(process.env[name], `${name} is not set; run this through t/e2e`);
    return process.env[name];
};

export const baseUrl = environment('MG_BASE_URL');
export const key = environment('MG_KEY');
export const poorKey = environment('MG_POOR_KEY');
const simUrl = environment('MG_SIM_URL');

// One model for each kind of upstream: [{model, formats}].
export const kinds = JSON.parse(environment('MG_KINDS'));

// Sanitizers make everything slower.
export const slow = Number(process.env.MG_SLOW ?? 1);

const require = createRequire(`${environment('MG_CLIENTS')}/package.json`);

// A package of the pinned clients, whatever folder they were installed into.
export const load = (name) => require(name);

function report(ok, name, why) {
    process.stdout.write(`${JSON.stringify({ ok, name, why })}\n`);
}

function within(seconds, promise) {
    let timer;
    const end = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no end after ${seconds} s`)), seconds * 1000);
    });
    return Promise.race([promise, end]).finally(() => clearTimeout(timer));
}

// Notes a test that cannot be made here.
export function skip(name, why) {
    process.stdout.write(`${JSON.stringify({ skip: true, name, why })}\n`);
}

// Runs one test. It fails if `run` throws or takes longer than `seconds`.
export async function test(name, run, seconds = 20) {
    try {
        await within(seconds * slow, run());
        report(true, name);
    } catch (error) {
        report(false, name, String(error?.stack ?? error).slice(0, 2000));
    }
}

// The commands for the simulated provider, as text for the user's message.
export function sim(commands) {
    const pairs = Object.entries(commands).map(
        ([name, value]) => `${name.replaceAll('_', '-')}=${encodeURIComponent(value)}`,
    );
    return `Please answer. [[sim ${pairs.join(' ')}]]`;
}

async function door(path, method = 'GET') {
    const reply = await fetch(`${simUrl}/_sim/${path}`, { method });
    assert.equal(reply.status, 200, `the simulated provider answers ${path} with ${reply.status}`);
    return reply.json();
}

let tags = 0;

// A word that no other request has.
export const tag = () => `tag${process.pid}x${(tags += 1)}`;

// The requests that the upstream has seen with this word in them.
export async function upstreamRequests(word) {
    return (await door(`requests?match=${word}`)).requests;
}

// Waits until `holds` answers something true, and answers that.
export async function until(holds, what, seconds = 10) {
    const end = Date.now() + seconds * 1000 * slow;
    for (;;) {
        const value = await holds();
        if (value) {
            return value;
        }
        assert.ok(Date.now() < end, `after ${seconds} s still not: ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

// A fetch that counts, and keeps the last reply's status and headers: {fetch, count, last}.
export function counter() {
    const seen = { count: 0, last: undefined };
    seen.fetch = async (...args) => {
        seen.count += 1;
        seen.last = await fetch(...args);
        return seen.last;
    };
    return seen;
}

// The error that a promise is rejected with.
export async function failure(promise) {
    try {
        await promise;
    } catch (error) {
        return error;
    }
    return assert.fail('no error was thrown');
}

export async function collect(iterable) {
    const all = [];
    for await (const one of iterable) {
        all.push(one);
    }
    return all;
}

// A red dot of one pixel.
export const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

// The smallest text that claims to be a PDF.
export const pdf = Buffer.from('%PDF-1.1\n%%EOF\n').toString('base64');

export const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
    required: ['city', 'degrees'],
    additionalProperties: false,
};

export const arguments_ = '{"city":"Oslo","degrees":-3}';
