// Bytes: damage to the framing of a stream, and changes that every reader must put up with.
// `text` is a clean stream as text; a change returns text or bytes.

const bytes = (text) => Buffer.from(text, 'utf8');

function replaceByte(text, from, to) {
    const data = bytes(text);
    data[data.indexOf(from)] = to;
    return data;
}

function reversed(json) {
    return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(json)).reverse()));
}

// [what is done, the rule that must see it, sample, how]
export const BROKEN = [
    [
        'the event lines are missing',
        'm.event-name',
        'messagesText',
        (text) => text.replaceAll(/^event: .*\n/gm, ''),
    ],
    [
        'an event line names another type',
        'm.event-name',
        'messagesText',
        (text) => text.replace('event: message_delta', 'event: message_stop'),
    ],
    [
        'an event line names another type (responses)',
        'r.event-name',
        'responsesFull',
        (text) => text.replace('event: response.completed', 'event: response.done'),
    ],
    ['a chunk has an event line', 'c.event-name', 'chatText', (text) => `event: message\n${text}`],
    ['an event has no data', 'sse.empty', 'chatText', (text) => `event: ping\n\n${text}`],
    ['an event has empty data', 'sse.empty', 'messagesText', (text) => `data:\n\n${text}`],
    [
        'data is not JSON',
        'sse.json',
        'chatText',
        (text) => text.replace('data: {"id"', 'data: {id'),
    ],
    ['data is a list', 'sse.json', 'messagesText', (text) => `data: []\n\n${text}`],
    ['data is a word', 'sse.json', 'messagesText', (text) => `data: "ping"\n\n${text}`],
    [
        'a multibyte character is torn',
        'sse.utf8',
        'messagesText',
        (text) => replaceByte(text, 0xc3, 0x20),
    ],
    ['a character is in Latin-1', 'sse.utf8', 'chatText', (text) => Buffer.from(text, 'latin1')],
    [
        'a character was replaced on the way',
        'sse.replaced',
        'messagesText',
        (text) => bytes(text.replaceAll('ö', '\uFFFD')),
    ],
    [
        'a member comes twice',
        'json.twice',
        'chatText',
        (text) => text.replace('"model":', '"model":"x","model":'),
    ],
    [
        'an inner member comes twice',
        'json.twice',
        'responsesFull',
        (text) => text.replace('"store":true', '"store":true,"store":true'),
    ],
    [
        'a character is cut in two',
        'json.surrogate',
        'messagesText',
        (text) => text.replace('"text":"Hel"', '"text":"Hel\\ud83d"'),
    ],
    ['the last empty line is missing', 'sse.cut', 'responsesFull', (text) => text.slice(0, -1)],
    ['the stream is cut inside a line', 'sse.cut', 'responsesFull', (text) => text.slice(0, -40)],
    ['two events are not separated', 'sse.json', 'chatText', (text) => text.replace('\n\n', '\n')],
    ['a line has an unknown field', 'sse.field', 'chatText', (text) => `size: 12\n${text}`],
    [
        'HTML comes instead of a stream',
        'sse.cut',
        'messagesText',
        () => '<html><body>Bad Gateway</body></html>',
    ],
    ['nothing comes', 'm.terminal', 'messagesText', () => ''],
];

const split = (event, member, held) => {
    const half = Math.ceil(held.length / 2);
    return [held.slice(0, half), held.slice(half)].map((piece) => {
        const copy = structuredClone(event);
        copy.delta[member] = piece;
        return copy;
    });
};

// [what is done, sample, how, options]: these must pass without any finding.
export const BENIGN = [
    ['lines end with CRLF', 'messagesTools', (text) => text.replaceAll('\n', '\r\n')],
    ['lines end with CR', 'responsesFull', (text) => text.replaceAll('\n', '\r')],
    [
        'there is no space after the colon',
        'chatTools',
        (text) => text.replaceAll('data: ', 'data:'),
    ],
    [
        'comments come between events',
        'chatTools',
        (text) => text.replaceAll('\n\n', '\n\n: keep-alive\n\n'),
    ],
    [
        'a comment comes inside an event',
        'responsesFull',
        (text) => text.replaceAll('\ndata:', '\n: note\ndata:'),
    ],
    ['the stream starts with a byte order mark', 'messagesText', (text) => bytes(`\uFEFF${text}`)],
    [
        'events have ids and retry lines',
        'chatText',
        (text) => text.replaceAll('data: {', 'id: 1\nretry: 100\ndata: {'),
    ],
    [
        'data is spread over several lines',
        'messagesText',
        (text) => text.replaceAll(',"', ',\ndata: "'),
    ],
    [
        'the data line comes before the event line',
        'messagesText',
        (text) => text.replaceAll(/(event: .*\n)(data: .*\n)/g, '$2$1'),
    ],
    [
        'pings come anywhere',
        'messagesTools',
        (text) =>
            `event: ping\ndata: {"type":"ping"}\n\n${text}`.replaceAll(
                'event: content',
                'event: ping\ndata: {"type":"ping"}\n\nevent: content',
            ),
    ],
    [
        'members are in another order',
        'messagesText',
        (text) => text.replaceAll(/^data: (.*)$/gm, (line, json) => `data: ${reversed(json)}`),
    ],
    ['[DONE] follows the final event', 'responsesFull', (text) => `${text}data: [DONE]\n\n`],
    [
        'keepalives come where they are agreed',
        'responsesFull',
        (text) =>
            text.replace(
                'event: response.completed',
                'event: keepalive\ndata: {"type":"keepalive"}\n\nevent: response.completed',
            ),
        { keepalive: true },
    ],
    [
        'characters are written as escapes',
        'messagesText',
        (text) => text.replaceAll('ö', '\\u00f6\\ud83d\\ude00'),
    ],
    [
        'text looks like members',
        'chatText',
        (text) => text.replaceAll('Hel', '{\\"a\\":1,\\"a\\":[2]}'),
    ],
    [
        'two objects have the same members',
        'chatText',
        (text) => text.replaceAll('"logprobs":null', '"logprobs":null,"x":[{"a":1},{"a":2}]'),
    ],
    [
        'a megabyte comes in one event',
        'chatText',
        (text) => text.replaceAll('wörld', 'w'.repeat(1 << 20)),
    ],
];

// [what is done, sample, how]: changes to the events that mean the same.
export const SAME = [
    [
        'a tool has no arguments',
        'messagesTools',
        (s) => {
            s.events = s.events.filter((e) => e.delta?.type !== 'input_json_delta');
        },
    ],
    [
        'an arguments piece is split',
        'messagesTools',
        (s) => {
            s.events = s.events.flatMap((e) =>
                e.delta?.partial_json ? split(e, 'partial_json', e.delta.partial_json) : [e],
            );
        },
    ],
    [
        'a turn is cut short inside a tool',
        'messagesTools',
        (s) => {
            s.drop((e) => e.delta?.type === 'input_json_delta', -1).edit('message_delta', (e) => {
                e.delta.stop_reason = 'max_tokens';
            });
        },
    ],
    [
        'a message has no content',
        'messagesText',
        (s) => {
            s.events = s.events.filter((e) => e.index === undefined);
            s.edit('message_delta', (e) => {
                Object.assign(e.delta, { stop_reason: 'end_turn', stop_sequence: null });
            });
        },
    ],
    [
        'the error is the very first event',
        'messagesFailed',
        (s) => {
            s.events = s.events.slice(-1);
        },
    ],
    ['several message_delta come', 'messagesText', (s) => s.duplicate('message_delta')],
    [
        'the pieces of two tool calls alternate',
        'chatTools',
        (s) => {
            const places = s.events.flatMap((e, place) =>
                e.choices?.[0]?.delta?.tool_calls ? [place] : [],
            );
            const pieces = places.map((place) => s.events[place]);
            places.forEach((place, i) => {
                s.events[place] = pieces[(i % 2) * (pieces.length / 2) + Math.floor(i / 2)];
            });
        },
    ],
    [
        'a text delta is empty',
        'chatText',
        (s) =>
            s.edit(
                (e) => e.choices?.[0]?.delta?.content,
                (e) => {
                    e.choices[0].delta.content = '';
                },
            ),
    ],
    [
        'a chat error is the first chunk',
        'chatFailed',
        (s) => {
            s.events = s.events.slice(-1);
        },
    ],
    [
        'obfuscation is added',
        'responsesFull',
        (s) =>
            s.editAll('response.output_text.delta', (e) => {
                e.obfuscation = 'xyz';
            }),
    ],
    [
        'a response fails before it starts',
        'responsesFailed',
        (s) => {
            s.events = s.events.slice(-2);
        },
    ],
    [
        'an empty text delta is added',
        'responsesFull',
        (s) =>
            s.duplicate('response.output_text.delta').edit('response.output_text.delta', (e) => {
                e.delta = '';
            }),
    ],
];
