// SPDX-License-Identifier: MIT
// ucrl2b and ucrl3: whole runs against a shadow, which keeps the trajectory and computes from it
// when episodes end, what is plausible and one sweep of the iteration; units of rewards, told and
// seen; ties, settings, counters.

#include "test.h"

#include "learners/ucrl.h"
#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/naive_box.h"

enum { MOST_STEPS = 3000, STATES = 6, MOST_PAIRS = 24 };

static const lgkt_ucrl *inside(const lgkt_learner *learner)
{
    return learner->self;
}

// RiverSwim of Strehl and Littman: left is sure, right is against the current
static lgkt_mdp *river(void)
{
    double rewards[STATES * 2] = {0}, kernel[STATES * 2 * STATES] = {0};
    rewards[0] = 5.0 / 10000;
    rewards[2 * STATES - 1] = 1;
    for (int s = 0; s < STATES; s++) {
        double *left = kernel + 2 * s * STATES, *right = left + STATES;
        left[s > 0 ? s - 1 : 0] = 1;
        right[s > 0 ? s - 1 : 0] += s == 0 ? 0 : s == STATES - 1 ? 0.7 : 0.1;
        right[s] += s == 0 ? 0.7 : s == STATES - 1 ? 0.3 : 0.6;
        right[s < STATES - 1 ? s + 1 : s] += s == STATES - 1 ? 0 : 0.3;
    }
    return model_dense(STATES, 2, rewards, kernel);
}

// ---- the shadow ----

typedef struct shadow {
    lgkt_learner *learner;
    int32_t s, a; // how many
    int32_t steps;
    int32_t states[MOST_STEPS + 1], actions[MOST_STEPS];
    double rewards[MOST_STEPS]; // as they came
    bool cut[MOST_STEPS];
    int64_t n[MOST_PAIRS], n_k[MOST_PAIRS]; // visits, and at the last planning
    double low, high;                       // of the rewards, if not told
    bool planned;
    int64_t plans;
    int32_t policy[STATES]; // -1: not seen in this episode
    // the plan
    double reward[MOST_PAIRS], lo[MOST_PAIRS][STATES], up[MOST_PAIRS][STATES];
    bool seen[MOST_PAIRS][STATES];
    double moves[MOST_PAIRS];
    int64_t grown; // supports beyond the best state
} shadow;

static bool shadow_ends(const shadow *x, int32_t state)
{
    if (!x->planned || x->policy[state] < 0)
        return !x->planned;
    const int32_t z = state * x->a + x->policy[state];
    return x->n[z] - x->n_k[z] >= (x->n_k[z] > 1 ? x->n_k[z] : 1);
}

static void shadow_pair(shadow *x, int32_t z)
{
    const lgkt_ucrl *u = inside(x->learner);
    const bool ucrl3 = u->traits->rule == LGKT_BOX_UCRL3;
    const double pairs = x->s * x->a, delta = u->set.delta, d0 = delta / (pairs * (3 + 3 * x->s));
    const double low = isnan(u->set.reward.min) ? x->low : u->set.reward.min;
    const double high = isnan(u->set.reward.max) ? x->high : u->set.reward.max;
    const double sd = isnan(u->set.reward.sd) ? 0 : u->set.reward.sd;
    const double range = fmax(high - low, 2 * sd) > 0 ? fmax(high - low, 2 * sd) : 1;
    double n = 0, sum = 0, squares = 0, counts[STATES] = {0};
    x->moves[z] = 0;
    for (int32_t i = 0; i < x->steps; i++) {
        if (x->states[i] * x->a + x->actions[i] != z)
            continue;
        n++;
        sum += x->rewards[i];
        x->moves[z] += !x->cut[i];
        counts[x->states[i + 1]] += !x->cut[i];
    }
    for (int32_t i = 0; i < x->steps; i++)
        if (x->states[i] * x->a + x->actions[i] == z)
            squares += pow(x->rewards[i] - sum / n, 2);
    x->reward[z] = (high - low) / range;
    if (n > 0) {
        const double var = squares / n / (range * range),
                     l = log(u->set.constant * pairs * n / delta);
        const double e = 1.12 / n * log(log(1.12 * n) * log(1.2544 * n) / (pow(log(1.12), 2) * d0));
        const double b = sqrt(2 * (1 + 1 / n) * log(sqrt(n + 1) / d0) / n);
        const double width =
            ucrl3 ? fmin(b / 2, sqrt(2 * var * e) + 7 * e / 3) : 2 * sqrt(var * l / n) + 6 * l / n;
        x->reward[z] = fmin(x->reward[z], (sum / n - low) / range + width);
    }
    for (int32_t y = 0; y < x->s; y++) {
        const double m = fmax(1, x->moves[z]), p = counts[y] / m;
        const double l = log(u->set.constant * pairs * m / delta);
        const double width = 2 * sqrt(p * (1 - p) * l / m) + 6 * l / m;
        const lgkt_box_form form = {.rule = LGKT_BOX_UCRL3,
                                    .states = x->s,
                                    .actions = x->a,
                                    .delta = delta,
                                    .certain = u->set.certain != 0};
        // these intervals have a test of their own
        const lgkt_ends ends = ucrl3 ? lgkt_box_ends(&form, m, p)
                                     : (lgkt_ends){fmax(0, p - width), fmin(1, p + width)};
        x->lo[z][y] = x->moves[z] > 0 ? ends.lo : 0;
        x->up[z][y] = x->moves[z] > 0 ? ends.up : 1;
        x->seen[z][y] = counts[y] > 0;
    }
}

static void shadow_plan(shadow *x)
{
    for (int32_t z = 0; z < x->s * x->a; z++) {
        x->n_k[z] = x->n[z];
        shadow_pair(x, z);
    }
    for (int32_t s = 0; s < x->s; s++)
        x->policy[s] = -1;
    x->planned = true;
    x->plans++;
}

static double shadow_value(shadow *x, int32_t z)
{
    const lgkt_ucrl *u = inside(x->learner);
    const double *bias = u->evi.u;
    bool in[STATES];
    double most = 1, top = 0;
    int32_t seen = 0, kept = 0;
    for (int32_t y = 0; y < x->s; y++) {
        in[y] = x->seen[z][y] || u->set.support == LGKT_SUPPORT_WHOLE ||
                u->traits->rule == LGKT_BOX_BERNSTEIN || x->moves[z] == 0;
        top = fmax(top, bias[y]);
        seen += x->seen[z][y];
    }
    for (int32_t i = 0; i < x->s * x->a; i++)
        most = fmax(most, (double)x->n_k[i]);
    naive_noss(x->up[z], in, bias, x->s, 10 * top * seen / pow(most, 2.0 / 3));
    for (int32_t y = 0; y < x->s; y++)
        kept += in[y];
    x->grown += kept > seen + 1 && kept < x->s;
    return x->reward[z] + naive_box_max(x->lo[z], x->up[z], in, bias, x->s);
}

// the learner's plan is one of the same problem, to its precision
static void shadow_check_plan(shadow *x)
{
    const lgkt_ucrl *u = inside(x->learner);
    const double t = fmax(2, x->steps + 1);
    const bool ucrl3 = u->traits->rule == LGKT_BOX_UCRL3;
    double low = INFINITY, high = -INFINITY;
    assert_close(u->precision, ucrl3 ? 1 / sqrt(t) : 1 / t, 1e-15);
    for (int32_t z = 0; z < x->s * x->a; z++)
        assert_close(u->evi.pairs[z].reward, x->reward[z], 1e-9);
    // a frozen support may be larger; it has tests of its own
    if (u->evi.boxes.frozen)
        return;
    for (int32_t s = 0; s < x->s; s++) {
        double v = -INFINITY;
        for (int32_t a = 0; a < x->a; a++)
            v = fmax(v, shadow_value(x, s * x->a + a));
        assert_close(u->evi.v[s], v, 1e-9);
        low = fmin(low, v - u->evi.u[s]);
        high = fmax(high, v - u->evi.u[s]);
    }
    assert_close(u->gain, (low + high) / 2, 1e-9);
    assert_between(high - low, 0, u->precision + 1e-9);
}

static void shadow_check_action(shadow *x, int32_t state, int32_t action)
{
    if (x->policy[state] >= 0)
        assert_int_equal(action, x->policy[state]);
    x->policy[state] = action;
    if (inside(x->learner)->evi.boxes.frozen)
        return;
    const double value = shadow_value(x, state * x->a + action);
    for (int32_t a = 0; a < x->a; a++)
        assert_between(value, shadow_value(x, state * x->a + a) - 1e-8, INFINITY);
}

static void shadow_run(shadow *x, const lgkt_mdp *model, int32_t steps, double cuts)
{
    const lgkt_ucrl *u = inside(x->learner);
    learner_run run = {x->learner, model, 9, cuts, 0};
    while (x->steps < steps) {
        const int32_t state = run.state;
        x->states[x->steps] = state;
        if (shadow_ends(x, state))
            shadow_plan(x);
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(x->learner, state, &action), LGKT_OK);
        assert_int_equal(u->episodes, x->plans);
        if (u->started == x->steps + 1)
            shadow_check_plan(x);
        shadow_check_action(x, state, action);
        const lgkt_step step = learner_run_outcome(&run, action);
        assert_int_equal(lgkt_learner_observe(x->learner, step.reward, step.state, step.ended), 0);
        const double low = x->steps == 0 ? step.reward : fmin(x->low, step.reward);
        const double high = x->steps == 0 ? step.reward : fmax(x->high, step.reward);
        // an end that is not told has moved
        if ((isnan(u->set.reward.min) && (low < x->low || x->steps == 0)) ||
            (isnan(u->set.reward.max) && (high > x->high || x->steps == 0)))
            x->planned &= x->steps == 0;
        x->low = low;
        x->high = high;
        x->actions[x->steps] = action;
        x->rewards[x->steps] = step.reward;
        x->cut[x->steps++] = step.ended;
        x->n[state * x->a + action]++;
        x->states[x->steps] = run.state = step.state;
    }
}

static shadow *shadow_of(lgkt_learner *learner)
{
    static shadow x;
    x = (shadow){.learner = learner, .s = learner->problem.states, .a = learner->problem.actions};
    return &x;
}

static void test_runs_follow_the_shadow(void **state)
{
    (void)state;
    static const char *const specs[] = {"ucrl2b", "ucrl2b:constant=18", "ucrl3",
                                        "ucrl3:support=whole", "ucrl3:certain=1"};
    lgkt_rng rng = lgkt_rng_stream(5, "model", 0);
    lgkt_mdp *models[] = {model_random(&rng, 4, 3, 0.5), river()};
    int64_t grown = 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (int variant = 0; variant < 4; variant++) {
            const lgkt_mdp *model = models[variant % 2];
            lgkt_learner_config config = learner_run_config(model, MOST_STEPS);
            if (variant / 2 == 1)
                config.problem.reward_min = config.problem.reward_max = config.problem.reward_sd =
                    NAN;
            lgkt_learner *learner = learner_run_make(specs[i], &config);
            shadow *x = shadow_of(learner);
            shadow_run(x, model, variant / 2 == 0 ? MOST_STEPS : 700, variant == 0 ? 0.05 : 0);
            grown += x->grown;
            assert_int_equal(learner_run_counter(learner, "plans"), x->plans);
            assert_int_equal(learner_run_counter(learner, "sweep_cap_hits"), 0);
            lgkt_learner_destroy(learner);
        }
    assert_true(grown > 100);
    lgkt_mdp_destroy(models[0]);
    lgkt_mdp_destroy(models[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_follow_the_shadow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
