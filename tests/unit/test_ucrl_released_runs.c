// SPDX-License-Identifier: MIT
// labels: slow
// Whole runs with profile=released beside a plain version of the released program: dense rows that
// are smoothed at every evaluation, signs of all pairs of states at every step, every pair
// evaluated in every sweep.

#include "test.h"

#include "learners/planners/ucrl.h"
#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/naive_evi.h"

enum { MOST = 6, ACTIONS = 3, PAIRS = MOST * ACTIONS };

typedef struct plain {
    int32_t states, actions;
    bool kl, pmevi, keeps_rows;
    double c0, kl_radius, delta;
    double t, earned;
    double n[PAIRS], moves[PAIRS][MOST], reward[PAIRS]; // the mean reward
    // from x, waiting for y; how often that ended; steps and rewards while it was so
    double sign[MOST][MOST], travels[MOST][MOST], steps[MOST][MOST], gained[MOST][MOST];
    double n_k[PAIRS], least_gain, saved[MOST];
    // of a planning
    double row[PAIRS][MOST], rtilde[PAIRS], radius[PAIRS], bonus[PAIRS];
    double limit[MOST * MOST];
    double q[PAIRS], v[MOST];
    int64_t plans, sweeps, projected, infeasible;
} plain;

static void plain_observe(plain *x, int32_t s, int32_t a, double r, int32_t y)
{
    const int32_t z = s * x->actions + a;
    x->t++;
    x->n[z]++;
    x->moves[z][y]++;
    x->earned += r;
    x->reward[z] += (r - x->reward[z]) / x->n[z];
    for (int32_t i = 0; i < x->states; i++)
        for (int32_t j = 0; j < x->states; j++) {
            x->steps[i][j] += x->sign[i][j];
            x->gained[i][j] += x->sign[i][j] * r;
        }
    for (int32_t i = 0; i < x->states; i++) {
        if (i == y)
            continue;
        x->travels[i][y] += x->sign[i][y];
        x->sign[i][y] = 0;
        x->sign[y][i] = 1;
    }
}

// estimate of h(y) - h(x), and its error
static double plain_difference(const plain *x, int32_t i, int32_t j)
{
    const double legs = x->travels[i][j] + x->travels[j][i], gain = x->earned / (x->t - 1);
    if (i == j || legs < 1)
        return 0;
    return (gain * (x->steps[i][j] - x->steps[j][i]) - (x->gained[i][j] - x->gained[j][i])) / legs;
}

static double plain_error(const plain *x, int32_t i, int32_t j)
{
    const double c0 = x->c0, regret = (x->t - 1) * x->least_gain - x->earned;
    const double legs = fmax(1, x->travels[i][j] + x->travels[j][i]);
    return i == j ? 0 : (c0 * sqrt(8 * x->t * log(2 / x->delta)) + 2 * regret + 3 * c0) / legs;
}

// in place; nothing is changed where nothing is allowed
static bool plain_project(plain *x, double *v)
{
    double u[MOST];
    memcpy(u, v, sizeof u);
    if (!x->pmevi || !naive_project(x->limit, x->states, u))
        return !x->pmevi;
    memcpy(v, u, sizeof u);
    return true;
}

static void plain_bonus(plain *x, int32_t z, const double *h0)
{
    double most_h = 0, most_e = 0, mean = 0, var = 0, least = INFINITY;
    const double n = x->n[z];
    for (int32_t i = 0; i < x->states; i++) {
        double doubt = 0;
        mean += x->row[z][i] * h0[i];
        for (int32_t j = 0; j < x->states; j++) {
            most_h = fmax(most_h, plain_difference(x, i, j));
            most_e = fmax(most_e, plain_error(x, i, j));
            doubt += x->row[z][j] * plain_error(x, j, i);
        }
        least = fmin(least, doubt);
    }
    for (int32_t i = 0; i < x->states; i++)
        var += x->row[z][i] * (h0[i] - mean) * (h0[i] - mean);
    const double l = log(sqrt(1 + n) / x->delta), span = most_h + most_e;
    var += 8 * span * least;
    x->bonus[z] = var < 0 ? INFINITY : sqrt(1 + 1 / n) * (sqrt(2 * var * l / n) + 3 * span * l / n);
}

static double plain_pair(plain *x, int32_t z, const double *u)
{
    const int32_t n = x->states;
    double top = u[0], sum = 0, mean = 0, least = u[0], *p = x->row[z], value;
    for (int32_t i = 0; i < n; i++) {
        top = fmax(top, u[i]);
        least = fmin(least, u[i]);
    }
    if (x->n[z] == 0)
        return x->rtilde[z] + top;
    if (x->kl && !x->keeps_rows) {
        for (int32_t i = 0; i < n; i++)
            sum += p[i] += 1e-3;
        for (int32_t i = 0; i < n; i++)
            p[i] /= sum;
    }
    for (int32_t i = 0; i < n; i++)
        mean += p[i] * u[i];
    if (x->kl) {
        double warm = NAN, seen[MOST], at[MOST];
        lgkt_support row = {.p = seen, .value = at};
        for (int32_t i = 0; i < n; i++)
            if (p[i] > 0) {
                seen[row.n] = p[i];
                at[row.n++] = u[i];
            }
        value = lgkt_max_kl(&row, top, x->radius[z], &warm);
    } else {
        value = naive_max_l1(p, u, n, x->radius[z]);
    }
    return x->rtilde[z] + fmin(value, x->pmevi ? mean + x->bonus[z] : INFINITY);
}

static void plain_sweep(plain *x, const double *u, bool projects)
{
    for (int32_t s = 0; s < x->states; s++)
        x->v[s] = -INFINITY;
    for (int32_t z = 0; z < x->states * x->actions; z++) {
        x->q[z] = plain_pair(x, z, u);
        x->v[z / x->actions] = fmax(x->v[z / x->actions], x->q[z]);
    }
    if (projects)
        plain_project(x, x->v);
}

// at most 99 sweeps, to a precision of 0.001; returns the gain
static double plain_solve(plain *x, bool projects)
{
    double u[MOST], high = 0, low = 0;
    memcpy(u, x->saved, sizeof u);
    for (int i = 1; i < 100; i++) {
        plain_sweep(x, u, projects);
        x->sweeps++;
        high = -INFINITY;
        low = INFINITY;
        for (int32_t s = 0; s < x->states; s++) {
            high = fmax(high, x->v[s] - u[s]);
            low = fmin(low, x->v[s] - u[s]);
            u[s] = x->v[s] - x->v[0];
        }
        if (high - low < 1e-3)
            break;
    }
    return (high + low) / 2;
}

static void plain_plan(plain *x)
{
    const int32_t states = x->states, pairs = states * x->actions;
    double h0[MOST], projected[MOST], change = 0;
    for (int32_t i = 0; i < states; i++) {
        h0[i] = plain_difference(x, 0, i);
        for (int32_t j = 0; j < states; j++)
            x->limit[i * states + j] = plain_difference(x, j, i) + plain_error(x, i, j);
    }
    x->infeasible += !plain_project(x, h0);
    for (int32_t z = 0; z < pairs; z++) {
        const double n = x->n[z], l = n > 0 ? log(sqrt(1 + n) / x->delta) : 0;
        for (int32_t y = 0; y < states; y++)
            x->row[z][y] = n > 0 ? x->moves[z][y] / n : 0;
        x->rtilde[z] = n > 0 ? fmin(1, x->reward[z] + sqrt(0.5 * (n + 1) * l) / n) : 1;
        x->radius[z] = x->kl   ? x->kl_radius
                       : n > 0 ? sqrt(0.5 * (n + 1) * states * (l + log(2))) / n
                               : 0;
        if (n > 0)
            plain_bonus(x, z, h0);
    }
    double gain = plain_solve(x, false);
    memcpy(projected, x->v, sizeof projected);
    plain_project(x, projected);
    for (int32_t s = 0; s < states; s++)
        change += fabs(projected[s] - x->v[s]);
    if (change > 1e-6) {
        gain = plain_solve(x, true);
        x->projected++;
    }
    x->least_gain = fmin(x->least_gain, gain);
    memcpy(x->saved, x->v, sizeof x->saved);
    memcpy(x->n_k, x->n, sizeof x->n_k);
    plain_sweep(x, x->saved, true);
    x->plans++;
}

// ---- beside the learner ----

static void check_plan(const plain *x, const lgkt_learner *learner)
{
    const lgkt_ucrl *u = learner->self;
    double least = INFINITY, scale = 1;
    assert_int_equal(u->evi.sweeps, x->sweeps);
    assert_int_equal(u->bias.infeasible, x->infeasible);
    for (int32_t s = 0; s < x->states; s++) {
        least = fmin(least, x->saved[s]);
        scale = fmax(scale, fabs(x->saved[s]));
    }
    for (int32_t s = 0; s < x->states; s++)
        assert_close(u->evi.u[s], x->saved[s] - least, 2e-6 * scale);
    // the first that is good enough; what is within 1e-5 of that may be either
    for (int32_t s = 0; s < x->states; s++)
        for (int32_t a = 0; a < x->actions; a++) {
            const int32_t z = s * x->actions + a, chosen = s * x->actions + u->policy[s];
            if (z == chosen)
                assert_true(x->q[z] >= x->v[s] - 0.01 - 1e-5);
            else if (u->rank[z] < u->rank[chosen])
                assert_true(x->q[z] <= x->v[s] - 0.01 + 1e-5);
        }
}

static plain run_beside(const char *spec, const lgkt_mdp *model, int64_t steps, double factor)
{
    const lgkt_learner_config config = learner_run_config(model, steps);
    lgkt_learner *learner = learner_run_make(spec, &config);
    const lgkt_ucrl *u = learner->self;
    plain x = {.states = learner->problem.states,
               .actions = learner->problem.actions,
               .kl = u->name->region == LGKT_REGION_KL,
               .pmevi = u->name->pmevi,
               .keeps_rows = u->set.rows == 0,
               .c0 = u->set.span,
               .delta = u->set.delta,
               .kl_radius = u->set.radius,
               .t = 1,
               .least_gain = 1};
    learner_run run = {learner, model, 3, 0, 0};
    for (int64_t t = 0; t < steps; t++) {
        const int32_t s = run.state;
        int32_t action;
        const int64_t before = u->episodes;
        const int32_t next = before > 0 ? u->policy[s] : -1;
        assert_int_equal(lgkt_learner_act(learner, s, NULL, &action), LGKT_OK);
        const bool plans = u->episodes > before;
        const int32_t z = s * x.actions + (next < 0 ? action : next);
        const bool ends = x.n[z] >= fmax((1 + sqrt(sqrt(x.t) / x.t)) * x.n_k[z], 1);
        if (next >= 0)
            assert_true(plans == ends);
        else if (!plans)
            assert_true(x.n[z] == 0);
        if (plans) {
            plain_plan(&x);
            check_plan(&x, learner);
        }
        if (u->episodes > 0)
            assert_int_equal(action, u->policy[s]);
        const lgkt_step step = learner_run_outcome(&run, action);
        const double reward = factor * step.reward;
        assert_int_equal(lgkt_learner_observe(learner, reward, step.state, false), LGKT_OK);
        plain_observe(&x, s, action, reward, step.state);
        run.state = step.state;
    }
    assert_int_equal(u->episodes, x.plans);
    assert_int_equal(learner_run_counter(learner, "sweeps"), x.sweeps);
    lgkt_learner_destroy(learner);
    return x;
}

static void test_runs_are_those_of_a_plain_version(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "ucrl2:profile=released",
        "klucrl:profile=released",
        "pmevi-ucrl2:profile=released",
        "pmevi-klucrl:profile=released",
        "klucrl:profile=released,rows=kept",
    };
    lgkt_rng rng = lgkt_rng_stream(5, "model", 0);
    lgkt_mdp *models[] = {model_random(&rng, 4, 3, 0.5), model_riverswim(6, false)};
    int64_t projected = 0, infeasible = 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (int m = 0; m < 2; m++)
            // rewards far above 1: errors become negative, and constraints contradict each other
            for (double factor = 1; factor < 4; factor += 2) {
                const plain x = run_beside(specs[i], models[m], test_short() ? 600 : 3000, factor);
                projected += x.projected;
                infeasible += x.infeasible;
            }
    print_message("%d projected, %d infeasible\n", (int)projected, (int)infeasible);
    assert_true(projected > 0 && infeasible > 0);
    lgkt_mdp_destroy(models[0]);
    lgkt_mdp_destroy(models[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_are_those_of_a_plain_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
