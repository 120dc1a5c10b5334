// SPDX-License-Identifier: MIT
// A fixed schedule: the actions of a list in turn, whatever happens. What programmes do that do not
// learn; the mark to beat. Each unit is at its own place in the list, by the steps that it has
// made.
//
// Of the reasons it has the probability only. An action that is not allowed is passed over for the
// next one in the list that is, and if there is none for the lowest one that is.
//
// Cost O(1) a step, O(list + A) under a mask.

#include "learners/front/learner_private.h"

#include <string.h>

#include "core/number.h"
#include "learners/front/best_action.h"

typedef struct fixed_settings {
    const char *actions;
} fixed_settings;

typedef struct fixed {
    int32_t *list; // (count)
    int64_t count;
} fixed;

// ---- steps ----

static int32_t act(lgkt_learner *learner, int32_t state)
{
    (void)state;
    const fixed *f = learner->self;
    const int64_t made = learner->unit.made >= 0 ? learner->unit.made : learner->t;
    for (int64_t i = 0; i < f->count; i++) {
        const int32_t action = f->list[(made % f->count + i) % f->count];
        if (lgkt_learner_allows(learner, action))
            return action;
    }
    int32_t lowest = 0;
    while (!lgkt_learner_allows(learner, lowest))
        lowest++;
    return lowest;
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    lgkt_law_of_action(act(learner, state), learner->problem.actions, reasons);
    return true;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    const fixed_settings *set = settings;
    int64_t count = 1;
    for (const char *c = set->actions; *c != '\0'; c++)
        count += *c == '/';
    fixed *f = learner->self;
    f->list = lgkt_learner_alloc(learner, (size_t)count, sizeof *f->list);
    if (f->list == NULL)
        return lgkt_fail_memory(error, "a learner");
    const char *word = set->actions;
    for (; f->count < count; f->count++) {
        const size_t length = strcspn(word, "/");
        char text[24] = "";
        int64_t action = -1;
        if (length < sizeof text)
            memcpy(text, word, length);
        if (!lgkt_integer_parse(text, &action) || action < 0 || action >= learner->problem.actions)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "fixed: actions=%.60s: entry %lld must be an action in 0 .. %d",
                             set->actions, (long long)f->count + 1, learner->problem.actions - 1);
        f->list[f->count] = (int32_t)action;
        word += length + 1;
    }
    return LGKT_OK;
}

// the list does not depend on the states, and is made above
static const lgkt_field fields[] = {{LGKT_ARRAY(fixed, list, MADE_ELSEWHERE, SCRATCH)}};

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_TEXT(fixed_settings, actions, "actions", "0",
                  "the actions that are played in turn, e.g. 1/0/2"),
};

static const lgkt_entry names[] = {
    LGKT_ENTRY_WITH("fixed", params, "plays a list of actions in turn; learns nothing",
                    "what is done without learning", "O(1)", LGKT_TRAITS_ALL | LGKT_TRAIT_RECORDS)};

const lgkt_learner_class lgkt_fixed_class = {
    LGKT_SELF(fixed, fields), LGKT_NAMES(names), .takes = LGKT_TAKES_EITHER,
    .create = create,         .act = act,        .observe = lgkt_learns_nothing,
    .explain = explain,
};
