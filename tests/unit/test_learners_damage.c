// SPDX-License-Identifier: MIT
// labels: slow
// Saved learners that were damaged, belong to somebody else, or were made up.
//
// Damage does not get past the checksum. Where the checksum was made to agree again, bytes are
// either refused or give a learner that can be run, hashed and saved: no call may crash, read or
// write out of bounds, or lose memory.

#include "test.h"

#include <stdlib.h>

#include "lgkt/keyed.h"
#include "ref/fault.h"
#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/saved_bytes.h"
#include "ref/state_learners.h"
#include "ref/tamper.h"

enum { STEPS = 80, RANDOM_CASES = 20000 };

// ---- loading what may be anything ----

typedef struct load_task {
    lgkt_learner_config config;
    fault memory;
    long accepted;
} load_task;

static void load_task_init(load_task *task, const lgkt_mdp *model)
{
    fault_init(&task->memory);
    task->config = learner_run_config(model, STEPS);
    task->config.allocator = fault_allocator(&task->memory);
    task->accepted = 0;
}

static void run_on(lgkt_learner *learner, const lgkt_learner_config *config)
{
    const lgkt_problem problem = lgkt_learner_problem(learner);
    lgkt_rng rng = lgkt_rng_stream(1, "run on", 0);
    for (int t = 0; t < 50; t++) {
        const int32_t next = lgkt_learner_next_state(learner);
        int32_t action = -1;
        const lgkt_status status = lgkt_learner_act(
            learner, next >= 0 ? next : lgkt_rng_below(&rng, problem.states), NULL, &action);
        if (status == LGKT_ERR_HORIZON)
            break;
        // an action may be under way at the start
        if (status != LGKT_OK && !(t == 0 && status == LGKT_ERR_PROTOCOL))
            fail_msg("%s: %s", lgkt_learner_spec(learner), lgkt_learner_message(learner));
        if (status == LGKT_OK)
            assert_in_range(action, 0, problem.actions - 1);
        const lgkt_status observed = lgkt_learner_observe(
            learner, lgkt_rng_normal(&rng), lgkt_rng_below(&rng, problem.states), t % 9 == 8);
        assert_int_equal(observed, LGKT_OK);
    }
    // what it has become is accepted too
    saved_bytes saved = saved_bytes_of(learner);
    lgkt_learner *again = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_learner_load(saved.bytes, saved.size, config, &again, &error);
    if (status != LGKT_OK)
        fail_msg("%s: saved and refused: %s", lgkt_learner_spec(learner), error.text);
    lgkt_learner_destroy(again);
    saved_bytes_free(&saved);
}

// a tamper_load_fn
static lgkt_status load(void *ctx, const unsigned char *bytes, size_t size, lgkt_error *error)
{
    load_task *task = ctx;
    lgkt_learner *learner = NULL;
    const lgkt_status status = lgkt_learner_load(bytes, size, &task->config, &learner, error);
    assert_true((status == LGKT_OK) == (learner != NULL));
    if (status == LGKT_OK) {
        task->accepted++;
        run_on(learner, &task->config);
        lgkt_learner_destroy(learner);
    }
    assert_true(fault_is_clean(&task->memory));
    return status;
}

// ---- states to harm ----

static const char *const specs[] = {
    "lg1-2t:cutoff=10,profile=practical,sampler-scope=per-pair,sampler=ucb",
    "lg1-2t:cutoff=60,profile=practical,sampler-scope=per-pair,sampler=ucb",
    "lgkt:k=3",
    "lgkt:k=5,profile=paper",
    "lgkt:k=2,sampler=(ucbvi:bound=ch)",
    "lgkt:k=3,sampler-scope=per-pair",
    "lg1-2t:cutoff=20",
    "lg1-2t:cutoff=20,profile=practical",
    "lg2t-i:delta=0.01",
    "lg1t-rl:first=(lgkt:k=3),cutoff=40,rl=ucb",
    "lg1t-rl:cutoff=40,rl=(ucbvi:h=3),first=(lg1t:profile=paper)",
    "lg1t-rl:cutoff=30,rl=optimal",
    "ucbvi:h=1",
    "ucbvi:h=3,bound=ch,bonus=0.01",
    "auto:depth=3,visits=1,refresh=1",
    "auto:reward-min=0,reward-max=3,sweep=1",
    "auto:limit=0,pull=0,refresh=50",
    "plugin:k=1,untried=last",
    "plugin:k=6,threshold=0.5,index=paper",
};
enum { SPECS = sizeof specs / sizeof *specs };

// the list, then every name with its defaults; false beyond the last
static bool spec_at(int32_t i, const char **spec)
{
    const lgkt_entry *entry = i < SPECS ? NULL : state_learner(i - SPECS);
    *spec = i < SPECS ? specs[i] : entry != NULL ? entry->name : NULL;
    return *spec != NULL;
}

static lgkt_learner *play(const char *spec, const lgkt_mdp *model, int64_t steps, bool acting)
{
    const lgkt_learner_config config = learner_run_config(model, STEPS);
    learner_run run = {learner_run_make(spec, &config), model, 5, 0.05, 0};
    learner_run_play(&run, steps, NULL);
    int32_t action;
    if (acting)
        assert_int_equal(lgkt_learner_act(run.learner, run.state, NULL, &action), LGKT_OK);
    return run.learner;
}

static saved_bytes state_of(const char *spec, const lgkt_mdp *model, int64_t steps, bool acting)
{
    lgkt_learner *learner = play(spec, model, steps, acting);
    const saved_bytes saved = saved_bytes_of(learner);
    lgkt_learner_destroy(learner);
    return saved;
}

// ---- damage ----

static void test_damage_is_refused(void **state)
{
    const char *spec;
    size_t bytes = 0;
    for (int32_t i = 0; spec_at(i, &spec); i++) {
        load_task task;
        load_task_init(&task, *state);
        saved_bytes saved = state_of(spec, *state, 7, i % 2 == 0);
        assert_int_equal(load(&task, saved.bytes, saved.size, NULL), LGKT_OK);
        tamper_check_damage(saved.bytes, saved.size, load, &task);
        assert_int_equal(task.accepted, 1);
        bytes += saved.size;
        saved_bytes_free(&saved);
    }
    print_message("bits and cuts of %zu bytes\n", bytes);
}

// every single bit of the smallest state there is
static void test_every_bit_of_a_small_state(void **state)
{
    load_task task;
    load_task_init(&task, *state);
    saved_bytes saved = state_of("random", *state, 3, false);
    for (size_t bit = 0; bit < 8 * saved.size; bit++) {
        lgkt_error error = {0};
        saved.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_refused(load(&task, saved.bytes, saved.size, &error), LGKT_ERR_FORMAT, error, "");
        saved.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_int_equal(load(&task, saved.bytes, saved.size, NULL), LGKT_OK);
    saved_bytes_free(&saved);
}

// ---- other people's bytes ----

static void test_other_versions_and_kinds_are_refused(void **state)
{
    static const struct {
        size_t at;
        uint64_t word;
        const char *words;
    } envelopes[] = {
        {TAMPER_AT_VERSION, 4, "saved in format 4; this version reads 3"},
        {TAMPER_AT_VERSION, 0, "saved in format 0"},
        {TAMPER_AT_VERSION, UINT64_MAX, "saved in format 18446744073709551615"},
        {TAMPER_AT_KIND, 2, "the state of a trajectory, not of a learner"},
        {TAMPER_AT_KIND, 3, "the state of a keyed learner, not of a learner"},
        {TAMPER_AT_KIND, 0, "not of a learner"},
        {TAMPER_AT_KIND, UINT64_MAX, "not of a learner"},
        {TAMPER_AT_MAGIC, 0, "no saved state of lgkt"},
    };
    load_task task;
    load_task_init(&task, *state);
    for (size_t i = 0; i < sizeof envelopes / sizeof *envelopes; i++) {
        saved_bytes saved = state_of("lg2t", *state, 7, false);
        tamper_set_word(saved.bytes, envelopes[i].at, envelopes[i].word);
        tamper_seal(saved.bytes, saved.size);
        lgkt_error error = {0};
        assert_refused(load(&task, saved.bytes, saved.size, &error), LGKT_ERR_FORMAT, error,
                       envelopes[i].words);
        saved_bytes_free(&saved);
    }
}

static void test_learners_and_keyed_learners_differ(void **state)
{
    load_task task;
    load_task_init(&task, *state);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.actions = 2;
    config.problem.horizon = STEPS;
    lgkt_keyed_config keys = lgkt_keyed_config_default();
    keys.state_limit = 5;
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_keyed_create("lg2t", &config, &keys, &keyed, &error), error);
    unsigned char bytes[4096];
    size_t size = 0;
    assert_int_equal(lgkt_keyed_save(keyed, bytes, sizeof bytes, &size, NULL), LGKT_OK);
    lgkt_keyed_destroy(keyed);
    assert_refused(load(&task, bytes, size, &error), LGKT_ERR_FORMAT, error,
                   "the state of a keyed learner, not of a learner");

    saved_bytes saved = state_of("lg2t", *state, 7, false);
    config.problem = lgkt_learner_config_default().problem;
    keyed = NULL;
    assert_refused(lgkt_keyed_load(saved.bytes, saved.size, &config, &keyed, &error),
                   LGKT_ERR_FORMAT, error, "the state of a learner, not of a keyed learner");
    assert_null(keyed);
    saved_bytes_free(&saved);
}

// ---- made up ----

static void test_telling_values_do_no_harm(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(3, "model", 0);
    lgkt_mdp *model = model_random(&rng, 2, 2, 1);
    const char *spec;
    long refused = 0, accepted = 0;
    for (int32_t i = 0; spec_at(i, &spec); i++) {
        load_task task;
        load_task_init(&task, model);
        saved_bytes saved = state_of(spec, model, 10 + 7 * (i % 10), i % 2 == 0);
        refused += tamper_check_content(saved.bytes, saved.size, load, &task);
        accepted += task.accepted;
        saved_bytes_free(&saved);
    }
    lgkt_mdp_destroy(model);
    print_message("telling values: %ld refused, %ld accepted and run\n", refused, accepted);
}

// Counts as high as they may be: what is accepted can be fed and run, and then be saved and loaded.
static void test_counts_have_room_to_go_on(void **state)
{
    const uint64_t fed = UINT64_C(1) << 52; // most of what can be fed
    const uint64_t high[] = {INT64_MAX / 4, INT64_MAX / 8, 2 * fed, 2 * fed - STEPS,
                             fed + STEPS,   fed + 1,       fed,     fed - 1};
    const char *spec;
    long accepted = 0;
    for (int32_t i = 0; spec_at(i, &spec); i++) {
        load_task task;
        load_task_init(&task, *state);
        saved_bytes saved = state_of(spec, *state, 40, false);
        const size_t words = (saved.size - TAMPER_HEAD - TAMPER_TAIL) / 8;
        for (size_t w = 11; w < words; w += words / 100 + 1)
            for (size_t j = 0; j < sizeof high / sizeof *high; j++) {
                const size_t at = TAMPER_HEAD + 8 * w;
                // what is no small number is no count
                const uint64_t right = tamper_word(saved.bytes, at);
                if (right > STEPS)
                    break;
                tamper_set_word(saved.bytes, at, high[j]);
                tamper_seal(saved.bytes, saved.size);
                lgkt_learner *learner = NULL;
                if (lgkt_learner_load(saved.bytes, saved.size, &task.config, &learner, NULL) ==
                    LGKT_OK) {
                    accepted++;
                    for (int32_t k = 0; k < 2 * STEPS; k++)
                        (void)lgkt_learner_feed(learner, k % 3, k % 4, 0.5, 1, false);
                    run_on(learner, &task.config);
                    lgkt_learner_destroy(learner);
                }
                tamper_set_word(saved.bytes, at, right);
            }
        saved_bytes_free(&saved);
    }
    print_message("high counts: %ld accepted and run\n", accepted);
}

// where the protocol begins: phase, clock, and while an action is under way state and action
static size_t protocol_at(const saved_bytes *saved)
{
    return saved_bytes_number_at(saved->bytes) + 8;
}

// every phase (act, observe, over) at the first and the last times: a run is over when its steps
// are
static void test_phase_and_clock_must_agree(void **state)
{
    const char *spec;
    for (int32_t i = 0; spec_at(i, &spec); i++)
        for (uint64_t t = 0; t <= STEPS; t += t == 3 ? STEPS - 5 : 1)
            for (uint64_t phase = 0; phase <= 2; phase++) {
                load_task task;
                load_task_init(&task, *state);
                saved_bytes saved = state_of(spec, *state, 2, phase == 1);
                tamper_set_word(saved.bytes, protocol_at(&saved), phase);
                tamper_set_word(saved.bytes, protocol_at(&saved) + 8, t);
                tamper_seal(saved.bytes, saved.size);
                const lgkt_status status = load(&task, saved.bytes, saved.size, NULL);
                if ((status == LGKT_OK) != ((phase == 2) == (t == STEPS)))
                    fail_msg("%s: phase %d at step %d: %s", spec, (int)phase, (int)t,
                             lgkt_status_name(status));
                saved_bytes_free(&saved);
            }
}

// a short state that claims many states and a long run is refused before their tables are made
static void test_short_states_take_little_memory(void **state)
{
    enum { STATES = 3000 };
    static const char *const large[] = {
        "auto",
        "plugin:k=100",
        "ucbvi:h=1000",
        "ucrl2",
        "pmevi-klucrl",
        "psrl",
        "psrl:split=exact",
        "psrl:split=vertex,plan=left",
        "psrl-optimistic:psi=100",
        "lg1t-rl:first=(lgkt:k=3)",
        "lgkt:k=5,sampler-scope=per-pair,sampler-limit=1000000000000000",
    };
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        load_task task;
        load_task_init(&task, *state);
        task.config.problem = (lgkt_problem){.states = 1, .actions = 1, .horizon = INT64_MAX};
        lgkt_learner *learner = learner_run_make(large[i], &task.config);
        saved_bytes saved = saved_bytes_of(learner);
        lgkt_learner_destroy(learner);
        task.config.problem.states = task.config.problem.actions = 0;
        task.config.problem.horizon = 0;
        // room for pairs and heads, as zeros
        const size_t size = saved.size + 64 * STATES;
        unsigned char *bytes = calloc(size, 1);
        assert_non_null(bytes);
        memcpy(bytes, saved.bytes, protocol_at(&saved));
        tamper_set_word(bytes, SAVED_AT_STATES, STATES);
        tamper_set_word(bytes, protocol_at(&saved) + 24, 1); // the generator
        tamper_seal(bytes, size);
        fault_init(&task.memory);
        lgkt_error error = {0};
        assert_int_equal(load(&task, bytes, size, &error), LGKT_ERR_FORMAT);
        const long long peak = atomic_load(&task.memory.peak);
        if (peak > 64000000 + 100 * (long long)size)
            fail_msg("%s: %lld bytes for %zu", large[i], peak, size);
        free(bytes);
        saved_bytes_free(&saved);
    }
}

// a word that is not told: small, near what it was, of another place, or anything
static uint64_t other_word(const saved_bytes *saved, size_t at, lgkt_rng *rng)
{
    const size_t words = saved->size / 8;
    const uint64_t word = tamper_word(saved->bytes, at);
    const uint64_t byte = lgkt_rng_next(rng) & 255;
    switch (lgkt_rng_below(rng, 6)) {
    case 0:
        return (uint64_t)lgkt_rng_below(rng, 20);
    case 1:
        return word + (uint64_t)lgkt_rng_below(rng, 9) - 4;
    case 2:
        return tamper_word(saved->bytes, 8 * (size_t)lgkt_rng_below(rng, (int32_t)words));
    case 3:
        return word ^ UINT64_C(1) << lgkt_rng_below(rng, 64);
    case 4:
        return word ^ byte << 8 * lgkt_rng_below(rng, 8);
    default:
        return lgkt_rng_next(rng);
    }
}

// The horizon is left alone: a long one costs a table of a million numbers.
static void harm(saved_bytes *saved, lgkt_rng *rng)
{
    const size_t words = (saved->size - TAMPER_HEAD - TAMPER_TAIL) / 8;
    const int32_t count = 1 + lgkt_rng_below(rng, 4);
    for (int32_t i = 0; i < count; i++) {
        const size_t at = TAMPER_HEAD + 8 * (size_t)lgkt_rng_below(rng, (int32_t)words);
        if (at != SAVED_AT_HORIZON)
            tamper_set_word(saved->bytes, at, other_word(saved, at, rng));
    }
    tamper_seal(saved->bytes, saved->size);
}

static void test_random_values_do_no_harm(void **state)
{
    lgkt_rng rng = lgkt_rng_stream(12, "harm", 0);
    const char *spec;
    int32_t count = 0;
    while (spec_at(count, &spec))
        count++;
    load_task task;
    load_task_init(&task, *state);
    saved_bytes saved = {NULL, 0};
    for (int32_t i = 0; i < RANDOM_CASES; i++) {
        if (i % 40 == 0) {
            saved_bytes_free(&saved);
            assert_true(spec_at(i / 40 % count, &spec));
            const int32_t steps = lgkt_rng_below(&rng, STEPS);
            saved = state_of(spec, *state, steps, lgkt_rng_below(&rng, 2));
        }
        saved_bytes copy = saved_bytes_copy(&saved);
        harm(&copy, &rng);
        // the sizes of the problem are told, or taken from the bytes
        task.config.problem = learner_run_config(*state, STEPS).problem;
        if (i % 2 == 1)
            task.config.problem.states = task.config.problem.actions = 0,
            task.config.problem.horizon = 0;
        lgkt_error error = {0};
        const lgkt_status status = load(&task, copy.bytes, copy.size, &error);
        assert_true((status == LGKT_OK) == (error.text[0] == '\0'));
        saved_bytes_free(&copy);
    }
    saved_bytes_free(&saved);
    print_message("random values: %d states, %ld of them accepted and run\n", RANDOM_CASES,
                  task.accepted);
    assert_true(task.accepted > RANDOM_CASES / 20 && task.accepted < RANDOM_CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damage_is_refused),
        cmocka_unit_test(test_every_bit_of_a_small_state),
        cmocka_unit_test(test_other_versions_and_kinds_are_refused),
        cmocka_unit_test(test_learners_and_keyed_learners_differ),
        cmocka_unit_test(test_telling_values_do_no_harm),
        cmocka_unit_test(test_counts_have_room_to_go_on),
        cmocka_unit_test(test_phase_and_clock_must_agree),
        cmocka_unit_test(test_short_states_take_little_memory),
        cmocka_unit_test(test_random_values_do_no_harm),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
