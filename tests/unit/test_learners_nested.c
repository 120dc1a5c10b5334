// SPDX-License-Identifier: MIT
// Learners within learners are bounded, in specs and in saved states: levels, number and memory.

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "lgkt/keyed.h"
#include "ref/fault.h"
#include "ref/keyed_run.h"
#include "ref/saved_bytes.h"
#include "ref/tamper.h"

enum { SPEC = 4096, HORIZON = 1000 };

// a table of widths for this horizon, and what a learner with 2 states takes besides, at most
#define TABLE  ((HORIZON + 1) * 24)
#define LITTLE 8192

static lgkt_learner_config make_config(fault *memory)
{
    fault_init(memory);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 2;
    config.problem.actions = 2;
    config.problem.horizon = HORIZON;
    config.allocator = fault_allocator(memory);
    return config;
}

// every way to name a learner within a learner; %s is its spec
static const char *const kinds[] = {
    "lgkt:k=2,sampler=(%s)", "lg2t:sampler=(%s)",
    "lg1-2t:sampler=(%s)",   "lgkt:k=3,sampler-scope=per-pair,sampler=(%s)",
    "lg1t-rl:rl=(%s)",       "lg1t-rl:first=(%s),rl=random",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// a learner at the last of so many levels
static void nest(const char *kind, int levels, char spec[SPEC])
{
    snprintf(spec, SPEC, "lg1t");
    for (int i = 1; i < levels; i++) {
        char inner[SPEC];
        memcpy(inner, spec, SPEC);
        // per pair is once only
        const char *outer = strstr(kind, "per-pair") != NULL && i > 1 ? kinds[0] : kind;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        assert_in_range(snprintf(spec, SPEC, outer, inner), 1, SPEC - 1);
#pragma GCC diagnostic pop
    }
}

static void test_levels(void **state)
{
    (void)state;
    assert_int_equal(LGKT_MAX_LEVELS, 4);
    for (size_t i = 0; i < KINDS; i++)
        for (int levels = 1; levels <= 40; levels += levels < 6 ? 1 : 17) {
            char spec[SPEC];
            nest(kinds[i], levels, spec);
            fault memory;
            const lgkt_learner_config config = make_config(&memory);
            lgkt_learner *learner = NULL;
            lgkt_error error = {0};
            const lgkt_status status = lgkt_learner_create(spec, &config, &learner, &error);
            if (levels <= LGKT_MAX_LEVELS)
                assert_ok(status, error);
            else
                assert_refused(status, LGKT_ERR_SPEC, error, "nested in 4 levels at most");
            lgkt_learner_destroy(learner);
            assert_true(fault_is_clean(&memory));
            assert_true(atomic_load(&memory.peak) < 15 * (TABLE + LITTLE));
        }
}

static void test_levels_of_keyed_learners(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++)
        for (int levels = 4; levels <= 5; levels++) {
            char spec[SPEC];
            nest(kinds[i], levels, spec);
            lgkt_learner_config config = keyed_run_config(HORIZON);
            fault memory;
            config.allocator = make_config(&memory).allocator;
            lgkt_keyed_config set = lgkt_keyed_config_default();
            set.state_limit = 20;
            lgkt_keyed *keyed = NULL;
            lgkt_error error = {0};
            const lgkt_status status = lgkt_keyed_create(spec, &config, &set, &keyed, &error);
            if (levels == 4)
                assert_ok(status, error);
            else
                assert_refused(status, LGKT_ERR_SPEC, error, "nested in 4 levels at most");
            lgkt_keyed_destroy(keyed);
            assert_true(fault_is_clean(&memory));
        }
}

static void test_pairs_within_pairs_are_refused(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "lgkt:sampler-scope=per-pair,sampler=(lgkt:sampler-scope=per-pair)",
        "lgkt:sampler-scope=per-pair,sampler=(lg1t-rl:rl=(lgkt:sampler-scope=per-pair))",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        fault memory;
        const lgkt_learner_config config = make_config(&memory);
        lgkt_learner *learner = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_learner_create(specs[i], &config, &learner, &error), LGKT_ERR_SPEC,
                       error, "per-pair within a sampler that is per pair itself");
        assert_true(fault_is_clean(&memory));
    }
}

// ---- saved states ----

// A saved state that was never saved: the birth of a learner with this spec, then words of zero.
static saved_bytes make_up(const char *spec, int64_t horizon, size_t words)
{
    const size_t length = strlen(spec), text = (length + 7) / 8 * 8;
    saved_bytes saved = {NULL, SAVED_AT_SPEC + text + 8 * words + TAMPER_TAIL};
    saved.bytes = calloc(saved.size, 1);
    assert_non_null(saved.bytes);
    memcpy(saved.bytes, "LGKTSAVE", 8);
    tamper_set_word(saved.bytes, TAMPER_AT_VERSION, 3);
    tamper_set_word(saved.bytes, TAMPER_AT_KIND, 1);
    memcpy(saved.bytes + TAMPER_AT_WRITER, LGKT_VERSION_STRING, sizeof LGKT_VERSION_STRING);
    tamper_set_word(saved.bytes, TAMPER_AT_NUMBERS, LGKT_NUMBERS);
    tamper_set_word(saved.bytes, TAMPER_AT_STATE, 1);
    tamper_set_word(saved.bytes, SAVED_AT_STATES, 2);
    tamper_set_word(saved.bytes, SAVED_AT_ACTIONS, 2);
    tamper_set_word(saved.bytes, SAVED_AT_BORN, 1);
    tamper_set_word(saved.bytes, SAVED_AT_NUMBERS, 1);
    tamper_set_word(saved.bytes, SAVED_AT_HORIZON, (uint64_t)horizon);
    tamper_set_word(saved.bytes, SAVED_AT_LENGTH, length);
    memcpy(saved.bytes + SAVED_AT_SPEC, spec, length);
    tamper_seal(saved.bytes, saved.size);
    return saved;
}

// refused with status and text, having taken so many bytes at most
static void check_made_up(const char *spec, int64_t horizon, size_t words, lgkt_status expected,
                          const char *text, long long most)
{
    saved_bytes saved = make_up(spec, horizon, words);
    fault memory;
    lgkt_learner_config config = make_config(&memory);
    config.problem = lgkt_learner_config_default().problem;
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_refused(lgkt_learner_load(saved.bytes, saved.size, &config, &learner, &error), expected,
                   error, text);
    assert_null(learner);
    assert_true(fault_is_clean(&memory));
    if (atomic_load(&memory.peak) > most)
        fail_msg("%.60s..: %lld bytes", spec, (long long)atomic_load(&memory.peak));
    saved_bytes_free(&saved);
}

static void test_made_up_states(void **state)
{
    (void)state;
    const int64_t horizon = 100000;
    const long long table = 24 * (horizon + 1) + 65536;
    char spec[SPEC];
    // the bytes have room for what their spec names, were it not for the levels
    nest(kinds[0], 30, spec);
    check_made_up(spec, horizon, 1000, LGKT_ERR_SPEC, "nested in 4 levels at most", 4 * table);
    // three learners of 64 + 4 * 16 bytes, where the spec has four
    check_made_up("lgkt:sampler=(lgkt:sampler=(lgkt:sampler=lg1t))", horizon, 3 * 16,
                  LGKT_ERR_FORMAT, "too short for \"lgkt\"", 4 * table);
    // no bytes at all
    check_made_up("random", horizon, 0, LGKT_ERR_FORMAT, "too short for \"random\"", 4096);
}

// a switch holds what its two learners hold, and no table of its own
static void test_partners_without_tables_are_loaded(void **state)
{
    (void)state;
    fault memory;
    lgkt_learner_config config = make_config(&memory);
    config.problem.states = 1000;
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_learner_create("lg1t-rl:first=random,rl=random", &config, &learner, &error),
              error);
    saved_bytes saved = saved_bytes_of(learner);
    lgkt_learner *again = saved_bytes_load(&saved, &config);
    assert_int_equal(lgkt_learner_hash(again), lgkt_learner_hash(learner));
    lgkt_learner_destroy(again);
    lgkt_learner_destroy(learner);
    saved_bytes_free(&saved);
    assert_true(fault_is_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_levels_of_keyed_learners),
        cmocka_unit_test(test_pairs_within_pairs_are_refused),
        cmocka_unit_test(test_made_up_states),
        cmocka_unit_test(test_partners_without_tables_are_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
