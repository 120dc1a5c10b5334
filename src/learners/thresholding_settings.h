// SPDX-License-Identifier: MIT
// The parameters of the LGKT family, their profiles, and the names built from them.
#ifndef LGKT_LEARNERS_THRESHOLDING_SETTINGS_H
#define LGKT_LEARNERS_THRESHOLDING_SETTINGS_H

#include "learners/learner_private.h"
#include "learners/widths.h"

// Positions in the choice lists of the parameter tables.
enum { LGKT_PROFILE_PAPER, LGKT_PROFILE_PRACTICAL, LGKT_PROFILE_RELEASED };
enum { LGKT_UNTRIED_FIRST, LGKT_UNTRIED_LAST };
enum { LGKT_FALLBACK_INDEX, LGKT_FALLBACK_UNIFORM };
enum { LGKT_PICK_UNIFORM, LGKT_PICK_HIGH };
enum { LGKT_CONTINUATION_RECEIVED, LGKT_CONTINUATION_MEAN };
enum { LGKT_REFRESH_ALWAYS, LGKT_REFRESH_ADDED };
enum { LGKT_DATA_RUNS, LGKT_DATA_ALL };
enum { LGKT_SCOPE_SHARED, LGKT_SCOPE_PAIR };

#define LGKT_MAX_DEPTH  1000
#define LGKT_MAX_STAGES 16

// One field per parameter; names differ from the parameters' only by _ for -.
typedef struct lgkt_thresholding_settings {
    int64_t k;              // depth K
    const char *schedule;   // "k@start/k@start/..", lgkt-schedule
    const char *thresholds; // "gamma/gamma/..", lgkt-schedule
    double threshold;       // gamma at depth K; the start value where thresholds rise
    double threshold1;      // gamma of the first phase (lg1-2t)
    int64_t cutoff;         // first step of the second phase
    double delta;           // how much a threshold rises
    int64_t max_raises;     // how often at most, per state; unset: no limit
    double width;
    double p, eta;
    const char *sampler; // "order", or the spec of a learner
    double sampler_bonus;
    double sampler_threshold;
    int64_t sampler_limit; // bytes
    double reward_min, reward_max, reward_sd;
    int profile, index, untried, fallback, ties;
    int coin, continuation, refresh, sampler_data, sampler_scope;
} lgkt_thresholding_settings;

// What a name fixes and no parameter changes.
typedef struct lgkt_thresholding_traits {
    int64_t k;       // the depth, or 0: the parameter k
    bool two_phases; // depth 1 up to the cutoff, then depth 2
    bool adaptive;   // the cutoff is computed
    bool rising;     // thresholds rise per state
    bool scheduled;  // depths along a list
} lgkt_thresholding_traits;

// A stretch of time with one depth.
typedef struct lgkt_stage {
    int64_t k, start;
    double gamma;
} lgkt_stage;

typedef struct lgkt_stages {
    lgkt_stage at[LGKT_MAX_STAGES];
    int32_t count; // at least 1; at[0].start is 0
} lgkt_stages;

// Fills what is unset: by profile, by name, from the problem of `learner`; and lists the stages.
lgkt_status lgkt_thresholding_resolve(const lgkt_learner *learner,
                                      lgkt_thresholding_settings *settings, lgkt_stages *stages,
                                      lgkt_error *error);

// The form of the width tables of resolved settings.
lgkt_widths_form lgkt_thresholding_widths_form(const lgkt_thresholding_settings *settings,
                                               int64_t horizon);

// True if the sampler is the order of depth 1 itself, and no learner.
bool lgkt_thresholding_samples_by_order(const lgkt_thresholding_settings *settings);

// Writes the spec of the learner that samples at depth k into text (capacity size).
lgkt_status lgkt_thresholding_sampler_spec(const lgkt_thresholding_settings *settings, int64_t k,
                                           char *text, size_t size, lgkt_error *error);

// The names of the family, in display order; entries and traits are indexed by them.
enum {
    LGKT_NAME_LG1T,
    LGKT_NAME_LG2T,
    LGKT_NAME_LGKT,
    LGKT_NAME_LG12T,
    LGKT_NAME_LG12T_ADAPTIVE,
    LGKT_NAME_SCHEDULE,
    LGKT_NAME_LG1T_I,
    LGKT_NAME_LG2T_I,
    LGKT_NAME_LG1T_UNIFORM,
    LGKT_NAME_LG2T_UNIFORM,
    LGKT_THRESHOLDING_COUNT
};

extern const lgkt_entry lgkt_thresholding_entries[LGKT_THRESHOLDING_COUNT];
extern const lgkt_thresholding_traits lgkt_thresholding_traits_of[LGKT_THRESHOLDING_COUNT];

#endif
