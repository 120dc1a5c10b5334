// SPDX-License-Identifier: MIT
// The learners without a model once more, slowly and from their definitions.
#include "ref/naive_modelfree.h"

#include <stdlib.h>

#include "lgkt/keyed.h"
#include "learners/front/learner_private.h"
#include "ref/chance.h"
#include "ref/learner_run.h"
#include "ref/models.h"
#include "test.h"

// ---- Q-learning, both kinds ----

void naive_q_make(naive_q *naive)
{
    const size_t entries = (size_t)(naive->states * naive->places * naive->actions);
    naive->n = calloc(entries, sizeof *naive->n);
    naive->targets = calloc(entries * NAIVE_Q_VISITS, sizeof *naive->targets);
    naive->q = calloc(entries, sizeof *naive->q);
    naive->qhat = calloc(entries, sizeof *naive->qhat);
    for (size_t e = 0; e < entries; e++)
        naive->q[e] = naive->qhat[e] = naive->start;
}

void naive_q_release(naive_q *naive)
{
    free(naive->n);
    free(naive->targets);
    free(naive->q);
    free(naive->qhat);
}

size_t naive_q_entry(const naive_q *naive, int32_t state, int32_t place, int32_t action)
{
    return (size_t)((state * naive->places + place) * naive->actions + action);
}

long double naive_q_value(const naive_q *naive, int32_t state, int32_t place)
{
    long double most = -INFINITY;
    for (int32_t a = 0; a < naive->actions; a++)
        if (naive->ruled_out == NULL || !naive->ruled_out[state * naive->actions + a])
            most = fmaxl(most, naive->qhat[naive_q_entry(naive, state, place, a)]);
    return most;
}

static long double weighted_mean(const long double *targets, int32_t n, long double h)
{
    long double sum = 0;
    for (int32_t i = 1; i <= n; i++) {
        long double weight = (h + 1) / (h + i);
        for (int32_t j = i + 1; j <= n; j++)
            weight *= 1 - (h + 1) / (h + j);
        sum += weight * targets[i - 1];
    }
    return sum;
}

// what the step adds to the reward
static long double outlook(const naive_q *naive, int32_t state, int32_t place, int32_t next_state,
                           bool ended)
{
    if (naive->average)
        return naive->gamma * naive_q_value(naive, ended ? state : next_state, 0);
    if (ended || place + 1 == naive->places)
        return 0;
    return fminl(naive->start, naive_q_value(naive, next_state, place + 1));
}

void naive_q_learn(naive_q *naive, int32_t state, int32_t place, int32_t action, double reward,
                   int32_t next_state, bool ended)
{
    const size_t e = naive_q_entry(naive, state, place, action);
    long double *targets = naive->targets + e * NAIVE_Q_VISITS;
    const int32_t n = ++naive->n[e];
    assert_true(n <= NAIVE_Q_VISITS);
    targets[n - 1] = reward + outlook(naive, state, place, next_state, ended) +
                     naive->bonus / sqrtl((long double)n);
    naive->q[e] = weighted_mean(targets, n, naive->h);
    naive->qhat[e] = naive->average ? fminl(naive->qhat[e], naive->q[e]) : naive->q[e];
}

// ---- MDP-OOMD ----

enum { MOST_ACTIONS = 64 };

long double naive_log_barrier(const double *y, const double *beta, double eta, int32_t n, double *x)
{
    long double inverse[MOST_ACTIONS], least = INFINITY;
    for (int32_t a = 0; a < n; a++) {
        inverse[a] = 1.0L / y[a] - (long double)eta * beta[a];
        least = fminl(least, inverse[a]);
    }
    // at the lower end the smallest alone makes 1, at the upper end each makes at most 1/n
    long double lo = 1 - least, hi = n - least;
    for (int i = 0; i < 200; i++) {
        const long double lambda = (lo + hi) / 2;
        long double sum = 0;
        for (int32_t a = 0; a < n; a++)
            sum += 1 / (inverse[a] + lambda);
        *(sum > 1 ? &lo : &hi) = lambda;
    }
    for (int32_t a = 0; a < n; a++)
        x[a] = (double)(1 / (inverse[a] + lo));
    return lo;
}

int32_t naive_oomd_estimate(const naive_oomd *naive, const double *pi, const naive_step *batch,
                            int32_t last, int32_t state, double *beta)
{
    int32_t samples = 0, tau = 0;
    for (int32_t a = 0; a < naive->actions; a++)
        beta[a] = 0;
    while (tau <= last) {
        if (batch[tau].state != state) {
            tau++;
            continue;
        }
        double sum = 0;
        for (int32_t i = 0; i < naive->window; i++)
            sum += batch[tau + i].reward;
        beta[batch[tau].action] += sum / pi[state * naive->actions + batch[tau].action];
        samples++;
        tau += naive->overlapping ? 1 : 2 * naive->window;
    }
    for (int32_t a = 0; a < naive->actions && samples > 0; a++)
        beta[a] /= samples;
    return samples;
}

void naive_oomd_update(const naive_oomd *naive, double *pi, double *base, const naive_step *batch,
                       int32_t last)
{
    for (int32_t s = 0; s < naive->states; s++) {
        double beta[MOST_ACTIONS], next[MOST_ACTIONS];
        const int32_t row = s * naive->actions;
        naive_oomd_estimate(naive, pi, batch, last, s, beta);
        naive_log_barrier(base + row, beta, naive->eta, naive->actions, next);
        memcpy(base + row, next, (size_t)naive->actions * sizeof *next);
        naive_log_barrier(base + row, beta, naive->eta, naive->actions, pi + row);
    }
}

// ---- looking into a learner, and steering it ----

// what is saved of a learner behind its head
static void visit_own(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_part_visit(learner, &learner->class->whole, learner->self, archive);
    if (learner->class->visit != NULL)
        learner->class->visit(learner, archive);
}

// the 8 bytes of number i, lowest first
static uint64_t word(const lgkt_learner *learner, size_t i)
{
    const size_t size = modelfree_size(learner);
    assert_true(i < size);
    unsigned char *bytes = malloc(8 * size);
    lgkt_archive archive = lgkt_archive_save(bytes, 8 * size);
    visit_own((lgkt_learner *)learner, &archive);
    uint64_t bits = 0;
    for (int b = 7; b >= 0; b--)
        bits = bits << 8 | bytes[8 * i + (size_t)b];
    free(bytes);
    return bits;
}

double modelfree_real(const lgkt_learner *learner, size_t i)
{
    const uint64_t bits = word(learner, i);
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

int64_t modelfree_whole(const lgkt_learner *learner, size_t i)
{
    return (int64_t)word(learner, i);
}

size_t modelfree_size(const lgkt_learner *learner)
{
    lgkt_archive archive = lgkt_archive_save(NULL, 0);
    visit_own((lgkt_learner *)learner, &archive);
    return archive.at / 8;
}

lgkt_learner *modelfree_make(const char *spec, int32_t states, int32_t actions, int64_t horizon)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = (lgkt_problem){.states = states,
                                    .actions = actions,
                                    .horizon = horizon,
                                    .reward_min = 0,
                                    .reward_max = 1,
                                    .reward_sd = 0.5};
    return learner_run_make(spec, &config);
}

void modelfree_force(lgkt_learner *learner, int32_t state, int32_t action, double reward,
                     int32_t next_state, bool ended)
{
    int32_t chosen;
    learner->next_state = -1;
    assert_int_equal(lgkt_learner_act(learner, state, NULL, &chosen), LGKT_OK);
    learner->action = action;
    assert_int_equal(lgkt_learner_observe(learner, reward, next_state, ended), LGKT_OK);
}

double modelfree_law(const char *spec, int32_t actions, const double *p,
                     void (*prepare)(lgkt_learner *learner))
{
    int64_t counts[MOST_ACTIONS] = {0};
    lgkt_learner *learner = modelfree_make(spec, 2, actions, 1000);
    if (prepare != NULL)
        prepare(learner);
    for (uint64_t seed = 0; seed < 10000; seed++) {
        learner->rng = lgkt_rng_stream(seed, "law", 0);
        counts[learner->act(learner, 0)]++;
    }
    lgkt_learner_destroy(learner);
    return chance_law_p_value(counts, p, (size_t)actions);
}

// ---- rewards ----

enum { STEPS = 400 };

// what is told and what is earned: mean r becomes factor r + shift
typedef struct world {
    int32_t states, actions;
    double factor, shift, sd;
    double cuts;
} world;

// plays and writes the actions; the numbers of the learner stay finite
static void play_world(const char *spec, const world *w, int32_t *actions)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = (lgkt_problem){.states = w->states,
                                    .actions = w->actions,
                                    .horizon = STEPS,
                                    .reward_min = fmin(w->shift, w->shift + w->factor),
                                    .reward_max = fmax(w->shift, w->shift + w->factor),
                                    .reward_sd = fabs(w->factor) * w->sd};
    lgkt_learner *learner = learner_run_make(spec, &config);
    lgkt_rng rng = lgkt_rng_stream(5, "world", 0);
    int32_t state = 0;
    for (int t = 0; t < STEPS; t++) {
        assert_int_equal(lgkt_learner_act(learner, state, NULL, &actions[t]), LGKT_OK);
        assert_in_range(actions[t], 0, w->actions - 1);
        const double mean = ((state + 2 * actions[t]) % 5) / 5.0;
        const double reward = w->factor * (mean + w->sd * lgkt_rng_normal(&rng)) + w->shift;
        state = lgkt_rng_below(&rng, w->states);
        const bool ended = lgkt_rng_bernoulli(&rng, w->cuts);
        assert_int_equal(lgkt_learner_observe(learner, reward, state, ended), LGKT_OK);
    }
    const size_t reals = (size_t)w->states * (size_t)w->actions;
    for (size_t i = 0; i < reals; i++)
        assert_true(isfinite(modelfree_real(learner, i)));
    lgkt_learner_destroy(learner);
}

void modelfree_check_rewards(const char *spec)
{
    static const world worlds[] = {
        {4, 3, 1e6, 0, 0.5, 0},      {4, 3, 1e-6, 0, 0.5, 0.1}, {4, 3, 1, -1000, 0.5, 0},
        {4, 3, 1, 1000, 0, 0},       {4, 3, 0, 7, 0, 0.1},      {4, 3, 0, -7, 0.5, 0},
        {1, 3, 1, 0, 0.5, 0},        {4, 1, 1, 0, 0.5, 0.1},    {1, 1, 1, 0, 0, 0},
        {4, 3, 1e14, -1e14, 0.5, 0}, {4, 3, 1e-300, 0, 0.5, 0}, {2, 60, 1, -1000, 0.5, 0.5},
    };
    int32_t actions[STEPS], same[STEPS];
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++)
        play_world(spec, &worlds[i], actions);
    const world plain = {4, 3, 1, 0, 0.5, 0.02};
    world scaled = plain;
    play_world(spec, &plain, actions);
    for (int power = -30; power <= 30; power += 20) {
        scaled.factor = ldexp(1, power);
        play_world(spec, &scaled, same);
        assert_memory_equal(actions, same, sizeof actions);
    }
}

// ---- resuming, growing, feeding ----

// a run on a random model, with cuts
static learner_run start(lgkt_learner *learner, const lgkt_mdp *model)
{
    return (learner_run){.learner = learner, .model = model, .seed = 3, .cuts = 0.02};
}

static lgkt_mdp *some_model(void)
{
    lgkt_rng rng = lgkt_rng_stream(7, "modelfree", 0);
    return model_random(&rng, 5, 3, 0.5);
}

static lgkt_learner *save_and_load(const lgkt_learner *learner)
{
    size_t size = 0;
    assert_int_equal(lgkt_learner_save(learner, NULL, 0, &size, NULL), LGKT_ERR_SHAPE);
    void *bytes = malloc(size);
    assert_int_equal(lgkt_learner_save(learner, bytes, size, &size, NULL), LGKT_OK);
    const lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_learner *again = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_learner_load(bytes, size, &config, &again, &error), error);
    free(bytes);
    return again;
}

void modelfree_check_resume(const char *spec)
{
    lgkt_mdp *model = some_model();
    lgkt_learner_config config = learner_run_config(model, STEPS);
    config.problem.model = NULL;
    for (int64_t at = 0; at < STEPS; at += 41) {
        int32_t actions[STEPS], again[STEPS];
        lgkt_learner *learner = learner_run_make(spec, &config);
        learner_run run = start(learner, model);
        learner_run_play(&run, at, NULL);
        lgkt_learner *loaded = save_and_load(learner);
        learner_run second = run;
        second.learner = loaded;
        learner_run_play(&run, STEPS - at, actions);
        learner_run_play(&second, STEPS - at, again);
        assert_memory_equal(actions, again, (size_t)(STEPS - at) * sizeof *actions);
        assert_true(lgkt_learner_hash(learner) == lgkt_learner_hash(loaded));
        lgkt_learner_destroy(loaded);
        lgkt_learner_destroy(learner);
    }
    lgkt_mdp_destroy(model);
}

void modelfree_check_growth(const char *spec)
{
    enum { STATES = 70, ACTIONS = 3 };
    lgkt_learner *learner = modelfree_make(spec, STATES, ACTIONS, STEPS);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_learner_problem(learner);
    config.problem.states = 0;
    lgkt_keyed_config limits = lgkt_keyed_config_default();
    limits.state_limit = 100;
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_keyed_create(spec, &config, &limits, &keyed, &error), error);
    lgkt_rng rng = lgkt_rng_stream(9, "growth", 0);
    int32_t state = 0;
    for (int t = 0; t < STEPS; t++) {
        int32_t action, same;
        assert_int_equal(lgkt_learner_act(learner, state, NULL, &action), LGKT_OK);
        assert_int_equal(lgkt_keyed_act(keyed, &state, sizeof state, NULL, &same), LGKT_OK);
        assert_int_equal(action, same);
        const double reward = lgkt_rng_uniform(&rng);
        state = lgkt_rng_below(&rng, 1 + t * STATES / STEPS);
        assert_int_equal(lgkt_learner_observe(learner, reward, state, false), LGKT_OK);
        assert_int_equal(lgkt_keyed_observe(keyed, reward, &state, sizeof state, false), LGKT_OK);
    }
    assert_true(lgkt_keyed_states(keyed) > 40);
    lgkt_keyed_destroy(keyed);
    lgkt_learner_destroy(learner);
}

void modelfree_check_feed(const char *spec)
{
    lgkt_mdp *model = some_model();
    lgkt_learner_config config = learner_run_config(model, STEPS);
    lgkt_learner *learner = learner_run_make(spec, &config);
    lgkt_learner *watcher = learner_run_make(spec, &config);
    learner_run run = start(learner, model);
    for (int t = 0; t < STEPS; t++) {
        const int32_t state = run.state;
        int32_t action;
        assert_int_equal(lgkt_learner_act(learner, state, NULL, &action), LGKT_OK);
        const lgkt_step step = learner_run_outcome(&run, action);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        assert_int_equal(
            lgkt_learner_feed(watcher, state, action, step.reward, step.state, step.ended),
            LGKT_OK);
        run.state = step.state;
    }
    assert_int_equal(lgkt_learner_time(watcher), 0);
    for (size_t i = 0; i < modelfree_size(learner); i++)
        assert_int_equal(modelfree_whole(learner, i), modelfree_whole(watcher, i));
    lgkt_learner_destroy(watcher);
    lgkt_learner_destroy(learner);
    lgkt_mdp_destroy(model);
}

void modelfree_check_refused(const char *spec, const char *words)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = config.problem.actions = 2;
    config.problem.horizon = 10;
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_refused(lgkt_learner_create(spec, &config, &learner, &error), LGKT_ERR_SPEC, error,
                   words);
    assert_null(learner);
}
