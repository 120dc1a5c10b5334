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

// The answer of a command must have this status and these words.
static void expect(serve_run *run, srv_verb verb, const char *key, const char *body, int status,
                   const char *words)
{
    const int got = serve_run_do(run, verb, key, body);
    const char *text = serve_run_text(run);
    if (got != status || strstr(text, words) == NULL)
        fail_msg("%s: %d %s, expected %d with %s", body != NULL ? body : "", got, text, status,
                 words);
}

static void answers(void **unused)
{
    (void)unused;
    serve_run *run = serve_run_make(CONFIG);
    expect(run, SRV_DO_DECIDE, "k1",
           "{\"unit\":\"p17\",\"state\":{\"mood\":1,\"time\":\"am\"},\"allowed\":[\"nothing\","
           "\"message\"]}",
           201, "\"propensities\":{\"call\":0.0,\"message\":0.5,\"nothing\":0.5,\"plan\":0.0}");
    expect(run, SRV_DO_REPORT, NULL, "[{\"decision\":0,\"reward\":0.65}]", 200,
           "[{\"decision\":0,\"status\":200}]");
    expect(run, SRV_DO_REPORT, NULL, "[{\"decision\":0,\"reward\":2}]", 200,
           "the reward of decision 0 is 0.65 already, and 2 is another");
    expect(run, SRV_DO_REPORT, NULL, "[{\"decision\":4,\"reward\":1}]", 200,
           "decision 4 was never made");
    expect(run, SRV_DO_EXPLAIN, NULL, "{\"state\":{\"mood\":1,\"time\":\"am\"}}", 200,
           "\"probability\":0.25");
    expect(run, SRV_DO_DECIDE, "k2", "{\"unit\":\"a\",\"state\":{\"mood\":1,\"tim\":\"am\"}}", 422,
           "\\\"time\\\" is missing");
    expect(run, SRV_DO_DECIDE, "k2",
           "{\"unit\":\"a\",\"state\":{\"mood\":1,\"time\":\"am\",\"tome\":1}}", 422,
           "has no \\\"tome\\\": did you mean \\\"time\\\"");
    expect(run, SRV_DO_DECIDE, "k2", "{\"unit\":\"a\",\"state\":{\"mood\":\"am\",\"time\":\"am\"}}",
           422, "\\\"mood\\\" is \\\"am\\\", and must be a whole number, 0 .. 2");
    expect(run, SRV_DO_DECIDE, "k2",
           "{\"unit\":\"a\",\"state\":{\"mood\":0,\"time\":\"am\"},\"allowed\":[\"cal\"]}", 422,
           "did you mean \\\"call\\\"");
    expect(run, SRV_DO_DECIDE, "k1", "{\"unit\":\"a\"}", 422, "key-reused");
    expect(run, SRV_DO_BATCH, "b1",
           "{\"decisions\":[{\"unit\":\"a\",\"state\":{\"mood\":0,\"time\":\"am\"}},{\"unit\":"
           "\"b\"}]}",
           422, "\"index\":1");
    expect(run, SRV_DO_BATCH, "b1",
           "{\"decisions\":[{\"unit\":\"a\",\"state\":{\"mood\":0,\"time\":\"am\"}},{\"unit\":"
           "\"b\",\"state\":{\"mood\":0,\"time\":\"pm\"}}]}",
           201, "\"decision\":2");
    expect(run, SRV_DO_CHANGE, "c1", "{\"floor\":0.5}", 422, "floor is 0.5, and must be 0 .. 0.25");
    expect(run, SRV_DO_CHANGE, "c2", "{\"mode\":\"fallback\",\"reason\":\"complaints\"}", 200,
           "\"mode\":\"fallback\"");
    expect(run, SRV_DO_DECIDE, "k3", "{\"unit\":\"c\",\"state\":{\"mood\":1,\"time\":\"am\"}}", 201,
           "\"cause\":\"mode\"");
    expect(run, SRV_DO_CHANGE, "c3", "{\"mode\":\"ended\"}", 200, "ended");
    expect(run, SRV_DO_DECIDE, "k4", "{\"unit\":\"c\",\"state\":{\"mood\":1,\"time\":\"am\"}}", 409,
           "the programme is ended");
    expect(run, SRV_DO_CHANGE, "c4", "{\"mode\":\"live\"}", 409, "can be sealed");
    expect(run, SRV_DO_CHANGE, "c5", "{\"mode\":\"sealed\"}", 200, "sealed");
    expect(run, SRV_DO_REPORT, NULL, "[{\"decision\":1,\"reward\":1}]", 409, "sealed");
    expect(run, SRV_DO_MONITOR, NULL, NULL, 200, "\"light\":\"green\"");
    expect(run, SRV_DO_SHOW, NULL, NULL, 200, "\"decisions\":4");
    serve_run_check(run);
    serve_run_free(run);
}

static void bad_configs(void **unused)
{
    (void)unused;
    static const char *const bad[][2] = {
        {"{}", "name is missing"},
        {"{\"nam\":1}", "did you mean \\\"name\\\""},
        {"\"name\":\"A\"", "name is \\\"A\\\""},
        {"\"learner\":\"explore:of=auto\"", "set floor instead"},
        {"\"learner\":\"aut\"", "auto"},
        {"\"learner\":\"psrl\"", "propensities must be \\\"optional\\\""},
        {"\"patience\":10", "patience is 10 decisions, and must be at least 20"},
        {"\"fallback\":[0.5,0.4]", "sum to 0.9"},
        {"\"floor\":0.6", "floor is 0.6, and must be 0 .. 0.5"},
        {"\"limits\":[{\"action\":\"z\",\"max\":1,\"window\":\"P1D\"}]",
         "no action is called \\\"z\\\""},
        {"\"limits\":[{\"action\":\"x\",\"max\":1,\"window\":\"P1M\"}]",
         "without years and months"},
        {"\"state\":[{\"name\":\"s\"}]", "without state_limit all values must be known"},
        {"\"features\":[{\"name\":\"s\"}]", "either"},
        {"\"mode\":\"sealed\"", "begins"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *config = json_loads("{\"name\":\"a\",\"learner\":\"auto\",\"actions\":[\"x\",\"y\"]"
                                    ",\"state\":[{\"name\":\"s\",\"values\":2}],"
                                    "\"horizon\":100,\"unit_limit\":10}",
                                    0, NULL);
        char text[300];
        snprintf(text, sizeof text, bad[i][0][0] == '{' ? "%s" : "{%s}", bad[i][0]);
        json_t *change = json_loads(text, 0, NULL);
        if (i < 2)
            json_object_clear(config);
        json_object_update(config, change);
        serve_run *run = serve_run_empty(NULL);
        const int status = serve_run_json(run, SRV_DO_CREATE, "k", config);
        if (status != 422 || strstr(serve_run_text(run), bad[i][1]) == NULL)
            fail_msg("%s: %d %s", text, status, serve_run_text(run));
        serve_run_free(run);
        json_decref(config);
        json_decref(change);
    }
}

// Keyed states and records, with a learner that draws models before it acts, too.
static void other_states(void **unused)
{
    (void)unused;
    static const char *const kinds[][3] = {
        {"auto",
         "\"state\":[{\"name\":\"place\"},{\"name\":\"n\",\"values\":4}],\"state_limit\":30",
         "{\"place\":\"p%d\",\"n\":%d}"},
        {"psrl",
         "\"propensities\":\"optional\",\"state\":[{\"name\":\"place\",\"values\":[\"p0\",\"p1\","
         "\"p2\"]},{\"name\":\"n\",\"values\":4}]",
         "{\"place\":\"p%d\",\"n\":%d}"},
        {"forest", "\"features\":[{\"name\":\"age\"},{\"name\":\"n\",\"values\":4}]",
         "{\"age\":%d.5,\"n\":%d}"},
        {"auto", "\"features\":[{\"name\":\"age\"},{\"name\":\"n\",\"values\":4}]",
         "{\"age\":%d.5,\"n\":%d}"}};
    for (int k = 0; k < 4; k++) {
        char config[400], state[80], body[200], key[16];
        snprintf(config, sizeof config,
                 "{\"name\":\"a\",\"learner\":\"%s\",\"actions\":[\"x\",\"y\"],%s,\"horizon\":400,"
                 "\"unit_limit\":9,\"patience\":40%s}",
                 kinds[k][0], kinds[k][1], k == 1 ? "" : ",\"floor\":0.1");
        serve_run *run = serve_run_make(config);
        for (int i = 0; i < 150; i++) {
            snprintf(state, sizeof state, kinds[k][2], i % 3, i % 4);
            snprintf(body, sizeof body, "{\"unit\":\"u%d\",\"state\":%s}", i % 7, state);
            snprintf(key, sizeof key, "k%d", i);
            expect(run, SRV_DO_DECIDE, key, body, 201, "\"action\"");
            snprintf(body, sizeof body, "[{\"decision\":%d,\"reward\":%d}]", i - i % 5, i % 2);
            serve_run_do(run, SRV_DO_REPORT, NULL, body);
        }
        snprintf(body, sizeof body, "{\"unit\":\"u1\",\"state\":%s}", state);
        expect(run, SRV_DO_EXPLAIN, NULL, body, 200, "\"actions\"");
        snprintf(body, sizeof body, k == 1 ? "{}" : "{\"states\":[%s]}", state);
        expect(run, SRV_DO_POLICY, NULL, body, 200, "\"propensities\"");
        if (k == 0) { // those that came up, in their order
            expect(run, SRV_DO_POLICY, NULL, NULL, 200, "\"state\":{\"place\":\"p0\",\"n\":0}");
            const json_t *all = json_object_get(run->answer.body, "policy");
            assert_int_equal(json_array_size(all), 12);
            for (size_t i = 0; i < 12; i++) {
                const json_t *at = json_object_get(json_array_get(all, i), "state");
                snprintf(state, sizeof state, "p%zu", i % 3);
                assert_string_equal(json_string_value(json_object_get(at, "place")), state);
                assert_int_equal(json_integer_value(json_object_get(at, "n")), i % 4);
            }
        }
        expect(run, SRV_DO_UNIT, NULL, "u1", 200, "\"state\":{");
        serve_run_check(run);
        serve_run_free(run);
    }
}

// A log of a lgkt with other numbers is refused, with the version to run first.
static void another_build(void **unused)
{
    (void)unused;
    serve_run *run = serve_run_make(CONFIG);
    srv_record record;
    srv_record_room room;
    srv_bytes bytes = {0};
    lgkt_error error = {0};
    assert_ok(
        srv_record_decode(run->log.bytes.at, run->log.entries[0].size, &record, &room, &error),
        error);
    record.numbers--;
    strcpy(record.version, "0.1.7");
    assert_true(srv_record_encode(&record, &bytes));
    srv_machine *machine = srv_machine_create(NULL);
    assert_refused(srv_machine_replay(machine, bytes.at, bytes.size, NULL, &error),
                   LGKT_ERR_UNSUPPORTED, error, "start it once with lgkt 0.1.7");
    srv_machine_destroy(machine);
    srv_bytes_release(&bytes);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers), cmocka_unit_test(bad_configs), cmocka_unit_test(other_states),
        cmocka_unit_test(another_build), cmocka_unit_test(as_the_plain_version)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
