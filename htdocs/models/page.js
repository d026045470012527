import {get} from '/assets/api.js';
import {h, icon, replace} from '/assets/dom.js';
import {clockText, count} from '/assets/format.js';
import {badge, copyButton, empty, load} from '/assets/parts.js';
import {preference, site} from '/assets/shell.js';

const {main} = site({current: 'models'});
const place = h('div', {class: 'card models'});
main.append(place);

const names = {image: 'Images', pdf: 'PDF', tools: 'Tools', structured: 'Structured output', reasoning: 'Reasoning'};

// "10" and "1.25" as numbers of micro-credits, to sort by; absent ones last.
const micro = text => { const [whole, part = ''] = String(text ?? '').split('.'); return text === null || text === undefined ? null : BigInt(whole) * 1000000n + BigInt(part.padEnd(6, '0').slice(0, 6)); };
// "10" -> "$10.00", "0.125" -> "$0.125": every decimal there is, two at least.
const price = text => { if (text === null || text === undefined) return h('span', {class: 'muted'}, '–'); const [whole, part = ''] = String(text).split('.'); return `$${whole}.${part.padEnd(2, '0')}`; };

function capabilities(model) {
    if (model.capabilities === null || model.capabilities === undefined) return h('span', {class: 'muted'}, 'not stated');
    const known = model.capabilities.filter(name => names[name]);
    return known.length ? h('ul', {class: 'caps'}, known.map(name => h('li', badge(names[name])))) : h('span', {class: 'muted'}, 'text');
}

function nameCell(model) {
    return h('div', {class: 'model-name'},
        h('span', {class: 'row'}, h('code', model.id), copyButton(() => model.id, {label: `Copy ${model.id}`, quiet: true, done: 'Model id copied.'})),
        h('span', {class: 'row small'}, model.label && model.label !== model.id ? h('span', model.label) : null,
            model.premium ? badge('Premium', 'vip') : null,
            model.alias_of ? h('span', {class: 'muted'}, 'alias, now ', h('code', model.alias_of)) : null));
}

const columns = [
    {id: 'id', title: 'Model', cell: nameCell, sort: m => m.id},
    ...[['input', 'Input'], ['cache_read', 'Cache read'], ['cache_write_5m', 'Cache write 5 min'], ['cache_write_1h', 'Cache write 1 h'], ['output', 'Output']]
        .map(([id, title]) => ({id, title, num: true, cell: m => price(m.prices?.[id]), sort: m => micro(m.prices?.[id])})),
    {id: 'context', title: 'Context', num: true, cell: m => (m.context ? count(m.context) : h('span', {class: 'muted'}, 'not stated')), sort: m => (m.context ? BigInt(m.context) : null)},
    {id: 'caps', title: 'Takes', cell: capabilities},
    {id: 'try', title: 'Try', hidden: true, cell: m => (preference('signed-in') ? h('a', {href: `/app/playground/?model=${encodeURIComponent(m.id)}`, 'aria-label': `Try ${m.id}`}, 'Try') : null)},
];

const compare = (a, b) => (a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1);

function show(models) {
    const state = {by: null, down: false};
    const body = h('tbody');
    const heads = columns.map(c => h('th', {scope: 'col', class: c.num ? 'right' : null, 'aria-sort': c.sort ? 'none' : null},
        c.hidden ? h('span', {class: 'visually-hidden'}, c.title)
            : c.sort ? h('button', {type: 'button', on: {click: () => sort(c)}}, c.title, icon('arrow-down', 'sort')) : c.title));
    const fill = rows => replace(body, rows.map(m => h('tr', columns.map((c, i) =>
        h(i ? 'td' : 'th', {scope: i ? null : 'row', class: c.num ? 'right num' : c.hidden ? 'actions-cell' : null, data: {title: c.title}}, c.cell(m))))));
    const sort = column => {
        state.down = state.by === column.id && !state.down;
        state.by = column.id;
        heads.forEach((head, i) => { if (columns[i].sort) head.setAttribute('aria-sort', columns[i].id !== column.id ? 'none' : state.down ? 'descending' : 'ascending'); });
        fill([...models].sort((a, b) => { const [x, y] = [column.sort(a), column.sort(b)];
            return x === null || y === null ? compare(x, y) : state.down ? compare(y, x) : compare(x, y); }));
    };
    fill(models);
    return [h('div', {class: 'table-wrap', tabindex: 0, role: 'region', 'aria-label': 'Models and prices'},
        h('table', {class: 'table cards'}, h('caption', {class: 'visually-hidden'}, 'Models with prices in credit per million tokens'), h('thead', h('tr', heads)), body)),
    h('p', {class: 'card-foot'}, `Credit per million tokens, as of ${clockText(Date.now())}. One credit buys one dollar of provider list price, and $1 loads $10 of credit. `,
        'Context and capabilities are those of the model behind an alias now; the destination of an alias may change.')];
}

load(place, () => get('/api/models'), reply => (reply.data.length ? show(reply.data)
    : empty('No model yet', 'The operator of this service has not added one.', null, 'boxes')), {what: 'The models could not be loaded.', lines: 8});
