// SPDX-License-Identifier: MIT
// Extended value iteration: the optimistic gain and policy over all plausible models.
#ifndef LGKT_LEARNERS_EVI_H
#define LGKT_LEARNERS_EVI_H

#include "learners/model/box.h"
#include "learners/model/plausible.h"
#include "learners/model/successors.h"

// What is plausible about a pair. Rewards are in units of the reward range, 0 .. 1.
typedef struct lgkt_plausible {
    double reward;     // optimistic mean reward; that of an unvisited pair is the highest there is
    double radius;     // of the ball around its empirical row
    double mitigation; // cap on max q.u - phat.u (PMEVI); INFINITY: none
} lgkt_plausible;

// What was found out about a pair, and is still of use.
typedef struct lgkt_pair_backup {
    double value; // max q.u at the drift below, or more; INFINITY: not known
    double drift;
    double warm; // see lgkt_max_kl; NaN: none yet
} lgkt_pair_backup;

// Applied to v after each sweep (PMEVI); returns true if it changed something.
typedef bool (*lgkt_project_fn)(void *ctx, double *v, int32_t states);

typedef struct lgkt_evi {
    lgkt_region region;
    const lgkt_successors *counts;
    int32_t states, actions;
    int64_t sweep_cap;

    lgkt_plausible *pairs;     // (S, A)
    lgkt_pair_backup *backups; // (S, A)
    double *u;                 // (S), the bias so far; smallest entry 0
    double *v;                 // (S), one sweep further
    int32_t *hint;             // (S), the best action of the last sweep
    double *p, *value;         // (S), one gathered row
    double drift;              // how much u has grown at most, in all
    double top;                // highest u

    bool has_boxes;
    lgkt_boxes boxes; // if these are the region

    lgkt_project_fn project; // nullable
    void *project_ctx;
    int64_t sweeps, cap_hits, projections;
    bool looks; // evaluations leave nothing behind
} lgkt_evi;

// The reward of a pair that cannot be played: no other is as low.
#define LGKT_EVI_NEVER (-LGKT_MAX_NUMBER)

extern const lgkt_part lgkt_evi_part;

// The pair's counts, reward or radius have changed.
void lgkt_evi_touch(lgkt_evi *evi, size_t z);

// Forgets what was found out: the units of the rewards have changed.
void lgkt_evi_restart(lgkt_evi *evi);

// Sweeps until the gain is known within precision/2, and returns it. u stays what the last sweep
// began with, so that lgkt_evi_best gives the actions of that sweep.
double lgkt_evi_solve(lgkt_evi *evi, double precision);

// Fills `ties` (length A) with the actions of a state that are best within `tolerance` and returns
// how many there are. `allowed` (A): only those that are not 0; NULL: all.
int32_t lgkt_evi_best(lgkt_evi *evi, int32_t state, const uint8_t *allowed, double tolerance,
                      int32_t *ties);

// What a pair is worth, its reward included; leaves nothing behind.
double lgkt_evi_value(lgkt_evi *evi, size_t z);

#endif
