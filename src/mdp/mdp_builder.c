// SPDX-License-Identifier: MIT
// From loose edges to a checked model.
//
// The builder keeps a log of edges (pair, next, probability) in the order given and nothing of size
// S*A*S. Building sorts the log by (pair, next), unless it is in that order already (the common
// case), by two stable counting passes: first over next states, then over pairs. Edges of the same
// (pair, next) then stand side by side, in the order given, and are added. The rewards of moves are
// a second log, of which the last entry counts. With E edges a build costs O(E + S A) time and,
// while it runs, up to 32 bytes per edge.
//
// Each row is divided by its sum, unless that is 1 up to rounding. The planning rows leave out
// entries below LGKT_PLANNING_CUT and are divided again by what is left. What says nothing is
// dropped: a pair whose moves all earn the same has no rewards of moves, and pairs of one noise
// none of their own.
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
    double value; // a probability > 0, or the reward of the move
} edge;

typedef struct edge_log {
    edge *edges; // (count), room for capacity
    size_t count;
    size_t capacity;
} edge_log;

struct lgkt_mdp_builder {
    lgkt_allocator allocator;
    int32_t states;
    int32_t actions;
    size_t pairs;
    double *rewards;   // (S, A)
    double *start_law; // (S)
    edge_log chances;
    edge_log moves; // their rewards
    lgkt_own *own;  // (S, A), noise LGKT_NOISE_MIXED: that of all; NULL: no pair has its own
    lgkt_noise noise;
    double normal_sd;
};

// ---- filling ----

lgkt_status lgkt_mdp_builder_create(int32_t states, int32_t actions,
                                    const lgkt_allocator *allocator, lgkt_mdp_builder **builder,
                                    lgkt_error *error)
{
    if (builder == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "builder is NULL");
    if (states < 1 || states > LGKT_MAX_STATES)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "%d states; allowed are 1 to %d", states,
                         LGKT_MAX_STATES);
    if (actions < 1 || actions > LGKT_MAX_ACTIONS)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "%d actions; allowed are 1 to %d", actions,
                         LGKT_MAX_ACTIONS);
    if ((int64_t)states * actions > LGKT_MAX_PAIRS)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "%d states x %d actions; allowed are %d pairs",
                         states, actions, LGKT_MAX_PAIRS);

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
    lgkt_free(&allocator, builder->chances.edges);
    lgkt_free(&allocator, builder->moves.edges);
    lgkt_free(&allocator, builder->own);
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
static lgkt_status reserve(lgkt_mdp_builder *builder, edge_log *log, size_t more, lgkt_error *error)
{
    void *edges = log->edges;
    if (more > SIZE_MAX - log->count ||
        !lgkt_grow(&builder->allocator, &edges, &log->capacity, log->count, log->count + more,
                   sizeof *log->edges))
        return lgkt_fail_memory(error, "the edges of a model");
    log->edges = edges;
    return LGKT_OK;
}

// the room was reserved
static void append(edge_log *log, size_t z, int32_t next, double value)
{
    log->edges[log->count++] = (edge){(int32_t)z, next, value};
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
        status = reserve(builder, &builder->chances, 1, error);
    if (status == LGKT_OK && probability > 0)
        append(&builder->chances, pair(builder, state, action), next, probability);
    return status;
}

lgkt_status lgkt_mdp_builder_edge_reward(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                         int32_t next, double reward, lgkt_error *error)
{
    lgkt_status status = check_pair(builder, state, action, error);
    if (status == LGKT_OK)
        status = check_state(builder, next, "next state", error);
    if (status == LGKT_OK && !isfinite(reward))
        status =
            lgkt_fail(error, LGKT_ERR_NOT_FINITE, "reward %g at (%d, %d) -> %d; it must be finite",
                      reward, state, action, next);
    if (status == LGKT_OK)
        status = reserve(builder, &builder->moves, 1, error);
    if (status == LGKT_OK)
        append(&builder->moves, pair(builder, state, action), next, reward);
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
        status = reserve(builder, &builder->chances, positive, error);
    if (status != LGKT_OK)
        return status;

    for (int32_t y = 0; y < builder->states; y++)
        if (p[y] > 0)
            append(&builder->chances, pair(builder, state, action), y, p[y]);
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

static lgkt_status check_noise(lgkt_noise kind, lgkt_noise last, double sd, lgkt_error *error)
{
    if ((int)kind < LGKT_NOISE_NONE || kind > last)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "noise kind %d; allowed are 0 to %d", (int)kind,
                         (int)last);
    if (kind == LGKT_NOISE_NORMAL && !isfinite(sd))
        return lgkt_fail(error, LGKT_ERR_NOT_FINITE, "noise sd %g; it must be finite", sd);
    if (kind == LGKT_NOISE_NORMAL && sd < 0)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "noise sd %g; it must be >= 0", sd);
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_noise(lgkt_mdp_builder *builder, lgkt_noise kind, double sd,
                                   lgkt_error *error)
{
    if (builder == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "builder is NULL");
    const lgkt_status status = check_noise(kind, LGKT_NOISE_DRIFTING, sd, error);
    if (status != LGKT_OK)
        return status;
    builder->noise = kind;
    builder->normal_sd = kind == LGKT_NOISE_NORMAL ? sd : 0;
    return LGKT_OK;
}

// what a pair has of its own, made for all at the first call; NULL and *status if it cannot be
static lgkt_own *own_of(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                        lgkt_status *status, lgkt_error *error)
{
    *status = check_pair(builder, state, action, error);
    if (*status != LGKT_OK)
        return NULL;
    if (builder->own == NULL) {
        lgkt_own *const own = lgkt_alloc_zeroed(&builder->allocator, builder->pairs, sizeof *own);
        for (size_t z = 0; own != NULL && z < builder->pairs; z++)
            own[z].noise = LGKT_NOISE_MIXED;
        builder->own = own;
    }
    if (builder->own == NULL)
        *status = lgkt_fail_memory(error, "the pairs of a model");
    return builder->own == NULL ? NULL : &builder->own[pair(builder, state, action)];
}

lgkt_status lgkt_mdp_builder_pair_noise(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                        lgkt_noise kind, double sd, lgkt_error *error)
{
    lgkt_status status = check_noise(kind, LGKT_NOISE_BERNOULLI, sd, error);
    lgkt_own *const own = status == LGKT_OK ? own_of(builder, state, action, &status, error) : NULL;
    if (own != NULL) {
        own->noise = kind;
        own->sd = sd;
    }
    return status;
}

lgkt_status lgkt_mdp_builder_forbid(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                    lgkt_error *error)
{
    lgkt_status status;
    lgkt_own *const own = own_of(builder, state, action, &status, error);
    if (own != NULL)
        own->forbidden = true;
    return status;
}

// ---- sorting a log ----

// one stable counting pass; place has keys + 1 zeros
static void counting_pass(const edge *from, edge *to, size_t count, bool by_pair, size_t *place,
                          size_t keys)
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
static const edge *sorted(const lgkt_mdp_builder *builder, const edge_log *log, edge **copy)
{
    const edge *const e = log->edges;
    bool ordered = true;
    for (size_t i = 1; i < log->count && ordered; i++)
        ordered =
            e[i].pair > e[i - 1].pair || (e[i].pair == e[i - 1].pair && e[i].next >= e[i - 1].next);
    if (ordered)
        return e;

    const lgkt_allocator *const allocator = &builder->allocator;
    const size_t count = log->count, states = (size_t)builder->states;
    edge *const half = lgkt_alloc_zeroed(allocator, count, sizeof *half);
    edge *const made = lgkt_alloc_zeroed(allocator, count, sizeof *made);
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
    edge *copy = NULL;
    const edge *const edges = sorted(builder, &builder->chances, &copy);
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
    edge *copy = NULL;
    const edge *const moves = sorted(builder, &builder->moves, &copy);
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

static lgkt_status fill_rewards(const lgkt_mdp_builder *builder, lgkt_mdp *mdp, lgkt_error *error)
{
    memcpy(mdp->rewards, builder->rewards, builder->pairs * sizeof *mdp->rewards);
    if (builder->own != NULL || builder->moves.count > 0) {
        mdp->own = lgkt_alloc_zeroed(&mdp->allocator, builder->pairs, sizeof *mdp->own);
        if (mdp->own == NULL)
            return lgkt_fail_memory(error, "the pairs of a model");
    }
    if (builder->moves.count > 0) {
        const lgkt_status status = fill_moves(builder, mdp, error);
        if (status != LGKT_OK)
            return status;
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

        // the noise of the pair, and whether it is that of all before
        const bool own = builder->own != NULL && builder->own[z].noise != LGKT_NOISE_MIXED;
        const lgkt_noise noise = own ? builder->own[z].noise : builder->noise;
        double sd = noise == LGKT_NOISE_BERNOULLI ? 0.5 : 0;
        if (noise == LGKT_NOISE_NORMAL)
            sd = own ? builder->own[z].sd : builder->normal_sd;
        const bool differs = !first && (noise != mdp->noise || sd != mdp->noise_sd);
        mdp->noise = differs ? LGKT_NOISE_MIXED : noise;
        mdp->noise_sd = first ? sd : fmax(mdp->noise_sd, sd);
        first = false;
        if (mdp->own != NULL) {
            mdp->own[z].noise = noise;
            mdp->own[z].sd = sd;
            moves |= mdp->own[z].moves;
        }
        const double *const r =
            mdp->move_rewards == NULL ? &mdp->rewards[z] : mdp->move_rewards + mdp->all.begin[z];
        const size_t n = mdp->move_rewards == NULL ? 1 : mdp->all.begin[z + 1] - mdp->all.begin[z];
        for (size_t i = 0; noise == LGKT_NOISE_BERNOULLI && i < n; i++)
            if (!(r[i] >= 0 && r[i] <= 1))
                return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                                 "reward %g of (state %d, action %d); Bernoulli noise needs 0 to 1",
                                 r[i], s, a);
        drifts |= noise == LGKT_NOISE_DRIFTING;
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
