// Every page of the account and of the way in: policy, accessibility in both themes, 320 px, bytes.

import { accessible, ask, baseUrl, context, expect, finish, keepsNoSecret, noSidewaysScroll, reachable, same, settled, shot, steady, test, visit } from './lib/browser.mjs';

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
// Names that would be markup if anything made markup of them: shown as the text that they are.
// One has no place to break a line, either.
const label = `<svg onload=alert(1)>${'W'.repeat(30)}`;
const hostile = { '/': [label], '/app/': [label], '/app/setup/': [label], '/app/keys/': ['<img src=x onerror=alert(1)>'] };
const open = ['/', '/signup/', '/signin/', '/verify/', '/reset/'];
const closed = ['/app/', '/app/setup/', '/app/keys/', '/app/account/'];
const filled = await ask('member');

// Signs in by the page itself, so that the cookie is the one that the service set.
async function signIn(page) {
    await visit(page, '/signin/');
    await page.getByLabel('Username or e-mail').fill(filled.name);
    await page.getByLabel('Password', { exact: true }).fill(filled.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${baseUrl}/app/`);
    await settled(page);
}

// What a first visit costs: bytes on the wire and requests, files and API apart.
async function budget(path, storage) {
    const fresh = await context({ storage });
    const page = await fresh.newPage();
    const files = [], calls = [];
    page.on('requestfinished', request => (new URL(request.url()).pathname.startsWith('/api/') ? calls : files).push(request));
    await visit(page, path);
    let bytes = 0;
    for (const request of files) bytes += (await request.sizes()).responseBodySize;
    const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
    test(`${path}: at most 100 kB of files`, bytes <= 100000, `${bytes} bytes`);
    test(`${path}: at most 12 files and the favicon`, new Set(files.map(r => r.url())).size <= 13, files.map(r => r.url()).join('\n'));
    // Polling may have asked again on a slow machine.
    test(`${path}: at most 3 different API calls`, new Set(calls.map(r => r.url())).size <= 3, calls.map(r => r.url()).join('\n'));
    test(`${path}: at most 1500 nodes`, nodes <= 1500, `${nodes}`);
    await fresh.close();
}

async function showsText(page, path) {
    const text = await page.locator('main').innerText();
    for (const name of hostile[path] ?? []) test(`${path}: ${name} is text`, text.includes(name), text);
    same(`${path}: no element has a handler or is a picture from data`, await page.locator('img, [onload], [onerror], iframe, object').count(), 0);
}

async function look(page, path, theme) {
    const name = `${path} ${theme}`;
    const reply = await visit(page, path);
    if (theme === 'light') {
        same(`${path} is there`, reply.status(), 200);
        same(`${path} has the policy`, reply.headers()['content-security-policy'], policy);
        same(`${path} is asked for again each time`, reply.headers()['cache-control'], 'no-cache');
        await steady(page, path);
        await showsText(page, path);
    }
    const file = `${path.replaceAll('/', '-').replace(/^-|-$/g, '') || 'landing'}-${theme}`;
    if (theme === 'light') await accessible(page, name);
    await shot(page, `${file}-1440`);
    await page.setViewportSize({ width: 390, height: 844 });
    if (theme === 'dark') await accessible(page, `${name} on a phone`);
    await shot(page, `${file}-390`);
    await page.setViewportSize({ width: 768, height: 1024 });
    await noSidewaysScroll(page, `${name} at 768 px`);
    // 320 px wide, and a window of 1280 by 1024 at 400 %.
    await page.setViewportSize({ width: 320, height: 256 });
    await noSidewaysScroll(page, `${name} at 320 px`);
    if (theme === 'light') await reachable(page, `${name} at 400 %`);
    await page.setViewportSize({ width: 1440, height: 900 });
}

// An address where nothing is: a page for people, with the status that it should have.
{
    const person = await context();
    const page = await person.newPage();
    expect(404);
    const reply = await visit(page, '/no/such/page');
    same('where nothing is, the status says so', reply.status(), 404);
    same('and a page says so', await page.locator('h1').innerText(), 'There is nothing here');
    same('under the same policy', reply.headers()['content-security-policy'], policy);
    expect();
    await person.close();
}

let storage;
for (const theme of ['light', 'dark']) {
    const person = await context({ theme, width: 1440, storage });
    const page = await person.newPage();
    for (const path of open) await look(page, path, theme);
    if (!storage) {
        await signIn(page);
        storage = await person.storageState();
        const cookie = storage.cookies.find(one => one.name === '__Host-session');
        test('the cookie is the server\'s own: Secure, HttpOnly, Strict', cookie?.secure && cookie.httpOnly && cookie.sameSite === 'Strict', cookie);
    }
    for (const path of closed) await look(page, path, theme);
    await keepsNoSecret(page, theme);
    await person.close();
}

for (const path of ['/', '/signin/']) await budget(path, undefined);
for (const path of closed) await budget(path, storage);

await finish();
