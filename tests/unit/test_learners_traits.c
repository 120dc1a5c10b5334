// SPDX-License-Identifier: MIT
// What entries and lgkt_learner_traits say of learners, against what these do: every name of the
// registry, and learners that hold others.

#include "test.h"

#include <math.h>
#include <string.h>

#include "lgkt/keyed.h"
#include "lgkt/units.h"
#include "ref/learner_run.h"

enum { STEPS = 150, ACTIONS = LEARNER_RUN_ACTIONS };

static uint32_t traits_of(const char *spec)
{
    uint32_t traits = 0;
    lgkt_error error = {0};
    assert_ok(lgkt_learner_traits(spec, &traits, &error), error);
    return traits;
}

// Whether a run has a choice whose law is not known. A law that is known must be one.
static bool hides_law(const char *spec, const lgkt_learner_config *config)
{
    lgkt_learner *learner = learner_run_make(spec, config);
    learner_run run = {.learner = learner, .model = config->problem.model, .seed = 5, .cuts = 0.1};
    bool hides = false;
    for (int t = 0; t < STEPS; t++) {
        lgkt_reason reasons[ACTIONS];
        lgkt_error error = {0};
        assert_ok(lgkt_learner_explain(learner, run.state, NULL, reasons, sizeof *reasons, &error),
                  error);
        double sum = 0;
        for (int a = 0; a < ACTIONS; a++)
            sum += reasons[a].probability;
        hides |= isnan(sum);
        assert_true(isnan(sum) || fabs(sum - 1) < 1e-9);
        int32_t action = -1;
        learner_run_play(&run, 1, &action);
        assert_true(isnan(sum) || reasons[action].probability > 0);
    }
    lgkt_learner_destroy(learner);
    return hides;
}

static bool can_be_fed(const char *spec, const lgkt_learner_config *config)
{
    lgkt_learner *learner = learner_run_make(spec, config);
    const lgkt_status status = lgkt_learner_feed(learner, 0, 1, 0.5, 1, false);
    lgkt_learner_destroy(learner);
    assert_true(status == LGKT_OK || status == LGKT_ERR_UNSUPPORTED);
    return status == LGKT_OK;
}

static bool can_be_shared(const char *spec, const lgkt_learner_config *config)
{
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = 3;
    lgkt_units *units = NULL;
    const lgkt_status status = lgkt_units_create(spec, config, &set, &units, NULL);
    lgkt_units_destroy(units);
    assert_true(status == LGKT_OK || status == LGKT_ERR_UNSUPPORTED);
    return status == LGKT_OK;
}

static bool can_be_masked(const char *spec, const lgkt_learner_config *config)
{
    lgkt_learner_config masked = *config;
    masked.problem.masked = true;
    lgkt_learner *learner = NULL;
    const uint8_t allowed[ACTIONS] = {0, 1, 0, 1};
    int32_t action = -1;
    lgkt_status status = lgkt_learner_create(spec, &masked, &learner, NULL);
    if (status == LGKT_OK)
        status = lgkt_learner_act(learner, 0, allowed, &action);
    lgkt_learner_destroy(learner);
    assert_true(status != LGKT_OK || allowed[action] != 0);
    return status == LGKT_OK;
}

static bool can_grow(const char *spec, const lgkt_learner_config *config)
{
    lgkt_learner_config known = *config;
    known.problem.states = 0;
    known.problem.model = NULL;
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.state_limit = 8;
    lgkt_keyed *keyed = NULL;
    const lgkt_status status = lgkt_keyed_create(spec, &known, &set, &keyed, NULL);
    lgkt_keyed_destroy(keyed);
    return status == LGKT_OK;
}

static bool takes(const char *spec, const lgkt_learner_config *config, bool records)
{
    lgkt_learner_config any = *config;
    lgkt_keyed_config set = lgkt_keyed_config_default();
    lgkt_learner *learner = NULL;
    lgkt_keyed *keyed = NULL;
    set.view.dims = 2;
    any.problem.states = 0;
    any.problem.model = NULL;
    const lgkt_status status = records ? lgkt_keyed_create(spec, &any, &set, &keyed, NULL)
                                       : lgkt_learner_create(spec, config, &learner, NULL);
    lgkt_learner_destroy(learner);
    lgkt_keyed_destroy(keyed);
    return status == LGKT_OK;
}

static void check(const char *spec, const lgkt_mdp *model, uint32_t traits)
{
    const lgkt_learner_config config = learner_run_config(model, STEPS);
    assert_int_equal(takes(spec, &config, false), (traits & LGKT_TRAIT_STATES) != 0);
    // `auto` is another learner on records, and so is what holds it
    if (strstr(spec, "auto") == NULL && strcmp(spec, "anytime") != 0 &&
        strcmp(spec, "explore") != 0)
        assert_int_equal(takes(spec, &config, true), (traits & LGKT_TRAIT_RECORDS) != 0);
    if (!(traits & LGKT_TRAIT_STATES))
        return;
    const bool found[] = {!hides_law(spec, &config), can_be_fed(spec, &config),
                          can_be_shared(spec, &config), can_be_masked(spec, &config),
                          can_grow(spec, &config)};
    for (int32_t i = 0; i < (int32_t)(sizeof found / sizeof *found); i++)
        if (found[i] != ((traits >> i & 1) != 0))
            fail_msg("%s: %s is %d, and the traits say %d", spec, lgkt_trait_name(i), found[i],
                     !found[i]);
    assert_string_equal(lgkt_trait_name(sizeof found / sizeof *found), "states");
    assert_null(lgkt_trait_name(sizeof found / sizeof *found + 2));
}

static void test_names(void **state)
{
    const lgkt_entry *entry;
    for (int32_t i = 0; (entry = lgkt_learner_entry(i)) != NULL; i++) {
        if (traits_of(entry->name) != entry->traits)
            fail_msg("%s: the entry has traits %u, the spec %u", entry->name, entry->traits,
                     traits_of(entry->name));
        check(entry->name, *state, entry->traits);
    }
}

// a spec has what all that it holds have, with its settings
static void test_specs(void **state)
{
    static const char *const specs[] = {
        "lg2t:sampler=psrl",
        "lg2t:sampler=(psrl:schedule=coin),sampler-scope=per-pair",
        "lg2t:sampler=sarsa",
        "lg1t:sampler=q-greedy",
        "lg2t:sampler=q-greedy,sampler-scope=per-pair",
        "lg1t-rl:rl=psrl,cutoff=20",
        "lg1t-rl:rl=ucrl2,cutoff=20",
        "lg1t-rl:rl=ucrl2,first=pmevi-ucrl2",
        "window:of=psrl",
        "window:of=(lg2t:sampler=psrl),steps=30",
        "anytime:of=q-learning",
        "anytime:of=mdp-oomd",
        "anytime:of=(window:of=(lg1t-rl:rl=psrl-optimistic,cutoff=9))",
        "q-learning:h=1",
        "fixed:actions=3/1",
        "psrl:schedule=coin",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        uint32_t traits = 0;
        lgkt_error error = {0};
        const lgkt_learner_config config = learner_run_config(*state, STEPS);
        lgkt_learner *learner = NULL;
        const lgkt_status made = lgkt_learner_create(specs[i], &config, &learner, NULL);
        lgkt_learner_destroy(learner);
        // what cannot be made has no traits
        assert_int_equal(lgkt_learner_traits(specs[i], &traits, &error), made);
        if (made == LGKT_OK)
            check(specs[i], *state, traits);
        else
            assert_true(error.text[0] != '\0');
    }
    assert_int_equal(traits_of("window:of=psrl") & LGKT_TRAIT_LAW, 0);
    assert_int_equal(traits_of("anytime:of=q-learning") & LGKT_TRAIT_FED, 0);
    // actions that a small problem has not
    assert_int_equal(traits_of("fixed:actions=900/65535"), traits_of("fixed"));
}

static void test_refusals(void **state)
{
    (void)state;
    uint32_t traits = 77;
    lgkt_error error = {0};
    assert_refused(lgkt_learner_traits(NULL, &traits, &error), LGKT_ERR_ARGUMENT, error, "NULL");
    assert_refused(lgkt_learner_traits("auto", NULL, &error), LGKT_ERR_ARGUMENT, error, "NULL");
    assert_refused(lgkt_learner_traits("aut", &traits, &error), LGKT_ERR_UNKNOWN_NAME, error,
                   "auto");
    assert_refused(lgkt_learner_traits("auto:zz=1", &traits, &error), LGKT_ERR_SPEC, error, "zz");
    assert_refused(lgkt_learner_traits("auto:", &traits, &error), LGKT_ERR_SPEC, error, "auto");
    assert_refused(lgkt_learner_traits("window:of=(bogus)", &traits, &error), LGKT_ERR_UNKNOWN_NAME,
                   error, "bogus");
    assert_int_equal(traits, 77);
    assert_null(lgkt_trait_name(-1));
    assert_int_equal(lgkt_env_entry(0)->traits, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_specs),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
