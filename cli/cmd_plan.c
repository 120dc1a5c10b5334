// SPDX-License-Identifier: MIT
// lgkt plan: what is possible on a known model, exactly. Values are expected totals of T steps from
// the model's start law; the score is 0 for uniform play and 100 for the optimum, the share is of
// the optimum, the cost is what falls short of the threshold.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "core/number.h"
#include "core/text.h"
#include "experiments/runner/statistics.h"
#include "io/plain/io_json.h"
#include "io/formats/io_model.h"
#include "lgkt/plan.h"

enum { MAX_DEPTHS = 64, MAX_ROWS = 2 * MAX_DEPTHS + 2, SHOWN_ACTIONS = 64, SHOWN_TEXT = 500 };
#define MAX_HORIZON    1e9
#define GAIN_TOLERANCE 1e-12

typedef struct settings {
    const char *mdp, *env, *k;
    int64_t horizon;
    double threshold; // NaN: none
    uint64_t seed, instance;
    int ties;
    bool json;
} settings;

static const cli_option OPTIONS[] = {
    {"mdp", 0, CLI_TEXT, "FILE", NULL, 0, 0, NULL, offsetof(settings, mdp), "a model file"},
    {"env", 0, CLI_TEXT, "SPEC", NULL, 0, 0, NULL, offsetof(settings, env),
     "an environment with a model, in place of a file"},
    {"horizon", 0, CLI_INTEGER, "T", NULL, 1, MAX_HORIZON, NULL, offsetof(settings, horizon),
     "number of steps"},
    {"k", 0, CLI_TEXT, "LIST", "1,2,5", 0, 0, NULL, offsetof(settings, k),
     "depths of lookahead, separated by commas"},
    {"threshold", 0, CLI_REAL, "G", NULL, 0, 0, NULL, offsetof(settings, threshold),
     "also the K-step thresholding policies with this threshold"},
    {"ties", 0, CLI_CHOICE, "WORD", "low", 0, 0, "low|high", offsetof(settings, ties),
     "which action is played among equally good ones"},
    {"seed", 0, CLI_SEED, "X", "0", 0, 0, NULL, offsetof(settings, seed),
     "root seed of a random environment"},
    {"instance", 0, CLI_SEED, "I", "0", 0, 0, NULL, offsetof(settings, instance),
     "which instance of a random environment"},
    {"json", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, offsetof(settings, json), "print JSON"},
};

static const cli_command COMMAND = {
    .name = "plan",
    .usage = "(--mdp FILE | --env SPEC) --horizon T [options]",
    .about = "Computes the optimum, the K-step greedy and the uniform policy of a known model, and "
             "with\n--threshold the K-step thresholding policies and their expected cost.\n",
    .examples = "lgkt plan --env riverswim:states=8 --horizon 20000\n"
                "lgkt plan --mdp model.json --horizon 1000 --k 1,2,3 --threshold 0.9 --json",
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
};

// ---- what is computed ----

typedef enum kind { OPTIMAL, GREEDY, THRESHOLD, UNIFORM } kind;

static const char *const KIND_NAMES[] = {"optimal", "greedy", "threshold", "uniform"};

// One policy and what it is worth.
typedef struct outcome {
    kind kind;
    int64_t k; // 0: it has no depth
    double value, score, share;
    double cost; // NaN: no threshold
} outcome;

typedef struct report {
    lgkt_io_model *model; // with its name and comment
    const lgkt_mdp *mdp;  // the one in it
    double gain;          // NaN: it depends on the start
    outcome rows[MAX_ROWS];
    int count;              // of rows: the optimum comes first, uniform play last
    int32_t *first_actions; // (S) optimal with T to go
} report;

// Makes a policy and finds its value from the start law, and its cost; the score and the share are
// computed when all values are known.
static lgkt_status evaluate(const report *r, const settings *s, outcome *row, lgkt_error *error)
{
    const int32_t states = lgkt_mdp_states(r->mdp);
    const lgkt_ties ties = (lgkt_ties)s->ties;
    const lgkt_threshold gamma = {.constant = s->threshold};
    lgkt_policy *policy = NULL;
    lgkt_cost *cost = NULL;
    double *value = calloc((size_t)states, sizeof *value); // (S)
    lgkt_status status = LGKT_OK;
    if (value == NULL)
        status = lgkt_fail_memory(error, "values");
    else if (row->kind == OPTIMAL)
        status = lgkt_policy_optimal(r->mdp, s->horizon, ties, NULL, &policy, error);
    else if (row->kind == GREEDY)
        status = lgkt_policy_greedy(r->mdp, row->k, s->horizon, ties, NULL, &policy, error);
    else if (row->kind == THRESHOLD)
        status = lgkt_policy_threshold(r->mdp, row->k, s->horizon, &gamma, NULL, &policy, error);
    else
        status = lgkt_policy_uniform(r->mdp, s->horizon, NULL, &policy, error);
    if (status == LGKT_OK)
        status = lgkt_policy_value(policy, NULL, value, error);
    if (status == LGKT_OK) {
        const double *start = lgkt_mdp_start_law(r->mdp);
        for (int32_t x = 0; x < states; x++)
            row->value += start[x] > 0.0 ? start[x] * value[x] : 0.0;
    }
    for (int32_t x = 0; row->kind == OPTIMAL && status == LGKT_OK && x < states; x++)
        r->first_actions[x] = lgkt_policy_action(policy, s->horizon, x);
    row->cost = NAN;
    if (row->kind == THRESHOLD && status == LGKT_OK)
        status = lgkt_cost_create(r->mdp, row->k, s->horizon, &gamma, NULL, &cost, error);
    if (row->kind == THRESHOLD && status == LGKT_OK)
        status = lgkt_cost_of_policy(cost, policy, NULL, NULL, &row->cost, error);
    lgkt_cost_destroy(cost);
    lgkt_policy_destroy(policy);
    free(value);
    return status;
}

static lgkt_status plan_all(report *r, const settings *s, lgkt_error *error)
{
    r->first_actions = calloc((size_t)lgkt_mdp_states(r->mdp), sizeof *r->first_actions);
    if (r->first_actions == NULL)
        return lgkt_fail_memory(error, "actions");
    lgkt_status status = lgkt_plan_gain(r->mdp, GAIN_TOLERANCE, NULL, &r->gain, NULL, error);
    // a gain that depends on the start has no single value: no failure
    if (status == LGKT_ERR_NO_CONVERGENCE) {
        r->gain = NAN;
        status = LGKT_OK;
    }
    for (int i = 0; i < r->count && status == LGKT_OK; i++)
        status = evaluate(r, s, &r->rows[i], error);
    const double optimum = r->rows[0].value, random = r->rows[r->count - 1].value;
    for (int i = 0; i < r->count; i++) {
        r->rows[i].score = exp_scored(r->rows[i].value, random, optimum);
        r->rows[i].share = exp_share(r->rows[i].value, optimum);
    }
    return status;
}

// ---- printing ----

static void write_outcome(io_json *json, const report *r, const outcome *row, const settings *s)
{
    if (row->k > 0)
        io_json_integer(json, "k", row->k);
    if (row->kind == THRESHOLD)
        io_json_real(json, "gamma", s->threshold);
    io_json_real(json, "value", row->value);
    io_json_real(json, "per_step", row->value / (double)s->horizon);
    if (row->kind == OPTIMAL) {
        io_json_real(json, "gain", r->gain);
        return;
    }
    io_json_real(json, "score", row->score);
    io_json_real(json, "share", row->share);
    if (row->kind == THRESHOLD)
        io_json_real(json, "cost", row->cost);
}

static void write_json(const report *r, const settings *s)
{
    const lgkt_mdp *mdp = r->mdp;
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, lgkt_mdp_hash(mdp));
    io_json json = io_json_start(stdout);
    io_json_open(&json, NULL, IO_JSON_OBJECT);
    io_json_open(&json, "model", IO_JSON_RECORD);
    if (lgkt_io_model_name(r->model) != NULL)
        io_json_text(&json, "name", lgkt_io_model_name(r->model));
    if (lgkt_io_model_comment(r->model) != NULL)
        io_json_text(&json, "comment", lgkt_io_model_comment(r->model));
    io_json_integer(&json, "states", lgkt_mdp_states(mdp));
    io_json_integer(&json, "actions", lgkt_mdp_actions(mdp));
    io_json_text(&json, "noise", io_noise_name(lgkt_mdp_noise(mdp)));
    io_json_real(&json, "noise_sd", lgkt_mdp_noise_sd(mdp));
    io_json_real(&json, "reward_min", lgkt_mdp_reward_min(mdp));
    io_json_real(&json, "reward_max", lgkt_mdp_reward_max(mdp));
    io_json_text(&json, "hash", hash);
    io_json_close(&json);
    io_json_integer(&json, "horizon", s->horizon);
    // a state, or the law as a list
    if (lgkt_mdp_start(mdp) >= 0) {
        io_json_integer(&json, "start", lgkt_mdp_start(mdp));
    } else {
        io_json_open(&json, "start", IO_JSON_LIST);
        for (int32_t x = 0; x < lgkt_mdp_states(mdp); x++)
            io_json_real(&json, NULL, lgkt_mdp_start_law(mdp)[x]);
        io_json_close(&json);
    }
    // optimal and uniform are records, the others lists of them, one for each depth
    static const kind order[] = {OPTIMAL, UNIFORM, GREEDY, THRESHOLD};
    for (int o = 0; o < 4; o++) {
        const bool list = order[o] == GREEDY || order[o] == THRESHOLD;
        if (order[o] == THRESHOLD && isnan(s->threshold))
            continue;
        if (list)
            io_json_open(&json, KIND_NAMES[order[o]], IO_JSON_ARRAY);
        for (int i = 0; i < r->count; i++) {
            if (r->rows[i].kind != order[o])
                continue;
            io_json_open(&json, list ? NULL : KIND_NAMES[order[o]], IO_JSON_RECORD);
            write_outcome(&json, r, &r->rows[i], s);
            io_json_close(&json);
        }
        if (list)
            io_json_close(&json);
    }
    io_json_open(&json, "first_actions", IO_JSON_LIST);
    for (int32_t x = 0; x < lgkt_mdp_states(mdp); x++)
        io_json_integer(&json, NULL, r->first_actions[x]);
    io_json_close(&json);
    io_json_close(&json);
}

static int print_text(const report *r, const settings *s)
{
    // name and comment line by line, as a terminal can take them
    for (int i = 0; i < 2; i++) {
        const char *at = i == 0 ? lgkt_io_model_name(r->model) : lgkt_io_model_comment(r->model);
        while (at != NULL && *at != '\0') {
            char line[SHOWN_TEXT];
            const size_t length = strcspn(at, "\n");
            snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line),
                     at);
            lgkt_text_clean(line, sizeof line, line);
            puts(line);
            at += length + (at[length] == '\n');
        }
    }
    const int32_t states = lgkt_mdp_states(r->mdp), start = lgkt_mdp_start(r->mdp);
    printf("%" PRId32 " states, %" PRId32 " actions, noise %s; %" PRId64 " steps from ", states,
           lgkt_mdp_actions(r->mdp), io_noise_name(lgkt_mdp_noise(r->mdp)), s->horizon);
    if (start >= 0)
        printf("state %" PRId32 "\n", start);
    else
        printf("a random state\n");
    if (isnan(r->gain))
        printf("optimal gain per step: - (it depends on the start)\n\n");
    else
        printf("optimal gain per step: %.9g\n\n", r->gain);

    const bool costs = !isnan(s->threshold);
    cli_table *table = cli_table_create(costs ? "lrrrrrr" : "lrrrrr",
                                        costs ? "policy|k|value|per step|score|share|cost"
                                              : "policy|k|value|per step|score|share");
    for (int i = 0; i < r->count; i++) {
        const outcome *row = &r->rows[i];
        cli_table_cell(table, "%s", KIND_NAMES[row->kind]);
        cli_table_real(table, "%.0f", row->k > 0 ? (double)row->k : NAN);
        cli_table_real(table, "%.9g", row->value);
        cli_table_real(table, "%.9g", row->value / (double)s->horizon);
        cli_table_real(table, "%.2f", row->score);
        cli_table_real(table, "%.2f%%", 100.0 * row->share);
        if (costs)
            cli_table_real(table, "%.9g", row->cost);
    }
    const int code = cli_table_print("plan", table);
    if (states <= SHOWN_ACTIONS) {
        printf("\noptimal first actions by state:");
        for (int32_t x = 0; x < states; x++)
            printf(" %" PRId32, r->first_actions[x]);
        putchar('\n');
    }
    return code;
}

// ---- the command ----

// The model of --mdp or --env.
static lgkt_status load_model(const settings *s, lgkt_io_model **model, lgkt_error *error)
{
    if (s->mdp != NULL)
        return lgkt_io_model_read(s->mdp, NULL, model, error);
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = s->seed;
    config.instance = s->instance;
    lgkt_env *env;
    lgkt_status status = lgkt_io_env_create(s->env, &config, &env, error);
    if (status != LGKT_OK)
        return status;
    if (lgkt_env_model(env) == NULL)
        status = lgkt_fail(error, LGKT_ERR_UNSUPPORTED, "environment %s has no model to plan with",
                           s->env);
    else
        status = lgkt_io_model_create(lgkt_env_model(env), NULL, NULL, NULL, model, error);
    lgkt_env_destroy(env);
    return status;
}

int cmd_plan(int argc, char **argv)
{
    settings s = {.threshold = NAN};
    report r = {0};
    int code = cli_parse(&COMMAND, argc, argv, &s);
    if (code != CLI_CONTINUE)
        return code;
    if ((s.mdp == NULL) == (s.env == NULL))
        return cli_fail("plan", CLI_USAGE, "give one of --mdp FILE and --env SPEC");
    if (s.horizon == 0)
        return cli_fail("plan", CLI_USAGE, "--horizon T is missing");
    // one row for each depth and each of its policies
    r.rows[r.count++].kind = OPTIMAL;
    int depths = 0;
    for (const char *list = s.k; list != NULL; depths++) {
        char text[CLI_VALUE_SIZE], quoted[CLI_QUOTED_SIZE];
        int64_t k;
        if (depths == MAX_DEPTHS || !cli_next_value(&list, text, sizeof text) ||
            !lgkt_integer_parse(text, &k) || k < 1 || (double)k > MAX_HORIZON)
            return cli_fail("plan", CLI_USAGE,
                            "--k is \"%s\"; it must be up to %d whole numbers in 1 .. %.0f, "
                            "separated by commas",
                            cli_quoted(s.k, quoted), MAX_DEPTHS, MAX_HORIZON);
        r.rows[r.count++] = (outcome){.kind = GREEDY, .k = k};
    }
    for (int i = 0; !isnan(s.threshold) && i < depths; i++)
        r.rows[r.count++] = (outcome){.kind = THRESHOLD, .k = r.rows[1 + i].k};
    r.rows[r.count++].kind = UNIFORM;

    cli_watch_silence(true);
    lgkt_error error = {0};
    lgkt_status status = load_model(&s, &r.model, &error);
    if (status == LGKT_OK) {
        r.mdp = lgkt_io_model_mdp(r.model);
        status = plan_all(&r, &s, &error);
    }
    cli_watch_silence(false);
    if (status != LGKT_OK)
        code = cli_fail_error("plan", &error);
    else if (s.json)
        code = (write_json(&r, &s), CLI_OK);
    else
        code = print_text(&r, &s);
    lgkt_io_model_destroy(r.model);
    free(r.first_actions);
    return code;
}
