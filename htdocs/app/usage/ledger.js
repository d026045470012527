// The other tab: every change of the balance with the balance after it, and the proof below that
// opening + in − out = closing. And the names of keys, which both tabs show.
import {get, query} from '/assets/api.js';
import {h, replace} from '/assets/dom.js';
import {balance, chargeText, exact, nano, plural, time} from '/assets/format.js';
import {badge, button, card, empty, facts, load, notice, table} from '/assets/parts.js';
import {bounds} from './filters.js';

// Names by id; revoked keys stay, because their history does.
export function keyNames() {
    const names = new Map();
    const ready = get('/api/keys').then(reply => {
        for (const key of reply.data) names.set(String(key.id), key);
    }).catch(() => null);
    const name = id => {
        const key = names.get(String(id));
        return key ? (key.kind === 'system' ? 'System Key' : key.name) : `Key ${id}`;
    };
    const node = id => h('span', {class: 'key-name truncate', title: names.get(String(id))?.masked ?? null}, name(id),
        names.get(String(id))?.revoked_at ? [' ', badge('revoked')] : null);
    return {ready, name, node, list: () => [...names.keys()].map(id => [id, name(id)])};
}

const kinds = {charge: 'Request', trial: 'Trial credit', topup: 'Top-up', reward: 'Check-in reward', adjust: 'Adjustment',
    clawback: 'Taken back after a refund', expire: 'Expired credit'};

const signed = value => `${value < 0n ? '−' : '+'}${chargeText(value < 0n ? -value : value)}`;

const amount = row => {
    const value = nano(row.amount);
    return h('span', {class: value < 0n ? 'num out' : 'num in', title: `${exact(value)} credit`}, signed(value));
};

function what(row) {
    const detail = row.kind === 'charge' ? [row.model_label ?? row.model ?? '', row.unlimited ? badge('Unlimited', 'accent') : null] : row.note;
    return h('span', {class: 'what'}, h('span', kinds[row.kind] ?? row.kind), detail ? h('span', {class: 'muted'}, detail) : null);
}

const reference = row => (row.request_id
    ? h('a', {href: `/app/usage/?open=${encodeURIComponent(row.request_id)}`, class: 'mono'}, `${row.request_id.slice(0, 12)}…`)
    : row.order_id ? h('a', {href: `/app/credit/return/?order=${encodeURIComponent(row.order_id)}`}, 'Order') : h('span', {class: 'muted'}, '–'));

const columns = [
    {title: 'Time', class: 'when', cell: row => time(row.created_at)},
    {title: 'What', cell: what},
    {title: 'Amount', num: true, cell: amount},
    {title: 'Balance after', num: true, class: 'roomy', cell: row => balance(row.balance_after)},
    {title: 'Reference', class: 'roomy', cell: reference},
];

// The four figures of the whole period, as the service states them, and whether they add up.
function proof(reply) {
    const {period} = reply;
    const [opening, into, out, closing] = [period.opening_balance, period.in, period.out, period.closing_balance].map(nano);
    const size = value => (value < 0n ? -value : value);
    const right = opening + into - size(out) === closing;
    const line = value => h('span', {class: 'num'}, exact(value));
    return h('div', {class: 'proof'}, facts([
        ['Opening balance', line(opening)], ['+ In', line(into)], ['− Out', line(size(out))], [h('strong', '= Closing balance'), h('strong', line(closing))]]),
    right ? h('p', {class: 'small muted'}, 'It adds up to the last decimal, over the whole period and not only the rows above.')
        : notice('danger', 'These figures do not add up. Please tell support the period and this page.'));
}

export function ledgerView(list, state, csv) {
    const place = h('div');
    replace(list, card({title: 'Ledger', actions: csv}, place));
    load(place, () => get(query('/api/ledger', {...bounds(state), limit: 50})), reply => {
        let rows = reply.data;
        const node = h('div', {class: 'stack'});
        const draw = last => replace(node,
            rows.length ? table({caption: 'Changes of the balance, newest first', columns, rows, phone: 'scroll'})
                : empty('No change of the balance', 'Nothing came in or went out in this period.', null, 'scroll-text'),
            h('div', {class: 'spread small muted'}, h('p', `${plural(rows.length, 'row')}, newest first.`),
                last.has_more ? button('Older', {kind: 'small', on: {click: async () => {
                    const next = await get(query('/api/ledger', {...bounds(state), limit: 50, before: last.next_before}));
                    rows = rows.concat(next.data);
                    draw(next);
                }}}) : null), proof(reply));
        draw(reply);
        return node;
    }, {what: 'The ledger could not be loaded.', lines: 8});
}
