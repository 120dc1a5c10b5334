// SPDX-License-Identifier: MIT
// What is to be run - learners side by side on instances of an environment - and one instance of
// it.
#ifndef EXPERIMENTS_INSTANCE_H
#define EXPERIMENTS_INSTANCE_H

#include <stdatomic.h>

#include "experiments/runner/play.h"
#include "experiments/runner/pool.h"

#define EXP_MAX_LEARNERS   1000
#define EXP_MAX_POINTS     100000 // of a curve
#define EXP_MAX_JOBS       1024
#define EXP_MAX_REPLICATES 10000000
#define EXP_MAX_HORIZON    1000000000000
#define EXP_MAX_COUNTERS   16
#define EXP_MAX_MEASURES   8
#define EXP_NOTE_SIZE      512

// ---- what is to be run ----

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

// How far a run is.
typedef struct exp_progress {
    const char *name;    // of the part that is run, e.g. "riverswim-8"; NULL: not said
    const char *learner; // the one that began last; NULL: not said
    int64_t instances, instances_done;
    double steps, steps_done; // over all learners, without those of an earlier session
    double seconds;           // since the run began
} exp_progress;

// Called about ten times a second and once at the end, always on the thread that began the run.
typedef void (*exp_progress_fn)(void *ctx, const exp_progress *progress);

// Everything it points to is borrowed for the time of the run.
typedef struct exp_setup {
    exp_world world;
    const char *const *learners; // (learner_count) specs
    int32_t learner_count;       // 1 .. EXP_MAX_LEARNERS
    int64_t horizon;             // T, 1 .. EXP_MAX_HORIZON
    int64_t replicates;          // instances 0 .. replicates-1, 1 .. EXP_MAX_REPLICATES
    uint64_t seed;               // root seed
    int32_t jobs;                // threads, 1 .. EXP_MAX_JOBS
    const int64_t *checkpoints;  // (checkpoint_count) increasing times in 1 .. T
    int32_t checkpoint_count;    // 0 .. EXP_MAX_POINTS; 0: no curves
    const exp_measure *measures; // (measure_count) of the curves; RATIO alone, and with `exact`
    int32_t measure_count;       // 1 .. EXP_MAX_MEASURES, if there are curves
    const exp_world *events;     // (measure_count) the environments of those that are events
    const int32_t *compared;     // (compared_count) increasing places of the checkpoints where
    int32_t compared_count;      // learners are compared in pairs by the first measure
    int64_t regret_k;            // also the regret to thresholding with lookahead K; 0: no regret
    double regret_threshold;     // its threshold, finite
    bool exact;                  // no runs, see exp_instance_play
    const exp_units *units;      // in place of one trajectory; NULL: there is one. T is that of all
    const bool *alone;           // (learner_count) who has a learner for each unit; of units only
    bool untold;                 // learners do not know the range and noise of the rewards
    bool again;                  // instance 0 may be played more than once: it is made anew
    bool unplayed;               // nobody plays: optimum and uniform play alone, the rest is void
    const atomic_bool *stop;     // setting it, in progress() too, ends the run early; nullable
    exp_progress_fn progress;    // nullable
    void *progress_ctx;
} exp_setup;

// Whether all is within the ranges above. Nullable: error.
lgkt_status exp_setup_check(const exp_setup *setup, lgkt_error *error);

// Counters of one learner, summed over instances.
typedef struct exp_counters {
    int32_t count;
    char names[EXP_MAX_COUNTERS][32];
    int64_t totals[EXP_MAX_COUNTERS];
} exp_counters;

// Instance 0 of a setup, made but not played; {0} is an empty one.
typedef struct exp_cast {
    lgkt_env *env;
    exp_game *games; // (count) the learners of other instances share the O(T) tables of these
    int32_t count;
    exp_counters *counters; // (count) names; the sums are 0
} exp_cast;

// Refuses what no instance could be played with. Free it after failure, too: what is there was
// made. Nullable: error.
lgkt_status exp_cast_make(exp_cast *cast, const exp_setup *setup, lgkt_error *error);
void exp_cast_free(exp_cast *cast);

// ---- what was measured ----

// One run.
typedef struct exp_score {
    double reward, observed;     // per step, expected and observed
    double regret;               // of the whole run to the thresholding policy; 0 if not asked for
    double seconds;              // in steps of learner and environment
    double gap, bound, distance; // of exact values only, see exp_instance_play
    int64_t counters[EXP_MAX_COUNTERS];
} exp_score;

// All runs on one instance; {0} is an empty one.
typedef struct exp_outcome {
    double optimum;    // V*_T(s_0)/T; NaN where there is no model
    double random;     // the same of uniform play
    exp_score *scores; // (learner_count)
    double *curve;     // (learner_count, measure_count, checkpoint_count)
} exp_outcome;

// The numbers of such a curve.
size_t exp_outcome_points(const exp_setup *setup);
// What a run is ranked by: the first measure at the end or, without curves, the reward.
double exp_outcome_last(const exp_outcome *outcome, const exp_setup *setup, int32_t learner);
// Zeroed arrays for a setup. Nullable: error.
lgkt_status exp_outcome_create(exp_outcome *outcome, const exp_setup *setup, lgkt_error *error);
void exp_outcome_free(exp_outcome *outcome);

// Plays instance `number` as unit `unit` of a pool, whose count of steps it moves; instance 0 is
// that of the cast and can be played once, unless setup->again. When the pool is halted it ends
// early with LGKT_OK and numbers that are void.
//
// Exact: for learners kstep:k=K nothing is played and nothing learned. Per step and from the start
// law of the model, the score holds
//     reward    V of the K-step greedy policy
//     gap       V* - V
//     bound     what Theorem 3.5 allows for the gap
//     distance  its sum of L1 distances alone
// and the one point of the curve the ratio V / V*. Nullable: error.
lgkt_status exp_instance_play(const exp_setup *setup, const exp_cast *cast, int64_t number,
                              exp_pool *pool, int64_t unit, exp_outcome *outcome,
                              lgkt_error *error);

#endif
