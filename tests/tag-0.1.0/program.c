// SPDX-License-Identifier: MIT
// A program as it was written for 0.1.0. It is compiled against the headers beside it and runs with
// every later library of the same soname; tests/tag-0.1.0/run compares what it prints with
// program.out. Its structs have guards behind them that no library may write to.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lgkt/lgkt.h>

#define STEPS 2000
#define SEED  3

static void check(int good, const char *what)
{
    if (!good) {
        printf("FAILED: %s\n", what);
        exit(1);
    }
}

static unsigned long long mix(unsigned long long hash, long long word)
{
    return (hash ^ (unsigned long long)word) * 0x100000001b3ull;
}

// ---- a guard behind a struct ----

#define GUARD 0x5a

typedef struct guarded_reasons {
    lgkt_reason reasons[3];
    unsigned char guard[256];
} guarded_reasons;

static int guard_is_whole(const unsigned char *guard, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (guard[i] != GUARD)
            return 0;
    return 1;
}

// ---- models and plans ----

static lgkt_mdp *make_model(void)
{
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *model = NULL;
    lgkt_error error = {LGKT_OK, ""};
    const double half[2] = {0.5, 0.5};
    check(lgkt_mdp_builder_create(2, 3, NULL, &builder, &error) == LGKT_OK, error.text);
    for (int32_t s = 0; s < 2; s++) {
        lgkt_mdp_builder_row(builder, s, 0, half);
        lgkt_mdp_builder_edge(builder, s, 1, s, 0.75);
        lgkt_mdp_builder_edge(builder, s, 1, 1 - s, 0.25);
        lgkt_mdp_builder_edge(builder, s, 2, 1 - s, 1);
        for (int32_t a = 0; a < 3; a++)
            lgkt_mdp_builder_reward(builder, s, a, 0.25 * s + 0.125 * a);
    }
    lgkt_mdp_builder_start(builder, 0);
    lgkt_mdp_builder_noise(builder, LGKT_NOISE_NORMAL, 0.25);
    check(lgkt_mdp_builder_build(builder, &model, &error) == LGKT_OK, error.text);
    lgkt_mdp_builder_destroy(builder);
    return model;
}

static void plan(const lgkt_mdp *model)
{
    lgkt_error error = {LGKT_OK, ""};
    lgkt_policy *policy = NULL;
    double gain = 0, value[2] = {0, 0}, q[6];
    check(lgkt_plan_gain(model, 1e-9, NULL, &gain, NULL, &error) == LGKT_OK, error.text);
    check(lgkt_plan_lookahead(model, 2, NULL, q, &error) == LGKT_OK, error.text);
    check(lgkt_policy_optimal(model, 10, LGKT_TIES_LOW, NULL, &policy, &error) == LGKT_OK,
          error.text);
    check(lgkt_policy_value(policy, NULL, value, &error) == LGKT_OK, error.text);
    printf("plan: %.6f %.6f %.6f, action %d of %d states\n", gain, q[0], value[0],
           lgkt_policy_action(policy, 10, 0), lgkt_mdp_states(model));
    lgkt_policy_destroy(policy);
}

// ---- a learner in an environment ----

static void learn(const char *spec, const char *world)
{
    lgkt_error error = {LGKT_OK, ""};
    lgkt_env *env = NULL;
    lgkt_trajectory *run = NULL;
    lgkt_learner *learner = NULL, *copy = NULL, *loaded = NULL;
    lgkt_env_config env_config = lgkt_env_config_default();
    env_config.seed = SEED;
    check(lgkt_env_create(world, &env_config, &env, &error) == LGKT_OK, error.text);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(env, STEPS);
    config.seed = SEED;
    check(lgkt_learner_create(spec, &config, &learner, &error) == LGKT_OK, error.text);
    check(lgkt_trajectory_create(env, STEPS, SEED, 0, NULL, &run, &error) == LGKT_OK, error.text);
    unsigned long long hash = 1;
    double sum = 0;
    for (int t = 0; t < STEPS; t++) {
        const int32_t state = lgkt_trajectory_state(run);
        int32_t action = -1;
        lgkt_step step;
        check(lgkt_learner_act(learner, state, lgkt_env_allowed(env, state), &action) == LGKT_OK,
              lgkt_learner_message(learner));
        check(lgkt_trajectory_step(run, action, &step) == LGKT_OK, "step");
        check(lgkt_learner_observe(learner, step.reward, step.state, step.ended) == LGKT_OK,
              lgkt_learner_message(learner));
        hash = mix(hash, action);
        sum += step.reward;
        if (t != STEPS / 2)
            continue;
        // a copy and a saved one take over half way
        size_t size = 0;
        lgkt_learner_save(learner, NULL, 0, &size, NULL);
        void *bytes = malloc(size);
        check(lgkt_learner_save(learner, bytes, size, &size, &error) == LGKT_OK, error.text);
        check(lgkt_learner_load(bytes, size, &config, &loaded, &error) == LGKT_OK, error.text);
        check(lgkt_learner_copy(loaded, &copy, &error) == LGKT_OK, error.text);
        check(lgkt_learner_hash(copy) == lgkt_learner_hash(learner), "the hash of a copy");
        free(bytes);
        lgkt_learner_destroy(learner);
        lgkt_learner_destroy(loaded);
        learner = copy;
    }
    const lgkt_problem told = lgkt_learner_problem(learner);
    printf("%s in %s: %016llx, mean %.6f, %d states, %lld steps\n", spec, world, hash, sum / STEPS,
           told.states, (long long)told.horizon);
    lgkt_trajectory_destroy(run);
    lgkt_learner_destroy(learner);
    lgkt_env_destroy(env);
}

// ---- reasons, masks, feeding ----

static void explain(const lgkt_mdp *model)
{
    lgkt_error error = {LGKT_OK, ""};
    lgkt_learner *learner = NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 2;
    config.problem.actions = 3;
    config.problem.horizon = 100;
    config.problem.masked = true;
    config.problem.model = model;
    check(lgkt_learner_create("lg1t:threshold=0.25", &config, &learner, &error) == LGKT_OK,
          error.text);
    check(lgkt_learner_feed(learner, 1, 2, 0.5, 0, false) == LGKT_OK, "feed");
    const uint8_t allowed[3] = {1, 0, 1};
    guarded_reasons place;
    memset(&place, GUARD, sizeof place);
    check(lgkt_learner_explain(learner, 1, allowed, place.reasons, sizeof *place.reasons, &error) ==
              LGKT_OK,
          error.text);
    check(guard_is_whole(place.guard, sizeof place.guard), "reasons are written beyond their end");
    printf("reasons: %g visits, probabilities %.4f %.4f %.4f\n", place.reasons[2].visits,
           place.reasons[0].probability, place.reasons[1].probability,
           place.reasons[2].probability);
    int32_t action = -1;
    check(lgkt_learner_act(learner, 1, allowed, &action) == LGKT_OK && action != 1, "a mask");
    check(lgkt_learner_act(learner, 1, NULL, &action) == LGKT_ERR_PROTOCOL, "a second act");
    lgkt_learner_destroy(learner);
}

// ---- keys and units ----

static void keys(void)
{
    lgkt_error error = {LGKT_OK, ""};
    lgkt_keyed *keyed = NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.actions = 2;
    config.problem.horizon = STEPS;
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.state_limit = 100;
    const int32_t cuts[2] = {1, 2};
    const double edges[3] = {0.5, 0.25, 0.75};
    set.view.dims = 2;
    set.view.cuts = cuts;
    set.view.edges = edges;
    check(lgkt_keyed_create("auto", &config, &set, &keyed, &error) == LGKT_OK, error.text);
    lgkt_rng rng = lgkt_rng_stream(SEED, "program", 0);
    unsigned long long hash = 1;
    double at[2] = {0, 0};
    for (int t = 0; t < STEPS; t++) {
        int32_t action = -1;
        check(lgkt_keyed_act(keyed, at, sizeof at, NULL, &action) == LGKT_OK,
              lgkt_keyed_message(keyed));
        const double reward = action == (at[0] < 0.5) ? 1 : 0;
        at[0] = lgkt_rng_uniform(&rng);
        at[1] = lgkt_rng_uniform(&rng);
        check(lgkt_keyed_observe(keyed, reward, at, sizeof at, false) == LGKT_OK,
              lgkt_keyed_message(keyed));
        hash = mix(hash, action);
    }
    printf("keys: %016llx, %d states\n", hash, lgkt_keyed_states(keyed));
    lgkt_keyed_destroy(keyed);
}

static void share(void)
{
    enum { UNITS = 4 };
    lgkt_error error = {LGKT_OK, ""};
    lgkt_units *units = NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 2;
    config.problem.actions = 2;
    config.problem.horizon = STEPS;
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = UNITS;
    check(lgkt_units_create("lg2t", &config, &set, &units, &error) == LGKT_OK, error.text);
    const lgkt_units_row rows[2] = {{.unit = 1, .state = 0, .action = 1, .reward = 1},
                                    {.unit = 2, .state = 1, .action = 0, .next_state = 1}};
    check(lgkt_units_feed_rows(units, rows, 2, sizeof *rows) == LGKT_OK, lgkt_units_message(units));
    unsigned long long hash = 1;
    for (int t = 0; t < STEPS; t++) {
        const uint64_t unit = (uint64_t)(t % UNITS);
        const int32_t state = t / UNITS % 2;
        int64_t decision = -1;
        int32_t action = -1;
        check(lgkt_units_settle(units, unit, state) == LGKT_OK, lgkt_units_message(units));
        guarded_reasons place;
        memset(&place, GUARD, sizeof place);
        check(lgkt_units_explain(units, unit, state, NULL, place.reasons, sizeof *place.reasons,
                                 &error) == LGKT_OK,
              error.text);
        if (t % 10 == 9) {
            action = 1;
            check(lgkt_units_take(units, unit, state, NULL, action, &decision) == LGKT_OK,
                  lgkt_units_message(units));
        } else {
            check(lgkt_units_act(units, unit, state, NULL, &decision, &action) == LGKT_OK,
                  lgkt_units_message(units));
            check(place.reasons[action].probability > 0, "an action of probability 0 was played");
        }
        check(lgkt_units_reward(units, decision, action == state) == LGKT_OK,
              lgkt_units_message(units));
        hash = mix(hash, action);
    }
    printf("units: %016llx, %d units, %lld decisions\n", hash, lgkt_units_count(units),
           (long long)lgkt_units_decisions(units));
    lgkt_units_destroy(units);
}

// ---- what there is ----

static void list(void)
{
    uint32_t traits = 0;
    lgkt_error error = {LGKT_OK, ""};
    const lgkt_entry *found = NULL;
    for (int32_t i = 0; lgkt_learner_entry(i) != NULL; i++)
        if (strcmp(lgkt_learner_entry(i)->name, "ucb") == 0)
            found = lgkt_learner_entry(i);
    check(found != NULL && lgkt_entry_param(found, 0) != NULL, "ucb");
    check(lgkt_learner_traits("lg2t", &traits, &error) == LGKT_OK, error.text);
    printf("ucb has %s, lg2t %s be fed\n", found != NULL ? lgkt_entry_param(found, 0)->name : "?",
           traits & LGKT_TRAIT_FED ? "can" : "cannot");
    check(lgkt_learner_create("nobody", NULL, NULL, &error) == LGKT_ERR_ARGUMENT, "a NULL config");
    check(strcmp(lgkt_status_name(error.status), "ARGUMENT") == 0, "the name of a status");
}

int main(int argc, char **argv)
{
    // versions and numbers are those of the library, and may be later ones
    check(strcmp(lgkt_version(), "0.1.0") >= 0 && lgkt_numbers() >= LGKT_NUMBERS, "the version");
    if (argc == 2 && strcmp(argv[1], "numbers") == 0) {
        printf("%d\n", lgkt_numbers());
        return 0;
    }
    lgkt_mdp *model = make_model();
    plan(model);
    learn("lg2t", "riverswim:states=5");
    learn("auto", "synthetic:states=6,actions=3");
    learn("anytime:of=(lg1t-rl:rl=psrl,cutoff=50)", "frozenlake");
    explain(model);
    keys();
    share();
    list();
    lgkt_mdp_destroy(model);
    return 0;
}
