// SPDX-License-Identifier: MIT
// The tasks of an experiment, and how one that was played is written down.
//
// A task is an instance of a panel, played by all its learners. Tasks are numbered panel by panel,
// so that everybody who has the experiment, its seed and its size means the same by a number.
#pragma once

#include "experiments/runner/instance.h"
#include "experiments/runner/journal.h"

// ---- shards ----

// Part `part` of `parts`, from 0; {0} is the whole. Tasks are dealt in turn: which ones a part has
// follows from their numbers alone, and all parts have about the same of every panel.
typedef struct exp_shard {
    int64_t part, parts;
} exp_shard;

#define EXP_MAX_SHARDS 1000000
#define EXP_SHARD_SIZE 64 // of such a text

// "3/16", or "3/16:2/4" for the second of four parts of it, which is 19/64. Nullable: error.
lgkt_status exp_shard_parse(const char *text, exp_shard *shard, lgkt_error *error);
// "3/16", with another text than "/" in its middle; "" for the whole.
void exp_shard_print(exp_shard shard, const char *middle, char text[EXP_SHARD_SIZE]);
bool exp_shard_has(exp_shard shard, int64_t task);

// ---- the whole ----

// {0} is an empty one. What it was asked for is borrowed for as long as it lives.
typedef struct exp_tasks {
    exp_asked asked;
    int32_t panel_count;
    exp_setup *setups; // (panel_count)
    int64_t *first;    // (panel_count + 1) number of the first task of a panel
    int64_t count;
} exp_tasks;

// It must not be moved. Free it after failure, too. Nullable: error.
lgkt_status exp_tasks_make(exp_tasks *tasks, const exp_asked *asked, lgkt_error *error);
void exp_tasks_free(exp_tasks *tasks);
// Makes everything that a shard would need, panel by panel, and plays nothing: what is wrong with a
// spec is said before hours of work. Experiments that come with the command are taken to be good,
// unless a price file is given.
// Nullable: error.
lgkt_status exp_tasks_check(const exp_tasks *tasks, exp_shard shard, lgkt_error *error);
// Whether runs.csv is written: where it is asked for, and for exact values, which are few.
bool exp_tasks_keep_runs(const exp_tasks *tasks, bool asked_for);
// The panel of a task.
int32_t exp_tasks_panel(const exp_tasks *tasks, int64_t task);
// How many tasks of a panel are in a shard.
int64_t exp_tasks_in(const exp_tasks *tasks, int32_t panel, exp_shard shard);

// ---- the first record ----

// What the first record of a journal says: behind the lines of exp_setup_identity, all that is
// needed to make the same tasks again, so that it can be merged with others wherever it was brought
// to. These are lines "file NAME", "folder PATH", "seed N", "replicates N", "quick N", "prices
// PATH" and "shard 3/16", an empty line, and the bytes of the experiment file. The folder is where
// paths in specs begin; "prices" and "shard" may have nothing behind them. {0} is an empty one.
typedef struct exp_head {
    char *text;                // owns all
    exp_asked asked;           // without experiment and files
    exp_experiment experiment; // its file and folder, and the bytes of the file
    exp_shard shard;
} exp_head;

// The frame of such a record, of *size bytes; the caller frees it with free. NULL when memory is
// out.
unsigned char *exp_head_write(const exp_tasks *tasks, exp_shard shard, size_t *size);
// `name` is the journal, for messages. Nullable: error.
lgkt_status exp_head_read(exp_head *head, const char *name, const char *bytes, size_t size,
                          lgkt_error *error);
void exp_head_free(exp_head *head);

// ---- records ----

// The frame (journal.h) of a record with such a number (exp_record_number): with the outcome of a
// task or, where that is NULL, with the facts of a panel, so that tables need no learner. Both begin
// with two 64-bit words, little-endian: panel and instance, or all ones and the panel. Behind these
// of a task are words, too: optimum, value of uniform play; for each learner its exp_measured; for
// each learner its curves, one measure after the other. A double is its bits. The caller frees the
// *size bytes with free; NULL when memory is out.
unsigned char *exp_record_write(const exp_tasks *tasks, int64_t number, const exp_outcome *outcome,
                                exp_facts *facts, size_t *size);
// The bytes of the record of a task, without a frame.
size_t exp_record_size(const exp_tasks *tasks, int32_t panel);
// The number of a record: that of its task or, behind all tasks, of the panel that it tells about;
// -1 if it is none of these.
int64_t exp_record_number(const exp_tasks *tasks, const unsigned char *bytes, size_t size);
// Reads what is known of a panel from its record. Free the facts after failure, too. Nullable: error.
lgkt_status exp_facts_read(exp_facts *facts, const exp_panel *panel, const unsigned char *bytes,
                           size_t size, lgkt_error *error);
void exp_record_read(const exp_tasks *tasks, int64_t task, const unsigned char *bytes,
                     exp_outcome *outcome);
// Whether two records of a task say the same, but for how long it took; b gets the seconds of a.
bool exp_record_same(const exp_tasks *tasks, int64_t task, const unsigned char *a,
                     unsigned char *b);
