// SPDX-License-Identifier: MIT
// The machine of a programme: its commands, and its records replayed.

#include "test.h"

#include "ref/serve_run.h"

static const char CONFIG[] =
    "{\"name\":\"berg\",\"learner\":\"auto\",\"actions\":[\"nothing\",\"message\",\"plan\","
    "\"call\"],"
    "\"state\":[{\"name\":\"mood\",\"values\":3},{\"name\":\"time\",\"values\":[\"am\",\"pm\"]}],"
    "\"horizon\":24000,\"unit_limit\":200,\"patience\":8000,\"seed\":42,\"floor\":0.02,"
    "\"fallback\":[0.7,0.3,0,0],\"limits\":[{\"action\":\"call\",\"max\":2,\"window\":\"P7D\"}],"
    "\"reward_range\":[0,1]}";

static void a_decision(void **unused)
{
    (void)unused;
    serve_run *run = serve_run_make(CONFIG);
    assert_int_equal(serve_run_do(run, SRV_DO_DECIDE, "k1",
                                  "{\"unit\":\"p17\",\"state\":{\"mood\":1,\"time\":\"am\"},"
                                  "\"allowed\":[\"nothing\",\"message\"]}"),
                     201);
    puts(serve_run_text(run));
    assert_int_equal(serve_run_do(run, SRV_DO_REPORT, NULL, "[{\"decision\":0,\"reward\":0.65}]"),
                     200);
    puts(serve_run_text(run));
    assert_int_equal(serve_run_do(run, SRV_DO_REPORT, NULL,
                                  "[{\"decision\":0,\"reward\":2},{\"decision\":0,\"reward\":0.65},"
                                  "{\"decision\":4,\"reward\":1},{\"x\":1}]"),
                     200);
    puts(serve_run_text(run));
    assert_int_equal(serve_run_do(run, SRV_DO_EXPLAIN, NULL,
                                  "{\"unit\":\"p17\",\"state\":{\"mood\":1,\"time\":\"am\"}}"),
                     200);
    puts(serve_run_text(run));
    assert_int_equal(serve_run_do(run, SRV_DO_POLICY, NULL, "{}"), 200);
    assert_int_equal(serve_run_do(run, SRV_DO_MONITOR, NULL, "{}"), 200);
    puts(serve_run_text(run));
    assert_int_equal(serve_run_do(run, SRV_DO_SHOW, NULL, "{}"), 200);
    puts(serve_run_text(run));
    assert_int_equal(serve_run_do(run, SRV_DO_DECIDE, "k1",
                                  "{\"unit\":\"p17\",\"state\":{\"mood\":1,\"tim\":\"am\"}}"),
                     422);
    puts(serve_run_text(run));
    serve_run_check(run);
    serve_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_decision)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
