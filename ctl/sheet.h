/* Results of commands: rows with typed columns, as an aligned table for people or as JSON.
 *
 *   struct mg_sheet t;
 *   mg_sheet_init(&t, ctl, columns, 3);
 *   mg_sheet_text(&t, name); mg_sheet_int(&t, n); mg_sheet_time(&t, ms);    one row
 *   return mg_sheet_print(&t);
 *
 * Money is written as exact decimal text in both forms, times as RFC 3339. */
#ifndef MG_CTL_SHEET_H
#define MG_CTL_SHEET_H

#include "ctl/command.h"

#include <stdint.h>

struct mg_column {
    const char *key;   /* in JSON */
    const char *title; /* for people */
};

/* A cell: its text, and whether JSON writes it without quotes. A NULL text is null. */
struct mg_cell {
    const char *text;
    bool bare;
};

struct mg_sheet {
    const struct mg_ctl *ctl;
    const struct mg_column *columns;
    size_t width;          /* columns */
    struct mg_cell *cells; /* in the run's pool */
    size_t count;
};

/* An empty sheet; `columns` must outlive it. */
void mg_sheet_init(struct mg_sheet *sheet, const struct mg_ctl *ctl,
                   const struct mg_column *columns, size_t width) __attribute__((nonnull));

/* The next cell. Texts are copied; "" shows as a dash, NULL as null in JSON. */
void mg_sheet_text(struct mg_sheet *sheet, const char *text) __attribute__((nonnull(1)));
void mg_sheet_int(struct mg_sheet *sheet, int64_t value) __attribute__((nonnull));
void mg_sheet_bool(struct mg_sheet *sheet, bool value) __attribute__((nonnull));
/* ms since the epoch, 0 = none. */
void mg_sheet_time(struct mg_sheet *sheet, int64_t ms) __attribute__((nonnull));
/* Nano-credits. */
void mg_sheet_money(struct mg_sheet *sheet, int64_t nano) __attribute__((nonnull));
/* Pico-credits a token, shown as credits per million tokens. */
void mg_sheet_price(struct mg_sheet *sheet, int64_t pico) __attribute__((nonnull));

/* Prints all rows: a table, or a JSON array of objects. 0. */
int mg_sheet_print(const struct mg_sheet *sheet) __attribute__((nonnull));
/* Prints the one row: a line per column, or one JSON object. 0. */
int mg_sheet_print_record(const struct mg_sheet *sheet) __attribute__((nonnull));

#endif
