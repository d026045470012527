// The one way to the service: same origin, session cookie, JSON. A failure is an ApiError that says
// what happened and under which request id; nothing of a request or reply is logged.

const TIMEOUT_MS = 30000;

export class ApiError extends Error {
    // status 0: no answer came (offline, timeout). code, type and message are the service's own.
    constructor(status, body, headers) {
        const error = body?.error ?? {};
        super(typeof error.message === 'string' ? error.message
            : status === 0 ? 'No connection to the service.' : `The service answered ${status}.`);
        this.name = 'ApiError';
        this.status = status;
        this.type = error.type ?? null;
        this.code = error.code ?? null;
        this.param = error.param ?? null;
        this.detail = Array.isArray(body?.detail) ? body.detail : [];
        this.requestId = headers?.get('x-request-id') ?? null;
        this.retryAfter = Number(headers?.get('retry-after')) || null;
    }

    // {field: text} of a 422: the last part of each loc is the field.
    get fields() {
        const fields = {};
        for (const one of this.detail) {
            const name = [...(one.loc ?? [])].reverse().find(part => typeof part === 'string');
            if (name && !(name in fields)) fields[name] = one.msg;
        }
        return fields;
    }
}

// The page to come back to after signing in: this one, with its filters, never its fragment.
export function signInAddress() {
    const here = location.pathname + location.search;
    return here === '/app/' ? '/signin/' : `/signin/?next=${encodeURIComponent(here)}`;
}

let leaving = false;

function toSignIn() {
    if (!leaving) location.assign(signInAddress());
    leaving = true;
}

async function send(method, path, body, options) {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), options.timeout ?? TIMEOUT_MS);
    options.signal?.addEventListener('abort', () => controller.abort());
    try {
        return await fetch(path, {
            method,
            credentials: 'same-origin',
            cache: 'no-store',
            headers: {
                Accept: 'application/json',
                ...(body === undefined ? {} : {'Content-Type': 'application/json'}),
                ...options.headers,
            },
            body: body === undefined ? undefined : JSON.stringify(body),
            signal: controller.signal,
        });
    } catch {
        throw new ApiError(0, null, null);
    } finally {
        clearTimeout(timer);
    }
}

// request('POST', '/api/keys', {name}) -> the reply's JSON, or null when it has no body.
// options: signal, timeout (ms), headers, signIn: false leaves a 401 to the caller (the sign-in
// page, whose 401 means a wrong password).
export async function request(method, path, body, options = {}) {
    const reply = await send(method, path, body, options);
    const text = await reply.text().catch(() => { throw new ApiError(0, null, reply.headers); });
    let json = null;
    try { json = text === '' ? null : JSON.parse(text); } catch { /* not ours: see below */ }
    if (reply.ok && (json !== null || text === '')) return json;
    const error = new ApiError(reply.ok ? 502 : reply.status, json, reply.headers);
    if (error.status === 401 && options.signIn !== false) {
        toSignIn();
        // The page is going away; nothing that waits for this shall go on or show an error.
        return new Promise(() => {});
    }
    throw error;
}

export const get = (path, options) => request('GET', path, undefined, options);
export const post = (path, body, options) => request('POST', path, body, options);
export const put = (path, body, options) => request('PUT', path, body, options);
export const patch = (path, body, options) => request('PATCH', path, body, options);
export const del = (path, options) => request('DELETE', path, undefined, options);

// '/api/usage' and {model: 'a b', key: null} -> '/api/usage?model=a+b'
export function query(path, parameters) {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters))
        if (value !== null && value !== undefined && value !== '') search.set(name, value);
    const text = search.toString();
    return text === '' ? path : `${path}?${text}`;
}
