// SPDX-License-Identifier: MIT
// Models drawn from what is believed after a log, and learners that play in them.
//
// For pair z with n_j moves to each state j that it was seen to lead to, n in sum, S states,
//
//   P(.|z)   Dirichlet(n_j + u/S for every state j), u = `unseen`. What falls to the m' states that
//            were not seen is gamma(u m'/S) of it in sum and goes to one of them, drawn uniformly:
//            the means of all entries are exact, and so are the variances of those that were seen.
//   R(z)     Bernoulli: Beta(sum + 1/2, count - sum + 1/2). Else, with the sum of squared deviations
//            Q and the pooled variance v = sum Q / sum (count - 1) of all pairs,
//              sigma^2 = (PRIOR v + Q) / chi^2(PRIOR + count - 1),  R ~ N(mean, sigma^2 / count),
//            kept within reward_min and reward_max; rewards are observed with noise sigma.
//
// What was never seen is at an end of what is possible, in even draws the better, in odd ones the
// worse: the reward of a pair without one is reward_max or reward_min, and a pair of which nothing
// at all was seen leads back to its own state, where that reward is earned for ever. So learners
// that play what the log has never tried get results far apart, and those that do not are not
// touched. A pair with rewards that was always cut leads to the law of the start.
//
// Draw d takes its numbers from stream ("posterior", d), and its runs are those of instance d.
#include "experiments/runner/simulate.h"

#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "lgkt/rng.h"

#define PRIOR 4.0 // as many rewards' worth of the pooled variance

// ---- what is believed ----

static lgkt_status check_rows(const exp_belief *b, lgkt_error *error)
{
    const int64_t pairs = (int64_t)b->states * b->actions;
    if (b->begin[0] != 0)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "begin[0] = %lld must be 0",
                         (long long)b->begin[0]);
    for (int64_t z = 0; z < pairs; z++) {
        if (b->begin[z + 1] < b->begin[z])
            return lgkt_fail(error, LGKT_ERR_SHAPE, "begin[%lld] = %lld is below the one before",
                             (long long)z + 1, (long long)b->begin[z + 1]);
        for (int64_t i = b->begin[z]; i < b->begin[z + 1]; i++) {
            const int32_t least = i > b->begin[z] ? b->next[i - 1] + 1 : 0;
            if (b->next[i] < least || b->next[i] >= b->states)
                return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                                 "next[%lld] = %d is not in %d .. %d: those of a pair increase",
                                 (long long)i, b->next[i], least, b->states - 1);
            if (!(b->counts[i] > 0.0) || isinf(b->counts[i]))
                return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                                 "counts[%lld] = %g must be above 0 and finite", (long long)i,
                                 b->counts[i]);
        }
    }
    return LGKT_OK;
}

static lgkt_status check_rewards(const exp_belief *b, lgkt_error *error)
{
    const int64_t pairs = (int64_t)b->states * b->actions;
    for (int64_t z = 0; z < pairs; z++) {
        const double n = b->rewards[z], sum = b->rewards[pairs + z];
        const double squares = b->rewards[2 * pairs + z];
        const bool good = n >= 0.0 && isfinite(n) && isfinite(sum) && isfinite(squares) &&
                          squares >= 0.0 && (n > 0.0 || sum == 0.0);
        // a mean beyond the ends, but for rounding
        const double slack = 1e-9 * (1.0 + fabs(sum));
        if (!good)
            return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                             "state %d, action %d: %g rewards with sum %g and squares %g cannot be",
                             (int)(z / b->actions), (int)(z % b->actions), n, sum, squares);
        if (sum < n * b->reward_min - slack || sum > n * b->reward_max + slack)
            return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                             "state %d, action %d: the mean reward %g is not in [%g, %g]",
                             (int)(z / b->actions), (int)(z % b->actions), sum / n, b->reward_min,
                             b->reward_max);
    }
    return LGKT_OK;
}

lgkt_status exp_belief_check(const exp_belief *b, lgkt_error *error)
{
    if (b->states < 1 || b->actions < 1 || (int64_t)b->states * b->actions > LGKT_MAX_PAIRS)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "%d states and %d actions are not 1 .. %d pairs",
                         b->states, b->actions, LGKT_MAX_PAIRS);
    if (!(b->reward_min <= b->reward_max) || !isfinite(b->reward_max - b->reward_min))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "reward_min = %g must not be above reward_max = %g", b->reward_min,
                         b->reward_max);
    if (b->bernoulli && (b->reward_min < 0.0 || b->reward_max > 1.0))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "rewards that are 0 or 1 cannot be in [%g, %g]",
                         b->reward_min, b->reward_max);
    if (!(b->unseen >= 0.0) || isinf(b->unseen))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "unseen = %g must be 0 or more", b->unseen);
    LGKT_TRY(check_rows(b, error));
    return check_rewards(b, error);
}

// ---- one model ----

static double gamma_of(lgkt_rng *rng, double shape)
{
    return shape > 0.0 ? lgkt_rng_gamma(rng, shape) : 0.0;
}

// A state that is none of the successors, which increase.
static int32_t draw_other(const int32_t *next, int32_t count, int32_t states, lgkt_rng *rng)
{
    int32_t j = lgkt_rng_below(rng, states - count);
    for (int32_t i = 0; i < count && next[i] <= j; i++)
        j++;
    return j;
}

// The row of a pair that was seen to lead somewhere; p has room for one more than its successors.
static void draw_row(const exp_belief *b, int64_t z, lgkt_mdp_builder *builder, double *p,
                     lgkt_rng *rng)
{
    const int32_t state = (int32_t)(z / b->actions), action = (int32_t)(z % b->actions);
    const int32_t *next = b->next + b->begin[z];
    const double *counts = b->counts + b->begin[z];
    const int32_t n = (int32_t)(b->begin[z + 1] - b->begin[z]);
    const double each = b->unseen / b->states;
    double sum = p[n] = gamma_of(rng, each * (b->states - n));
    for (int32_t i = 0; i < n; i++)
        sum += p[i] = gamma_of(rng, counts[i] + each);
    // counts far below 1 may all come to nothing
    if (!(sum > 0.0))
        sum = p[0] = 1.0;
    for (int32_t i = 0; i < n; i++)
        if (p[i] > 0.0)
            lgkt_mdp_builder_edge(builder, state, action, next[i], p[i] / sum);
    if (p[n] > 0.0)
        lgkt_mdp_builder_edge(builder, state, action, draw_other(next, n, b->states, rng),
                              p[n] / sum);
}

static double deviations(const exp_belief *b, int64_t z)
{
    const int64_t pairs = (int64_t)b->states * b->actions;
    const double n = b->rewards[z], sum = b->rewards[pairs + z];
    const double squares = n > 0.0 ? b->rewards[2 * pairs + z] - sum * (sum / n) : 0.0;
    // what rounding leaves of equal rewards is none
    return squares > 1e-12 * b->rewards[2 * pairs + z] ? squares : 0.0;
}

// Of all pairs; where no pair has two rewards, that of a uniform law over all that is possible.
static double pooled_variance(const exp_belief *b)
{
    const int64_t pairs = (int64_t)b->states * b->actions;
    const double range = b->reward_max - b->reward_min;
    double sum = 0.0, freedom = 0.0;
    for (int64_t z = 0; z < pairs; z++) {
        sum += deviations(b, z);
        freedom += b->rewards[z] > 1.0 ? b->rewards[z] - 1.0 : 0.0;
    }
    return freedom > 0.0 ? sum / freedom : range * (range / 12.0);
}

// The mean reward of a pair that has some, and their noise.
static void draw_reward(const exp_belief *b, int64_t z, double pooled, lgkt_mdp_builder *builder,
                        lgkt_rng *rng)
{
    const int32_t state = (int32_t)(z / b->actions), action = (int32_t)(z % b->actions);
    const double n = b->rewards[z], sum = b->rewards[(int64_t)b->states * b->actions + z];
    double mean;
    if (b->bernoulli) {
        const double up = lgkt_rng_gamma(rng, sum + 0.5);
        mean = up / (up + lgkt_rng_gamma(rng, n - sum + 0.5));
    } else {
        const double freedom = PRIOR + (n > 1.0 ? n - 1.0 : 0.0);
        const double chi = 2.0 * lgkt_rng_gamma(rng, freedom / 2.0);
        const double variance = (PRIOR * pooled + deviations(b, z)) / chi;
        mean = sum / n + sqrt(variance / n) * lgkt_rng_normal(rng);
        lgkt_mdp_builder_pair_noise(builder, state, action,
                                    variance > 0.0 ? LGKT_NOISE_NORMAL : LGKT_NOISE_NONE,
                                    sqrt(variance));
    }
    mean = mean < b->reward_max ? mean : b->reward_max;
    lgkt_mdp_builder_reward(builder, state, action, mean > b->reward_min ? mean : b->reward_min);
}

static void draw_pair(const exp_belief *b, int64_t z, double pooled, double end,
                      lgkt_mdp_builder *builder, double *p, lgkt_rng *rng)
{
    const int32_t state = (int32_t)(z / b->actions), action = (int32_t)(z % b->actions);
    if (b->allowed != NULL && b->allowed[z] == 0) {
        lgkt_mdp_builder_forbid(builder, state, action);
        return;
    }
    if (b->begin[z + 1] > b->begin[z])
        draw_row(b, z, builder, p, rng);
    else if (b->rewards[z] > 0.0)
        lgkt_mdp_builder_row(builder, state, action, b->start);
    else
        lgkt_mdp_builder_edge(builder, state, action, state, 1.0);
    if (b->rewards[z] > 0.0)
        draw_reward(b, z, pooled, builder, rng);
    else
        lgkt_mdp_builder_reward(builder, state, action, end);
}

lgkt_status exp_belief_draw(const exp_belief *b, uint64_t seed, int64_t draw,
                            const lgkt_mdp **model, lgkt_error *error)
{
    lgkt_rng rng = lgkt_rng_stream(seed, "posterior", (uint64_t)draw);
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *made = NULL;
    double *p = calloc((size_t)b->states + 1, sizeof *p);
    lgkt_status status =
        p == NULL ? lgkt_fail_memory(error, "a model")
                  : lgkt_mdp_builder_create(b->states, b->actions, NULL, &builder, error);
    if (status == LGKT_OK) {
        const int64_t pairs = (int64_t)b->states * b->actions;
        const double pooled = pooled_variance(b);
        if (b->bernoulli)
            lgkt_mdp_builder_noise(builder, LGKT_NOISE_BERNOULLI, 0.0);
        status = lgkt_mdp_builder_start_law(builder, b->start);
        // what the builder is given here was checked: it can be out of memory only
        for (int64_t z = 0; z < pairs; z++)
            draw_pair(b, z, pooled, draw % 2 == 0 ? b->reward_max : b->reward_min, builder, p,
                      &rng);
        const char *refused = lgkt_mdp_builder_message(builder);
        if (status == LGKT_OK && refused[0] != '\0')
            status = LGKT_ERR_NO_MEMORY;
        status = status == LGKT_OK ? lgkt_mdp_builder_build(builder, &made, error)
                                   : lgkt_fail(error, status, "%s", refused);
    }
    lgkt_mdp_builder_destroy(builder);
    free(p);
    *model = made;
    return status;
}

// ---- learners in them ----

// A simulation under way. The model of an instance is asked for by the one thread that plays it, and
// the first by the one that makes what all share before.
typedef struct under_way {
    const exp_simulation *simulation;
    const lgkt_mdp **models; // (draws) of those that are played; NULL elsewhere
    double *earned;
} under_way;

static lgkt_status model_of(void *ctx, int64_t draw, const lgkt_mdp **model, lgkt_error *error)
{
    const under_way *u = ctx;
    const exp_simulation *s = u->simulation;
    if (u->models[draw] == NULL)
        LGKT_TRY(exp_belief_draw(s->belief, s->seed, draw, &u->models[draw], error));
    *model = u->models[draw];
    return LGKT_OK;
}

static lgkt_status take(void *ctx, int64_t draw, const exp_outcome *outcome, lgkt_error *error)
{
    (void)error;
    const under_way *u = ctx;
    for (int32_t l = 0; l < u->simulation->entry_count; l++)
        u->earned[l * u->simulation->draws + draw] = outcome->scores[l].reward;
    lgkt_mdp_destroy(u->models[draw]);
    u->models[draw] = NULL;
    return LGKT_OK;
}

// Environments are made from models alone.
static lgkt_status read_nothing(const io_files *files, const char *before, const char *spec,
                                io_data *data, lgkt_error *error)
{
    (void)files, (void)before, (void)spec, (void)error;
    *data = (io_data){0};
    return LGKT_OK;
}

static lgkt_status play_all(under_way *u, const exp_runner *how, lgkt_error *error)
{
    const exp_simulation *s = u->simulation;
    const exp_panel panel = {
        .name = "simulate",
        .env = "model",
        .horizon = s->horizon * s->units,
        .instances = s->draws,
        .entries = s->entries,
        .entry_count = s->entry_count,
        .times = EXP_TIMES_ALONE,
        .units = {.count = s->units > 1 ? s->units : 0, .patience = 2},
        .untold = s->untold,
    };
    const exp_experiment experiment = {.name = "simulate", .panels = &panel, .panel_count = 1};
    const exp_draws draws = {model_of, u, s->units, s->belief->reward_min, s->belief->reward_max};
    const io_files files = {.read = read_nothing};
    const exp_asked asked = {
        .experiment = &experiment, .seed = s->seed, .files = &files, .draws = &draws};
    exp_tasks tasks;
    lgkt_status status = exp_tasks_make(&tasks, &asked, error);
    if (status == LGKT_OK) {
        exp_runner runner = *how;
        runner.tasks = &tasks;
        runner.count = tasks.count;
        runner.take = take;
        runner.ctx = u;
        status = exp_runner_run(&runner, NULL, error);
    }
    exp_tasks_free(&tasks);
    return status;
}

lgkt_status exp_simulate(const exp_simulation *s, const exp_runner *how, double *earned,
                         lgkt_error *error)
{
    if (s->units < 1 || s->units > EXP_MAX_UNITS || s->horizon < 1 ||
        s->horizon > EXP_MAX_HORIZON / s->units)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "%lld steps of %d units are not 1 .. %d units and 1 .. %lld steps in all",
                         (long long)s->horizon, s->units, EXP_MAX_UNITS,
                         (long long)EXP_MAX_HORIZON);
    if (s->draws < 1 || s->draws > EXP_MAX_REPLICATES || s->entry_count < 1)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "draws = %lld is not in 1 .. %d, or there is no learner",
                         (long long)s->draws, EXP_MAX_REPLICATES);
    LGKT_TRY(exp_belief_check(s->belief, error));
    under_way u = {s, calloc((size_t)s->draws, sizeof *u.models), earned};
    if (u.models == NULL)
        return lgkt_fail_memory(error, "models");
    for (int64_t i = 0; i < s->entry_count * s->draws; i++)
        earned[i] = NAN;
    const lgkt_status status = play_all(&u, how, error);
    for (int64_t d = 0; d < s->draws; d++)
        lgkt_mdp_destroy(u.models[d]);
    free(u.models);
    return status;
}
