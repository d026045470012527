// A few lines of TAP: ok(what, holds, detail) prints one test, done() the plan.

let count = 0;
let failed = 0;

export function ok(what, holds, detail) {
    count += 1;
    failed += holds ? 0 : 1;
    console.log(`${holds ? 'ok' : 'not ok'} ${count} - ${what.replaceAll('#', '\\#')}`);
    if (!holds && detail !== undefined) {
        const lines = (typeof detail === 'string' ? detail : JSON.stringify(detail)).split('\n');
        lines.forEach((line) => console.log(`#   ${line.slice(0, 400)}`));
    }
}

export function note(line) {
    console.log(`# ${line}`);
}

export function skipAll(why) {
    console.log(`1..0 # SKIP ${why}`);
    process.exit(0);
}

export function done() {
    console.log(`1..${count}`);
    process.exitCode = failed > 0 ? 1 : 0;
}
