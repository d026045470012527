import {get} from '/assets/api.js';
import {$, $$, h} from '/assets/dom.js';
import {badge, codeBlock, linkButton, load} from '/assets/parts.js';
import {preference, site} from '/assets/shell.js';
import {languages, snippets} from './snippets.js';

site({current: 'docs'});
const base = location.origin;
for (const node of $$('[data-base]')) node.textContent = base + node.dataset.base;

//// Text with `code` in it, as the descriptions have it

const rich = text => String(text ?? '').split(/`([^`]*)`/).map((part, i) => (i % 2 ? h('code', part) : part));

//// Clients

load($('#clients-place'), () => get('/docs/guides.json'), guides => [guides.map(guide => h('details', {class: 'more', id: guide.id}, h('summary', guide.title),
    codeBlock(guide.text.replaceAll('{base_url}', base), {title: guide.file, label: `Copy for ${guide.title}`}))),
preference('signed-in') ? h('p', linkButton('Setup with your key filled in', '/app/setup/', {kind: 'primary', icon: 'terminal'})) : null],
{what: 'The clients could not be loaded.'}).then(openTarget);

//// Endpoints

let language = 'curl';
const resolve = (doc, schema) => (schema?.$ref ? doc.components[schema.$ref.split('/')[2]][schema.$ref.split('/')[3]] : schema);

function typeText(schema) {
    if (!schema) return '';
    if (schema.$ref) return schema.$ref.split('/').pop();
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum) return schema.enum.map(v => JSON.stringify(v)).join(' | ');
    if (schema.anyOf || schema.oneOf) return (schema.anyOf ?? schema.oneOf).map(typeText).join(' | ');
    const type = [schema.type ?? 'any'].flat().map(t => (t === 'array' ? `array of ${typeText(schema.items) || 'any'}` : t === 'string' && schema.format ? schema.format : t));
    return type.join(' | ');
}

const fields = (title, rows) => (rows.length ? [h('h4', title), h('dl', {class: 'fields'}, rows.map(([name, schema, needed]) => h('div',
    h('dt', h('code', name), needed ? h('span', {class: 'needed'}, ' required') : null), h('dd', h('span', {class: 'type'}, typeText(schema)), schema?.description ? [' ', rich(schema.description)] : null))))] : null);

const properties = (doc, schema) => { const s = resolve(doc, schema); return Object.entries(s?.properties ?? {}).map(([name, one]) => [name, one, s.required?.includes(name)]); };

function examples(operation, method, path) {
    const names = Object.keys(operation.requestBody?.content?.['application/json']?.examples ?? {});
    let example = names[0] ?? null;
    const code = codeBlock('', {title: `${method.toUpperCase()} ${path}`, label: 'Copy example', done: 'Example copied.'});
    const show = () => {
        $('code', code).textContent = snippets(base, method, path, operation, example)[language];
        for (const b of bar.children) b.setAttribute('aria-pressed', String(b.dataset.value === language || b.dataset.value === example));
    };
    const press = (value, text, act) => h('button', {type: 'button', class: 'btn quiet small', data: {value}, on: {click: () => { act(); show(); }}}, text);
    const bar = h('div', {class: 'row', role: 'group', 'aria-label': 'Example'},
        Object.entries(languages).map(([id, text]) => press(id, text, () => { language = id; })),
        names.length > 1 ? names.map(name => press(name, name, () => { example = name; })) : null);
    show();
    return [bar, code];
}

function errors(doc, operation) {
    const list = Object.keys(operation.responses).filter(status => status >= '400');
    return h('p', {class: 'small'}, 'Errors: ', list.map((status, i) => [i ? ', ' : '', h('a', {href: `#${status}`}, status)]));
}

function detail(doc, method, path, operation) {
    const good = Object.entries(operation.responses).find(([status]) => status < '400');
    const answer = resolve(doc, good[1])?.content?.['application/json'];
    const body = operation.requestBody?.content?.['application/json']?.schema;
    return h('div', {class: 'stack'},
        operation.description ? h('p', rich(operation.description)) : null,
        fields('Parameters', (operation.parameters ?? []).map(p => [p.name, {...p.schema, description: `${p.in}. ${p.description ?? ''}`}, p.required])),
        body ? fields('Body', properties(doc, body)) : null,
        examples(operation, method, path),
        answer ? [fields(`Answer ${good[0]}`, properties(doc, answer.schema).map(([name, schema]) => [name, schema])),
            answer.example !== undefined ? codeBlock(JSON.stringify(answer.example, null, 2), {title: 'Answer', label: 'Copy answer'}) : null] : h('p', `Answer: ${good[0]}.`),
        errors(doc, operation));
}

const authText = operation => { const names = operation.security.flatMap(s => Object.keys(s)); return names.includes('ServiceBearer') ? 'key' : names.length ? 'session' : 'open'; };

function one(doc, method, path, operation) {
    const node = h('details', {class: 'operation', id: operation.operationId}, h('summary',
        h('span', {class: `method ${method}`}, method.toUpperCase()), h('code', path), h('span', {class: 'muted'}, operation.summary), badge(authText(operation))));
    node.addEventListener('toggle', () => { if (node.open && node.children.length === 1) node.append(detail(doc, method, path, operation)); });
    return node;
}

function reference(doc) {
    const all = Object.entries(doc.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({path, method, operation})));
    return doc.tags.map(tag => h('div', {class: 'tag'}, h('h3', {id: `tag-${tag.name.replaceAll(' ', '-')}`}, tag.name), h('p', {class: 'muted small'}, tag.description),
        h('div', {class: 'operations'}, all.filter(o => o.operation.tags[0] === tag.name).map(o => one(doc, o.method, o.path, o.operation)))));
}

// A link to #createResponse opens it, also after the reference has come.
function openTarget() {
    if (location.hash.length > 1 && !document.getElementById(decodeURIComponent(location.hash.slice(1)))) want();
    const node = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    if (!node) return;
    if (node.tagName === 'DETAILS') node.open = true;
    node.scrollIntoView();
}
addEventListener('hashchange', openTarget);

// The description is larger than the rest of the page: it comes when somebody is about to read it.
const place = $('#reference-place');
let wanted = false;
function want() {
    if (wanted) return;
    wanted = true;
    load(place, () => get('/openapi.json'), reference, {what: 'The reference could not be loaded.', lines: 12}).then(openTarget);
}
const near = new IntersectionObserver(entries => { if (entries.some(e => e.isIntersecting)) want(); }, {rootMargin: '800px'});
near.observe(place);
if (location.hash && !document.getElementById(location.hash.slice(1))) want();
