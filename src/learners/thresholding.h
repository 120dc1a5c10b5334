// SPDX-License-Identifier: MIT
// The state of a learner of the LGKT family. thresholding.c says what it means and uses it,
// thresholding_build.c makes, grows, saves and destroys it.
#ifndef LGKT_LEARNERS_THRESHOLDING_H
#define LGKT_LEARNERS_THRESHOLDING_H

#include "learners/thresholding_settings.h"
#include "learners/order.h"

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

typedef struct lgkt_thresholding {
    lgkt_widths *widths;
    lgkt_pair *pairs; // (S, A)
    lgkt_order one;   // order of depth 1
    double gamma1;    // its threshold, if that is fixed

    lgkt_continuation *continuations; // (S, A), if any stage has K >= 2
    lgkt_order deep;                  // order of depth K >= 2
    double gamma;                     // gamma of the stage, if it is fixed
    int64_t k;                        // depth of the stage
    lgkt_place previous;              // the pair of the step before
    double eps;                       // coin probability after it
    lgkt_run run;
    int64_t runs, run_steps;

    lgkt_thresholding_settings set; // its texts are gone
    const lgkt_thresholding_traits *traits;
    lgkt_stages stages;
    int32_t stage;
    bool deepens;  // some stage has K >= 2
    bool released; // profile
    bool fixed;    // thresholds do not depend on time and state
    bool uses_one; // the order of depth 1 is needed
    bool taught;   // the sampler is a learner of its own

    // one sampler per stage (NULL: order), or of the last stage one per pair, made on first use
    lgkt_learner *samplers[LGKT_MAX_STAGES];
    lgkt_learner **pair_samplers; // (S, A), sampler-scope=per-pair

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

static inline lgkt_key lgkt_thresholding_untried_key(const lgkt_thresholding *f)
{
    return (lgkt_key){f->set.untried == LGKT_UNTRIED_FIRST ? INFINITY : -INFINITY, INFINITY};
}

// Computes the keys of all pairs from what they have earned.
void lgkt_thresholding_refresh_keys(lgkt_learner *learner);
// Empties the order of depth K and all continuations; the next stage starts to collect its own.
void lgkt_thresholding_forget_continuations(lgkt_learner *learner);
// Chooses act and observe for the settings, and the depth of the stage at hand.
void lgkt_thresholding_derive(lgkt_learner *learner);
// The sampler of one pair, made on first use; NULL when memory is out.
lgkt_learner *lgkt_thresholding_pair_sampler(lgkt_learner *learner, lgkt_place at);

int32_t lgkt_thresholding_act(lgkt_learner *learner, int32_t state);
int32_t lgkt_thresholding_act_one_fixed(lgkt_learner *learner, int32_t state);
int32_t lgkt_thresholding_act_deep_fixed(lgkt_learner *learner, int32_t state);
lgkt_status lgkt_thresholding_observe_one(lgkt_learner *learner, double reward, int32_t next_state,
                                          bool ended);
lgkt_status lgkt_thresholding_observe_deep(lgkt_learner *learner, double reward, int32_t next_state,
                                           bool ended);
lgkt_status lgkt_thresholding_observe_plain(lgkt_learner *learner, double reward,
                                            int32_t next_state, bool ended);
lgkt_status lgkt_thresholding_feed(lgkt_learner *learner, double reward, int32_t next_state,
                                   bool ended);
void lgkt_thresholding_begin(lgkt_learner *learner);

#endif
