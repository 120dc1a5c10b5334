// SPDX-License-Identifier: MIT
// Environments around another one, or around two: `scaled`, `merged` and `changing`.
//
// The inner environments are made from specs with the same seed, instance and data. Their runs are
// the own state of the outer run, in trajectory->self, one behind the other, and are played step by
// step with its random numbers. Clock and generator are those of the outer run, and an inner one
// has them for a call; so has it the state, unless that is hidden behind the one shown.
//
// `scaled`: another environment with rewards in other units, r' = by r + shift, by > 0. States,
// noise and cuts are those of the inner environment, and a learner that needs no scale takes the
// very same actions, up to rounding. The model has R' = by R + shift, also of moves. Of the noise
// it states the scale, by times the inner one, as that of a normal law, also where the inner law is
// none (Bernoulli, drifting): two points other than 0 and 1 have no name there.
//
// `merged`: hidden state. Of another environment with S states and a model only o = s mod M is
// seen, M = states. States that are M apart look alike, so what is seen is no Markov chain, and no
// policy of o alone need come near the optimum. So the environment has no model: lgkt_env_model is
// NULL, and oracles refuse it. Scores are known all the same: the mean reward of a step is that of
// the hidden pair (s,a), and lgkt_env_hidden_model is the inner model, whose optimum is what one
// would earn who saw s. States that look alike must allow the same actions: a mask that depends on
// the hidden state would tell it. A learner is told the range of the mean rewards of the hidden
// pairs. For it, the reward of (o,a) scatters about a mean by the inner noise and by which s it is:
// with h half the largest range of R(s,a) over the s that look alike, the scale is sqrt(sd^2 +
// h^2).
//
// `changing`: two environments of the same states and actions, one before and one after, both with
// a model; a random `after` can be drawn anew. At each turning time the world goes to the other
// one: at once, or by drifting, where a step follows the other with a probability w(t) that moves
// by `rate` a step (lgkt_change, lgkt/mdp.h). The times are those in `at`, or random: with `jumps`
// each step t >= 1 is a turning time with that probability, drawn from the stream "changes" of
// (seed, instance), so that all runs of an instance share them. There are MAX_TURNS at most, and no
// more changes behind the last. The state is that of both runs. While the world drifts, 0 < w < 1,
// each step first draws a number that says which is played. So draws depend on the generator and on
// t only, and with jumps and the same spec on both sides the run is that of the plain environment,
// bit for bit. The mean reward of a step is that of the mixture, (1 - w) R + w R'. There is no one
// model: lgkt_env_model is NULL, lgkt_env_change has both. A learner is told the range of both.
// While the world drifts, a reward scatters about the mean of the mixture by the noise and by which
// of the two it is: with h half the largest |R - R'|, the scale is sqrt(sd^2 + h^2).
//
// Memory: the inner environments, the model of `scaled` once more, 16 bytes per turn, and a
// trajectory within each one. A step costs that of the inner environment, two copies of the
// generator and, of `changing`, a bisection over the turns.
#include "env/inner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/error.h"
#include "core/number.h"

#define MAX_TURNS 10000
#define MAX_TIME  1000000000000000 // of a turn

enum { BEFORE, AFTER };
enum { DRAW_SAME, DRAW_NEW };

// The settings of all three.
typedef struct settings {
    const char *of, *before, *after, *at;
    double by, shift, rate, jumps;
    int64_t states;
    int draw;
} settings;

#define OF                                                                                         \
    LGKT_ROW_TEXT(                                                                                 \
        settings, of, "of", "riverswim",                                                           \
        "spec of the environment, in parentheses if it has settings: of=(riverswim:states=8)")

static const lgkt_param_row SCALED[] = {
    LGKT_ROW_REAL(settings, by, "by", "1", 1e-9, 1e9, "factor of all rewards"),
    LGKT_ROW_REAL(settings, shift, "shift", "0", -1e15, 1e15, "what is added to all rewards"),
    OF,
};

static const lgkt_param_row MERGED[] = {
    LGKT_ROW_INTEGER(settings, states, "states", "@half of its states, rounded up", 1,
                     LGKT_MAX_STATES, "number M of states shown; seen is the hidden one mod M"),
    OF,
};

static const lgkt_param_row CHANGING[] = {
    LGKT_ROW_TEXT(settings, before, "before", "riverswim",
                  "spec of the first environment, in parentheses if it has settings"),
    LGKT_ROW_TEXT(settings, after, "after", "riverswim:variant=printed",
                  "spec of the second one, of the same states and actions"),
    LGKT_ROW_TEXT(settings, at, "at", "@5000, or random with jumps",
                  "times of the changes, there and back in turn: at=5000/10000"),
    LGKT_ROW_REAL(settings, rate, "rate", "0", 0, 1,
                  "what the share of the other environment grows by in a step; 0: it changes at "
                  "once"),
    LGKT_ROW_REAL(settings, jumps, "jumps", "0", 0, 1,
                  "random times: probability of a change at each step, up to 10000 of them"),
    LGKT_ROW_CHOICE(settings, draw, "draw", "same", "same|new",
                    "whether a random `after` is drawn with the numbers of `before`, or anew"),
};

// ---- environments within, and their runs ----

static size_t size_of_run(const lgkt_env *inner)
{
    const size_t size = sizeof(lgkt_trajectory) + inner->run_size, align = alignof(max_align_t);
    return (size + align - 1) / align * align;
}

lgkt_status lgkt_inner_add(lgkt_env *env, const char *key, const char *spec,
                           const lgkt_env_config *config, bool needs_model, lgkt_error *error)
{
    // specs cannot nest without end; what has no name, or one too long for us, creation refuses
    char name[16] = "";
    lgkt_spec_name(spec, name, sizeof name, NULL);
    for (int32_t i = 0; lgkt_env_entry(i) != NULL; i++) {
        const lgkt_entry *entry = lgkt_env_entry(i);
        const bool scaled = entry == &lgkt_scaled_class.entry && entry != &env->class->entry;
        if (entry->inner != NULL && !scaled && strcmp(entry->name, name) == 0)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "%s=(%.60s) is around another environment itself; only scaled can be, "
                             "only once: merged:of=(scaled:...), changing:before=(scaled:...)",
                             key, spec);
    }
    lgkt_env **inner = &env->inner[env->inner[0] != NULL];
    LGKT_TRY(lgkt_env_create(spec, config, inner, error));
    env->run_size += size_of_run(*inner);
    if (needs_model && (*inner)->model == NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "%s=(%.60s): %s needs an environment with a model", key, spec,
                         env->class->entry.name);
    if ((*inner)->jumps && env->class != &lgkt_scaled_class)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "%s=(%.60s) does not show where it goes on after an end; only scaled goes "
                         "with that",
                         key, spec);
    env->jumps = (*inner)->jumps;
    env->mask = env->inner[0]->mask;
    env->states = env->inner[0]->states;
    env->vector = env->inner[0]->vector;
    env->low = env->inner[0]->low;
    env->high = env->inner[0]->high;
    env->actions = env->inner[0]->actions;
    env->reward_min = env->inner[0]->reward_min;
    env->reward_max = env->inner[0]->reward_max;
    env->reward_sd = env->inner[0]->reward_sd;
    return LGKT_OK;
}

lgkt_trajectory *lgkt_inner_run(lgkt_trajectory *trajectory, int i)
{
    return (void *)(trajectory->self + (i == 0 ? 0 : size_of_run(trajectory->env->inner[0])));
}

// Inner run i, with clock and generator; unless the state is hidden, with that, too.
static LGKT_HOT lgkt_trajectory *lend(lgkt_trajectory *trajectory, int i, bool hidden)
{
    lgkt_trajectory *const run = lgkt_inner_run(trajectory, i);
    run->time = trajectory->time;
    run->rng = trajectory->rng;
    if (!hidden)
        run->state = trajectory->state;
    return run;
}

void lgkt_inner_start(lgkt_trajectory *trajectory, double u)
{
    // what the second one may draw for itself are the numbers of the first
    for (int i = 1; i >= 0; i--) {
        const lgkt_env *inner = trajectory->env->inner[i];
        if (inner == NULL)
            continue;
        lgkt_trajectory *const run = lend(trajectory, i, true);
        run->env = inner;
        run->world = inner->self;
        run->horizon = trajectory->horizon;
        run->actions = trajectory->actions;
        run->step = inner->class->step;
        inner->class->start(run, u);
    }
    trajectory->rng = lgkt_inner_run(trajectory, 0)->rng;
    trajectory->state = lgkt_inner_run(trajectory, 0)->state;
}

void lgkt_inner_step(lgkt_trajectory *trajectory, int i, bool hidden, int32_t action,
                     lgkt_step *step)
{
    lgkt_trajectory *const run = lend(trajectory, i, hidden);
    run->step(run, action, step);
    trajectory->rng = run->rng;
}

void lgkt_inner_visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const bool hidden = trajectory->env->hidden != NULL;
    for (int i = 0; i < 2 && trajectory->env->inner[i] != NULL; i++) {
        lgkt_trajectory *const run = lend(trajectory, i, hidden);
        if (hidden)
            lgkt_visit_i32(archive, &run->state, 1, 0, run->env->states - 1);
        lgkt_env_visit_number(run->env, archive);
        if (run->env->class->visit != NULL)
            run->env->class->visit(run, archive);
    }
}

// ---- scaled ----

static double scale(const settings *set, double reward)
{
    return set->by * reward + set->shift;
}

static void fill_model(const settings *set, const lgkt_mdp *inner, lgkt_mdp_builder *builder)
{
    const bool mixed = lgkt_mdp_noise(inner) == LGKT_NOISE_MIXED;
    double sd = set->by * lgkt_mdp_noise_sd(inner);
    lgkt_mdp_builder_start_law(builder, lgkt_mdp_start_law(inner));
    lgkt_mdp_builder_noise(builder, sd > 0 ? LGKT_NOISE_NORMAL : LGKT_NOISE_NONE, sd);
    for (int32_t s = 0; s < lgkt_mdp_states(inner); s++)
        for (int32_t a = 0; a < lgkt_mdp_actions(inner); a++) {
            if (!lgkt_mdp_allowed(inner, s, a)) {
                lgkt_mdp_builder_forbid(builder, s, a);
                continue;
            }
            const lgkt_row row = lgkt_mdp_row(inner, s, a);
            lgkt_mdp_builder_reward(builder, s, a, scale(set, lgkt_mdp_reward(inner, s, a)));
            for (int32_t i = 0; i < row.n; i++) {
                lgkt_mdp_builder_edge(builder, s, a, row.next[i], row.p[i]);
                if (row.reward != NULL)
                    lgkt_mdp_builder_edge_reward(builder, s, a, row.next[i],
                                                 scale(set, row.reward[i]));
            }
            if (mixed) {
                lgkt_mdp_pair_noise(inner, s, a, &sd);
                lgkt_mdp_builder_pair_noise(
                    builder, s, a, sd > 0 ? LGKT_NOISE_NORMAL : LGKT_NOISE_NONE, set->by * sd);
            }
        }
}

static lgkt_status create_scaled(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    LGKT_TRY(lgkt_inner_add(env, "of", set->of, env->config, false, error));
    const lgkt_env *inner = env->inner[0];
    *(settings *)env->self = *set;
    if (inner->model != NULL) {
        LGKT_TRY(lgkt_env_begin_model(env, inner->states, inner->actions, error));
        fill_model(set, inner->model, env->builder);
    }
    snprintf(env->note, sizeof env->note, "rewards times %g plus %g: %.120s", set->by, set->shift,
             inner->note);
    return LGKT_OK;
}

// What a learner is told: as of the inner environment, which may know more than its model says.
static lgkt_status open_scaled(lgkt_env *env, lgkt_error *error)
{
    (void)error;
    const lgkt_env *inner = env->inner[0];
    const settings *set = env->self;
    env->reward_min = scale(set, inner->reward_min);
    env->reward_max = scale(set, inner->reward_max);
    env->reward_sd = set->by * inner->reward_sd;
    return LGKT_OK;
}

static void step_scaled(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const settings *set = trajectory->world;
    lgkt_inner_step(trajectory, 0, false, action, step);
    trajectory->state = step->state;
    step->reward = scale(set, step->reward);
    step->mean_reward = scale(set, step->mean_reward);
}

static const void *observation(const lgkt_trajectory *trajectory, size_t *size)
{
    return lgkt_trajectory_observation((const void *)trajectory->self, size);
}

static int32_t shown(const lgkt_trajectory *trajectory, const void **bytes, size_t *size)
{
    return lgkt_trajectory_shown((const void *)trajectory->self, bytes, size);
}

const lgkt_env_class lgkt_scaled_class = {
    LGKT_ENV_ENTRY("scaled", "another environment with all rewards times a factor plus a shift",
                   "ours", "that of the other, its model twice", LGKT_PARAMS(SCALED),
                   .inner = "of"),
    .self_size = sizeof(settings),
    .create = create_scaled,
    .open = open_scaled,
    .step = step_scaled,
    .start = lgkt_inner_start,
    .observation = observation,
    .shown = shown,
    .visit = lgkt_inner_visit,
};

// ---- merged ----

// Half the largest range of the mean rewards of one action in states that look alike.
static double half_range(const lgkt_mdp *model, int32_t shown)
{
    double widest = 0;
    for (int32_t o = 0; o < shown; o++)
        for (int32_t a = 0; a < lgkt_mdp_actions(model); a++) {
            double low = INFINITY, high = -INFINITY;
            for (int32_t s = o; s < lgkt_mdp_states(model); s += shown) {
                low = fmin(low, lgkt_mdp_reward(model, s, a));
                high = fmax(high, lgkt_mdp_reward(model, s, a));
            }
            widest = fmax(widest, high - low);
        }
    return widest / 2;
}

// States that look alike must allow the same actions.
static lgkt_status check_masks(const lgkt_env *inner, const char *spec, int32_t shown,
                               lgkt_error *error)
{
    const size_t actions = (size_t)inner->actions;
    for (int32_t s = shown; s < inner->states && inner->mask != NULL; s++)
        if (memcmp(lgkt_env_allowed(inner, s), lgkt_env_allowed(inner, s % shown), actions) != 0)
            return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                             "of=(%.60s): states %d and %d look alike but allow other actions",
                             spec, (int)(s % shown), (int)s);
    return LGKT_OK;
}

static lgkt_status create_merged(lgkt_env *env, void *chosen, lgkt_error *error)
{
    settings *set = chosen;
    LGKT_TRY(lgkt_inner_add(env, "of", set->of, env->config, true, error));
    const lgkt_env *inner = env->inner[0];
    if (set->states > inner->states)
        return lgkt_fail(error, LGKT_ERR_SPEC, "states=%lld, must be in 1 .. %d, its states",
                         (long long)set->states, (int)inner->states);
    if (set->states == LGKT_UNSET_INTEGER)
        set->states = (inner->states + 1) / 2;
    const int32_t shown = (int32_t)set->states;
    LGKT_TRY(check_masks(inner, set->of, shown, error));

    const double half = half_range(inner->model, shown);
    env->hidden = inner->model;
    env->states = shown; // the first rows of the mask are those of the states 0 .. M-1
    env->reward_sd = sqrt(inner->reward_sd * inner->reward_sd + half * half);
    snprintf(env->note, sizeof env->note, "%d states shown of %d: %.120s", (int)shown,
             (int)inner->states, inner->note);
    return LGKT_OK;
}

static int32_t shown_state(lgkt_trajectory *trajectory)
{
    return lgkt_inner_run(trajectory, 0)->state % trajectory->env->states;
}

static void step_merged(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    lgkt_inner_step(trajectory, 0, true, action, step);
    trajectory->state = step->state = shown_state(trajectory);
}

static void start_merged(lgkt_trajectory *trajectory, double u)
{
    lgkt_inner_start(trajectory, u);
    trajectory->state = shown_state(trajectory);
}

static void visit_merged(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    lgkt_inner_visit(trajectory, archive);
    archive->bad |= trajectory->state != shown_state(trajectory);
}

const lgkt_env_class lgkt_merged_class = {
    LGKT_ENV_ENTRY("merged",
                   "another environment with hidden state: states that are M apart look alike",
                   "ours", "that of the other", LGKT_PARAMS(MERGED), .inner = "of"),
    .create = create_merged,
    .step = step_merged,
    .start = start_merged,
    .visit = visit_merged,
};

// ---- changing ----

// times (MAX_TURNS) from a list 5000/10000; *count of them
static lgkt_status read_times(const char *text, int64_t *times, int32_t *count, lgkt_error *error)
{
    *count = 0;
    for (const char *at = text; at != NULL; at = strchr(at, '/')) {
        char word[LGKT_NUMBER_SIZE];
        at += *at == '/' && at > text;
        const size_t length = strcspn(at, "/");
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 0, at);
        int64_t *const time = &times[*count];
        if (*count == MAX_TURNS || !lgkt_integer_parse(word, time) || *time > MAX_TIME ||
            *time < (*count > 0 ? times[*count - 1] + 1 : 0))
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "at=%.60s: it must be up to %d whole numbers from 0 on that increase, "
                             "such as 5000/10000",
                             text, MAX_TURNS);
        ++*count;
    }
    return LGKT_OK;
}

// the steps between two of them have a geometric law
static int32_t draw_times(double p, lgkt_rng rng, int64_t *times)
{
    const double scale = lgkt_log1p(-p);
    int64_t t = 0;
    int32_t count = 0;
    while (count < MAX_TURNS) {
        t += 1 + (int64_t)fmin(lgkt_log1p(-lgkt_rng_uniform(&rng)) / scale, MAX_TIME);
        if (t > MAX_TIME)
            break;
        times[count++] = t;
    }
    return count;
}

// The mean rewards (S, A) of the model before or after a change.
static const double *means_of(const lgkt_env *env, int side)
{
    return lgkt_mdp_rewards(env->inner[side]->model);
}

static lgkt_status open_change(lgkt_env *env, const settings *set, int64_t *times,
                               lgkt_error *error)
{
    const lgkt_env *before = env->inner[BEFORE], *after = env->inner[AFTER];
    const lgkt_env_config *config = env->config;
    lgkt_change *change = NULL;
    int32_t count = 0;
    if (set->jumps > 0)
        count = draw_times(set->jumps, lgkt_rng_stream(config->seed, "changes", config->instance),
                           times);
    else
        LGKT_TRY(read_times(set->at == NULL ? "5000" : set->at, times, &count, error));
    LGKT_TRY(lgkt_change_create(before->model, after->model, times, count, set->rate,
                                &env->allocator, &change, error));
    env->change = change;
    snprintf(env->note, sizeof env->note, "%s %d time%s, the first one at %lld: %.60s | %.60s",
             set->rate > 0 ? "drifts" : "jumps", (int)count, count == 1 ? "" : "s",
             (long long)(count > 0 ? times[0] : -1), before->note, after->note);
    return LGKT_OK;
}

static lgkt_status create_changing(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    if (set->jumps > 0 && set->at != NULL)
        return lgkt_fail(error, LGKT_ERR_SPEC, "at and jumps are both given; one must do");
    lgkt_env_config first = *env->config, second = first;
    first.after = second.after = (lgkt_data){0};
    second.data = env->config->after;
    if (set->draw == DRAW_NEW)
        second.instance = ~first.instance;
    LGKT_TRY(lgkt_inner_add(env, "before", set->before, &first, true, error));
    LGKT_TRY(lgkt_inner_add(env, "after", set->after, &second, true, error));

    int64_t *times = lgkt_alloc_zeroed(&env->allocator, MAX_TURNS, sizeof *times);
    if (times == NULL)
        return lgkt_fail_memory(error, "the times of a change");
    const lgkt_status status = open_change(env, set, times, error);
    lgkt_free(&env->allocator, times);

    const lgkt_env *before = env->inner[BEFORE], *after = env->inner[AFTER];
    env->reward_min = fmin(before->reward_min, after->reward_min);
    env->reward_max = fmax(before->reward_max, after->reward_max);
    env->reward_sd = fmax(before->reward_sd, after->reward_sd);
    double apart = 0;
    for (int32_t z = 0; status == LGKT_OK && z < env->states * env->actions && set->rate > 0; z++)
        apart = fmax(apart, fabs(means_of(env, BEFORE)[z] - means_of(env, AFTER)[z]));
    if (apart > 0)
        env->reward_sd = sqrt(env->reward_sd * env->reward_sd + apart * apart / 4);
    return status;
}

static void step_changing(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const lgkt_env *env = trajectory->env;
    const size_t z = (size_t)trajectory->state * (size_t)trajectory->actions + (size_t)action;
    const double w = lgkt_change_weight(env->change, trajectory->time);
    const bool after = w > 0 && (w == 1 || lgkt_rng_uniform(&trajectory->rng) < w);
    lgkt_inner_step(trajectory, after ? AFTER : BEFORE, false, action, step);
    trajectory->state = step->state;
    if (w > 0 && w < 1)
        step->mean_reward = (1 - w) * means_of(env, BEFORE)[z] + w * means_of(env, AFTER)[z];
}

const lgkt_env_class lgkt_changing_class = {
    LGKT_ENV_ENTRY(
        "changing", "one environment before and another one after, in jumps or by drifting", "ours",
        "that of the two", LGKT_PARAMS(CHANGING), .inner = "before", .inner_after = "after"),
    .create = create_changing,
    .step = step_changing,
    .start = lgkt_inner_start,
    .visit = lgkt_inner_visit,
};
