// SPDX-License-Identifier: MIT
// lgkt bench: what a step costs, alone and with learners.
#include <stdlib.h>

#include "args.h"
#include "experiments/timing.h"
#include "io/io_json.h"
#include "output.h"
#include "watch.h"

#define QUICK_REPEATS 3

typedef struct settings {
    cli_texts envs, learners;
    int64_t repeats, horizon;
    bool quick, json;
} settings;

#define AT(field) offsetof(settings, field)

static const cli_option options[] = {
    {"env", 'e', CLI_TEXTS, "SPEC", NULL, 0, 0, NULL, AT(envs),
     "an environment, in place of the usual ones; may be given several times"},
    {"learner", 'l', CLI_TEXTS, "SPEC", NULL, 0, 0, NULL, AT(learners),
     "a learner, in place of the usual ones; may be given several times"},
    {"horizon", 't', CLI_INTEGER, "T", "20000", 1, 1e9, NULL, AT(horizon),
     "number of steps of each run"},
    {"repeats", 'r', CLI_INTEGER, "R", "20", 1, 10000, NULL, AT(repeats),
     "how often to measure; the best one counts"},
    {"quick", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(quick), "measure three times only"},
    {"json", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(json), "print JSON"},
};

static const cli_command command = {
    .name = "bench",
    .usage = "[options]",
    .about = "Measures the time of a step on one thread: of the environment with uniform actions\n"
             "(learner \"none\"), and of environment and learner together. The ratio is to the\n"
             "environment alone, measured in turn with the learners.\n",
    .examples = "lgkt bench\n"
                "lgkt bench --env riverswim --learner lgkt:k=3 --repeats 50\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};

static const cli_texts usual_envs = {
    {"synthetic:states=10,actions=5", "synthetic:states=100,actions=25", "riverswim:states=5"}, 3};
static const cli_texts usual_learners = {{"auto", "lg1t", "lg2t", "lg1-2t", "plugin:k=5", "random"},
                                         6};

// ---- printing: one row per environment and learner, the first learner is none ----

static void print_row_json(io_json *json, const char *env, const char *learner, double ns,
                           double bare)
{
    io_json_open(json, NULL, IO_JSON_RECORD);
    io_json_text(json, "env", env);
    io_json_text(json, "learner", learner);
    io_json_real(json, "ns_per_step", ns);
    io_json_real(json, "ratio", ns / bare);
    io_json_close(json);
}

static void print_row_table(cli_table *table, const char *env, const char *learner, double ns,
                            double bare)
{
    cli_table_cell(table, "%s", env);
    cli_table_cell(table, "%s", learner);
    cli_table_cell(table, "%.1f", ns);
    cli_table_cell(table, "%.1f", ns - bare);
    cli_table_cell(table, "%.2f", ns / bare);
}

static bool print_results(const settings *s, const double *ns)
{
    const int rows = s->learners.count + 1;
    io_json json = io_json_start(stdout);
    cli_table *table = s->json ? NULL : cli_table_create("llrrr");
    if (s->json) {
        io_json_open(&json, NULL, IO_JSON_OBJECT);
        io_json_open(&json, "results", IO_JSON_ARRAY);
    } else {
        static const char *const heads[] = {"environment", "learner", "ns/step", "added", "ratio"};
        for (int i = 0; i < 5; i++)
            cli_table_cell(table, "%s", heads[i]);
    }
    for (int i = 0; i < s->envs.count * rows; i++) {
        const char *env = s->envs.items[i / rows];
        const char *learner = i % rows == 0 ? "none" : s->learners.items[i % rows - 1];
        if (s->json)
            print_row_json(&json, env, learner, ns[i], ns[i / rows * rows]);
        else
            print_row_table(table, env, learner, ns[i], ns[i / rows * rows]);
    }
    bool ok = true;
    if (s->json) {
        io_json_close(&json);
        io_json_close(&json);
    } else {
        ok = cli_table_print(table, stdout);
    }
    cli_table_destroy(table);
    return ok;
}

// ---- the command ----

// fills ns, (envs, learners + 1); CLI_OK or the exit code after a failure line
static int measure(const settings *s, double *ns)
{
    const char *learners[CLI_MAX_TEXTS + 1] = {NULL};
    for (int i = 0; i < s->learners.count; i++)
        learners[i + 1] = s->learners.items[i];
    exp_timing timing = {
        .learners = learners,
        .learner_count = s->learners.count + 1,
        .horizon = s->horizon,
        .repeats = s->quick ? QUICK_REPEATS : (int32_t)s->repeats,
        .seed = 1,
        .stop = cli_watch_interrupts(),
    };
    for (int e = 0; e < s->envs.count; e++) {
        lgkt_error error = {0};
        timing.env = s->envs.items[e];
        if (exp_time(&timing, ns + e * timing.learner_count, &error) != LGKT_OK)
            return cli_fail_error("bench", &error);
        if (atomic_load(timing.stop))
            return cli_fail("bench", CLI_INTERRUPTED, "interrupted");
    }
    return CLI_OK;
}

int cmd_bench(int argc, char **argv)
{
    settings s = {0};
    int code = cli_parse(&command, argc, argv, &s);
    if (code != CLI_CONTINUE)
        return code;
    if (s.envs.count == 0)
        s.envs = usual_envs;
    if (s.learners.count == 0)
        s.learners = usual_learners;
    double *ns = calloc((size_t)(s.envs.count * (s.learners.count + 1)), sizeof *ns);
    code = ns != NULL ? measure(&s, ns) : cli_fail("bench", CLI_FAILED, "out of memory");
    if (code == CLI_OK && !print_results(&s, ns))
        code = cli_fail("bench", CLI_FAILED, "out of memory");
    free(ns);
    return code == CLI_OK ? cli_finish("bench", code) : code;
}
