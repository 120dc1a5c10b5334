// SPDX-License-Identifier: MIT
// lgkt plan: what is possible on a known model, exactly. Values are expected totals of T steps from
// the model's start law; the ratio is to the optimum, the cost is what falls short of the
// threshold.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "io/io_env.h"
#include "io/io_json.h"
#include "io/io_model.h"
#include "io/io_text.h"
#include "lgkt/plan.h"
#include "output.h"

enum { MAX_DEPTHS = 64, DIGITS = 9, SHOWN_ACTIONS = 64 };
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

// One policy and what it is worth.
typedef struct outcome {
    int64_t k; // 0: it has no depth
    double value, ratio;
    double cost; // NaN: no threshold
} outcome;

typedef struct report {
    const lgkt_mdp *mdp; // borrowed
    double gain;         // NaN: it depends on the start
    outcome optimal, uniform;
    outcome greedy[MAX_DEPTHS], threshold[MAX_DEPTHS];
    int64_t depths[MAX_DEPTHS];
    int count;              // of depths
    int32_t *first_actions; // (S) optimal with T to go
} report;

// The value from the start law, and the ratio to `optimum` (NaN: it is the optimum itself).
static lgkt_status evaluate(const report *r, const lgkt_policy *policy, double optimum,
                            outcome *result, lgkt_error *error)
{
    const int32_t states = lgkt_mdp_states(r->mdp);
    const double *start = lgkt_mdp_start_law(r->mdp);
    double *value = calloc((size_t)states, sizeof *value); // (S)
    if (value == NULL)
        return io_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    const lgkt_status status = lgkt_policy_value(policy, NULL, value, error);
    double total = 0.0;
    for (int32_t s = 0; s < states; s++)
        total += start[s] > 0.0 ? start[s] * value[s] : 0.0;
    free(value);
    *result =
        (outcome){.value = total, .ratio = optimum != 0.0 ? total / optimum : NAN, .cost = NAN};
    return status;
}

static lgkt_status plan_optimal(report *r, const settings *s, lgkt_error *error)
{
    lgkt_policy *policy = NULL;
    lgkt_status status =
        lgkt_policy_optimal(r->mdp, s->horizon, (lgkt_ties)s->ties, NULL, &policy, error);
    if (status == LGKT_OK)
        status = evaluate(r, policy, NAN, &r->optimal, error);
    if (status == LGKT_OK) {
        r->first_actions = calloc((size_t)lgkt_mdp_states(r->mdp), sizeof *r->first_actions);
        if (r->first_actions == NULL)
            status = io_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    }
    for (int32_t x = 0; status == LGKT_OK && x < lgkt_mdp_states(r->mdp); x++)
        r->first_actions[x] = lgkt_policy_action(policy, s->horizon, x);
    lgkt_policy_destroy(policy);
    r->optimal.ratio = r->optimal.value != 0.0 ? 1.0 : NAN;
    return status;
}

// A gain that depends on the start has no single value: no failure.
static lgkt_status plan_gain(report *r, lgkt_error *error)
{
    const lgkt_status status = lgkt_plan_gain(r->mdp, GAIN_TOLERANCE, NULL, &r->gain, NULL, error);
    if (status == LGKT_ERR_NO_CONVERGENCE)
        r->gain = NAN;
    return status == LGKT_ERR_NO_CONVERGENCE ? LGKT_OK : status;
}

static lgkt_status plan_uniform(report *r, const settings *s, lgkt_error *error)
{
    lgkt_policy *policy = NULL;
    lgkt_status status = lgkt_policy_uniform(r->mdp, s->horizon, NULL, &policy, error);
    if (status == LGKT_OK)
        status = evaluate(r, policy, r->optimal.value, &r->uniform, error);
    lgkt_policy_destroy(policy);
    return status;
}

static lgkt_status plan_greedy(const report *r, const settings *s, int64_t k, outcome *result,
                               lgkt_error *error)
{
    lgkt_policy *policy = NULL;
    lgkt_status status =
        lgkt_policy_greedy(r->mdp, k, s->horizon, (lgkt_ties)s->ties, NULL, &policy, error);
    if (status == LGKT_OK)
        status = evaluate(r, policy, r->optimal.value, result, error);
    result->k = k;
    lgkt_policy_destroy(policy);
    return status;
}

static lgkt_status plan_threshold(const report *r, const settings *s, int64_t k, outcome *result,
                                  lgkt_error *error)
{
    const lgkt_threshold gamma = {.constant = s->threshold};
    lgkt_policy *policy = NULL;
    lgkt_cost *cost = NULL;
    lgkt_status status = lgkt_policy_threshold(r->mdp, k, s->horizon, &gamma, NULL, &policy, error);
    if (status == LGKT_OK)
        status = lgkt_cost_create(r->mdp, k, s->horizon, &gamma, NULL, &cost, error);
    if (status == LGKT_OK)
        status = evaluate(r, policy, r->optimal.value, result, error);
    if (status == LGKT_OK)
        status = lgkt_cost_of_policy(cost, policy, NULL, NULL, &result->cost, error);
    result->k = k;
    lgkt_cost_destroy(cost);
    lgkt_policy_destroy(policy);
    return status;
}

static lgkt_status plan_all(report *r, const settings *s, lgkt_error *error)
{
    lgkt_status status = plan_optimal(r, s, error);
    if (status == LGKT_OK)
        status = plan_gain(r, error);
    if (status == LGKT_OK)
        status = plan_uniform(r, s, error);
    for (int i = 0; status == LGKT_OK && i < r->count; i++)
        status = plan_greedy(r, s, r->depths[i], &r->greedy[i], error);
    for (int i = 0; status == LGKT_OK && !isnan(s->threshold) && i < r->count; i++)
        status = plan_threshold(r, s, r->depths[i], &r->threshold[i], error);
    return status;
}

// ---- JSON ----

static const char *noise_name(const lgkt_mdp *mdp)
{
    static const char *const names[] = {"none", "normal", "bernoulli", "drifting"};
    return names[lgkt_mdp_noise(mdp)];
}

static void write_model(io_json *json, const lgkt_mdp *mdp)
{
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, lgkt_mdp_hash(mdp));
    io_json_open(json, "model", IO_JSON_RECORD);
    io_json_integer(json, "states", lgkt_mdp_states(mdp));
    io_json_integer(json, "actions", lgkt_mdp_actions(mdp));
    io_json_text(json, "noise", noise_name(mdp));
    io_json_real(json, "noise_sd", lgkt_mdp_noise_sd(mdp));
    io_json_real(json, "reward_min", lgkt_mdp_reward_min(mdp));
    io_json_real(json, "reward_max", lgkt_mdp_reward_max(mdp));
    io_json_text(json, "hash", hash);
    io_json_close(json);
}

// A state, or the law as a list.
static void write_start(io_json *json, const lgkt_mdp *mdp)
{
    if (lgkt_mdp_start(mdp) >= 0) {
        io_json_integer(json, "start", lgkt_mdp_start(mdp));
        return;
    }
    io_json_open(json, "start", IO_JSON_LIST);
    for (int32_t s = 0; s < lgkt_mdp_states(mdp); s++)
        io_json_real(json, NULL, lgkt_mdp_start_law(mdp)[s]);
    io_json_close(json);
}

static void write_value(io_json *json, const outcome *result, int64_t horizon)
{
    io_json_real(json, "value", result->value);
    io_json_real(json, "per_step", result->value / (double)horizon);
}

static void write_outcome(io_json *json, const outcome *result, int64_t horizon)
{
    write_value(json, result, horizon);
    io_json_real(json, "ratio", result->ratio);
}

// One record per depth; with `gamma` and the cost if there is a threshold.
static void write_depths(io_json *json, const char *key, const report *r, const outcome *results,
                         const settings *s)
{
    io_json_open(json, key, IO_JSON_ARRAY);
    for (int i = 0; i < r->count; i++) {
        io_json_open(json, NULL, IO_JSON_RECORD);
        io_json_integer(json, "k", results[i].k);
        if (results == r->threshold)
            io_json_real(json, "gamma", s->threshold);
        write_outcome(json, &results[i], s->horizon);
        if (results == r->threshold)
            io_json_real(json, "cost", results[i].cost);
        io_json_close(json);
    }
    io_json_close(json);
}

static void write_json(const report *r, const settings *s)
{
    io_json json = io_json_start(stdout);
    io_json_open(&json, NULL, IO_JSON_OBJECT);
    write_model(&json, r->mdp);
    io_json_integer(&json, "horizon", s->horizon);
    write_start(&json, r->mdp);
    io_json_open(&json, "optimal", IO_JSON_RECORD);
    write_value(&json, &r->optimal, s->horizon);
    io_json_real(&json, "gain", r->gain);
    io_json_close(&json);
    io_json_open(&json, "uniform", IO_JSON_RECORD);
    write_outcome(&json, &r->uniform, s->horizon);
    io_json_close(&json);
    write_depths(&json, "greedy", r, r->greedy, s);
    if (!isnan(s->threshold))
        write_depths(&json, "threshold", r, r->threshold, s);
    io_json_open(&json, "first_actions", IO_JSON_LIST);
    for (int32_t x = 0; x < lgkt_mdp_states(r->mdp); x++)
        io_json_integer(&json, NULL, r->first_actions[x]);
    io_json_close(&json);
    io_json_close(&json);
}

// ---- text ----

static void add_row(cli_table *table, const char *name, const outcome *result, const settings *s)
{
    cli_table_cell(table, "%s", name);
    if (result->k > 0)
        cli_table_cell(table, "%" PRId64, result->k);
    else
        cli_table_cell(table, "-");
    cli_table_real(table, result->value, DIGITS);
    cli_table_real(table, result->value / (double)s->horizon, DIGITS);
    cli_table_real(table, result->ratio, DIGITS);
    if (!isnan(s->threshold))
        cli_table_real(table, result->cost, DIGITS);
}

static void print_head(const report *r, const settings *s)
{
    const int32_t start = lgkt_mdp_start(r->mdp);
    printf("%" PRId32 " states, %" PRId32 " actions, noise %s; %" PRId64 " steps from ",
           lgkt_mdp_states(r->mdp), lgkt_mdp_actions(r->mdp), noise_name(r->mdp), s->horizon);
    if (start >= 0)
        printf("state %" PRId32 "\n", start);
    else
        printf("a random state\n");
    if (isnan(r->gain))
        printf("optimal gain per step: - (it depends on the start)\n\n");
    else
        printf("optimal gain per step: %.*g\n\n", DIGITS, r->gain);
}

static void print_actions(const report *r)
{
    const int32_t states = lgkt_mdp_states(r->mdp);
    if (states > SHOWN_ACTIONS)
        return;
    printf("\noptimal first actions by state:");
    for (int32_t x = 0; x < states; x++)
        printf(" %" PRId32, r->first_actions[x]);
    printf("\n");
}

static bool print_text(const report *r, const settings *s)
{
    static const char *const headings[] = {"policy", "k", "value", "per step", "ratio", "cost"};
    const bool costs = !isnan(s->threshold);
    cli_table *table = cli_table_create(costs ? "lrrrrr" : "lrrrr");
    for (int i = 0; i < (costs ? 6 : 5); i++)
        cli_table_cell(table, "%s", headings[i]);
    add_row(table, "optimal", &r->optimal, s);
    for (int i = 0; i < r->count; i++)
        add_row(table, "greedy", &r->greedy[i], s);
    for (int i = 0; costs && i < r->count; i++)
        add_row(table, "threshold", &r->threshold[i], s);
    add_row(table, "uniform", &r->uniform, s);
    print_head(r, s);
    const bool good = cli_table_print(table, stdout);
    cli_table_destroy(table);
    print_actions(r);
    return good;
}

// ---- the command ----

// The model of --mdp or --env, retained.
static lgkt_status load_model(const settings *s, const lgkt_mdp **mdp, lgkt_error *error)
{
    if (s->mdp != NULL) {
        lgkt_mdp *read;
        const lgkt_status status = io_model_read(s->mdp, NULL, &read, error);
        *mdp = status == LGKT_OK ? read : NULL;
        return status;
    }
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = s->seed;
    config.instance = s->instance;
    lgkt_env *env;
    lgkt_status status = io_env_create(s->env, &config, &env, error);
    if (status != LGKT_OK)
        return status;
    if (lgkt_env_model(env) == NULL)
        status = io_fail(error, LGKT_ERR_UNSUPPORTED, "environment %s has no model to plan with",
                         s->env);
    else
        *mdp = lgkt_mdp_retain(lgkt_env_model(env));
    lgkt_env_destroy(env);
    return status;
}

static int check_settings(const settings *s, report *r)
{
    if ((s->mdp == NULL) == (s->env == NULL))
        return cli_fail("plan", CLI_USAGE, "give one of --mdp FILE and --env SPEC");
    if (s->horizon == 0)
        return cli_fail("plan", CLI_USAGE, "--horizon T is missing");
    r->count = cli_integers(&COMMAND, "k", s->k, 1, (int64_t)MAX_HORIZON, r->depths, MAX_DEPTHS);
    return r->count < 0 ? CLI_USAGE : CLI_CONTINUE;
}

int cmd_plan(int argc, char **argv)
{
    settings s = {.threshold = NAN};
    report r = {0};
    int code = cli_parse(&COMMAND, argc, argv, &s);
    if (code == CLI_CONTINUE)
        code = check_settings(&s, &r);
    if (code != CLI_CONTINUE)
        return code;
    lgkt_error error = {0};
    lgkt_status status = load_model(&s, &r.mdp, &error);
    if (status == LGKT_OK)
        status = plan_all(&r, &s, &error);
    code = status == LGKT_OK ? CLI_OK : cli_fail_error("plan", &error);
    if (code == CLI_OK && s.json)
        write_json(&r, &s);
    else if (code == CLI_OK && !print_text(&r, &s))
        code = cli_fail("plan", CLI_FAILED, "out of memory");
    lgkt_mdp_destroy(r.mdp);
    free(r.first_actions);
    return code == CLI_OK ? cli_finish("plan", code) : code;
}
