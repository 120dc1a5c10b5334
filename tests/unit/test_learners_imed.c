// SPDX-License-Identifier: MIT
// labels: slow
// IMED-RL: K and the indices against printed numbers, closed forms and golden sections; rewards in
// points; choices step by step against the plain version in ref/naive_imed.c; other units.

#include "test.h"

#include "learners/planners/imed.h"
#include "ref/learner_run.h"
#include "ref/naive_imed.h"

// ---- K ----

static double k_of(const lgkt_points *law, double gam, double top)
{
    int64_t failed = 0;
    const double k = lgkt_imed_k(law, gam, top, &failed);
    assert_int_equal(failed, 0);
    return k;
}

static double entropy(double p, double q)
{
    return p * log(p / q) + (1 - p) * log((1 - p) / (1 - q));
}

// numbers of another program; two of them at the end of the interval
static void test_printed(void **state)
{
    (void)state;
    const double coin[] = {0, 1}, coin_p[] = {0.7, 0.3};
    const double four[] = {0, 1, 0.8, 1.8}, four_p[] = {0.35, 0.15, 0.35, 0.15};
    const lgkt_points two = {coin, coin_p, 2}, more = {four, four_p, 4};
    assert_close(k_of(&two, 0.5, 1), 0.082282879, 1e-9);
    assert_close(k_of(&two, 0.5, 1), entropy(0.3, 0.5), 1e-15);
    assert_close(k_of(&two, 0.5, 2), 0.079737918, 1e-9);
    assert_close(k_of(&more, 1, 1.8), 0.108456461, 1e-9);
    assert_close(k_of(&more, 1, 3), 0.098647507, 1e-9);

    static const double n[] = {5, 20};
    static const double index[3][2] = {
        {2.008127504, 4.590490639}, {5.473863407, 18.453434250}, {3.606800610, 15.200077092}};
    const double k = k_of(&two, 0.5, 2);
    for (int form = 0; form < 3; form++)
        for (int i = 0; i < 2; i++)
            assert_close(lgkt_imed_index((lgkt_imed_form)form, n[i], k, log(2)), index[form][i],
                         1e-9);
}

static void test_closed_forms(void **state)
{
    (void)state;
    for (double p = 0.01; p < 1; p += 0.07)
        for (double gam = p + 0.01; gam < 1; gam += 0.07) {
            const double at[] = {0, 1}, share[] = {1 - p, p};
            const lgkt_points coin = {at, share, 2};
            assert_close(k_of(&coin, gam, 1), entropy(p, gam), 1e-12);
            // one point; the same in other units
            const double one[] = {p}, sure[] = {1};
            const lgkt_points point = {one, sure, 1};
            assert_close(k_of(&point, gam, 1.5), -log(1 - (gam - p) / (1.5 - p)), 1e-12);
            const double far[] = {-4, 4};
            const lgkt_points other = {far, share, 2};
            assert_close(k_of(&other, 8 * gam - 4, 4), entropy(p, gam), 1e-12);
        }
    // the mean is no worse, or there is no room above the best
    const double at[] = {0, 1}, share[] = {0.5, 0.5};
    const lgkt_points coin = {at, share, 2};
    assert_close(k_of(&coin, 0.5, 1), 0, 0);
    assert_close(k_of(&coin, 0.2, 1), 0, 0);
    assert_close(k_of(&coin, 1, 1), INFINITY, 0);
}

static void test_random_laws(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(3, "laws", 0);
    for (int trial = 0; trial < 400; trial++) {
        double at[20], share[20], total = 0;
        const int32_t count = 1 + lgkt_rng_below(&rng, 20);
        for (int32_t i = 0; i < count; i++) {
            at[i] = 3 * lgkt_rng_uniform(&rng);
            total += share[i] = lgkt_rng_gamma(&rng, 0.5);
        }
        for (int32_t i = 0; i < count; i++)
            share[i] /= total;
        const lgkt_points law = {at, share, count};
        const lgkt_moments of = lgkt_points_moments(&law);
        // some with mass at the very top
        const double top = trial % 3 == 0 ? at[0] : 3 + trial % 5;
        const double gam = of.mean + (top - of.mean) * lgkt_rng_uniform(&rng);
        for (int32_t i = 0; i < count; i++)
            at[i] = fmin(at[i], top);
        if (!(gam > lgkt_points_moments(&law).mean + 1e-6 && gam < top - 1e-6))
            continue;
        const double k = k_of(&law, gam, top);
        assert_close(k, naive_imed_k(at, share, (size_t)count, gam, top), 1e-9 * fmax(1, k));
        const lgkt_moments moments = lgkt_points_moments(&law);
        const double least = lgkt_imed_k_least(&moments, gam, top);
        assert_between(least, 0, k * (1 + 1e-12));
    }
}

// what is above the top counts as the top
static void test_beyond(void **state)
{
    (void)state;
    const double at[] = {0, 5}, cut[] = {0, 1}, share[] = {0.7, 0.3};
    const lgkt_points beyond = {at, share, 2}, within = {cut, share, 2};
    assert_close(k_of(&beyond, 0.5, 1), k_of(&within, 0.5, 1), 0);
}

// ---- points ----

static void test_sums(void **state)
{
    (void)state;
    static double at[LGKT_IMED_POINTS], share[LGKT_IMED_POINTS];
    lgkt_rng rng = lgkt_rng_stream(4, "sums", 0);
    for (int trial = 0; trial < 100; trial++) {
        double one_at[33], one_p[33], two_at[60], two_p[60], v[33 * 60], p[33 * 60];
        const int32_t ones = 1 + lgkt_rng_below(&rng, 33), twos = 1 + lgkt_rng_below(&rng, 60);
        for (int32_t i = 0; i < ones; i++) {
            one_at[i] = lgkt_rng_uniform(&rng);
            one_p[i] = 1.0 / ones;
        }
        for (int32_t i = 0; i < twos; i++) {
            two_at[i] = 2 * lgkt_rng_uniform(&rng);
            two_p[i] = 1.0 / twos;
        }
        const lgkt_points one = {one_at, one_p, ones}, two = {two_at, two_p, twos};
        const lgkt_points sum = lgkt_points_sum(&one, &two, at, share);
        for (int32_t i = 0; i < ones * twos; i++) {
            v[i] = one_at[i / twos] + two_at[i % twos];
            p[i] = one_p[i / twos] * two_p[i % twos];
        }
        const lgkt_points all = {v, p, ones * twos};
        const lgkt_moments is = lgkt_points_moments(&sum), want = lgkt_points_moments(&all);
        assert_close(is.mean, want.mean, 1e-13);
        assert_int_equal(sum.count <= 32 || sum.count == ones * twos, true);
        // at most the variance within a cell is lost, and K changes by a percent or less
        assert_close(is.variance, want.variance,
                     ones * twos <= LGKT_IMED_POINTS ? 1e-13 : 9.0 / 64 / 64);
        const double gam = want.mean + 0.3, k = k_of(&all, gam, 3.2);
        assert_between(k_of(&sum, gam, 3.2), k * (1 - 1e-12), k * 1.01);
    }
}

static void test_atoms(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(5, "atoms", 0);
    lgkt_reward_atoms few = {0}, many = {0};
    double sum = 0, least = INFINITY, most = -INFINITY;
    for (int i = 1; i <= 5000; i++) {
        lgkt_atoms_add(&few, (double)lgkt_rng_below(&rng, LGKT_ATOMS));
        const double x = lgkt_rng_normal(&rng);
        sum += x;
        least = fmin(least, x);
        most = fmax(most, x);
        lgkt_atoms_add(&many, x);
        double mean = 0, weight = 0;
        for (int32_t j = 0; j < many.count; j++) {
            mean += many.weight[j] * many.at[j];
            weight += many.weight[j];
            assert_true(j == 0 || many.at[j] > many.at[j - 1]);
            assert_between(many.at[j], least, most);
        }
        assert_int_equal(many.count, i < LGKT_ATOMS ? i : LGKT_ATOMS);
        assert_close(weight, i, 0);
        assert_close(mean, sum, 1e-10);
    }
    // as many values as there are places: exact
    assert_int_equal(few.count, LGKT_ATOMS);
    for (int32_t j = 0; j < few.count; j++)
        assert_close(few.at[j], j, 0);
}

// ---- choices ----

static lgkt_learner *make(const char *spec, int32_t states, int32_t actions, double low,
                          double high)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = states;
    config.problem.actions = actions;
    config.problem.horizon = NAIVE_IMED_STEPS;
    config.problem.reward_min = low;
    config.problem.reward_max = high;
    config.seed = 11;
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_learner_create(spec, &config, &learner, &error), error);
    return learner;
}

// Every choice is among those that the plain version finds lowest, for all indices, with few
// distinct rewards. Some steps are cut, some fed.
static void test_against_plain(void **state)
{
    (void)state;
    static naive_imed plain;
    static const char *specs[] = {"imed-rl", "imed-rl:index=log-u", "imed-rl:index=p0",
                                  "imed-rl:smooth=0"};
    for (int i = 0; i < 4; i++) {
        const int32_t states = 3 + i, actions = 2 + i % 3;
        lgkt_rng rng = lgkt_rng_stream(6, "plain", (uint64_t)i);
        lgkt_learner *learner = make(specs[i], states, actions, 0, 2);
        lgkt_imed *u = learner->self;
        memset(&plain, 0, sizeof plain);
        plain.states = states;
        plain.actions = actions;
        plain.high = plain.top = 2;
        plain.index = i % 3;
        plain.smooth = i < 3;
        plain.precision = 2e-3;
        int32_t s = 0, judged = 0;
        for (int t = 0; t < 400; t++) {
            int32_t action;
            assert_int_equal(lgkt_learner_act(learner, s, NULL, &action), LGKT_OK);
            bool untried = false;
            for (int32_t a = 0; a < actions; a++)
                untried |= plain.n[s][a] == 0;
            if (untried) {
                assert_int_equal(plain.n[s][action], 0);
            } else {
                double index[NAIVE_IMED_ACTIONS], least = INFINITY;
                naive_imed_judge(&plain, s, index);
                for (int32_t a = 0; a < actions; a++)
                    least = fmin(least, index[a]);
                assert_close(index[action], least, 1e-7);
                for (int32_t a = 0; a < actions; a++)
                    if (!isinf(u->indices[a]))
                        assert_close(-u->indices[a], index[a], 1e-6 * fmax(1, index[a]));
                for (int32_t y = 0; y < states; y++)
                    assert_close(2 * u->vi.u[y], plain.phi[y], 1e-9);
                judged++;
            }
            const bool ended = t % 50 == 49;
            const int32_t next = lgkt_rng_below(&rng, states);
            const double reward = lgkt_rng_below(&rng, 5) * 0.6 * (action + 1) / actions;
            assert_int_equal(lgkt_learner_observe(learner, reward, next, ended), LGKT_OK);
            naive_imed_see(&plain, s, action, reward, next, ended);
            s = next;
            if (t % 7 == 0) {
                const int32_t from = lgkt_rng_below(&rng, states),
                              to = lgkt_rng_below(&rng, states);
                const int32_t other = lgkt_rng_below(&rng, actions);
                assert_int_equal(lgkt_learner_feed(learner, from, other, 0.5, to, false), LGKT_OK);
                naive_imed_see(&plain, from, other, 0.5, to, false);
            }
        }
        assert_true(judged > 300);
        assert_true(learner_run_counter(learner, "rewards_beyond") > 0);
        assert_int_equal(learner_run_counter(learner, "roots_not_found"), 0);
        assert_int_equal(learner_run_counter(learner, "sweep_cap_hits"), 0);
        lgkt_learner_destroy(learner);
    }
}

// 8 r - 4 with a range in the same units, told or not: the same actions
static void test_units(void **state)
{
    (void)state;
    static const char *specs[] = {"imed-rl", "imed-rl:index=log-u", "imed-rl:index=p0"};
    for (int i = 0; i < 6; i++) {
        const bool told = i < 3;
        lgkt_rng rng = lgkt_rng_stream(7, "units", (uint64_t)i);
        lgkt_learner *one = make(specs[i % 3], 40, 3, told ? 0 : NAN, told ? 1 : NAN);
        lgkt_learner *other = make(specs[i % 3], 40, 3, told ? -4 : NAN, told ? 4 : NAN);
        int32_t s = 0;
        for (int t = 0; t < 3000; t++) {
            int32_t a, b;
            assert_int_equal(lgkt_learner_act(one, s, NULL, &a), LGKT_OK);
            assert_int_equal(lgkt_learner_act(other, s, NULL, &b), LGKT_OK);
            assert_int_equal(a, b);
            // dyadic, some beyond the range
            const double r = (double)lgkt_rng_below(&rng, 300) / 256;
            const int32_t next = (s + 1 + lgkt_rng_below(&rng, 3) * (a + 1)) % 40;
            assert_int_equal(lgkt_learner_observe(one, r, next, false), LGKT_OK);
            assert_int_equal(lgkt_learner_observe(other, 8 * r - 4, next, false), LGKT_OK);
            s = next;
        }
        assert_int_equal(learner_run_counter(one, "sweeps"), learner_run_counter(other, "sweeps"));
        lgkt_learner_destroy(one);
        lgkt_learner_destroy(other);
    }
}

// nothing told and all rewards equal: there is no scale, and nothing to choose
static void test_equal_rewards(void **state)
{
    (void)state;
    lgkt_learner *learner = make("imed-rl", 3, 2, NAN, NAN);
    int32_t counts[2] = {0, 0}, s = 0;
    for (int t = 0; t < 1000; t++) {
        int32_t a;
        assert_int_equal(lgkt_learner_act(learner, s, NULL, &a), LGKT_OK);
        counts[a]++;
        s = (s + a) % 3;
        assert_int_equal(lgkt_learner_observe(learner, 5, s, false), LGKT_OK);
    }
    assert_between(counts[0], 480, 520);
    assert_int_equal(learner_run_counter(learner, "sweep_cap_hits"), 0);
    assert_int_equal(learner_run_counter(learner, "roots"), 0);
    lgkt_learner_destroy(learner);
}

// a state that comes up in a choice: rows lead anywhere, to the new one too
static void test_growth(void **state)
{
    (void)state;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 1;
    config.problem.actions = 2;
    config.problem.horizon = 1000;
    config.problem.reward_min = 0;
    config.problem.reward_max = 1;
    lgkt_error error = {0};
    lgkt_learner *grown = NULL;
    const lgkt_origin origin = {.limit = 9, .saved_bytes = SIZE_MAX};
    assert_ok(lgkt_learner_create_from("imed-rl", &config, &origin, &grown, &error), error);
    for (int32_t states = 1; states <= 6; states++) {
        if (states > 1)
            assert_ok(lgkt_learner_add_state(grown, &error), error);
        for (int32_t s = states % 2 == 0 ? 0 : states - 1; s >= 0; s--) {
            assert_true(grown->act(grown, s) >= 0);
            for (int32_t a = 0; a < 2; a++)
                assert_int_equal(
                    lgkt_learner_feed(grown, s, a, 0.1 * (a + s), (s + a) % states, false),
                    LGKT_OK);
        }
        assert_true(grown->act(grown, 0) >= 0);
        const lgkt_imed *u = grown->self;
        assert_int_equal(u->vi.states, states);
        for (int32_t z = 0; z < 2 * states; z++) {
            double mass = u->vi.rows[z].base * states;
            assert_close(u->vi.rows[z].base, 1 / (u->counts.rows[z].moves + 1) / states, 1e-15);
            for (int32_t e = u->vi.rows[z].start; e < u->vi.rows[z + 1].start; e++)
                mass += u->vi.weight[e];
            assert_close(mass, 1, 1e-14);
        }
    }
    lgkt_learner_destroy(grown);
}

static void test_refused(void **state)
{
    (void)state;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = config.problem.actions = 2;
    config.problem.horizon = 10;
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_refused(lgkt_learner_create("imed-rl:index=kl", &config, &learner, &error),
                   LGKT_ERR_SPEC, error, "formula");
    assert_refused(lgkt_learner_create("imed-rl:smooth=2", &config, &learner, &error),
                   LGKT_ERR_SPEC, error, "smooth");
    assert_refused(lgkt_learner_create("imed-rl:sweeps=0", &config, &learner, &error),
                   LGKT_ERR_SPEC, error, "sweeps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed),       cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_random_laws),   cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_sums),          cmocka_unit_test(test_atoms),
        cmocka_unit_test(test_against_plain), cmocka_unit_test(test_units),
        cmocka_unit_test(test_equal_rewards), cmocka_unit_test(test_growth),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
