// One request, all of it: how its tokens became its charge.
import {get, query} from '/assets/api.js';
import {h, replace} from '/assets/dom.js';
import {balanceText, count, exact, nano, time} from '/assets/format.js';
import {badge, copyButton, dialog, facts, failure, notice, skeleton} from '/assets/parts.js';

const categories = [['input_tokens', 'input', 'Input'], ['cache_read_tokens', 'cache_read', 'Cache read'],
    ['cache_write_5m_tokens', 'cache_write_5m', 'Cache written, 5 min'], ['cache_write_1h_tokens', 'cache_write_1h', 'Cache written, 1 h'],
    ['output_tokens', 'output', 'Output']];

// "1.25" credits a million tokens -> pico-credits a token
const pico = rate => { const [whole, part = ''] = String(rate).split('.'); return BigInt(whole) * 1000000n + BigInt(part.padEnd(6, '0').slice(0, 6)); };

// nano-credits with three more decimals: what the tokens cost before it is rounded up once.
function fine(value) {
    const text = String(value).padStart(13, '0');
    const part = text.slice(-12).replace(/0+$/, '').padEnd(2, '0');
    return `${text.slice(0, -12)}.${part}`;
}

function bill(row) {
    const used = categories.filter(([name, rate]) => row.usage[name] > 0 && row.rates?.[rate] !== undefined && row.rates[rate] !== null);
    const parts = used.map(([name, rate, text]) => ({text, tokens: row.usage[name], rate: row.rates[rate], cost: BigInt(row.usage[name]) * pico(row.rates[rate])}));
    const sum = parts.reduce((all, part) => all + part.cost, 0n);
    const charged = nano(row.charge);
    const nanos = (sum + 999n) / 1000n;
    return h('div', {class: 'table-wrap', tabindex: 0, role: 'region', 'aria-label': 'Tokens times rate'}, h('table', {class: 'table bill'},
        h('caption', {class: 'visually-hidden'}, 'Tokens times rate'),
        h('thead', h('tr', h('th', {scope: 'col'}, 'Category'), ['Tokens', 'Credit per 1M', 'Credit'].map(t => h('th', {scope: 'col', class: 'right'}, t)))),
        h('tbody', parts.map(p => h('tr', h('th', {scope: 'row'}, p.text), h('td', {class: 'right num'}, count(p.tokens)),
            h('td', {class: 'right num'}, exact(p.rate)), h('td', {class: 'right num'}, fine(p.cost))))),
        h('tfoot', charged !== nanos && charged === 0n && sum > 0n ? h('tr', h('th', {scope: 'row', colspan: 3}, 'Covered by Unlimited'), h('td', {class: 'right num'}, `−${fine(sum)}`)) : null,
            h('tr', h('th', {scope: 'row', colspan: 3}, 'Charge, rounded up once'), h('td', {class: 'right num'}, exact(charged))))));
}

const plainTokens = row => facts(categories.map(([name, , text]) => [text, row.estimated && !row.usage[name] ? '–' : count(row.usage[name])]));

function detail(row, keys) {
    const ms = value => (value === null || value === undefined ? '–' : `${count(value)} ms`);
    return [
        h('div', {class: 'row'}, badge(row.family), row.streamed ? badge('Streamed') : null, row.premium ? badge('Premium', 'vip') : null,
            row.unlimited ? badge('Unlimited', 'accent', 'timer') : null, row.status >= 400 ? badge(`Failed ${row.status}`, 'danger') : null),
        row.rates ? bill(row) : plainTokens(row),
        row.usage.reasoning_tokens ? h('p', {class: 'small muted'}, `${count(row.usage.reasoning_tokens)} tokens of the output are reasoning.`) : null,
        row.estimated ? notice('warning', 'The model service stated no usage. The tokens were counted here.') : null,
        row.cut ? notice('warning', 'The answer ended before its time. What came was charged.') : null,
        row.client_left ? notice('info', 'The client left before the end. What had been produced was charged.') : null,
        facts([
            ['Charge', h('span', {class: 'num'}, `${exact(row.charge)} credit`)],
            ['Balance after', h('span', {class: 'num', title: exact(row.balance_after)}, balanceText(row.balance_after))],
            ['Time', time(row.created_at)],
            ['Model asked for', h('code', row.model)],
            row.model_label ? ['Label', row.model_label] : null,
            ['Answered by', h('code', row.served_by)],
            ['Key', keys.name(row.api_key_id)],
            ['Status', String(row.status)],
            ['First byte', ms(row.first_byte_ms)],
            ['Whole', ms(row.total_ms)],
            ['Request id', h('span', {class: 'row'}, h('code', row.request_id), copyButton(() => row.request_id,
                {label: 'Copy request id', quiet: true, done: 'Request id copied.'}))],
        ]),
    ];
}

export async function showRequest(id, row, keys, onClose) {
    const place = h('div', {class: 'stack'}, row ? detail(row, keys) : skeleton(6));
    dialog({title: 'Request', body: place, wide: true, onClose});
    try {
        // Asked for again even if the list had it: this reply has the rates of its time.
        const [reply] = await Promise.all([get(query('/api/usage', {request_id: id})), keys.ready]);
        const full = reply.data[0];
        replace(place, full ? detail(full, keys) : notice('warning', 'This account has no finished request with that id. One that is still running, or cost nothing because it failed, has no row.'));
    } catch (error) {
        if (!row) replace(place, failure(error, 'The request could not be loaded.'));
    }
}
