// SPDX-License-Identifier: MIT
// A builder of models: takes edges, rewards, noise and what is forbidden, one by one and checked.
//
// It keeps a log of edges (pair, next, probability) in the order given and nothing of size S*A*S.
// The rewards of moves are a second log, of which the last entry counts. What must be true of the
// whole is checked when a model is made of it (mdp_build.c).
#include "mdp/mdp_builder.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"

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

static lgkt_status check_state(lgkt_mdp_builder *builder, int32_t state, const char *what)
{
    if (builder == NULL)
        return LGKT_ERR_ARGUMENT;
    if (state < 0 || state >= builder->states)
        return lgkt_fail(&builder->refusal, LGKT_ERR_ARGUMENT, "%s %d; allowed are 0 to %d", what,
                         state, builder->states - 1);
    return LGKT_OK;
}

static lgkt_status check_pair(lgkt_mdp_builder *builder, int32_t state, int32_t action)
{
    LGKT_TRY(check_state(builder, state, "state"));
    if (action < 0 || action >= builder->actions)
        return lgkt_fail(&builder->refusal, LGKT_ERR_ARGUMENT, "action %d; allowed are 0 to %d",
                         action, builder->actions - 1);
    return LGKT_OK;
}

static size_t pair(const lgkt_mdp_builder *builder, int32_t state, int32_t action)
{
    return (size_t)state * (size_t)builder->actions + (size_t)action;
}

lgkt_status lgkt_mdp_builder_reward(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                    double mean)
{
    LGKT_TRY(check_pair(builder, state, action));
    if (!isfinite(mean))
        return lgkt_fail(&builder->refusal, LGKT_ERR_NOT_FINITE,
                         "reward %g at (%d, %d); it must be finite", mean, state, action);
    builder->rewards[pair(builder, state, action)] = mean;
    return LGKT_OK;
}

static lgkt_status check_probability(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                     int32_t next, double p)
{
    if (!isfinite(p))
        return lgkt_fail(&builder->refusal, LGKT_ERR_NOT_FINITE, "probability %g at (%d, %d) -> %d",
                         p, state, action, next);
    if (p < 0)
        return lgkt_fail(&builder->refusal, LGKT_ERR_PROBABILITY,
                         "negative probability %g at (%d, %d) -> %d", p, state, action, next);
    return LGKT_OK;
}

// room for `more` edges
static lgkt_status reserve(lgkt_mdp_builder *builder, lgkt_edge_log *log, size_t more)
{
    void *edges = log->edges;
    if (more > SIZE_MAX - log->count ||
        !lgkt_grow(&builder->allocator, &edges, &log->capacity, log->count, log->count + more,
                   sizeof *log->edges))
        return lgkt_fail_memory(&builder->refusal, "the edges of a model");
    log->edges = edges;
    return LGKT_OK;
}

// the room was reserved
static void append(lgkt_edge_log *log, size_t z, int32_t next, double value)
{
    log->edges[log->count++] = (lgkt_log_edge){(int32_t)z, next, value};
}

lgkt_status lgkt_mdp_builder_edge(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                  int32_t next, double probability)
{
    lgkt_status status = check_pair(builder, state, action);
    if (status == LGKT_OK)
        status = check_state(builder, next, "next state");
    if (status == LGKT_OK)
        status = check_probability(builder, state, action, next, probability);
    if (status == LGKT_OK)
        status = reserve(builder, &builder->chances, 1);
    if (status == LGKT_OK && probability > 0)
        append(&builder->chances, pair(builder, state, action), next, probability);
    return status;
}

lgkt_status lgkt_mdp_builder_edge_reward(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                         int32_t next, double reward)
{
    lgkt_status status = check_pair(builder, state, action);
    if (status == LGKT_OK)
        status = check_state(builder, next, "next state");
    if (status == LGKT_OK && !isfinite(reward))
        status = lgkt_fail(&builder->refusal, LGKT_ERR_NOT_FINITE,
                           "reward %g at (%d, %d) -> %d; it must be finite", reward, state, action,
                           next);
    if (status == LGKT_OK)
        status = reserve(builder, &builder->moves, 1);
    if (status == LGKT_OK)
        append(&builder->moves, pair(builder, state, action), next, reward);
    return status;
}

lgkt_status lgkt_mdp_builder_row(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                 const double *p)
{
    lgkt_status status = check_pair(builder, state, action);
    if (status == LGKT_OK && p == NULL)
        status = lgkt_fail(&builder->refusal, LGKT_ERR_ARGUMENT, "p is NULL");

    // all of the row is checked first, so that a refused one leaves no trace
    size_t positive = 0;
    for (int32_t y = 0; status == LGKT_OK && y < builder->states; y++) {
        status = check_probability(builder, state, action, y, p[y]);
        positive += p[y] > 0;
    }
    if (status == LGKT_OK)
        status = reserve(builder, &builder->chances, positive);
    if (status != LGKT_OK)
        return status;

    for (int32_t y = 0; y < builder->states; y++)
        if (p[y] > 0)
            append(&builder->chances, pair(builder, state, action), y, p[y]);
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_start(lgkt_mdp_builder *builder, int32_t state)
{
    LGKT_TRY(check_state(builder, state, "start state"));
    memset(builder->start_law, 0, (size_t)builder->states * sizeof *builder->start_law);
    builder->start_law[state] = 1;
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_start_law(lgkt_mdp_builder *builder, const double *p)
{
    if (builder == NULL)
        return LGKT_ERR_ARGUMENT;
    if (p == NULL)
        return lgkt_fail(&builder->refusal, LGKT_ERR_ARGUMENT, "p is NULL");
    double sum = 0;
    LGKT_TRY(lgkt_law_check(p, builder->states, "the start law", &sum, &builder->refusal));
    memcpy(builder->start_law, p, (size_t)builder->states * sizeof *p);
    lgkt_law_normalise(builder->start_law, (size_t)builder->states, sum);
    return LGKT_OK;
}

static lgkt_status check_noise(lgkt_mdp_builder *builder, lgkt_noise kind, lgkt_noise last,
                               double sd)
{
    if ((int)kind < LGKT_NOISE_NONE || kind > last)
        return lgkt_fail(&builder->refusal, LGKT_ERR_ARGUMENT, "noise kind %d; allowed are 0 to %d",
                         (int)kind, (int)last);
    if (kind == LGKT_NOISE_NORMAL && !isfinite(sd))
        return lgkt_fail(&builder->refusal, LGKT_ERR_NOT_FINITE, "noise sd %g; it must be finite",
                         sd);
    if (kind == LGKT_NOISE_NORMAL && sd < 0)
        return lgkt_fail(&builder->refusal, LGKT_ERR_ARGUMENT, "noise sd %g; it must be >= 0", sd);
    return LGKT_OK;
}

lgkt_status lgkt_mdp_builder_noise(lgkt_mdp_builder *builder, lgkt_noise kind, double sd)
{
    if (builder == NULL)
        return LGKT_ERR_ARGUMENT;
    LGKT_TRY(check_noise(builder, kind, LGKT_NOISE_DRIFTING, sd));
    builder->noise = kind;
    builder->normal_sd = kind == LGKT_NOISE_NORMAL ? sd : 0;
    return LGKT_OK;
}

// what a pair has of its own, made for all at the first call; NULL and *status if it cannot be
static lgkt_own *own_of(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                        lgkt_status *status)
{
    *status = check_pair(builder, state, action);
    if (*status != LGKT_OK)
        return NULL;
    if (builder->own == NULL) {
        lgkt_own *const own = lgkt_alloc_zeroed(&builder->allocator, builder->pairs, sizeof *own);
        for (size_t z = 0; own != NULL && z < builder->pairs; z++)
            own[z].noise = LGKT_NOISE_MIXED;
        builder->own = own;
    }
    if (builder->own == NULL)
        *status = lgkt_fail_memory(&builder->refusal, "the pairs of a model");
    return builder->own == NULL ? NULL : &builder->own[pair(builder, state, action)];
}

lgkt_status lgkt_mdp_builder_pair_noise(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                        lgkt_noise kind, double sd)
{
    if (builder == NULL)
        return LGKT_ERR_ARGUMENT;
    lgkt_status status = check_noise(builder, kind, LGKT_NOISE_BERNOULLI, sd);
    lgkt_own *const own = status == LGKT_OK ? own_of(builder, state, action, &status) : NULL;
    if (own != NULL) {
        own->noise = kind;
        own->sd = sd;
    }
    return status;
}

lgkt_status lgkt_mdp_builder_forbid(lgkt_mdp_builder *builder, int32_t state, int32_t action)
{
    lgkt_status status;
    lgkt_own *const own = own_of(builder, state, action, &status);
    if (own != NULL)
        own->forbidden = true;
    return status;
}

const char *lgkt_mdp_builder_message(const lgkt_mdp_builder *builder)
{
    return builder == NULL ? "builder must not be NULL" : builder->refusal.text;
}
