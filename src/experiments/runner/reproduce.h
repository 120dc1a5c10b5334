// SPDX-License-Identifier: MIT
// Runs an experiment, or a part of it, into a folder, and goes on where an earlier session ended.
//
// Every finished instance goes to the journal. When all are there, the result files (tables.h) are
// made from the journal alone, in the order of the instances: they are the same, byte for byte, for
// any count of threads and whatever interrupted the work. A part has a journal of its own and no
// result files; those are made by exp_merge (merge.h).
#ifndef EXPERIMENTS_REPRODUCE_H
#define EXPERIMENTS_REPRODUCE_H

#include "experiments/runner/store.h"

// Everything it points to is borrowed for the time of exp_reproduce.
typedef struct exp_reproduction {
    exp_asked asked;
    const char *folder;       // made if it is not there
    exp_shard shard;          // {0}: the whole
    bool keep_runs;           // also write runs.csv
    int32_t jobs;             // threads, 1 .. EXP_MAX_JOBS
    const atomic_bool *stop;  // setting it ends the session early; nullable
    exp_progress_fn progress; // nullable
    void *progress_ctx;
} exp_reproduction;

// How a session ended.
typedef struct exp_session {
    int64_t instances; // of all panels, in this part
    int64_t found;     // of these in the journal from earlier sessions
    int64_t done;      // in the journal now
    bool complete;     // all of them; of the whole, the result files are written
} exp_session;

// Makes everything that would be run, runs nothing and looks at no folder. Nullable: error.
lgkt_status exp_reproduction_check(const exp_reproduction *reproduction, lgkt_error *error);
// Plays what a store that was opened has not got of a part, into its journal, and brings it to the
// disk, whatever ended the work; what is asked and the folder are not looked at. Nullable: error.
lgkt_status exp_reproduce_rest(const exp_reproduction *reproduction, exp_store *store,
                               lgkt_error *error);
// LGKT_ERR_CONFIG for the folder of another experiment, version, seed or size; LGKT_ERR_FORMAT for
// a damaged journal; LGKT_ERR_IO for a full disk. In all cases the folder can be gone on with. The
// session is written on LGKT_OK only. Nullable: error.
lgkt_status exp_reproduce(const exp_reproduction *reproduction, exp_session *session,
                          lgkt_error *error);

#endif
