// SPDX-License-Identifier: MIT
// lgkt bench: what a step costs, alone and with learners. bench/README.md says how to read it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "experiments/studies/studies.h"
#include "io/files/io_env.h"
#include "io/plain/io_json.h"

#define QUICK_REPEATS 3

static const cli_texts usual_envs = {
    {"synthetic:states=10,actions=5", "synthetic:states=100,actions=25", "riverswim:states=5"}, 3};
static const cli_texts usual_learners = {{"auto", "lg1t", "lg2t", "lg1-2t", "plugin:k=5", "random"},
                                         6};

static lgkt_status measure(const cli_texts *envs, exp_timing *timing, double *ns, lgkt_error *error)
{
    for (int e = 0; e < envs->count; e++) {
        timing->world.spec = envs->items[e];
        lgkt_status status =
            io_data_read(&io_true_files, "", envs->items[e], &timing->world.data, error);
        if (status == LGKT_OK)
            status = exp_time(timing, ns + e * timing->learner_count, error);
        io_data_release(&timing->world.data);
        LGKT_TRY(status);
        if (atomic_load(timing->stop))
            return lgkt_fail(error, CLI_INTERRUPTED, "interrupted");
    }
    for (int l = 1; l < timing->learner_count; l++) {
        int skipped = 0;
        for (int e = 0; e < envs->count; e++)
            skipped += isinf(ns[e * timing->learner_count + l]);
        if (skipped == envs->count)
            return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                             "learner %.100s is for none of these environments",
                             timing->learners[l]);
    }
    return LGKT_OK;
}

// a number, or "-" where a learner was not played
static const char *shown(char text[32], int digits, double number)
{
    if (isfinite(number))
        snprintf(text, 32, "%.*f", digits, number);
    return isfinite(number) ? text : "-";
}

lgkt_status cmd_bench(cli_settings *s, lgkt_error *error)
{
    if (s->envs.count == 0)
        s->envs = usual_envs;
    if (s->learners.count == 0)
        s->learners = usual_learners;
    // the first learner is none
    const char *learners[CLI_MAX_TEXTS + 1] = {NULL};
    memcpy(learners + 1, s->learners.items, sizeof s->learners.items);
    exp_timing timing = {
        .learners = learners,
        .learner_count = s->learners.count + 1,
        .horizon = s->horizon,
        .repeats = s->quick ? QUICK_REPEATS : (int32_t)s->repeats,
        .seed = 1,
        .skips = s->envs.count > 1,
        .stop = cli_watch_interrupts(),
    };
    const int rows = timing.learner_count;
    double *ns = calloc((size_t)(s->envs.count * rows), sizeof *ns); // (envs, learners)
    if (ns == NULL)
        return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    lgkt_status status = measure(&s->envs, &timing, ns, error);
    learners[0] = "none";
    if (status == LGKT_OK && s->json) {
        io_json json = {.out = stdout};
        io_json_open(&json, NULL, IO_JSON_OBJECT);
        io_json_open(&json, "results", IO_JSON_ARRAY);
        for (int i = 0; i < s->envs.count * rows; i++) {
            io_json_open(&json, NULL, IO_JSON_RECORD);
            io_json_text(&json, "env", s->envs.items[i / rows]);
            io_json_text(&json, "learner", learners[i % rows]);
            io_json_real(&json, "ns_per_step", ns[i]);
            io_json_real(&json, "ratio", ns[i] / ns[i / rows * rows]);
            io_json_close(&json);
        }
        io_json_close(&json);
        io_json_close(&json);
    } else if (status == LGKT_OK) {
        io_memory table = {0};
        io_memory_print(&table, "environment\tlearner\tns/step\tadded\tratio\n");
        for (int i = 0; i < s->envs.count * rows; i++) {
            const double bare = ns[i / rows * rows];
            char text[3][32];
            io_memory_print(&table, "%s\t%s\t%s\t%s\t%s\n", s->envs.items[i / rows],
                            learners[i % rows], shown(text[0], 1, ns[i]),
                            shown(text[1], 1, ns[i] - bare), shown(text[2], 2, ns[i] / bare));
        }
        status = cli_table_print(&table, "llrrr", error);
    }
    free(ns);
    return status;
}
