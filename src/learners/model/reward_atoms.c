// SPDX-License-Identifier: MIT
// Rewards of a pair as a few points.

#include "learners/model/reward_atoms.h"

// the two neighbours that are nearest become one
static void join_nearest(lgkt_reward_atoms *atoms)
{
    int32_t nearest = 0;
    for (int32_t i = 1; i + 1 < atoms->count; i++)
        if (atoms->at[i + 1] - atoms->at[i] < atoms->at[nearest + 1] - atoms->at[nearest])
            nearest = i;
    const int32_t i = nearest;
    const double weight = atoms->weight[i] + atoms->weight[i + 1];
    const double mean =
        atoms->at[i] + (atoms->at[i + 1] - atoms->at[i]) * (atoms->weight[i + 1] / weight);
    atoms->at[i] = mean < atoms->at[i + 1] ? mean : atoms->at[i + 1];
    atoms->weight[i] = weight;
    atoms->count--;
    for (int32_t j = i + 1; j < atoms->count; j++) {
        atoms->at[j] = atoms->at[j + 1];
        atoms->weight[j] = atoms->weight[j + 1];
    }
}

void lgkt_atoms_add(lgkt_reward_atoms *atoms, double x)
{
    int32_t at = 0;
    while (at < atoms->count && atoms->at[at] < x)
        at++;
    if (at < atoms->count && atoms->at[at] == x) {
        atoms->weight[at] += 1;
        return;
    }
    for (int32_t j = atoms->count; j > at; j--) {
        atoms->at[j] = atoms->at[j - 1];
        atoms->weight[j] = atoms->weight[j - 1];
    }
    atoms->at[at] = x;
    atoms->weight[at] = 1;
    atoms->count++;
    if (atoms->count > LGKT_ATOMS)
        join_nearest(atoms);
}

void lgkt_atoms_visit(lgkt_reward_atoms *atoms, double n, double least, double most,
                      lgkt_archive *archive)
{
    double left = n;
    lgkt_visit_i32(archive, &atoms->count, 1, n > 0, LGKT_ATOMS);
    for (int32_t i = 0; i < atoms->count && !archive->bad; i++) {
        int64_t weight = (int64_t)atoms->weight[i];
        lgkt_visit_f64(archive, &atoms->at[i], 1);
        lgkt_visit_i64(archive, &weight, 1, 1, INT64_C(1) << 53);
        if (archive->mode != LGKT_ARCHIVE_LOAD)
            continue;
        atoms->weight[i] = (double)weight;
        left -= atoms->weight[i];
        // joining may round two of them to the same number
        archive->bad |= !(atoms->at[i] >= (i > 0 ? atoms->at[i - 1] : least));
        archive->bad |= !(atoms->at[i] <= most);
    }
    archive->bad |= archive->mode == LGKT_ARCHIVE_LOAD && left != 0;
}
