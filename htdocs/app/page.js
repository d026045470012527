// Overview: what there is, what it was spent on, and what to do next.
import {get} from '/assets/api.js';
import {h, icon, replace} from '/assets/dom.js';
import {agoText, balance, balanceText, charge, chargeText, count, countdown, dayText, exact, nano, plural, short, spanText,
    time, tokensIn} from '/assets/format.js';
import {badge, button, card, empty, facts, linkButton, load, notice, table} from '/assets/parts.js';
import {app} from '/assets/shell.js';

const REFRESH_MS = 5000;
const {main, actions, account, onAccount, refresh} = app({current: 'overview', title: 'Overview', account: 'me'});

const next = h('div', {class: 'stack'});
const credit = h('div', {class: 'stack'});
const access = h('div');
const spend = h('div');
const requests = h('div');
const paceLine = h('p', {class: 'muted small pace'});
const updated = h('span', {class: 'muted small'}, 'Loading the figures…');
const latest = {me: null, summary: null};
next.dataset.loaded = 'no';
main.append(next,
    h('div', {class: 'split'},
        h('div', {class: 'wallet-side'},
            card({title: 'Credit', actions: linkButton('Add credit', '/app/credit/', {kind: 'small', icon: 'plus'})}, credit),
            h('section', {class: 'stack', 'aria-label': 'Spend'}, spend)),
        card({title: 'Access', class: 'access-card'}, access)),
    card({title: 'Last requests', actions: linkButton('All usage', '/app/usage/', {kind: 'quiet small'})}, requests));

//// The one thing to do next

function nextStep(me, used) {
    if (me.status !== 'active')
        return notice('danger', 'This account is suspended: requests are refused with 429. Write to support.');
    if (!me.email && !me.pending_email)
        return notice('info', ['This account has no e-mail address: no mail can be sent when credit runs low, and a lost password cannot be replaced.'],
            linkButton('Add one', '/app/account/', {kind: 'small', icon: 'mail'}));
    if (!me.email_verified)
        return notice('accent', [h('p', h('strong', 'Verify your e-mail address.')),
            h('p', 'It unlocks $5.00 trial credit, for 30 days from the day the account was made, and 15 Unlimited minutes that start with your first billable request, not now.')],
        button('Send the mail again', {kind: 'small', icon: 'mail', on: {click: event => resend(event.currentTarget, me)}}));
    if (used === false)
        return notice('accent', [h('p', h('strong', 'Send your first request.')), h('p', 'One command sets up your coding client; the page shows the request as it arrives.')],
            linkButton('Set up a client', '/app/setup/', {kind: 'primary small', icon: 'terminal'}));
    if (nano(me.wallet.available) <= 0n && me.unlimited?.state !== 'active')
        return notice('warning', [h('p', h('strong', 'Out of credit.')), h('p', 'Requests are refused with 402. They are not sent to a model and cost nothing.')],
            linkButton('Add credit', '/app/credit/', {kind: 'primary small', icon: 'plus'}));
    if (me.checkin?.eligible && !me.checkin.checked_in_today)
        return notice('info', ['Day ', String(me.checkin.day), ' of your check-in path is open until 00:00 UTC.'],
            linkButton('Check in', '/app/checkin/', {kind: 'small', icon: 'calendar-check'}));
    return null;
}

async function resend(node, me) {
    const {post} = await import('/assets/api.js');
    const {busy} = await import('/assets/parts.js');
    const {toast} = await import('/assets/shell.js');
    await busy(node, async () => {
        try {
            await post('/api/auth/resend', {email: me.pending_email ?? me.email});
            toast('Sent, if the address is right. Look into your spam folder too.');
        } catch (error) {
            toast(error.message, 'danger');
        }
    });
}

//// Credit by lot

const lotNames = {trial: ['Trial credit', 'Trial credits'], topup: ['Top-up', 'Top-ups'], reward: ['Check-in reward', 'Check-in rewards'],
    adjust: ['Adjustment', 'Adjustments']};

// The lots of one kind are one line, which says when the first of them ends. Page Credit lists each.
function lotRow(kind, lots) {
    const ending = lots.filter(lot => lot.expires_at).sort((a, b) => a.expires_at.localeCompare(b.expires_at))[0];
    const several = lots.length > 1;
    return [[lotNames[kind]?.[several ? 1 : 0] ?? kind, ending
        ? h('span', {class: 'muted'}, several ? ` · ${balanceText(ending.remaining)} ends ` : ' · ends ', time(ending.expires_at, dayText)) : null],
    balance(lots.reduce((sum, lot) => sum + nano(lot.remaining), 0n))];
}

// How long the credit lasts at the week's pace; silent while there is too little to tell it from.
function pace() {
    if (!latest.me || !latest.summary) return;
    const week = latest.summary.last_7_days;
    const spent = nano(week.charge);
    if (week.active_days < 3 || spent <= 0n || nano(latest.me.wallet.available) <= 0n) { replace(paceLine); return; }
    const days = Number(nano(latest.me.wallet.available) * 7n / spent);
    replace(paceLine, `${days > 365 ? 'More than a year' : days < 1 ? 'Less than a day' : `About ${plural(days, 'day')}`} at this week’s pace`);
}

function creditPart(wallet) {
    const kinds = new Map();
    for (const lot of wallet.lots ?? [])
        if (nano(lot.remaining) > 0n) kinds.set(lot.kind, [...kinds.get(lot.kind) ?? [], lot]);
    const rows = [...kinds].map(([kind, lots]) => lotRow(kind, lots));
    if (nano(wallet.held) > 0n)
        rows.push([['Held by running requests', h('span', {class: 'muted'}, ' · settled when they end')],
            h('span', {class: 'num'}, '− ', charge(wallet.held))]);
    return [h('div', h('p', {class: 'balance'}, balance(wallet.available), ' ', h('span', {class: 'unit'}, 'credit available')), paceLine),
        rows.length > 0 ? facts(rows) : null];
}

//// Access: Unlimited, VIP, check-in

function unlimitedRow(unlimited) {
    if (!unlimited || unlimited.state === 'none') return [badge('None'), 'Some days of the check-in path give minutes of it.'];
    const open = unlimited.benefits?.find(one => one.state === unlimited.state);
    const span = open ? spanText(open.duration_seconds) : '';
    if (unlimited.state === 'not_started')
        return [badge('Not started', 'info', 'timer'), `${span}. The clock begins with your first billable request.`];
    if (unlimited.state === 'active')
        return [h('span', {class: 'badge accent'}, icon('timer'), h('span', {class: 'num', data: {countdown: ''}}, countdown(unlimited.remaining_seconds)), h('span', ' left')),
            `Requests cost no credit. Two at a time; a third gets 429. ${plural(unlimited.connections?.active ?? 0, 'connection')} now.`];
    return [badge('Expired', '', 'clock'), 'Requests are paid from credit again.'];
}

function accessRow(name, state, text) {
    return h('div', {class: 'access-row'}, h('div', {class: 'spread'}, h('h3', name), state), text ? h('p', {class: 'muted small'}, text) : null);
}

function accessPart(me) {
    const {vip, checkin} = me;
    return h('div', {class: 'access'},
        accessRow('Unlimited', ...unlimitedRow(me.unlimited)),
        accessRow('VIP endpoint', vip?.entitled ? badge('Active', 'vip', 'crown') : badge('Not included'),
            vip?.entitled ? ['Until ', time(vip.expires_at), '. ', h('a', {href: '/app/vip/'}, 'Set it up')]
                : 'A top-up of $250 or more may activate it for 30 days.'),
        checkin ? accessRow('Daily check-in', checkin.checked_in_today ? badge('Done today', 'positive', 'check')
            : checkin.eligible ? badge(`Day ${checkin.day} open`, 'info') : badge('Not open'),
        checkin.eligible ? [h('a', {href: '/app/checkin/'}, 'See the path')]
            : [`Opens at ${balanceText(checkin.minimum)} credit; ${balanceText(checkin.shortfall)} to go.`]) : null);
}

//// Spend and the last requests

const spendFigure = (title, sum) => h('a', {class: 'figure', href: '/app/usage/'},
    h('span', {class: 'label'}, title),
    h('span', {class: 'figure-value num', title: `${exact(sum.charge)} credit`}, chargeText(sum.charge)),
    h('span', {class: 'muted small'}, plural(sum.requests, 'request')),
    h('span', {class: 'muted small'}, `${short(tokensIn(sum.usage) + sum.usage.output_tokens)} tokens`));

const spendPart = summary => h('div', {class: 'figures'}, spendFigure('Spent today (UTC)', summary.today),
    spendFigure('Last 7 days', summary.last_7_days), spendFigure('Last 30 days', summary.last_30_days));

const state = row => (row.status >= 400 ? badge(`Failed ${row.status}`, 'danger')
    : row.cut ? badge('Cut off', 'warning') : row.client_left ? badge('Client left', 'warning') : badge('Done', 'positive'));

function requestsPart(list) {
    if (list.data.length === 0)
        return empty('No requests yet', 'Each request to a model appears here within seconds, with what it cost.',
            linkButton('Set up a client', '/app/setup/', {icon: 'terminal'}), 'receipt-text');
    return table({caption: 'Last requests', rows: list.data, columns: [
        {title: 'Model', cell: row => [row.model_label ?? row.model, row.premium ? [' ', badge('Premium', 'vip')] : null]},
        {title: 'When', cell: row => time(row.created_at, agoText)},
        {title: 'Result', cell: state},
        {title: 'Tokens in', num: true, class: 'roomy', cell: row => count(tokensIn(row.usage))},
        {title: 'Tokens out', num: true, class: 'roomy', cell: row => count(row.usage.output_tokens)},
        {title: 'Charge', num: true, cell: row => [charge(row.charge), row.unlimited ? h('span', {class: 'muted'}, ' Unlimited') : null, row.estimated ? h('span', {class: 'muted', title: 'The upstream reported no usage; tokens were counted here.'}, ' est.') : null]},
    ]});
}

//// Keeping it fresh

let lastSeq = null;
let busyNow = null;

async function loadFigures() {
    const [summary, list] = await Promise.all([
        load(spend, () => get('/api/summary'), spendPart, {what: 'Spend could not be loaded.'}),
        load(requests, () => get('/api/usage?limit=8'), requestsPart, {what: 'Requests could not be loaded.', lines: 6}),
    ]);
    replace(updated, 'Updated ', time(new Date().toISOString(), agoText));
    latest.summary = summary ?? latest.summary;
    pace();
    const seq = list?.data[0]?.seq ?? 0;
    const changed = lastSeq !== null && list !== null && seq !== lastSeq;
    if (list !== null) lastSeq = seq;
    return changed;
}

function renew() {
    busyNow ??= loadFigures().then(changed => (changed ? refresh() : null)).finally(() => { busyNow = null; });
    return busyNow;
}

onAccount(me => {
    latest.me = me;
    pace();
    replace(credit, creditPart(me.wallet));
    replace(access, accessPart(me));
    replace(next, nextStep(me, lastSeq === null ? null : lastSeq > 0));
});
actions.append(updated, button('Refresh', {icon: 'refresh-cw', on: {click: () => { renew(); refresh(); }}}));
await load(credit, () => account, me => creditPart(me.wallet), {what: 'Your credit could not be loaded.'});
await renew();
account.then(me => replace(next, nextStep(me, lastSeq > 0))).catch(() => {}).finally(() => { next.dataset.loaded = 'yes'; });
setInterval(() => { if (!document.hidden) renew(); }, REFRESH_MS);
document.addEventListener('visibilitychange', () => { if (!document.hidden) renew(); });
