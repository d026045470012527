// Account: who you are here, what you are told of, and where you are signed in.
import {del, get, post, put} from '/assets/api.js';
import {$, $$, h, icon, replace} from '/assets/dom.js';
import {agoText, exact, time} from '/assets/format.js';
import {badge, button, busy, card, choices, confirm, facts, field, form, load, notice, passwordField, table, toggle} from '/assets/parts.js';
import {app, prefer, preference, setTheme, toast} from '/assets/shell.js';

const {main, account, refresh, onAccount} = app({current: 'account', title: 'Account', account: 'me'});

const profile = h('div');
const email = h('div', {class: 'stack'});
const password = h('div');
const alerts = h('div');
const sessions = h('div');

main.append(
    h('div', {class: 'grid-2'}, card({title: 'Profile'}, profile), card({title: 'Preferences'}, preferences())),
    h('div', {class: 'grid-2'}, card({title: 'E-mail address'}, email), card({title: 'Password'}, password)),
    card({title: 'Low-credit mail'}, alerts),
    card({title: 'Sessions', actions: button('Sign out others', {kind: 'small', icon: 'log-out', on: {click: endOthers}})}, sessions));

//// Profile and preferences

const profilePart = me => facts([
    ['Username', me.username],
    ['E-mail', me.email ? [me.email, ' ', me.email_verified ? badge('Confirmed', 'positive', 'check') : badge('Not confirmed', 'warning')] : '–'],
    me.pending_email ? ['Waiting to be confirmed', me.pending_email] : null,
    ['Member since', time(me.created_at)],
    ['State', me.status === 'active' ? 'Active' : badge('Suspended', 'danger')],
]);

function preferences() {
    const pick = (legend, name, options, value, change) => choices({legend, name, options, value, change});
    return h('div', {class: 'stack preferences'},
        pick('Theme', 'theme', [{value: '', title: 'System', icon: 'monitor'}, {value: 'light', title: 'Light', icon: 'sun'},
            {value: 'dark', title: 'Dark', icon: 'moon'}], preference('theme') ?? '', value => setTheme(value || null)),
        pick('Times', 'zone', [{value: '', title: 'My time zone', icon: 'clock'}, {value: 'utc', title: 'UTC', icon: 'globe'}],
            preference('zone') ?? '', value => { prefer('zone', value || null); refresh(); loadSessions(); }),
        h('div', {class: 'row'},
            toggle('Compact tables', preference('density') === 'compact', on => {
                prefer('density', on ? 'compact' : null);
                if (on) document.documentElement.dataset.density = 'compact';
                else delete document.documentElement.dataset.density;
            }),
            toggle('Hide secrets', preference('hide-secrets') !== 'no', on => prefer('hide-secrets', on ? null : 'no'))),
        h('p', {class: 'hint'}, 'Kept in this browser.'));
}

//// E-mail and password: both ask for the password again

function emailPart() {
    const note = h('div', {role: 'status'});
    const node = form({submit: 'Send the confirmation', kind: '', wide: false, fields: [
        field({label: 'New address', name: 'email', type: 'email', autocomplete: 'email', required: true, maxlength: 254,
            hint: 'Takes effect when you open the link we send there. The old address is told.'}),
        passwordField({label: 'Current password', name: 'password', autocomplete: 'current-password', maxlength: 1024}),
    ], send: async values => {
        await post('/api/auth/email', values, {signIn: false});
        node.reset();
        replace(note, notice('positive', ['Sent to ', h('strong', {class: 'wrap-anywhere'}, values.email), '. The address changes when its link is opened.']));
        refresh();
    }, say: error => wrongPassword(node, 'password', error)});
    return [node, note];
}

function wrongPassword(node, name, error) {
    if (error.status !== 401 && error.status !== 403) return null;
    $(`[name=${name}]`, node).value = '';
    return 'The current password is not right.';
}

function passwordPart() {
    const note = h('div', {role: 'status'});
    const node = form({submit: 'Change the password', kind: '', wide: false, fields: [
        passwordField({label: 'Current password', name: 'current_password', autocomplete: 'current-password', maxlength: 1024}),
        passwordField({label: 'New password', name: 'new_password', autocomplete: 'new-password', minlength: 10, maxlength: 256,
            hint: 'Ten characters or more. Your other sessions end; keys work as before.'}),
    ], send: async values => {
        await post('/api/auth/password', values, {signIn: false});
        node.reset();
        replace(note, notice('positive', 'Changed. Your other sessions have ended.'));
        loadSessions();
    }, say: error => wrongPassword(node, 'current_password', error)});
    return [node, note];
}

//// Alerts

function alertsPart(state) {
    const values = state.thresholds.map(one => exact(one).replaceAll(',', ''));
    const input = h('input', {class: 'input', name: 'thresholds', value: values.join(', '), inputmode: 'text', autocomplete: 'off', placeholder: 'None'});
    return form({submit: 'Save', kind: '', wide: false, fields: [
        h('p', {class: 'muted'}, 'One mail each time your credit falls below one of these amounts. Nothing is charged by itself, ever.'),
        field({label: 'Thresholds, in credit', name: 'thresholds', input, hint: 'Several with commas between, such as 5, 1. Empty: no mail.'}),
    ], send: async typed => {
        const thresholds = typed.thresholds.split(/[\s,;]+/).filter(Boolean);
        replace(alerts, alertsPart(await put('/api/alerts', {thresholds})));
        toast(thresholds.length > 0 ? 'Saved.' : 'Saved: no mail is sent.');
    }});
}

//// Sessions

// "Chrome on Linux" out of what a browser says of itself; what is not known is shown as it came.
function browserText(agent) {
    if (!agent) return 'Unknown program';
    const name = [[/Edg\//, 'Edge'], [/OPR\//, 'Opera'], [/Firefox\//, 'Firefox'], [/Chrome\//, 'Chrome'], [/Safari\//, 'Safari']]
        .find(([pattern]) => pattern.test(agent))?.[1];
    const system = [[/iPhone|iPad/, 'iOS'], [/Android/, 'Android'], [/Windows/, 'Windows'], [/Mac OS X/, 'macOS'], [/Linux|X11/, 'Linux']]
        .find(([pattern]) => pattern.test(agent))?.[1];
    return name ? `${name}${system ? ` on ${system}` : ''}` : agent.slice(0, 80);
}

async function endOne(one) {
    const body = h('p', 'That browser must sign in again. Keys are not affected.');
    const title = `Sign out ${browserText(one.user_agent)}?`;
    if (await confirm({title, body, action: 'Sign out', act: () => del(`/api/auth/sessions/${one.id}`)})) {
        toast('Signed out.');
        loadSessions();
    }
}

async function endOthers() {
    const body = h('p', 'Every browser but this one must sign in again. Keys are not affected.');
    if (await confirm({title: 'Sign out all others?', body, action: 'Sign out others', act: () => del('/api/auth/sessions')})) {
        toast('All other sessions have ended.');
        loadSessions();
    }
}

const sessionsPart = list => table({caption: 'Sessions', rows: list.data, columns: [
    {title: 'Browser', cell: one => [h('span', {title: one.user_agent}, browserText(one.user_agent)), one.current ? [' ', badge('This one', 'accent')] : null]},
    {title: 'Address', cell: one => one.address ?? '–'},
    {title: 'Signed in', cell: one => time(one.created_at)},
    {title: 'Last seen', cell: one => time(one.last_seen_at, agoText)},
    {title: 'Ends', cell: one => time(one.expires_at)},
    {title: 'Actions', hidden: true, class: 'actions-cell', cell: one => (one.current ? null
        : h('button', {type: 'button', class: 'btn quiet small danger-text', 'aria-label': `Sign out ${browserText(one.user_agent)}`, on: {click: () => endOne(one)}}, 'Sign out'))},
]});

const loadSessions = () => load(sessions, () => get('/api/auth/sessions'), sessionsPart, {what: 'Sessions could not be loaded.', lines: 3});

replace(email, emailPart());
replace(password, passwordPart());
load(profile, () => account, profilePart, {what: 'Your profile could not be loaded.', lines: 4});
onAccount(me => replace(profile, profilePart(me)));
load(alerts, () => get('/api/alerts'), alertsPart, {what: 'The thresholds could not be loaded.'});
loadSessions();
