// SPDX-License-Identifier: MIT
// An experiment as data: panels, each an environment with learners side by side on the same
// instances, and what is measured. docs/experiments.md describes the files they are read from.
#pragma once

#include "lgkt/base.h"

#define EXP_MAX_LEARNERS   1000
#define EXP_MAX_POINTS     100000 // of a curve
#define EXP_MAX_JOBS       1024
#define EXP_MAX_REPLICATES 10000000
#define EXP_MAX_HORIZON    1000000000000
#define EXP_MAX_COUNTERS   16
#define EXP_COUNTER_SIZE   32 // of a name
#define EXP_MAX_MEASURES   8
#define EXP_MAX_UNITS      1000000

// ---- what is measured ----

typedef enum exp_measure_kind {
    EXP_MEASURE_AVERAGE,    // expected reward per step so far
    EXP_MEASURE_CUMULATIVE, // observed reward so far
    EXP_MEASURE_REGRET,     // regret to the K-step thresholding policy so far
    EXP_MEASURE_RATIO,      // no run: V(K-step greedy) / V*, exact
    EXP_MEASURE_COUNTER,    // a counter of the learner so far; NaN where it has none of that name
    EXP_MEASURE_EVENT       // sum so far of mean rewards in another environment of the same states
} exp_measure_kind;

typedef struct exp_measure {
    exp_measure_kind kind;
    const char *word; // as in files and tables: average, ..., counter:NAME, event:NAME
    const char *name; // of the counter or event; NULL otherwise
} exp_measure;

// The words of all kinds, in the order of exp_measure_kind, and NULL behind them; NAME stands for
// any name.
extern const char *const exp_measure_words[];
// The measure that a word stands for, which it borrows; false: none.
bool exp_measure_parse(const char *word, exp_measure *measure);

// The average, and behind it the regret.
extern const exp_measure exp_usual_measures[2];

// ---- panels ----

// How a learner is drawn; nothing that runs looks at it.
typedef struct exp_style {
    const char *color; // "#rrggbb", or NULL
    const char *dash;  // solid, dashed, dotted, dashdot, short, or NULL
    double width;      // 0: none
} exp_style;

// What a name of a grid stands for.
typedef struct exp_value {
    const char *name;
    const char *text; // as it is filled in
    double number;    // NaN: it is a text
} exp_value;

// Which of the learners or panels that a grid makes.
typedef struct exp_cell {
    const char *grid;        // label or name with the names not filled in
    const exp_value *values; // (count) in the order of the file
    int32_t count;
} exp_cell;

typedef struct exp_entry {
    const char *label; // unique within the panel
    const char *spec;
    bool oracle;         // knows the model: a mark to compare with, not a competitor
    bool alone;          // of units: each has a learner for itself
    const char *group;   // what learners have in common, for those who read results
    const char *section; // part of the panel that is shown apart, or ""
    exp_style style;
    const exp_cell *cell; // nullable
} exp_entry;

// What a panel says of its units (play.h); count 0: it has none.
typedef struct exp_units {
    int32_t count;    // N
    double late;      // mean number of rounds after which a reward is reported; 0: at once
    double missing;   // probability that it never is
    int64_t patience; // rounds after which nobody waits for it any more
    int64_t told;     // rounds that learners are told at first; 0: all of them
    int64_t extended; // round at whose start they are told the rest
} exp_units;

typedef struct exp_event {
    const char *name;
    const char *env; // spec; its mean rewards are what is counted
} exp_event;

typedef enum exp_times {
    EXP_TIMES_MIXED,
    EXP_TIMES_LOG,
    EXP_TIMES_GIVEN, // and T
    EXP_TIMES_ALONE  // those that are given and no other: pairs are compared at T if that is said
} exp_times;

typedef struct exp_panel {
    const char *name; // unique within the experiment
    int32_t place;    // in the list of panels of the file, where those of a grid are one
    const char *title;
    const char *env; // spec
    int64_t horizon;
    int64_t instances, quick_instances; // quick 0: not part of a quick run
    const exp_measure *measures;        // (measure_count) the first is the main one
    int32_t measure_count;
    int64_t regret_k; // of EXP_MEASURE_REGRET, as the next one
    double regret_threshold;
    const exp_event *events; // (event_count)
    int32_t event_count;
    exp_times times;            // when curves are looked at
    const int64_t *given_times; // (given_count) of the last two of these, increasing
    int32_t given_count;
    const int64_t *compare; // (compare_count) when pairs are compared besides the end, increasing;
    int32_t compare_count;  // those from the horizon on are left out
    const exp_entry *entries;
    int32_t entry_count;
    exp_units units;      // count 0: one trajectory
    bool untold;          // learners do not know the range and noise of the rewards
    const exp_cell *cell; // nullable
} exp_panel;

typedef struct exp_experiment {
    const char *name;
    const char *title;
    const char *question;   // or ""
    const char *place;      // where in the paper, "ours", or ""
    const char *collection; // a word that stands for all that have it, or ""
    const char *section;    // where in a report
    int64_t order;          // within its collection
    uint64_t seed;
    const char *file;  // it was read from, without folder
    const char *bytes; // (size) of that file
    size_t size;
    const char *folder; // of that file, "" or with '/' at its end: where paths in specs begin
    const exp_panel *panels;
    int32_t panel_count;
    bool shipped; // it came with the command, so that its specs are good
    void *memory; // owns all of it; NULL: nothing to free
} exp_experiment;

// ---- files ----

#define EXP_MAX_PANELS      1000
#define EXP_MAX_CELLS       20000 // learners that the grids of a file make
#define EXP_MAX_COMPARE     15
#define EXP_MAX_CHECKPOINTS 200                       // that are made
#define EXP_MAX_TIMES       (EXP_MAX_CHECKPOINTS - 1) // that a file gives: the end is one, too

// An experiment from a file, or from its bytes; it is named as the file is, without ".json". Specs
// are not looked at: what is wrong with them, learners and environments say (exp_shared_make).
// Everything else that is wrong is one line with file, place and field. Nullable: error.
lgkt_status exp_experiment_read(exp_experiment *experiment, const char *path, lgkt_error *error);
lgkt_status exp_experiment_parse(exp_experiment *experiment, const char *bytes, size_t size,
                                 const char *path, lgkt_error *error);
void exp_experiment_free(exp_experiment *experiment);
// Leaves out the panels that are no part of a quick run.
void exp_experiment_quicken(exp_experiment *experiment);

// Experiments in the order in which they were asked for; {0} is none.
typedef struct exp_choice {
    exp_experiment *items; // (count)
    int32_t count;
} exp_choice;

// What words ask for: a file (a word with '/' or that ends in .json), an experiment that comes with
// the command, all of a collection, or "all". Each is there once. Nullable: error.
lgkt_status exp_choose(exp_choice *choice, const char *const *words, int32_t count,
                       lgkt_error *error);
void exp_choice_free(exp_choice *choice);
