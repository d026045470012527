// Usage: the ledger adds up, chart, table and file say the same, filters live in the address.
import assert from 'node:assert/strict';

import { accessible, expect, settled, shot, visit } from '../lib/browser.mjs';
import { check, signedIn, sql } from '../lib/case.mjs';
import { hostileLabel, hostileName } from './seed.mjs';

// "−1,234.5678 credit" as nano-credits.
export function nano(text) {
    const [, minus, whole, part = ''] = /(−|-)?([\d,]+)(?:\.(\d+))?/.exec(text);
    const value = BigInt(whole.replaceAll(',', '')) * 1000000000n + BigInt(part.padEnd(9, '0').slice(0, 9));
    return minus ? -value : value;
}
const sum = (list) => list.reduce((all, one) => all + one, 0n);

async function allRows(page) {
    for (;;) {
        const older = page.getByRole('button', { name: 'Older' });
        if (!await older.count()) return;
        const before = await page.locator('.table.scroll > tbody > tr').count();
        await older.click();
        await page.waitForFunction((n) => document.querySelectorAll('.table.scroll > tbody > tr').length > n, before);
    }
}

const column = (page, title, from = '.table.scroll') => page.evaluate(([name, selector]) => {
    const table = [...document.querySelectorAll(selector)].at(-1);
    const at = [...table.tHead.rows[0].cells].findIndex((c) => c.textContent === name);
    return [...table.tBodies[0].rows].map((r) => r.cells[at].querySelector('[title]')?.title ?? r.cells[at].textContent);
}, [title, from]);

const csv = async (page) => {
    const href = await page.locator('a[download]').getAttribute('href');
    const text = await page.evaluate(async (at) => (await fetch(at)).text(), href);
    return text.trim().split(/\r?\n/).map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((m) => m[1].replace(/^"|"$/g, '').replaceAll('""', '"')));
};

export async function usage(seeded) {
    const profile = await signedIn(seeded.demo);
    const page = await profile.newPage();

    await check('chart, table and file have the same total', async () => {
        await visit(page, '/app/usage/');
        await page.getByRole('button', { name: 'Show as table' }).click();
        const chart = sum((await column(page, 'Credit', 'figure .table')).map(nano));
        await allRows(page);
        const table = sum((await column(page, 'Charge')).map(nano));
        const [head, ...rows] = await csv(page);
        const file = sum(rows.map((r) => nano(r[head.indexOf('charge_credits')])));
        assert.equal(rows.length, seeded.ids.length);
        assert.ok(table > 0n);
        assert.equal(table, chart);
        assert.equal(table, file);
    });

    await check('seven days are never more than thirty', async () => {
        await sql(`UPDATE ledger SET created_ms = created_ms - 10 * 86400000 WHERE kind = 'charge' AND seq % 4 = 0`);
        const total = async (range) => {
            await visit(page, `/app/usage/?range=${range}`);
            await page.getByRole('button', { name: 'Show as table' }).click();
            return sum((await column(page, 'Credit', 'figure .table')).map(nano));
        };
        const [today, week, month] = [await total('today'), await total('7d'), await total('30d')];
        assert.ok(today <= week && week < month, `${today} ${week} ${month}`);
    });

    await check('the ledger proves that opening + in − out = closing', async () => {
        for (const range of ['all', '7d']) {
            await visit(page, `/app/usage/?view=ledger&range=${range}`);
            const [opening, into, out, closing] = (await page.locator('.proof dd').allTextContents()).map(nano);
            assert.equal(opening + into - out, closing);
            assert.ok(out > 0n);
            if (range !== 'all') continue;
            await allRows(page);
            assert.equal(sum((await column(page, 'Amount')).map(nano)), into - out);
            assert.match(await page.locator('.proof').textContent(), /adds up/);
            const [head, ...rows] = await csv(page);
            assert.equal(sum(rows.map((r) => nano(r[head.indexOf('amount_credits')]))), into - out, 'the file has the same sum');
        }
        await accessible(page, 'usage');
    });

    await check('what is chosen by keyboard keeps the focus while the page follows', async () => {
        await visit(page, '/app/usage/');
        const focus = () => page.evaluate(() => document.activeElement.name || document.activeElement.textContent);
        await page.getByLabel('Period').focus();
        await page.keyboard.press('ArrowDown');
        await page.waitForURL(/range=90d/);
        await settled(page);
        assert.equal(await focus(), 'range');
        await page.getByRole('link', { name: 'Ledger', exact: true }).focus();
        await page.keyboard.press('Enter');
        await page.locator('.proof').waitFor();
        assert.equal(await focus(), 'Ledger');
    });

    await check('filters survive reload and Back', async () => {
        await visit(page, '/app/usage/');
        const all = await page.locator('.table.scroll tbody tr').count();
        await page.getByLabel('Model', { exact: true }).fill('mini');
        await page.getByLabel('Model', { exact: true }).press('Enter');
        await page.waitForURL(/model=mini/);
        await settled(page);
        const some = await page.locator('.table.scroll tbody tr').count();
        assert.ok(some > 0 && some < all, `${some} of ${all}`);
        await page.getByLabel('Key', { exact: true }).selectOption({ label: hostileName });
        await page.waitForURL(/key=\d+/);
        await page.reload();
        await settled(page);
        assert.equal(await page.getByLabel('Model', { exact: true }).inputValue(), 'mini');
        await page.waitForFunction((name) => document.querySelector('select[name=key]').selectedOptions[0].textContent === name, hostileName);
        await page.goBack();
        await page.waitForFunction(() => !location.search.includes('key='));
        await settled(page);
        assert.equal(await page.locator('.table.scroll tbody tr').count(), some);
        await page.goBack();
        await settled(page);
        assert.equal(await page.locator('.table.scroll tbody tr').count(), all);
    });

    await check('nothing that matches is said as that, with a way out', async () => {
        await visit(page, '/app/usage/?model=none-such');
        await page.getByText('Nothing matches').waitFor();
        await accessible(page, 'usage');
        await page.getByRole('button', { name: 'Clear filters' }).click();
        await page.locator('.table.scroll tbody tr').first().waitFor();
    });

    await check('hostile names are text, and harmless in the file', async () => {
        await visit(page, '/app/usage/');
        const text = await page.locator('main').textContent();
        assert.ok(text.includes(hostileLabel) && text.includes(hostileName));
        assert.equal(await page.locator('main img, main script').count(), 0);
        const [head, ...rows] = await csv(page);
        const names = rows.map((r) => r[head.indexOf('api_key')]);
        assert.ok(names.some((n) => n === `'${hostileName}`), 'the formula is neutralised');
        assert.ok(names.every((n) => !/^[=+\-@\t\r]/.test(n)));
    });

    await check('a category that nobody stated is not shown as zero', async () => {
        await visit(page, `/app/usage/?request=${seeded.ids[9]}`);
        await page.getByText('Estimated').waitFor();
        assert.deepEqual(await column(page, 'Cache read'), ['–']);
    });

    await check('a request opens with tokens x rate = charge, and Back closes it', async () => {
        await visit(page, '/app/usage/');
        await page.locator('.table.scroll tbody tr a').first().click();
        const dialog = page.getByRole('dialog');
        await dialog.locator('.bill tfoot').waitFor();
        const parts = (await dialog.locator('.bill tbody tr').all());
        let fine = 0n;
        for (const row of parts) {
            const [tokens, rate] = (await row.locator('td').allTextContents());
            const [whole, part = ''] = rate.split('.');
            fine += BigInt(tokens.replaceAll(',', '')) * BigInt(whole + part.padEnd(6, '0'));
        }
        const charged = nano(await dialog.locator('.bill tfoot td').last().textContent());
        assert.equal(charged, (fine + 999n) / 1000n);
        await accessible(page, 'usage');
        await shot(page, 'drawer-1280-light');
        await page.goBack();
        await dialog.waitFor({ state: 'detached' });
        await page.goForward();
        await page.keyboard.press('Escape');
    });

    await check('the chart is one stop of the keyboard, and its bars speak', async () => {
        await visit(page, '/app/usage/');
        await page.getByRole('button', { name: 'Tokens', exact: true }).click();
        await settled(page);
        const bars = page.locator('.column');
        assert.equal(await bars.count(), 30);
        assert.equal(await page.locator('.column[tabindex="0"]').count(), 1);
        await bars.first().focus();
        await page.keyboard.press('End');
        const said = await page.locator('.readout').textContent();
        assert.match(said, /\(so far\): [\d,]+ tokens, \d+ requests? \(input/);
        assert.equal(await bars.last().getAttribute('aria-label'), said);
        assert.equal(await bars.last().locator('rect[fill^="url("]').count(), 1, 'the day that is not over is hatched');
        await page.getByRole('button', { name: 'Model', exact: true }).click();
        await page.locator('.ranks a').first().waitFor();
        await shot(page, 'usage-by-model');
    });

    await check('when the service fails the old numbers stay, dimmed, with the request id and a retry', async () => {
        await page.route('**/api/usage?*', (route) => route.fulfill({ status: 503, contentType: 'application/json',
            headers: { 'x-request-id': 'req_test' }, body: '{"error":{"message":"Try again in a moment.","type":"server_error","param":null,"code":"unavailable"}}' }));
        expect(503);
        await page.goto(page.url().replace(/\?.*/, ''));
        const alert = page.getByRole('alert');
        await alert.waitFor();
        assert.match(await alert.textContent(), /Usage could not be loaded.*req_test/);
        await accessible(page, 'usage');
        await page.unroute('**/api/usage?*');
        await alert.getByRole('button', { name: 'Try again' }).click();
        await page.locator('.table.scroll tbody tr').first().waitFor();
        expect();
    });
    await profile.close();
}
