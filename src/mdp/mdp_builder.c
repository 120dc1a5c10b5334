// SPDX-License-Identifier: MIT
// A builder of models: takes edges, rewards, noise and what is forbidden, one by one and checked,
// and makes a checked model of them.
//
// It keeps a log of edges (pair, next, probability) in the order given and nothing of size S*A*S.
// The rewards of moves are a second log, of which the last entry counts.
//
// Building sorts a log by (pair, next), unless it is in that order already (the common case), by
// two stable counting passes: first over next states, then over pairs. Edges of the same (pair,
// next) then stand side by side, in the order given, and are added. With E edges a build costs
// O(E + S A) time and, while it runs, up to 32 bytes per edge.
//
// Each row is divided by its sum, unless that is 1 up to rounding. The planning rows leave out
// entries below LGKT_PLANNING_CUT and are divided again by what is left. What says nothing is
// dropped: a pair whose moves all earn the same has no rewards of moves, and pairs of one noise
// none of their own.
#include "mdp/mdp_private.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"

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
    double *start_law; // (S), behind them in their block
    edge_log chances;
    edge_log moves;  // their rewards
    lgkt_own *own;   // (S, A), noise LGKT_NOISE_MIXED: that of all; NULL: no pair has its own
    bool restricted; // a pair is forbidden
    lgkt_noise noise;
    double normal_sd;
    lgkt_error refusal; // the last refused call
};

// ---- making and freeing ----

lgkt_status lgkt_mdp_builder_create(int32_t states, int32_t actions,
                                    const lgkt_allocator *allocator, lgkt_mdp_builder **builder,
                                    lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(builder, "builder", error));
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
    const size_t pairs = (size_t)states * (size_t)actions;
    lgkt_mdp_builder *const made = lgkt_alloc_zeroed(&hooks, 1, sizeof *made);
    double *const numbers = lgkt_alloc_zeroed(&hooks, pairs + (size_t)states, sizeof *numbers);
    if (made == NULL || numbers == NULL) {
        lgkt_free(&hooks, made);
        lgkt_free(&hooks, numbers);
        return lgkt_fail_memory(error, "a model builder");
    }
    *made = (lgkt_mdp_builder){.allocator = hooks,
                               .states = states,
                               .actions = actions,
                               .pairs = pairs,
                               .rewards = numbers,
                               .start_law = numbers + pairs};
    made->start_law[0] = 1;
    *builder = made;
    return LGKT_OK;
}

void lgkt_mdp_builder_destroy(lgkt_mdp_builder *builder)
{
    if (builder == NULL)
        return;
    const lgkt_allocator allocator = builder->allocator;
    lgkt_free(&allocator, builder->rewards);
    lgkt_free(&allocator, builder->chances.edges);
    lgkt_free(&allocator, builder->moves.edges);
    lgkt_free(&allocator, builder->own);
    lgkt_free(&allocator, builder);
}

// ---- filling ----

// *z is the number of a pair
static lgkt_status find_pair(lgkt_mdp_builder *builder, int32_t state, int32_t action, size_t *z)
{
    if (builder == NULL)
        return LGKT_ERR_ARGUMENT;
    LGKT_TRY(lgkt_check_index("state", state, builder->states, &builder->refusal));
    LGKT_TRY(lgkt_check_index("action", action, builder->actions, &builder->refusal));
    *z = (size_t)state * (size_t)builder->actions + (size_t)action;
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_reward(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                    double mean)
{
    size_t z;
    LGKT_TRY(find_pair(builder, state, action, &z));
    if (!isfinite(mean))
        return lgkt_fail(&builder->refusal, LGKT_ERR_NOT_FINITE,
                         "reward %g at (%d, %d); it must be finite", mean, state, action);
    builder->rewards[z] = mean;
    return LGKT_OK;
}

// appends to its log what a move has: its probability, unless that is 0, or its reward
static lgkt_status append(lgkt_mdp_builder *builder, int32_t state, int32_t action, int32_t next,
                          double value, bool chance)
{
    size_t z;
    LGKT_TRY(find_pair(builder, state, action, &z));
    LGKT_TRY(lgkt_check_index("next state", next, builder->states, &builder->refusal));
    if (!isfinite(value))
        return lgkt_fail(&builder->refusal, LGKT_ERR_NOT_FINITE,
                         "%s %g at (%d, %d) -> %d; it must be finite",
                         chance ? "probability" : "reward", value, state, action, next);
    if (chance && value < 0)
        return lgkt_fail(&builder->refusal, LGKT_ERR_PROBABILITY,
                         "negative probability %g at (%d, %d) -> %d", value, state, action, next);
    if (chance && value == 0)
        return LGKT_OK;
    edge_log *const log = chance ? &builder->chances : &builder->moves;
    void *edges = log->edges;
    if (!lgkt_grow(&builder->allocator, &edges, &log->capacity, log->count, log->count + 1,
                   sizeof(edge)))
        return lgkt_fail_memory(&builder->refusal, "the edges of a model");
    log->edges = edges;
    log->edges[log->count++] = (edge){(int32_t)z, next, value};
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_edge(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                  int32_t next, double probability)
{
    return append(builder, state, action, next, probability, true);
}

lgkt_status lgkt_mdp_builder_edge_reward(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                         int32_t next, double reward)
{
    return append(builder, state, action, next, reward, false);
}

lgkt_status lgkt_mdp_builder_row(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                 const double *p)
{
    size_t z;
    LGKT_TRY(find_pair(builder, state, action, &z));
    LGKT_TRY(lgkt_check_given(p, "p", &builder->refusal));
    const size_t before = builder->chances.count;
    for (int32_t y = 0; y < builder->states; y++) {
        const lgkt_status status = lgkt_mdp_builder_edge(builder, state, action, y, p[y]);
        if (status != LGKT_OK) {
            // a refused row leaves no trace
            builder->chances.count = before;
            return status;
        }
    }
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_start(lgkt_mdp_builder *builder, int32_t state)
{
    if (builder == NULL)
        return LGKT_ERR_ARGUMENT;
    LGKT_TRY(lgkt_check_index("start state", state, builder->states, &builder->refusal));
    memset(builder->start_law, 0, (size_t)builder->states * sizeof *builder->start_law);
    builder->start_law[state] = 1;
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_start_law(lgkt_mdp_builder *builder, const double *p)
{
    if (builder == NULL)
        return LGKT_ERR_ARGUMENT;
    LGKT_TRY(lgkt_check_given(p, "p", &builder->refusal));
    double sum = 0;
    LGKT_TRY(lgkt_law_check(p, builder->states, "the start law", &sum, &builder->refusal));
    memcpy(builder->start_law, p, (size_t)builder->states * sizeof *p);
    lgkt_law_normalise(builder->start_law, (size_t)builder->states, sum);
    return LGKT_OK;
}

static lgkt_status check_noise(lgkt_mdp_builder *builder, lgkt_noise kind, lgkt_noise last,
                               double sd)
{
    if (builder == NULL)
        return LGKT_ERR_ARGUMENT;
    LGKT_TRY(lgkt_check_index("noise kind", (int32_t)kind, (int32_t)last + 1, &builder->refusal));
    if (kind == LGKT_NOISE_NORMAL && !(sd >= 0 && sd < INFINITY))
        return lgkt_fail(&builder->refusal, isfinite(sd) ? LGKT_ERR_ARGUMENT : LGKT_ERR_NOT_FINITE,
                         "noise sd %g; it must be >= 0 and finite", sd);
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_noise(lgkt_mdp_builder *builder, lgkt_noise kind, double sd)
{
    LGKT_TRY(check_noise(builder, kind, LGKT_NOISE_DRIFTING, sd));
    builder->noise = kind;
    builder->normal_sd = kind == LGKT_NOISE_NORMAL ? sd : 0;
    return LGKT_OK;
}

// what a pair has of its own, made for all at the first call
static lgkt_status own_of(lgkt_mdp_builder *builder, int32_t state, int32_t action, lgkt_own **own)
{
    size_t z;
    LGKT_TRY(find_pair(builder, state, action, &z));
    if (builder->own == NULL) {
        builder->own = lgkt_alloc_zeroed(&builder->allocator, builder->pairs, sizeof(lgkt_own));
        if (builder->own == NULL)
            return lgkt_fail_memory(&builder->refusal, "the pairs of a model");
        for (size_t i = 0; i < builder->pairs; i++)
            builder->own[i].noise = LGKT_NOISE_MIXED;
    }
    *own = &builder->own[z];
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_pair_noise(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                        lgkt_noise kind, double sd)
{
    lgkt_own *own = NULL;
    LGKT_TRY(check_noise(builder, kind, LGKT_NOISE_BERNOULLI, sd));
    LGKT_TRY(own_of(builder, state, action, &own));
    own->noise = kind;
    own->sd = sd;
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_forbid(lgkt_mdp_builder *builder, int32_t state, int32_t action)
{
    lgkt_own *own = NULL;
    LGKT_TRY(own_of(builder, state, action, &own));
    own->forbidden = builder->restricted = true;
    return LGKT_OK;
}

const lgkt_error *lgkt_mdp_builder_refusal(const lgkt_mdp_builder *builder)
{
    return &builder->refusal;
}

const char *lgkt_mdp_builder_message(const lgkt_mdp_builder *builder)
{
    return builder == NULL ? "builder must not be NULL" : builder->refusal.text;
}

// ---- sorting a log ----

// one stable counting pass; false: memory is out
static bool counting_pass(const lgkt_allocator *allocator, const edge *from, edge *to, size_t count,
                          bool by_pair, size_t keys)
{
    size_t *const place = lgkt_alloc_zeroed(allocator, keys + 1, sizeof *place);
    if (place == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        place[(by_pair ? from[i].pair : from[i].next) + 1]++;
    for (size_t key = 0; key < keys; key++)
        place[key + 1] += place[key];
    for (size_t i = 0; i < count; i++)
        to[place[by_pair ? from[i].pair : from[i].next]++] = from[i];
    lgkt_free(allocator, place);
    return true;
}

// Brings a log into the order of (pair, next): as it is, or as a new array. False: memory is out.
static bool sort_log(const lgkt_mdp_builder *builder, edge_log *log)
{
    edge *const e = log->edges;
    bool ordered = true;
    for (size_t i = 1; i < log->count && ordered; i++)
        ordered =
            e[i].pair > e[i - 1].pair || (e[i].pair == e[i - 1].pair && e[i].next >= e[i - 1].next);
    if (ordered)
        return true;

    const lgkt_allocator *const allocator = &builder->allocator;
    const size_t n = log->count;
    edge *const half = lgkt_alloc_zeroed(allocator, n, sizeof *half);
    edge *const made = lgkt_alloc_zeroed(allocator, n, sizeof *made);
    const bool done = half != NULL && made != NULL &&
                      counting_pass(allocator, e, half, n, false, (size_t)builder->states) &&
                      counting_pass(allocator, half, made, n, true, builder->pairs);
    lgkt_free(allocator, half);
    lgkt_free(allocator, done ? NULL : made);
    log->edges = done ? made : e;
    return done;
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

// Ends row z, which sums to 1 afterwards; returns what it summed to before.
static double close_row(lgkt_rows *rows, size_t z, size_t end)
{
    double sum = 0;
    for (size_t i = rows->begin[z]; i < end; i++)
        sum += rows->p[i];
    rows->begin[z + 1] = (uint32_t)end;
    lgkt_law_normalise(rows->p + rows->begin[z], end - rows->begin[z], sum);
    return sum;
}

// what a pair has, with the noise of all where it has none of its own
static lgkt_own own_at(const lgkt_mdp_builder *builder, size_t z)
{
    const lgkt_own all = {.noise = builder->noise, .sd = builder->normal_sd};
    lgkt_own own = builder->own == NULL ? all : builder->own[z];
    if (own.forbidden)
        return (lgkt_own){.forbidden = true};
    if (own.noise == LGKT_NOISE_MIXED)
        own = all;
    if (own.noise != LGKT_NOISE_NORMAL)
        own.sd = own.noise == LGKT_NOISE_BERNOULLI ? 0.5 : 0;
    return own;
}

static lgkt_status check_sum(const lgkt_mdp *mdp, size_t z, double sum, lgkt_error *error)
{
    if (fabs(sum - 1) <= LGKT_ROW_TOLERANCE)
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_PROBABILITY,
                     "row (state %d, action %d) sums to %.10g; it must be 1 within %g",
                     (int)z / mdp->actions, (int)z % mdp->actions, sum, LGKT_ROW_TOLERANCE);
}

// the transitions of a new model: sorted edges to rows, equal targets added
static lgkt_status fill_rows(const lgkt_mdp_builder *builder, lgkt_mdp *mdp, lgkt_error *error)
{
    const size_t count = builder->chances.count;
    const edge *const edges = builder->chances.edges;
    size_t targets = 0;
    for (size_t i = 0; i < count; i++)
        targets +=
            i == 0 || edges[i - 1].pair != edges[i].pair || edges[i - 1].next != edges[i].next;
    lgkt_rows *const rows = &mdp->all;
    if (targets > UINT32_MAX)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "%zu moves; allowed are %u", targets, UINT32_MAX);
    if (!alloc_rows(&mdp->allocator, rows, builder->pairs, targets))
        return lgkt_fail_memory(error, "the transitions of a model");
    size_t i = 0, used = 0;
    for (size_t z = 0; z < builder->pairs; z++) {
        const bool forbidden = own_at(builder, z).forbidden;
        for (; i < count && (size_t)edges[i].pair == z; i++) {
            if (forbidden)
                continue;
            if (used == rows->begin[z] || rows->next[used - 1] != edges[i].next)
                rows->next[used++] = edges[i].next;
            rows->p[used - 1] += edges[i].value;
        }
        const double sum = close_row(rows, z, used);
        if (!forbidden)
            LGKT_TRY(check_sum(mdp, z, sum, error));
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
        for (size_t i = all->begin[z]; i < all->begin[z + 1]; i++)
            if (all->p[i] >= LGKT_PLANNING_CUT) {
                cut->next[used] = all->next[i];
                cut->p[used++] = all->p[i];
            }
        close_row(cut, z, used);
    }
    return LGKT_OK;
}

// The rewards of the moves, and from them the means of the pairs that have any.
static lgkt_status fill_moves(const lgkt_mdp_builder *builder, lgkt_mdp *mdp, lgkt_error *error)
{
    const lgkt_rows *const rows = &mdp->all;
    const edge *const moves = builder->moves.edges;
    double *const r = lgkt_alloc_zeroed(&mdp->allocator, rows->begin[builder->pairs], sizeof *r);
    mdp->move_rewards = r;
    if (r == NULL)
        return lgkt_fail_memory(error, "the rewards of the moves of a model");
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
    return LGKT_OK;
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
                             r[i], (int)z / mdp->actions, (int)z % mdp->actions);
    return LGKT_OK;
}

static lgkt_status fill_rewards(const lgkt_mdp_builder *builder, lgkt_mdp *mdp, lgkt_error *error)
{
    memcpy(mdp->rewards, builder->rewards, builder->pairs * sizeof *mdp->rewards);
    if (builder->own != NULL || builder->moves.count > 0) {
        mdp->own = lgkt_alloc_zeroed(&mdp->allocator, builder->pairs, sizeof *mdp->own);
        if (mdp->own == NULL)
            return lgkt_fail_memory(error, "the pairs of a model");
        for (size_t z = 0; z < builder->pairs; z++)
            mdp->own[z] = own_at(builder, z);
    }
    if (builder->moves.count > 0) {
        LGKT_TRY(fill_moves(builder, mdp, error));
    }
    mdp->payoffs = mdp->rewards;
    if (builder->restricted) {
        mdp->payoffs = lgkt_alloc_zeroed(&mdp->allocator, builder->pairs, sizeof *mdp->payoffs);
        mdp->mask = lgkt_alloc_zeroed(&mdp->allocator, builder->pairs, sizeof *mdp->mask);
        if (mdp->payoffs == NULL || mdp->mask == NULL)
            return lgkt_fail_memory(error, "the forbidden actions of a model");
    }

    bool moves = false, drifts = false;
    int32_t allowed = 0; // of the state at hand
    mdp->reward_min = INFINITY;
    mdp->reward_max = -INFINITY;
    for (size_t z = 0; z < builder->pairs; z++) {
        const int32_t s = (int32_t)z / mdp->actions, a = (int32_t)z % mdp->actions;
        const lgkt_own own = mdp->own == NULL ? own_at(builder, z) : mdp->own[z];
        allowed = (a == 0 ? 0 : allowed) + !own.forbidden;
        if (a == mdp->actions - 1 && allowed == 0)
            return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                             "all actions of state %d are forbidden; one must be allowed", s);
        if (mdp->mask != NULL) {
            mdp->mask[z] = !own.forbidden;
            mdp->payoffs[z] = own.forbidden ? -INFINITY : mdp->rewards[z];
        }
        if (own.forbidden) {
            mdp->rewards[z] = 0;
            continue;
        }
        // that of the model is mixed unless all pairs have the same
        const bool first = mdp->reward_max < mdp->reward_min;
        const bool same = own.noise == mdp->noise && own.sd == mdp->noise_sd;
        mdp->noise = first || same ? own.noise : LGKT_NOISE_MIXED;
        mdp->noise_sd = fmax(mdp->noise_sd, own.sd);
        mdp->reward_min = fmin(mdp->reward_min, mdp->rewards[z]);
        mdp->reward_max = fmax(mdp->reward_max, mdp->rewards[z]);
        moves |= own.moves;
        drifts |= own.noise == LGKT_NOISE_DRIFTING;
        if (own.noise == LGKT_NOISE_BERNOULLI) {
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
    if (!moves && !mixed && mdp->mask == NULL) {
        lgkt_free(&mdp->allocator, mdp->own);
        mdp->own = NULL;
    }
    return LGKT_OK;
}

// Rows as sparse matrices have them.
typedef struct given_rows {
    const int64_t *begin;
    const int32_t *next;
    const double *p;
} given_rows;

// the transitions of a new model: such rows, copied as they are checked
static lgkt_status copy_rows(const given_rows *given, lgkt_mdp *mdp, lgkt_error *error)
{
    const size_t pairs = (size_t)mdp->states * (size_t)mdp->actions;
    lgkt_rows *const rows = &mdp->all;
    const int64_t moves = given->begin[pairs];
    if (given->begin[0] != 0 || moves < 0 || moves > UINT32_MAX)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "rows from %lld to %lld; allowed are 0 to %u moves",
                         (long long)given->begin[0], (long long)moves, UINT32_MAX);
    if (!alloc_rows(&mdp->allocator, rows, pairs, (size_t)moves))
        return lgkt_fail_memory(error, "the transitions of a model");
    for (size_t z = 0; z < pairs; z++) {
        if (given->begin[z + 1] < given->begin[z] || given->begin[z + 1] > moves)
            return lgkt_fail(error, LGKT_ERR_SHAPE, "row %zu ends at %lld; rows must not decrease",
                             z, (long long)given->begin[z + 1]);
        for (int64_t i = given->begin[z], before = -1; i < given->begin[z + 1]; i++) {
            const double p = given->p[i];
            if (given->next[i] <= before || given->next[i] >= mdp->states)
                return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                                 "row %zu: next state %d; next states must increase, up to %d", z,
                                 given->next[i], mdp->states - 1);
            if (!(p > 0 && p < INFINITY))
                return lgkt_fail(error, LGKT_ERR_PROBABILITY,
                                 "row %zu: probability %g of state %d; it must be > 0", z, p,
                                 given->next[i]);
            before = rows->next[i] = given->next[i];
            rows->p[i] = p;
        }
        LGKT_TRY(check_sum(mdp, z, close_row(rows, z, (size_t)given->begin[z + 1]), error));
    }
    return LGKT_OK;
}

// `builder` is a copy of the caller's, whose logs may be sorted. Nullable: given, in place of them.
static lgkt_status fill(lgkt_mdp_builder *builder, const given_rows *given, lgkt_mdp *mdp,
                        lgkt_error *error)
{
    if (!sort_log(builder, &builder->chances) || !sort_log(builder, &builder->moves))
        return lgkt_fail_memory(error, "the edges of a model");
    if (mdp->rewards == NULL || mdp->start_law == NULL)
        return lgkt_fail_memory(error, "a model");
    LGKT_TRY(given != NULL ? copy_rows(given, mdp, error) : fill_rows(builder, mdp, error));
    LGKT_TRY(fill_planning(mdp, error));
    LGKT_TRY(fill_rewards(builder, mdp, error));
    for (int32_t s = 0; s < mdp->states; s++) {
        mdp->start_law[s] = builder->start_law[s];
        mdp->start = mdp->start_law[s] == 1 ? s : mdp->start;
    }
    return LGKT_OK;
}

static lgkt_status build(const lgkt_mdp_builder *builder, const given_rows *given, lgkt_mdp **mdp,
                         lgkt_error *error)
{
    const lgkt_allocator *const hooks = &builder->allocator;
    lgkt_mdp *const made = lgkt_alloc_zeroed(hooks, 1, sizeof *made);
    if (made == NULL)
        return lgkt_fail_memory(error, "a model");
    atomic_init(&made->owners, 1);
    made->allocator = *hooks;
    made->states = builder->states;
    made->actions = builder->actions;
    made->start = -1;
    made->rewards = lgkt_alloc_zeroed(hooks, builder->pairs, sizeof *made->rewards);
    made->start_law = lgkt_alloc_zeroed(hooks, (size_t)builder->states, sizeof *made->start_law);
    lgkt_mdp_builder ordered = *builder;
    const lgkt_status status = fill(&ordered, given, made, error);
    if (ordered.chances.edges != builder->chances.edges)
        lgkt_free(hooks, ordered.chances.edges);
    if (ordered.moves.edges != builder->moves.edges)
        lgkt_free(hooks, ordered.moves.edges);
    if (status == LGKT_OK)
        *mdp = made;
    else
        lgkt_mdp_destroy(made);
    return status;
}

lgkt_status lgkt_mdp_builder_build(const lgkt_mdp_builder *builder, lgkt_mdp **mdp,
                                   lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(builder, "builder", error));
    LGKT_TRY(lgkt_check_given(mdp, "mdp", error));
    return build(builder, NULL, mdp, error);
}

lgkt_status lgkt_mdp_from_rows(int32_t states, int32_t actions, const int64_t *begin,
                               const int32_t *next, const double *p, const double *rewards,
                               const double *start_law, const lgkt_allocator *allocator,
                               lgkt_mdp **mdp, lgkt_error *error)
{
    lgkt_mdp_builder *builder;
    LGKT_TRY(lgkt_check_given(begin, "begin", error));
    LGKT_TRY(lgkt_check_given(next, "next", error));
    LGKT_TRY(lgkt_check_given(p, "p", error));
    LGKT_TRY(lgkt_check_given(rewards, "rewards", error));
    LGKT_TRY(lgkt_check_given(mdp, "mdp", error));
    LGKT_TRY(lgkt_mdp_builder_create(states, actions, allocator, &builder, error));
    lgkt_status status = LGKT_OK;
    for (size_t z = 0; z < builder->pairs && status == LGKT_OK; z++)
        status = lgkt_mdp_builder_reward(builder, (int32_t)(z / (size_t)actions),
                                         (int32_t)(z % (size_t)actions), rewards[z]);
    if (status == LGKT_OK && start_law != NULL)
        status = lgkt_mdp_builder_start_law(builder, start_law);
    if (status != LGKT_OK)
        lgkt_fail(error, status, "%s", builder->refusal.text);
    else
        status = build(builder, &(given_rows){begin, next, p}, mdp, error);
    lgkt_mdp_builder_destroy(builder);
    return status;
}
