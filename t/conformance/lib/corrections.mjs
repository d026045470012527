// Where the published schemas and the services they describe disagree.
//
// CONTRADICTIONS are mended in both modes: there the schema forbids what the format itself needs,
// or the two schemas of the Responses format exclude each other. LENIENCE is for tolerant mode
// alone: it is what the real services and clients leave out or set to null although the schema
// says otherwise, measured over recorded traffic. A gateway should send the full form, so strict mode
// asks for it.

// [document, definition, change, member …]: `nullable` allows null, `optional` drops the member
// from every list of required members in the definition, `any` allows every string, `free` every
// value.
const CONTRADICTIONS = [
    // A response that is not finished has no usage yet; Open Responses wants the member all the
    // same.
    ['openai', 'Response', 'nullable', 'usage'],
    // Errors of failed responses carry codes that the list in the schema lacks, and clients act on
    // them: insufficient_quota, context_length_exceeded, server_is_overloaded.
    ['openai', 'ResponseErrorCode', 'any'],
    // Of a JSON schema format Open Responses wants the description, null if there is none, and it
    // allows no schema but null.
    ['openai', 'TextResponseFormatJsonSchema', 'nullable', 'description'],
    ['open-responses', 'JsonSchemaResponseFormat', 'free', 'schema'],
];

const LENIENCE = [
    ['openai', 'CreateChatCompletionResponse', 'nullable', 'system_fingerprint', 'usage'],
    ['openai', 'CreateChatCompletionResponse', 'optional', 'logprobs'],
    ['openai', 'CreateChatCompletionStreamResponse', 'nullable', 'system_fingerprint'],
    ['openai', 'CreateCompletionResponse', 'nullable', 'system_fingerprint', 'usage'],
    ['openai', 'CreateCompletionResponse', 'optional', 'logprobs'],
    ['openai', 'ModelResponseProperties', 'nullable', 'user'],
    ['openai', 'OutputTextContent', 'optional', 'logprobs'],
    ['openai', 'ResponseUsage', 'optional', 'cache_write_tokens'],
    ['openai', 'ResponseFunctionCallArgumentsDoneEvent', 'optional', 'name'],
    ['openai', 'WebSearchToolCall', 'optional', 'action'],
    // Codex sends reasoning back with a content of null, the AI SDK without its id, and images
    // without the detail.
    ['openai', 'ReasoningItem', 'nullable', 'content'],
    ['openai', 'ReasoningItem', 'optional', 'id'],
    ['openai', 'InputImageContent', 'optional', 'detail'],
    ['messages', 'Message', 'optional', 'stop_details', 'container'],
    ['messages', 'MessageDelta', 'optional', 'stop_details', 'container', 'stop_sequence'],
    ['messages', 'ResponseTextBlock', 'optional', 'citations'],
    ['messages', 'ResponseToolUseBlock', 'optional', 'caller'],
    ['messages', 'ResponseServerToolUseBlock', 'optional', 'caller'],
    ['messages', 'ResponseWebSearchToolResultBlock', 'optional', 'caller'],
    [
        'messages',
        'Usage',
        'optional',
        'cache_creation',
        'cache_creation_input_tokens',
        'cache_read_input_tokens',
        'inference_geo',
        'output_tokens_details',
        'server_tool_use',
        'service_tier',
    ],
    [
        'messages',
        'MessageDeltaUsage',
        'optional',
        'cache_creation_input_tokens',
        'cache_read_input_tokens',
        'input_tokens',
        'output_tokens_details',
        'server_tool_use',
    ],
];

// Calls `visit` for every schema object of `node`, without following references.
function walk(node, visit) {
    if (Array.isArray(node)) {
        node.forEach((item) => walk(item, visit));
    } else if (node !== null && typeof node === 'object') {
        visit(node);
        Object.values(node).forEach((value) => walk(value, visit));
    }
}

const CHANGES = {
    nullable(schema, names) {
        walk(schema, (node) => {
            for (const name of names) {
                const member = node.properties?.[name];
                if (member !== undefined) {
                    node.properties[name] = { anyOf: [member, { type: 'null' }] };
                }
            }
        });
    },
    optional(schema, names) {
        walk(schema, (node) => {
            if (Array.isArray(node.required)) {
                node.required = node.required.filter((name) => !names.includes(name));
            }
        });
    },
    free(schema, names) {
        names.forEach((name) => {
            schema.properties[name] = {};
        });
    },
    any(schema) {
        delete schema.enum;
    },
};

// Applies the corrections of the mode to a parsed schema document, in place.
export function correct(document, strict) {
    for (const [id, name, change, ...names] of [...CONTRADICTIONS, ...(strict ? [] : LENIENCE)]) {
        if (id === document.$id) {
            CHANGES[change](document.$defs[name], names);
        }
    }
    return document;
}
