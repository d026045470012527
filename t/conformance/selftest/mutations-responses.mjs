// Damage to Responses streams. The events are numbered anew afterwards, unless the numbers are the
// matter: sequence_number alone would give most of the changes away.

const done = 'response.output_item.done';
const added = 'response.output_item.added';
const completed = 'response.completed';
const text = 'response.output_text';
const args = 'response.function_call_arguments';

export const RESPONSES = [
    [
        'the stream starts with an item',
        'r.created-first',
        'responsesFull',
        (s) => s.drop('response.created').drop('response.in_progress'),
    ],
    [
        'an empty response was never in_progress',
        'r.in-progress',
        'responsesRefusal',
        (s) => {
            s.events = s
                .drop('response.in_progress')
                .events.filter((e) => e.output_index === undefined);
        },
    ],
    [
        'a number is skipped',
        'r.sequence',
        'responsesFull',
        (s) => s.keepNumbers().drop(`${text}.delta`),
    ],
    [
        'a number comes twice',
        'r.sequence',
        'responsesFull',
        (s) => s.keepNumbers().duplicate(`${text}.delta`),
    ],
    [
        'the numbers start at 1',
        'r.sequence',
        'responsesFull',
        (s) =>
            s.keepNumbers().events.forEach((e) => {
                e.sequence_number += 1;
            }),
    ],
    [
        'a number is missing',
        'r.sequence',
        'responsesFull',
        (s) =>
            s.keepNumbers().edit(done, (e) => {
                delete e.sequence_number;
            }),
    ],
    [
        'response.created is missing',
        'r.created-first',
        'responsesFull',
        (s) => s.drop('response.created'),
    ],
    [
        'response.created comes twice',
        'r.created-first',
        'responsesFull',
        (s) => s.duplicate('response.created'),
    ],
    [
        'response.created comes second',
        'r.created-first',
        'responsesFull',
        (s) => s.swap('response.created'),
    ],
    [
        'response.in_progress is missing',
        'r.in-progress',
        'responsesFull',
        (s) => s.drop('response.in_progress'),
    ],
    [
        'response.in_progress comes after the first item',
        'r.in-progress',
        'responsesFull',
        (s) => s.swap('response.in_progress'),
    ],
    [
        'response.in_progress comes again',
        'r.in-progress-again',
        'responsesFull',
        (s) => s.insert(8, s.events[1]),
    ],
    [
        'created holds output',
        'r.start-empty',
        'responsesFull',
        (s) => {
            const { item } = s.events[s.find(done)];
            s.edit('response.created', (e) => {
                e.response.output = [item];
            });
        },
    ],
    [
        'the response id changes',
        'r.same-head',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                e.response.id = 'resp_2';
            }),
    ],
    [
        'the model changes',
        'r.same-head',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                e.response.model = 'other';
            }),
    ],
    [
        'completed with status in_progress',
        'r.status',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                e.response.status = 'in_progress';
            }),
    ],
    [
        'created with status completed',
        'r.status',
        'responsesFull',
        (s) =>
            s.edit('response.created', (e) => {
                e.response.status = 'completed';
            }),
    ],
    [
        'completed with an error',
        'r.status',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                e.response.error = { code: 'server_error', message: 'x' };
            }),
    ],
    [
        'incomplete without a reason',
        'r.status',
        'responsesRefusal',
        (s) =>
            s.edit('response.incomplete', (e) => {
                e.response.incomplete_details = null;
            }),
    ],
    [
        'failed without an error',
        'r.status',
        'responsesFailed',
        (s) =>
            s.edit('response.failed', (e) => {
                e.response.error = null;
            }),
    ],
    [
        'an item index is skipped',
        'r.item-index',
        'responsesFull',
        (s) =>
            s.events
                .filter((e) => e.output_index > 2)
                .forEach((e) => {
                    e.output_index += 1;
                }),
    ],
    [
        'both calls have one index',
        'r.item-index',
        'responsesFull',
        (s) =>
            s.events
                .filter((e) => e.output_index === 3)
                .forEach((e) => {
                    e.output_index = 2;
                }),
    ],
    ['an item is never added', 'r.item-open', 'responsesFull', (s) => s.drop(added, -1)],
    ['an item is added twice', 'r.item-index', 'responsesFull', (s) => s.duplicate(added, 1)],
    [
        'a delta comes after its item',
        'r.item-open',
        'responsesFull',
        (s) => s.insert(s.find(done, 1) + 1, s.events[s.find(`${text}.delta`)]),
    ],
    [
        'a delta has another item_id',
        'r.item-id',
        'responsesFull',
        (s) =>
            s.edit(`${text}.delta`, (e) => {
                e.item_id = 'msg_9';
            }),
    ],
    [
        'done has another item id',
        'r.item-same',
        'responsesFull',
        (s) =>
            s.edit(
                done,
                (e) => {
                    e.item.id = 'msg_9';
                },
                1,
            ),
    ],
    [
        'done has another call_id',
        'r.item-same',
        'responsesFull',
        (s) =>
            s.edit(
                done,
                (e) => {
                    e.item.call_id = 'call_9';
                },
                2,
            ),
    ],
    [
        'done has another name',
        'r.item-same',
        'responsesFull',
        (s) =>
            s.edit(
                done,
                (e) => {
                    e.item.name = 'other';
                },
                3,
            ),
    ],
    [
        'done has another type',
        'r.item-same',
        'responsesFull',
        (s) =>
            s.edit(
                added,
                (e) => {
                    e.item = { ...e.item, type: 'reasoning', summary: [] };
                },
                1,
            ),
    ],
    ['an item is never done', 'r.item-unclosed', 'responsesFull', (s) => s.drop(done, 2)],
    ['an item is done twice', 'r.item-open', 'responsesFull', (s) => s.duplicate(done, 2)],
    [
        'two calls have one call_id',
        'r.item-unique',
        'responsesFull',
        (s) => {
            for (const e of s.events.filter((one) => one.output_index === 3 && one.item)) {
                e.item = { ...e.item, call_id: 'call_2' };
            }
        },
    ],
    ['two items overlap', 'r.item-overlap', 'responsesFull', (s) => s.swap(done, 2)],
    [
        'a done item is in_progress',
        'r.item-status',
        'responsesFull',
        (s) =>
            s.edit(
                done,
                (e) => {
                    e.item.status = 'in_progress';
                },
                1,
            ),
    ],
    [
        'a completed response has an incomplete item',
        'r.item-status',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                e.response.output[1] = { ...e.response.output[1], status: 'incomplete' };
            }),
    ],
    [
        'an item is added with its text',
        'r.start-empty',
        'responsesFull',
        (s) => {
            const { item } = s.events[s.find(done, 1)];
            s.edit(
                added,
                (e) => {
                    e.item = { ...item, status: 'in_progress' };
                },
                1,
            );
        },
    ],
    [
        'a part is added with its text',
        'r.start-empty',
        'responsesFull',
        (s) =>
            s.edit('response.content_part.added', (e) => {
                e.part.text = 'Hel';
            }),
    ],
    [
        'the final output is empty',
        'r.output',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                e.response.output = [];
            }),
    ],
    [
        'the final output lost an item',
        'r.output',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                e.response.output.pop();
            }),
    ],
    [
        'the final output is in another order',
        'r.output',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                e.response.output.reverse();
            }),
    ],
    [
        'the final output has another text',
        'r.output',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                e.response.output = structuredClone(e.response.output);
                e.response.output[1].content[0].text = 'Hello';
            }),
    ],
    [
        'a whole item is lost on the way',
        'r.output',
        'responsesFull',
        (s) => {
            s.events = s.events.filter((e) => e.output_index !== 4);
        },
    ],
    ['the final event is missing', 'r.terminal', 'responsesFull', (s) => s.drop(completed)],
    [
        'the stream is cut inside a call',
        'r.terminal',
        'responsesFull',
        (s) => s.cut(`${args}.done`, 1),
    ],
    [
        'the final event comes twice',
        'r.after-terminal',
        'responsesFull',
        (s) => s.duplicate(completed),
    ],
    [
        'an item follows the final event',
        'r.after-terminal',
        'responsesFull',
        (s) => s.swap(done, -1),
    ],
    [
        'an error follows the final event',
        'r.after-terminal',
        'responsesFailed',
        (s) => s.swap('error'),
    ],
    [
        'an error alone ends the stream',
        'r.error-failed',
        'responsesFailed',
        (s) => s.drop('response.failed'),
    ],
    [
        'completed follows an error',
        'r.error-failed',
        'responsesFull',
        (s) =>
            s.insert(-2, {
                type: 'error',
                code: null,
                message: 'x',
                param: null,
                error: { type: 'server_error', code: null, message: 'x', param: null },
            }),
    ],
    [
        'output follows an error',
        'r.error-failed',
        'responsesFailed',
        (s) => s.insert(-2, s.events[4]),
    ],
    ['response.failed comes alone', 'r.failed-alone', 'responsesFailed', (s) => s.drop('error')],
    [
        'the error event has only the flat members',
        'schema.open-responses',
        'responsesFailed',
        (s) =>
            s.edit('error', (e) => {
                delete e.error;
            }),
    ],
    [
        'the error event has only the nested members',
        'schema',
        'responsesFailed',
        (s) =>
            s.edit('error', (e) => {
                delete e.code;
                delete e.message;
            }),
    ],
    [
        'completed has no usage',
        'r.usage-missing',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                e.response.usage = null;
            }),
    ],
    [
        'the total is wrong',
        'r.usage-sum',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                e.response.usage.total_tokens = 30;
            }),
    ],
    [
        'more reasoning than output tokens',
        'r.usage-sum',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                e.response.usage.output_tokens_details.reasoning_tokens = 13;
            }),
    ],
    [
        'the total is missing',
        'r.usage-sum',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                delete e.response.usage.total_tokens;
            }),
    ],
    [
        'the response is not nested',
        'schema',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                Object.assign(e, { ...e.response, type: completed });
                delete e.response;
            }),
    ],
    [
        'a member that Open Responses needs is missing',
        'schema.open-responses',
        'responsesFull',
        (s) =>
            s.edit(completed, (e) => {
                delete e.response.store;
            }),
    ],
    [
        'an unknown event is sent',
        'schema.unknown',
        'responsesFull',
        (s) => s.insert(5, { type: 'response.heartbeat' }),
    ],
    [
        'a keepalive is sent',
        'r.keepalive',
        'responsesFull',
        (s) => s.insert(5, { type: 'keepalive' }),
    ],
    [
        '[DONE] comes before the final event',
        'r.done-marker',
        'responsesFull',
        (s) => s.keepNumbers().insert(-2, '[DONE]'),
    ],
    [
        '[DONE] comes twice',
        'r.done-marker',
        'responsesFull',
        (s) => s.keepNumbers().insert(-1, '[DONE]', '[DONE]'),
    ],
];
