// SPDX-License-Identifier: MIT
// The state of a learner by extended value iteration, for the file that uses it and for tests.
#ifndef LGKT_LEARNERS_UCRL_H
#define LGKT_LEARNERS_UCRL_H

#include "learners/bias.h"
#include "learners/evi.h"
#include "learners/reward_range.h"

enum { LGKT_EPISODES_VANISHING, LGKT_EPISODES_DOUBLING };

typedef struct lgkt_ucrl_settings {
    int bound, episodes;
    double delta;
    double precision; // of the gain, in units of the reward range; NaN: by the time
    int64_t sweeps;   // cap
    double span;      // c0 of PMEVI; NaN: T^(1/5)
    lgkt_reward_range reward;
} lgkt_ucrl_settings;

typedef struct lgkt_ucrl_traits {
    lgkt_region region;
    bool pmevi;
} lgkt_ucrl_traits;

typedef struct lgkt_ucrl {
    lgkt_ucrl_settings set;
    const lgkt_ucrl_traits *traits;
    lgkt_reward_map map; // rewards are (r - reward.min) / scale
    double cap;          // highest mean reward in these units
    double noise;        // radius of a reward in these units, per radius in [0, 1]
    lgkt_successors counts;
    lgkt_evi evi;
    lgkt_bias bias; // PMEVI

    // the episode
    bool planned;
    int64_t started;     // t_k, from 1
    double growth;       // 1 + t_k^(-1/4)
    int32_t expected;    // the state that continues the trajectory, -1: none
    int32_t *policy;     // (S), -1: not chosen yet
    int64_t *in_episode; // (S, A), visits
    int32_t *ties;       // (A)
    double gain;         // of the last planning, in the units above
    double precision;    // of the last planning
    double least_gain;   // lowest optimistic gain so far

    // pairs that have changed since the last planning
    size_t *changed;     // (S, A)
    int32_t *is_changed; // (S, A)
    int64_t changed_count;
    int32_t known; // states at the last planning

    int64_t episodes;
} lgkt_ucrl;

#endif
