// SPDX-License-Identifier: MIT
// The classic chains of the literature: the variants of riverswim, sixarms, chain and lock. Rows
// and rewards against their definitions, steps against both, published gains, and what does not
// fit.
#include "test.h"

#include "ref/chance.h"
#include "ref/env_run.h"
#include "ref/models.h"
#include "ref/naive_gain.h"

// The definition of an environment: probability of a move, and what it pays. `mean` where one move
// pays by chance.
typedef struct move {
    double p, reward;
} move;

typedef struct definition {
    const char *spec;
    int32_t states, actions;
    move (*of)(const struct definition *, int32_t s, int32_t a, int32_t next);
    double slip;
    double reward_max, sd; // what a learner is told; the smallest mean is `reward_min`
    double reward_min;
} definition;

static move sl(const definition *d, int32_t s, int32_t a, int32_t next)
{
    const int32_t last = d->states - 1;
    const double paid = a == 0 && s == 0 ? 0.0005 : a == 1 && s == last ? 1 : 0;
    if (a == 0)
        return (move){next == (s > 0 ? s - 1 : 0), paid};
    if (next == s + 1)
        return (move){0.3, paid};
    if (next == s)
        return (move){s == 0 ? 0.7 : s == last ? 0.3 : 0.6, paid};
    return (move){next != s - 1 ? 0 : s == last ? 0.7 : 0.1, paid};
}

static move osband(const definition *d, int32_t s, int32_t a, int32_t next)
{
    const int32_t last = d->states - 1;
    const double paid = a == 0 && s == 0 ? 0.005 : a == 1 && s == last ? 1 : 0;
    if (a == 0)
        return (move){next == (s > 0 ? s - 1 : 0), paid};
    if (next == s + 1)
        return (move){s == 0 ? 0.6 : 0.35, paid};
    if (next == s)
        return (move){s == 0 ? 0.4 : 0.6, paid};
    return (move){next != s - 1 ? 0 : s == last ? 0.4 : 0.05, paid};
}

// the large reward only where the step stays in the last state
static move on_edge(const definition *d, int32_t s, int32_t a, int32_t next)
{
    const int32_t last = d->states - 1;
    move m = (strstr(d->spec, "=sl") != NULL ? sl : osband)(d, s, a, next);
    if (s == last && a == 1 && next != last)
        m.reward = 0;
    return m;
}

static move sixarms(const definition *d, int32_t s, int32_t a, int32_t next)
{
    static const double HUB[] = {1, 0.15, 0.1, 0.05, 0.03, 0.01};
    static const double ARM[] = {50, 133, 300, 800, 1660, 6000};
    (void)d;
    if (s == 0)
        return (move){next == a + 1 ? HUB[a] : next == 0 ? 1 - HUB[a] : 0, 0};
    const bool stay = s == 1 ? a != 4 : a == s - 1;
    return (move){next == (stay ? s : 0), stay ? ARM[s - 1] / 6000 : 0};
}

static move chain(const definition *d, int32_t s, int32_t a, int32_t next)
{
    const int32_t last = d->states - 1;
    if (next == 0)
        return (move){a == 1 ? 1 - d->slip : d->slip, 2};
    if (next == s + 1 || (next == s && s == last))
        return (move){a == 0 ? 1 - d->slip : d->slip, s == last ? 10 : 0};
    return (move){0, 0};
}

static move lock(const definition *d, int32_t s, int32_t a, int32_t next)
{
    const bool right = a == (7 * s + 3) % d->actions, last = s == d->states - 1;
    const double onwards = right && !last ? 1 - d->slip : 0;
    if (next == 0)
        return (move){1 - onwards, right && last ? 1 - d->slip : 0};
    return (move){next == s + 1 ? onwards : 0, 0};
}

static const definition WORLDS[] = {
    {"riverswim:variant=sl", 6, 2, sl, 0, 1, 0, 0},
    {"riverswim:variant=sl,states=3,reward-on=pair", 3, 2, sl, 0, 1, 0, 0},
    {"riverswim:variant=sl,start=original", 6, 2, sl, 0, 1, 0, 0},
    {"riverswim:variant=osband", 6, 2, osband, 0, 1, 0, 0},
    {"riverswim:variant=osband,states=20,start=first", 20, 2, osband, 0, 1, 0, 0},
    {"riverswim:variant=sl,reward-on=edge", 6, 2, on_edge, 0, 0.3, 0.5, 0},
    {"riverswim:variant=osband,states=4,reward-on=edge", 4, 2, on_edge, 0, 0.6, 0.5, 0},
    {"sixarms", 7, 6, sixarms, 0, 1, 0, 0},
    {"chain", 5, 2, chain, 0.2, 8.4, 4, 0.4},
    {"chain:states=2,slip=0.5", 2, 2, chain, 0.5, 6, 4, 1},
    {"chain:states=10,slip=0", 10, 2, chain, 0, 10, 0, 0},
    {"chain:states=3,slip=1", 3, 2, chain, 1, 10, 0, 0},
    {"lock", 10, 4, lock, 0, 1, 0, 0},
    {"lock:states=5,actions=2", 5, 2, lock, 0, 1, 0, 0},
    {"lock:states=3,actions=3,slip=0.25", 3, 3, lock, 0.25, 0.75, 0.5, 0},
    {"lock:states=1,actions=2,slip=0.05", 1, 2, lock, 0.05, 0.95, 0.5, 0},
};
enum { WORLD_COUNT = sizeof WORLDS / sizeof *WORLDS };

// ---- the definitions ----

static void check_pair(const definition *d, const lgkt_mdp *mdp, int32_t s, int32_t a)
{
    const lgkt_row row = lgkt_mdp_row(mdp, s, a);
    double mean = 0;
    int32_t i = 0;
    for (int32_t next = 0; next < d->states; next++) {
        const move m = d->of(d, s, a, next);
        mean += m.p * m.reward;
        if (m.p == 0)
            continue;
        assert_true(i < row.n);
        assert_int_equal(row.next[i], next);
        assert_close(row.p[i], m.p, 1e-15);
        if (row.reward != NULL)
            assert_close(row.reward[i], m.reward, 1e-15);
        i++;
    }
    assert_int_equal(i, row.n);
    assert_close(lgkt_mdp_reward(mdp, s, a), mean, 1e-15);
}

static void test_rows_and_rewards(void **state)
{
    (void)state;
    for (int w = 0; w < WORLD_COUNT; w++) {
        const definition *d = &WORLDS[w];
        lgkt_env *env = env_run_make(d->spec, NULL);
        const lgkt_problem problem = lgkt_env_problem(env, 9);
        assert_int_equal(problem.states, d->states);
        assert_int_equal(problem.actions, d->actions);
        assert_close(problem.reward_min, d->reward_min, 1e-15);
        assert_close(problem.reward_max, d->reward_max, 1e-15);
        assert_close(problem.reward_sd, d->sd, 1e-15);
        for (int32_t s = 0; s < d->states; s++)
            for (int32_t a = 0; a < d->actions; a++)
                check_pair(d, problem.model, s, a);
        const bool original = strstr(d->spec, "start=original") != NULL;
        assert_int_equal(lgkt_mdp_start(problem.model), original ? -1 : 0);
        if (original)
            assert_true(lgkt_mdp_start_law(problem.model)[1] == 0.5 &&
                        lgkt_mdp_start_law(problem.model)[2] == 0.5);
        lgkt_env_destroy(env);
    }
}

// How often each move was made, within Bernstein's bound, and what it paid. Actions go in turn, so
// that all states are met; 16 worlds of at most 200 moves fail with probability 4e-4 in all over
// the choice of seeds.
static void test_steps_follow_the_definition(void **state)
{
    (void)state;
    enum { STEPS = 50000, ROOM = 20 * 6 };
    for (int w = 0; w < WORLD_COUNT; w++) {
        const definition *d = &WORLDS[w];
        lgkt_env *env = env_run_make(d->spec, NULL);
        lgkt_trajectory *run = env_run_start(env, STEPS, 11);
        static double moves[ROOM][20], tries[ROOM], paid[ROOM];
        memset(moves, 0, sizeof moves);
        memset(tries, 0, sizeof tries);
        memset(paid, 0, sizeof paid);
        for (int t = 0; t < STEPS; t++) {
            // runs of one action reach the far ends
            const int32_t s = lgkt_trajectory_state(run);
            const int32_t a = (t / 50 + (t % 7 == 0)) % d->actions, z = s * d->actions + a;
            const lgkt_step step = env_run_play(run, a);
            const move m = d->of(d, s, a, step.state);
            const bool coin = d->of == lock && d->slip > 0;
            assert_true(m.p > 0);
            assert_true(step.mean_reward == lgkt_mdp_reward(lgkt_env_model(env), s, a));
            if (coin)
                assert_true(step.reward == 0 || step.reward == 1);
            else
                assert_close(step.reward, m.reward, 1e-15);
            tries[z]++;
            moves[z][step.state]++;
            paid[z] += step.reward;
        }
        for (int32_t z = 0; z < d->states * d->actions; z++) {
            const int32_t s = z / d->actions, a = z % d->actions;
            for (int32_t next = 0; next < d->states; next++) {
                const double p = d->of(d, s, a, next).p;
                assert_close(moves[z][next], p * tries[z], chance_count_bound(tries[z], p));
            }
            if (d->of == lock) {
                const double p = lgkt_mdp_reward(lgkt_env_model(env), s, a);
                assert_close(paid[z], p * tries[z], chance_count_bound(tries[z], p));
            }
        }
        lgkt_trajectory_destroy(run);
        lgkt_env_destroy(env);
    }
}

// half of the runs begin in 1, half in 2
static void test_the_original_start(void **state)
{
    (void)state;
    enum { RUNS = 2000 };
    lgkt_env *env = env_run_make("riverswim:variant=sl,start=original", NULL);
    int count[3] = {0};
    for (int i = 0; i < RUNS; i++) {
        lgkt_trajectory *run = env_run_start(env, 1, (uint64_t)i);
        const int32_t s = lgkt_trajectory_state(run);
        assert_in_range(s, 1, 2);
        count[s]++;
        lgkt_trajectory_destroy(run);
    }
    assert_close(count[1], RUNS / 2.0, chance_count_bound(RUNS, 0.5));
    lgkt_env_destroy(env);
}

// what was there before the variants is as it was: the hash covers rows, rewards, start and noise
static void test_the_default_is_jump_riverswim(void **state)
{
    (void)state;
    static const char *const SAME[][2] = {
        {"riverswim", "riverswim:states=5,variant=released,noise=bernoulli,start=first"},
        {"riverswim:variant=sl", "riverswim:states=6,variant=sl,reward-on=pair,start=first"},
    };
    for (int i = 0; i < 2; i++) {
        lgkt_env *one = env_run_make(SAME[i][0], NULL), *other = env_run_make(SAME[i][1], NULL);
        assert_true(lgkt_mdp_hash(lgkt_env_model(one)) == lgkt_mdp_hash(lgkt_env_model(other)));
        assert_string_equal(lgkt_env_note(one), lgkt_env_note(other));
        lgkt_env_destroy(one);
        lgkt_env_destroy(other);
    }
    lgkt_env *env = env_run_make("riverswim", NULL);
    lgkt_mdp *before = model_riverswim(5, false);
    assert_true(lgkt_mdp_hash(lgkt_env_model(env)) == lgkt_mdp_hash(before));
    lgkt_mdp_destroy(before);
    assert_string_equal(lgkt_env_note(env),
                        "JumpRiverSwim of 5 states, released transition numbers");
    lgkt_env_destroy(env);
}

// ---- gains ----

// The optimal gain and the span of its bias, and the gain of uniform play; NaN: not known.
static void check_gain(const char *spec, double gain, double span, double uniform)
{
    lgkt_env *env = env_run_make(spec, NULL);
    const lgkt_mdp *mdp = lgkt_env_model(env);
    double bias[64], found, low = INFINITY, high = -INFINITY;
    lgkt_error error = {0};
    assert_true(lgkt_mdp_states(mdp) <= 64);
    assert_ok(lgkt_plan_gain(mdp, 1e-12, NULL, &found, bias, &error), error);
    assert_close(found, gain, 1e-10);
    for (int32_t s = 0; s < lgkt_mdp_states(mdp); s++) {
        low = fmin(low, bias[s]);
        high = fmax(high, bias[s]);
    }
    if (!isnan(span))
        assert_close(high - low, span, 1e-7);
    if (!isnan(uniform)) {
        // by naive value iteration, which needs no half step where uniform play mixes
        assert_close(naive_gain_of_rule(mdp, NAIVE_UNIFORM), uniform, 1e-8);
        lgkt_policy *policy = NULL;
        assert_ok(lgkt_policy_uniform(mdp, 10, NULL, &policy, &error), error);
        assert_ok(lgkt_policy_gain(policy, 1e-12, NULL, &found, NULL, &error), error);
        assert_close(found, uniform, 1e-8);
        lgkt_policy_destroy(policy);
    }
    lgkt_env_destroy(env);
}

static void test_gains(void **state)
{
    (void)state;
    check_gain("riverswim:variant=sl", 243.0 / 1090, 5.0183486, 0.000537268);
    check_gain("riverswim:variant=sl,states=20", 0.222222222371, NAN, NAN);
    check_gain("riverswim:variant=sl,start=original", 243.0 / 1090, 5.0183486, NAN);
    check_gain("riverswim:variant=sl,reward-on=edge", 729.0 / 10900, NAN, NAN);
    check_gain("riverswim:variant=osband", 7203.0 / 16805, 6.3103243, NAN);
    check_gain("riverswim:variant=osband,states=20", 0.428571428571, NAN, NAN);
    check_gain("riverswim:variant=osband,states=50", 0.428571428571, NAN, NAN);
    check_gain("sixarms", 1, 101, 0.00389466);
    check_gain("chain:states=5,slip=0.2", 3.6768, NAN, 1.3125);
    check_gain("chain:states=5,slip=0.1", 6.1049, NAN, NAN);
    check_gain("chain:states=10,slip=0.2", 1.67108864, NAN, NAN);
    check_gain("lock:states=5,actions=2", 0.2, NAN, NAN);
    check_gain("lock:states=10,actions=4", 0.1, NAN, NAN);
    check_gain("lock:states=10,actions=4,slip=0.05", 0.0746065359345, NAN, NAN);
}

// (1-e)^n / sum_{k<n} (1-e)^k
static void test_the_gain_of_a_lock(void **state)
{
    (void)state;
    static const double SLIPS[] = {0, 0.01, 0.3, 1};
    for (int n = 1; n <= 12; n += 3)
        for (int i = 0; i < 4; i++) {
            double sum = 0, power = 1;
            for (int k = 0; k < n; k++) {
                sum += power;
                power *= 1 - SLIPS[i];
            }
            char spec[64];
            snprintf(spec, sizeof spec, "lock:states=%d,actions=3,slip=%g", n, SLIPS[i]);
            check_gain(spec, power / sum, NAN, NAN);
        }
}

// With a lure n steps of lookahead open the lock and fewer take the lure: Q_n(s, right) = M + s m,
// Q_n(s, wrong) = n m, Q_k(0, right) = (k-1) m < k m = Q_k(0, wrong) for k < n.
static void test_a_lock_with_a_lure(void **state)
{
    (void)state;
    enum { MOST = 4 };
    for (int n = 2; n <= MOST; n++) {
        lgkt_error error = {0};
        const double lure = 0.2, prize = 2 + n * lure;
        char spec[96];
        snprintf(spec, sizeof spec, "lock:states=%d,actions=3,lure=0.2,prize=%g,sd=0.5", n, prize);
        lgkt_env *env = env_run_make(spec, NULL);
        const lgkt_mdp *mdp = lgkt_env_model(env);
        double q[MOST * 3];
        for (int k = 1; k <= n; k++) {
            assert_ok(lgkt_plan_lookahead(mdp, k, NULL, q, &error), error);
            for (int32_t z = 0; z < 3 * n; z++) {
                const int32_t s = z / 3;
                const bool right = z % 3 == (7 * s + 3) % 3;
                if (k == n)
                    assert_close(q[z], right ? prize + s * lure : n * lure, 1e-12);
                else if (s == 0)
                    assert_close(q[z], right ? (k - 1) * lure : k * lure, 1e-12);
            }
        }
        assert_int_equal(lgkt_mdp_noise(mdp), LGKT_NOISE_NORMAL);
        assert_close(lgkt_mdp_noise_sd(mdp), 0.5, 0);
        // the threshold halfway has the same gap on both sides
        const lgkt_threshold halfway = {.constant = (prize + n * lure) / 2};
        lgkt_gaps gaps;
        assert_ok(lgkt_plan_gaps(mdp, n, 1000, &halfway, NULL, &gaps, &error), error);
        assert_close(gaps.margin, 1, 1e-12);
        assert_close(gaps.above, 1, 1e-12);
        assert_close(gaps.below, 1, 1e-12);
        lgkt_env_destroy(env);
    }
    // a prize that is often missed, and no noise but the coin
    lgkt_env *env = env_run_make("lock:states=2,actions=2,slip=0.5,prize=0.8,lure=0.1", NULL);
    assert_close(lgkt_mdp_reward(lgkt_env_model(env), 1, (7 + 3) % 2), 0.4, 1e-15);
    assert_close(lgkt_mdp_reward(lgkt_env_model(env), 0, 0), 0.1, 0);
    assert_int_equal(lgkt_mdp_noise(lgkt_env_model(env)), LGKT_NOISE_BERNOULLI);
    lgkt_env_destroy(env);
}

// what is optimal: always right; and in the long chain, back from state 0 and forward elsewhere
static void test_optimal_actions(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int32_t first, others;
    } CASES[] = {
        {"riverswim:variant=sl", 1, 1},
        {"riverswim:variant=osband", 1, 1},
        {"chain", 0, 0},
        {"chain:states=10,slip=0.2", 1, 0},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        lgkt_env *env = env_run_make(CASES[i].spec, NULL);
        const lgkt_mdp *mdp = lgkt_env_model(env);
        int32_t actions[128];
        double gain;
        lgkt_error error = {0};
        for (int32_t s = 0; s < 128; s++)
            actions[s] = s == 0 ? CASES[i].first : CASES[i].others;
        assert_ok(lgkt_plan_gain(mdp, 1e-12, NULL, &gain, NULL, &error), error);
        assert_close(naive_gain(mdp, actions), gain, 1e-10);
        lgkt_env_destroy(env);
    }
}

// ---- refusals ----

static void test_what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        lgkt_status status;
        const char *words;
    } CASES[] = {
        {"riverswim:variant=jump", LGKT_ERR_SPEC, "osband"},
        {"riverswim:variant=sl,states=2", LGKT_ERR_SPEC, "states"},
        {"riverswim:variant=sl,noise=bernoulli", LGKT_ERR_SPEC, "certain rewards"},
        {"riverswim:variant=osband,noise=drifting", LGKT_ERR_SPEC, "certain rewards"},
        {"riverswim:reward-on=pair", LGKT_ERR_SPEC, "reward-on needs variant=sl"},
        {"riverswim:variant=printed,reward-on=edge", LGKT_ERR_SPEC, "reward-on needs variant=sl"},
        {"riverswim:variant=sl,reward-on=state", LGKT_ERR_SPEC, "edge"},
        {"riverswim:start=original", LGKT_ERR_SPEC, "start=original needs variant=sl"},
        {"riverswim:variant=osband,start=original", LGKT_ERR_SPEC, "needs variant=sl"},
        {"riverswim:variant=sl,start=2", LGKT_ERR_SPEC, "original"},
        {"sixarms:states=7", LGKT_ERR_SPEC, "states"},
        {"chain:states=1", LGKT_ERR_SPEC, "states"},
        {"chain:states=100001", LGKT_ERR_SPEC, "states"},
        {"chain:slip=-0.1", LGKT_ERR_SPEC, "slip"},
        {"chain:slip=1.01", LGKT_ERR_SPEC, "slip"},
        {"chain:slip=nan", LGKT_ERR_SPEC, "slip"},
        {"chain:actions=2", LGKT_ERR_SPEC, "actions"},
        {"lock:states=0", LGKT_ERR_SPEC, "states"},
        {"lock:actions=1", LGKT_ERR_SPEC, "actions"},
        {"lock:actions=65537", LGKT_ERR_SPEC, "actions"},
        {"lock:slip=2", LGKT_ERR_SPEC, "slip"},
        {"lock:sd=-1", LGKT_ERR_SPEC, "sd"},
        {"lock:prize=1e16", LGKT_ERR_SPEC, "prize"},
        {"lock:states=100000,actions=10000", LGKT_ERR_SHAPE, "100000 states x 10000 actions"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        lgkt_env *env = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_env_create(CASES[i].spec, NULL, &env, &error), CASES[i].status, error,
                       CASES[i].words);
        assert_null(env);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_and_rewards),
        cmocka_unit_test(test_steps_follow_the_definition),
        cmocka_unit_test(test_the_original_start),
        cmocka_unit_test(test_the_default_is_jump_riverswim),
        cmocka_unit_test(test_gains),
        cmocka_unit_test(test_the_gain_of_a_lock),
        cmocka_unit_test(test_a_lock_with_a_lure),
        cmocka_unit_test(test_optimal_actions),
        cmocka_unit_test(test_what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
