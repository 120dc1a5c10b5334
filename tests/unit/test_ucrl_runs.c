// SPDX-License-Identifier: MIT
// labels: slow
// Long and strange runs of the learners by extended value iteration: optimism, the optimum in the
// long run, rewards of any scale, growing states, the switch, memory, resuming.

#include "test.h"

#include <stdlib.h>

#include "learners/planners/ucrl.h"
#include "lgkt/keyed.h"
#include "ref/fault.h"
#include "ref/learner_run.h"
#include "ref/models.h"

static const char *const names[] = {"ucrl2", "klucrl", "pmevi-ucrl2", "pmevi-klucrl"};
enum { NAMES = 4 };

static const lgkt_ucrl *inside(const lgkt_learner *learner)
{
    return learner->self;
}

// ---- runs in environments ----

typedef struct world {
    lgkt_env *env;
    lgkt_trajectory *trajectory;
    lgkt_learner *learner;
    double gain, span; // of the best policy
} world;

static world world_open(const char *env, const char *spec, int64_t horizon, uint64_t instance)
{
    world w = {0};
    lgkt_error error = {0};
    lgkt_env_config config = lgkt_env_config_default();
    config.instance = instance;
    assert_ok(lgkt_env_create(env, &config, &w.env, &error), error);
    assert_ok(lgkt_trajectory_create(w.env, horizon, 0, instance, NULL, &w.trajectory, &error),
              error);
    lgkt_learner_config learner = lgkt_learner_config_default();
    learner.problem = lgkt_env_problem(w.env, horizon);
    learner.instance = instance;
    w.learner = learner_run_make(spec, &learner);
    double bias[16];
    assert_ok(lgkt_plan_gain(lgkt_env_model(w.env), 1e-11, NULL, &w.gain, bias, &error), error);
    for (int32_t s = 0; s < learner.problem.states; s++)
        w.span = fmax(w.span, bias[s]);
    return w;
}

static void world_close(world *w)
{
    lgkt_learner_destroy(w->learner);
    lgkt_trajectory_destroy(w->trajectory);
    lgkt_env_destroy(w->env);
}

static double world_step(world *w)
{
    int32_t action = -1;
    lgkt_step step;
    assert_int_equal(
        lgkt_learner_act(w->learner, lgkt_trajectory_state(w->trajectory), NULL, &action), LGKT_OK);
    assert_int_equal(lgkt_trajectory_step(w->trajectory, action, &step), LGKT_OK);
    assert_int_equal(lgkt_learner_observe(w->learner, step.reward, step.state, step.ended),
                     LGKT_OK);
    return step.mean_reward;
}

// ---- optimism ----

// At every planning the gain is at least that of the best policy, up to the precision. All bounds
// hold at all times with probability above 1 - 2 S A delta = 1 - 3e-4 in a run; that is why none of
// 100 may fail (false alarm: 3e-2 by this bound, in truth far less; the seeds are fixed).
static void check_optimism(const char *env, const char *spec, uint64_t instance)
{
    const int64_t horizon = 3000;
    world w = world_open(env, spec, horizon, instance);
    const lgkt_ucrl *u = inside(w.learner);
    // what PMEVI assumes of the bias
    assert_true(!u->name->pmevi || w.span <= u->set.span * u->map.scale);
    for (int64_t t = 0, episodes = 0; t < horizon; t++) {
        world_step(&w);
        if (u->episodes == episodes)
            continue;
        episodes = u->episodes;
        const double planned = u->set.reward.min + u->map.scale * (u->gain + u->precision);
        if (!(planned >= w.gain))
            fail_msg("%s, %s, instance %d, t = %d: planned %g, best %g", spec, env, (int)instance,
                     (int)t, planned, w.gain);
        assert_between(u->gain, 0, u->cap + u->precision / 2 + 1e-9);
    }
    assert_int_equal(u->evi.cap_hits, 0);
    world_close(&w);
}

static void test_plans_are_optimistic(void **state)
{
    (void)state;
    for (int i = 0; i < NAMES; i++)
        for (uint64_t instance = 0; instance < 100; instance++) {
            check_optimism("synthetic:states=5,actions=3", names[i], instance);
            check_optimism("riverswim:states=5", names[i], instance);
        }
}

// ---- the long run ----

static void test_the_optimum_is_reached(void **state)
{
    (void)state;
    const int64_t horizon = 2000000, tail = horizon / 10;
    for (int i = 0; i < NAMES; i++) {
        world w = world_open("riverswim:states=5", names[i], horizon, 1);
        double earned = 0;
        for (int64_t t = 0; t < horizon; t++) {
            const double mean = world_step(&w);
            earned += t >= horizon - tail ? mean : 0;
        }
        assert_between(earned / (double)tail / w.gain, 0.97, 1.03);
        assert_int_equal(inside(w.learner)->evi.cap_hits, 0);
        world_close(&w);
    }
}

// ---- rewards of any scale ----

enum { STEPS = 400, STATES = 3, ACTIONS = 4 };

// rewards become factor r + shift
typedef struct scaling {
    double factor, shift;
    bool told; // else the learner thinks that they are in [0, 1]
} scaling;

static void check_finite(const lgkt_learner *learner)
{
    const lgkt_ucrl *u = inside(learner);
    const int32_t pairs = learner->problem.states * learner->problem.actions;
    assert_true(isfinite(u->gain) && isfinite(u->precision) && isfinite(u->least_gain));
    assert_true(isfinite(u->evi.drift) && isfinite(u->evi.top) && isfinite(u->bias.reward));
    for (int32_t s = 0; s < learner->problem.states; s++)
        assert_true(isfinite(u->evi.u[s]) && isfinite(u->evi.v[s]));
    for (int32_t z = 0; z < pairs; z++) {
        const lgkt_plausible *pair = &u->evi.pairs[z];
        assert_true(isfinite(pair->reward) && isfinite(pair->radius));
        assert_true(!isnan(pair->mitigation) && !isnan(u->evi.backups[z].value));
    }
}

static void scaled_run(const char *spec, const lgkt_mdp *model, scaling scale, int32_t *actions)
{
    lgkt_learner_config config = learner_run_config(model, STEPS);
    lgkt_problem *problem = &config.problem;
    problem->model = NULL;
    problem->reward_min = problem->reward_min * scale.factor + scale.shift;
    problem->reward_max = problem->reward_max * scale.factor + scale.shift;
    problem->reward_sd *= scale.factor;
    if (!scale.told)
        problem->reward_min = problem->reward_max = problem->reward_sd = NAN;
    lgkt_learner *learner = learner_run_make(spec, &config);
    learner_run run = {learner, model, 3, 0.01, 0};
    for (int t = 0; t < STEPS; t++) {
        assert_int_equal(lgkt_learner_act(learner, run.state, NULL, &actions[t]), LGKT_OK);
        check_finite(learner);
        const lgkt_step step = learner_run_outcome(&run, actions[t]);
        assert_int_equal(lgkt_learner_observe(learner, step.reward * scale.factor + scale.shift,
                                              step.state, step.ended),
                         LGKT_OK);
        run.state = step.state;
    }
    lgkt_learner_destroy(learner);
}

static void check_scalings(const char *spec, const lgkt_mdp *model)
{
    static const scaling scalings[] = {
        {1, 0, true},        {0x1p20, 0, true}, {0x1p-20, 0, true}, {1e6, 0, true},
        {1e-6, 0, true},     {1, -1000, true},  {0, 7, true},       {1e6, 0, false},
        {1e-6, 0, false},    {1, -1000, false}, {0, 7, false},      {1e90, -1e90, false},
        {1e12, -1e14, true},
    };
    int32_t plain[STEPS], scaled[STEPS];
    for (size_t i = 0; i < sizeof scalings / sizeof *scalings; i++) {
        scaled_run(spec, model, scalings[i], i == 0 ? plain : scaled);
        // powers of two change no digit
        if (i == 1 || i == 2)
            assert_memory_equal(plain, scaled, sizeof plain);
    }
}

static void test_rewards_of_any_scale(void **state)
{
    (void)state;
    static const int32_t sizes[][2] = {{STATES, ACTIONS}, {1, 3}, {4, 1}, {1, 1}};
    for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
        lgkt_rng rng = lgkt_rng_stream(7, "model", j);
        lgkt_mdp *model = model_random(&rng, sizes[j][0], sizes[j][1], 0.5);
        for (int i = 0; i < NAMES; i++)
            for (int original = 0; original < 2; original++) {
                char spec[64];
                snprintf(spec, sizeof spec, "%s:bound=%s,delta=%g", names[i],
                         original ? "original" : "mixture", j == 0 ? 1e-300 : 1e-5);
                check_scalings(spec, model);
            }
        lgkt_mdp_destroy(model);
    }
}

// ---- limits ----

static void test_counters_and_the_sweep_cap(void **state)
{
    (void)state;
    lgkt_mdp *model = model_riverswim(5, false);
    for (int i = 0; i < NAMES; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "%s:sweeps=1,precision=1e-9", names[i]);
        const lgkt_learner_config config = learner_run_config(model, 500);
        lgkt_learner *learner = learner_run_make(spec, &config);
        learner_run run = {learner, model, 3, 0, 0};
        learner_run_play(&run, 500, NULL);
        const int64_t episodes = learner_run_counter(learner, "episodes");
        assert_int_equal(learner_run_counter(learner, "sweeps"), episodes);
        assert_in_range(learner_run_counter(learner, "sweep_cap_hits"), episodes / 2, episodes);
        assert_true((learner_run_counter(learner, "active_projections") >= 0) == (i >= 2));
        assert_true((learner_run_counter(learner, "infeasible_projections") == 0) == (i >= 2));
        // one sweep tells little: such a gain bounds nothing
        const lgkt_ucrl *u = inside(learner);
        assert_true(u->least_gain >= 0.99 * u->cap);
        lgkt_learner_destroy(learner);
    }
    lgkt_mdp_destroy(model);
}

// a small span is felt by the projection
static void test_projections_are_counted(void **state)
{
    (void)state;
    lgkt_mdp *model = model_riverswim(5, false);
    const lgkt_learner_config config = learner_run_config(model, 3000);
    lgkt_learner *learner = learner_run_make("pmevi-klucrl:span=0.1", &config);
    learner_run run = {learner, model, 3, 0, 0};
    learner_run_play(&run, 3000, NULL);
    assert_in_range(learner_run_counter(learner, "active_projections"), 1, 100000);
    double most = 0;
    for (int32_t s = 0; s < 5; s++)
        most = fmax(most, inside(learner)->evi.u[s]);
    assert_between(most, 0, 0.1 + 1e-12);
    lgkt_learner_destroy(learner);
    lgkt_mdp_destroy(model);
}

// ---- memory ----

static lgkt_status make_and_play(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 4;
    config.problem.actions = 3;
    config.problem.horizon = 50;
    config.allocator = *allocator;
    lgkt_learner *learner = NULL;
    const lgkt_status status = lgkt_learner_create(ctx, &config, &learner, error);
    if (status != LGKT_OK)
        return status;
    int32_t action;
    lgkt_learner_act(learner, 0, NULL, &action);
    lgkt_learner_destroy(learner);
    return LGKT_OK;
}

static void test_creation_survives_failing_allocations(void **state)
{
    (void)state;
    for (int i = 0; i < NAMES; i++)
        assert_in_range(fault_sweep(make_and_play, (void *)names[i]), 5, 100);
}

static void test_steps_allocate_nothing(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(6, "model", 0);
    lgkt_mdp *model = model_random(&rng, 3, 2, 5);
    for (int i = 0; i < NAMES; i++) {
        fault f;
        fault_init(&f);
        lgkt_learner_config config = learner_run_config(model, 3000);
        config.allocator = fault_allocator(&f);
        lgkt_learner *learner = learner_run_make(names[i], &config);
        const long long calls = atomic_load(&f.calls);
        assert_in_range(lgkt_learner_bytes(learner), 1000, atomic_load(&f.bytes));
        learner_run run = {learner, model, 3, 0.01, 0};
        learner_run_play(&run, 3000, NULL);
        assert_int_equal(atomic_load(&f.calls), calls);
        // all edges that there can be
        assert_int_equal(inside(learner)->counts.used, 18);
        lgkt_learner_destroy(learner);
        assert_true(fault_is_clean(&f));
    }
    lgkt_mdp_destroy(model);
}

// O(S A + min(T, S^2 A)), PMEVI besides O(S^2)
static void test_memory_is_as_documented(void **state)
{
    (void)state;
    for (int i = 0; i < NAMES; i++)
        for (int32_t states = 10; states <= 1000; states *= 10) {
            const double s = states, actions = 4, steps = 5000;
            lgkt_learner_config config = lgkt_learner_config_default();
            config.problem.states = states;
            config.problem.actions = 4;
            config.problem.horizon = 5000;
            lgkt_learner *learner = learner_run_make(names[i], &config);
            const double most = 2048 + 200 * s * actions + 16 * fmin(steps, s * s * actions) +
                                (i >= 2 ? 40 * s * s : 0);
            assert_between((double)lgkt_learner_bytes(learner), 0, most);
            lgkt_learner_destroy(learner);
        }
}

// ---- growing states ----

// plans count the states that were seen when they were made
static void check_keyed_plan(const lgkt_learner *learner, int32_t states)
{
    const lgkt_ucrl *u = inside(learner);
    const lgkt_radii radii = {.region = u->name->region,
                              .bound = (lgkt_bound)u->set.bound,
                              .states = states,
                              .actions = learner->problem.actions,
                              .delta = u->set.delta};
    assert_int_equal(u->evi.states, states);
    for (int32_t z = 0; z < states * learner->problem.actions; z++) {
        const lgkt_seen_row *pair = &u->counts.rows[z];
        double radius = pair->moves > 0 ? lgkt_radius_row(&radii, (double)pair->moves) : 0;
        radius = radius > 0 && u->set.radius > 0 ? u->set.radius : radius;
        assert_close(u->evi.pairs[z].radius, radius, 1e-12 * radius);
        if (pair->n == 0)
            assert_close(u->evi.pairs[z].reward, 1, 0);
    }
    check_finite(learner);
}

static lgkt_keyed *keyed_make(const char *spec, int32_t actions, int32_t limit)
{
    lgkt_error error = {0};
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_keyed_config set = lgkt_keyed_config_default();
    config.problem.actions = actions;
    config.problem.horizon = 3000;
    set.state_limit = limit;
    lgkt_keyed *keyed = NULL;
    assert_ok(lgkt_keyed_create(spec, &config, &set, &keyed, &error), error);
    return keyed;
}

static void check_growing_run(lgkt_keyed *keyed, const lgkt_mdp *model)
{
    const lgkt_learner *learner = lgkt_keyed_learner(keyed);
    lgkt_rng rng = lgkt_rng_stream(8, "steps", 0);
    int32_t state = 20;
    int64_t episodes = 0;
    for (int t = 0; t < 3000; t++) {
        int32_t action = -1;
        assert_int_equal(lgkt_keyed_act(keyed, &state, sizeof state, NULL, &action), LGKT_OK);
        if (inside(learner)->episodes > episodes)
            check_keyed_plan(learner, lgkt_keyed_states(keyed));
        episodes = inside(learner)->episodes;
        const lgkt_row row = lgkt_mdp_row(model, state, action);
        const double reward = lgkt_mdp_reward(model, state, action);
        const bool cut = lgkt_rng_bernoulli(&rng, 0.01);
        state = row.next[lgkt_sample_index(row.p, row.n, lgkt_rng_uniform(&rng))];
        if (cut)
            state = lgkt_rng_below(&rng, lgkt_mdp_states(model));
        assert_int_equal(lgkt_keyed_observe(keyed, reward, &state, sizeof state, cut), LGKT_OK);
    }
    assert_int_equal(lgkt_keyed_states(keyed), lgkt_mdp_states(model));
}

static void test_states_may_grow(void **state)
{
    (void)state;
    lgkt_mdp *model = model_riverswim(40, false);
    for (int i = 0; i < 2 * NAMES; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "%s%s", names[i % NAMES], i < NAMES ? "" : ":profile=released");
        lgkt_keyed *keyed = keyed_make(spec, 2, 40);
        check_growing_run(keyed, model);
        lgkt_keyed_destroy(keyed);
    }
    lgkt_mdp_destroy(model);
}

// a gain that was planned with one poor state is no bound once there is a rich one
static void test_bounds_on_the_gain_fall_when_states_are_added(void **state)
{
    (void)state;
    lgkt_keyed *keyed = keyed_make("pmevi-klucrl:span=1e6", 1, 2);
    const lgkt_ucrl *u = inside(lgkt_keyed_learner(keyed));
    int32_t action;
    for (int t = 0; t < 2000; t++) {
        assert_int_equal(lgkt_keyed_act(keyed, "poor", 4, NULL, &action), LGKT_OK);
        assert_int_equal(lgkt_keyed_observe(keyed, 0, t < 1999 ? "poor" : "rich", 4, false), 0);
    }
    assert_between(u->least_gain, 0, 0.3);
    assert_int_equal(lgkt_keyed_act(keyed, "rich", 4, NULL, &action), LGKT_OK);
    // nothing is known of the rich state: it may be left for nowhere, and earn 1 for ever
    assert_between(u->least_gain, 0.99, 1);
    lgkt_keyed_destroy(keyed);
}

// ---- the switch ----

static void test_partner_plans_at_the_switch(void **state)
{
    (void)state;
    lgkt_mdp *model = model_riverswim(5, false);
    const lgkt_learner_config config = learner_run_config(model, 600);
    lgkt_learner *learner = learner_run_make("lg1t-rl:cutoff=300", &config);
    assert_non_null(strstr(lgkt_learner_spec(learner), "rl=pmevi-klucrl"));
    learner_run run = {learner, model, 3, 0, 0};
    learner_run_play(&run, 300, NULL);
    assert_int_equal(learner_run_counter(learner, "episodes"), 0);
    learner_run_play(&run, 1, NULL);
    assert_int_equal(learner_run_counter(learner, "episodes"), 1);
    learner_run_play(&run, 299, NULL);
    assert_in_range(learner_run_counter(learner, "episodes"), 2, 299);
    lgkt_learner_destroy(learner);
    lgkt_mdp_destroy(model);
}

// the partner goes on from everything it has watched, just as if it had been fed
static void test_partner_is_a_fed_learner(void **state)
{
    (void)state;
    enum { CUTOFF = 200, LENGTH = 500 };
    lgkt_mdp *model = model_riverswim(4, false);
    for (int i = 0; i < NAMES; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "lg1t-rl:cutoff=%d,rl=%s", CUTOFF, names[i]);
        const lgkt_learner_config config = learner_run_config(model, LENGTH);
        lgkt_learner *both = learner_run_make(spec, &config);
        lgkt_learner *alone = learner_run_make(names[i], &config);
        learner_run run = {both, model, 3, 0.02, 0};
        for (int t = 0; t < LENGTH; t++) {
            int32_t action = -1, other = -1;
            const int32_t from = run.state;
            if (t == CUTOFF) {
                alone->t = CUTOFF;
                alone->rng = both->rng;
            }
            assert_int_equal(lgkt_learner_act(both, from, NULL, &action), LGKT_OK);
            const lgkt_step step = learner_run_outcome(&run, action);
            lgkt_learner_observe(both, step.reward, step.state, step.ended);
            if (t < CUTOFF) {
                lgkt_learner_feed(alone, from, action, step.reward, step.state, step.ended);
            } else {
                assert_int_equal(lgkt_learner_act(alone, from, NULL, &other), LGKT_OK);
                assert_int_equal(action, other);
                lgkt_learner_observe(alone, step.reward, step.state, step.ended);
            }
            run.state = step.state;
        }
        lgkt_learner_destroy(both);
        lgkt_learner_destroy(alone);
    }
    lgkt_mdp_destroy(model);
}

// ---- resuming ----

static lgkt_learner *reload(lgkt_learner *learner)
{
    size_t size = 0;
    lgkt_learner_save(learner, NULL, 0, &size, NULL);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(lgkt_learner_save(learner, bytes, size, &size, NULL), LGKT_OK);
    const lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_learner *loaded = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_learner_load(bytes, size, &config, &loaded, &error), error);
    free(bytes);
    lgkt_learner_destroy(learner);
    return loaded;
}

// saved and loaded at every act and observe of 200 steps
static void check_resuming(const char *spec, const lgkt_mdp *model, double cuts)
{
    lgkt_learner_config config = learner_run_config(model, 200);
    config.problem.model = NULL;
    lgkt_learner *whole = learner_run_make(spec, &config),
                 *pieces = learner_run_make(spec, &config);
    learner_run run = {whole, model, 3, cuts, 0};
    for (int t = 0; t < 200; t++) {
        int32_t action = -1, other = -1;
        assert_int_equal(lgkt_learner_act(whole, run.state, NULL, &action), LGKT_OK);
        pieces = reload(pieces);
        assert_int_equal(lgkt_learner_act(pieces, run.state, NULL, &other), LGKT_OK);
        assert_int_equal(action, other);
        pieces = reload(pieces);
        const lgkt_step step = learner_run_outcome(&run, action);
        assert_int_equal(lgkt_learner_observe(whole, step.reward, step.state, step.ended), 0);
        assert_int_equal(lgkt_learner_observe(pieces, step.reward, step.state, step.ended), 0);
        assert_true(lgkt_learner_hash(whole) == lgkt_learner_hash(pieces));
        assert_true(inside(whole)->least_gain == inside(pieces)->least_gain);
        run.state = step.state;
    }
    lgkt_learner_destroy(whole);
    lgkt_learner_destroy(pieces);
}

static void test_resuming_is_exact(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(9, "model", 0);
    lgkt_mdp *river = model_riverswim(5, false), *random = model_random(&rng, 5, 3, 0.2);
    for (int i = 0; i < NAMES; i++)
        for (int j = 0; j < 4; j++) {
            char spec[64];
            snprintf(spec, sizeof spec, "%s:bound=%s,delta=%g", names[i],
                     j / 2 == 0 ? "mixture" : "original", j == 0 ? 1 : 1e-5);
            check_resuming(spec, j % 2 == 0 ? river : random, j == 1 ? 0.05 : 0);
        }
    lgkt_mdp_destroy(river);
    lgkt_mdp_destroy(random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans_are_optimistic),
        cmocka_unit_test(test_the_optimum_is_reached),
        cmocka_unit_test(test_rewards_of_any_scale),
        cmocka_unit_test(test_counters_and_the_sweep_cap),
        cmocka_unit_test(test_projections_are_counted),
        cmocka_unit_test(test_creation_survives_failing_allocations),
        cmocka_unit_test(test_steps_allocate_nothing),
        cmocka_unit_test(test_memory_is_as_documented),
        cmocka_unit_test(test_states_may_grow),
        cmocka_unit_test(test_bounds_on_the_gain_fall_when_states_are_added),
        cmocka_unit_test(test_partner_plans_at_the_switch),
        cmocka_unit_test(test_partner_is_a_fed_learner),
        cmocka_unit_test(test_resuming_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
