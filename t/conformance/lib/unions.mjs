// Rewrites `anyOf` and `oneOf` so that a failure names the place that is wrong.
//
// The published schemas list the variants of an object as plain unions of up to sixty branches. A
// validator can then only say that none of the branches fits. Where the branches differ in their
// JSON type or in a constant `type` (or `role`) member, the union is rewritten to a choice by that
// member, and the error is the one of the branch that was meant. The meaning is that of `anyOf`.

const KINDS = ['null', 'boolean', 'number', 'string', 'array', 'object'];
const TAGS = ['type', 'role', 'object'];

// Rewrites every union of the document {$defs} and returns a new document.
export function rewriteUnions(document) {
    const defs = document.$defs;
    const rewrite = (node) => {
        if (Array.isArray(node)) {
            return node.map(rewrite);
        }
        if (node === null || typeof node !== 'object') {
            return node;
        }
        const { anyOf, oneOf, ...rest } = node;
        const out = {};
        for (const [key, value] of Object.entries(rest)) {
            out[key] = key === 'enum' || key === 'const' ? value : rewrite(value);
        }
        const union = Array.isArray(anyOf) ? anyOf : oneOf;
        if (!Array.isArray(union)) {
            return anyOf === undefined && oneOf === undefined
                ? out
                : { ...out, ...rewriteNames({ anyOf, oneOf }, rewrite) };
        }
        const choice = choose(flatten(union, defs), defs, rewrite);
        return { ...out, allOf: [...(out.allOf ?? []), choice] };
    };
    const out = {};
    for (const [name, schema] of Object.entries(defs)) {
        out[name] = rewrite(schema);
    }
    return { ...document, $defs: out };
}

// A member that happens to be called anyOf or oneOf inside a map of names.
function rewriteNames(pair, rewrite) {
    const out = {};
    for (const [key, value] of Object.entries(pair)) {
        if (value !== undefined) {
            out[key] = rewrite(value);
        }
    }
    return out;
}

function follow(schema, defs) {
    let node = schema;
    while (typeof node?.$ref === 'string' && Object.keys(node).length === 1) {
        node = defs[node.$ref.slice('#/$defs/'.length)];
    }
    return node;
}

function isBareUnion(node) {
    const keys = Object.keys(node);
    return keys.length === 1 && (keys[0] === 'anyOf' || keys[0] === 'oneOf');
}

function flatten(union, defs) {
    return union.flatMap((branch) => {
        const node = follow(branch, defs);
        return isBareUnion(node) ? flatten(node.anyOf ?? node.oneOf, defs) : [branch];
    });
}

// Returns {kinds, tags}: the JSON types that a branch can take (null: any), and for each tag member
// {values, required} where it is a constant.
function profile(branch, defs) {
    const node = follow(branch, defs);
    const own = { kinds: kindsOf(node), tags: tagsOf(node, defs) };
    const parts = (node.allOf ?? []).map((part) => profile(part, defs));
    if (node.$ref !== undefined) {
        parts.push(profile({ $ref: node.$ref }, defs));
    }
    if (isBareUnion(node)) {
        parts.push({ kinds: unionKinds(node, defs), tags: {} });
    }
    for (const part of parts) {
        own.kinds = own.kinds ?? part.kinds;
        for (const [name, tag] of Object.entries(part.tags)) {
            own.tags[name] = { ...tag, required: tag.required || isRequired(node, name) };
        }
    }
    return own;
}

function isRequired(node, name) {
    return (
        (node.required ?? []).includes(name) ||
        (node.allOf ?? []).some((part) => (part.required ?? []).includes(name))
    );
}

function kindsOf(node) {
    const types = node.type ?? (node.properties !== undefined ? 'object' : undefined);
    if (types === undefined) {
        return null;
    }
    return [types].flat().map((type) => (type === 'integer' ? 'number' : type));
}

function unionKinds(node, defs) {
    const all = (node.anyOf ?? node.oneOf).map((branch) => profile(branch, defs).kinds);
    return all.includes(null) ? null : [...new Set(all.flat())];
}

function tagsOf(node, defs) {
    const tags = {};
    for (const name of TAGS) {
        const member = node.properties?.[name];
        const values = member === undefined ? undefined : constants(follow(member, defs));
        if (values !== undefined) {
            const always = !values.includes(null) && (node.required ?? []).includes(name);
            tags[name] = { values: values.filter((value) => value !== null), required: always };
        }
    }
    return tags;
}

// Returns the values that a member is held to, null among them where it may be null.
function constants(member) {
    if (member.const !== undefined) {
        return [member.const];
    }
    if (member.anyOf === undefined) {
        return member.enum;
    }
    const lists = member.anyOf.map((one) => (one.type === 'null' ? [null] : constants(one)));
    return lists.includes(undefined) ? undefined : lists.flat();
}

function union(branches) {
    return branches.length === 1 ? branches[0] : { anyOf: branches };
}

function choose(branches, defs, rewrite) {
    const known = branches.map((branch) => ({ schema: rewrite(branch), ...profile(branch, defs) }));
    if (known.length < 2 || known.some((one) => one.kinds === null)) {
        return union(known.map((one) => one.schema));
    }
    const present = KINDS.filter((kind) => known.some((one) => one.kinds.includes(kind)));
    const rules = present.map((kind) => {
        const some = known.filter((one) => one.kinds.includes(kind));
        return {
            if: { type: kind },
            then: kind === 'object' ? byTag(some) : union(some.map((one) => one.schema)),
        };
    });
    return { type: present, allOf: rules };
}

function byTag(branches) {
    const name = TAGS.find((tag) => branches.filter((one) => one.tags[tag]?.required).length > 1);
    if (name === undefined) {
        return union(branches.map((one) => one.schema));
    }
    const isTagged = (one) => one.tags[name]?.required === true;
    const values = [...new Set(branches.flatMap((one) => one.tags[name]?.values ?? []))];
    const rules = values.map((value) => {
        const meant = branches.filter(
            (one) => !one.tags[name] || one.tags[name].values.includes(value),
        );
        return { if: has(name, { const: value }), then: union(meant.map((one) => one.schema)) };
    });
    const open = branches.filter((one) => !isTagged(one)).map((one) => one.schema);
    const otherwise = open.length > 0 ? union(open) : has(name, { enum: values });
    return { allOf: [...rules, { if: { not: has(name, { enum: values }) }, then: otherwise }] };
}

function has(name, schema) {
    return { required: [name], properties: { [name]: schema } };
}
