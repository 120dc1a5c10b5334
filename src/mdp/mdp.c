// SPDX-License-Identifier: MIT
// A finished model: sharing it, reading it, hashing it.
//
// A model is never written after it is built, so any number of threads may read it without a lock.
// Only the count of owners changes. It is atomic: taking one more needs no order (the caller has
// one already); giving one up releases all reads before it, and the last owner acquires them all
// before the memory goes.
//
// Memory: 12 bytes per pair, 12 per transition of positive probability, and as much again for the
// planning rows where entries below LGKT_PLANNING_CUT exist; 16 more per pair where a pair has
// something of its own, and 8 per transition where a reward depends on the move; 9 per pair where
// an action is forbidden.
#include "mdp/mdp_private.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/hash.h"

// ---- laws ----

lgkt_status lgkt_law_check(const double *p, int32_t n, const char *what, double *sum,
                           lgkt_error *error)
{
    double total = 0;
    for (int32_t i = 0; i < n; i++) {
        if (!isfinite(p[i]))
            return lgkt_fail(error, LGKT_ERR_NOT_FINITE, "%s: probability %g of state %d", what,
                             p[i], i);
        if (p[i] < 0)
            return lgkt_fail(error, LGKT_ERR_PROBABILITY, "%s: negative probability %g of state %d",
                             what, p[i], i);
        total += p[i];
    }
    if (!(fabs(total - 1) <= LGKT_ROW_TOLERANCE))
        return lgkt_fail(error, LGKT_ERR_PROBABILITY, "%s sums to %.10g; it must be 1 within %g",
                         what, total, LGKT_ROW_TOLERANCE);
    *sum = total;
    return LGKT_OK;
}

// A sum that is 1 up to the rounding of its n additions stays: so that normalising a law twice, as
// a file written and read again does, changes nothing.
void lgkt_law_normalise(double *p, size_t n, double sum)
{
    if (fabs(sum - 1) <= (double)n * 0x1p-52)
        return;
    for (size_t i = 0; i < n; i++)
        p[i] /= sum;
}

// ---- sharing ----

static void free_rows(const lgkt_allocator *allocator, const lgkt_rows *rows)
{
    lgkt_free(allocator, rows->begin);
    lgkt_free(allocator, rows->next);
    lgkt_free(allocator, rows->p);
}

const lgkt_mdp *lgkt_mdp_retain(const lgkt_mdp *mdp)
{
    if (mdp != NULL)
        atomic_fetch_add_explicit(&((lgkt_mdp *)mdp)->owners, 1, memory_order_relaxed);
    return mdp;
}

void lgkt_mdp_destroy(const lgkt_mdp *mdp)
{
    if (mdp == NULL)
        return;
    if (atomic_fetch_sub_explicit(&((lgkt_mdp *)mdp)->owners, 1, memory_order_acq_rel) > 1)
        return;
    const lgkt_allocator allocator = mdp->allocator;
    if (mdp->planning.begin != mdp->all.begin)
        free_rows(&allocator, &mdp->planning);
    free_rows(&allocator, &mdp->all);
    if (mdp->payoffs != mdp->rewards)
        lgkt_free(&allocator, mdp->payoffs);
    lgkt_free(&allocator, mdp->rewards);
    lgkt_free(&allocator, mdp->mask);
    lgkt_free(&allocator, mdp->start_law);
    lgkt_free(&allocator, mdp->move_rewards);
    lgkt_free(&allocator, mdp->own);
    lgkt_free(&allocator, mdp);
}

// ---- reading ----

int32_t lgkt_mdp_states(const lgkt_mdp *mdp)
{
    return mdp->states;
}

int32_t lgkt_mdp_actions(const lgkt_mdp *mdp)
{
    return mdp->actions;
}

static size_t pair(const lgkt_mdp *mdp, int32_t state, int32_t action)
{
    return (size_t)state * (size_t)mdp->actions + (size_t)action;
}

double lgkt_mdp_reward(const lgkt_mdp *mdp, int32_t state, int32_t action)
{
    return mdp->rewards[pair(mdp, state, action)];
}

const double *lgkt_mdp_rewards(const lgkt_mdp *mdp)
{
    return mdp->rewards;
}

lgkt_row lgkt_mdp_row(const lgkt_mdp *mdp, int32_t state, int32_t action)
{
    const size_t z = pair(mdp, state, action);
    const size_t begin = mdp->all.begin[z];
    return (lgkt_row){
        .n = (int32_t)(mdp->all.begin[z + 1] - begin),
        .next = mdp->all.next + begin,
        .p = mdp->all.p + begin,
        .reward = mdp->own != NULL && mdp->own[z].moves ? mdp->move_rewards + begin : NULL,
    };
}

const double *lgkt_mdp_start_law(const lgkt_mdp *mdp)
{
    return mdp->start_law;
}

int32_t lgkt_mdp_start(const lgkt_mdp *mdp)
{
    return mdp->start;
}

lgkt_noise lgkt_mdp_noise(const lgkt_mdp *mdp)
{
    return mdp->noise;
}

lgkt_noise lgkt_mdp_pair_noise(const lgkt_mdp *mdp, int32_t state, int32_t action, double *sd)
{
    const lgkt_own *const own = mdp->own == NULL ? NULL : &mdp->own[pair(mdp, state, action)];
    if (sd != NULL)
        *sd = own == NULL || own->noise == mdp->noise ? mdp->noise_sd : own->sd;
    return own == NULL ? mdp->noise : own->noise;
}

double lgkt_mdp_noise_sd(const lgkt_mdp *mdp)
{
    return mdp->noise_sd;
}

double lgkt_mdp_reward_min(const lgkt_mdp *mdp)
{
    return mdp->reward_min;
}

double lgkt_mdp_reward_max(const lgkt_mdp *mdp)
{
    return mdp->reward_max;
}

bool lgkt_mdp_allowed(const lgkt_mdp *mdp, int32_t state, int32_t action)
{
    return mdp->own == NULL || !mdp->own[pair(mdp, state, action)].forbidden;
}

const uint8_t *lgkt_mdp_mask(const lgkt_mdp *mdp, int32_t state)
{
    return mdp->mask == NULL ? NULL : mdp->mask + pair(mdp, state, 0);
}

bool lgkt_mdp_restricted(const lgkt_mdp *mdp)
{
    return mdp->mask != NULL;
}

bool lgkt_mdp_same_mask(const lgkt_mdp *a, const lgkt_mdp *b)
{
    const size_t pairs = (size_t)a->states * (size_t)a->actions;
    return a->mask == NULL || b->mask == NULL ? a->mask == b->mask
                                              : memcmp(a->mask, b->mask, pairs) == 0;
}

uint64_t lgkt_mdp_hash(const lgkt_mdp *mdp)
{
    const size_t pairs = (size_t)mdp->states * (size_t)mdp->actions;
    uint64_t hash = lgkt_hash_u64(LGKT_HASH_START, (uint64_t)mdp->states);
    hash = lgkt_hash_u64(hash, (uint64_t)mdp->actions);
    hash = lgkt_hash_u64(hash, (uint64_t)mdp->noise);
    hash = lgkt_hash_f64(hash, mdp->noise_sd);
    for (int32_t s = 0; s < mdp->states; s++)
        hash = lgkt_hash_f64(hash, mdp->start_law[s]);
    for (size_t z = 0; z < pairs; z++) {
        hash = lgkt_hash_f64(hash, mdp->rewards[z]);
        hash = lgkt_hash_u64(hash, mdp->all.begin[z + 1]);
        for (size_t i = mdp->all.begin[z]; i < mdp->all.begin[z + 1]; i++) {
            hash = lgkt_hash_u64(hash, (uint64_t)mdp->all.next[i]);
            hash = lgkt_hash_f64(hash, mdp->all.p[i]);
        }
    }
    // models that have nothing of this hash as they did before it existed
    for (size_t z = 0; mdp->own != NULL && z < pairs; z++) {
        const lgkt_own *const own = &mdp->own[z];
        hash = lgkt_hash_u64(hash, (uint64_t)own->noise * 4 + own->moves * 2u + own->forbidden);
        hash = lgkt_hash_f64(hash, own->sd);
        for (size_t i = mdp->all.begin[z]; own->moves && i < mdp->all.begin[z + 1]; i++)
            hash = lgkt_hash_f64(hash, mdp->move_rewards[i]);
    }
    return hash;
}
