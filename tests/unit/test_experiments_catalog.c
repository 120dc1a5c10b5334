// SPDX-License-Identifier: MIT
// labels: slow
// The catalog: every spec in it can be made, names are unique, counts make sense.
#include "test.h"

#include "experiments/catalog.h"
#include "experiments/play.h"
#include "lgkt/spec.h"

#define SHORT_HORIZON 60

static const char *const NAMES[] = {
    "synthetic-10",    "synthetic-100",      "riverswim-5",
    "riverswim-8",     "riverswim-15",       "frozenlake",
    "trading",         "adaptive-threshold", "adaptive-k",
    "theory-version",  "ablation-threshold", "value-ratio",
    "regret-growth",   "long-run",           "profiles",
    "depth",           "reward-range",       "beyond-six-1000",
    "beyond-six-5000", "beyond-six-20000",   "beyond-six-200000",
    "beyond-fresh",    "beyond-scale",       "beyond-parts",
    "arena-1000",      "arena-5000",         "arena-20000",
    "arena-200000",    "arena-untold-5000",  "arena-untold-20000",
};
enum { NAME_COUNT = sizeof NAMES / sizeof *NAMES };

typedef void (*panel_fn)(const exp_experiment *experiment, const exp_panel *panel);

static void for_each_panel(panel_fn visit)
{
    for (int32_t i = 0; exp_experiment_at(i) != NULL; i++)
        for (int32_t p = 0; p < exp_experiment_at(i)->panel_count; p++)
            visit(exp_experiment_at(i), &exp_experiment_at(i)->panels[p]);
}

static void test_names(void **state)
{
    (void)state;
    for (int32_t i = 0; i < NAME_COUNT; i++) {
        const exp_experiment *experiment = exp_experiment_find(NAMES[i]);
        assert_non_null(experiment);
        assert_string_equal(experiment->name, NAMES[i]);
        assert_ptr_equal(experiment, exp_experiment_at(i));
        assert_true(strlen(experiment->title) > 0 && strlen(experiment->place) > 0);
        assert_true(experiment->panel_count >= 1);
    }
    assert_null(exp_experiment_at(NAME_COUNT));
    assert_null(exp_experiment_at(-1));
    assert_null(exp_experiment_find("synthetic"));
    assert_null(exp_experiment_find(""));
}

static void check_panel_name(const exp_experiment *experiment, const exp_panel *panel)
{
    int same = 0;
    for (int32_t p = 0; p < experiment->panel_count; p++)
        same += strcmp(experiment->panels[p].name, panel->name) == 0;
    assert_int_equal(same, 1);
    // names become parts of file names
    assert_int_equal(strspn(panel->name, "abcdefghijklmnopqrstuvwxyz0123456789-."),
                     strlen(panel->name));
}

static void check_labels(const exp_experiment *experiment, const exp_panel *panel)
{
    assert_true(panel->entry_count >= 1);
    for (int32_t l = 0; l < panel->entry_count; l++)
        for (int32_t m = 0; m < l; m++)
            if (strcmp(panel->entries[l].label, panel->entries[m].label) == 0 ||
                strcmp(panel->entries[l].spec, panel->entries[m].spec) == 0)
                fail_msg("%s %s: %s twice", experiment->name, panel->name, panel->entries[l].label);
}

static void check_counts(const exp_experiment *experiment, const exp_panel *panel)
{
    (void)experiment;
    assert_in_range(panel->horizon, 1, 1000000);
    assert_in_range(panel->instances, 1, 1000);
    assert_in_range(panel->quick_instances, 1, panel->instances);
    if (panel->measures[0].kind == EXP_MEASURE_REGRET)
        assert_true(panel->regret_k >= 1 && isfinite(panel->regret_threshold));
    else
        assert_true(panel->regret_k == 0);
}

// learners are told the rewards, unless the name of the experiment says otherwise
static void check_told(const exp_experiment *experiment, const exp_panel *panel)
{
    assert_int_equal(panel->untold, strstr(experiment->name, "untold") != NULL);
}

// oracles know the model, and nobody else does
static void check_learner(const exp_panel *panel, const lgkt_env *env, const exp_entry *entry)
{
    exp_game game;
    lgkt_error error = {0};
    char name[32], k[16];
    assert_ok(
        exp_game_open(&game, env, entry->spec, SHORT_HORIZON, 1, 0, NULL, panel->untold, &error),
        error);
    exp_game_close(&game);
    assert_ok(lgkt_spec_name(entry->spec, name, sizeof name, &error), error);
    const bool knows = strcmp(name, "kstep") == 0 || strcmp(name, "optimal") == 0;
    assert_int_equal(entry->oracle, knows);
    if (panel->measures[0].kind == EXP_MEASURE_RATIO)
        assert_ok(lgkt_spec_value(entry->spec, "k", k, sizeof k, &error), error);
}

static void check_specs(const exp_experiment *experiment, const exp_panel *panel)
{
    lgkt_env *env = NULL;
    lgkt_error error = {0};
    const lgkt_status status = exp_env_create(&(exp_world){.spec = panel->env}, 1, 0, &env, &error);
    if (status != LGKT_OK)
        fail_msg("%s %s: %s: %s", experiment->name, panel->name, panel->env, error.text);
    const bool needs_model =
        panel->measures[0].kind == EXP_MEASURE_REGRET || panel->measures[0].kind == EXP_MEASURE_RATIO;
    if (needs_model)
        assert_non_null(lgkt_env_model(env));
    for (int32_t l = 0; l < panel->entry_count; l++)
        check_learner(panel, env, &panel->entries[l]);
    lgkt_env_destroy(env);
}

static int32_t count_covered(const char *name)
{
    int32_t count = 0;
    for (int32_t i = 0; exp_experiment_at(i) != NULL; i++)
        count += exp_name_covers(name, exp_experiment_at(i));
    return count;
}

// an experiment's name means itself alone; `beyond` and `arena` mean what is called so, `paper` the
// others
static void test_groups(void **state)
{
    (void)state;
    int32_t beyond = 0, arena = 0;
    for (int32_t i = 0; i < NAME_COUNT; i++) {
        const exp_experiment *experiment = exp_experiment_find(NAMES[i]);
        const bool ours = strncmp(NAMES[i], "beyond-", 7) == 0;
        const bool all_learners = strncmp(NAMES[i], "arena-", 6) == 0;
        assert_int_equal(count_covered(NAMES[i]), 1);
        assert_int_equal(exp_name_covers("beyond", experiment), ours);
        assert_int_equal(exp_name_covers("arena", experiment), all_learners);
        assert_int_equal(exp_name_covers("paper", experiment), !ours && !all_learners);
        beyond += ours;
        arena += all_learners;
    }
    assert_int_equal(beyond, 7);
    assert_int_equal(arena, 6);
    assert_int_equal(count_covered("all"), NAME_COUNT);
    assert_int_equal(count_covered("list"), 0);
    assert_int_equal(count_covered(""), 0);
    for (int32_t i = 0; exp_group_at(i) != NULL; i++)
        assert_true(count_covered(exp_group_at(i)) > 1 &&
                    exp_experiment_find(exp_group_at(i)) == NULL);
    assert_null(exp_group_at(-1));
}

static void test_panels_have_names_of_their_own(void **state)
{
    (void)state;
    for_each_panel(check_panel_name);
}

static void test_learners_are_there_once(void **state)
{
    (void)state;
    for_each_panel(check_labels);
}

static void test_counts(void **state)
{
    (void)state;
    for_each_panel(check_counts);
    for_each_panel(check_told);
}

static void test_every_spec_can_be_made(void **state)
{
    (void)state;
    for_each_panel(check_specs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_panels_have_names_of_their_own),
        cmocka_unit_test(test_learners_are_there_once),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_every_spec_can_be_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
