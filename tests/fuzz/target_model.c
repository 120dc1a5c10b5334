// SPDX-License-Identifier: MIT
// Any bytes as a model file (JSON). What is read must come back the same when it is written.

#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "lgkt/io.h"

#define MEMORY (64 << 20)

static lgkt_io_model *read_model(const char *bytes, size_t size, const lgkt_allocator *allocator)
{
    lgkt_io_model *model = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_io_model_parse(bytes, size, "input", allocator, &model, &error);
    fuzz_check_outcome(status, &error);
    FUZZ_CHECK((status == LGKT_OK) == (model != NULL));
    return model;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void check_writing(const lgkt_io_model *model, const lgkt_allocator *allocator)
{
    size_t size = 0;
    lgkt_error error = {0};
    FUZZ_CHECK(lgkt_io_model_print(model, NULL, 0, &size, &error) == LGKT_ERR_SHAPE);
    char *text = malloc(size + 1);
    FUZZ_CHECK(text != NULL);
    FUZZ_CHECK(lgkt_io_model_print(model, text, size + 1, &size, &error) == LGKT_OK);
    lgkt_io_model *again = read_model(text, size, allocator);
    FUZZ_CHECK(again != NULL);
    FUZZ_CHECK(lgkt_mdp_hash(lgkt_io_model_mdp(again)) == lgkt_mdp_hash(lgkt_io_model_mdp(model)));
    FUZZ_CHECK(same_text(lgkt_io_model_name(again), lgkt_io_model_name(model)));
    FUZZ_CHECK(same_text(lgkt_io_model_comment(again), lgkt_io_model_comment(model)));
    lgkt_io_model_destroy(again);
    free(text);
}

void fuzz_model(const uint8_t *data, size_t size)
{
    fault memory;
    fault_init(&memory);
    memory.limit = MEMORY;
    const lgkt_allocator allocator = fault_allocator(&memory);
    lgkt_io_model *model = read_model((const char *)data, size, &allocator);
    if (model != NULL)
        check_writing(model, &allocator);
    lgkt_io_model_destroy(model);
    FUZZ_CHECK(fault_is_clean(&memory));
    // a model takes no more memory than its text allows
    FUZZ_CHECK(atomic_load(&memory.peak) <= 100000 + 300 * (long long)size);
}
