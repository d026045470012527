#include "payment/form.h"

#include <stdio.h>
#include <string.h>

void
mg_form_encode(struct mg_str *out, const char *value)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-._~";
    for (; *value != '\0'; value++)
        if (strchr(plain, *value) != NULL)
            mg_str_addc(out, *value);
        else
            mg_str_addf(out, "%%%02X", (unsigned)(unsigned char)*value);
}

void
mg_form_add(struct mg_str *form, const char *name, const char *value)
{
    if (form->len > 0)
        mg_str_addc(form, '&');
    mg_str_addz(form, name);
    mg_str_addc(form, '=');
    mg_form_encode(form, value);
}

void
mg_form_add_int(struct mg_str *form, const char *name, int64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%lld", (long long)value);
    mg_form_add(form, name, text);
}
