// What one check found. A finding is {rule, severity, at, message}: `at` is the number of the
// stream event, or the JSON pointer of the place in an object.

import { severity } from './rules.mjs';

const MOST = 200; // a broken stream of a million events must not fill the memory

export class Findings {
    constructor(strict = true) {
        this.strict = strict;
        this.list = [];
    }

    add(rule, at, message) {
        const level = severity(rule, this.strict);
        if (level !== 'off' && this.list.length < MOST) {
            this.list.push({ rule, severity: level, at, message });
        }
    }

    get ok() {
        return !this.list.some((finding) => finding.severity === 'error');
    }

    // Returns the plain object that the library hands out.
    verdict() {
        return { ok: this.ok, findings: this.list };
    }
}
