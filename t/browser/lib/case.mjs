// Tests as functions: check('a sentence', async () => …) passes if nothing is thrown. The stack's
// database and operator's command, a signed-in profile, what a page weighs, and the simulated provider.

import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';

import { ask, baseUrl, context, patience, test, visit } from './browser.mjs';

// Runs one test; it fails if `run` throws or has no end.
export async function check(name, run) {
    let timer;
    const end = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('no end')), 3 * patience); });
    try {
        await Promise.race([run(), end]);
        test(name, true);
    } catch (error) {
        test(name, false, String(error?.stack ?? error).slice(0, 2000));
    } finally {
        clearTimeout(timer);
    }
}

// Rows of a query as arrays of text; the operator's command.
export const sql = query => ask('sql', query);
export const mgctl = (...args) => ask('mgctl', ...args);

// Waits until `holds` answers something true, and answers that.
export async function until(holds, what) {
    for (const end = Date.now() + patience; ;) {
        const value = await holds();
        if (value) return value;
        assert.ok(Date.now() < end, `still not: ${what}`);
        await new Promise(resolve => setTimeout(resolve, 100));
    }
}

// A request of a program with a key or a session's token: {status, id, json, text}.
export async function send(method, path, body, token) {
    const reply = await fetch(baseUrl + path, { method, body: body === undefined ? undefined : JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) } });
    const text = await reply.text();
    return { status: reply.status, id: reply.headers.get('x-request-id'), json: text.startsWith('{') ? JSON.parse(text) : null, text };
}

const storages = new Map();

// A browser profile in which this account is signed in: {name, password}, and the options of context().
export async function signedIn(account, options = {}) {
    if (!storages.has(account.name)) {
        const made = await context();
        const page = await made.newPage();
        await visit(page, '/signin/');
        await page.getByLabel('Username or e-mail').fill(account.name);
        await page.getByLabel('Password', { exact: true }).fill(account.password);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.waitForURL(`${baseUrl}/app/`);
        storages.set(account.name, await made.storageState());
        await made.close();
    }
    return context({ ...options, storage: storages.get(account.name) });
}

// Commands for the simulated provider, as text for the user's message.
export const sim = commands => `Please answer. [[sim ${Object.entries(commands)
    .map(([name, value]) => `${name.replaceAll('_', '-')}=${encodeURIComponent(value)}`).join(' ')}]]`;

// What the provider was asked with this word in it.
export async function asked(word) {
    const reply = await fetch(`${process.env.MG_SIM_URL}/_sim/requests?match=${word}`);
    return (await reply.json()).requests;
}

// How much wider the page is than its window.
export const overflow = page => page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));

// {html, css, js, all, files, api}: bytes as gzip makes them and different requests, from now on.
export function weigh(page) {
    const replies = new Map();
    page.on('response', reply => replies.set(reply.url(), reply));
    return async () => {
        const w = { html: 0, css: 0, js: 0, all: 0, files: 0, api: 0 };
        const kinds = { '.css': 'css', '.js': 'js', '/': 'html' };
        for (const [url, reply] of replies) {
            const { pathname } = new URL(url);
            if (pathname.startsWith('/api/')) {
                w.api += 1;
                continue;
            }
            const body = await reply.body();
            const bytes = pathname.endsWith('.woff2') ? body.length : gzipSync(body, { level: 9 }).length;
            const kind = Object.keys(kinds).find(ending => pathname.endsWith(ending));
            w.files += 1;
            w.all += bytes;
            if (kind) w[kinds[kind]] += bytes;
        }
        return w;
    };
}
