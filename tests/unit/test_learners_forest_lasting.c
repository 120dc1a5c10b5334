// SPDX-License-Identifier: MIT
// labels: slow
// forest over many steps: values stay bounded whatever rewards do, memory stays as it is once the log
// is full, leaves become one again, and no step does much more work than the others.
//
//     build/tests/test_learners_forest_lasting [ADVERSARY_STEPS [STEPS]]
//
// ADVERSARY_STEPS are the rewards that each of four adversaries gives, STEPS those of the test of
// memory and work, which remembers a thirtieth of them.

#include "test.h"

#include "learners/front/keyed_private.h"
#include "ref/forest_ref.h"

enum { DIMS = 3, ACTIONS = 3 };

static int64_t adversary_steps = 20000, steps = 60000;

static lgkt_keyed *make(const char *spec, int64_t horizon, int32_t dims)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_keyed_config keys = lgkt_keyed_config_default();
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    config.problem.actions = ACTIONS;
    config.problem.horizon = horizon;
    keys.view.dims = dims;
    assert_ok(lgkt_keyed_create(spec, &config, &keys, &keyed, &error), error);
    return keyed;
}

static void must(lgkt_status status, const lgkt_keyed *keyed)
{
    if (status != LGKT_OK)
        fail_msg("%s: %s", lgkt_status_name(status), lgkt_keyed_message(keyed));
}

// a record that is reached by what was done
static void move(double x[DIMS], int32_t action, lgkt_rng *rng)
{
    x[0] = 0.8 * x[0] + 0.3 * (action - 1) + 0.2 * lgkt_rng_normal(rng);
    x[1] = lgkt_rng_normal(rng);
    x[2] = lgkt_rng_below(rng, 3);
}

// ---- the worst that rewards can do ----

// What an adversary that sees the values would give: against them, with them, one after the other
// for long, or as large as rewards may be. The first ones are random, so that values differ.
static double worst(int kind, const forest *f, int32_t action, int64_t t, lgkt_rng *rng)
{
    const bool is_worth = t < 100 ? lgkt_rng_below(rng, 2) : f->m[action] > 0;
    switch (kind) {
    case 0:
        return is_worth ? -1 : 1;
    case 1:
        return is_worth ? 1 : -1;
    case 2:
        return t % 2000 < 1000;
    default:
        return lgkt_rng_below(rng, 2) ? LGKT_MAX_REWARD : -LGKT_MAX_REWARD;
    }
}

// the largest of all that is known of values, in units of a step's range of rewards times D
static double largest(const forest *f)
{
    double most = 0;
    for (int64_t i = 0; i < f->n; i++) {
        const forest_step *step = &f->steps[f->log[(f->first + i) % f->set.memory]];
        assert_true(isfinite(step->y) && isfinite(step->w) && isfinite(step->u));
        most = fmax(most, fmax(fabs(step->y), fmax(fabs(step->w), fabs(step->u))));
    }
    for (int32_t a = 0; a < ACTIONS; a++) {
        assert_true(isfinite(f->m[a]));
        most = fmax(most, fabs(f->m[a]));
    }
    assert_true(isfinite(f->sigma2) && f->sigma2 > 0 && isfinite(f->k) && isfinite(f->rbar));
    return most / (f->depth * (f->high - f->low));
}

static void test_adversaries(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        lgkt_keyed *keyed = make("forest:memory=1000", adversary_steps, DIMS);
        const forest *f = keyed->learner->self;
        lgkt_rng rng = lgkt_rng_stream(1, "adversary", (uint64_t)kind);
        double x[DIMS] = {0}, most = 0;
        for (int64_t t = 0; t < adversary_steps; t++) {
            int32_t action = -1;
            must(lgkt_keyed_act(keyed, x, sizeof x, NULL, &action), keyed);
            const double reward = worst(kind, f, action, t, &rng);
            move(x, action, &rng);
            must(lgkt_keyed_observe(keyed, reward, x, sizeof x, false), keyed);
            if (t % 1000 == 999)
                most = fmax(most, largest(f));
        }
        print_message("adversary %d: at most %.3g of D ranges in %lld steps\n", kind, most,
                      (long long)adversary_steps);
        assert_true(most < 8);
        lgkt_keyed_destroy(keyed);
    }
}

// ---- memory and work ----

static void test_memory_and_work(void **state)
{
    (void)state;
    char spec[64];
    snprintf(spec, sizeof spec, "forest:memory=%lld", (long long)steps / 30);
    lgkt_keyed *keyed = make(spec, steps, DIMS);
    const forest *f = keyed->learner->self;
    lgkt_rng rng = lgkt_rng_stream(1, "memory", 0);
    double x[DIMS] = {0};
    size_t bytes = 0;
    int64_t most = 0;
    for (int64_t t = 0; t < steps; t++) {
        int32_t action = -1;
        const int64_t before = f->work;
        must(lgkt_keyed_act(keyed, x, sizeof x, NULL, &action), keyed);
        // what is worth it changes now and then, so that leaves split and become one again
        const double edge = 0.5 * (double)(t / (steps / 20) % 5) - 1;
        const double reward = (x[0] > edge) * (action != 1) + 0.1 * x[1];
        move(x, action, &rng);
        must(lgkt_keyed_observe(keyed, reward, x, sizeof x, false), keyed);
        most = f->work - before > most ? f->work - before : most;
        // one step more, since memory is taken at the beginning of a step
        if (t == f->set.memory)
            bytes = lgkt_keyed_bytes(keyed);
    }
    print_message("%lld steps, %zu bytes; the most work of a step is %.1f times the mean\n",
                  (long long)steps, bytes, (double)most * (double)steps / (double)f->work);
    assert_true(bytes > 0);
    assert_int_equal(lgkt_keyed_bytes(keyed), bytes);
    assert_true((double)most < 20.0 * (double)f->work / (double)steps);
    lgkt_keyed_destroy(keyed);
}

static void test_work_with_many_features(void **state)
{
    (void)state;
    enum { STEPS = 4000 };
    for (int i = 0; i < 3; i++) {
        const int32_t dims = (int32_t[]){2, 8, 24}[i];
        lgkt_keyed *keyed = make("forest", STEPS, dims);
        const forest *f = keyed->learner->self;
        lgkt_rng rng = lgkt_rng_stream(2, "work", (uint64_t)i);
        double x[24];
        int64_t most = 0;
        for (int j = 0; j < dims; j++)
            x[j] = lgkt_rng_normal(&rng);
        for (int t = 0; t < STEPS; t++) {
            const int64_t before = f->work;
            int32_t a = -1;
            must(lgkt_keyed_act(keyed, x, (size_t)dims * sizeof *x, NULL, &a), keyed);
            // nothing to split for long, then much
            const double reward =
                t < STEPS / 2 ? lgkt_rng_normal(&rng) : 10 * (x[0] > 0) + a * x[1];
            for (int j = 0; j < dims; j++)
                x[j] = lgkt_rng_normal(&rng);
            must(lgkt_keyed_observe(keyed, reward, x, (size_t)dims * sizeof *x, false), keyed);
            most = f->work - before > most ? f->work - before : most;
        }
        assert_true((double)most < 20 * (double)f->work / STEPS);
        lgkt_keyed_destroy(keyed);
    }
}

// leaves with few samples become one again when these are forgotten
static void test_leaves_are_merged(void **state)
{
    (void)state;
    lgkt_keyed *keyed = make("forest:k=1,memory=1500", 20000, DIMS);
    const forest *f = keyed->learner->self;
    lgkt_rng rng = lgkt_rng_stream(2, "merge", 0);
    double x[DIMS] = {0};
    int64_t most = 0;
    for (int t = 0; t < 5000; t++) {
        int32_t a = -1;
        must(lgkt_keyed_act(keyed, x, sizeof x, NULL, &a), keyed);
        const double reward = x[0] < 0 ? 0 : 9 * (fabs(x[0] - 0.3) < 0.1) - 9 * (x[0] > 0.8);
        // from step 2000 on it is always the same record
        x[0] = t < 2000 ? lgkt_rng_uniform(&rng) : -1;
        must(lgkt_keyed_observe(keyed, reward, x, sizeof x, false), keyed);
        most = f->leaves > most ? f->leaves : most;
    }
    forest_ref_check(keyed->learner);
    assert_true(most > 4 * FOREST_TREES && f->leaves < most);
    lgkt_keyed_destroy(keyed);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        adversary_steps = strtoll(argv[1], NULL, 10);
    if (argc > 2)
        steps = strtoll(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adversaries),
        cmocka_unit_test(test_memory_and_work),
        cmocka_unit_test(test_work_with_many_features),
        cmocka_unit_test(test_leaves_are_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
