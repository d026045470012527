// Confirms an address, by a button: a mail scanner that opens links confirms nothing.
import {post} from '/assets/api.js';
import {$, h, replace} from '/assets/dom.js';
import {balanceText, spanText, time} from '/assets/format.js';
import {sentNote, takeToken} from '/assets/gate.js';
import {busy, button, facts, field, form, linkButton, notice, requestId} from '/assets/parts.js';
import {preference, site} from '/assets/shell.js';

const {main} = site({current: 'verify'});
const place = h('div', {class: 'stack'});
main.append(place);

const title = $('h1');
title.tabIndex = -1;

function enter(path, text) {
    const href = preference('signed-in') === '1' ? path : `/signin/?next=${encodeURIComponent(path)}`;
    return linkButton(text, href, {kind: 'primary wide', icon: 'terminal'});
}

const fullDate = value => new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'long', year: 'numeric'}).format(new Date(value));

function showDone(result) {
    replace(title, 'Address confirmed');
    const {trial} = result;
    replace(place, h('div', {class: 'card stack'},
        h('p', {class: 'wrap-anywhere'}, h('strong', result.email), ' is yours.'),
        trial ? facts([
            ['Trial credit', `${balanceText(trial.credit)} credit`],
            ['Ends', time(trial.expires_at, fullDate)],
            trial.unlimited_seconds ? ['Unlimited', `${spanText(trial.unlimited_seconds)}, not started`] : null,
        ]) : null,
        trial?.unlimited_seconds ? h('p', {class: 'muted small'}, 'The Unlimited clock begins with your first billable request, not now.') : null,
        trial ? enter('/app/setup/', 'Set up a client') : enter('/app/', 'Go to the dashboard')));
    title.focus();
}

// Another link: asked for by address, answered the same for any address.
function another(why) {
    const spot = h('div', {class: 'card stack'});
    replace(spot, form({submit: 'Send a new link', fields: [
        field({label: 'E-mail', name: 'email', type: 'email', autocomplete: 'email', required: true, maxlength: 254}),
    ], send: async values => {
        await post('/api/auth/resend', values, {signIn: false});
        replace(spot, h('p', 'If an account waits for this address to be confirmed, a new link is on its way. Older links no longer work.'),
            sentNote(values.email));
    }}));
    replace(place, why, spot);
}

function invalid() {
    replace(title, 'This link does not work');
    another(notice('danger', 'It has been used, is too old, or a newer one was sent.'));
    title.focus();
}

function ask(token) {
    const problem = h('div');
    const go = button('Confirm', {kind: 'primary wide', icon: 'check', on: {click: () => busy(go, async () => {
        try {
            showDone(await post('/api/auth/verify', {token}, {signIn: false}));
        } catch (error) {
            if (error.status >= 400 && error.status < 500 && error.status !== 429)
                invalid();
            else
                replace(problem, notice('danger', [error.message, requestId(error.requestId)]));
        }
    })}});
    replace(place, h('div', {class: 'card stack'}, h('p', 'You opened the link from our mail. One press, and the address is confirmed.'), problem, go));
}

const token = takeToken();
if (token) ask(token);
else another(notice('info', 'Open the link of the mail to confirm your address. Should it be lost or too old, ask for another one.'));
