// SPDX-License-Identifier: MIT
// Learners and runs for tests.
#include "ref/learner_run.h"

#include "learners/front/learner_private.h"
#include "ref/models.h"
#include "ref/state_learners.h"
#include "test.h"

// ---- fixtures ----

int learner_run_setup(void **state)
{
    lgkt_rng rng = lgkt_rng_stream(6, "model", 0);
    *state = model_random(&rng, LEARNER_RUN_STATES, LEARNER_RUN_ACTIONS, 0.5);
    return 0;
}

int learner_run_teardown(void **state)
{
    lgkt_mdp_destroy(*state);
    return 0;
}

// ---- specs ----

// what a name needs to show all it does in a run of some 30 steps
static const char *base_of(const char *name)
{
    if (strcmp(name, "lg1t-rl") == 0)
        return "cutoff=15";
    if (strcmp(name, "anytime") == 0)
        return "first=5";
    if (strcmp(name, "window") == 0)
        return "steps=7";
    return "";
}

// a walk over all specs that stops at number `left`
typedef struct spec_walk {
    int32_t left;
    char *spec; // (LEARNER_RUN_SPEC)
} spec_walk;

// whether this one is the one; without a key it is the name alone
static bool take(spec_walk *walk, const char *name, const char *key, const char *value, int length)
{
    if (walk->left-- > 0)
        return false;
    const char *base = base_of(name);
    const bool both = key != NULL && *base != '\0';
    snprintf(walk->spec, LEARNER_RUN_SPEC, "%s%s%s%s%s%s%.*s", name,
             key != NULL || *base != '\0' ? ":" : "", base, both ? "," : "", key != NULL ? key : "",
             key != NULL ? "=" : "", length, value);
    return true;
}

static bool take_values(spec_walk *walk, const char *name, const char *key, const char *values)
{
    for (const char *at = values; at != NULL;) {
        const size_t length = strcspn(at, "|");
        if (take(walk, name, key, at, (int)length))
            return true;
        at = at[length] == '|' ? at + length + 1 : NULL;
    }
    return false;
}

static bool take_depths(spec_walk *walk, const char *name, const lgkt_param *param)
{
    static const int depths[] = {1, 2, 3, 5};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        char value[16];
        const int length = snprintf(value, sizeof value, "%d", depths[i]);
        if (depths[i] >= param->min && depths[i] <= param->max &&
            take(walk, name, param->name, value, length))
            return true;
    }
    return false;
}

// what the texts of the plug-in learner may say
static const char *plugin_values(const char *key)
{
    if (strcmp(key, "k") == 0)
        return "1|2|5|6";
    return strcmp(key, "threshold") == 0 ? "none|0.5" : "1";
}

static bool take_entry(spec_walk *walk, const lgkt_entry *entry)
{
    if (take(walk, entry->name, NULL, "", 0))
        return true;
    for (int32_t i = 0; i < entry->param_count; i++) {
        const lgkt_param *param = lgkt_entry_param(entry, i);
        const bool sampler = strcmp(param->name, "sampler") == 0;
        const bool depth = strcmp(param->name, "k") == 0 && param->type == LGKT_PARAM_INTEGER;
        const char *values = sampler ? "order|ucb|ucbvi" : param->choices;
        if (strcmp(entry->name, "plugin") == 0 && param->type == LGKT_PARAM_TEXT)
            values = plugin_values(param->name);
        if (values != NULL && take_values(walk, entry->name, param->name, values))
            return true;
        if (depth && take_depths(walk, entry->name, param))
            return true;
    }
    return false;
}

bool learner_run_spec(int32_t i, char spec[LEARNER_RUN_SPEC])
{
    spec_walk walk = {i, spec};
    for (int32_t e = 0; state_learner(e) != NULL; e++)
        if (take_entry(&walk, state_learner(e)))
            return true;
    return false;
}

const lgkt_entry *learner_run_entry(const char *spec)
{
    const size_t length = strcspn(spec, ":");
    for (int32_t e = 0; state_learner(e) != NULL; e++) {
        const char *name = state_learner(e)->name;
        if (strlen(name) == length && memcmp(name, spec, length) == 0)
            return state_learner(e);
    }
    fail_msg("no learner for %s", spec);
    return NULL;
}

bool learner_run_is_oracle(const char *spec)
{
    return strncmp(learner_run_entry(spec)->summary, "oracle: ", 8) == 0;
}

bool learner_run_can_serve(const lgkt_learner *learner)
{
    return learner->feed != NULL && learner->class != &lgkt_explore_class;
}

// ---- runs ----

lgkt_learner_config learner_run_config(const lgkt_mdp *model, int64_t horizon)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = (lgkt_problem){.states = lgkt_mdp_states(model),
                                    .actions = lgkt_mdp_actions(model),
                                    .horizon = horizon,
                                    .reward_min = lgkt_mdp_reward_min(model),
                                    .reward_max = lgkt_mdp_reward_max(model),
                                    .reward_sd = 0.5,
                                    .model = model};
    return config;
}

lgkt_learner *learner_run_make(const char *spec, const lgkt_learner_config *config)
{
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    if (lgkt_learner_create(spec, config, &learner, &error) != LGKT_OK)
        fail_msg("%s: %s", spec, error.text);
    // an error is written on failure only
    assert_string_equal(error.text, "");
    return learner;
}

lgkt_step learner_run_outcome(const learner_run *run, int32_t action)
{
    const uint64_t t = (uint64_t)lgkt_learner_time(run->learner);
    lgkt_rng rng = lgkt_rng_stream(run->seed, "outcome", t);
    const lgkt_row row = lgkt_mdp_row(run->model, run->state, action);
    const double mean = lgkt_mdp_reward(run->model, run->state, action);
    const double u = lgkt_rng_uniform(&rng);
    lgkt_step step = {.reward = mean + 0.5 * lgkt_rng_normal(&rng), .mean_reward = mean};
    step.state = row.next[lgkt_sample_index(row.p, row.n, u)];
    step.ended = lgkt_rng_bernoulli(&rng, run->cuts);
    if (step.ended)
        step.state = lgkt_rng_below(&rng, lgkt_mdp_states(run->model));
    return step;
}

void learner_run_play(learner_run *run, int64_t steps, int32_t *actions)
{
    for (int64_t i = 0; i < steps; i++) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(run->learner, run->state, NULL, &action), LGKT_OK);
        assert_in_range(action, 0, lgkt_mdp_actions(run->model) - 1);
        const lgkt_step step = learner_run_outcome(run, action);
        assert_int_equal(lgkt_learner_observe(run->learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        run->state = step.state;
        if (actions != NULL)
            actions[i] = action;
    }
}

int64_t learner_run_counter(const lgkt_learner *learner, const char *name)
{
    lgkt_counter counters[16];
    const int32_t count = lgkt_learner_counters(learner, counters, 16);
    for (int32_t i = 0; i < count && i < 16; i++)
        if (strcmp(counters[i].name, name) == 0)
            return counters[i].value;
    return -1;
}
