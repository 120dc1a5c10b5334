// SPDX-License-Identifier: MIT
// ucrl2b and ucrl3: whole runs against a shadow, which keeps the trajectory and computes from it
// when episodes end, what is plausible and one sweep of the iteration; units of rewards, told and
// seen; ties, settings, counters.

#include "test.h"

#include "learners/planners/ucrl.h"
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
    const bool ucrl3 = u->name->rule == LGKT_BOX_UCRL3;
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
                u->name->rule == LGKT_BOX_BERNSTEIN || x->moves[z] == 0;
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
    const bool ucrl3 = u->name->rule == LGKT_BOX_UCRL3;
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
        assert_int_equal(lgkt_learner_act(x->learner, state, NULL, &action), LGKT_OK);
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

// ---- rewards ----

// rewards become factor r + shift
typedef struct scaling {
    double factor, shift;
    bool told;
} scaling;

enum { STEPS = 400 };

static void scaled_run(const char *spec, const lgkt_mdp *model, scaling scale, int32_t *actions)
{
    lgkt_learner_config config = learner_run_config(model, STEPS);
    lgkt_problem *problem = &config.problem;
    problem->model = NULL;
    problem->reward_min = problem->reward_min * scale.factor + scale.shift;
    problem->reward_max = problem->reward_max * scale.factor + scale.shift;
    problem->reward_sd *= scale.factor;
    if (!scale.told)
        problem->reward_min = problem->reward_max = problem->reward_sd = NAN;
    lgkt_learner *learner = learner_run_make(spec, &config);
    const lgkt_ucrl *u = inside(learner);
    learner_run run = {learner, model, 3, 0.01, 0};
    for (int t = 0; t < STEPS; t++) {
        assert_int_equal(lgkt_learner_act(learner, run.state, NULL, &actions[t]), LGKT_OK);
        assert_true(isfinite(u->gain) && isfinite(u->evi.drift) && isfinite(u->evi.top));
        for (int32_t z = 0; z < problem->states * problem->actions; z++)
            assert_true(isfinite(u->evi.pairs[z].reward) && isfinite(u->squares[z]));
        const lgkt_step step = learner_run_outcome(&run, actions[t]);
        assert_int_equal(lgkt_learner_observe(learner, step.reward * scale.factor + scale.shift,
                                              step.state, step.ended),
                         LGKT_OK);
        run.state = step.state;
    }
    lgkt_learner_destroy(learner);
}

static void test_rewards_of_any_scale(void **state)
{
    (void)state;
    // the first of each five is the plain one; powers of two change no digit
    static const scaling scalings[] = {
        {1, 0, true},       {8, 0, true},        {0x1p-20, 0, true},   {1e6, -7, true},
        {0, 7, true},       {1, 0, false},       {8, 0, false},        {0x1p-20, 0, false},
        {1e-6, 1e3, false}, {0, 7, false},       {1e90, -1e90, false}, {1e99, 0, false},
        {1e-120, 0, false}, {1e12, -1e14, true},
    };
    static const char *const specs[] = {"ucrl2b", "ucrl3"};
    lgkt_rng rng = lgkt_rng_stream(7, "model", 0);
    lgkt_mdp *model = model_random(&rng, 3, 4, 0.5);
    int32_t plain[STEPS] = {0}, scaled[STEPS];
    for (int i = 0; i < 2; i++)
        for (size_t j = 0; j < sizeof scalings / sizeof *scalings; j++) {
            scaled_run(specs[i], model, scalings[j], j % 5 == 0 ? plain : scaled);
            if (j == 1 || j == 2 || j == 6 || j == 7)
                assert_memory_equal(plain, scaled, sizeof plain);
        }
    lgkt_mdp_destroy(model);
}

static lgkt_learner_config config_of(int32_t states, int32_t actions)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = (lgkt_problem){.states = states,
                                    .actions = actions,
                                    .horizon = 10000,
                                    .reward_min = NAN,
                                    .reward_max = NAN,
                                    .reward_sd = NAN};
    return config;
}

static int32_t play(lgkt_learner *learner, int32_t state, double reward, int32_t next)
{
    int32_t action = -1;
    assert_int_equal(lgkt_learner_act(learner, state, NULL, &action), LGKT_OK);
    assert_int_equal(lgkt_learner_observe(learner, reward, next, false), LGKT_OK);
    return action;
}

static void test_bounds_told_and_seen(void **state)
{
    (void)state;
    // told: a reward beyond is counted as it is, the optimistic mean ends at the upper bound
    lgkt_learner_config config = config_of(2, 1);
    lgkt_learner *learner = learner_run_make("ucrl2b:reward-min=-1,reward-max=3", &config);
    play(learner, 0, 11, 0);
    play(learner, 0, -5, 0);
    play(learner, 0, 0, 0);
    const lgkt_ucrl *u = inside(learner);
    assert_close(u->counts.rows[0].reward, 12.0 / 4 - 4.0 / 4 + 1.0 / 4, 1e-15);
    assert_close(u->evi.pairs[0].reward, 1, 0);
    assert_close(u->map.scale, 1, 0);
    lgkt_learner_destroy(learner);

    // noise above the range of the means widens the units
    learner = learner_run_make("ucrl2b:reward-min=-1,reward-max=3,reward-sd=4", &config);
    play(learner, 0, 1, 0);
    u = inside(learner);
    assert_close(u->map.scale, 2, 0);
    assert_close(u->cap, 0.5, 0);
    lgkt_learner_destroy(learner);

    // seen: a new highest reward makes a new plan, an old one does not
    learner = learner_run_make("ucrl3", &config);
    u = inside(learner);
    for (int t = 0; t < 40; t++)
        play(learner, 0, 1, 0);
    int64_t plans = u->episodes;
    play(learner, 0, 1, 0);
    assert_int_equal(u->episodes, plans);
    play(learner, 0, 2, 0);
    play(learner, 0, 2, 0);
    assert_int_equal(u->episodes, plans + 1);
    assert_close(u->bounds.high - u->bounds.low, 1, 0);
    lgkt_learner_destroy(learner);
}

// ---- steps ----

// what others play counts, and the next plan knows it
static void test_watching_counts_as_playing(void **state)
{
    (void)state;
    const lgkt_learner_config config = config_of(2, 2);
    lgkt_learner *learner = learner_run_make("ucrl3:reward-min=0,reward-max=1", &config);
    const lgkt_ucrl *u = inside(learner);
    for (int t = 0; t < 3000; t++)
        assert_int_equal(lgkt_learner_feed(learner, 0, 0, t % 2, 0, false), LGKT_OK);
    for (int t = 0; t < 3000; t++)
        assert_int_equal(lgkt_learner_feed(learner, 0, 1, 1, 0, false), LGKT_OK);
    assert_int_equal(play(learner, 0, 1, 0), 1);
    assert_int_equal(u->episodes, 1);
    assert_close(u->counts.rows[0].n, 3000, 0);
    assert_close(u->squares[0], 750, 1e-9);
    lgkt_learner_destroy(learner);
}

// a cut counts as a visit and a reward, not as a move
static void test_a_cut_adds_no_transition(void **state)
{
    (void)state;
    const lgkt_learner_config config = config_of(2, 1);
    lgkt_learner *learner = learner_run_make("ucrl2b:reward-min=0,reward-max=1", &config);
    const lgkt_ucrl *u = inside(learner);
    for (int t = 0; t < 600; t++)
        assert_int_equal(lgkt_learner_feed(learner, 0, 0, 0, t % 2, t % 4 >= 2), LGKT_OK);
    play(learner, 0, 0, 0);
    lgkt_box_form form = {.states = 2, .actions = 1, .delta = 0.05, .constant = 6};
    assert_close(u->evi.boxes.unseen[0], lgkt_box_ends(&form, 300, 0).up, 1e-15);
    assert_close(u->evi.pairs[0].reward, lgkt_box_reward(&form, 600, 0), 1e-15);
    lgkt_learner_destroy(learner);
}

// few visits leave all actions alike
static void test_ties_go_to_the_least_visited(void **state)
{
    (void)state;
    static const int visits[] = {3, 1, 2, 1};
    for (int least = 0; least < 2; least++) {
        int played[4] = {0};
        for (uint64_t i = 0; i < 60; i++) {
            lgkt_learner_config config = config_of(1, 4);
            config.instance = i;
            lgkt_learner *learner =
                learner_run_make(least ? "ucrl2b:reward-min=0,reward-max=1,ties=least-visited"
                                       : "ucrl2b:reward-min=0,reward-max=1",
                                 &config);
            for (int a = 0; a < 4; a++)
                for (int n = 0; n < visits[a]; n++)
                    assert_int_equal(lgkt_learner_feed(learner, 0, a, 0.25, 0, false), LGKT_OK);
            played[play(learner, 0, 0.25, 0)]++;
            lgkt_learner_destroy(learner);
        }
        // each of four is left out of 60 draws with probability 3e-8, of two with 1e-18
        for (int a = 0; a < 4; a++)
            assert_int_equal(played[a] > 0, !least || visits[a] == 1);
    }
}

// value iteration ends although the support depends on u: supports are frozen, no cap is hit
static void test_supports_are_frozen_in_time(void **state)
{
    (void)state;
    lgkt_mdp *model = river();
    int64_t frozen = 0;
    for (uint64_t i = 0; i < 10; i++) {
        lgkt_learner_config config = learner_run_config(model, 5000);
        config.instance = i;
        config.problem.reward_sd = 0;
        lgkt_learner *learner = learner_run_make("ucrl3:certain=1", &config);
        learner_run run = {learner, model, i, 0, 0};
        learner_run_play(&run, 5000, NULL);
        frozen += learner_run_counter(learner, "frozen_supports");
        assert_int_equal(learner_run_counter(learner, "sweep_cap_hits"), 0);
        assert_true(learner_run_counter(learner, "sweeps") <
                    400 * learner_run_counter(learner, "plans"));
        lgkt_learner_destroy(learner);
    }
    assert_true(frozen > 0);
    lgkt_mdp_destroy(model);
}

static void test_bad_settings(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *words;
    } bad[] = {
        {"ucrl2b:constant=0", "constant"}, {"ucrl2b:support=noss", "support"},
        {"ucrl3:support=some", "support"}, {"ucrl3:certain=2", "certain"},
        {"ucrl3:delta=0", "delta"},        {"ucrl3:bound=original", "bound"},
        {"ucrl2b:ties=first", "ties"},     {"ucrl2b:reward-min=2,reward-max=1", "reward-min=2"},
    };
    const lgkt_learner_config config = config_of(2, 2);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lgkt_learner *learner = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_learner_create(bad[i].spec, &config, &learner, &error), LGKT_ERR_SPEC,
                       error, bad[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_follow_the_shadow),
        cmocka_unit_test(test_rewards_of_any_scale),
        cmocka_unit_test(test_bounds_told_and_seen),
        cmocka_unit_test(test_watching_counts_as_playing),
        cmocka_unit_test(test_a_cut_adds_no_transition),
        cmocka_unit_test(test_ties_go_to_the_least_visited),
        cmocka_unit_test(test_supports_are_frozen_in_time),
        cmocka_unit_test(test_bad_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
