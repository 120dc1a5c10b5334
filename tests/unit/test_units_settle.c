// SPDX-License-Identifier: MIT
// labels: slow
// Settle, explain, act: what explain says after a settle is the law that the action is drawn from,
// for every learner that units can share, with reports that are late, missing or too late.
//
// A copy acts without a settle and must do the same in every bit. Of each learner the actions are
// counted by the probability that explain gave to them, in tenths. The difference between such a
// count and the sum of its probabilities is a martingale with steps of at most 1; by Freedman's
// inequality, for each power of two that its variance may lie below (at most 2^20), it leaves its
// bound with probability 1e-9 / 20. With some 10 counts of 100 learners right learners pass with
// probability 0.999998 over the seeds, which are fixed.
//
// LGKT_LONG=1 makes 10^6 decisions of the fast learners.

#include "test.h"

#include <stdlib.h>

#include "learners/front/learner_private.h"
#include "ref/learner_run.h"

enum { STATES = LEARNER_RUN_STATES, ACTIONS = LEARNER_RUN_ACTIONS, UNITS = 5, BINS = 10 };

static lgkt_units *make(const char *spec, const lgkt_mdp *model, int64_t horizon, bool masked)
{
    lgkt_learner_config config = learner_run_config(model, horizon);
    config.problem.masked = masked;
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = UNITS;
    set.patience = 9;
    set.missing = horizon % 2 == 0 ? NAN : 0.25;
    lgkt_units *units = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_units_create(spec, &config, &set, &units, &error);
    if (status != LGKT_OK && status != LGKT_ERR_UNSUPPORTED)
        fail_msg("%s: %s", spec, error.text);
    return units;
}

static void good(const lgkt_units *units, lgkt_status status)
{
    if (status != LGKT_OK)
        fail_msg("%s: %s", lgkt_status_name(status), lgkt_units_message(units));
}

// ---- laws ----

typedef struct tally {
    double expected[BINS], variance[BINS], counted[BINS];
} tally;

// Adds a law and what was played; whether there is a law.
static bool note(tally *all, const char *spec, const lgkt_reason *reasons, const uint8_t *allowed,
                 int32_t action)
{
    double sum = 0;
    int unknown = 0;
    for (int32_t a = 0; a < ACTIONS; a++) {
        const double p = reasons[a].probability;
        unknown += isnan(p);
        sum += p;
        if (p > 0 && allowed[a] == 0)
            fail_msg("%s: an action that is not allowed has probability %g", spec, p);
    }
    if (unknown == ACTIONS)
        return false;
    if (!(fabs(sum - 1) <= 1e-12))
        fail_msg("%s: probabilities sum to %.17g", spec, sum);
    if (!(reasons[action].probability > 0))
        fail_msg("%s: the action that was played had probability 0", spec);
    for (int32_t a = 0; a < ACTIONS; a++) {
        const double p = reasons[a].probability;
        const int bin = p >= 1 ? BINS - 1 : (int)(p * BINS);
        all->expected[bin] += p;
        all->variance[bin] += p * (1 - p);
        all->counted[bin] += a == action;
    }
    return true;
}

static void check_tally(const tally *all, const char *spec)
{
    const double level = log(2 * 20 / 1e-9);
    for (int i = 0; i < BINS; i++) {
        const double v = 2 * fmax(all->variance[i], 1);
        const double bound = level / 3 + sqrt(level * level / 9 + 2 * v * level);
        if (!(fabs(all->counted[i] - all->expected[i]) <= bound))
            fail_msg("%s: actions of probability %d/10 and more were played %g times, and not %g",
                     spec, i, all->counted[i], all->expected[i]);
    }
}

// ---- runs ----

// What came of decisions: a third of the rewards at once, most later, some never or too late; the
// next state sometimes before the next act. The same for units that have decided alike.
static void report(lgkt_units *u, const lgkt_mdp *model, int64_t number, const int32_t *pairs)
{
    for (int64_t i = number > 12 ? number - 12 : 0; i <= number; i++) {
        lgkt_rng rng = lgkt_rng_stream(3, "reports", (uint64_t)i);
        const int64_t rewarded = i + lgkt_rng_below(&rng, 3) * lgkt_rng_below(&rng, 7);
        const bool followed = lgkt_rng_bernoulli(&rng, 0.4), ended = lgkt_rng_bernoulli(&rng, 0.1);
        const int32_t state = pairs[i % 16] / ACTIONS, action = pairs[i % 16] % ACTIONS;
        const int32_t next = lgkt_rng_below(&rng, STATES);
        const double reward = lgkt_mdp_reward(model, state, action) + lgkt_rng_uniform(&rng) - 0.5;
        const lgkt_status late = rewarded == number ? lgkt_units_reward(u, i, reward) : LGKT_OK;
        assert_true(late == LGKT_OK || late == LGKT_ERR_HORIZON);
        if (followed && i == number)
            good(u, lgkt_units_next(u, i, next, ended));
    }
}

// A learner of its own that decides alike but never settles must stay the same.
static void check_spec(const char *spec, const lgkt_mdp *model, bool masked, int64_t decisions)
{
    lgkt_units *u = make(spec, model, decisions, masked);
    lgkt_units *plain = make(spec, model, decisions, masked);
    lgkt_rng rng = lgkt_rng_stream(8, "units", 0);
    tally all = {.expected = {0}};
    int32_t pairs[16] = {0};
    int64_t known = 0;
    for (int64_t i = 0; i < decisions; i++) {
        const uint64_t unit = (uint64_t)lgkt_rng_below(&rng, UNITS);
        uint8_t allowed[ACTIONS];
        for (int a = 0; a < ACTIONS; a++)
            allowed[a] = !masked || i % 3 == 0 || a == i % ACTIONS || a == (i / 2) % ACTIONS;
        int32_t state = lgkt_rng_below(&rng, STATES);
        if (lgkt_units_settle(u, unit, LGKT_STATE_REPORTED) == LGKT_OK)
            state = LGKT_STATE_REPORTED;
        else
            good(u, lgkt_units_settle(u, unit, state));
        const bool looks = i % 64 == 0 || i < 100;
        const uint64_t settled = looks ? lgkt_units_hash(u) : 0;
        lgkt_reason reasons[ACTIONS];
        lgkt_error error = {0};
        assert_ok(lgkt_units_explain(u, unit, state, allowed, reasons, sizeof *reasons, &error),
                  error);
        if (looks) {
            good(u, lgkt_units_settle(u, unit, state));
            assert_true(lgkt_units_hash(u) == settled);
        }
        int64_t decision, other;
        int32_t action, same;
        good(u, lgkt_units_act(u, unit, state, allowed, &decision, &action));
        good(plain, lgkt_units_act(plain, unit, state, allowed, &other, &same));
        if (action != same || (looks && lgkt_units_hash(u) != lgkt_units_hash(plain)))
            fail_msg("%s: decision %lld is another one after a settle", spec, (long long)i);
        known += note(&all, spec, reasons, allowed, action);
        pairs[i % 16] = lgkt_units_learner(u)->state * ACTIONS + action;
        report(u, model, i, pairs);
        report(plain, model, i, pairs);
    }
    check_tally(&all, spec);
    if (known < decisions && strstr(spec, "psrl") == NULL)
        fail_msg("%s: %lld of %lld laws are known", spec, (long long)known, (long long)decisions);
    assert_true(lgkt_units_expired(u) > 0);
    lgkt_units_destroy(u);
    lgkt_units_destroy(plain);
}

static void test_laws_of_all_learners(void **state)
{
    char spec[LEARNER_RUN_SPEC];
    int shared = 0;
    for (int32_t i = 0; learner_run_spec(i, spec); i++) {
        lgkt_units *units = make(spec, *state, 10, false);
        if (units == NULL)
            continue;
        lgkt_units_destroy(units);
        check_spec(spec, *state, i % 2 == 0, 200 + i % 2);
        shared++;
    }
    assert_true(shared > 60);
}

static void test_laws_of_many_decisions(void **state)
{
    static const char *const specs[] = {
        "lg1t",     "lg2t", "lgkt:k=3", "q-learning", "sarsa",
        "q-greedy", "ucb",  "random",   "plugin",     "window:of=lg2t,steps=500"};
    const int64_t decisions = getenv("LGKT_LONG") != NULL ? 1000000 : 5000;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        check_spec(specs[i], *state, i % 2 == 0, decisions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws_of_all_learners),
        cmocka_unit_test(test_laws_of_many_decisions),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
