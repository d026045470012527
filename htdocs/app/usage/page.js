import {get, query} from '/assets/api.js';
import {h, icon, replace} from '/assets/dom.js';
import {balance, charge, chargeText, count, exact, nano, plural, time} from '/assets/format.js';
import {badge, button, card, empty, load, table} from '/assets/parts.js';
import {app} from '/assets/shell.js';
import {usageCharts} from './charts.js';
import {keyNames, ledgerView} from './ledger.js';
import {bounds, filterForm, filters, read, write} from './filters.js';

const PAGE = 40;

const {main} = app({current: 'usage', title: 'Usage',
    lede: 'Every request and every change of your balance, from one ledger. Days are UTC.'});
const tabs = h('nav', {class: 'tabs', 'aria-label': 'View'});
const controls = h('div');
const charts = h('div');
const list = h('div', {class: 'stack'});
main.append(tabs, controls, charts, list);

let state = read();
const keys = keyNames();

// Goes to another view of the same page: the address has all of it.
function go(changes) {
    history.pushState(null, '', write({...state, ...changes}));
    show();
}

function openDrawer(event, row) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState(null, '', write({...state, open: row.request_id}));
    state = read();
    drawer(row);
}

async function drawer(row) {
    const {showRequest} = await import('./drawer.js');
    await showRequest(state.open, row, keys, () => {
        state = {...state, open: ''};
        history.replaceState(null, '', write(state));
    });
}

function flags(row) {
    return [
        row.premium ? badge('Premium', 'vip') : null,
        row.unlimited ? badge('Unlimited', 'accent', 'timer') : null,
        row.estimated ? badge('Estimated', 'warning') : null,
        row.cut ? badge('Cut short', 'warning') : null,
        row.status >= 400 ? badge(`Failed ${row.status}`, 'danger') : null,
    ].filter(Boolean);
}

// A category that nobody stated is not zero.
const tokens = (row, name) => (row.estimated && !row.usage[name] ? '–' : count(row.usage[name]));
const written = row => (row.estimated ? '–' : count(row.usage.cache_write_5m_tokens + row.usage.cache_write_1h_tokens));

const columns = [
    {title: 'Time', class: 'when', cell: row => h('a', {href: write({...state, open: row.request_id}),
        on: {click: event => openDrawer(event, row)}}, time(row.created_at))},
    {title: 'Model', cell: row => h('span', {class: 'model'},
        h('span', {title: row.model}, row.model_label ?? row.model), flags(row))},
    {title: 'Charge', num: true, cell: row => charge(row.charge)},
    {title: 'Balance after', num: true, cell: row => balance(row.balance_after)},
    {title: 'Input', num: true, cell: row => tokens(row, 'input_tokens')},
    {title: 'Cache read', num: true, cell: row => tokens(row, 'cache_read_tokens')},
    {title: 'Cache written', num: true, cell: written},
    {title: 'Output', num: true, cell: row => tokens(row, 'output_tokens')},
    {title: 'Key', cell: row => keys.node(row.api_key_id)},
];

const filtered = () => state.model || state.key || state.request || state.range !== '30d';

function nothing() {
    if (filtered())
        return empty('Nothing matches', 'No request of this account fits these filters.',
            button('Clear filters', {on: {click: () => go({range: '30d', from: '', to: '', model: '', key: '', request: ''})}}), 'list-filter');
    return empty('No requests in the last 30 days', 'Requests show up here within a second of their end, with tokens and charge.',
        h('a', {class: 'btn primary', href: '/app/setup/'}, 'Set up a client'));
}

function csv(href) {
    return h('a', {class: 'btn', href, download: ''}, icon('download'), h('span', 'CSV'));
}

function requests(first) {
    let rows = first.data;
    const node = h('div', {class: 'stack'});
    const older = async before => {
        const next = await get(query('/api/usage', {...filters(state), limit: PAGE, before}));
        rows = rows.concat(next.data);
        draw(next);
    };
    const draw = last => {
        if (rows.length === 0) { replace(node, nothing()); return; }
        const sum = rows.reduce((all, row) => all + nano(row.charge), 0n);
        replace(node, table({caption: 'Requests, newest first', columns, rows, phone: 'scroll'}),
            h('div', {class: 'spread small muted'},
                h('p', {title: `${exact(sum)} credit`}, `${plural(rows.length, 'request')}, newest first; together ${chargeText(sum)} credit.`),
                last.has_more ? button('Older', {kind: 'small', on: {click: () => older(last.next_before)}}) : null));
    };
    draw(first);
    return node;
}

function showRequests() {
    const place = h('div');
    replace(list, card({title: 'Requests', actions: csv(query('/api/usage.csv', filters(state)))}, place));
    load(place, async () => {
        const [page] = await Promise.all([get(query('/api/usage', {...filters(state), limit: PAGE})), keys.ready]);
        return page;
    }, requests, {what: 'Usage could not be loaded.', lines: 8});
}

function showTabs() {
    const tab = (view, text) => h('a', {href: write({...state, view, open: ''}), 'aria-current': state.view === view ? 'page' : null,
        on: {click: event => { event.preventDefault(); go({view, open: ''}); }}}, text);
    replace(tabs, tab('requests', 'Requests'), tab('ledger', 'Ledger'));
}

function show() {
    const before = state;
    state = read();
    const same = ['view', 'range', 'from', 'to', 'model', 'key', 'request'].every(k => state[k] === before[k]);
    if (same && list.childElementCount) {
        if (state.by !== before.by || state.measure !== before.measure) usageCharts(charts, state, keys, go);
        if (!state.open) document.querySelector('dialog[open]')?.close();
        return;
    }
    showTabs();
    replace(controls, filterForm(state, keys, go));
    if (state.view === 'ledger') {
        replace(charts);
        ledgerView(list, state, csv(query('/api/ledger.csv', bounds(state))));
    } else {
        usageCharts(charts, state, keys, go);
        showRequests();
    }
}

addEventListener('popstate', show);
show();
if (state.open) drawer(null);
