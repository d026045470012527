// The front page: prices as the ledger has them, and a request worked out with them.
import {get} from '/assets/api.js';
import {$, $$, h, replace} from '/assets/dom.js';
import {chargeText, exact, nano} from '/assets/format.js';
import {badge, load, table} from '/assets/parts.js';
import {site} from '/assets/shell.js';

site({current: 'home'});
for (const node of $$('[data-base]')) node.textContent = location.origin + node.dataset.base;

const MILLION = 1000000n;
// As the ledger does it: exact, rounded up once.
const upToNano = (value, unit) => (value + unit - 1n) / unit;

const lines = [
    ['input', 'New input', 12000], ['cache_read', 'Cached input', 48000], ['output', 'Output', 1500],
];

const price = text => `$${exact(text)}`;
const nameOf = model => model.label ?? (model.alias_of ? `${model.id} (managed)` : model.id);

// One request in figures: tokens times rate for each category, and the sum.
function receipt(models) {
    const choice = h('select', {class: 'input', 'aria-label': 'Model'},
        models.map(model => h('option', {value: model.id}, nameOf(model))));
    const sum = h('output', {class: 'num'});
    const note = h('p', {class: 'receipt-note'});
    const rows = lines.map(([category, text, tokens]) => {
        const id = `tokens-${category}`;
        const input = h('input', {id, class: 'input', inputmode: 'numeric', value: String(tokens), maxlength: 9, autocomplete: 'off'});
        const rate = h('small');
        const amount = h('span', {class: 'num'});
        return {category, input, rate, amount, node: h('div', {class: 'receipt-line'},
            h('label', {for: id}, text, rate), input, amount)};
    });
    const show = () => {
        const model = models.find(one => one.id === choice.value);
        let total = 0n;
        for (const row of rows) {
            const tokens = BigInt(row.input.value.replace(/\D/g, '') || 0);
            const rate = nano(model.prices[row.category]) ?? 0n;
            row.rate.textContent = `${price(model.prices[row.category])} per million`;
            row.amount.textContent = chargeText(upToNano(tokens * rate, MILLION));
            total += tokens * rate;
        }
        const charged = upToNano(total, MILLION);
        replace(sum, chargeText(charged));
        sum.title = `${exact(charged)} credit`;
        replace(note, `In cash that is about ${chargeText(charged / 10n)} when $1 loads $10.`);
    };
    const node = h('div', {on: {input: show}},
        h('div', {class: 'receipt-head'}, h('strong', 'One request'), choice),
        h('div', {class: 'receipt-lines'}, rows.map(row => row.node)),
        h('div', {class: 'receipt-sum'}, h('span', 'Credit charged'), sum), note);
    show();
    return node;
}

const cell = name => model => price(model.prices[name]);

const priceTable = models => table({caption: 'Prices in credit per million tokens', rows: models, columns: [
    {title: 'Model', cell: model => [nameOf(model), model.premium ? [' ', badge('Premium', 'vip')] : null]},
    {title: 'Input', num: true, cell: cell('input')},
    {title: 'Cached input', num: true, cell: cell('cache_read')},
    {title: 'Cache write 5 min', num: true, cell: cell('cache_write_5m')},
    {title: 'Cache write 1 h', num: true, cell: cell('cache_write_1h')},
    {title: 'Output', num: true, cell: cell('output')},
]});

const list = get('/api/models', {signIn: false}).then(reply => reply.data);
const place = $('#receipt');
load($('#price-table'), () => list, priceTable, {what: 'Prices could not be loaded.', lines: 5});
load(place, () => list, models => {
    const managed = models.filter(model => model.alias_of);
    return receipt([...managed, ...models.filter(model => !model.alias_of)]);
}, {what: 'Prices could not be loaded.', lines: 6});
