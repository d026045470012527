// Top-ups: the quote is the service's, to the cent; an order is what the service says it is.
import assert from 'node:assert/strict';

import { accessible, expect, settled, shot, visit } from '../lib/browser.mjs';
import { check, signedIn, sql } from '../lib/case.mjs';

const quotes = [
    ['4.99', /smallest top-up is \$5\.00/, null],
    ['5.00', /You pay \$5\.00 · You receive \$50\.00 credit · rate ×10/, false],
    ['249.99', /\$249\.99 · You receive \$2,499\.90 credit · rate ×10/, false],
    ['250.00', /\$250\.00 · You receive \$3,750\.00 credit · rate ×15/, true],
];

export async function credit(seeded) {
    const profile = await signedIn(seeded.demo);
    const page = await profile.newPage();

    await check('a quote is right to the cent on both sides of the boundary', async () => {
        await visit(page, '/app/credit/');
        const field = page.getByLabel('Amount in USD');
        for (const [amount, said, vip] of quotes) {
            await field.fill(amount);
            await page.waitForFunction(([pattern]) => new RegExp(pattern).test(document.querySelector('.topup').textContent), [said.source]);
            if (vip === null) continue;
            const text = await page.locator('.quote').textContent();
            assert.equal(/VIP/.test(text), vip, text);
            assert.equal(/One cent more loads \$3,750\.00/.test(text), amount === '249.99', text);
        }
        await field.fill('abc');
        await page.getByText('Type an amount such as').waitFor();
        await accessible(page, 'credit');
    });

    let order = null;
    await check('a top-up begins by keyboard alone, and two presses make one order', async () => {
        await visit(page, '/app/credit/');
        const before = Number((await sql('SELECT COUNT(*) FROM topup'))[0][0]);
        await page.route('**/api/wallet/sandbox/checkout', async (route) => {
            await new Promise((resolve) => setTimeout(resolve, 300));
            await route.continue();
        });
        await page.getByRole('button', { name: '$20' }).focus();
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => /\$20\.00/.test(document.querySelector('.quote').textContent));
        const go = page.getByRole('button', { name: 'Continue to payment' });
        for (let i = 0; i < 20 && !await go.evaluate((b) => b === document.activeElement); i += 1) await page.keyboard.press('Tab');
        assert.ok(await go.evaluate((b) => b === document.activeElement && getComputedStyle(b).outlineStyle !== 'none'), 'focus is seen');
        await page.keyboard.press('Enter');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/api\/sandbox\//);
        assert.equal(Number((await sql('SELECT COUNT(*) FROM topup'))[0][0]), before + 1);
        await page.unroute('**/api/wallet/sandbox/checkout');
        await visit(page, '/app/credit/');
        order = new URL(await page.locator('a[href*="order="]').first().getAttribute('href'), page.url()).searchParams.get('order');
    });

    await check('an unpaid order stays Confirming, whatever the address says', async () => {
        await page.goto(`${new URL('/app/credit/return/', page.url())}?order=${order}&status=success&paid=1`);
        await page.getByRole('heading', { name: 'Confirming with the payment provider' }).waitFor();
        assert.doesNotMatch(await page.locator('main').textContent(), /Credited|You paid/);
        await accessible(page, 'credit');
        await shot(page, 'return-pending');
    });

    await check('paid at the provider it becomes Credited, and the balance above moves without a reload', async () => {
        const credit = page.locator('.top .credit');
        const before = await credit.textContent();
        await page.evaluate(() => { globalThis.stays = true; });
        const pay = await profile.newPage();
        await pay.goto((await sql(`SELECT url FROM topup ORDER BY created_ms DESC LIMIT 1`))[0][0]);
        await pay.locator('button, input[type=submit]').first().click();
        await pay.waitForURL(/credit\/return/);
        await pay.close();
        await page.getByRole('heading', { name: 'Credited' }).waitFor();
        await page.waitForFunction((old) => document.querySelector('.top .credit').textContent !== old, before);
        assert.ok(await page.evaluate(() => globalThis.stays), 'the same page');
        assert.match(await page.locator('main').textContent(), /\$200\.00 credit is in your balance/);
        await visit(page, '/app/credit/');
        assert.match(await page.locator('main').textContent(), /Cash[\s\S]*Paid/);
        await accessible(page, 'credit');
    });

    await check('an order of nobody is said as that', async () => {
        expect(404);
        const other = await profile.newPage();
        await other.goto(`${new URL('/app/credit/return/', page.url())}?order=ord_00000000000000000000000000000000`);
        await other.getByText('No such order').waitFor();
        await settled(other);
        await other.close();
        expect();
    });
    await profile.close();
}
