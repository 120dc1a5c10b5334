// SPDX-License-Identifier: MIT
// labels: slow
// Units when they are saved and loaded, and when memory is short: at every point of a run with late
// and missing reports, masks, keys, and units that leave.

#include "test.h"

#include <stdlib.h>

#include "core/hash.h"
#include "learners/front/learner_private.h"
#include "ref/fault.h"
#include "ref/tamper.h"

enum { ACTIONS = 3, HORIZON = 60, CALLS = 160 };

// those with something of a trajectory, and some without
static const char *const SPECS[] = {
    "lg2t",
    "lgkt:k=3",
    "lg1-2t:cutoff=8",
    "lg1t-rl:cutoff=20,rl=ucrl2",
    "sarsa",
    "auto",
    "q-learning",
    "anytime:of=lg2t,first=7",
    "ucrl2",
    "psrl",
    "window:of=lg2t,steps=20",
    "window:of=lg2t,steps=2",
    "window:of=(anytime:of=ucb,first=2),steps=4",
    "plugin",
    "lg1t",
    "imed-rl",
};
enum { SPEC_COUNT = sizeof SPECS / sizeof *SPECS };

// ---- a run ----

// What call number i does depends on it and on how many decisions there are, and on nothing else:
// so a copy goes on as the original does.
static uint64_t draw(int64_t i, int64_t what)
{
    uint64_t state = (uint64_t)i * 1000 + (uint64_t)what;
    return lgkt_splitmix(&state);
}

// who acts or is fed, where, and how
typedef struct scene {
    uint64_t unit;
    int32_t state, action;
    uint8_t allowed[ACTIONS];
    const uint8_t *mask;
    bool keyed;
} scene;

static scene scene_of(const lgkt_units *u, int64_t i, int32_t states)
{
    const lgkt_problem *problem = &lgkt_units_learner(u)->problem;
    scene c = {.unit = draw(i, 1) % 5 << 60,
               .state = (int32_t)(draw(i, 2) % (uint64_t)states),
               .action = (int32_t)(draw(i, 10) % ACTIONS),
               .allowed = {1, 1, 1},
               .keyed = lgkt_units_keys(u) != NULL};
    if (problem->masked)
        c.allowed[draw(i, 3) % ACTIONS] = draw(i, 4) % 2 == 0;
    return c;
}

// in the state that was reported, or elsewhere if there is none
static lgkt_status decide_somewhere(lgkt_units *u, int64_t i, int32_t states, bool taken)
{
    scene c = scene_of(u, i, states);
    // what was tampered with may have more actions
    c.mask = lgkt_units_learner(u)->problem.actions == ACTIONS ? c.allowed : NULL;
    int64_t decision;
    int32_t action;
    const lgkt_status status =
        taken ? lgkt_units_take(u, c.unit, LGKT_STATE_REPORTED, c.mask, c.action, &decision)
              : lgkt_units_act(u, c.unit, LGKT_STATE_REPORTED, c.mask, &decision, &action);
    if (status != LGKT_ERR_PROTOCOL)
        return status;
    if (taken)
        return c.keyed ? lgkt_units_take_key(u, c.unit, &c.state, 3, c.mask, c.action, &decision)
                       : lgkt_units_take(u, c.unit, c.state, c.mask, c.action, &decision);
    return c.keyed ? lgkt_units_act_key(u, c.unit, &c.state, 3, c.mask, &decision, &action)
                   : lgkt_units_act(u, c.unit, c.state, c.mask, &decision, &action);
}

static lgkt_status settle_somewhere(lgkt_units *u, int64_t i, int32_t states)
{
    const scene c = scene_of(u, i, states);
    const lgkt_status status = lgkt_units_settle(u, c.unit, LGKT_STATE_REPORTED);
    if (status != LGKT_ERR_PROTOCOL)
        return status;
    return c.keyed ? lgkt_units_settle_key(u, c.unit, &c.state, 3)
                   : lgkt_units_settle(u, c.unit, c.state);
}

static lgkt_status feed_somewhere(lgkt_units *u, int64_t i, int32_t states, bool many)
{
    const int32_t next = (int32_t)(draw(i, 11) % (uint64_t)states);
    const scene c = scene_of(u, i, states), other = scene_of(u, i + 1000, states);
    const double reward = (double)(draw(i, 12) % 4) / 4;
    if (!many)
        return c.keyed ? lgkt_units_feed_key(u, c.unit, &c.state, 3, c.action, reward, &next, 3,
                                             draw(i, 13) % 4 == 0)
                       : lgkt_units_feed(u, c.unit, c.state, c.action, reward, next,
                                         draw(i, 13) % 4 == 0);
    const lgkt_units_row rows[] = {
        {.unit = c.unit,
         .state = c.state,
         .action = c.action,
         .reward = reward,
         .next_state = next,
         .key = &c.state,
         .key_size = 3,
         .next_key = &next,
         .next_key_size = 3},
        {.unit = c.unit,
         .state = next,
         .action = other.action,
         .next_state = other.state,
         .ended = true,
         .key = &next,
         .key_size = 3,
         .next_key = &other.state,
         .next_key_size = 3},
        {.unit = other.unit,
         .state = other.state,
         .action = other.action,
         .next_state = c.state,
         .key = &other.state,
         .key_size = 3,
         .next_key = &c.state,
         .next_key_size = 3},
    };
    return lgkt_units_feed_rows(u, rows, 3, sizeof *rows);
}

static lgkt_status call(lgkt_units *u, int64_t i, int32_t states)
{
    const int64_t made = lgkt_units_decisions(u), kind = (int64_t)(draw(i, 0) % 26);
    const int64_t decision = made - 1 - (int64_t)(draw(i, 5) % 3 == 0 ? draw(i, 6) % 9 : 0);
    if (kind < 8 || made == 0)
        return decide_somewhere(u, i, states, false);
    if (kind < 13)
        return lgkt_units_reward(u, decision, (double)(draw(decision, 7) % 8) / 8);
    if (kind < 18) {
        const int32_t next = (int32_t)(draw(decision, 8) % (uint64_t)states);
        const bool ended = draw(decision, 9) % 8 == 0;
        return lgkt_units_keys(u) != NULL ? lgkt_units_next_key(u, decision, &next, 3, ended)
                                          : lgkt_units_next(u, decision, next, ended);
    }
    if (kind < 20)
        return decide_somewhere(u, i, states, true);
    if (kind < 23)
        return settle_somewhere(u, i, states);
    if (kind < 25)
        return feed_somewhere(u, i, states, kind == 24);
    return draw(i, 14) % 2 == 0 ? lgkt_units_leave(u, draw(i, 1) % 5 << 60)
                                : lgkt_units_raise_limits(u, 0, 7 + (int64_t)(draw(i, 15) % 3));
}

static bool in_memory(lgkt_status status)
{
    return status != LGKT_ERR_NO_MEMORY;
}

static void play(lgkt_units *u, int64_t from, int64_t to, int32_t states)
{
    for (int64_t i = from; i < to; i++)
        assert_true(in_memory(call(u, i, states)));
}

typedef struct making {
    const char *spec;
    lgkt_learner_config config;
    lgkt_units_config set;
    int32_t states;
} making;

// masks where the learner can, and a few sizes
static making making_of(const char *spec, bool keyed)
{
    making m = {.spec = spec,
                .config = lgkt_learner_config_default(),
                .set = lgkt_units_config_default(),
                .states = keyed ? 20 : 3};
    m.config.problem.states = keyed ? 0 : m.states;
    m.config.problem.actions = ACTIONS;
    m.config.problem.horizon = HORIZON;
    m.config.problem.reward_min = 0;
    m.config.problem.reward_max = 1;
    m.config.problem.masked = true;
    m.set.unit_limit = 5;
    m.set.patience = 7;
    m.set.missing = keyed ? 0.25 : NAN;
    m.set.keys.state_limit = keyed ? 40 : 0;
    m.set.unit_horizon = keyed ? 30 : 0;
    return m;
}

static lgkt_units *make(const making *m)
{
    lgkt_units *units = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_units_create(m->spec, &m->config, &m->set, &units, &error);
    if (status != LGKT_OK)
        fail_msg("%s: %s", m->spec, error.text);
    return units;
}

// ---- saving ----

typedef struct saved {
    unsigned char *bytes;
    size_t size;
} saved;

static saved save(const lgkt_units *units)
{
    saved s = {NULL, 0};
    assert_int_equal(lgkt_units_save(units, NULL, 0, &s.size, NULL), LGKT_ERR_SHAPE);
    s.bytes = malloc(s.size);
    assert_non_null(s.bytes);
    assert_int_equal(lgkt_units_save(units, s.bytes, s.size, &s.size, NULL), LGKT_OK);
    return s;
}

static lgkt_units *load(const saved *s, const lgkt_learner_config *config)
{
    lgkt_units *units = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_units_load(s->bytes, s->size, config, &units, &error), error);
    return units;
}

static void check_same(const lgkt_units *units, const saved *expected)
{
    saved s = save(units);
    assert_int_equal(s.size, expected->size);
    assert_memory_equal(s.bytes, expected->bytes, s.size);
    free(s.bytes);
}

static void test_resume_at_every_call(void **state)
{
    (void)state;
    const lgkt_learner_config empty = lgkt_learner_config_default();
    for (int i = 0; i < 2 * SPEC_COUNT; i++) {
        const making m = making_of(SPECS[i / 2], i % 2 == 1);
        lgkt_units *whole = make(&m);
        play(whole, 0, CALLS, m.states);
        assert_true(lgkt_units_decisions(whole) > 30 && lgkt_units_expired(whole) > 3);
        saved end = save(whole);
        lgkt_units_destroy(whole);
        lgkt_units *units = make(&m);
        for (int64_t cut = 0; cut < CALLS; cut++) {
            saved s = save(units);
            lgkt_units *copy = load(&s, cut % 2 == 0 ? &m.config : &empty);
            assert_int_equal(lgkt_units_hash(copy), lgkt_units_hash(units));
            assert_int_equal(lgkt_units_open(copy), lgkt_units_open(units));
            check_same(copy, &s);
            if (cut % 3 == 0) {
                play(copy, cut, CALLS, m.states);
                check_same(copy, &end);
                lgkt_units_destroy(copy);
            } else {
                // what is loaded goes on in place of what was saved
                lgkt_units_destroy(units);
                units = copy;
            }
            free(s.bytes);
            play(units, cut, cut + 1, m.states);
        }
        check_same(units, &end);
        lgkt_units_destroy(units);
        free(end.bytes);
    }
}

// one that was loaded has room for few, and takes more as they come
static void test_loaded_room_grows(void **state)
{
    (void)state;
    enum { UNITS = 300, DECISIONS = 5000 };
    making m = making_of("lg2t", false);
    m.set.unit_limit = UNITS;
    m.set.patience = 3000;
    m.config.problem.horizon = DECISIONS;
    fault memory;
    fault_init(&memory);
    m.config.allocator = fault_allocator(&memory);
    lgkt_units *made = make(&m);
    saved s = save(made);
    lgkt_units *loaded = load(&s, &m.config);
    free(s.bytes);
    assert_true(lgkt_units_bytes(loaded) < lgkt_units_bytes(made));
    lgkt_units *const both[] = {made, loaded};
    int failed = 0;
    for (int64_t i = 0; i < DECISIONS; i++) {
        for (int b = 0; b < 2; b++) {
            int64_t d;
            int32_t a;
            const uint64_t unit = draw(i, 1) % UNITS;
            const uint64_t before = i < 400 || i % 512 == 0 ? lgkt_units_hash(both[b]) : 0;
            // every allocation fails at first
            lgkt_status status = LGKT_ERR_NO_MEMORY;
            for (long long k = 1; status == LGKT_ERR_NO_MEMORY; k++) {
                fault_fail_at(&memory, k, k % 2 == 0);
                status = lgkt_units_act(both[b], unit, (int32_t)(i % 3), NULL, &d, &a);
                fault_fail_at(&memory, 0, false);
                failed += status == LGKT_ERR_NO_MEMORY;
                if (status == LGKT_ERR_NO_MEMORY && before != 0)
                    assert_int_equal(lgkt_units_hash(both[b]), before);
            }
            assert_int_equal(status, LGKT_OK);
            const int64_t late = d - 2000;
            if (late >= 0)
                assert_int_equal(lgkt_units_reward(both[b], late, (double)(late % 2)), LGKT_OK);
        }
    }
    assert_true(failed >= 5);
    assert_int_equal(lgkt_units_hash(made), lgkt_units_hash(loaded));
    lgkt_units_destroy(made);
    lgkt_units_destroy(loaded);
    assert_true(fault_is_clean(&memory));
}

// goes on with another stream
static void test_reseeded(void **state)
{
    (void)state;
    const making m = making_of("random", false);
    lgkt_units *units = make(&m);
    saved s = save(units);
    lgkt_learner_config config = m.config;
    config.reseed = true;
    config.seed = 99;
    lgkt_units *other = load(&s, &config);
    assert_true(lgkt_units_hash(other) != lgkt_units_hash(units));
    lgkt_units_destroy(units);
    lgkt_units_destroy(other);
    free(s.bytes);
}

// ---- memory ----

static lgkt_status make_once(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    making m = *(const making *)ctx;
    m.config.allocator = *allocator;
    lgkt_units *units = NULL;
    const lgkt_status status = lgkt_units_create(m.spec, &m.config, &m.set, &units, error);
    assert_true((status == LGKT_OK) == (units != NULL));
    lgkt_units_destroy(units);
    return status;
}

static lgkt_status load_once(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const saved *s = ctx;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.allocator = *allocator;
    lgkt_units *units = NULL;
    const lgkt_status status = lgkt_units_load(s->bytes, s->size, &config, &units, error);
    assert_true((status == LGKT_OK) == (units != NULL));
    lgkt_units_destroy(units);
    return status;
}

static void test_failing_allocations_in_creation_and_loading(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * SPEC_COUNT; i++) {
        making m = making_of(SPECS[i / 2], i % 2 == 1);
        assert_true(fault_sweep(make_once, &m) >= 8);
        lgkt_units *units = make(&m);
        play(units, 0, 60, m.states);
        saved s = save(units);
        lgkt_units_destroy(units);
        assert_true(fault_sweep(load_once, &s) >= 8);
        free(s.bytes);
    }
}

// Whether one hash is that of what was saved, after a settle in the place of call number i.
static bool is_settled(const saved *s, const making *m, int64_t i, uint64_t hash)
{
    lgkt_units *copy = load(s, &m->config);
    settle_somewhere(copy, i, m->states);
    const bool same = lgkt_units_hash(copy) == hash;
    lgkt_units_destroy(copy);
    return same;
}

// each call with every allocation failing first: nothing has changed, and then it goes well
static uint64_t play_with_failures(const making *m, fault *f, bool persistent, int *failures)
{
    // this one takes memory to act, when what the act learns first was learned
    const bool may_settle = strstr(m->spec, "anytime") != NULL;
    lgkt_units *u = make(m);
    for (int64_t i = 0; i < CALLS; i++) {
        const uint64_t hash = lgkt_units_hash(u);
        saved before = save(u);
        lgkt_status status = LGKT_ERR_NO_MEMORY;
        for (long long k = 1; !in_memory(status); k++) {
            fault_fail_at(f, k, persistent);
            status = call(u, i, m->states);
            fault_fail_at(f, 0, false);
            if (status == LGKT_OK)
                break;
            *failures += !in_memory(status);
            const uint64_t now = lgkt_units_hash(u);
            const bool unchanged = now == hash || (may_settle && is_settled(&before, m, i, now));
            if (!unchanged || *lgkt_units_message(u) == '\0' || lgkt_units_open(u) < 0)
                fail_msg("%s, call %lld, allocation %lld: changed by \"%s\"", m->spec, (long long)i,
                         k, lgkt_units_message(u));
        }
        free(before.bytes);
    }
    const uint64_t hash = lgkt_units_hash(u);
    lgkt_units_destroy(u);
    return hash;
}

static void test_failing_allocations_in_calls(void **state)
{
    (void)state;
    for (int i = 0; i < SPEC_COUNT; i++) {
        making m = making_of(SPECS[i], true);
        lgkt_units *calm = make(&m);
        play(calm, 0, CALLS, m.states);
        for (int persistent = 0; persistent < 2; persistent++) {
            fault f;
            fault_init(&f);
            int failures = 0;
            m.config.allocator = fault_allocator(&f);
            const uint64_t hash = play_with_failures(&m, &f, persistent == 1, &failures);
            assert_true(hash == lgkt_units_hash(calm));
            assert_true(failures > 3);
            assert_true(fault_is_clean(&f));
        }
        lgkt_units_destroy(calm);
    }
}

// ---- damage ----

// what is loaded after all must be the same when it is saved and loaded again, and able to go on
static lgkt_status load_and_play(void *ctx, const unsigned char *bytes, size_t size,
                                 lgkt_error *error)
{
    const making *m = ctx;
    fault f;
    fault_init(&f);
    f.limit = 8 << 20;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.allocator = fault_allocator(&f);
    lgkt_units *units = NULL;
    const lgkt_status status = lgkt_units_load(bytes, size, &config, &units, error);
    if (status == LGKT_OK) {
        saved s = save(units);
        lgkt_units *again = NULL;
        lgkt_error other = {0};
        const lgkt_status back = lgkt_units_load(s.bytes, s.size, &config, &again, &other);
        if (back != LGKT_OK && back != LGKT_ERR_NO_MEMORY)
            fail_msg("%s: %s", m->spec, other.text);
        if (back == LGKT_OK)
            assert_int_equal(lgkt_units_hash(units), lgkt_units_hash(again));
        lgkt_units_destroy(again);
        free(s.bytes);
        for (int64_t i = 500; i < 530; i++)
            (void)call(units, i, m->states);
    }
    lgkt_units_destroy(units);
    assert_true(fault_is_clean(&f));
    return status;
}

static void test_damage_is_refused(void **state)
{
    (void)state;
    static const char *const specs[] = {"random", "lg2t", "sarsa"};
    for (int i = 0; i < 6; i++) {
        making m = making_of(specs[i / 2], i % 2 == 1);
        lgkt_units *units = make(&m);
        play(units, 0, 70, m.states);
        saved s = save(units);
        lgkt_units_destroy(units);
        if (i < 4)
            tamper_check_damage(s.bytes, s.size, load_and_play, &m);
        assert_true(tamper_check_content(s.bytes, s.size, load_and_play, &m) > 60);
        free(s.bytes);
    }
}

static void refuse(const saved *s, const lgkt_learner_config *config, lgkt_status expected,
                   const char *words)
{
    lgkt_units *const mark = (lgkt_units *)&words;
    lgkt_units *units = mark;
    lgkt_error error = {0};
    assert_refused(lgkt_units_load(s->bytes, s->size, config, &units, &error), expected, error,
                   words);
    assert_ptr_equal(units, mark);
}

static void test_arguments_of_saving_and_loading(void **state)
{
    (void)state;
    const making m = making_of("lg1t", false), k = making_of("lg1t", true);
    lgkt_units *units = make(&m), *keyed = make(&k);
    saved s = save(units), with_keys = save(keyed);
    size_t size = 0;
    assert_int_equal(lgkt_units_save(NULL, s.bytes, s.size, &size, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_units_save(units, s.bytes, s.size, NULL, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_units_save(units, NULL, s.size, &size, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_units_save(units, s.bytes, s.size - 1, &size, NULL), LGKT_ERR_SHAPE);
    lgkt_learner_config bad = m.config;
    refuse(&s, NULL, LGKT_ERR_ARGUMENT, "config must not be NULL");
    bad.size = 0;
    refuse(&s, &bad, LGKT_ERR_CONFIG, "lgkt_learner_config_default");
    bad = m.config;
    bad.problem.horizon = HORIZON + 1;
    refuse(&s, &bad, LGKT_ERR_CONFIG, "horizon 60");
    refuse(&with_keys, &m.config, LGKT_ERR_CONFIG, "problem.states must be 0");
    refuse(&(saved){NULL, s.size}, &m.config, LGKT_ERR_ARGUMENT, "buffer must not be NULL");
    lgkt_error error = {0};
    assert_refused(lgkt_units_load(s.bytes, s.size, &m.config, NULL, &error), LGKT_ERR_ARGUMENT,
                   error, "units must not be NULL");
    lgkt_learner *learner = NULL;
    assert_refused(lgkt_learner_load(s.bytes, s.size, &m.config, &learner, &error), LGKT_ERR_FORMAT,
                   error, "the state of a learner of units, not of a learner");
    lgkt_units_destroy(units);
    lgkt_units_destroy(keyed);
    free(s.bytes);
    free(with_keys.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resume_at_every_call),
        cmocka_unit_test(test_loaded_room_grows),
        cmocka_unit_test(test_reseeded),
        cmocka_unit_test(test_failing_allocations_in_creation_and_loading),
        cmocka_unit_test(test_failing_allocations_in_calls),
        cmocka_unit_test(test_damage_is_refused),
        cmocka_unit_test(test_arguments_of_saving_and_loading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
