// The view as the address has it: filters survive reload, Back and being sent to a colleague. And the
// filter bar, which changes the address and nothing else.
import {$, h, newId, replace} from '/assets/dom.js';
import {button} from '/assets/parts.js';

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

//// The bar

function labelled(text, control) {
    control.id = newId('filter');
    return h('div', {class: 'field'}, h('label', {for: control.id}, text), control);
}

const select = (name, options, value, change) => h('select', {class: 'input', name,
    on: {change: event => change(event.target.value)}},
options.map(([v, text]) => h('option', {value: v, selected: v === value}, text)));

const periods = [['today', 'Today (UTC)'], ['7d', 'Last 7 days'], ['30d', 'Last 30 days'], ['90d', 'Last 90 days'],
    ['all', 'All time'], ['custom', 'From … to …']];

export function filterForm(state, keys, go) {
    const dates = h('div', {class: 'dates', hidden: state.range !== 'custom'},
        ['from', 'to'].map(name => labelled(name === 'from' ? 'First day' : 'Last day', h('input', {class: 'input', type: 'date', name, value: state[name],
            on: {change: event => { if (event.target.value) go({range: 'custom', [name]: event.target.value}); }}}))));
    const pickRange = value => {
        dates.hidden = value !== 'custom';
        if (value === 'custom') $('input', dates).focus();
        else go({range: value, from: '', to: ''});
    };
    const range = labelled('Period', select('range', periods, state.range, pickRange));
    const form = h('form', {class: 'filters', role: 'search', 'aria-label': 'Filter', method: 'get', on: {submit: event => {
        event.preventDefault();
        go({model: $('[name=model]', form).value.trim(), request: $('[name=request]', form).value.trim()});
    }}}, range, dates);
    if (state.view === 'ledger') return form;

    const key = select('key', [['', 'All keys']], '', value => go({key: value}));
    keys.ready.then(() => replace(key, [['', 'All keys'], ...keys.list()].map(([v, text]) =>
        h('option', {value: v, selected: v === state.key}, text))));
    // Enter changes the field and submits the form: only what it is still good for happens.
    const later = () => setTimeout(() => { if (form.isConnected) form.requestSubmit(); });
    const text = (label, name, attributes) => labelled(label, h('input', {class: 'input', name, value: state[name], spellcheck: 'false',
        autocapitalize: 'none', autocomplete: 'off', on: {change: later}, ...attributes}));
    form.append(text('Model', 'model', {placeholder: 'any', maxlength: 127}), labelled('Key', key),
        text('Request id', 'request', {placeholder: 'req_…', maxlength: 64}),
        h('button', {type: 'submit', class: 'visually-hidden', tabindex: -1}, 'Apply'));
    if (state.model || state.key || state.request || state.range !== '30d')
        form.append(button('Clear', {kind: 'quiet', icon: 'x', on: {click: () => go({range: '30d', from: '', to: '', model: '', key: '', request: ''})}}));
    return form;
}
