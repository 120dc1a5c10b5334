// SPDX-License-Identifier: MIT
// Learners written as CONTRIBUTING.md says, in a registry of their own: what the front does for a
// class that gives little, and that it lets no class do harm.

#include "test.h"

#include <stdlib.h>

#include "core/error.h"
#include "learners/front/best_action.h"
#include "learners/front/learner_private.h"
#include "lgkt/keyed.h"
#include "ref/fault.h"
#include "ref/keyed_run.h"
#include "ref/saved_bytes.h"

// ---- a learner: the mean reward of each pair, and a bonus for those played less ----

typedef struct mean_settings {
    double bonus;
    int64_t first; // plays of an action before the means count
    int ties;
    const char *note;
    char rest[LGKT_SETTINGS_BYTES - 32]; // as large as may be
} mean_settings;

typedef struct mean_learner {
    mean_settings set;
    double *means; // (S, A)
    int64_t *n;    // (S, A)
    double *index; // (A), scratch
} mean_learner;

static int32_t act(lgkt_learner *learner, int32_t state)
{
    const mean_learner *m = learner->self;
    const size_t row = (size_t)state * (size_t)learner->problem.actions;
    for (int32_t a = 0; a < learner->problem.actions; a++) {
        const size_t z = row + (size_t)a;
        m->index[a] = m->n[z] < m->set.first ? 1e9 : m->means[z] + m->set.bonus / (double)m->n[z];
    }
    const lgkt_action_values values = {
        .at = m->index, .stride = 1, .count = learner->problem.actions};
    const lgkt_best best = lgkt_best_among(&values, NULL);
    return m->set.ties == 0 ? best.first
                            : lgkt_best_pick_among(&best, &values, NULL, &learner->rng);
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    (void)next_state, (void)ended;
    mean_learner *m = learner->self;
    const size_t z =
        (size_t)learner->state * (size_t)learner->problem.actions + (size_t)learner->action;
    m->means[z] += (reward - m->means[z]) / (double)++m->n[z];
    return LGKT_OK;
}

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    (void)error;
    mean_learner *m = learner->self;
    m->set = *(const mean_settings *)settings;
    m->set.note = NULL;
    return LGKT_OK;
}

static const lgkt_field fields[] = {
    {LGKT_ARRAY(mean_learner, means, PER_PAIR, REAL)},
    {LGKT_ARRAY(mean_learner, n, PER_PAIR, COUNT)},
    {LGKT_ARRAY(mean_learner, index, PER_ACTION, SCRATCH)},
};

// as a class without a table, which knows nothing of keys: everything is made at once, for the
// states there are

static lgkt_status create_stiff(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    const size_t actions = (size_t)learner->problem.actions;
    const size_t pairs = (size_t)learner->problem.states * actions;
    mean_learner *m = lgkt_learner_alloc(learner, 1, sizeof *m);
    if (m == NULL)
        return lgkt_fail_memory(error, "a mean");
    learner->self = m;
    m->means = lgkt_learner_alloc(learner, pairs, sizeof *m->means);
    m->n = lgkt_learner_alloc(learner, pairs, sizeof *m->n);
    m->index = lgkt_learner_alloc(learner, actions, sizeof *m->index);
    if (m->means == NULL || m->n == NULL || m->index == NULL)
        return lgkt_fail_memory(error, "a mean");
    return create(learner, settings, error);
}

static void destroy_stiff(lgkt_learner *learner)
{
    mean_learner *m = learner->self;
    lgkt_learner_free(learner, m->means);
    lgkt_learner_free(learner, m->n);
    lgkt_learner_free(learner, m->index);
    lgkt_learner_free(learner, m);
}

static void visit_stiff(lgkt_learner *learner, lgkt_archive *archive)
{
    mean_learner *m = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    lgkt_visit_f64(archive, m->means, pairs);
    lgkt_visit_i64(archive, m->n, pairs, 0, LGKT_MAX_COUNT);
}

static const lgkt_param_row params[] = {
    LGKT_ROW_REAL(mean_settings, bonus, "bonus", "1", 0, 1e6, "of an action played once"),
    LGKT_ROW_INTEGER(mean_settings, first, "first", "1", 1, 100, "plays before the means count"),
    LGKT_ROW_CHOICE(mean_settings, ties, "ties", "drawn", "low|drawn", "which of equals"),
    LGKT_ROW_TEXT(mean_settings, note, "note", "", "nothing"),
};

#define NAME(name_)                                                                                \
    {                                                                                              \
        .name = name_, .params = params, .param_count = sizeof params / sizeof *params             \
    }
static const lgkt_entry names[] = {NAME("mean"), NAME("stiff"), NAME("unfed")};

static const lgkt_learner_class classes[] = {
    {LGKT_SELF(mean_learner, fields), .create = create, .act = act, .observe = observe},
    {.create = create_stiff,
     .destroy = destroy_stiff,
     .act = act,
     .observe = observe,
     .visit = visit_stiff},
    {LGKT_SELF(mean_learner, fields), .create = create, .act = act, .observe = observe,
     .unfed = "it was told not to"},
};
enum { CLASSES = sizeof classes / sizeof *classes };

// in place of src/learners/front/registry.c
const lgkt_entry *lgkt_learner_entry(int32_t i)
{
    return i >= 0 && i < CLASSES ? &names[i] : NULL;
}

const lgkt_learner_class *lgkt_learner_class_at(int32_t i, const lgkt_entry **entry)
{
    *entry = lgkt_learner_entry(i);
    return *entry != NULL ? &classes[i] : NULL;
}

const lgkt_registry lgkt_learner_registry = {.what = "learner", .entry = lgkt_learner_entry};

// ---- what becomes of it ----

// plays a learner and another one that is saved and loaded at every seventh step
static void check_resumed(const char *spec)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 5;
    config.problem.actions = 3;
    config.problem.horizon = 60;
    lgkt_learner *twins[2] = {NULL, NULL};
    lgkt_error error = {0};
    for (int i = 0; i < 2; i++)
        assert_ok(lgkt_learner_create(spec, &config, &twins[i], &error), error);
    for (int32_t t = 0; t < 60; t++) {
        if (t % 7 == 3) {
            saved_bytes saved = saved_bytes_of(twins[1]);
            lgkt_learner_destroy(twins[1]);
            twins[1] = saved_bytes_load(&saved, &config);
            saved_bytes_free(&saved);
        }
        int32_t actions[2];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(lgkt_learner_act(twins[i], t % 5, NULL, &actions[i]), LGKT_OK);
            assert_int_equal(
                lgkt_learner_observe(twins[i], actions[i] * (t % 5), (t + 1) % 5, false), LGKT_OK);
        }
        assert_int_equal(actions[0], actions[1]);
        assert_int_equal(lgkt_learner_hash(twins[0]), lgkt_learner_hash(twins[1]));
    }
    for (int i = 0; i < 2; i++)
        lgkt_learner_destroy(twins[i]);
}

static void test_saved_and_resumed(void **state)
{
    (void)state;
    for (int32_t i = 0; i < CLASSES; i++)
        check_resumed(names[i].name);
    check_resumed("mean:bonus=2,first=3,ties=low,note=(any, text)");
}

// with keys, saved and loaded on the way: the sanitizer sees what is written beyond the room
static void test_grows_with_keys(void **state)
{
    (void)state;
    const lgkt_learner_config config = keyed_run_config(300);
    lgkt_keyed *keyed = keyed_run_make("mean", &config, 100);
    keyed_run run = keyed_run_start(keyed, 100, 4);
    for (int i = 0; i < 5; i++) {
        keyed_run_play(&run, 120);
        size_t size;
        unsigned char *bytes = keyed_run_save(run.keyed, &size);
        const uint64_t hash = lgkt_learner_hash(lgkt_keyed_learner(run.keyed));
        lgkt_keyed_destroy(run.keyed);
        run.keyed = keyed_run_load(bytes, size, &config);
        assert_int_equal(lgkt_learner_hash(lgkt_keyed_learner(run.keyed)), hash);
        free(bytes);
    }
    assert_true(lgkt_keyed_states(run.keyed) > 64);
    lgkt_keyed_destroy(run.keyed);
}

static void test_without_grow_keys_are_refused(void **state)
{
    (void)state;
    fault memory;
    fault_init(&memory);
    lgkt_learner_config config = keyed_run_config(300);
    config.allocator = fault_allocator(&memory);
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.state_limit = 100;
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    assert_refused(lgkt_keyed_create("stiff", &config, &set, &keyed, &error), LGKT_ERR_UNSUPPORTED,
                   error, "learner \"stiff\" must know all states at the start");
    assert_null(keyed);
    assert_true(fault_is_clean(&memory));
}

static void test_without_feed_it_says_why(void **state)
{
    (void)state;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = config.problem.actions = 2;
    config.problem.horizon = 10;
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_learner_create("unfed", &config, &learner, &error), error);
    assert_int_equal(lgkt_learner_feed(learner, 0, 0, 0, 0, false), LGKT_ERR_UNSUPPORTED);
    assert_non_null(
        strstr(lgkt_learner_message(learner), "steps that another one chose: it was told not to"));
    lgkt_learner_destroy(learner);
}

static lgkt_status make(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = config.problem.actions = 2;
    config.problem.horizon = 10;
    config.allocator = *allocator;
    lgkt_learner *learner = NULL;
    const lgkt_status status = lgkt_learner_create(ctx, &config, &learner, error);
    lgkt_learner_destroy(learner);
    return status;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    fault_sweep(make, "mean");
    fault_sweep(make, "stiff");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saved_and_resumed),
        cmocka_unit_test(test_grows_with_keys),
        cmocka_unit_test(test_without_grow_keys_are_refused),
        cmocka_unit_test(test_without_feed_it_says_why),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
