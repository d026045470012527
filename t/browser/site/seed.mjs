// An account that has used everything: several models, formats and keys, hostile names among them.
import assert from 'node:assert/strict';

import { ask } from '../lib/browser.mjs';
import { mgctl, send, sim } from '../lib/case.mjs';

export const hostileLabel = '<img src=x onerror=alert(1)>';
export const hostileName = '=1+1"><script>alert(1)</script>';

const asked = [
    (model, text) => ['/v1/chat/completions', { model, messages: [{ role: 'user', content: text }] }],
    (model, text) => ['/v1/responses', { model, input: text, store: false }],
    (model, text) => ['/v1/messages', { model, max_tokens: 500, messages: [{ role: 'user', content: text }], stream: true }],
];

// {demo, member, poor: {name, password}, poorKey, ids: requests of demo, oldest first}
export async function seed() {
    const accounts = await ask('accounts');
    const { key, session } = accounts;
    // A reply that is not streamed holds all it might cost.
    await mgctl('account', 'credit', 'demo', '100');
    await mgctl('model', 'set', 'mini', '--label', hostileLabel);
    const made = await send('POST', '/api/keys', { name: hostileName }, session);
    assert.equal(made.status, 201, made.text);
    const models = ['power-ai', 'frontier', 'mini', 'swift'];
    const jobs = Array.from({ length: 64 }, (_, i) => async () => {
        const text = sim({ words: 3 + i % 7, ...(i % 3 ? { cache_read: 1000 * i } : {}), ...(i === 9 ? { usage: 'missing' } : {}) });
        const [path, body] = asked[i % 3](models[i % 4], text);
        const r = await send('POST', path, body, i % 5 ? key : made.json.secret);
        assert.equal(r.status, 200, r.text);
        return r.id;
    });
    const ids = [];
    while (jobs.length) ids.push(...await Promise.all(jobs.splice(0, 8).map((job) => job())));
    return { ...accounts, ids };
}
