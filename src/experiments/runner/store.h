// SPDX-License-Identifier: MIT
// Where tasks are kept once they were played: journals, and tables made of them.
//
// Tables are made from the records alone, in the order of the tasks: they are the same, byte for
// byte, whoever played which task and in what order.
#ifndef EXPERIMENTS_STORE_H
#define EXPERIMENTS_STORE_H

#include "experiments/runner/journal.h"
#include "experiments/runner/origin.h"
#include "experiments/runner/runner.h"
#include "experiments/runner/tables.h"

// Journals are journal.bin and, of parts, journal-3-of-16.bin.
#define EXP_JOURNAL_STEM "journal"
#define EXP_JOURNAL_NAME EXP_JOURNAL_STEM ".bin"

#define EXP_MAX_JOURNALS 60000

// The tasks that were found; {0} is an empty one.
typedef struct exp_store {
    const exp_tasks *tasks; // borrowed
    exp_journal **journals; // (journal_count)
    int32_t journal_count;
    int64_t *places; // (task_count) journal and offset; 0: not played yet
} exp_store;

// A store without journals. Free it after failure, too. Nullable: error.
lgkt_status exp_store_make(exp_store *store, const exp_tasks *tasks, lgkt_error *error);
void exp_store_free(exp_store *store);
// How many tasks of a part are there, and how many there are to be.
int64_t exp_store_count(const exp_store *store, exp_shard shard, int64_t *wanted);

// ---- writing: one journal ----

// Opens folder/journal.bin, or folder/journal-3-of-16.bin of a part, and makes the folder if it is
// not there. LGKT_ERR_CONFIG for the folder of another experiment, version, seed or size;
// LGKT_ERR_FORMAT for a damaged journal. Nullable: error.
lgkt_status exp_store_open(exp_store *store, const char *folder, exp_shard shard,
                           lgkt_error *error);
// Takes a record of a task; one that is there already is left as it is. Not from two threads at a
// time. Nullable: error.
lgkt_status exp_store_append(exp_store *store, const unsigned char *bytes, size_t size,
                             lgkt_error *error);
// The sink whose outcomes are appended.
exp_sink exp_store_sink(exp_store *store);
// Brings to the disk what was appended more than `seconds` ago. Nullable: error.
lgkt_status exp_store_sync(exp_store *store, double seconds, lgkt_error *error);

// ---- reading: many journals ----

// Adds the records of a journal that was looked at (exp_journal_look), which it closes in any case.
// A task that is there already counts once; LGKT_ERR_FORMAT if its numbers are others. `origin`
// gets the last one in it. Nullable: error.
lgkt_status exp_store_add(exp_store *store, exp_journal *journal, const char *path,
                          exp_origin *origin, lgkt_error *error);

// ---- tables ----

// Writes the result files (tables.h) into a folder; all tasks are there. Prices are said as the
// tasks have them. Nullable: error.
lgkt_status exp_store_tabulate(const exp_store *store, const char *folder, exp_making making,
                               lgkt_error *error);

#endif
