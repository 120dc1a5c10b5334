// SPDX-License-Identifier: MIT
// lgkt demo: the main point on built-in settings, in a few seconds.
//
// Random worlds of 10 states and 5 actions, one run of 20000 steps each. Shown are the learners
// with one and two steps of lookahead, the same lookahead with the model known (kstep), the learner
// without settings (auto), the optimum, and chance. The text below the plot is made from the
// numbers of the run.
#include <math.h>
#include <stdarg.h>

#include "args.h"
#include "experiments/runner/checkpoints.h"
#include "results.h"

#define HORIZON 20000

typedef struct settings {
    int64_t replicates, jobs;
    uint64_t seed;
    bool quiet;
} settings;

#define AT(field) offsetof(settings, field)

static const cli_option options[] = {
    {"replicates", 'n', CLI_INTEGER, "N", "1000", 2, 100000, NULL, AT(replicates),
     "number of worlds"},
    {"seed", 's', CLI_SEED, "X", "1", 0, 0, NULL, AT(seed), "root of all random numbers"},
    {"jobs", 'j', CLI_INTEGER, "J", NULL, 1, EXP_MAX_JOBS, NULL, AT(jobs),
     "number of threads; it changes no result (default: one per processor)"},
    {"quiet", 'q', CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(quiet), "no progress line"},
};

static const cli_command command = {
    .name = "demo",
    .usage = "[options]",
    .about =
        "Compares the learner without settings (auto), learners that look one or two steps ahead,\n"
        "and the optimum on random worlds, draws their learning curves and says what they show.\n",
    .examples = "lgkt demo\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};

// in the order in which they are drawn; the names are used by the sentences
enum { OPTIMAL, AUTO, KSTEP_2, KSTEP_1, LG1_2T, LG2T, LG1T, RANDOM, LEARNERS };
static const char *const learners[LEARNERS] = {
    [OPTIMAL] = "optimal", [AUTO] = "auto", [KSTEP_2] = "kstep:k=2", [KSTEP_1] = "kstep:k=1",
    [LG1_2T] = "lg1-2t",   [LG2T] = "lg2t", [LG1T] = "lg1t",         [RANDOM] = "random",
};

// ---- what it shows ----

static double percent(const exp_result *result, int learner)
{
    return 100.0 * exp_summarize(&result->reduction, learner).share;
}

// the share of its own final mean that a learner had at the first checkpoint from step t on
static double percent_by(const exp_setup *setup, const exp_result *result, int learner, int64_t t)
{
    int32_t c = 0;
    while (setup->checkpoints[c] < t)
        c++;
    return 100.0 * exp_curve_point(&result->reduction, 0, learner, c).mean /
           exp_summarize(&result->reduction, learner).reward.mean;
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

static void print_sentences(const exp_setup *setup, const exp_result *result)
{
    const int64_t n = result->replicates;
    const exp_estimate gain = exp_estimate_of(
        &result->reduction, exp_paired(result->reward + LG2T * n, result->reward + LG1T * n, n));
    say("The best plan with full knowledge of the world earns %.2f per step, random actions %.2f "
        "(%.0f%% of it).",
        result->reduction.optimum.mean, exp_summarize(&result->reduction, RANDOM).reward.mean,
        percent(result, RANDOM));
    say("One step of lookahead is worth %.0f%% of the optimum if the world is known (kstep:k=1), "
        "two steps %.0f%%.",
        percent(result, KSTEP_1), percent(result, KSTEP_2));
    say("Learned from nothing in one run of %d steps, one step gets %.0f%% (lg1t), two steps get "
        "%.0f%% (lg2t), and one first and two later %.0f%% (lg1-2t).",
        HORIZON, percent(result, LG1T), percent(result, LG2T), percent(result, LG1_2T));
    say("After 1000 steps lg1t was at %.0f%% of its final mean, lg2t at %.0f%%, lg1-2t at %.0f%%; "
        "over the whole run lg2t earned %.3f +- %.3f per step %s than lg1t on the same worlds.",
        percent_by(setup, result, LG1T, 1000), percent_by(setup, result, LG2T, 1000),
        percent_by(setup, result, LG1_2T, 1000), fabs(gain.mean), gain.ci95,
        gain.mean < 0.0 ? "less" : "more");
    say("With nothing to set, auto gets %.0f%% (%.0f%% of its final mean after 1000 steps): it "
        "plans on what it saw, and tries an action only as long as that can still pay.",
        percent(result, AUTO), percent_by(setup, result, AUTO, 1000));
}

// ---- the command ----

int cmd_demo(int argc, char **argv)
{
    settings s = {.jobs = cli_watch_cores()};
    int code = cli_parse(&command, argc, argv, &s);
    if (code != CLI_CONTINUE)
        return code;
    int64_t times[EXP_MAX_CHECKPOINTS];
    exp_setup setup = {
        .world.spec = "synthetic:states=10,actions=5",
        .learners = learners,
        .learner_count = LEARNERS,
        .horizon = HORIZON,
        .replicates = s.replicates,
        .seed = s.seed,
        .jobs = (int32_t)s.jobs,
        .checkpoints = times,
        .checkpoint_count = exp_checkpoints(HORIZON, times),
        .measures = exp_usual_measures,
        .measure_count = 1,
    };
    exp_result result;
    code = cli_watch_run("demo", &setup, NULL, s.quiet, &result);
    if (code != CLI_OK)
        return code;
    printf("%lld random worlds of 10 states and 5 actions, one run of %d steps in each\n\n",
           (long long)result.replicates, HORIZON);
    code = cli_results_plot("demo", &setup, &result.reduction);
    if (code == CLI_OK)
        code = cli_results_table("demo", &setup, &result.reduction);
    if (code == CLI_OK) {
        putchar('\n');
        print_sentences(&setup, &result);
    }
    exp_result_free(&result);
    return code;
}
