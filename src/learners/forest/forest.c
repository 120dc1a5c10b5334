// SPDX-License-Identifier: MIT
// forest: learning on records, without a grid. (First form: plays at random.)

#include "learners/front/best_action.h"
#include "learners/front/learner_private.h"

static int32_t act(lgkt_learner *learner, int32_t state)
{
    (void)state;
    return lgkt_draw_among(learner->problem.actions, learner->allowed, &learner->rng);
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    (void)state;
    lgkt_law_of_action(0, learner->problem.actions, reasons);
    lgkt_law_mix_even(1, learner->allowed, learner->problem.actions, reasons);
    return true;
}

static const lgkt_entry names[] = {{
    .name = "forest",
    .summary = "learns on records of numbers and categories, without bins",
    .source = "ours",
    .memory = "O(memory trees)",
    .traits = (LGKT_TRAITS_ALL & ~(uint32_t)LGKT_TRAIT_STATES) | LGKT_TRAIT_RECORDS,
}};

const lgkt_learner_class lgkt_forest_class = {
    LGKT_NAMES(names),  .takes = LGKT_TAKES_RECORDS, .act = act, .observe = lgkt_learns_nothing,
    .explain = explain,
};
