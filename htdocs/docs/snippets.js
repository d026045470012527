// Runnable examples from a description in openapi.json: curl, Python (standard library alone) and
// JavaScript (Node 18 or later, no package). No page is needed for them: the tests run what stands
// here. Keys come from the environment: MG_KEY, or MG_SESSION where a route takes a session.

const literal = {true: 'True', false: 'False', null: 'None'};

// A JSON value as Python writes it.
export function python(value, depth = 0) {
    const pad = '    '.repeat(depth + 1);
    const end = '    '.repeat(depth);
    if (value === null || typeof value === 'boolean') return literal[String(value)];
    if (typeof value !== 'object') return JSON.stringify(value);
    const list = Array.isArray(value);
    const parts = list ? value.map(v => python(v, depth + 1)) : Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}: ${python(v, depth + 1)}`);
    const [open, close] = list ? '[]' : '{}';
    const one = `${open}${parts.join(', ')}${close}`;
    return one.length + depth * 4 < 70 && !one.includes('\n') ? one : `${open}\n${parts.map(p => `${pad}${p},\n`).join('')}${end}${close}`;
}

// The same in JavaScript: JSON, but names without quotes where they may, and short things on one line.
export function javascript(value, depth = 0) {
    const pad = '    '.repeat(depth + 1);
    const end = '    '.repeat(depth);
    if (value === null || typeof value !== 'object') return typeof value === 'string' ? `'${value.replace(/[\\']/g, c => `\\${c}`).replaceAll('\n', '\\n')}'` : String(value);
    const list = Array.isArray(value);
    const name = k => (/^[A-Za-z_]\w*$/.test(k) ? k : `'${k}'`);
    const parts = list ? value.map(v => javascript(v, depth + 1)) : Object.entries(value).map(([k, v]) => `${name(k)}: ${javascript(v, depth + 1)}`);
    const [open, close] = list ? '[]' : '{}';
    const one = `${open}${parts.join(', ')}${close}`;
    return one.length + depth * 4 < 70 && !one.includes('\n') ? one : `${open}\n${parts.map(p => `${pad}${p},\n`).join('')}${end}${close}`;
}

const shell = text => `'${text.replaceAll("'", String.raw`'\''`)}'`;

// What an operation's example asks for: address, headers, body, where the key comes from.
export function call(base, method, path, operation, example = null) {
    const content = operation.requestBody?.content?.['application/json'];
    const body = example ? content?.examples?.[example]?.value : content?.example ?? Object.values(content?.examples ?? {})[0]?.value;
    let url = base + path;
    for (const p of operation.parameters ?? []) if (p.in === 'path') url = url.replace(`{${p.name}}`, encodeURIComponent(p.example));
    const schemes = (operation.security ?? []).flatMap(s => Object.keys(s));
    const variable = schemes.includes('ServiceBearer') ? 'MG_KEY' : schemes.length ? 'MG_SESSION' : null;
    return {method: method.toUpperCase(), url, body, variable, stream: body?.stream === true,
        type: Object.keys(Object.entries(operation.responses).find(([status]) => status < '300')?.[1].content ?? {})[0] ?? null};
}

function curl({method, url, body, variable, stream}) {
    const parts = [`curl ${stream ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}${shell(url)}`];
    if (variable) parts.push(`-H "Authorization: Bearer $${variable}"`);
    if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${shell(JSON.stringify(body, null, 2))}`);
    return `${parts.join(' \\\n    ')}\n`;
}

function pythonText({method, url, body, variable, stream, type}) {
    const headers = [variable ? `"Authorization": "Bearer " + os.environ["${variable}"]` : null, body !== undefined ? '"Content-Type": "application/json"' : null].filter(Boolean);
    const uses = [type === 'application/json' || body !== undefined ? 'import json' : null, variable ? 'import os' : null, 'import urllib.request'].filter(Boolean);
    const args = [`    ${JSON.stringify(url)},`, `    method="${method}",`, headers.length ? `    headers={${headers.join(', ')}},` : null,
        body !== undefined ? `    data=json.dumps(${python(body, 1)}).encode(),` : null].filter(Boolean);
    const print = stream ? '    for line in reply:\n        print(line.decode(), end="")' : type === 'application/json' ? '    print(json.dumps(json.load(reply), indent=2))' : '    print(reply.read().decode())';
    return `${uses.join('\n')}\n\nrequest = urllib.request.Request(\n${args.join('\n')}\n)\nwith urllib.request.urlopen(request, timeout=180) as reply:\n${print}\n`;
}

function javascriptText({method, url, body, variable, stream, type}) {
    const headers = [variable ? `Authorization: \`Bearer \${process.env.${variable}}\`` : null, body !== undefined ? "'Content-Type': 'application/json'" : null].filter(Boolean);
    const options = [method === 'GET' ? null : `    method: '${method}',`, headers.length ? `    headers: {${headers.join(', ')}},` : null,
        body !== undefined ? `    body: JSON.stringify(${javascript(body, 1)}),` : null, '    signal: AbortSignal.timeout(180_000),'].filter(Boolean);
    const print = stream ? 'for await (const chunk of reply.body) process.stdout.write(chunk);'
        : type === 'application/json' ? 'console.log(JSON.stringify(await reply.json(), null, 2));' : 'console.log(await reply.text());';
    return `const reply = await fetch('${url}', {\n${options.join('\n')}\n});\nif (!reply.ok) throw new Error(\`\${reply.status} \${await reply.text()}\`);\n${print}\n`;
}

export const languages = {curl: 'curl', python: 'Python', js: 'JavaScript'};

// {curl, python, js} of one operation; `example` names one of several.
export function snippets(base, method, path, operation, example = null) {
    const c = call(base, method, path, operation, example);
    return {curl: curl(c), python: pythonText(c), js: javascriptText(c)};
}
