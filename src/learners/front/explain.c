// SPDX-License-Identifier: MIT
// Why a learner would do what it would do: one state, the whole table, and the policy in it.
//
// A class explains itself without a change of its state. Where the choice would change it, e.g. by
// a plan that is due, it is made on a copy, one for each state.

#include "learners/front/learner_private.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sized.h"

// What a program may take a reason for: at least up to the probability. The fields behind it may be
// left out by one that has no use for them.
#define MOST_REASON  4096
#define FIRST_REASON LGKT_SIZE_UP_TO(lgkt_reason, probability)

static void clear(lgkt_reason *reasons, int32_t actions)
{
    const lgkt_reason nothing = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    for (int32_t a = 0; a < actions; a++)
        reasons[a] = nothing;
}

// reasons as a program with a smaller or larger struct has them; what is not known here is NaN
static void hand_out(const lgkt_reason *reasons, int32_t actions, void *out, size_t reason_size)
{
    const size_t known = reason_size < sizeof *reasons ? reason_size : sizeof *reasons;
    for (size_t a = 0; a < (size_t)actions; a++) {
        double *place = (double *)((char *)out + a * reason_size);
        memcpy(place, &reasons[a], known);
        for (size_t i = known / sizeof(double); i < reason_size / sizeof(double); i++)
            place[i] = NAN;
    }
}

// one or more questions to a learner
typedef struct inquiry {
    const lgkt_learner *learner;
    lgkt_learner head; // with which the class explains itself without a change
} inquiry;

// what the class says with `allowed`, NULL for all
static lgkt_status ask(inquiry *about, int32_t state, const uint8_t *allowed, lgkt_reason *reasons,
                       lgkt_error *error)
{
    const lgkt_learner *learner = about->learner;
    const lgkt_learner_class *class = learner->class;
    const int32_t actions = learner->problem.actions;
    clear(reasons, actions);
    if (class->explain == NULL)
        return LGKT_OK;
    about->head.allowed = allowed;
    // a record is met once: nothing is planned with what is offered there
    const bool other =
        learner->records == NULL && lgkt_learner_changes_offer(learner, state, allowed);
    if (other || !class->explain(&about->head, state, reasons)) {
        lgkt_learner *copy;
        LGKT_TRY(lgkt_learner_copy_for(learner, learner->problem.horizon, &copy, error));
        copy->is_copy = true;
        copy->t = about->head.t;
        copy->unit = learner->unit;
        if (other)
            lgkt_learner_note_offer(copy, state, allowed);
        copy->allowed = allowed;
        clear(reasons, actions);
        class->explain(copy, state, reasons);
        copy->allowed = NULL;
        lgkt_learner_destroy(copy);
    }
    for (int32_t a = 0; a < actions && learner->phase != LGKT_PHASE_ACT; a++)
        reasons[a].probability = NAN;
    return LGKT_OK;
}

bool lgkt_nested_explain(lgkt_learner *parent, lgkt_learner *nested, int32_t state,
                         lgkt_reason *reasons)
{
    if (nested->class->explain == NULL)
        return true;
    lgkt_learner head = *nested, *asked = parent->is_copy ? nested : &head;
    asked->is_copy = parent->is_copy;
    lgkt_nested_lend(parent, asked, nested->problem.horizon - 1);
    return nested->class->explain(asked, state, reasons);
}

// the policy of one state
static void policy_of_state(const lgkt_reason *reasons, const uint8_t *allowed, int32_t actions,
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

// Where what is said of states goes: reasons of a size of the caller's, or a policy.
typedef struct answer {
    void *reasons; // (states, A), reason_size each
    size_t reason_size;
    double *policy; // (states, A)
} answer;

// A state with `allowed`, or all states, state = -1, with what was offered in each.
static lgkt_status explain_states(const lgkt_learner *learner, int32_t state,
                                  const uint8_t *allowed, const answer *out, lgkt_error *error)
{
    const int32_t actions = learner->problem.actions;
    const int32_t first = state < 0 ? 0 : state, count = state < 0 ? learner->problem.states : 1;
    lgkt_reason *row = lgkt_alloc_zeroed(&learner->allocator, (size_t)actions, sizeof *row);
    if (row == NULL)
        return lgkt_fail_memory(error, "reasons");
    // a run that is over is explained as at its last step
    const int64_t last = learner->problem.horizon - 1;
    inquiry about = {.learner = learner, .head = *learner};
    about.head.t = learner->t < last ? learner->t : last;
    lgkt_status status = LGKT_OK;
    for (int32_t i = 0; i < count && status == LGKT_OK; i++) {
        const size_t done = (size_t)i * (size_t)actions;
        const uint8_t *among = state < 0 ? lgkt_learner_offers_in(learner, i) : allowed;
        bool full = true;
        status = lgkt_learner_check_mask(learner, among, &full, error);
        if (status == LGKT_OK)
            status = ask(&about, first + i, full ? NULL : among, row, error);
        if (status == LGKT_OK && out->policy != NULL)
            policy_of_state(row, among, actions, out->policy + done);
        else if (status == LGKT_OK)
            hand_out(row, actions, (char *)out->reasons + done * out->reason_size,
                     out->reason_size);
    }
    lgkt_free(&learner->allocator, row);
    return status;
}

// Whether reasons of a caller's size can be written: all fields are doubles.
static lgkt_status check_reasons(const lgkt_learner *learner, const answer *out, lgkt_error *error)
{
    if (learner == NULL || out->reasons == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "learner and reasons must not be NULL");
    if (out->reason_size < FIRST_REASON || out->reason_size > MOST_REASON ||
        out->reason_size % sizeof(double) != 0)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "reason_size = %zu must be sizeof(lgkt_reason), here %zu",
                         out->reason_size, sizeof(lgkt_reason));
    return LGKT_OK;
}

lgkt_status lgkt_learner_reasons(const lgkt_learner *learner, int32_t state, const uint8_t *allowed,
                                 lgkt_reason *reasons, size_t reason_size, lgkt_error *error)
{
    const answer out = {.reasons = reasons, .reason_size = reason_size};
    LGKT_TRY(check_reasons(learner, &out, error));
    LGKT_TRY(lgkt_check_index("state", state, learner->problem.states, error));
    return explain_states(learner, state, allowed, &out, error);
}

lgkt_status lgkt_learner_policy_of(const lgkt_learner *learner, int32_t state, double *policy,
                                   lgkt_error *error)
{
    return explain_states(learner, state, NULL, &(answer){.policy = policy}, error);
}

// Numbers of records are the front's: nobody else knows them.
static lgkt_status check_numbered(const lgkt_learner *learner, lgkt_error *error)
{
    if (learner == NULL || learner->records == NULL)
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                     "states are records here and have no numbers: lgkt_keyed_explain and "
                     "lgkt_keyed_policy take records");
}

lgkt_status lgkt_learner_explain(const lgkt_learner *learner, int32_t state, const uint8_t *allowed,
                                 lgkt_reason *reasons, size_t reason_size, lgkt_error *error)
{
    LGKT_TRY(check_numbered(learner, error));
    return lgkt_learner_reasons(learner, state, allowed, reasons, reason_size, error);
}

lgkt_status lgkt_learner_explain_all(const lgkt_learner *learner, lgkt_reason *reasons,
                                     size_t reason_size, lgkt_error *error)
{
    const answer out = {.reasons = reasons, .reason_size = reason_size};
    LGKT_TRY(check_numbered(learner, error));
    LGKT_TRY(check_reasons(learner, &out, error));
    return explain_states(learner, -1, NULL, &out, error);
}

lgkt_status lgkt_learner_policy(const lgkt_learner *learner, double *policy, lgkt_error *error)
{
    if (learner == NULL || policy == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "learner and policy must not be NULL");
    LGKT_TRY(check_numbered(learner, error));
    return explain_states(learner, -1, NULL, &(answer){.policy = policy}, error);
}
