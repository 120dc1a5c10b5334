// SPDX-License-Identifier: MIT
// An experiment made ready: all panels with their learners, the units of work in them, and how one
// that was played is written down.
//
// A unit is an instance of a panel, played by all its learners. Units are numbered panel by panel,
// so that everybody who has the experiment, its seed and its size means the same by a number.
#ifndef EXPERIMENTS_AGENDA_H
#define EXPERIMENTS_AGENDA_H

#include "experiments/runner/experiment.h"
#include "experiments/runner/runner.h"
#include "experiments/runner/stage.h"

// ---- parts ----

// Part `part` of `parts`, from 0; {0} is the whole. Units are dealt in turn: which ones a part has
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
bool exp_shard_has(exp_shard shard, int64_t unit);

// ---- the whole ----

// How much of an experiment, and with what. Everything it points to is borrowed for as long as the
// agenda lives.
typedef struct exp_asked {
    const exp_experiment *experiment;
    int64_t replicates;     // instances of each panel; 0: as the experiment says
    bool quick;             // its small counts
    uint64_t seed;          // root seed
    const char *prices;     // price file of panels that trade; NULL: a random walk
    const exp_files *files; // what reads files that specs name
} exp_asked;

// {0} is an empty one.
typedef struct exp_agenda {
    exp_asked asked;
    int32_t panel_count;
    exp_stage *stages; // (panel_count)
    exp_part *parts;   // (panel_count) for exp_work
    int64_t *first;    // (panel_count + 1) number of the first unit of a panel
    int64_t units;
    char prices[EXP_PRICES_SIZE]; // what panels that trade run on, see exp_stage_prices
    char *identity;               // whose journal it is, see exp_stage_identity
} exp_agenda;

// The instances of a panel.
int64_t exp_asked_instances(const exp_asked *asked, const exp_panel *panel);
// Free it after failure, too. Nullable: error.
lgkt_status exp_agenda_make(exp_agenda *agenda, const exp_asked *asked, lgkt_error *error);
void exp_agenda_free(exp_agenda *agenda);
// Whether runs.csv is written: where it is asked for, and for exact values, which are few.
bool exp_agenda_keeps_runs(const exp_agenda *agenda, bool asked_for);
// The panel of a unit.
int32_t exp_agenda_panel(const exp_agenda *agenda, int64_t unit);

// ---- records ----

// The bytes of a unit that was played: 64-bit words, little-endian: panel, instance, optimum, value
// of uniform play; for each learner its exp_score; for each learner its curves, one measure after
// the other. A double is its bits.
size_t exp_record_size(const exp_agenda *agenda, int32_t panel);
void exp_record_write(const exp_agenda *agenda, int64_t unit, const exp_outcome *outcome,
                      unsigned char *bytes);
void exp_record_read(const exp_agenda *agenda, int64_t unit, const unsigned char *bytes,
                     exp_outcome *outcome);
// The unit of such bytes; -1 if they are none of this agenda.
int64_t exp_record_unit(const exp_agenda *agenda, const unsigned char *bytes, size_t size);
// Whether two records of a unit say the same, but for how long it took.
bool exp_record_same(const exp_agenda *agenda, int64_t unit, const unsigned char *a,
                     const unsigned char *b);

#endif
