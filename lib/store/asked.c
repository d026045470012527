#include "store/asked.h"

#include "json/scan.h"
#include "json/splice.h"
#include "json/writer.h"

#include <string.h>

#define NO_VALUE "null"

/* Members of the object, of the request, and what counts where the request has none. */
static const struct {
    const char *name, *asked, *otherwise;
} members[] = {
    {"request_id", NULL, NO_VALUE},
    {"tool_choice", "tool_choice", NO_VALUE},
    {"seed", "seed", NO_VALUE},
    {"top_p", "top_p", "1.0"},
    {"temperature", "temperature", "1.0"},
    {"presence_penalty", "presence_penalty", "0.0"},
    {"frequency_penalty", "frequency_penalty", "0.0"},
    {"input_user", "user", NO_VALUE},
    {"tools", "tools", NO_VALUE},
    {"response_format", "response_format", NO_VALUE},
};
#define MEMBERS (sizeof(members) / sizeof(members[0]))

void
mg_asked_read(struct mg_span request, const char *request_id, struct mg_str *out)
{
    struct mg_jw w;
    mg_jw_init(&w, out);
    mg_jw_object(&w, NULL);
    mg_jw_string(&w, members[0].name, request_id);
    for (size_t i = 1; i < MEMBERS; i++) {
        struct mg_span value = mg_scan_value(request, members[i].asked);
        if (value.n == 0 || mg_span_is(value, "null"))
            value = mg_span_z(members[i].otherwise);
        mg_jw_raw(&w, members[i].name, value);
    }
    mg_jw_end(&w);
}

int
mg_asked_add(struct mg_span asked, struct mg_span reply, struct mg_str *out)
{
    struct mg_edit edits[MEMBERS];
    size_t n = 0;
    for (size_t i = 0; i < MEMBERS; i++) {
        struct mg_span value = mg_scan_value(asked, members[i].name);
        if (value.n > 0 && mg_scan_value(reply, members[i].name).n == 0)
            edits[n++] = (struct mg_edit){members[i].name, value};
    }
    return mg_splice(reply, edits, n, out);
}
