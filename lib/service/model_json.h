/* The catalogue as JSON, for people: the public list with prices, and the labels to choose from. */
#ifndef MG_SERVICE_MODEL_JSON_H
#define MG_SERVICE_MODEL_JSON_H

#include "base/str.h"
#include "catalogue/catalogue.h"
#include "json/writer.h"

/* GET /api/models: aliases first, then models. Prices are decimal credits per million tokens. */
void mg_json_models(const struct mg_catalogue *catalogue, struct mg_str *out)
    __attribute__((nonnull));
/* A price, as member `key`: decimal credits per million tokens of each category. */
void mg_json_prices(struct mg_jw *w, const char *key, const struct mg_price *price)
    __attribute__((nonnull));
/* The models that have a customer-facing label, as an array `labels`; the one whose id is
 * `chosen` is marked. */
void mg_json_labels(struct mg_jw *w, const struct mg_catalogue *catalogue, const char *chosen)
    __attribute__((nonnull));
/* The label of a model id; NULL when it has none, as an alias. */
const char *mg_json_label_of(const struct mg_catalogue *catalogue, const char *id)
    __attribute__((nonnull));

#endif
