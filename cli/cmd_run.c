// SPDX-License-Identifier: MIT
// lgkt run: learners side by side on many instances of an environment.
#include <math.h>

#include "args.h"
#include "core/number.h"
#include "core/text.h"
#include "experiments/checkpoints.h"
#include "io/io_env.h"
#include "io/io_json.h"
#include "results.h"

typedef struct settings {
    const char *env;
    cli_texts learners;
    int64_t horizon, replicates, jobs;
    uint64_t seed;
    const char *curve, *regret;
    bool untold, json, plot, verbose, quiet;
} settings;

#define AT(field) offsetof(settings, field)

static const cli_option options[] = {
    {"env", 'e', CLI_TEXT, "SPEC", NULL, 0, 0, NULL, AT(env), "the environment; see lgkt list"},
    {"learner", 'l', CLI_TEXTS, "SPEC", NULL, 0, 0, NULL, AT(learners),
     "a learner; may be given several times"},
    {"horizon", 't', CLI_INTEGER, "T", "20000", 1, (double)EXP_MAX_HORIZON, NULL, AT(horizon),
     "number of steps of each run"},
    {"replicates", 'n', CLI_INTEGER, "N", "100", 1, EXP_MAX_REPLICATES, NULL, AT(replicates),
     "number of instances"},
    {"seed", 's', CLI_SEED, "X", "1", 0, 0, NULL, AT(seed), "root of all random numbers"},
    {"jobs", 'j', CLI_INTEGER, "J", NULL, 1, EXP_MAX_JOBS, NULL, AT(jobs),
     "number of threads; it changes no result (default: one per processor)"},
    {"curve", 0, CLI_TEXT, "FILE", NULL, 0, 0, NULL, AT(curve),
     "write learning curves as CSV: t,learner,mean,ci95, with --regret also "
     "threshold_regret,threshold_regret_ci95"},
    {"regret", 0, CLI_TEXT, "K,G", NULL, 0, 0, NULL, AT(regret),
     "also the regret of a run to the K-step thresholding policy with threshold G, and to the "
     "optimum"},
    {"untold", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(untold),
     "do not tell the learners the range and noise of the rewards, and print what they do then"},
    {"plot", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(plot), "draw the learning curves"},
    {"json", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(json),
     "print JSON, with the results of every instance"},
    {"verbose", 'v', CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(verbose),
     "also what the learners counted"},
    {"quiet", 'q', CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(quiet), "no progress line"},
};

static const cli_command command = {
    .name = "run",
    .usage = "--env SPEC --learner SPEC [--learner SPEC ...] [options]",
    .about =
        "Plays each learner once on each of N instances and prints the expected reward per step:\n"
        "its mean with half the width of the 95% interval, its median, and its mean in the worst\n"
        "tenth of the instances. The score of the mean is 0 for uniform actions and 100 for the\n"
        "optimum with full knowledge; the share is the part of the optimum, if that is above 0.\n"
        "Learners meet the same instances and the same noise.\n",
    .examples = "lgkt run --env synthetic --learner lg1t --learner lg2t --learner random\n"
                "lgkt run --env riverswim:states=8 --learner lg1t --replicates 20 --plot\n"
                "lgkt run --env synthetic --learner lg2t --regret 2,0.9 --verbose\n"
                "lgkt run --env synthetic --learner auto --learner ucrl2 --untold\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};

// ---- JSON ----

// A number for each instance.
static void print_instances(io_json *json, const char *name, const double *values, int64_t count)
{
    io_json_open(json, name, IO_JSON_LIST);
    for (int64_t i = 0; i < count; i++)
        io_json_real(json, NULL, values[i]);
    io_json_close(json);
}

// The mean, and half the width of its interval; nothing if there are no numbers.
static void print_moments(io_json *json, const char *name, const exp_moments *moments)
{
    char ci95[64];
    if (moments->n == 0)
        return;
    snprintf(ci95, sizeof ci95, "%s_ci95", name);
    io_json_real(json, name, moments->mean);
    io_json_real(json, ci95, exp_moments_half_width(moments));
}

static void print_json(const exp_setup *setup, const exp_result *result)
{
    const int64_t n = result->replicates;
    io_json json = io_json_start(stdout);
    io_json_open(&json, NULL, IO_JSON_OBJECT);
    io_json_text(&json, "env", setup->world.spec);
    io_json_text(&json, "note", result->note);
    io_json_integer(&json, "horizon", setup->horizon);
    io_json_integer(&json, "replicates", setup->replicates);
    io_json_unsigned(&json, "seed", setup->seed);
    if (setup->regret_k > 0) {
        io_json_open(&json, "regret", IO_JSON_RECORD);
        io_json_integer(&json, "k", setup->regret_k);
        io_json_real(&json, "threshold", setup->regret_threshold);
        io_json_close(&json);
    }
    if (setup->untold)
        io_json_bool(&json, "untold", true);
    io_json_real(&json, "optimal_mean", exp_optimum(result));
    io_json_real(&json, "random_mean", exp_random(result));
    io_json_open(&json, "instances", IO_JSON_OBJECT);
    print_instances(&json, "optimal", result->optimum, n);
    print_instances(&json, "random", result->random, n);
    io_json_close(&json);
    io_json_open(&json, "learners", IO_JSON_ARRAY);
    for (int32_t l = 0; l < result->learner_count; l++) {
        const exp_summary summary = exp_summarize(result, l);
        const exp_counters *counters = &result->counters[l];
        io_json_open(&json, NULL, IO_JSON_OBJECT);
        io_json_text(&json, "spec", setup->learners[l]);
        if (result->untold != NULL)
            io_json_text(&json, "untold", result->untold[l]);
        io_json_real(&json, "mean_reward", summary.reward.mean);
        io_json_real(&json, "ci95", exp_moments_half_width(&summary.reward));
        io_json_real(&json, "median_reward", summary.median);
        io_json_real(&json, "worst_tenth_reward", summary.worst);
        io_json_real(&json, "score", summary.score);
        io_json_real(&json, "share", summary.share);
        io_json_real(&json, "observed_reward", summary.observed);
        print_moments(&json, "threshold_regret", &summary.threshold_regret);
        print_moments(&json, "optimum_regret", &summary.optimum_regret);
        io_json_real(&json, "seconds", summary.seconds);
        io_json_real(&json, "steps_per_second", summary.steps_per_second);
        io_json_open(&json, "counters", IO_JSON_RECORD);
        for (int32_t i = 0; i < counters->count; i++)
            io_json_real(&json, counters->names[i], (double)counters->totals[i] / (double)n);
        io_json_close(&json);
        io_json_open(&json, "instances", IO_JSON_OBJECT);
        print_instances(&json, "reward", result->reward + l * n, n);
        print_instances(&json, "observed_reward", result->observed + l * n, n);
        if (result->regret != NULL)
            print_instances(&json, "threshold_regret", result->regret + l * n, n);
        io_json_close(&json);
        io_json_close(&json);
    }
    io_json_close(&json);
    io_json_close(&json);
}

// ---- curves ----

// ",mean,ci95", the latter empty if there is none
static void print_point(FILE *out, exp_moments point)
{
    const double half = exp_moments_half_width(&point);
    char mean[LGKT_NUMBER_SIZE], ci95[LGKT_NUMBER_SIZE];
    fprintf(out, ",%s,%s", lgkt_number_print(mean, point.mean),
            isnan(half) ? "" : lgkt_number_print(ci95, half));
}

static lgkt_status write_curve(const char *path, const exp_setup *setup, const exp_result *result,
                               lgkt_error *error)
{
    io_output *output = NULL;
    const lgkt_status status = cli_output_open(path, &output, error);
    if (status != LGKT_OK)
        return status;
    FILE *out = io_output_stream(output);
    const bool regret = setup->regret_k > 0;
    fprintf(out, "t,learner,mean,ci95%s\n",
            regret ? ",threshold_regret,threshold_regret_ci95" : "");
    for (int32_t l = 0; l < result->learner_count; l++) {
        for (int32_t c = 0; c < result->checkpoint_count; c++) {
            // specs hold commas but no quotes
            fprintf(out, "%lld,\"%s\"", (long long)setup->checkpoints[c], setup->learners[l]);
            print_point(out, exp_curve_point(result, l, c));
            if (regret)
                print_point(out, exp_regret_point(result, l, c));
            fputc('\n', out);
        }
    }
    return io_output_commit(output, error);
}

// ---- the command ----

static int print_results(const settings *s, const exp_setup *setup, const exp_result *result)
{
    lgkt_error error = {0};
    if (s->curve != NULL && write_curve(s->curve, setup, result, &error) != LGKT_OK)
        return cli_fail_error("run", &error);
    if (s->json) {
        print_json(setup, result);
        return CLI_OK;
    }
    char env[512];
    lgkt_text_clean(env, sizeof env, s->env);
    printf("%s: replicates %lld, horizon %lld, seed %llu\nfirst instance: %s\n\n", env,
           (long long)s->replicates, (long long)s->horizon, (unsigned long long)s->seed,
           result->note);
    if (result->untold != NULL) {
        cli_table *table = cli_table_create("ll", "learner|not told the rewards");
        for (int32_t l = 0; l < result->learner_count; l++) {
            cli_table_cell(table, "%s", setup->learners[l]);
            cli_table_cell(table, "%s", result->untold[l]);
        }
        const int printed = cli_table_print("run", table);
        if (printed != CLI_OK)
            return printed;
        putchar('\n');
    }
    int code = s->plot ? cli_results_plot("run", setup, result) : CLI_OK;
    if (code == CLI_OK)
        code = cli_results_table("run", setup, result);
    if (code == CLI_OK && s->verbose) {
        putchar('\n');
        code = cli_results_counters("run", setup, result);
    }
    return code;
}

int cmd_run(int argc, char **argv)
{
    settings s = {.jobs = cli_watch_cores()};
    int code = cli_parse(&command, argc, argv, &s);
    if (code != CLI_CONTINUE)
        return code;
    if (s.env == NULL || s.learners.count == 0)
        return cli_fail("run", CLI_USAGE, "--env and --learner are needed; see lgkt run --help");
    if (s.json && s.plot)
        return cli_fail("run", CLI_USAGE, "--plot cannot go with --json");

    int64_t times[EXP_MAX_CHECKPOINTS];
    exp_setup setup = {
        .world.spec = s.env,
        .learners = s.learners.items,
        .learner_count = s.learners.count,
        .horizon = s.horizon,
        .replicates = s.replicates,
        .seed = s.seed,
        .untold = s.untold,
        .jobs = (int32_t)s.jobs,
        .checkpoints = times,
        .checkpoint_count = s.curve != NULL || s.plot ? exp_checkpoints(s.horizon, times) : 0,
    };
    // "2,0.9"
    char depth[CLI_VALUE_SIZE], quoted[CLI_QUOTED_SIZE];
    const char *rest = s.regret;
    if (rest != NULL &&
        (!cli_next_value(&rest, depth, sizeof depth) || rest == NULL ||
         !lgkt_integer_parse(depth, &setup.regret_k) || setup.regret_k < 1 ||
         setup.regret_k > EXP_MAX_HORIZON || !lgkt_number_parse(rest, &setup.regret_threshold)))
        return cli_fail("run", CLI_USAGE,
                        "--regret is \"%s\"; it must be K,G: a depth in 1 .. %lld and a threshold",
                        cli_quoted(s.regret, quoted), (long long)EXP_MAX_HORIZON);
    io_data data;
    lgkt_error error = {0};
    exp_result result;
    code = CLI_OK;
    if (io_data_read(s.env, NULL, &data, &error) != LGKT_OK)
        code = cli_fail_error("run", &error);
    setup.world.data = data.given;
    if (code == CLI_OK)
        code = cli_watch_run("run", &setup, s.quiet, &result);
    io_data_release(&data);
    if (code != CLI_OK)
        return code;
    code = print_results(&s, &setup, &result);
    exp_result_free(&result);
    return code;
}
