// The view as the address has it: filters survive reload, Back and being sent to a colleague.

const ranges = ['today', '7d', '30d', '90d', 'all', 'custom'];
const pick = (value, list) => (list.includes(value) ? value : list[0]);
const day = text => (/^\d{4}-\d\d-\d\d$/.test(text ?? '') ? text : '');

export function read(search = location.search) {
    const p = new URLSearchParams(search);
    const from = day(p.get('from'));
    const to = day(p.get('to'));
    const range = from || to ? 'custom' : pick(p.get('range') ?? '30d', ranges);
    return {
        view: pick(p.get('view'), ['requests', 'ledger']), range: range === 'custom' && !from && !to ? '30d' : range, from, to,
        model: p.get('model') ?? '', key: /^\d{1,18}$/.test(p.get('key') ?? '') ? p.get('key') : '',
        request: p.get('request') ?? p.get('request_id') ?? '', open: p.get('open') ?? '',
        by: pick(p.get('by'), ['day', 'model', 'key']), measure: pick(p.get('measure'), ['spend', 'tokens']),
    };
}

const usual = {view: 'requests', range: '30d', by: 'day', measure: 'spend'};

export function write(state) {
    const p = new URLSearchParams();
    for (const [name, value] of Object.entries(state))
        if (value && value !== usual[name] && !(name === 'range' && value === 'custom')) p.set(name, value);
    const text = p.toString();
    return text ? `?${text}` : '/app/usage/';
}

const DAY = 86400000;
export const utcDay = ms => new Date(ms).toISOString().slice(0, 10);
const midnight = text => Date.parse(`${text}T00:00:00Z`);

// First and last day (UTC, both included) of a range, or nothing where it is open.
export function days(state, now = Date.now()) {
    const today = utcDay(now);
    const back = {today: 0, '7d': 6, '30d': 29, '90d': 89}[state.range];
    if (back !== undefined) return {first: utcDay(midnight(today) - back * DAY), last: today};
    if (state.range === 'custom') return {first: state.from, last: state.to};
    return {first: '', last: ''};
}

// The same as the service's `from` (at or after) and `to` (before).
export function bounds(state) {
    const {first, last} = days(state);
    return {from: first ? `${first}T00:00:00Z` : '',
        to: last && state.range === 'custom' ? `${utcDay(midnight(last) + DAY)}T00:00:00Z` : ''};
}

export const filters = state =>
    ({...bounds(state), model: state.model, api_key_id: state.key, request_id: state.request});

// All days from first to last: a day without a row is a day with nothing, and shown as that.
export function everyDay(first, last) {
    const list = [];
    for (let at = midnight(first); at <= midnight(last) && list.length < 400; at += DAY) list.push(utcDay(at));
    return list;
}
