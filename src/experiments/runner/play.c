// SPDX-License-Identifier: MIT
// The innermost loop of every experiment and benchmark, and what it needs (play.h).
//
// Nothing but the three calls and two additions happens per step. Where an environment shows more
// than the number of a state (trading: the window of prices), learners get these bytes and have to
// find out by themselves how many states there are; the number of states is their limit.
//
// Unit u of instance i is instance i N + u of the environment and has its own noise. Of each step of
// units two numbers of the stream "reports" say whether and when its reward is reported: the same
// ones for all learners, so that they are compared on the same delays.
#include "experiments/runner/play.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/error.h"
#include "core/number.h"
#include "core/text.h"
#include "lgkt/spec.h"

// ---- making ----

static lgkt_learner_config config_of(const exp_setup *setup, const lgkt_env *env, int64_t horizon,
                                     int64_t instance, const lgkt_learner *like)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(env, horizon);
    if (setup->asked->draws != NULL) {
        config.problem.reward_min = setup->asked->draws->reward_min;
        config.problem.reward_max = setup->asked->draws->reward_max;
    }
    if (setup->panel->untold)
        exp_untell(&config.problem);
    config.seed = setup->asked->seed;
    config.instance = (uint64_t)instance;
    config.like = like;
    return config;
}

bool exp_is_guest(const char *spec)
{
    return strncmp(spec, EXP_GUEST, sizeof EXP_GUEST - 1) == 0;
}

static lgkt_status open_guest(exp_run *run, exp_host *host, const char *spec, const lgkt_env *env,
                              const lgkt_learner_config *config, lgkt_error *error)
{
    if (run->jumps)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "the environment shows one state and goes on in another, which only "
                         "learners of the library play: %s",
                         lgkt_env_note(env));
    LGKT_TRY(host->open(host, spec, env, config, &run->guest, error));
    run->host = host;
    return LGKT_OK;
}

// whether a learner that is none of the library can be played here
static lgkt_status check_guest(const exp_setup *setup, const char *spec, lgkt_error *error)
{
    const int fit = (int)lgkt_text_fit(spec, 100);
    if (setup->asked->host == NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "%.*s is written in Python, which alone can play it: python3 -m lgkt "
                         "reproduce, or lgkt.reproduce",
                         fit, spec);
    return setup->panel->units.count == 0
               ? LGKT_OK
               : lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                           "%.*s: units are for learners of the library", fit, spec);
}

static lgkt_status open_crowd(exp_run *run, const exp_setup *setup, const exp_entry *entry,
                              int64_t instance, const lgkt_learner *like, lgkt_error *error)
{
    const exp_units *set = &setup->panel->units;
    const uint64_t seed = setup->asked->seed;
    const int32_t all = set->count, fronts = entry == NULL ? 0 : entry->alone ? all : 1;
    const int64_t rounds = setup->panel->horizon / all;
    exp_crowd *crowd = calloc(1, sizeof *crowd + (size_t)all * sizeof *crowd->units);
    if (crowd == NULL)
        return lgkt_fail_memory(error, "units");
    run->crowd = crowd;
    crowd->set = *set;
    crowd->horizon = setup->panel->horizon;
    crowd->rng = lgkt_rng_stream(seed, "reports", (uint64_t)instance);
    for (int32_t u = 0; u < all; u++) {
        exp_unit *unit = &crowd->units[u];
        const int64_t number = instance * all + u;
        size_t size;
        // in the drawn model of an instance all units are in one world
        const bool drawn = setup->asked->draws != NULL;
        if (drawn && u > 0)
            unit->env = crowd->units[0].env;
        else
            LGKT_TRY(exp_env_create(&setup->worlds[0], seed, drawn ? instance : number, &unit->env,
                                    error));
        LGKT_TRY(lgkt_trajectory_create(unit->env, rounds, seed, (uint64_t)number, NULL,
                                        &unit->trajectory, error));
        lgkt_trajectory_observation(unit->trajectory, &size);
        if (size > 0)
            return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                             "units need an environment whose states are numbers");
        if (lgkt_env_jumps(unit->env))
            return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                             "units need an environment that shows where it goes on: %s",
                             lgkt_env_note(unit->env));
    }
    for (int32_t f = 0; f < fronts; f++) {
        const int32_t served = all / fronts;
        // learners that units have for themselves draw their own numbers
        const lgkt_learner_config config =
            config_of(setup, crowd->units[f].env, (set->told > 0 ? set->told : rounds) * served,
                      instance * fronts + f, f > 0 ? run->learner : like);
        lgkt_units_config units = lgkt_units_config_default();
        units.unit_limit = served;
        units.patience = set->patience * served;
        LGKT_TRY(lgkt_units_create(entry->spec, &config, &units, &crowd->units[f].front, error));
        if (f == 0)
            run->learner = lgkt_units_learner(crowd->units[0].front);
    }
    return LGKT_OK;
}

lgkt_status exp_run_open(exp_run *run, const exp_setup *setup, const exp_entry *entry,
                         const lgkt_env *env, int64_t instance, const lgkt_learner *like,
                         lgkt_error *error)
{
    const int64_t horizon = setup->panel->horizon;
    *run = (exp_run){0};
    if (entry != NULL && exp_is_guest(entry->spec))
        LGKT_TRY(check_guest(setup, entry->spec, error));
    if (setup->panel->units.count > 0)
        return open_crowd(run, setup, entry, instance, like, error);
    run->restricted = lgkt_env_allowed(env, 0) != NULL ? env : NULL;
    run->jumps = lgkt_env_jumps(env);
    LGKT_TRY(lgkt_trajectory_create(env, horizon, setup->asked->seed, (uint64_t)instance, NULL,
                                    &run->trajectory, error));
    if (entry == NULL)
        return LGKT_OK;
    lgkt_learner_config config = config_of(setup, env, horizon, instance, like);
    if (exp_is_guest(entry->spec))
        return open_guest(run, setup->asked->host, entry->spec, env, &config, error);
    lgkt_keyed_config keys = lgkt_keyed_config_default();
    const lgkt_view *record = lgkt_env_record(env);
    lgkt_trajectory_observation(run->trajectory, &keys.key_limit);
    if (record != NULL)
        keys.view = *record;
    if (keys.key_limit == 0 || lgkt_env_coarse(env)) {
        LGKT_TRY(lgkt_learner_create(entry->spec, &config, &run->by_number, error));
        run->learner = run->by_number;
    } else {
        keys.state_limit = config.problem.states;
        config.problem.states = 0;
        LGKT_TRY(lgkt_keyed_create(entry->spec, &config, &keys, &run->by_key, error));
        run->learner = lgkt_keyed_learner(run->by_key);
    }
    return LGKT_OK;
}

void exp_run_close(exp_run *run)
{
    lgkt_learner_destroy(run->by_number);
    lgkt_keyed_destroy(run->by_key);
    if (run->guest != NULL)
        run->host->close(run->guest);
    lgkt_trajectory_destroy(run->trajectory);
    // the first unit last: others may be in its world
    for (int32_t u = run->crowd != NULL ? run->crowd->set.count - 1 : -1; u >= 0; u--) {
        lgkt_units_destroy(run->crowd->units[u].front);
        lgkt_trajectory_destroy(run->crowd->units[u].trajectory);
        if (u == 0 || run->crowd->units[u].env != run->crowd->units[0].env)
            lgkt_env_destroy(run->crowd->units[u].env);
    }
    if (run->crowd != NULL)
        lgkt_free(NULL, run->crowd->reports);
    free(run->crowd);
    *run = (exp_run){0};
}

int32_t exp_run_counters(const exp_run *run, lgkt_counter *counters, int32_t capacity)
{
    return run->guest != NULL ? run->host->counters(run->guest, counters, capacity)
                              : lgkt_learner_counters(run->learner, counters, capacity);
}

// ---- units ----

static lgkt_units *front_of(const exp_crowd *crowd, int32_t unit)
{
    lgkt_units *own = crowd->units[unit].front;
    return own != NULL ? own : crowd->units[0].front;
}

// what a call of a front returned, with its message if that is a failure
static lgkt_status check(const lgkt_units *front, lgkt_status status, lgkt_error *error)
{
    return status == LGKT_OK ? LGKT_OK : lgkt_fail(error, status, "%s", lgkt_units_message(front));
}

// what happens between two rounds: late reports come in, and the end is moved
static lgkt_status begin_round(exp_crowd *crowd, int64_t round, lgkt_error *error)
{
    const exp_units *set = &crowd->set;
    size_t left = 0;
    for (size_t i = 0; i < crowd->count; i++) {
        const exp_report *r = &crowd->reports[i];
        if (r->due > round) {
            crowd->reports[left++] = *r;
            continue;
        }
        lgkt_units *front = front_of(crowd, r->unit);
        const lgkt_status status = lgkt_units_reward(front, r->decision, r->reward);
        // nobody waited for it
        if (status != LGKT_ERR_HORIZON)
            LGKT_TRY(check(front, status, error));
    }
    crowd->count = left;
    const bool alone = set->count > 1 && crowd->units[1].front != NULL;
    for (int32_t u = 0; u < set->count && set->told > 0 && round == set->extended; u++) {
        lgkt_units *front = crowd->units[u].front;
        const int64_t horizon = crowd->horizon / (alone ? set->count : 1);
        if (front != NULL)
            LGKT_TRY(check(front, lgkt_units_set_horizon(front, horizon, 0), error));
    }
    return LGKT_OK;
}

// the whole number of rounds that a report takes, geometric with mean `late`
static int64_t delay_of(double late, double u)
{
    if (!(late > 0))
        return 0;
    const double rounds = lgkt_log(1 - u) / lgkt_log(late / (1 + late));
    return rounds < 1e15 ? (int64_t)rounds : (int64_t)1e15;
}

// one step of the unit whose turn it is
static lgkt_status play_unit(exp_crowd *crowd, double *sums, lgkt_error *error)
{
    const exp_units *set = &crowd->set;
    const int32_t unit = (int32_t)(crowd->step % set->count);
    const int64_t round = crowd->step / set->count;
    if (unit == 0)
        LGKT_TRY(begin_round(crowd, round, error));
    lgkt_units *front = front_of(crowd, unit);
    lgkt_trajectory *run = crowd->units[unit].trajectory;
    const int32_t state = lgkt_trajectory_state(run);
    const uint8_t *allowed = lgkt_env_allowed(crowd->units[unit].env, state);
    int64_t decision = -1;
    int32_t action = -1;
    lgkt_step step = {0};
    LGKT_TRY(check(front, lgkt_units_act(front, (uint64_t)unit, state, allowed, &decision, &action),
                   error));
    const lgkt_status status = lgkt_trajectory_step(run, action, &step);
    if (status != LGKT_OK)
        return lgkt_fail(error, status, "%s", lgkt_trajectory_message(run));
    const bool missing = lgkt_rng_uniform(&crowd->rng) < set->missing;
    const int64_t delay = delay_of(set->late, lgkt_rng_uniform(&crowd->rng));
    if (!missing && delay == 0)
        LGKT_TRY(check(front, lgkt_units_reward(front, decision, step.reward), error));
    if (!missing && delay > 0) {
        void *reports = crowd->reports;
        if (!lgkt_grow(NULL, &reports, &crowd->capacity, crowd->count, crowd->count + 1,
                       sizeof(exp_report)))
            return lgkt_fail_memory(error, "late reports");
        crowd->reports = reports;
        crowd->reports[crowd->count++] = (exp_report){round + delay, decision, step.reward, unit};
    }
    LGKT_TRY(check(front, lgkt_units_next(front, decision, step.state, step.ended), error));
    sums[EXP_EXPECTED] += step.mean_reward;
    sums[EXP_OBSERVED] += step.reward;
    crowd->step++;
    return LGKT_OK;
}

// ---- one trajectory ----

// Calls are a third of a step: all that the loop calls is compiled into it, however many others
// call it, too.
#ifdef __GNUC__
#define FLAT __attribute__((flatten))
#else
#define FLAT
#endif

// `keyed`, and that nothing is restricted or jumps, are known when this is compiled
static inline lgkt_status play(exp_run *run, int64_t steps, double *sums, lgkt_error *error,
                               const bool keyed, const bool restricted, const bool jumps)
{
    const exp_run here = *run;
    lgkt_step step = {.state = lgkt_trajectory_state(here.trajectory)};
    double expected = sums[EXP_EXPECTED], observed = sums[EXP_OBSERVED];
    int32_t action = run->action;
    for (int64_t i = 0; i < steps; i++) {
        const uint8_t *allowed = restricted ? lgkt_env_allowed(here.restricted, step.state) : NULL;
        size_t size = 0;
        const void *key = keyed ? lgkt_trajectory_observation(here.trajectory, &size) : NULL;
        lgkt_status status = keyed ? lgkt_keyed_act(here.by_key, key, size, allowed, &action)
                                   : lgkt_learner_act(here.by_number, step.state, allowed, &action);
        if (status == LGKT_OK)
            status = lgkt_trajectory_step(here.trajectory, action, &step);
        const int32_t shown =
            jumps ? lgkt_trajectory_shown(here.trajectory, &key, &size) : step.state;
        if (status == LGKT_OK && keyed) {
            key = jumps ? key : lgkt_trajectory_observation(here.trajectory, &size);
            status = lgkt_keyed_observe(here.by_key, step.reward, key, size, step.ended);
        } else if (status == LGKT_OK) {
            status = lgkt_learner_observe(here.by_number, step.reward, shown, step.ended);
        }
        if (jumps && status == LGKT_OK && shown != step.state)
            status = keyed ? lgkt_keyed_jump(here.by_key) : lgkt_learner_jump(here.by_number);
        if (status != LGKT_OK) {
            // the learner is asked first who refused the call: it sees both sides
            const char *text =
                keyed ? lgkt_keyed_message(here.by_key) : lgkt_learner_message(here.learner);
            return lgkt_fail(error, status, "%s",
                             text[0] != '\0' ? text : lgkt_trajectory_message(here.trajectory));
        }
        expected += step.mean_reward;
        observed += step.reward;
    }
    sums[EXP_EXPECTED] = expected;
    sums[EXP_OBSERVED] = observed;
    run->action = action;
    return LGKT_OK;
}

FLAT static lgkt_status play_flat(exp_run *run, int64_t steps, double *sums, lgkt_error *error)
{
    return run->by_key != NULL ? play(run, steps, sums, error, true, false, false)
                               : play(run, steps, sums, error, false, false, false);
}

lgkt_status exp_play(exp_run *run, int64_t steps, const exp_worth *worths, int32_t count,
                     double sums[EXP_SUMS], lgkt_error *error)
{
    if (run->crowd != NULL) {
        for (int64_t i = 0; i < steps; i++)
            LGKT_TRY(play_unit(run->crowd, sums, error));
        return LGKT_OK;
    }
    // what a pair is worth is looked up step by step
    const int64_t piece = count > 0 ? 1 : steps;
    for (int64_t i = 0; i < steps; i += piece) {
        const int64_t t = lgkt_trajectory_time(run->trajectory);
        const int32_t state = lgkt_trajectory_state(run->trajectory);
        LGKT_TRY(run->guest != NULL ? run->host->play(run->guest, run->trajectory, piece, sums,
                                                      &run->action, error)
                 : run->restricted != NULL || run->jumps
                     ? play(run, piece, sums, error, run->by_key != NULL, run->restricted != NULL,
                            run->jumps)
                     : play_flat(run, piece, sums, error));
        for (int32_t w = 0; w < count; w++)
            if (worths[w].cost != NULL)
                sums[EXP_WORTHS + w] += lgkt_cost_at(worths[w].cost, t, state, run->action);
            else if (worths[w].model != NULL)
                sums[EXP_WORTHS + w] += lgkt_mdp_reward(worths[w].model, state, run->action);
    }
    return LGKT_OK;
}

double exp_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- learners that are not told the rewards ----

void exp_untell(lgkt_problem *problem)
{
    problem->reward_min = problem->reward_max = problem->reward_sd = NAN;
}

enum { MIN, MAX, SD, KEYS };

// Returns how many parameters about rewards a learner has, and the values of those that are known:
// that of the spec, or the number that the default ends with. `inner` gets the spec of a learner
// within it, if there is one.
static int find_values(const char *spec, char values[KEYS][32], char inner[256])
{
    static const char *const keys[KEYS] = {"reward-min", "reward-max", "reward-sd"};
    const lgkt_entry *entry = io_entry_of(spec, lgkt_learner_entry);
    int count = 0;
    for (int32_t p = 0; entry != NULL && p < entry->param_count; p++) {
        const lgkt_param *param = lgkt_entry_param(entry, p);
        const char *number = param->fallback != NULL ? strrchr(param->fallback, ' ') : NULL;
        double unused;
        char value[256] = "";
        if (lgkt_spec_value(spec, param->name, value, sizeof value, NULL) != LGKT_OK &&
            number != NULL && lgkt_number_parse(number + 1, &unused))
            snprintf(value, sizeof value, "%s", number + 1);
        for (int k = 0; k < KEYS; k++)
            if (strcmp(param->name, keys[k]) == 0) {
                snprintf(values[k], sizeof values[k], "%.31s", value);
                count++;
            }
        if (param->type == LGKT_PARAM_TEXT && inner[0] == '\0' &&
            io_entry_of(value, lgkt_learner_entry) != NULL)
            strcpy(inner, value);
    }
    return count;
}

void exp_untold_describe(const char *spec, char text[EXP_UNTOLD_SIZE])
{
    char values[KEYS][32] = {"", "", ""}, inner[256] = "", further[256] = "", means[80] = "";
    if (exp_is_guest(spec)) {
        snprintf(text, EXP_UNTOLD_SIZE, "does what its author wrote");
        return;
    }
    int count = find_values(spec, values, inner);
    if (count == 0)
        count = find_values(inner, values, further);
    const bool min = values[MIN][0] != '\0', max = values[MAX][0] != '\0';
    const bool noise = values[SD][0] != '\0';
    if (min && max)
        snprintf(means, sizeof means, "means in [%s, %s]", values[MIN], values[MAX]);
    else if (min || max)
        snprintf(means, sizeof means, "means %s %s", min ? "from" : "up to",
                 values[min ? MIN : MAX]);
    if (min || max || noise)
        snprintf(text, EXP_UNTOLD_SIZE, "assumes %s%s%s%s%s", means,
                 means[0] != '\0' && noise ? " and " : "", noise ? "noise " : "", values[SD],
                 min + max + noise < count ? ", else uses what it sees" : "");
    else
        snprintf(text, EXP_UNTOLD_SIZE, "%s", count > 0 ? "uses what it sees" : "needs no range");
}

// ---- tapes ----

double exp_tape_coin(void *ctx, int64_t t)
{
    const io_tape *tape = ctx;
    return t < tape->count ? tape->rows[t].u_coin : 0.0;
}

lgkt_status exp_tape_play(const lgkt_mdp *mdp, const io_tape_row *row, lgkt_learner *learner,
                          exp_tape_step *step, lgkt_error *error)
{
    exp_tape_step made = {
        .t = lgkt_learner_time(learner),
        .state = step->next_state,
        .next_state = lgkt_mdp_states(mdp) - 1,
    };
    lgkt_status status =
        lgkt_learner_act(learner, made.state, lgkt_mdp_mask(mdp, made.state), &made.action);
    if (status == LGKT_OK) {
        const lgkt_row law = lgkt_mdp_row(mdp, made.state, made.action);
        double sum = 0.0;
        for (int32_t i = 0; i < law.n; i++) {
            sum += law.p[i];
            if (sum > row->u_next) {
                made.next_state = law.next[i];
                break;
            }
        }
        made.reward = lgkt_mdp_reward(mdp, made.state, made.action);
        for (int32_t i = 0; law.reward != NULL && i < law.n; i++)
            made.reward = law.next[i] == made.next_state ? law.reward[i] : made.reward;
        double sd = 0.0;
        const lgkt_noise noise = lgkt_mdp_pair_noise(mdp, made.state, made.action, &sd);
        if (noise == LGKT_NOISE_NORMAL)
            made.reward += sd * row->z_reward;
        else if (noise == LGKT_NOISE_BERNOULLI)
            made.reward = row->u_reward < made.reward ? 1.0 : 0.0;
        status = lgkt_learner_observe(learner, made.reward, made.next_state, false);
    }
    if (status != LGKT_OK)
        return lgkt_fail(error, status, "step %" PRId64 ": %s", made.t,
                         lgkt_learner_message(learner));
    *step = made;
    return LGKT_OK;
}
