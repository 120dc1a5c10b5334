// SPDX-License-Identifier: MIT
// What a learner can do besides acting and observing, as its spec says (spec.h).
//
// It depends on settings and on the learners within, whose functions refuse by name what they
// cannot do. So it is not written down a second time: a learner of the spec is made for a small
// problem and asked.

#include "learners/front/learner_private.h"

#include "core/error.h"

static const char *const NAMES[] = {"law", "fed", "shared", "masked", "grown"};
enum { TRAIT_COUNT = sizeof NAMES / sizeof *NAMES };
_Static_assert(LGKT_TRAITS_ALL == (1u << TRAIT_COUNT) - 1, "each trait has a name");

const char *lgkt_trait_name(int32_t i)
{
    return i >= 0 && i < TRAIT_COUNT ? NAMES[i] : NULL;
}

// the law is known where that of all learners within is
static bool knows_law(const lgkt_learner *learner)
{
    bool known = (learner->entry->traits & LGKT_TRAIT_LAW) != 0;
    const lgkt_learner *nested;
    for (size_t i = 0; known && (nested = lgkt_next_within(learner, &i)) != NULL;)
        known = knows_law(nested);
    return known;
}

// Two states, two actions that both lead anywhere: for oracles, which need a model.
static lgkt_status make_model(lgkt_mdp **model, lgkt_error *error)
{
    lgkt_mdp_builder *builder = NULL;
    lgkt_status status = lgkt_mdp_builder_create(2, 2, NULL, &builder, error);
    for (int32_t i = 0; i < 8 && status == LGKT_OK; i++)
        status = lgkt_mdp_builder_edge(builder, i / 4, i / 2 % 2, i % 2, 0.5);
    if (status == LGKT_OK)
        status = lgkt_mdp_builder_reward(builder, 0, 0, 1);
    if (status == LGKT_OK)
        status = lgkt_mdp_builder_build(builder, model, error);
    else if (builder != NULL)
        lgkt_fail(error, status, "%s", lgkt_mdp_builder_message(builder));
    lgkt_mdp_builder_destroy(builder);
    return status;
}

// the traits of a learner for a problem, and whether it can be made with masks and for keys
static lgkt_status ask(const char *spec, const lgkt_learner_config *config, uint32_t *traits,
                       lgkt_error *error)
{
    const lgkt_origin known = {.saved_bytes = SIZE_MAX};
    const lgkt_origin growing = {.limit = config->problem.states, .saved_bytes = SIZE_MAX};
    lgkt_learner *learner = NULL, *masked = NULL, *grown = NULL;
    lgkt_status status = lgkt_learner_create_from(spec, config, &known, &learner, error);
    if (status != LGKT_OK)
        return status;
    uint32_t found = knows_law(learner) ? LGKT_TRAIT_LAW : 0;
    found |= learner->feed != NULL ? LGKT_TRAIT_FED : 0;
    found |= learner->unpooled == NULL ? LGKT_TRAIT_SHARED : 0;

    lgkt_learner_config other = *config;
    other.problem.masked = true;
    status = lgkt_learner_create_from(spec, &other, &known, &masked, error);
    if (status == LGKT_OK)
        found |= LGKT_TRAIT_MASKED;
    other = *config;
    other.problem.model = NULL;
    if (status != LGKT_ERR_NO_MEMORY)
        status = lgkt_learner_create_from(spec, &other, &growing, &grown, error);
    if (status == LGKT_OK)
        found |= LGKT_TRAIT_GROWN;
    lgkt_learner_destroy(learner);
    lgkt_learner_destroy(masked);
    lgkt_learner_destroy(grown);
    if (status == LGKT_ERR_NO_MEMORY)
        return status;
    *traits = found;
    return LGKT_OK;
}

lgkt_status lgkt_learner_traits(const char *spec, uint32_t *traits, lgkt_error *error)
{
    if (spec == NULL || traits == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "spec and traits must not be NULL");
    lgkt_mdp *model = NULL;
    lgkt_status status = make_model(&model, error);
    if (status != LGKT_OK)
        return status;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = (lgkt_problem){.states = 2,
                                    .actions = 2,
                                    .horizon = 1000,
                                    .reward_min = 0,
                                    .reward_max = 1,
                                    .reward_sd = 0.5,
                                    .model = model};
    status = ask(spec, &config, traits, error);
    // a spec may name actions that a small problem has not
    if (status == LGKT_ERR_SPEC) {
        config.problem.states = 1;
        config.problem.actions = LGKT_MAX_ACTIONS;
        config.problem.model = NULL;
        status = ask(spec, &config, traits, error);
    }
    lgkt_mdp_destroy(model);
    return status;
}
