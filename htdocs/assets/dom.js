// Nodes from plain calls. Text becomes a text node and nothing else; there is no way from a string
// to markup, neither here nor anywhere in these pages, so what a user or a model wrote stays text.

const SVG = 'http://www.w3.org/2000/svg';

// Where a link may lead: into this site, to https, or to a mail program.
const allowedLink = /^(\/(?!\/)|#|\?|https:\/\/|mailto:|blob:)/;

function setOne(node, name, value) {
    if (value === null || value === undefined || value === false) return;
    if (name === 'on') {
        for (const [type, listener] of Object.entries(value)) node.addEventListener(type, listener);
    } else if (name === 'data') {
        Object.assign(node.dataset, value);
    } else if (name === 'vars') {
        // Custom properties for a width or a colour; the policy allows it through the object model.
        for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    } else if (name === 'value' || name === 'checked' || name === 'disabled' || name === 'selected'
               || name === 'indeterminate' || name === 'htmlFor') {
        node[name] = value;
    } else if (/^on|^style$|^srcdoc$|html$/i.test(name)) {
        throw new TypeError(`attribute ${name} is not used here`);
    } else if ((name === 'href' || name === 'action') && !allowedLink.test(String(value))) {
        node.setAttribute('data-refused-link', '');
    } else {
        node.setAttribute(name, value === true ? '' : String(value));
    }
}

function fill(node, parts) {
    for (const part of parts.flat(Infinity)) {
        if (part === null || part === undefined || part === false || part === '') continue;
        node.append(part instanceof Node ? part : String(part));
    }
    return node;
}

// h('p', {class: 'muted', on: {click}}, 'text', node, [more]): props may be left out.
export function h(tag, props, ...children) {
    const node = document.createElement(tag);
    if (props === null || props === undefined) return fill(node, children);
    if (typeof props !== 'object' || props instanceof Node || Array.isArray(props))
        return fill(node, [props, ...children]);
    for (const [name, value] of Object.entries(props)) setOne(node, name, value);
    return fill(node, children);
}

// The same for SVG.
export function svg(tag, props, ...children) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(props ?? {})) setOne(node, name, value);
    return fill(node, children);
}

// Made by tools/vendor.sh; the folder is named after what is in it and served as never changing.
const SPRITE = '/assets/vendor/icons-601ebbd5/icons.svg';

// Where an icon is, for a <use>.
export const iconHref = name => `${SPRITE}#${name}`;

// A decorative icon, hidden from screen readers: its meaning is in the text
// or the label beside it.
export function icon(name, cls = '') {
    return svg('svg', {class: `icon ${cls}`.trim(), 'aria-hidden': 'true', viewBox: '0 0 24 24'},
        svg('use', {href: iconHref(name)}));
}

// By what a control is known again when its part of the page is made anew: where it leads, its name.
const ways = [node => node.getAttribute('href'), node => node.getAttribute('aria-label') ?? (node.name || node.textContent)];
const likeness = (node, way) => [node.tagName, way(node), node.type === 'radio' ? node.value : ''].join(' ');
const twin = (node, all) => ways.filter(way => way(node))
    .map(way => all.find(one => likeness(one, way) === likeness(node, way))).find(Boolean);

// Puts these children in the place of all there were. The focus is not lost with them: the control
// like the one that had it gets it, or else the place itself, from where the Tab key goes on.
export function replace(node, ...children) {
    const focused = node.contains(document.activeElement) && node !== document.activeElement ? document.activeElement : null;
    node.replaceChildren();
    fill(node, children);
    if (focused) {
        const next = twin(focused, $$('a, button, input, select, textarea, summary, [tabindex]', node));
        if (!next) node.tabIndex = -1;
        (next ?? node).focus({preventScroll: true});
    }
    return node;
}

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

let lastId = 0;
// An id for label, description and the like.
export const newId = (prefix = 'n') => `${prefix}-${++lastId}`;
