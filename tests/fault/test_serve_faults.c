// SPDX-License-Identifier: MIT
// Every allocation of every command fails once: the answer is 503 and nothing has changed, or the
// fallback decided; nothing leaks, and the log makes the programme again.

#include "ref/fault.h"
#include "ref/serve_run.h"
#include "test.h"

static fault memory;
static lgkt_allocator hooks;

// Fails as the others, but is freed with free: texts of jansson are.
static void *json_take(size_t size)
{
    void *probe = hooks.alloc(hooks.ctx, 1);
    if (probe != NULL)
        hooks.free(hooks.ctx, probe);
    return probe != NULL ? malloc(size) : NULL;
}

static const struct step {
    srv_verb verb;
    const char *key, *body;
    int status;
} STEPS[] = {
    {SRV_DO_DECIDE, "1", "{\"unit\":\"a\",\"state\":{\"s\":1}}", 201},
    {SRV_DO_REPORT, NULL, "[{\"decision\":0,\"reward\":1,\"next_state\":{\"s\":2}}]", 200},
    {SRV_DO_BATCH, "2", "{\"decisions\":[{\"unit\":\"a\"},{\"unit\":\"b\",\"state\":{\"s\":0}}]}",
     201},
    {SRV_DO_TAKE, "3",
     "{\"unit\":\"c\",\"state\":{\"s\":0},\"action\":\"y\",\"propensities\":{\"x\":0.5,\"y\":0.5}}",
     201},
    {SRV_DO_REPORT, NULL,
     "[{\"decision\":1,\"executed\":false},{\"decision\":2,\"reward\":0.5},{\"decision\":3,"
     "\"ended\":true}]",
     200},
    {SRV_DO_CHANGE, "4",
     "{\"floor\":0.2,\"limits\":[{\"action\":\"y\",\"max\":3,\"window\":\"P1D\"}],\"horizon\":80}",
     200},
    {SRV_DO_DECIDE, "5", "{\"unit\":\"c\",\"state\":{\"s\":1},\"allowed\":[\"y\"]}", 201},
    {SRV_DO_EXPLAIN, NULL, "{\"unit\":\"c\",\"state\":{\"s\":1}}", 200},
    {SRV_DO_POLICY, NULL, "{}", 200},
    {SRV_DO_UNIT, NULL, "a", 200},
    {SRV_DO_MONITOR, NULL, "{}", 200},
    {SRV_DO_SHOW, NULL, "{}", 200},
    {SRV_DO_CHANGE, "6", "{\"mode\":\"fallback\"}", 200},
    {SRV_DO_DECIDE, "7", "{\"unit\":\"b\",\"state\":{\"s\":2}}", 201},
    {SRV_DO_ERASE, NULL, "b", 200},
};

static const char CONFIG[] =
    "{\"name\":\"f\",\"learner\":\"%s\",\"actions\":[\"x\",\"y\"],%s,"
    "\"horizon\":60,\"unit_limit\":4,\"patience\":8,\"seed\":3,\"missing\":0.5,%s\"floor\":0.1}";

static const char STATE[] = "\"state\":[{\"name\":\"s\",\"values\":3}]";

static int with_a_failure(serve_run *run, const struct step *step, long long k)
{
    run->fail_at = k;
    const int status = serve_run_do(run, step->verb, step->key, step->body);
    run->fail_at = 0;
    return status;
}

static void sweep(const char *learner, const char *states, const char *more)
{
    char config[500];
    snprintf(config, sizeof config, CONFIG, learner, states, more);
    fault_init(&memory);
    hooks = fault_allocator(&memory);
    json_set_alloc_funcs(json_take, free);
    serve_run *run = serve_run_empty(&hooks);
    run->memory = &memory;
    const struct step create = {SRV_DO_CREATE, "0", config, 201};
    long long failures = 0;
    for (size_t i = 0; i <= sizeof STEPS / sizeof *STEPS; i++) {
        const struct step *step = i == 0 ? &create : &STEPS[i - 1];
        int status = 503;
        char *clean = NULL;
        const char *body = step->body;
        if (step->verb == SRV_DO_POLICY && (strstr(more, "state_limit") != NULL || states != STATE))
            body = "{\"states\":[{\"s\":1},{\"s\":0}]}";
        const struct step own = {step->verb, step->key, body, step->status};
        if (step->verb >= SRV_DO_EXPLAIN) {
            serve_run_do(run, step->verb, NULL, body);
            clean = strdup(serve_run_text(run));
        }
        for (long long k = 1; status == 503; k++, failures++) {
            const size_t records = run->log.count;
            status = with_a_failure(run, &own, k);
            if (status != 503)
                break;
            const bool is_reports = step->verb == SRV_DO_REPORT; // each alone
            assert_true(is_reports || run->log.count == records);
            if (i == 0) {
                srv_machine_destroy(run->machine);
                run->machine = srv_machine_create(&hooks);
            } else if (srv_machine_broken(run->machine)) {
                serve_run_rebuild(run);
            }
        }
        if (status != step->status)
            fail_msg("%s: %s", step->body, serve_run_text(run));
        if (clean != NULL)
            assert_string_equal(clean, serve_run_text(run));
        free(clean);
    }
    assert_true(failures > 30);
    serve_run_check_snapshot(run);
    serve_run_free(run);
    json_set_alloc_funcs(malloc, free);
    assert_true(fault_is_clean(&memory));
}

static void numbered(void **unused)
{
    (void)unused;
    sweep("auto", STATE, "");
    sweep("anytime:of=auto", STATE, "\"propensities\":\"optional\",");
}

static void keyed(void **unused)
{
    (void)unused;
    sweep("auto", STATE, "\"state_limit\":5,");
}

static void records(void **unused)
{
    (void)unused;
    sweep("forest", "\"features\":[{\"name\":\"s\"}]", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbered), cmocka_unit_test(keyed),
                                       cmocka_unit_test(records)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
