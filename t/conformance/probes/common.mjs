// Material that the probes of all families use, and the short form in which most are written.

// Completes the rows of a family whose requests go to `path`. A row with `run` is a probe already;
// the others are told in one of these ways:
//   {id, ask: request}      generate, then expect(t, said), which is expectText if it is not given
//   {id, stream: request}   the same with streaming
//   {id, both: request}     both of them: a second probe gets the id with -stream behind it
//   {id, refuse: statuses, body}   the body must be refused with one of the statuses
// Further members: optional, and auth and path, where they differ.
export function table(path, rows) {
    return rows
        .flatMap((row) => (row.both === undefined ? [row] : twice(row)))
        .map((row) => ({
            ...row,
            run: row.run ?? (row.refuse === undefined ? generation(path, row) : refusal(path, row)),
        }));
}

function twice({ both, ...row }) {
    return [
        { ...row, ask: both },
        { ...row, id: `${row.id}-stream`, stream: both },
    ];
}

function generation(path, { ask, stream, expect = expectText, auth, path: own = path }) {
    return async (t) => {
        const said = ask
            ? await t.generate(own, ask, { auth })
            : await t.stream(own, stream, { auth });
        expect(t, said);
    };
}

function refusal(path, { refuse, body, auth, path: own = path }) {
    return (t) => {
        const whole = typeof body === 'string' ? body : { model: t.model, ...body };
        return t.refused(refuse, 'POST', own, { auth, body: whole });
    };
}

export const SCHEMA = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
};
export const TOOL = { name: 'get_weather', description: 'Tells the weather in a city' };
export const SECOND_TOOL = { name: 'get_time', description: 'Tells the local time in a city' };
export const ASK = 'Reply with one short greeting.';
export const ASK_TOOL = 'What is the weather in Bern? Use the tool.';
export const ASK_TOOLS =
    'What is the weather in Bern, and what time is it there? Use both tools at once.';
export const ASK_COUNT = 'Count from 1 to 30 in digits, separated by spaces.';
export const ASK_JSON = 'Name the capital of Switzerland as JSON.';
export const UNKNOWN_MODEL = 'no-such-model-4711';

// A red square of 8 by 8 pixels.
export const PNG =
    'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mP4z8CAFTEMLQkAKP8/wc53yE8AAAAA' +
    'SUVORK5CYII=';

// Checks that the model called `name` with arguments that have a city; skips if it called nothing.
export function expectCall(t, said, name = TOOL.name) {
    const call = said.calls.find((one) => one.name === name);
    if (call === undefined) {
        t.stop('probe.answer', `the forced tool ${name} was not called`);
    }
    t.expect(Boolean(call.id), 'the call has no id');
    t.expect(parsed(call.args)?.city !== undefined, `the arguments have no city: ${call.args}`);
    return call;
}

// For tools that cannot be forced: two calls are wanted, one is the model's own choice.
export function expectParallel(t, said) {
    if (said.calls.length < 2) {
        t.skip(`the model made ${said.calls.length} call(s) of the two it was asked for`);
    }
    const ids = new Set(said.calls.map((call) => call.id));
    t.expect(ids.size === said.calls.length, 'two calls have the same id');
    for (const call of said.calls) {
        t.expect(parsed(call.args) !== null, `torn arguments: ${call.args}`);
    }
}

// For ASK_COUNT with '7' as stop sequence.
export function expectStopped(t, said) {
    t.expect(!said.text.includes('7'), 'the text goes on after the stop sequence');
    if (!said.text.includes('6')) {
        t.skip('the model did not count to the stop sequence');
    }
}

export function expectText(t, said) {
    t.expect(said.text.trim() !== '', 'the reply has no text');
}

export function expectJson(t, said) {
    t.expect(
        typeof parsed(said.text)?.city === 'string',
        `not the JSON that was asked for: ${said.text.slice(0, 80)}`,
    );
}

export function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return null;
    }
}
