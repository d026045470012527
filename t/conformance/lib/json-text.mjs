// What a JSON parser forgives and other clients do not: found in the text, before it is parsed.

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

// Returns the first member name that an object of the text has twice, or null. A program that
// replaces members by splicing text can make one; parsers then differ on which of the two counts.
export function memberTwice(text) {
    const stack = [];
    let last = null;
    for (const [token] of text.matchAll(TOKEN)) {
        if (token === '{') {
            stack.push(new Set());
        } else if (token === '[') {
            stack.push(null);
        } else if (token === '}' || token === ']') {
            stack.pop();
        } else if (token === ':') {
            const names = stack.at(-1);
            if (names?.has(last)) {
                return last;
            }
            names?.add(last);
        } else if (token !== ',') {
            last = token;
        }
    }
    return null;
}

// Returns a string of the parsed value that holds half a surrogate pair, or null. It cannot be
// written as UTF-8; it comes from a character that was cut in two between events.
export function brokenString(text, value) {
    return /\\ud[89a-f]/i.test(text) ? findBroken(value) : null;
}

function findBroken(value) {
    if (typeof value === 'string') {
        return /\p{Surrogate}/u.test(value) ? value : null;
    }
    if (value !== null && typeof value === 'object') {
        for (const member of Object.values(value)) {
            const found = findBroken(member);
            if (found !== null) {
                return found;
            }
        }
    }
    return null;
}

// Parses `text` and tells `fail(rule, message)` what it finds. Returns undefined if it is not JSON.
export function parseJson(text, fail) {
    let value;
    try {
        value = JSON.parse(text);
    } catch {
        return undefined;
    }
    const twice = memberTwice(text);
    if (twice !== null) {
        fail('json.twice', `member ${twice} comes twice`);
    }
    const broken = brokenString(text, value);
    if (broken !== null) {
        fail('json.surrogate', `half a character in ${JSON.stringify(broken).slice(-60)}`);
    }
    return value;
}
