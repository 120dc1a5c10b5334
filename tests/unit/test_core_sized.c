// SPDX-License-Identifier: MIT
// Structs of programs that were compiled with other versions of the headers: smaller, larger, and
// sizes that nobody set.

#include "test.h"

#include <math.h>
#include <string.h>

#include "core/sized.h"
#include "lgkt/lgkt.h"

// ---- the copy ----

// a config as it was, as the library has it, and as it may be one day
typedef struct first_config {
    size_t size;
    int64_t a;
} first_config;
typedef struct own_config {
    size_t size;
    int64_t a;
    double added;
} own_config;
typedef struct next_config {
    size_t size;
    int64_t a;
    double added;
    int64_t unknown[2];
} next_config;

static const lgkt_sized_kind kind = {sizeof(own_config), sizeof(first_config), "config",
                                     "own_config_default"};

static void test_older_and_newer_structs(void **state)
{
    (void)state;
    lgkt_error error = {0};
    own_config own = {.a = 1, .added = 2.5};
    const first_config older = {sizeof older, 7};
    assert_ok(lgkt_sized_take(&kind, &older, &own, &error), error);
    assert_true(own.a == 7 && own.added == 2.5 && own.size == sizeof own);
    next_config newer = {sizeof newer, 8, 4.5, {0, 0}};
    assert_ok(lgkt_sized_take(&kind, &newer, &own, &error), error);
    assert_true(own.a == 8 && own.added == 4.5 && own.size == sizeof own);
    newer.unknown[1] = 1;
    newer.a = 9;
    assert_refused(lgkt_sized_take(&kind, &newer, &own, &error), LGKT_ERR_CONFIG, error,
                   "does not know: it has 40 bytes, 24 are known");
    const size_t wrong[] = {0,       1,        sizeof(size_t), sizeof older - 1, sizeof own + 1,
                            1 << 20, SIZE_MAX, SIZE_MAX - 7};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        newer.size = wrong[i];
        assert_refused(lgkt_sized_take(&kind, &newer, &own, &error), LGKT_ERR_CONFIG, error,
                       "config was not made by own_config_default");
    }
    assert_refused(lgkt_sized_take(&kind, NULL, &own, &error), LGKT_ERR_ARGUMENT, error, "NULL");
    assert_true(own.a == 8);
}

// ---- the configs of the library ----

// each with bytes behind it that this library does not know
#define LARGER(type)                                                                               \
    struct {                                                                                       \
        type known;                                                                                \
        uint64_t tail[3];                                                                          \
    }

static lgkt_status create_learner(const lgkt_learner_config *config, lgkt_error *error)
{
    lgkt_learner *learner = NULL;
    const lgkt_status status = lgkt_learner_create("auto", config, &learner, error);
    lgkt_learner_destroy(learner);
    return status;
}

static lgkt_status create_keyed(const lgkt_learner_config *config, const lgkt_keyed_config *set,
                                lgkt_error *error)
{
    lgkt_keyed *keyed = NULL;
    const lgkt_status status = lgkt_keyed_create("auto", config, set, &keyed, error);
    lgkt_keyed_destroy(keyed);
    return status;
}

static lgkt_status create_units(const lgkt_learner_config *config, const lgkt_units_config *set,
                                lgkt_error *error)
{
    lgkt_units *units = NULL;
    const lgkt_status status = lgkt_units_create("auto", config, set, &units, error);
    lgkt_units_destroy(units);
    return status;
}

static lgkt_status create_env(const lgkt_env_config *config, lgkt_error *error)
{
    lgkt_env *env = NULL;
    const lgkt_status status = lgkt_env_create("riverswim", config, &env, error);
    lgkt_env_destroy(env);
    return status;
}

// a larger struct with nothing in its tail works, one with something there and odd sizes do not
#define CHECK_SIZES(config, call, maker)                                                           \
    do {                                                                                           \
        lgkt_error error = {0};                                                                    \
        (config).known.size = sizeof(config);                                                      \
        assert_ok(call, error);                                                                    \
        (config).tail[2] = 1;                                                                      \
        assert_refused(call, LGKT_ERR_CONFIG, error, "does not know");                             \
        (config).tail[2] = 0;                                                                      \
        const size_t wrong_[] = {0, 8, 12, sizeof(config) + 1, (size_t)1 << 40, SIZE_MAX};         \
        for (size_t i_ = 0; i_ < sizeof wrong_ / sizeof *wrong_; i_++) {                           \
            (config).known.size = wrong_[i_];                                                      \
            assert_refused(call, LGKT_ERR_CONFIG, error, "was not made by " maker);                \
        }                                                                                          \
        (config).known.size = sizeof((config).known);                                              \
        assert_ok(call, error);                                                                    \
    } while (0)

static lgkt_learner_config small_config(int32_t states)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = states;
    config.problem.actions = 2;
    config.problem.horizon = 20;
    return config;
}

static void test_configs(void **state)
{
    (void)state;
    LARGER(lgkt_learner_config) learner = {.known = small_config(3)};
    CHECK_SIZES(learner, create_learner(&learner.known, &error), "lgkt_learner_config_default");
    LARGER(lgkt_env_config) env = {.known = lgkt_env_config_default()};
    CHECK_SIZES(env, create_env(&env.known, &error), "lgkt_env_config_default");
    LARGER(lgkt_learner_config) without = {.known = small_config(0)};
    LARGER(lgkt_keyed_config) keyed = {.known = lgkt_keyed_config_default()};
    keyed.known.state_limit = 5;
    CHECK_SIZES(keyed, create_keyed(&without.known, &keyed.known, &error),
                "lgkt_keyed_config_default");
    CHECK_SIZES(without, create_keyed(&without.known, &keyed.known, &error),
                "lgkt_learner_config_default");
    LARGER(lgkt_units_config) units = {.known = lgkt_units_config_default()};
    units.known.unit_limit = 2;
    CHECK_SIZES(units, create_units(&learner.known, &units.known, &error),
                "lgkt_units_config_default");
    CHECK_SIZES(learner, create_units(&learner.known, &units.known, &error),
                "lgkt_learner_config_default");
    // the config of keys that lies within has a size of its own
    units.known.keys.state_limit = 5;
    lgkt_error error = {0};
    assert_ok(create_units(&without.known, &units.known, &error), error);
    units.known.keys.size = 0;
    assert_refused(create_units(&without.known, &units.known, &error), LGKT_ERR_CONFIG, error,
                   "lgkt_keyed_config_default");
}

static void test_reserved_fields(void **state)
{
    (void)state;
    lgkt_error error = {0};
    for (int i = 0; i < 4; i++) {
        lgkt_learner_config config = small_config(3);
        config.problem.reserved[i] = 1;
        assert_refused(create_learner(&config, &error), LGKT_ERR_CONFIG, error, "problem.reserved");
        const lgkt_learner_config without = small_config(0);
        lgkt_keyed_config set = lgkt_keyed_config_default();
        set.state_limit = 5;
        set.reserved[i] = UINT64_MAX;
        assert_refused(create_keyed(&without, &set, &error), LGKT_ERR_CONFIG, error,
                       "keyed_config.reserved");
        set.reserved[i] = 0;
        const int32_t cuts[1] = {1};
        const double edges[1] = {0};
        set.view = (lgkt_view){.dims = 1, .cuts = cuts, .edges = edges};
        set.view.reserved[i] = 1;
        assert_refused(create_keyed(&without, &set, &error), LGKT_ERR_CONFIG, error,
                       "view.reserved");
        set.view.reserved[i] = 0;
        assert_ok(create_keyed(&without, &set, &error), error);
        // what a later version may know
        const lgkt_kind number = {LGKT_KIND_NUMBER, 0};
        set.view.kinds = &number;
        assert_refused(create_keyed(&without, &set, &error), LGKT_ERR_UNSUPPORTED, error,
                       "view.kinds must be NULL");
    }
}

// makers write no more than the program has, and zeros where the library knows nothing
static void test_makers(void **state)
{
    (void)state;
    LARGER(lgkt_units_config) units;
    memset(&units, 0xa5, sizeof units);
    lgkt_units_config_init(&units.known, offsetof(lgkt_units_config, keys));
    assert_true(units.known.size == offsetof(lgkt_units_config, keys));
    assert_true(units.known.patience == 65536 && isnan(units.known.missing));
    assert_true(units.known.keys.size == (size_t)0xa5a5a5a5a5a5a5a5u);
    lgkt_units_config_init(&units.known, sizeof units);
    assert_true(units.known.size == sizeof units && units.known.keys.key_limit == 65536);
    assert_true(units.tail[0] == 0 && units.tail[2] == 0);

    lgkt_env *env = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_env_create("riverswim:states=7", NULL, &env, &error), error);
    LARGER(lgkt_problem) problem;
    memset(&problem, 0xa5, sizeof problem);
    lgkt_env_get_problem(env, 9, &problem.known, sizeof(int32_t));
    assert_true(problem.known.states == 7 && problem.known.actions == (int32_t)0xa5a5a5a5);
    lgkt_env_get_problem(env, 9, &problem.known, sizeof problem);
    assert_true(problem.known.horizon == 9 && problem.tail[0] == 0 && problem.tail[2] == 0);
    assert_true(problem.known.model == lgkt_env_model(env));
    lgkt_env_destroy(env);
    lgkt_learner_config_init(NULL, 8);
    lgkt_keyed_config_init(NULL, 8);
    lgkt_env_get_problem(NULL, 9, NULL, 8);
    lgkt_learner_get_problem(NULL, &problem.known, sizeof problem);
    assert_true(problem.known.horizon == 0 && problem.known.model == NULL);
}

// ---- reasons ----

static void test_reasons(void **state)
{
    (void)state;
    enum { STATES = 3, ACTIONS = 2, MOST = 20 };
    const lgkt_learner_config config = small_config(STATES);
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_learner_create("auto", &config, &learner, &error), error);
    for (int32_t t = 0; t < 8; t++) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, t % STATES, NULL, &action), LGKT_OK);
        assert_int_equal(lgkt_learner_observe(learner, action, (t + 1) % STATES, false), LGKT_OK);
    }
    lgkt_reason all[STATES * ACTIONS];
    assert_ok(lgkt_learner_explain_all(learner, all, sizeof *all, &error), error);
    for (int z = 0; z < STATES * ACTIONS; z++)
        assert_true(isnan(all[z].linear_part) && isnan(all[z].state_part) &&
                    isnan(all[z].action_part) && isnan(all[z].doubt) && isnan(all[z].price));
    const size_t own = sizeof(lgkt_reason) / sizeof(double);
    for (size_t fields = 7; fields <= MOST; fields++) {
        // one double behind, which must stay
        double table[STATES * ACTIONS * MOST + 1], row[ACTIONS * MOST + 1];
        const size_t length = STATES * ACTIONS * fields;
        table[length] = row[ACTIONS * fields] = 77;
        assert_ok(lgkt_learner_explain_all(learner, (lgkt_reason *)table, fields * sizeof(double),
                                           &error),
                  error);
        assert_ok(lgkt_learner_explain(learner, 1, NULL, (lgkt_reason *)row,
                                       fields * sizeof(double), &error),
                  error);
        assert_true(table[length] == 77 && row[ACTIONS * fields] == 77);
        assert_memory_equal(row, table + ACTIONS * fields, ACTIONS * fields * sizeof(double));
        for (size_t z = 0; z < STATES * ACTIONS; z++)
            for (size_t i = 0; i < fields; i++) {
                double known = NAN;
                if (i < own)
                    memcpy(&known, (const char *)&all[z] + i * sizeof known, sizeof known);
                const double shown = table[z * fields + i];
                assert_true(shown == known || (isnan(shown) && isnan(known)));
            }
    }
    const uint64_t before = lgkt_learner_hash(learner);
    const size_t wrong[] = {0, 1, 8, 6 * sizeof(double), 7 * sizeof(double) + 1, 1 << 20, SIZE_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_refused(lgkt_learner_explain(learner, 0, NULL, all, wrong[i], &error),
                       LGKT_ERR_ARGUMENT, error, "must be sizeof(lgkt_reason)");
        assert_refused(lgkt_learner_explain_all(learner, all, wrong[i], &error), LGKT_ERR_ARGUMENT,
                       error, "must be sizeof(lgkt_reason)");
    }
    assert_true(lgkt_learner_hash(learner) == before);
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_older_and_newer_structs),
        cmocka_unit_test(test_configs),
        cmocka_unit_test(test_reserved_fields),
        cmocka_unit_test(test_makers),
        cmocka_unit_test(test_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
