// Which schema an object is held to: by family, direction and kind.

import { definitions, validate } from './schemas.mjs';

const REQUESTS = {
    'chat/create': 'openai#CreateChatCompletionRequest',
    'chat/update': 'own#UpdateMetadata',
    'completions/create': 'openai#CreateCompletionRequest',
    'responses/create': 'openai#CreateResponse',
    'responses/input_tokens': 'openai#TokenCountsBody',
    'responses/compact': 'openai#CompactResponseMethodPublicBody',
    'messages/create': 'messages#CreateMessageParams',
    'messages/create/beta': 'messages#BetaCreateMessageParams',
    'messages/count_tokens': 'messages#CountMessageTokensParams',
    'messages/count_tokens/beta': 'messages#BetaCountMessageTokensParams',
};

const REPLIES = {
    'chat/completion': ['openai#CreateChatCompletionResponse'],
    'chat/list': ['openai#ChatCompletionList'],
    'chat/messages': ['own#StoredMessageList'],
    'chat/deleted': ['openai#ChatCompletionDeleted'],
    'chat/error': ['openai#ErrorResponse', 'own#OpenAIErrorReply'],
    'completions/completion': ['openai#CreateCompletionResponse'],
    'completions/error': ['openai#ErrorResponse', 'own#OpenAIErrorReply'],
    'responses/response': ['openai#Response', 'open-responses#ResponseResource'],
    'responses/input_items': ['openai#ResponseItemList'],
    'responses/input_tokens': ['openai#TokenCountsResource'],
    'responses/compaction': ['openai#CompactResource', 'open-responses#CompactResource'],
    'responses/deleted': ['own#ResponseDeleted'],
    'responses/error': ['openai#ErrorResponse', 'own#OpenAIErrorReply'],
    'messages/message': ['messages#Message'],
    'messages/count_tokens': ['messages#CountMessageTokensResponse'],
    'messages/error': ['own#MessagesErrorReply'],
    'models/list': ['openai#ListModelsResponse'],
    'models/model': ['openai#Model'],
    'models/messages-list': ['messages#ListResponse_ModelInfo_'],
    'models/messages-model': ['messages#ModelInfo'],
    'models/error': ['openai#ErrorResponse', 'own#OpenAIErrorReply'],
};

// What an object says of itself in its member object, or else type: the kind that it is. The name ''
// stands for an object that says nothing of the sort.
const NAMED = {
    chat: {
        'chat.completion': 'completion',
        'chat.completion.deleted': 'deleted',
        list: 'list',
        '': 'completion',
    },
    completions: { text_completion: 'completion', '': 'completion' },
    responses: {
        response: 'response',
        'response.compaction': 'compaction',
        'response.input_tokens': 'input_tokens',
        'response.deleted': 'deleted',
        list: 'input_items',
        '': 'response',
    },
    messages: { message: 'message', '': 'message' },
    models: { list: 'list', model: 'model', '': 'list' },
};

export function requestSchema(family, kind, beta) {
    return REQUESTS[`${family}/${kind}${beta ? '/beta' : ''}`] ?? REQUESTS[`${family}/${kind}`];
}

function kindOf(family, body) {
    const { object, type, error, data, deleted, input_tokens: count } = body ?? {};
    if (error && object === undefined) {
        return 'error';
    }
    if (family === 'models' && object === undefined) {
        return Array.isArray(data) ? 'messages-list' : 'messages-model';
    }
    if (family === 'messages' && type === undefined && count !== undefined) {
        return 'count_tokens';
    }
    if (family === 'responses' && deleted === true) {
        return 'deleted';
    }
    return NAMED[family]?.[object ?? type ?? ''] ?? NAMED[family]?.[''];
}

// Returns {kind, schemas} for a reply, undefined if there is no such kind in the family.
export function replySchemas(family, body, kind = kindOf(family, body)) {
    const schemas = REPLIES[`${family}/${kind}`];
    return schemas === undefined ? undefined : { kind, schemas };
}

// Event type → definition, for the two families whose events say their type.
function eventTypes(document, union) {
    const defs = definitions(document);
    const names =
        union === null
            ? Object.keys(defs).filter((name) => name.endsWith('StreamingEvent'))
            : (defs[union].anyOf ?? defs[union].oneOf).map((branch) =>
                  branch.$ref.slice('#/$defs/'.length),
              );
    const types = new Map();
    for (const name of names) {
        const { enum: values, const: value } = defs[name].properties.type;
        types.set(value ?? values[0], `${document}#${name}`);
    }
    return types;
}

const messagesEvents = eventTypes('messages', 'MessageStreamEvent');
messagesEvents.set('ping', 'own#MessagesPing');
messagesEvents.set('error', 'own#MessagesError');
const responsesEvents = eventTypes('openai', 'ResponseStreamEvent');
responsesEvents.set('keepalive', 'own#ResponsesKeepalive');
const openEvents = eventTypes('open-responses', null);

function eventSchemas(family, event) {
    switch (family) {
        case 'chat':
            return [
                event.error ? 'own#ChatErrorChunk' : 'openai#CreateChatCompletionStreamResponse',
            ];
        case 'completions':
            return [event.error ? 'own#ChatErrorChunk' : 'own#CompletionChunk'];
        case 'messages':
            return [messagesEvents.get(event.type)];
        case 'responses':
            return [
                responsesEvents.get(event.type) ?? openEvents.get(event.type),
                openEvents.get(event.type),
            ];
        default:
            throw new Error(`no family ${family}`);
    }
}

// Validates one event and returns [{rule, at, message}].
export function eventFindings(family, event, strict) {
    const [schema, open] = eventSchemas(family, event);
    if (schema === undefined) {
        return [{ rule: 'schema.unknown', at: '/type', message: `event type ${event.type}` }];
    }
    const found = validate(schema, event, strict).map((one) => ({ rule: 'schema', ...one }));
    if (open !== undefined && open !== schema && strict) {
        for (const one of validate(open, openResponsesView(event), strict)) {
            found.push({ rule: 'schema.open-responses', ...one });
        }
    }
    return found;
}

// What Open Responses has no words for is left out before an object is held to its schema: hosted
// and custom tools, their items, and the structured forms of tool_choice and instructions.
const OPEN_ITEMS = new Set([
    'message',
    'function_call',
    'function_call_output',
    'reasoning',
    'compaction',
]);

export function openResponsesView(body) {
    if (body === null || typeof body !== 'object') {
        return body;
    }
    const view = { ...body };
    if (view.response !== undefined) {
        view.response = openResponsesView(view.response);
    }
    if (view.item && !OPEN_ITEMS.has(view.item.type)) {
        view.item = null;
    }
    if (Array.isArray(view.output)) {
        view.output = view.output.filter((item) => OPEN_ITEMS.has(item?.type));
    }
    if (Array.isArray(view.tools)) {
        view.tools = view.tools.filter((tool) => tool?.type === 'function');
    }
    if (view.tool_choice?.type && !['function', 'allowed_tools'].includes(view.tool_choice.type)) {
        view.tool_choice = 'auto';
    }
    if (Array.isArray(view.instructions)) {
        view.instructions = null;
    }
    return view;
}
