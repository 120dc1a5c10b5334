// SPDX-License-Identifier: MIT
// labels: slow
// The learner `auto`: step by step against its definition (ref/auto_ref.c), in other units of reward,
// and where the right behaviour is known. What there may be to find and the look for hidden state
// have their own tests (test_quest.c, test_hidden.c).

#include "test.h"

#include "learners/auto/auto.h"
#include "ref/auto_ref.h"
#include "ref/env_run.h"
#include "ref/learner_run.h"
#include "ref/saved_bytes.h"
#include "ref/tamper.h"

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

// ---- a learner in an environment ----

static lgkt_env *make_env(const char *spec, uint64_t seed)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = seed;
    return env_run_make(spec, &config);
}

// what the tests of properties are run for: with and without a range that is told
static char told[] = "auto", untold[] = "auto untold";
#define UNTOLD(name) (strcmp(name, untold) == 0)
#define NAME(name)   (UNTOLD(name) ? told : (const char *)(name))

// what is told of the rewards is in the unit of the learner
static lgkt_learner *make_learner(const char *spec, const lgkt_env *env, int64_t steps,
                                  double factor)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(env, steps);
    config.problem.reward_min = UNTOLD(spec) ? NAN : factor * config.problem.reward_min;
    config.problem.reward_max = UNTOLD(spec) ? NAN : factor * config.problem.reward_max;
    config.seed = 5;
    return learner_run_make(NAME(spec), &config);
}

// the state of a test is the name of its learner
static void *small_model;

static int setup(void **state)
{
    (void)state;
    return learner_run_setup(&small_model);
}

static int teardown(void **state)
{
    (void)state;
    return learner_run_teardown(&small_model);
}

// of a small model
static lgkt_learner_config config_of(const char *name, int64_t steps)
{
    lgkt_learner_config config = learner_run_config(small_model, steps);
    if (UNTOLD(name))
        config.problem.reward_min = config.problem.reward_max = NAN;
    return config;
}

// a run under way; every step may be cut, with this probability
typedef struct walk {
    lgkt_learner *learner;
    lgkt_trajectory *world;
    double cuts;
    lgkt_rng rng;
    double factor; // of the rewards that the learner is told
} walk;

static walk start_scaled(const char *spec, const lgkt_env *env, int64_t steps, uint64_t seed,
                         double factor)
{
    return (walk){.learner = make_learner(spec, env, steps, factor),
                  .world = env_run_start(env, steps, seed),
                  .rng = lgkt_rng_stream(seed, "cuts", 0),
                  .factor = factor};
}

static walk start(const char *spec, const lgkt_env *env, int64_t steps, uint64_t seed)
{
    return start_scaled(spec, env, steps, seed, 1);
}

static void end(walk *w)
{
    lgkt_learner_destroy(w->learner);
    lgkt_trajectory_destroy(w->world);
}

static int32_t act(walk *w)
{
    int32_t action = -1;
    assert_int_equal(lgkt_learner_act(w->learner, lgkt_trajectory_state(w->world), NULL, &action),
                     LGKT_OK);
    return action;
}

static lgkt_step observe(walk *w, int32_t action)
{
    lgkt_step step = env_run_play(w->world, action);
    step.ended |= lgkt_rng_bernoulli(&w->rng, w->cuts);
    step.reward *= w->factor;
    assert_int_equal(lgkt_learner_observe(w->learner, step.reward, step.state, step.ended),
                     LGKT_OK);
    return step;
}

// plays steps and writes the actions, unless that is NULL; returns the mean of the rewards
static double go(walk *w, int64_t steps, int32_t *actions)
{
    double sum = 0;
    for (int64_t t = 0; t < steps; t++) {
        const int32_t action = act(w);
        sum += observe(w, action).mean_reward;
        if (actions != NULL)
            actions[t] = action;
    }
    return sum / (double)steps;
}

// ---- against the definition ----

// a step that another one chose comes before one step in `feeds`
typedef struct race {
    const char *env, *spec;
    int steps;
    double cuts;
    int feeds;
} race;

static void feed_both(lgkt_learner *learner, auto_ref *ref, lgkt_rng *rng)
{
    const int32_t states = learner->problem.states;
    const int32_t s = lgkt_rng_below(rng, states), next = lgkt_rng_below(rng, states);
    const int32_t a = lgkt_rng_below(rng, learner->problem.actions);
    const double reward = lgkt_rng_normal(rng);
    const bool ended = lgkt_rng_bernoulli(rng, 0.3);
    assert_int_equal(lgkt_learner_feed(learner, s, a, reward, next, ended), LGKT_OK);
    auto_ref_watch(ref, s, a, reward, next, ended);
}

// relative to the numbers that it is made of
static void check(const char *what, int t, double ours, double expected, double size)
{
    if (!(fabs(ours - expected) <= 1e-5 * (fabs(expected) + size)))
        fail_msg("step %d: %s is %.17g, not %.17g", t, what, ours, expected);
}

// values of all states, and all that is of the run as a whole
static void check_numbers(const lgkt_learner *learner, const auto_ref *ref, int t)
{
    const lgkt_auto *u = learner->self;
    const lgkt_quests *quests = &u->quests;
    const auto_ref_facts of = auto_ref_look(ref);
    const double width = u->highest - u->lowest + !u->differs;
    check("D", t, u->depth, of.depth, 0);
    check("y", t, u->gain, of.gain, width);
    check("rho", t, quests->rho, of.rho, width);
    check("alpha", t, quests->alpha, of.alpha, 0);
    check("alpha_r", t, quests->alpha_reward, of.alpha_reward, 0);
    check("C", t, quests->spent, of.spent, width);
    check("B", t, quests->thrown, of.thrown, 1);
    check("g", t, quests->steady, of.steady, width);
    check("above", t, quests->above, of.above, width);
    check("below", t, quests->below, of.below, width);
    check("lump", t, quests->lump, of.lump, width);
    check("lump_new", t, quests->lump_new, of.lump_new, width + quests->lump);
    check("nu", t, quests->nu, of.nu, 0);
    check("finds", t, quests->finds, of.finds, 0);
    assert_true(quests->steps == of.quests);
    for (int32_t s = 0; s < learner->problem.states; s++) {
        const auto_ref_value expected = auto_ref_value_of(ref, s);
        check("h", t, u->values[s].h, expected.h, width * u->depth);
        check("v", t, u->values[s].v, expected.v, width * u->depth);
        check("w", t, u->values[s].w, expected.w, width + quests->lump_new);
        check("d", t, u->values[s].d, expected.d, 1);
    }
}

// what the choice went by
static void check_choice(const lgkt_learner *learner, const auto_ref *ref,
                         const lgkt_reason *reasons, int t)
{
    const lgkt_auto *u = learner->self;
    const double before = u->depth * u->origin;
    const double size = fabs(before) + (u->highest - u->lowest + !u->differs) * u->depth;
    for (int32_t a = 0; a < learner->problem.actions; a++) {
        check("index", t, u->options[a].index, auto_ref_index(ref, a), size);
        check("worth", t, reasons[a].upper, before + auto_ref_worth(ref, a), size);
    }
}

static void compare(const race *r, uint64_t seed)
{
    lgkt_env *env = make_env(r->env, seed);
    walk w = start(r->spec, env, r->steps, seed);
    w.cuts = r->cuts;
    auto_ref *ref = auto_ref_create(lgkt_learner_spec(w.learner), &w.learner->problem);
    assert_non_null(ref);
    lgkt_rng ties = lgkt_rng_stream(5, "learner", 0), feeds = lgkt_rng_stream(1, "feeds", 0);
    lgkt_reason reasons[32];
    for (int t = 0; t < r->steps; t++) {
        if (r->feeds > 0 && t % r->feeds == r->feeds - 1)
            feed_both(w.learner, ref, &feeds);
        const int32_t s = lgkt_trajectory_state(w.world);
        assert_int_equal(lgkt_learner_explain(w.learner, s, NULL, reasons, sizeof *reasons, NULL),
                         LGKT_OK);
        const int32_t action = act(&w), expected = auto_ref_act(ref, s, &ties);
        check_choice(w.learner, ref, reasons, t);
        if (action != expected)
            fail_msg("%s in %s: step %d: action %d, not %d; worths %.17g, %.17g", r->spec, r->env,
                     t, action, expected, auto_ref_worth(ref, action),
                     auto_ref_worth(ref, expected));
        const lgkt_step step = observe(&w, action);
        auto_ref_step(ref, s, action, step.reward, step.state, step.ended);
        check_numbers(w.learner, ref, t);
    }
    // as many numbers were drawn
    assert_memory_equal(&w.learner->rng, &ties, sizeof ties);
    assert_int_equal(learner_run_counter(w.learner, "hidden_state"), 0);
    print_message("%s in %s: %d quests\n", r->spec, r->env,
                  (int)learner_run_counter(w.learner, "quests"));
    auto_ref_destroy(ref);
    end(&w);
    lgkt_env_destroy(env);
}

#define LAKE_SURE   "frozenlake:slippery=0"
#define LAKE_SPARSE "frozenlake:reward-frozen=0"

static void test_as_defined(void **state)
{
    (void)state;
    static const race races[] = {
        {"synthetic:states=10,actions=5", told, 2500, 0, 0},
        {"synthetic:states=10,actions=5", untold, 2000, 0.1, 7},
        {"synthetic:states=10,actions=5,sd=0", told, 2000, 0, 0},
        {"riverswim:states=5", told, 2500, 0, 0},
        {"riverswim:states=8", untold, 2000, 0.05, 11},
        {"riverswim:states=12,variant=sl", told, 2500, 0, 0},
        {"riverswim:states=6,variant=sl", untold, 2000, 0.02, 0},
        {"frozenlake", told, 2500, 0, 0},
        {"frozenlake", untold, 2000, 0, 13},
        {LAKE_SURE, told, 2000, 0, 0},
        {"fourrooms", told, 1500, 0, 0},
        {"deepsea:size=6", told, 2000, 0, 0},
        {"chain", told, 2000, 0, 0},
        {"chain", untold, 2000, 0, 0},
        {"admission", told, 2000, 0, 0},
        {"synthetic:states=10,actions=1", told, 2000, 0, 0},
        {"synthetic:states=1,actions=5", untold, 2000, 0, 0},
        {"synthetic:states=1,actions=1", told, 700, 0.2, 5},
    };
    for (int i = 0; i < COUNT(races); i++)
        compare(&races[i], (uint64_t)i);
}

static void test_settings_as_defined(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "auto:depth=3,visits=1",
        "auto:refresh=1,sweep=0",
        "auto:refresh=100,pull=30",
        "auto:depth=1,sweep=1",
        "auto:limit=0,pull=0,visits=0.1",
        "auto:limit=1e9,depth=100,reward-max=3",
        "auto:visits=0.01,reward-min=0.41,reward-max=0.6",
        "auto:visits=1e3,depth=40,refresh=3",
    };
    static const char *const envs[] = {"synthetic:states=6,actions=4", "riverswim:states=5",
                                       "frozenlake"};
    for (int i = 0; i < COUNT(specs); i++)
        for (int j = 0; j < COUNT(envs); j++) {
            const race r = {envs[j], specs[i], 400, 0.02 * (i % 3), i % 2 == 0 ? 0 : 13};
            compare(&r, (uint64_t)(3 * i + j));
        }
}

// To ask is to change nothing, now or later, whatever is asked for.
static void test_explain_changes_nothing(void **state)
{
    enum { STEPS = 600 };
    static const char *const envs[] = {"synthetic:states=6,actions=4", "riverswim:states=6",
                                       "frozenlake"};
    lgkt_reason reasons[32];
    for (int i = 0; i < COUNT(envs); i++) {
        lgkt_env *env = make_env(envs[i], 1);
        walk plain = start(*state, env, STEPS, 1), asked = start(*state, env, STEPS, 1);
        const int32_t states = plain.learner->problem.states;
        for (int t = 0; t < STEPS; t++) {
            for (int32_t k = 0; k < 2; k++) {
                const int32_t s = k == 0 ? t % states : lgkt_trajectory_state(asked.world);
                assert_int_equal(
                    lgkt_learner_explain(asked.learner, s, NULL, reasons, sizeof *reasons, NULL),
                    LGKT_OK);
            }
            const int32_t action = act(&plain);
            assert_int_equal(act(&asked), action);
            assert_true(reasons[action].probability > 0);
            observe(&plain, action);
            observe(&asked, action);
            assert_true(lgkt_learner_hash(asked.learner) == lgkt_learner_hash(plain.learner));
        }
        end(&plain);
        end(&asked);
        lgkt_env_destroy(env);
    }
}

// ---- units of the rewards ----

static const char *const worlds[] = {
    "synthetic:states=10,actions=5",
    "riverswim:states=5",
    "frozenlake",
    LAKE_SURE,
    LAKE_SPARSE,
    "frozenlake:slippery=0,reward-frozen=0",
};

// where the spec of a saved state ends
static size_t after_spec(const saved_bytes *saved)
{
    return saved_bytes_number_at(saved->bytes);
}

// Words of a saved state are whole numbers, which stay, or rewards, which have a factor, or their
// squares. A double that is a power of two away from another is no whole number near it.
static void check_scaled_bytes(const lgkt_learner *plain, const lgkt_learner *scaled, int power)
{
    saved_bytes a = saved_bytes_of(plain), b = saved_bytes_of(scaled);
    long kept = 0, once = 0, twice = 0;
    // a range is told in the spec, too
    const size_t from = after_spec(&a), other = after_spec(&b);
    assert_int_equal(a.size - from, b.size - other);
    for (size_t at = from; at + 8 <= a.size - TAMPER_TAIL; at += 8) {
        double x, y;
        memcpy(&x, a.bytes + at, sizeof x);
        memcpy(&y, b.bytes + at - from + other, sizeof y);
        const bool same = memcmp(&x, &y, sizeof x) == 0;
        const bool length = y == ldexp(x, power), square = y == ldexp(x, 2 * power);
        assert_true(same || length || square);
        kept += same;
        once += !same && length;
        twice += !same && square;
    }
    // there are some of each
    assert_true(kept > 0 && once > 0 && twice > 0);
    saved_bytes_free(&a);
    saved_bytes_free(&b);
}

// a power of two changes no bit of a mantissa
static void test_powers_of_two(void **state)
{
    enum { STEPS = 700 };
    static const int powers[] = {-60, 1, 30};
    for (int i = 0; i < COUNT(worlds); i++)
        for (int j = 0; j < COUNT(powers); j++) {
            lgkt_env *env = make_env(worlds[i], 2);
            walk plain = start(*state, env, STEPS, 3);
            const double factor = ldexp(1, powers[j]);
            walk scaled = start_scaled(*state, env, STEPS, 3, factor);
            plain.cuts = scaled.cuts = 0.01;
            for (int t = 0; t < STEPS; t++) {
                const int32_t action = act(&plain);
                assert_int_equal(act(&scaled), action);
                observe(&plain, action);
                observe(&scaled, action);
            }
            check_scaled_bytes(plain.learner, scaled.learner, powers[j]);
            end(&plain);
            end(&scaled);
            lgkt_env_destroy(env);
        }
}

// rewards whose squares are just about numbers
static void test_small_rewards(void **state)
{
    enum { STEPS = 1200 };
    static const int powers[] = {-290, -400, -450};
    for (int i = 0; i < COUNT(worlds); i++)
        for (int j = 0; j < COUNT(powers); j++) {
            lgkt_env *env = make_env(worlds[i], 2);
            walk plain = start(*state, env, STEPS, 3);
            walk scaled = start_scaled(*state, env, STEPS, 3, ldexp(1, powers[j]));
            plain.cuts = scaled.cuts = 0.01;
            for (int t = 0; t < STEPS; t++) {
                const int32_t action = act(&plain);
                assert_int_equal(act(&scaled), action);
                observe(&plain, action);
                observe(&scaled, action);
            }
            end(&plain);
            end(&scaled);
            lgkt_env_destroy(env);
        }
}

// rewards that differ by less than 1e-150 are equal, until a larger difference comes
static void test_differences_that_do_not_count(void **state)
{
    enum { STEPS = 400, LATER = 200 };
    lgkt_env *env = make_env("synthetic:states=1,actions=4", 2);
    walk plain = start(*state, env, STEPS, 3), other = start(*state, env, STEPS, 3);
    for (int t = 0; t < STEPS; t++) {
        int32_t action = -1, again = -1;
        assert_int_equal(lgkt_learner_act(plain.learner, 0, NULL, &action), LGKT_OK);
        assert_int_equal(lgkt_learner_act(other.learner, 0, NULL, &again), LGKT_OK);
        assert_int_equal(again, action);
        const double reward = t < LATER ? 0 : action;
        const double near = t < LATER ? (t == 0 ? 0 : 1e-151 * (action - 2)) : reward;
        assert_int_equal(lgkt_learner_observe(plain.learner, reward, 0, false), LGKT_OK);
        assert_int_equal(lgkt_learner_observe(other.learner, near, 0, false), LGKT_OK);
        assert_true(lgkt_learner_hash(other.learner) == lgkt_learner_hash(plain.learner));
    }
    end(&plain);
    end(&other);
    lgkt_env_destroy(env);
}

// One pair alone has no spread; if its rewards differ, their noise is the unit.
static void test_noise_of_one_pair_is_a_unit(void **state)
{
    lgkt_env *env = make_env("synthetic:states=1,actions=5", 2);
    walk plain = start(*state, env, 100, 3);
    walk scaled = start_scaled(*state, env, 100, 3, 0x1p-40);
    for (int i = 0; i < 4; i++) {
        const double reward = 7 + 2 * (i % 2);
        assert_int_equal(lgkt_learner_feed(plain.learner, 0, 3, reward, 0, false), LGKT_OK);
        assert_int_equal(lgkt_learner_feed(scaled.learner, 0, 3, scaled.factor * reward, 0, false),
                         LGKT_OK);
    }
    for (int t = 0; t < 100; t++) {
        const int32_t action = act(&plain);
        assert_int_equal(act(&scaled), action);
        check_scaled_bytes(plain.learner, scaled.learner, -40);
        observe(&plain, action);
        observe(&scaled, action);
    }
    end(&plain);
    end(&scaled);
    lgkt_env_destroy(env);
}

// Other factors and shifts round differently. That could change an action only where two indices
// differ by a billionth of the spread; it does not occur in these runs, but for some: where nothing
// is left to chance and the lake looks the same from both sides, two ways are equally long. Then
// the totals are the same.
static void test_other_units(void **state)
{
    enum { STEPS = 5000 };
    static int32_t plain[STEPS], scaled[STEPS];
    for (int i = 0; i < COUNT(worlds); i++) {
        char spec[160];
        snprintf(spec, sizeof spec, "scaled:by=100,shift=-50,of=(%s)", worlds[i]);
        lgkt_env *env = make_env(worlds[i], 4), *other = make_env(spec, 4);
        walk a = start(*state, env, STEPS, 7), b = start(*state, other, STEPS, 7);
        const double total = go(&a, STEPS, plain), other_total = (go(&b, STEPS, scaled) + 50) / 100;
        if (UNTOLD(*state) && strstr(worlds[i], "slippery=0") != NULL)
            assert_close(other_total, total, 0.01 * total);
        else
            assert_memory_equal(plain, scaled, sizeof plain);
        end(&a);
        end(&b);
        lgkt_env_destroy(env);
        lgkt_env_destroy(other);
    }
}

// the largest and the smallest rewards leave a learner that can be saved
static void test_extreme_rewards(void **state)
{
    enum { STEPS = 400 };
    static const double units[] = {LGKT_MAX_REWARD, 1e-100, 1e-155, 1e-160, 1e-161,
                                   4e-162,          3e-162, 1e-162, 5e-324};
    const lgkt_learner_config config = config_of(*state, STEPS);
    for (int i = 0; i < COUNT(units); i++)
        for (int kind = 0; kind < 3; kind++) {
            lgkt_learner *learner = learner_run_make(NAME(*state), &config);
            int32_t s = 0;
            for (int t = 0; t < STEPS; t++) {
                int32_t action = -1;
                assert_int_equal(lgkt_learner_act(learner, s, NULL, &action), LGKT_OK);
                const int of[] = {s == 1 ? -1 : s, action % 2, t % 5 - 2};
                s = (s + 1 + action * t % 2) % LEARNER_RUN_STATES;
                assert_int_equal(
                    lgkt_learner_observe(learner, fmin(2, of[kind]) / 2 * units[i], s, false),
                    LGKT_OK);
                if (t % 10 == 0) {
                    saved_bytes saved = saved_bytes_of(learner);
                    lgkt_learner_destroy(saved_bytes_load(&saved, &config));
                    saved_bytes_free(&saved);
                }
            }
            lgkt_learner_destroy(learner);
        }
}

// a horizon that is as good as none: values stay in proportion, so that the learner can be saved
static void test_long_horizons(void **state)
{
    static const char *const envs[] = {"synthetic:states=30,actions=25", "riverswim:states=30",
                                       "frozenlake:map=8x8"};
    char spec[64];
    for (int i = 0; i < COUNT(envs); i++) {
        lgkt_env *env = make_env(envs[i], 1);
        snprintf(spec, sizeof spec, "%s:depth=3,pull=10", NAME(*state));
        walk w = start(spec, env, INT64_MAX, 1);
        const lgkt_learner_config config = lgkt_learner_config_default();
        for (int t = 0; t < 8; t++) {
            go(&w, 1000, NULL);
            saved_bytes saved = saved_bytes_of(w.learner);
            lgkt_learner_destroy(saved_bytes_load(&saved, &config));
            saved_bytes_free(&saved);
        }
        end(&w);
        lgkt_env_destroy(env);
    }
}

// ---- where the right behaviour is known ----

// how many of 25 actions of one state are tried in so many steps, over instances
static double tries(const char *name, int64_t steps, const char *env_spec, int instances)
{
    double sum = 0;
    for (int i = 0; i < instances; i++) {
        lgkt_env *env = make_env(env_spec, (uint64_t)i);
        walk w = start(name, env, steps, (uint64_t)i);
        go(&w, steps, NULL);
        sum += (double)learner_run_counter(w.learner, "tried_pairs");
        end(&w);
        lgkt_env_destroy(env);
    }
    return sum / instances;
}

// The more steps are left, the more a better action is worth, so the more are tried; and in few
// steps by far not all. Both hold for single instances but for luck, and here for the mean of 20.
static void test_tries_grow_with_the_horizon(void **state)
{
    static const int64_t horizons[] = {10, 30, 100, 1000};
    static const char *const envs[] = {"synthetic:states=1,actions=25,sd=0",
                                       "synthetic:states=1,actions=25"};
    for (int i = 0; i < COUNT(envs); i++) {
        double before = 0;
        for (int j = 0; j < COUNT(horizons); j++) {
            const double tried = tries(*state, horizons[j], envs[i], 20);
            print_message("%s, %d steps: %.2f tried\n", envs[i], (int)horizons[j], tried);
            assert_true(tried >= before);
            before = tried;
        }
    }
}

// Without noise the best of what was tried is known: with a few steps it is what the run ends with,
// and with many it is the best of all.
static void test_ends_with_the_best(void **state)
{
    for (uint64_t i = 0; i < 30; i++) {
        const int steps = i % 2 == 0 ? 30 : 1000;
        lgkt_env *env = make_env("synthetic:states=1,actions=25,sd=0", i);
        walk w = start(*state, env, steps, i);
        double best = -INFINITY, last = 0;
        for (int t = 0; t < steps; t++) {
            last = observe(&w, act(&w)).reward;
            best = last > best ? last : best;
        }
        assert_true(last == best);
        for (int32_t a = 0; steps > 30 && a < 25; a++)
            assert_true(lgkt_mdp_reward(lgkt_env_model(env), 0, a) <= best);
        end(&w);
        lgkt_env_destroy(env);
    }
}

// Rewards that are all equal tell nothing: all actions of all states are tried again and again,
// each as often as the others of its state.
static void test_equal_rewards(void **state)
{
    enum { S = LEARNER_RUN_STATES, A = LEARNER_RUN_ACTIONS, STEPS = 40 * S * A };
    static const double rewards[] = {0, 0.1, -1e15, 5e-324};
    const lgkt_learner_config config = config_of(*state, STEPS);
    for (int i = 0; i < COUNT(rewards); i++) {
        int counts[S * A] = {0};
        lgkt_learner *learner = learner_run_make(NAME(*state), &config);
        for (int t = 0; t < STEPS; t++) {
            int32_t action = -1;
            assert_int_equal(lgkt_learner_act(learner, t % S, NULL, &action), LGKT_OK);
            assert_int_equal(lgkt_learner_observe(learner, rewards[i], (t + 1) % S, false),
                             LGKT_OK);
            counts[t % S * A + action]++;
        }
        for (int z = 0; z < S * A; z++)
            assert_int_equal(counts[z], STEPS / (S * A));
        lgkt_learner_destroy(learner);
    }
}

// On ice that is not slippery the goal is 6 moves away, so the best is 2 in 6 steps, or 1 in 6
// where nothing else counts; staying where one is earns 0.2 a step, or 0. It is found within 2000
// steps and then kept to but for 3%, for each of these seeds; but for 15% where no range is told, so
// that there may always be more to find.
static void test_finds_the_goal(void **state)
{
    const double least = UNTOLD(*state) ? 0.85 : 0.97;
    static const struct {
        const char *env;
        double best;
    } lakes[] = {{LAKE_SURE, 1.0 / 3}, {"frozenlake:slippery=0,reward-frozen=0", 1.0 / 6}};
    for (int i = 0; i < COUNT(lakes); i++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            lgkt_env *env = make_env(lakes[i].env, seed);
            walk w = start(*state, env, 5000, seed);
            go(&w, 2000, NULL);
            const double late = go(&w, 3000, NULL);
            print_message("%s: %.4f\n", lakes[i].env, late);
            assert_between(late, least * lakes[i].best, 1.001 * lakes[i].best);
            end(&w);
            lgkt_env_destroy(env);
        }
}

// What another one showed is used: after every pair was fed often, the first choice is the best
// one, and no first try is left.
static void test_fed_before_the_run(void **state)
{
    lgkt_env *env = make_env("synthetic:states=1,actions=8,sd=0", 1);
    const lgkt_mdp *model = lgkt_env_model(env);
    walk w = start(*state, env, 50, 1);
    int32_t best = 0;
    for (int32_t i = 0; i < 8 * 20; i++) {
        const double reward = lgkt_mdp_reward(model, 0, i % 8);
        assert_int_equal(lgkt_learner_feed(w.learner, 0, i % 8, reward, 0, false), LGKT_OK);
        best = reward > lgkt_mdp_reward(model, 0, best) ? i % 8 : best;
    }
    for (int t = 0; t < 50; t++) {
        const int32_t action = act(&w);
        assert_int_equal(action, best);
        observe(&w, action);
    }
    end(&w);
    lgkt_env_destroy(env);
}

#define OF(test, name)                                                                             \
    {                                                                                              \
#test " of " #name, test, NULL, NULL, name                                                 \
    }
#define ALL(test) OF(test, told), OF(test, untold)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_defined),
        cmocka_unit_test(test_settings_as_defined),
        ALL(test_explain_changes_nothing),
        ALL(test_powers_of_two),
        ALL(test_small_rewards),
        ALL(test_differences_that_do_not_count),
        ALL(test_noise_of_one_pair_is_a_unit),
        ALL(test_other_units),
        ALL(test_extreme_rewards),
        ALL(test_long_horizons),
        ALL(test_tries_grow_with_the_horizon),
        ALL(test_ends_with_the_best),
        ALL(test_equal_rewards),
        ALL(test_finds_the_goal),
        ALL(test_fed_before_the_run),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
