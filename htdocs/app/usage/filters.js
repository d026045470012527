// The filter bar. It changes the address, nothing else.
import {$, h, newId, replace} from '/assets/dom.js';
import {button} from '/assets/parts.js';

function labelled(text, control) {
    control.id = newId('filter');
    return h('div', {class: 'field'}, h('label', {for: control.id}, text), control);
}

const select = (name, options, value, change) => h('select', {class: 'input', name,
    on: {change: event => change(event.target.value)}},
options.map(([v, text]) => h('option', {value: v, selected: v === value}, text)));

const ranges = [['today', 'Today (UTC)'], ['7d', 'Last 7 days'], ['30d', 'Last 30 days'], ['90d', 'Last 90 days'],
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
    const range = labelled('Period', select('range', ranges, state.range, pickRange));
    const form = h('form', {class: 'filters', role: 'search', 'aria-label': 'Filter', method: 'get', on: {submit: event => {
        event.preventDefault();
        go({model: $('[name=model]', form).value.trim(), request: $('[name=request]', form).value.trim()});
    }}}, range, dates);
    if (state.view === 'ledger') return form;

    const key = select('key', [['', 'All keys']], '', value => go({key: value}));
    keys.ready.then(() => replace(key, [['', 'All keys'], ...keys.list()].map(([v, text]) =>
        h('option', {value: v, selected: v === state.key}, text))));
    const text = (label, name, attributes) => labelled(label, h('input', {class: 'input', name, value: state[name], spellcheck: 'false',
        autocapitalize: 'none', autocomplete: 'off', on: {change: () => form.requestSubmit()}, ...attributes}));
    form.append(text('Model', 'model', {placeholder: 'any', maxlength: 127}), labelled('Key', key),
        text('Request id', 'request', {placeholder: 'req_…', maxlength: 64}),
        h('button', {type: 'submit', class: 'visually-hidden'}, 'Apply'));
    if (state.model || state.key || state.request || state.range !== '30d')
        form.append(button('Clear', {kind: 'quiet', icon: 'x', on: {click: () => go({range: '30d', from: '', to: '', model: '', key: '', request: ''})}}));
    return form;
}
