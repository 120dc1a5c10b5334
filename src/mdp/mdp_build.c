// SPDX-License-Identifier: MIT
// From loose edges to a checked model.
//
// Building sorts the log of a builder by (pair, next), unless it is in that order already (the
// common case), by two stable counting passes: first over next states, then over pairs. Edges of
// the same (pair, next) then stand side by side, in the order given, and are added. With E edges a
// build costs O(E + S A) time and, while it runs, up to 32 bytes per edge.
//
// Each row is divided by its sum, unless that is 1 up to rounding. The planning rows leave out
// entries below LGKT_PLANNING_CUT and are divided again by what is left. What says nothing is
// dropped: a pair whose moves all earn the same has no rewards of moves, and pairs of one noise
// none of their own.
#include "mdp/mdp_builder.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"

// The scales of the laws that LGKT_NOISE_DRIFTING alternates between: normal laws up to this sd,
// and a two-point law on [lo, hi] with lo = min(0, smallest mean), hi = max(1, largest mean).
#define DRIFTING_SD 0.9

// ---- sorting a log ----

// one stable counting pass; place has keys + 1 zeros
static void counting_pass(const lgkt_log_edge *from, lgkt_log_edge *to, size_t count, bool by_pair,
                          size_t *place, size_t keys)
{
    for (size_t i = 0; i < count; i++)
        place[(by_pair ? from[i].pair : from[i].next) + 1]++;
    for (size_t key = 0; key < keys; key++)
        place[key + 1] += place[key];
    for (size_t i = 0; i < count; i++)
        to[place[by_pair ? from[i].pair : from[i].next]++] = from[i];
}

// The log by (pair, next): as it is, or as a new array *copy, which the caller frees. NULL when
// memory is out.
static const lgkt_log_edge *sorted(const lgkt_mdp_builder *builder, const lgkt_edge_log *log,
                                   lgkt_log_edge **copy)
{
    const lgkt_log_edge *const e = log->edges;
    bool ordered = true;
    for (size_t i = 1; i < log->count && ordered; i++)
        ordered =
            e[i].pair > e[i - 1].pair || (e[i].pair == e[i - 1].pair && e[i].next >= e[i - 1].next);
    if (ordered)
        return e;

    const lgkt_allocator *const allocator = &builder->allocator;
    const size_t count = log->count, states = (size_t)builder->states;
    lgkt_log_edge *const half = lgkt_alloc_zeroed(allocator, count, sizeof *half);
    lgkt_log_edge *const made = lgkt_alloc_zeroed(allocator, count, sizeof *made);
    size_t *const by_next = lgkt_alloc_zeroed(allocator, states + 1, sizeof *by_next);
    size_t *const by_pair = lgkt_alloc_zeroed(allocator, builder->pairs + 1, sizeof *by_pair);
    *copy = made;
    const bool room = half != NULL && made != NULL && by_next != NULL && by_pair != NULL;
    if (room) {
        counting_pass(e, half, count, false, by_next, states);
        counting_pass(half, made, count, true, by_pair, builder->pairs);
    }
    lgkt_free(allocator, half);
    lgkt_free(allocator, by_next);
    lgkt_free(allocator, by_pair);
    return room ? made : NULL;
}

// ---- building ----

static bool alloc_rows(const lgkt_allocator *allocator, lgkt_rows *rows, size_t pairs,
                       size_t entries)
{
    rows->begin = lgkt_alloc_zeroed(allocator, pairs + 1, sizeof *rows->begin);
    rows->next = lgkt_alloc_zeroed(allocator, entries, sizeof *rows->next);
    rows->p = lgkt_alloc_zeroed(allocator, entries, sizeof *rows->p);
    return rows->begin != NULL && rows->next != NULL && rows->p != NULL;
}

static double row_sum(const lgkt_rows *rows, size_t z)
{
    double sum = 0;
    for (size_t i = rows->begin[z]; i < rows->begin[z + 1]; i++)
        sum += rows->p[i];
    return sum;
}

static bool forbidden(const lgkt_mdp_builder *builder, size_t z)
{
    return builder->own != NULL && builder->own[z].forbidden;
}

// the transitions of a new model: sorted edges to rows, equal targets added
static lgkt_status fill_rows(const lgkt_mdp_builder *builder, lgkt_mdp *mdp, lgkt_error *error)
{
    const size_t count = builder->chances.count;
    lgkt_log_edge *copy = NULL;
    const lgkt_log_edge *const edges = sorted(builder, &builder->chances, &copy);
    size_t targets = 0;
    for (size_t i = 0; edges != NULL && i < count; i++)
        targets +=
            i == 0 || edges[i - 1].pair != edges[i].pair || edges[i - 1].next != edges[i].next;
    lgkt_rows *const rows = &mdp->all;
    if ((edges == NULL && count > 0) ||
        !alloc_rows(&mdp->allocator, rows, builder->pairs, targets)) {
        lgkt_free(&builder->allocator, copy);
        return lgkt_fail_memory(error, "the transitions of a model");
    }
    size_t i = 0, used = 0;
    for (size_t z = 0; z < builder->pairs; z++) {
        rows->begin[z] = used;
        for (; i < count && (size_t)edges[i].pair == z; i++) {
            if (forbidden(builder, z))
                continue;
            if (used == rows->begin[z] || rows->next[used - 1] != edges[i].next)
                rows->next[used++] = edges[i].next;
            rows->p[used - 1] += edges[i].value;
        }
    }
    rows->begin[builder->pairs] = used;
    lgkt_free(&builder->allocator, copy);

    for (size_t z = 0; z < builder->pairs; z++) {
        const double sum = row_sum(rows, z);
        if (!(fabs(sum - 1) <= LGKT_ROW_TOLERANCE) && !forbidden(builder, z))
            return lgkt_fail(error, LGKT_ERR_PROBABILITY,
                             "row (state %d, action %d) sums to %.10g; it must be 1 within %g",
                             (int)(z / (size_t)mdp->actions), (int)(z % (size_t)mdp->actions), sum,
                             LGKT_ROW_TOLERANCE);
        lgkt_law_normalise(rows->p + rows->begin[z], rows->begin[z + 1] - rows->begin[z], sum);
    }
    return LGKT_OK;
}

// the planning rows: those of `all`, or a copy without the small entries
static lgkt_status fill_planning(lgkt_mdp *mdp, lgkt_error *error)
{
    const size_t pairs = (size_t)mdp->states * (size_t)mdp->actions;
    const lgkt_rows *const all = &mdp->all;
    size_t kept = 0;
    for (size_t i = 0; i < all->begin[pairs]; i++)
        kept += all->p[i] >= LGKT_PLANNING_CUT;
    if (kept == all->begin[pairs]) {
        mdp->planning = *all;
        return LGKT_OK;
    }

    lgkt_rows *const cut = &mdp->planning;
    if (!alloc_rows(&mdp->allocator, cut, pairs, kept))
        return lgkt_fail_memory(error, "the planning rows of a model");
    size_t used = 0;
    for (size_t z = 0; z < pairs; z++) {
        const size_t begin = used;
        for (size_t i = all->begin[z]; i < all->begin[z + 1]; i++)
            if (all->p[i] >= LGKT_PLANNING_CUT) {
                cut->next[used] = all->next[i];
                cut->p[used++] = all->p[i];
            }
        cut->begin[z + 1] = used;
        lgkt_law_normalise(cut->p + begin, used - begin, row_sum(cut, z));
    }
    return LGKT_OK;
}

// The rewards of the moves, and from them the means of the pairs that have any.
static lgkt_status fill_moves(const lgkt_mdp_builder *builder, lgkt_mdp *mdp, lgkt_error *error)
{
    const lgkt_rows *const rows = &mdp->all;
    lgkt_log_edge *copy = NULL;
    const lgkt_log_edge *const moves = sorted(builder, &builder->moves, &copy);
    double *const r = lgkt_alloc_zeroed(&mdp->allocator, rows->begin[builder->pairs], sizeof *r);
    mdp->move_rewards = r;
    if (moves == NULL || r == NULL) {
        lgkt_free(&builder->allocator, copy);
        return lgkt_fail_memory(error, "the rewards of the moves of a model");
    }
    size_t m = 0;
    for (size_t z = 0; z < builder->pairs; z++) {
        const size_t begin = rows->begin[z], end = rows->begin[z + 1];
        for (size_t i = begin; i < end; i++)
            r[i] = mdp->rewards[z];
        for (size_t i = begin; m < builder->moves.count && (size_t)moves[m].pair == z; m++) {
            while (i < end && rows->next[i] < moves[m].next)
                i++;
            if (i < end && rows->next[i] == moves[m].next)
                r[i] = moves[m].value;
        }
        double mean = 0;
        for (size_t i = begin; i < end; i++) {
            mdp->own[z].moves |= r[i] != r[begin];
            mean += rows->p[i] * r[i];
        }
        if (begin < end)
            mdp->rewards[z] = mdp->own[z].moves ? mean : r[begin];
    }
    lgkt_free(&builder->allocator, copy);
    return LGKT_OK;
}

// what planners and environments look at where actions are forbidden
static lgkt_status fill_mask(lgkt_mdp *mdp, lgkt_error *error)
{
    mdp->payoffs = mdp->rewards;
    if (!mdp->restricted)
        return LGKT_OK;
    const size_t pairs = (size_t)mdp->states * (size_t)mdp->actions;
    mdp->payoffs = lgkt_alloc_zeroed(&mdp->allocator, pairs, sizeof *mdp->payoffs);
    mdp->mask = lgkt_alloc_zeroed(&mdp->allocator, pairs, sizeof *mdp->mask);
    if (mdp->payoffs == NULL || mdp->mask == NULL)
        return lgkt_fail_memory(error, "the forbidden actions of a model");
    for (size_t z = 0; z < pairs; z++) {
        mdp->mask[z] = !mdp->own[z].forbidden;
        mdp->payoffs[z] = mdp->mask[z] ? mdp->rewards[z] : -INFINITY;
    }
    return LGKT_OK;
}

// The noise of a pair, which is returned; that of the model is mixed unless all pairs have the same.
static lgkt_noise fill_noise(const lgkt_mdp_builder *builder, lgkt_mdp *mdp, size_t z, bool first)
{
    const bool own = builder->own != NULL && builder->own[z].noise != LGKT_NOISE_MIXED;
    const lgkt_noise noise = own ? builder->own[z].noise : builder->noise;
    double sd = noise == LGKT_NOISE_BERNOULLI ? 0.5 : 0;
    if (noise == LGKT_NOISE_NORMAL)
        sd = own ? builder->own[z].sd : builder->normal_sd;
    const bool differs = !first && (noise != mdp->noise || sd != mdp->noise_sd);
    mdp->noise = differs ? LGKT_NOISE_MIXED : noise;
    mdp->noise_sd = first ? sd : fmax(mdp->noise_sd, sd);
    if (mdp->own != NULL) {
        mdp->own[z].noise = noise;
        mdp->own[z].sd = sd;
    }
    return noise;
}

// a coin that shows 0 or 1 cannot have another mean
static lgkt_status check_bernoulli(const lgkt_mdp *mdp, size_t z, lgkt_error *error)
{
    const bool by_move = mdp->move_rewards != NULL;
    const double *const r = by_move ? mdp->move_rewards + mdp->all.begin[z] : &mdp->rewards[z];
    const size_t n = by_move ? mdp->all.begin[z + 1] - mdp->all.begin[z] : 1;
    for (size_t i = 0; i < n; i++)
        if (!(r[i] >= 0 && r[i] <= 1))
            return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                             "reward %g of (state %d, action %d); Bernoulli noise needs 0 to 1",
                             r[i], (int)(z / (size_t)mdp->actions),
                             (int)(z % (size_t)mdp->actions));
    return LGKT_OK;
}

static lgkt_status fill_rewards(const lgkt_mdp_builder *builder, lgkt_mdp *mdp, lgkt_error *error)
{
    memcpy(mdp->rewards, builder->rewards, builder->pairs * sizeof *mdp->rewards);
    if (builder->own != NULL || builder->moves.count > 0) {
        mdp->own = lgkt_alloc_zeroed(&mdp->allocator, builder->pairs, sizeof *mdp->own);
        if (mdp->own == NULL)
            return lgkt_fail_memory(error, "the pairs of a model");
    }
    if (builder->moves.count > 0) {
        LGKT_TRY(fill_moves(builder, mdp, error));
    }

    bool moves = false, drifts = false, first = true;
    int32_t allowed = 0; // of the state at hand
    mdp->reward_min = INFINITY;
    mdp->reward_max = -INFINITY;
    for (size_t z = 0; z < builder->pairs; z++) {
        const int32_t s = (int32_t)(z / (size_t)mdp->actions),
                      a = (int32_t)(z % (size_t)mdp->actions);
        allowed = (a == 0 ? 0 : allowed) + !forbidden(builder, z);
        if (a == mdp->actions - 1 && allowed == 0)
            return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                             "all actions of state %d are forbidden; one must be allowed", s);
        if (forbidden(builder, z)) {
            mdp->own[z] = (lgkt_own){.forbidden = true};
            mdp->rewards[z] = 0;
            mdp->restricted = true;
            continue;
        }
        const double mean = mdp->rewards[z];
        mdp->reward_min = fmin(mdp->reward_min, mean);
        mdp->reward_max = fmax(mdp->reward_max, mean);

        const lgkt_noise noise = fill_noise(builder, mdp, z, first);
        first = false;
        moves |= mdp->own != NULL && mdp->own[z].moves;
        drifts |= noise == LGKT_NOISE_DRIFTING;
        if (noise == LGKT_NOISE_BERNOULLI) {
            LGKT_TRY(check_bernoulli(mdp, z, error));
        }
    }

    const bool mixed = mdp->noise == LGKT_NOISE_MIXED;
    if (drifts && (mixed || moves))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "drifting noise together with %s; it must be the noise of all pairs, and "
                         "rewards must not depend on the move",
                         mixed ? "noise of pairs" : "rewards of moves");
    // the scales of the laws that it alternates between
    if (drifts)
        mdp->noise_sd =
            fmax(DRIFTING_SD, (fmax(1, mdp->reward_max) - fmin(0, mdp->reward_min)) / 2);
    if (!moves) {
        lgkt_free(&mdp->allocator, mdp->move_rewards);
        mdp->move_rewards = NULL;
    }
    if (!moves && !mixed && !mdp->restricted) {
        lgkt_free(&mdp->allocator, mdp->own);
        mdp->own = NULL;
    }
    return fill_mask(mdp, error);
}

lgkt_status lgkt_mdp_builder_build(const lgkt_mdp_builder *builder, lgkt_mdp **mdp,
                                   lgkt_error *error)
{
    if (builder == NULL || mdp == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s is NULL",
                         builder == NULL ? "builder" : "mdp");
    const size_t states = (size_t)builder->states;
    lgkt_mdp *const made = lgkt_alloc_zeroed(&builder->allocator, 1, sizeof *made);
    if (made == NULL)
        return lgkt_fail_memory(error, "a model");
    made->allocator = builder->allocator;
    atomic_init(&made->owners, 1);
    made->states = builder->states;
    made->actions = builder->actions;
    made->rewards = lgkt_alloc_zeroed(&made->allocator, builder->pairs, sizeof *made->rewards);
    made->start_law = lgkt_alloc_zeroed(&made->allocator, states, sizeof *made->start_law);
    lgkt_status status = LGKT_OK;
    if (made->rewards == NULL || made->start_law == NULL)
        status = lgkt_fail_memory(error, "a model");
    if (status == LGKT_OK)
        status = fill_rows(builder, made, error);
    if (status == LGKT_OK)
        status = fill_planning(made, error);
    if (status == LGKT_OK)
        status = fill_rewards(builder, made, error);
    if (status != LGKT_OK)
        goto fail;

    memcpy(made->start_law, builder->start_law, states * sizeof *made->start_law);
    made->start = -1;
    for (int32_t s = 0; s < made->states; s++)
        if (made->start_law[s] == 1)
            made->start = s;
    *mdp = made;
    return LGKT_OK;
fail:
    lgkt_mdp_destroy(made);
    return status;
}
