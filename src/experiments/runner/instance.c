// SPDX-License-Identifier: MIT
// All learners on one instance: learners over the instance, steps over a learner.
//
//   - Learners on one instance get trajectories with the same noise (see lgkt/env.h), so their
//     differences are paired. The environment and its optimum are made once per instance.
//   - Each learner spec is made once before all; those that play share its O(T) tables.
//   - Steps run in blocks of BLOCK, cut at checkpoints. Sums are plain inside a block and
//     compensated over blocks; cutting a block does not change its sum, so a curve does not change
//     the results, and its last point is the result.
//   - A run looks at the signals between blocks.
//
// Regret to the K-step thresholding policy (formula (4) of the paper, with the learner in its first
// term), on one instance from its start state s_0:
//
//     sum_t c_t(s_t, a_t)  -  E sum_t c_t of the thresholding policy from s_0
//     c_t(s,a) = max(0, gamma - Q_{min(h,K)}(s,a)),   h = T - t
//
// The first sum is over the pairs that were played, the second number is exact: a backward
// recursion for the whole run, and for its first t steps a forward walk over the laws mu_t of the
// state. Cost: one lookup per step played (exp_play); once per instance the planning, and up to T S
// lookups if there are checkpoints.
#include "experiments/runner/instance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "core/text.h"
#include "experiments/runner/statistics.h"
#include "io/plain/io_folder.h"
#include "lgkt/spec.h"

#define BLOCK        512
#define SHARED_BYTES ((size_t)1 << 26) // of learners that are there to share their tables

const char *const exp_measure_words[] = {"average",      "cumulative", "regret", "ratio",
                                         "counter:NAME", "event:NAME", NULL};

bool exp_measure_parse(const char *word, exp_measure *measure)
{
    const char *colon = strchr(word, ':');
    const char *name = colon != NULL && colon[1] != '\0' ? colon + 1 : NULL;
    const size_t length = name != NULL ? (size_t)(name - word) : strlen(word) + 1;
    for (int kind = 0; exp_measure_words[kind] != NULL; kind++)
        if (strncmp(word, exp_measure_words[kind], length) == 0) {
            *measure = (exp_measure){(exp_measure_kind)kind, word, name};
            return true;
        }
    return false;
}

const exp_measure exp_usual_measures[2] = {
    {EXP_MEASURE_AVERAGE, "average", NULL},
    {EXP_MEASURE_REGRET, "regret", NULL},
};

bool exp_halted(const exp_signals *signals, int64_t task)
{
    return (signals->stop != NULL && atomic_load(signals->stop)) ||
           atomic_load(&signals->failed) < task + 1;
}

// An instance that is played, with what its runs are held against besides rewards.
typedef struct instance {
    const exp_setup *setup;
    int64_t number, task;
    exp_signals *signals;
    lgkt_env *env;
    lgkt_env *events[EXP_MAX_MEASURES]; // by measure
    exp_worth worths[EXP_MAX_MEASURES]; // by measure: the cost that makes regret, and events
    int32_t worth_count;                // 0: there are none; else that of the measures
    lgkt_cost *cost;                    // c_t(s,a); NULL: no regret
    double total;                       // what the thresholding policy is expected to cost
    double *by; // (checkpoint_count) the same for the steps before each checkpoint
} instance;

static void close_instance(instance *at)
{
    lgkt_cost_destroy(at->cost);
    free(at->by);
    for (int32_t m = 0; m < EXP_MAX_MEASURES; m++)
        lgkt_env_destroy(at->events[m]);
    lgkt_env_destroy(at->env);
}

// ---- what is looked at besides rewards ----

// the environments of events, which must be like the one that is played
static lgkt_status open_events(instance *at, lgkt_error *error)
{
    const exp_panel *panel = at->setup->panel;
    const lgkt_problem played = lgkt_env_problem(at->env, panel->horizon);
    for (int32_t m = 0; m < panel->measure_count; m++) {
        const exp_world *world = &at->setup->worlds[1 + m];
        if (panel->measures[m].kind != EXP_MEASURE_EVENT)
            continue;
        LGKT_TRY(exp_env_create(world, at->setup->asked->seed, at->number, &at->events[m], error));
        const lgkt_problem other = lgkt_env_problem(at->events[m], panel->horizon);
        const int fit = (int)lgkt_text_fit(world->spec, 100);
        at->worths[m].model = lgkt_env_model(at->events[m]);
        at->worth_count = panel->measure_count;
        if (at->worths[m].model == NULL)
            return lgkt_fail(error, LGKT_ERR_UNSUPPORTED, "%s: %.*s has no model",
                             panel->measures[m].word, fit, world->spec);
        if (other.states != played.states || other.actions != played.actions)
            return lgkt_fail(
                error, LGKT_ERR_SHAPE,
                "%s: %.*s has %d states and %d actions, not %d and %d as what is played",
                panel->measures[m].word, fit, world->spec, (int)other.states, (int)other.actions,
                (int)played.states, (int)played.actions);
    }
    return LGKT_OK;
}

// what the thresholding policy costs, from checkpoint to checkpoint
typedef struct walk {
    const instance *at;
    const lgkt_policy *policy;
    int32_t states;
    exp_sum sum;
    int32_t next; // checkpoint
} walk;

// The policy plays actions that cost nothing where there are any, and one action elsewhere, so its
// cost in a state is that of any action it plays there.
static int add_step(void *ctx, int64_t t, const double *law)
{
    walk *w = ctx;
    const exp_setup *setup = w->at->setup;
    double mean = 0.0;
    for (int32_t s = 0; s < w->states; s++)
        if (law[s] > 0.0)
            mean +=
                law[s] * lgkt_cost_at(w->at->cost, t, s,
                                      lgkt_policy_action(w->policy, setup->panel->horizon - t, s));
    exp_sum_add(&w->sum, mean);
    if (t + 1 == setup->checkpoints[w->next])
        w->at->by[w->next++] = exp_sum_value(&w->sum);
    return w->next == setup->checkpoint_count;
}

// regret in runs whose first state has a law, (S)
static lgkt_status open_regret(instance *at, const lgkt_mdp *model, const double *law,
                               lgkt_error *error)
{
    const exp_setup *setup = at->setup;
    const exp_panel *panel = setup->panel;
    const lgkt_threshold threshold = {.constant = panel->regret_threshold};
    at->by = calloc((size_t)setup->checkpoint_count + 1, sizeof *at->by);
    if (at->by == NULL)
        return lgkt_fail_memory(error, "regret");
    LGKT_TRY(lgkt_cost_create(model, setup->regret_k, panel->horizon, &threshold, NULL, &at->cost,
                              error));
    for (int32_t m = 0; m < panel->measure_count; m++)
        if (panel->measures[m].kind == EXP_MEASURE_REGRET)
            at->worths[m].cost = at->cost;
    at->worth_count = panel->measure_count;
    walk w = {.at = at, .states = lgkt_mdp_states(model)};
    lgkt_policy *policy = NULL;
    LGKT_TRY(lgkt_policy_threshold(model, setup->regret_k, panel->horizon, &threshold, NULL,
                                   &policy, error));
    w.policy = policy;
    lgkt_status status = lgkt_cost_of_policy(at->cost, policy, law, NULL, &at->total, error);
    // where the total is 0 there is nothing to walk for
    if (status == LGKT_OK && at->total != 0.0 && setup->checkpoint_count > 0)
        status = lgkt_policy_forward(policy, law, NULL, add_step, &w, error);
    lgkt_policy_destroy(policy);
    return status;
}

// ---- what learners are held against ----

// V per step from a law of the first state, (S), in a model or, where it changes, in the change.
// Destroys the policy.
static lgkt_status value_of(lgkt_policy *policy, const lgkt_mdp *model, const lgkt_change *change,
                            const double *law, double *mean, lgkt_error *error)
{
    const int32_t states = lgkt_mdp_states(model);
    double *value = calloc((size_t)states, sizeof *value); // (S)
    const lgkt_status status = value == NULL ? lgkt_fail_memory(error, "the value of a policy")
                               : change != NULL
                                   ? lgkt_change_value(change, policy, NULL, value, error)
                                   : lgkt_policy_value(policy, NULL, value, error);
    double sum = 0.0;
    for (int32_t s = 0; s < states && status == LGKT_OK; s++)
        sum += law[s] * value[s];
    *mean = sum / (double)lgkt_policy_horizon(policy);
    free(value);
    lgkt_policy_destroy(policy);
    return status;
}

// optimum and uniform play, and the regret, from the start of a trajectory (NULL: from the law of the
// model); NaN without a model
static lgkt_status plan_start(instance *at, const lgkt_env *env, const lgkt_trajectory *run,
                              int64_t horizon, double ends[2], lgkt_error *error)
{
    const lgkt_mdp *hidden = lgkt_env_hidden_model(env);
    const lgkt_change *change = hidden == NULL ? lgkt_env_change(env) : NULL;
    const lgkt_mdp *model = hidden != NULL   ? hidden
                            : change != NULL ? lgkt_change_before(change)
                                             : lgkt_env_model(env);
    ends[0] = ends[1] = NAN;
    if (model == NULL)
        return LGKT_OK;
    const size_t states = (size_t)lgkt_mdp_states(model);
    double *law = calloc(states, sizeof *law); // (S)
    if (law == NULL)
        return lgkt_fail_memory(error, "a plan");
    // what is shown does not tell the hidden state of the start: its law does
    if (hidden != NULL || run == NULL)
        memcpy(law, lgkt_mdp_start_law(model), states * sizeof *law);
    else
        law[lgkt_trajectory_state(run)] = 1.0;
    lgkt_status status = LGKT_OK;
    for (int i = 0; i < 2 && status == LGKT_OK; i++) {
        lgkt_policy *policy = NULL;
        // the optimum of a change knows it
        status = i == 1 ? lgkt_policy_uniform(model, horizon, NULL, &policy, error)
                 : change != NULL
                     ? lgkt_change_optimal(change, horizon, LGKT_TIES_LOW, NULL, &policy, error)
                     : lgkt_policy_optimal(model, horizon, LGKT_TIES_LOW, NULL, &policy, error);
        if (status == LGKT_OK)
            status = value_of(policy, model, change, law, &ends[i], error);
    }
    if (status == LGKT_OK && at->setup->regret_k > 0)
        status = open_regret(at, model, law, error);
    free(law);
    return status;
}

// all that runs are held against, from where the first of them starts; of units the mean, each with
// its share of all steps
static lgkt_status plan(instance *at, const exp_run *run, exp_outcome *outcome, lgkt_error *error)
{
    const exp_unit one = {.env = at->env, .trajectory = run->trajectory};
    const exp_unit *units = run->crowd != NULL ? run->crowd->units : &one;
    const int32_t count = run->crowd != NULL ? run->crowd->set.count : 1;
    const bool unplanned = at->setup->asked->draws != NULL;
    outcome->optimum = outcome->random = unplanned ? NAN : 0.0;
    for (int32_t u = 0; u < count && !unplanned; u++) {
        double ends[2];
        LGKT_TRY(plan_start(at, units[u].env, units[u].trajectory,
                            at->setup->panel->horizon / count, ends, error));
        outcome->optimum += ends[0] / count;
        outcome->random += ends[1] / count;
    }
    return open_events(at, error);
}

// exact values of one K-step greedy policy, and the ratio
static lgkt_status plan_depth(const instance *at, const char *spec, double optimum,
                              exp_measured *score, double *ratio, lgkt_error *error)
{
    const int64_t horizon = at->setup->panel->horizon;
    const lgkt_mdp *model = lgkt_env_model(at->env);
    char text[32];
    int64_t k = 0;
    lgkt_policy *policy = NULL;
    LGKT_TRY(lgkt_spec_value(spec, "k", text, sizeof text, error));
    if (!lgkt_integer_parse(text, &k))
        return lgkt_fail(error, LGKT_ERR_SPEC, "%.*s: k is no whole number",
                         (int)lgkt_text_fit(spec, 100), spec);
    LGKT_TRY(lgkt_policy_greedy(model, k, horizon, LGKT_TIES_LOW, NULL, &policy, error));
    lgkt_status status = lgkt_plan_gap_bound(policy, k, NULL, &score->bound, error);
    if (status == LGKT_OK)
        status = lgkt_plan_gap_distance(policy, k, NULL, &score->distance, error);
    const lgkt_status valued =
        value_of(policy, model, NULL, lgkt_mdp_start_law(model), &score->reward, error);
    score->gap = optimum - score->reward;
    score->bound /= (double)horizon;
    score->distance /= (double)horizon;
    score->observed = NAN;
    *ratio = score->reward / optimum;
    return status == LGKT_OK ? valued : status;
}

// ---- one learner ----

static double counter_of(const exp_run *run, const char *name)
{
    lgkt_counter counters[EXP_MAX_COUNTERS];
    const int32_t count = exp_run_counters(run, counters, EXP_MAX_COUNTERS);
    for (int32_t i = 0; i < count && i < EXP_MAX_COUNTERS; i++)
        if (strcmp(counters[i].name, name) == 0)
            return (double)counters[i].value;
    return NAN;
}

// measure number m at checkpoint number c, from the sums of all steps before
static double measured(const instance *at, const double *sums, const exp_run *run, int32_t m,
                       int32_t c)
{
    const exp_measure *measure = &at->setup->panel->measures[m];
    switch (measure->kind) {
    case EXP_MEASURE_CUMULATIVE:
        return sums[EXP_OBSERVED];
    case EXP_MEASURE_REGRET:
        return at->cost != NULL ? sums[EXP_WORTHS + m] - at->by[c] : NAN;
    case EXP_MEASURE_COUNTER:
        return counter_of(run, measure->name);
    case EXP_MEASURE_EVENT:
        return sums[EXP_WORTHS + m];
    default:
        return sums[EXP_EXPECTED] / (double)at->setup->checkpoints[c];
    }
}

// the whole run, block by block; ends early without an error when halted
static lgkt_status play_run(const instance *at, exp_run *run, exp_measured *score, double *curve,
                            lgkt_error *error)
{
    const exp_setup *setup = at->setup;
    const int64_t horizon = setup->panel->horizon;
    exp_sum whole[EXP_SUMS] = {0};                      // of blocks
    double block[EXP_SUMS] = {0}, sums[EXP_SUMS] = {0}; // of the one that is played; of all steps
    int32_t c = 0;
    for (int64_t t = 0; t < horizon && !exp_halted(at->signals, at->task);) {
        // to the end of the block or the next checkpoint
        int64_t until = t - t % BLOCK + BLOCK;
        until = until < horizon ? until : horizon;
        if (c < setup->checkpoint_count && setup->checkpoints[c] < until)
            until = setup->checkpoints[c];
        LGKT_TRY(exp_play(run, until - t, at->worths, at->worth_count, block, error));
        atomic_fetch_add_explicit(&at->signals->steps, until - t, memory_order_relaxed);
        t = until;
        for (int32_t i = 0; i < EXP_WORTHS + at->worth_count; i++) {
            if (t % BLOCK == 0 || t == horizon) {
                exp_sum_add(&whole[i], block[i]);
                block[i] = 0.0;
            }
            sums[i] = exp_sum_value(&whole[i]) + block[i];
        }
        if (c < setup->checkpoint_count && t == setup->checkpoints[c]) {
            for (int32_t m = 0; m < setup->panel->measure_count; m++)
                curve[m * setup->checkpoint_count + c] = measured(at, sums, run, m, c);
            c++;
        }
    }
    score->reward = sums[EXP_EXPECTED] / (double)horizon;
    score->observed = sums[EXP_OBSERVED] / (double)horizon;
    for (int32_t m = 0; m < at->worth_count; m++)
        if (at->worths[m].cost != NULL)
            score->regret = sums[EXP_WORTHS + m] - at->total;
    lgkt_counter counters[EXP_MAX_COUNTERS];
    const int32_t count = exp_run_counters(run, counters, EXP_MAX_COUNTERS);
    for (int32_t i = 0; i < count && i < EXP_MAX_COUNTERS; i++)
        score->counters[i] = counters[i].value;
    return LGKT_OK;
}

// ---- one instance ----

// learner number l, or the optimum alone if there are none
static lgkt_status play_learner(instance *at, int32_t l, exp_run *run, const lgkt_learner *like,
                                exp_outcome *outcome, lgkt_error *error)
{
    const exp_setup *setup = at->setup;
    const exp_panel *panel = setup->panel;
    const exp_entry *entry = panel->entry_count > 0 ? &panel->entries[l] : NULL;
    if (!setup->exact)
        LGKT_TRY(exp_run_open(run, setup, entry, at->env, at->number, like, error));
    // all start in the state of the first
    if (l == 0)
        LGKT_TRY(plan(at, run, outcome, error));
    if (entry == NULL)
        return LGKT_OK;
    exp_measured *score = &outcome->scores[l];
    double *curve = outcome->curve + l * panel->measure_count * setup->checkpoint_count;
    const double begin = exp_clock();
    atomic_store_explicit(&at->signals->learner, entry->spec, memory_order_relaxed);
    if (setup->exact) {
        LGKT_TRY(plan_depth(at, entry->spec, outcome->optimum, score, curve, error));
        atomic_fetch_add(&at->signals->steps, panel->horizon);
    } else {
        LGKT_TRY(play_run(at, run, score, curve, error));
    }
    score->seconds = exp_clock() - begin;
    return LGKT_OK;
}

lgkt_status exp_instance_play(const exp_setup *setup, const exp_shared *shared, int64_t number,
                              exp_signals *signals, int64_t task, exp_outcome *outcome,
                              lgkt_error *error)
{
    const double begin = exp_clock();
    const int32_t learners = setup->panel->entry_count;
    instance at = {.setup = setup, .number = number, .task = task, .signals = signals};
    lgkt_status status =
        exp_env_create(&setup->worlds[0], setup->asked->seed, number, &at.env, error);
    for (int32_t l = 0; (l < learners || l == 0) && status == LGKT_OK; l++) {
        exp_run run = {0};
        if (exp_halted(signals, task))
            break;
        status = play_learner(&at, l, &run, shared->runs[l].learner, outcome, error);
        exp_run_close(&run);
    }
    close_instance(&at);
    outcome->seconds = exp_clock() - begin;
    return status;
}

// ---- what the instances share ----

// whether all that is to be measured is there
static lgkt_status check_measures(instance *at, const exp_facts *facts, lgkt_error *error)
{
    const exp_setup *setup = at->setup;
    if ((setup->regret_k > 0 || setup->exact) && lgkt_env_model(at->env) == NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "%s is known only where there is a model, and %.*s has none",
                         setup->exact ? "ratio" : "regret", (int)lgkt_text_fit(setup->env, 100),
                         setup->env);
    for (int32_t m = 0; m < setup->panel->measure_count; m++) {
        const exp_measure *measure = &setup->panel->measures[m];
        bool known = measure->kind != EXP_MEASURE_COUNTER;
        lgkt_hint hint = {.word = measure->name, .size = sizeof hint.text};
        for (int32_t l = 0; !known && l < facts->count; l++)
            for (int32_t i = 0; i < facts->entries[l].count; i++) {
                known |= strcmp(facts->entries[l].names[i], measure->name) == 0;
                lgkt_hint_add(&hint, facts->entries[l].names[i]);
            }
        if (!known)
            return lgkt_fail(error, LGKT_ERR_UNKNOWN_NAME, "%.*s: no learner counts that; %s",
                             (int)lgkt_text_fit(measure->word, 80), measure->word,
                             lgkt_hint_text(&hint));
    }
    return open_events(at, error);
}

// Makes learner number l, and keeps it if there is memory for it. *kept are the bytes so far.
static lgkt_status make_learner(exp_shared *shared, const instance *at, int32_t l, size_t *kept,
                                lgkt_error *error)
{
    const exp_panel *panel = at->setup->panel;
    exp_run *run = &shared->runs[l];
    exp_entry_facts *facts = &shared->facts.entries[l];
    // exact values are those of one kind
    if (at->setup->exact && strncmp(panel->entries[l].spec, "kstep:", 6) != 0)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED, "ratio is known for kstep:k=... only");
    LGKT_TRY(exp_run_open(run, at->setup, &panel->entries[l], at->env, 0, NULL, error));
    lgkt_counter counters[EXP_MAX_COUNTERS];
    const int32_t count = exp_run_counters(run, counters, EXP_MAX_COUNTERS);
    facts->spec =
        strdup(run->guest != NULL ? panel->entries[l].spec : lgkt_learner_spec(run->learner));
    if (facts->spec == NULL)
        return lgkt_fail_memory(error, "learners");
    for (; facts->count < count && facts->count < EXP_MAX_COUNTERS; facts->count++)
        snprintf(facts->names[facts->count], EXP_COUNTER_SIZE, "%s", counters[facts->count].name);
    // it has no tables to share
    if (run->guest != NULL) {
        exp_run_close(run);
        return LGKT_OK;
    }
    const size_t learners = panel->entries[l].alone ? (size_t)panel->units.count + 1 : 1;
    const size_t bytes = learners * lgkt_learner_bytes(run->learner);
    if (bytes <= SHARED_BYTES - *kept)
        *kept += bytes;
    else
        exp_run_close(run);
    return LGKT_OK;
}

// *field and *who are the place in the file of what is made; who "": it is the panel
static lgkt_status make_all(exp_shared *shared, instance *at, const char **field, const char **who,
                            lgkt_error *error)
{
    const exp_setup *setup = at->setup;
    const exp_panel *panel = setup->panel;
    const char *prices = setup->trades ? setup->asked->prices : NULL;
    const char *whole = panel->cell != NULL ? panel->name : "";
    const size_t learners = (size_t)panel->entry_count + 1;
    char file[EXP_FILE_SIZE];
    size_t kept = 0;
    *field = ".environment";
    *who = whole;
    shared->runs = calloc(learners, sizeof *shared->runs);
    shared->facts.entries = calloc(learners, sizeof *shared->facts.entries);
    shared->facts.count = panel->entry_count;
    if (shared->runs == NULL || shared->facts.entries == NULL)
        return lgkt_fail_memory(error, "learners");
    LGKT_TRY(exp_env_create(&setup->worlds[0], setup->asked->seed, 0, &at->env, error));
    // where prices are from, but not in which folder, which is another one on another machine
    lgkt_text_clean(file, sizeof file, prices != NULL ? io_base_name(prices) : "");
    lgkt_text_clean(shared->facts.note, EXP_NOTE_SIZE, lgkt_env_note(at->env));
    if (prices != NULL)
        snprintf(shared->facts.note, EXP_NOTE_SIZE, "prices of %s", file);
    *field = ".learners";
    for (int32_t l = 0; l < panel->entry_count; l++) {
        *who = panel->entries[l].label;
        LGKT_TRY(make_learner(shared, at, l, &kept, error));
    }
    *field = ".measure";
    *who = whole;
    return check_measures(at, &shared->facts, error);
}

lgkt_status exp_shared_make(exp_shared *shared, const exp_setup *setup, lgkt_error *error)
{
    const char *field, *who;
    lgkt_error why = {0};
    instance at = {.setup = setup};
    *shared = (exp_shared){0};
    const lgkt_status status = make_all(shared, &at, &field, &who, &why);
    close_instance(&at);
    return status == LGKT_OK ? LGKT_OK : exp_setup_fail(setup, field, who, &why, error);
}

void exp_facts_free(exp_facts *facts)
{
    for (int32_t l = 0; l < facts->count && facts->entries != NULL; l++)
        free(facts->entries[l].spec);
    free(facts->entries);
    *facts = (exp_facts){0};
}

void exp_shared_free(exp_shared *shared, const exp_setup *setup)
{
    for (int32_t l = 0; l < setup->panel->entry_count && shared->runs != NULL; l++)
        exp_run_close(&shared->runs[l]);
    free(shared->runs);
    exp_facts_free(&shared->facts);
    *shared = (exp_shared){0};
}

// ---- outcomes ----

size_t exp_outcome_points(const exp_setup *setup)
{
    return (size_t)setup->panel->entry_count * (size_t)setup->panel->measure_count *
           (size_t)setup->checkpoint_count;
}

double exp_outcome_last(const exp_outcome *outcome, const exp_setup *setup, int32_t learner)
{
    const int64_t times = setup->checkpoint_count;
    return times > 0 ? outcome->curve[learner * setup->panel->measure_count * times + times - 1]
                     : outcome->scores[learner].reward;
}

exp_outcome *exp_outcome_new(const exp_setup *setup)
{
    const size_t scores = (size_t)setup->panel->entry_count * sizeof(exp_measured);
    exp_outcome *outcome =
        calloc(1, sizeof *outcome + scores + exp_outcome_points(setup) * sizeof(double));
    if (outcome != NULL) {
        outcome->scores = (exp_measured *)(outcome + 1);
        outcome->curve = (double *)(outcome->scores + setup->panel->entry_count);
    }
    return outcome;
}
