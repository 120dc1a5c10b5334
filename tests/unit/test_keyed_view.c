// SPDX-License-Identifier: MIT
// labels: slow
// Learners on vectors of numbers: the same as on keys that a plain search for bins makes, with
// given edges and with quantiles; masks; calls that are refused without a trace; memory that is
// short; saving at every point, and saved states that are damaged.

#include "test.h"

#include <stdlib.h>

#include "lgkt/units.h"
#include "ref/fault.h"
#include "ref/keyed_run.h"
#include "ref/tamper.h"

enum { DIMS = 2, STEPS = 60, WARMUP = 15, LIMIT = 40 };
static const int32_t CUTS[DIMS] = {3, 2};
static const double EDGES[] = {-0.5, 0, 0.75, 0.2, 0.4};

static const char *const SPECS[] = {"random", "lg1t", "lg2t", "auto", "plugin", "ucrl2"};
enum { SPEC_COUNT = sizeof SPECS / sizeof *SPECS };

static lgkt_keyed_config view_of(bool quantiles)
{
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.state_limit = LIMIT;
    set.view = (lgkt_view){.dims = DIMS, .cuts = CUTS, .edges = EDGES};
    if (quantiles)
        set.view = (lgkt_view){.dims = DIMS, .cuts = CUTS, .warmup = WARMUP};
    return set;
}

static lgkt_keyed *make(const char *spec, const lgkt_learner_config *config, bool quantiles)
{
    const lgkt_keyed_config set = view_of(quantiles);
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_keyed_create(spec, config, &set, &keyed, &error), error);
    return keyed;
}

// ---- a process ----

// What step t brings, by the action; one in seven is cut, and goes on elsewhere.
static lgkt_step outcome(int t, int32_t action, double next[DIMS])
{
    lgkt_rng rng = lgkt_rng_stream(3, "outcome", (uint64_t)(4 * t + action));
    for (int d = 0; d < DIMS; d++)
        next[d] = lgkt_rng_normal(&rng) * (1 + t % 3) + 0.1 * action;
    // the second number is often the same
    next[1] = t % 4 == 0 ? 0.2 : next[1];
    next[0] = t % 9 == 5 ? INFINITY : next[0];
    return (lgkt_step){.reward = lgkt_rng_uniform(&rng) + 0.2 * action, .ended = t % 7 == 6};
}

// A run of half steps.
typedef struct walk {
    lgkt_keyed *keyed;
    double at[DIMS];
    int32_t action; // -1: act comes next
} walk;

static walk begin(lgkt_keyed *keyed)
{
    return (walk){.keyed = keyed, .at = {0.1, 0.3}, .action = -1};
}

static lgkt_status half(walk *w)
{
    if (w->action < 0)
        return lgkt_keyed_act(w->keyed, w->at, sizeof w->at, NULL, &w->action);
    double next[DIMS];
    const int t = (int)lgkt_learner_time(lgkt_keyed_learner(w->keyed));
    const lgkt_step step = outcome(t, w->action, next);
    const lgkt_status status =
        lgkt_keyed_observe(w->keyed, step.reward, next, sizeof next, step.ended);
    if (status != LGKT_OK)
        return status;
    memcpy(w->at, next, sizeof next);
    w->at[0] += step.ended ? 1 : 0;
    w->action = -1;
    return LGKT_OK;
}

static void play(walk *w, int halves)
{
    for (int i = 0; i < halves; i++)
        if (half(w) != LGKT_OK)
            fail_msg("%s", lgkt_keyed_message(w->keyed));
}

// ---- the same as on keys ----

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Edges as the view has them, and keys by counting edges; nothing is shared with the library.
typedef struct naive {
    double edges[DIMS][8];
    int cuts[DIMS];
    double seen[DIMS][WARMUP];
    int left; // acts before the edges are there
} naive;

static naive naive_make(bool quantiles)
{
    naive n = {.left = quantiles ? WARMUP : 0};
    for (int d = 0, i = 0; d < DIMS && !quantiles; d++)
        for (n.cuts[d] = 0; n.cuts[d] < CUTS[d]; n.cuts[d]++)
            n.edges[d][n.cuts[d]] = EDGES[i++];
    return n;
}

static size_t naive_key(const naive *n, const double *at, char key[DIMS])
{
    for (int d = 0; d < DIMS; d++) {
        key[d] = 'a';
        for (int i = 0; i < n->cuts[d]; i++)
            key[d] = (char)(key[d] + (n->edges[d][i] <= at[d]));
    }
    return n->left > 0 ? 0 : DIMS;
}

static void naive_note(naive *n, const double *at)
{
    if (n->left == 0)
        return;
    n->left--;
    for (int d = 0; d < DIMS; d++)
        n->seen[d][n->left] = at[d];
    for (int d = 0; d < DIMS && n->left == 0; d++) {
        double *x = n->seen[d];
        qsort(x, WARMUP, sizeof *x, compare);
        for (int j = 1; j <= CUTS[d]; j++) {
            const double q = x[j * WARMUP / (CUTS[d] + 1)];
            const double last = n->cuts[d] > 0 ? n->edges[d][n->cuts[d] - 1] : x[0];
            if (q > last && isfinite(q))
                n->edges[d][n->cuts[d]++] = q;
        }
    }
}

static void compare_with_keys(const char *spec, bool quantiles)
{
    const lgkt_learner_config config = keyed_run_config(STEPS);
    lgkt_keyed *other = keyed_run_make(spec, &config, LIMIT);
    walk w = begin(make(spec, &config, quantiles));
    naive n = naive_make(quantiles);
    for (int t = 0; t < STEPS; t++) {
        char key[DIMS];
        int32_t action = -1;
        assert_int_equal(lgkt_keyed_warmup(w.keyed), n.left);
        assert_int_equal(lgkt_keyed_act(other, key, naive_key(&n, w.at, key), NULL, &action),
                         LGKT_OK);
        double at[DIMS];
        memcpy(at, w.at, sizeof at);
        play(&w, 1);
        if (w.action != action)
            fail_msg("%s at step %d: %d, not %d", spec, t, w.action, action);
        naive_note(&n, at);
        double next[DIMS];
        const lgkt_step step = outcome(t, action, next);
        const size_t size = naive_key(&n, next, key);
        assert_int_equal(lgkt_keyed_observe(other, step.reward, key, size, step.ended), LGKT_OK);
        play(&w, 1);
        assert_int_equal(lgkt_keyed_find(w.keyed, next, sizeof next),
                         lgkt_keyed_find(other, key, size));
        assert_int_equal(lgkt_keyed_states(w.keyed), lgkt_keyed_states(other));
        assert_int_equal(lgkt_learner_hash(lgkt_keyed_learner(w.keyed)),
                         lgkt_learner_hash(lgkt_keyed_learner(other)));
    }
    assert_in_range(lgkt_keyed_states(w.keyed), 6, 13);
    lgkt_keyed_destroy(w.keyed);
    lgkt_keyed_destroy(other);
}

static void test_same_as_on_keys(void **state)
{
    (void)state;
    for (int i = 0; i < SPEC_COUNT; i++)
        for (int quantiles = 0; quantiles < 2; quantiles++)
            compare_with_keys(SPECS[i], quantiles);
}

// One unit with prompt reports is the plain learner, through a warm-up too; a limit of bytes is for
// keys that are bytes.
static void test_units(void **state)
{
    (void)state;
    for (int i = 0; i < SPEC_COUNT; i++)
        for (int quantiles = 0; quantiles < 2; quantiles++) {
            const lgkt_learner_config config = keyed_run_config(STEPS);
            walk w = begin(make(SPECS[i], &config, quantiles));
            lgkt_units_config set = lgkt_units_config_default();
            set.unit_limit = 1;
            set.patience = 10;
            set.keys = view_of(quantiles);
            set.keys.key_limit = 1;
            lgkt_units *units = NULL;
            lgkt_error error = {0};
            assert_ok(lgkt_units_create(SPECS[i], &config, &set, &units, &error), error);
            for (int t = 0; t < STEPS; t++) {
                int64_t decision = -1;
                int32_t action = -1;
                assert_int_equal(
                    lgkt_units_act_key(units, 9, w.at, sizeof w.at, NULL, &decision, &action),
                    LGKT_OK);
                play(&w, 1);
                assert_int_equal(action, w.action);
                double next[DIMS];
                const lgkt_step step = outcome(t, action, next);
                assert_int_equal(lgkt_units_reward(units, decision, step.reward), LGKT_OK);
                assert_int_equal(
                    lgkt_units_next_key(units, decision, next, sizeof next, step.ended), LGKT_OK);
                play(&w, 1);
            }
            lgkt_units_destroy(units);
            lgkt_keyed_destroy(w.keyed);
        }
}

// ---- masks ----

static void test_masks(void **state)
{
    (void)state;
    for (int viewed = 0; viewed < 2; viewed++) {
        lgkt_learner_config config = keyed_run_config(STEPS);
        config.problem.masked = true;
        lgkt_keyed *keyed =
            viewed ? make("random", &config, false) : keyed_run_make("random", &config, LIMIT);
        int32_t taken[KEYED_RUN_ACTIONS] = {0};
        double at[DIMS] = {0, 0};
        for (int t = 0; t < STEPS; t++) {
            const uint8_t one = (uint8_t)(1 << t % 3), allowed[] = {one & 1, one & 2, one & 4};
            static const uint8_t none[KEYED_RUN_ACTIONS];
            int32_t action = -1;
            // none at all: and no new state
            const int32_t states = lgkt_keyed_states(keyed);
            assert_int_equal(lgkt_keyed_act(keyed, at, sizeof at, none, &action),
                             LGKT_ERR_ARGUMENT);
            assert_non_null(strstr(lgkt_keyed_message(keyed), "none of the 3 actions is allowed"));
            assert_int_equal(lgkt_keyed_states(keyed), states);
            assert_int_equal(lgkt_keyed_act(keyed, at, sizeof at, t % 2 ? allowed : NULL, &action),
                             LGKT_OK);
            if (t % 2)
                assert_int_equal(action, t % 3);
            taken[action]++;
            at[0] = t % 5;
            assert_int_equal(lgkt_keyed_observe(keyed, 0.5, at, sizeof at, false), LGKT_OK);
        }
        for (int a = 0; a < KEYED_RUN_ACTIONS; a++)
            assert_true(taken[a] >= 10);
        assert_int_equal(lgkt_keyed_act(NULL, at, sizeof at, NULL, taken), LGKT_ERR_ARGUMENT);
        lgkt_keyed_destroy(keyed);
    }
    // a learner that was not told, and a full mask, which is none
    const lgkt_learner_config config = keyed_run_config(STEPS);
    lgkt_keyed *keyed = keyed_run_make("random", &config, LIMIT);
    int32_t action = -1;
    assert_int_equal(lgkt_keyed_act(keyed, "x", 1, (const uint8_t[]){1, 0, 1}, &action),
                     LGKT_ERR_CONFIG);
    assert_non_null(strstr(lgkt_keyed_message(keyed), "problem.masked"));
    assert_int_equal(lgkt_keyed_states(keyed), 0);
    assert_int_equal(lgkt_keyed_act(keyed, "x", 1, (const uint8_t[]){1, 2, 1}, &action), LGKT_OK);
    lgkt_keyed_destroy(keyed);
}

// ---- refused calls ----

static void refuse_key(walk *w, const void *key, size_t size, lgkt_status expected,
                       const char *words)
{
    lgkt_keyed *keyed = w->keyed;
    size_t before = 0, after = 0;
    unsigned char *bytes = keyed_run_save(keyed, &before);
    int32_t action = -77;
    const lgkt_status status = w->action < 0 ? lgkt_keyed_act(keyed, key, size, NULL, &action)
                                             : lgkt_keyed_observe(keyed, 0.5, key, size, false);
    if (status != expected || strstr(lgkt_keyed_message(keyed), words) == NULL)
        fail_msg("%s \"%s\", expected %s with \"%s\"", lgkt_status_name(status),
                 lgkt_keyed_message(keyed), lgkt_status_name(expected), words);
    assert_int_equal(action, -77);
    assert_int_equal(lgkt_keyed_find(keyed, key, size), -1);
    unsigned char *same = keyed_run_save(keyed, &after);
    assert_int_equal(before, after);
    assert_memory_equal(bytes, same, after);
    free(bytes);
    free(same);
}

static void test_bad_vectors(void **state)
{
    (void)state;
    for (int quantiles = 0; quantiles < 2; quantiles++) {
        const lgkt_learner_config config = keyed_run_config(STEPS);
        walk w = begin(make("lg1t", &config, quantiles));
        for (int i = 0; i < 2 * STEPS; i++) {
            const double first[] = {NAN, 0}, second[] = {INFINITY, -NAN};
            refuse_key(&w, first, sizeof first, LGKT_ERR_NOT_FINITE,
                       "number 0 of the state is NaN");
            refuse_key(&w, second, sizeof second, LGKT_ERR_NOT_FINITE, "number 1");
            refuse_key(&w, first, 8, LGKT_ERR_SHAPE, "a state of 8 bytes, but the 2 numbers");
            refuse_key(&w, first, 0, LGKT_ERR_SHAPE, "have 16");
            refuse_key(&w, NULL, 16, LGKT_ERR_ARGUMENT, "key must not be NULL");
            refuse_key(&w, NULL, 0, LGKT_ERR_ARGUMENT, "key must not be NULL");
            play(&w, 1);
        }
        lgkt_keyed_destroy(w.keyed);
    }
    // another bin than the one observed
    const lgkt_learner_config config = keyed_run_config(STEPS);
    lgkt_keyed *keyed = make("lg1t", &config, false);
    int32_t action;
    assert_int_equal(lgkt_keyed_act(keyed, (double[]){0, 0}, 16, NULL, &action), LGKT_OK);
    assert_int_equal(lgkt_keyed_observe(keyed, 1, (double[]){0.7, 0.3}, 16, false), LGKT_OK);
    assert_int_equal(lgkt_keyed_act(keyed, (double[]){0.8, 0.3}, 16, NULL, &action),
                     LGKT_ERR_PROTOCOL);
    assert_int_equal(lgkt_keyed_act(keyed, (double[]){0.1, 0.2}, 16, NULL, &action), LGKT_OK);
    assert_int_equal(lgkt_keyed_warmup(keyed), 0);
    assert_int_equal(lgkt_keyed_warmup(NULL), 0);
    lgkt_keyed_destroy(keyed);
}

static void test_bad_views_are_refused(void **state)
{
    (void)state;
    const lgkt_learner_config config = keyed_run_config(STEPS);
    lgkt_keyed_config set = view_of(true);
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    set.view.warmup = 3;
    assert_refused(lgkt_keyed_create("lg1t", &config, &set, &keyed, &error), LGKT_ERR_CONFIG, error,
                   "view.warmup = 3");
    set.view.dims = -2;
    assert_refused(lgkt_keyed_create("lg1t", &config, &set, &keyed, &error), LGKT_ERR_CONFIG, error,
                   "view.dims = -2");
    assert_null(keyed);
}

// ---- memory ----

// Every allocation of a whole run fails once; the call says so, has changed nothing, and goes well
// the next time. Steps within known states take none.
static void test_failing_allocations(void **state)
{
    (void)state;
    for (int i = 0; i < SPEC_COUNT; i++)
        for (int quantiles = 0; quantiles < 2; quantiles++) {
            uint64_t plain = 0;
            long long calls = 1;
            for (long long k = 0; k <= calls; k++) {
                fault f;
                fault_init(&f);
                lgkt_learner_config config = keyed_run_config(STEPS);
                config.allocator = fault_allocator(&f);
                const lgkt_keyed_config set = view_of(quantiles);
                walk w = begin(NULL);
                lgkt_error error = {0};
                fault_fail_at(&f, k, true);
                lgkt_status status = lgkt_keyed_create(SPECS[i], &config, &set, &w.keyed, &error);
                if (status != LGKT_OK) {
                    assert_int_equal(status, LGKT_ERR_NO_MEMORY);
                    fault_fail_at(&f, 0, false);
                    w.keyed = make(SPECS[i], &config, quantiles);
                }
                for (int h = 0; h < 2 * STEPS;) {
                    const uint64_t hash = lgkt_learner_hash(lgkt_keyed_learner(w.keyed));
                    const int64_t left = lgkt_keyed_warmup(w.keyed);
                    const int32_t states = lgkt_keyed_states(w.keyed);
                    const long long before = atomic_load(&f.calls);
                    status = half(&w);
                    h += status == LGKT_OK;
                    if (status == LGKT_OK && states == lgkt_keyed_states(w.keyed) && k == 0 &&
                        i < 3)
                        assert_int_equal(atomic_load(&f.calls), before);
                    if (status == LGKT_OK)
                        continue;
                    assert_int_equal(status, LGKT_ERR_NO_MEMORY);
                    assert_int_equal(lgkt_learner_hash(lgkt_keyed_learner(w.keyed)), hash);
                    assert_int_equal(lgkt_keyed_states(w.keyed), states);
                    assert_int_equal(lgkt_keyed_warmup(w.keyed), left);
                    fault_fail_at(&f, 0, false);
                }
                const uint64_t hash = lgkt_learner_hash(lgkt_keyed_learner(w.keyed));
                plain = k == 0 ? hash : plain;
                calls = k == 0 ? atomic_load(&f.calls) : calls;
                assert_int_equal(hash, plain);
                lgkt_keyed_destroy(w.keyed);
                assert_true(fault_is_clean(&f));
            }
            assert_true(calls > 6);
        }
}

// ---- saving ----

typedef struct saved {
    unsigned char *bytes;
    size_t size;
} saved;

static saved save(const lgkt_keyed *keyed)
{
    saved s;
    s.bytes = keyed_run_save(keyed, &s.size);
    return s;
}

static void test_resume_at_every_cut(void **state)
{
    (void)state;
    const lgkt_learner_config config = keyed_run_config(STEPS);
    for (int i = 0; i < SPEC_COUNT; i++)
        for (int quantiles = 0; quantiles < 2; quantiles++) {
            walk w = begin(make(SPECS[i], &config, quantiles));
            play(&w, 2 * STEPS);
            saved end = save(w.keyed);
            lgkt_keyed_destroy(w.keyed);
            w = begin(make(SPECS[i], &config, quantiles));
            for (int cut = 0; cut <= 2 * STEPS; cut++) {
                saved s = save(w.keyed);
                walk other = w;
                other.keyed = keyed_run_load(s.bytes, s.size, &config);
                saved again = save(other.keyed);
                assert_int_equal(again.size, s.size);
                assert_memory_equal(again.bytes, s.bytes, s.size);
                assert_int_equal(lgkt_keyed_warmup(other.keyed), lgkt_keyed_warmup(w.keyed));
                play(&other, 2 * STEPS - cut);
                saved last = save(other.keyed);
                assert_int_equal(last.size, end.size);
                assert_memory_equal(last.bytes, end.bytes, end.size);
                free(s.bytes);
                free(again.bytes);
                free(last.bytes);
                lgkt_keyed_destroy(other.keyed);
                if (cut < 2 * STEPS)
                    play(&w, 1);
            }
            free(end.bytes);
            lgkt_keyed_destroy(w.keyed);
        }
}

static saved save_after(const char *spec, bool quantiles, int halves)
{
    const lgkt_learner_config config = keyed_run_config(STEPS);
    walk w = begin(make(spec, &config, quantiles));
    play(&w, halves);
    saved s = save(w.keyed);
    lgkt_keyed_destroy(w.keyed);
    return s;
}

// whatever was loaded goes on with vectors, or refuses them
static lgkt_status load_and_play(void *ctx, const unsigned char *bytes, size_t size,
                                 lgkt_error *error)
{
    (void)ctx;
    fault f;
    fault_init(&f);
    f.limit = 16 << 20;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.allocator = fault_allocator(&f);
    lgkt_keyed *keyed = NULL;
    const lgkt_status status = lgkt_keyed_load(bytes, size, &config, &keyed, error);
    for (int t = 0; t < 40 && status == LGKT_OK; t++) {
        double at[DIMS];
        int32_t action = -1;
        outcome(t / 2, 0, at);
        if (lgkt_keyed_act(keyed, at, sizeof at, NULL, &action) == LGKT_OK)
            assert_true(action >= 0);
        (void)lgkt_keyed_observe(keyed, 0.5, at, sizeof at, t % 2 == 0);
    }
    lgkt_keyed_destroy(keyed);
    assert_true(fault_is_clean(&f));
    return status;
}

static lgkt_status load_once(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const saved *s = ctx;
    lgkt_learner_config config = keyed_run_config(STEPS);
    config.allocator = *allocator;
    lgkt_keyed *keyed = NULL;
    const lgkt_status status = lgkt_keyed_load(s->bytes, s->size, &config, &keyed, error);
    lgkt_keyed_destroy(keyed);
    return status;
}

static void test_damage(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        bool quantiles;
        int halves;
    } cases[] = {{"random", false, 0},   {"lg1t", false, 41}, {"random", true, 9},
                 {"lg1t", true, 2 * 10}, {"lg1t", true, 29},  {"lg2t", true, 61}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        saved s = save_after(cases[i].spec, cases[i].quantiles, cases[i].halves);
        tamper_check_damage(s.bytes, s.size, load_and_play, NULL);
        assert_true(tamper_check_content(s.bytes, s.size, load_and_play, NULL) > 30);
        assert_true(fault_sweep(load_once, &s) >= 6);
        free(s.bytes);
    }
}

// Without a view the bytes are what they were before there were views: the limit comes first, and
// is positive.
static void test_bytes_without_a_view(void **state)
{
    (void)state;
    const lgkt_learner_config config = keyed_run_config(STEPS);
    lgkt_keyed *keyed = keyed_run_make("random", &config, LIMIT);
    saved s = save(keyed);
    assert_int_equal(tamper_word(s.bytes, TAMPER_HEAD), LIMIT);
    free(s.bytes);
    lgkt_keyed_destroy(keyed);
    s = save_after("random", false, 0);
    assert_true(tamper_word(s.bytes, TAMPER_HEAD) == (uint64_t)-LIMIT);
    free(s.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_on_keys),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_bad_vectors),
        cmocka_unit_test(test_bad_views_are_refused),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_resume_at_every_cut),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_bytes_without_a_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
