// What a Responses object must be at its state: used for replies and for the objects inside a
// stream.

import { checkResponsesUsage } from './usage.mjs';
import { jsonObject } from './stream.mjs';

// status → which details must be set, whether usage is due
const STATES = {
    completed: { error: false, incomplete: false, usage: true },
    incomplete: { error: false, incomplete: true, usage: true },
    failed: { error: true, incomplete: false, usage: false },
    cancelled: { error: false, incomplete: false, usage: false },
    in_progress: { error: false, incomplete: false, usage: false },
    queued: { error: false, incomplete: false, usage: false },
};

export function checkResponse(response, fail) {
    const state = STATES[response.status];
    if (state === undefined) {
        fail('r.status', `status ${response.status}`);
        return;
    }
    if (Boolean(response.error) !== state.error) {
        fail('r.status', `${response.status} ${state.error ? 'without' : 'with'} an error`);
    }
    if (Boolean(response.incomplete_details) !== state.incomplete) {
        fail(
            'r.status',
            `${response.status} ${state.incomplete ? 'without' : 'with'} incomplete_details`,
        );
    }
    if (response.usage) {
        checkResponsesUsage(response.usage, fail);
    } else if (state.usage) {
        fail('r.usage-missing', `a response that is ${response.status} has no usage`);
    }
    checkItems(response, fail);
}

function checkItems(response, fail) {
    const ids = new Set();
    const calls = new Set();
    for (const item of response.output ?? []) {
        checkItem(item, response.status, fail);
        for (const [set, id] of [
            [ids, item.id],
            [calls, callId(item)],
        ]) {
            if (id !== undefined && set.has(id)) {
                fail('r.item-unique', `id ${id} again`);
            }
            set.add(id);
        }
    }
}

// A call and its output share their call_id, so only calls are looked at.
export function callId(item) {
    return item.type?.endsWith('_call') ? item.call_id : undefined;
}

// Checks an item that is done; `status` is that of its response, if it is known.
export function checkItem(item, status, fail) {
    const running = status === 'in_progress' || status === 'queued' || status === 'cancelled';
    if (item.status === 'in_progress' && !running) {
        fail('r.item-status', `${item.type} ${item.id} is still in_progress`);
    }
    if (item.status === 'incomplete' && status === 'completed') {
        fail('r.item-status', `${item.type} ${item.id} is incomplete, its response completed`);
    }
    if (
        item.type === 'function_call' &&
        item.status === 'completed' &&
        jsonObject(item.arguments) === null
    ) {
        fail('r.args-json', `arguments ${String(item.arguments).slice(0, 80)}`);
    }
}
