import {get, post} from '/assets/api.js';
import {h, icon, replace} from '/assets/dom.js';
import {balance, balanceText, clockText, countdown, exact, nano, spanText, utcText} from '/assets/format.js';
import {button, busy, card, linkButton, load, notice, requestId} from '/assets/parts.js';
import {announce, app} from '/assets/shell.js';

const {main, refresh} = app({current: 'checkin', title: 'Daily Check-in',
    lede: 'Fifteen days, up to $80 of credit. Days begin at 00:00 UTC.'});
const today = card({title: 'Today'}, h('div'));
const path = card({title: 'The path'}, h('div'));
main.append(today, path);
const bodyOf = section => section.lastElementChild;

const words = {claimed: 'Claimed', today: 'Today', free_pass: 'Free Pass used', upcoming: 'Upcoming', missed: 'Missed'};
const icons = {claimed: 'circle-check', today: 'gift', free_pass: 'shield-check', upcoming: 'circle-dashed', missed: 'circle-x'};
const benefitText = benefit => (benefit ? `${spanText(benefit.seconds)} Unlimited` : null);

function cell(day, state) {
    const kind = day.state === 'today' && state.checked_in_today ? 'upcoming' : day.state;
    const next = kind === 'upcoming' && state.checked_in_today && day.day === state.day + 1 ? 'Next' : null;
    return h('li', {class: `day ${next ? 'next' : kind}`, 'aria-current': day.state === 'today' ? 'step' : null},
        h('span', {class: 'day-name'}, `Day ${day.day}`),
        h('span', {class: 'day-reward num', title: `${exact(day.reward)} credit`}, nano(day.reward) > 0n ? balanceText(day.reward) : '–'),
        h('span', {class: 'day-benefit small'}, benefitText(day.benefit) ?? ' '),
        h('span', {class: 'day-state small'}, icon(icons[kind] ?? 'circle'), h('span', next ?? words[kind] ?? kind)));
}

function nextTime(state) {
    const node = h('span', {class: 'num'});
    const show = () => { node.textContent = countdown((Date.parse(state.next_at) - Date.now()) / 1000); };
    const timer = setInterval(() => { if (node.isConnected) show(); else clearInterval(timer); }, 1000);
    show();
    return h('p', {title: utcText(state.next_at)}, 'Next at 00:00 UTC (', clockText(state.next_at).slice(0, 5), ' for you), in ', node, '.');
}

const passText = state => (state.free_pass_available
    ? 'Your Free Pass is unused: it covers one missed day, once.' : 'Your Free Pass is used.');

function action(state) {
    if (state.checked_in_today) return [h('p', {class: 'done'}, icon('circle-check'), 'Checked in today.'), nextTime(state)];
    const due = state.path.find(day => day.state === 'today') ?? state.path.find(day => day.day === state.day);
    if (!state.eligible) {
        const have = balanceText(state.minimum ? nano(state.minimum) - nano(state.shortfall) : 0n);
        return [notice('warning', [h('p', h('strong', `${balanceText(roundUp(state.shortfall))} more credit is needed. `),
            `Check-in is for accounts with at least ${balanceText(state.minimum)} credit; you have ${have}.`)], linkButton('Top up', '/app/credit/', {kind: 'primary'}))];
    }
    const problem = h('div', {class: 'slot'});
    const reward = [due && nano(due.reward) > 0n ? `${balanceText(due.reward)} credit` : null, benefitText(due?.benefit)].filter(Boolean).join(' and ');
    const go = button(`Check in for ${reward || 'today'}`, {kind: 'primary', icon: 'calendar-check', on: {click: () => busy(go, async () => {
        try {
            const done = await post('/api/checkin', {});
            show(done.state, done);
            announce(`Checked in. Day ${done.day}.`);
            refresh();
        } catch (error) {
            // Another tab may have been first: what is true now comes from the service.
            if (error.status === 409) { reload(); return; }
            replace(problem, notice('danger', [error.message, requestId(error.requestId)]));
        }
    })}});
    return [h('p', `Day ${due?.day ?? state.day} of 15`, state.streak ? `, ${state.streak} in a row so far.` : '.'), problem, h('div', go)];
}

// A shortfall is rounded up to the cent: $0.004 too little is not $0.00 too little.
const roundUp = amount => (nano(amount) + 9999999n) / 10000000n * 10000000n;

function show(state, done = null) {
    replace(bodyOf(today), h('div', {class: 'stack'},
        done ? h('p', {class: 'reward'}, 'Day ', done.day, ': ', h('strong', balance(done.reward), ' credit'), done.benefit ? ` and ${benefitText(done.benefit)}` : '', '. Balance now ',
            h('strong', balance(done.balance), ' credit'), '.', done.free_pass_used ? ' The Free Pass covered a missed day.' : '') : null,
        action(state),
        state.warning ? notice('warning', state.warning) : null));
    replace(bodyOf(path), h('ol', {class: 'days', 'aria-label': 'Fifteen days'}, state.path.map(day => cell(day, state))),
        h('p', {class: 'card-foot'}, passText(state), ' Two missed days in a row start the path again at Day 1.'));
}

function reload() {
    return load(bodyOf(today), () => get('/api/checkin'), state => { queueMicrotask(() => show(state)); return null; },
        {what: 'The check-in could not be loaded.'});
}
reload();
// A new day may have begun while nobody looked.
document.addEventListener('visibilitychange', () => { if (!document.hidden) reload(); });
