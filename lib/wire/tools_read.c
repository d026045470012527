/* Tool declarations and choices of each format into the neutral form. */
#include "wire/tools.h"

#include <string.h>

/* Hosted tools that coding clients attach to every request, by the beginning of their type. */
static const char *const optional_tools[] = {
    "web_search", "web_fetch_", "tool_search", "image_generation",
};

static bool
is_optional(struct mg_span type)
{
    for (size_t i = 0; i < sizeof(optional_tools) / sizeof(optional_tools[0]); i++) {
        size_t n = strlen(optional_tools[i]);
        if (type.n >= n && memcmp(type.p, optional_tools[i], n) == 0)
            return true;
    }
    return false;
}

static int
shown(struct mg_span text)
{
    return (int)(text.n < 80 ? text.n : 80);
}

static int
read_hosted(struct mg_crossing *x, struct mg_span type, const char *at)
{
    if (!is_optional(type))
        return mg_refuse(x, at, "the hosted tool '%.*s' does not exist for this model; declare a "
                                "function instead", shown(type), type.p);
    if (x->turn->optional_tool == NULL) {
        x->turn->optional_tool = mg_pool_strndup(x->pool, type.p, type.n);
        x->turn->optional_at = at;
    }
    mg_drop(x, type);
    return 0;
}

/* A function by its members, wherever they stand. */
static int
read_function(struct mg_crossing *x, struct mg_node *object, struct mg_span space,
              const char *schema, const char *at)
{
    struct mg_span name;
    struct mg_node *parameters = mg_node_get(object, schema);
    if (mg_want_text(x, at, object, "name", &name) != 0)
        return -1;
    if (parameters != NULL &&
        mg_want(x, mg_place(x, "%s.%s", at, schema), parameters, MG_NODE_OBJECT) != 0)
        return -1;
    if (name.n == 0 || memchr(name.p, '\0', name.n) != NULL)
        return mg_contradiction(x, at, "a tool needs a name");
    struct mg_tool *tool = mg_turn_tool(x->turn, name, space, at);
    if (tool == NULL)
        return x->in->client == MG_RESPONSES
                   ? 0
                   : mg_contradiction(x, at, "the tool '%.*s' is declared twice", shown(name),
                                      name.p);
    tool->description = mg_node_text_at(object, "description");
    tool->schema = parameters != NULL ? parameters->raw : (struct mg_span){"", 0};
    tool->strict = mg_node_flag_at(object, "strict");
    tool->cache = mg_node_raw_at(object, "cache_control");
    return 0;
}

/* A custom tool; Chat puts the grammar one level deeper. */
static int
read_custom(struct mg_crossing *x, struct mg_node *object, struct mg_span space, const char *at)
{
    struct mg_span name;
    if (mg_want_text(x, at, object, "name", &name) != 0)
        return -1;
    if (name.n == 0 || memchr(name.p, '\0', name.n) != NULL)
        return mg_contradiction(x, at, "a tool needs a name");
    struct mg_tool *tool = mg_turn_tool(x->turn, name, space, at);
    if (tool == NULL)
        return 0;
    struct mg_node *format = mg_node_get(object, "format");
    struct mg_node *grammar = mg_node_get(format, "grammar");
    tool->custom = true;
    tool->description = mg_node_text_at(object, "description");
    if (mg_node_says(mg_node_get(format, "type"), "grammar")) {
        struct mg_node *from = mg_node_is(grammar, MG_NODE_OBJECT) ? grammar : format;
        tool->syntax = mg_node_text_at(from, "syntax");
        tool->grammar = mg_node_text_at(from, "definition");
    }
    return 0;
}

/* A named tool of a choice; the members stand in `object`. */
static int
read_ref(struct mg_crossing *x, struct mg_node *object, const char *at, struct mg_tool_ref *ref)
{
    if (mg_want_text(x, at, object, "name", &ref->name) != 0)
        return -1;
    ref->space = mg_node_text_at(object, "namespace");
    struct mg_tool *tool = mg_turn_find_tool(x->turn, ref->name, ref->space);
    if (tool != NULL)
        tool->allowed = true;
    else
        return mg_contradiction(x, at, "the tool '%.*s' is not in tools", shown(ref->name),
                                ref->name.p);
    return 0;
}

static int
read_word(struct mg_crossing *x, struct mg_node *choice, const char *required)
{
    struct mg_choice *c = &x->turn->choice;
    if (mg_node_says(choice, "auto"))
        c->mode = MG_CHOICE_AUTO;
    else if (mg_node_says(choice, "none"))
        c->mode = MG_CHOICE_NONE;
    else if (mg_node_says(choice, required))
        c->mode = MG_CHOICE_REQUIRED;
    else
        return mg_wrong_value(x, "tool_choice", "Input should be 'auto', 'none', 'required' or "
                                                "an object that names a tool");
    return 0;
}

/* {mode, tools:[…]}: each tool's members stand in the entry (Responses) or under its kind. */
static int
read_allowed(struct mg_crossing *x, struct mg_node *allowed)
{
    struct mg_choice *c = &x->turn->choice;
    struct mg_tool_ref **end = &c->allowed;
    size_t i = 0;
    c->mode = mg_node_says(mg_node_get(allowed, "mode"), "required") ? MG_CHOICE_REQUIRED
                                                                     : MG_CHOICE_AUTO;
    struct mg_node *list = mg_node_get(allowed, "tools");
    if (mg_want(x, "tool_choice.tools", list, MG_NODE_ARRAY) != 0)
        return -1;
    for (struct mg_node *n = mg_node_first(list); n != NULL; n = n->next) {
        const char *at = mg_place(x, "tool_choice.tools[%zu]", i++);
        struct mg_span type = mg_node_text_at(n, "type");
        if (is_optional(type))
            continue;
        char kind[16] = "";
        if (type.n < sizeof(kind))
            memcpy(kind, type.p, type.n);
        struct mg_node *inner = mg_node_get(n, kind);
        *end = mg_pool_alloc(x->pool, sizeof(**end));
        if (read_ref(x, mg_node_is(inner, MG_NODE_OBJECT) ? inner : n, at, *end) != 0)
            return -1;
        end = &(*end)->next;
    }
    return c->allowed != NULL ? 0 : mg_contradiction(x, "tool_choice.tools", "it allows no tool");
}

/* The choice of Chat and Responses. */
static int
read_choice(struct mg_crossing *x, struct mg_node *body)
{
    struct mg_node *choice = mg_node_get(body, "tool_choice");
    if (choice == NULL)
        return 0;
    if (choice->type == MG_NODE_STRING)
        return read_word(x, choice, "required");
    struct mg_span type;
    if (mg_want_text(x, "tool_choice", choice, "type", &type) != 0)
        return -1;
    if (mg_span_is(type, "allowed_tools")) {
        struct mg_node *inner = mg_node_get(choice, "allowed_tools");
        return read_allowed(x, mg_node_is(inner, MG_NODE_OBJECT) ? inner : choice);
    }
    if (!mg_span_is(type, "function") && !mg_span_is(type, "custom"))
        return mg_refuse(x, "tool_choice", "the hosted tool '%.*s' does not exist for this model",
                         shown(type), type.p);
    struct mg_node *inner = mg_node_get(choice, mg_span_is(type, "custom") ? "custom" : "function");
    x->turn->choice.mode = MG_CHOICE_NAMED;
    return read_ref(x, mg_node_is(inner, MG_NODE_OBJECT) ? inner : choice, "tool_choice",
                    &x->turn->choice.named);
}

/* What is said of tools when there are none. */
static int
check_empty(struct mg_crossing *x)
{
    struct mg_choice *c = &x->turn->choice;
    if (x->turn->tools != NULL)
        return 0;
    if (x->turn->optional_tool != NULL)
        return mg_refuse(x, x->turn->optional_at, "the hosted tool '%s' does not exist for this "
                         "model; declare a function instead", x->turn->optional_tool);
    if (c->mode == MG_CHOICE_REQUIRED || c->mode == MG_CHOICE_NAMED)
        return mg_contradiction(x, "tool_choice", "a tool call is required, but there are no "
                                                  "tools");
    c->mode = MG_CHOICE_UNSET;
    c->parallel = -1;
    return 0;
}

int
mg_tools_read_chat(struct mg_crossing *x, struct mg_node *body)
{
    size_t i = 0;
    for (struct mg_node *n = mg_node_first(mg_node_get(body, "tools")); n != NULL; n = n->next) {
        const char *at = mg_place(x, "tools[%zu]", i++);
        struct mg_span type, none = {"", 0};
        if (mg_want(x, at, n, MG_NODE_OBJECT) != 0 || mg_want_text(x, at, n, "type", &type) != 0)
            return -1;
        bool custom = mg_span_is(type, "custom");
        if (!custom && !mg_span_is(type, "function")) {
            if (read_hosted(x, type, at) != 0)
                return -1;
            continue;
        }
        const char *place = mg_place(x, "%s.%s", at, custom ? "custom" : "function");
        struct mg_node *inner = mg_node_get(n, custom ? "custom" : "function");
        if (mg_want(x, place, inner, MG_NODE_OBJECT) != 0 ||
            (custom ? read_custom(x, inner, none, place)
                    : read_function(x, inner, none, "parameters", place)) != 0)
            return -1;
        if (x->turn->last_tool != NULL && x->turn->last_tool->cache.n == 0)
            x->turn->last_tool->cache = mg_node_raw_at(n, "cache_control");
    }
    x->turn->choice.parallel = mg_node_flag_at(body, "parallel_tool_calls");
    return read_choice(x, body) != 0 ? -1 : check_empty(x);
}

static int
read_responses_tool(struct mg_crossing *x, struct mg_node *n, struct mg_span space,
                    const char *at)
{
    struct mg_span type;
    if (mg_want(x, at, n, MG_NODE_OBJECT) != 0 || mg_want_text(x, at, n, "type", &type) != 0)
        return -1;
    if (mg_span_is(type, "function"))
        return read_function(x, n, space, "parameters", at);
    if (mg_span_is(type, "custom"))
        return read_custom(x, n, space, at);
    if (space.n > 0 || !mg_span_is(type, "namespace"))
        return read_hosted(x, type, at);
    struct mg_span name;
    size_t i = 0;
    if (mg_want_text(x, at, n, "name", &name) != 0)
        return -1;
    if (name.n == 0 || memchr(name.p, '\0', name.n) != NULL)
        return mg_contradiction(x, at, "a namespace needs a name");
    for (struct mg_node *t = mg_node_first(mg_node_get(n, "tools")); t != NULL; t = t->next) {
        if (read_responses_tool(x, t, name, mg_place(x, "%s.tools[%zu]", at, i++)) != 0)
            return -1;
    }
    return 0;
}

int
mg_tools_add_responses(struct mg_crossing *x, struct mg_node *list, const char *at)
{
    size_t i = 0;
    for (struct mg_node *n = mg_node_first(list); n != NULL; n = n->next) {
        struct mg_span none = {"", 0};
        if (read_responses_tool(x, n, none, mg_place(x, "%s[%zu]", at, i++)) != 0)
            return -1;
    }
    return 0;
}

int
mg_tools_read_responses(struct mg_crossing *x, struct mg_node *body)
{
    if (mg_tools_add_responses(x, mg_node_get(body, "tools"), "tools") != 0)
        return -1;
    x->turn->choice.parallel = mg_node_flag_at(body, "parallel_tool_calls");
    return read_choice(x, body) != 0 ? -1 : check_empty(x);
}

static int
read_messages_choice(struct mg_crossing *x, struct mg_node *choice)
{
    struct mg_choice *c = &x->turn->choice;
    if (choice == NULL)
        return 0;
    struct mg_node *type = mg_node_get(choice, "type");
    if (mg_node_flag_at(choice, "disable_parallel_tool_use") >= 0)
        c->parallel = !mg_node_flag_at(choice, "disable_parallel_tool_use");
    if (!mg_node_says(type, "tool"))
        return read_word(x, type, "any");
    c->mode = MG_CHOICE_NAMED;
    return read_ref(x, choice, "tool_choice", &c->named);
}

int
mg_tools_read_messages(struct mg_crossing *x, struct mg_node *body)
{
    size_t i = 0;
    for (struct mg_node *n = mg_node_first(mg_node_get(body, "tools")); n != NULL; n = n->next) {
        const char *at = mg_place(x, "tools[%zu]", i++);
        struct mg_span none = {"", 0};
        if (mg_want(x, at, n, MG_NODE_OBJECT) != 0)
            return -1;
        struct mg_node *type = mg_node_get(n, "type");
        bool own = type == NULL || mg_node_says(type, "custom");
        if ((own ? read_function(x, n, none, "input_schema", at)
                 : read_hosted(x, mg_node_text(type), at)) != 0)
            return -1;
    }
    if (read_messages_choice(x, mg_node_get(body, "tool_choice")) != 0)
        return -1;
    return check_empty(x);
}
