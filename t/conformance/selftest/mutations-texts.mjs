// Damage to what the items of a Responses stream hold: parts, texts, and the arguments of calls.

const done = 'response.output_item.done';
const completed = 'response.completed';
const text = 'response.output_text';
const args = 'response.function_call_arguments';
const custom = 'response.custom_tool_call_input';
const summary = 'response.reasoning_summary_text';

export const RESPONSES_TEXTS = [
    [
        'a part is done twice',
        'r.part-open',
        'responsesFull',
        (s) => s.duplicate('response.content_part.done'),
    ],
    [
        'a part is done as another type',
        'r.part-type',
        'responsesFull',
        (s) =>
            s.edit('response.content_part.done', (e) => {
                e.part = { type: 'refusal', refusal: '' };
            }),
    ],
    [
        'an arguments delta comes after its done',
        'r.item-open',
        'responsesFull',
        (s) => s.swap(`${args}.delta`, 2),
    ],
    [
        'a part index is skipped',
        'r.part-index',
        'responsesFull',
        (s) =>
            s.events
                .filter((e) => e.content_index === 0)
                .forEach((e) => {
                    e.content_index = 1;
                }),
    ],
    [
        'a part is never added',
        'r.part-open',
        'responsesFull',
        (s) => s.drop('response.content_part.added'),
    ],
    [
        'a summary part is never added',
        'r.part-open',
        'responsesFull',
        (s) => s.drop('response.reasoning_summary_part.added'),
    ],
    [
        'a part is never done',
        'r.part-unclosed',
        'responsesFull',
        (s) => s.drop('response.content_part.done'),
    ],
    [
        'a delta comes after its part',
        'r.part-open',
        'responsesFull',
        (s) =>
            s.insert(s.find('response.content_part.done') + 1, s.events[s.find(`${text}.delta`)]),
    ],
    [
        'a delta comes after the text is done',
        'r.part-open',
        'responsesFull',
        (s) => s.swap(`${text}.delta`, 2),
    ],
    [
        'a text delta comes in a refusal',
        'r.part-type',
        'responsesRefusal',
        (s) =>
            s.edit('response.refusal.delta', (e) => {
                e.type = `${text}.delta`;
                e.logprobs = [];
            }),
    ],
    [
        'arguments come in a message',
        'r.part-type',
        'responsesFull',
        (s) =>
            s.insert(s.find(done, 1), {
                type: `${args}.delta`,
                item_id: 'msg_1',
                output_index: 1,
                delta: '{',
            }),
    ],
    ['a text delta is lost', 'r.text-concat', 'responsesFull', (s) => s.drop(`${text}.delta`)],
    [
        'a text delta comes twice',
        'r.text-concat',
        'responsesFull',
        (s) => s.duplicate(`${text}.delta`, 1),
    ],
    [
        'two text deltas change places',
        'r.text-concat',
        'responsesFull',
        (s) => s.swap(`${text}.delta`),
    ],
    [
        'the done text is another',
        'r.text-concat',
        'responsesFull',
        (s) =>
            s.edit(`${text}.done`, (e) => {
                e.text = 'Hello';
            }),
    ],
    [
        'the done part has another text',
        'r.text-concat',
        'responsesFull',
        (s) =>
            s.edit('response.content_part.done', (e) => {
                e.part = { ...e.part, text: '' };
            }),
    ],
    [
        'the done item lost its content',
        'r.text-concat',
        'responsesFull',
        (s) =>
            s.edit(
                done,
                (e) => {
                    e.item = { ...e.item, content: [] };
                },
                1,
            ),
    ],
    [
        'a summary delta is lost',
        'r.text-concat',
        'responsesFull',
        (s) => s.drop(`${summary}.delta`, 1),
    ],
    [
        'a refusal delta is lost',
        'r.text-concat',
        'responsesRefusal',
        (s) => s.drop('response.refusal.delta', 1),
    ],
    [
        'an arguments delta is lost',
        'r.args-concat',
        'responsesFull',
        (s) => s.drop(`${args}.delta`),
    ],
    [
        'the arguments come only at the end',
        'r.args-concat',
        'responsesFull',
        (s) => s.drop(`${args}.delta`).drop(`${args}.delta`).drop(`${args}.delta`),
    ],
    [
        'the done arguments are others',
        'r.args-concat',
        'responsesFull',
        (s) =>
            s.edit(`${args}.done`, (e) => {
                e.arguments = '{}';
            }),
    ],
    [
        'the done item has other arguments',
        'r.args-concat',
        'responsesFull',
        (s) =>
            s.edit(
                done,
                (e) => {
                    e.item = { ...e.item, arguments: '{}' };
                },
                2,
            ),
    ],
    [
        'a custom input delta is lost',
        'r.args-concat',
        'responsesFull',
        (s) => s.drop(`${custom}.delta`),
    ],
    [
        'the arguments are torn everywhere',
        'r.args-json',
        'responsesFull',
        (s) => {
            s.drop(`${args}.delta`, -1);
            for (const e of [...s.events, ...s.events[s.find(completed)].response.output]) {
                for (const held of [e, e.item ?? {}]) {
                    held.arguments &&=
                        held.call_id === 'call_3' || e.item_id === 'fc_3' ? '{"ci' : held.arguments;
                }
            }
            s.edit(
                `${args}.delta`,
                (e) => {
                    e.delta = '{"ci';
                },
                -1,
            );
            s.drop(`${args}.delta`, -2);
        },
    ],
    [
        'arguments.done has another name',
        'r.args-name',
        'responsesFull',
        (s) =>
            s.edit(`${args}.done`, (e) => {
                e.name = 'other';
            }),
    ],
    ['arguments.done is missing', 'r.args-done', 'responsesFull', (s) => s.drop(`${args}.done`)],
    ['input.done is missing', 'r.args-done', 'responsesFull', (s) => s.drop(`${custom}.done`)],
];
