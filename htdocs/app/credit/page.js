import {get, post} from '/assets/api.js';
import {$, h, icon, newId, replace} from '/assets/dom.js';
import {agoText, balance, balanceText, cash, dayText, exact, momentText, nano, time} from '/assets/format.js';
import {badge, busy, card, choices, empty, facts, failure, load, notice, requestId, table} from '/assets/parts.js';
import {app} from '/assets/shell.js';

const {main, account, onAccount, refresh} = app({current: 'credit', title: 'Credit',
    lede: 'Credit pays for requests here. One credit buys one dollar of provider list price; it is not cash and cannot be paid out.'});
const now = h('section', {class: 'card', 'aria-label': 'Balance'});
const buy = card({title: 'Top up', class: 'topup'}, h('div', {id: 'topup'}));
const lots = card({title: 'What the balance is made of'}, h('div'));
const orders = card({title: 'Top-ups and receipts'}, h('div'));
main.append(h('div', {class: 'split wallet'}, now, buy, lots), orders);

const bodyOf = section => section.lastElementChild;
for (const place of [now, bodyOf(lots)]) place.dataset.loaded = 'no';

//// Balance and lots

const kinds = {trial: 'Trial credit', topup: 'Top-up', reward: 'Check-in reward', adjust: 'Adjustment'};

function mode(state) {
    const unlimited = state.unlimited?.state;
    if (unlimited === 'active') return 'An Unlimited window is running: requests cost no credit now.';
    if (unlimited === 'not_started') return 'Unlimited time is waiting; it starts with your first billable request.';
    return nano(state.wallet.available) > 0n ? 'Requests are paid from this balance.' : 'Requests are refused with 402 until there is credit.';
}

function showBalance(state) {
    const {wallet} = state;
    const held = nano(wallet.held);
    const ending = (wallet.lots ?? []).filter(lot => lot.expires_at && nano(lot.remaining) > 0n)
        .sort((a, b) => a.expires_at.localeCompare(b.expires_at))[0];
    replace(now, h('p', {class: 'label'}, 'Available'),
        h('p', {class: 'balance', title: `${exact(wallet.available)} credit`}, balanceText(wallet.available), ' ', h('span', {class: 'unit'}, 'credit')),
        h('p', {class: 'muted small'}, mode(state)),
        ending ? h('p', {class: 'small'}, `${balanceText(ending.remaining)} of it is ${(kinds[ending.kind] ?? ending.kind).toLowerCase()} and ends ${dayText(ending.expires_at)}.`) : null,
        held > 0n ? h('p', {class: 'small muted'}, `${balanceText(held)} more is held for requests that are running.`) : null);
}

function showLots(state) {
    const list = (state.wallet.lots ?? []).filter(lot => nano(lot.remaining) > 0n);
    replace(bodyOf(lots), list.length === 0
        ? empty('No credit', 'A top-up, the trial or a check-in reward adds some.', null, 'coins')
        : table({caption: 'Parts of the balance', phone: 'narrow', rows: list, columns: [
            {title: 'Source', cell: lot => kinds[lot.kind] ?? lot.kind},
            {title: 'Left', num: true, cell: lot => balance(lot.remaining)},
            {title: 'Of', num: true, class: 'roomy', cell: lot => balance(lot.granted)},
            {title: 'Ends', cell: lot => (lot.expires_at ? h('span', time(lot.expires_at, momentText), h('span', {class: 'muted aside'}, ` (${agoText(lot.expires_at)})`)) : 'never')}]}),
    list.length > 1 ? h('p', {class: 'card-foot'}, 'What ends first is spent first.') : null);
}

onAccount(state => { lots.hidden = false; showBalance(state); showLots(state); });
account.catch(error => { lots.hidden = true; replace(now, failure(error, 'The balance could not be loaded.', refresh)); })
    .finally(() => { for (const place of [now, bodyOf(lots)]) place.dataset.loaded = 'yes'; });

//// Top-up: cash in, credit out, at the service's own quote

// "249.99" -> 24999, without a floating-point number; null for what is no amount of money.
export function cents(text) {
    const match = /^\s*\$?\s*(\d{1,7})(?:[.,](\d{1,2}))?\s*$/.exec(text);
    return match ? Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : null;
}

const decimal = amount => `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;

function quoteText(quote) {
    const credit = `${balanceText(quote.credit)}`;
    const edge = quote.one_cent_more;
    return [
        h('p', {class: 'quote-line'}, 'You pay ', h('strong', {class: 'num'}, cash(quote.amount_cents, quote.currency)), ' · You receive ',
            h('strong', {class: 'num', title: `${exact(quote.credit)} credit`}, `${credit} credit`), ' · rate ', h('strong', {class: 'num'}, `×${quote.rate}`)),
        quote.vip ? h('p', {class: 'quote-vip'}, icon('crown'), 'This top-up may activate 30 days of VIP Premium Server access if your account qualifies.') : null,
        edge ? h('p', {class: 'quote-edge'}, icon('info'), h('span', `One cent more loads ${balanceText(edge.credit)} credit: the rate is ×${edge.rate} from ${cash(quote.amount_cents + 1, quote.currency)}.`)) : null,
    ];
}

function topup(options) {
    const ladder = [...options.rates].sort((a, b) => a.from_cents - b.from_cents);
    const edge = ladder.at(-1);
    const presets = [500, 2000, 5000, 10000, edge.from_cents, 50000].filter((c, i, all) =>
        c >= options.minimum_cents && c <= options.maximum_cents && all.indexOf(c) === i);
    const wanted = cents(new URLSearchParams(location.search).get('amount') ?? '');
    const errorId = newId('error');
    const amount = h('input', {class: 'input num', id: newId('amount'), name: 'amount', inputmode: 'decimal', autocomplete: 'off',
        value: decimal(wanted ?? 5000), 'aria-describedby': errorId});
    const error = h('p', {class: 'field-error', id: errorId, hidden: true});
    const quote = h('div', {class: 'quote', 'aria-live': 'polite'});
    const pay = h('button', {type: 'submit', class: 'btn primary wide'}, icon('credit-card'), h('span', 'Continue to payment'));
    const problem = h('div', {class: 'slot'});
    let known = null;
    let asked = 0;
    let click = null; // names what the button would buy: pressed twice, it is still one order

    const say = text => {
        replace(error, icon('circle-alert'), text);
        error.hidden = false;
        amount.setAttribute('aria-invalid', 'true');
        replace(quote, h('p', {class: 'muted'}, 'No quote for this amount.'));
        known = null;
    };
    const ask = async () => {
        const value = cents(amount.value);
        const mine = ++asked;
        if (value === null) { say('Type an amount such as 25 or 249.99.'); return; }
        if (value < options.minimum_cents) { say(`The smallest top-up is ${cash(options.minimum_cents, options.currency)}.`); return; }
        if (value > options.maximum_cents) { say(`The largest top-up is ${cash(options.maximum_cents, options.currency)}.`); return; }
        try {
            const reply = await post('/api/wallet/quote', {amount_cents: value});
            if (mine !== asked) return;
            known = reply;
            error.hidden = true;
            amount.removeAttribute('aria-invalid');
            replace(quote, quoteText(reply));
        } catch (failure) {
            if (mine === asked) say(failure.status === 422 ? Object.values(failure.fields)[0] ?? failure.message : `No quote: ${failure.message}`);
        }
        mark(value);
    };
    let timer = null;
    amount.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(ask, 250); });
    const buttons = presets.map(value => h('button', {type: 'button', class: 'btn preset', data: {cents: value}, 'aria-pressed': 'false',
        on: {click: () => { amount.value = decimal(value); ask(); }}}, h('span', {class: 'num'}, cash(value, options.currency).replace(/\.00$/, '')),
    h('span', {class: 'muted small'}, `×${[...ladder].reverse().find(r => value >= r.from_cents)?.rate}`)));
    const mark = value => { for (const b of buttons) b.setAttribute('aria-pressed', String(Number(b.dataset.cents) === value)); };

    const providers = options.payment_providers.map(p => (typeof p === 'string' ? {id: p, name: p} : {id: p.id ?? p.name, name: p.title ?? p.label ?? p.name ?? p.id}));
    const names = {stripe: 'Card (Stripe)', sandbox: 'Test payment'};
    let provider = providers[0]?.id;
    const send = () => busy(pay, async () => {
        clearTimeout(timer);
        if (!known || known.amount_cents !== cents(amount.value)) await ask();
        if (!known) { amount.focus(); return; }
        try {
            const wish = `${provider} ${known.amount_cents}`;
            if (click?.wish !== wish) click = {wish, id: [...crypto.getRandomValues(new Uint8Array(16))].map(b => b.toString(16).padStart(2, '0')).join('')};
            const checkout = await post(`/api/wallet/${encodeURIComponent(provider)}/checkout`, {amount_cents: known.amount_cents}, {headers: {'Idempotency-Key': click.id}});
            const url = new URL(checkout.url, location.origin);
            if (url.protocol !== 'https:' && url.origin !== location.origin) throw new Error('The payment page has no safe address.');
            location.assign(url.href);
            await new Promise(resolve => setTimeout(resolve, 10000)); // the page is leaving: stay busy
        } catch (failure) {
            replace(problem, notice('danger', [h('p', `No payment was started, nothing was charged: ${failure.message}`), requestId(failure.requestId)]));
        }
    });
    const form = h('form', {method: 'post', novalidate: true, on: {submit: event => { event.preventDefault(); send(); }}}, problem,
        h('div', {class: 'presets', role: 'group', 'aria-label': 'Amounts'}, buttons),
        h('div', {class: 'field'}, h('label', {for: amount.id}, `Amount in ${options.currency.toUpperCase()}`), amount, error),
        providers.length > 1 ? choices({legend: 'Pay with', name: 'provider', value: provider, change: value => { provider = value; },
            options: providers.map(p => ({value: p.id, title: names[p.id] ?? p.name}))}) : null,
        quote, pay,
        h('p', {class: 'hint'}, `${ladder.map((r, i) => `${cash(r.from_cents, options.currency)}${i + 1 < ladder.length ? ` to ${cash(ladder[i + 1].from_cents - 1, options.currency)}` : ' or more'} loads ×${r.rate}`).join('; ')}. `,
            'Paid once; nothing renews by itself.'));
    ask();
    return form;
}

load($('#topup'), () => get('/api/wallet/options'), options => (options.payment_providers.length ? topup(options)
    : empty('Top-up is not set up here', 'The operator of this service has not connected a payment provider.', null, 'credit-card')),
{what: 'The ways to pay could not be loaded.', lines: 6});

//// Orders

// The sandbox's page is of this site; its address is shown as a path, which links may have.
const local = url => { const at = new URL(url, location.origin); return at.origin === location.origin ? at.pathname + at.search : at.href; };

const states = {pending: ['Waiting for payment', 'info'], paid: ['Paid', 'positive'], failed: ['Not paid', 'danger'], expired: ['Expired', ''],
    refunded: ['Refunded', 'warning'], partly_refunded: ['Partly refunded', 'warning'], disputed: ['Disputed', 'danger']};
// An order that waits can still be paid, on the page that was made for it.
const payLink = order => (order.status === 'pending' && order.url ? h('a', {href: local(order.url)}, 'Pay') : null);
const orderLink = order => `/app/credit/return/?order=${encodeURIComponent(order.id)}`;

load(bodyOf(orders), () => get('/api/orders'), reply => (reply.data.length === 0
    ? empty('No top-up yet', 'Each top-up and its receipt will be listed here.', null, 'receipt-text')
    : table({caption: 'Top-ups', phone: 'cards', rows: reply.data, columns: [
        {title: 'Started', cell: order => h('a', {href: orderLink(order)}, time(order.created_at))},
        {title: 'Cash', num: true, cell: order => h('span', order.paid_at ? cash(order.amount_cents, order.currency) : h('span', {class: 'muted'}, cash(order.amount_cents, order.currency)),
            order.refunded_cents ? h('span', {class: 'muted'}, ` (${cash(order.refunded_cents, order.currency)} back)`) : null)},
        {title: 'Credit', num: true, cell: order => (order.paid_at ? balance(order.credit) : h('span', {class: 'muted'}, '–'))},
        {title: 'Rate', num: true, cell: order => `×${order.rate}`},
        {title: 'State', cell: order => h('span', {class: 'row'}, badge(...(states[order.status] ?? [order.status, ''])), order.under_review ? badge('Under review', 'warning') : null)},
        {title: 'Receipt', cell: order => (order.receipt_url ? h('a', {href: order.receipt_url, rel: 'noreferrer noopener', target: '_blank'}, 'Receipt')
            : payLink(order) ?? h('span', {class: 'muted'}, '–'))},
    ]})), {what: 'The top-ups could not be loaded.'});
