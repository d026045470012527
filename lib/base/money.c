#include "base/money.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

mg_pico
mg_money_cost(int64_t tokens, int64_t pico_per_token)
{
    return tokens > 0 ? (mg_pico)tokens * pico_per_token : 0;
}

int64_t
mg_money_nano(mg_pico sum)
{
    if (sum <= 0)
        return 0;
    mg_pico nano = (sum + MG_PICO_PER_NANO - 1) / MG_PICO_PER_NANO;
    return nano > INT64_MAX ? INT64_MAX : (int64_t)nano;
}

int64_t
mg_money_tokens(int64_t nano, int64_t pico_per_token)
{
    if (pico_per_token <= 0)
        return INT64_MAX;
    if (nano <= 0)
        return 0;
    mg_pico tokens = (mg_pico)nano * MG_PICO_PER_NANO / pico_per_token;
    return tokens > INT64_MAX ? INT64_MAX : (int64_t)tokens;
}

char *
mg_money_text(int64_t nano, char buf[MG_MONEY_SIZE])
{
    uint64_t magnitude = nano < 0 ? 0 - (uint64_t)nano : (uint64_t)nano;
    int n = snprintf(buf, MG_MONEY_SIZE, "%s%llu.%09llu", nano < 0 ? "-" : "",
                     (unsigned long long)(magnitude / MG_NANO_PER_CREDIT),
                     (unsigned long long)(magnitude % MG_NANO_PER_CREDIT));
    while (n > 0 && buf[n - 1] == '0')
        buf[--n] = '\0';
    if (n > 0 && buf[n - 1] == '.')
        buf[--n] = '\0';
    return buf;
}

int
mg_money_parse(const char *text, int digits, int64_t *value)
{
    bool negative = *text == '-', any = false;
    __int128 sum = 0;
    if (negative)
        text++;
    for (; isdigit((unsigned char)*text) && sum < INT64_MAX; text++, any = true)
        sum = sum * 10 + (*text - '0');
    if (*text == '.') {
        for (text++; isdigit((unsigned char)*text); text++, any = true) {
            if (digits == 0 && *text != '0')
                return -1;
            if (digits > 0) {
                sum = sum * 10 + (*text - '0');
                digits--;
            }
        }
    }
    for (; digits > 0; digits--)
        sum *= 10;
    if (!any || *text != '\0' || sum > INT64_MAX)
        return -1;
    *value = negative ? -(int64_t)sum : (int64_t)sum;
    return 0;
}
