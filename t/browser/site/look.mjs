// What holds for every page: policy, console, origin, axe in both themes, 320 px, bytes.
import assert from 'node:assert/strict';

import { accessible, baseUrl, context, expect, reachable, settled, shot, steady, visit } from '../lib/browser.mjs';
import { check, overflow, signedIn, weigh } from '../lib/case.mjs';

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const pages = [
    ['usage', '/app/usage/'], ['ledger', '/app/usage/?view=ledger'], ['credit', '/app/credit/'], ['return', '/app/credit/return/'],
    ['checkin', '/app/checkin/'], ['vip', '/app/vip/'], ['playground', '/app/playground/'],
    ['models', '/models/'], ['docs', '/docs/'], ['status', '/status/'],
];

// Bytes as gzip sends them, and requests; Usage, Playground and Docs have more to do.
const budget = { html: 6000, css: 10000, js: 25000, all: 100000, files: 15, api: 4 };
const larger = { usage: { js: 32000, files: 19 }, ledger: { js: 32000, files: 19 }, playground: { js: 28000 }, docs: { files: 17 } };

function checkWeight(name, w) {
    const most = { ...budget, ...larger[name] };
    const over = Object.keys(most).filter((what) => w[what] > most[what]).map((what) => `${what} ${w[what]} > ${most[what]}`);
    assert.deepEqual(over, [], `${name} is too heavy`);
}

async function one(profile, theme, name, where) {
    const page = await profile.newPage();
    const weight = weigh(page);
    const reply = await visit(page, where);
    assert.equal(reply.status(), 200);
    assert.equal(reply.headers()['content-security-policy'], policy);
    assert.equal(await page.locator('h1').count(), 1, 'one h1');
    if (theme === 'light') await steady(page, where);
    await shot(page, `${name}-1440-${theme}`);
    // All rules in both themes: in one on a wide screen, in the other on a phone's.
    if (theme === 'dark') await page.setViewportSize({ width: 390, height: 800 });
    await accessible(page, `${where} ${theme}`);
    if (theme === 'light') checkWeight(name, await weight());
    if (name === 'usage') assert.ok(await page.evaluate(() => document.querySelectorAll('*').length) < 1500, 'DOM');
    // What fits does not hang on colours.
    for (const [width, height] of theme === 'light' ? [[768, 800], [390, 800], [320, 256]] : []) {
        await page.setViewportSize({ width, height });
        await settled(page);
        assert.equal(await overflow(page), 0, `nothing is wider than ${width} px`);
        if (width === 390) await shot(page, `${name}-390`);
        if (width === 320) await reachable(page, `${where} at 400 %`);
    }
    await page.close();
}

export async function look(seeded) {
    for (const theme of ['light', 'dark']) {
        const profile = await signedIn(seeded.demo, { width: 1440, theme });
        for (const [name, where] of pages) {
            await check(`${where} in ${theme} is clean`, () => one(profile, theme, name, where));
        }
        await profile.close();
    }
    await check('without a session the pages of the account lead to the sign-in and back', async () => {
        const profile = await context();
        const page = await profile.newPage();
        expect(401);
        await page.goto(`${baseUrl}/app/usage/?model=mini`);
        await page.waitForURL(/\/signin\/\?next=%2Fapp%2Fusage%2F%3Fmodel%3Dmini$/);
        expect();
        await profile.close();
    });
    await check('what could not be loaded is said, and Try again loads all of it', async () => {
        const profile = await signedIn(seeded.demo);
        const page = await profile.newPage();
        for (const [where, call, then] of [['/app/keys/', '**/api/keys', '.secret-text'], ['/app/credit/', '**/api/wallet', 'p.balance']]) {
            await page.route(call, (route) => route.fulfill({ status: 503, contentType: 'application/json',
                body: '{"error":{"message":"Try again in a moment.","type":"server_error","param":null,"code":"unavailable"}}' }));
            expect(503);
            await page.goto(`${baseUrl}${where}`);
            const alert = page.getByRole('alert');
            await alert.waitFor();
            await accessible(page, `${where} without its data`);
            await page.unroute(call);
            await alert.getByRole('button', { name: 'Try again' }).click();
            await page.locator(then).waitFor();
            await alert.waitFor({ state: 'detached' });
            expect();
        }
        await profile.close();
    });
    await check('examples of the docs open, and an error has its anchor', async () => {
        const profile = await context();
        const page = await profile.newPage();
        await visit(page, '/docs/#createMessage');
        const operation = page.locator('#createMessage');
        await operation.locator('figure.code').first().waitFor();
        await operation.getByRole('button', { name: 'Python' }).click();
        assert.match(await operation.locator('figure.code code').first().textContent(), /urllib\.request.*\/v1\/messages/s);
        assert.equal(await page.locator('.errors > div').count(), 11);
        for (const id of ['createChatCompletion', 'listUsage', 'startCheckout']) await page.locator(`#${id} > summary`).click();
        await accessible(page, 'look');
        const plain = await profile.request.get(new URL('/docs/llms.txt', page.url()).href);
        assert.match(plain.headers()['content-type'], /^text\/plain/);
        await profile.close();
    });
    await check('models sort by price, and a hostile label is text', async () => {
        const profile = await context();
        const page = await profile.newPage();
        await visit(page, '/models/');
        await page.getByRole('button', { name: 'Output' }).click();
        assert.equal(await page.locator('th[aria-sort="ascending"]').textContent(), 'Output');
        const first = await page.locator('tbody th').first().textContent();
        assert.match(first, /^mini/);
        assert.match(first, /<img src=x onerror=alert\(1\)>/);
        assert.equal(await page.locator('main img').count(), 0);
        await profile.close();
    });
}
