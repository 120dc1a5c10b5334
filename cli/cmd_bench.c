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

static const cli_option options[] = {
    CLI_ROW("env", 'e', CLI_TEXTS, "SPEC", envs,
            "an environment, in place of the usual ones; may be given several times"),
    CLI_ROW("learner", 'l', CLI_TEXTS, "SPEC", learners,
            "a learner, in place of the usual ones; may be given several times"),
    CLI_ROW("horizon", 't', CLI_INTEGER, "T", horizon, "number of steps of each run", "20000", 1,
            1e9),
    CLI_ROW("repeats", 'r', CLI_INTEGER, "R", repeats, "how often to measure; the best one counts",
            "20", 1, 10000),
    CLI_ROW("quick", 0, CLI_FLAG, NULL, quick, "measure three times only"),
    CLI_ROW("json", 0, CLI_FLAG, NULL, json, "print JSON"),
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
    CLI_OPTIONS(options),
};

static const cli_texts usual_envs = {
    {"synthetic:states=10,actions=5", "synthetic:states=100,actions=25", "riverswim:states=5"}, 3};
static const cli_texts usual_learners = {{"auto", "lg1t", "lg2t", "lg1-2t", "plugin:k=5", "random"},
                                         6};

static lgkt_status measure(const cli_texts *envs, exp_timing *timing, double *ns, lgkt_error *error)
{
    for (int e = 0; e < envs->count; e++) {
        timing->world.spec = envs->items[e];
        lgkt_status status = io_data_read(envs->items[e], NULL, &timing->world.data, error);
        if (status == LGKT_OK)
            status = exp_time(timing, ns + e * timing->learner_count, error);
        io_data_release(&timing->world.data);
        LGKT_TRY(status);
        if (atomic_load(timing->stop))
            return lgkt_fail(error, CLI_INTERRUPTED, "interrupted");
    }
    return LGKT_OK;
}

lgkt_status cmd_bench(int argc, char **argv, lgkt_error *error)
{
    settings s = {0};
    LGKT_TRY(cli_parse(&command, argc, argv, &s, error));
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
        return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    lgkt_status status = measure(&s.envs, &timing, ns, error);
    learners[0] = "none";
    if (status == LGKT_OK && s.json) {
        io_json json = io_json_start(stdout);
        io_json_open(&json, NULL, IO_JSON_OBJECT);
        io_json_open(&json, "results", IO_JSON_ARRAY);
        for (int i = 0; i < s.envs.count * rows; i++) {
            io_json_open(&json, NULL, IO_JSON_RECORD);
            io_json_text(&json, "env", s.envs.items[i / rows]);
            io_json_text(&json, "learner", learners[i % rows]);
            io_json_real(&json, "ns_per_step", ns[i]);
            io_json_real(&json, "ratio", ns[i] / ns[i / rows * rows]);
            io_json_close(&json);
        }
        io_json_close(&json);
        io_json_close(&json);
    } else if (status == LGKT_OK) {
        io_memory table;
        io_memory_open(&table);
        io_memory_print(&table, "environment\tlearner\tns/step\tadded\tratio\n");
        for (int i = 0; i < s.envs.count * rows; i++) {
            const double bare = ns[i / rows * rows];
            io_memory_print(&table, "%s\t%s\t%.1f\t%.1f\t%.2f\n", s.envs.items[i / rows],
                            learners[i % rows], ns[i], ns[i] - bare, ns[i] / bare);
        }
        status = cli_table_print(&table, "llrrr", error);
    }
    free(ns);
    return status;
}
