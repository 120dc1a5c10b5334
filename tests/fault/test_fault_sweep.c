// SPDX-License-Identifier: MIT
// Whole lives with every allocation failing, once and for good: every learner with every choice,
// every environment, every planning function, and learners whose states come up one by one.
//
// Unit tests fail the allocations of single functions; here the calls follow one another, so that
// what an earlier call left behind meets the failure of a later one.

// labels: slow

#include "test.h"

#include <stdlib.h>

#include "ref/env_run.h"
#include "ref/fault.h"
#include "ref/learner_run.h"
#include "ref/masked_run.h"
#include "ref/models.h"

enum { STEPS = 20, KEYED_STEPS = 50, STATE_LIMIT = 60 };

// ---- learners ----

typedef struct life {
    const char *spec;
    const lgkt_mdp *model;
} life;

// a run, among some actions where there are masks; an act that fails leaves no trace
static lgkt_status play(lgkt_learner *learner, const lgkt_mdp *model, int steps)
{
    const bool masked = lgkt_learner_problem(learner).masked;
    uint8_t allowed[LEARNER_RUN_ACTIONS];
    learner_run run = {.learner = learner, .model = model, .seed = 3, .cuts = 0.1};
    lgkt_status status = LGKT_OK;
    for (int i = 0; i < steps && status == LGKT_OK; i++) {
        int32_t action = -1;
        const int32_t next = lgkt_learner_next_state(learner);
        run.state = next < 0 ? i % LEARNER_RUN_STATES : next;
        masked_run_mask(run.seed, lgkt_learner_time(learner), LEARNER_RUN_ACTIONS, allowed);
        const uint64_t hash = masked ? lgkt_learner_hash(learner) : 0;
        status = lgkt_learner_act(learner, run.state, masked ? allowed : NULL, &action);
        if (status != LGKT_OK) {
            if (masked && lgkt_learner_hash(learner) != hash)
                fail_msg("%s: changed by an act that failed", lgkt_learner_spec(learner));
            break;
        }
        const lgkt_step step = learner_run_outcome(&run, action);
        status = lgkt_learner_observe(learner, step.reward, step.state, step.ended);
    }
    return status;
}

// saves one learner and loads it as another
static lgkt_status copy_learner(const lgkt_learner *learner, const lgkt_learner_config *config,
                                lgkt_learner **copy, lgkt_error *error)
{
    size_t size = 0;
    assert_int_equal(lgkt_learner_save(learner, NULL, 0, &size, NULL), LGKT_ERR_SHAPE);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(lgkt_learner_save(learner, bytes, size, &size, NULL), LGKT_OK);
    const lgkt_status status = lgkt_learner_load(bytes, size, config, copy, error);
    free(bytes);
    return status;
}

// a run, a copy by its bytes, and the rest of the run
static lgkt_status live(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const life *what = ctx;
    lgkt_learner_config config = learner_run_config(what->model, 2 * STEPS);
    config.allocator = *allocator;
    lgkt_learner *learner = NULL, *copy = NULL;
    lgkt_status status = lgkt_learner_create(what->spec, &config, &learner, error);
    if (status == LGKT_OK)
        status = play(learner, what->model, STEPS);
    if (status == LGKT_OK) {
        config.like = learner;
        status = copy_learner(learner, &config, &copy, error);
    }
    // the copy may share tables with a learner that is gone
    lgkt_learner_destroy(learner);
    if (status == LGKT_OK)
        status = play(copy, what->model, STEPS);
    // refused steps explain themselves in the learner; the sweep asks for an error
    if (status != LGKT_OK && error->text[0] == '\0')
        *error = (lgkt_error){.status = status, .text = "a step"};
    lgkt_learner_destroy(copy);
    return status;
}

static void test_lives_of_learners(void **state)
{
    long long failed = 0;
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; learner_run_spec(i, spec); i += test_short() ? 4 : 1) {
        life what = {spec, *state};
        failed += fault_sweep(live, &what);
    }
    print_message("%lld allocations of learners failed\n", failed);
}

// ---- questions, and an end that moves ----

static lgkt_status ask(const lgkt_learner *learner, lgkt_error *error)
{
    lgkt_reason reasons[LEARNER_RUN_STATES * LEARNER_RUN_ACTIONS];
    double policy[LEARNER_RUN_STATES * LEARNER_RUN_ACTIONS];
    const int32_t next = lgkt_learner_next_state(learner);
    lgkt_status status = lgkt_learner_explain(learner, next < 0 ? 0 : next, NULL, reasons,
                                              sizeof(lgkt_reason), error);
    if (status == LGKT_OK)
        status = lgkt_learner_explain_all(learner, reasons, sizeof(lgkt_reason), error);
    return status == LGKT_OK ? lgkt_learner_policy(learner, policy, error) : status;
}

// a run with masks, what it would do then, and another horizon
static lgkt_status live_longer(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const life *what = ctx;
    lgkt_learner_config config = learner_run_config(what->model, STEPS);
    config.problem.masked = true;
    config.allocator = *allocator;
    lgkt_learner *learner = NULL;
    lgkt_status status = lgkt_learner_create(what->spec, &config, &learner, error);
    if (status == LGKT_OK)
        status = play(learner, what->model, STEPS / 4);
    if (status == LGKT_OK) {
        const uint64_t hash = lgkt_learner_hash(learner);
        status = ask(learner, error);
        if (status == LGKT_OK)
            status = lgkt_learner_set_horizon(learner, STEPS + 5);
        assert_true(status == LGKT_OK || lgkt_learner_hash(learner) == hash);
    }
    if (status == LGKT_OK)
        status = play(learner, what->model, STEPS / 4);
    if (status != LGKT_OK && error->text[0] == '\0')
        *error = (lgkt_error){.status = status, .text = "a step"};
    lgkt_learner_destroy(learner);
    return status;
}

static void test_questions_and_another_horizon(void **state)
{
    long long failed = 0;
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; masked_run_spec(i, spec); i++) {
        life what = {spec, *state};
        failed += fault_sweep(live_longer, &what);
    }
    print_message("%lld allocations of questions failed\n", failed);
}

// ---- states that come up one by one ----

typedef struct keyed_life {
    const char *spec;
    lgkt_keyed *keyed;
    fault *memory;
    long long refusals;
} keyed_life;

// what a refused call must not change
typedef struct mark {
    uint64_t hash;
    int32_t states;
} mark;

static mark mark_of(const lgkt_keyed *keyed)
{
    return (mark){lgkt_learner_hash(lgkt_keyed_learner(keyed)), lgkt_keyed_states(keyed)};
}

// After a call: false if it went well. If memory was out, nothing has changed, and the next try
// gets all it needs.
static bool must_repeat(keyed_life *l, lgkt_status status, mark before)
{
    if (status == LGKT_OK)
        return false;
    assert_int_equal(status, LGKT_ERR_NO_MEMORY);
    assert_true(strlen(lgkt_keyed_message(l->keyed)) > 0);
    const mark after = mark_of(l->keyed);
    if (after.states != before.states || after.hash != before.hash)
        fail_msg("%s: changed by a call that failed: %s", l->spec, lgkt_keyed_message(l->keyed));
    fault_fail_at(l->memory, 0, false);
    l->refusals++;
    return true;
}

// keys of different lengths; more and more of them
static size_t key_of(int t, int32_t action, char key[64])
{
    const int number = (5 * t + action) % (t / 2 + 3);
    return (size_t)snprintf(key, 64, "%0*d", 1 + number, number);
}

static void play_keyed(keyed_life *l)
{
    char key[64];
    size_t size = key_of(0, 0, key);
    for (int t = 0; t < KEYED_STEPS; t++) {
        int32_t action = -1;
        mark before = mark_of(l->keyed);
        while (must_repeat(l, lgkt_keyed_act(l->keyed, key, size, NULL, &action), before)) {
        }
        size = key_of(t, action, key);
        before = mark_of(l->keyed);
        const double reward = (t * t + 3 * action) % 7 / 7.0;
        while (
            must_repeat(l, lgkt_keyed_observe(l->keyed, reward, key, size, t % 11 == 10), before)) {
        }
    }
}

// A run during which allocation k fails and all that follow, until a call says so; *hash is what
// the learner ends with. False if the learner could not be made at all.
static bool live_keyed(const char *spec, long long k, uint64_t *hash, long long *calls)
{
    fault memory;
    fault_init(&memory);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.actions = 3;
    config.problem.horizon = KEYED_STEPS;
    config.allocator = fault_allocator(&memory);
    lgkt_keyed_config keys = lgkt_keyed_config_default();
    keys.state_limit = STATE_LIMIT;
    keyed_life l = {.spec = spec, .memory = &memory};
    lgkt_error error = {0};
    fault_fail_at(&memory, k, true);
    lgkt_status status = lgkt_keyed_create(spec, &config, &keys, &l.keyed, &error);
    if (status == LGKT_ERR_NO_MEMORY) {
        fault_fail_at(&memory, 0, false);
        l.refusals++;
        status = lgkt_keyed_create(spec, &config, &keys, &l.keyed, &error);
    }
    if (status == LGKT_OK) {
        play_keyed(&l);
        *hash = lgkt_learner_hash(lgkt_keyed_learner(l.keyed));
        assert_int_equal(l.refusals, k > 0 ? 1 : 0);
    }
    *calls = atomic_load(&memory.calls);
    lgkt_keyed_destroy(l.keyed);
    assert_true(fault_is_clean(&memory));
    return status == LGKT_OK;
}

static void test_growing_learners(void **state)
{
    (void)state;
    long long failed = 0;
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; learner_run_spec(i, spec); i += test_short() ? 4 : 1) {
        uint64_t plain = 0, disturbed = 1;
        long long calls = 0, ignored;
        // some know all states beforehand
        if (!live_keyed(spec, 0, &plain, &calls))
            continue;
        for (long long k = 1; k <= calls; k++) {
            assert_true(live_keyed(spec, k, &disturbed, &ignored));
            assert_true(plain == disturbed);
        }
        failed += calls;
    }
    assert_true(failed > (test_short() ? 250 : 1000));
    print_message("%lld allocations of growing learners failed\n", failed);
}

// ---- environments ----

typedef struct world {
    const char *spec;
    const lgkt_mdp *model;
} world;

// an environment, a run, and a copy of the run by its bytes
static lgkt_status visit_world(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const world *what = ctx;
    lgkt_env_config config = lgkt_env_config_default();
    config.data = env_run_data(what->spec, what->model, NULL, 0);
    config.allocator = *allocator;
    lgkt_env *env = NULL;
    lgkt_trajectory *run = NULL, *copy = NULL;
    unsigned char bytes[1024];
    size_t size = 0;
    lgkt_status status = lgkt_env_create(what->spec, &config, &env, error);
    if (status == LGKT_OK)
        status = lgkt_trajectory_create(env, STEPS, 0, 0, allocator, &run, error);
    if (status == LGKT_OK) {
        lgkt_step step;
        for (int t = 0; t < STEPS / 2; t++)
            assert_int_equal(lgkt_trajectory_step(run, 0, &step), LGKT_OK);
        assert_int_equal(lgkt_trajectory_save(run, bytes, sizeof bytes, &size, NULL), LGKT_OK);
        status = lgkt_trajectory_load(env, bytes, size, allocator, &copy, error);
    }
    lgkt_trajectory_destroy(copy);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
    return status;
}

static void test_environments(void **state)
{
    long long failed = 0;
    for (int32_t i = 0; lgkt_env_entry(i) != NULL; i++) {
        world what = {lgkt_env_entry(i)->name, *state};
        failed += fault_sweep(visit_world, &what);
    }
    print_message("%lld allocations of environments failed\n", failed);
}

// ---- planning ----

static int ignore_law(void *ctx, int64_t t, const double *law)
{
    (void)ctx, (void)t, (void)law;
    return 0;
}

// everything that is asked of a policy
static lgkt_status judge(const lgkt_policy *policy, const lgkt_cost *cost,
                         const lgkt_allocator *allocator, lgkt_error *error)
{
    double value[LEARNER_RUN_STATES], number;
    lgkt_status status = lgkt_policy_value(policy, allocator, value, error);
    if (status == LGKT_OK)
        status = lgkt_policy_forward(policy, NULL, allocator, ignore_law, NULL, error);
    if (status == LGKT_OK)
        status = lgkt_policy_ratio(policy, allocator, &number, error);
    if (status == LGKT_OK)
        status = lgkt_policy_gain(policy, 1e-9, allocator, &number, NULL, error);
    if (status == LGKT_OK)
        status = lgkt_plan_gap_bound(policy, 2, allocator, &number, error);
    if (status == LGKT_OK)
        status = lgkt_cost_of_policy(cost, policy, NULL, allocator, &number, error);
    return status;
}

static lgkt_status make_policy(int kind, const lgkt_mdp *mdp, const lgkt_threshold *threshold,
                               const lgkt_allocator *allocator, lgkt_policy **policy,
                               lgkt_error *error)
{
    static const int32_t actions[LEARNER_RUN_STATES] = {0};
    switch (kind) {
    case 0:
        return lgkt_policy_optimal(mdp, STEPS, LGKT_TIES_LOW, allocator, policy, error);
    case 1:
        return lgkt_policy_greedy(mdp, 2, STEPS, LGKT_TIES_HIGH, allocator, policy, error);
    case 2:
        return lgkt_policy_threshold(mdp, 2, STEPS, threshold, allocator, policy, error);
    case 3:
        return lgkt_policy_uniform(mdp, STEPS, allocator, policy, error);
    default:
        return lgkt_policy_fixed(mdp, STEPS, actions, allocator, policy, error);
    }
}

static lgkt_status plan_all(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const lgkt_mdp *mdp = ctx;
    const lgkt_threshold threshold = {.constant = 0.5};
    double q[LEARNER_RUN_STATES * LEARNER_RUN_ACTIONS], gain;
    lgkt_cost *cost = NULL;
    lgkt_status status = lgkt_plan_lookahead(mdp, 3, allocator, q, error);
    if (status == LGKT_OK)
        status = lgkt_plan_gain(mdp, 1e-9, allocator, &gain, NULL, error);
    if (status == LGKT_OK)
        status = lgkt_cost_create(mdp, 2, STEPS, &threshold, allocator, &cost, error);
    for (int kind = 0; kind < 5 && status == LGKT_OK; kind++) {
        lgkt_policy *policy = NULL;
        status = make_policy(kind, mdp, &threshold, allocator, &policy, error);
        if (status == LGKT_OK)
            status = judge(policy, cost, allocator, error);
        lgkt_policy_destroy(policy);
    }
    lgkt_cost_destroy(cost);
    return status;
}

static void test_planning(void **state)
{
    print_message("%lld allocations of planning failed\n", fault_sweep(plan_all, *state));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lives_of_learners),
        cmocka_unit_test(test_questions_and_another_horizon),
        cmocka_unit_test(test_growing_learners),
        cmocka_unit_test(test_environments),
        cmocka_unit_test(test_planning),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
