// SPDX-License-Identifier: MIT
// Power goes while a programme is served, again and again: every answer that was given is found
// again by its key, byte for byte, and the log is replayed without a difference. Syncs fail and the
// disk is full, too.
//
//     LGKT_SERVE_CRASHES=1000000 build/tests/test_serve_crash
// labels: threads slow

#include "ref/crash_vfs.h"
#include "ref/serve_client.h"
#include "test.h"

enum { KEYS = 400, GROUP = 12, UNITS = 5, STATES = 3 };

static const char CONFIG[] =
    "{\"name\":\"c\",\"learner\":\"q-greedy\",\"actions\":[\"x\",\"y\"],\"state\":[{\"name\":\"s\","
    "\"values\":3}],"
    "\"horizon\":100000,\"unit_limit\":8,\"patience\":16,\"seed\":3,\"floor\":0.1}";

static struct {
    char *answer; // NULL: none was given
    char body[80];
} given[KEYS];
static lgkt_rng dice;
static int64_t crashes, restarts, kept, found;
static char history[4000]; // of this life: what happened before, for a failure

static void forget(void)
{
    for (int i = 0; i < KEYS; i++) {
        free(given[i].answer);
        given[i].answer = NULL;
    }
}

static int count_limit(void)
{
    const char *text = getenv("LGKT_SERVE_CRASHES");
    return text != NULL ? atoi(text) : test_short() ? 100 : 500;
}

// Some requests in one group, with keys from `first` on; notes the answers that come.
static int ask_group(serve_client *client, int first)
{
    serve_slot slots[2 * GROUP];
    const int count = 1 + lgkt_rng_below(&dice, GROUP);
    char key[16], body[80];
    bool sent[2 * GROUP];
    client->time += 1000000;
    for (int i = 0; i < count; i++) {
        const int k = first + i;
        snprintf(key, sizeof key, "k%d", k);
        snprintf(given[k].body, sizeof given[k].body, "{\"unit\":\"u%d\",\"state\":{\"s\":%d}}",
                 k % UNITS, k % STATES);
        sent[2 * i] = serve_client_send(client, &slots[2 * i], SRV_DO_DECIDE, key, given[k].body);
        snprintf(body, sizeof body, "[{\"decision\":%d,\"reward\":%d}]",
                 k - lgkt_rng_below(&dice, 6), k % 2);
        sent[2 * i + 1] = serve_client_send(client, &slots[2 * i + 1], SRV_DO_REPORT, NULL, body);
    }
    serve_client_wait(client);
    for (int i = 0; i < 2 * count; i++) {
        if (!sent[i] || !slots[i].is_there)
            continue;
        if (i % 2 == 0 && slots[i].answer.status == 201) {
            size_t size;
            given[first + i / 2].answer = srv_json_text(slots[i].answer.body, &size);
            kept++;
        }
        srv_answer_release(&slots[i].answer);
    }
    return first + count;
}

static void check_answer(serve_client *client, int k)
{
    char key[16], *text = NULL;
    serve_slot slot;
    size_t size;
    snprintf(key, sizeof key, "k%d", k);
    assert_true(serve_client_send(client, &slot, SRV_DO_DECIDE, key, given[k].body));
    serve_client_wait(client);
    assert_true(slot.is_there);
    text = srv_json_text(slot.answer.body, &size);
    assert_string_equal(text, given[k].answer);
    free(text);
    srv_answer_release(&slot.answer);
}

static void check_answers(serve_client *client, int next, bool all)
{
    for (int k = 0; k < next; k++)
        if (given[k].answer != NULL && (all || k >= next - GROUP || lgkt_rng_below(&dice, 16) == 0))
            check_answer(client, k);
}

// What was asked and never answered is asked again. It may have been kept; then the answer comes from
// the log, and power goes at the next write.
static void ask_again(serve_client *client, int next)
{
    crash_vfs_plan((crash_plan){.cut_at = 1});
    for (int k = next > GROUP ? next - GROUP : 0; k < next && !client->died; k++) {
        char key[16];
        serve_slot slot;
        size_t size;
        snprintf(key, sizeof key, "k%d", k);
        if (given[k].answer != NULL ||
            !serve_client_send(client, &slot, SRV_DO_DECIDE, key, given[k].body))
            continue;
        serve_client_wait(client);
        if (slot.is_there && slot.answer.status == 201) {
            given[k].answer = srv_json_text(slot.answer.body, &size);
            found++;
        }
        if (slot.is_there)
            srv_answer_release(&slot.answer);
    }
}

static bool start(serve_client *client, const char *config)
{
    serve_client_start(client, "c.db", config);
    while (srv_actor_state_of(client->actor) == SRV_ACTOR_STARTING && !client->died)
        serve_client_pause();
    return srv_actor_state_of(client->actor) == SRV_ACTOR_READY && !client->died;
}

static void note(const char *what, int64_t a, int64_t b)
{
    const size_t length = strlen(history);
    snprintf(history + length, sizeof history - length, " %s %lld %lld;", what, (long long)a,
             (long long)b);
}

static crash_plan draw_plan(void)
{
    crash_plan plan = {0};
    const int what = lgkt_rng_below(&dice, 10);
    if (what < 8)
        plan.cut_at = 1 + lgkt_rng_below(&dice, 120);
    else if (what == 8)
        plan.fail_sync = 1 + lgkt_rng_below(&dice, 20);
    else {
        plan.full_from = 1 + lgkt_rng_below(&dice, 60);
        plan.full_to = plan.full_from + 1 + lgkt_rng_below(&dice, 10);
    }
    note(what < 8    ? "cut"
         : what == 8 ? "sync"
                     : "full",
         plan.cut_at + plan.fail_sync + plan.full_from, plan.full_to);
    return plan;
}

// One programme from its creation until its keys are used up.
static void one_life(serve_client *client, int64_t limit)
{
    lgkt_error error = {0};
    crash_vfs_clear();
    forget();
    history[0] = '\0';
    assert_true(start(client, CONFIG));
    int next = 0;
    bool is_up = true;
    while (next + GROUP < KEYS && crashes < limit) {
        // the plan holds for the start, too
        if (!is_up) {
            const bool again = lgkt_rng_below(&dice, 4) == 0;
            crash_vfs_plan(again ? draw_plan() : (crash_plan){0});
            is_up = start(client, NULL);
            restarts++;
            if (!is_up && !again) {
                srv_actor_failure(client->actor, &error);
                fail_msg("after %lld crashes: %s: %s", (long long)crashes, error.text, history);
            }
            if (is_up && !again)
                check_answers(client, next, lgkt_rng_below(&dice, 20) == 0);
        }
        if (is_up && next > 0 && lgkt_rng_below(&dice, 3) == 0) {
            ask_again(client, next);
        } else if (is_up) {
            crash_vfs_plan(draw_plan());
            for (int groups = 1 + lgkt_rng_below(&dice, 8);
                 groups > 0 && next + GROUP < KEYS && !client->died; groups--)
                next = ask_group(client, next);
        }
        serve_client_stop(client);
        // now and then only the process was killed, and the next one sees what was not synced; but not
        // after a sync that failed, when what the files show may never get to the disk
        const bool falls = crash_vfs_lost() || lgkt_rng_below(&dice, 4) > 0;
        note(falls ? "crash" : "kill", client->died, is_up);
        if (falls)
            crash_vfs_crash();
        crash_vfs_plan((crash_plan){0});
        crashes++;
        is_up = false;
    }
    assert_true(start(client, NULL));
    check_answers(client, next, true);
    serve_client_stop(client);
}

static void power_goes(void **unused)
{
    (void)unused;
    serve_client client = {.config.vfs = "crash", .config.snapshot_every = 40, .config.queue = 64};
    const int64_t limit = count_limit();
    const char *seed = getenv("LGKT_SERVE_SEED");
    dice = lgkt_rng_stream(seed != NULL ? (uint64_t)atoll(seed) : 2, "dice", 0);
    crash_vfs_start(3);
    while (crashes < limit)
        one_life(&client, limit);
    printf("%lld crashes, %lld restarts, %lld answers, %lld more found when asked again\n",
           (long long)crashes, (long long)restarts, (long long)kept, (long long)found);
    forget();
    crash_vfs_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(power_goes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
