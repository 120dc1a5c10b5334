// SPDX-License-Identifier: MIT
// labels: slow
// Whole runs of the learners by extended value iteration against a shadow, which keeps the
// trajectory and computes everything from it: when an episode ends, what is plausible, PMEVI's
// legs, constraints and mitigation, and with the naive iteration that the plan is one to its
// precision.

#include "test.h"

#include "learners/planners/ucrl.h"
#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/naive_evi.h"
#include "ref/naive_legs.h"

static const char *const names[] = {"ucrl2", "klucrl", "pmevi-ucrl2", "pmevi-klucrl"};
enum { NAMES = 4 };

static const lgkt_ucrl *inside(const lgkt_learner *learner)
{
    return learner->self;
}

enum { MOST_STEPS = 3000, STATES = 3, ACTIONS = 3, PAIRS = STATES * ACTIONS };

// all that happened, and the plan as it follows from that
typedef struct shadow {
    lgkt_learner *learner;
    bool vanishing, pmevi;
    int32_t steps;
    int32_t states[MOST_STEPS + 1], actions[MOST_STEPS];
    double rewards[MOST_STEPS]; // in units of the range
    bool cut[MOST_STEPS];
    int64_t n[PAIRS], n_k[PAIRS]; // visits, and at the last planning
    int64_t t_k, episodes;
    double least_gain;
    double radius;          // of all balls; 0: by the bound
    int32_t policy[STATES]; // -1: not seen in this episode
    naive_evi plan;
    int64_t tight, mitigated;
} shadow;

// ---- when episodes end ----

static bool shadow_ends(const shadow *x, int32_t state)
{
    if (x->episodes == 0)
        return true;
    if (x->policy[state] < 0)
        return false;
    const int32_t z = state * x->plan.actions + x->policy[state];
    const double n = (double)x->n[z], n_k = (double)x->n_k[z];
    if (x->vanishing)
        return n >= fmax(1, (1 + pow((double)x->t_k, -0.25)) * n_k);
    return n - n_k >= fmax(1, n_k);
}

// ---- what is plausible ----

static void shadow_pair(shadow *x, int32_t z)
{
    const lgkt_ucrl *u = inside(x->learner);
    const int32_t states = x->plan.states, actions = x->plan.actions;
    const lgkt_radii radii = {.region = u->name->region,
                              .bound = (lgkt_bound)u->set.bound,
                              .states = states,
                              .actions = actions,
                              .horizon = (double)x->learner->problem.horizon,
                              .t = (double)x->t_k,
                              .delta = u->set.delta};
    double sum = 0, n = 0, moves = 0, *p = x->plan.p + z * states;
    memset(p, 0, (size_t)states * sizeof *p);
    for (int32_t i = 0; i < x->steps; i++) {
        if (x->states[i] * actions + x->actions[i] != z)
            continue;
        n++;
        sum += x->rewards[i];
        moves += !x->cut[i];
        p[x->states[i + 1]] += !x->cut[i];
    }
    for (int32_t y = 0; y < states && moves > 0; y++)
        p[y] /= moves;
    const double range = u->set.reward.max - u->set.reward.min;
    const double noise = n > 0 ? 2 * u->set.reward.sd / range * lgkt_radius_reward(&radii, n) : 0;
    x->plan.reward[z] = n > 0 ? fmin(1, sum / n + noise) : 1;
    x->plan.radius[z] = moves > 0 ? lgkt_radius_row(&radii, moves) : 0;
    if (moves > 0 && x->radius > 0)
        x->plan.radius[z] = x->radius;
    x->plan.mitigation[z] = INFINITY;
}

// beta of a pair, given the reference bias h0 and the errors e (S, S)
static double shadow_mitigation(const shadow *x, int32_t z, const double *h0, const double *e)
{
    const lgkt_ucrl *u = inside(x->learner);
    const int32_t states = x->plan.states;
    const double *p = x->plan.p + z * states, span = u->set.span;
    double moves = 0, mean = 0, variance = 0, least = INFINITY;
    for (int32_t i = 0; i < x->steps; i++)
        moves += x->states[i] * x->plan.actions + x->actions[i] == z && !x->cut[i];
    for (int32_t y = 0; y < states; y++)
        mean += p[y] * h0[y];
    for (int32_t y = 0; y < states; y++)
        variance += p[y] * pow(h0[y] - mean, 2);
    for (int32_t s = 0; s < states; s++) {
        double doubt = 0;
        for (int32_t y = 0; y < states; y++)
            doubt += p[y] > 0 ? p[y] * e[y * states + s] : 0;
        least = fmin(least, doubt);
    }
    const double pairs = (double)states * x->plan.actions;
    const double l = log(pairs * (double)x->learner->problem.horizon / u->set.delta);
    const double beta = sqrt(2 * (variance + 8 * span * least) * l / moves) + 3 * span * l / moves;
    // beyond the span it has no effect
    return moves > 0 && beta < span ? beta : INFINITY;
}

static void shadow_pmevi(shadow *x)
{
    const lgkt_ucrl *u = inside(x->learner);
    const int32_t n = x->plan.states;
    const naive_path path = {x->steps, x->states, x->rewards, x->cut};
    const double t = fmax(2, (double)x->t_k), span = u->set.span;
    double regret = x->steps * x->least_gain, h0[STATES], e[STATES * STATES], chat[STATES];
    for (int32_t i = 0; i < x->steps; i++)
        regret -= x->rewards[i];
    const double error =
        3 * span + (1 + span) * (1 + sqrt(8 * t * log(2 / u->set.delta))) + 2 * fmax(0, regret);
    for (int32_t z = 0; z < n * n; z++) {
        int64_t legs;
        const double estimate = naive_bias_difference(&path, z / n, z % n, &legs);
        e[z] = z / n == z % n ? 0 : error / (double)legs;
        x->plan.limit[z] = z / n == z % n ? 0 : fmin(estimate + e[z], span);
        x->tight += x->plan.limit[z] < span && z / n != z % n;
        if (z % n == 0)
            h0[z / n] = chat[z / n] = estimate;
    }
    x->plan.constrained = true;
    if (!naive_project(x->plan.limit, n, h0)) {
        for (int32_t z = 0; z < n * n; z++)
            x->plan.limit[z] = z / n == z % n ? 0 : span;
        memcpy(h0, chat, sizeof h0);
        naive_project(x->plan.limit, n, h0);
    }
    for (int32_t z = 0; z < n * x->plan.actions; z++) {
        x->plan.mitigation[z] = shadow_mitigation(x, z, h0, e);
        x->mitigated += isfinite(x->plan.mitigation[z]);
    }
}

static void shadow_plan(shadow *x)
{
    x->episodes++;
    x->t_k = x->steps + 1;
    for (int32_t z = 0; z < x->plan.states * x->plan.actions; z++) {
        x->n_k[z] = x->n[z];
        shadow_pair(x, z);
    }
    for (int32_t s = 0; s < x->plan.states; s++)
        x->policy[s] = -1;
    if (x->pmevi)
        shadow_pmevi(x);
}

// ---- checks ----

// the learner's plan is one of the same problem, to its precision
static void shadow_check_plan(shadow *x)
{
    const lgkt_ucrl *u = inside(x->learner);
    const double t = fmax(2, (double)x->t_k);
    assert_close(u->precision, x->pmevi ? sqrt(log(t) / t) : 1 / sqrt(t), 1e-15);
    for (int32_t z = 0; z < x->plan.states * x->plan.actions; z++) {
        assert_close(u->evi.pairs[z].reward, x->plan.reward[z], 1e-12);
        assert_close(u->evi.pairs[z].radius, x->plan.radius[z], 1e-12 * x->plan.radius[z]);
        assert_close(u->evi.pairs[z].mitigation, x->plan.mitigation[z], 1e-9);
    }
    double v[NAIVE_EVI_STATES], low = INFINITY, high = -INFINITY;
    naive_evi_sweep(&x->plan, u->evi.u, v);
    for (int32_t s = 0; s < x->plan.states; s++) {
        assert_close(u->evi.v[s], v[s], 1e-9);
        low = fmin(low, v[s] - u->evi.u[s]);
        high = fmax(high, v[s] - u->evi.u[s]);
    }
    assert_close(u->gain, (low + high) / 2, 1e-9);
    assert_between(high - low, 0, u->precision + 1e-9);
    x->least_gain = fmin(x->least_gain, u->gain + u->precision / 2);
}

// the action is best in the plan, as it was when it was made
static void shadow_check_action(shadow *x, int32_t state, int32_t action)
{
    const double *u = inside(x->learner)->evi.u;
    if (x->policy[state] >= 0)
        assert_int_equal(action, x->policy[state]);
    x->policy[state] = action;
    const double value = naive_evi_pair(&x->plan, state, action, u);
    for (int32_t a = 0; a < x->plan.actions; a++)
        assert_between(value, naive_evi_pair(&x->plan, state, a, u) - 1e-8, INFINITY);
}

static void shadow_run(shadow *x, const lgkt_mdp *model, double cuts)
{
    learner_run run = {x->learner, model, 9, cuts, 0};
    const lgkt_ucrl *u = inside(x->learner);
    const double range = u->set.reward.max - u->set.reward.min;
    while (x->steps < x->learner->problem.horizon) {
        const int32_t state = run.state;
        x->states[x->steps] = state;
        if (shadow_ends(x, state))
            shadow_plan(x);
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(x->learner, state, NULL, &action), LGKT_OK);
        assert_int_equal(u->episodes, x->episodes);
        if (u->started == x->steps + 1)
            shadow_check_plan(x);
        shadow_check_action(x, state, action);
        const lgkt_step step = learner_run_outcome(&run, action);
        assert_int_equal(lgkt_learner_observe(x->learner, step.reward, step.state, step.ended), 0);
        x->actions[x->steps] = action;
        x->rewards[x->steps] = (step.reward - u->set.reward.min) / range;
        x->cut[x->steps++] = step.ended;
        x->n[state * x->plan.actions + action]++;
        x->states[x->steps] = run.state = step.state;
    }
}

static shadow *shadow_of(lgkt_learner *learner)
{
    static shadow x;
    const lgkt_ucrl *u = inside(learner);
    x = (shadow){.learner = learner,
                 .vanishing = u->set.episodes == LGKT_EPISODES_VANISHING,
                 .pmevi = u->name->pmevi,
                 .least_gain = 1};
    x.plan.states = learner->problem.states;
    x.plan.actions = learner->problem.actions;
    x.plan.kl = u->name->region == LGKT_REGION_KL;
    return &x;
}

static void test_runs_follow_the_shadow(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(5, "model", 0);
    lgkt_mdp *model = model_random(&rng, STATES, ACTIONS, 0.5);
    for (int i = 0; i < NAMES; i++)
        for (int variant = 0; variant < 4; variant += test_short() ? 3 : 1) {
            char spec[64];
            snprintf(spec, sizeof spec, "%s:bound=%s,episodes=%s", names[i],
                     variant % 2 == 0 ? "mixture" : "original",
                     variant / 2 == 0 ? "vanishing" : "doubling");
            const lgkt_learner_config config = learner_run_config(model, 250);
            lgkt_learner *learner = learner_run_make(spec, &config);
            shadow_run(shadow_of(learner), model, variant == 0 ? 0.05 : 0);
            lgkt_learner_destroy(learner);
        }
    lgkt_mdp_destroy(model);
}

// bundles of settings, and one radius for all counts
static void test_profiles_follow_the_shadow(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        bool vanishing;
        double radius;
    } cases[] = {
        {"ucrl2:profile=printed", false, 0},
        {"pmevi-klucrl:profile=printed,episodes=vanishing", true, 0},
        {"klucrl:radius=0.001", true, 0.001},
        {"pmevi-klucrl:profile=printed,radius=0.001", false, 0.001},
        {"klucrl:radius=3", true, 3},
    };
    lgkt_rng rng = lgkt_rng_stream(7, "model", 0);
    lgkt_mdp *model = model_random(&rng, STATES, ACTIONS, 0.5);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lgkt_learner_config config = learner_run_config(model, 400);
        lgkt_learner *learner = learner_run_make(cases[i].spec, &config);
        shadow *x = shadow_of(learner);
        assert_true(x->vanishing == cases[i].vanishing);
        x->radius = cases[i].radius;
        shadow_run(x, model, 0.02);
        lgkt_learner_destroy(learner);
    }
    lgkt_mdp_destroy(model);
}

// confidence so low that constraints on the bias and mitigation come into play
static void test_pmevi_runs_follow_the_shadow(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(6, "model", 0);
    lgkt_mdp *model = model_random(&rng, 2, 2, 2);
    for (int kl = 0; kl < 2; kl++) {
        const lgkt_learner_config config = learner_run_config(model, MOST_STEPS);
        lgkt_learner *learner =
            learner_run_make(kl ? "pmevi-klucrl:delta=1" : "pmevi-ucrl2:delta=1", &config);
        shadow *x = shadow_of(learner);
        shadow_run(x, model, kl ? 0.02 : 0);
        assert_true(x->tight > 0 && x->mitigated > 0);
        lgkt_learner_destroy(learner);
    }
    lgkt_mdp_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_follow_the_shadow),
        cmocka_unit_test(test_profiles_follow_the_shadow),
        cmocka_unit_test(test_pmevi_runs_follow_the_shadow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
