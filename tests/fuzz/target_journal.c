// SPDX-License-Identifier: MIT
// Any bytes as the journal of a part, from another machine: as they are, and once more with all
// checksums made right. What is read is sound: units that exist, an origin whose texts end, and the
// same answer twice.

#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/hash.h"
#include "experiments/runner/store.h"

static const char EXPERIMENT[] =
    "{\"horizon\": 20, \"instances\": 3, \"checkpoints\": [10],"
    " \"learners\": {\"s\": [{\"label\": \"A\", \"spec\": \"lg1t\"}]},"
    " \"panels\": [{\"name\": \"p\", \"environment\": \"gap\", \"learners\": [\"s\"]},"
    "              {\"name\": \"q\", \"environment\": \"riverswim:states=3\","
    "               \"learners\": [\"s\"]}]}";

static exp_experiment experiment;
static exp_tasks tasks;

static void make_tasks(void)
{
    if (tasks.count > 0)
        return;
    FUZZ_CHECK(exp_experiment_parse(&experiment, EXPERIMENT, sizeof EXPERIMENT - 1, "some.json",
                                    NULL) == LGKT_OK);
    const exp_asked asked = {.experiment = &experiment, .seed = 1, .files = &io_true_files};
    FUZZ_CHECK(exp_tasks_make(&tasks, &asked, NULL) == LGKT_OK);
}

// sizes that fit and checks that are right, record by record; what is left at the end stays
static void seal(uint8_t *bytes, size_t size)
{
    while (size >= 24) {
        const uint64_t length = lgkt_get_u64(bytes) % (size - 24 + 1);
        lgkt_put_u64(bytes, length);
        lgkt_put_u64(bytes + 8, lgkt_hash_bytes(LGKT_HASH_START, bytes, 8));
        lgkt_put_u64(bytes + 16 + length, lgkt_hash_bytes(LGKT_HASH_START, bytes, 16 + length));
        bytes += 24 + length;
        size -= 24 + length;
    }
}

// the first record is read, and the others are taken
static lgkt_status take(void *ctx, int64_t offset, const void *bytes, size_t size,
                        lgkt_error *error)
{
    if (offset > 0)
        return exp_store_take(ctx, offset, bytes, size, error);
    exp_head head;
    if (exp_head_read(&head, "it", bytes, size, error) != LGKT_OK)
        return error->status;
    const exp_experiment *carried = &head.experiment;
    FUZZ_CHECK(strlen(carried->file) + strlen(carried->folder) + 1 > 0);
    FUZZ_CHECK(head.asked.prices == NULL || strlen(head.asked.prices) > 0);
    FUZZ_CHECK(carried->bytes + carried->size == head.text + size);
    exp_head_free(&head);
    return LGKT_OK;
}

static lgkt_status add(const char *path, int64_t *found)
{
    exp_store store = {0};
    lgkt_error error = {0};
    FUZZ_CHECK(exp_store_make(&store, &tasks, &error) == LGKT_OK);
    const lgkt_status status = exp_store_add(&store, path, NULL, take, &store, &error);
    fuzz_check_outcome(status, &error);
    int64_t wanted;
    *found = exp_store_count(&store, (exp_shard){0}, &wanted);
    FUZZ_CHECK(wanted == tasks.count && *found >= 0 && *found <= wanted);
    exp_store_free(&store);
    return status;
}

void fuzz_journal(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/lgkt-fuzz-journal-XXXXXX";
    uint8_t *bytes = malloc(size + 1);
    const int file = mkstemp(path);
    FUZZ_CHECK(bytes != NULL && file >= 0);
    memcpy(bytes, data, size);
    make_tasks();
    for (int sealed = 0; sealed < 2; sealed++) {
        int64_t once = 0, again = 0;
        if (sealed)
            seal(bytes, size);
        FUZZ_CHECK(pwrite(file, bytes, size, 0) == (ssize_t)size);
        const lgkt_status status = add(path, &once);
        FUZZ_CHECK(add(path, &again) == status && once == again);
    }
    close(file);
    unlink(path);
    free(bytes);
}
