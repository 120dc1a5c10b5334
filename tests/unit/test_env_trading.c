// SPDX-License-Identifier: MIT
// Trading against hand-made numbers, a printed example, and (if the file is there) digests of the
// Python environment it follows.
//
// The digests need the paper's price file: scripts/fetch_prices FILE, then LGKT_PRICES=FILE.
#include "test.h"

#include <stdlib.h>

#include "core/hash.h"
#include "env/trading.h"
#include "ref/env_run.h"

// what the golden digests start from (one digit short of the usual FNV offset)
#define GOLDEN_START UINT64_C(1469598103934665603)

static lgkt_env_config config_of(const double *prices, size_t count)
{
    lgkt_env_config config = lgkt_env_config_default();
    if (prices != NULL)
        config.data = (lgkt_data){.kind = LGKT_DATA_SERIES, .series = prices, .count = count};
    return config;
}

static lgkt_env *make(const char *spec, const double *prices, size_t count)
{
    const lgkt_env_config config = config_of(prices, count);
    return env_run_make(spec, &config);
}

static lgkt_step play(lgkt_trajectory *run, int32_t action)
{
    const lgkt_step step = env_run_play(run, action);
    assert_true(step.mean_reward == step.reward);
    return step;
}

// ---- made-up prices, all exact as floats ----

static const double MADE_UP[] = {9, 1, 1.25, 1.5, 1.25, 1, 1.5, 7};
enum { MADE_UP_COUNT = sizeof MADE_UP / sizeof MADE_UP[0] };

// What a session will be after an action, also where the run then begins anew.
static lgkt_session session_after(const lgkt_env *env, const lgkt_trajectory *run, int32_t action)
{
    bool truncated;
    lgkt_session session = *(const lgkt_session *)(const void *)run->self;
    lgkt_session_step(env->self, &session, action, &truncated);
    return session;
}

static void test_a_pass_by_hand(void **state)
{
    (void)state;
    // frame rows 1..6: ticks 0..5 have prices 1, 1.25, 1.5, 1.25, 1, 1.5
    lgkt_env *env = make("trading:window=2,frame-lo=3,frame-hi=7", MADE_UP, MADE_UP_COUNT);
    lgkt_trajectory *run = env_run_start(env, 100, 0);
    const lgkt_session *session = (const void *)run->self;
    assert_int_equal(lgkt_trajectory_state(run), 0);

    // buy from tick 1 to 3: no difference, and no -0.0
    lgkt_step step = play(run, LGKT_BUY);
    assert_true(step.reward == 0 && !signbit(step.reward));
    assert_int_equal(step.state, 1);
    assert_false(step.ended);

    // sell at tick 4, what was bought at 1.25
    step = play(run, LGKT_SELL);
    assert_true(step.reward == -2500);
    assert_int_equal(step.state, 2);
    assert_close(session->total_profit, (1 - 0.0003) / 1.25, 1e-15);

    // buy at tick 5, where the pass is cut; the short position loses 0.5
    const lgkt_session finished = session_after(env, run, LGKT_BUY);
    step = play(run, LGKT_BUY);
    assert_true(step.reward == -5000);
    assert_true(step.ended);
    assert_int_equal(step.state, 0);
    assert_true(finished.total_reward == -7500);
    assert_close(finished.total_profit, (1 - 0.0003) / 1.25, 1e-15);

    // the next pass knows nothing of the last
    assert_true(session->total_reward == 0 && session->total_profit == 1);
    step = play(run, LGKT_SELL);
    assert_true(step.reward == 0);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

static void test_profit_on_the_left_side(void **state)
{
    (void)state;
    lgkt_env *env = make("trading:window=2,frame-lo=3,frame-hi=7,side=left", MADE_UP, 8);
    lgkt_trajectory *run = env_run_start(env, 3, 0);
    const lgkt_session *session = (const void *)run->self;
    play(run, LGKT_BUY);
    double profit = (1.25 - 0.0003) / 1.25;
    assert_close(session->total_profit, profit, 1e-15);
    play(run, LGKT_SELL);
    assert_close(session->total_profit, profit, 1e-15);
    // held to the cut: the profit is counted, the reward is not
    const lgkt_session finished = session_after(env, run, LGKT_SELL);
    assert_true(play(run, LGKT_SELL).reward == 0);
    profit *= (1 - 0.0003) / 1.5;
    assert_close(finished.total_profit, profit, 1e-15);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

static void test_observation_is_the_window(void **state)
{
    (void)state;
    lgkt_env *env = make("trading:window=2,frame-lo=3,frame-hi=7", MADE_UP, MADE_UP_COUNT);
    lgkt_trajectory *run = env_run_start(env, 100, 0);
    static const float FIRST[] = {1.25f, 0.25f, 1.5f, 0.25f},
                       SECOND[] = {1.5f, 0.25f, 1.25f, -0.25f};
    size_t size = 0;
    const void *seen = lgkt_trajectory_observation(run, &size);
    assert_int_equal(size, sizeof FIRST);
    assert_memory_equal(seen, FIRST, size);
    play(run, LGKT_SELL);
    assert_memory_equal(lgkt_trajectory_observation(run, &size), SECOND, sizeof SECOND);
    // after the cut it is the window of the restart
    play(run, LGKT_SELL);
    assert_true(play(run, LGKT_SELL).ended);
    assert_memory_equal(lgkt_trajectory_observation(run, &size), FIRST, sizeof FIRST);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

static void test_problem_has_a_range_and_no_model(void **state)
{
    (void)state;
    lgkt_env *env = make("trading:window=2,frame-lo=3,frame-hi=7", MADE_UP, MADE_UP_COUNT);
    const lgkt_problem problem = lgkt_env_problem(env, 50);
    assert_int_equal(problem.states, 3);
    assert_int_equal(problem.actions, 2);
    assert_int_equal(problem.horizon, 50);
    assert_true(problem.reward_min == -5000 && problem.reward_max == 5000);
    assert_true(problem.reward_sd == 5000);
    assert_null(problem.model);
    assert_null(lgkt_env_model(env));
    assert_non_null(strstr(lgkt_env_note(env), "as given"));
    lgkt_env_destroy(env);
}

static void test_equal_windows_are_one_state(void **state)
{
    (void)state;
    static const double SAW[] = {1, 2, 1, 2, 1, 2, 4, 2, 1};
    lgkt_env *env = make("trading:window=1,frame-lo=1,frame-hi=9", SAW, 9);
    // ticks 1..7: (2,+1) (1,-1) (2,+1) (1,-1) (2,+1) (4,+2) (2,-2)
    static const int32_t EXPECTED[] = {0, 1, 0, 1, 0, 2, 3};
    assert_int_equal(lgkt_env_problem(env, 1).states, 4);
    lgkt_trajectory *run = env_run_start(env, 7, 0);
    for (int t = 0; t < 7; t++) {
        assert_int_equal(lgkt_trajectory_state(run), EXPECTED[t]);
        assert_int_equal(play(run, LGKT_SELL).ended, t == 6);
    }
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// ---- the printed example ----

// closing prices of rows 0..17 of the paper's file; one made-up price, so that nothing is cut
static const double PRINTED[] = {1.05227, 1.05282, 1.05281, 1.05240, 1.05220, 1.05226, 1.05193,
                                 1.05161, 1.05172, 1.05162, 1.04899, 1.04877, 1.04815, 1.04790,
                                 1.04663, 1.04666, 1.04738, 1.04725, 1.05};

typedef struct printed_step {
    int action;
    double reward, total_reward, profit, profit_single;
    int position, last;
    unsigned char newest[8]; // bytes of the newest row of the window
} printed_step;

static const printed_step STEPS[] = {
    {1,
     0x1.c80248p+4,
     28.50055694580078,
     1,
     1,
     LGKT_LONG,
     11,
     {0x18, 0x3e, 0x86, 0x3f, 0xcd, 0xaf, 0x66, 0xb9}},
    {1,
     0,
     28.50055694580078,
     1,
     1,
     LGKT_LONG,
     11,
     {0xc7, 0x29, 0x86, 0x3f, 0x7f, 0x87, 0x22, 0xba}},
    {0,
     -0x1.166588p+3,
     19.800662994384766,
     0.9988844175081726,
     0.9988844,
     LGKT_SHORT,
     13,
     {0x96, 0x21, 0x86, 0x3f, 0x6f, 0x12, 0x83, 0xb9}},
    {0,
     0,
     19.800662994384766,
     0.9988844175081726,
     0.9988844,
     LGKT_SHORT,
     13,
     {0xf9, 0xf7, 0x85, 0x3f, 0x21, 0x76, 0xa6, 0xba}},
    {1,
     0x1.8cce08p+3,
     32.20081329345703,
     0.9988844175081726,
     0.9988844,
     LGKT_LONG,
     15,
     {0xf4, 0xf8, 0x85, 0x3f, 0x82, 0xa8, 0xfb, 0x37}},
    {1,
     0,
     32.20081329345703,
     0.9988844175081726,
     0.9988844,
     LGKT_LONG,
     15,
     {0x8c, 0x10, 0x86, 0x3f, 0x62, 0xbe, 0x3c, 0x3a}},
    {0,
     5.900859832763672,
     38.1016731262207,
     0.9991612623128463,
     0.9991612,
     LGKT_SHORT,
     17,
     {0x4a, 0x0c, 0x86, 0x3f, 0x9c, 0x50, 0x08, 0xb9}},
};

static void check_printed_example(bool single)
{
    static const unsigned char FIRST[] = {0xce, 0xc2, 0x86, 0x3f, 0xe0, 0x2d, 0x10, 0x3a};
    static const unsigned char LAST[] = {0x4e, 0x45, 0x86, 0x3f, 0x14, 0x5c, 0x2c, 0xbb};
    lgkt_env *env = make(single ? "trading:frame-hi=19,numpy2=1" : "trading:frame-hi=19", PRINTED,
                         sizeof PRINTED / sizeof PRINTED[0]);
    lgkt_trajectory *run = env_run_start(env, 100, 0);
    const lgkt_session *session = (const void *)run->self;
    size_t size = 0;
    const unsigned char *window = lgkt_trajectory_observation(run, &size);
    assert_int_equal(size, 80);
    assert_memory_equal(window, FIRST, 8);
    assert_memory_equal(window + 72, LAST, 8);
    for (size_t t = 0; t < sizeof STEPS / sizeof STEPS[0]; t++) {
        const lgkt_step step = play(run, STEPS[t].action);
        assert_true(step.reward == STEPS[t].reward);
        assert_close(session->total_reward, STEPS[t].total_reward, single ? 1e-5 : 0);
        assert_close(session->total_profit, single ? STEPS[t].profit_single : STEPS[t].profit,
                     single ? 6e-8 : 0);
        assert_int_equal(session->position, STEPS[t].position);
        assert_int_equal(session->last, STEPS[t].last);
        assert_false(step.ended);
        window = lgkt_trajectory_observation(run, &size);
        assert_memory_equal(window + 72, STEPS[t].newest, 8);
    }
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

static void test_printed_example(void **state)
{
    (void)state;
    check_printed_example(false);
    check_printed_example(true);
}

// ---- the paper's file ----

enum { FILE_ROWS = 6225 };

// The column Close of the file named by LGKT_PRICES; false if it is not set.
static bool read_prices(double *prices)
{
    const char *path = getenv("LGKT_PRICES");
    FILE *file = path != NULL && path[0] != '\0' ? fopen(path, "r") : NULL;
    if (path != NULL && path[0] != '\0')
        assert_non_null(file);
    if (file == NULL)
        return false;
    char line[256];
    assert_non_null(fgets(line, sizeof line, file));
    for (int row = 0; row < FILE_ROWS; row++) {
        assert_non_null(fgets(line, sizeof line, file));
        const char *field = line;
        for (int comma = 0; comma < 4; comma++)
            field = strchr(field, ',') + 1;
        prices[row] = strtod(field, NULL);
    }
    fclose(file);
    return true;
}

static uint64_t digest_of(const lgkt_env *env, int steps)
{
    const lgkt_market *market = env->self;
    uint64_t digest = GOLDEN_START, s = 12345;
    lgkt_session session = lgkt_session_start(market);
    for (int t = 0; t < steps; t++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        bool truncated;
        const double reward =
            lgkt_session_step(market, &session, (int32_t)(s >> 33 & 1), &truncated);
        const double numbers[] = {reward, session.total_profit, session.total_reward};
        digest = lgkt_hash_bytes(digest, lgkt_market_window(market, session.tick), 80);
        digest = lgkt_hash_bytes(digest, numbers, sizeof numbers);
        if (truncated)
            session = lgkt_session_start(market);
    }
    return digest;
}

static void test_digests_of_the_python_environment(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint64_t short_run, long_run; // 300 and 3000 steps
    } CASES[] = {
        {"trading:side=right", 0x4abe33baeaf325f3, 0x7df026375f5491f9},
        {"trading:side=right,numpy2=1", 0x22ea36396a122bb6, 0x852d0741647cdc14},
        {"trading:side=left", 0xfd7394ba4b5a65bb, 0xad98ada8401bbfa3},
        {"trading:side=left,numpy2=1", 0x64e568353a8a58ea, 0x8a5e1d62017fd05f},
    };
    static double prices[FILE_ROWS];
    if (!read_prices(prices))
        skip();
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        lgkt_env *env = make(CASES[i].spec, prices, FILE_ROWS);
        assert_int_equal(digest_of(env, 300), CASES[i].short_run);
        assert_int_equal(digest_of(env, 3000), CASES[i].long_run);
        lgkt_env_destroy(env);
    }
}

static void test_a_whole_pass_of_the_file(void **state)
{
    (void)state;
    static double prices[FILE_ROWS];
    if (!read_prices(prices))
        skip();
    lgkt_env *env = make("trading", prices, FILE_ROWS);
    const lgkt_problem problem = lgkt_env_problem(env, 1);
    assert_int_equal(problem.states, 289);
    assert_close(problem.reward_max, 331, 0.001);
    lgkt_trajectory *run = env_run_start(env, 289, 0);
    lgkt_session pass = {0};
    for (int t = 0; t < 289; t++) {
        pass = session_after(env, run, 1 - t % 2);
        assert_int_equal(play(run, 1 - t % 2).ended, t == 288);
    }
    assert_close(pass.total_reward, -51.67841911315918, 0);
    assert_close(pass.total_profit, 0.9657309507908272, 0);
    assert_int_equal(pass.position, LGKT_LONG);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// ---- the generated walk ----

static void test_without_prices_a_walk_is_made(void **state)
{
    (void)state;
    lgkt_env *one = make("trading", NULL, 0), *same = make("trading", NULL, 0);
    assert_non_null(strstr(lgkt_env_note(one), "random walk"));
    const lgkt_market *a = one->self, *b = same->self;
    assert_int_equal(a->ticks, 300);
    assert_true(a->quote[0].price == 1.05f);
    // the sum of 299 squared steps of sd 0.001 is chi-square: within 0.55 .. 1.55 of its mean but
    // for a chance below 1e-8
    double sum = 0;
    for (int i = 1; i < 300; i++) {
        const double ratio = a->quote[i].change / a->quote[i - 1].price;
        sum += ratio * ratio;
        assert_true(a->quote[i].price == b->quote[i].price);
    }
    assert_between(sum / (299 * 1e-6), 0.55, 1.55);
    assert_int_equal(lgkt_env_problem(one, 1).states, 289);
    lgkt_env_destroy(one);
    lgkt_env_destroy(same);

    lgkt_env_config config = lgkt_env_config_default();
    config.instance = 1;
    lgkt_env *other = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_env_create("trading", &config, &other, &error), error);
    assert_true(((const lgkt_market *)other->self)->quote[1].price != 1.05f);
    lgkt_env_destroy(other);
}

// ---- refusals ----

static void check_refused(const char *spec, const double *prices, size_t count, lgkt_status status,
                          const char *words)
{
    const lgkt_env_config config = config_of(prices, count);
    lgkt_env *env = NULL;
    lgkt_error error = {0};
    assert_refused(lgkt_env_create(spec, &config, &env, &error), status, error, words);
    assert_null(env);
}

static void test_bad_frames_and_prices_are_refused(void **state)
{
    (void)state;
    static const double ZERO[] = {1, 2, 0, 1}, NOT[] = {1, NAN, 2, 1}, BIG[] = {1, 1, 1e300, 1};
    check_refused("trading:window=11", NULL, 0, LGKT_ERR_SPEC, "frame-lo=10");
    check_refused("trading:frame-hi=11", NULL, 0, LGKT_ERR_SPEC, "at least frame-lo + 2 = 12");
    check_refused("trading", MADE_UP, MADE_UP_COUNT, LGKT_ERR_SHAPE, "only 8 prices");
    check_refused("trading:file=x.csv", NULL, 0, LGKT_ERR_CONFIG, "file=x.csv");
    check_refused("trading:window=1,frame-lo=1,frame-hi=4", ZERO, 4, LGKT_ERR_CONFIG, "price 2");
    check_refused("trading:window=1,frame-lo=1,frame-hi=4", NOT, 4, LGKT_ERR_CONFIG, "price 1");
    check_refused("trading:window=1,frame-lo=1,frame-hi=4", BIG, 4, LGKT_ERR_CONFIG, "price 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_pass_by_hand),
        cmocka_unit_test(test_profit_on_the_left_side),
        cmocka_unit_test(test_observation_is_the_window),
        cmocka_unit_test(test_problem_has_a_range_and_no_model),
        cmocka_unit_test(test_equal_windows_are_one_state),
        cmocka_unit_test(test_printed_example),
        cmocka_unit_test(test_digests_of_the_python_environment),
        cmocka_unit_test(test_a_whole_pass_of_the_file),
        cmocka_unit_test(test_without_prices_a_walk_is_made),
        cmocka_unit_test(test_bad_frames_and_prices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
