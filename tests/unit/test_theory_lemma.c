// SPDX-License-Identifier: MIT
// Lemma D.1: regret is the sum of what each step loses, exactly.
//
// With W_t(s) what the thresholding policy still costs from time t on (W_T = 0), a step at time t
// in state s that plays a loses
//
//   Regret_t = c_t(s,a) + sum_y P(y|s,a) W_{t+1}(y)
//              - mean over the policy's actions b of [c_t(s,b) + sum_y P(y|s,b) W_{t+1}(y)]
//
// and the expected sum over t is the regret. The paper prints it for K = 1; it holds for every K.
// Here it is summed over all histories of a real learner, one by one, without sampling: rewards are
// Bernoulli, and with its seed fixed a learner is a rule from histories to actions.

#include "test.h"

#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/naive_plan.h"
#include "ref/verdict.h"

enum { S = 2, A = 3, LONGEST = 500 };

// Two states, three actions, Bernoulli rewards. In state 1 no action reaches 0.6, so the policy
// itself pays there, and where it goes next matters.
static lgkt_mdp *make_model(void)
{
    static const double rewards[] = {0.9, 0.2, 0.7, 0.1, 0.5, 0.3};
    static const double to_one[] = {0.8, 0.1, 0.3, 0.9, 0.6, 0.2};
    lgkt_error error = {0};
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *model = NULL;
    assert_ok(lgkt_mdp_builder_create(S, A, NULL, &builder, &error), error);
    for (int32_t z = 0; z < S * A; z++) {
        const double row[S] = {1 - to_one[z], to_one[z]};
        assert_int_equal(lgkt_mdp_builder_row(builder, z / A, z % A, row), LGKT_OK);
        assert_int_equal(lgkt_mdp_builder_reward(builder, z / A, z % A, rewards[z]), LGKT_OK);
    }
    assert_int_equal(lgkt_mdp_builder_noise(builder, LGKT_NOISE_BERNOULLI, 0), LGKT_OK);
    assert_ok(lgkt_mdp_builder_build(builder, &model, &error), error);
    lgkt_mdp_builder_destroy(builder);
    return model;
}

// ---- the thresholding policy ----

typedef struct oracle {
    lgkt_mdp *model;
    int64_t horizon;
    double gamma;
    lgkt_cost *cost;
    lgkt_policy *policy;
    double to_go[LONGEST + 1][S]; // W_t
} oracle;

static double total_cost(const lgkt_cost *cost, const lgkt_policy *policy, const double *start)
{
    lgkt_error error = {0};
    double total = NAN;
    assert_ok(lgkt_cost_of_policy(cost, policy, start, NULL, &total, &error), error);
    return total;
}

// c_t(s,a) and what the policy costs afterwards
static double cost_of_action(const oracle *o, int64_t t, int32_t s, int32_t a)
{
    double sum = lgkt_cost_at(o->cost, t, s, a);
    for (int32_t y = 0; y < S; y++)
        sum += naive_p(o->model, s, a, y) * o->to_go[t + 1][y];
    return sum;
}

// the same, for an action drawn by a rule
static double cost_of_rule(const oracle *o, int64_t t, int32_t s, const lgkt_policy *rule)
{
    uint8_t member[A];
    const int32_t count = lgkt_policy_actions(rule, o->horizon - t, s, member);
    double sum = 0;
    for (int32_t a = 0; a < A; a++)
        if (member[a])
            sum += cost_of_action(o, t, s, a);
    return sum / count;
}

// W by the plain recursion, and once more by the planner
static void oracle_init(oracle *o, int64_t k, int64_t horizon, double gamma)
{
    lgkt_error error = {0};
    const lgkt_threshold threshold = {.constant = gamma};
    *o = (oracle){.model = make_model(), .horizon = horizon, .gamma = gamma};
    assert_in_range(horizon, 1, LONGEST);
    assert_ok(lgkt_cost_create(o->model, k, horizon, &threshold, NULL, &o->cost, &error), error);
    assert_ok(lgkt_policy_threshold(o->model, k, horizon, &threshold, NULL, &o->policy, &error),
              error);
    for (int64_t t = horizon - 1; t >= 0; t--)
        for (int32_t s = 0; s < S; s++)
            o->to_go[t][s] = cost_of_rule(o, t, s, o->policy);
    for (int32_t s = 0; s < S; s++) {
        const double start[S] = {s == 0, s == 1};
        assert_close(total_cost(o->cost, o->policy, start), o->to_go[0][s], 1e-10);
    }
}

static void oracle_destroy(oracle *o)
{
    lgkt_policy_destroy(o->policy);
    lgkt_cost_destroy(o->cost);
    lgkt_mdp_destroy(o->model);
}

// ---- all histories of a learner ----

enum { SHORT = 5 };

typedef struct history {
    int64_t length;
    int32_t states[SHORT + 1];
    double rewards[SHORT];
} history;

typedef struct sums {
    double cost;   // of the learner, expected
    double lemma;  // the expected sum of Regret_t
    double weight; // of all histories of full length
    int64_t histories;
} sums;

// what the learner plays after a history: it is made anew and lives through it
static int32_t action_after(const oracle *o, const char *spec, uint64_t seed, const history *past)
{
    lgkt_learner_config config = learner_run_config(o->model, o->horizon);
    const double table[S] = {o->gamma, o->gamma};
    config.threshold = (lgkt_threshold){.table = table, .table_steps = 1};
    config.seed = seed;
    lgkt_learner *learner = learner_run_make(spec, &config);
    int32_t action = -1;
    for (int64_t t = 0; t < past->length; t++) {
        const int32_t next = past->states[t + 1];
        assert_int_equal(lgkt_learner_act(learner, past->states[t], NULL, &action), LGKT_OK);
        assert_int_equal(lgkt_learner_observe(learner, past->rewards[t], next, false), LGKT_OK);
    }
    assert_int_equal(lgkt_learner_act(learner, past->states[past->length], NULL, &action), LGKT_OK);
    lgkt_learner_destroy(learner);
    return action;
}

typedef struct walk {
    const oracle *o;
    const char *spec;
    uint64_t seed;
    history past;
    sums sums;
} walk;

static void visit(walk *w, double weight)
{
    const oracle *o = w->o;
    history *past = &w->past;
    const int64_t t = past->length;
    if (t == o->horizon) {
        w->sums.weight += weight;
        w->sums.histories++;
        return;
    }
    const int32_t s = past->states[t], a = action_after(o, w->spec, w->seed, past);
    const double mean = lgkt_mdp_reward(o->model, s, a);
    w->sums.cost += weight * lgkt_cost_at(o->cost, t, s, a);
    w->sums.lemma += weight * (cost_of_action(o, t, s, a) - cost_of_rule(o, t, s, o->policy));
    past->length++;
    for (int32_t i = 0; i < 2 * S; i++) {
        const int32_t y = i / 2, hit = i % 2;
        past->rewards[t] = hit;
        past->states[t + 1] = y;
        visit(w, weight * naive_p(o->model, s, a, y) * (hit ? mean : 1 - mean));
    }
    past->length--;
}

// how far the sum is from the regret; *least gets |regret| if that is lower
static double error_of(const char *spec, int64_t k, uint64_t seed, double *least)
{
    oracle o;
    oracle_init(&o, k, SHORT, 0.6 * (double)k);
    walk w = {.o = &o, .spec = spec, .seed = seed};
    visit(&w, 1);
    assert_close(w.sums.weight, 1, 1e-13);
    assert_int_equal(w.sums.histories, 1 << (2 * SHORT));
    const double policy = o.to_go[0][0], regret = w.sums.cost - policy;
    // the policy pays too
    assert_true(policy > 0.1);
    oracle_destroy(&o);
    *least = fmin(*least, fabs(regret));
    return fabs(w.sums.lemma - regret);
}

// True by definition: the sum telescopes. What could fail is the planner or the learner.
static void regret_of_learners_is_the_sum_of_steps(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        int64_t k;
    } cases[] = {{"lg1t", 1},
                 {"lg1t-uniform:profile=paper", 1},
                 {"lg2t", 2},
                 {"lg2t-uniform:profile=paper", 2},
                 {"lgkt:k=3,profile=paper", 3},
                 {"random", 2}};
    double least = INFINITY, error = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 0; seed < 2; seed++)
            error = fmax(error, error_of(cases[i].spec, cases[i].k, seed, &least));
    // and none of them plays as the policy does
    assert_true(least > 0.01);
    verdict_cannot_fail();
    verdict_at_most("largest difference of sum and regret", error, 0, 1e-13);
    verdict_expect(VERDICT_FOR,
                   "true by definition, the sum telescopes: 6 learners, 2 seeds, all 1024 "
                   "histories, regret at least %.3f",
                   least);
}

// ---- a Markov rule, over a long time ----

typedef struct law_walk {
    const oracle *o;
    const lgkt_policy *rule;
    double lemma;
} law_walk;

static int add_law(void *ctx, int64_t t, const double *law)
{
    law_walk *w = ctx;
    for (int32_t s = 0; s < S; s++)
        w->lemma +=
            law[s] * (cost_of_rule(w->o, t, s, w->rule) - cost_of_rule(w->o, t, s, w->o->policy));
    return 0;
}

static void regret_of_uniform_play_is_the_sum_of_steps(void **state)
{
    (void)state;
    lgkt_error error = {0};
    double largest = 0;
    for (int64_t k = 1; k <= 4; k++) {
        oracle o;
        oracle_init(&o, k, LONGEST, 0.6 * (double)k);
        lgkt_policy *rule = NULL;
        assert_ok(lgkt_policy_uniform(o.model, LONGEST, NULL, &rule, &error), error);
        law_walk w = {.o = &o, .rule = rule};
        assert_ok(lgkt_policy_forward(rule, NULL, NULL, add_law, &w, &error), error);
        const double regret = total_cost(o.cost, rule, NULL) - o.to_go[0][0];
        largest = fmax(largest, fabs(w.lemma - regret));
        assert_true(fabs(regret) > 1);
        lgkt_policy_destroy(rule);
        oracle_destroy(&o);
    }
    verdict_cannot_fail();
    verdict_at_most("largest difference of sum and regret", largest, 0, 1e-9);
    verdict_expect(VERDICT_FOR,
                   "true by definition, the sum telescopes: uniform play, K = 1 to 4, T = 500");
}

// The proofs of 4.2 and 4.4 go on with "the policy costs nothing where every state has a good
// action". So it is for K = 1; for K >= 2 it pays in the last K-1 steps, where fewer than K are
// left to earn gamma. That is a constant, below (K-1) gamma.
static void the_policy_costs_nothing(void **state)
{
    (void)state;
    enum { T = 20, MOST_K = 3 };
    double paid[MOST_K + 1] = {0}, over = -INFINITY, early = 0;
    for (int64_t k = 1; k <= MOST_K; k++) {
        oracle o;
        oracle_init(&o, k, T, 0.4 * (double)k);
        // as long as K steps are left every state has a good action
        for (int64_t t = 0; t <= T - k; t++)
            for (int32_t s = 0; s < S; s++) {
                const int32_t a = lgkt_policy_action(o.policy, T - t, s);
                early = fmax(early, lgkt_cost_at(o.cost, t, s, a));
                paid[k] = fmax(paid[k], o.to_go[t][s]);
            }
        over = fmax(over, paid[k] - (double)(k - 1) * o.gamma);
        oracle_destroy(&o);
    }
    verdict_at_most("cost of the policy, K = 1", paid[1], 0, 0);
    verdict_at_most("cost of the policy, K = 2 and 3, the lower", fmin(paid[2], paid[3]), 0, 0);
    verdict_expect(VERDICT_AGAINST,
                   "2 states, 3 actions, T = 20, every state has a good action; for K >= 2 it pays "
                   "in the last K-1 steps, less than (K-1) gamma");
    assert_close(early, 0, 0);
    assert_between(over, -INFINITY, 0);
}

int main(void)
{
    verdict_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regret_of_learners_is_the_sum_of_steps),
        cmocka_unit_test(regret_of_uniform_play_is_the_sum_of_steps),
        cmocka_unit_test(the_policy_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
