// SPDX-License-Identifier: MIT
// Any bytes as a model file (JSON). What is read must come back the same when it is written.

#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/io_model.h"

#define MEMORY (64 << 20)

static lgkt_mdp *read_model(const char *bytes, size_t size, const lgkt_allocator *allocator)
{
    lgkt_mdp *model = NULL;
    lgkt_error error = {0};
    const lgkt_status status = io_model_read_text(bytes, size, "input", allocator, &model, &error);
    fuzz_check_outcome(status, &error);
    FUZZ_CHECK((status == LGKT_OK) == (model != NULL));
    return model;
}

static void check_writing(const lgkt_mdp *model, const lgkt_allocator *allocator)
{
    char *text = NULL;
    size_t size = 0;
    lgkt_error error = {0};
    FILE *out = open_memstream(&text, &size);
    FUZZ_CHECK(out != NULL && io_model_print(model, out, &error) == LGKT_OK);
    FUZZ_CHECK(fclose(out) == 0);
    lgkt_mdp *again = read_model(text, size, allocator);
    FUZZ_CHECK(again != NULL && lgkt_mdp_hash(again) == lgkt_mdp_hash(model));
    lgkt_mdp_destroy(again);
    free(text);
}

void fuzz_model(const uint8_t *data, size_t size)
{
    fault memory;
    fault_init(&memory);
    memory.limit = MEMORY;
    const lgkt_allocator allocator = fault_allocator(&memory);
    lgkt_mdp *model = read_model((const char *)data, size, &allocator);
    if (model != NULL)
        check_writing(model, &allocator);
    lgkt_mdp_destroy(model);
    FUZZ_CHECK(fault_is_clean(&memory));
    // a model takes no more memory than its text allows
    FUZZ_CHECK(atomic_load(&memory.peak) <= 100000 + 300 * (long long)size);
}
