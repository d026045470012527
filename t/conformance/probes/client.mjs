// The HTTP side of the probes: one request out, the whole reply in, with a time limit.

import http from 'node:http';
import https from 'node:https';

const MOST_BYTES = 64 << 20;

export class Client {
    // options: baseUrl (with or without /v1), key, timeout in ms, versionHeader (the name of the
    // header that selects the Messages style), version (its value), headers (more of them, for
    // all).
    constructor({ baseUrl, key, timeout, versionHeader, version, headers = {} }) {
        this.base = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
        this.key = key;
        this.timeout = timeout;
        this.versionHeader = versionHeader;
        this.version = version;
        this.headers = headers;
    }

    // How a client of the family shows its key. auth: 'bearer', 'x-api-key' or 'none'.
    headersFor(family, auth) {
        const style = auth ?? (family === 'messages' ? 'x-api-key' : 'bearer');
        const headers = {
            accept: 'application/json, text/event-stream',
            'user-agent': 'mg-conform/1',
            ...this.headers,
        };
        if (style === 'bearer') {
            headers.authorization = `Bearer ${this.key}`;
        } else if (style === 'x-api-key') {
            headers['x-api-key'] = this.key;
        }
        if (family === 'messages') {
            headers[this.versionHeader] = this.version;
        }
        return headers;
    }

    // Sends one request. `body` is an object or, to send it as it is, a string. Returns {status,
    // headers, bytes, ms}; rejects with an Error whose `timeout` is true when the limit is over.
    send(method, path, { headers = {}, body } = {}) {
        const url = new URL(this.base + path);
        const payload =
            body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
        const all = { ...headers };
        if (payload !== undefined) {
            all['content-type'] ??= 'application/json';
            all['content-length'] = Buffer.byteLength(payload);
        }
        const started = performance.now();
        const { request } = url.protocol === 'https:' ? https : http;
        return new Promise((resolve, reject) => {
            const req = request(url, { method, headers: all, agent: false }, (res) => {
                collect(res).then((bytes) => {
                    clearTimeout(timer);
                    resolve({
                        status: res.statusCode,
                        headers: res.headers,
                        bytes,
                        ms: performance.now() - started,
                    });
                }, reject);
            });
            const timer = setTimeout(() => {
                req.destroy(
                    Object.assign(new Error(`no complete reply in ${this.timeout} ms`), {
                        timeout: true,
                    }),
                );
            }, this.timeout);
            req.on('upgrade', (res, socket) => {
                clearTimeout(timer);
                socket.destroy();
                resolve({
                    status: res.statusCode,
                    headers: res.headers,
                    bytes: Buffer.alloc(0),
                    ms: performance.now() - started,
                });
            });
            req.on('error', (error) => {
                clearTimeout(timer);
                reject(error);
            });
            req.end(payload);
        });
    }
}

async function collect(stream) {
    const parts = [];
    let size = 0;
    for await (const part of stream) {
        size += part.length;
        if (size > MOST_BYTES) {
            throw new Error('the reply is larger than 64 MiB');
        }
        parts.push(part);
    }
    return Buffer.concat(parts);
}
