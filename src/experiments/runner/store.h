// SPDX-License-Identifier: MIT
// Where tasks are kept once they were played: journals, and tables made of them; and an experiment,
// or a part of it, that is run into a folder and goes on where an earlier session ended.
//
// Every finished task goes to a journal. When all are there, the result files (tables.h) are made
// from the journals alone, in the order of the tasks: they are the same, byte for byte, whoever
// played which task, in what order and on how many threads, and whatever interrupted the work. A
// part has a journal of its own and no result files; those are made by exp_merge (studies.h).
#pragma once

#include "experiments/runner/runner.h"
#include "experiments/runner/tables.h"

// Journals are journal.bin and, of parts, journal-3-of-16.bin.
#define EXP_JOURNAL_STEM "journal"
#define EXP_JOURNAL_NAME EXP_JOURNAL_STEM ".bin"

#define EXP_MAX_JOURNALS 60000

// ---- journals ----

// The tasks that were found; {0} is an empty one.
typedef struct exp_store {
    const exp_tasks *tasks; // borrowed
    exp_journal **journals; // (journal_count)
    int32_t journal_count;
    // (task_count + panel_count) journal and offset of each task, and behind them of what is known
    // of each panel; 0: it is not there
    int64_t *places;
    bool edited; // the journal to be written was begun with another text of the experiment file
} exp_store;

// Makes an empty store one of these tasks. Free it after failure, too. Nullable: error.
lgkt_status exp_store_make(exp_store *store, const exp_tasks *tasks, lgkt_error *error);
void exp_store_free(exp_store *store);
// How many tasks of a part are there, and how many there are to be.
int64_t exp_store_count(const exp_store *store, exp_shard shard, int64_t *wanted);

// Adds the journal at a path; `first` as in exp_journal_open. `visit` gets its records and passes
// them on to exp_store_take. Nullable: first, error.
lgkt_status exp_store_add(exp_store *store, const char *path, const unsigned char *first,
                          exp_record_fn visit, void *ctx, lgkt_error *error);
// An exp_record_fn. A task that is there already counts once; LGKT_ERR_FORMAT if its numbers are
// others.
lgkt_status exp_store_take(void *store, int64_t offset, const void *bytes, size_t size,
                           lgkt_error *error);

// Adds folder/journal.bin, or folder/journal-3-of-16.bin of a part, to be written, and makes the
// folder if it is not there. LGKT_ERR_CONFIG for the folder of another experiment, version, seed or
// size; LGKT_ERR_FORMAT for a damaged journal. Nullable: error.
lgkt_status exp_store_open(exp_store *store, const char *folder, exp_shard shard,
                           lgkt_error *error);
// Appends the frame of a record to such a journal, the only one; a task that is there already is
// left as it is. Not from two threads at a time. Nullable: error.
lgkt_status exp_store_append(exp_store *store, const unsigned char *frame, lgkt_error *error);

// ---- tables ----

// Writes the result files (tables.h) into a folder; all tasks are there. Prices are said as the
// tasks have them. Nullable: error.
lgkt_status exp_store_tabulate(const exp_store *store, const char *folder, exp_making making,
                               lgkt_error *error);

// ---- sessions ----

// Everything it points to is borrowed for the time of exp_reproduce.
typedef struct exp_reproduction {
    exp_asked asked;
    const char *folder; // made if it is not there
    exp_shard shard;    // {0}: the whole
    bool keep_runs;     // also write runs.csv
    exp_runner how;     // jobs, stop and progress
} exp_reproduction;

// How a session ended.
typedef struct exp_session {
    int64_t instances; // of all panels, in this part
    int64_t found;     // of these in the journal from earlier sessions
    int64_t done;      // in the journal now
    bool complete;     // all of them; of the whole, the result files are written
    bool edited;       // the file was edited since the journal, which carries it, was begun
} exp_session;

// Makes everything that would be run, runs nothing and looks at no folder. Nullable: error.
lgkt_status exp_reproduction_check(const exp_reproduction *reproduction, lgkt_error *error);
// Plays what a store that was opened has not got of a part, into its journal, and brings it to the
// disk, whatever ended the work. `how` says jobs, stop and progress. Nullable: error.
lgkt_status exp_reproduce_rest(exp_store *store, exp_shard shard, const exp_runner *how,
                               lgkt_error *error);
// LGKT_ERR_CONFIG for the folder of another experiment, version, seed or size; LGKT_ERR_FORMAT for
// a damaged journal; LGKT_ERR_IO for a full disk. In all cases the folder can be gone on with.
// Nullable: error.
lgkt_status exp_reproduce(const exp_reproduction *reproduction, exp_session *session,
                          lgkt_error *error);
