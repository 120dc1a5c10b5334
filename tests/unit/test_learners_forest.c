// SPDX-License-Identifier: MIT
// labels: slow
// forest: every sum against the log, look-ups, splits and the linear part against plain versions of
// them, what changes nothing (scales, origins, the order of features), what must do no harm (huge and
// missing numbers), and its settings.

#include "test.h"

#include <float.h>

#include "learners/front/keyed_private.h"
#include "ref/forest_ref.h"

enum { DIMS = 3, ACTIONS = 3 };

// A small world: x0 moves by the action, x1 is noise, x2 a category with a part in the reward.
typedef struct world {
    double x[DIMS], reward;
    lgkt_rng rng;
} world;

static const lgkt_kind KINDS[DIMS] = {
    {LGKT_KIND_NUMBER, 0}, {LGKT_KIND_NUMBER, 0}, {LGKT_KIND_CATEGORY, 3}};

static world world_start(uint64_t seed)
{
    world w = {.x = {0.25, 0, 1}, .rng = lgkt_rng_stream(seed, "world", 0)};
    return w;
}

// numbers of 20 bits, so that sums with small whole numbers are exact
static double coarse(double x)
{
    return floor(x * 0x1p16) / 0x1p16;
}

static double world_step(world *w, int32_t action)
{
    w->reward = (w->x[0] > 0.5) + 0.5 * (w->x[2] == action) - 0.1 * fabs(w->x[0]) +
                coarse(0.1 * lgkt_rng_normal(&w->rng));
    w->x[0] = coarse(0.8 * w->x[0] + 0.3 * (action - 1) + 0.2 * lgkt_rng_normal(&w->rng));
    w->x[1] = coarse(lgkt_rng_normal(&w->rng));
    w->x[2] = (double)lgkt_rng_below(&w->rng, 3);
    return w->reward;
}

static lgkt_keyed *make_with(const char *spec, lgkt_learner_config config, const lgkt_view *view)
{
    lgkt_keyed_config set = lgkt_keyed_config_default();
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    set.view = *view;
    assert_ok(lgkt_keyed_create(spec, &config, &set, &keyed, &error), error);
    return keyed;
}

static lgkt_learner_config config_for(int64_t horizon, uint64_t seed)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.actions = ACTIONS;
    config.problem.horizon = horizon;
    config.seed = seed;
    return config;
}

static lgkt_keyed *make(const char *spec, int64_t horizon, uint64_t seed)
{
    const lgkt_view view = {.dims = DIMS, .kinds = KINDS};
    return make_with(spec, config_for(horizon, seed), &view);
}

static void must(lgkt_status status, const lgkt_keyed *keyed)
{
    if (status != LGKT_OK)
        fail_msg("%s: %s", lgkt_status_name(status), lgkt_keyed_message(keyed));
}

static int32_t play(lgkt_keyed *keyed, world *w, bool ended)
{
    int32_t action = -1;
    must(lgkt_keyed_act(keyed, w->x, sizeof w->x, NULL, &action), keyed);
    const double reward = world_step(w, action);
    must(lgkt_keyed_observe(keyed, reward, w->x, sizeof w->x, ended), keyed);
    return action;
}

// ---- against plain versions ----

static void test_sums(void **state)
{
    (void)state;
    static const char *const specs[] = {"forest", "forest:memory=300", "forest:k=3",
                                        "forest:k=2,threshold=0.4,memory=64"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        lgkt_keyed *keyed = make(specs[s], 2000, s);
        const lgkt_learner *learner = lgkt_keyed_learner(keyed);
        world w = world_start(s);
        for (int t = 0; t < 2000; t++) {
            play(keyed, &w, t % 97 == 96);
            if (t % 50 == 0 || t < 100)
                forest_ref_check(learner);
        }
        const forest *f = learner->self;
        assert_true(f->leaves > 2 * FOREST_TREES);
        assert_int_equal(f->n, f->set.memory < 2000 ? f->set.memory : 2000);
        lgkt_keyed_destroy(keyed);
    }
}

static void test_values(void **state)
{
    (void)state;
    lgkt_keyed *keyed = make("forest:memory=700", 2000, 3);
    world w = world_start(3);
    double m[ACTIONS];
    lgkt_reason reasons[ACTIONS];
    lgkt_error error = {0};
    for (int t = 0; t < 1500; t++) {
        play(keyed, &w, false);
        if (t % 37 != 0)
            continue;
        const forest *f = lgkt_keyed_learner(keyed)->self;
        const double x[DIMS] = {w.x[1], w.x[0], t % 3 == 0 ? NAN : w.x[2]};
        forest_ref_values(lgkt_keyed_learner(keyed), x, m);
        assert_ok(lgkt_keyed_explain(keyed, x, sizeof x, NULL, reasons, sizeof *reasons, &error),
                  error);
        for (int a = 0; a < ACTIONS; a++) {
            const lgkt_reason *r = &reasons[a];
            const double before = f->depth * (f->rbar + f->r0);
            assert_close(r->value, before + m[a], 1e-9);
            assert_close(r->linear_part + r->state_part + r->action_part, m[a], 1e-9);
            assert_close(r->upper, r->value + r->doubt * r->price, 1e-9);
        }
    }
    lgkt_keyed_destroy(keyed);
}

static void test_linear_part(void **state)
{
    (void)state;
    // after each round; the newest step came in after it
    for (int i = 0; i < 2; i++) {
        lgkt_keyed *keyed = make(i == 0 ? "forest" : "forest:memory=300", 5000, 5);
        const lgkt_learner *learner = keyed->learner;
        const forest *f = learner->self;
        world w = world_start(5);
        int solved = 0;
        for (int t = 0; t < 1500; t++) {
            const bool round = f->round;
            play(keyed, &w, false);
            if (f->round == round || t < 64)
                continue;
            assert_int_equal(f->linear.solving, -1);
            forest_ref_solve(learner);
            solved++;
        }
        assert_true(solved > 10);
        lgkt_keyed_destroy(keyed);
    }
}

// the best of all thresholds there are, between all pairs of steps in a leaf
static double best_gain(const lgkt_learner *learner, int32_t leaf)
{
    const forest *f = learner->self;
    double best = 0;
    for (int32_t j = 0; j < DIMS; j++)
        for (int64_t i = 0; i < f->n; i++)
            for (int64_t k = 0; k <= i; k++) {
                const double a = lgkt_learner_record(learner, f->log[i])[j];
                const double b = lgkt_learner_record(learner, f->log[k])[j];
                const double edge = j < 2 ? a / 2 + b / 2 : a;
                best = fmax(best, forest_ref_gain(learner, leaf, j, edge));
            }
    return best;
}

// Small logs, tested again and again: what is split has the gain that is claimed, and where no
// threshold is good enough nothing is split.
static void test_splits(void **state)
{
    (void)state;
    int split = 0, none = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        lgkt_keyed *keyed = make("forest:k=1", 100, seed);
        lgkt_learner *learner = keyed->learner;
        forest *f = learner->self;
        world w = world_start(seed);
        for (int tree = 0; tree < FOREST_TREES; tree++)
            f->nodes[tree].due = 1e9;
        for (int t = 0; t < 40; t++) {
            const double before[DIMS] = {w.x[0], w.x[1], w.x[2]};
            const int32_t action = (int32_t)lgkt_rng_below(&w.rng, ACTIONS);
            world_step(&w, action);
            // nothing to be learned, or what no straight line tells
            const double reward =
                seed % 3 == 0 ? lgkt_rng_normal(&w.rng) : 3 * (fabs(before[1]) > 0.75);
            must(lgkt_keyed_feed(keyed, before, sizeof before, action, reward, w.x, sizeof w.x,
                                 false),
                 keyed);
        }
        const double best = best_gain(learner, 0), bound = forest_ref_bound(learner, 0);
        for (int tree = 0; tree < FOREST_TREES; tree++) {
            // on a copy, so that the samples stay where they are
            lgkt_keyed *copy = NULL;
            assert_int_equal(lgkt_keyed_copy(keyed, &copy, NULL), LGKT_OK);
            forest *split_one = copy->learner->self;
            copy->learner->rng = lgkt_rng_stream(seed, "test", (uint64_t)tree);
            assert_true(lgkt_learner_prepare(copy->learner));
            lgkt_forest_test(copy->learner, tree, tree);
            if (split_one->leaves == FOREST_TREES) {
                none++;
            } else {
                split++;
                const forest_cut cut = split_one->nodes[tree].cut;
                const double gain = forest_ref_gain(learner, tree, cut.feature, cut.edge);
                assert_true(gain > bound && gain <= best * (1 + 1e-9));
                assert_true(best > bound);
            }
            lgkt_keyed_destroy(copy);
        }
        lgkt_keyed_destroy(keyed);
    }
    assert_true(split > 10 && none > 10);
}

// ---- what changes nothing ----

// Whether two runs play the same: records and rewards of the second are those of the first, scaled
// and shifted.
static void compare(const double scale[DIMS], const double shift[DIMS], double reward_scale,
                    bool same_bits)
{
    enum { STEPS = 5000 };
    lgkt_keyed *one = make("forest", STEPS, 7), *other = make("forest", STEPS, 7);
    world w = world_start(7);
    double y[DIMS];
    for (int t = 0; t < STEPS; t++) {
        int32_t a = -1, b = -2;
        for (int j = 0; j < DIMS; j++)
            y[j] = w.x[j] * scale[j] + shift[j];
        must(lgkt_keyed_act(one, w.x, sizeof w.x, NULL, &a), one);
        must(lgkt_keyed_act(other, y, sizeof y, NULL, &b), other);
        if (a != b)
            fail_msg("step %d: %d and %d", t, a, b);
        const double reward = world_step(&w, a);
        for (int j = 0; j < DIMS; j++)
            y[j] = w.x[j] * scale[j] + shift[j];
        must(lgkt_keyed_observe(one, reward, w.x, sizeof w.x, false), one);
        must(lgkt_keyed_observe(other, reward * reward_scale, y, sizeof y, false), other);
    }
    const forest *f = one->learner->self, *g = other->learner->self;
    assert_close(g->sigma2, f->sigma2 * reward_scale * reward_scale, same_bits ? 0 : 1e-9);
    assert_close(g->rbar, f->rbar * reward_scale, same_bits ? 0 : 1e-9);
    assert_close(g->k, f->k, same_bits ? 0 : 1e-9 * f->k);
    lgkt_keyed_destroy(one);
    lgkt_keyed_destroy(other);
}

static void test_scales_and_origins(void **state)
{
    (void)state;
    const double none[DIMS] = {0}, ones[DIMS] = {1, 1, 1};
    compare((const double[]){0x1p40, 0x1p-30, 1}, none, 1, true);
    compare(ones, none, 0x1p-20, true);
    compare((const double[]){0x1p-3, 0x1p7, 1}, none, 0x1p30, true);
    compare(ones, (const double[]){1000, -77, 0}, 1, false);
}

// Mean reward of short runs, with the features in another order; the variance of a run beside it.
static double mean_of_runs(const int32_t order[DIMS], uint64_t first, double *variance)
{
    enum { RUNS = 50, STEPS = 400 };
    double sum = 0, squares = 0;
    lgkt_kind kinds[DIMS];
    for (int j = 0; j < DIMS; j++)
        kinds[j] = KINDS[order[j]];
    for (uint64_t seed = first; seed < first + RUNS; seed++) {
        const lgkt_view view = {.dims = DIMS, .kinds = kinds};
        lgkt_keyed *keyed = make_with("forest", config_for(STEPS, seed), &view);
        world w = world_start(seed);
        double total = 0, y[DIMS];
        for (int t = 0; t < STEPS; t++) {
            int32_t a = -1;
            for (int j = 0; j < DIMS; j++)
                y[j] = w.x[order[j]];
            must(lgkt_keyed_act(keyed, y, sizeof y, NULL, &a), keyed);
            total += world_step(&w, a) / STEPS;
            for (int j = 0; j < DIMS; j++)
                y[j] = w.x[order[j]];
            must(lgkt_keyed_observe(keyed, w.reward, y, sizeof y, false), keyed);
        }
        sum += total;
        squares += total * total;
        lgkt_keyed_destroy(keyed);
    }
    *variance = (squares - sum * sum / RUNS) / (RUNS - 1) / RUNS;
    return sum / RUNS;
}

// The order of features decides which threshold is drawn first, and nothing else: means are equal
// within 3 standard errors of their difference (by chance they are not once in 370).
static void test_order_of_features(void **state)
{
    (void)state;
    double variance, other_variance;
    const double mean = mean_of_runs((const int32_t[]){0, 1, 2}, 100, &variance);
    const double other = mean_of_runs((const int32_t[]){2, 0, 1}, 100, &other_variance);
    assert_true(mean != other); // it did change something
    assert_close(other, mean, 3 * sqrt(variance + other_variance));
}

// ---- what must do no harm ----

static void check_finite(const lgkt_learner *learner)
{
    const forest *f = learner->self;
    const size_t actions = (size_t)learner->problem.actions;
    for (int64_t i = 0; i < f->n; i++) {
        const forest_step *step = &f->steps[f->log[(f->first + i) % f->set.memory]];
        assert_true(isfinite(step->y) && isfinite(step->w) && isfinite(step->u));
        const double most = 2 * f->depth * (f->high - f->low);
        assert_true(fabs(step->y) <= 4 * most);
    }
    for (int64_t i = 0; i < f->linear.rows * (int64_t)actions; i++)
        assert_true(isfinite(f->linear.now.w[i]) && isfinite(f->linear.sums.h[i]));
    assert_true(isfinite(f->sigma2) && isfinite(f->k) && isfinite(f->rbar) && f->sigma2 > 0);
}

// a feature that is as `kind` says, beside one that matters
static double odd(int kind, lgkt_rng *rng)
{
    const double x = lgkt_rng_normal(rng);
    switch (kind) {
    case 0:
        return 3.5; // constant
    case 1:
        return 1e300 * x;
    case 2:
        return 1e-300 * x;
    case 3:
        return NAN;
    case 4:
        return lgkt_rng_below(rng, 2) ? NAN : x;
    case 5:
        return lgkt_rng_below(rng, 50) ? x : 1e308;
    case 6:
        return lgkt_rng_below(rng, 2) ? DBL_MAX : -DBL_MAX;
    default:
        return 0x1p-1074 * (double)lgkt_rng_below(rng, 5);
    }
}

static void test_odd_features(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        const lgkt_view view = {.dims = 2};
        lgkt_keyed *keyed = make_with("forest:memory=400", config_for(1500, 1), &view);
        lgkt_rng rng = lgkt_rng_stream(1, "odd", (uint64_t)kind);
        double x[2] = {odd(kind, &rng), lgkt_rng_normal(&rng)}, late = 0;
        for (int t = 0; t < 1500; t++) {
            int32_t a = -1;
            must(lgkt_keyed_act(keyed, x, sizeof x, NULL, &a), keyed);
            const double reward = (a == 2) == (x[1] > 0);
            late += t >= 1000 ? reward : 0;
            x[0] = odd(kind, &rng);
            x[1] = lgkt_rng_normal(&rng);
            must(lgkt_keyed_observe(keyed, reward, x, sizeof x, false), keyed);
        }
        check_finite(keyed->learner);
        assert_true(late > 400); // of 500; at random a half
        lgkt_keyed_destroy(keyed);
    }
}

static void test_refused_records(void **state)
{
    (void)state;
    lgkt_keyed *keyed = make("forest", 10, 1);
    int32_t action = -1;
    const uint64_t hash = lgkt_keyed_hash(keyed);
    static const struct {
        double x[DIMS];
        lgkt_status status;
        const char *words;
    } bad[] = {{{INFINITY, 0, 0}, LGKT_ERR_NOT_FINITE, "feature 0 = inf must be finite"},
               {{0, -INFINITY, 0}, LGKT_ERR_NOT_FINITE, "speed = -inf"},
               {{0, 0, 3}, LGKT_ERR_ARGUMENT, "feature 2 = 3 must be one of the categories 0 .. 2"},
               {{0, 0, 0.5}, LGKT_ERR_ARGUMENT, "feature 2 = 0.5"},
               {{0, 0, -1}, LGKT_ERR_ARGUMENT, "feature 2 = -1"}};
    must(lgkt_keyed_name_feature(keyed, 1, "speed"), keyed);
    const uint64_t named = lgkt_keyed_hash(keyed);
    assert_true(named != hash);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(lgkt_keyed_act(keyed, bad[i].x, sizeof bad[i].x, NULL, &action),
                         bad[i].status);
        assert_non_null(strstr(lgkt_keyed_message(keyed), bad[i].words));
        assert_int_equal(lgkt_keyed_hash(keyed), named);
    }
    const double x[DIMS] = {0}, y[DIMS] = {1, 0, 0};
    assert_int_equal(lgkt_keyed_act(keyed, x, 8, NULL, &action), LGKT_ERR_SHAPE);
    assert_int_equal(lgkt_keyed_states(keyed), LGKT_ERR_UNSUPPORTED);
    assert_int_equal(lgkt_keyed_find(keyed, x, sizeof x), LGKT_ERR_UNSUPPORTED);
    must(lgkt_keyed_act(keyed, x, sizeof x, NULL, &action), keyed);
    must(lgkt_keyed_observe(keyed, 1, y, sizeof y, false), keyed);
    assert_int_equal(lgkt_keyed_act(keyed, x, sizeof x, NULL, &action), LGKT_ERR_PROTOCOL);
    must(lgkt_keyed_jump(keyed), keyed);
    must(lgkt_keyed_act(keyed, x, sizeof x, NULL, &action), keyed);
    lgkt_reason reasons[ACTIONS];
    double policy[ACTIONS];
    lgkt_error error = {0};
    const lgkt_learner *learner = lgkt_keyed_learner(keyed);
    assert_refused(lgkt_learner_explain_all(learner, reasons, sizeof *reasons, &error),
                   LGKT_ERR_UNSUPPORTED, error, "lgkt_keyed_explain");
    assert_refused(lgkt_learner_explain(learner, 0, NULL, reasons, sizeof *reasons, &error),
                   LGKT_ERR_UNSUPPORTED, error, "no numbers");
    assert_refused(lgkt_learner_policy(learner, policy, &error), LGKT_ERR_UNSUPPORTED, error,
                   "no numbers");
    lgkt_keyed_destroy(keyed);
}

// ---- names and settings ----

static lgkt_status try(const char *spec, const lgkt_kind *kinds, lgkt_error *error)
{
    lgkt_learner_config config = config_for(100, 1);
    lgkt_keyed_config set = lgkt_keyed_config_default();
    lgkt_keyed *keyed = NULL;
    set.view = (lgkt_view){.dims = DIMS, .kinds = kinds};
    const lgkt_status status = lgkt_keyed_create(spec, &config, &set, &keyed, error);
    lgkt_keyed_destroy(keyed);
    return status;
}

static void test_names(void **state)
{
    (void)state;
    lgkt_error error = {0};
    static const struct {
        const char *spec, *full;
    } same[] = {
        {"auto", "forest:k=0,memory=32768"},
        {"auto:reward-min=-1,reward-max=2", "forest:k=0,memory=32768,reward-min=-1,reward-max=2"},
        {"forest:k=2,threshold=0.5,memory=100", "forest:k=2,threshold=0.5,memory=100"},
        {"random", "random"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        lgkt_keyed *keyed = make(same[i].spec, 100, 1);
        assert_string_equal(lgkt_learner_spec(lgkt_keyed_learner(keyed)), same[i].full);
        lgkt_keyed_destroy(keyed);
    }
    assert_refused(try("auto:depth=3", KINDS, &error), LGKT_ERR_SPEC, error,
                   "auto on records is \"forest\", which has no parameter \"depth\"");
    assert_refused(try("auto:zz=3", KINDS, &error), LGKT_ERR_SPEC, error, "zz");
    assert_refused(try("ucrl2", KINDS, &error), LGKT_ERR_UNSUPPORTED, error, "take \"forest\"");
    assert_refused(try("window:of=forest", KINDS, &error), LGKT_ERR_UNSUPPORTED, error,
                   "set memory");
    assert_refused(try("anytime:of=ucrl2", KINDS, &error), LGKT_ERR_UNSUPPORTED, error, "ucrl2");
    assert_refused(try("forest:threshold=1", KINDS, &error), LGKT_ERR_SPEC, error, "needs k");
    assert_refused(try("forest:memory=8", KINDS, &error), LGKT_ERR_SPEC, error, "memory");
    const lgkt_kind odd_kinds[][DIMS] = {
        {{7, 0}}, {{LGKT_KIND_NUMBER, 2}}, {{LGKT_KIND_GROWING, 0}}};
    for (size_t i = 0; i < 3; i++)
        assert_refused(try("forest", odd_kinds[i], &error), LGKT_ERR_CONFIG, error,
                       "view.kinds[0]");
    lgkt_learner_config numbered = config_for(100, 1);
    numbered.problem.states = 3;
    lgkt_learner *learner = NULL;
    assert_refused(lgkt_learner_create("forest", &numbered, &learner, &error), LGKT_ERR_UNSUPPORTED,
                   error, "takes records");
    // what is open to reports may not be forgotten
    lgkt_units_config set = lgkt_units_config_default();
    lgkt_units *units = NULL;
    set.unit_limit = 2;
    set.patience = 50;
    set.keys.view.dims = 1;
    const lgkt_learner_config config = config_for(100, 1);
    assert_refused(lgkt_units_create("forest:memory=49", &config, &set, &units, &error),
                   LGKT_ERR_CONFIG, error, "patience = 50 is above memory = 49");
}

static void test_texts(void **state)
{
    (void)state;
    const lgkt_kind kinds[] = {{LGKT_KIND_GROWING, 2}, {LGKT_KIND_NUMBER, 0}};
    const lgkt_view view = {.dims = 2, .kinds = kinds};
    lgkt_keyed *keyed = make_with("forest", config_for(100, 1), &view), *copy = NULL;
    int32_t category = -1;
    lgkt_error error = {0};
    must(lgkt_keyed_category(keyed, 0, "Bern", &category), keyed);
    assert_int_equal(category, 0);
    must(lgkt_keyed_category(keyed, 0, "Jena", &category), keyed);
    must(lgkt_keyed_category(keyed, 0, "Bern", &category), keyed);
    assert_int_equal(category, 0);
    assert_int_equal(lgkt_keyed_category(keyed, 0, "Ulm", &category), LGKT_ERR_SHAPE);
    assert_non_null(strstr(lgkt_keyed_message(keyed), "\"Ulm\" is one category too many"));
    assert_int_equal(lgkt_keyed_category(keyed, 1, "Ulm", &category), LGKT_ERR_SHAPE);
    assert_int_equal(lgkt_keyed_category(keyed, 2, "Ulm", &category), LGKT_ERR_ARGUMENT);
    must(lgkt_keyed_name_feature(keyed, 0, "city"), keyed);
    must(lgkt_keyed_name_feature(keyed, 0, "city"), keyed);
    assert_int_equal(lgkt_keyed_name_feature(keyed, 0, "town"), LGKT_ERR_PROTOCOL);
    assert_ok(lgkt_keyed_copy(keyed, &copy, &error), error);
    assert_string_equal(lgkt_keyed_feature_name(copy, 0), "city");
    assert_string_equal(lgkt_keyed_feature_name(copy, 1), "");
    assert_null(lgkt_keyed_feature_name(copy, 2));
    assert_string_equal(lgkt_keyed_category_text(copy, 0, 1), "Jena");
    assert_null(lgkt_keyed_category_text(copy, 0, 2));
    lgkt_kind kind;
    assert_ok(lgkt_keyed_kind(copy, 0, &kind, &error), error);
    assert_true(kind.type == LGKT_KIND_GROWING && kind.count == 2);
    assert_int_equal(lgkt_keyed_dims(copy), 2);
    lgkt_keyed_destroy(keyed);
    lgkt_keyed_destroy(copy);
}

// it learns: most of what is to be had
static void test_it_learns(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double least;
    } cases[] = {{"forest", 1.05},
                 {"forest:k=2", 0.8},
                 {"forest:k=1,threshold=0.3", 0.6},
                 {"anytime:of=auto", 1.05},
                 {"random", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_keyed *keyed = make(cases[i].spec, 4000, 9);
        world w = world_start(9);
        double sum = 0;
        for (int t = 0; t < 4000; t++) {
            int32_t a = -1;
            must(lgkt_keyed_act(keyed, w.x, sizeof w.x, NULL, &a), keyed);
            const double reward = world_step(&w, a);
            sum += t >= 2000 ? reward / 2000 : 0;
            must(lgkt_keyed_observe(keyed, reward, w.x, sizeof w.x, false), keyed);
        }
        if (!(sum >= cases[i].least))
            fail_msg("%s earns %g", cases[i].spec, sum);
        lgkt_keyed_destroy(keyed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_linear_part),
        cmocka_unit_test(test_splits),
        cmocka_unit_test(test_scales_and_origins),
        cmocka_unit_test(test_order_of_features),
        cmocka_unit_test(test_odd_features),
        cmocka_unit_test(test_refused_records),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_it_learns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
