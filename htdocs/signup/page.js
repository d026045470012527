import {post} from '/assets/api.js';
import {$, h, replace} from '/assets/dom.js';
import {sentNote} from '/assets/gate.js';
import {button, facts, field, form, linkButton, passwordField} from '/assets/parts.js';
import {prefer, site} from '/assets/shell.js';

const {main} = site({current: 'signup'});
const place = h('div', {class: 'stack'});

const unlocks = () => facts([
    ['Trial credit', '$5.00, for 30 days'],
    ['Unlimited', '15 minutes, from your first request'],
]);

// The account is there; signing in with what was just typed spares a second form. When that fails
// the link to the sign-in page does.
async function signIn(username, password) {
    try {
        await post('/api/auth/login', {username, password}, {signIn: false});
        prefer('signed-in', '1');
        return linkButton('Go to the dashboard', '/app/', {kind: 'wide'});
    } catch {
        return linkButton('Sign in', '/signin/', {kind: 'wide'});
    }
}

async function register(values) {
    await post('/api/auth/register', values, {signIn: false});
    const enter = await signIn(values.username, values.password);
    const title = $('h1');
    replace(title, 'Check your mail');
    title.tabIndex = -1;
    const change = button('Change the address', {kind: 'quiet small', on: {click: () => start(values)}});
    replace(place, h('div', {class: 'card stack'},
        h('p', 'Open the link in the mail and press the button there. It unlocks:'), unlocks(),
        h('hr'), sentNote(values.email, {change}), enter));
    title.focus();
}

function start(values = {}) {
    replace($('h1'), 'Create your account');
    replace(place,
        h('div', {class: 'card'}, form({submit: 'Create account', send: register, fields: [
            field({label: 'Username', name: 'username', autocomplete: 'username', required: true, minlength: 3,
                maxlength: 32, autocapitalize: 'none', spellcheck: 'false', value: values.username ?? '',
                hint: 'For signing in. Letters, digits, dot, dash and underscore.'}),
            field({label: 'E-mail', name: 'email', type: 'email', autocomplete: 'email', required: true,
                maxlength: 254, value: values.email ?? '', hint: 'Gets a link that unlocks your trial credit.'}),
            passwordField({label: 'Password', name: 'password', autocomplete: 'new-password', minlength: 10,
                maxlength: 256, hint: 'Ten characters or more. A few words together are good.'}),
        ]})),
        h('p', {class: 'gate-foot'}, 'Have an account? ', h('a', {href: '/signin/'}, 'Sign in')));
    $('[name=username]', place).focus();
}

main.append(place);
start();
