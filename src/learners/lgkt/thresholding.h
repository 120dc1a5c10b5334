// SPDX-License-Identifier: MIT
// The thresholding learners, LGKT of the paper and its relatives: parameters, names and state.
// thresholding.c says what the state means and uses it, thresholding_build.c has parameters and
// names, and makes, grows, saves and destroys it.
#pragma once

#include "learners/front/learner_private.h"
#include "learners/lgkt/order.h"
#include "learners/model/rewards.h"
#include "learners/model/widths.h"

// ---- parameters and names ----

// Positions in the choice lists of the parameter tables.
enum { LGKT_PROFILE_PAPER, LGKT_PROFILE_PRACTICAL, LGKT_PROFILE_RELEASED };
enum { LGKT_UNTRIED_FIRST, LGKT_UNTRIED_LAST };
enum { LGKT_FALLBACK_INDEX, LGKT_FALLBACK_UNIFORM };
enum { LGKT_PICK_UNIFORM, LGKT_PICK_HIGH };
enum { LGKT_CANDIDATES_LCB, LGKT_CANDIDATES_MEAN, LGKT_CANDIDATES_MICHEL };
enum { LGKT_BONUSES_TWO, LGKT_BONUSES_ONE };
enum { LGKT_PHASES_LINKED, LGKT_PHASES_PRINTED };
enum { LGKT_CONTINUATION_RECEIVED, LGKT_CONTINUATION_MEAN };
enum { LGKT_REFRESH_ALWAYS, LGKT_REFRESH_ADDED };
enum { LGKT_SAMPLER_RUNS, LGKT_SAMPLER_ALL };
enum { LGKT_SCOPE_SHARED, LGKT_SCOPE_PAIR };

#define LGKT_MAX_DEPTH 1000

// One field per parameter; names differ from the parameters' only by _ for -.
typedef struct lgkt_thresholding_settings {
    int64_t k;          // depth K
    double threshold;   // gamma at depth K; the start value where thresholds rise
    double threshold1;  // gamma of the first phase (lg1-2t)
    int64_t cutoff;     // first step of the second phase
    double delta;       // how much a threshold rises
    int64_t max_raises; // how often at most, per state; unset: no limit
    double width;
    double p, eta;
    const char *sampler; // "order", or the spec of a learner
    double sampler_bonus;
    double sampler_threshold;
    int64_t sampler_limit;   // bytes
    lgkt_reward_range range; // for samplers that need one
    int profile, index, untried, fallback, ties;
    int candidates; // unset: lcb
    int bonuses;    // in the index of K >= 2; unset: two
    int phases;     // of two; unset: linked
    int coin, continuation, refresh, sampler_data, sampler_scope;
} lgkt_thresholding_settings;

// A name of the family, with what it fixes and no parameter changes.
typedef struct lgkt_thresholding_name {
    lgkt_entry entry;
    int64_t k;       // the depth, or 0: the parameter k
    bool two_phases; // depth 1 up to the cutoff, then depth 2
    bool adaptive;   // the cutoff is computed
    bool rising;     // thresholds rise per state
} lgkt_thresholding_name;

// A stretch of time with one depth.
typedef struct lgkt_stage {
    int64_t k, start;
    double gamma;
} lgkt_stage;

// The only one, or depth 1 and then depth 2.
typedef struct lgkt_stages {
    lgkt_stage at[2];
    int64_t count; // at[0].start is 0
} lgkt_stages;

// ---- state ----

// what every depth keeps of a pair
typedef struct lgkt_pair {
    double phi; // sum of rewards
    int64_t n;
} lgkt_pair;

// what depth K >= 2 keeps besides
typedef struct lgkt_continuation {
    double mc, v;
    int64_t nc;
    int64_t late; // visits since the depth was last changed
} lgkt_continuation;

// where a pair is; state -1: nowhere
typedef struct lgkt_place {
    size_t z; // state A + action
    int32_t state, action;
} lgkt_place;

// an open estimation run
typedef struct lgkt_run {
    lgkt_place reference; // the pair whose continuation it samples
    int64_t left;         // steps still to be played; 0: no run is open
    double total;         // earned so far
} lgkt_run;

// what belongs to one trajectory
typedef struct lgkt_thresholding_track {
    lgkt_place previous; // the pair of the step before
    double eps;          // coin probability after it; -1: no coin
    lgkt_run run;
} lgkt_thresholding_track;

typedef struct lgkt_thresholding {
    lgkt_widths *widths;
    lgkt_pair *pairs;        // (S, A)
    lgkt_order shallow;      // order of depth 1
    double gamma_of_depth_1; // its threshold, if that is fixed

    lgkt_continuation *continuations; // (S, A), if any stage has K >= 2
    lgkt_order deep;                  // order of depth K >= 2
    double gamma;                     // gamma of the stage, if it is fixed
    int64_t k;                        // depth of the stage
    lgkt_thresholding_track track;
    int64_t runs, run_steps;

    lgkt_thresholding_settings set; // its texts are gone
    const lgkt_thresholding_name *name;
    lgkt_stages stages;
    int64_t stage;
    bool deepens;      // some stage has K >= 2
    bool linked;       // stages that hand on more than counts and sums
    bool released;     // profile, and stages as there
    bool fixed;        // thresholds do not depend on time and state
    bool uses_shallow; // the order of depth 1 is needed
    bool taught;       // the sampler is a learner of its own
    bool per_pair;     // there is one for each pair
    bool rises;        // thresholds rise per state

    lgkt_learner *sampler;        // of the last stage; NULL: the order of depth 1
    lgkt_learner **pair_samplers; // (S, A), sampler-scope=per-pair: made like it on first use

    // rising thresholds
    double *gammas;  // (S)
    int64_t *since;  // (S), visits since the last raise
    int64_t *raises; // (S)
    int64_t max_raises;
    double raise_at; // visits since the last raise that bring the next one
} lgkt_thresholding;

static inline lgkt_place lgkt_place_of(const lgkt_learner *learner, int32_t state, int32_t action)
{
    const size_t row = (size_t)state * (size_t)learner->problem.actions;
    return (lgkt_place){row + (size_t)action, state, action};
}

static inline lgkt_place lgkt_place_nowhere(void)
{
    return (lgkt_place){0, -1, -1};
}

// Computes the bounds of all pairs from what they have earned.
void lgkt_thresholding_refresh_bounds(lgkt_learner *learner);
// The value that bounds are about, for an order by means; an untried action has its lower bound.
double lgkt_thresholding_mean(const lgkt_order *order, size_t z);
// Chooses act and observe for the settings, and the depth of the stage at hand.
void lgkt_thresholding_derive(lgkt_learner *learner);
// Who plays the open run; a pair's own sampler is made on first use, NULL when memory is out.
lgkt_learner *lgkt_thresholding_sampler_of_run(lgkt_learner *learner);

int32_t lgkt_thresholding_act(lgkt_learner *learner, int32_t state);
lgkt_status lgkt_thresholding_observe_deep(lgkt_learner *learner, double reward, int32_t next_state,
                                           bool ended);
lgkt_status lgkt_thresholding_feed(lgkt_learner *learner, double reward, int32_t next_state,
                                   bool ended);
void lgkt_thresholding_begin(lgkt_learner *learner);
bool lgkt_thresholding_explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons);
