// SPDX-License-Identifier: MIT
// labels: slow
// Units: one of them is the plain learner, any order of calls is what a log makes of it, and bad
// calls are refused.

#include "test.h"

#include <pthread.h>
#include <stdlib.h>

#include "learners/lgkt/thresholding.h"
#include "ref/fault.h"
#include "ref/learner_run.h"
#include "ref/naive_lgkt.h"
#include "ref/units_replay.h"

enum { STATES = LEARNER_RUN_STATES, ACTIONS = LEARNER_RUN_ACTIONS };

static lgkt_units_config limits(int32_t unit_limit, int64_t patience)
{
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = unit_limit;
    set.patience = patience;
    return set;
}

static lgkt_units *make(const char *spec, const lgkt_learner_config *config,
                        const lgkt_units_config *set)
{
    lgkt_units *units = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_units_create(spec, config, set, &units, &error), error);
    return units;
}

static lgkt_learner_config small_config(int64_t horizon)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = STATES;
    config.problem.actions = ACTIONS;
    config.problem.horizon = horizon;
    return config;
}

static int64_t act(lgkt_units *units, uint64_t unit, int32_t state)
{
    int64_t decision = -1;
    int32_t action = -1;
    if (lgkt_units_act(units, unit, state, NULL, &decision, &action) != LGKT_OK)
        fail_msg("%s", lgkt_units_message(units));
    assert_in_range(action, 0, ACTIONS - 1);
    return decision;
}

static void good(const lgkt_units *units, lgkt_status status)
{
    if (status != LGKT_OK)
        fail_msg("%s: %s", lgkt_status_name(status), lgkt_units_message(units));
}

// ---- one unit ----

// the plain learner's hash, were the next state any
static uint64_t hash_anywhere(lgkt_learner *learner)
{
    const int32_t next_state = learner->next_state;
    learner->next_state = -1;
    const uint64_t hash = lgkt_learner_hash(learner);
    learner->next_state = next_state;
    return hash;
}

static bool same_reasons(const lgkt_reason *a, const lgkt_reason *b)
{
    const double *x = &a->visits, *y = &b->visits;
    for (int i = 0; i < 7 * ACTIONS; i++)
        if (x[i] != y[i] && !(isnan(x[i]) && isnan(y[i])))
            return false;
    return true;
}

// with prompt reports in either order, or a next state that is told by the next act alone
static void check_one_unit(const char *spec, const lgkt_mdp *model, bool masked, int order)
{
    enum { STEPS = 40 };
    lgkt_learner_config config = learner_run_config(model, STEPS);
    config.problem.masked = masked;
    lgkt_units_config set = limits(1, order == 2 ? STEPS : 1);
    // an end of its own is that of all; but psrl then draws for units with more steps left, too
    const bool own_end = order == 1 && strstr(spec, "plan=left") == NULL;
    set.unit_horizon = own_end ? STEPS : 0;
    lgkt_units *units = make(spec, &config, &set);
    learner_run run = {learner_run_make(spec, &config), model, 5, 0.1, 0};
    lgkt_learner *plain = run.learner;
    bool told = false;
    for (int t = 0; t < STEPS; t++) {
        // a step that is still to be learned would be learned under the other horizon
        if (t == STEPS / 2 && order < 2) {
            const int64_t own_horizon = own_end ? STEPS + 10 : 0;
            const lgkt_status status = lgkt_learner_set_horizon(plain, STEPS + 10);
            assert_int_equal(lgkt_units_set_horizon(units, STEPS + 10, own_horizon), status);
        }
        uint8_t allowed[ACTIONS];
        for (int a = 0; a < ACTIONS; a++)
            allowed[a] = !masked || t % 3 == 0 || a == t % ACTIONS || a == (t / 2) % ACTIONS;
        const int32_t state = told && t % 2 == 1 ? LGKT_STATE_REPORTED : run.state;
        int32_t action = -1, own = -1;
        int64_t decision = -1;
        if (t % 5 == 0 && order < 2) {
            lgkt_reason reasons[2][ACTIONS];
            lgkt_error error = {0};
            assert_ok(lgkt_units_explain(units, 9, state, allowed, reasons[0], sizeof(lgkt_reason),
                                         &error),
                      error);
            assert_ok(lgkt_learner_explain(plain, run.state, allowed, reasons[1],
                                           sizeof(lgkt_reason), &error),
                      error);
            assert_true(same_reasons(reasons[0], reasons[1]));
        }
        good(units, lgkt_units_act(units, 9, state, allowed, &decision, &own));
        assert_int_equal(lgkt_learner_act(plain, run.state, allowed, &action), LGKT_OK);
        if (own != action)
            fail_msg("%s: action %d at step %d, and not %d", spec, own, t, action);
        assert_int_equal(decision, t);
        const lgkt_step step = learner_run_outcome(&run, action);
        assert_int_equal(lgkt_learner_observe(plain, step.reward, step.state, step.ended), LGKT_OK);
        run.state = step.state;
        if (order == 0 || (order == 2 && step.ended))
            good(units, lgkt_units_next(units, decision, step.state, step.ended));
        good(units, lgkt_units_reward(units, decision, step.reward));
        if (order == 1)
            good(units, lgkt_units_next(units, decision, step.state, step.ended));
        told = order < 2 && !step.ended;
        if ((order < 2 || step.ended) &&
            lgkt_learner_hash(lgkt_units_learner(units)) != hash_anywhere(plain))
            fail_msg("%s: another learner after step %d", spec, t);
    }
    assert_int_equal(lgkt_units_decisions(units), STEPS);
    assert_int_equal(lgkt_units_expired(units), 0);
    lgkt_units_destroy(units);
    lgkt_learner_destroy(plain);
}

static void test_one_unit_is_the_plain_learner(void **state)
{
    char spec[LEARNER_RUN_SPEC];
    int32_t pooled = 0;
    const lgkt_learner_config config = learner_run_config(*state, 40);
    const lgkt_units_config set = limits(1, 1);
    for (int32_t i = 0; learner_run_spec(i, spec); i++) {
        lgkt_units *units = NULL;
        lgkt_error error = {0};
        const lgkt_status status = lgkt_units_create(spec, &config, &set, &units, &error);
        if (status != LGKT_OK) {
            assert_int_equal(status, LGKT_ERR_UNSUPPORTED);
            assert_non_null(strstr(error.text, "units cannot share a learner \""));
            assert_non_null(strstr(error.text, learner_run_entry(spec)->name));
            continue;
        }
        pooled++;
        lgkt_units_destroy(units);
        check_one_unit(spec, *state, i % 2 == 0, i % 3);
    }
    assert_true(pooled > 60);
}

// ---- any order ----

static void test_calls_against_a_log(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(14, "calls", 0);
    fault memory;
    fault_init(&memory);
    for (int i = 0; i < 900; i++) {
        uint8_t bytes[600];
        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (uint8_t)lgkt_rng_below(&rng, 256);
        const char *wrong = units_replay_calls(bytes, sizeof bytes, &memory);
        if (wrong != NULL)
            fail_msg("string %d: %s", i, wrong);
    }
    assert_true(fault_is_clean(&memory));
}

// ---- bad calls ----

static void refused(const lgkt_units *units, uint64_t hash, lgkt_status status,
                    lgkt_status expected, const char *words)
{
    if (status != expected || strstr(lgkt_units_message(units), words) == NULL ||
        lgkt_units_hash(units) != hash)
        fail_msg("%s \"%s\", expected %s with \"%s\"", lgkt_status_name(status),
                 lgkt_units_message(units), lgkt_status_name(expected), words);
}

static void test_bad_calls(void **state)
{
    (void)state;
    lgkt_learner_config config = small_config(12);
    config.problem.masked = true;
    lgkt_units_config set = limits(2, 4);
    set.unit_horizon = 9;
    lgkt_units *u = make("random", &config, &set);
    int64_t d = -7;
    int32_t a = -7;
    uint64_t hash = lgkt_units_hash(u);
    refused(u, hash, lgkt_units_act(u, 7, LGKT_STATE_REPORTED, NULL, &d, &a), LGKT_ERR_PROTOCOL,
            "unit 7 is new and acts without a state");
    refused(u, hash, lgkt_units_act(u, 7, STATES, NULL, &d, &a), LGKT_ERR_ARGUMENT,
            "state 3 is out of range [0, 2]");
    refused(u, hash, lgkt_units_act(u, 7, 0, NULL, NULL, &a), LGKT_ERR_ARGUMENT, "NULL");
    refused(u, hash, lgkt_units_act(u, 7, 0, NULL, &d, NULL), LGKT_ERR_ARGUMENT, "NULL");
    refused(u, hash, lgkt_units_act_key(u, 7, "x", 1, NULL, &d, &a), LGKT_ERR_UNSUPPORTED,
            "states are numbers here");
    refused(u, hash, lgkt_units_reward(u, 0, 1), LGKT_ERR_ARGUMENT,
            "decision 0 was never made: there are 0 so far");
    refused(u, hash, lgkt_units_leave(u, 7), LGKT_ERR_ARGUMENT, "unit 7 is not there");
    assert_int_equal(d, -7);
    assert_int_equal(a, -7);

    const int64_t first = act(u, 7, 1);
    hash = lgkt_units_hash(u);
    refused(u, hash, lgkt_units_act(u, 7, LGKT_STATE_REPORTED, NULL, &d, &a), LGKT_ERR_PROTOCOL,
            "unit 7 acts without a state: none was reported of its decision 0");
    const uint8_t none[ACTIONS] = {0};
    refused(u, hash, lgkt_units_act(u, 7, 0, none, &d, &a), LGKT_ERR_ARGUMENT,
            "none of the 4 actions is allowed");
    refused(u, hash, lgkt_units_reward(u, first, NAN), LGKT_ERR_NOT_FINITE,
            "the reward of decision 0 is nan");
    refused(u, hash, lgkt_units_reward(u, first, -1e101), LGKT_ERR_ARGUMENT, "-1e+101");
    refused(u, hash, lgkt_units_reward(u, 1, 0), LGKT_ERR_ARGUMENT,
            "decision 1 was never made: there are 1 so far");
    refused(u, hash, lgkt_units_reward(u, INT64_MIN, 0), LGKT_ERR_ARGUMENT, "never made");
    refused(u, hash, lgkt_units_next(u, INT64_MAX, 0, false), LGKT_ERR_ARGUMENT, "never made");
    refused(u, hash, lgkt_units_next(u, first, LGKT_STATE_REPORTED, false), LGKT_ERR_ARGUMENT,
            "next_state -1 is out of range [0, 2]");
    refused(u, hash, lgkt_units_next_key(u, first, "x", 1, false), LGKT_ERR_UNSUPPORTED,
            "states are numbers here");

    good(u, lgkt_units_reward(u, first, 0.1));
    good(u, lgkt_units_next(u, first, 2, false));
    hash = lgkt_units_hash(u);
    good(u, lgkt_units_reward(u, first, 0.1));
    good(u, lgkt_units_next(u, first, 2, false));
    assert_int_equal(lgkt_units_hash(u), hash);
    refused(u, hash, lgkt_units_reward(u, first, 0.2), LGKT_ERR_PROTOCOL,
            "the reward of decision 0 is 0.1 already");
    refused(u, hash, lgkt_units_next(u, first, 1, false), LGKT_ERR_PROTOCOL,
            "the next state of decision 0 is 2 already, and 1 is another");
    refused(u, hash, lgkt_units_next(u, first, 2, true), LGKT_ERR_PROTOCOL,
            "is 2 already, and 2, cut is another");
    refused(u, hash, lgkt_units_act(u, 7, 1, NULL, &d, &a), LGKT_ERR_PROTOCOL,
            "unit 7 acts in state 1, but state 2 was reported of its decision 0");

    // too many units, until one has left
    act(u, 8, 0);
    hash = lgkt_units_hash(u);
    refused(u, hash, lgkt_units_act(u, 9, 0, NULL, &d, &a), LGKT_ERR_SHAPE,
            "unit 9 is one too many: the limit is 2 units");
    good(u, lgkt_units_leave(u, 8));
    const int64_t cut = act(u, 9, 0);
    good(u, lgkt_units_next(u, cut, 1, true));
    hash = lgkt_units_hash(u);
    refused(u, hash, lgkt_units_act(u, 9, LGKT_STATE_REPORTED, NULL, &d, &a), LGKT_ERR_PROTOCOL,
            "unit 9 acts without a state: it was cut after its decision 2");

    // forgotten, and the horizons
    act(u, 7, LGKT_STATE_REPORTED);
    act(u, 7, 0);
    hash = lgkt_units_hash(u);
    refused(u, hash, lgkt_units_reward(u, first, 0.1), LGKT_ERR_HORIZON,
            "decision 0 is too old for a report: of the 5 that were made the last 4 are open");
    refused(u, hash, lgkt_units_next(u, first, 2, false), LGKT_ERR_HORIZON, "too old");
    refused(u, hash, lgkt_units_set_horizon(u, 4, 0), LGKT_ERR_ARGUMENT,
            "horizon 4 must be at least 5, the decisions made so far");
    refused(u, hash, lgkt_units_set_horizon(u, 20, 2), LGKT_ERR_ARGUMENT,
            "unit_horizon 2 must be at least 3, the decisions that unit 7 has made");
    refused(u, hash, lgkt_units_set_horizon(u, 20, -1), LGKT_ERR_ARGUMENT, "must not be negative");
    good(u, lgkt_units_set_horizon(u, 6, 3));
    hash = lgkt_units_hash(u);
    refused(u, hash, lgkt_units_act(u, 7, 0, NULL, &d, &a), LGKT_ERR_HORIZON,
            "unit 7 has made all of its 3 decisions");
    const int64_t last = act(u, 9, 0);
    hash = lgkt_units_hash(u);
    refused(u, hash, lgkt_units_act(u, 9, 0, NULL, &d, &a), LGKT_ERR_HORIZON,
            "all 6 decisions have been made");
    // reports are taken after the end
    good(u, lgkt_units_reward(u, last, 1));
    good(u, lgkt_units_next(u, last, 1, false));
    assert_int_equal(lgkt_units_expired(u), 1);
    lgkt_units_destroy(u);
}

static void test_bad_configs(void **state)
{
    (void)state;
    const lgkt_learner_config config = small_config(10);
    const lgkt_units_config fine = limits(2, 4);
    lgkt_units_config bad = fine;
    lgkt_units *const mark = (lgkt_units *)&bad;
    lgkt_units *u = mark;
    lgkt_error e = {0};
    assert_refused(lgkt_units_create(NULL, &config, &fine, &u, &e), LGKT_ERR_ARGUMENT, e, "NULL");
    assert_refused(lgkt_units_create("lg1t", &config, &fine, NULL, &e), LGKT_ERR_ARGUMENT, e,
                   "NULL");
    assert_refused(lgkt_units_create("lg1t", NULL, &fine, &u, &e), LGKT_ERR_ARGUMENT, e, "NULL");
    assert_refused(lgkt_units_create("lg1t", &config, NULL, &u, &e), LGKT_ERR_ARGUMENT, e,
                   "units_config");
    assert_refused(lgkt_units_create("lg0t", &config, &fine, &u, &e), LGKT_ERR_UNKNOWN_NAME, e,
                   "lg0t");
    bad.unit_limit = 0;
    assert_refused(lgkt_units_create("lg1t", &config, &bad, &u, &e), LGKT_ERR_CONFIG, e,
                   "unit_limit = 0 must be in [1, 16777216]");
    bad = fine;
    bad.patience = 0;
    assert_refused(lgkt_units_create("lg1t", &config, &bad, &u, &e), LGKT_ERR_CONFIG, e,
                   "patience = 0 must be in [1, 1073741824]");
    bad = fine;
    bad.missing = INFINITY;
    assert_refused(lgkt_units_create("lg1t", &config, &bad, &u, &e), LGKT_ERR_CONFIG, e,
                   "missing = inf");
    bad = fine;
    bad.unit_horizon = -1;
    assert_refused(lgkt_units_create("lg1t", &config, &bad, &u, &e), LGKT_ERR_CONFIG, e,
                   "unit_horizon = -1");
    bad = fine;
    bad.keys.state_limit = 5;
    assert_refused(lgkt_units_create("lg1t", &config, &bad, &u, &e), LGKT_ERR_CONFIG, e,
                   "problem.states must be 0");
    assert_ptr_equal(u, mark);
}

// ---- what belongs to one unit ----

// Estimation runs of several units at once, against the plain version of the learner with a track
// for each of them. Reports come at once, or some decisions later: then the unit may have acted
// since, and what belongs to its trajectory begins anew.
static void check_runs(const char *spec, const lgkt_mdp *model, int share_late, uint64_t seed)
{
    enum { UNITS = 4, STEPS = 600, WAITS = 6 };
    typedef struct step {
        int64_t unit, pair; // pair -1: nothing to report
        double reward;
        int32_t next;
        bool ended;
    } step;
    lgkt_learner_config config = learner_run_config(model, STEPS);
    const lgkt_units_config set = limits(UNITS, STEPS);
    lgkt_units *units = make(spec, &config, &set);
    naive_lgkt *naive = naive_lgkt_create(spec, &config);
    assert_non_null(naive);
    naive_track tracks[UNITS];
    int64_t last[UNITS];
    bool linked[UNITS] = {false};
    int32_t where[UNITS] = {0};
    static step steps[STEPS];
    lgkt_rng rng = lgkt_rng_stream(seed, "schedule", 0);
    for (int64_t t = 0; t < STEPS + WAITS; t++) {
        if (t < STEPS) {
            const int i = lgkt_rng_below(&rng, UNITS);
            int64_t decision = -1;
            int32_t action = -1;
            good(units, lgkt_units_act(units, (uint64_t)i, where[i], NULL, &decision, &action));
            const naive_track begun = naive_lgkt_begun();
            naive_lgkt_put(naive, linked[i] ? &tracks[i] : &begun, t);
            const int32_t expected = naive_lgkt_act(naive, where[i]);
            if (action != expected)
                fail_msg("%s: decision %lld is %d, and not %d", spec, (long long)t, action,
                         expected);
            tracks[i] = naive_lgkt_take(naive);
            linked[i] = false;
            last[i] = t;
            learner_run run = {(lgkt_learner *)lgkt_units_learner(units), model, seed, 0.05,
                               where[i]};
            const lgkt_step after = learner_run_outcome(&run, action);
            steps[t] =
                (step){i, where[i] * ACTIONS + action, after.reward, after.state, after.ended};
            where[i] = after.state;
            // told before the unit acts again, or it would take a cut for a step
            good(units, lgkt_units_next(units, t, after.state, after.ended));
        }
        const bool late = lgkt_rng_below(&rng, 100) < share_late;
        for (int64_t d = t; d >= 0 && d >= t - WAITS; d--) {
            if (d >= STEPS || steps[d].pair < 0 || (late && d > t - WAITS))
                continue;
            step *s = &steps[d];
            good(units, lgkt_units_reward(units, d, s->reward));
            const bool in_order = last[s->unit] == d;
            naive_track alone = naive_lgkt_begun();
            alone.now = s->pair;
            naive_lgkt_put(naive, in_order ? &tracks[s->unit] : &alone, t);
            naive_lgkt_observe(naive, s->reward, s->next, s->ended);
            if (in_order) {
                tracks[s->unit] = naive_lgkt_take(naive);
                linked[s->unit] = true;
            }
            s->pair = -1;
        }
    }
    assert_int_equal(lgkt_units_open(units), 0);
    const int64_t runs = learner_run_counter(lgkt_units_learner(units), "runs");
    if (runs <= 0 && share_late < 100)
        fail_msg("%s: %lld runs", spec, (long long)runs);
    assert_int_equal(runs, naive_lgkt_runs(naive));
    naive_lgkt_destroy(naive);
    lgkt_units_destroy(units);
}

static void test_runs_stay_within_their_unit(void **state)
{
    static const char *const specs[] = {"lg2t", "lg2t:profile=practical", "lgkt:k=3,sampler=ucb",
                                        "lgkt:k=4,sampler=random", "lg2t-i:profile=practical"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (int late = 0; late <= 100; late += 50)
            check_runs(specs[i], *state, late, i);
}

static double heads(void *ctx, int64_t t)
{
    (void)ctx, (void)t;
    return 0;
}

// A unit that leaves in the middle of a run gives it up, whatever place it had among the others and
// whoever has that now. The others go on with theirs.
static void test_leaving(void **state)
{
    enum { UNITS = 3, ROUNDS = 4 };
    for (int leaver = 0; leaver < UNITS; leaver++) {
        lgkt_learner_config config = learner_run_config(*state, 100);
        config.coin = heads;
        const lgkt_units_config set = limits(UNITS, 100);
        lgkt_units *units = make("lg2t", &config, &set);
        int64_t last[UNITS];
        for (int t = 0; t < UNITS * ROUNDS; t++) {
            const int64_t d = last[t % UNITS] = act(units, (uint64_t)(t % UNITS), 0);
            good(units, lgkt_units_next(units, d, 0, false));
            if (t < UNITS * (ROUNDS - 1))
                good(units, lgkt_units_reward(units, d, 0.25 * (t % 4)));
        }
        // with heads every act begins a run that is one step long; those of the last acts are open
        const lgkt_learner *learner = lgkt_units_learner(units);
        assert_int_equal(learner_run_counter(learner, "runs"), UNITS * (ROUNDS - 1));
        const lgkt_thresholding *f = learner->self;
        int64_t samples = 0, before = 0;
        for (int32_t a = 0; a < ACTIONS; a++)
            before += f->continuations[a].nc;
        (void)lgkt_units_hash(units); // none of them is at hand then
        good(units, lgkt_units_leave(units, (uint64_t)leaver));
        for (int i = 0; i < UNITS; i++)
            good(units, lgkt_units_reward(units, last[i], 1));
        for (int32_t a = 0; a < ACTIONS; a++)
            samples += f->continuations[a].nc;
        assert_int_equal(samples - before, UNITS - 1);
        lgkt_units_destroy(units);
    }
}

// ---- memory ----

static void test_bytes(void **state)
{
    (void)state;
    enum { UNITS = 100, PATIENCE = 1000 };
    fault memory;
    fault_init(&memory);
    lgkt_learner_config config = small_config(1 << 20);
    config.allocator = fault_allocator(&memory);
    const lgkt_units_config set = limits(UNITS, PATIENCE);
    lgkt_units *units = make("ucb", &config, &set);
    const size_t bytes = lgkt_units_bytes(units);
    const size_t around = bytes - lgkt_learner_bytes(lgkt_units_learner(units));
    assert_in_range(around, 32 * 1024 + 40 * UNITS, 32 * 1024 + 48 * UNITS + 1024);
    // what is not counted is one byte in place of each empty track
    assert_in_range(atomic_load(&memory.bytes), (long long)bytes, (long long)bytes + UNITS + 8);
    const long long calls = atomic_load(&memory.calls);
    for (uint64_t i = 0; i < 5000; i++) {
        const int64_t d = act(units, (i * 7919) << 40, (int32_t)(i % STATES));
        if (i % 3 == 0)
            good(units, lgkt_units_reward(units, d, 1));
        if (i % 50 > 0 || i == 0)
            continue;
        // all leave now and then
        for (uint64_t j = i - 49; j <= i; j++)
            good(units, lgkt_units_leave(units, (j * 7919) << 40));
        if (i == 50)
            good(units, lgkt_units_leave(units, 0));
    }
    assert_int_equal(atomic_load(&memory.calls), calls);
    assert_int_equal(lgkt_units_bytes(units), bytes);
    lgkt_units_destroy(units);
    assert_true(fault_is_clean(&memory));
}

// ---- vectors ----

// late reports bring a learner of a window more steps than it was told, more than it has room for
static void test_windows_with_late_reports(void **state)
{
    (void)state;
    enum { MANY = 30, STEPS = 300 };
    static const char *const specs[] = {"window:of=psrl,steps=3", "window:of=ucrl2,steps=2",
                                        "lg1t-rl:cutoff=5,rl=(window:of=imed-rl,steps=3)"};
    for (int i = 0; i < 3; i++) {
        lgkt_learner_config config = small_config(STEPS);
        config.problem.states = MANY;
        config.problem.reward_min = 0;
        config.problem.reward_max = 1;
        config.problem.reward_sd = 0.5;
        const lgkt_units_config set = limits(5, 40);
        lgkt_units *u = make(specs[i], &config, &set);
        lgkt_rng rng = lgkt_rng_stream(7, "reports", 0);
        for (int t = 0; t < STEPS; t++) {
            const int64_t decision = act(u, (uint64_t)(t % 5), lgkt_rng_below(&rng, MANY));
            // all at once
            for (int64_t d = decision - 29; decision % 30 == 29 && d <= decision; d++)
                good(u, lgkt_units_reward(u, d, 0.5));
        }
        lgkt_units_destroy(u);
    }
}

// While the edges of a view are to come all vectors are one state. What was reported then is no
// contradiction to a vector later.
static void test_view(void **state)
{
    (void)state;
    const int32_t cuts[] = {1};
    lgkt_learner_config config = small_config(100);
    config.problem.states = 0;
    lgkt_units_config set = limits(2, 10);
    set.keys.state_limit = 8;
    set.keys.view = (lgkt_view){.dims = 1, .cuts = cuts, .warmup = 4};
    lgkt_units *u = make("ucb", &config, &set);
    int64_t d;
    int32_t a;
    const double vectors[] = {1, 2, 3, 4};
    good(u, lgkt_units_act_key(u, 5, &vectors[3], sizeof *vectors, NULL, &d, &a));
    good(u, lgkt_units_next_key(u, d, &vectors[0], sizeof *vectors, false));
    const uint64_t hash = lgkt_units_hash(u);
    refused(u, hash, lgkt_units_act_key(u, 5, &vectors[0], 3, NULL, &d, &a), LGKT_ERR_PROTOCOL,
            "another state");
    for (int i = 0; i < 3; i++)
        good(u, lgkt_units_act_key(u, 6, &vectors[i], sizeof *vectors, NULL, &d, &a));
    assert_int_equal(lgkt_keyed_warmup(lgkt_units_keys(u)), 0);
    assert_int_equal(lgkt_keyed_states(lgkt_units_keys(u)), 1);
    good(u, lgkt_units_next_key(u, 0, &vectors[0], sizeof *vectors, false));
    good(u, lgkt_units_act_key(u, 5, &vectors[0], sizeof *vectors, NULL, &d, &a));
    good(u, lgkt_units_act_key(u, 5, &vectors[0], sizeof *vectors, NULL, &d, &a));
    good(u, lgkt_units_act_key(u, 5, &vectors[3], sizeof *vectors, NULL, &d, &a));
    assert_int_equal(lgkt_keyed_states(lgkt_units_keys(u)), 3);
    lgkt_units_destroy(u);
}

// ---- threads ----

enum { THREADS = 4 };

typedef struct worker {
    lgkt_learner_config config;
    const lgkt_mdp *model;
    uint64_t hash;
} worker;

static void *work(void *ctx)
{
    worker *w = ctx;
    const lgkt_units_config set = limits(10, 64);
    lgkt_units *units = NULL;
    if (lgkt_units_create("lg2t", &w->config, &set, &units, NULL) != LGKT_OK)
        return NULL;
    int64_t d;
    int32_t a;
    for (int64_t i = 0; i < 500; i++) {
        lgkt_units_act(units, (uint64_t)(i % 10), (int32_t)(i % STATES), NULL, &d, &a);
        if (i >= 30)
            lgkt_units_reward(units, i - 30, lgkt_mdp_reward(w->model, (int32_t)(i % STATES), a));
        if (i % 7 == 0)
            lgkt_units_feed(units, (uint64_t)(i % 10), 0, 1, 0.5, 2, false);
        lgkt_units_settle(units, (uint64_t)((i + 1) % 10), (int32_t)((i + 1) % STATES));
    }
    w->hash = lgkt_units_hash(units);
    lgkt_units_destroy(units);
    return NULL;
}

static void test_threads(void **state)
{
    lgkt_learner_config config = learner_run_config(*state, 500);
    lgkt_learner *like = learner_run_make("lg2t", &config);
    config.like = like;
    worker workers[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){config, *state, 0};
        workers[i].config.seed = (uint64_t)i;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    lgkt_learner_destroy(like);
    for (int i = 0; i < THREADS; i++) {
        worker alone = workers[i];
        alone.config.like = NULL;
        work(&alone);
        assert_true(alone.hash != 0 && alone.hash == workers[i].hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_unit_is_the_plain_learner),
        cmocka_unit_test(test_calls_against_a_log),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_bad_configs),
        cmocka_unit_test(test_runs_stay_within_their_unit),
        cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_windows_with_late_reports),
        cmocka_unit_test(test_view),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
