/* Tools and choices in the words of each upstream format. */
#include "json/parse.h"
#include "json/splice.h"
#include "wire/names.h"
#include "wire/schema.h"
#include "wire/tools.h"

#include <string.h>

/* Both sides have custom tools: nothing is wrapped. */
static bool
takes_custom(const struct mg_crossing *x)
{
    return x->in->upstream == x->in->client ||
           (x->in->client == MG_CHAT && x->in->upstream == MG_RESPONSES);
}

void
mg_tools_name(struct mg_crossing *x)
{
    for (struct mg_tool *tool = x->turn->tools; tool != NULL; tool = tool->next)
        tool->names = mg_names_tool(x->names, tool->name, tool->space, tool->custom,
                                    tool->custom && !takes_custom(x));
}

const struct mg_translated_tool *
mg_tools_of_call(struct mg_crossing *x, const struct mg_call *call)
{
    const struct mg_tool *tool = mg_turn_find_tool(x->turn, call->name, call->space);
    if (tool != NULL && tool->custom == call->custom)
        return tool->names;
    return mg_names_tool(x->names, call->name, call->space, call->custom,
                         call->custom && !takes_custom(x));
}

/* {"<key>": "<text>"} */
static struct mg_span
framed(struct mg_crossing *x, const char *key, struct mg_span text)
{
    struct mg_str out;
    struct mg_jw w;
    mg_str_init(&out, text.n * 6 + 64);
    mg_jw_init(&w, &out);
    mg_jw_object(&w, NULL);
    mg_jw_bytes(&w, key, text.p, text.n);
    mg_jw_end(&w);
    struct mg_span kept = {mg_pool_strndup(x->pool, out.p, out.len), out.len};
    mg_str_free(&out);
    return kept;
}

struct mg_span
mg_tools_arguments(struct mg_crossing *x, const struct mg_call *call)
{
    if (call->custom)
        return framed(x, MG_CUSTOM_ARGUMENT, call->arguments);
    if (mg_span_blank(call->arguments))
        return mg_span_z("{}");
    if (x->in->client == MG_MESSAGES || x->in->client == x->in->upstream)
        return call->arguments; /* an object already, or what the upstream itself has made */
    return mg_json_is_object(call->arguments) ? call->arguments
                                              : framed(x, "arguments", call->arguments);
}

bool
mg_tools_forced(const struct mg_crossing *x)
{
    return x->turn->choice.mode == MG_CHOICE_REQUIRED || x->turn->choice.mode == MG_CHOICE_NAMED;
}

/* What a model is told of a custom tool that it sees as a function. */
static void
write_wrapped_description(struct mg_jw *w, const struct mg_tool *tool)
{
    mg_jw_string_begin(w, "description");
    mg_jw_string_part(w, tool->description.p, tool->description.n);
    const char *text = "\n\nPut the whole input of this tool, as plain text, into the argument "
                       "\"" MG_CUSTOM_ARGUMENT "\".";
    size_t skip = tool->description.n > 0 ? 0 : 2;
    mg_jw_string_part(w, text + skip, strlen(text) - skip);
    if (tool->grammar.n > 0) {
        const char *must = " The text must follow this grammar (";
        mg_jw_string_part(w, must, strlen(must));
        mg_jw_string_part(w, tool->syntax.p, tool->syntax.n);
        mg_jw_string_part(w, "):\n", 3);
        mg_jw_string_part(w, tool->grammar.p, tool->grammar.n);
    }
    mg_jw_string_end(w);
}

#define WRAPPED_SCHEMA \
    "{\"type\":\"object\",\"properties\":{\"" MG_CUSTOM_ARGUMENT "\":{\"type\":\"string\"}}," \
    "\"required\":[\"" MG_CUSTOM_ARGUMENT "\"],\"additionalProperties\":false}"

static void
write_description(struct mg_jw *w, const struct mg_tool *tool)
{
    if (tool->custom && tool->names->wrapped)
        write_wrapped_description(w, tool);
    else if (tool->description.n > 0)
        mg_jw_bytes(w, "description", tool->description.p, tool->description.n);
}

/* The schema of a function as an object schema: what is missing of its frame is added. */
static struct mg_span
object_schema(struct mg_crossing *x, const struct mg_tool *tool)
{
    if (tool->custom)
        return mg_span_z(WRAPPED_SCHEMA);
    struct mg_node *schema = mg_node_new(x->pool, tool->schema);
    bool type = mg_node_get(schema, "type") != NULL;
    bool properties = x->in->upstream == MG_MESSAGES || mg_node_get(schema, "properties") != NULL;
    if (tool->schema.n == 0)
        return mg_span_z(x->in->upstream == MG_MESSAGES
                             ? "{\"type\":\"object\"}"
                             : "{\"type\":\"object\",\"properties\":{}}");
    if ((type && properties) || x->in->client == x->in->upstream)
        return tool->schema;
    struct mg_edit edits[2] = {{"type", mg_span_z("\"object\"")}, {"properties", mg_span_z("{}")}};
    struct mg_str out;
    mg_str_init(&out, tool->schema.n + 64);
    int rc = mg_splice(tool->schema, edits + type, 2 - (size_t)type - (size_t)properties, &out);
    struct mg_span kept = {mg_pool_strndup(x->pool, out.p, out.len), out.len};
    mg_str_free(&out);
    return rc == 0 ? kept : tool->schema;
}

/* The members of a custom tool; Chat puts the grammar one level deeper. */
static void
write_custom(struct mg_jw *w, const struct mg_tool *tool, bool chat)
{
    mg_jw_string(w, "name", tool->names->upstream);
    write_description(w, tool);
    if (tool->grammar.n == 0)
        return;
    mg_jw_object(w, "format");
    mg_jw_string(w, "type", "grammar");
    if (chat)
        mg_jw_object(w, "grammar");
    mg_jw_bytes(w, "syntax", tool->syntax.p, tool->syntax.n);
    mg_jw_bytes(w, "definition", tool->grammar.p, tool->grammar.n);
    if (chat)
        mg_jw_end(w);
    mg_jw_end(w);
}

static void
write_chat_tool(struct mg_crossing *x, struct mg_jw *w, const struct mg_tool *tool)
{
    bool custom = tool->custom && !tool->names->wrapped;
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", custom ? "custom" : "function");
    mg_jw_object(w, custom ? "custom" : "function");
    if (custom) {
        write_custom(w, tool, true);
    } else {
        mg_jw_string(w, "name", tool->names->upstream);
        write_description(w, tool);
        if (tool->custom || tool->schema.n > 0)
            mg_jw_raw(w, "parameters", object_schema(x, tool));
        if (tool->strict >= 0)
            mg_jw_bool(w, "strict", tool->strict);
    }
    mg_jw_end(w);
    mg_jw_end(w);
}

/* Responses takes a missing `strict` for true when it can, so it is always said. */
static void
write_responses_tool(struct mg_crossing *x, struct mg_jw *w, const struct mg_tool *tool)
{
    bool custom = tool->custom && !tool->names->wrapped;
    mg_jw_object(w, NULL);
    mg_jw_string(w, "type", custom ? "custom" : "function");
    if (custom) {
        write_custom(w, tool, false);
    } else {
        mg_jw_string(w, "name", tool->names->upstream);
        write_description(w, tool);
        mg_jw_raw(w, "parameters", object_schema(x, tool));
        if (tool->strict >= 0 || x->in->client != MG_RESPONSES)
            mg_jw_bool(w, "strict", tool->strict == 1);
    }
    mg_jw_end(w);
}

static int
write_messages_tool(struct mg_crossing *x, struct mg_jw *w, const struct mg_tool *tool)
{
    struct mg_span schema = object_schema(x, tool);
    bool strict = tool->strict == 1 && !tool->custom && x->in->to.structured;
    struct mg_node *type = mg_node_get(mg_node_new(x->pool, schema), "type");
    if (!mg_node_says(type, "object"))
        return mg_refuse(x, tool->at, "the parameters of a tool have to be an object");
    if (strict && x->in->client != MG_MESSAGES)
        strict = mg_schema_adapt(x->pool, &schema);
    mg_jw_object(w, NULL);
    mg_jw_string(w, "name", tool->names->upstream);
    write_description(w, tool);
    mg_jw_raw(w, "input_schema", schema);
    if (strict || (tool->strict == 0 && x->in->client == MG_MESSAGES))
        mg_jw_bool(w, "strict", strict);
    if (tool->cache.n > 0)
        mg_jw_raw(w, "cache_control", tool->cache);
    mg_jw_end(w);
    return 0;
}

/* The name that the upstream knows a chosen tool by. */
static const struct mg_tool *
chosen(const struct mg_crossing *x, const struct mg_tool_ref *ref)
{
    return mg_turn_find_tool(x->turn, ref->name, ref->space);
}

static const char *
mode_word(enum mg_choice_mode mode)
{
    return mode == MG_CHOICE_NONE ? "none" : mode == MG_CHOICE_REQUIRED ? "required" : "auto";
}

/* {type, name} in the words of Chat or Responses. */
static void
write_ref(struct mg_jw *w, const char *key, const struct mg_tool *tool, bool chat)
{
    const char *kind = tool->custom && !tool->names->wrapped ? "custom" : "function";
    mg_jw_object(w, key);
    mg_jw_string(w, "type", kind);
    if (chat)
        mg_jw_object(w, kind);
    mg_jw_string(w, "name", tool->names->upstream);
    if (chat)
        mg_jw_end(w);
    mg_jw_end(w);
}

static void
write_choice(struct mg_crossing *x, struct mg_jw *w, bool chat)
{
    const struct mg_choice *c = &x->turn->choice;
    if (c->allowed != NULL) {
        mg_jw_object(w, "tool_choice");
        mg_jw_string(w, "type", "allowed_tools");
        if (chat)
            mg_jw_object(w, "allowed_tools");
        mg_jw_string(w, "mode", mode_word(c->mode));
        mg_jw_array(w, "tools");
        for (const struct mg_tool_ref *ref = c->allowed; ref != NULL; ref = ref->next)
            write_ref(w, NULL, chosen(x, ref), chat);
        mg_jw_end(w);
        if (chat)
            mg_jw_end(w);
        mg_jw_end(w);
    } else if (c->mode == MG_CHOICE_NAMED) {
        write_ref(w, "tool_choice", chosen(x, &c->named), chat);
    } else if (c->mode != MG_CHOICE_UNSET) {
        mg_jw_string(w, "tool_choice", mode_word(c->mode));
    }
    if (c->parallel == 0) /* several at once is what happens when nothing is said */
        mg_jw_bool(w, "parallel_tool_calls", false);
}

int
mg_tools_write_chat(struct mg_crossing *x, struct mg_jw *w)
{
    if (x->turn->tools == NULL)
        return 0;
    mg_jw_array(w, "tools");
    for (const struct mg_tool *tool = x->turn->tools; tool != NULL; tool = tool->next)
        write_chat_tool(x, w, tool);
    mg_jw_end(w);
    write_choice(x, w, true);
    return 0;
}

int
mg_tools_write_responses(struct mg_crossing *x, struct mg_jw *w)
{
    if (x->turn->tools == NULL)
        return 0;
    mg_jw_array(w, "tools");
    for (const struct mg_tool *tool = x->turn->tools; tool != NULL; tool = tool->next)
        write_responses_tool(x, w, tool);
    mg_jw_end(w);
    write_choice(x, w, false);
    return 0;
}

static void
write_messages_choice(struct mg_crossing *x, struct mg_jw *w)
{
    const struct mg_choice *c = &x->turn->choice;
    bool serial = c->parallel == 0 && c->mode != MG_CHOICE_NONE;
    if (c->mode == MG_CHOICE_UNSET && !serial)
        return;
    mg_jw_object(w, "tool_choice");
    mg_jw_string(w, "type", c->mode == MG_CHOICE_NONE       ? "none"
                            : c->mode == MG_CHOICE_REQUIRED ? "any"
                            : c->mode == MG_CHOICE_NAMED    ? "tool"
                                                            : "auto");
    if (c->mode == MG_CHOICE_NAMED)
        mg_jw_string(w, "name", chosen(x, &c->named)->names->upstream);
    if (serial)
        mg_jw_bool(w, "disable_parallel_tool_use", true);
    mg_jw_end(w);
}

/* A conversation with tool calls wants tools declared: the ones that were called, closed. */
static void
write_called_tools(struct mg_crossing *x, struct mg_jw *w)
{
    struct mg_map seen;
    bool any = false;
    mg_map_init(&seen, x->pool, x->in->key);
    for (const struct mg_message *m = x->turn->first; m != NULL; m = m->next) {
        for (const struct mg_block *b = m->first; b != NULL; b = b->next) {
            if (b->type != MG_BLOCK_CALL)
                continue;
            const char *name = mg_tools_of_call(x, &b->call)->upstream;
            void **place = mg_map_at(&seen, mg_span_z(name));
            if (*place != NULL)
                continue;
            *place = &seen;
            if (!any)
                mg_jw_array(w, "tools");
            any = true;
            mg_jw_object(w, NULL);
            mg_jw_string(w, "name", name);
            mg_jw_raw(w, "input_schema", mg_span_z("{\"type\":\"object\"}"));
            mg_jw_end(w);
        }
    }
    if (!any)
        return;
    mg_jw_end(w);
    mg_jw_raw(w, "tool_choice", mg_span_z("{\"type\":\"none\"}"));
}

int
mg_tools_write_messages(struct mg_crossing *x, struct mg_jw *w)
{
    bool all = x->turn->choice.allowed == NULL;
    if (x->turn->tools == NULL) {
        if (x->in->client != MG_MESSAGES)
            write_called_tools(x, w);
        return 0;
    }
    mg_jw_array(w, "tools");
    for (const struct mg_tool *tool = x->turn->tools; tool != NULL; tool = tool->next) {
        if ((all || tool->allowed) && write_messages_tool(x, w, tool) != 0)
            return -1;
    }
    mg_jw_end(w);
    write_messages_choice(x, w);
    return 0;
}
