// SPDX-License-Identifier: MIT
// lgkt plan --average, --discount and --policy: the best policy of a known model by its gain, its
// discounted value or its total, with the interval that holds the true number; and --evaluate, what
// another policy earns.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "io/formats/io_model.h"
#include "io/formats/io_tape.h"
#include "io/plain/io_json.h"
#include "lgkt/plan.h"

enum { SHOWN_COMPONENTS = 20 };

// ---- the work in sight ----

typedef struct watch {
    const atomic_bool *interrupted;
    time_t begin, next;
    bool shown;
} watch;

static int look(void *ctx, const lgkt_plan_progress *progress)
{
    watch *const w = ctx;
    const time_t now = time(NULL);
    if (now - w->begin >= 2 && now >= w->next) {
        const bool terminal = isatty(STDERR_FILENO) == 1;
        fprintf(stderr, "%s%" PRId64 " sweeps, %" PRId64 " policies, known to %.2g%s",
                terminal ? "\r" : "", progress->sweeps, progress->policies, progress->width,
                terminal ? "\033[K" : "\n");
        fflush(stderr);
        w->shown = true;
        w->next = now + (terminal ? 1 : now - w->begin < 60 ? now - w->begin : 60);
    }
    return atomic_load(w->interrupted);
}

// ---- what comes out ----

typedef struct solution {
    const lgkt_mdp *mdp;
    lgkt_plan_result found;
    double value; // from the start law
} solution;

static const char *kind_of(const cli_settings *s)
{
    return s->average ? "average" : s->horizon > 0 ? "horizon" : "discounted";
}

// the lowest state of a component and how many it has
static int32_t look_at(const solution *at, int32_t component, int32_t *states)
{
    int32_t lowest = -1;
    *states = 0;
    for (int32_t x = 0; x < lgkt_mdp_states(at->mdp); x++)
        if (at->found.component[x] == component) {
            lowest = lowest < 0 ? x : lowest;
            (*states)++;
        }
    return lowest;
}

// what the best policy and any other have in common
static void begin_json(io_json *json, const solution *at, const cli_settings *s)
{
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_text(json, "criterion", kind_of(s));
    if (s->horizon > 0)
        io_json_integer(json, "horizon", s->horizon);
    else if (!s->average)
        io_json_real(json, "discount", s->discount);
    io_json_integer(json, "states", lgkt_mdp_states(at->mdp));
    io_json_integer(json, "actions", lgkt_mdp_actions(at->mdp));
    if (s->average)
        io_json_real(json, "gain", at->found.differs ? NAN : at->value);
    io_json_real(json, "value", at->value);
}

static void write_json(const solution *at, const cli_settings *s)
{
    const lgkt_plan_result *const found = &at->found;
    io_json json = {.out = stdout};
    begin_json(&json, at, s);
    io_json_open(&json, "interval", IO_JSON_LIST);
    io_json_real(&json, NULL, at->value - found->below);
    io_json_real(&json, NULL, at->value + found->above);
    io_json_close(&json);
    for (int32_t c = 0, states; s->average && c < found->components; c++) {
        if (c == 0)
            io_json_open(&json, "components", IO_JSON_ARRAY);
        const int32_t lowest = look_at(at, c, &states);
        io_json_open(&json, NULL, IO_JSON_RECORD);
        io_json_integer(&json, "lowest", lowest);
        io_json_integer(&json, "states", states);
        io_json_real(&json, "gain", found->value[lowest]);
        io_json_close(&json);
        if (c + 1 == found->components)
            io_json_close(&json);
    }
    io_json_integer(&json, "sweeps", found->sweeps);
    io_json_integer(&json, "policies", found->policies);
    io_json_integer(&json, "limited", found->limited);
    io_json_close(&json);
}

static lgkt_status print_text(const solution *at, const cli_settings *s, lgkt_error *error)
{
    const lgkt_plan_result *const found = &at->found;
    printf("%" PRId32 " states, %" PRId32 " actions\n", lgkt_mdp_states(at->mdp),
           lgkt_mdp_actions(at->mdp));
    if (s->average)
        printf("optimal gain per step: %.15g, known to %.2g\n", at->value,
               found->below + found->above);
    else
        printf("optimal value at discount %.15g: %.15g, known to %.2g\n", s->discount, at->value,
               found->below + found->above);
    printf("%" PRId64 " sweeps, %" PRId64 " policies evaluated\n", found->sweeps, found->policies);
    if (found->limited)
        puts("elimination would take more memory or time than allowed: sweeps only");
    if (!found->differs)
        return LGKT_OK;
    puts("\nThe gain depends on the start; above is its mean over the start law.");
    io_memory table = {0};
    io_memory_print(&table, "component\tlowest state\tstates\tgain\n");
    for (int32_t c = 0, states; c < found->components && c < SHOWN_COMPONENTS; c++) {
        const int32_t lowest = look_at(at, c, &states);
        io_memory_print(&table, "%" PRId32 "\t%" PRId32 "\t%" PRId32 "\t%.15g\n", c, lowest, states,
                        found->value[lowest]);
    }
    LGKT_TRY(cli_table_print(&table, "rrrr", error));
    if (found->components > SHOWN_COMPONENTS)
        printf("and %" PRId32 " more; --json has all\n", found->components - SHOWN_COMPONENTS);
    return LGKT_OK;
}

static lgkt_status write_policy(const solution *at, const char *path, lgkt_error *error)
{
    io_output output = {0};
    LGKT_TRY(cli_output_open(path, &output, error));
    fputs("state,action,value\n", output.stream);
    for (int32_t x = 0; x < lgkt_mdp_states(at->mdp); x++)
        fprintf(output.stream, "%" PRId32 ",%" PRId32 ",%.17g\n", x, at->found.policy[x],
                at->found.value[x]);
    const lgkt_status status = io_output_commit(&output, error);
    io_output_discard(&output);
    return status;
}

static double from_start(const solution *at)
{
    const double *const law = lgkt_mdp_start_law(at->mdp);
    double sum = 0;
    for (int32_t x = 0; x < lgkt_mdp_states(at->mdp); x++)
        sum += law[x] > 0 ? law[x] * at->found.value[x] : 0;
    return sum;
}

static lgkt_status find(solution *at, const cli_settings *s, lgkt_error *error)
{
    watch w = {cli_watch_interrupts(), time(NULL), 0, false};
    lgkt_plan_config config = lgkt_plan_config_default();
    config.progress = look;
    config.ctx = &w;
    lgkt_status status;
    if (s->average)
        status = lgkt_plan_average(at->mdp, &config, &at->found, error);
    else if (s->horizon > 0)
        status = lgkt_plan_horizon(at->mdp, s->horizon, &config, &at->found, error);
    else
        status = lgkt_plan_discounted(at->mdp, s->discount, &config, &at->found, error);
    if (w.shown && isatty(STDERR_FILENO) == 1)
        fputs("\r\033[K", stderr);
    if (status == LGKT_OK && at->found.stopped)
        status = lgkt_fail(error, CLI_INTERRUPTED, "interrupted");
    at->value = from_start(at);
    return status;
}

lgkt_status cli_plan_value(const cli_settings *s, const lgkt_mdp *mdp, lgkt_error *error)
{
    const size_t states = (size_t)lgkt_mdp_states(mdp);
    solution at = {.mdp = mdp};
    at.found.value = calloc(states, sizeof *at.found.value);
    at.found.policy = calloc(states, sizeof *at.found.policy);
    at.found.component = calloc(states, sizeof *at.found.component);
    lgkt_status status = LGKT_OK;
    if (at.found.value == NULL || at.found.policy == NULL || at.found.component == NULL)
        status = lgkt_fail_memory(error, "actions and values");
    if (status == LGKT_OK)
        status = find(&at, s, error);
    if (status == LGKT_OK && s->policy != NULL)
        status = write_policy(&at, s->policy, error);
    if (status == LGKT_OK && s->horizon == 0) {
        if (s->json)
            write_json(&at, s);
        else
            status = print_text(&at, s, error);
    }
    free(at.found.value);
    free(at.found.policy);
    free(at.found.component);
    return status;
}

// ---- what another policy earns ----

static void print_law(const solution *at, const cli_settings *s)
{
    if (s->json) {
        io_json json = {.out = stdout};
        begin_json(&json, at, s);
        io_json_open(&json, "values", IO_JSON_LIST);
        for (int32_t x = 0; x < lgkt_mdp_states(at->mdp); x++)
            io_json_real(&json, NULL, at->found.value[x]);
        io_json_close(&json);
        io_json_close(&json);
        return;
    }
    printf("%" PRId32 " states, %" PRId32 " actions\n", lgkt_mdp_states(at->mdp),
           lgkt_mdp_actions(at->mdp));
    if (s->average)
        printf("gain per step: %.15g\n", at->value);
    else if (s->horizon > 0)
        printf("value of %" PRId64 " steps: %.15g\n", s->horizon, at->value);
    else
        printf("value at discount %.15g: %.15g\n", s->discount, at->value);
    if (at->found.differs)
        puts("The gain depends on the start; above is its mean over the start law.");
}

lgkt_status cli_plan_law(const cli_settings *s, const lgkt_mdp *mdp, lgkt_error *error)
{
    const size_t states = (size_t)lgkt_mdp_states(mdp), actions = (size_t)lgkt_mdp_actions(mdp);
    solution at = {.mdp = mdp};
    lgkt_policy *policy = NULL;
    double *const law = calloc(states * actions, sizeof *law);
    double *const value = calloc(2 * states, sizeof *value);
    lgkt_status status = LGKT_OK;
    cli_watch_silence(true);
    if (law == NULL || value == NULL)
        status = lgkt_fail_memory(error, "probabilities and values");
    if (status == LGKT_OK)
        status = io_law_read(s->evaluate, (int32_t)states, (int32_t)actions, law, error);
    if (status == LGKT_OK)
        status = lgkt_policy_law(mdp, s->average || s->horizon == 0 ? 1 : s->horizon, law, NULL,
                                 &policy, error);
    if (status == LGKT_OK)
        status = s->average       ? lgkt_policy_average(policy, NULL, value, value + states, error)
                 : s->horizon > 0 ? lgkt_policy_value(policy, NULL, value, error)
                                  : lgkt_policy_discounted(policy, s->discount, NULL, value, error);
    cli_watch_silence(false);
    if (status == LGKT_OK) {
        at.found.value = value;
        at.value = from_start(&at);
        double least = value[0], most = value[0];
        for (size_t x = 0; x < states; x++) {
            least = fmin(least, value[x]);
            most = fmax(most, value[x]);
        }
        at.found.differs = s->average && most - least > 1e-12 * fmax(fabs(least), fabs(most));
        print_law(&at, s);
    }
    lgkt_policy_destroy(policy);
    free(law);
    free(value);
    return status;
}
