// SPDX-License-Identifier: MIT
// Planners where some pairs cannot be played: their plans are those of a problem that does not have
// these pairs, number by number, whatever is known of them.
//
// A wide learner has four actions, of which each state knows two; a narrow one has just these, in
// the same order. Both see the same, the wide one besides fed steps that praise what is not there.
// Numbers of actions are in the logarithms of some bounds: delta makes up for them.

#include "test.h"

#include "learners/modelfree/mdp_oomd.h"
#include "learners/planners/psrl.h"
#include "ref/learner_run.h"
#include "ref/models.h"

enum { STATES = 4, WIDE = 4, NARROW = 2, STEPS = 400 };

// the wide action of a narrow one
static int32_t widen(int32_t state, int32_t action)
{
    static const int32_t known[STATES][NARROW] = {{0, 1}, {1, 3}, {2, 3}, {0, 2}};
    return known[state][action];
}

static void mask_of(int32_t state, bool first, uint8_t *wide, uint8_t *narrow)
{
    memset(wide, 0, WIDE);
    for (int32_t a = 0; a < NARROW; a++)
        wide[widen(state, a)] = narrow[a] = a == 0 || !first;
}

typedef struct twins {
    lgkt_learner *wide, *narrow;
} twins;

static lgkt_learner *make(const char *spec, int32_t actions)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = STATES;
    config.problem.actions = actions;
    config.problem.horizon = STEPS;
    config.problem.reward_min = 0;
    config.problem.reward_max = 1;
    config.problem.reward_sd = 0.5;
    config.problem.masked = true;
    config.seed = 5;
    return learner_run_make(spec, &config);
}

static void praise(lgkt_learner *wide)
{
    for (int32_t s = 0; s < STATES; s++)
        for (int32_t a = 0; a < WIDE; a++)
            for (int i = 0; i < 30 && a != widen(s, 0) && a != widen(s, 1); i++)
                assert_int_equal(lgkt_learner_feed(wide, s, a, 1, s, false), LGKT_OK);
}

// a number that is NaN on both sides, or the same
static void check_number(const char *spec, int t, double wide, double narrow)
{
    if (isnan(wide) != isnan(narrow) || fabs(wide - narrow) > 1e-8 * (1 + fabs(narrow)))
        fail_msg("%s at %d: %.17g in place of %.17g", spec, t, wide, narrow);
}

static void check_reasons(const char *spec, int t, const twins *pair, int32_t state)
{
    lgkt_reason wide[WIDE], narrow[NARROW];
    uint8_t wide_mask[WIDE], narrow_mask[NARROW];
    lgkt_error error = {0};
    mask_of(state, false, wide_mask, narrow_mask);
    assert_ok(lgkt_learner_explain(pair->wide, state, wide_mask, wide, sizeof(lgkt_reason), &error),
              error);
    assert_ok(
        lgkt_learner_explain(pair->narrow, state, narrow_mask, narrow, sizeof(lgkt_reason), &error),
        error);
    for (int32_t a = 0; a < WIDE; a++)
        assert_true(wide_mask[a] != 0 || wide[a].probability == 0);
    for (int32_t a = 0; a < NARROW; a++) {
        const lgkt_reason *one = &wide[widen(state, a)], *other = &narrow[a];
        check_number(spec, t, one->visits, other->visits);
        check_number(spec, t, one->mean_reward, other->mean_reward);
        check_number(spec, t, one->value, other->value);
        check_number(spec, t, one->upper, other->upper);
        check_number(spec, t, one->probability, other->probability);
    }
}

// one step of both; the first acts are with one action only, so that a second one comes up later
static int32_t step(const char *spec, int t, const twins *pair, const lgkt_mdp *model,
                    int32_t state)
{
    uint8_t wide_mask[WIDE], narrow_mask[NARROW];
    int32_t wide = -1, narrow = -1;
    mask_of(state, t < STATES, wide_mask, narrow_mask);
    assert_int_equal(lgkt_learner_act(pair->wide, state, wide_mask, &wide), LGKT_OK);
    assert_int_equal(lgkt_learner_act(pair->narrow, state, narrow_mask, &narrow), LGKT_OK);
    if (wide != widen(state, narrow))
        fail_msg("%s at %d: plays %d in place of %d", spec, t, wide, widen(state, narrow));
    const learner_run run = {pair->narrow, model, 3, t < STATES ? 1 : 0.05, state};
    const lgkt_step to = learner_run_outcome(&run, narrow);
    const int32_t next = t < STATES - 1 ? t + 1 : to.state;
    assert_int_equal(lgkt_learner_observe(pair->wide, to.reward, next, to.ended), LGKT_OK);
    assert_int_equal(lgkt_learner_observe(pair->narrow, to.reward, next, to.ended), LGKT_OK);
    return next;
}

static void test_plans_are_those_without_the_pairs(void **state)
{
    (void)state;
    // delta of the wide one, twice that of the narrow one where it stands for S A
    static const struct {
        const char *wide, *narrow;
        bool praised;
    } cases[] = {
        {"ucrl2:delta=0.01", "ucrl2:delta=0.01", true},
        {"ucrl2:episodes=doubling,delta=0.3", "ucrl2:episodes=doubling,delta=0.3", true},
        {"klucrl:delta=0.2", "klucrl:delta=0.2", true},
        {"klucrl:radius=0.001", "klucrl:radius=0.001", true},
        {"klucrl:radius=0.001,rows=drifting", "klucrl:radius=0.001,rows=drifting", true},
        {"ucrl2b:delta=0.2", "ucrl2b:delta=0.1", true},
        {"ucrl3:delta=0.2", "ucrl3:delta=0.1", true},
        {"ucrl3:delta=0.2,support=whole,ties=least-visited",
         "ucrl3:delta=0.1,support=whole,ties=least-visited", true},
        {"imed-rl", "imed-rl", true},
        {"imed-rl:index=log-u,smooth=0", "imed-rl:index=log-u,smooth=0", true},
        {"mbie-eb:discount=0.9", "mbie-eb:discount=0.9", true},
        {"mbie-eb:discount=0.9,cap=1,lazy=1", "mbie-eb:discount=0.9,cap=1,lazy=1", true},
        {"beb:discount=0.9", "beb:discount=0.9", true},
        {"r-max:m=5,discount=0.9", "r-max:m=5,discount=0.9", true},
        {"ucbvi:h=3,bonus=0.02,delta=0.2", "ucbvi:h=3,bonus=0.02,delta=0.1", true},
        {"ucbvi:h=3,bonus=0.02,delta=0.2,bound=ch", "ucbvi:h=3,bonus=0.02,delta=0.1,bound=ch",
         true},
    };
    lgkt_rng rng = lgkt_rng_stream(4, "narrow", 0);
    double rewards[STATES * NARROW], kernel[STATES * NARROW * STATES];
    for (int z = 0; z < STATES * NARROW; z++) {
        double sum = 0;
        rewards[z] = 0.2 + 0.6 * lgkt_rng_uniform(&rng);
        for (int y = 0; y < STATES; y++)
            sum += kernel[z * STATES + y] = 0.02 + pow(lgkt_rng_uniform(&rng), 3);
        for (int y = 0; y < STATES; y++)
            kernel[z * STATES + y] /= sum;
    }
    lgkt_mdp *model = model_dense(STATES, NARROW, rewards, kernel);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const twins pair = {make(cases[i].wide, WIDE), make(cases[i].narrow, NARROW)};
        if (cases[i].praised)
            praise(pair.wide);
        int32_t at = 0, seconds = 0;
        for (int t = 0; t < STEPS; t++) {
            for (int32_t s = 0; s < STATES && t >= STATES && t % 7 == 0; s++)
                check_reasons(cases[i].wide, t, &pair, s);
            at = step(cases[i].wide, t, &pair, model, at);
        }
        lgkt_reason reasons[STATES * NARROW];
        assert_int_equal(lgkt_learner_explain_all(pair.narrow, reasons, sizeof(lgkt_reason), NULL),
                         LGKT_OK);
        for (int32_t s = 0; s < STATES; s++)
            seconds += reasons[s * NARROW + 1].visits > 0;
        // what came up later was tried
        assert_int_equal(seconds, STATES);
        lgkt_learner_destroy(pair.wide);
        lgkt_learner_destroy(pair.narrow);
    }
    lgkt_mdp_destroy(model);
}

// What plans found while an action could not be played bounds nothing once it can: the numbers are
// those of a learner that was only fed, and plans for the first time. Values of ucbvi never rise
// else.
static void test_more_can_be_played(void **state)
{
    (void)state;
    lgkt_learner *learner = make("ucbvi:h=3,bound=ch,bonus=0.01", NARROW);
    lgkt_learner *other = make("ucbvi:h=3,bound=ch,bonus=0.01", NARROW);
    static const uint8_t one[NARROW] = {1, 0};
    for (int t = 0; t < 90 + STATES - 1; t++) {
        const bool opens = t >= 90;
        const int32_t s = opens ? t - 89 : t % STATES;
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, s, opens ? NULL : one, &action), LGKT_OK);
        const bool cut = t % 3 == 0 || t >= 88;
        const int32_t next = (s + 1) % STATES;
        assert_int_equal(lgkt_learner_observe(learner, 0.2 * s, next, cut), LGKT_OK);
        assert_int_equal(lgkt_learner_feed(other, s, action, 0.2 * s, next, cut), LGKT_OK);
    }
    lgkt_reason with[NARROW], fresh[NARROW];
    assert_int_equal(lgkt_learner_explain(learner, 0, NULL, with, sizeof(lgkt_reason), NULL),
                     LGKT_OK);
    assert_int_equal(lgkt_learner_explain(other, 0, NULL, fresh, sizeof(lgkt_reason), NULL),
                     LGKT_OK);
    for (int32_t a = 0; a < NARROW; a++)
        assert_true(with[a].upper == fresh[a].upper);
    lgkt_learner_destroy(learner);
    lgkt_learner_destroy(other);
}

// ---- posterior sampling ----

// what a row of the sample is worth with values u
static double worth(const lgkt_vi *vi, const double *u, int32_t row)
{
    double next = 0;
    for (int32_t e = vi->rows[row].start; e < vi->rows[row + 1].start; e++)
        next += vi->weight[e] * u[vi->next[e]];
    for (int32_t y = 0; y < STATES; y++)
        next += vi->rows[row].base * u[y];
    return vi->rows[row].reward + next;
}

// values with `steps` steps to go over the pairs that can be played, or of the long run
static void plain_values(const lgkt_vi *vi, int64_t steps, double u[STATES])
{
    memset(u, 0, STATES * sizeof *u);
    for (int64_t k = 0; k < steps; k++) {
        double v[STATES], least = INFINITY;
        for (int32_t s = 0; s < STATES; s++) {
            v[s] = -INFINITY;
            for (int32_t j = 0; j < vi->actions; j++)
                if (j / vi->copies == widen(s, 0) || j / vi->copies == widen(s, 1))
                    v[s] = fmax(v[s], worth(vi, u, s * vi->actions + j));
            least = fmin(least, v[s]);
        }
        for (int32_t s = 0; s < STATES; s++)
            u[s] = v[s] - least;
    }
}

// the action that is played is the best of those allowed in the sample, at every step
static void test_samples_without_the_pairs(void **state)
{
    (void)state;
    static const char *const specs[] = {"psrl:precision=1e-9", "psrl:split=exact,precision=1e-9",
                                        "psrl:schedule=doubling,plan=left,precision=1e-9",
                                        "psrl-optimistic:psi=3,precision=1e-9"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        lgkt_learner *learner = make(specs[i], WIDE);
        const lgkt_psrl *p = learner->self;
        lgkt_rng rng = lgkt_rng_stream(6, "sample", i);
        praise(learner);
        int32_t others = 0;
        for (int t = 0; t < STEPS; t++) {
            const int32_t s = t < STATES ? t : lgkt_rng_below(&rng, STATES);
            uint8_t wide[WIDE], narrow[NARROW];
            int32_t action = -1;
            mask_of(s, false, wide, narrow);
            // now and then one of the two is away
            if (t >= STATES && lgkt_rng_bernoulli(&rng, 0.3))
                wide[widen(s, lgkt_rng_below(&rng, NARROW))] = 0;
            assert_int_equal(lgkt_learner_act(learner, s, wide, &action), LGKT_OK);
            if (t >= STATES) {
                const int64_t left = lgkt_learner_steps_left(learner);
                const bool ends = p->set.plan == LGKT_PLAN_LEFT && left < 300;
                double u[STATES], best = -INFINITY, played = -INFINITY;
                plain_values(&p->vi, ends ? left - 1 : 300, u);
                for (int32_t j = 0; j < p->vi.actions; j++) {
                    const int32_t a = j / (int32_t)p->vi.copies;
                    const double q = worth(&p->vi, u, s * p->vi.actions + j);
                    best = wide[a] != 0 ? fmax(best, q) : best;
                    played = a == action ? fmax(played, q) : played;
                }
                if (!(played >= best - 1e-6))
                    fail_msg("%s at %d: %g in place of %g", specs[i], t, played, best);
                others += p->set.plan != LGKT_PLAN_LEFT && action != p->left[s];
            }
            assert_int_equal(lgkt_learner_observe(
                                 learner, 0.1 * (s + action),
                                 lgkt_rng_bernoulli(&rng, 0.8) ? (s + action) % STATES : s, true),
                             LGKT_OK);
        }
        assert_true(p->set.plan == LGKT_PLAN_LEFT || others > 20);
        lgkt_learner_destroy(learner);
    }
}

// ---- mirror descent ----

// Batches of two steps with one sample, the first: its weight is that of the law among the allowed
// actions, those beside it that were allowed get 0, and those that were not what was earned.
static void test_mirror_descent_among_some(void **state)
{
    (void)state;
    lgkt_learner *learner = make("mdp-oomd:b=2,n=1,eta=0.1,reward-sd=0", WIDE);
    lgkt_rng rng = lgkt_rng_stream(7, "mirror", 0);
    double base[WIDE], pi[WIDE];
    for (int a = 0; a < WIDE; a++)
        base[a] = pi[a] = 1.0 / WIDE;
    for (int t = 0; t < STEPS; t += 2) {
        uint8_t allowed[WIDE];
        int32_t action = -1, second = -1;
        model_random_mask(&rng, 1, WIDE, 0.5, allowed);
        double all = 0, beta[WIDE];
        for (int a = 0; a < WIDE; a++)
            all += allowed[a] != 0 ? pi[a] : 0;
        lgkt_reason reasons[WIDE];
        assert_int_equal(
            lgkt_learner_explain(learner, 0, allowed, reasons, sizeof(lgkt_reason), NULL), LGKT_OK);
        for (int a = 0; a < WIDE; a++)
            assert_close(reasons[a].probability, allowed[a] != 0 ? pi[a] / all : 0, 1e-12);
        assert_int_equal(lgkt_learner_act(learner, 0, allowed, &action), LGKT_OK);
        const double reward = 0.2 * (action + 1);
        assert_int_equal(lgkt_learner_observe(learner, reward, 0, false), LGKT_OK);
        assert_int_equal(lgkt_learner_act(learner, 0, NULL, &second), LGKT_OK);
        assert_int_equal(lgkt_learner_observe(learner, 1, 0, false), LGKT_OK);
        for (int a = 0; a < WIDE; a++)
            beta[a] = a == action ? reward * all / pi[a] : allowed[a] != 0 ? 0 : reward;
        lgkt_log_barrier_step(base, beta, 0.1, WIDE, base);
        lgkt_log_barrier_step(base, beta, 0.1, WIDE, pi);
    }
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans_are_those_without_the_pairs),
        cmocka_unit_test(test_more_can_be_played),
        cmocka_unit_test(test_samples_without_the_pairs),
        cmocka_unit_test(test_mirror_descent_among_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
