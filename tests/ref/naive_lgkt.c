// SPDX-License-Identifier: MIT
// The LGKT family once more, as plain as it can be said, for comparison with the shipped learner.
// Nothing is cached: each choice scans all actions and takes logarithms and roots of the counts.
//
// Per pair z = (s,a): n visits, m1 mean reward over them, nc continuation samples, mc their mean.
// Exact ties make rounding visible, so it is part of what is compared: m1 = (sum of rewards)/n; mc
// is a running mean, m += (x - m)/n; sums go from left to right.
//   value        m1 for depth 1, else m1 + mc (or that sum as stored when a sample was last added)
//   lower bound  value - w(n), deeper: - w(nc)       w(n) = sqrt(c ln(n+2)/(n+2))
//   index        value + b(n), deeper: + b(nc)       b: see bonus(); bonuses=one: without b(nc)
//   threshold step: of the actions whose lower bound (or value) reaches gamma the one with the
//   highest lower bound (michel: value); where there is none, the highest index, or all alike
//   coin         with a previous pair and no run open, u < eps(n) begins a run of K-1 steps
//   stages       a list of depths and the steps they begin at, once no run is open. From depth 1 to
//                2 all is kept, and each step of depth 1 is a sample for the pair before it; any
//                other change forgets samples. The coin counts visits since depth 1 was left, or
//                since the last change that forgot. Printed phases of lg1-2t have no such samples
//                and the usual coin.
//
// Random numbers: at most one per coin (none with a callback), then at most one per choice: for a
// uniform fallback always, else only if several actions share the best rank.
//
// Cost O(A) logarithms per step besides the sampler; memory O(S A) besides the samplers.

#include "ref/naive_lgkt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lgkt/rng.h"
#include "ref/naive_form.h"
#include "ref/naive_sampler.h"

struct naive_lgkt {
    naive_form form;
    lgkt_learner_config config;
    lgkt_rng rng;
    int64_t t;
    int stage;
    naive_track unit;
    int64_t runs, run_steps;
    double *n, *sum, *m1, *nc, *mc, *stored; // (S, A)
    double *n2;                              // (S, A) visits that count for the coin of stages
    double *raised;                          // (S) gamma where thresholds rise
    double *raises, *since;                  // (S)
    double *lower, *upper, *value;           // (A) of the choice at hand
    bool *best;                              // (A)
    double *memory;                          // of all arrays of numbers

    naive_sampler *shared[NAIVE_STAGES]; // one for each stage
    naive_sampler **own; // (S, A) of the stage at hand, if there is one for each pair
};

static const naive_stage *stage_of(const naive_lgkt *naive)
{
    return &naive->form.stages[naive->stage];
}

// ---- samplers ----

static naive_sampler *make_sampler(const naive_lgkt *naive, int64_t k)
{
    const naive_form *form = &naive->form;
    lgkt_problem problem = naive->config.problem;
    problem.reward_min = form->reward_min;
    problem.reward_max = form->reward_max;
    problem.reward_sd = form->reward_sd;
    return naive_sampler_create(form->sampler, &problem, k - 1, form->sampler_bonus);
}

// ---- stages: the released code counts from one, and looks again after counting a step ----

static void forget_own_samplers(naive_lgkt *naive)
{
    const lgkt_problem *problem = &naive->config.problem;
    for (int64_t z = 0; z < (int64_t)problem->states * problem->actions; z++) {
        naive_sampler_destroy(naive->own[z]);
        naive->own[z] = NULL;
    }
}

static void enter_stages(naive_lgkt *naive)
{
    const naive_form *form = &naive->form;
    const size_t pairs =
        (size_t)naive->config.problem.states * (size_t)naive->config.problem.actions;
    const int64_t clock = naive->t + form->released;
    while (naive->stage + 1 < form->stage_count && clock >= stage_of(naive)[1].start) {
        const bool keeps = stage_of(naive)->k == 1 && stage_of(naive)[1].k == 2;
        naive->stage++;
        if (keeps)
            continue;
        double *const forgotten[] = {naive->nc, naive->mc, naive->stored, naive->n2};
        for (int i = 0; i < 4; i++)
            memset(forgotten[i], 0, pairs * sizeof(double));
        forget_own_samplers(naive);
    }
}

// whether the step just played tells the continuation of the pair before it
static bool learns_at_one(const naive_lgkt *naive)
{
    const naive_form *form = &naive->form;
    if (!naive_form_is_staged(form))
        return false;
    if (form->released)
        return naive->t + 2 < form->stages[1].start;
    return stage_of(naive)->k == 1;
}

// ---- thresholds ----

static double given_gamma(const naive_lgkt *naive, int32_t s, int64_t k, double otherwise)
{
    const lgkt_threshold *given = &naive->config.threshold;
    if (given->fn)
        return given->fn(given->ctx, naive->t, s, (int32_t)k);
    if (!given->table || k != naive->form.k)
        return otherwise;
    const int64_t row = naive->t < given->table_steps ? naive->t : given->table_steps - 1;
    return given->table[row * naive->config.problem.states + s];
}

static double gamma_of(const naive_lgkt *naive, int32_t s)
{
    const naive_stage *stage = stage_of(naive);
    return naive->form.rising ? naive->raised[s] : given_gamma(naive, s, stage->k, stage->gamma);
}

// of sampler=order
static double run_gamma(const naive_lgkt *naive, int32_t s)
{
    if (naive->form.two_phases)
        return given_gamma(naive, s, 1, naive->form.stages[0].gamma);
    return naive->form.sampler_threshold;
}

static double never_nan(double gamma)
{
    return isnan(gamma) ? INFINITY : gamma;
}

static void raise_threshold(naive_lgkt *naive, int32_t s)
{
    const naive_form *form = &naive->form;
    const bool fixed = form->released && form->k == 2;
    const double wait = log(fixed ? 20000.0 : (double)naive->config.problem.horizon);
    if (form->rising && naive->raises[s] < form->max_raises && naive->since[s] >= wait) {
        naive->raised[s] += form->delta;
        naive->raises[s]++;
        naive->since[s] = 0;
    }
}

// ---- keys ----

static double width(const naive_form *form, double n)
{
    return sqrt(form->width * log(n + 2) / (n + 2));
}

static double bonus(const naive_form *form, double n, double horizon)
{
    if (form->index == NAIVE_PAPER)
        return 3.4 / n * sqrt(((n == 1 ? 0 : log(log(n))) + log(10 * horizon)) / n);
    if (form->index == NAIVE_ROOT)
        return 2 * sqrt(log(horizon) / n);
    const double rounds = form->index == NAIVE_RELEASED ? 1e5 : 10 * horizon;
    return 3.428 / (n + 1) * sqrt((log(log(n + 2)) + 2 * log(rounds)) / (n + 1));
}

static double coin_probability(const naive_form *form, double n)
{
    const double power = pow(n + 1, form->p);
    return form->coin == NAIVE_PAPER ? fmin(1, 1 / (power * fmin(form->eta, 0.5)))
                                     : 1 / (1 + power);
}

// values, lower bounds and indices of all actions of s at depth 1 or deeper
static void fill_keys(naive_lgkt *naive, int32_t s, bool deep)
{
    const naive_form *form = &naive->form;
    const double horizon = (double)naive->config.problem.horizon;
    const int32_t actions = naive->config.problem.actions;
    for (int32_t a = 0; a < actions; a++) {
        const int64_t z = (int64_t)s * actions + a;
        const double n = naive->n[z], nc = naive->nc[z];
        if (n == 0 || (deep && nc == 0)) {
            naive->lower[a] = form->untried_first ? INFINITY : -INFINITY;
            naive->upper[a] = INFINITY;
            naive->value[a] = naive->lower[a];
        } else if (!deep) {
            naive->value[a] = naive->m1[z];
            naive->lower[a] = naive->m1[z] - width(form, n);
            naive->upper[a] = naive->m1[z] + bonus(form, n, horizon);
        } else {
            const double v = form->refresh_always ? naive->m1[z] + naive->mc[z] : naive->stored[z];
            naive->value[a] = v;
            naive->lower[a] = v - width(form, n) - width(form, nc);
            naive->upper[a] = v + bonus(form, n, horizon);
            if (!form->one_bonus)
                naive->upper[a] += bonus(form, nc, horizon);
        }
    }
}

// ---- choices ----

// narrows `best` to the actions with the largest key
static void keep_largest(naive_lgkt *naive, const double *key)
{
    double top = -INFINITY;
    for (int32_t a = 0; a < naive->config.problem.actions; a++)
        if (naive->best[a] && key[a] > top)
            top = key[a];
    for (int32_t a = 0; a < naive->config.problem.actions; a++)
        if (key[a] != top)
            naive->best[a] = false;
}

static int32_t highest_best(const naive_lgkt *naive)
{
    int32_t a = naive->config.problem.actions - 1;
    while (!naive->best[a])
        a--;
    return a;
}

static int32_t random_best(naive_lgkt *naive)
{
    int32_t count = 0;
    for (int32_t a = 0; a < naive->config.problem.actions; a++)
        count += naive->best[a];
    int32_t skip = count > 1 ? lgkt_rng_below(&naive->rng, count) : 0;
    for (int32_t a = 0;; a++)
        if (naive->best[a] && skip-- == 0)
            return a;
}

static void keep_all(naive_lgkt *naive)
{
    for (int32_t a = 0; a < naive->config.problem.actions; a++)
        naive->best[a] = true;
}

// the released order: lower bounds below gamma all count as gamma, then the index decides; so an
// action just at gamma has no advantage
static void keep_by_released_order(naive_lgkt *naive, double gamma)
{
    for (int32_t a = 0; a < naive->config.problem.actions; a++)
        naive->lower[a] = fmax(naive->lower[a], gamma);
    keep_all(naive);
    keep_largest(naive, naive->lower);
    keep_largest(naive, naive->upper);
}

static int32_t choose(naive_lgkt *naive, int32_t s, bool deep, double gamma)
{
    const naive_form *form = &naive->form;
    const int32_t actions = naive->config.problem.actions;
    fill_keys(naive, s, deep);
    bool any = false;
    for (int32_t a = 0; a < actions; a++)
        any |= naive->best[a] = (form->by_mean ? naive->value[a] : naive->lower[a]) >= gamma;
    if (!any && form->uniform)
        return lgkt_rng_below(&naive->rng, actions);
    if (form->ties_high && !form->uniform && !form->by_mean) {
        keep_by_released_order(naive, gamma);
    } else if (any) {
        keep_largest(naive, form->michel ? naive->value : naive->lower);
    } else {
        keep_all(naive);
        keep_largest(naive, naive->upper);
    }
    return form->ties_high ? highest_best(naive) : random_best(naive);
}

static naive_sampler *sampler_of_run(naive_lgkt *naive)
{
    if (!naive->form.sampler_pair)
        return naive->shared[naive->stage];
    naive_sampler **own = &naive->own[naive->unit.reference];
    if (!*own)
        *own = make_sampler(naive, stage_of(naive)->k);
    return *own;
}

static int32_t choose_in_run(naive_lgkt *naive, int32_t s)
{
    if (naive_form_samples_by_order(&naive->form))
        return choose(naive, s, false, never_nan(run_gamma(naive, s)));
    naive_sampler *sampler = sampler_of_run(naive);
    if (naive->unit.left == stage_of(naive)->k - 1)
        naive_sampler_begin(sampler);
    return naive_sampler_act(sampler, s, &naive->rng);
}

// ---- runs ----

static void flip_coin(naive_lgkt *naive)
{
    const naive_form *form = &naive->form;
    const int64_t steps = stage_of(naive)->k - 1;
    const int64_t to_go = naive->config.problem.horizon - naive->t;
    if (steps == 0 || naive->unit.last < 0 || to_go < steps)
        return;
    const lgkt_coin_fn coin = naive->config.coin;
    const double u = coin ? coin(naive->config.coin_ctx, naive->t) : lgkt_rng_uniform(&naive->rng);
    const double visits =
        naive_form_is_staged(form) ? naive->n2[naive->unit.last] : naive->unit.visits;
    if (u < coin_probability(form, visits)) {
        naive->unit.reference = naive->unit.last;
        naive->unit.left = steps;
        naive->unit.total = 0;
        naive->runs++;
    }
}

// who learns from a step: the sampler of an open run, and with sampler-data=all every other one
static void teach(naive_lgkt *naive, const naive_step *step)
{
    naive_sampler *own = naive->unit.reference >= 0 ? sampler_of_run(naive) : NULL;
    if (own)
        naive_sampler_learn(own, step, true);
    for (int i = 0; naive->form.sampler_all && i < naive->form.stage_count; i++)
        if (naive->shared[i] && naive->shared[i] != own)
            naive_sampler_learn(naive->shared[i], step, false);
}

static void refresh(naive_lgkt *naive, int64_t z)
{
    naive->stored[z] = naive->m1[z] + naive->mc[z];
}

static void add_continuation(naive_lgkt *naive, int64_t z, double x)
{
    naive->nc[z]++;
    naive->mc[z] += (x - naive->mc[z]) / naive->nc[z];
    refresh(naive, z);
}

static void go_on_with_run(naive_lgkt *naive, double gain, bool ended)
{
    naive->unit.total += gain;
    naive->unit.left--;
    naive->run_steps++;
    if (naive->unit.left == 0 || ended) {
        add_continuation(naive, naive->unit.reference, naive->unit.total);
        naive->unit.reference = -1;
    }
}

// ---- public ----

// all arrays get the length of the longest, S A, out of one block
static bool allocate(naive_lgkt *naive)
{
    double **const arrays[] = {&naive->n,      &naive->sum,    &naive->m1,    &naive->nc,
                               &naive->mc,     &naive->stored, &naive->n2,    &naive->raised,
                               &naive->raises, &naive->since,  &naive->lower, &naive->upper,
                               &naive->value};
    const size_t count = sizeof arrays / sizeof *arrays;
    const lgkt_problem *problem = &naive->config.problem;
    const size_t pairs = (size_t)problem->states * (size_t)problem->actions;
    naive->memory = calloc(count * pairs, sizeof(double));
    naive->best = calloc(pairs, sizeof(bool));
    naive->own = calloc(pairs, sizeof *naive->own);
    if (!naive->memory || !naive->best || !naive->own)
        return false;
    for (size_t i = 0; i < count; i++)
        *arrays[i] = naive->memory + i * pairs;
    return true;
}

static bool make_samplers(naive_lgkt *naive)
{
    const naive_form *form = &naive->form;
    for (int i = 0; i < form->stage_count; i++)
        if (form->stages[i].k > 1 && !naive_form_samples_by_order(form)) {
            naive->shared[i] = make_sampler(naive, form->stages[i].k);
            if (!naive->shared[i])
                return false;
        }
    return true;
}

naive_lgkt *naive_lgkt_create(const char *spec, const lgkt_learner_config *config)
{
    naive_lgkt *naive = calloc(1, sizeof *naive);
    if (!naive)
        return NULL;
    naive->config = *config;
    if (!naive_form_read(spec, &config->problem, &naive->form) || !allocate(naive) ||
        !make_samplers(naive)) {
        naive_lgkt_destroy(naive);
        return NULL;
    }
    naive->rng = lgkt_rng_stream(config->seed, "learner", config->instance);
    naive->unit = naive_lgkt_begun();
    for (int32_t s = 0; s < config->problem.states; s++)
        naive->raised[s] = naive->form.threshold;
    return naive;
}

void naive_lgkt_destroy(naive_lgkt *naive)
{
    if (!naive)
        return;
    for (int i = 0; i < NAIVE_STAGES; i++)
        naive_sampler_destroy(naive->shared[i]);
    if (naive->own)
        forget_own_samplers(naive);
    free(naive->own);
    free(naive->memory);
    free(naive->best);
    free(naive);
}

int32_t naive_lgkt_act(naive_lgkt *naive, int32_t state)
{
    raise_threshold(naive, state);
    if (naive->unit.reference < 0) {
        enter_stages(naive);
        flip_coin(naive);
    }
    const bool deep = stage_of(naive)->k > 1;
    const int32_t a = naive->unit.reference >= 0
                          ? choose_in_run(naive, state)
                          : choose(naive, state, deep, never_nan(gamma_of(naive, state)));
    naive->unit.now = (int64_t)state * naive->config.problem.actions + a;
    return a;
}

void naive_lgkt_observe(naive_lgkt *naive, double reward, int32_t next_state, bool ended)
{
    const naive_form *form = &naive->form;
    const int64_t z = naive->unit.now, actions = naive->config.problem.actions;
    naive->n[z]++;
    naive->sum[z] += reward;
    naive->m1[z] = naive->sum[z] / naive->n[z];
    naive->since[z / actions]++;
    const naive_step step = {(int32_t)(z / actions), (int32_t)(z % actions), next_state, reward,
                             ended};
    if (!naive_form_samples_by_order(form))
        teach(naive, &step);

    const double gain = form->add_means ? naive->m1[z] : reward;
    const bool early = learns_at_one(naive);
    if (!early)
        naive->n2[z]++;
    if (naive->unit.reference >= 0)
        go_on_with_run(naive, gain, ended);
    else if (early && naive->unit.last >= 0)
        add_continuation(naive, naive->unit.last, gain);
    // the released two-phase code also does this when nothing was added
    if (naive_form_is_staged(form) && form->released && naive->unit.last >= 0)
        refresh(naive, naive->unit.last);

    naive->unit.last = ended ? -1 : z;
    naive->unit.visits = naive->n[z];
    naive->t++;
}

naive_track naive_lgkt_begun(void)
{
    return (naive_track){.last = -1, .reference = -1};
}

void naive_lgkt_put(naive_lgkt *naive, const naive_track *track, int64_t decisions)
{
    naive->unit = *track;
    naive->t = decisions;
}

naive_track naive_lgkt_take(const naive_lgkt *naive)
{
    return naive->unit;
}

int64_t naive_lgkt_runs(const naive_lgkt *naive)
{
    return naive->runs;
}

int64_t naive_lgkt_run_steps(const naive_lgkt *naive)
{
    return naive->run_steps;
}
