// Setup: choose a model and a target, read, run, and see the first request arrive.
import {get, post, query} from '/assets/api.js';
import {$, h, icon, replace} from '/assets/dom.js';
import {charge, clockText, count, nano, time, tokensIn} from '/assets/format.js';
import {badge, busy, button, choices, codeBlock, failure, load, notice, requestId} from '/assets/parts.js';
import {announce, app, prefer, preference, toast} from '/assets/shell.js';

const LISTEN_MS = 3000;
const {main, account, refresh} = app({current: 'setup', title: 'Setup', account: 'me',
    lede: 'One command sets up your coding client. What it changes is listed, backed up, and can be undone.'});

const search = new URLSearchParams(location.search);
const modelPlace = h('div');
const targetPlace = h('div');
const scriptPlace = h('div', {class: 'stack'});
const waitPlace = h('div', {role: 'status'});
const stalePlace = h('div');

const step = (title, ...content) => h('li', h('div', {class: 'stack'}, h('h2', {class: 'step-title'}, title), content));
main.append(stalePlace, h('ol', {class: 'steps setup-steps'},
    step('Model', modelPlace), step('Where', targetPlace), step('Run', scriptPlace), step('Verify', waitPlace)));

let setup = null;
let target = null;

//// 1. Model

// The managed name is always on offer, and so is whatever is chosen now.
function modelOptions(me) {
    const labels = me.setup?.labels ?? [];
    const others = ['power-ai', me.default_model].filter((model, i, all) => all.indexOf(model) === i && !labels.some(one => one.model === model));
    return [...others.map(model => ({value: model, title: model === 'power-ai' ? 'Managed' : model, text: model === 'power-ai' ? model : null})),
        ...labels.map(one => ({value: one.model, title: one.label ?? one.model, text: one.label ? one.model : null,
            badge: one.premium ? badge('Premium', 'vip') : null}))];
}

function modelChoice(me) {
    const options = modelOptions(me);
    return [choices({
        legend: 'Model', hideLegend: true, name: 'model', value: me.default_model, options,
        change: model => choose(model, options.find(one => one.value === model).title),
    }), h('p', {class: 'hint'}, h('code', 'power-ai'), ' is managed: the model behind it may change, its name does not. ',
        h('a', {href: '/models/'}, 'Compare prices'))];
}

async function choose(model, title) {
    try {
        await post('/api/model', {model});
        toast(`Saved: ${title}. Requests that name a model keep it. Copy a fresh setup script.`);
        await loadScripts();
        refresh();
    } catch (error) {
        toast(error.message, 'danger');
    }
}

//// 2. Target

function platform() {
    const text = `${navigator.userAgentData?.platform ?? ''} ${navigator.platform} ${navigator.userAgent}`.toLowerCase();
    if (/android|iphone|ipad/.test(text)) return null;
    if (/win/.test(text)) return 'windows';
    return /mac/.test(text) ? 'macos' : /linux|x11/.test(text) ? 'linux' : null;
}

const targetIcons = {vscode: 'code', opencode: 'play', librechat: 'boxes', vip: 'crown'};
const targetIcon = one => targetIcons[Object.keys(targetIcons).find(name => one.id.includes(name))] ?? 'terminal';

function targetChoice() {
    const here = platform();
    const wanted = search.get('client') ?? target?.id;
    target = setup.targets.find(one => one.id === wanted) ?? setup.targets.find(one => one.platform === here) ?? setup.targets[0];
    return choices({
        legend: 'Where', hideLegend: true, roomy: true, name: 'target', value: target.id,
        options: setup.targets.map(one => ({value: one.id, title: one.title, icon: targetIcon(one),
            text: one.what === one.title ? null : one.what ?? one.filename, badge: here && one.platform === here ? badge('This computer', 'accent') : null})),
        change: id => {
            target = setup.targets.find(one => one.id === id);
            search.set('client', id);
            history.replaceState(null, '', query(location.pathname, Object.fromEntries(search)));
            showScript();
        },
    });
}

//// 3. Command and script

const stamp = () => [setup.model, setup.key_last4, setup.targets.some(one => one.id.includes('vip')) ? 'vip' : ''].join(' ');

function tellStale() {
    const copied = preference('setup');
    replace(stalePlace, copied !== null && copied !== stamp() ? notice('warning',
        [h('p', h('strong', 'Your copied script is out of date.')), h('p', 'The model, the key or VIP access has changed since. Copy a fresh one for each place where you ran it.')],
        button('It is up to date', {kind: 'small', on: {click: () => { prefer('setup', stamp()); tellStale(); }}})) : null);
}

function taken() {
    prefer('setup', stamp());
    tellStale();
}

function commandPart() {
    const place = h('div', {class: 'stack'});
    const make = button('Make the command', {kind: 'primary', icon: 'terminal', on: {click: () => busy(make, async () => {
        try {
            const made = await post(`/api/setup/${encodeURIComponent(target.id)}`, {});
            const block = codeBlock(made.command, {title: target.title, label: 'Copy command', done: 'Command copied.'});
            block.classList.add('wrap');
            block.addEventListener('click', event => { if (event.target.closest('button')) taken(); });
            replace(place, block, h('div', {class: 'spread'}, h('p', {class: 'muted small'}, 'Works once, until ', time(made.expires_at, clockText),
                '. It fetches the script below with a one-time token; your key is not in it.'), make));
            replace($('span', make), 'Make another');
            make.classList.remove('primary');
            make.classList.add('small');
            $('button', block).focus();
        } catch (error) {
            replace(place, notice('danger', [error.message, requestId(error.requestId)]), make);
        }
    })}});
    place.append(make);
    return place;
}

// The script holds the System Key, so its text is in the page only while it is looked at.
function textPart(summary, text, filename, before = null) {
    const node = h('details', {class: 'more'}, h('summary', summary));
    const body = h('div');
    node.append(body);
    node.addEventListener('toggle', () => {
        if (!node.open) { replace(body); return; }
        const download = button('Download', {icon: 'download', on: {click: () => save(text, filename)}});
        const block = codeBlock(text, {title: filename, label: 'Copy', done: 'Script copied. It holds your key.', actions: download});
        block.addEventListener('click', event => { if (event.target.closest('button')) taken(); });
        replace(body, before, block);
    });
    addEventListener('pagehide', () => { node.open = false; replace(body); });
    return node;
}

function save(text, filename) {
    const url = URL.createObjectURL(new Blob([text], {type: 'text/plain'}));
    h('a', {href: url, download: filename}).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function showScript() {
    replace(scriptPlace, commandPart(),
        textPart('Read the whole script first', target.script, target.filename,
            h('p', {class: 'muted small'}, 'It holds your System Key. Keep it as you keep a password.')),
        target.uninstall ? textPart('Undo what it did', target.uninstall, `undo-${target.filename}`) : null,
        h('p', {class: 'muted small'}, 'Generated ', time(setup.generated_at), ' for key …', setup.key_last4, ', model ', h('code', setup.model), '.'));
}

function showSetup(data) {
    setup = data;
    const choice = targetChoice();
    showScript();
    tellStale();
    return choice;
}

async function loadScripts() {
    const data = await load(targetPlace, () => get('/api/setup'), showSetup, {what: 'The scripts could not be loaded.', lines: 4});
    if (data === null) replace(scriptPlace);
}

//// 4. Verify by what the ledger says

let heard = null;
let tries = 0;

const good = row => row.status < 400 && !row.cut;

function received(row) {
    const text = good(row)
        ? [h('p', h('strong', 'Received.'), ' ', row.model_label ?? row.model, ' answered in ', h('span', {class: 'num'}, `${count(row.total_ms)} ms`), '.'),
            h('p', {class: 'small'}, count(tokensIn(row.usage)), ' tokens in, ', count(row.usage.output_tokens), ' out, ', charge(row.charge), ' credit charged.')]
        : [h('p', h('strong', row.cut && row.status < 400 ? 'The answer broke off.' : `The request failed with ${row.status}.`), ' ',
            charge(row.charge), ' credit charged. Do not resend blindly; ', h('a', {href: '/docs/#errors'}, 'what the error means'), '.')];
    return notice(good(row) ? 'positive' : 'danger', [text, requestId(row.request_id)]);
}

function waiting() {
    return h('div', {class: 'waiting'}, h('span', {class: 'pulse', 'aria-hidden': 'true'}),
        h('div', h('p', h('strong', heard === 0 ? 'Waiting for your first request…' : 'Waiting for the next request…')),
            h('p', {class: 'muted small'}, 'Start your client and ask it something. A request with a wrong key or address leaves no trace here: the client shows 401 or 404. ',
                h('a', {href: '/docs/#errors'}, 'What the errors mean'))));
}

async function listen() {
    if (document.hidden) return;
    try {
        const list = await get('/api/usage?limit=1');
        const row = list.data[0];
        tries = 0;
        if (heard === null) {
            heard = row?.seq ?? 0;
            replace(waitPlace, waiting());
        } else if (row && row.seq > heard) {
            heard = row.seq;
            replace(waitPlace, received(row), h('div', {class: 'again'}, waiting()));
            announce(good(row) ? 'Request received.' : 'A request failed.');
            refresh();
        } else if (!$('.waiting', waitPlace)) {
            replace(waitPlace, waiting());
        }
    } catch (error) {
        tries += 1;
        if (tries >= 2) replace(waitPlace, failure(error, 'Usage could not be read.', listen));
    }
}

replace(waitPlace, h('p', {class: 'muted'}, icon('loader-circle'), ' …'));
load(modelPlace, () => account, modelChoice, {what: 'The models could not be loaded.', lines: 2});
account.then(me => {
    if (!me.email_verified && nano(me.wallet.available) <= 0n) main.querySelector('.page-head').after(notice('info', 'Your e-mail address is not confirmed yet, so there is no trial credit: requests get 402 until then. The scripts work already.'));
}).catch(() => {});
loadScripts();
listen();
setInterval(listen, LISTEN_MS);
