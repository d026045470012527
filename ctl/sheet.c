#include "ctl/sheet.h"

#include "base/clock.h"
#include "base/money.h"
#include "json/writer.h"

#include <stdio.h>
#include <string.h>

#define OUTPUT_MOST ((size_t)256 << 20)
#define NANO_PER_PRICE 1000 /* 10^-6 credits, the unit of a price, in nano-credits */

void
mg_sheet_init(struct mg_sheet *t, const struct mg_ctl *ctl, const struct mg_column *columns,
              size_t width)
{
    *t = (struct mg_sheet){.ctl = ctl, .columns = columns, .width = width};
}

static void
add(struct mg_sheet *t, const char *text, bool bare)
{
    t->cells = mg_pool_grow(t->ctl->pool, t->cells, t->count, sizeof(*t->cells));
    t->cells[t->count++] = (struct mg_cell){
        text != NULL ? mg_pool_strdup(t->ctl->pool, text) : NULL, bare};
}

void
mg_sheet_text(struct mg_sheet *t, const char *text)
{
    add(t, text, false);
}

void
mg_sheet_int(struct mg_sheet *t, int64_t value)
{
    char text[32];
    snprintf(text, sizeof(text), "%lld", (long long)value);
    add(t, text, true);
}

void
mg_sheet_bool(struct mg_sheet *t, bool value)
{
    add(t, t->ctl->json ? (value ? "true" : "false") : (value ? "yes" : "no"), true);
}

void
mg_sheet_time(struct mg_sheet *t, int64_t ms)
{
    char text[MG_RFC3339_SIZE];
    add(t, ms != 0 ? mg_rfc3339(ms, text) : NULL, false);
}

void
mg_sheet_money(struct mg_sheet *t, int64_t nano)
{
    char text[MG_MONEY_SIZE];
    add(t, mg_money_text(nano, text), false);
}

void
mg_sheet_price(struct mg_sheet *t, int64_t pico)
{
    mg_sheet_money(t, pico * NANO_PER_PRICE);
}

static void
write_row(const struct mg_sheet *t, size_t row, struct mg_jw *w)
{
    mg_jw_object(w, NULL);
    for (size_t i = 0; i < t->width; i++) {
        const struct mg_cell *cell = &t->cells[row * t->width + i];
        if (cell->bare)
            mg_jw_raw(w, t->columns[i].key, mg_span_z(cell->text));
        else
            mg_jw_string(w, t->columns[i].key, cell->text);
    }
    mg_jw_end(w);
}

static void
print_json(const struct mg_sheet *t, bool record)
{
    struct mg_str out;
    struct mg_jw w;
    mg_str_init(&out, OUTPUT_MOST);
    mg_jw_init(&w, &out);
    if (!record)
        mg_jw_array(&w, NULL);
    for (size_t row = 0; row < t->count / t->width; row++)
        write_row(t, row, &w);
    if (!record)
        mg_jw_end(&w);
    fwrite(out.p, 1, out.len, stdout);
    fputc('\n', stdout);
    mg_str_free(&out);
}

/* Characters, not bytes, make a column; combining and wide ones are rare in what is shown. */
static int
width_of(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static const char *
shown(const struct mg_cell *cell)
{
    return cell->text != NULL && *cell->text != '\0' ? cell->text : "-";
}

/* How a column is set: its width, and whether it stands to the right, as numbers do. */
struct layout {
    int width;
    bool right;
};

static struct layout
layout_of(const struct mg_sheet *t, size_t column)
{
    struct layout l = {width_of(t->columns[column].title), true};
    bool digits = false;
    for (size_t k = column; k < t->count; k += t->width) {
        const char *text = shown(&t->cells[k]);
        int n = width_of(text);
        l.width = n > l.width ? n : l.width;
        l.right = l.right && text[strspn(text, "-.0123456789")] == '\0';
        digits = digits || strcmp(text, "-") != 0;
    }
    l.right = l.right && digits;
    return l;
}

static void
print_cell(const char *text, struct layout l, bool last)
{
    int pad = l.width - width_of(text);
    printf("%*s%s%*s%s", l.right ? pad : 0, "", text, l.right || last ? 0 : pad, "",
           last ? "\n" : "  ");
}

int
mg_sheet_print(const struct mg_sheet *t)
{
    if (t->ctl->json) {
        print_json(t, false);
        return 0;
    }
    struct layout *layouts = mg_pool_alloc(t->ctl->pool, t->width * sizeof(*layouts));
    for (size_t i = 0; i < t->width; i++)
        layouts[i] = layout_of(t, i);
    for (size_t i = 0; i < t->width; i++)
        print_cell(t->columns[i].title, layouts[i], i + 1 == t->width);
    for (size_t k = 0; k < t->count; k++)
        print_cell(shown(&t->cells[k]), layouts[k % t->width], (k + 1) % t->width == 0);
    return 0;
}

int
mg_sheet_print_record(const struct mg_sheet *t)
{
    if (t->ctl->json) {
        print_json(t, true);
        return 0;
    }
    for (size_t i = 0; i < t->count; i++)
        printf("%-16s %s\n", t->columns[i].title, shown(&t->cells[i]));
    return 0;
}
