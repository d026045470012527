// The order of a legacy Completions stream: partial text for each choice, one finish_reason at
// its end.

import { ChunkStream } from './chunk-stream.mjs';

export class CompletionsStream extends ChunkStream {
    choice({ index, text, finish_reason: reason = null }) {
        if (!this.choices.has(index)) {
            this.choices.set(index, { finish: null });
        }
        this.closeChoice(index, reason, Boolean(text));
    }
}
