// SPDX-License-Identifier: MIT
// lgkt demo: the main point on built-in settings, in a few seconds.
//
// Random worlds of 10 states and 5 actions, one run of 20000 steps each. Shown are the learners
// with one and two steps of lookahead, the same lookahead with the model known (kstep), the learner
// without settings (auto), the optimum, and chance. The text below the plot is made from the
// numbers of the run.
#include <math.h>
#include <stdarg.h>

#include "cli.h"

#define HORIZON 20000

// in the order in which they are drawn; the names are used by the sentences
enum { OPTIMAL, AUTO, KSTEP_2, KSTEP_1, LG1_2T, LG2T, LG1T, RANDOM, LEARNERS };
static const cli_texts learners = {
    {"optimal", "auto", "kstep:k=2", "kstep:k=1", "lg1-2t", "lg2t", "lg1t", "random"}, LEARNERS};

// ---- what it shows ----

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

static lgkt_status show(const cli_settings *s, const exp_result *result, lgkt_error *error)
{
    printf("%lld random worlds of 10 states and 5 actions, one run of %d steps in each\n\n",
           (long long)s->replicates, HORIZON);
    cli_results_plot(&result->reduction);
    LGKT_TRY(cli_results_table(&result->reduction, error));
    putchar('\n');
    print_sentences(&result->reduction);
    return LGKT_OK;
}

lgkt_status cmd_demo(cli_settings *s, lgkt_error *error)
{
    s->env = "synthetic:states=10,actions=5";
    s->learners = learners;
    s->horizon = HORIZON;
    s->plot = true;
    return cli_run(s, show, error);
}
