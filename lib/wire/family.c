#include "wire/family.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name, *path;
} families[MG_FAMILIES] = {
    [MG_CHAT] = {"chat", "/chat/completions"},
    [MG_RESPONSES] = {"responses", "/responses"},
    [MG_COMPLETIONS] = {"completions", "/completions"},
    [MG_MESSAGES] = {"messages", "/messages"},
};

const char *
mg_family_name(enum mg_family family)
{
    return families[family].name;
}

int
mg_family_parse(const char *name)
{
    for (int i = 0; i < MG_FAMILIES; i++)
        if (strcmp(families[i].name, name) == 0)
            return i;
    return -1;
}

const char *
mg_family_path(enum mg_family family)
{
    return families[family].path;
}

bool
mg_family_messages_errors(enum mg_family family)
{
    return family == MG_MESSAGES;
}
