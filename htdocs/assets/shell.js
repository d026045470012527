// What surrounds every page: skip link, navigation, live credit and access state, theme switch and
// the announcements. `app` is the frame of the signed-in pages, `site` that of the public ones.
import {get, post, signInAddress} from '/assets/api.js';
import {$, h, icon, replace} from '/assets/dom.js';
import {balance, countdown, renewAges} from '/assets/format.js';

const STALE_MS = 30000;

const places = [
    ['overview', '/app/', 'Overview', 'layout-dashboard'],
    ['setup', '/app/setup/', 'Setup', 'terminal'],
    ['keys', '/app/keys/', 'Keys', 'key-round'],
    ['usage', '/app/usage/', 'Usage', 'chart-column'],
    ['credit', '/app/credit/', 'Credit', 'wallet'],
    null,
    ['checkin', '/app/checkin/', 'Check-in', 'calendar-check'],
    ['vip', '/app/vip/', 'VIP', 'crown'],
    null,
    ['models', '/models/', 'Models', 'boxes'],
    ['playground', '/app/playground/', 'Playground', 'message-square-code'],
    ['docs', '/docs/', 'Docs', 'book-open'],
    null,
    ['account', '/app/account/', 'Account', 'circle-user-round'],
];

//// Preferences and the hint that somebody is signed in (a word, not a secret)

export function preference(name) {
    try { return localStorage.getItem(`mg.${name}`); } catch { return null; }
}

export function prefer(name, value) {
    try {
        if (value === null) localStorage.removeItem(`mg.${name}`);
        else localStorage.setItem(`mg.${name}`, value);
    } catch { /* the page works without */ }
}

export function setTheme(theme) {
    prefer('theme', theme);
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    document.dispatchEvent(new CustomEvent('mg:theme'));
}

const isDark = () => (document.documentElement.dataset.theme
    ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';

function themeSwitch() {
    const show = () => {
        replace(button, icon(isDark() ? 'sun' : 'moon'));
        button.setAttribute('aria-label', isDark() ? 'Use light theme' : 'Use dark theme');
    };
    const button = h('button', {type: 'button', class: 'btn quiet icon-only',
        on: {click: () => setTheme(isDark() ? 'light' : 'dark')}});
    document.addEventListener('mg:theme', show);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
    show();
    return button;
}

//// Announcements

let announcer = null;
let toasts = null;

// Says something to screen readers without showing it.
export function announce(text) {
    if (!announcer) return;
    announcer.textContent = '';
    setTimeout(() => { announcer.textContent = text; }, 50);
}

// Shows a short message for a while and announces it. kind: positive, warning, danger or info.
export function toast(text, kind = 'positive') {
    const names = {positive: 'circle-check', warning: 'triangle-alert', danger: 'circle-alert', info: 'info'};
    const node = h('div', {class: `toast ${kind}`}, icon(names[kind]), h('p', text));
    const timer = setTimeout(() => node.remove(), 6000);
    node.append(h('button', {type: 'button', class: 'btn quiet icon-only small', 'aria-label': 'Dismiss',
        on: {click: () => { clearTimeout(timer); node.remove(); }}}, icon('x')));
    (document.querySelector('dialog[open]') ?? document.body).append(toasts);
    toasts.replaceChildren(node);
    announce(text);
}

function addAnnouncer() {
    announcer = h('div', {class: 'visually-hidden', role: 'status', 'aria-live': 'polite'});
    toasts = h('section', {class: 'toasts', 'aria-label': 'Messages'});
    document.body.append(announcer, toasts);
}

//// Frame of the signed-in pages

const skipLink = () => h('a', {class: 'skip', href: '#main'}, 'Skip to the content');

export const brand = (href = '/') => h('a', {class: 'brand', href, 'aria-label': 'Model Gateway'},
    icon('mark', 'mark'), h('span', 'Model Gateway'));

function links(current) {
    return places.map((place, i) => {
        if (!place) return null;
        const [id, href, text, name] = place;
        return h('li', {data: {place: id}, class: i > 0 && !places[i - 1] ? 'ruled' : null},
            h('a', {href, 'aria-current': id === current ? 'page' : null}, icon(name), h('span', text)));
    });
}

async function signOut() {
    try {
        await post('/api/auth/logout', {}, {signIn: false});
    } catch (error) {
        if (error.status !== 401) {
            toast(`Not signed out: ${error.message}`, 'danger');
            return;
        }
    }
    prefer('signed-in', null);
    prefer('vip', null);
    prefer('signed-out', String(Date.now())); // which other tabs hear
    location.assign('/signin/?out=1');
}

const signOutButton = () => h('button', {type: 'button', class: 'nav-button', on: {click: signOut}},
    icon('log-out'), h('span', 'Sign out'));

const navigation = (current, label, top = null) => h('nav', {class: 'nav', 'aria-label': label}, top,
    h('ul', links(current), h('li', signOutButton())));

// One of: unlimited runs, wallet has credit, nothing. `left` is a function of the seconds left. On
// a phone the `long` words are for screen readers only.
function accessState(account, left) {
    const unlimited = account.unlimited ?? {};
    const long = text => h('span', {class: 'long'}, text);
    if (unlimited.state === 'active')
        return ['accent', 'timer', long('Unlimited '), h('span', {class: 'num', data: {countdown: ''}}, countdown(left()))];
    if (unlimited.state === 'not_started') return ['info', 'timer', long('Unlimited not started')];
    if (account.wallet.available.nano > 0) return ['', 'wallet', long('Paying from credit')];
    return ['warning', 'triangle-alert', long('No credit')];
}

function showStatus(area, account, left) {
    const [kind, name, ...text] = accessState(account, left);
    replace(area,
        h('a', {class: 'credit', href: '/app/credit/'}, balance(account.wallet.available),
            h('span', {class: 'unit'}, ' credit')),
        h('span', {class: `badge ${kind}`}, icon(name), text));
}

// /api/me and /api/wallet tell of the wallet in two places; pages see one form. The System Key
// stays out of it: the Keys page fetches it for itself.
function normal(json) {
    const {system_key: _key, ...rest} = json;
    const wallet = json.wallet ?? {balance: json.balance, held: json.held, available: json.available, lots: json.lots};
    return {...rest, wallet};
}

// app({current: 'overview', title: 'Overview', lede, account: 'wallet' | 'me'}) builds the frame and
// returns {main, head, actions, account, refresh, onAccount}:
//   main      where the page puts its content; its <h1> is there already
//   actions   the place for buttons beside the title
//   account   promise of /api/wallet (or /api/me): {wallet: {available, …}, unlimited, vip, …}
//   refresh() fetches it again: call it after whatever changes the balance
//   onAccount(f) calls f(account) now and after each refresh
export function app({current, title, lede, account = 'wallet'}) {
    document.title = `${title} · Model Gateway`;
    const status = h('div', {class: 'status'}, h('span', {class: 'skeleton line'}));
    const actions = h('div', {class: 'actions'});
    const head = h('header', {class: 'page-head'},
        h('div', h('h1', title), lede ? h('p', {class: 'lede'}, lede) : null), actions);
    const main = h('main', {id: 'main', tabindex: -1}, head);
    const menu = h('details', {class: 'menu'},
        h('summary', {'aria-label': 'Menu'}, icon('menu')), navigation(current, 'Menu'));
    document.body.classList.add('app');
    document.body.classList.toggle('has-vip', preference('vip') === '1'); // as it was, until the service says
    document.body.prepend(skipLink(),
        h('div', {class: 'side'}, navigation(current, 'Main', brand('/app/'))),
        h('div', {class: 'page'},
            h('header', {class: 'top'}, menu, brand('/app/'), status, themeSwitch()), main));
    addAnnouncer();
    closeMenuOutside(menu);
    const followed = follow(account, status);
    main.before(offlineBar(followed.refresh));
    return {main, head, actions, ...followed};
}

// A line, no dialog: what is on the page stays readable without a connection.
function offlineBar(refresh) {
    const text = h('p', {class: 'offline', hidden: navigator.onLine}, icon('cloud-off'), ' You are offline. What you see may be old.');
    addEventListener('offline', () => { text.hidden = false; announce('You are offline.'); });
    addEventListener('online', () => { text.hidden = true; refresh(); });
    return h('div', text);
}

function closeMenuOutside(menu) {
    document.addEventListener('click', event => {
        if (menu.open && !menu.contains(event.target)) menu.open = false;
    });
    document.addEventListener('keydown', event => {
        if (event.key !== 'Escape' || !menu.open) return;
        menu.open = false;
        $('summary', menu).focus();
    });
}

// Keeps the account's state fresh while the page is looked at.
function follow(path, status) {
    const listeners = [];
    let latest = null;
    let fetched = 0;
    const left = () => (latest.unlimited?.remaining_seconds ?? 0) - (Date.now() - fetched) / 1000;

    const fetchIt = async () => {
        const json = normal(await get(`/api/${path}`));
        prefer('signed-in', '1');
        latest = json;
        fetched = Date.now();
        document.body.classList.toggle('has-vip', json.vip?.entitled === true);
        prefer('vip', json.vip?.entitled ? '1' : null);
        showStatus(status, json, left);
        for (const listener of listeners) listener(json);
        return json;
    };
    const first = fetchIt();
    first.catch(() => replace(status, h('span', {class: 'badge warning'}, icon('triangle-alert'), 'Credit unknown')));

    const refresh = () => fetchIt().catch(() => null);
    document.addEventListener('visibilitychange', () => {
        if (!document.hidden && Date.now() - fetched > STALE_MS) refresh();
    });
    // Signed out in another tab: what this one shows, a key perhaps, is not to stay on the screen.
    addEventListener('storage', event => {
        if (event.key === 'mg.signed-out' && event.newValue !== null) location.assign(signInAddress());
    });
    setInterval(() => {
        if (document.hidden) return;
        renewAges();
        if (latest?.unlimited?.state !== 'active') return;
        for (const node of document.querySelectorAll('[data-countdown]')) node.textContent = countdown(left());
        if (left() <= 0 && Date.now() - fetched > 2000) refresh();
    }, 1000);
    // A page that Back brings out of memory is loaded anew: it may be somebody else's turn.
    addEventListener('pageshow', event => { if (event.persisted) location.reload(); });
    const onAccount = listener => {
        listeners.push(listener);
        if (latest) listener(latest);
    };
    return {account: first, refresh, onAccount};
}

//// Frame of the public pages

// Puts header and footer around the <main id="main"> that the page brings along.
export function site({current} = {}) {
    const link = (id, href, text) => h('a', {href, 'aria-current': id === current ? 'page' : null}, text);
    const signedIn = preference('signed-in') === '1';
    document.body.classList.add('site');
    document.body.prepend(skipLink(), h('header', {class: 'site-head'}, brand(),
        h('nav', {class: 'site-nav', 'aria-label': 'Main'},
            link('models', '/models/', 'Models'), link('docs', '/docs/', 'Docs')),
        h('div', {class: 'site-enter'}, themeSwitch(),
            signedIn ? h('a', {class: 'btn', href: '/app/'}, 'Dashboard')
                : [h('a', {class: 'btn quiet', href: '/signin/'}, 'Sign in'),
                    h('a', {class: 'btn primary', href: '/signup/'}, 'Create account')])));
    document.body.append(h('footer', {class: 'site-foot'},
        h('p', 'Credit is for API use here. It is not cash and cannot be paid out.'),
        h('nav', {'aria-label': 'More'}, link('models', '/models/', 'Models'), link('docs', '/docs/', 'Docs'), link('status', '/status/', 'Status'),
            h('a', {href: '/openapi.json'}, 'OpenAPI'))));
    addAnnouncer();
    return {main: $('#main')};
}
