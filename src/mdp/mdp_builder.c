// SPDX-License-Identifier: MIT
// From loose edges to a checked model.
//
// The builder keeps a log of edges (pair, next, probability) in the order given and nothing of size
// S*A*S. Building sorts the log by (pair, next), unless it is in that order already (the common
// case), by two stable counting passes: first over next states, then over pairs. Edges of the same
// (pair, next) then stand side by side, in the order given, and are added. With E edges a build
// costs O(E + S A) time and, while it runs, up to 32 bytes per edge.
//
// Each row is divided by its sum unless that is exactly 1. The planning rows leave out entries
// below LGKT_PLANNING_CUT and are divided again by what is left.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "mdp/mdp_private.h"

// The scales of the laws that LGKT_NOISE_DRIFTING alternates between: normal laws up to this sd,
// and a two-point law on [lo, hi] with lo = min(0, smallest mean), hi = max(1, largest mean).
#define DRIFTING_SD 0.9

typedef struct edge {
    int32_t pair; // z = s*A + a < 2^28
    int32_t next;
    double p; // > 0
} edge;

struct lgkt_mdp_builder {
    lgkt_allocator allocator;
    int32_t states;
    int32_t actions;
    size_t pairs;
    double *rewards;   // (S, A)
    double *start_law; // (S)
    edge *edges;       // (edge_count), room for edge_capacity
    size_t edge_count;
    size_t edge_capacity;
    lgkt_noise noise;
    double normal_sd;
};

// ---- filling ----

static lgkt_status check_sizes(int32_t states, int32_t actions, lgkt_error *error)
{
    if (states < 1 || states > LGKT_MAX_STATES)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "%d states; allowed are 1 to %d", states,
                         LGKT_MAX_STATES);
    if (actions < 1 || actions > LGKT_MAX_ACTIONS)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "%d actions; allowed are 1 to %d", actions,
                         LGKT_MAX_ACTIONS);
    if ((int64_t)states * actions > LGKT_MAX_PAIRS)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "%d states x %d actions; allowed are %d pairs",
                         states, actions, LGKT_MAX_PAIRS);
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_create(int32_t states, int32_t actions,
                                    const lgkt_allocator *allocator, lgkt_mdp_builder **builder,
                                    lgkt_error *error)
{
    if (builder == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "builder is NULL");
    const lgkt_status status = check_sizes(states, actions, error);
    if (status != LGKT_OK)
        return status;

    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    lgkt_mdp_builder *const made = lgkt_alloc_zeroed(&hooks, 1, sizeof *made);
    if (made == NULL)
        return lgkt_fail_memory(error, "a model builder");
    made->allocator = hooks;
    made->states = states;
    made->actions = actions;
    made->pairs = (size_t)states * (size_t)actions;
    made->rewards = lgkt_alloc_zeroed(&hooks, made->pairs, sizeof *made->rewards);
    made->start_law = lgkt_alloc_zeroed(&hooks, (size_t)states, sizeof *made->start_law);
    if (made->rewards == NULL || made->start_law == NULL)
        goto fail;
    made->start_law[0] = 1;
    *builder = made;
    return LGKT_OK;
fail:
    lgkt_mdp_builder_destroy(made);
    return lgkt_fail_memory(error, "a model builder");
}

void lgkt_mdp_builder_destroy(lgkt_mdp_builder *builder)
{
    if (builder == NULL)
        return;
    const lgkt_allocator allocator = builder->allocator;
    lgkt_free(&allocator, builder->rewards);
    lgkt_free(&allocator, builder->start_law);
    lgkt_free(&allocator, builder->edges);
    lgkt_free(&allocator, builder);
}

static lgkt_status check_state(const lgkt_mdp_builder *builder, int32_t state, const char *what,
                               lgkt_error *error)
{
    if (builder == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "builder is NULL");
    if (state < 0 || state >= builder->states)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s %d; allowed are 0 to %d", what, state,
                         builder->states - 1);
    return LGKT_OK;
}

static lgkt_status check_pair(const lgkt_mdp_builder *builder, int32_t state, int32_t action,
                              lgkt_error *error)
{
    const lgkt_status status = check_state(builder, state, "state", error);
    if (status != LGKT_OK)
        return status;
    if (action < 0 || action >= builder->actions)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "action %d; allowed are 0 to %d", action,
                         builder->actions - 1);
    return LGKT_OK;
}

static size_t pair(const lgkt_mdp_builder *builder, int32_t state, int32_t action)
{
    return (size_t)state * (size_t)builder->actions + (size_t)action;
}

lgkt_status lgkt_mdp_builder_reward(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                    double mean, lgkt_error *error)
{
    const lgkt_status status = check_pair(builder, state, action, error);
    if (status != LGKT_OK)
        return status;
    if (!isfinite(mean))
        return lgkt_fail(error, LGKT_ERR_NOT_FINITE, "reward %g at (%d, %d); it must be finite",
                         mean, state, action);
    builder->rewards[pair(builder, state, action)] = mean;
    return LGKT_OK;
}

static lgkt_status check_probability(int32_t state, int32_t action, int32_t next, double p,
                                     lgkt_error *error)
{
    if (!isfinite(p))
        return lgkt_fail(error, LGKT_ERR_NOT_FINITE, "probability %g at (%d, %d) -> %d", p, state,
                         action, next);
    if (p < 0)
        return lgkt_fail(error, LGKT_ERR_PROBABILITY, "negative probability %g at (%d, %d) -> %d",
                         p, state, action, next);
    return LGKT_OK;
}

// room for `more` edges
static lgkt_status reserve(lgkt_mdp_builder *builder, size_t more, lgkt_error *error)
{
    void *edges = builder->edges;
    if (more > SIZE_MAX - builder->edge_count ||
        !lgkt_grow(&builder->allocator, &edges, &builder->edge_capacity, builder->edge_count,
                   builder->edge_count + more, sizeof *builder->edges))
        return lgkt_fail_memory(error, "the edges of a model");
    builder->edges = edges;
    return LGKT_OK;
}

// no zero reaches the log; the room was reserved
static void append(lgkt_mdp_builder *builder, size_t z, int32_t next, double p)
{
    if (p > 0)
        builder->edges[builder->edge_count++] = (edge){(int32_t)z, next, p};
}

lgkt_status lgkt_mdp_builder_edge(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                  int32_t next, double probability, lgkt_error *error)
{
    lgkt_status status = check_pair(builder, state, action, error);
    if (status == LGKT_OK)
        status = check_state(builder, next, "next state", error);
    if (status == LGKT_OK)
        status = check_probability(state, action, next, probability, error);
    if (status == LGKT_OK)
        status = reserve(builder, 1, error);
    if (status == LGKT_OK)
        append(builder, pair(builder, state, action), next, probability);
    return status;
}

lgkt_status lgkt_mdp_builder_row(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                 const double *p, lgkt_error *error)
{
    lgkt_status status = check_pair(builder, state, action, error);
    if (status == LGKT_OK && p == NULL)
        status = lgkt_fail(error, LGKT_ERR_ARGUMENT, "p is NULL");

    // all of the row is checked first, so that a refused one leaves no trace
    size_t positive = 0;
    for (int32_t y = 0; status == LGKT_OK && y < builder->states; y++) {
        status = check_probability(state, action, y, p[y], error);
        positive += p[y] > 0;
    }
    if (status == LGKT_OK)
        status = reserve(builder, positive, error);
    if (status != LGKT_OK)
        return status;

    for (int32_t y = 0; y < builder->states; y++)
        append(builder, pair(builder, state, action), y, p[y]);
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_start(lgkt_mdp_builder *builder, int32_t state, lgkt_error *error)
{
    const lgkt_status status = check_state(builder, state, "start state", error);
    if (status != LGKT_OK)
        return status;
    memset(builder->start_law, 0, (size_t)builder->states * sizeof *builder->start_law);
    builder->start_law[state] = 1;
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_start_law(lgkt_mdp_builder *builder, const double *p,
                                       lgkt_error *error)
{
    if (builder == NULL || p == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s is NULL", builder == NULL ? "builder" : "p");
    double sum = 0;
    const lgkt_status status = lgkt_law_check(p, builder->states, "the start law", &sum, error);
    if (status != LGKT_OK)
        return status;
    memcpy(builder->start_law, p, (size_t)builder->states * sizeof *p);
    lgkt_law_normalise(builder->start_law, (size_t)builder->states, sum);
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_noise(lgkt_mdp_builder *builder, lgkt_noise kind, double sd,
                                   lgkt_error *error)
{
    if (builder == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "builder is NULL");
    if ((int)kind < LGKT_NOISE_NONE || (int)kind > LGKT_NOISE_DRIFTING)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "noise kind %d; allowed are 0 to %d", (int)kind,
                         LGKT_NOISE_DRIFTING);
    if (kind == LGKT_NOISE_NORMAL && !isfinite(sd))
        return lgkt_fail(error, LGKT_ERR_NOT_FINITE, "noise sd %g; it must be finite", sd);
    if (kind == LGKT_NOISE_NORMAL && sd < 0)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "noise sd %g; it must be >= 0", sd);
    builder->noise = kind;
    builder->normal_sd = kind == LGKT_NOISE_NORMAL ? sd : 0;
    return LGKT_OK;
}

// ---- sorting the log ----

static bool in_order(const lgkt_mdp_builder *builder)
{
    const edge *const e = builder->edges;
    for (size_t i = 1; i < builder->edge_count; i++)
        if (e[i].pair < e[i - 1].pair || (e[i].pair == e[i - 1].pair && e[i].next < e[i - 1].next))
            return false;
    return true;
}

static size_t key_of(const edge *e, bool by_pair)
{
    return (size_t)(by_pair ? e->pair : e->next);
}

// one stable counting pass; place has keys + 1 zeros
static void counting_pass(const edge *from, edge *to, size_t count, bool by_pair, size_t *place,
                          size_t keys)
{
    for (size_t i = 0; i < count; i++)
        place[key_of(&from[i], by_pair) + 1]++;
    for (size_t key = 0; key < keys; key++)
        place[key + 1] += place[key];
    for (size_t i = 0; i < count; i++)
        to[place[key_of(&from[i], by_pair)]++] = from[i];
}

// the log by (pair, next) as a new array, or NULL when memory is out
static edge *sorted_copy(const lgkt_mdp_builder *builder)
{
    const lgkt_allocator *const allocator = &builder->allocator;
    const size_t count = builder->edge_count, states = (size_t)builder->states;
    edge *const half = lgkt_alloc_zeroed(allocator, count, sizeof *half);
    edge *sorted = lgkt_alloc_zeroed(allocator, count, sizeof *sorted);
    size_t *const by_next = lgkt_alloc_zeroed(allocator, states + 1, sizeof *by_next);
    size_t *const by_pair = lgkt_alloc_zeroed(allocator, builder->pairs + 1, sizeof *by_pair);
    if (half != NULL && sorted != NULL && by_next != NULL && by_pair != NULL) {
        counting_pass(builder->edges, half, count, false, by_next, states);
        counting_pass(half, sorted, count, true, by_pair, builder->pairs);
    } else {
        lgkt_free(allocator, sorted);
        sorted = NULL;
    }
    lgkt_free(allocator, half);
    lgkt_free(allocator, by_next);
    lgkt_free(allocator, by_pair);
    return sorted;
}

// ---- rows ----

static bool alloc_rows(const lgkt_allocator *allocator, lgkt_rows *rows, size_t pairs,
                       size_t entries)
{
    rows->begin = lgkt_alloc_zeroed(allocator, pairs + 1, sizeof *rows->begin);
    rows->next = lgkt_alloc_zeroed(allocator, entries, sizeof *rows->next);
    rows->p = lgkt_alloc_zeroed(allocator, entries, sizeof *rows->p);
    return rows->begin != NULL && rows->next != NULL && rows->p != NULL;
}

static bool same_target(const edge *e, const edge *f)
{
    return e->pair == f->pair && e->next == f->next;
}

static size_t count_targets(const edge *edges, size_t count)
{
    size_t targets = 0;
    for (size_t i = 0; i < count; i++)
        targets += i == 0 || !same_target(&edges[i - 1], &edges[i]);
    return targets;
}

// sorted edges to rows, equal targets added
static void merge_edges(const edge *edges, size_t count, size_t pairs, lgkt_rows *rows)
{
    size_t i = 0, used = 0;
    for (size_t z = 0; z < pairs; z++) {
        rows->begin[z] = used;
        for (; i < count && (size_t)edges[i].pair == z; i++) {
            if (used == rows->begin[z] || rows->next[used - 1] != edges[i].next)
                rows->next[used++] = edges[i].next;
            rows->p[used - 1] += edges[i].p;
        }
    }
    rows->begin[pairs] = used;
}

static double row_sum(const lgkt_rows *rows, size_t z)
{
    double sum = 0;
    for (size_t i = rows->begin[z]; i < rows->begin[z + 1]; i++)
        sum += rows->p[i];
    return sum;
}

static void normalise_row(lgkt_rows *rows, size_t z)
{
    const size_t begin = rows->begin[z];
    lgkt_law_normalise(rows->p + begin, rows->begin[z + 1] - begin, row_sum(rows, z));
}

static lgkt_status check_rows(const lgkt_mdp *mdp, lgkt_error *error)
{
    for (int32_t s = 0; s < mdp->states; s++)
        for (int32_t a = 0; a < mdp->actions; a++) {
            const size_t z = (size_t)s * (size_t)mdp->actions + (size_t)a;
            const double sum = row_sum(&mdp->all, z);
            if (!(fabs(sum - 1) <= LGKT_ROW_TOLERANCE))
                return lgkt_fail(error, LGKT_ERR_PROBABILITY,
                                 "row (state %d, action %d) sums to %.10g; it must be 1 within %g",
                                 s, a, sum, LGKT_ROW_TOLERANCE);
        }
    return LGKT_OK;
}

// the transitions of a new model
static lgkt_status fill_rows(const lgkt_mdp_builder *builder, lgkt_mdp *mdp, lgkt_error *error)
{
    const bool ordered = in_order(builder);
    edge *const copy = ordered ? NULL : sorted_copy(builder);
    if (!ordered && copy == NULL)
        return lgkt_fail_memory(error, "sorting the edges of a model");
    const edge *const edges = ordered ? builder->edges : copy;

    const size_t targets = count_targets(edges, builder->edge_count);
    const bool room = alloc_rows(&mdp->allocator, &mdp->all, builder->pairs, targets);
    if (room)
        merge_edges(edges, builder->edge_count, builder->pairs, &mdp->all);
    lgkt_free(&builder->allocator, copy);
    if (!room)
        return lgkt_fail_memory(error, "the transitions of a model");

    const lgkt_status status = check_rows(mdp, error);
    for (size_t z = 0; status == LGKT_OK && z < builder->pairs; z++)
        normalise_row(&mdp->all, z);
    return status;
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
        for (size_t i = all->begin[z]; i < all->begin[z + 1]; i++)
            if (all->p[i] >= LGKT_PLANNING_CUT) {
                cut->next[used] = all->next[i];
                cut->p[used++] = all->p[i];
            }
        cut->begin[z + 1] = used;
        normalise_row(cut, z);
    }
    return LGKT_OK;
}

// ---- rewards and noise ----

static double noise_scale(const lgkt_mdp *mdp, double normal_sd)
{
    switch (mdp->noise) {
    case LGKT_NOISE_NORMAL:
        return normal_sd;
    case LGKT_NOISE_BERNOULLI:
        return 0.5;
    case LGKT_NOISE_DRIFTING:
        return fmax(DRIFTING_SD, (fmax(1, mdp->reward_max) - fmin(0, mdp->reward_min)) / 2);
    default:
        return 0;
    }
}

static lgkt_status fill_rewards(const lgkt_mdp_builder *builder, lgkt_mdp *mdp, lgkt_error *error)
{
    memcpy(mdp->rewards, builder->rewards, builder->pairs * sizeof *mdp->rewards);
    mdp->reward_min = mdp->reward_max = mdp->rewards[0];
    for (size_t z = 0; z < builder->pairs; z++) {
        const double mean = mdp->rewards[z];
        if (builder->noise == LGKT_NOISE_BERNOULLI && !(mean >= 0 && mean <= 1))
            return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                             "reward %g of (state %d, action %d); Bernoulli noise needs 0 to 1",
                             mean, (int)(z / (size_t)mdp->actions),
                             (int)(z % (size_t)mdp->actions));
        mdp->reward_min = fmin(mdp->reward_min, mean);
        mdp->reward_max = fmax(mdp->reward_max, mean);
    }
    mdp->noise = builder->noise;
    mdp->noise_sd = noise_scale(mdp, builder->normal_sd);
    return LGKT_OK;
}

static void fill_start(const lgkt_mdp_builder *builder, lgkt_mdp *mdp)
{
    memcpy(mdp->start_law, builder->start_law, (size_t)mdp->states * sizeof *mdp->start_law);
    mdp->start = -1;
    for (int32_t s = 0; s < mdp->states; s++)
        if (mdp->start_law[s] == 1)
            mdp->start = s;
}

// ---- building ----

static lgkt_mdp *empty_model(const lgkt_mdp_builder *builder)
{
    lgkt_mdp *const mdp = lgkt_alloc_zeroed(&builder->allocator, 1, sizeof *mdp);
    if (mdp == NULL)
        return NULL;
    mdp->allocator = builder->allocator;
    atomic_init(&mdp->owners, 1);
    mdp->states = builder->states;
    mdp->actions = builder->actions;
    mdp->rewards = lgkt_alloc_zeroed(&mdp->allocator, builder->pairs, sizeof *mdp->rewards);
    mdp->start_law =
        lgkt_alloc_zeroed(&mdp->allocator, (size_t)mdp->states, sizeof *mdp->start_law);
    if (mdp->rewards != NULL && mdp->start_law != NULL)
        return mdp;
    lgkt_mdp_destroy(mdp);
    return NULL;
}

lgkt_status lgkt_mdp_builder_build(const lgkt_mdp_builder *builder, lgkt_mdp **mdp,
                                   lgkt_error *error)
{
    if (builder == NULL || mdp == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s is NULL",
                         builder == NULL ? "builder" : "mdp");
    lgkt_mdp *const made = empty_model(builder);
    if (made == NULL)
        return lgkt_fail_memory(error, "a model");

    lgkt_status status = fill_rewards(builder, made, error);
    if (status == LGKT_OK)
        status = fill_rows(builder, made, error);
    if (status == LGKT_OK)
        status = fill_planning(made, error);
    if (status != LGKT_OK)
        goto fail;
    fill_start(builder, made);
    *mdp = made;
    return LGKT_OK;
fail:
    lgkt_mdp_destroy(made);
    return status;
}
