// SPDX-License-Identifier: MIT
// Probabilities that are told against what is played, over many decisions with late, missing and
// expiring reports, masks, floors and the kill switch: for each action the count less the sum of
// probabilities is within 5 standard deviations (chance of a false alarm per learner: below 1e-5),
// and nothing that had the probability 0 was played.
//
//     LGKT_SERVE_DECISIONS=10000000 build/tests/test_serve_law
// labels: slow

#include <time.h>

#include "ref/serve_answer.h"
#include "test.h"

enum { UNITS = 50, STATES = 6, ACTIONS = 4, PENDING = 512 };

typedef struct world {
    srv_machine *machine;
    srv_records records;
    srv_answer answer;
    lgkt_rng rng;
    int64_t time;
    double count[ACTIONS], sum[ACTIONS], variance[ACTIONS];
    int64_t pending[PENDING]; // decisions whose report is to come, at a random place
} world;

static const char *const ACTION[ACTIONS] = {"a", "b", "c", "d"};

static int apply(world *w, srv_verb verb, json_t *body)
{
    srv_command command = {
        .verb = verb, .time = w->time += 1000000, .body = body, .match = -1, .replaces = -1};
    for (int i = 0; i < 4; i++) {
        const uint64_t bits = lgkt_rng_next(&w->rng);
        memcpy(command.entropy + 8 * i, &bits, 8);
    }
    srv_answer_release(&w->answer);
    srv_records_clear(&w->records);
    srv_machine_apply(w->machine, &command, &w->records, &w->answer);
    serve_answer_read(&w->answer);
    json_decref(body);
    return w->answer.status;
}

static void decide(world *w)
{
    const int unit = lgkt_rng_below(&w->rng, UNITS), state = lgkt_rng_below(&w->rng, STATES);
    char name[16];
    snprintf(name, sizeof name, "u%d", unit);
    json_t *body = json_pack("{sss{si}}", "unit", name, "state", "s", state);
    if (lgkt_rng_below(&w->rng, 8) == 0)
        json_object_set_new(body, "allowed",
                            json_pack("[ss]", ACTION[state % 4], ACTION[(state + 1) % 4]));
    assert_int_equal(apply(w, SRV_DO_DECIDE, body), 201);
    const char *chosen = json_string_value(json_object_get(w->answer.body, "action"));
    const json_t *law = json_object_get(w->answer.body, "propensities");
    double all = 0;
    for (int a = 0; a < ACTIONS; a++) {
        const double p = json_number_value(json_object_get(law, ACTION[a]));
        const bool is_played = strcmp(ACTION[a], chosen) == 0;
        assert_true(!is_played || p > 0);
        w->count[a] += is_played;
        w->sum[a] += p;
        w->variance[a] += p * (1 - p);
        all += p;
    }
    assert_close(all, 1, 1e-9);
    const int64_t decision = json_integer_value(json_object_get(w->answer.body, "decision"));
    w->pending[lgkt_rng_below(&w->rng, PENDING)] = decision + 1;
}

static void report(world *w)
{
    int64_t *slot = &w->pending[lgkt_rng_below(&w->rng, PENDING)];
    if (*slot == 0)
        return;
    json_t *item = json_pack("{sI}", "decision", (json_int_t)*slot - 1);
    const int what = lgkt_rng_below(&w->rng, 16);
    if (what < 14)
        json_object_set_new(item, "reward", json_real((double)(*slot % 7) / 7));
    if (what == 0 || what == 14)
        json_object_set_new(item, "ended", json_true());
    if (what == 15)
        json_object_set_new(item, "executed", json_false());
    assert_int_equal(apply(w, SRV_DO_REPORT, json_pack("[o]", item)), 200);
    *slot = 0;
}

static int64_t long_run(void)
{
    const char *text = getenv("LGKT_SERVE_DECISIONS");
    return text != NULL ? atoll(text) : 0;
}

// False if the programme is refused.
static bool start(world *w, const char *learner, double floor, int64_t decisions)
{
    *w = (world){
        .machine = srv_machine_create(NULL), .rng = lgkt_rng_stream(11, learner, 0), .time = 1};
    json_t *config =
        json_pack("{sssss[ssss]s[{sssi}]sIsisisfsisfs[ii]}", "name", "law", "learner", learner,
                  "actions", "a", "b", "c", "d", "state", "name", "s", "values", STATES, "horizon",
                  (json_int_t)decisions, "unit_limit", UNITS, "patience", 200, "missing", 0.3,
                  "seed", 5, "floor", floor, "reward_range", 0, 1);
    return apply(w, SRV_DO_CREATE, config) == 201;
}

static void end(world *w)
{
    srv_answer_release(&w->answer);
    srv_records_release(&w->records);
    srv_machine_destroy(w->machine);
}

static void play(world *w, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        decide(w);
        for (int j = lgkt_rng_below(&w->rng, 4); j > 0; j--)
            report(w);
        if (i % 10000 == 9000 || i % 10000 == 9999)
            assert_int_equal(
                apply(w, SRV_DO_CHANGE,
                      json_pack("{ss}", "mode", i % 10000 == 9000 ? "fallback" : "live")),
                200);
    }
}

// A tenth of the decisions where one takes more than 100 us, if `slower`.
static bool check(const char *learner, double floor, int64_t decisions, bool slower)
{
    static world w;
    if (!start(&w, learner, floor, decisions)) {
        end(&w);
        return false;
    }
    enum { FIRST = 1000 };
    const clock_t begin = clock();
    play(&w, 0, FIRST);
    if (slower && (double)(clock() - begin) / CLOCKS_PER_SEC > FIRST * 1e-4)
        decisions /= 10;
    play(&w, FIRST, decisions);
    for (int a = 0; a < ACTIONS; a++) {
        const double z = w.variance[a] > 0 ? (w.count[a] - w.sum[a]) / sqrt(w.variance[a]) : 0;
        printf("%-24s %s: played %.0f of %lld, expected %.1f, z %.2f\n", learner, ACTION[a],
               w.count[a], (long long)decisions, w.sum[a], z);
        assert_between(z, -5, 5);
    }
    end(&w);
    return true;
}

static void laws(void **unused)
{
    (void)unused;
    const int64_t decisions = long_run() > 0 ? long_run() : test_short() ? 3000 : 100000;
    assert_true(check("auto", 0.02, decisions, false));
    assert_true(check("lg1t", 0, decisions, false));
    assert_true(check("q-greedy:epsilon=0.1", 0.05, decisions, false));
}

// All others that are allowed, in a long run only.
static void all_laws(void **unused)
{
    (void)unused;
    int count = 0;
    for (int32_t i = 0; long_run() >= 100000 && lgkt_learner_entry(i) != NULL; i++) {
        const char *name = lgkt_learner_entry(i)->name;
        uint32_t traits = 0;
        if (lgkt_learner_traits(name, &traits, NULL) == LGKT_OK && (traits & LGKT_TRAIT_LAW) &&
            (traits & LGKT_TRAIT_MASKED))
            count += check(name, traits & LGKT_TRAIT_FED ? 0.02 : 0, long_run() / 10, true);
    }
    assert_true(count > 10 || long_run() < 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(laws), cmocka_unit_test(all_laws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
