// SPDX-License-Identifier: MIT
// What a learner can do besides acting and observing, as its spec says (spec.h).
//
// It depends on settings and on the learners within, whose functions refuse by name what they
// cannot do: a learner of the spec is made for a small problem and asked.

#include "core/alloc.h"
#include "learners/front/learner_private.h"

static const char *const NAMES[] = {"law", "fed", "shared", "masked", "grown", "states", "records"};
enum { TRAIT_COUNT = sizeof NAMES / sizeof *NAMES };
_Static_assert((LGKT_TRAITS_ALL | LGKT_TRAIT_RECORDS) == (1u << TRAIT_COUNT) - 1,
               "each trait has a name");

// which states a class takes; one that looks at none takes what the learners within take
static uint32_t taking(const lgkt_learner_class *class)
{
    static const uint32_t taken[] = {LGKT_TRAIT_STATES, LGKT_TRAIT_RECORDS,
                                     LGKT_TRAIT_STATES | LGKT_TRAIT_RECORDS};
    return taken[class->takes];
}

const char *lgkt_trait_name(int32_t i)
{
    return i >= 0 && i < TRAIT_COUNT ? NAMES[i] : NULL;
}

// What the entry says, where that is true of all learners within, and what settings may rule out.
static uint32_t traits_of(const lgkt_learner *learner)
{
    const uint32_t by_settings = LGKT_TRAIT_FED | LGKT_TRAIT_SHARED;
    uint32_t traits = (learner->entry->traits & ~by_settings) | taking(learner->class);
    const lgkt_learner *nested;
    for (size_t i = 0; (nested = lgkt_next_within(learner, &i)) != NULL;)
        traits &= traits_of(nested);
    traits |= learner->feed != NULL ? LGKT_TRAIT_FED : 0;
    traits |= learner->unpooled == NULL ? LGKT_TRAIT_SHARED : 0;
    return traits;
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

// One that takes records only: records of one number.
static lgkt_status make_on_records(const char *spec, lgkt_learner_config *config,
                                   lgkt_records **records, lgkt_learner **learner,
                                   lgkt_error *error)
{
    const lgkt_view view = {.dims = 1};
    const lgkt_allocator allocator = lgkt_allocator_resolve(NULL);
    LGKT_TRY(lgkt_records_create(&view, &allocator, records, error));
    config->problem.states = 1;
    config->problem.model = NULL;
    const lgkt_origin origin = {.limit = 2, .saved_bytes = SIZE_MAX, .records = *records};
    return lgkt_learner_create_from(spec, config, &origin, learner, error);
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
    lgkt_learner *learner = NULL;
    lgkt_records *records = NULL;
    status = lgkt_learner_create(spec, &config, &learner, error);
    if (status == LGKT_ERR_UNSUPPORTED)
        status = make_on_records(spec, &config, &records, &learner, error);
    // a spec may name actions that a small problem has not
    if (status == LGKT_ERR_SPEC) {
        config.problem.states = 1;
        config.problem.actions = LGKT_MAX_ACTIONS;
        config.problem.model = NULL;
        status = lgkt_learner_create(spec, &config, &learner, error);
    }
    if (status == LGKT_OK)
        *traits = traits_of(learner);
    lgkt_learner_destroy(learner);
    lgkt_records_destroy(records);
    lgkt_mdp_destroy(model);
    return status;
}
