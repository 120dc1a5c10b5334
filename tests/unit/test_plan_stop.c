// SPDX-License-Identifier: MIT
// Plans that are ended within one large elimination, and chances that are lost in one: those below
// the smallest double.
#include <stdlib.h>

#include "ref/models.h"
#include "test.h"

// ---- one large elimination ----

// states that hardly ever move, and then to any other
static lgkt_mdp *slow(int32_t states)
{
    lgkt_mdp_builder *const b = model_begin(states, 1);
    lgkt_rng rng = lgkt_rng_stream(81, "slow", 0);
    const double move = 1e-5 / states;
    for (int32_t s = 0; s < states; s++) {
        for (int32_t y = 0; y < states; y++)
            model_edge(b, s, 0, y, y == s ? 1 - move * (states - 1) : move);
        model_reward(b, s, 0, lgkt_rng_uniform(&rng));
    }
    return model_finish(b);
}

// How often the caller is asked before anything is evaluated and while no sweep is made, and when it
// answers that it wants no more.
typedef struct watch {
    int64_t sweeps;
    int within, stop_at;
} watch;

static int look(void *ctx, const lgkt_plan_progress *progress)
{
    watch *const w = ctx;
    if (progress->policies > 0)
        return 0;
    w->within = progress->sweeps == w->sweeps ? w->within + 1 : 0;
    w->sweeps = progress->sweeps;
    return w->within == w->stop_at;
}

static void a_plan_stops_within_an_elimination(void **state)
{
    (void)state;
    enum { N = 500 };
    static double gain[N];
    lgkt_mdp *mdp = slow(N);
    lgkt_error error = {0};
    double exact = 0;
    for (int32_t s = 0; s < N; s++)
        exact += lgkt_mdp_reward(mdp, s, 0) / N; // all are visited alike
    for (int discounted = 0; discounted < 2; discounted++)
        for (int stop = 1; stop <= 3; stop += 2) {
            watch w = {.stop_at = stop};
            lgkt_plan_config config = lgkt_plan_config_default();
            lgkt_plan_result result = {.value = gain};
            config.progress = look;
            config.ctx = &w;
            if (discounted)
                assert_ok(lgkt_plan_discounted(mdp, 1 - 1e-9, &config, &result, &error), error);
            else
                assert_ok(lgkt_plan_average(mdp, &config, &result, &error), error);
            assert_true(result.stopped);
            assert_int_equal(w.within, stop);
            assert_int_equal(result.policies, 0);
            if (!discounted)
                assert_between(exact, gain[0] - result.below, gain[0] + result.above);
        }
    lgkt_plan_result result = {.value = gain};
    assert_ok(lgkt_plan_average(mdp, NULL, &result, &error), error);
    assert_close(gain[0], exact, 1e-14);
    assert_true(result.policies > 0 && result.below + result.above <= 1e-12);
    lgkt_mdp_destroy(mdp);
}

// ---- chances below the smallest double ----

// A ring with wells at `width` and 3 `width`, where one is nearly always; out of the first one climbs
// to state 0 against 4 to 1, or to 2 `width` against 9 to 1, out of the second against 5 or 8 to 1. So
// the ways over state 0 are the likelier ones, and lead to the second well more often than back.
static lgkt_mdp *two_wells(int32_t width)
{
    static const double against[] = {4, 9, 8, 5};
    const int32_t states = 4 * width;
    lgkt_mdp_builder *const b = model_begin(states, 1);
    for (int32_t s = 0; s < states; s++) {
        const double with = against[s / width], down = .9 * with / (1 + with), up = .9 - down;
        const bool right = s / width % 2 == 0;
        model_edge(b, s, 0, (s + 1) % states, right ? down : up);
        model_edge(b, s, 0, (s + states - 1) % states, right ? up : down);
        model_edge(b, s, 0, s, .1);
        model_reward(b, s, 0, s < 2 * width);
    }
    return model_finish(b);
}

// The likeliest way from state 0's one side to its other and back has 4^-width at the least. Above
// 1e-308 the gain has all its digits: (4/5)^width of the time, times what a closer look at the two
// sides tells, is spent in the first well. Below, there is no way over state 0 for an elimination that
// begins there; the interval of a plan still holds the gain.
static void chances_below_doubles_are_none(void **state)
{
    (void)state;
    lgkt_error error = {0};
    for (int32_t width = 200; width <= 600; width += 400) {
        lgkt_mdp *mdp = two_wells(width);
        const size_t n = (size_t)(4 * width);
        double *const gain = calloc(n, sizeof *gain), own;
        lgkt_policy *policy = NULL;
        lgkt_plan_result result = {.value = gain};
        assert_ok(lgkt_plan_average(mdp, NULL, &result, &error), error);
        assert_between(0, gain[0] - result.below, gain[0] + result.above);
        assert_ok(lgkt_policy_uniform(mdp, 1, NULL, &policy, &error), error);
        assert_ok(lgkt_policy_gain(policy, 1e-9, NULL, &own, NULL, &error), error);
        if (width == 200)
            assert_between(log(own), width * log(.8) - 3, width * log(.8) + 3);
        else
            assert_close(own, 1, 1e-12);
        lgkt_policy_destroy(policy);
        lgkt_mdp_destroy(mdp);
        free(gain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_stops_within_an_elimination),
        cmocka_unit_test(chances_below_doubles_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
