// Check-in over days that pass in the database, and VIP access that comes and goes.
import assert from 'node:assert/strict';

import { accessible, expect, settled, shot, visit } from '../lib/browser.mjs';
import { check, mgctl, signedIn, sql } from '../lib/case.mjs';

const daysPass = (days) => sql(`UPDATE checkin SET day = day - ${days} ORDER BY day`);

async function checkin({ member, poor }) {
    await check('below the minimum the shortfall is said, and there is no button', async () => {
        const profile = await signedIn(poor);
        const page = await profile.newPage();
        await visit(page, '/app/checkin/');
        await page.getByText('$6.00 more credit is needed.').waitFor();
        assert.equal(await page.getByRole('button', { name: /Check in/ }).count(), 0);
        await accessible(page, 'benefits');
        await profile.close();
    });

    const profile = await signedIn(member);
    const page = await profile.newPage();
    const go = (on) => on.getByRole('button', { name: /^Check in for/ });
    const state = (n) => page.locator('.day').nth(n - 1).locator('.day-state').textContent();

    await check('two windows are paid once, and the balance above moves', async () => {
        const other = await profile.newPage();
        await Promise.all([visit(page, '/app/checkin/'), visit(other, '/app/checkin/')]);
        assert.match(await page.locator('main').textContent(), /00:00 UTC/);
        const credit = page.locator('.top .credit');
        const before = await credit.textContent();
        await Promise.all([go(page).click(), go(other).click()]);
        await page.getByText('Checked in today').waitFor();
        await other.getByText('Checked in today').waitFor();
        assert.equal((await sql(`SELECT COUNT(*) FROM ledger WHERE kind = 'reward'`)).join(), '1');
        await page.waitForFunction((old) => document.querySelector('.top .credit').textContent !== old, before);
        assert.match(await page.locator('main').textContent(), /Next at 00:00 UTC \((01|02):00 for you\)/);
        assert.equal(await state(1), 'Claimed');
        await accessible(page, 'benefits');
        await other.close();
    });

    await check('the path is a list of fifteen with words', async () => {
        assert.equal(await page.locator('ol.days > li').count(), 15);
        assert.ok((await page.locator('.day-state').allTextContents()).every((text) => text.length > 0));
    });

    await check('a day later comes Day 2; a missed day is told, and the Free Pass covers it', async () => {
        await daysPass(1);
        await page.reload();
        await settled(page);
        await page.getByText('Day 2 of 15').waitFor();
        assert.equal(await state(2), 'Today');
        await daysPass(1);
        await page.reload();
        await settled(page);
        await page.getByText(/Your Free Pass covers it when you check in today/).waitFor();
        await shot(page, 'checkin-missed');
        await go(page).click();
        await page.getByText('The Free Pass covered a missed day.').waitFor();
        assert.equal(await state(2), 'Free Pass used');
        assert.equal(await state(3), 'Claimed');
        await page.getByText('Your Free Pass is used.').waitFor();
    });

    await check('two missed days begin again at Day 1', async () => {
        await daysPass(3);
        await page.reload();
        await settled(page);
        await page.getByText('Day 1 of 15').waitFor();
        assert.equal(await state(1), 'Today');
        assert.equal(await state(3), 'Upcoming');
    });
    await profile.close();
}

async function vip({ member }) {
    const profile = await signedIn(member);
    const page = await profile.newPage();

    await check('without VIP the page explains, and offers no script', async () => {
        await visit(page, '/app/vip/');
        await page.getByText('This account has no VIP access now').waitFor();
        await page.getByText(/\$250\.00 or more/).waitFor();
        assert.equal(await page.locator('figure.code').count(), 0);
        assert.ok(await page.locator('.side li[data-place="vip"] a').evaluate((a) => getComputedStyle(a.parentNode).display === 'none' || a.hasAttribute('aria-current')));
    });

    await check('with VIP its end is said in both zones, with the address', async () => {
        await mgctl('vip', 'grant', member.name, '--days', '30');
        await visit(page, '/app/vip/');
        const text = await page.locator('main').textContent();
        assert.match(text, /29 days, 23 hours|30 days, 0 hours/);
        assert.match(text, /\d\d:\d\d:\d\d UTC/);
        assert.match(text, /vip\.localhost/);
        await accessible(page, 'benefits');
        await shot(page, 'vip-active');
    });

    await check('after its end the page says so, and what works on', async () => {
        await sql('UPDATE vip SET until_ms = 1000 * 86400000');
        await visit(page, '/app/vip/');
        await page.getByText('VIP access has ended').waitFor();
        await page.getByText(/standard endpoint keeps working while you have credit/).waitFor();
        assert.equal(await page.locator('main').getByRole('link', { name: 'Open Setup' }).getAttribute('href'), '/app/setup/');
        await accessible(page, 'benefits');
        await mgctl('vip', 'revoke', member.name);
    });
    await profile.close();
}

export async function benefits(seeded) {
    expect(409); // of two windows the second one is told that it is done
    await checkin(seeded);
    expect();
    await vip(seeded);
}
