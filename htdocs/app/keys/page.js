// Keys: the permanent System Key, and User API Keys that come and go.
import {del, get, patch, post} from '/assets/api.js';
import {$, h, icon, replace} from '/assets/dom.js';
import {agoText, balance, charge, dayText, exact, nano, plural, time} from '/assets/format.js';
import {badge, button, card, codeBlock, confirm, copyButton, dialog, empty, field, form, load, notice, secret, table,
    toggle} from '/assets/parts.js';
import {app, prefer, preference, toast} from '/assets/shell.js';

const {main, actions} = app({current: 'keys', title: 'Keys',
    lede: 'All keys share one account and one wallet. A key of its own for each app lets you see and stop what it spends.'});

const systemPlace = h('div', {data: {loaded: 'no'}});
const userPlace = h('div');
const hidden = () => preference('hide-secrets') !== 'no';
let system = null;

main.append(
    card({title: 'System Key', actions: badge('Permanent', 'accent', 'lock')}, systemPlace),
    card({title: 'User API Keys', actions: button('Create key', {kind: 'primary small', icon: 'plus', on: {click: createKey}})}, userPlace));
actions.append(toggle('Hide secrets', hidden(), on => {
    prefer('hide-secrets', on ? null : 'no');
    if (on) system?.hide(); else system?.show();
}));

//// System Key

const systemKey = async () => (await get('/api/me')).system_key;

function systemPart(key) {
    system = secret({masked: key.masked, fetch: systemKey, name: 'System Key'});
    if (!hidden()) system.show().catch(() => {});
    return h('div', {class: 'stack'},
        h('p', {class: 'muted'}, 'Your main key. It is permanent, so treat it like a password. For apps and servers, make a separate key you can revoke.'),
        system, h('p', {class: 'muted small'}, 'Spent this month ', charge(key.spent_this_month), ' credit, in all ', charge(key.spent_total),
            '. ', key.last_used_at ? ['Last used ', time(key.last_used_at, agoText), '.'] : 'Not used yet.'));
}

//// User keys

const state = key => (key.revoked_at ? badge('Revoked', '', 'ban')
    : key.expires_at && Date.parse(key.expires_at) <= Date.now() ? badge('Expired', 'warning', 'clock') : badge('Active', 'positive', 'check'));
const isOver = key => key.revoked_at || (key.expires_at && Date.parse(key.expires_at) <= Date.now());

function spent(key) {
    if (!key.monthly_limit) return charge(key.spent_this_month);
    const limit = nano(key.monthly_limit);
    const part = limit > 0n ? Number(nano(key.spent_this_month) * 100n / limit) : 100;
    return h('div', {class: 'limit'}, h('span', charge(key.spent_this_month), h('span', {class: 'muted'}, ' of ', balance(key.monthly_limit))),
        h('span', {class: `meter ${part >= 90 ? 'full' : ''}`, 'aria-hidden': 'true'}, h('span', {vars: {'--part': `${Math.min(100, part)}%`}})));
}

function limits(key) {
    const parts = [];
    if (key.models) parts.push(h('span', {title: key.models.join(', ')}, key.models.length === 1 ? key.models[0] : plural(key.models.length, 'model')));
    if (key.expires_at && !isOver(key)) parts.push(['ends ', time(key.expires_at, dayText)]);
    if (parts.length === 0) return h('span', {class: 'muted'}, 'None');
    return parts.map((part, i) => [i > 0 ? ', ' : '', part]);
}

const rowActions = key => (key.revoked_at ? null : h('div', {class: 'row tight'},
    h('button', {type: 'button', class: 'btn quiet small', 'aria-label': `Edit ${key.name}`, on: {click: () => editKey(key)}}, 'Edit'),
    h('button', {type: 'button', class: 'btn quiet small danger-text', 'aria-label': `Revoke ${key.name}`, on: {click: () => revokeKey(key)}}, 'Revoke')));

const keyTable = (caption, keys) => table({caption, rows: keys, rowProps: key => ({class: isOver(key) ? 'off' : null}), columns: [
    {title: 'Name', cell: key => [key.name, h('code', {class: 'masked'}, key.masked)]},
    {title: 'State', cell: state},
    {title: 'Limits', cell: limits},
    {title: 'Last used', cell: key => (key.last_used_at ? time(key.last_used_at, agoText) : h('span', {class: 'muted'}, 'Never'))},
    {title: 'This month', num: true, cell: spent},
    {title: 'In all', num: true, cell: key => charge(key.spent_total)},
    {title: 'Actions', hidden: true, class: 'actions-cell', cell: rowActions},
]});

function userPart(keys) {
    const open = keys.filter(key => !key.revoked_at);
    const gone = keys.filter(key => key.revoked_at);
    return [
        open.length > 0 ? keyTable('User API Keys', open)
            : empty('No keys of their own yet', 'One key for each app or server: revoke one and the others go on.',
                button('Create key', {icon: 'plus', on: {click: createKey}}), 'key-round'),
        gone.length > 0 ? h('details', {class: 'more'}, h('summary', `Revoked (${gone.length})`), keyTable('Revoked keys', gone)) : null,
    ];
}

const fetchKeys = () => get('/api/keys');

async function loadKeys() {
    const list = await load(userPlace, fetchKeys, ({data}) => {
        if (!system) replace(systemPlace, systemPart(data.find(key => key.kind === 'system')));
        return userPart(data.filter(key => key.kind !== 'system'));
    }, {what: 'Keys could not be loaded.', lines: 4});
    if (!list && !system) replace(systemPlace, h('p', {class: 'muted'}, 'Not loaded yet.'));
    systemPlace.dataset.loaded = 'yes';
}

//// Create and edit: one form

const expiries = [['', 'Never'], ['30', 'In 30 days'], ['90', 'In 90 days'], ['365', 'In a year'], ['date', 'On a date…']];

function expiryField(key) {
    const date = h('input', {type: 'date', class: 'input', name: 'date', 'aria-label': 'Date (end of the day, UTC)', hidden: !key?.expires_at,
        value: key?.expires_at?.slice(0, 10) ?? '', min: new Date(Date.now() + 86400000).toISOString().slice(0, 10)});
    const select = h('select', {class: 'input', name: 'expires_at', on: {change: () => { date.hidden = select.value !== 'date'; }}},
        expiries.map(([value, text]) => h('option', {value, selected: value === (key?.expires_at ? 'date' : '')}, text)));
    return h('div', {class: 'stack tight'}, field({label: 'Expires', name: 'expires_at', input: select}), date);
}

function expiryOf(values) {
    if (values.expires_at === '') return null;
    if (values.expires_at === 'date') return values.date ? `${values.date}T23:59:59Z` : null;
    return new Date(Date.now() + Number(values.expires_at) * 86400000).toISOString();
}

function modelField(models, key) {
    const one = model => h('label', {class: 'check'}, h('input', {type: 'checkbox', name: 'models', value: model.id, checked: key?.models?.includes(model.id) ?? false}),
        h('span', model.label ?? model.id, model.label ? h('span', {class: 'muted'}, ` ${model.id}`) : null));
    return h('fieldset', h('legend', 'Models'), h('p', {class: 'hint'}, 'None ticked: all models, new ones too.'),
        h('div', {class: 'check-grid'}, models.map(one)));
}

const keyFields = (models, key) => [
    field({label: 'Name', name: 'name', required: true, maxlength: 63, autocomplete: 'off', value: key?.name ?? '', hint: 'Where it will be used, such as "ci-runner".'}),
    expiryField(key),
    field({label: 'Monthly limit, in credit', name: 'monthly_limit', inputmode: 'decimal', autocomplete: 'off', pattern: '\\d{1,9}(\\.\\d{1,9})?',
        placeholder: 'No limit', value: key?.monthly_limit ? exact(key.monthly_limit).replaceAll(',', '') : '',
        hint: 'A cap, not a balance of its own: the wallet stays one. Requests beyond it get 402 until the next month (UTC).'}),
    modelField(models, key),
];

function keyBody(values, node) {
    const models = new FormData(node).getAll('models');
    return {name: values.name, expires_at: expiryOf(values), models: models.length > 0 ? models : null,
        monthly_limit: values.monthly_limit.trim() === '' ? null : values.monthly_limit.trim()};
}

const withoutNulls = body => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

async function withModels(open) {
    try {
        open((await get('/api/models')).data);
    } catch (error) {
        toast(error.message, 'danger');
    }
}

function createKey() {
    withModels(models => {
        const content = h('div', {class: 'stack'}, form({submit: 'Create key', fields: keyFields(models), send: async (values, node) => {
            const made = await post('/api/keys', withoutNulls(keyBody(values, node)));
            box.close();
            showSecret(made);
            loadKeys();
        }}));
        const box = dialog({title: 'Create a key', body: content});
        $('[name=name]', box).focus();
    });
}

// The one time that a key is shown. Escape asks first; the text goes when the dialog does.
function showSecret(made) {
    const text = h('code', {class: 'secret-text', tabindex: -1}, made.secret);
    const asked = h('div');
    const curl = `curl ${location.origin}/v1/chat/completions \\\n    -H "Authorization: Bearer ${made.secret}" \\\n    -H "Content-Type: application/json" \\\n    -d '{"model":"${made.models?.[0] ?? 'power-ai'}","messages":[{"role":"user","content":"Hello"}]}'`;
    const box = dialog({title: `Key for ${made.name}`, closable: false, wide: true, body: [
        notice('warning', 'This is the only time we can show it. Store it now, then close.'),
        h('div', {class: 'secret'}, text, copyButton(() => made.secret, {label: 'Copy key', fallback: () => text,
            done: 'Key copied. It stays on your clipboard until you copy something else.'})),
        h('details', {class: 'more'}, h('summary', 'A first request with it'), codeBlock(curl, {title: 'curl', label: 'Copy command'})), asked,
    ], actions: [button('I have stored it', {kind: 'primary', icon: 'check', on: {click: () => box.close()}})],
    onClose: () => { text.textContent = ''; }});
    box.addEventListener('keydown', event => {
        if (event.key === 'Escape') replace(asked, notice('info', 'The key cannot be shown again. Have you stored it?'));
    });
    addEventListener('pagehide', () => box.remove());
    text.focus();
}

function editKey(key) {
    withModels(models => {
        const box = dialog({title: `Edit ${key.name}`, body: form({submit: 'Save', fields: keyFields(models, key), send: async (values, node) => {
            await patch(`/api/keys/${key.id}`, keyBody(values, node));
            box.close();
            toast('Saved.');
            loadKeys();
        }})});
        $('[name=name]', box).focus();
    });
}

async function revokeKey(key) {
    const body = h('p', key.last_used_at ? ['Last used ', time(key.last_used_at, agoText), '. '] : 'It was never used. ',
        'Anything using it will get 401 at once. Past usage stays in your ledger.');
    if (await confirm({title: `Revoke ${key.name}?`, body, action: 'Revoke', act: () => del(`/api/keys/${key.id}`)})) {
        toast(`${key.name} is revoked.`);
        await loadKeys();
    }
}

loadKeys();
