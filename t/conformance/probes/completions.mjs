// Probes of the legacy /v1/completions.

import * as ask from './common.mjs';

const PATH = '/v1/completions';

async function shortLimit(t) {
    const said = await t.generate(PATH, { prompt: ask.ASK_COUNT, max_tokens: 8 });
    t.expect(said.end === 'length', `finish_reason ${said.end} with a limit of 8`);
}

async function usage(t) {
    const said = await t.stream(PATH, {
        prompt: ask.ASK,
        max_tokens: 32,
        stream_options: { include_usage: true },
    });
    t.expect(said.usage?.prompt_tokens > 0, 'usage tells no prompt tokens');
}

async function severalPrompts(t) {
    const { body } = await t.generate(PATH, { prompt: [ask.ASK, ask.ASK], max_tokens: 32 });
    t.expect(body.choices.length === 2, `${body.choices.length} choices for two prompts`);
}

async function echo(t) {
    const said = await t.generate(PATH, { prompt: ask.ASK, max_tokens: 32, echo: true });
    t.expect(said.text.startsWith(ask.ASK), 'the text does not start with the prompt');
}

async function severalChoices(t) {
    const { body } = await t.generate(PATH, { prompt: ask.ASK, max_tokens: 32, n: 2 });
    t.expect(body.choices.length === 2, `${body.choices.length} choices of 2`);
}

export const completions = ask.table(PATH, [
    { id: 'completions.plain', ask: { prompt: ask.ASK, max_tokens: 64 } },
    { id: 'completions.stream', stream: { prompt: ask.ASK, max_tokens: 64 } },
    { id: 'completions.stream-usage', run: usage },
    { id: 'completions.max-tokens', run: shortLimit },
    {
        id: 'completions.stop',
        optional: true,
        ask: { prompt: ask.ASK_COUNT, max_tokens: 64, stop: ['7'] },
        expect: ask.expectStopped,
    },
    { id: 'completions.echo', optional: true, run: echo },
    { id: 'completions.prompts', optional: true, run: severalPrompts },
    { id: 'completions.choices', optional: true, run: severalChoices },
    { id: 'completions.bad-request', refuse: [400, 422], body: { prompt: {} } },
    {
        id: 'completions.unknown-model',
        refuse: [400, 404],
        body: { model: ask.UNKNOWN_MODEL, prompt: ask.ASK },
    },
    { id: 'completions.no-key', refuse: [401], auth: 'none', body: { prompt: ask.ASK } },
]);
