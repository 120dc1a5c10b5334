// SPDX-License-Identifier: MIT
// The learner that does not learn: all actions alike, in every state. The floor of every
// comparison.

#include "learners/front/learner_private.h"

static lgkt_status create(lgkt_learner *learner, void *settings, const lgkt_learner *like,
                          lgkt_error *error)
{
    (void)learner, (void)settings, (void)like, (void)error;
    return LGKT_OK;
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    (void)state;
    return lgkt_rng_below(&learner->rng, learner->problem.actions);
}

static int32_t count_allowed(const lgkt_learner *learner)
{
    int32_t count = 0;
    for (int32_t a = 0; a < learner->problem.actions; a++)
        count += lgkt_learner_allows(learner, a);
    return count;
}

static int32_t act_among(lgkt_learner *learner, int32_t state)
{
    (void)state;
    int32_t left = lgkt_rng_below(&learner->rng, count_allowed(learner)), a = 0;
    while (!lgkt_learner_allows(learner, a) || left-- > 0)
        a++;
    return a;
}

// it knows nothing but what it plays
static bool explain(lgkt_learner *learner, int32_t state, bool copy, lgkt_reason *reasons)
{
    (void)state, (void)copy;
    const double count = count_allowed(learner);
    for (int32_t a = 0; a < learner->problem.actions; a++)
        reasons[a].probability = lgkt_learner_allows(learner, a) ? 1 / count : 0;
    return true;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    (void)learner, (void)reward, (void)next_state, (void)ended;
    return LGKT_OK;
}

static const lgkt_entry entry = {
    .name = "random",
    .summary = "plays all actions alike; learns nothing",
    .source = "the floor of every comparison",
    .memory = "O(1)",
    .traits = LGKT_TRAITS_ALL,
};

static const lgkt_learner_class classes[] = {{
    .entry = &entry,
    .create = create,
    .act = act,
    .observe = observe,
    .feed = observe,
    .act_among = act_among,
    .explain = explain,
}};

const lgkt_learner_family lgkt_family_random = {classes, 1};
