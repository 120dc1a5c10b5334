// SPDX-License-Identifier: MIT
// lgkt run: learners side by side on many instances of an environment. lgkt demo: the same on
// built-in settings, in a few seconds, told in sentences.
//
// It is an experiment of one panel without a journal. A number goes from the steps of a run
// (play_run in instance.c) into the outcome of an instance, from there into means (reduction.h),
// and as an exp_summary into the table.
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "core/number.h"
#include "core/text.h"
#include "experiments/runner/store.h"
#include "experiments/runner/tables.h"
#include "io/plain/io_folder.h"

// ---- tables ----

// One row per learner, then the optimum and uniform play; with regret in a table of its own.
static lgkt_status print_means(const exp_reduction *reduction, lgkt_error *error)
{
    const exp_panel *panel = reduction->setup->panel;
    double largest = 0.0;
    for (int32_t l = 0; l < panel->entry_count; l++)
        largest = fmax(largest, fabs(exp_summarize(reduction, l).reward.mean));
    // four decimals, unless rewards are far from 1
    const bool near = largest >= 0.01 && largest < 1e6;
    io_memory table = {0};
    io_memory_print(&table, "learner\tmean reward\t+- 95%%\tmedian\tworst tenth\tscore\tshare\t"
                            "steps/s\n");
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const exp_summary summary = exp_summarize(reduction, l);
        const double speed = summary.steps_per_second;
        io_memory_print(&table,
                        near ? "%s\t%.4f\t%.4f\t%.4f\t%.4f\t" : "%s\t%#.5g\t%#.5g\t%#.5g\t%#.5g\t",
                        panel->entries[l].label, summary.reward.mean, summary.reward.ci95,
                        summary.spread.median, summary.spread.worst);
        io_memory_print(&table, speed >= 1e5 ? "%.1f\t%.1f%%\t%.1f M\n" : "%.1f\t%.1f%%\t%.0f\n",
                        summary.score, 100.0 * summary.share, speed >= 1e5 ? 1e-6 * speed : speed);
    }
    LGKT_TRY(cli_table_print(&table, "lrrrrrrr", error));
    if (isnan(reduction->optimum.mean))
        printf("optimum: not known, there is no model\n");
    else
        printf(near ? "optimum: %.4f per step with full knowledge, exact (score 100)\n"
                      "uniform: %.4f per step with random actions, exact (score 0)\n"
                    : "optimum: %#.5g per step with full knowledge, exact (score 100)\n"
                      "uniform: %#.5g per step with random actions, exact (score 0)\n",
               reduction->optimum.mean, reduction->random.mean);
    if (reduction->setup->regret_k == 0)
        return LGKT_OK;

    putchar('\n');
    io_memory_print(&table, "learner\tthreshold regret\t+- 95%%\toptimum regret\t+- 95%%\n");
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const exp_summary summary = exp_summarize(reduction, l);
        io_memory_print(&table, "%s\t%.1f\t%.1f\t%.1f\t%.1f\n", panel->entries[l].label,
                        summary.threshold_regret.mean, summary.threshold_regret.ci95,
                        summary.optimum_regret.mean, summary.optimum_regret.ci95);
    }
    return cli_table_print(&table, "lrrrr", error);
}

// ---- JSON ----

// A number for each instance.
static void print_instances(io_json *json, const char *name, const double *values, int64_t count)
{
    io_json_open(json, name, IO_JSON_LIST);
    for (int64_t i = 0; i < count; i++)
        io_json_real(json, NULL, values[i]);
    io_json_close(json);
}

static void print_learner(io_json *json, const exp_setup *setup, const exp_result *result,
                          int32_t l)
{
    const exp_summary summary = exp_summarize(&result->reduction, l);
    const exp_entry_facts *facts = &result->reduction.facts.entries[l];
    const exp_arrays *arrays = &result->arrays;
    const int64_t n = setup->instances;
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_text(json, "spec", setup->panel->entries[l].spec);
    if (setup->panel->untold) {
        char untold[EXP_UNTOLD_SIZE];
        exp_untold_describe(facts->spec, untold);
        io_json_text(json, "untold", untold);
    }
    io_json_real(json, "mean_reward", summary.reward.mean);
    io_json_real(json, "ci95", summary.reward.ci95);
    io_json_real(json, "median_reward", summary.spread.median);
    io_json_real(json, "worst_tenth_reward", summary.spread.worst);
    io_json_real(json, "score", summary.score);
    io_json_real(json, "share", summary.share);
    io_json_real(json, "observed_reward", summary.observed.mean);
    if (setup->regret_k > 0) {
        io_json_real(json, "threshold_regret", summary.threshold_regret.mean);
        io_json_real(json, "threshold_regret_ci95", summary.threshold_regret.ci95);
        io_json_real(json, "optimum_regret", summary.optimum_regret.mean);
        io_json_real(json, "optimum_regret_ci95", summary.optimum_regret.ci95);
    }
    io_json_real(json, "seconds", summary.seconds);
    io_json_real(json, "steps_per_second", summary.steps_per_second);
    io_json_open(json, "counters", IO_JSON_RECORD);
    for (int32_t i = 0; i < facts->count; i++)
        io_json_real(json, facts->names[i], (double)facts->totals[i] / (double)n);
    io_json_close(json);
    io_json_open(json, "instances", IO_JSON_OBJECT);
    print_instances(json, "reward", arrays->reward + l * n, n);
    print_instances(json, "observed_reward", arrays->observed + l * n, n);
    if (setup->regret_k > 0)
        print_instances(json, "threshold_regret", arrays->regret + l * n, n);
    io_json_close(json);
    io_json_close(json);
}

static void print_json(const exp_setup *setup, const exp_result *result)
{
    const exp_panel *panel = setup->panel;
    io_json json = {.out = stdout};
    io_json_open(&json, NULL, IO_JSON_OBJECT);
    io_json_text(&json, "env", setup->env);
    io_json_text(&json, "note", result->reduction.facts.note);
    io_json_integer(&json, "horizon", panel->horizon);
    io_json_integer(&json, "replicates", setup->instances);
    io_json_unsigned(&json, "seed", setup->asked->seed);
    if (setup->regret_k > 0) {
        io_json_open(&json, "regret", IO_JSON_RECORD);
        io_json_integer(&json, "k", setup->regret_k);
        io_json_real(&json, "threshold", panel->regret_threshold);
        io_json_close(&json);
    }
    if (panel->untold)
        io_json_bool(&json, "untold", true);
    io_json_real(&json, "optimal_mean", result->reduction.optimum.mean);
    io_json_real(&json, "random_mean", result->reduction.random.mean);
    io_json_open(&json, "instances", IO_JSON_OBJECT);
    print_instances(&json, "optimal", result->arrays.optimum, setup->instances);
    print_instances(&json, "random", result->arrays.random, setup->instances);
    io_json_close(&json);
    io_json_open(&json, "learners", IO_JSON_ARRAY);
    for (int32_t l = 0; l < panel->entry_count; l++)
        print_learner(&json, setup, result, l);
    io_json_close(&json);
    io_json_close(&json);
}

// ---- files ----

// a folder that is there must be without results, and learners need names of their own
static lgkt_status check_folder(const cli_settings *s, lgkt_error *error)
{
    const char *found = exp_tables_found(s->out);
    if (found == NULL && io_folder_has(s->out, EXP_JOURNAL_NAME))
        found = EXP_JOURNAL_NAME;
    if (found != NULL)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "%s: holds %s; nothing was changed (use another --out)",
                         io_short_name(s->out), found);
    for (int i = 0; i < s->learners.count; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(s->learners.items[i], s->learners.items[j]) == 0)
                return lgkt_fail(
                    error, CLI_USAGE, "--out: two learners are %.*s, and rows go by that name",
                    (int)lgkt_text_fit(s->learners.items[i], 100), s->learners.items[i]);
    return LGKT_OK;
}

// ---- what demo tells ----

// Random worlds of 10 states and 5 actions, one run of 20000 steps each. Shown are the learners
// with one and two steps of lookahead, the same lookahead with the model known (kstep), the learner
// without settings (auto), the optimum, and chance. The text below the plot is made from the
// numbers of the run.
#define HORIZON 20000

// in the order in which they are drawn; the names are used by the sentences
enum { OPTIMAL, AUTO, KSTEP_2, KSTEP_1, LG1_2T, LG2T, LG1T, RANDOM, LEARNERS };
static const cli_texts learners = {
    {"optimal", "auto", "kstep:k=2", "kstep:k=1", "lg1-2t", "lg2t", "lg1t", "random"}, LEARNERS};

static double percent(const exp_reduction *reduction, int learner)
{
    return 100.0 * exp_summarize(reduction, learner).share;
}

// the share of its own final mean that a learner had at the first checkpoint from step t on
static double percent_by(const exp_reduction *reduction, int learner, int64_t t)
{
    int32_t c = 0;
    while (reduction->setup->checkpoints[c] < t)
        c++;
    return 100.0 * exp_curve_point(reduction, 0, learner, c).mean /
           exp_summarize(reduction, learner).reward.mean;
}

static void say(const char *format, ...) LGKT_PRINTF(1, 2);

static void say(const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cli_print_wrapped(text, 0, 0, 80);
}

static void print_sentences(const exp_reduction *reduction)
{
    const exp_estimate gain = exp_pair_point(reduction, 0, LG2T, LG1T); // at the end
    say("The best plan with full knowledge of the world earns %.2f per step, random actions %.2f "
        "(%.0f%% of it).",
        reduction->optimum.mean, exp_summarize(reduction, RANDOM).reward.mean,
        percent(reduction, RANDOM));
    say("One step of lookahead is worth %.0f%% of the optimum if the world is known (kstep:k=1), "
        "two steps %.0f%%.",
        percent(reduction, KSTEP_1), percent(reduction, KSTEP_2));
    say("Learned from nothing in one run of %d steps, one step gets %.0f%% (lg1t), two steps get "
        "%.0f%% (lg2t), and one first and two later %.0f%% (lg1-2t).",
        HORIZON, percent(reduction, LG1T), percent(reduction, LG2T), percent(reduction, LG1_2T));
    say("After 1000 steps lg1t was at %.0f%% of its final mean, lg2t at %.0f%%, lg1-2t at %.0f%%; "
        "over the whole run lg2t earned %.3f +- %.3f per step %s than lg1t on the same worlds.",
        percent_by(reduction, LG1T, 1000), percent_by(reduction, LG2T, 1000),
        percent_by(reduction, LG1_2T, 1000), fabs(gain.mean), gain.ci95,
        gain.mean < 0.0 ? "less" : "more");
    say("With nothing to set, auto gets %.0f%% (%.0f%% of its final mean after 1000 steps): it "
        "plans on what it saw, and tries an action only as long as that can still pay.",
        percent(reduction, AUTO), percent_by(reduction, AUTO, 1000));
}

static lgkt_status show_demo(const cli_settings *s, const exp_result *result, lgkt_error *error)
{
    printf("%lld random worlds of 10 states and 5 actions, one run of %d steps in each\n\n",
           (long long)s->replicates, HORIZON);
    cli_results_plot(&result->reduction);
    LGKT_TRY(print_means(&result->reduction, error));
    putchar('\n');
    print_sentences(&result->reduction);
    return LGKT_OK;
}

// ---- the command ----

static lgkt_status show(const cli_settings *s, const exp_result *result, lgkt_error *error)
{
    const exp_panel *panel = result->reduction.setup->panel;
    if (s->json) {
        print_json(result->reduction.setup, result);
        return LGKT_OK;
    }
    char env[512];
    lgkt_text_clean(env, sizeof env, s->env);
    printf("%s: replicates %lld, horizon %lld, seed %llu\nfirst instance: %s\n\n", env,
           (long long)s->replicates, (long long)s->horizon, (unsigned long long)s->seed.value,
           result->reduction.facts.note);
    io_memory table = {0};
    if (s->untold) {
        io_memory_print(&table, "learner\tnot told the rewards\n");
        for (int32_t l = 0; l < panel->entry_count; l++) {
            char untold[EXP_UNTOLD_SIZE];
            exp_untold_describe(result->reduction.facts.entries[l].spec, untold);
            io_memory_print(&table, "%s\t%s\n", panel->entries[l].label, untold);
        }
        LGKT_TRY(cli_table_print(&table, "ll", error));
        putchar('\n');
    }
    if (s->plot)
        cli_results_plot(&result->reduction);
    LGKT_TRY(print_means(&result->reduction, error));
    if (!s->verbose)
        return LGKT_OK;
    putchar('\n');
    // one row per counter of a learner, as a mean over the runs
    io_memory_print(&table, "learner\tcounter\tper run\n");
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const exp_entry_facts *facts = &result->reduction.facts.entries[l];
        for (int32_t i = 0; i < facts->count; i++)
            io_memory_print(&table, "%s\t%s\t%.1f\n", panel->entries[l].label, facts->names[i],
                            (double)facts->totals[i] / (double)s->replicates);
    }
    return cli_table_print(&table, "llr", error);
}

static lgkt_status play(const cli_settings *s, const exp_tasks *tasks, exp_result *result,
                        lgkt_error *error)
{
    // what is wrong with a spec comes before the folder
    if (s->out != NULL) {
        LGKT_TRY(exp_tasks_check(tasks, (exp_shard){0}, error));
        LGKT_TRY(io_folder_make(s->out, error));
    }
    const double begin = exp_clock();
    cli_progress line = {0};
    const exp_runner how = {.jobs = cli_watch_jobs(s->jobs),
                            .stop = cli_watch_interrupts(),
                            .progress = s->quiet ? NULL : cli_watch_progress,
                            .progress_ctx = &line};
    const lgkt_status status = exp_result_run(result, tasks, s->json, &how, error);
    cli_watch_end(&line, result->complete);
    LGKT_TRY(status);
    if (!result->complete)
        return lgkt_fail(error, CLI_INTERRUPTED, "interrupted");
    if (s->out != NULL) {
        const exp_making making = {.prices = "",
                                   .jobs = how.jobs,
                                   .seconds = exp_clock() - begin,
                                   .instances_run = s->replicates};
        exp_tables tables;
        LGKT_TRY(exp_tables_open(&tables, s->out, &tasks->asked, &making, error));
        exp_tables_panel(&tables, &result->reduction);
        LGKT_TRY(exp_tables_close(&tables, LGKT_OK, error));
    }
    if (s->curve == NULL)
        return LGKT_OK;
    io_output output;
    LGKT_TRY(cli_output_open(s->curve, &output, error));
    exp_tables_curves(output.stream, &result->reduction);
    return io_output_commit(&output, error);
}

// "2,0.9"
static lgkt_status read_regret(const char *text, exp_panel *panel, lgkt_error *error)
{
    char depth[128], quoted[CLI_QUOTED_SIZE];
    const size_t length = strcspn(text, ",");
    snprintf(depth, sizeof depth, "%.*s", (int)length, text);
    if (text[length] == ',' && lgkt_integer_parse(depth, &panel->regret_k) &&
        panel->regret_k >= 1 && panel->regret_k <= EXP_MAX_HORIZON &&
        lgkt_number_parse(text + length + 1, &panel->regret_threshold))
        return LGKT_OK;
    return lgkt_fail(error, CLI_USAGE,
                     "--regret is \"%s\"; it must be K,G: a depth in 1 .. %lld and a threshold",
                     cli_quoted(text, quoted), (long long)EXP_MAX_HORIZON);
}

// Plays the panel that the options describe and prints its results, or what demo tells of them.
static lgkt_status run(const cli_settings *s, bool demo, lgkt_error *error)
{
    exp_entry entries[CLI_MAX_TEXTS];
    for (int i = 0; i < s->learners.count; i++) {
        const char *spec = s->learners.items[i];
        entries[i] = (exp_entry){.label = spec, .spec = spec, .group = "learners", .section = ""};
    }
    const bool curves = s->out != NULL || s->curve != NULL || s->plot;
    exp_panel panel = {.name = "run",
                       .title = s->env,
                       .env = s->env,
                       .horizon = s->horizon,
                       .instances = s->replicates,
                       .measures = exp_usual_measures,
                       .measure_count = s->regret != NULL ? 2 : 1,
                       .times = curves ? EXP_TIMES_MIXED : EXP_TIMES_ALONE,
                       .entries = entries,
                       .entry_count = s->learners.count,
                       .untold = s->untold};
    if (s->regret != NULL)
        LGKT_TRY(read_regret(s->regret, &panel, error));
    const char *folder = s->out != NULL ? io_base_name(s->out) : "";
    const bool named = folder[0] != '\0' && folder[0] != '.';
    const exp_experiment experiment = {.name = named ? folder : "run",
                                       .title = s->env,
                                       .question = "",
                                       .place = "",
                                       .collection = "",
                                       .section = "run",
                                       .order = 1000,
                                       .panels = &panel,
                                       .panel_count = 1};
    const exp_asked asked = {
        .experiment = &experiment, .seed = s->seed.value, .files = &io_true_files};
    if (s->out != NULL)
        LGKT_TRY(check_folder(s, error));
    exp_tasks tasks;
    exp_result result = {0};
    lgkt_status status = exp_tasks_make(&tasks, &asked, error);
    if (status == LGKT_OK)
        status = play(s, &tasks, &result, error);
    if (status == LGKT_OK)
        status = demo ? show_demo(s, &result, error) : show(s, &result, error);
    exp_result_free(&result);
    exp_tasks_free(&tasks);
    return status;
}

lgkt_status cmd_run(cli_settings *s, lgkt_error *error)
{
    if (s->env == NULL || s->learners.count == 0)
        return lgkt_fail(error, CLI_USAGE, "--env and --learner are needed; see lgkt run --help");
    if (s->json && s->plot)
        return lgkt_fail(error, CLI_USAGE, "--plot cannot go with --json");
    return run(s, false, error);
}

lgkt_status cmd_demo(cli_settings *s, lgkt_error *error)
{
    s->env = "synthetic:states=10,actions=5";
    s->learners = learners;
    s->horizon = HORIZON;
    s->plot = true;
    return run(s, true, error);
}
