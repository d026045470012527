#include "wire/count_request.h"

#include "json/field.h"
#include "json/parse.h"

#include <stdio.h>

struct body {
    const char *model, *previous_response_id;
    struct json_object *messages, *conversation, *thread;
    union {
        const char *text;
        bool flag;
        struct json_object *node;
    } typed; /* of members whose type alone matters here */
};

#define ROW(name, type, need, least, most) \
    {#name, type, need, offsetof(struct body, name), least, most}
#define TYPED(name, type) {name, type, false, offsetof(struct body, typed), 0, 0}

static const struct mg_field messages_fields[] = {
    ROW(model, MG_FIELD_STRING, false, 1, 256),
    ROW(messages, MG_FIELD_ARRAY, true, 1, 0),
    ROW(thread, MG_FIELD_ANY, false, 0, 0),
    TYPED("system", MG_FIELD_STRING_OR_ARRAY),
    TYPED("tools", MG_FIELD_ARRAY),
    TYPED("tool_choice", MG_FIELD_OBJECT),
    TYPED("thinking", MG_FIELD_OBJECT),
};
static const struct mg_field responses_fields[] = {
    ROW(model, MG_FIELD_STRING, false, 1, 256),
    ROW(previous_response_id, MG_FIELD_STRING, false, 0, 0),
    ROW(conversation, MG_FIELD_ANY, false, 0, 0),
    TYPED("input", MG_FIELD_STRING_OR_ARRAY),
    TYPED("instructions", MG_FIELD_STRING),
    TYPED("tools", MG_FIELD_ARRAY),
    TYPED("text", MG_FIELD_OBJECT),
    TYPED("reasoning", MG_FIELD_OBJECT),
    TYPED("truncation", MG_FIELD_STRING),
    TYPED("parallel_tool_calls", MG_FIELD_BOOL),
};
static const struct mg_field message_fields[] = {
    {"role", MG_FIELD_STRING, true, offsetof(struct body, typed), 1, 64},
    {"content", MG_FIELD_STRING_OR_ARRAY, true, offsetof(struct body, typed), 0, 0},
};
#define COUNT(fields) (sizeof(fields) / sizeof(fields[0]))

static int
check_messages(struct json_object *messages, struct mg_err *err)
{
    int rc = 0;
    for (size_t i = 0; i < json_object_array_length(messages); i++) {
        struct body scratch;
        char prefix[40];
        snprintf(prefix, sizeof(prefix), "messages/%zu/", i);
        if (mg_field_read(json_object_array_get_idx(messages, i), message_fields,
                          COUNT(message_fields), &scratch, prefix, err) != 0)
            rc = -1;
    }
    return rc;
}

int
mg_count_request_read(enum mg_family family, struct json_object *tree, struct mg_facts *facts,
                      struct mg_err *err)
{
    struct body b = {0};
    bool messages = family == MG_MESSAGES;
    *facts = (struct mg_facts){0};
    int rc = mg_field_read(tree, messages ? messages_fields : responses_fields,
                           messages ? COUNT(messages_fields) : COUNT(responses_fields), &b, "",
                           err);
    if (b.messages != NULL && check_messages(b.messages, err) != 0)
        rc = -1;
    facts->model = b.model;
    facts->previous = b.previous_response_id;
    facts->conversation = b.conversation != NULL ? "conversation" : NULL;
    facts->thread = b.thread != NULL;
    return rc;
}
