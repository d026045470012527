import {get} from '/assets/api.js';
import {$, h, icon, newId, replace} from '/assets/dom.js';
import {chargeText, count, exact, nano} from '/assets/format.js';
import {badge, button, card, choices, copy, field, linkButton, notice, requestId} from '/assets/parts.js';
import {announce, app, toast} from '/assets/shell.js';
import {curlText, eventReader, formats, refusal} from './wire.js';

const {main, actions, refresh} = app({current: 'playground', title: 'Playground', lede: 'Talk to any model. This uses your wallet, like any client with your key.'});
const search = new URLSearchParams(location.search);

// The only place where this page has a key. It is never written anywhere, and gone when the page is.
let key = null;
let running = null;   // AbortController of the answer that is being written
let turns = [];       // [{role, content}] that count as said
const wipe = () => { key = null; for (const input of main.querySelectorAll('[data-secret]')) input.value = ''; };
addEventListener('pagehide', () => { running?.abort(); wipe(); showKey(); });

//// Key

const keyState = h('p', {class: 'small', role: 'status'});
const pasted = h('input', {class: 'input', type: 'password', id: newId('key'), autocomplete: 'off', spellcheck: 'false', placeholder: 'sk-…',
    'aria-label': 'API key', data: {secret: ''}, on: {input: () => useKey(pasted.value.trim() || null)}});
const pasteField = h('form', {method: 'post', hidden: true, on: {submit: event => event.preventDefault()}}, pasted);

function showKey() {
    replace(keyState, key ? [icon('circle-check'), ` Using the key that ends in ${key.slice(-4)}, until you leave this page.`] : 'No key chosen: nothing is sent.');
    go.disabled = !key;
    if (!key) replace(estimate);
}

function useKey(text) {
    key = text;
    showKey();
    later();
}

async function chooseKey(kind) {
    pasteField.hidden = kind !== 'paste';
    useKey(null);
    if (kind === 'paste') { pasted.focus(); return; }
    replace(keyState, 'Fetching the System Key…');
    try {
        useKey((await get('/api/me')).system_key ?? null);
    } catch (error) {
        showKey();
        toast(`The System Key could not be fetched: ${error.message}`, 'danger');
    }
}

//// What is asked

const model = h('select', {class: 'input', name: 'model'}, h('option', {value: ''}, 'Account default'));
const format = h('select', {class: 'input', name: 'format'}, Object.entries(formats).map(([id, f]) => h('option', {value: id, selected: id === search.get('format')}, f.title)));
const most = h('input', {class: 'input', name: 'most', type: 'number', min: 1, max: 200000, step: 1, value: 1024, required: true});
const system = h('textarea', {class: 'input', name: 'system', rows: 2, placeholder: 'optional'});
const prompt = h('textarea', {class: 'input', name: 'prompt', rows: 4, required: true, placeholder: 'Ask something. Ctrl+Enter sends.'});
const go = h('button', {type: 'submit', class: 'btn primary', disabled: true}, icon('send'), h('span', 'Send'));
const stop = button('Stop', {kind: 'danger', icon: 'square', hidden: true, on: {click: () => running?.abort()}});
const estimate = h('p', {class: 'small muted', role: 'status'});

const request = extra => formats[format.value].body({model: model.value || undefined, system: system.value.trim(), most: Number(most.value) || 1024,
    turns: [...turns, ...(extra ? [{role: 'user', content: extra}] : [])]});

get('/api/models').then(reply => {
    const wanted = search.get('model');
    model.append(...reply.data.map(m => h('option', {value: m.id, selected: m.id === wanted}, m.label && m.label !== m.id ? `${m.label} (${m.id})` : m.id, m.premium ? ', premium' : '')));
}).catch(() => toast('The list of models could not be loaded; the account default works.', 'warning'));

// Counting is free and generates nothing. It waits for a pause in the typing, and for a key.
let timer = null;
function later() {
    clearTimeout(timer);
    if (key && prompt.value.trim()) timer = setTimeout(countInput, 700);
    else replace(estimate);
}

async function countInput() {
    const asked = formats.responses.body({model: model.value || undefined, system: system.value.trim(), most: 1, turns: [...turns, {role: 'user', content: prompt.value}]});
    const {max_output_tokens: _most, store: _store, stream: _stream, ...body} = asked;
    try {
        const reply = await fetch('/v1/responses/input_tokens', {method: 'POST', credentials: 'omit', cache: 'no-store',
            headers: {'Content-Type': 'application/json', Authorization: `Bearer ${key}`}, body: JSON.stringify(body)});
        const json = await reply.json();
        replace(estimate, reply.ok ? `About ${count(json.input_tokens)} input tokens. Counting is free.` : '');
    } catch { replace(estimate); }
}
for (const control of [prompt, system, model]) control.addEventListener('input', later);

//// Answers

const talk = h('div', {class: 'talk'});
const blank = h('p', {class: 'muted talk-empty'}, 'The conversation will be here. Answers are shown as plain text.');
talk.append(blank);

function answerCard(text) {
    const body = h('div', {class: 'said', tabindex: 0, 'aria-label': 'Answer'});
    const raw = h('pre', {tabindex: 0, 'aria-label': 'Raw events'});
    const state = h('div', {class: 'turn-state row small muted'}, badge('Writing…', 'info', 'loader-circle'));
    blank.remove();
    talk.append(h('article', {class: 'turn user', 'aria-label': 'You'}, h('p', {class: 'label'}, 'You'), h('div', {class: 'said'}, text)),
        h('article', {class: 'turn', 'aria-label': 'Model'}, h('p', {class: 'label'}, model.value || 'Account default'), body, state,
            h('details', {class: 'more'}, h('summary', 'Raw events'), raw)));
    return {body, raw, state};
}

// The row may take a moment after the stream's end: it is written once the charge is known.
async function settled(id) {
    for (const wait of [200, 500, 1000, 2000, 4000, 8000]) {
        await new Promise(resolve => setTimeout(resolve, wait));
        const reply = await get(`/api/usage?request_id=${encodeURIComponent(id)}`).catch(() => null);
        if (reply?.data?.length) return reply.data[0];
    }
    return null;
}

async function showCharge(place, id) {
    if (!id) return;
    const slot = h('span', 'Charge: waiting for the ledger…');
    place.append(slot, h('a', {href: `/app/usage/?open=${encodeURIComponent(id)}`}, 'Details'), requestId(id));
    const row = await settled(id);
    replace(slot, row ? [h('span', {title: `${exact(row.charge)} credit`}, `${chargeText(row.charge)} credit`),
        `, ${count(row.usage.input_tokens + row.usage.cache_read_tokens)} tokens in, ${count(row.usage.output_tokens)} out`] : 'No charge in the ledger.');
    if (row && nano(row.charge) > 0n) refresh();
}

const problems = {
    401: () => 'The key was refused: missing, revoked or of another service.',
    402: () => ['Out of credit. That request was not sent to the model and cost nothing. ', linkButton('Top up', '/app/credit/', {kind: 'small'})],
    429: r => `Too many at once, or a limit of the model service.${r.retryAfter ? ` Try again in ${r.retryAfter} s.` : ''}`,
};

async function read(reply, kind, view) {
    const feed = eventReader();
    const decoder = new TextDecoder();
    const reader = reply.body.getReader();
    let text = '';
    let end = null;
    for (;;) {
        const {done, value} = await reader.read();
        for (const one of feed(done ? '\n\n' : decoder.decode(value, {stream: true}))) {
            if (view.raw.textContent.length < 400000) view.raw.append(`${one.text}\n\n`);
            if (one.raw === '') continue;
            const delta = one.data ? kind.text(one.data, one.event) : '';
            if (delta) { text += delta; view.body.append(delta); }
            end = kind.end(one.data, one.event, one.raw) ?? end;
        }
        if (done) return {text, end};
    }
}

async function ask(text) {
    const kind = formats[format.value];
    const view = answerCard(text);
    const body = request(text);
    running = new AbortController();
    go.hidden = true;
    stop.hidden = false;
    announce('The answer is being written.');
    let id = null;
    const finish = (label, tone, name, note) => { replace(view.state, badge(label, tone, name), note ? h('span', note) : null); announce(label); };
    try {
        const reply = await fetch(kind.path, {method: 'POST', credentials: 'omit', cache: 'no-store', signal: running.signal,
            headers: {'Content-Type': 'application/json', Accept: 'text/event-stream', Authorization: `Bearer ${key}`}, body: JSON.stringify(body)});
        id = reply.headers.get('x-request-id');
        if (!reply.ok) {
            const why = await refusal(reply);
            finish(`Refused ${why.status}`, 'danger', 'circle-alert');
            view.body.replaceChildren(notice('danger', problems[why.status]?.(why) ?? why.message), why.status === 402 || why.status === 401 ? '' : requestId(id) ?? '');
            prompt.value = text;
            return;
        }
        const {text: answer, end} = await read(reply, kind, view);
        if (end?.ok) {
            turns.push({role: 'user', content: text}, {role: 'assistant', content: answer});
            finish('Complete', 'positive', 'circle-check', end.note);
        } else {
            finish('Failed', 'danger', 'circle-alert', end ? end.note ?? 'The model service failed.' : 'The stream ended without its last event: this is not a whole answer.');
            prompt.value = text;
        }
    } catch (error) {
        if (error.name === 'AbortError') finish('Stopped', 'warning', 'square', 'What was written until then is charged.');
        else finish('Failed', 'danger', 'cloud-off', 'The connection broke. Look at the ledger before you send it again.');
        if (!prompt.value) prompt.value = text;
    } finally {
        running = null;
        go.hidden = false;
        stop.hidden = true;
        view.body.normalize();
    }
    await showCharge(view.state, id);
}

const form = h('form', {method: 'post', class: 'ask', novalidate: true, on: {submit: event => {
    event.preventDefault();
    const text = prompt.value.trim();
    if (!key || running) return;
    if (!text) { prompt.focus(); return; }
    prompt.value = '';
    replace(estimate);
    ask(text);
}}}, field({label: 'Prompt', name: 'prompt', input: prompt}), h('div', {class: 'spread'}, h('div', {class: 'row'}, go, stop), estimate));
prompt.addEventListener('keydown', event => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit(); });

function save() {
    const draft = {format: format.value, ...request(prompt.value.trim())};
    const url = URL.createObjectURL(new Blob([JSON.stringify(draft, null, 2)], {type: 'application/json'}));
    const link = h('a', {href: url, download: 'playground.json'});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
}

actions.append(button('New conversation', {icon: 'plus', on: {click: () => { running?.abort(); turns = []; replace(talk, blank); prompt.focus(); }}}),
    button('Copy as curl', {icon: 'code', on: {click: () => copy(curlText(location.origin, format.value, request(prompt.value.trim())), {done: 'Command copied. It reads the key from $MG_KEY.'})}}),
    button('Save draft', {icon: 'download', on: {click: save}}));

main.append(h('div', {class: 'play'},
    h('div', {class: 'stack'},
        card({title: 'Key'}, h('div', {class: 'stack'}, choices({legend: 'Which key', hideLegend: true, name: 'keykind', value: '', change: chooseKey, options: [
            {value: 'system', title: 'System Key', text: 'Fetched for this page only'}, {value: 'paste', title: 'Paste a key', text: 'A User API Key'}]}), pasteField, keyState)),
        card({title: 'Request'}, h('div', {class: 'stack'}, field({label: 'Model', name: 'model', input: model}), field({label: 'Format', name: 'format', input: format}),
            field({label: 'Longest answer, tokens', name: 'most', input: most}), field({label: 'System text', name: 'system', input: system})))),
    card({title: 'Conversation', class: 'conversation'}, talk, form)));
showKey();
$('[name=keykind]', main).checked = false;
