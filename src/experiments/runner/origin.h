// SPDX-License-Identifier: MIT
// Where a journal is from: a record in it with all that is needed to make the same tasks again, so
// that a journal can be merged with others wherever it was brought to.
//
// Text behind a word of ones: lines "file NAME", "folder PATH", "seed N", "replicates N", "quick
// N", "prices PATH" and "shard 3/16", an empty line, and the bytes of the experiment file. The
// folder is where paths in specs begin; "prices" and "shard" may have nothing behind them.
#ifndef EXPERIMENTS_ORIGIN_H
#define EXPERIMENTS_ORIGIN_H

#include "experiments/runner/tasks.h"

// {0} is an empty one.
typedef struct exp_origin {
    char *text; // owns all
    const char *file, *folder, *prices;
    exp_shard shard;
    uint64_t seed;
    int64_t replicates;
    bool quick;
    const char *bytes; // (size) of the experiment file
    size_t size;
} exp_origin;

// The record; the caller frees it with free. NULL when memory is out.
unsigned char *exp_origin_write(const exp_tasks *tasks, exp_shard shard, size_t *size);
// Whether a record is such a one.
bool exp_origin_is(const unsigned char *bytes, size_t size);
// Frees what was read before. `path` is the journal, for messages. Nullable: error.
lgkt_status exp_origin_read(exp_origin *origin, const char *path, const unsigned char *bytes,
                            size_t size, lgkt_error *error);
void exp_origin_free(exp_origin *origin);

#endif
