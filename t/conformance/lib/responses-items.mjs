// The windows inside a Responses stream: items (added … done) that hold parts (added … done) that
// hold text (delta … done), and the arguments of tool calls. Everything that is told several times
// must be told alike.

import { callId, checkItem } from './responses-object.mjs';

// Event name without .delta or .done → the list of the item that holds the part, the type of the
// part, and the member with the whole text.
const TEXTS = {
    'response.output_text': { list: 'content', part: 'output_text', member: 'text' },
    'response.refusal': { list: 'content', part: 'refusal', member: 'refusal' },
    'response.reasoning_text': {
        list: 'content',
        part: 'reasoning_text',
        member: 'text',
        loose: true,
    },
    'response.reasoning': { list: 'content', part: 'reasoning_text', member: 'text', loose: true },
    'response.reasoning_summary_text': { list: 'summary', part: 'summary_text', member: 'text' },
};
const PARTS = { 'response.content_part': 'content', 'response.reasoning_summary_part': 'summary' };
const INPUTS = {
    'response.function_call_arguments': { item: 'function_call', member: 'arguments' },
    'response.custom_tool_call_input': { item: 'custom_tool_call', member: 'input' },
    'response.mcp_call_arguments': { item: 'mcp_call', member: 'arguments' },
};

const FARTHEST = 100; // a wild index must not make a huge array

export class ItemWindows {
    // `fail(rule, text)` takes what is wrong. With `partial` the stream was entered in the middle.
    constructor(fail, partial = false) {
        this.fail = fail;
        this.partial = partial;
        this.items = [];
        this.ids = new Set();
        this.calls = new Set();
    }

    // Takes an event that belongs to an item; returns false if it does not.
    take(event) {
        if (event.output_index === undefined) {
            return false;
        }
        const dot = event.type.lastIndexOf('.');
        const base = event.type.slice(0, dot);
        const action = event.type.slice(dot + 1);
        if (event.type === 'response.output_item.added') {
            this.added(event);
            return true;
        }
        const item = this.openItem(event);
        if (item === null) {
            return true;
        }
        if (event.type === 'response.output_item.done') {
            this.done(item, event.item ?? {});
        } else if (PARTS[base] !== undefined) {
            this.part(item, PARTS[base], action, event);
        } else if (TEXTS[base] !== undefined) {
            this.text(item, TEXTS[base], action, event);
        } else if (INPUTS[base] !== undefined) {
            this.input(item, INPUTS[base], action, event);
        }
        return true;
    }

    added({ output_index: index, item = {} }) {
        if (this.partial && this.items.length === 0 && index <= FARTHEST) {
            this.items.length = index;
        }
        if (index !== this.items.length) {
            this.fail('r.item-index', `item ${index} where ${this.items.length} is next`);
        }
        if (!(index >= 0 && index <= this.items.length + FARTHEST)) {
            return;
        }
        if (this.items.some((one) => one?.open)) {
            this.fail('r.item-overlap', `item ${index} starts while another is open`);
        }
        for (const [set, id] of [
            [this.ids, item.id],
            [this.calls, callId(item)],
        ]) {
            if (id !== undefined && set.has(id)) {
                this.fail('r.item-unique', `id ${id} again`);
            }
            set.add(id);
        }
        if (
            [item.content, item.summary, item.arguments, item.input].some(
                (held) => held?.length > 0,
            )
        ) {
            this.fail('r.start-empty', `${item.type} ${item.id} is added with what it holds`);
        }
        this.items[index] = {
            item,
            open: true,
            content: [],
            summary: [],
            input: '',
            inputDone: null,
            done: null,
        };
    }

    openItem(event) {
        const state = this.items[event.output_index];
        if (state === undefined || !state.open) {
            if (!this.partial) {
                this.fail(
                    'r.item-open',
                    `${event.type} for item ${event.output_index}, which is not open`,
                );
            }
            return null;
        }
        if (event.item_id !== undefined && event.item_id !== state.item.id) {
            this.fail('r.item-id', `item_id ${event.item_id}, item ${state.item.id}`);
        }
        return state;
    }

    part(state, list, action, event) {
        const index = event.content_index ?? event.summary_index;
        const parts = state[list];
        if (action === 'added') {
            if (index !== parts.length) {
                this.fail('r.part-index', `${list} part ${index} where ${parts.length} is next`);
            }
            if (!(index >= 0 && index <= parts.length + FARTHEST)) {
                return;
            }
            if (event.part?.text || event.part?.refusal) {
                this.fail('r.start-empty', `${list} part ${index} is added with its text`);
            }
            parts[index] = { type: event.part?.type, open: true, text: '', textDone: null };
            return;
        }
        const part = parts[index];
        if (!part?.open) {
            this.fail('r.part-open', `${event.type} for part ${index}, which is not open`);
            return;
        }
        part.open = false;
        this.sameText(part, event.part ?? {});
    }

    // `whole` is the part as its done event or its item tells it.
    sameText(part, whole) {
        if (whole.type !== part.type) {
            this.fail('r.part-type', `${whole.type} where ${part.type} was added`);
            return;
        }
        const text = whole.text ?? whole.refusal ?? '';
        if (text !== part.text) {
            this.fail('r.text-concat', `${show(text)} where the deltas tell ${show(part.text)}`);
        }
    }

    text(state, route, action, event) {
        const index = event.content_index ?? event.summary_index;
        if (route.loose && index === state[route.list].length) {
            state[route.list][index] = {
                type: route.part,
                open: false,
                loose: true,
                text: '',
                textDone: null,
            };
        }
        const part = state[route.list][index];
        if (
            part === undefined ||
            !(part.open || part.loose) ||
            (part.textDone !== null && action === 'delta')
        ) {
            this.fail('r.part-open', `${event.type} for part ${index}, which is not open`);
            return;
        }
        if (part.type !== route.part) {
            this.fail('r.part-type', `${event.type} in a ${part.type} part`);
            return;
        }
        if (action === 'delta') {
            part.text += event.delta;
            return;
        }
        part.textDone = event[route.member];
        if (part.textDone !== part.text) {
            this.fail(
                'r.text-concat',
                `${show(part.textDone)} where the deltas tell ${show(part.text)}`,
            );
        }
    }

    input(state, route, action, event) {
        if (state.item.type !== route.item) {
            this.fail('r.part-type', `${event.type} in a ${state.item.type} item`);
            return;
        }
        if (action === 'delta') {
            if (state.inputDone !== null) {
                this.fail('r.item-open', `${event.type} after its done`);
            }
            state.input += event.delta;
            return;
        }
        state.inputDone = event[route.member];
        if (state.inputDone !== state.input) {
            this.fail(
                'r.args-concat',
                `${show(state.inputDone)} where the deltas tell ${show(state.input)}`,
            );
        }
        if (route.item === 'function_call' && event.name !== state.item.name) {
            this.fail('r.args-name', `name ${event.name}, item ${state.item.name}`);
        }
    }

    done(state, item) {
        state.open = false;
        state.done = item;
        for (const member of ['id', 'type', 'call_id', 'name']) {
            if (item[member] !== state.item[member]) {
                this.fail(
                    'r.item-same',
                    `${member} ${item[member]} where ${state.item[member]} was added`,
                );
            }
        }
        for (const list of ['content', 'summary']) {
            this.sameParts(state[list], item[list] ?? [], list);
        }
        const route = Object.values(INPUTS).find((one) => one.item === item.type);
        if (route !== undefined) {
            this.sameInput(state, item[route.member] ?? '');
        }
        checkItem(item, undefined, this.fail);
    }

    sameParts(parts, whole, list) {
        if (parts.some((part) => part?.open)) {
            this.fail('r.part-unclosed', `a ${list} part is open when its item is done`);
        }
        if (parts.length !== whole.length) {
            this.fail(
                'r.text-concat',
                `${whole.length} ${list} parts where ${parts.length} were added`,
            );
            return;
        }
        whole.forEach((one, index) => parts[index] && this.sameText(parts[index], one));
    }

    sameInput(state, input) {
        if (state.inputDone === null) {
            this.fail('r.args-done', `${state.item.type} ${state.item.id} is done without it`);
        }
        if (input !== state.input) {
            this.fail('r.args-concat', `${show(input)} where the deltas tell ${show(state.input)}`);
        }
    }

    unclosed() {
        return this.items.filter((state) => state?.open);
    }
}

function show(text) {
    const shown = JSON.stringify(text) ?? 'nothing';
    return shown.length > 60 ? `${shown.slice(0, 60)}… (${text.length})` : shown;
}
