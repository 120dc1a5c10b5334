// SPDX-License-Identifier: MIT
// Bounds of rewards that are told, or else seen.

#include "test.h"

#include "learners/model/rewards.h"

static lgkt_reward_bounds start(double min, double max)
{
    return lgkt_reward_bounds_start(&(lgkt_reward_range){.min = min, .max = max, .sd = NAN});
}

static void test_both_told(void **state)
{
    (void)state;
    lgkt_reward_bounds b = start(-4, 4);
    bool moved = true;
    assert_close(b.low, 0, 0);
    assert_close(b.high, 1, 0);
    assert_close(lgkt_reward_bounds_see(&b, -4, &moved), 0, 0);
    assert_false(moved);
    assert_close(lgkt_reward_bounds_see(&b, 2, NULL), 0.75, 0);
    // single rewards may lie beyond: that is noise, and moves no end
    assert_close(lgkt_reward_bounds_see(&b, 12, &moved), 2, 0);
    assert_close(lgkt_reward_bounds_see(&b, -8, &moved), -0.5, 0);
    assert_false(moved);
    assert_close(b.low, 0, 0);
    assert_close(b.high, 1, 0);
    assert_close(b.least, -0.5, 0);
    assert_close(b.most, 2, 0);
}

// no range at all: the unit is that of the rewards
static void test_told_equal(void **state)
{
    (void)state;
    lgkt_reward_bounds b = start(7, 7);
    assert_close(b.low, 0, 0);
    assert_close(b.high, 0, 0);
    assert_close(lgkt_reward_bounds_see(&b, 9, NULL), 2, 0);
    assert_close(b.high, 0, 0);
    assert_close(b.least, 2, 0);
}

static void test_untold(void **state)
{
    (void)state;
    lgkt_reward_bounds b = start(NAN, NAN);
    bool moved = true;
    assert_close(lgkt_reward_bounds_see(&b, 5, &moved), 0, 0);
    assert_false(moved);
    assert_close(lgkt_reward_bounds_see(&b, 5, &moved), 0, 0);
    assert_false(moved);
    assert_close(lgkt_reward_bounds_see(&b, 8, &moved), 3, 0);
    assert_true(moved);
    assert_close(lgkt_reward_bounds_see(&b, 4, &moved), -1, 0);
    assert_true(moved);
    assert_close(lgkt_reward_bounds_see(&b, 6, &moved), 1, 0);
    assert_false(moved);
    assert_close(b.low, -1, 0);
    assert_close(b.high, 3, 0);
    assert_close(b.least, -1, 0);
    assert_close(b.most, 3, 0);
}

// one end told: the other is what was seen, and never on the wrong side of it
static void test_one_end_told(void **state)
{
    (void)state;
    lgkt_reward_bounds b = start(0, NAN);
    bool moved = false;
    assert_close(lgkt_reward_bounds_see(&b, 10, &moved), 0, 0);
    assert_true(moved);
    assert_close(b.low, -10, 0);
    assert_close(b.high, 0, 0);
    lgkt_reward_bounds_see(&b, -3, &moved);
    assert_false(moved);
    assert_close(b.low, -10, 0);
    lgkt_reward_bounds_see(&b, 12, &moved);
    assert_true(moved);
    assert_close(b.high, 2, 0);

    b = start(NAN, 1);
    lgkt_reward_bounds_see(&b, 0, NULL);
    assert_close(b.low, 0, 0);
    assert_close(b.high, 1, 0);
    lgkt_reward_bounds_see(&b, -2, &moved);
    assert_true(moved);
    assert_close(b.low, -2, 0);
    lgkt_reward_bounds_see(&b, 3, &moved);
    assert_false(moved);
    assert_close(b.high, 1, 0);

    // all rewards beyond the end that was told
    b = start(100, NAN);
    lgkt_reward_bounds_see(&b, 1, NULL);
    assert_close(b.low, 99, 0);
    assert_close(b.high, 99, 0);
    b = start(NAN, -100);
    lgkt_reward_bounds_see(&b, 1, NULL);
    assert_close(b.low, -101, 0);
    assert_close(b.high, -101, 0);
}

// other units by a power of two, with the range in the same units: the same numbers
static void test_units(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(1, "bounds", 0);
    for (int told = 0; told < 2; told++) {
        lgkt_reward_bounds one = told ? start(-1, 2) : start(NAN, NAN);
        lgkt_reward_bounds other = told ? start(-12, 12) : start(NAN, NAN);
        for (int i = 0; i < 1000; i++) {
            const double r = (double)lgkt_rng_below(&rng, 4096) / 1024 - 1;
            const double unit = told ? 1 : 8;
            assert_close(lgkt_reward_bounds_see(&other, 8 * r - 4, NULL),
                         unit * lgkt_reward_bounds_see(&one, r, NULL), 0);
            assert_close(other.high, unit * one.high, 0);
            assert_close(other.least, unit * one.least, 0);
        }
    }
}

// rewards of any size, ranges of any width: nothing becomes infinite
static void test_extremes(void **state)
{
    (void)state;
    static const double ranges[][2] = {
        {0, 5e-324}, {0, 1e-300}, {-1e15, 1e15}, {NAN, NAN}, {0, NAN}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        lgkt_reward_bounds b = start(ranges[i][0], ranges[i][1]);
        for (int k = 0; k < 4; k++) {
            const double r = k % 2 == 0 ? 1e100 : -1e100;
            assert_between(lgkt_reward_bounds_see(&b, r, NULL), -1e100, 1e100);
        }
        assert_true(isfinite(b.low) && isfinite(b.high) && b.low <= b.high);
        assert_true(isfinite(b.least) && isfinite(b.most) && b.least <= b.most);
    }
}

static lgkt_learner nobody; // its sizes are not asked for

static void test_saved(void **state)
{
    (void)state;
    lgkt_reward_bounds b = start(NAN, 3), copy = start(NAN, 3);
    unsigned char bytes[256];
    lgkt_reward_bounds_see(&b, 1.5, NULL);
    lgkt_reward_bounds_see(&b, -7, NULL);
    lgkt_archive out = lgkt_archive_save(bytes, sizeof bytes);
    lgkt_part_visit(&nobody, &lgkt_reward_bounds_part, &b, &out);
    lgkt_archive in = lgkt_archive_load(bytes, out.at);
    lgkt_part_visit(&nobody, &lgkt_reward_bounds_part, &copy, &in);
    assert_false(in.bad);
    assert_true(copy.any);
    assert_close(copy.base, b.base, 0);
    assert_close(copy.low, b.low, 0);
    assert_close(copy.high, b.high, 0);
    assert_close(copy.least, b.least, 0);
    assert_close(copy.most, b.most, 0);
    // ends in the wrong order were made up
    b.low = b.high + 1;
    out = lgkt_archive_save(bytes, sizeof bytes);
    lgkt_part_visit(&nobody, &lgkt_reward_bounds_part, &b, &out);
    in = lgkt_archive_load(bytes, out.at);
    lgkt_part_visit(&nobody, &lgkt_reward_bounds_part, &copy, &in);
    assert_true(in.bad);
}

// settings come first, then the problem, then nothing
static void test_fill(void **state)
{
    (void)state;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = config.problem.actions = 2;
    config.problem.horizon = 10;
    static const struct {
        const char *spec;
        double min, max;
        const char *words; // nullable
    } cases[] = {
        {"imed-rl", NAN, NAN, NULL},
        {"imed-rl", -1, 2, "reward-min=-1,reward-max=2"},
        {"imed-rl:reward-max=5", -1, 2, "reward-min=-1,reward-max=5"},
        {"imed-rl:reward-max=5", NAN, NAN, "reward-max=5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_learner *learner = NULL;
        lgkt_error error = {0};
        config.problem.reward_min = cases[i].min;
        config.problem.reward_max = cases[i].max;
        assert_ok(lgkt_learner_create(cases[i].spec, &config, &learner, &error), error);
        const char *spec = lgkt_learner_spec(learner);
        assert_int_equal(strstr(spec, "reward-m") != NULL, cases[i].words != NULL);
        assert_true(cases[i].words == NULL || strstr(spec, cases[i].words) != NULL);
        lgkt_learner_destroy(learner);
    }
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_refused(
        lgkt_learner_create("imed-rl:reward-min=3,reward-max=2", &config, &learner, &error),
        LGKT_ERR_SPEC, error, "reward-min=3 is above reward-max=2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_told), cmocka_unit_test(test_told_equal),
        cmocka_unit_test(test_untold),    cmocka_unit_test(test_one_end_told),
        cmocka_unit_test(test_units),     cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_saved),     cmocka_unit_test(test_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
