// From registration to the first request, credit, check-in, VIP and out again, with the keyboard where
// it matters.

import { accessible, ask, baseUrl, context, expect, finish, keepsNoSecret, noSidewaysScroll, open, same, settled, shot, test, visit } from './lib/browser.mjs';

const name = 'maria', email = 'maria@example.org', password = 'a few words together';
const person = await context({ width: 1280 });
const page = await person.newPage();
const status = () => page.locator('.status');
const clipboard = () => page.evaluate(() => navigator.clipboard.readText());

//// Registration: a mail, a link, a button

await visit(page, '/');
await page.getByRole('link', { name: 'Create account' }).first().click();
await page.waitForURL('**/signup/');
await settled(page);
same('the first field of the form has the focus', await page.evaluate(() => document.activeElement.name), 'username');
await page.keyboard.press('Enter');
same('an empty form names every field that is wrong', await page.locator('.field-error:visible').count(), 3);
await page.keyboard.type(name);
await page.keyboard.press('Tab');
await page.keyboard.type(email);
await page.keyboard.press('Tab');
await page.keyboard.type(password);
await page.keyboard.press('Enter');
await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
test('the page says where the mail went, not to whom', (await page.locator('main').innerText()).includes('m•••@example.org'));
test('sending it again has to wait', await page.getByRole('button', { name: /Send again in/ }).isVisible());
await shot(page, 'journey-sent');

const mail = await ask('mail', email, 'verify');
test('the mail was sent over TLS by the sender of the settings', mail.tls && mail.from === 'no-reply@example.com', mail);
const first = mail.token;
await visit(page, `/verify/#t=${first}`);
same('the token is not in the address any more', await page.evaluate(() => location.hash + location.search), '');
same('opening the link confirms nothing', Number(await ask('balance', name)), 0);
await page.getByRole('button', { name: 'Confirm' }).click();
await page.getByRole('heading', { name: 'Address confirmed' }).waitFor();
const confirmed = await page.locator('main').innerText();
test('the button unlocks $5.00 with its date', /\$5\.00 credit/.test(confirmed) && /Ends\s+\d+ \w+ 20\d\d/.test(confirmed), confirmed);
test('and 15 minutes that have not begun', /15 minutes, not started/.test(confirmed), confirmed);
await shot(page, 'journey-confirmed');
expect(400);
const again = await open();
await visit(again, `/verify/#t=${first}`);
await again.getByRole('button', { name: 'Confirm' }).click();
await again.getByRole('heading', { name: 'This link does not work' }).waitFor();
test('the link works once, and another can be asked for', await again.getByRole('button', { name: 'Send a new link' }).isVisible());
await again.getByLabel('E-mail').fill('nobody@example.org');
await again.getByRole('button', { name: 'Send a new link' }).click();
await again.getByText('If an account waits').waitFor();
test('the answer for an unknown address promises nothing', await again.getByRole('button', { name: /Send again in \d+ s/ }).isVisible());
await again.context().close();
expect();

//// Setup

await page.getByRole('link', { name: 'Set up a client' }).click();
await page.waitForURL('**/app/setup/');
await settled(page);
test('the header has the trial credit', /\$5\.00/.test(await status().innerText()), await status().innerText());
test('and says that Unlimited has not started', /Unlimited not started/.test(await status().innerText()));
const targets = await page.locator('input[name=target]').evaluateAll(all => all.map(one => one.value));
same('the managed model is chosen until somebody chooses', await page.locator('input[name=model]:checked').getAttribute('value'), 'power-ai');
test('there are targets, and none for VIP', targets.length >= 3 && !targets.includes('vip'), targets);
for (const target of targets) {
    await page.locator(`input[name=target][value="${target}"]`).focus();
    await page.keyboard.press('Space');
    await page.getByText('Read the whole script first').click();
    const text = await page.locator('details[open] pre code').evaluate(node => node.textContent);
    test(`${target}: the script has key, model and address`, /sk-mg-\w+/.test(text) && text.includes('power-ai') && text.includes(baseUrl) && !text.includes('/v1/v1'), text.slice(0, 1500));
    await page.locator('details[open]').getByRole('button', { name: 'Copy' }).click();
    await page.locator('.toast').waitFor();
    test(`${target}: what is copied is what is shown`, await clipboard() === text);
}
const copiedCommand = async () => {
    await page.locator('input[name=target][value=linux]').check();
    await page.getByRole('button', { name: 'Make the command' }).click();
    await page.getByRole('button', { name: 'Copy command' }).click();
    return clipboard();
};
const command = await copiedCommand();
test('the command has no key in it', command.includes(baseUrl) && !command.includes('sk-mg-'), command);
await accessible(page, 'setup with a command');

same('a script is current until something changes', await page.getByText('out of date').count(), 0);
await page.getByRole('radio', { name: /Swift/ }).check();
await page.getByText('Your copied script is out of date').waitFor();
await page.getByText('Read the whole script first').click();
test('another model makes another script', (await page.locator('details[open] pre code').textContent()).includes('swift'));
same('the API agrees on the model', await ask('model', name), 'swift');
await shot(page, 'journey-stale');

//// The first request, live: the copied command in a shell, then Codex as that has set it up

const ran = await ask('shell', await copiedCommand());
test('the copied command runs in an empty home', ran.status === 0 && /key works, for the account maria/.test(ran.out), ran);
await page.getByText('Waiting for your first request…').waitFor();
const codex = await ask('codex', 'Hello');
same('Codex gets its answer', codex.status, 0) || test('Codex says why', false, codex);
await page.locator('.notice.positive').getByText('Received.').waitFor();
const received = await page.locator('.notice.positive').innerText();
test('the page shows tokens, charge and request id', /tokens in/.test(received) && /req_\w+/.test(received), received);
await page.locator('.status').getByText(/Unlimited \d+:\d\d/).waitFor();
test('the Unlimited clock runs', true);
await shot(page, 'journey-received');
await ask('sim', 'words=30 fault=error-event at=10');
await ask('client', name);
await page.locator('.notice.danger').waitFor();
const failed = await page.locator('.notice.danger').innerText();
test('a stream that failed after 200 is not called received', /broke off|failed with/.test(failed) && /req_\w+/.test(failed), failed);
await ask('sim', '');
await shot(page, 'journey-failed');

//// Overview

await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click();
await page.waitForURL('**/app/');
await settled(page);
const requests = async () => Number((await ask('sql', `SELECT COUNT(*) FROM ledger WHERE kind = 'charge'`))[0][0]);
const shown = page.locator('.table tbody tr');
same('all requests are on Overview', await shown.count(), await requests());
test('the trial lot has its end', /Trial credit\s*· ends \d+ \w+/.test(await page.locator('main').innerText()), await page.locator('main').innerText());
await ask('client', name);
const latest = await requests();
await page.waitForFunction(n => document.querySelectorAll('.table tbody tr').length === n, latest);
test('a new one appears without a reload', true);
const time = page.locator('tbody time').first();
test('times have UTC on hover', /^\d+ \w+ 20\d\d, \d\d:\d\d:\d\d UTC$/.test(await time.getAttribute('title')), await time.getAttribute('title'));

expect('net::ERR_INTERNET_DISCONNECTED');
await person.setOffline(true);
await page.getByText('You are offline.').first().waitFor();
test('without a connection the page says so and keeps what it shows', await shown.count() === latest);
await person.setOffline(false);
await page.locator('.offline').waitFor({ state: 'hidden' });

//// Keys

await visit(page, '/app/keys/');
expect();
const keyText = page.locator('.card').first().locator('code');
test('the System Key is masked', /^sk-mg-…\w{4}$/.test(await keyText.innerText()), await keyText.innerText());
test('masked means absent', !/sk-mg-\w{20}/.test(await page.content()));
await page.getByRole('button', { name: 'Show' }).click();
await page.waitForFunction(() => /sk-mg-\w{20}/.test(document.querySelector('.secret-text').textContent));
const systemKey = await keyText.innerText();
await page.getByRole('button', { name: 'Hide', exact: true }).click();
test('and hidden again is absent again', !(await page.content()).includes(systemKey));
// Whoever comes back to a page that the browser kept in memory finds what this leaves in it.
const leave = on => on.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
await page.getByRole('button', { name: 'Show' }).click();
await page.waitForFunction(key => document.body.textContent.includes(key), systemKey);
await leave(page);
test('a page that is left takes the key along', !(await page.content()).includes(systemKey));
await page.locator('.card').first().getByRole('button', { name: 'Copy' }).click();
await page.locator('.toast').waitFor();
same('copying needs no showing', await clipboard(), systemKey);

await page.getByRole('button', { name: 'Create key' }).first().focus();
await page.keyboard.press('Enter');
await page.getByLabel('Name').waitFor();
await page.keyboard.type('ci-runner');
await accessible(page, 'dialog of a new key');
await page.keyboard.press('Enter');
await page.getByText('This is the only time').waitFor();
await page.keyboard.press('Escape');
await page.keyboard.press('Escape');
test('Escape asks first', await page.getByText('Have you stored it?').isVisible());
await accessible(page, 'dialog with the key');
const before400 = page.viewportSize();
await page.setViewportSize({ width: 320, height: 256 });
await noSidewaysScroll(page, 'dialog with the key at 400 %');
await page.getByRole('button', { name: 'I have stored it' }).click({ trial: true });
test('and its button can be reached there', true);
await page.setViewportSize(before400);
await page.getByRole('button', { name: 'Copy key' }).click();
await page.getByText('Key copied.').first().waitFor();
const userKey = await clipboard();
same('the copied key works', await ask('client', name, userKey, '/v1/models'), 200);
await shot(page, 'journey-key');
await page.getByRole('button', { name: 'I have stored it' }).click();
await page.locator('dialog').waitFor({ state: 'detached' });
test('the key is gone with its dialog', !(await page.content()).includes(userKey));
await visit(page, '/app/keys/');
test('and only its mask is listed', !(await page.content()).includes(userKey) && await page.getByText('ci-runner').isVisible());

// The clipboard refused, then absent.
const poor = await context({ clipboard: false, storage: await person.storageState() });
const poorPage = await poor.newPage();
for (const kind of ['refused', 'absent']) {
    await poorPage.addInitScript(kind === 'refused' ? () => Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: () => Promise.reject(new Error('no')) } })
        : () => Object.defineProperty(navigator, 'clipboard', { configurable: true, value: undefined }));
    await visit(poorPage, '/app/keys/');
    // Whether it is shown before or not.
    if (kind === 'refused') await poorPage.getByRole('button', { name: 'Show' }).click();
    await poorPage.locator('.card').first().getByRole('button', { name: 'Copy' }).click();
    await poorPage.locator('.toast').getByText('blocked copying').waitFor();
    same(`clipboard ${kind}: the key is selected`, await poorPage.evaluate(() => getSelection().toString()), systemKey);
    same(`clipboard ${kind}: nothing says copied`, await poorPage.getByText('copied').count(), 0);
}
await poor.close();

await page.getByRole('button', { name: 'Revoke ci-runner' }).focus();
await page.keyboard.press('Enter');
const dialog = page.locator('dialog');
test('the dialog names the key and its last use', /Revoke ci-runner\?[\s\S]*Last used (just now|.* ago)/.test(await dialog.innerText()), await dialog.innerText());
await dialog.getByRole('button', { name: 'Revoke' }).focus();
await page.keyboard.press('Enter');
await page.getByText('Revoked (1)').waitFor();
test('the focus stays among the keys, although the button is gone', await page.evaluate(() => document.activeElement.closest('.card') !== null));
same('a revoked key gets 401', await ask('client', name, userKey, '/v1/models'), 401);
same('the System Key goes on', await ask('client', name, null, '/v1/models'), 200);

// Who may make keys with this cookie.
const cookie = (await person.cookies()).find(one => one.name === '__Host-session').value;
const before = await ask('keys', name);
for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }])
    same(`${JSON.stringify(headers)} makes no key`, await ask('post', '/api/keys', cookie, ...Object.entries(headers).flat()), 403);
same('no key was made', await ask('keys', name), before);
same('the same request from here makes one', await ask('post', '/api/keys', cookie, 'origin', baseUrl), 201);

//// Top-ups through the provider's page

const credit = on => on.locator('.top .credit').innerText();
const creditMoves = (on, old) => on.waitForFunction(text => document.querySelector('.top .credit').innerText !== text, old);
const main = () => page.locator('main').innerText();

// Orders, waits in another tab, pays: the other tab sees the credit arrive by itself.
async function topUp(amount) {
    await visit(page, '/app/credit/');
    await page.getByLabel('Amount in USD').fill(amount);
    await page.locator('.quote', { hasText: `$${amount}` }).waitFor();
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await page.waitForURL(/\/api\/sandbox\//);
    const [[order]] = await ask('sql', 'SELECT LOWER(HEX(id)) FROM topup ORDER BY created_ms DESC LIMIT 1');
    const watching = await person.newPage();
    await visit(watching, '/app/usage/');
    await watching.goto(`${baseUrl}/app/credit/return/?order=ord_${order}`);
    await watching.getByRole('heading', { name: 'Confirming with the payment provider' }).waitFor();
    await watching.locator('.top .credit').waitFor();
    const before = await credit(watching);
    await page.locator('button, input[type=submit]').first().click();
    await page.waitForURL(/credit\/return/);
    await page.getByRole('heading', { name: 'Credited' }).waitFor();
    await creditMoves(watching, before);
    const after = await credit(watching);
    await watching.close();
    return [before, after];
}

const cents = text => Number(text.replace(/[^\d]/g, ''));
const small = await topUp('20.00');
same('$20.00 load $200.00, which the header of an open page shows without a reload', cents(small[1]) - cents(small[0]), 20000);
await shot(page, 'journey-credited');

//// Check-in, while days pass in the database

const day = n => page.locator('.day').nth(n - 1).locator('.day-state').innerText();
// What happened moves into the past; a reward is known by its day, so it gets the name of another one.
async function daysPass(days) {
    await ask('sql', `UPDATE checkin SET day = day - ${days} ORDER BY day`);
    await ask('sql', `UPDATE ledger SET ref = UNHEX(MD5(CONCAT(seq, ${days}, HEX(ref)))) WHERE kind = 'reward'`);
    await page.reload();
    await settled(page);
}
async function checkIn() {
    const before = await credit(page);
    await page.getByRole('button', { name: /^Check in for/ }).click();
    await page.getByText('Checked in today').waitFor();
    await creditMoves(page, before);
}
await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Check-in' }).click();
await page.waitForURL('**/app/checkin/');
await settled(page);
await checkIn();
same('the first day is claimed, and its reward is in the balance above', await day(1), 'Claimed');
await daysPass(1);
await checkIn();
same('so is the second, a day later', [await day(1), await day(2)], ['Claimed', 'Claimed']);
await daysPass(2);
test('a missed day can be made good today', /Your Free Pass covers it when you check in today/.test(await main()), await main());
await checkIn();
same('the Free Pass covers one missed day', [await day(3), await day(4)], ['Free Pass used', 'Claimed']);
test('once', (await main()).includes('Your Free Pass is used.'), await main());
await shot(page, 'journey-checkin');
await daysPass(3);
test('two missed days begin again at Day 1', /Day 1 of 15/.test(await main()) && await day(1) === 'Today' && await day(4) === 'Upcoming', await main());

//// VIP with a larger top-up, by an account that is old enough

const vipEntry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'VIP' });
same('there is no entry for VIP yet', await vipEntry.count(), 0);
await ask('sql', `UPDATE account SET created_ms = created_ms - 400 * 86400000 WHERE username = '${name}'`);
const large = await topUp('250.00');
same('$250.00 load $3,750.00', cents(large[1]) - cents(large[0]), 375000);
await vipEntry.click();
await page.waitForURL('**/app/vip/');
await settled(page);
test('VIP has its end, its address and its setup', /(29 days, 23 hours|30 days, 0 hours)[\s\S]*vip\.localhost/.test(await main()), await main());
await accessible(page, 'VIP');
await shot(page, 'journey-vip');
await visit(page, '/app/setup/?client=vip');
same('Setup offers all seven targets now', (await page.locator('input[name=target]').evaluateAll(all => all.map(one => one.value))).sort(),
    ['librechat', 'linux', 'macos', 'opencode', 'vip', 'vscode', 'windows']);
await page.getByText('Read the whole script first').click();
const vipScript = await page.locator('details[open] pre code').textContent();
test('it holds the key while it is read', vipScript.includes(systemKey));
await leave(page);
test('and Setup that is left takes it along', !(await page.content()).includes(systemKey));
test('and the VIP script has the VIP address', vipScript.includes('vip.localhost'), vipScript.slice(0, 1500));

//// Account: another password; two tabs; out

await visit(page, '/app/account/');
test('the address is confirmed', /maria@example\.org[\s\S]*Confirmed/.test(await page.locator('.card').first().innerText()));
const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Password' }) });
await card.getByLabel('Current password', { exact: true }).fill('wrong words here');
await card.getByLabel('New password', { exact: true }).fill('other words together');
expect(401, 403);
await card.getByRole('button', { name: 'Change the password' }).click();
await card.getByText('The current password is not right.').waitFor();
expect();
await card.getByLabel('Current password', { exact: true }).fill(password);
await card.getByRole('button', { name: 'Change the password' }).click();
await card.getByText('Your other sessions have ended.').waitFor();
test('a password is changed, and the tab goes on', true);
await page.getByText('This one').waitFor();
await keepsNoSecret(page, 'account');

const tab = await person.newPage();
await visit(tab, '/app/keys/');
await person.clearCookies(); // as when the session has ended elsewhere
expect(401);
await tab.getByRole('button', { name: 'Show' }).click();
await tab.waitForURL('**/signin/?next=%2Fapp%2Fkeys%2F');
test('without its session a page is sent to sign in by its next action', true);
await tab.getByLabel('Username or e-mail').fill(email);
await tab.getByLabel('Password', { exact: true }).fill('wrong words here');
await tab.getByRole('button', { name: 'Sign in' }).click();
await tab.getByText('Username or password is not right.').waitFor();
same('a wrong password is cleared, the name stays', [await tab.getByLabel('Username or e-mail').inputValue(), await tab.getByLabel('Password', { exact: true }).inputValue()], [email, '']);
test('the focus is on what went wrong', await tab.evaluate(() => document.activeElement.closest('.form-problem, .field') !== null));
await tab.getByLabel('Password', { exact: true }).fill('other words together');
await tab.getByRole('button', { name: 'Sign in' }).click();
await tab.waitForURL(`${baseUrl}/app/keys/`);
test('the address signs in too, and leads back to where it was', true);
await settled(tab);
await tab.getByRole('button', { name: 'Show' }).click();
await tab.waitForFunction(key => document.body.textContent.includes(key), systemKey);
await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'Sign out' }).click();
await page.getByText('You are signed out.').waitFor();
same('signed out, the cookie is gone', (await person.cookies()).length, 0);
await tab.waitForURL('**/signin/?next=%2Fapp%2Fkeys%2F');
test('another tab with the key on its screen leaves at once', !(await tab.content()).includes(systemKey));
await tab.goBack();
await tab.waitForURL('**/signin/?next=%2Fapp%2Fkeys%2F');
test('Back never shows the System Key', !(await tab.content()).includes(systemKey));
expect();

for (const next of ['//evil.example', '\\evil.example', '/\\evil.example', 'https:evil.example', 'https://evil.example/']) {
    const fresh = await open();
    await visit(fresh, `/signin/?next=${encodeURIComponent(next)}`);
    await fresh.getByLabel('Username or e-mail').fill(name);
    await fresh.getByLabel('Password', { exact: true }).fill('other words together');
    await fresh.getByRole('button', { name: 'Sign in' }).click();
    await fresh.waitForURL(`${baseUrl}/app/`);
    await fresh.context().close();
}
test('no next= leads anywhere else', true);

await finish();
