// SPDX-License-Identifier: MIT
// labels: slow statistics
// What the paper says of its own environments, by exact planning: which depths of lookahead are
// optimal on FrozenLake and JumpRiverSwim (section 5.1), and what average-reward learners are
// promised there (Remark 2.2). Everything at the paper's horizon of 20000 steps.

#include "test.h"

#include "ref/env_run.h"
#include "ref/naive_plan.h"
#include "ref/verdict.h"

enum { T = 20000, DEEPEST = 80, MOST_STATES = 16 };

// A total of 20000 steps is exact to about 1e-8; the smallest loss below is 4e-5.
#define NOTHING 1e-6

static lgkt_env *make(const char *spec)
{
    const lgkt_env_config config = lgkt_env_config_default();
    return env_run_make(spec, &config);
}

// V*_T - V^pi_T of K-step greedy from the start; *best gets V*_T
static double greedy_loss(const lgkt_mdp *model, int64_t k, lgkt_ties ties, double *best)
{
    lgkt_error error = {0};
    double value[MOST_STATES], optimum[MOST_STATES];
    lgkt_policy *greedy = NULL, *optimal = NULL;
    const int32_t start = 0;
    assert_true(lgkt_mdp_states(model) <= MOST_STATES);
    assert_close(lgkt_mdp_start_law(model)[start], 1, 0);
    assert_ok(lgkt_policy_greedy(model, k, T, ties, NULL, &greedy, &error), error);
    assert_ok(lgkt_policy_optimal(model, T, LGKT_TIES_LOW, NULL, &optimal, &error), error);
    assert_ok(lgkt_policy_value(greedy, NULL, value, &error), error);
    assert_ok(lgkt_policy_value(optimal, NULL, optimum, &error), error);
    lgkt_policy_destroy(greedy);
    lgkt_policy_destroy(optimal);
    *best = optimum[start];
    return optimum[start] - value[start];
}

// what each depth up to DEEPEST loses, ties broken either way
typedef struct depths {
    double best;                 // V*_T
    double loss[2][DEEPEST + 1]; // [ties][K]
    int64_t last;                // the deepest that loses, in either way
} depths;

static depths try_depths(const char *spec)
{
    depths at = {.last = 0};
    lgkt_env *env = make(spec);
    for (int64_t k = 1; k <= DEEPEST; k++)
        for (int ties = 0; ties < 2; ties++) {
            at.loss[ties][k] = greedy_loss(lgkt_env_model(env), k, (lgkt_ties)ties, &at.best);
            assert_between(at.loss[ties][k], -NOTHING, at.best);
            if (at.loss[ties][k] > NOTHING)
                at.last = k;
        }
    // and all deeper ones that were tried are optimal
    const int64_t deeper[] = {100, 300, 1000, 5000, T - 1};
    for (size_t i = 0; i < sizeof deeper / sizeof *deeper; i++)
        assert_close(greedy_loss(lgkt_env_model(env), deeper[i], LGKT_TIES_LOW, &at.best), 0,
                     NOTHING);
    lgkt_env_destroy(env);
    return at;
}

// "any finite K step lookahead oracle is suboptimal"
static void nine_steps_are_optimal_on_frozenlake(void **state)
{
    (void)state;
    const depths at = try_depths("frozenlake");
    double largest = 0, high = 0, least = INFINITY;
    for (int64_t k = 1; k <= DEEPEST; k++)
        least = fmin(least, fmax(at.loss[0][k], at.loss[1][k]));
    for (int64_t k = 1; k <= 8; k++) {
        assert_true(at.loss[0][k] > NOTHING && at.loss[1][k] > NOTHING);
        largest = fmax(largest, at.loss[0][k]);
        high = fmax(high, at.loss[1][k]);
    }
    assert_int_equal(at.last, 8);
    verdict_at_least("loss of K-step greedy, least over K = 1 to 80", least, 0, NOTHING);
    verdict_expect(VERDICT_AGAINST,
                   "T = 20000: K = 1 to 8 lose up to %.1f of %.0f (ties to the highest action: "
                   "%.0f); every K from 9 on that was tried is optimal",
                   largest, at.best, high);
}

// "any K-step lookahead policy with short K is suboptimal"
static void short_lookahead_is_not_optimal_on_the_rivers(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        int64_t last;
    } cases[] = {{"riverswim", 62},
                 {"riverswim:states=8", 33},
                 {"riverswim:states=15", 30},
                 {"riverswim:variant=printed", 3},
                 {"riverswim:variant=printed,states=8", 14},
                 {"riverswim:variant=printed,states=15", 13}};
    char text[256] = "";
    double least = INFINITY;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const depths at = try_depths(cases[i].spec);
        const double two = fmin(at.loss[0][2], at.loss[1][2]);
        least = fmin(least, fmin(two, fmin(at.loss[0][1], at.loss[1][1])));
        for (int64_t k = 1; k <= cases[i].last; k++)
            assert_true(at.loss[0][k] > NOTHING && at.loss[1][k] > NOTHING);
        assert_int_equal(at.last, cases[i].last);
        if (i < 3)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%sK <= %d (K = 2: %.1f%%)",
                     i > 0 ? ", " : "", (int)at.last, 100 * two / at.best);
    }
    verdict_at_least("loss of 1-step and 2-step greedy, least of all rivers", least, 0, NOTHING);
    verdict_expect(VERDICT_FOR, "T = 20000: S = 5, 8, 15 lose for %s; deeper ones are optimal",
                   text);
}

// "it will myopically choose left at state 0, whereas only a sufficiently long-horizon lookahead
// discovers the optimal trajectory to the right": the optimum chooses left there, too.
static void the_optimum_goes_left_in_state_zero(void **state)
{
    (void)state;
    static const char *const specs[] = {"riverswim",
                                        "riverswim:states=8",
                                        "riverswim:states=15",
                                        "riverswim:variant=printed",
                                        "riverswim:variant=printed,states=8",
                                        "riverswim:variant=printed,states=15"};
    lgkt_error error = {0};
    int64_t right = 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        lgkt_env *env = make(specs[i]);
        const lgkt_mdp *model = lgkt_env_model(env);
        lgkt_policy *optimal = NULL;
        assert_close(lgkt_mdp_reward(model, 0, 0), 0.2, 0); // action 0 is left
        assert_ok(lgkt_policy_optimal(model, T, LGKT_TIES_LOW, NULL, &optimal, &error), error);
        for (int64_t h = 1; h <= T; h++)
            right += lgkt_policy_action(optimal, h, 0) != 0;
        // who goes right there instead loses
        double best[MOST_STATES], value[MOST_STATES];
        int32_t actions[MOST_STATES];
        lgkt_policy *other = NULL;
        for (int32_t s = 0; s < lgkt_mdp_states(model); s++)
            actions[s] = s == 0 ? 1 : lgkt_policy_action(optimal, T, s);
        assert_ok(lgkt_policy_fixed(model, T, actions, NULL, &other, &error), error);
        assert_ok(lgkt_policy_value(optimal, NULL, best, &error), error);
        assert_ok(lgkt_policy_value(other, NULL, value, &error), error);
        assert_true(value[0] < 0.999 * best[0]);
        lgkt_policy_destroy(optimal);
        lgkt_policy_destroy(other);
        lgkt_env_destroy(env);
    }
    verdict_at_least("times at which the optimum goes right in state 0", (double)right, 0, 1);
    verdict_expect(VERDICT_AGAINST,
                   "all 20000 times, S = 5, 8, 15, released and printed numbers; short lookahead "
                   "loses in the states between");
}

// ---- Remark 2.2 ----

// "infinite-horizon average-reward maximization can serve as an approximation for large T": V*_T is
// T times the gain up to a constant.
static void long_horizons_earn_the_gain(void **state)
{
    (void)state;
    static const char *const specs[] = {"riverswim", "riverswim:states=8", "riverswim:states=15",
                                        "frozenlake"};
    lgkt_error error = {0};
    double worst[2] = {0, 0}, beyond = -INFINITY;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        lgkt_env *env = make(specs[i]);
        const lgkt_mdp *model = lgkt_env_model(env);
        const int64_t horizons[] = {100, T};
        double gain = NAN, bias[MOST_STATES], value[MOST_STATES], span = 0;
        assert_ok(lgkt_plan_gain(model, 1e-12, NULL, &gain, bias, &error), error);
        for (int32_t s = 0; s < lgkt_mdp_states(model); s++)
            span = fmax(span, bias[s]);
        for (int j = 0; j < 2; j++) {
            naive_v(model, horizons[j], value);
            const double t = (double)horizons[j];
            for (int32_t s = 0; s < lgkt_mdp_states(model); s++)
                beyond = fmax(beyond, fabs(value[s] - t * gain) - span);
            worst[j] = fmax(worst[j], fabs(value[0] / (t * gain) - 1));
        }
        lgkt_env_destroy(env);
    }
    verdict_at_most("distance of V* from T times the gain, beyond the span of the bias", beyond, 0,
                    1e-6);
    verdict_at_most("that distance at T = 20000, as a part of V*", worst[1], 0, 0.01);
    verdict_expect(VERDICT_FOR, "rivers and FrozenLake; at T = 100 it is off by %.0f%%",
                   100 * worst[0]);
}

// the largest of the shortest mean times from one state to another, over states that can be
// reached from the start
static double diameter(const lgkt_mdp *model)
{
    const int32_t states = lgkt_mdp_states(model), actions = lgkt_mdp_actions(model);
    bool met[MOST_STATES] = {true};
    for (int32_t round = 0; round < states; round++)
        for (int32_t s = 0; s < states; s++)
            for (int32_t a = 0; met[s] && a < actions; a++)
                for (int32_t y = 0; y < states; y++)
                    met[y] |= naive_p(model, s, a, y) > 0;
    double longest = 0;
    for (int32_t target = 0; target < states; target++) {
        if (!met[target])
            continue;
        double time[MOST_STATES] = {0}, moved = INFINITY;
        while (moved > 1e-9) {
            moved = 0;
            for (int32_t s = 0; s < states; s++) {
                double best = s == target || !met[s] ? 0 : INFINITY;
                for (int32_t a = 0; best > 0 && a < actions; a++) {
                    const lgkt_row row = lgkt_mdp_row(model, s, a);
                    double sum = 1;
                    for (int32_t i = 0; i < row.n; i++)
                        sum += row.p[i] * time[row.next[i]];
                    best = fmin(best, sum);
                }
                moved = fmax(moved, fabs(best - time[s]));
                time[s] = best;
            }
        }
        for (int32_t s = 0; s < states; s++)
            longest = fmax(longest, time[s]);
    }
    return longest;
}

// "in a short, finite horizon the guaranteed properties do not hold": the regret that UCRL2 is
// promised to stay below (Jaksch et al. 2010, theorem 2, delta = 0.05, rewards in [0, 1]) is more
// than all there is to lose.
static void guarantees_say_nothing_at_this_horizon(void **state)
{
    (void)state;
    static const char *const specs[] = {"riverswim", "riverswim:states=8", "riverswim:states=15",
                                        "frozenlake"};
    double least = INFINITY, shortest = INFINITY;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        lgkt_env *env = make(specs[i]);
        const lgkt_mdp *model = lgkt_env_model(env);
        const double d = diameter(model);
        const double bound = 34 * d * lgkt_mdp_states(model) *
                             sqrt(lgkt_mdp_actions(model) * (double)T * log(T / 0.05));
        assert_between(d, 1, 1e5);
        least = fmin(least, bound / T);
        shortest = fmin(shortest, d);
        lgkt_env_destroy(env);
    }
    assert_true(least > 10);
    verdict_at_least("regret that UCRL2 is promised to stay below, over T, the most there is to "
                     "lose, least",
                     least, 0, 1);
    verdict_expect(VERDICT_FOR, "rivers and FrozenLake, T = 20000, diameters from %.1f steps on",
                   shortest);
}

int main(void)
{
    verdict_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nine_steps_are_optimal_on_frozenlake),
        cmocka_unit_test(short_lookahead_is_not_optimal_on_the_rivers),
        cmocka_unit_test(the_optimum_goes_left_in_state_zero),
        cmocka_unit_test(long_horizons_earn_the_gain),
        cmocka_unit_test(guarantees_say_nothing_at_this_horizon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
