// SPDX-License-Identifier: MIT
// Extended value iteration: the optimistic gain and policy over all plausible models.
//
// Radii by visit count; those of rewards are for rewards in [0, 1]:
//
//   mixture    time-uniform bounds by the method of mixtures, valid for all n at once; delta is
//              per pair (l1: Weissman et al. 2003, kl: Jonsson et al. 2020)
//     reward   sqrt((1 + 1/n) ln(sqrt(1 + n)/delta) / (2n))
//     l1       sqrt(2 (1 + 1/n) ln(sqrt(1 + n) (2^S - 2)/delta) / n)
//     kl       (ln(1/delta) + (S-1)(1 + ln(1 + n/(S-1)))) / n
//   original   as printed in UCRL2 (Jaksch et al. 2010) and KL-UCRL (Filippi et al. 2010)
//     reward   l1: sqrt(7 ln(2 S A t/delta) / (2n))
//              kl: sqrt(ln(4 S A ln(T)/delta) / 1.99) / sqrt(n)
//     l1       sqrt(14 S ln(2 A t/delta) / n)
//     kl       S (B + ln(B + 1/ln T)(1 + 1/(B + 1/ln T))) / n,   B = ln(2 e S^2 A ln(T)/delta)
//   released   as the code released with the LGKT paper: mixture, but for
//     l1       sqrt(S (1 + 1/n) ln(2 sqrt(1 + n)/delta) / (2n)), too small for S <= 4
//
// A row of the empirical model is a list of successors with their shares p_i > 0, which sum to 1.
// Over a ball of laws q around it, of radius `radius`, these functions give max q.V:
//
//   l1   |q - p|_1 <= radius          kl   KL(p || q) <= radius
//
// Successors that were never seen may get mass, so the highest value of all states counts too.
#pragma once

#include "learners/model/bias.h"
#include "learners/model/box.h"
#include "learners/model/drifting.h"
#include "learners/model/successors.h"
#include "learners/model/support.h"

// ---- balls ----

// a box has no radius: see box.h
typedef enum lgkt_region { LGKT_REGION_L1, LGKT_REGION_KL, LGKT_REGION_BOX } lgkt_region;
typedef enum lgkt_bound { LGKT_BOUND_MIXTURE, LGKT_BOUND_ORIGINAL, LGKT_BOUND_RELEASED } lgkt_bound;

typedef struct lgkt_radii {
    lgkt_region region;
    lgkt_bound bound;
    double states, actions, horizon; // S, A, T
    double t;                        // time of the planning, from 1
    double delta;
} lgkt_radii;

// n >= 1.
double lgkt_radius_reward(const lgkt_radii *radii, double n);
double lgkt_radius_row(const lgkt_radii *radii, double n);

// `top` is the highest value of all states; a row has at least one successor.
double lgkt_max_l1(lgkt_support *row, double top, double radius);

// `warm` is where the root was last found (log scale), and is updated; NaN: nowhere yet.
double lgkt_max_kl(const lgkt_support *row, double top, double radius, double *warm);

// ---- sweeps ----

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

    bool rows_drift; // KL balls only
    lgkt_drifting drifting;

    lgkt_bias *bias; // what v is projected to after each sweep (PMEVI); nullable
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
// u = v - min v.
void lgkt_evi_go_on(lgkt_evi *evi);
// That, and one more sweep from there, which is not looked at for the gain.
void lgkt_evi_sweep_on(lgkt_evi *evi);
// After a load: what sweeps compute of u.
void lgkt_evi_loaded(lgkt_evi *evi);

// Fills `ties` (length A) with the actions of a state that are best within `tolerance` and returns
// how many there are. `allowed` (A): only those that are not 0; NULL: all.
int32_t lgkt_evi_best(lgkt_evi *evi, int32_t state, const uint8_t *allowed, double tolerance,
                      int32_t *ties);

// Whether a pair is worth at least `least`, its reward included.
bool lgkt_evi_reaches(lgkt_evi *evi, size_t z, double least);

// What a pair is worth, its reward included; leaves nothing behind.
double lgkt_evi_value(lgkt_evi *evi, size_t z);
