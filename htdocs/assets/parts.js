// The pieces that pages are put together from. style.css draws them; htdocs/README.md shows each.
import {$, $$, h, icon, iconHref, newId, replace} from '/assets/dom.js';
import {announce, toast} from '/assets/shell.js';

//// Surfaces

// card({title, actions, level, class}, ...content): a titled section.
export function card({title, actions, level = 2, ...props}, ...content) {
    const id = newId('card');
    return h('section', {...props, class: `card ${props.class ?? ''}`.trim(), 'aria-labelledby': title ? id : null},
        title ? h('header', {class: 'card-head'}, h(`h${level}`, {id}, title), actions ?? null) : null, content);
}

export const badge = (text, kind = '', name = null) =>
    h('span', {class: `badge ${kind}`.trim()}, name ? icon(name) : null, h('span', text));

const noticeIcons = {info: 'info', positive: 'circle-check', warning: 'triangle-alert', danger: 'circle-alert', accent: 'sparkles', vip: 'crown'};

// notice('warning', ['text', node], button): something the reader should know before going on.
export function notice(kind, text, action = null) {
    return h('div', {class: `notice ${kind}`}, icon(noticeIcons[kind] ?? 'info'),
        h('div', {class: 'notice-text'}, text), action);
}

// facts([['Held', node], …]): ruled lines, name left, value right.
export const facts = rows => h('dl', {class: 'facts'},
    rows.filter(Boolean).map(([name, value]) => h('div', h('dt', name), h('dd', value))));

// button('Save', {kind: 'primary', icon: 'check', on: {click}})
export function button(text, {kind = '', icon: name = null, ...props} = {}) {
    return h('button', {type: 'button', ...props, class: `btn ${kind} ${props.class ?? ''}`.trim()},
        name ? icon(name) : null, h('span', text));
}

export function linkButton(text, href, {kind = '', icon: name = null, ...props} = {}) {
    return h('a', {href, ...props, class: `btn ${kind}`.trim()}, name ? icon(name) : null, h('span', text));
}

// Runs an action from a button: one at a time, shown as busy, focus kept.
export async function busy(node, action) {
    if (node.getAttribute('aria-busy') === 'true') return undefined;
    node.setAttribute('aria-busy', 'true');
    node.setAttribute('aria-disabled', 'true');
    try {
        return await action();
    } finally {
        node.removeAttribute('aria-busy');
        node.removeAttribute('aria-disabled');
    }
}

//// States: loading, empty, error

// Blocks about as high as what will come: skeleton(3) lines.
export const skeleton = (lines = 3) => h('div', {class: 'skeletons', 'aria-hidden': 'true'},
    Array.from({length: lines}, () => h('span', {class: 'skeleton line'})));

export const empty = (title, text, action = null, name = 'inbox') =>
    h('div', {class: 'state'}, icon(name), h('p', {class: 'state-title'}, title), h('p', {class: 'muted'}, text), action);

// The request id of a failure, to be copied for support.
export const requestId = id => (id ? h('p', {class: 'request-id'}, 'Request id ', h('code', id), ' ',
    copyButton(() => id, {label: 'Copy request id', quiet: true, done: 'Request id copied.'})) : null);

// What failed, what to do, and the request id. `what`: "Usage could not be loaded."
export function failure(error, what, retry = null) {
    const why = error.status === 0 ? 'The service cannot be reached. Check your connection.' : error.message;
    return h('div', {class: 'state error', role: 'alert'}, icon('cloud-off'),
        h('p', {class: 'state-title'}, what), h('p', {class: 'muted'}, why), requestId(error.requestId),
        retry ? button('Try again', {icon: 'refresh-cw', on: {click: retry}}) : null);
}

// load(place, fetcher, render, {what, lines}) fills `place` with render(data): nothing for 150 ms,
// then a skeleton, after 8 s "Still loading". When a later load fails, what was there stays, dimmed,
// below a line that says how old it is. Resolves to the data, or null.
export async function load(place, fetcher, render, {what = 'This could not be loaded.', lines = 3} = {}) {
    const again = () => load(place, fetcher, render, {what, lines});
    const fresh = place.dataset.loaded !== 'yes';
    if (fresh) place.dataset.loaded = 'no'; // what follows it stays unseen, so that nothing is pushed down
    place.setAttribute('aria-busy', 'true');
    const timers = fresh ? [
        setTimeout(() => replace(place, skeleton(lines)), 150),
        setTimeout(() => place.append(h('p', {class: 'muted small'}, 'Still loading… ',
            button('Start again', {kind: 'quiet small', on: {click: again}}))), 8000),
    ] : [];
    try {
        const data = await fetcher();
        timers.forEach(clearTimeout);
        replace(place, render(data));
        place.dataset.loaded = 'yes';
        place.dataset.at = Date.now();
        place.classList.remove('stale');
        return data;
    } catch (error) {
        timers.forEach(clearTimeout);
        if (error.name !== 'ApiError') throw error;
        if (fresh) {
            replace(place, failure(error, what, again));
            place.dataset.loaded = 'failed';
        } else if (!place.classList.contains('stale')) {
            place.classList.add('stale');
            place.prepend(h('p', {class: 'stale-note', role: 'status'}, icon('cloud-off'),
                ` ${what} This is as of ${new Date(Number(place.dataset.at)).toLocaleTimeString('en-GB')}. `,
                button('Try again', {kind: 'quiet small', on: {click: again}})));
        }
        return null;
    } finally {
        place.removeAttribute('aria-busy');
    }
}

//// Copying and secrets

function selectText(node) {
    if (!node) return;
    if (node.select) { node.focus(); node.select(); return; }
    const range = document.createRange();
    range.selectNodeContents(node);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
}

// Copies, and says so only when it is true. `fallback(text)` gives the node whose text is selected when
// the browser refuses. Resolves to whether the clipboard has it.
export async function copy(text, {done = 'Copied.', fallback = null} = {}) {
    try {
        if (!isSecureContext || !navigator.clipboard) throw new Error('no clipboard');
        await navigator.clipboard.writeText(text);
        toast(done);
        return true;
    } catch {
        selectText(fallback?.(text));
        toast(fallback ? 'Your browser blocked copying. The text is selected; press Ctrl+C (⌘C on a Mac).'
            : 'Your browser blocked copying. Select the text and copy it by hand.', 'warning');
        return false;
    }
}

// copyButton(() => text, {label, done, fallback, quiet}): `label` is its name, always.
export function copyButton(getText, {label = 'Copy', done, fallback, quiet = false} = {}) {
    const node = h('button', {type: 'button', class: `btn ${quiet ? 'quiet small icon-only' : ''}`,
        'aria-label': quiet ? label : null}, icon('copy'), quiet ? null : h('span', label));
    node.addEventListener('click', () => busy(node, async () => {
        if (!await copy(await getText(), {done, fallback})) return;
        const use = $('use', node);
        use.setAttribute('href', iconHref('check'));
        setTimeout(() => use.setAttribute('href', iconHref('copy')), 2000);
    }));
    return node;
}

// A block of text that a machine reads, shown exactly, with a button that copies exactly it.
export function codeBlock(text, {title = null, label = 'Copy', done = 'Copied.', actions = null, lang = null} = {}) {
    const code = h('code', text);
    return h('figure', {class: 'code'},
        h('figcaption', h('span', {class: 'code-title'}, title ?? lang ?? ''), actions,
            copyButton(() => code.textContent, {label, done, fallback: () => code})),
        h('pre', {tabindex: 0, 'aria-label': title ?? 'Code'}, code));
}

// A secret, masked until asked for. Masked means absent from the page, not blurred.
// secret({masked, fetch: async () => text, name: 'System Key'}); .hide() masks it again.
export function secret({masked, fetch, name}) {
    const text = h('code', {class: 'secret-text'}, masked);
    const toggle = h('button', {type: 'button', class: 'btn', 'aria-pressed': 'false'}, icon('eye'), h('span', 'Show'));
    const hide = () => {
        text.textContent = masked;
        toggle.setAttribute('aria-pressed', 'false');
        replace(toggle, icon('eye'), h('span', 'Show'));
    };
    const reveal = plain => {
        text.textContent = plain;
        toggle.setAttribute('aria-pressed', 'true');
        replace(toggle, icon('eye-off'), h('span', 'Hide'));
        announce(`${name} shown`);
    };
    const show = async () => reveal(await fetch());
    toggle.addEventListener('click', () => {
        if (toggle.getAttribute('aria-pressed') === 'true') { hide(); announce(`${name} hidden`); }
        else busy(toggle, show).catch(error => toast(error.message, 'danger'));
    });
    addEventListener('pagehide', hide);
    // To be copied by hand it has to be seen: nobody wants the mask.
    const copying = copyButton(fetch, {label: 'Copy', fallback: plain => { reveal(plain); return text; },
        done: `${name} copied. It stays on your clipboard until you copy something else.`});
    const node = h('div', {class: 'secret'}, text, h('div', {class: 'row'}, toggle, copying));
    return Object.assign(node, {hide, show});
}

//// Dialogs

// dialog({title, body, actions, closable, onClose}): a modal <dialog>, removed when closed; focus
// goes back to what opened it. closable: false takes Escape away (the caller's button closes it).
export function dialog({title, body, actions = [], closable = true, onClose = null, wide = false}) {
    const id = newId('dialog');
    const opener = document.activeElement;
    const node = h('dialog', {class: wide ? 'wide' : '', 'aria-labelledby': id},
        h('header', {class: 'dialog-head'}, h('h2', {id}, title),
            closable ? h('button', {type: 'button', class: 'btn quiet icon-only', 'aria-label': 'Close',
                on: {click: () => node.close()}}, icon('x')) : null),
        h('div', {class: 'dialog-body'}, body),
        actions.length ? h('footer', {class: 'dialog-foot'}, actions) : null);
    node.addEventListener('cancel', event => { if (!closable) event.preventDefault(); });
    // Chromium closes on the second Escape whatever `cancel` said; the key itself is stopped.
    node.addEventListener('keydown', event => { if (!closable && event.key === 'Escape') event.preventDefault(); });
    node.addEventListener('close', () => {
        // Toasts may live in here; they move back before it goes.
        for (const one of $$('.toasts', node)) document.body.append(one);
        node.remove();
        onClose?.();
        if (opener?.isConnected) opener.focus();
        else $('#main')?.focus();
    });
    document.body.append(node);
    node.showModal();
    return node;
}

// Asks before something that cannot be undone: resolves to true or false. `act` runs while the
// dialog is open; its failure is shown there.
export function confirm({title, body, action = 'Delete', act = null}) {
    return new Promise(resolve => {
        let yes = false;
        const problem = h('div');
        const go = button(action, {kind: 'danger', on: {click: () => busy(go, async () => {
            try {
                await act?.();
                yes = true;
                node.close();
            } catch (error) {
                replace(problem, notice('danger', [error.message, requestId(error.requestId)]));
            }
        })}});
        const node = dialog({title, body: [body, problem], onClose: () => resolve(yes),
            actions: [button('Cancel', {on: {click: () => node.close()}}), go]});
    });
}

//// Forms

// field({label, name, hint, input}) with the hint and the later error tied to the input. `input` is
// a node; without it, the other members become an <input>'s attributes.
export function field({label, name, hint = null, input = null, after = null, ...attributes}) {
    const id = newId('field');
    const control = input ?? h('input', {...attributes, name, class: 'input'});
    control.id = id;
    const hintNode = h('p', {class: 'hint', id: `${id}-hint`, hidden: !hint}, hint);
    const error = h('p', {class: 'field-error', id: `${id}-error`, hidden: true});
    if (hint) control.setAttribute('aria-describedby', `${id}-hint`);
    return h('div', {class: 'field', data: {name}}, h('label', {for: id}, label),
        after ? h('div', {class: 'input-row'}, control, after) : control, hintNode, error);
}

// A password field with "Show".
export function passwordField(options) {
    const toggle = h('button', {type: 'button', class: 'btn', 'aria-pressed': 'false'}, 'Show');
    const node = field({type: 'password', required: true, spellcheck: 'false', autocapitalize: 'none', ...options, after: toggle});
    const input = $('input', node);
    toggle.setAttribute('aria-label', `Show ${options.label.toLowerCase()}`);
    toggle.addEventListener('click', () => {
        const show = input.type === 'password';
        input.type = show ? 'text' : 'password';
        toggle.setAttribute('aria-pressed', String(show));
        toggle.textContent = show ? 'Hide' : 'Show';
        input.focus();
    });
    return node;
}

export function clearErrors(form) {
    $('.form-problem', form)?.remove();
    for (const control of $$('[aria-invalid]', form)) {
        control.removeAttribute('aria-invalid');
        const hint = $(`#${control.id}-hint`, form);
        if (hint && !hint.hidden) control.setAttribute('aria-describedby', hint.id);
        else control.removeAttribute('aria-describedby');
        const error = $(`#${control.id}-error`, form);
        if (error) error.hidden = true;
    }
}

function fieldError(form, name, text) {
    const control = form.elements.namedItem(name);
    const error = control?.id ? $(`#${control.id}-error`, form) : null;
    if (!error) return false;
    replace(error, icon('circle-alert'), text);
    error.hidden = false;
    control.setAttribute('aria-invalid', 'true');
    control.setAttribute('aria-describedby', `${control.getAttribute('aria-describedby') ?? ''} ${error.id}`.trim());
    return true;
}

// Shows a failure on top of the form and at its fields ({name: text}), and moves the focus there.
export function showErrors(form, text, fields = {}, id = null) {
    clearErrors(form);
    const unknown = Object.entries(fields).filter(([name, why]) => !fieldError(form, name, why));
    const problem = h('div', {class: 'form-problem', tabindex: -1, role: 'alert'},
        notice('danger', [h('p', text), unknown.map(([name, why]) => h('p', `${name}: ${why}`)), requestId(id)]));
    form.prepend(problem);
    const first = $('[aria-invalid="true"]', form);
    (first ?? problem).focus();
}

// form({action, submit: 'Create', fields: […], send: async values => …, done, say}): validates by the
// browser's rules, sends once, shows what went wrong. `say(error)` may return another text.
export function form({submit, fields, send, say = null, kind = 'primary', wide = true, extra = null}) {
    const go = h('button', {type: 'submit', class: `btn ${kind} ${wide ? 'wide' : ''}`}, h('span', submit));
    // method=post: should this script fail, no password ever gets into an address.
    const node = h('form', {method: 'post', novalidate: true}, fields, h('div', {class: 'form-foot'}, go, extra));
    node.addEventListener('submit', event => {
        event.preventDefault();
        clearErrors(node);
        const wrong = {};
        for (const control of node.elements)
            if (control.name && !control.checkValidity()) wrong[control.name] = control.validationMessage;
        const count = Object.keys(wrong).length;
        if (count) {
            showErrors(node, count === 1 ? 'One field needs another look.' : `${count} fields need another look.`, wrong);
            return;
        }
        busy(go, async () => {
            try {
                await send(Object.fromEntries(new FormData(node)), node);
            } catch (error) {
                if (error.name !== 'ApiError') throw error;
                const fieldsWrong = error.status === 422 ? error.fields : {};
                showErrors(node, say?.(error) ?? error.message, fieldsWrong, error.status >= 500 ? error.requestId : null);
            }
        });
    });
    return node;
}

//// Tables

// One child a cell, so that a cell that becomes a line on a phone keeps its parts together.
const boxed = content => (content === null ? null : h('span', {class: 'cell'}, content));

// table({caption, columns: [{title, cell: row => node, num, class, key}], rows, phone: 'cards' | 'scroll'})
// The first column is the row's header. Below 640 px 'cards' stacks each row, without columns of
// class 'roomy'.
export function table({caption, columns, rows, phone = 'cards', rowProps = () => ({})}) {
    const node = h('table', {class: `table ${phone}`},
        h('caption', {class: 'visually-hidden'}, caption),
        h('thead', h('tr', columns.map(c => h('th', {scope: 'col', class: `${c.num ? 'right' : ''} ${c.class ?? ''}`.trim() || null},
            c.hidden ? h('span', {class: 'visually-hidden'}, c.title) : c.title)))),
        h('tbody', rows.map(row => h('tr', rowProps(row), columns.map((c, i) =>
            h(i === 0 ? 'th' : 'td', {scope: i === 0 ? 'row' : null, class: `${c.num ? 'right num' : ''} ${c.class ?? ''}`.trim() || null,
                data: {title: c.title}}, boxed(c.cell(row))))))));
    return h('div', {class: 'table-wrap', tabindex: phone === 'scroll' ? 0 : null,
        role: phone === 'scroll' ? 'region' : null, 'aria-label': phone === 'scroll' ? caption : null}, node);
}

// A group of radio cards: choices({legend, name, options: [{value, title, text, badge}], value, change}).
export function choices({legend, name, options, value, change, hideLegend = false, roomy = false}) {
    return h('fieldset', {class: 'choices', on: {change: event => change?.(event.target.value)}},
        h('legend', {class: hideLegend ? 'visually-hidden' : null}, legend),
        h('div', {class: `choice-list ${roomy ? 'roomy' : ''}`}, options.map(o => h('label', {class: 'choice'},
            h('input', {type: 'radio', name, value: o.value, checked: o.value === value}),
            h('span', {class: 'choice-body'}, h('span', {class: 'choice-title'}, o.icon ? icon(o.icon) : null, o.title, o.badge ?? null),
                o.text ? h('span', {class: 'choice-text'}, o.text) : null)))));
}

// Something that is on or off at once: toggle('Hide secrets', on, change).
export function toggle(text, on, change) {
    const node = h('button', {type: 'button', role: 'switch', class: 'switch', 'aria-checked': String(on)},
        h('span', {class: 'switch-track', 'aria-hidden': 'true'}), h('span', text));
    node.addEventListener('click', () => {
        const next = node.getAttribute('aria-checked') !== 'true';
        node.setAttribute('aria-checked', String(next));
        change(next);
    });
    return node;
}
