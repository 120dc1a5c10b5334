// SPDX-License-Identifier: MIT
// lgkt plan: what is possible on a known model, exactly. Values are expected totals of T steps from
// the model's start law; the score is 0 for uniform play and 100 for the optimum, the share is of
// the optimum, the cost is what falls short of the threshold.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "core/number.h"
#include "core/text.h"
#include "experiments/runner/statistics.h"
#include "io/plain/io_json.h"
#include "io/formats/io_model.h"
#include "lgkt/plan.h"

enum { MAX_DEPTHS = 64, MAX_ROWS = 2 * MAX_DEPTHS + 2, SHOWN_ACTIONS = 64, SHOWN_TEXT = 500 };
#define MAX_HORIZON 1e9

// ---- what is computed ----

// optimal and uniform are one policy each, the others one for each depth
typedef enum kind { OPTIMAL, UNIFORM, GREEDY, THRESHOLD } kind;

static const char *const KIND_NAMES[] = {"optimal", "uniform", "greedy", "threshold"};

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
    int count;              // of rows, in the order of their kinds
    int32_t *first_actions; // (S) optimal with T to go
    double *value;          // (S) of the policy at hand
} report;

static lgkt_status make_policy(const report *r, const cli_settings *s, const outcome *row,
                               lgkt_policy **policy, lgkt_error *error)
{
    switch (row->kind) {
    case OPTIMAL:
        return lgkt_policy_optimal(r->mdp, s->horizon, LGKT_TIES_LOW, NULL, policy, error);
    case UNIFORM:
        return lgkt_policy_uniform(r->mdp, s->horizon, NULL, policy, error);
    case GREEDY:
        return lgkt_policy_greedy(r->mdp, row->k, s->horizon, LGKT_TIES_LOW, NULL, policy, error);
    default:
        return lgkt_policy_threshold(r->mdp, row->k, s->horizon,
                                     &(lgkt_threshold){.constant = s->threshold}, NULL, policy,
                                     error);
    }
}

// The value of a policy from the start law, and its cost; the score and the share are computed when
// all values are known.
static lgkt_status evaluate(const report *r, const cli_settings *s, const lgkt_policy *policy,
                            outcome *row, lgkt_error *error)
{
    const int32_t states = lgkt_mdp_states(r->mdp);
    const double *start = lgkt_mdp_start_law(r->mdp);
    LGKT_TRY(lgkt_policy_value(policy, NULL, r->value, error));
    for (int32_t x = 0; x < states; x++)
        row->value += start[x] > 0.0 ? start[x] * r->value[x] : 0.0;
    for (int32_t x = 0; row->kind == OPTIMAL && x < states; x++)
        r->first_actions[x] = lgkt_policy_action(policy, s->horizon, x);
    row->cost = NAN;
    if (row->kind != THRESHOLD)
        return LGKT_OK;
    const lgkt_threshold gamma = {.constant = s->threshold};
    lgkt_cost *cost;
    LGKT_TRY(lgkt_cost_create(r->mdp, row->k, s->horizon, &gamma, NULL, &cost, error));
    const lgkt_status status = lgkt_cost_of_policy(cost, policy, NULL, NULL, &row->cost, error);
    lgkt_cost_destroy(cost);
    return status;
}

static lgkt_status plan_all(report *r, const cli_settings *s, lgkt_error *error)
{
    const size_t states = (size_t)lgkt_mdp_states(r->mdp);
    r->first_actions = calloc(states, sizeof *r->first_actions);
    r->value = calloc(states, sizeof *r->value);
    if (r->first_actions == NULL || r->value == NULL)
        return lgkt_fail_memory(error, "actions and values");
    // a gain that depends on the start has no single value
    lgkt_plan_result found = {.value = r->value};
    // as near as lgkt_plan_gain is asked to come by all others
    lgkt_plan_config config = lgkt_plan_config_default();
    const double size = fmax(fabs(lgkt_mdp_reward_min(r->mdp)), fabs(lgkt_mdp_reward_max(r->mdp)));
    config.tolerance = 1e-12 / fmax(size, 1e-10);
    LGKT_TRY(lgkt_plan_average(r->mdp, &config, &found, error));
    r->gain = found.differs ? NAN : r->value[0];
    for (int i = 0; i < r->count; i++) {
        lgkt_policy *policy;
        LGKT_TRY(make_policy(r, s, &r->rows[i], &policy, error));
        const lgkt_status status = evaluate(r, s, policy, &r->rows[i], error);
        lgkt_policy_destroy(policy);
        LGKT_TRY(status);
    }
    const double optimum = r->rows[OPTIMAL].value, random = r->rows[UNIFORM].value;
    for (int i = 0; i < r->count; i++) {
        r->rows[i].score = exp_scored(r->rows[i].value, random, optimum);
        r->rows[i].share = exp_share(r->rows[i].value, optimum);
    }
    return LGKT_OK;
}

// ---- printing ----

static void write_json(const report *r, const cli_settings *s)
{
    const lgkt_mdp *mdp = r->mdp;
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, lgkt_mdp_hash(mdp));
    io_json json = {.out = stdout};
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
    for (int i = 0; i < r->count; i++) {
        const outcome *row = &r->rows[i];
        const kind is = row->kind;
        const bool list = is == GREEDY || is == THRESHOLD;
        if (list && row[-1].kind != is)
            io_json_open(&json, KIND_NAMES[is], IO_JSON_ARRAY);
        io_json_open(&json, list ? NULL : KIND_NAMES[is], IO_JSON_RECORD);
        if (row->k > 0)
            io_json_integer(&json, "k", row->k);
        if (is == THRESHOLD)
            io_json_real(&json, "gamma", s->threshold);
        io_json_real(&json, "value", row->value);
        io_json_real(&json, "per_step", row->value / (double)s->horizon);
        if (is == OPTIMAL) {
            io_json_real(&json, "gain", r->gain);
        } else {
            io_json_real(&json, "score", row->score);
            io_json_real(&json, "share", row->share);
        }
        if (is == THRESHOLD)
            io_json_real(&json, "cost", row->cost);
        io_json_close(&json);
        if (list && (i + 1 == r->count || row[1].kind != is))
            io_json_close(&json);
    }
    io_json_open(&json, "first_actions", IO_JSON_LIST);
    for (int32_t x = 0; x < lgkt_mdp_states(mdp); x++)
        io_json_integer(&json, NULL, r->first_actions[x]);
    io_json_close(&json);
    io_json_close(&json);
}

static lgkt_status print_text(const report *r, const cli_settings *s, lgkt_error *error)
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
    char from[24] = "a random state", gain[32] = "- (it depends on the start)";
    if (start >= 0)
        snprintf(from, sizeof from, "state %" PRId32, start);
    if (!isnan(r->gain))
        snprintf(gain, sizeof gain, "%.9g", r->gain);
    printf("%" PRId32 " states, %" PRId32 " actions, noise %s; %" PRId64 " steps from %s\n"
           "optimal gain per step: %s\n\n",
           states, lgkt_mdp_actions(r->mdp), io_noise_name(lgkt_mdp_noise(r->mdp)), s->horizon,
           from, gain);

    const bool costs = !isnan(s->threshold);
    io_memory table = {0};
    io_memory_print(&table, "policy\tk\tvalue\tper step\tscore\tshare%s\n", costs ? "\tcost" : "");
    for (int i = 0; i < r->count; i++) {
        // uniform play comes last
        const outcome *row = &r->rows[i == 0 ? OPTIMAL : i + 1 < r->count ? i + 1 : UNIFORM];
        io_memory_print(&table, "%s\t%.0f\t%.9g\t%.9g\t%.2f\t%.2f%%", KIND_NAMES[row->kind],
                        row->k > 0 ? (double)row->k : NAN, row->value,
                        row->value / (double)s->horizon, row->score, 100.0 * row->share);
        if (costs)
            io_memory_print(&table, "\t%.9g", row->cost);
        io_memory_print(&table, "\n");
    }
    LGKT_TRY(cli_table_print(&table, costs ? "lrrrrrr" : "lrrrrr", error));
    if (states > SHOWN_ACTIONS)
        return LGKT_OK;
    printf("\noptimal first actions by state:");
    for (int32_t x = 0; x < states; x++)
        printf(" %" PRId32, r->first_actions[x]);
    putchar('\n');
    return LGKT_OK;
}

// ---- the command ----

// The model of --mdp or --env.
static lgkt_status load_model(const cli_settings *s, lgkt_io_model **model, lgkt_error *error)
{
    if (s->mdp != NULL)
        return lgkt_io_model_read(s->mdp, NULL, model, error);
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = s->seed.value;
    config.instance = s->instance.value;
    lgkt_env *env;
    LGKT_TRY(lgkt_io_env_create(s->env, &config, &env, error));
    const lgkt_status status =
        lgkt_env_model(env) != NULL
            ? lgkt_io_model_create(lgkt_env_model(env), NULL, NULL, NULL, model, error)
            : lgkt_fail(error, LGKT_ERR_UNSUPPORTED, "environment %s has no model to plan with",
                        s->env);
    lgkt_env_destroy(env);
    return status;
}

// by gain or discounted value
static lgkt_status plan_value(const cli_settings *s, lgkt_error *error)
{
    lgkt_io_model *model;
    if (!isnan(s->threshold))
        return lgkt_fail(error, CLI_USAGE,
                         s->evaluate != NULL ? "--threshold does not go with --evaluate"
                                             : "--threshold goes with --horizon");
    if (s->evaluate != NULL && s->policy != NULL)
        return lgkt_fail(error, CLI_USAGE,
                         "--policy writes the best policy; --evaluate looks at another one");
    LGKT_TRY(load_model(s, &model, error));
    const lgkt_mdp *const mdp = lgkt_io_model_mdp(model);
    const lgkt_status status =
        s->evaluate != NULL ? cli_plan_law(s, mdp, error) : cli_plan_value(s, mdp, error);
    lgkt_io_model_destroy(model);
    return status;
}

lgkt_status cmd_plan(cli_settings *s, lgkt_error *error)
{
    report r = {.rows = {{.kind = OPTIMAL}, {.kind = UNIFORM}}, .count = 2};
    char text[128], quoted[CLI_QUOTED_SIZE];
    if ((s->mdp == NULL) == (s->env == NULL))
        return lgkt_fail(error, CLI_USAGE, "give one of --mdp FILE and --env SPEC");
    const int kinds = (s->horizon > 0) + s->average + !isnan(s->discount);
    if (kinds != 1)
        return lgkt_fail(error, CLI_USAGE, "give %sone of --horizon T, --average and --discount G",
                         kinds == 0 ? "" : "only ");
    if (s->horizon == 0 || s->evaluate != NULL)
        return plan_value(s, error);
    // one row for each depth and each of its policies
    for (const char *at = s->k; at != NULL; at = strchr(at, ','), at += at != NULL) {
        int64_t k;
        snprintf(text, sizeof text, "%.*s", (int)strcspn(at, ","), at);
        if (r.count == 2 + MAX_DEPTHS || !lgkt_integer_parse(text, &k) || k < 1 ||
            (double)k > MAX_HORIZON)
            return lgkt_fail(error, CLI_USAGE,
                             "--k is \"%s\"; it must be up to %d whole numbers in 1 .. %.0f, "
                             "separated by commas",
                             cli_quoted(s->k, quoted), MAX_DEPTHS, MAX_HORIZON);
        r.rows[r.count++] = (outcome){.kind = GREEDY, .k = k};
    }
    for (int i = 2, end = r.count; !isnan(s->threshold) && i < end; i++)
        r.rows[r.count++] = (outcome){.kind = THRESHOLD, .k = r.rows[i].k};

    cli_watch_silence(true);
    lgkt_status status = load_model(s, &r.model, error);
    if (status == LGKT_OK) {
        r.mdp = lgkt_io_model_mdp(r.model);
        status = plan_all(&r, s, error);
    }
    cli_watch_silence(false);
    if (status == LGKT_OK && s->policy != NULL)
        status = cli_plan_value(s, r.mdp, error);
    if (status == LGKT_OK && s->json)
        write_json(&r, s);
    else if (status == LGKT_OK)
        status = print_text(&r, s, error);
    lgkt_io_model_destroy(r.model);
    free(r.first_actions);
    free(r.value);
    return status;
}
