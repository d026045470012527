// The tables that people read.

// One line a probe, then one line for each rule that it broke.
export function probeLine(result, showWarnings) {
    const shown = result.findings.filter((finding) => showWarnings || finding.severity === 'error');
    const byRule = new Map();
    for (const finding of shown) {
        const same = byRule.get(finding.rule) ?? { finding, count: 0 };
        same.count += 1;
        byRule.set(finding.rule, same);
    }
    const note =
        result.result === 'SKIP'
            ? `  ${result.skipped.slice(0, 100)}`
            : result.result === 'FAIL' && result.requestId
              ? `  ${result.requestId}`
              : '';
    const time = `${result.ms} ms`.padStart(9);
    const lines = [`${result.result}  ${result.id.padEnd(30)}${time}${note}`];
    for (const [rule, { finding, count }] of byRule) {
        const warn = finding.severity === 'warn' ? 'warn ' : '';
        const times = count > 1 ? ` (${count} times)` : '';
        const message = finding.message.replace(/\s+/g, ' ').slice(0, 160);
        lines.push(`      ${warn}${rule}${times}: ${message}`);
    }
    return lines.join('\n');
}

export function totals(results) {
    const count = (what) => results.filter((one) => one.result === what).length;
    return { passed: count('PASS'), failed: count('FAIL'), skipped: count('SKIP') };
}

export function totalLine({ passed, failed, skipped }) {
    return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

// The findings of one verdict, for the modes that look at a file.
export function verdictLines({ findings }, showWarnings) {
    const shown = findings.filter((finding) => showWarnings || finding.severity === 'error');
    return shown.map(
        ({ rule, severity, at, message }) => `${severity.padEnd(5)} ${rule}  at ${at}: ${message}`,
    );
}
