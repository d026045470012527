// A stream that can be damaged step by step: the vocabulary in which the mutations are written.

import { CLEAN, renumber } from './clean.mjs';

export class Script {
    constructor(name) {
        const { family, includeUsage, events } = CLEAN[name];
        this.family = family;
        this.includeUsage = includeUsage;
        this.events = events().map((event) => structuredClone(event));
        this.numbered = family === 'responses';
    }

    // Returns the place of the nth event that `match` (a type or a predicate) picks.
    find(match, nth = 0) {
        const isMeant = typeof match === 'function' ? match : (event) => event.type === match;
        const places = this.events.flatMap((event, place) => (isMeant(event) ? [place] : []));
        const place = nth < 0 ? places[places.length + nth] : places[nth];
        if (place === undefined) {
            throw new Error(`the sample has no event ${nth} of ${match}`);
        }
        return place;
    }

    drop(match, nth) {
        this.events.splice(this.find(match, nth), 1);
        return this;
    }

    duplicate(match, nth) {
        const place = this.find(match, nth);
        this.events.splice(place + 1, 0, structuredClone(this.events[place]));
        return this;
    }

    // Changes one event with `change(event)`.
    edit(match, change, nth) {
        change(this.events[this.find(match, nth)]);
        return this;
    }

    // Changes every event that `match` picks.
    editAll(match, change) {
        this.events.filter((event) => event.type === match).forEach(change);
        return this;
    }

    insert(place, ...events) {
        this.events.splice(
            place < 0 ? this.events.length + place + 1 : place,
            0,
            ...structuredClone(events),
        );
        return this;
    }

    // Exchanges an event with the one after it.
    swap(match, nth) {
        const place = this.find(match, nth);
        const { events } = this;
        [events[place], events[place + 1]] = [events[place + 1], events[place]];
        return this;
    }

    cut(match, nth) {
        this.events.length = this.find(match, nth);
        return this;
    }

    // The sequence numbers stay as the change left them; otherwise they would give every change
    // away.
    keepNumbers() {
        this.numbered = false;
        return this;
    }

    finish() {
        return this.numbered ? renumber(this.events) : this.events;
    }
}
