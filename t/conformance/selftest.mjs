#!/usr/bin/env node
// The test of the tests: clean streams pass, damaged ones are caught, and it shows what the schemas
// alone would have let through. Prints TAP.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { note, ok, skipAll, done } from './selftest/tap.mjs';

if (!existsSync(new URL('node_modules/ajv/package.json', import.meta.url))) {
    skipAll('ajv is not installed: npm ci --prefix t/conformance');
}
const { RULES, checkStream, validateEvent, validateReply, validateRequest } =
    await import('./check.mjs');
const { checkLine } = await import('./lib/batch.mjs');
const { formatEvents } = await import('./lib/sse.mjs');
const { CLEAN } = await import('./selftest/clean.mjs');
const { Script } = await import('./selftest/script.mjs');
const { MESSAGES } = await import('./selftest/mutations-messages.mjs');
const { CHAT, COMPLETIONS } = await import('./selftest/mutations-chat.mjs');
const { RESPONSES } = await import('./selftest/mutations-responses.mjs');
const { RESPONSES_TEXTS } = await import('./selftest/mutations-texts.mjs');
const { BENIGN, BROKEN, SAME } = await import('./selftest/framing.mjs');
const { REPLIES } = await import('./selftest/replies.mjs');
const { REQUESTS } = await import('./selftest/requests.mjs');
const { commandLine } = await import('./selftest/cli.mjs');
const { probing } = await import('./selftest/probing.mjs');

const seen = new Set(); // rules that at least one damaged stream or object has shown
const rulesOf = (verdict) => new Set(verdict.findings.map((finding) => finding.rule));
const hasErrors = (verdict) => verdict.findings.some((finding) => finding.severity === 'error');

function streamOf(script, options = {}) {
    return checkStream(script.family, formatEvents(script.events), {
        includeUsage: script.includeUsage,
        ...options,
    });
}

function cleanSamples() {
    for (const [name, { family, includeUsage, events }] of Object.entries(CLEAN)) {
        const verdict = checkStream(family, formatEvents(events()), { includeUsage });
        ok(`clean: ${name} passes strict`, verdict.findings.length === 0, verdict.findings);
    }
    const folder = new URL('samples/', import.meta.url);
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
        const lines = readFileSync(new URL(file, folder), 'utf8')
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line));
        const bad = lines.map((line) => checkLine(line)).filter((verdict) => !verdict.ok);
        ok(
            `recorded: the ${lines.length} objects and streams of ${file} pass tolerant`,
            bad.length === 0,
            bad.slice(0, 3),
        );
    }
}

function mutations() {
    const tally = { all: 0, schema: 0, order: 0, both: 0 };
    for (const [what, rule, from, damage] of [
        ...MESSAGES,
        ...CHAT,
        ...COMPLETIONS,
        ...RESPONSES,
        ...RESPONSES_TEXTS,
    ]) {
        const script = new Script(from);
        damage(script);
        script.finish();
        const verdict = streamOf(script);
        rulesOf(verdict).forEach((one) => seen.add(one));
        ok(`${script.family}: ${what} (${rule})`, rulesOf(verdict).has(rule), verdict.findings);
        if (RULES[rule][0] === 'warn') {
            continue;
        }
        tally.all += 1;
        tally.schema += schemaCatches(script) ? 1 : 0;
        tally.order += hasErrors(streamOf(script, { schema: false })) ? 1 : 0;
        tally.both += hasErrors(verdict) ? 1 : 0;
    }
    note(
        `${tally.all} damaged streams: the schemas alone catch ${tally.schema}, ` +
            `the order rules alone ${tally.order}, together ${tally.both}`,
    );
    ok('every damaged stream is caught', tally.both === tally.all);
    ok('there are at least 49 of them', tally.all >= 49);
}

function schemaCatches({ family, events }) {
    return events.some((event) => event !== '[DONE]' && !validateEvent(family, event).ok);
}

function framing() {
    for (const [what, rule, from, damage] of BROKEN) {
        const script = new Script(from);
        const input = damage(formatEvents(script.finish()));
        const verdict = checkStream(script.family, input, { includeUsage: script.includeUsage });
        rulesOf(verdict).forEach((one) => seen.add(one));
        ok(`framing: ${what} (${rule})`, rulesOf(verdict).has(rule), verdict.findings);
    }
    for (const [what, from, change, options] of BENIGN) {
        const script = new Script(from);
        const input = change(formatEvents(script.finish()));
        const verdict = checkStream(script.family, input, {
            includeUsage: script.includeUsage,
            ...options,
        });
        ok(`harmless: ${what}`, verdict.findings.length === 0, verdict.findings);
    }
    for (const [what, from, change] of SAME) {
        const script = new Script(from);
        change(script);
        script.finish();
        const verdict = streamOf(script);
        ok(`harmless: ${what}`, verdict.findings.length === 0, verdict.findings);
    }
}

function objects(title, cases, validate) {
    for (const [what, rule, family, clean, change, options] of cases) {
        const body = structuredClone(clean);
        change?.(body);
        const verdict = validate(family, body, options);
        rulesOf(verdict).forEach((one) => seen.add(one));
        const holds = rule === null ? verdict.findings.length === 0 : rulesOf(verdict).has(rule);
        ok(`${title}: ${what}${rule === null ? '' : ` (${rule})`}`, holds, verdict.findings);
    }
}

// Every structural event of every recorded stream is dropped, and sent twice: none may pass. (Only
// message_delta may come several times.)
function everyEvent() {
    const structure = {
        messages: (event) => !['ping', 'content_block_delta'].includes(event.type),
        chat: (event) => event.choices.some((choice) => choice.finish_reason !== null),
        responses: (event) => !event.type.startsWith('response.web_search'),
    };
    for (const [family, isStructure] of Object.entries(structure)) {
        const tally = { all: 0, caught: 0, schema: 0 };
        for (const events of recordedStreams(family)) {
            events.forEach(
                (event, place) => isStructure(event) && damageAt(family, events, place, tally),
            );
        }
        note(
            `${family}: ${tally.all} structural events dropped or doubled in recordings: ` +
                `${tally.caught} caught, ${tally.schema} by the schemas alone`,
        );
        ok(
            `${family}: no structural event can be lost or doubled unseen`,
            tally.all > 0 && tally.caught === tally.all,
            tally,
        );
    }
}

function damageAt(family, events, place, tally) {
    const changed = [events.filter((_, i) => i !== place)];
    if (events[place].type !== 'message_delta') {
        changed.push([...events.slice(0, place + 1), ...events.slice(place)]);
    }
    for (const damaged of changed) {
        tally.all += 1;
        tally.caught += hasErrors(checkStream(family, damaged, { strict: false })) ? 1 : 0;
        tally.schema += damaged.some((event) => !validateEvent(family, event, { strict: false }).ok)
            ? 1
            : 0;
    }
}

function recordedStreams(family) {
    return readFileSync(new URL(`samples/${family}.jsonl`, import.meta.url), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter((line) => line.kind === 'stream')
        .map((line) => line.events);
}

function batchLines() {
    const line = {
        id: 'x',
        kind: 'reply',
        family: 'messages',
        body: { input_tokens: 5 },
        object: 'count_tokens',
    };
    ok(
        'batch: the id comes back with the verdict',
        checkLine(line).id === 'x' && checkLine(line).ok,
    );
    ok(
        'batch: a stream can be given as text',
        checkLine({
            kind: 'stream',
            family: 'messages',
            sse: formatEvents(CLEAN.messagesText.events()),
        }).ok,
    );
    ok('batch: a line without a known kind fails', !checkLine({ kind: 'poem', family: 'chat' }).ok);
    ok('batch: a line that is no object fails', !checkLine(null).ok);
    const replay = CLEAN.responsesFull.events().slice(9);
    ok(
        'batch: a replay may begin in the middle',
        checkLine({ kind: 'stream', family: 'responses', events: replay, startingAfter: 8 }).ok,
    );
    ok(
        'batch: but not at another number',
        !checkLine({ kind: 'stream', family: 'responses', events: replay, startingAfter: 7 }).ok,
    );
}

function catalogue() {
    const unseen = Object.keys(RULES).filter((rule) => !seen.has(rule));
    ok('every rule has been seen to fail', unseen.length === 0, unseen.join(' '));
}

cleanSamples();
mutations();
framing();
objects('request', REQUESTS, validateRequest);
objects('reply', REPLIES, validateReply);
everyEvent();
batchLines();
await probing(ok, seen);
commandLine(ok);
catalogue();
done();
