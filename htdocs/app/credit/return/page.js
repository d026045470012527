import {get} from '/assets/api.js';
import {h, icon, replace} from '/assets/dom.js';
import {balanceText, cash, exact, time} from '/assets/format.js';
import {button, empty, facts, failure, linkButton, notice} from '/assets/parts.js';
import {announce, app} from '/assets/shell.js';

// What is shown hangs on the order's state at the service alone. Whatever else the payment page
// wrote into the address is not looked at.
const {main, refresh} = app({current: 'credit', title: 'Top-up'});
const place = h('section', {class: 'card', 'aria-label': 'State of this top-up'});
main.append(place);
const id = new URLSearchParams(location.search).get('order');

const EVERY = [1, 2, 3, 5, 8];  // seconds until the next look; then every 15 up to 5 minutes
const SLOW = 15;
const GIVE_UP = 300;

const orderFacts = order => facts([
    [order.paid_at ? 'You paid' : 'Amount', h('span', {class: 'num'}, cash(order.amount_cents, order.currency))],
    ['Credit', h('span', {class: 'num', title: exact(order.credit)}, `${balanceText(order.credit)} credit`)], ['Rate', `×${order.rate}`], ['Started', time(order.created_at)],
    order.paid_at ? ['Paid', time(order.paid_at)] : null,
    order.disputed_cents ? ['Disputed', cash(order.disputed_cents, order.currency)] : null,
    order.refunded_cents ? ['Paid back', cash(order.refunded_cents, order.currency)] : null,
    ['Order', h('code', String(order.id))],
    order.receipt_url ? ['Receipt', h('a', {href: order.receipt_url, rel: 'noreferrer noopener', target: '_blank'}, 'Open')] : null]);

function say(kind, name, title, text, order, ...more) {
    const fresh = place.dataset.state !== title;
    place.dataset.state = title;
    if (fresh) announce(`${title}. ${typeof text === 'string' ? text : ''}`);
    replace(place, h('div', {class: `state ${kind}`}, icon(name), h('h2', title), h('p', {class: 'muted'}, text), more), orderFacts(order));
}

const again = () => linkButton('Back to Credit', '/app/credit/');
const other = {
    failed: ['circle-x', 'Not paid', 'The payment did not go through and nothing was charged here.'],
    expired: ['clock', 'Not paid', 'The payment page expired before a payment. Nothing was charged.'],
    refunded: ['rotate-ccw', 'Refunded', 'The payment was given back and its credit taken out.'],
    partly_refunded: ['rotate-ccw', 'Partly refunded', 'Part of the payment was given back and its credit taken out.'],
    disputed: ['triangle-alert', 'Disputed', 'The payment is disputed at the provider; its credit is on hold.'],
};

function settled(order) {
    if (order.status === 'paid') {
        say('', 'circle-check', 'Credited', `${balanceText(order.credit)} credit is in your balance.`, order,
            h('div', {class: 'row'}, linkButton('Open Usage', '/app/usage/?view=ledger'), again()));
        refresh();
        return;
    }
    const [name, title, text] = other[order.status] ?? ['info', order.status, ''];
    say('', name, title, text, order, again());
}

const pending = (order, waited) => say('', 'loader-circle', 'Confirming with the payment provider', waited < GIVE_UP
    ? 'Payment received by the provider is usually here in under a minute. Do not pay again.'
    : 'This takes longer than usual. It is safe to leave: the credit arrives by itself, and we e-mail you.', order,
waited < GIVE_UP ? null : h('div', {class: 'row'}, button('Look again', {icon: 'refresh-cw', on: {click: () => poll(0, 0)}}), again()));

async function poll(step, waited) {
    let order = null;
    try {
        order = await get(`/api/orders/${encodeURIComponent(id)}`);
    } catch (error) {
        if (error.status === 404 || error.status === 422) {
            replace(place, empty('No such order', 'This account has no order with that number.', again(), 'search'));
            return;
        }
        if (!place.dataset.state) replace(place, failure(error, 'The state of the payment is not known right now.'));
    }
    if (order && order.status !== 'pending') { settled(order); return; }
    if (order) pending(order, waited);
    if (waited >= GIVE_UP) return;
    const wait = EVERY[step] ?? SLOW;
    setTimeout(() => poll(step + 1, waited + wait), wait * 1000);
}

if (id) poll(0, 0);
else replace(place, notice('info', 'This page shows one top-up.', linkButton('All top-ups', '/app/credit/')));
