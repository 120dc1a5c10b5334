// SPDX-License-Identifier: MIT
// All learners on one instance: learners over the instance, steps over a learner.
//
//   - Learners on one instance get trajectories with the same noise (see lgkt/env.h), so their
//     differences are paired. The environment and its optimum are made once per instance.
//   - Each learner spec is made once before all; those that play share its O(T) tables.
//   - Steps run in blocks of BLOCK, cut at checkpoints. Sums are plain inside a block and
//     compensated over blocks; cutting a block does not change its sum, so a curve does not change
//     the results, and its last point is the result.
//   - A run looks at the pool between blocks.
#include "experiments/runner/instance.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "core/text.h"
#include "experiments/runner/regret.h"
#include "experiments/runner/statistics.h"
#include "io/plain/io_folder.h"
#include "lgkt/plan.h"
#include "lgkt/spec.h"

#define BLOCK        512
#define SHARED_BYTES ((size_t)1 << 26) // of learners that are there to share their tables

_Static_assert(EXP_MAX_WORTHS > EXP_MAX_MEASURES, "regret and events");

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

// ---- what is looked at besides rewards ----

// On one instance; {0} is an empty one.
typedef struct sights {
    exp_regret regret;
    exp_worth worths[EXP_MAX_WORTHS]; // of pairs: the cost that makes regret, then events
    int32_t count;
    lgkt_env *events[EXP_MAX_MEASURES]; // by measure
    int32_t places[EXP_MAX_MEASURES];   // of events, in `worths`
} sights;

// the environment of event number m, which must be like the one that is played
static lgkt_status open_event(const exp_setup *setup, int32_t m, const lgkt_env *env,
                              int64_t number, lgkt_env **event, lgkt_error *error)
{
    const exp_world *world = &setup->worlds[1 + m];
    LGKT_TRY(exp_env_create(world, setup->asked->seed, number, event, error));
    const lgkt_problem a = lgkt_env_problem(*event, setup->panel->horizon);
    const lgkt_problem b = lgkt_env_problem(env, setup->panel->horizon);
    const int fit = (int)lgkt_text_fit(world->spec, 100);
    if (lgkt_env_model(*event) == NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED, "%s: %.*s has no model",
                         setup->panel->measures[m].word, fit, world->spec);
    if (a.states != b.states || a.actions != b.actions)
        return lgkt_fail(error, LGKT_ERR_SHAPE,
                         "%s: %.*s has %d states and %d actions, not %d and %d as what is played",
                         setup->panel->measures[m].word, fit, world->spec, (int)a.states,
                         (int)a.actions, (int)b.states, (int)b.actions);
    return LGKT_OK;
}

static lgkt_status open_sight(sights *sight, const exp_setup *setup, const lgkt_env *env,
                              int64_t number, lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    if (sight->regret.cost != NULL)
        sight->worths[sight->count++].cost = sight->regret.cost;
    for (int32_t m = 0; m < setup->panel->measure_count && status == LGKT_OK; m++)
        if (setup->panel->measures[m].kind == EXP_MEASURE_EVENT) {
            status = open_event(setup, m, env, number, &sight->events[m], error);
            sight->places[m] = sight->count;
            sight->worths[sight->count++].model =
                status == LGKT_OK ? lgkt_env_model(sight->events[m]) : NULL;
        }
    return status;
}

static void close_sight(sights *sight)
{
    exp_regret_close(&sight->regret);
    for (int32_t m = 0; m < EXP_MAX_MEASURES; m++)
        lgkt_env_destroy(sight->events[m]);
}

static double counter_of(const lgkt_learner *learner, const char *name)
{
    lgkt_counter counters[EXP_MAX_COUNTERS];
    const int32_t count = lgkt_learner_counters(learner, counters, EXP_MAX_COUNTERS);
    for (int32_t i = 0; i < count && i < EXP_MAX_COUNTERS; i++)
        if (strcmp(counters[i].name, name) == 0)
            return (double)counters[i].value;
    return NAN;
}

// ---- one learner ----

// Sums of steps: those of whole blocks, and of the block that is being played.
typedef struct tallies {
    exp_sum expected, observed, worths[EXP_MAX_WORTHS];
    exp_tally block;
} tallies;

static void end_block(tallies *sums, int32_t worths)
{
    exp_sum_add(&sums->expected, sums->block.expected);
    exp_sum_add(&sums->observed, sums->block.observed);
    for (int32_t w = 0; w < worths; w++)
        exp_sum_add(&sums->worths[w], sums->block.worths[w]);
    sums->block = (exp_tally){0};
}

static double worth_of(const tallies *sums, int32_t place)
{
    return exp_sum_value(&sums->worths[place]) + sums->block.worths[place];
}

// measure number m at checkpoint number c
static double measured(const exp_setup *setup, const sights *sight, const tallies *sums,
                       const exp_run *run, int32_t m, int32_t c)
{
    switch (setup->panel->measures[m].kind) {
    case EXP_MEASURE_CUMULATIVE:
        return exp_sum_value(&sums->observed) + sums->block.observed;
    case EXP_MEASURE_REGRET:
        return sight->regret.cost != NULL ? worth_of(sums, 0) - sight->regret.by[c] : NAN;
    case EXP_MEASURE_COUNTER:
        return counter_of(run->learner, setup->panel->measures[m].name);
    case EXP_MEASURE_EVENT:
        return worth_of(sums, sight->places[m]);
    default:
        return (exp_sum_value(&sums->expected) + sums->block.expected) /
               (double)setup->checkpoints[c];
    }
}

// the whole run, block by block; ends early without an error when halted
static lgkt_status play_run(const exp_setup *setup, const sights *sight, exp_run *run,
                            exp_pool *pool, int64_t task, exp_measured *score, double *curve,
                            lgkt_error *error)
{
    const int64_t horizon = setup->panel->horizon;
    tallies sums = {0};
    int32_t c = 0;
    for (int64_t t = 0; t < horizon && !exp_pool_halted(pool, task);) {
        // to the end of the block or the next checkpoint
        int64_t until = t - t % BLOCK + BLOCK;
        until = until < horizon ? until : horizon;
        if (c < setup->checkpoint_count && setup->checkpoints[c] < until)
            until = setup->checkpoints[c];
        LGKT_TRY(sight->count == 0 ? exp_play(run, until - t, &sums.block, error)
                                   : exp_play_counting(run, until - t, sight->worths, sight->count,
                                                       &sums.block, error));
        atomic_fetch_add_explicit(&pool->steps, until - t, memory_order_relaxed);
        t = until;
        if (t % BLOCK == 0 || t == horizon)
            end_block(&sums, sight->count);
        if (c < setup->checkpoint_count && t == setup->checkpoints[c]) {
            for (int32_t m = 0; m < setup->panel->measure_count; m++)
                curve[m * setup->checkpoint_count + c] = measured(setup, sight, &sums, run, m, c);
            c++;
        }
    }
    score->reward = exp_sum_value(&sums.expected) / (double)horizon;
    score->observed = exp_sum_value(&sums.observed) / (double)horizon;
    if (sight->regret.cost != NULL)
        score->regret = exp_sum_value(&sums.worths[0]) - sight->regret.total;
    return LGKT_OK;
}

// ---- what learners are held against ----

// V per step from a law of the first state, (S), in a model or, where it changes, in the change
static lgkt_status value_of(const lgkt_policy *policy, const lgkt_mdp *model,
                            const lgkt_change *change, const double *law, double *mean,
                            lgkt_error *error)
{
    const int32_t states = lgkt_mdp_states(model);
    double *value = calloc((size_t)states, sizeof *value); // (S)
    if (value == NULL)
        return lgkt_fail_memory(error, "the value of a policy");
    const lgkt_status status = change != NULL
                                   ? lgkt_change_value(change, policy, NULL, value, error)
                                   : lgkt_policy_value(policy, NULL, value, error);
    double sum = 0.0;
    for (int32_t s = 0; s < states; s++)
        sum += law[s] * value[s];
    *mean = sum / (double)lgkt_policy_horizon(policy);
    free(value);
    return status;
}

// optimum and uniform play; the optimum of a change knows it
static lgkt_status plan_ends(const lgkt_mdp *model, const lgkt_change *change, int64_t horizon,
                             const double *law, exp_outcome *outcome, lgkt_error *error)
{
    lgkt_policy *best = NULL, *uniform = NULL;
    lgkt_status status =
        change != NULL ? lgkt_change_optimal(change, horizon, LGKT_TIES_LOW, NULL, &best, error)
                       : lgkt_policy_optimal(model, horizon, LGKT_TIES_LOW, NULL, &best, error);
    if (status == LGKT_OK)
        status = value_of(best, model, change, law, &outcome->optimum, error);
    if (status == LGKT_OK)
        status = lgkt_policy_uniform(model, horizon, NULL, &uniform, error);
    if (status == LGKT_OK)
        status = value_of(uniform, model, change, law, &outcome->random, error);
    lgkt_policy_destroy(best);
    lgkt_policy_destroy(uniform);
    return status;
}

// those two, NaN where there is no model, and the thresholding policy
static lgkt_status plan_all(const exp_setup *setup, const lgkt_env *env, int64_t horizon,
                            int32_t start, exp_regret *regret, exp_outcome *outcome,
                            lgkt_error *error)
{
    const lgkt_mdp *model = lgkt_env_model(env), *hidden = lgkt_env_hidden_model(env);
    const lgkt_change *change = lgkt_env_change(env);
    outcome->optimum = outcome->random = NAN;
    // what is shown does not tell the hidden state of the start: its law does
    if (hidden != NULL)
        return plan_ends(hidden, NULL, horizon, lgkt_mdp_start_law(hidden), outcome, error);
    if (change != NULL)
        model = lgkt_change_before(change);
    if (model == NULL)
        return LGKT_OK;
    double *law = calloc((size_t)lgkt_mdp_states(model), sizeof *law); // (S)
    if (law == NULL)
        return lgkt_fail_memory(error, "a plan");
    law[start] = 1.0;
    lgkt_status status = plan_ends(model, change, horizon, law, outcome, error);
    if (status == LGKT_OK && setup->regret_k > 0)
        status = exp_regret_open(regret, setup, model, law, error);
    free(law);
    return status;
}

// the mean over units, whose runs are their share of all steps
static lgkt_status plan_units(const exp_setup *setup, const exp_crowd *crowd, exp_regret *regret,
                              exp_outcome *outcome, lgkt_error *error)
{
    const int32_t count = setup->panel->units.count;
    double optimum = 0, random = 0;
    lgkt_status status = LGKT_OK;
    for (int32_t u = 0; u < count && status == LGKT_OK; u++) {
        status = plan_all(setup, exp_crowd_env(crowd, u), setup->panel->horizon / count,
                          exp_crowd_state(crowd, u), regret, outcome, error);
        optimum += outcome->optimum / count;
        random += outcome->random / count;
    }
    outcome->optimum = optimum;
    outcome->random = random;
    return status;
}

// exact values of one K-step greedy policy
static lgkt_status plan_depth(const exp_setup *setup, const lgkt_mdp *model, const char *spec,
                              double optimum, exp_measured *score, lgkt_error *error)
{
    const double steps = (double)setup->panel->horizon;
    char text[32];
    int64_t k = 0;
    lgkt_policy *policy = NULL;
    lgkt_status status = lgkt_spec_value(spec, "k", text, sizeof text, error);
    if (status == LGKT_OK && !lgkt_integer_parse(text, &k))
        status = lgkt_fail(error, LGKT_ERR_SPEC, "%.*s: k is no whole number",
                           (int)lgkt_text_fit(spec, 100), spec);
    if (status == LGKT_OK)
        status = lgkt_policy_greedy(model, k, setup->panel->horizon, LGKT_TIES_LOW, NULL, &policy,
                                    error);
    if (status == LGKT_OK)
        status = value_of(policy, model, NULL, lgkt_mdp_start_law(model), &score->reward, error);
    if (status == LGKT_OK)
        status = lgkt_plan_gap_bound(policy, k, NULL, &score->bound, error);
    if (status == LGKT_OK)
        status = lgkt_plan_gap_distance(policy, k, NULL, &score->distance, error);
    lgkt_policy_destroy(policy);
    score->gap = optimum - score->reward;
    score->bound /= steps;
    score->distance /= steps;
    score->observed = NAN;
    return status;
}

// ---- one instance ----

static lgkt_status make_unit(const void *ctx, int64_t number, lgkt_env **env, lgkt_error *error)
{
    const exp_setup *setup = ctx;
    return exp_env_create(&setup->worlds[0], setup->asked->seed, number, env, error);
}

// a run of learner number l, or of nobody if there are none
static lgkt_status open_run(exp_run *run, const exp_setup *setup, const lgkt_env *env, int32_t l,
                            int64_t number, const lgkt_learner *like, lgkt_error *error)
{
    const exp_panel *panel = setup->panel;
    const uint64_t seed = setup->asked->seed;
    const char *spec = panel->entry_count > 0 ? panel->entries[l].spec : NULL;
    if (panel->units.count == 0)
        return exp_run_open(run, env, spec, panel->horizon, seed, number, like, panel->untold,
                            error);
    exp_crowd_plan plan = {.units = &panel->units,
                           .spec = spec,
                           .alone = spec != NULL && panel->entries[l].alone,
                           .horizon = panel->horizon,
                           .config = lgkt_learner_config_default(),
                           .untold = panel->untold,
                           .make = make_unit,
                           .ctx = setup};
    plan.config.seed = seed;
    plan.config.instance = (uint64_t)number;
    plan.config.like = like;
    *run = (exp_run){0};
    const lgkt_status status = exp_crowd_open(&run->crowd, &plan, error);
    run->learner = status == LGKT_OK ? exp_crowd_learner(run->crowd) : NULL;
    return status;
}

// exact values of all learners
static lgkt_status play_exact(const exp_setup *setup, const lgkt_env *env, exp_pool *pool,
                              int64_t task, exp_outcome *outcome, lgkt_error *error)
{
    const exp_panel *panel = setup->panel;
    const lgkt_mdp *model = lgkt_env_model(env);
    if (model == NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED, "%.*s has no model",
                         (int)lgkt_text_fit(setup->env, 100), setup->env);
    lgkt_status status =
        plan_ends(model, NULL, panel->horizon, lgkt_mdp_start_law(model), outcome, error);
    for (int32_t l = 0; l < panel->entry_count && status == LGKT_OK; l++) {
        if (exp_pool_halted(pool, task))
            break;
        exp_measured *score = &outcome->scores[l];
        const double begin = exp_clock();
        atomic_store_explicit(&pool->learner, panel->entries[l].spec, memory_order_relaxed);
        status = plan_depth(setup, model, panel->entries[l].spec, outcome->optimum, score, error);
        score->seconds = exp_clock() - begin;
        outcome->curve[l] = score->reward / outcome->optimum;
        atomic_fetch_add(&pool->steps, panel->horizon);
    }
    return status;
}

// optimum, uniform play and what else runs are held against, from where a run starts
static lgkt_status plan_instance(const exp_setup *setup, const lgkt_env *env, int64_t number,
                                 const exp_run *run, sights *sight, exp_outcome *outcome,
                                 lgkt_error *error)
{
    const lgkt_status status =
        run->crowd != NULL
            ? plan_units(setup, run->crowd, &sight->regret, outcome, error)
            : plan_all(setup, env, setup->panel->horizon, lgkt_trajectory_state(run->trajectory),
                       &sight->regret, outcome, error);
    return status == LGKT_OK ? open_sight(sight, setup, env, number, error) : status;
}

static lgkt_status play_learners(const exp_setup *setup, const exp_shared *shared,
                                 const lgkt_env *env, int64_t number, exp_pool *pool, int64_t task,
                                 exp_outcome *outcome, lgkt_error *error)
{
    const exp_panel *panel = setup->panel;
    const size_t points = (size_t)panel->measure_count * (size_t)setup->checkpoint_count;
    sights sight = {0};
    lgkt_status status = LGKT_OK;
    for (int32_t l = 0; (l < panel->entry_count || l == 0) && status == LGKT_OK; l++) {
        if (exp_pool_halted(pool, task))
            break;
        exp_run run = {0};
        status = open_run(&run, setup, env, l, number,
                          panel->entry_count > 0 ? shared->runs[l].learner : NULL, error);
        // all start in the state of the first
        if (status == LGKT_OK && l == 0)
            status = plan_instance(setup, env, number, &run, &sight, outcome, error);
        if (status == LGKT_OK && panel->entry_count > 0) {
            exp_measured *score = &outcome->scores[l];
            const double begin = exp_clock();
            atomic_store_explicit(&pool->learner, panel->entries[l].spec, memory_order_relaxed);
            status = play_run(setup, &sight, &run, pool, task, score,
                              outcome->curve + (size_t)l * points, error);
            score->seconds = exp_clock() - begin;
            lgkt_counter counters[EXP_MAX_COUNTERS];
            const int32_t count = lgkt_learner_counters(run.learner, counters, EXP_MAX_COUNTERS);
            for (int32_t i = 0; i < count && i < EXP_MAX_COUNTERS; i++)
                score->counters[i] = counters[i].value;
        }
        exp_run_close(&run);
    }
    close_sight(&sight);
    return status;
}

lgkt_status exp_instance_play(const exp_setup *setup, const exp_shared *shared, int64_t number,
                              exp_pool *pool, int64_t task, exp_outcome *outcome, lgkt_error *error)
{
    const double begin = exp_clock();
    lgkt_env *env = NULL;
    lgkt_status status = exp_env_create(&setup->worlds[0], setup->asked->seed, number, &env, error);
    if (status == LGKT_OK)
        status = setup->exact
                     ? play_exact(setup, env, pool, task, outcome, error)
                     : play_learners(setup, shared, env, number, pool, task, outcome, error);
    lgkt_env_destroy(env);
    outcome->seconds = exp_clock() - begin;
    return status;
}

// ---- what the instances share ----

// whether all that is to be measured is there
static lgkt_status check_measures(const exp_setup *setup, const exp_shared *shared,
                                  const lgkt_env *env, lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    if (setup->regret_k > 0 && lgkt_env_model(env) == NULL)
        status = lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                           "regret is known only where there is a model, and %.*s has none",
                           (int)lgkt_text_fit(setup->env, 100), setup->env);
    for (int32_t m = 0; m < setup->panel->measure_count && status == LGKT_OK; m++) {
        const exp_measure *measure = &setup->panel->measures[m];
        if (measure->kind == EXP_MEASURE_EVENT) {
            lgkt_env *event = NULL;
            status = open_event(setup, m, env, 0, &event, error);
            lgkt_env_destroy(event);
        }
        bool known = measure->kind != EXP_MEASURE_COUNTER;
        lgkt_hint hint = {.word = measure->name, .size = sizeof hint.text};
        for (int32_t l = 0; !known && l < shared->facts.count; l++)
            for (int32_t i = 0; i < shared->facts.entries[l].count; i++) {
                const char *name = shared->facts.entries[l].names[i];
                known |= strcmp(name, measure->name) == 0;
                lgkt_hint_add(&hint, name);
            }
        if (!known)
            status = lgkt_fail(error, LGKT_ERR_UNKNOWN_NAME, "%.*s: no learner counts that; %s",
                               (int)lgkt_text_fit(measure->word, 80), measure->word,
                               lgkt_hint_text(&hint));
    }
    return status;
}

// Makes learner number l, and keeps it if there is memory for it. *kept are the bytes so far.
static lgkt_status make_learner(exp_shared *shared, const exp_setup *setup, const lgkt_env *env,
                                int32_t l, size_t *kept, lgkt_error *error)
{
    const exp_panel *panel = setup->panel;
    exp_run *run = &shared->runs[l];
    exp_entry_facts *facts = &shared->facts.entries[l];
    // exact values are those of one kind
    if (setup->exact && strncmp(panel->entries[l].spec, "kstep:", 6) != 0)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED, "ratio is known for kstep:k=... only");
    LGKT_TRY(open_run(run, setup, env, l, 0, NULL, error));
    lgkt_counter counters[EXP_MAX_COUNTERS];
    const int32_t count = lgkt_learner_counters(run->learner, counters, EXP_MAX_COUNTERS);
    facts->spec = strdup(lgkt_learner_spec(run->learner));
    if (facts->spec == NULL)
        return lgkt_fail_memory(error, "learners");
    for (; facts->count < count && facts->count < EXP_MAX_COUNTERS; facts->count++)
        snprintf(facts->names[facts->count], EXP_COUNTER_SIZE, "%s", counters[facts->count].name);
    const size_t learners = panel->entries[l].alone ? (size_t)panel->units.count + 1 : 1;
    const size_t bytes = learners * lgkt_learner_bytes(run->learner);
    if (bytes <= SHARED_BYTES - *kept)
        *kept += bytes;
    else
        exp_run_close(run);
    return LGKT_OK;
}

// where prices are from, but not in which folder, which is another one on another machine
static void write_note(char note[EXP_NOTE_SIZE], const exp_setup *setup, const lgkt_env *env)
{
    const char *prices = setup->trades ? setup->asked->prices : NULL;
    char file[EXP_FILE_SIZE];
    if (prices != NULL) {
        lgkt_text_clean(file, sizeof file, io_base_name(prices));
        snprintf(note, EXP_NOTE_SIZE, "prices of %s", file);
    } else {
        lgkt_text_clean(note, EXP_NOTE_SIZE, lgkt_env_note(env));
    }
}

lgkt_status exp_shared_make(exp_shared *shared, const exp_setup *setup, lgkt_error *error)
{
    const exp_panel *panel = setup->panel;
    const char *field = ".environment", *who = panel->cell != NULL ? panel->name : "";
    lgkt_error why = {0};
    lgkt_env *env = NULL;
    size_t kept = 0;
    const size_t learners = (size_t)panel->entry_count + 1;
    *shared = (exp_shared){.runs = calloc(learners, sizeof(exp_run)),
                           .facts = {.entries = calloc(learners, sizeof(exp_entry_facts)),
                                     .count = panel->entry_count}};
    lgkt_status status = shared->runs != NULL && shared->facts.entries != NULL
                             ? exp_env_create(&setup->worlds[0], setup->asked->seed, 0, &env, &why)
                             : lgkt_fail_memory(&why, "learners");
    if (status == LGKT_OK)
        write_note(shared->facts.note, setup, env);
    for (int32_t l = 0; l < panel->entry_count && status == LGKT_OK; l++) {
        status = make_learner(shared, setup, env, l, &kept, &why);
        field = ".learners";
        who = panel->entries[l].label;
    }
    if (status == LGKT_OK) {
        status = check_measures(setup, shared, env, &why);
        field = ".measure";
        who = panel->cell != NULL ? panel->name : "";
    }
    lgkt_env_destroy(env);
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

lgkt_status exp_outcome_create(exp_outcome *outcome, const exp_setup *setup, lgkt_error *error)
{
    *outcome = (exp_outcome){
        .scores = calloc((size_t)setup->panel->entry_count, sizeof(exp_measured)),
        .curve = calloc(exp_outcome_points(setup) + 1, sizeof(double)),
    };
    if (outcome->scores != NULL && outcome->curve != NULL)
        return LGKT_OK;
    exp_outcome_free(outcome);
    return lgkt_fail_memory(error, "the results of an instance");
}

void exp_outcome_free(exp_outcome *outcome)
{
    free(outcome->scores);
    free(outcome->curve);
    *outcome = (exp_outcome){0};
}
