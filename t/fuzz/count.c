/* Fuzzing of counting: any bytes as the head of an image, as a document and as a request. */
#include "json/parse.h"
#include "wire/count.h"
#include "wire/count_request.h"
#include "wire/weight.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool good)
{
    if (!good)
        abort();
}

static void
check_media(struct mg_span bytes)
{
    int64_t width, height;
    if (mg_weight_size(bytes, &width, &height)) {
        must(width > 0 && height > 0);
        int64_t area = mg_weight_area(width, height);
        int64_t tiles = mg_weight_tiles(width, height, false);
        must(area >= 1 && area <= 1600 && tiles >= 255 && tiles <= 85 + 170 * 16);
    }
    must(mg_weight_image(bytes, true, false) >= 1 && mg_weight_document(bytes) >= 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mg_span bytes = {(const char *)data, size};
    struct json_object *tree;
    struct mg_err err = MG_ERR_INIT;
    struct mg_facts facts;
    check_media(bytes);
    if (mg_json_parse(bytes.p, size, &tree, &err) == 0) {
        for (int family = 0; family < MG_FAMILIES; family++) {
            int64_t all = mg_count_input(family, MG_MESSAGES, tree, MG_COUNT_CAREFUL);
            must(all >= 0 && mg_count_input(family, MG_CHAT, tree, 16) >= 0);
        }
        int rc = mg_count_request_read(MG_MESSAGES, tree, &facts, &err);
        must((rc == 0) == (err.status == 0) && (rc == 0 || err.status == 422));
    }
    json_object_put(tree);
    mg_err_free(&err);
    return 0;
}
