// SPDX-License-Identifier: MIT
// labels: threads
// Estimates: counts and bytes against what a run leaves behind, seconds where they are known to
// grow, and that nothing is touched.
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "experiments/studies/studies.h"
#include "ref/folders.h"

#define COUNT(array) (int32_t)(sizeof array / sizeof *array)

static const exp_measure average = {EXP_MEASURE_AVERAGE, "average", NULL};
static const exp_measure exact_ratio = {EXP_MEASURE_RATIO, "ratio", NULL};
static const int64_t usual[] = {100, 1000};

#define MEASURED(measure_)                                                                         \
    .measures = &measure_, .measure_count = 1, .compare = usual, .compare_count = COUNT(usual)

static const exp_entry few[] = {{.label = "LG1T", .spec = "lg1t:threshold=0.5"},
                                {.label = "Random", .spec = "random"},
                                {.label = "UCRL2", .spec = "ucrl2"}};
static const exp_entry depths[] = {{.label = "K=1", .spec = "kstep:k=1", .oracle = true}};
static const exp_panel panels[] = {
    {.name = "worlds",
     .env = "synthetic:states=4,actions=3",
     .horizon = 1200,
     .instances = 7,
     .quick_instances = 3,
     MEASURED(average),
     .entries = few,
     .entry_count = COUNT(few)},
    {.name = "exact",
     .env = "synthetic:states=4,actions=3",
     .horizon = 90,
     .instances = 5,
     .quick_instances = 2,
     MEASURED(exact_ratio),
     .entries = depths,
     .entry_count = COUNT(depths)},
    // learners are told of the last rounds on the way
    {.name = "units",
     .env = "riverswim:states=5",
     .horizon = 20 * 150,
     .instances = 2,
     .quick_instances = 1,
     MEASURED(average),
     .entries = few,
     .entry_count = 2,
     .units = {.count = 20, .patience = 5, .told = 100, .extended = 90, .late = 2}},
};
static const exp_experiment small = {.name = "small",
                                     .file = "small.json",
                                     .bytes = "{}",
                                     .size = 2,
                                     .panels = panels,
                                     .panel_count = COUNT(panels)};

static exp_reproduction ask(const exp_experiment *experiment)
{
    return (exp_reproduction){
        .asked = {.experiment = experiment, .seed = 3, .files = &io_true_files}, .how.jobs = 1};
}

static exp_estimation estimate(const exp_reproduction *asked, double seconds)
{
    exp_estimation estimation;
    lgkt_error error = {0};
    assert_ok(exp_estimation_make(&estimation, asked, seconds, 1e9, &error), error);
    return estimation;
}

static int64_t file_size(const char *folder, const char *name)
{
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(stat(path, &status), 0);
    return (int64_t)status.st_size;
}

// ---- counts ----

static void test_counts_by_hand(void **state)
{
    (void)state;
    exp_reproduction asked = ask(&small);
    exp_estimation e = estimate(&asked, 0.0);
    const int64_t instances[] = {7, 5, 2}, learners[] = {3, 1, 2}, horizons[] = {1200, 90, 3000};
    assert_int_equal(e.panel_count, 3);
    assert_int_equal(e.cells, 6);
    assert_int_equal(e.all.instances, 14);
    assert_int_equal(e.all.runs, 21 + 5 + 4);
    assert_true(e.all.steps == 21 * 1200.0 + 5 * 90.0 + 4 * 3000.0);
    double seconds = 0.0;
    for (int32_t p = 0; p < 3; p++) {
        const exp_load *load = &e.panels[p];
        assert_int_equal(load->instances, instances[p]);
        assert_int_equal(load->runs, instances[p] * learners[p]);
        assert_true(load->steps == (double)(load->runs * horizons[p]));
        assert_true(load->seconds > 0.0 && load->seconds <= e.longest);
        assert_between((double)load->sampled, 1, (double)horizons[p]);
        seconds += (double)load->instances * load->seconds;
    }
    assert_close(e.all.seconds, seconds, 1e-9 * seconds);
    // exact values are never cut
    assert_int_equal(e.panels[1].sampled, 90);
    exp_estimation_free(&e);

    asked.asked.quick = true;
    e = estimate(&asked, 0.0);
    assert_int_equal(e.all.instances, 6);
    exp_estimation_free(&e);
    asked.asked.replicates = 100;
    e = estimate(&asked, 0.0);
    assert_int_equal(e.all.instances, 300);
    exp_estimation_free(&e);
}

// Journals to the byte, tables about; parts have all units between them.
static void test_bytes_are_those_of_a_run(void **state)
{
    (void)state;
    exp_reproduction asked = ask(&small);
    exp_session session;
    lgkt_error error = {0};
    for (int keep = 0; keep < 2; keep++) {
        asked.keep_runs = keep == 1;
        asked.folder = NULL;
        exp_estimation e = estimate(&asked, 0.0);
        asked.folder = folders_in(keep == 1 ? "kept" : "whole");
        assert_ok(exp_reproduce(&asked, &session, &error), error);
        assert_int_equal(e.all.journal, file_size(asked.folder, "journal.bin"));
        double tables = 0;
        const char *const files[] = {"curves.csv", "pairs.csv", "summary.csv", "manifest.json",
                                     "runs.csv"}; // which exact values have in any case
        for (int i = 0; i < COUNT(files); i++)
            tables += (double)file_size(asked.folder, files[i]);
        assert_between(e.tables / tables, 0.6, 1.5);
        exp_estimation_free(&e);
    }

    const exp_estimation whole = estimate(&asked, 0.0);
    int64_t instances = 0, runs = 0, records = 0;
    for (int64_t part = 0; part < 9; part++) {
        asked.shard = (exp_shard){part, 9};
        asked.folder = NULL;
        exp_estimation e = estimate(&asked, 0.0);
        asked.folder = folders_in("parts");
        assert_ok(exp_reproduce(&asked, &session, &error), error);
        char name[64];
        snprintf(name, sizeof name, "journal-%d-of-9.bin", (int)part + 1);
        assert_int_equal(e.all.journal, file_size(asked.folder, name));
        assert_int_equal(e.all.instances, session.instances);
        assert_true(e.tables == 0.0);
        for (int32_t p = 0; p < e.panel_count; p++) {
            assert_true((e.panels[p].instances > 0) == (e.panels[p].sampled > 0));
            records += e.panels[p].journal;
        }
        instances += e.all.instances;
        runs += e.all.runs;
        exp_estimation_free(&e);
    }
    assert_int_equal(instances, whole.all.instances);
    assert_int_equal(runs, whole.all.runs);
    for (int32_t p = 0; p < whole.panel_count; p++)
        records -= whole.panels[p].journal;
    assert_int_equal(records, 0);
    exp_estimation free_it = whole;
    exp_estimation_free(&free_it);
}

// ---- seconds ----

static exp_experiment one_panel(exp_panel *panel, int64_t horizon)
{
    *panel = panels[0];
    panel->horizon = horizon;
    panel->entries = few + 1;
    panel->entry_count = 1;
    return (exp_experiment){.name = "one", .panels = panel, .panel_count = 1};
}

// What is played to its end needs no guess; beyond it, ten times the steps take longer, about ten
// times as long where nothing else runs. The bounds are far off, since a busy machine is no mistake.
static void test_longer_takes_longer(void **state)
{
    (void)state;
    exp_panel panel;
    exp_experiment experiment = one_panel(&panel, 2000);
    exp_reproduction asked = ask(&experiment);
    exp_estimation e = estimate(&asked, 0.3);
    assert_true(e.whole);
    assert_int_equal(e.panels[0].sampled, 2000);
    exp_estimation_free(&e);

    double seconds[2];
    for (int i = 0; i < 2; i++) {
        panel.horizon = i == 0 ? 200000000 : 2000000000;
        e = estimate(&asked, 0.05);
        assert_false(e.whole);
        assert_between((double)e.panels[0].sampled, 65, 0.2 * (double)panel.horizon);
        seconds[i] = e.panels[0].seconds;
        exp_estimation_free(&e);
    }
    assert_between(seconds[1] / seconds[0], 1.0, 1000.0);
    // a step of uniform play: a few nanoseconds on a fast machine, some hundred in a slow test
    assert_between(1e9 * seconds[1] / 2e9, 1.0, 20000.0);
}

// Making a large world and its optimum is no step, even where there is time for one sample only:
// milliseconds, which would be some hundred thousand nanoseconds for each of its 64 steps.
static void test_what_is_around_steps(void **state)
{
    (void)state;
    exp_panel panel;
    const exp_experiment experiment = one_panel(&panel, 1000000000);
    const exp_reproduction asked = ask(&experiment);
    panel.env = "synthetic:states=150,actions=10";
    exp_estimation e = estimate(&asked, 0.0);
    assert_int_equal(e.panels[0].sampled, 64);
    assert_between(1e9 * e.panels[0].seconds / 1e9, 1.0, 100000.0);
    exp_estimation_free(&e);
}

// ---- what goes wrong ----

typedef struct stubborn {
    io_files files;
    int reads;
} stubborn;

// Refuses all readings but the first and those from the fourth on.
static lgkt_status read_sometimes(const io_files *files, const char *before, const char *spec,
                                  io_data *data, lgkt_error *error)
{
    stubborn *s = (stubborn *)files;
    s->reads++;
    if (s->reads > 1 && s->reads < 4) {
        *data = (io_data){0};
        return LGKT_ERR_IO;
    }
    return io_true_files.read(files, before, spec, data, error);
}

static void test_horizons_that_are_refused(void **state)
{
    (void)state;
    exp_panel panel;
    const exp_experiment experiment = one_panel(&panel, 1000000000);
    exp_reproduction asked = ask(&experiment);
    stubborn s = {.files = {.read = read_sometimes}};
    asked.asked.files = &s.files;
    exp_estimation e = estimate(&asked, 0.0);
    assert_int_equal(s.reads, 4);
    assert_int_equal(e.panels[0].sampled, 4 * 64);
    exp_estimation_free(&e);

    panel.env = "nowhere";
    lgkt_error error = {0};
    assert_refused(exp_estimation_make(&e, &asked, 0.0, 1.0, &error), LGKT_ERR_UNKNOWN_NAME, error,
                   "nowhere");
    exp_estimation_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_by_hand),
        cmocka_unit_test(test_bytes_are_those_of_a_run),
        cmocka_unit_test(test_longer_takes_longer),
        cmocka_unit_test(test_what_is_around_steps),
        cmocka_unit_test(test_horizons_that_are_refused),
    };
    return cmocka_run_group_tests(tests, folders_make, folders_remove);
}
