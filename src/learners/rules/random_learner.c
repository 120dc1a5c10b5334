// SPDX-License-Identifier: MIT
// The learner that does not learn: all actions alike, in every state. The floor of every
// comparison.

#include "learners/front/best_action.h"
#include "learners/front/learner_private.h"

static int32_t act(lgkt_learner *learner, int32_t state)
{
    (void)state;
    return lgkt_draw_among(learner->problem.actions, learner->allowed, &learner->rng);
}

// it knows nothing but what it plays
static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    (void)state;
    lgkt_law_of_action(0, learner->problem.actions, reasons);
    lgkt_law_mix_even(1, learner->allowed, learner->problem.actions, reasons);
    return true;
}

static const lgkt_entry names[] = {{
    .name = "random",
    .summary = "plays all actions alike; learns nothing",
    .source = "the floor of every comparison",
    .memory = "O(1)",
    .traits = LGKT_TRAITS_ALL | LGKT_TRAIT_RECORDS,
}};

const lgkt_learner_class lgkt_random_class = {
    LGKT_NAMES(names),  .takes = LGKT_TAKES_EITHER, .act = act, .observe = lgkt_learns_nothing,
    .explain = explain,
};
