// Server-sent events: bytes in, events out. Follows the parsing rules of the HTML standard (LF, CR
// and CRLF, comments, several data lines, one optional space), and reports what clients stumble on.

const FIELDS = new Set(['event', 'data', 'id', 'retry']);

// Parses a whole stream. `input` is a Buffer or a string. Returns a list of {name, data, at}: the
// value of the event line or null, the data, and the number of the event. Comments are not events.
export function parseEvents(input, findings) {
    const events = [];
    let block = newBlock();
    const lines = textOf(input, findings)
        .replace(/^\uFEFF/, '')
        .split(/\r\n|\n|\r/);
    const rest = lines.pop();
    for (const line of lines) {
        if (line === '') {
            close(block, events, findings);
            block = newBlock();
        } else {
            field(line, block, events.length, findings);
        }
    }
    if (rest !== '' || block.touched) {
        findings.add('sse.cut', events.length, 'the stream ends inside an event');
    }
    return events;
}

function newBlock() {
    return { name: null, data: null, touched: false };
}

function textOf(input, findings) {
    if (typeof input === 'string') {
        return input;
    }
    try {
        const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input);
        if (text.includes('\uFFFD')) {
            findings.add('sse.replaced', 0, 'the stream holds U+FFFD');
        }
        return text;
    } catch {
        findings.add('sse.utf8', 0, 'the bytes are not valid UTF-8');
        return new TextDecoder('utf-8').decode(input);
    }
}

function field(line, block, at, findings) {
    if (line.startsWith(':')) {
        return;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (!FIELDS.has(name)) {
        findings.add('sse.field', at, `unknown field ${JSON.stringify(name.slice(0, 40))}`);
        return;
    }
    block.touched = true;
    if (name === 'event') {
        block.name = value;
    } else if (name === 'data') {
        block.data = block.data === null ? value : `${block.data}\n${value}`;
    }
}

function close(block, events, findings) {
    if (!block.touched) {
        return;
    }
    if (block.data === null || block.data === '') {
        findings.add('sse.empty', events.length, `event ${block.name ?? '(no name)'} has no data`);
        return;
    }
    events.push({ name: block.name, data: block.data, at: events.length });
}

// Writes events as a stream; the self-test and the CLI use it to turn recordings into bytes.
export function formatEvents(events, { named = true } = {}) {
    return events
        .map((event) => {
            const data = typeof event === 'string' ? event : JSON.stringify(event);
            const name = named && event.type !== undefined ? `event: ${event.type}\n` : '';
            return `${name}data: ${data}\n\n`;
        })
        .join('');
}
