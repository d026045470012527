// What every browser test uses: Debian's Chromium, one for each script, watched for whatever a page
// must never do; tests that are sentences; the stack's side asked through t/lib/MG/Browser.pm.
//
//   import {open, test, ask, finish, visit} from './lib/browser.mjs';
//   const page = await open({theme: 'dark', width: 390});
//   await visit(page, '/signin/');
//   test('the form has the focus', await page.evaluate(() => …));
//   const mail = await ask('mail', 'a@example.org');
//   await finish();

import { createRequire } from 'node:module';
import { mkdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const environment = name => {
    if (!process.env[name]) throw new Error(`${name} is not set; run this through t/browser/*.t`);
    return process.env[name];
};

export const baseUrl = environment('MG_BASE_URL');
const require = createRequire(`${environment('MG_CLIENTS')}/package.json`);
const { chromium } = require('playwright-core');
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const shots = process.env.MG_SHOTS;

// Longest wait for a condition, in ms: the machine may be busy.
export const patience = 60000;

//// Tests and the stack's side

const say = what => process.stdout.write(`${JSON.stringify(what)}\n`);

export function test(name, ok, why = '') {
    say({ ok: Boolean(ok), name, why: typeof why === 'string' ? why : JSON.stringify(why) });
    return Boolean(ok);
}

export const same = (name, got, expected) => test(name, JSON.stringify(got) === JSON.stringify(expected),
    `got ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);

const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

// Asks the test file: ask('mail', address) and whatever else it offers. One question at a time.
export async function ask(name, ...args) {
    say({ ask: name, args });
    const { value, done } = await answers.next();
    if (done) throw new Error(`no answer to ${name}`);
    const answer = JSON.parse(value);
    if (answer.error) throw new Error(`${name}: ${answer.error}`);
    return answer.value;
}

//// The browser

const browser = await chromium.launch({
    executablePath: process.env.MG_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server'],
});

// What pages did that they must not: {page address, what}.
const offences = [];
// Statuses (or texts) that a test provokes on purpose; Chromium writes each into the console.
let expected = [];
export const expect = (...what) => { expected = what; };

function watch(context) {
    context.on('request', request => {
        const url = request.url();
        if (!url.startsWith(`${baseUrl}/`) && !/^(blob|data|about):/.test(url)) offences.push(`left the origin: ${url}`);
    });
    context.on('weberror', error => offences.push(`script error: ${error.error()}`));
    context.on('console', message => {
        if (!['error', 'warning'].includes(message.type())) return;
        const text = `${message.text()} (${message.location().url})`;
        if (expected.some(what => text.includes(typeof what === 'number' ? `status of ${what} ` : what))) return;
        offences.push(`console: ${text}`);
    });
}

// A browser profile of its own: open({theme, width, height, clipboard, storage}) -> its page. `storage` is the
// storageState of another context, to go on as the same person.
export async function context({ theme = 'light', width = 1280, height = 900, clipboard = true, storage, ...more } = {}) {
    const made = await browser.newContext({ viewport: { width, height }, colorScheme: theme, storageState: storage,
        permissions: clipboard ? ['clipboard-read', 'clipboard-write'] : [], ...more });
    made.setDefaultTimeout(patience);
    await made.addInitScript(() => {
        globalThis.shifts = [];
        new PerformanceObserver(list => { for (const one of list.getEntries()) globalThis.shifts.push([one.value, ...one.sources.map(s => s.node?.className || s.node?.nodeName)]); })
            .observe({ type: 'layout-shift', buffered: true });
        addEventListener('securitypolicyviolation', event =>
            console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
    });
    watch(made);
    return made;
}

export const open = async options => (await context(options)).newPage();

// Goes there and waits until nothing is being loaded any more.
export async function visit(page, path) {
    const reply = await page.goto(baseUrl + path, { waitUntil: 'load' });
    await settled(page);
    return reply;
}

// No part of the page is busy and no skeleton is left.
export async function settled(page) {
    await page.waitForFunction(() => document.querySelector('h1') && !document.querySelector('[aria-busy="true"], .skeleton'), null, { timeout: patience });
    await page.evaluate(() => document.fonts.ready.then(() => {}));
}

//// What is tested on every page

// axe-core with the WCAG 2.2 AA rules and its best practices.
export async function accessible(page, name) {
    await page.evaluate(axeSource);
    const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const result = await page.evaluate(only => globalThis.axe.run(document, { runOnly: only, resultTypes: ['violations'] }), runOnly);
    return test(`${name}: axe finds nothing`, result.violations.length === 0,
        result.violations.map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => `${n.target.join(' ')} ${(n.any[0] ?? n.all[0] ?? n.none[0])?.message ?? ''}`).join('; ')}`).join('\n'));
}

export async function noSidewaysScroll(page, name) {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    return test(`${name}: nothing is wider than the screen`, wide <= 0, `${wide} px too wide`);
}

// What can be pressed or typed into is to be seen once it is scrolled to: nothing covers or hides it.
export async function reachable(page, name) {
    const hidden = await page.evaluate(() => {
        const seen = node => {
            node.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
            const at = node.getClientRects()[0];
            const top = document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2);
            return node.contains(top) || top?.closest('label')?.control === node;
        };
        return [...document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary)')]
            .filter(node => !node.disabled && node.tabIndex >= 0 && node.checkVisibility() && !seen(node))
            .map(node => (node.getAttribute('aria-label') ?? node.textContent ?? node.name).slice(0, 40));
    });
    return test(`${name}: all that takes the focus can be seen`, hidden.length === 0, hidden.join('\n'));
}

// While a page loaded, nothing that was to be seen was pushed aside; 0.1 is what a reader does not mind.
export async function steady(page, name) {
    const shifts = await page.evaluate(() => globalThis.shifts);
    return test(`${name}: nothing jumps while it loads`, shifts.reduce((sum, [value]) => sum + value, 0) < 0.1, shifts);
}

// A picture for whoever looks at the logs.
export async function shot(page, name) {
    if (!shots) return;
    mkdirSync(shots, { recursive: true });
    await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true });
}

// Nothing that looks like a secret is kept in the browser, and no script can read the cookie.
export async function keepsNoSecret(page, name) {
    const kept = await page.evaluate(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, (await indexedDB.databases()).length, location.href, history.state]));
    return test(`${name}: no key or token is kept where scripts can read`, !/sk-mg-[0-9A-Za-z]|mg[st]_[0-9A-Za-z]{10}/.test(kept), kept);
}

// After everything: one test that says what any page of this script did that it must not.
export async function finish() {
    test('no policy violation, console error or request to elsewhere', offences.length === 0, [...new Set(offences)].slice(0, 12).join('\n'));
    await browser.close();
    process.stdin.destroy();
}

process.on('unhandledRejection', error => { throw error; });
process.on('uncaughtException', error => {
    test('the script came to its end', false, String(error?.stack ?? error).slice(0, 3000));
    browser.close().finally(() => process.exit(1));
});
