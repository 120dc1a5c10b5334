// SPDX-License-Identifier: MIT
// The rewards of a pair as at most 32 points with weights.
//
// Exact while no more than 32 values differ. After that the two points that are nearest to each
// other become one, at their mean: mean and weight of all are kept, and no range need be known.
#ifndef LGKT_LEARNERS_REWARD_ATOMS_H
#define LGKT_LEARNERS_REWARD_ATOMS_H

#include "core/archive.h"

enum { LGKT_ATOMS = 32 };

typedef struct lgkt_reward_atoms {
    int32_t count;
    double at[LGKT_ATOMS + 1]; // growing; the last place is empty between steps
    double weight[LGKT_ATOMS + 1];
} lgkt_reward_atoms;

void lgkt_atoms_add(lgkt_reward_atoms *atoms, double x);
// Those of a pair with n visits, and rewards from `least` to `most`.
void lgkt_atoms_visit(lgkt_reward_atoms *atoms, double n, double least, double most,
                      lgkt_archive *archive);

#endif
