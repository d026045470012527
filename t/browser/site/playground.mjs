// The playground: nothing is sent before a key is chosen, Stop stops, text stays text, a refusal says
// what to do, and the key is gone with the page.
import assert from 'node:assert/strict';

import { accessible, baseUrl, expect, settled, shot, visit } from '../lib/browser.mjs';
import { asked, check, overflow, signedIn, sim, until } from '../lib/case.mjs';

export async function playground(seeded) {
    const profile = await signedIn(seeded.demo);
    const page = await profile.newPage();
    const sent = [];
    page.on('request', (r) => { if (r.url().startsWith(`${baseUrl}/v1/`)) sent.push(r); });
    const prompt = page.getByLabel('Prompt');
    const answer = page.locator('article[aria-label="Model"]').last();
    const badge = (text) => answer.locator('.badge', { hasText: text });
    const ask = async (text) => {
        await prompt.fill(text);
        await page.getByRole('button', { name: 'Send' }).click();
    };

    await check('nothing is sent before a key is chosen', async () => {
        await visit(page, '/app/playground/?model=mini');
        await prompt.fill('Hello');
        await prompt.press('Control+Enter');
        await page.waitForTimeout(1000);
        assert.equal(sent.length, 0);
        assert.ok(await page.getByRole('button', { name: 'Send' }).isDisabled());
        assert.equal(await page.getByLabel('Model', { exact: true }).inputValue(), 'mini');
    });

    await check('an estimate is free and comes before the request', async () => {
        await page.getByRole('radio', { name: /System Key/ }).check();
        await page.getByText(/Using the key that ends in/).waitFor();
        await page.getByText(/About \d+ input tokens/).waitFor();
        assert.ok(sent.every((r) => r.url().endsWith('/v1/responses/input_tokens')));
    });

    for (const format of ['Responses', 'Chat Completions', 'Messages']) {
        await check(`${format}: an answer is streamed as text, with its charge`, async () => {
            await page.getByLabel('Format').selectOption({ label: format });
            await ask(`<b>bold</b> ${sim({ text: '<img src=x onerror=alert(1)> and **stars**' })}`);
            await badge('Complete').waitFor();
            assert.equal(await answer.locator('.said').textContent(), '<img src=x onerror=alert(1)> and **stars**');
            assert.equal(await page.locator('main img, main b').count(), 0);
            await answer.getByText(/\$0\.0\d+ credit, \d+ tokens in/).waitFor();
            assert.match(await answer.textContent(), /req_[0-9a-f]{32}/);
        });
    }

    await check('raw events are shown as they came', async () => {
        await answer.getByText('Raw events').click();
        assert.match(await answer.locator('pre').textContent(), /event: message_stop/);
        assert.equal(await overflow(page), 0, 'long lines stay in their box');
        await accessible(page, 'playground');
        await shot(page, 'playground-answers');
    });

    await check('a stream without its last event is not a success', async () => {
        for (const fault of ['end', 'error-event']) {
            await ask(sim({ words: 20, fault, at: 6 }));
            await badge('Failed').waitFor();
            assert.equal(await badge('Complete').count(), 0);
        }
    });

    await check('Stop ends the stream, and the provider sees it', async () => {
        const word = 'stopme7';
        await page.getByLabel('Format').selectOption({ label: 'Messages' });
        await ask(`${word} ${sim({ words: 2000, gap: 50 })}`);
        await page.waitForFunction(() => [...document.querySelectorAll('article .said')].at(-1).textContent.length > 20);
        await page.getByRole('button', { name: 'Stop' }).click();
        await badge('Stopped').waitFor();
        await until(async () => (await asked(word)).some((r) => r.outcome === 'client-gone'), 'the provider sees it');
        await answer.getByText(/credit, \d+ tokens in/).waitFor();
    });

    await check('402 says that nothing was charged and shows the way to top up', async () => {
        expect(402);
        await page.getByRole('radio', { name: /Paste a key/ }).check();
        await page.getByLabel('API key', { exact: true }).fill(seeded.poorKey);
        await ask('Hello');
        await answer.getByText(/was not sent to the model and cost nothing/).waitFor();
        assert.equal(await answer.getByRole('link', { name: 'Top up' }).getAttribute('href'), '/app/credit/');
        assert.equal(await prompt.inputValue(), 'Hello', 'the prompt is not lost');
        expect();
    });

    await check('leaving and coming back finds no key, and nothing keeps one', async () => {
        await page.goto(`${baseUrl}/status/`);
        await page.goBack();
        await settled(page);
        assert.equal(await page.getByLabel('API key', { exact: true }).inputValue(), '');
        assert.ok(await page.getByRole('button', { name: 'Send' }).isDisabled());
        const kept = await page.evaluate(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie,
            (await indexedDB.databases()).length]));
        assert.doesNotMatch(kept, /sk-|mgs_/);
        assert.match(kept, /"",0\]$/);
    });
    await profile.close();
}
