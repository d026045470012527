// What the pages before signing in share: links of mails, and sending another mail.
import {post} from '/assets/api.js';
import {h, replace} from '/assets/dom.js';
import {clockText} from '/assets/format.js';
import {button, busy, notice} from '/assets/parts.js';

// The token of a mailed link stands in the fragment, which no server ever sees. It is taken out of
// the address at once, so that it is not in the history either.
export function takeToken() {
    const token = new URLSearchParams(location.hash.slice(1)).get('t');
    if (location.hash) history.replaceState(null, '', location.pathname);
    return token;
}

// The same link again in this tab, or another one, changes nothing but the fragment.
addEventListener('hashchange', () => location.reload());

// "m•••@example.org"
export function maskedAddress(email) {
    const at = email.lastIndexOf('@');
    return at < 1 ? email : `${[...email][0]}•••${email.slice(at)}`;
}

const WAIT_SECONDS = 45;

// "Sent to m•••@example.org at 10:42. Not there? [Send again in 45 s]". The service answers the same
// whether it knows the address or not, so this says no more than that.
export function sentNote(email, {path = '/api/auth/resend', change = null} = {}) {
    const when = h('strong', clockText(new Date()));
    const problem = h('div');
    const again = button('', {kind: 'small', on: {click: () => {
        if (left > 0) return;
        busy(again, async () => {
            try {
                await post(path, {email}, {signIn: false});
                replace(when, clockText(new Date()));
                replace(problem);
                wait();
            } catch (error) {
                replace(problem, notice('danger', error.message));
            }
        });
    }}});
    let left = 0;
    const show = () => {
        replace(again, h('span', left > 0 ? `Send again in ${left} s` : 'Send again'));
        again.setAttribute('aria-disabled', String(left > 0));
    };
    const wait = () => {
        left = WAIT_SECONDS;
        show();
        const timer = setInterval(() => {
            left -= 1;
            show();
            if (left <= 0) clearInterval(timer);
        }, 1000);
    };
    wait();
    return h('div', {class: 'stack'},
        h('p', 'Sent to ', h('strong', {class: 'wrap-anywhere'}, maskedAddress(email)), ' at ', when, '.'),
        h('p', {class: 'muted small'}, 'Not there? Look into your spam folder, and check the address.'),
        problem, h('div', {class: 'row'}, again, change));
}
