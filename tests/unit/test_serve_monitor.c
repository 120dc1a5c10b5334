// SPDX-License-Identifier: MIT
// What the monitor tells for pictures, against sums over a list of all decisions: blocks of
// decisions, what the fallback would have earned, delays; and features by weight.

#include "test.h"

#include "ref/serve_run.h"
#include "serve/monitor.h"

enum { DECISIONS = 2350, BLOCK = 100, BLOCKS = 11, MINUTE = 60 };

static const char CONFIG[] =
    "{\"name\":\"berg\",\"learner\":\"auto\",\"actions\":[\"a\",\"b\",\"c\"],"
    "\"state\":[{\"name\":\"mood\",\"values\":2}],\"horizon\":10000,\"unit_limit\":40,"
    "\"patience\":1000,\"seed\":42,\"floor\":0.1,\"fallback\":[0.5,0.5,0]}";
static const double FALLBACK[3] = {0.5, 0.5, 0};

typedef struct seen {
    int action;
    double reward, weight;
} seen;

static double number(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

// Mean and standard error of the weighted rewards of decisions first .. end - 1, in two passes.
static void worth(const seen *all, int first, int end, bool weighted, double *mean, double *error)
{
    double sum = 0, weights = 0, squares = 0;
    for (int i = first; i < end; i++) {
        const double w = weighted ? all[i].weight : 1;
        sum += w * all[i].reward;
        weights += w;
    }
    *mean = sum / weights;
    for (int i = first; i < end; i++) {
        const double w = weighted ? all[i].weight : 1;
        squares += w * w * (all[i].reward - *mean) * (all[i].reward - *mean);
    }
    const double n = end - first;
    *error = weighted ? sqrt(squares) / weights : sqrt(squares / (n - 1) / n);
}

static void check_worth(const json_t *told, const seen *all, int first, int end)
{
    double mean, error;
    assert_int_equal((int)number(told, "rewards"), end - first);
    worth(all, first, end, false, &mean, &error);
    assert_close(number(told, "mean_reward"), mean, 1e-9);
    assert_close(number(told, "mean_se"), error, 1e-9);
    worth(all, first, end, true, &mean, &error);
    assert_close(number(told, "fallback_reward"), mean, 1e-9);
    assert_close(number(told, "fallback_se"), error, 1e-9);
}

static void check_blocks(const json_t *series, const seen *all)
{
    const json_t *blocks = json_object_get(series, "blocks");
    assert_int_equal((int)number(series, "window"), BLOCK * (BLOCKS - 1));
    assert_int_equal((int)json_array_size(blocks), BLOCKS);
    for (int b = 0; b < BLOCKS; b++) {
        const json_t *block = json_array_get(blocks, (size_t)b);
        const int first = ((DECISIONS - 1) / BLOCK - BLOCKS + 1 + b) * BLOCK;
        const int end = first + BLOCK < DECISIONS ? first + BLOCK : DECISIONS;
        int counts[3] = {0};
        for (int i = first; i < end; i++)
            counts[all[i].action]++;
        assert_int_equal((int)number(block, "from"), first);
        for (int a = 0; a < 3; a++)
            assert_int_equal((int)json_number_value(
                                 json_array_get(json_object_get(block, "decisions"), (size_t)a)),
                             counts[a]);
        check_worth(block, all, first, end);
    }
}

// Every decision gets its reward at once, but every tenth after two minutes.
static void pictures(void **unused)
{
    (void)unused;
    static seen all[DECISIONS];
    serve_run *run = serve_run_make(CONFIG);
    lgkt_rng rng = lgkt_rng_stream(3, "rewards", 0);
    int delays[3][2] = {{0}};
    char body[200];
    for (int i = 0; i < DECISIONS; i++) {
        // the mask leaves the fallback one action now and then
        snprintf(body, sizeof body, "{\"unit\":\"u%d\",\"state\":{\"mood\":%d}%s}", i % 40, i % 2,
                 i % 7 == 0 ? ",\"allowed\":[\"b\",\"c\"]" : "");
        assert_int_equal(serve_run_do(run, SRV_DO_DECIDE, NULL, body), 201);
        const json_t *answer = run->answer.body;
        const int a = json_string_value(json_object_get(answer, "action"))[0] - 'a';
        const double law = i % 7 > 0 ? FALLBACK[a] : a == 1;
        all[i] = (seen){a, (a == 1) + lgkt_rng_uniform(&rng), law / number(answer, "probability")};
        const bool is_late = i % 10 == 0;
        run->time += is_late ? 2 * MINUTE * INT64_C(1000000) : 0;
        delays[a][is_late]++;
        snprintf(body, sizeof body, "[{\"decision\":%d,\"reward\":%.17g}]", i, all[i].reward);
        assert_int_equal(serve_run_do(run, SRV_DO_REPORT, NULL, body), 200);
    }
    assert_int_equal(serve_run_do(run, SRV_DO_MONITOR, NULL, "{}"), 200);
    const json_t *told = run->answer.body;
    check_worth(json_object_get(told, "worth"), all, 0, DECISIONS);
    check_blocks(json_array_get(json_object_get(told, "series"), 0), all);
    for (size_t a = 0; a < 3; a++) {
        const json_t *list =
            json_object_get(json_array_get(json_object_get(told, "actions"), a), "delays");
        for (size_t i = 0; i < 5; i++)
            assert_int_equal((int)json_number_value(json_array_get(list, i)),
                             i < 2 ? delays[a][i] : 0);
    }
    serve_run_check(run);
    serve_run_free(run);
}

// The reward follows from one feature alone, and the learner says so.
static void features(void **unused)
{
    (void)unused;
    serve_run *run = serve_run_make(
        "{\"name\":\"berg\",\"learner\":\"auto\",\"actions\":[\"a\",\"b\"],\"features\":[{\"name\":"
        "\"x\"},{\"name\":\"noise\"}],\"horizon\":1000,\"unit_limit\":10,\"seed\":1}");
    lgkt_rng rng = lgkt_rng_stream(5, "records", 0);
    char body[200];
    for (int i = 0; i < 300; i++) {
        const double x = lgkt_rng_uniform(&rng), noise = lgkt_rng_uniform(&rng);
        snprintf(body, sizeof body, "{\"unit\":\"u%d\",\"state\":{\"x\":%.17g,\"noise\":%.17g}}",
                 i % 10, x, noise);
        assert_int_equal(serve_run_do(run, SRV_DO_DECIDE, NULL, body), 201);
        const int a = json_string_value(json_object_get(run->answer.body, "action"))[0] - 'a';
        snprintf(body, sizeof body, "[{\"decision\":%d,\"reward\":%d}]", i, (x > 0.5) == (a == 1));
        assert_int_equal(serve_run_do(run, SRV_DO_REPORT, NULL, body), 200);
    }
    assert_int_equal(
        serve_run_do(run, SRV_DO_EXPLAIN, NULL, "{\"state\":{\"x\":0.2,\"noise\":0.5}}"), 200);
    const json_t *list = json_object_get(run->answer.body, "features");
    const json_t *first = json_array_get(list, 0), *second = json_array_get(list, 1);
    assert_int_equal((int)json_array_size(list), 2);
    assert_string_equal(json_string_value(json_object_get(first, "feature")), "x");
    assert_true(number(first, "matter") > number(second, "matter"));
    assert_close(number(first, "matter") + number(second, "matter"), 1, 1e-9);
    serve_run_free(run);
}

static void check_commits(double p99, int64_t clock_back, const char *before, const char *after)
{
    json_t *answer = json_pack("{sss[]}", "light", before, "checks");
    srv_monitor_add_commits(&answer, 5, 0.001, p99, clock_back);
    assert_string_equal(json_string_value(json_object_get(answer, "light")), after);
    assert_int_equal((int)json_array_size(json_object_get(answer, "checks")), 2);
    assert_close(number(json_object_get(answer, "commit"), "p99"), p99, 0);
    json_decref(answer);
}

// 50 ms and 1 s are the limits; what is red stays so.
static void lights_of_commits(void **unused)
{
    (void)unused;
    check_commits(0.049, 0, "green", "green");
    check_commits(0.05, 0, "green", "yellow");
    check_commits(1, 0, "yellow", "red");
    check_commits(0.001, 1, "green", "yellow");
    check_commits(0.001, 0, "yellow", "yellow");
    check_commits(0.06, 0, "red", "red");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pictures), cmocka_unit_test(features),
                                       cmocka_unit_test(lights_of_commits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
