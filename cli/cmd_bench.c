// SPDX-License-Identifier: MIT
// lgkt bench: what a step costs, alone and with learners. bench/README.md says how to read it.
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "experiments/studies/timing.h"
#include "io/files/io_env.h"
#include "io/plain/io_json.h"

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
             "environment alone, measured in turn with the learners. This command is built as one\n"
             "piece; `make bench` shows beside it what a program pays that links the library.\n",
    .examples = "lgkt bench\n"
                "lgkt bench --env riverswim --learner lgkt:k=3 --repeats 50\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};

static const cli_texts usual_envs = {
    {"synthetic:states=10,actions=5", "synthetic:states=100,actions=25", "riverswim:states=5"}, 3};
static const cli_texts usual_learners = {{"auto", "lg1t", "lg2t", "lg1-2t", "plugin:k=5", "random"},
                                         6};

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
    // the first learner is none
    const char *learners[CLI_MAX_TEXTS + 1] = {NULL};
    memcpy(learners + 1, s.learners.items, sizeof s.learners.items);
    exp_timing timing = {
        .learners = learners,
        .learner_count = s.learners.count + 1,
        .horizon = s.horizon,
        .repeats = s.quick ? QUICK_REPEATS : (int32_t)s.repeats,
        .seed = 1,
        .stop = cli_watch_interrupts(),
    };
    const int rows = timing.learner_count;
    double *ns = calloc((size_t)(s.envs.count * rows), sizeof *ns); // (envs, learners)
    if (ns == NULL)
        return cli_fail("bench", CLI_FAILED, "out of memory");
    code = CLI_OK;
    for (int e = 0; e < s.envs.count && code == CLI_OK; e++) {
        lgkt_error error = {0};
        timing.world.spec = s.envs.items[e];
        lgkt_status status = io_data_read(s.envs.items[e], NULL, &timing.world.data, &error);
        if (status == LGKT_OK)
            status = exp_time(&timing, ns + e * rows, &error);
        io_data_release(&timing.world.data);
        if (status != LGKT_OK)
            code = cli_fail_error("bench", &error);
        else if (atomic_load(timing.stop))
            code = cli_fail("bench", CLI_INTERRUPTED, "interrupted");
    }
    if (code == CLI_OK && s.json) {
        io_json json = io_json_start(stdout);
        io_json_open(&json, NULL, IO_JSON_OBJECT);
        io_json_open(&json, "results", IO_JSON_ARRAY);
        for (int i = 0; i < s.envs.count * rows; i++) {
            io_json_open(&json, NULL, IO_JSON_RECORD);
            io_json_text(&json, "env", s.envs.items[i / rows]);
            io_json_text(&json, "learner", i % rows == 0 ? "none" : learners[i % rows]);
            io_json_real(&json, "ns_per_step", ns[i]);
            io_json_real(&json, "ratio", ns[i] / ns[i / rows * rows]);
            io_json_close(&json);
        }
        io_json_close(&json);
        io_json_close(&json);
    } else if (code == CLI_OK) {
        cli_table *table = cli_table_create("llrrr", "environment|learner|ns/step|added|ratio");
        for (int i = 0; i < s.envs.count * rows; i++) {
            const double bare = ns[i / rows * rows];
            cli_table_cell(table, "%s", s.envs.items[i / rows]);
            cli_table_cell(table, "%s", i % rows == 0 ? "none" : learners[i % rows]);
            cli_table_cell(table, "%.1f", ns[i]);
            cli_table_cell(table, "%.1f", ns[i] - bare);
            cli_table_cell(table, "%.2f", ns[i] / bare);
        }
        code = cli_table_print("bench", table);
    }
    free(ns);
    return code;
}
