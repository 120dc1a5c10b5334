// SPDX-License-Identifier: MIT
// Why a learner would do what it would do: one state, the whole table, and the policy in it.
//
// A class explains itself without a change of its state. Where the choice would change it, e.g. by
// a plan that is due, it is made on a copy.

#include "learners/learner_private.h"

#include <math.h>

#include "core/alloc.h"
#include "core/error.h"

static void clear(lgkt_reason *reasons, int32_t actions)
{
    const lgkt_reason nothing = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    for (int32_t a = 0; a < actions; a++)
        reasons[a] = nothing;
}

// what a class says with `allowed`, NULL for all; the learner is only read
static lgkt_status ask(const lgkt_learner *learner, int32_t state, const uint8_t *allowed,
                       lgkt_reason *reasons, lgkt_error *error)
{
    const int32_t actions = learner->problem.actions;
    const lgkt_learner_class *class = learner->class;
    clear(reasons, actions);
    if (class->explain == NULL)
        return LGKT_OK;
    lgkt_learner head = *learner;
    head.allowed = allowed;
    if (!class->explain(&head, state, false, reasons)) {
        lgkt_learner *copy = NULL;
        const lgkt_status status =
            lgkt_learner_copy(learner, learner->problem.horizon, &copy, error);
        if (status != LGKT_OK)
            return status;
        clear(reasons, actions);
        copy->allowed = allowed;
        copy->unit_left = learner->unit_left;
        class->explain(copy, state, true, reasons);
        lgkt_learner_destroy(copy);
    }
    for (int32_t a = 0; a < actions && learner->phase != LGKT_PHASE_ACT; a++)
        reasons[a].probability = NAN;
    return LGKT_OK;
}

bool lgkt_nested_explain(lgkt_learner *parent, lgkt_learner *nested, int32_t state, bool copy,
                         lgkt_reason *reasons)
{
    if (nested->class->explain == NULL)
        return true;
    if (copy) {
        lgkt_nested_lend(parent, nested);
        return nested->class->explain(nested, state, true, reasons);
    }
    lgkt_learner head = *nested;
    lgkt_nested_lend(parent, &head);
    return nested->class->explain(&head, state, false, reasons);
}

lgkt_status lgkt_learner_explain(const lgkt_learner *learner, int32_t state, const uint8_t *allowed,
                                 lgkt_reason *reasons, lgkt_error *error)
{
    if (learner == NULL || reasons == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "learner and reasons must not be NULL");
    if (state < 0 || state >= learner->problem.states)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "state %d is out of range [0, %d]", state,
                         learner->problem.states - 1);
    bool full = true;
    const lgkt_status status = lgkt_learner_check_mask(learner, allowed, &full, error);
    if (status != LGKT_OK)
        return status;
    return ask(learner, state, full ? NULL : allowed, reasons, error);
}

// what was offered in a state as a mask, or NULL if all was
static const uint8_t *offered_in(const lgkt_learner *learner, int32_t state)
{
    if (learner->offered == NULL)
        return NULL;
    const size_t actions = (size_t)learner->problem.actions;
    const uint8_t *row = learner->offered + (size_t)state * actions;
    bool full = true;
    for (size_t a = 0; a < actions; a++)
        full = full && row[a] != LGKT_OFFER_NEVER;
    return full ? NULL : row;
}

lgkt_status lgkt_learner_explain_all(const lgkt_learner *learner, lgkt_reason *reasons,
                                     lgkt_error *error)
{
    if (learner == NULL || reasons == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "learner and reasons must not be NULL");
    for (int32_t s = 0; s < learner->problem.states; s++) {
        const size_t row = (size_t)s * (size_t)learner->problem.actions;
        const lgkt_status status = ask(learner, s, offered_in(learner, s), reasons + row, error);
        if (status != LGKT_OK)
            return status;
    }
    return LGKT_OK;
}

// the policy of one state
static void settle(const lgkt_reason *reasons, const uint8_t *allowed, int32_t actions,
                   double *policy)
{
    double best = -INFINITY, known = 0, ties = 0, possible = 0;
    for (int32_t a = 0; a < actions; a++) {
        const bool may = allowed == NULL || allowed[a] != 0;
        possible += may;
        best = may && reasons[a].value > best ? reasons[a].value : best;
        known += may && reasons[a].probability >= 0 ? reasons[a].probability : 0;
    }
    for (int32_t a = 0; a < actions; a++)
        ties += (allowed == NULL || allowed[a] != 0) && reasons[a].value == best;
    for (int32_t a = 0; a < actions; a++) {
        const bool may = allowed == NULL || allowed[a] != 0;
        policy[a] = !may        ? 0
                    : ties > 0  ? (reasons[a].value == best) / ties
                    : known > 0 ? reasons[a].probability
                                : 1 / possible;
    }
}

lgkt_status lgkt_learner_policy(const lgkt_learner *learner, double *policy, lgkt_error *error)
{
    if (learner == NULL || policy == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "learner and policy must not be NULL");
    const int32_t actions = learner->problem.actions;
    lgkt_reason *row = lgkt_alloc_zeroed(&learner->allocator, (size_t)actions, sizeof *row);
    if (row == NULL)
        return lgkt_fail_memory(error, "a policy");
    lgkt_status status = LGKT_OK;
    for (int32_t s = 0; s < learner->problem.states && status == LGKT_OK; s++) {
        const uint8_t *allowed = offered_in(learner, s);
        status = ask(learner, s, allowed, row, error);
        if (status == LGKT_OK)
            settle(row, allowed, actions, policy + (size_t)s * (size_t)actions);
    }
    lgkt_free(&learner->allocator, row);
    return status;
}
