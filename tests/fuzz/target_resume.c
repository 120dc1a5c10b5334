// SPDX-License-Identifier: MIT
// Any bytes as the file of a trace that is to go on: a saved learner, and the line with the hashes
// of model and tape behind it. As they are, and once more with size and checksum of the learner
// made right. What is read must be the same after writing and reading, line and all.

#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/formats/io_learner.h"

#define MEMORY (4 << 20)
#define STEPS  5

// bytes of the line
enum { LINE = 46 };

static lgkt_learner *read_learner(const char *bytes, size_t size, const lgkt_learner_config *config,
                                  io_origin *origin)
{
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    const lgkt_status status =
        io_learner_read_bytes(bytes, size, "input", config, &learner, origin, &error);
    fuzz_check_outcome(status, &error);
    FUZZ_CHECK((status == LGKT_OK) == (learner != NULL));
    return learner;
}

static bool same(const io_origin *x, const io_origin *y)
{
    return x->known == y->known && (!x->known || (x->model == y->model && x->tape == y->tape));
}

static void check_writing(const lgkt_learner *learner, const io_origin *origin,
                          const lgkt_learner_config *config, const fault *memory)
{
    char *bytes = NULL;
    size_t size = 0;
    lgkt_error error = {0};
    io_origin again;
    FILE *out = open_memstream(&bytes, &size);
    FUZZ_CHECK(out != NULL && io_learner_print(learner, origin, out, &error) == LGKT_OK);
    FUZZ_CHECK(fclose(out) == 0);
    lgkt_learner *copy = read_learner(bytes, size, config, &again);
    FUZZ_CHECK(same(origin, &again));
    FUZZ_CHECK(copy != NULL || atomic_load(&memory->refused) > 0);
    if (copy != NULL)
        FUZZ_CHECK(lgkt_learner_hash(copy) == lgkt_learner_hash(learner));
    lgkt_learner_destroy(copy);
    free(bytes);
}

static void try_bytes(const uint8_t *bytes, size_t size)
{
    fault memory;
    fault_init(&memory);
    memory.limit = MEMORY;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.allocator = fault_allocator(&memory);
    io_origin origin;
    lgkt_learner *learner = read_learner((const char *)bytes, size, &config, &origin);
    if (learner != NULL) {
        check_writing(learner, &origin, &config, &memory);
        fuzz_play(learner, STEPS);
    }
    lgkt_learner_destroy(learner);
    FUZZ_CHECK(fault_is_clean(&memory));
}

void fuzz_resume(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    if (size < LINE)
        return;
    uint8_t *sealed = fuzz_sealed(data, size - LINE);
    uint8_t *whole = malloc(size);
    FUZZ_CHECK(whole != NULL);
    memcpy(whole, sealed, size - LINE);
    memcpy(whole + size - LINE, data + size - LINE, LINE);
    try_bytes(whole, size);
    free(sealed);
    free(whole);
}
