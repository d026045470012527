// What was spent, or which tokens went through, by day, model or key.
import {get, query} from '/assets/api.js';
import {columnChart, rankChart, seriesColours} from '/assets/chart.js';
import {h, replace} from '/assets/dom.js';
import {chargeText, count, exact, nano, plural, short} from '/assets/format.js';
import {card, empty, load} from '/assets/parts.js';
import {days, everyDay, filters, utcDay, write} from './filters.js';

const categories = [['input_tokens', 'Input'], ['cache_read_tokens', 'Cache read'], ['cache_write_5m_tokens', 'Cache written, 5 min'],
    ['cache_write_1h_tokens', 'Cache written, 1 h'], ['output_tokens', 'Output']];

const dayName = (text, options = {day: 'numeric', month: 'short'}) =>
    new Intl.DateTimeFormat('en-GB', {...options, timeZone: 'UTC'}).format(new Date(`${text}T00:00:00Z`));

const tokens = usage => categories.reduce((sum, [name]) => sum + BigInt(usage?.[name] ?? 0), 0n);

// One row of sums, whatever it is by.
const sums = row => ({...row, spend: nano(row.charge) ?? 0n, tokens: tokens(row.usage), requests: row.requests ?? 0});

const amountText = (value, measure) => (measure === 'spend' ? `${chargeText(value)} credit` : plural(Number(value), 'token'));
const cellText = (value, measure) => (measure === 'spend' ? exact(value) : count(value));

// The days of the chart. A part that is split (by token category) gets its own colour.
function dayRows(rows, state) {
    const {first, last} = days(state);
    const today = utcDay(Date.now());
    const known = new Map(rows.map(row => [row.day, row]));
    const begin = first || rows[0]?.day || today;
    return everyDay(begin, last || today).map(day => {
        const row = known.get(day);
        const value = row?.[state.measure] ?? 0n;
        const parts = state.measure === 'spend' ? [{value, colour: 1}]
            : categories.map(([name], i) => ({value: BigInt(row?.usage?.[name] ?? 0), colour: ['1', '2', '3', 'other', '4'][i]}));
        const said = `${dayName(day, {weekday: 'short', day: 'numeric', month: 'short'})}${day === today ? ' (so far)' : ''}: `
            + `${amountText(value, state.measure)}, ${plural(row?.requests ?? 0, 'request')}`;
        const split = state.measure === 'tokens' && value > 0n
            ? ` (${categories.filter((c, i) => parts[i].value > 0n).map(([name, text]) => `${text.toLowerCase()} ${count(row.usage[name])}`).join(', ')})` : '';
        return {day, value, label: dayName(day), partial: day === today, parts, text: said + split,
            cells: [dayName(day, {day: 'numeric', month: 'short', year: 'numeric'}), count(row?.requests ?? 0), cellText(value, state.measure)]};
    });
}

const total = rows => ({
    spend: rows.reduce((sum, row) => sum + row.spend, 0n), tokens: rows.reduce((sum, row) => sum + row.tokens, 0n),
    requests: rows.reduce((sum, row) => sum + row.requests, 0)});

const unitName = measure => (measure === 'spend' ? 'Credit' : 'Tokens');

function byDay(rows, state) {
    const list = dayRows(rows, state);
    const all = total(rows);
    const top = list.reduce((a, b) => (b.value > a.value ? b : a));
    return columnChart({
        title: state.measure === 'spend' ? 'Credit spent by day' : 'Tokens by day', unit: unitName(state.measure).toLowerCase(),
        summary: `${amountText(all[state.measure], state.measure)} over ${plural(all.requests, 'request')}`
            + `${top.value > 0n ? `; most on ${dayName(top.day)} (${amountText(top.value, state.measure)})` : ''}. Days are UTC; the hatched one is not over.`,
        tick: (value, step) => (state.measure === 'spend' ? tickText(value, step) : short(Number(value))),
        series: state.measure === 'spend' ? [] : categories.map(([, name], i) => ({name, colour: ['1', '2', '3', 'other', '4'][i]})),
        days: list, columns: [{title: 'Day (UTC)'}, {title: 'Requests', num: true}, {title: unitName(state.measure), num: true}],
    });
}

// "$0.002", "$12": as many decimals as the step needs.
// One axis has one number of decimals: $0.50, $1.00, $1.50.
function tickText(value, step) {
    if (step === 1n) return value === 0n ? '$0' : ''; // nothing was spent: no scale to read
    const [whole, part] = exact(value).split('.');
    const places = /\.00$/.test(exact(step)) ? 0 : exact(step).split('.')[1].length;
    return places ? `$${whole}.${part.padEnd(places, '0')}` : `$${whole}`;
}

function byName(rows, state, keys) {
    const what = state.by === 'model' ? 'model' : 'key';
    const named = rows.map(row => ({...row, id: String(row.model ?? row.api_key_id ?? ''), value: row[state.measure]}))
        .sort((a, b) => (b.value > a.value ? 1 : b.value < a.value ? -1 : 0));
    const colours = seriesColours(new Map(named.map(row => [row.id, row.value])));
    const all = total(rows);
    return rankChart({
        title: `${unitName(state.measure)} by ${what}`,
        summary: `${amountText(all[state.measure], state.measure)} over ${plural(all.requests, 'request')} and ${plural(named.length, what)}.`,
        rows: named.map(row => {
            const name = what === 'model' ? row.id : keys.name(row.id);
            return {name, href: write({...state, [what]: row.id}), colour: colours[row.id], value: row.value,
                text: `${amountText(row.value, state.measure)} · ${plural(row.requests, 'request')}`,
                cells: [name, count(row.requests), cellText(row.value, state.measure)]};
        }),
        columns: [{title: what === 'model' ? 'Model' : 'Key'}, {title: 'Requests', num: true}, {title: unitName(state.measure), num: true}],
    });
}

function switches(state, go) {
    const one = (name, value, text) => h('button', {type: 'button', class: 'btn small', 'aria-pressed': String(state[name] === value),
        on: {click: () => go({[name]: value, open: ''})}}, text);
    const group = (label, ...nodes) => h('div', {class: 'segments', role: 'group', 'aria-label': label}, nodes);
    return h('div', {class: 'row'},
        group('Measure', one('measure', 'spend', 'Spend'), one('measure', 'tokens', 'Tokens')),
        group('Group by', one('by', 'day', 'Day'), one('by', 'model', 'Model'), one('by', 'key', 'Key')));
}

export function usageCharts(place, state, keys, go) {
    // The sums know no request id: a chart beside one request would say something else.
    if (state.request) { replace(place); return; }
    const focused = place.contains(document.activeElement) ? document.activeElement.textContent : null;
    const body = h('div', {class: 'chart-card'});
    const node = card({title: 'Spend and tokens', class: 'charts', actions: switches(state, go)}, body);
    replace(place, node);
    if (focused) [...node.querySelectorAll('button')].find(b => b.textContent === focused)?.focus();
    load(body, async () => {
        const [reply] = await Promise.all([get(query('/api/usage/totals', {...filters(state), by: state.by})), keys.ready]);
        return reply.data.map(sums);
    }, rows => (rows.length === 0 ? empty('Nothing to draw', 'There was no request in this period.', null, 'chart-column')
        : state.by === 'day' ? byDay(rows, state) : byName(rows, state, keys)), {what: 'The sums could not be loaded.', lines: 6});
}
