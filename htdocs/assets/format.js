// Amounts and times as people read them. Amounts are decimal text from the service and BigInt here;
// no amount is ever a floating-point number. Every short form carries the exact one in its title.
import {h} from '/assets/dom.js';

const NANO = 1000000000n;
const CENT = 10000000n;

// {"credits":"12.5"} or "12.5" -> 12500000000n nano-credits; null stays null.
export function nano(amount) {
    if (amount === null || amount === undefined) return null;
    if (typeof amount === 'bigint') return amount;
    const text = typeof amount === 'object' ? amount.credits : amount;
    const match = /^(-?)(\d+)(?:\.(\d{1,18}))?$/.exec(String(text));
    if (!match) return null;
    const digits = (match[3] ?? '').padEnd(9, '0').slice(0, 9);
    const value = BigInt(match[2]) * NANO + BigInt(digits);
    return match[1] === '-' ? -value : value;
}

const group = digits => digits.replace(/\B(?=(\d{3})+$)/g, ',');
const sign = value => (value < 0n ? '−' : '');
const size = value => (value < 0n ? -value : value);

// "1,234.5678" with every decimal there is, two at least.
export function exact(amount) {
    const value = nano(amount);
    if (value === null) return '–';
    const rest = String(size(value) % NANO).padStart(9, '0').replace(/0+$/, '').padEnd(2, '0');
    return `${sign(value)}${group(String(size(value) / NANO))}.${rest}`;
}

// Rounded to `places` decimals, half away from zero.
function rounded(value, places) {
    const unit = 10n ** BigInt(9 - places);
    const units = (size(value) + unit / 2n) / unit;
    const text = String(units).padStart(places + 1, '0');
    return `${sign(value)}$${group(text.slice(0, -places))}.${text.slice(-places)}`;
}

// A balance: "$41.87", rounded down, so that it never shows credit that is not there.
export function balanceText(amount) {
    const value = nano(amount);
    if (value === null) return '–';
    let cents = value / CENT;
    if (value < 0n && value % CENT !== 0n) cents -= 1n;
    const text = String(size(cents)).padStart(3, '0');
    return `${sign(cents)}$${group(text.slice(0, -2))}.${text.slice(-2)}`;
}

// A charge: "$0.0042" (two significant digits below a cent), "$0.0153", "$12.40".
export function chargeText(amount) {
    const value = nano(amount);
    if (value === null) return '–';
    const s = size(value);
    if (s === 0n) return '$0.00';
    if (s >= NANO) return rounded(value, 2);
    if (s >= CENT) return rounded(value, 4);
    return rounded(value, Math.min(9, 11 - String(s).length));
}

function figure(text, amount) {
    return h('span', {class: 'num', title: `${exact(amount)} credit`}, text);
}
export const balance = amount => figure(balanceText(amount), amount);
export const charge = amount => figure(chargeText(amount), amount);

// Cash: 5000, "usd" -> "$50.00". Other currencies keep their code.
export function cash(cents, currency = 'usd') {
    const value = BigInt(cents);
    const text = String(size(value)).padStart(3, '0');
    const number = `${group(text.slice(0, -2))}.${text.slice(-2)}`;
    return currency.toLowerCase() === 'usd' ? `${sign(value)}$${number}`
        : `${sign(value)}${number} ${currency.toUpperCase()}`;
}

// Tokens and the like: 12480 -> "12,480"; no data is not zero.
export const count = number => (number === null || number === undefined ? '–' : group(String(number)));

// All input of a usage object: new, read from the cache, written into it.
export const tokensIn = usage => usage.input_tokens + usage.cache_read_tokens + usage.cache_write_5m_tokens + usage.cache_write_1h_tokens;

// 1234567 -> "1.23M", for axes and places without room.
export function short(number) {
    if (number === null || number === undefined) return '–';
    return new Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 3}).format(number);
}

// "1 request", "2 requests"
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

//// Times

const kept = name => { try { return localStorage.getItem(`mg.${name}`); } catch { return null; } };
export const zone = () => (kept('zone') === 'utc' ? 'UTC' : undefined);

const formats = new Map();
function format(options) {
    const key = JSON.stringify(options);
    if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat('en-GB', options));
    return formats.get(key);
}

const date = value => (value instanceof Date ? value : new Date(value));

// "20 Nov 2026, 10:42:07 UTC"
export const utcText = value => `${format({day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit',
    minute: '2-digit', second: '2-digit', timeZone: 'UTC'}).format(date(value))} UTC`;

const dayOptions = value => ({day: 'numeric', month: 'short', timeZone: zone(),
    ...(date(value).getFullYear() === new Date().getFullYear() ? {} : {year: 'numeric'})});

// "20 Nov", "20 Nov 2025" in another year than this one.
export const dayText = value => format(dayOptions(value)).format(date(value));
// "20 Nov, 10:42"
export const momentText = value =>
    format({...dayOptions(value), hour: '2-digit', minute: '2-digit'}).format(date(value));
// "10:42:07"
export const clockText = value => format({hour: '2-digit', minute: '2-digit', second: '2-digit',
    timeZone: zone()}).format(date(value));

// "12 s ago", "4 minutes ago", "in 3 days"
export function agoText(value, now = Date.now()) {
    const seconds = Math.round((date(value).getTime() - now) / 1000);
    const past = seconds <= 0;
    const s = Math.abs(seconds);
    const [number, unit] = s < 60 ? [s, 's'] : s < 3600 ? [Math.floor(s / 60), 'minute']
        : s < 86400 ? [Math.floor(s / 3600), 'hour'] : [Math.floor(s / 86400), 'day'];
    if (s < 5) return past ? 'just now' : 'now';
    const text = unit === 's' ? `${number} s` : plural(number, unit);
    return past ? `${text} ago` : `in ${text}`;
}

// 691 -> "11:31"; 7265 -> "2:01:05"
export function countdown(seconds) {
    const s = Math.max(0, Math.floor(seconds));
    const two = n => String(n).padStart(2, '0');
    return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}`
        : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

// 900 -> "15 minutes", 7200 -> "2 hours", 2592000 -> "30 days"
export function spanText(seconds) {
    if (seconds >= 86400) return plural(Math.floor(seconds / 86400), 'day');
    if (seconds >= 3600 && seconds % 3600 === 0) return plural(seconds / 3600, 'hour');
    return seconds >= 60 ? plural(Math.floor(seconds / 60), 'minute') : plural(seconds, 'second');
}

// A <time> in the chosen zone with UTC on hover; `text` is one of the functions above.
export function time(value, text = momentText) {
    if (!value) return h('span', {class: 'muted'}, '–');
    return h('time', {datetime: date(value).toISOString(), title: utcText(value),
        data: text === agoText ? {ago: ''} : {}}, text(value));
}

// Keeps every "… ago" below this node right.
export function renewAges(root = document) {
    for (const node of root.querySelectorAll('time[data-ago]')) {
        const text = agoText(node.dateTime);
        if (node.textContent !== text) node.textContent = text;
    }
}
