// SPDX-License-Identifier: MIT
// What is believed of a model after what was seen, as laws of its mean rewards and rows, and a draw
// of a whole model from them.
#pragma once

#include "learners/model/rewards.h"
#include "learners/model/value_iteration.h"

typedef enum lgkt_reward_law {
    LGKT_LAW_NG,
    LGKT_LAW_NG_FREE,
    LGKT_LAW_BETA,
    LGKT_LAW_NORMAL
} lgkt_reward_law;

typedef enum lgkt_split { LGKT_SPLIT_UNIFORM, LGKT_SPLIT_EXACT, LGKT_SPLIT_VERTEX } lgkt_split;

typedef struct lgkt_seen_moments {
    double mean;
    double squares; // sum of squared deviations from it
} lgkt_seen_moments;

// What is believed of the mean of normal rewards: a Student law about m with 2a degrees of freedom
// and scale sqrt(b/(a k)).
typedef struct lgkt_normal_gamma {
    double m, k, a, b;
} lgkt_normal_gamma;

typedef struct lgkt_posterior {
    // as told
    lgkt_reward_law law;
    bool fraction; // beta: a reward between the ends counts in parts; else a coin decides
    double sd;     // normal: of the noise, in units of x; NaN: half the range
    double alpha;  // of the Dirichlet prior, per state; NaN: 1/S
    double kappa;  // what all its parameters are divided by
    double eta;    // rows with fewer moves are drawn by the lower bounds; 0: none
    lgkt_split split;
    bool names; // states that a row has not led to must be known by name: the split is not uniform
    int32_t copies; // of each row; its reward is the largest of as many draws

    // what was seen
    lgkt_successors counts;     // rewards in x; beta: coins that came up
    lgkt_seen_moments *moments; // (S, A), of x
    lgkt_seen_moments all;      // of all rewards
    int64_t rewards;            // all of them
    lgkt_reward_bounds bounds;
    int64_t clipped; // rewards beyond the range of a beta law

    int32_t *marks; // (S), the last row, + 1, that leads to a state; if they are
} lgkt_posterior;

extern const lgkt_part lgkt_posterior_part;
// Places that a drawn model of so many states takes, with `seen` successors counted; INT64_MAX if
// they cannot be numbered.
int64_t lgkt_posterior_size(const lgkt_learner *learner, const lgkt_posterior *post, int32_t states,
                            int64_t seen);

// One step of pair number z.
lgkt_status lgkt_posterior_learn(lgkt_learner *learner, lgkt_posterior *post, size_t z,
                                 double reward, int32_t next_state, bool ended);

// How far mean rewards are apart, in x: as told, else as seen; ng-free asks only what was seen. 0
// as long as all are the same, and then any unit will do: they are counted from the first.
double lgkt_posterior_range(const lgkt_posterior *post);
// The parameters of a pair under ng and ng-free, in x.
lgkt_normal_gamma lgkt_posterior_ng(const lgkt_posterior *post, size_t z);
// A draw of the mean reward of a pair, in x.
double lgkt_posterior_reward(const lgkt_posterior *post, size_t z, lgkt_rng *rng);
// A draw of the whole model into the rows of vi, which has lgkt_posterior_size places.
void lgkt_posterior_draw(lgkt_learner *learner, lgkt_posterior *post, lgkt_vi *vi);
