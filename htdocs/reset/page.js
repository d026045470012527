// A new password: first a mail is asked for, then its link opens this page with a token.
import {post} from '/assets/api.js';
import {$, h, replace} from '/assets/dom.js';
import {sentNote, takeToken} from '/assets/gate.js';
import {field, form, linkButton, notice, passwordField} from '/assets/parts.js';
import {prefer, site} from '/assets/shell.js';

const {main} = site({current: 'reset'});
const place = h('div', {class: 'stack'});
main.append(place);

const title = $('h1');
title.tabIndex = -1;

function askForMail(why = null) {
    const spot = h('div', {class: 'card stack'});
    replace(spot, h('p', {class: 'muted'}, 'We send a link that sets a new password. It works once, for an hour.'),
        form({submit: 'Send the link', fields: [
            field({label: 'E-mail', name: 'email', type: 'email', autocomplete: 'email', required: true, maxlength: 254}),
        ], send: async values => {
            await post('/api/auth/forgot', values, {signIn: false});
            replace(spot, h('p', 'If this is the confirmed address of an account, a link is on its way.'),
                sentNote(values.email, {path: '/api/auth/forgot'}));
        }}));
    replace(place, why, spot, h('p', {class: 'gate-foot'}, h('a', {href: '/signin/'}, 'Back to signing in')));
}

function askForPassword(token) {
    replace(place, h('div', {class: 'card'}, form({submit: 'Set the password', fields: [
        passwordField({label: 'New password', name: 'password', autocomplete: 'new-password', minlength: 10, maxlength: 256,
            hint: 'Ten characters or more. Every session of the account ends.'}),
    ], send: async values => {
        try {
            await post('/api/auth/reset', {token, password: values.password}, {signIn: false});
        } catch (error) {
            if (error.status !== 400) throw error;
            replace(title, 'This link does not work');
            askForMail(notice('danger', 'It has been used, is too old, or a newer one was sent.'));
            title.focus();
            return;
        }
        prefer('signed-in', null);
        replace(title, 'Password set');
        replace(place, h('div', {class: 'card stack'}, h('p', 'All sessions have ended. Keys work as before.'),
            linkButton('Sign in', '/signin/', {kind: 'primary wide'})));
        title.focus();
    }})));
}

const token = takeToken();
if (token) askForPassword(token);
else askForMail();
