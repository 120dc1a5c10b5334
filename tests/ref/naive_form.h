// SPDX-License-Identifier: MIT
// The settings of the LGKT family, read by hand for ref/naive_lgkt.c: names, profiles, stages.
#ifndef LGKT_TESTS_NAIVE_FORM_H
#define LGKT_TESTS_NAIVE_FORM_H

#include "lgkt/mdp.h"
#include "lgkt/problem.h"

// Root is a value of `index` only.
typedef enum { NAIVE_PAPER, NAIVE_PRACTICAL, NAIVE_RELEASED, NAIVE_ROOT } naive_profile;

enum { NAIVE_STAGES = 2 };

typedef struct naive_stage {
    int64_t k, start;
    double gamma;
} naive_stage;

typedef struct naive_form {
    int64_t k; // of the last stage
    naive_stage stages[NAIVE_STAGES];
    int stage_count;
    bool two_phases, adaptive, rising;
    bool printed;  // phases: printed, else linked
    bool released; // profile, but for printed phases
    naive_profile profile, index, coin;
    double threshold, sampler_threshold;
    double width, p, eta, delta;
    double reward_min, reward_max, reward_sd;
    double max_raises, sampler_bonus;
    bool by_mean;        // candidates: mean or michel, else lcb
    bool michel;         // candidates: michel
    bool one_bonus;      // bonuses: one, else two
    bool untried_first;  // untried: first, else last
    bool ties_high;      // ties: high, else uniform
    bool uniform;        // fallback: uniform, else index
    bool add_means;      // continuation: mean, else received
    bool refresh_always; // refresh: always, else added
    bool sampler_all;    // sampler-data: all, else runs
    bool sampler_pair;   // sampler-scope: per-pair, else shared
    char sampler[128];   // "order" or the spec of a learner; "" at depth 1
} naive_form;

// False for a name it does not know, and for settings that do not go together.
bool naive_form_read(const char *spec, const lgkt_problem *problem, naive_form *form);
// Whether the depth changes, and a stage counts for the next one by more than its n and m1.
bool naive_form_is_staged(const naive_form *form);
bool naive_form_samples_by_order(const naive_form *form);

#endif
