// SPDX-License-Identifier: MIT
// How regret grows with time: models with known gaps, runs of a learner, local exponents.
//
// A curve holds the regret of each seed at the times T, T/2, T/4, ... of one run of T steps. Seeds
// are those of the environment's noise and of the learner; the model is the same for all of them.
#ifndef LGKT_TESTS_GROWTH_H
#define LGKT_TESTS_GROWTH_H

#include <stdbool.h>

#include "lgkt/mdp.h"

// In every state one action is worth gamma + gap over K steps, and all others gamma - gap.
typedef struct growth_family {
    int32_t states, actions;
    int64_t k;
    double gap;
    lgkt_noise noise;
    double sd;
} growth_family;

// Rewards are 1/2 + gap for the good action and 1/2 - gap for the others; rows are random. All
// states are alike in what they can earn, so V_{K-1} is (K-1)(1/2 + gap) everywhere and
// gamma = K (1/2 + gap) - gap, whatever the rows are.
lgkt_mdp *growth_model(const growth_family *family);
double growth_gamma(const growth_family *family);

// The i-th random model: rewards Gamma(1/2), rows normalised Gamma(1/2), normal noise.
lgkt_mdp *growth_random(uint64_t i, int32_t states, int32_t actions, double sd);

// A ring of locks, each as in src/env/chains.c (lock of K steps, lure 0.2, prize 2 + 0.2 K, normal
// noise of sd 0.5): K right actions in a row open it and lead to the next one, any wrong one earns
// the lure and leads back to its begin. State = lock K + step. Every good action is worth gamma + 1
// or more over K steps and every bad one gamma - 1, gamma = 1 + 0.2 K.
lgkt_mdp *growth_locks(int32_t locks, int32_t k, int32_t actions);

// For any model: gamma (S) halfway between the best and the second best Q_K of each state. Returns
// the smallest gap to it.
double growth_halfway(const lgkt_mdp *model, int64_t k, double *gamma);

// One run per seed of a learner, to be scored.
typedef struct growth_task {
    const lgkt_mdp *model;
    const char *spec;
    int64_t k;           // depth of the threshold cost
    const double *gamma; // (S): the learner's threshold and that of the cost; NULL: the spec's own
    int64_t horizon;
    int32_t seeds;
    uint64_t seed;
    int64_t gamma_rows; // of gamma (rows, S), one for each step, the last for all later ones; 0: 1
} growth_task;

#define GROWTH_STATES 64 // of a model whose thresholds are an array
#define GROWTH_SEEDS  64
#define GROWTH_POINTS 12

typedef struct growth_curve {
    int32_t seeds, points;
    int64_t time[GROWTH_POINTS]; // T / 2^j, as long as it is at least 100
    double regret[GROWTH_SEEDS][GROWTH_POINTS];
} growth_curve;

// Regret to the thresholding policy: the cost of the pairs played up to a time, minus the exact
// expectation of what the policy for the whole horizon has cost by then.
growth_curve growth_to_threshold(const growth_task *task);
// Regret to the optimum of as many steps: V*_t minus the mean rewards of the first t pairs played.
growth_curve growth_to_optimum(const growth_task *task);

// A number and its standard error over the seeds.
typedef struct growth_number {
    double value, error;
} growth_number;

// The mean regret at T / 2^j.
growth_number growth_mean(const growth_curve *curve, int32_t j);
// What is added between T / 2^early and T / 2^late.
growth_number growth_difference(const growth_curve *curve, int32_t late, int32_t early);
// The share of the regret at T / 2^j that came in the second half of that time.
growth_number growth_late_share(const growth_curve *curve, int32_t j);
// The slope of log regret over log time between T / 2^late and T / 2^early; error by the jackknife.
growth_number growth_exponent(const growth_curve *curve, int32_t early, int32_t late);

// The same of what is added: log2 of (R(T) - R(T/2)) / (R(T/2) - R(T/4)). A constant part, as from
// a phase of learning that is over, does not count in it.
growth_number growth_added_exponent(const growth_curve *curve);

// Whether LGKT_LONG=1 is in the environment: tests then run more seeds and print what they find.
bool growth_is_long(void);
// The number of seeds: 48 in that case, else what is asked for.
int32_t growth_seeds(int32_t seeds);
// Prints a curve in that case.
void growth_show(const growth_task *task, const char *title, const growth_curve *curve);
// The regret on a family, with growth_seeds of these seeds and shown.
growth_curve growth_on_family(const growth_family *family, const char *spec, int64_t horizon,
                              int32_t seeds);

#endif
