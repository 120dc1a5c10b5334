// SPDX-License-Identifier: MIT
// The machine of a programme: its commands, and its records replayed.

#include "test.h"

#include "ref/serve_model.h"
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

static void as_the_plain_version(void **unused)
{
    (void)unused;
    const char *rounds_text = getenv("LGKT_SERVE_ROUNDS");
    const int rounds = rounds_text != NULL ? atoi(rounds_text) : test_short() ? 10 : 200;
    lgkt_rng rng = lgkt_rng_stream(1, "calls", 0);
    for (int i = 0; i < rounds; i++) {
        static uint8_t bytes[3000];
        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (uint8_t)lgkt_rng_below(&rng, 256);
        const char *wrong = serve_model_calls(bytes, sizeof bytes);
        if (wrong != NULL)
            fail_msg("round %d: %s", i, wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_decision),
                                       cmocka_unit_test(as_the_plain_version)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
