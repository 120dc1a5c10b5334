// SPDX-License-Identifier: MIT
// labels: threads slow
// The engine: the same bytes for any count of threads and after any cut, numbers as the runner and
// the planner have them, folders of others left alone.
#include "test.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/number.h"
#include "experiments/runner/play.h"
#include "experiments/runner/store.h"
#include "experiments/runner/runner.h"
#include "experiments/runner/tables.h"
#include "io/plain/io_folder.h"
#include "ref/folders.h"
#include "ref/paired.h"
#include "ref/panel_run.h"

#define COUNT(array) (int32_t)(sizeof array / sizeof *array)

// ---- a small experiment with one panel of every kind ----

static const exp_measure average = {EXP_MEASURE_AVERAGE, "average", NULL};
static const exp_measure cumulative = {EXP_MEASURE_CUMULATIVE, "cumulative", NULL};
static const exp_measure to_threshold = {EXP_MEASURE_REGRET, "regret", NULL};
static const exp_measure exact_ratio = {EXP_MEASURE_RATIO, "ratio", NULL};
static const int64_t usual[] = {100, 1000, 5000, 10000, 100000};

// what a file means by one measure and nothing else
#define MEASURED(measure_)                                                                         \
    .measures = &measure_, .measure_count = 1, .compare = usual, .compare_count = COUNT(usual)

static const exp_entry few[] = {
    {.label = "Look, one", .spec = "lg1t"},
    {.label = "Look \"two\"", .spec = "lg2t:threshold=0.9"},
    {.label = "Best", .spec = "optimal", .oracle = true},
    {.label = "Any", .spec = "random"},
};
static const exp_entry depths[] = {{.label = "K=1", .spec = "kstep:k=1", .oracle = true},
                                   {.label = "K=2", .spec = "kstep:k=2", .oracle = true}};
static const exp_entry growth[] = {{.label = "LG1T", .spec = "lg1t:threshold=0.5"},
                                   {.label = "Random", .spec = "random"}};
static const exp_entry traders[] = {{.label = "LG1T", .spec = "lg1t"},
                                    {.label = "Random", .spec = "random"}};

static const exp_panel panels[] = {
    {.name = "worlds",
     .env = "synthetic:states=4,actions=3",
     .horizon = 1200,
     .instances = 7,
     .quick_instances = 3,
     MEASURED(average),
     .entries = few,
     .entry_count = 4},
    {.name = "river",
     .env = "riverswim:states=5",
     .horizon = 150,
     .instances = 4,
     .quick_instances = 2,
     MEASURED(average),
     .entries = few,
     .entry_count = 4},
    {.name = "exact",
     .env = "synthetic:states=4,actions=3",
     .horizon = 90,
     .instances = 5,
     .quick_instances = 2,
     MEASURED(exact_ratio),
     .entries = depths,
     .entry_count = 2},
    {.name = "growth",
     .env = "gap",
     .horizon = 700,
     .instances = 3,
     .quick_instances = 2,
     MEASURED(to_threshold),
     .regret_k = 1,
     .regret_threshold = 0.5,
     .times = EXP_TIMES_LOG,
     .entries = growth,
     .entry_count = 2},
    {.name = "market",
     .env = "trading",
     .horizon = 600,
     .instances = 3,
     .quick_instances = 2,
     MEASURED(cumulative),
     .entries = traders,
     .entry_count = 2},
};
static const exp_experiment small = {.name = "small",
                                     .file = "small.json",
                                     .title = "A small one",
                                     .place = "nowhere",
                                     .panels = panels,
                                     .panel_count = COUNT(panels)};
enum { ALL = 22, QUICK = 11 };

static const char *const FILES[] = {"curves.csv", "summary.csv", "pairs.csv", "runs.csv",
                                    "manifest.json"};

// ---- sessions ----

static exp_reproduction ask(const char *folder)
{
    return (exp_reproduction){.asked = {.experiment = &small, .seed = 3, .files = &io_true_files},
                              .folder = folder,
                              .how.jobs = 2,
                              .keep_runs = true};
}

static exp_session run(const exp_reproduction *asked)
{
    exp_session session = {0};
    lgkt_error error = {0};
    assert_ok(exp_reproduce(asked, &session, &error), error);
    return session;
}

// the folder that the others are compared with, made once
static const char *reference(void)
{
    static char path[64];
    if (path[0] == '\0') {
        snprintf(path, sizeof path, "%s/reference", folders_root());
        const exp_reproduction asked = ask(path);
        assert_true(run(&asked).complete);
    }
    return path;
}

// ---- numbers in files ----

// the line of a CSV that begins with these fields, without them
static void find_row(const char *file, const char *begin, char row[512])
{
    char *text = folders_read(reference(), file, NULL);
    const char *line = text;
    while (line != NULL && strncmp(line, begin, strlen(begin)) != 0)
        line = strchr(line, '\n') != NULL ? strchr(line, '\n') + 1 : NULL;
    if (line == NULL)
        fail_msg("%s: no row %s", file, begin);
    snprintf(row, 512, "%.*s", (int)(strcspn(line, "\n") - strlen(begin)), line + strlen(begin));
    free(text);
}

static void assert_row(const char *file, const char *begin, const char *rest)
{
    char row[512];
    find_row(file, begin, row);
    if (strcmp(row, rest) != 0)
        fail_msg("%s: %s\n  is       %s\n  expected %s", file, begin, row, rest);
}

// "mean,ci95" as the tables print them
static const char *show(exp_estimate value, char text[80])
{
    char mean[LGKT_NUMBER_SIZE], ci95[LGKT_NUMBER_SIZE];
    snprintf(text, 80, "%s,%s", lgkt_number_print(mean, value.mean),
             isnan(value.ci95) ? "" : lgkt_number_print(ci95, value.ci95));
    return text;
}

static void assert_value(const char *file, const char *begin, double mean, double ci95)
{
    char text[80];
    assert_row(file, begin, show((exp_estimate){mean, ci95}, text));
}

// the same panel by the runner
static run_result run_beside(const exp_panel *panel, const int64_t *times, int32_t count)
{
    const char *specs[8];
    for (int32_t l = 0; l < panel->entry_count; l++)
        specs[l] = panel->entries[l].spec;
    const run_setup setup = {.world.spec = panel->env,
                             .learners = specs,
                             .learner_count = panel->entry_count,
                             .horizon = panel->horizon,
                             .replicates = panel->instances,
                             .seed = 3,
                             .jobs = 1,
                             .checkpoints = times,
                             .checkpoint_count = count,
                             .measures = panel->measures,
                             .measure_count = panel->measure_count,
                             .regret_k = panel->regret_k,
                             .regret_threshold = panel->regret_threshold};
    run_result result = {0};
    lgkt_error error = {0};
    assert_ok(run_panel(&setup, &result, &error), error);
    return result;
}

// Mean and half width by the formulas, in two passes; 2.4469.. is Student's t for n = 7.
static exp_estimate naive_estimate(const double *x, const double *y)
{
    enum { N = 7 };
    double mean = 0.0, squares = 0.0;
    for (int i = 0; i < N; i++)
        mean += (x[i] - (y != NULL ? y[i] : 0.0)) / N;
    for (int i = 0; i < N; i++)
        squares += pow(x[i] - (y != NULL ? y[i] : 0.0) - mean, 2.0);
    return (exp_estimate){mean, 2.4469118511449692 * sqrt(squares / (N - 1) / N)};
}

// a row whose numbers are these, to rounding
static void assert_near(const char *file, const char *begin, exp_estimate value)
{
    char row[512];
    double mean, ci95;
    find_row(file, begin, row);
    assert_int_equal(sscanf(row, "%lf,%lf", &mean, &ci95), 2);
    assert_close(mean, value.mean, 1e-12);
    assert_close(ci95, value.ci95, 1e-12);
}

static void test_averages_are_those_of_the_runner(void **state)
{
    (void)state;
    const int64_t times[] = {1, 100, 1000, 1200}, n = 7;
    run_result result = run_beside(&panels[0], times, 4);
    char begin[64], text[80];
    for (int c = 0; c < 4; c++) {
        snprintf(begin, sizeof begin, "worlds,\"Look, one\",,average,%d,,7,", (int)times[c]);
        assert_row("curves.csv", begin, show(exp_curve_point(&result.reduction, 0, 0, c), text));
        assert_near("curves.csv", begin, naive_estimate(run_curve_row(&result, 0, 0, c), NULL));
    }
    for (int c = 1; c < 4; c++) {
        snprintf(begin, sizeof begin, "worlds,\"Look, one\",Any,average,%d,,7,", (int)times[c]);
        assert_near(
            "pairs.csv", begin,
            naive_estimate(run_curve_row(&result, 0, 0, c), run_curve_row(&result, 0, 3, c)));
    }
#define TWO "worlds,\"Look \"\"two\"\"\",,"
    const exp_summary two = exp_summarize(&result.reduction, 1);
    double last[7];
    memcpy(last, run_curve_row(&result, 0, 1, 3), sizeof last);
    const exp_spread spread = exp_spread_of(last, n, false);
    assert_value("summary.csv", TWO "average,1200,,7,", two.reward.mean, two.reward.ci95);
    assert_value("summary.csv", TWO "reward,1200,,7,", two.reward.mean, two.reward.ci95);
    assert_near("summary.csv", TWO "observed,1200,,7,", naive_estimate(result.observed + n, NULL));
    assert_value("summary.csv", TWO "score,1200,,7,", two.score, NAN);
    assert_value("summary.csv", TWO "share,1200,,7,", two.share, NAN);
    assert_value("summary.csv", TWO "median,1200,,7,", spread.median, NAN);
    assert_value("summary.csv", TWO "worst_tenth,1200,,7,", spread.worst, NAN);
    assert_near("summary.csv", "worlds,,,optimum,1200,,7,", naive_estimate(result.optimum, NULL));
    assert_near("summary.csv", "worlds,,,random,1200,,7,", naive_estimate(result.random, NULL));
    run_result_free(&result);
}

static void test_regret_is_that_of_the_runner(void **state)
{
    (void)state;
    const int64_t times[] = {100, 700};
    run_result result = run_beside(&panels[3], times, 2);
    char text[80], row[512];
    assert_row("curves.csv", "growth,Random,,regret,100,,3,",
               show(exp_curve_point(&result.reduction, 0, 1, 0), text));
    assert_row("summary.csv", "growth,Random,,regret,700,,3,",
               show(exp_curve_point(&result.reduction, 0, 1, 1), text));
    const double *last = run_curve_row(&result, 0, 0, 1);
    assert_row("pairs.csv", "growth,LG1T,Random,regret,700,,3,",
               show(exp_estimate_of(
                        &result.reduction,
                        paired_moments(last, run_curve_row(&result, 0, 1, 1), panels[3].instances)),
                    text));
    // the worst of three is the highest
    find_row("summary.csv", "growth,LG1T,,worst_tenth,700,,3,", row);
    assert_close(strtod(row, NULL), fmax(last[0], fmax(last[1], last[2])), 1e-9);
    run_result_free(&result);
}

static void test_trading_sums_what_was_observed(void **state)
{
    (void)state;
    const int64_t times[] = {600}, n = 3;
    run_result result = run_beside(&panels[4], times, 1);
    char row[512];
    find_row("summary.csv", "market,LG1T,,cumulative,600,,3,", row);
    const double mean = 600.0 * exp_moments_of(result.observed, n).mean;
    assert_close(strtod(row, NULL), mean, 1e-9 * fabs(mean));
    // no model, no share
    char *text = folders_read(reference(), "summary.csv", NULL);
    assert_null(strstr(text, "market,LG1T,,share"));
    assert_null(strstr(text, "market,LG1T,,score"));
    assert_null(strstr(text, "market,,,optimum"));
    free(text);
    run_result_free(&result);
}

// K-step greedy by the planner
static void plan_ratio(int64_t instance, int64_t k, double *ratio, double *bound)
{
    lgkt_env *env = NULL;
    lgkt_policy *policy = NULL;
    lgkt_error error = {0};
    assert_ok(exp_env_create(&(exp_world){.spec = panels[2].env}, 3, instance, &env, &error),
              error);
    assert_ok(lgkt_policy_greedy(lgkt_env_model(env), k, 90, LGKT_TIES_LOW, NULL, &policy, &error),
              error);
    assert_ok(lgkt_policy_ratio(policy, NULL, ratio, &error), error);
    assert_ok(lgkt_plan_gap_bound(policy, k, NULL, bound, &error), error);
    lgkt_policy_destroy(policy);
    lgkt_env_destroy(env);
}

static void test_ratios_are_those_of_the_planner(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        for (int k = 1; k <= 2; k++) {
            char begin[64], row[512];
            double ratio, bound;
            plan_ratio(i, k, &ratio, &bound);
            static const char *const words[] = {"ratio", "reward",   "gap",
                                                "bound", "distance", "score"};
            double v[COUNT(words)], optimum, random;
            for (int w = 0; w < COUNT(words); w++) {
                snprintf(begin, sizeof begin, "exact,K=%d,,%s,90,%d,1,", k, words[w], i);
                find_row("runs.csv", begin, row);
                v[w] = strtod(row, NULL);
            }
            snprintf(begin, sizeof begin, "exact,,,optimum,90,%d,1,", i);
            find_row("runs.csv", begin, row);
            optimum = strtod(row, NULL);
            snprintf(begin, sizeof begin, "exact,,,random,90,%d,1,", i);
            find_row("runs.csv", begin, row);
            random = strtod(row, NULL);
            assert_true(random < optimum);
            assert_close(v[5], 100 * (v[1] - random) / (optimum - random), 1e-9);
            assert_close(v[0], ratio, 1e-12);
            assert_close(v[1] / optimum, ratio, 1e-12);
            assert_close(v[2], optimum - v[1], 1e-12);
            assert_close(v[3], bound / 90.0, 1e-12 * bound);
            // Theorem 3.5 holds for greedy policies and rewards >= 0
            assert_between(v[2], -1e-12, v[3] + 1e-12);
            assert_between(v[4], 0.0, 2.0);
        }
    }
}

static void test_runs_agree_with_the_summary(void **state)
{
    (void)state;
    exp_moments values = {0};
    char begin[64], row[512];
    for (int i = 0; i < 4; i++) {
        snprintf(begin, sizeof begin, "river,Any,,average,150,%d,1,", i);
        find_row("runs.csv", begin, row);
        exp_moments_add(&values, strtod(row, NULL));
    }
    assert_value("summary.csv", "river,Any,,average,150,,4,", values.mean,
                 exp_interval_factor(values.n) * exp_moments_sd(&values));
}

// one header, and a manifest that knows all files
static void test_the_manifest_knows_the_files(void **state)
{
    (void)state;
    const char *head = "panel,learner,other,measure,t,instance,n,mean,ci95\n";
    char *manifest = folders_read(reference(), "manifest.json", NULL);
    for (int i = 0; i < 4; i++) {
        size_t size, rows = 0;
        char *text = folders_read(reference(), FILES[i], &size), line[128];
        assert_memory_equal(text, head, strlen(head));
        for (size_t at = 0; at < size; at++)
            rows += text[at] == '\n';
        snprintf(line, sizeof line, "\"%s\": {\"rows\": %zu, \"hash\": \"fnv1a64:%016llx\"}",
                 FILES[i], rows - 1,
                 (unsigned long long)lgkt_hash_bytes(LGKT_HASH_START, text, size));
        if (strstr(manifest, line) == NULL)
            fail_msg("the manifest has no %s", line);
        free(text);
    }
    assert_non_null(strstr(manifest, "\"format\": 2,"));
    assert_non_null(strstr(manifest, "\"compare\": [100, 1000, 1200],"));
    assert_non_null(strstr(manifest, "\"regret\": {\"k\": 1, \"threshold\": 0.5},"));
    free(manifest);
}

// several measures in one panel, through the journal; a counter that one learner has not is empty
static void test_several_measures(void **state)
{
    (void)state;
    const exp_measure measures[] = {{EXP_MEASURE_EVENT, "event:falls", "falls"},
                                    average,
                                    {EXP_MEASURE_COUNTER, "counter:runs", "runs"}};
    const exp_event event = {"falls", "frozenlake:reward-goal=0,reward-hole=1,reward-frozen=0"};
    const exp_entry entries[] = {{.label = "LG2T", .spec = "lg2t"},
                                 {.label = "Any", .spec = "random"}};
    const int64_t times[] = {40, 300};
    const exp_panel lake = {.name = "lake",
                            .env = "frozenlake",
                            .horizon = 300,
                            .instances = 7,
                            .measures = measures,
                            .measure_count = 3,
                            .events = &event,
                            .event_count = 1,
                            .times = EXP_TIMES_GIVEN,
                            .given_times = times,
                            .given_count = 1,
                            .entries = entries,
                            .entry_count = 2};
    const exp_experiment one = {.name = "lake", .panels = &lake, .panel_count = 1};
    exp_reproduction asked = ask(folders_in("lake"));
    asked.asked.experiment = &one;
    assert_true(run(&asked).complete);
    const exp_world events[] = {{.spec = event.env}, {0}, {0}};
    const char *const specs[] = {"lg2t", "random"};
    const run_setup setup = {.world.spec = "frozenlake",
                             .learners = specs,
                             .learner_count = 2,
                             .horizon = 300,
                             .replicates = 7,
                             .seed = 3,
                             .jobs = 2,
                             .checkpoints = times,
                             .checkpoint_count = 2,
                             .measures = measures,
                             .measure_count = 3,
                             .events = events};
    run_result result = {0};
    lgkt_error error = {0};
    assert_ok(run_panel(&setup, &result, &error), error);
    size_t size;
    char *curves = folders_read(asked.folder, "curves.csv", &size);
    const char *at = strchr(curves, '\n') + 1;
    for (int l = 0; l < 2; l++)
        for (int m = 0; m < 3; m++)
            for (int c = 0; c < 2; c++) {
                char line[160], text[80];
                const exp_estimate value = exp_curve_point(&result.reduction, m, l, c);
                snprintf(line, sizeof line, "lake,%s,,%s,%d,,7,%s\n", entries[l].label,
                         measures[m].word, (int)times[c],
                         isnan(value.mean) ? "," : show(value, text));
                assert_memory_equal(at, line, strlen(line));
                at += strlen(line);
            }
    assert_string_equal(at, "");
    assert_true(isnan(exp_curve_point(&result.reduction, 2, 1, 1).mean));
    free(curves);
    run_result_free(&result);
}

// ---- the same bytes ----

static void test_any_count_of_threads(void **state)
{
    (void)state;
    const int32_t jobs[] = {1, 7, 40};
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "jobs-%d", jobs[i]);
        exp_reproduction asked = ask(folders_in(name));
        asked.how.jobs = jobs[i];
        const exp_session session = run(&asked);
        assert_true(session.complete);
        assert_int_equal(session.instances, ALL);
        assert_int_equal(session.done, ALL);
        assert_int_equal(session.found, 0);
        folders_same(reference(), asked.folder);
    }
}

// as a kill would leave it: the beginning of a journal, no results, and a file half written
static void test_going_on_from_any_cut(void **state)
{
    (void)state;
    size_t size;
    char *journal = folders_read(reference(), "journal.bin", &size);
    const char *folder = folders_in("cut");
    lgkt_rng rng = lgkt_rng_stream(1, "cut", 0);
    for (int i = 0; i < 12; i++) {
        const size_t cut = i == 0 ? 0 : (size_t)(lgkt_rng_uniform(&rng) * (double)(size + 1));
        folders_empty(folder);
        mkdir(folder, 0777);
        folders_write(folder, "journal.bin", journal, cut);
        folders_write(folder, "curves.csv.999999999.0.tmp", "panel,le", 8);
        const exp_reproduction asked = ask(folder);
        const exp_session session = run(&asked);
        assert_true(session.complete);
        assert_between((double)session.found, 0, ALL);
        folders_same(reference(), folder);
        assert_false(io_folder_has(folder, "curves.csv.999999999.0.tmp"));
    }
    free(journal);
}

static void stop_at(void *ctx, const exp_progress *progress)
{
    atomic_bool *stop = ctx;
    assert_non_null(progress->name);
    atomic_store(stop, progress->instances_done < progress->instances);
}

static void test_stopping_and_going_on(void **state)
{
    (void)state;
    atomic_bool stop = true;
    exp_reproduction asked = ask(folders_in("stop"));
    asked.how.stop = &stop;
    exp_session session = run(&asked);
    assert_false(session.complete);
    assert_int_equal(session.done, 0);
    assert_true(io_folder_has(asked.folder, "journal.bin"));
    assert_false(io_folder_has(asked.folder, "manifest.json"));

    // whatever is finished when the first report comes
    atomic_store(&stop, false);
    asked.how.progress = stop_at;
    asked.how.progress_ctx = &stop;
    session = run(&asked);
    const int64_t done = session.done;
    atomic_store(&stop, false);
    asked.how.progress = NULL;
    session = run(&asked);
    assert_int_equal(session.found, done);
    assert_true(session.complete);
    folders_same(reference(), asked.folder);
}

static void keep_last(void *ctx, const exp_progress *progress)
{
    *(exp_progress *)ctx = *progress;
}

// Progress counts what the session has to do and what it found, and nothing of other parts.
static void test_progress_of_a_part(void **state)
{
    (void)state;
    exp_progress last = {0};
    exp_reproduction asked = ask(folders_in("part"));
    asked.shard = (exp_shard){.part = 1, .parts = 3};
    asked.how.progress = keep_last;
    asked.how.progress_ctx = &last;
    for (int again = 0; again < 2; again++) {
        const exp_session session = run(&asked);
        assert_int_equal(session.found, again * session.instances);
        assert_int_equal(last.instances, session.instances);
        assert_int_equal(last.instances_done, session.instances);
        assert_true((last.steps > 0) == (again == 0));
    }
    assert_int_equal(last.instances, 7); // 1, 4, .. 19 of 22
}

static void test_a_finished_folder_stays_as_it_is(void **state)
{
    (void)state;
    const char *folder = folders_in("again");
    exp_reproduction asked = ask(folder);
    asked.keep_runs = false;
    run(&asked);
    // exact values are kept anyway
    assert_true(io_folder_has(folder, "runs.csv"));
    size_t before, after;
    free(folders_read(folder, "journal.bin", &before));
    asked.keep_runs = true;
    const exp_session session = run(&asked);
    assert_int_equal(session.found, ALL);
    free(folders_read(folder, "journal.bin", &after));
    assert_int_equal(before, after);
    folders_same(reference(), folder);
}

static void test_runs_are_kept_on_demand(void **state)
{
    (void)state;
    const exp_experiment one = {.name = "one",
                                .file = "one.json",
                                .title = "t",
                                .place = "p",
                                .panels = &panels[1],
                                .panel_count = 1};
    exp_reproduction asked = ask(folders_in("runs"));
    asked.asked.experiment = &one;
    asked.asked.quick = true;
    asked.keep_runs = false;
    assert_int_equal(run(&asked).instances, 2);
    assert_false(io_folder_has(asked.folder, "runs.csv"));
    asked.keep_runs = true;
    assert_int_equal(run(&asked).found, 2);
    assert_true(io_folder_has(asked.folder, "runs.csv"));
}

static void test_counts_of_instances(void **state)
{
    (void)state;
    exp_reproduction asked = ask("x");
    assert_int_equal(exp_asked_instances(&asked.asked, &panels[0]), 7);
    asked.asked.quick = true;
    assert_int_equal(exp_asked_instances(&asked.asked, &panels[0]), 3);
    asked.asked.replicates = 5;
    assert_int_equal(exp_asked_instances(&asked.asked, &panels[0]), 5);
}

// ---- folders of others ----

static void assert_left_alone(const exp_reproduction *asked, lgkt_status expected,
                              const char *words)
{
    lgkt_error error = {0};
    exp_session session = {0};
    size_t before, after;
    char *a = folders_read(asked->folder, "journal.bin", &before);
    assert_refused(exp_reproduce(asked, &session, &error), expected, error, words);
    char *b = folders_read(asked->folder, "journal.bin", &after);
    assert_int_equal(before, after);
    assert_memory_equal(a, b, before);
    free(a);
    free(b);
    assert_false(session.complete);
}

static void test_other_experiments_are_refused(void **state)
{
    (void)state;
    const char *folder = folders_in("mine");
    exp_reproduction asked = ask(folder);
    asked.asked.quick = true;
    assert_int_equal(run(&asked).instances, QUICK);

    exp_reproduction other = asked;
    other.asked.seed = 4;
    assert_left_alone(&other, LGKT_ERR_CONFIG, "made with \"seed 3\", not \"seed 4\"");
    other = asked;
    other.asked.quick = false;
    assert_left_alone(&other, LGKT_ERR_CONFIG, "made with \"instances 3\", not \"instances 7\"");
    other = asked;
    other.asked.replicates = 9;
    assert_left_alone(&other, LGKT_ERR_CONFIG, "not \"instances 9\"");
    exp_experiment renamed = small;
    renamed.name = "large";
    other = asked;
    other.asked.experiment = &renamed;
    assert_left_alone(&other, LGKT_ERR_CONFIG, "\"experiment small\", not \"experiment large\"");

    // one setting of one learner
    exp_panel changed[COUNT(panels)];
    memcpy(changed, panels, sizeof panels);
    const exp_entry others[] = {growth[0], {.label = "Random", .spec = "lg1t:threshold=0.6"}};
    changed[3].entries = others;
    const exp_experiment edited = {.name = "small",
                                   .file = "small.json",
                                   .title = "A small one",
                                   .place = "nowhere",
                                   .panels = changed,
                                   .panel_count = COUNT(changed)};
    other.asked.experiment = &edited;
    assert_left_alone(&other, LGKT_ERR_CONFIG,
                      "made with \"learner random\", not \"learner lg1t:threshold=0.6\"");
    // two measures, one learner less, other times
    const exp_measure more[] = {average, cumulative};
    memcpy(changed, panels, sizeof panels);
    changed[1].measures = more;
    changed[1].measure_count = 2;
    assert_left_alone(&other, LGKT_ERR_CONFIG, "not \"measure cumulative\"");
    memcpy(changed, panels, sizeof panels);
    changed[0].entry_count = 3;
    assert_left_alone(&other, LGKT_ERR_CONFIG, "made with \"learner random\", not \"times 1 2");
    memcpy(changed, panels, sizeof panels);
    changed[0].compare_count = 1;
    assert_left_alone(&other, LGKT_ERR_CONFIG, "made with \"times 1 2 3");
    // names that are only shown decide nothing
    const exp_entry dressed[] = {{.label = "A", .spec = few[0].spec, .group = "g"},
                                 {.label = "B", .spec = few[1].spec, .style.width = 2.0},
                                 {.label = "C", .spec = few[2].spec},
                                 {.label = "D", .spec = few[3].spec, .section = "s"}};
    memcpy(changed, panels, sizeof panels);
    changed[0].name = changed[0].title = "named anew";
    changed[0].entries = dressed;
    lgkt_error error = {0};
    exp_session session;
    assert_ok(exp_reproduce(&other, &session, &error), error);
    assert_int_equal(session.found, QUICK);
    assert_ok(exp_reproduce(&asked, &session, &error), error);

    // other prices
    char prices[6000], path[64];
    size_t used = (size_t)snprintf(prices, sizeof prices, "Close\n");
    for (int i = 0; i < 400; i++)
        used += (size_t)snprintf(prices + used, sizeof prices - used, "%.3f\n",
                                 1.0 + 0.001 * ((i * 37) % 101));
    folders_write(folders_root(), "my prices, old.csv", prices, used);
    snprintf(path, sizeof path, "%s/my prices, old.csv", folders_root());
    other = asked;
    other.asked.prices = path;
    assert_left_alone(&other, LGKT_ERR_CONFIG,
                      "\"prices random walk\", not \"prices my prices, old.csv ");
    other.folder = folders_in("priced");
    run(&other);
    char *manifest = folders_read(other.folder, "manifest.json", NULL);
    assert_non_null(strstr(manifest, "\"note\": \"prices of my prices, old.csv\""));
    assert_null(strstr(manifest, folders_root()));
    free(manifest);
    manifest = folders_read(folder, "manifest.json", NULL);
    assert_non_null(strstr(manifest, "a generated random walk"));
    free(manifest);

    // not told the rewards
    memcpy(changed, panels, sizeof panels);
    other = asked;
    other.asked.experiment = &edited;
    changed[1].untold = true;
    assert_left_alone(&other, LGKT_ERR_CONFIG, "made with \"learner lg1t\", not \"untold lg1t\"");

    // two bytes of the last record changed
    size_t size;
    char *journal = folders_read(folder, "journal.bin", &size);
    journal[size - 30] ^= 1;
    journal[size - 31] ^= 1;
    folders_write(folder, "journal.bin", journal, size);
    free(journal);
    assert_left_alone(&asked, LGKT_ERR_FORMAT, "damaged at byte");

    // a folder of its own, which takes the place of the first one's name
    other.folder = folders_in("untold");
    run(&other);
    char *untold = folders_read(other.folder, "manifest.json", NULL);
    assert_non_null(strstr(untold, "\"untold\": true"));
    assert_non_null(strstr(untold, "\"untold\": \"needs no range\""));
    free(untold);
}

// what a model file holds decides the records, not its name
// a journal of a build that computes other numbers, with its checks right
static void test_other_numbers_are_refused(void **state)
{
    (void)state;
    const char *folder = folders_in("numbers");
    exp_reproduction asked = ask(folder);
    asked.asked.quick = true;
    run(&asked);
    size_t size;
    char *bytes = folders_read(folder, "journal.bin", &size);
    const size_t first = (size_t)lgkt_get_u64((unsigned char *)bytes);
    char ours[32], both[96];
    snprintf(ours, sizeof ours, "numbers %d", LGKT_NUMBERS);
    strstr(bytes + 16, ours)[strlen("numbers ")] = '7';
    lgkt_put_u64((unsigned char *)bytes + 16 + first,
                 lgkt_hash_bytes(LGKT_HASH_START, bytes, 16 + first));
    folders_write(folder, "journal.bin", bytes, size);
    free(bytes);
    snprintf(both, sizeof both, "made with \"numbers 7%s\", not \"%s\"", ours + 9, ours);
    assert_left_alone(&asked, LGKT_ERR_CONFIG, both);
}

static void test_an_edited_model_is_refused(void **state)
{
    (void)state;
    char model[] = "{\"states\": 1, \"actions\": 2, \"start\": 0, \"noise\": {\"kind\": \"none\"},"
                   " \"rewards\": [[1, 0]],"
                   " \"transitions\": [[[1], [1]]]}";
    exp_panel panel = panels[1];
    char folder[64];
    snprintf(folder, sizeof folder, "%s/", folders_root());
    panel.env = "model:file=own.json";
    const exp_experiment one = {
        .name = "own", .folder = folder, .file = "own.json", .panels = &panel, .panel_count = 1};
    exp_reproduction asked = ask(folders_in("own"));
    asked.asked.experiment = &one;
    folders_write(folders_root(), "own.json", model, strlen(model));
    assert_true(run(&asked).complete);
    *strstr(model, "[[1, 0]]") = ' ';
    memcpy(strstr(model, "[1, 0]]"), "[[2,0]]", 7);
    folders_write(folders_root(), "own.json", model, strlen(model));
    assert_left_alone(&asked, LGKT_ERR_CONFIG, "made with \"data ");
}

static void test_results_without_journal_are_not_replaced(void **state)
{
    (void)state;
    const char *folder = folders_in("published");
    mkdir(folder, 0777);
    folders_write(folder, "summary.csv", "precious\n", 9);
    const exp_reproduction asked = ask(folder);
    lgkt_error error = {0};
    exp_session session;
    assert_refused(exp_reproduce(&asked, &session, &error), LGKT_ERR_CONFIG, error,
                   "holds summary.csv without a journal");
    char *text = folders_read(folder, "summary.csv", NULL);
    assert_string_equal(text, "precious\n");
    free(text);
    assert_false(io_folder_has(folder, "journal.bin"));
}

static void test_folders_that_cannot_be(void **state)
{
    (void)state;
    lgkt_error error = {0};
    exp_session session;
    exp_reproduction asked = ask("/dev/null/x");
    assert_refused(exp_reproduce(&asked, &session, &error), LGKT_ERR_NO_FILE, error, "/dev/null");
    asked.folder = "";
    assert_refused(exp_reproduce(&asked, &session, &error), LGKT_ERR_NO_FILE, error,
                   "No such file");
    // deep ones are made
    const char *deep = folders_in("a/b//c");
    assert_ok(io_folder_make(deep, &error), error);
    assert_ok(io_folder_make(deep, &error), error);
    assert_true(io_folder_has(folders_root(), "a/b/c"));
    assert_ok(io_folder_sync(deep, &error), error);
    assert_refused(io_folder_sync("/nowhere", &error), LGKT_ERR_NO_FILE, error, "No such file");
}

static void test_bad_panels_are_refused(void **state)
{
    (void)state;
    lgkt_error error = {0};
    exp_session session;
    const exp_entry unknown[] = {{.label = "X", .spec = "no-such-learner"}};
    const struct {
        exp_panel panel;
        lgkt_status status;
        const char *words;
    } cases[] = {
        {{.name = "p",
          .env = "gap",
          .horizon = 100,
          .instances = 1,
          .quick_instances = 1,
          MEASURED(average),
          .entries = unknown,
          .entry_count = 1},
         LGKT_ERR_UNKNOWN_NAME,
         "no-such-learner"},
        {{.name = "p",
          .env = "nowhere",
          .horizon = 100,
          .instances = 1,
          .quick_instances = 1,
          MEASURED(average),
          .entries = few,
          .entry_count = 4},
         LGKT_ERR_UNKNOWN_NAME,
         "nowhere"},
        {{.name = "p",
          .env = "gap",
          .horizon = 0,
          .instances = 1,
          .quick_instances = 1,
          MEASURED(average),
          .entries = few,
          .entry_count = 4},
         LGKT_ERR_ARGUMENT,
         "horizon"},
        {{.name = "p",
          .env = "trading",
          .horizon = 100,
          .instances = 1,
          .quick_instances = 1,
          MEASURED(to_threshold),
          .regret_k = 1,
          .regret_threshold = 0.5,
          .times = EXP_TIMES_LOG,
          .entries = traders,
          .entry_count = 2},
         LGKT_ERR_UNSUPPORTED,
         "there is a model"},
        {{.name = "p",
          .env = "trading",
          .horizon = 100,
          .instances = 1,
          .quick_instances = 1,
          MEASURED(exact_ratio),
          .entries = depths,
          .entry_count = 2},
         LGKT_ERR_CONFIG,
         "bad.json: panels[0].learners: \"K=1\": "},
        {{.name = "p",
          .env = "gap",
          .horizon = 100,
          .instances = 1,
          .quick_instances = 1,
          MEASURED(exact_ratio),
          .entries = traders,
          .entry_count = 2},
         LGKT_ERR_UNSUPPORTED,
         "panels[0].learners: \"LG1T\": ratio"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        const exp_experiment bad = {.name = "bad",
                                    .file = "bad.json",
                                    .title = "t",
                                    .place = "p",
                                    .panels = &cases[i].panel,
                                    .panel_count = 1};
        char name[16];
        snprintf(name, sizeof name, "bad-%d", i);
        exp_reproduction asked = ask(folders_in(name));
        asked.asked.experiment = &bad;
        assert_refused(exp_reproduce(&asked, &session, &error), cases[i].status, error,
                       cases[i].words);
        assert_false(io_folder_has(asked.folder, "manifest.json"));
    }
    exp_reproduction asked = ask(folders_in("bad"));
    asked.asked.prices = "/nowhere.csv";
    assert_refused(exp_reproduce(&asked, &session, &error), LGKT_ERR_NO_FILE, error,
                   "No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_averages_are_those_of_the_runner),
        cmocka_unit_test(test_regret_is_that_of_the_runner),
        cmocka_unit_test(test_trading_sums_what_was_observed),
        cmocka_unit_test(test_ratios_are_those_of_the_planner),
        cmocka_unit_test(test_runs_agree_with_the_summary),
        cmocka_unit_test(test_the_manifest_knows_the_files),
        cmocka_unit_test(test_several_measures),
        cmocka_unit_test(test_other_numbers_are_refused),
        cmocka_unit_test(test_an_edited_model_is_refused),
        cmocka_unit_test(test_any_count_of_threads),
        cmocka_unit_test(test_going_on_from_any_cut),
        cmocka_unit_test(test_stopping_and_going_on),
        cmocka_unit_test(test_progress_of_a_part),
        cmocka_unit_test(test_a_finished_folder_stays_as_it_is),
        cmocka_unit_test(test_runs_are_kept_on_demand),
        cmocka_unit_test(test_counts_of_instances),
        cmocka_unit_test(test_other_experiments_are_refused),
        cmocka_unit_test(test_results_without_journal_are_not_replaced),
        cmocka_unit_test(test_folders_that_cannot_be),
        cmocka_unit_test(test_bad_panels_are_refused),
    };
    return cmocka_run_group_tests(tests, folders_make, folders_remove);
}
