// SPDX-License-Identifier: MIT
// Reasons and masks of the learners that look a few steps ahead or at one pair at a time: laws
// against frequencies of copies with other streams, columns against tallies of the test, masked
// choices against plain ones written from the definitions.
//
// labels: slow

#include "test.h"

#include <stdlib.h>

#include "learners/lgkt/thresholding.h"
#include "ref/chance.h"
#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/naive_modelfree.h"

enum { STATES = LEARNER_RUN_STATES, ACTIONS = LEARNER_RUN_ACTIONS, HORIZON = 400 };

// every name of the families, and each option that touches a choice
static const char *const specs[] = {
    "lg1t",
    "lg1t:profile=paper",
    "lg1t:profile=practical,candidates=mean",
    "lg1t:candidates=mean",
    "lg1t-uniform:candidates=michel,threshold=0.4",
    "lg1t-uniform:profile=paper,candidates=michel",
    "lg1t-uniform",
    "lg1t-uniform:ties=uniform,threshold=0.8",
    "lg1t-i:delta=0.05",
    "lg2t",
    "lg2t:ties=uniform",
    "lg2t:continuation=received,refresh=always",
    "lg2t-uniform:candidates=mean,threshold=1.5",
    "lg2t-i:ties=uniform",
    "lgkt:k=1",
    "lgkt:k=2",
    "lgkt:k=2,profile=paper",
    "lgkt:k=2,profile=paper,bonuses=one",
    "lgkt:k=3",
    "lgkt:k=3,profile=paper",
    "lgkt:k=2,sampler=random",
    "lgkt:k=3,sampler=(lgkt:k=2)",
    "lgkt:k=3,sampler=(ucbvi:h=5,bonus=0.01)",
    "lgkt:k=3,sampler=(optimistic-q:discount=0.9,c=0)",
    "lg1-2t:cutoff=20",
    "lg1-2t:profile=practical,cutoff=20",
    "lg1-2t:profile=paper,cutoff=19",
    "lg1-2t-adaptive",
    "lg1-2t:cutoff=9,profile=practical",
    "lg1-2t:cutoff=9,profile=paper",
    "lg1t-rl:cutoff=20,rl=(lgkt:k=2)",
    "lg1t-rl:profile=paper,cutoff=19,rl=ucb",
    "lg1t-rl:cutoff=20,first=lg2t,rl=(q-greedy)",
    "ucb",
    "ucb:bound=ucb1",
    "q-greedy",
    "q-greedy:explore=root,start=optimistic",
    "sarsa",
    "q-differential:explore=time",
    "q-learning:h=1,c=0",
    "q-learning:h=2,c=0",
    "q-learning:h=3,c=0.01",
    "optimistic-q:c=0",
    "optimistic-q:ties=first",
    "kstep",
    "kstep:k=3,ties=high",
    "thresholding",
    "thresholding:k=2,ties=high",
    "kstep:ties=random",
    "optimal",
};
enum { SPECS = sizeof specs / sizeof *specs };

static lgkt_learner_config make_config(const lgkt_mdp *model)
{
    lgkt_learner_config config = learner_run_config(model, HORIZON);
    config.problem.masked = true;
    config.seed = 5;
    return config;
}

// some of the actions, or NULL for all
static const uint8_t *draw_mask(lgkt_rng *rng, double share, uint8_t mask[ACTIONS])
{
    if (!lgkt_rng_bernoulli(rng, share))
        return NULL;
    memset(mask, 0, ACTIONS);
    for (int32_t a = 0; a < ACTIONS; a++)
        mask[a] = lgkt_rng_bernoulli(rng, 0.5);
    mask[lgkt_rng_below(rng, ACTIONS)] = 1;
    return mask;
}

// a mask that belongs to a state, and now and then another one
static const uint8_t *mask_of(int32_t state, int64_t t, uint8_t mask[ACTIONS])
{
    for (int32_t a = 0; a < ACTIONS; a++)
        mask[a] = a != state && (t < 150 || a != 3 || state != 1);
    if (t > 200 && t % 17 == 0)
        mask[state] = 1;
    return mask;
}

static bool may(const uint8_t *allowed, int32_t action)
{
    return allowed == NULL || allowed[action] != 0;
}

static int32_t act_among(lgkt_learner *learner, int32_t state, const uint8_t *allowed)
{
    int32_t action = -1;
    assert_int_equal(lgkt_learner_act(learner, state, allowed, &action), LGKT_OK);
    assert_true(action >= 0 && action < ACTIONS && may(allowed, action));
    return action;
}

static void finish_step(learner_run *run, int32_t action)
{
    const lgkt_step step = learner_run_outcome(run, action);
    assert_int_equal(lgkt_learner_observe(run->learner, step.reward, step.state, step.ended),
                     LGKT_OK);
    run->state = step.state;
}

static void play_masked(learner_run *run, int64_t steps, lgkt_rng *rng)
{
    for (int64_t i = 0; i < steps; i++) {
        uint8_t mask[ACTIONS];
        finish_step(run, act_among(run->learner, run->state, draw_mask(rng, 0.5, mask)));
    }
}

typedef struct saved {
    unsigned char *bytes;
    size_t size;
} saved;

static saved save(const lgkt_learner *learner)
{
    saved made = {0};
    lgkt_learner_save(learner, NULL, 0, &made.size, NULL);
    made.bytes = malloc(made.size);
    assert_int_equal(lgkt_learner_save(learner, made.bytes, made.size, &made.size, NULL), LGKT_OK);
    return made;
}

static lgkt_learner *load(const saved *from, const lgkt_learner_config *config)
{
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_learner_load(from->bytes, from->size, config, &learner, &error), error);
    return learner;
}

static void explain(const lgkt_learner *learner, int32_t state, const uint8_t *allowed,
                    lgkt_reason reasons[ACTIONS])
{
    lgkt_error error = {0};
    assert_ok(lgkt_learner_explain(learner, state, allowed, reasons, sizeof(lgkt_reason), &error),
              error);
}

// ---- laws ----

// What copies with other streams do, against the law. A right one fails with a probability of at
// most 4 CHANCE_LEVEL.
static void check_law(const lgkt_learner *learner, const lgkt_learner_config *like, int32_t state,
                      const uint8_t *allowed, const char *spec)
{
    lgkt_reason reasons[ACTIONS];
    explain(learner, state, allowed, reasons);
    bool certain = true;
    for (int32_t a = 0; a < ACTIONS; a++)
        certain &= reasons[a].probability == 0 || reasons[a].probability == 1;
    const int copies = certain ? 10 : 250;
    lgkt_learner_config config = *like;
    config.reseed = true;
    config.like = learner;
    const saved from = save(learner);
    double counts[ACTIONS] = {0}, sum = 0;
    for (int i = 0; i < copies; i++) {
        config.instance = (uint64_t)i;
        lgkt_learner *copy = load(&from, &config);
        counts[act_among(copy, state, allowed)]++;
        lgkt_learner_destroy(copy);
    }
    free(from.bytes);
    for (int32_t a = 0; a < ACTIONS; a++) {
        const double p = reasons[a].probability, gap = fabs(counts[a] - copies * p);
        if (!(gap <= (p == 0 || p == 1 ? 0 : chance_count_bound(copies, p))))
            fail_msg("%s at step %lld, %s: action %d was played %g times, its probability is %g",
                     spec, (long long)lgkt_learner_time(learner), allowed ? "masked" : "plain", a,
                     counts[a], p);
        sum += p;
    }
    assert_close(sum, 1, 1e-12);
}

static void check_laws(const char *spec, const lgkt_learner_config *config, const lgkt_mdp *model)
{
    static const int64_t times[] = {0, 6, 20, 47, 150};
    lgkt_learner *learner = learner_run_make(spec, config);
    learner_run run = {.learner = learner, .model = model, .seed = 3, .cuts = 0.05};
    lgkt_rng rng = lgkt_rng_stream(1, "masks", 0);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        play_masked(&run, times[i] - lgkt_learner_time(learner), &rng);
        uint8_t mask[ACTIONS];
        check_law(learner, config, run.state, draw_mask(&rng, i % 2 == 0 ? 0 : 1, mask), spec);
    }
    lgkt_learner_destroy(learner);
}

// about 200 laws of at most 4 actions: a false alarm has a probability below 1e-4
static void test_laws_are_frequencies(void **state)
{
    const lgkt_learner_config config = make_config(*state);
    for (size_t i = 0; i < SPECS; i++)
        check_laws(specs[i], &config, *state);
}

static double steady_coin(void *ctx, int64_t t)
{
    (void)ctx;
    return t % 3 == 0 ? 0.05 : 0.9;
}

static double moving_bar(void *ctx, int64_t t, int32_t state, int32_t k)
{
    (void)ctx;
    return 0.2 * k + 0.1 * state + 0.01 * (double)(t % 40);
}

// a coin and thresholds of the caller's; a rising threshold's raise counts for the act that makes
// it
static void test_laws_with_callbacks(void **state)
{
    lgkt_learner_config config = make_config(*state);
    config.coin = steady_coin;
    check_laws("lg2t:ties=uniform", &config, *state);
    check_laws("lgkt:k=3,profile=paper", &config, *state);
    config.threshold.fn = moving_bar;
    check_laws("lg1t-uniform", &config, *state);
    check_laws("lg2t-uniform:ties=uniform", &config, *state);
    check_laws("lg1-2t:cutoff=20,ties=uniform", &config, *state);
}

// at every step of a run that raises its thresholds, the certain action is the one played
static void test_a_raise_is_in_the_law(void **state)
{
    const lgkt_learner_config config = make_config(*state);
    lgkt_learner *learner = learner_run_make("lg1t-i:delta=0.3,threshold=-1", &config);
    learner_run run = {.learner = learner, .model = *state, .seed = 4};
    int64_t changes = 0;
    for (int64_t t = 0; t < HORIZON; t++) {
        lgkt_reason now[ACTIONS], after[ACTIONS];
        explain(learner, run.state, NULL, now);
        const int32_t at = run.state, action = act_among(learner, at, NULL);
        explain(learner, at, NULL, after);
        assert_true(now[action].probability == 1);
        for (int32_t a = 0; a < ACTIONS; a++)
            assert_true(now[a].good == after[a].good);
        finish_step(&run, action);
        lgkt_reason later[ACTIONS];
        explain(learner, at, NULL, later);
        for (int32_t a = 0; a < ACTIONS; a++)
            changes += now[a].good == 1 && later[a].good == 0;
    }
    assert_true(changes > 5);
    lgkt_learner_destroy(learner);
}

// ---- nothing changes ----

// A learner that is asked at every step says that what it then does is possible. It goes on as one
// that is not, and at every step as one that is made anew from its bytes: neither a question nor a
// mask stays in a cache.
static void test_questions_and_masks_leave_no_trace(void **state)
{
    lgkt_learner_config config = make_config(*state);
    for (size_t i = 0; i < SPECS; i++) {
        lgkt_learner *asked = learner_run_make(specs[i], &config);
        lgkt_learner *other = learner_run_make(specs[i], &config);
        learner_run run = {.learner = asked, .model = *state, .seed = 7, .cuts = 0.03};
        lgkt_rng rng = lgkt_rng_stream(2, "masks", i);
        for (int64_t t = 0; t < 85; t++) {
            uint8_t mask[ACTIONS], question[ACTIONS];
            lgkt_reason reasons[STATES * ACTIONS];
            double policy[STATES * ACTIONS];
            // first what a state never offers, then anything
            const uint8_t *allowed =
                t < 60 ? mask_of(run.state, t, mask) : draw_mask(&rng, 0.4, mask);
            const uint64_t hash = lgkt_learner_hash(asked);
            explain(asked, run.state, draw_mask(&rng, 0.5, question), reasons);
            explain(asked, run.state, allowed, reasons);
            double chances[ACTIONS];
            for (int32_t a = 0; a < ACTIONS; a++)
                chances[a] = reasons[a].probability;
            if (t % 10 == 0) {
                assert_int_equal(
                    lgkt_learner_explain_all(asked, reasons, sizeof(lgkt_reason), NULL), LGKT_OK);
                assert_int_equal(lgkt_learner_policy(asked, policy, NULL), LGKT_OK);
            }
            assert_true(lgkt_learner_hash(asked) == hash);
            config.like = asked;
            const saved bytes = save(asked);
            lgkt_learner *again = load(&bytes, &config);
            config.like = NULL;
            free(bytes.bytes);

            const int32_t action = act_among(asked, run.state, allowed);
            if (!(chances[action] > 0))
                fail_msg("%s at step %lld: action %d has probability %g", specs[i], (long long)t,
                         action, chances[action]);
            if (act_among(again, run.state, allowed) != action ||
                lgkt_learner_hash(again) != lgkt_learner_hash(asked))
                fail_msg("%s at step %lld: another choice after a load", specs[i], (long long)t);
            assert_int_equal(act_among(other, run.state, allowed), action);
            const lgkt_step step = learner_run_outcome(&run, action);
            assert_int_equal(lgkt_learner_observe(other, step.reward, step.state, step.ended),
                             LGKT_OK);
            assert_int_equal(lgkt_learner_observe(again, step.reward, step.state, step.ended),
                             LGKT_OK);
            finish_step(&run, action);
            assert_true(lgkt_learner_hash(again) == lgkt_learner_hash(asked));
            lgkt_learner_destroy(again);
        }
        assert_true(lgkt_learner_hash(asked) == lgkt_learner_hash(other));
        lgkt_learner_destroy(asked);
        lgkt_learner_destroy(other);
    }
}

// ---- columns, and choices by them ----

// lg1t from its definition: a tally, the formulas of the widths, and the allowed actions ranked
static void test_lg1t_by_hand(void **state)
{
    const lgkt_learner_config config = make_config(*state);
    lgkt_learner *learner = learner_run_make("lg1t:profile=practical,ties=high", &config);
    learner_run run = {.learner = learner, .model = *state, .seed = 8};
    lgkt_rng rng = lgkt_rng_stream(3, "masks", 0);
    double n[STATES][ACTIONS] = {{0}}, total[STATES][ACTIONS] = {{0}};
    for (int64_t t = 0; t < HORIZON; t++) {
        uint8_t mask[ACTIONS];
        const uint8_t *allowed = draw_mask(&rng, 0.5, mask);
        const int32_t s = run.state;
        lgkt_reason reasons[ACTIONS];
        explain(learner, s, allowed, reasons);
        int32_t best = -1;
        double p = 0, q = 0;
        for (int32_t a = 0; a < ACTIONS; a++) {
            const double v = n[s][a], mean = total[s][a] / v;
            const double w = sqrt(log(v + 2) / (v + 2));
            const double b =
                3.428 / (v + 1) * sqrt((log(log(v + 2)) + 2 * log(10.0 * HORIZON)) / (v + 1));
            assert_true(reasons[a].visits == v);
            if (v > 0) {
                assert_close(reasons[a].mean_reward, mean, 1e-12);
                assert_close(reasons[a].value, mean, 1e-12);
                assert_close(reasons[a].lower, mean - w, 1e-12);
                assert_close(reasons[a].upper, mean + b, 1e-12);
            } else {
                assert_true(isnan(reasons[a].mean_reward) && isnan(reasons[a].value));
                assert_true(isnan(reasons[a].lower) && reasons[a].upper == INFINITY);
            }
            const double lower = v > 0 ? mean - w : INFINITY, upper = v > 0 ? mean + b : INFINITY;
            assert_true(reasons[a].good == (v == 0 || lower > 0.3));
            if (!may(allowed, a))
                continue;
            const double first = fmax(lower, 0.3);
            if (best < 0 || first > p || (first == p && upper >= q)) {
                best = a;
                p = first;
                q = upper;
            }
        }
        const int32_t action = act_among(learner, s, allowed);
        assert_int_equal(action, best);
        assert_true(reasons[action].probability == 1);
        const lgkt_step step = learner_run_outcome(&run, action);
        n[s][action]++;
        total[s][action] += step.reward;
        finish_step(&run, action);
    }
    lgkt_learner_destroy(learner);
}

// ucb from its definition
static void test_ucb_by_hand(void **state)
{
    const lgkt_learner_config config = make_config(*state);
    lgkt_learner *learner = learner_run_make("ucb:reward-sd=0.5", &config);
    learner_run run = {.learner = learner, .model = *state, .seed = 8};
    lgkt_rng rng = lgkt_rng_stream(4, "masks", 0);
    double n[STATES][ACTIONS] = {{0}}, total[STATES][ACTIONS] = {{0}}, plays[STATES] = {0};
    for (int64_t t = 0; t < HORIZON; t++) {
        uint8_t mask[ACTIONS];
        const uint8_t *allowed = draw_mask(&rng, 0.5, mask);
        const int32_t s = run.state;
        lgkt_reason reasons[ACTIONS];
        explain(learner, s, allowed, reasons);
        double best = -INFINITY;
        for (int32_t a = 0; a < ACTIONS; a++) {
            const double l = log(plays[s]), mean = total[s][a] / n[s][a];
            const double index =
                n[s][a] > 0 ? mean + sqrt(0.5 * log(1 + plays[s] * l * l) / n[s][a]) : INFINITY;
            assert_true(reasons[a].visits == n[s][a]);
            assert_close(reasons[a].upper, index, 1e-9);
            if (n[s][a] > 0)
                assert_close(reasons[a].value, mean, 1e-9);
            if (may(allowed, a))
                best = fmax(best, index);
        }
        const int32_t action = act_among(learner, s, allowed);
        assert_true(reasons[action].probability > 0);
        assert_close(reasons[action].upper, best, 1e-9);
        const lgkt_step step = learner_run_outcome(&run, action);
        n[s][action]++;
        plays[s]++;
        total[s][action] += step.reward;
        finish_step(&run, action);
    }
    lgkt_learner_destroy(learner);
}

// ---- values of other states leave out what they never offer ----

// what every act so far was without, as the test keeps it
typedef struct offers {
    bool ruled_out[STATES * ACTIONS], seen[STATES * ACTIONS];
} offers;

static void note(offers *of, int32_t state, const uint8_t *allowed)
{
    for (int32_t a = 0; a < ACTIONS; a++) {
        const int32_t z = state * ACTIONS + a;
        of->seen[z] |= may(allowed, a);
        of->ruled_out[z] = !of->seen[z];
    }
}

static void check_naive_q(const char *spec, naive_q *naive, const lgkt_mdp *model, double tie)
{
    lgkt_learner_config config = make_config(model);
    config.problem.reward_min = 0;
    config.problem.reward_max = 1;
    offers of = {{0}, {0}};
    naive->states = STATES;
    naive->actions = ACTIONS;
    naive->ruled_out = of.ruled_out;
    naive_q_make(naive);
    lgkt_learner *learner = learner_run_make(spec, &config);
    learner_run run = {.learner = learner, .model = model, .seed = 9, .cuts = 0.05};
    int32_t place = 0;
    for (int64_t t = 0; t < HORIZON; t++) {
        uint8_t mask[ACTIONS];
        const int32_t s = run.state;
        const uint8_t *allowed = mask_of(s, t, mask);
        note(&of, s, allowed);
        lgkt_reason reasons[ACTIONS];
        explain(learner, s, allowed, reasons);
        double best = -INFINITY;
        for (int32_t a = 0; a < ACTIONS; a++) {
            const double q = (double)naive->qhat[naive_q_entry(naive, s, place, a)];
            assert_close(reasons[a].value, q, 1e-9);
            best = may(allowed, a) ? fmax(best, q) : best;
        }
        const int32_t action = act_among(learner, s, allowed);
        assert_close(reasons[action].value, best, tie);
        const lgkt_step step = learner_run_outcome(&run, action);
        naive_q_learn(naive, s, place, action, step.reward, step.state, step.ended);
        place = step.ended || place + 1 == naive->places ? 0 : place + 1;
        finish_step(&run, action);
    }
    lgkt_learner_destroy(learner);
    naive_q_release(naive);
}

static void test_q_learners_by_hand(void **state)
{
    naive_q pieces = {.places = 3, .h = 3, .gamma = 1, .start = 3, .bonus = 0};
    check_naive_q("q-learning:h=3,c=0", &pieces, *state, 1e-9);
    naive_q average = {.places = 1, .h = 9, .gamma = 0.9, .start = 9, .average = true};
    average.bonus = 0.1L * 3;
    check_naive_q("optimistic-q:discount=0.9,c=0.1", &average, *state, 1e-9);
}

static void test_q_greedy_by_hand(void **state)
{
    const lgkt_learner_config config = make_config(*state);
    lgkt_learner *learner = learner_run_make("q-greedy:discount=0.8,alpha=0.2", &config);
    learner_run run = {.learner = learner, .model = *state, .seed = 10};
    double q[STATES][ACTIONS] = {{0}};
    offers of = {{0}, {0}};
    for (int64_t t = 0; t < HORIZON; t++) {
        uint8_t mask[ACTIONS];
        const int32_t s = run.state;
        const uint8_t *allowed = mask_of(s, t, mask);
        note(&of, s, allowed);
        lgkt_reason reasons[ACTIONS];
        explain(learner, s, allowed, reasons);
        for (int32_t a = 0; a < ACTIONS; a++)
            assert_close(reasons[a].value, q[s][a], 1e-9);
        const int32_t action = act_among(learner, s, allowed);
        const lgkt_step step = learner_run_outcome(&run, action);
        double follows = -INFINITY;
        for (int32_t a = 0; a < ACTIONS; a++)
            if (!of.ruled_out[step.state * ACTIONS + a])
                follows = fmax(follows, q[step.state][a]);
        // so low that what was never tried is best
        const double reward = step.reward - 5;
        q[s][action] += 0.2 * (reward + 0.8 * follows - q[s][action]);
        assert_int_equal(lgkt_learner_observe(learner, reward, step.state, step.ended), LGKT_OK);
        run.state = step.state;
    }
    lgkt_learner_destroy(learner);
}

// ---- oracles ----

static void check_oracle(const char *spec, int64_t k, bool high, const lgkt_mdp *model)
{
    enum { SHORT = 40 };
    lgkt_learner_config config = make_config(model);
    config.problem.horizon = SHORT;
    lgkt_learner *learner = learner_run_make(spec, &config);
    learner_run run = {.learner = learner, .model = model, .seed = 11};
    lgkt_rng rng = lgkt_rng_stream(6, "masks", 0);
    for (int64_t h = SHORT; h > 0; h--) {
        double table[STATES * ACTIONS];
        assert_int_equal(lgkt_plan_lookahead(model, h < k ? h : k, NULL, table, NULL), LGKT_OK);
        const double *q = table + run.state * ACTIONS;
        uint8_t mask[ACTIONS];
        const uint8_t *allowed = draw_mask(&rng, 0.7, mask);
        int32_t best = -1;
        for (int32_t a = 0; a < ACTIONS; a++)
            if (may(allowed, a) &&
                (best < 0 || q[a] > q[best] + 1e-9 || (high && q[a] > q[best] - 1e-9)))
                best = a;
        lgkt_reason reasons[ACTIONS];
        explain(learner, run.state, allowed, reasons);
        for (int32_t a = 0; a < ACTIONS; a++) {
            assert_close(reasons[a].value, q[a], 1e-9);
            assert_true(reasons[a].probability == (a == best));
        }
        const int32_t action = act_among(learner, run.state, allowed);
        assert_int_equal(action, best);
        finish_step(&run, action);
    }
    lgkt_learner_destroy(learner);
}

static void test_oracles_play_the_best_allowed(void **state)
{
    check_oracle("optimal", 40, false, *state);
    check_oracle("kstep:k=1", 1, false, *state);
    check_oracle("kstep:k=4,ties=high", 4, true, *state);
    // all actions alike: ties go to the lowest or highest that is allowed
    double rewards[STATES * ACTIONS], kernel[STATES * ACTIONS * STATES];
    for (int32_t i = 0; i < STATES * ACTIONS; i++)
        rewards[i] = 0.5;
    for (int32_t i = 0; i < STATES * ACTIONS * STATES; i++)
        kernel[i] = 1.0 / STATES;
    lgkt_mdp *flat = model_dense(STATES, ACTIONS, rewards, kernel);
    check_oracle("optimal", 40, false, flat);
    check_oracle("optimal:ties=high", 40, true, flat);
    lgkt_mdp_destroy(flat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws_are_frequencies),
        cmocka_unit_test(test_laws_with_callbacks),
        cmocka_unit_test(test_a_raise_is_in_the_law),
        cmocka_unit_test(test_questions_and_masks_leave_no_trace),
        cmocka_unit_test(test_lg1t_by_hand),
        cmocka_unit_test(test_ucb_by_hand),
        cmocka_unit_test(test_q_learners_by_hand),
        cmocka_unit_test(test_q_greedy_by_hand),
        cmocka_unit_test(test_oracles_play_the_best_allowed),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
