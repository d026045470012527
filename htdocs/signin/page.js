import {post} from '/assets/api.js';
import {$, h} from '/assets/dom.js';
import {field, form, notice, passwordField} from '/assets/parts.js';
import {prefer, site} from '/assets/shell.js';

// Where to go after signing in: a path of this site and nothing else.
export function nextAddress(text) {
    if (!text || !/^\/(?![/\\])/.test(text) || /[\\\u0000-\u001f]/.test(text)) return '/app/';
    const url = new URL(text, location.origin);
    return url.origin === location.origin ? url.pathname + url.search : '/app/';
}

prefer('signed-in', null);
const {main} = site({current: 'signin'});
const search = new URLSearchParams(location.search);

if (search.has('out')) main.append(notice('positive', 'You are signed out.'));
else if (search.has('next')) main.append(notice('info', 'Sign in to go on. You will come back to where you were.'));

const signIn = form({
    submit: 'Sign in',
    fields: [
        field({label: 'Username or e-mail', name: 'username', autocomplete: 'username', required: true,
            autocapitalize: 'none', spellcheck: 'false', maxlength: 254}),
        passwordField({label: 'Password', name: 'password', autocomplete: 'current-password', maxlength: 1024}),
    ],
    send: async values => {
        // The session is a cookie that no script can read; what the body says of it is not used.
        await post('/api/auth/login', values, {signIn: false});
        prefer('signed-in', '1');
        location.replace(nextAddress(search.get('next')));
    },
    say: error => {
        const password = $('[name=password]', signIn);
        password.value = '';
        return error.status === 401 ? 'Username or password is not right.' : null;
    },
});

main.append(h('div', {class: 'card'}, signIn),
    h('p', {class: 'gate-foot'}, h('a', {href: '/reset/'}, 'Forgot your password?')),
    h('p', {class: 'gate-foot'}, 'No account yet? ', h('a', {href: '/signup/'}, 'Create one')));
$('[name=username]', signIn).focus();
