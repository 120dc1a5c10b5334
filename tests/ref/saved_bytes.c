// SPDX-License-Identifier: MIT
// Saved learners as bytes.

#include "ref/saved_bytes.h"

#include <stdlib.h>

#include "ref/tamper.h"
#include "test.h"

static saved_bytes allocate(size_t size)
{
    const saved_bytes saved = {malloc(size), size};
    assert_non_null(saved.bytes);
    return saved;
}

saved_bytes saved_bytes_of(const lgkt_learner *learner)
{
    size_t size = 0, again = 0;
    assert_int_equal(lgkt_learner_save(learner, NULL, 0, &size, NULL), LGKT_ERR_SHAPE);
    saved_bytes saved = allocate(size);
    assert_int_equal(lgkt_learner_save(learner, saved.bytes, size, &again, NULL), LGKT_OK);
    assert_int_equal(again, size);
    return saved;
}

saved_bytes saved_bytes_copy(const saved_bytes *saved)
{
    saved_bytes copy = allocate(saved->size);
    memcpy(copy.bytes, saved->bytes, saved->size);
    return copy;
}

void saved_bytes_free(saved_bytes *saved)
{
    free(saved->bytes);
    saved->bytes = NULL;
}

bool saved_bytes_equal(const saved_bytes *a, const saved_bytes *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

lgkt_learner *saved_bytes_load(const saved_bytes *saved, const lgkt_learner_config *config)
{
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_learner_load(saved->bytes, saved->size, config, &learner, &error), error);
    return learner;
}

size_t saved_bytes_number_at(const unsigned char *bytes)
{
    return SAVED_AT_SPEC + (size_t)(tamper_word(bytes, SAVED_AT_LENGTH) + 7) / 8 * 8;
}
