// Every probe, and the run over the chosen ones.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chat } from './chat.mjs';
import { completions } from './completions.mjs';
import { messages } from './messages.mjs';
import { models } from './models.mjs';
import { responses } from './responses.mjs';
import { Client } from './client.mjs';
import { Probe } from './probe.mjs';

export const PROBES = [...models, ...chat, ...completions, ...responses, ...messages];
export const PROBE_FAMILIES = ['models', 'chat', 'completions', 'responses', 'messages'];

// Returns the probes of the families: those that `only` names, or all, but for those that `skip`
// names. A name may hold `*` for any run of characters.
export function choose(families, only, skip = []) {
    const picks = (names) => {
        const patterns = names.map(
            (name) => new RegExp(`^${name.split('*').map(quoted).join('.*')}$`),
        );
        return (id) => patterns.some((pattern) => pattern.test(id));
    };
    const isMeant = only.length > 0 ? picks(only) : () => true;
    const isSkipped = picks(skip);
    return PROBES.filter(
        ({ id }) => families.includes(id.split('.')[0]) && isMeant(id) && !isSkipped(id),
    );
}

function quoted(text) {
    return text.replace(/[^\w-]/g, '\\$&');
}

// Runs the probes one after the other and calls `report` with each result. options: those of
// Client, model, strict, gateway, and saveTo, a folder that takes every request and reply as
// files.
export async function runProbes(probes, options, report) {
    const client = new Client(options);
    const results = [];
    for (const definition of probes) {
        const { exchanges, ...result } = await new Probe(definition, client, options).run();
        const last = exchanges.at(-1);
        Object.assign(result, { status: last?.status ?? null, requestId: last?.requestId ?? null });
        if (options.saveTo !== undefined) {
            save(options.saveTo, definition.id, exchanges);
        }
        results.push(result);
        report(result);
    }
    return results;
}

function save(folder, id, exchanges) {
    mkdirSync(folder, { recursive: true });
    exchanges.forEach(({ reply, ...request }, number) => {
        const name = join(folder, `${id}-${number + 1}`);
        writeFileSync(`${name}.request.json`, `${JSON.stringify(request, null, 2)}\n`);
        writeFileSync(`${name}.reply`, reply);
    });
}
