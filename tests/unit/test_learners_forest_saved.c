// SPDX-License-Identifier: MIT
// labels: slow
// forest saved and resumed, copied, fed, masked, retimed, with failing allocations and bytes that were
// made up, and shared by units whose reports come late.

#include "test.h"

#include "learners/front/keyed_private.h"
#include "ref/fault.h"
#include "ref/forest_ref.h"
#include "ref/tamper.h"

enum { DIMS = 3, ACTIONS = 3 };

static const lgkt_kind KINDS[DIMS] = {
    {LGKT_KIND_NUMBER, 0}, {LGKT_KIND_GROWING, 4}, {LGKT_KIND_NUMBER, 0}};

static lgkt_learner_config config_for(int64_t horizon)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.actions = ACTIONS;
    config.problem.horizon = horizon;
    config.problem.masked = true;
    config.seed = 3;
    return config;
}

static lgkt_keyed_config keys(void)
{
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.view.dims = DIMS;
    set.view.kinds = KINDS;
    return set;
}

// One trajectory with all that can happen in it. What is played decides nothing but rewards.
typedef struct run {
    lgkt_keyed *keyed;
    lgkt_rng rng;
    double x[DIMS];
    int64_t t;
    bool acting; // an observe is next
    int32_t action;
} run;

static void draw(run *r, double *x)
{
    x[0] = lgkt_rng_normal(&r->rng);
    x[1] = (double)lgkt_rng_below(&r->rng, 4);
    x[2] = lgkt_rng_below(&r->rng, 5) == 0 ? NAN : lgkt_rng_uniform(&r->rng);
}

static run run_start(const char *spec, const lgkt_learner_config *config)
{
    run r = {.rng = lgkt_rng_stream(1, "run", 0)};
    const lgkt_keyed_config set = keys();
    lgkt_error error = {0};
    assert_ok(lgkt_keyed_create(spec, config, &set, &r.keyed, &error), error);
    draw(&r, r.x);
    return r;
}

static lgkt_status act(run *r)
{
    const uint8_t allowed[ACTIONS] = {r->t % 5 != 0, true, r->t % 3 != 0};
    return lgkt_keyed_act(r->keyed, r->x, sizeof r->x, r->t % 2 ? allowed : NULL, &r->action);
}

// one half of a step, a row that is fed, or a jump; a refused call is made again by the next call
static lgkt_status half(run *r)
{
    lgkt_status status;
    const lgkt_rng before = r->rng;
    double next[DIMS];
    if (!r->acting) {
        status = act(r);
        r->acting = status == LGKT_OK;
        return status;
    }
    draw(r, next);
    const double reward = (r->x[0] > 0) * (r->action == 1) + 0.5 * (r->x[1] == r->action) +
                          0.1 * lgkt_rng_normal(&r->rng);
    status = lgkt_keyed_observe(r->keyed, reward, next, sizeof next, r->t % 31 == 30);
    if (status != LGKT_OK) {
        r->rng = before;
        return status;
    }
    memcpy(r->x, next, sizeof next);
    r->acting = false;
    r->t++;
    return LGKT_OK;
}

static void feed(run *r)
{
    double x[DIMS], next[DIMS];
    draw(r, x);
    for (int i = 0; i < 3; i++) {
        draw(r, next);
        assert_int_equal(lgkt_keyed_feed(r->keyed, x, sizeof x, i, x[0], next, sizeof next, i == 2),
                         LGKT_OK);
        memcpy(x, next, sizeof x);
    }
}

// what happens between steps now and then
static void between(run *r)
{
    if (r->t % 50 == 49)
        feed(r);
    if (r->t % 70 == 69)
        assert_int_equal(lgkt_keyed_jump(r->keyed), LGKT_OK);
    if (r->t % 333 == 332)
        assert_int_equal(lgkt_keyed_set_horizon(r->keyed, 5000 + r->t), LGKT_OK);
}

static lgkt_keyed *saved_and_loaded(const lgkt_keyed *keyed)
{
    const lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_keyed *loaded = NULL;
    lgkt_error error = {0};
    size_t size = 0;
    lgkt_keyed_save(keyed, NULL, 0, &size, NULL);
    unsigned char *bytes = malloc(size);
    assert_ok(lgkt_keyed_save(keyed, bytes, size, &size, &error), error);
    assert_ok(lgkt_keyed_load(bytes, size, &config, &loaded, &error), error);
    free(bytes);
    return loaded;
}

static const char *const SPECS[] = {"forest", "forest:memory=200", "forest:k=3,memory=90",
                                    "anytime:of=(forest:memory=150),first=20",
                                    "forest:k=1,threshold=0.6"};
enum { SPEC_COUNT = sizeof SPECS / sizeof *SPECS };

// ---- resumed ----

// in places at random: some thousand, of which half are between act and observe
static void test_resumed_is_uninterrupted(void **state)
{
    (void)state;
    const int halves = test_short() ? 120 : 2000;
    int places = 0;
    for (int s = 0; s < SPEC_COUNT; s++) {
        const lgkt_learner_config config = config_for(5000);
        run whole = run_start(SPECS[s], &config), parts = run_start(SPECS[s], &config);
        lgkt_rng rng = lgkt_rng_stream(2, "places", (uint64_t)s);
        for (int i = 0; i < halves; i++) {
            if (!whole.acting) {
                between(&whole);
                between(&parts);
            }
            if (lgkt_rng_below(&rng, 8) == 0) {
                lgkt_keyed *loaded = saved_and_loaded(parts.keyed);
                lgkt_keyed_destroy(parts.keyed);
                parts.keyed = loaded;
                places++;
            }
            assert_int_equal(half(&whole), LGKT_OK);
            assert_int_equal(half(&parts), LGKT_OK);
            assert_int_equal(whole.action, parts.action);
            if (i % 20 == 0)
                assert_int_equal(lgkt_keyed_hash(whole.keyed), lgkt_keyed_hash(parts.keyed));
        }
        lgkt_keyed_destroy(whole.keyed);
        lgkt_keyed_destroy(parts.keyed);
    }
    assert_true(test_short() || places >= 1000);
}

// an act that has not been observed yet is saved, too
static void test_resumed_within_a_step(void **state)
{
    (void)state;
    const lgkt_learner_config config = config_for(5000);
    run one = run_start("forest:memory=100", &config);
    for (int i = 0; i < 400; i++)
        assert_int_equal(half(&one), LGKT_OK);
    for (int i = 0; i < 41; i++) {
        run other = one;
        other.keyed = saved_and_loaded(one.keyed);
        assert_int_equal(lgkt_keyed_hash(one.keyed), lgkt_keyed_hash(other.keyed));
        for (int j = 0; j < 5; j++)
            assert_int_equal(half(&other), LGKT_OK);
        lgkt_keyed_destroy(other.keyed);
        assert_int_equal(half(&one), LGKT_OK);
    }
    lgkt_keyed_destroy(one.keyed);
}

static void test_asking_changes_nothing(void **state)
{
    (void)state;
    for (int s = 0; s < SPEC_COUNT; s++) {
        const lgkt_learner_config config = config_for(5000);
        run r = run_start(SPECS[s], &config);
        for (int t = 0; t < 300; t++) {
            const uint64_t hash = lgkt_keyed_hash(r.keyed);
            double x[2 * DIMS], law[2 * ACTIONS];
            lgkt_reason reasons[2 * ACTIONS];
            lgkt_error error = {0};
            draw(&r, x);
            draw(&r, x + DIMS);
            assert_ok(lgkt_keyed_policy(r.keyed, x, 2, law, &error), error);
            assert_ok(lgkt_keyed_explain_rows(r.keyed, x, 2, reasons, sizeof *reasons, &error),
                      error);
            const uint8_t allowed[ACTIONS] = {1, 0, 1};
            assert_ok(lgkt_keyed_explain(r.keyed, r.x, sizeof r.x, allowed, reasons,
                                         sizeof *reasons, &error),
                      error);
            double sum = 0, known = 0;
            for (int a = 0; a < ACTIONS; a++) {
                sum += law[a];
                known += reasons[a].probability;
            }
            assert_close(sum, 1, 1e-12);
            assert_close(known, 1, 1e-12);
            assert_close(reasons[1].probability, 0, 0);
            assert_int_equal(lgkt_keyed_hash(r.keyed), hash);
            // the law is that of the act
            assert_ok(lgkt_keyed_explain(r.keyed, r.x, sizeof r.x, NULL, reasons, sizeof *reasons,
                                         &error),
                      error);
            const bool masked = r.t % 2;
            assert_int_equal(half(&r), LGKT_OK);
            assert_true(masked || reasons[r.action].probability > 0);
            assert_int_equal(half(&r), LGKT_OK);
        }
        lgkt_keyed_destroy(r.keyed);
    }
}

// ---- memory, and bytes that were made up ----

static lgkt_status make_once(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    lgkt_learner_config config = config_for(100);
    const lgkt_keyed_config set = keys();
    lgkt_keyed *keyed = NULL;
    config.allocator = *allocator;
    const lgkt_status status = lgkt_keyed_create(ctx, &config, &set, &keyed, error);
    lgkt_keyed_destroy(keyed);
    return status;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    for (int s = 0; s < SPEC_COUNT; s++) {
        char spec[64];
        snprintf(spec, sizeof spec, "%s", SPECS[s]);
        fault_sweep(make_once, spec);
        uint64_t hashes[3];
        for (int failing = 0; failing < 3; failing++) {
            fault f;
            fault_init(&f);
            lgkt_learner_config config = config_for(5000);
            config.allocator = fault_allocator(&f);
            run r = run_start(spec, &config);
            for (int i = 0; i < 300; i++) {
                for (long long k = 1;; k++) {
                    fault_fail_at(&f, failing > 0 ? k : 0, failing == 2);
                    const lgkt_status status = half(&r);
                    fault_fail_at(&f, 0, false);
                    if (status == LGKT_OK)
                        break;
                    assert_int_equal(status, LGKT_ERR_NO_MEMORY);
                    assert_true(k < 200);
                }
            }
            if (s != 3)
                forest_ref_check(r.keyed->learner);
            hashes[failing] = lgkt_learner_hash(lgkt_keyed_learner(r.keyed));
            lgkt_keyed_destroy(r.keyed);
            assert_true(fault_is_clean(&f));
        }

        assert_true(hashes[1] == hashes[0] && hashes[2] == hashes[0]);
    }
}

static lgkt_status load(void *ctx, const unsigned char *bytes, size_t size, lgkt_error *error)
{
    const lgkt_learner_config config = lgkt_learner_config_default();
    run r = *(const run *)ctx;
    r.keyed = NULL;
    const lgkt_status status = lgkt_keyed_load(bytes, size, &config, &r.keyed, error);
    if (status != LGKT_OK)
        return status;
    for (int i = 0; i < 24; i++) {
        const lgkt_status played = half(&r);
        if (played != LGKT_OK && played != LGKT_ERR_HORIZON && played != LGKT_ERR_PROTOCOL &&
            played != LGKT_ERR_ARGUMENT && played != LGKT_ERR_SHAPE && played != LGKT_ERR_CONFIG)
            fail_msg("%s", lgkt_keyed_message(r.keyed));
        if (played != LGKT_OK)
            break;
    }
    const forest *f = r.keyed->learner->self;
    for (int64_t i = 0; i < f->n; i++) {
        const forest_step *step = &f->steps[f->log[(f->first + i) % f->set.memory]];
        assert_true(isfinite(step->y) && isfinite(step->w) && isfinite(step->u));
    }
    lgkt_keyed_destroy(r.keyed);
    return LGKT_OK;
}

static void test_made_up_bytes(void **state)
{
    (void)state;
    const lgkt_learner_config config = config_for(5000);
    run r = run_start("forest:memory=64", &config);
    for (int i = 0; i < 90; i++)
        assert_int_equal(half(&r), LGKT_OK);
    size_t size = 0;
    lgkt_keyed_save(r.keyed, NULL, 0, &size, NULL);
    unsigned char *bytes = malloc(size);
    assert_int_equal(lgkt_keyed_save(r.keyed, bytes, size, &size, NULL), LGKT_OK);
    tamper_check_damage(bytes, size, load, &r);
    assert_true(tamper_check_content(bytes, size, load, &r) > 1000);
    free(bytes);
    lgkt_keyed_destroy(r.keyed);
}

// ---- units ----

// a decision as a plain log has it
typedef struct decision {
    double x[DIMS], next[DIMS], reward;
    int32_t action;
    bool rewarded, followed, cut, learned;
} decision;

enum { UNITS = 4, DECISIONS = 600, PATIENCE = 25 };

// The steps that the learner has learned last, oldest first, against those of the plain log.
static void check_log(const lgkt_learner *learner, const decision *all, const int *order, int count)
{
    const forest *f = learner->self;
    assert_int_equal(f->taught, count);
    for (int64_t i = 0; i < f->n; i++) {
        const decision *d = &all[order[count - f->n + i]];
        const int32_t number = f->log[(f->first + i) % f->set.memory];
        const forest_step *step = &f->steps[number];
        assert_true(lgkt_records_is(learner->records, number, d->x));
        assert_int_equal(step->action, d->action);
        assert_close(step->r + f->r0, d->reward, 1e-12);
        assert_int_equal(step->next == number, d->cut);
        if (!d->cut)
            assert_true(lgkt_records_is(learner->records, step->next, d->next));
    }
}

static void learn(decision *d, int number, int *order, int *count)
{
    if (!d->rewarded || !d->followed || d->learned)
        return;
    d->learned = true;
    order[(*count)++] = number;
}

// Late, missing and swapped reports: the log is what a plain one says, and all sums are its sums.
static void test_units(void **state)
{
    (void)state;
    static decision all[DECISIONS];
    static int order[DECISIONS];
    memset(all, 0, sizeof all);
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = UNITS;
    set.patience = PATIENCE;
    set.keys = keys();
    const lgkt_learner_config config = config_for(DECISIONS);
    lgkt_units *units = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_units_create("forest:memory=100", &config, &set, &units, &error), error);
    run r = {.rng = lgkt_rng_stream(5, "units", 0)};
    int last[UNITS] = {-1, -1, -1, -1}, count = 0;
    for (int made = 0; made < DECISIONS; made++) {
        const int unit = (int)lgkt_rng_below(&r.rng, UNITS);
        decision *before = last[unit] >= 0 ? &all[last[unit]] : NULL, *now = &all[made];
        draw(&r, now->x);
        if (before != NULL && before->followed && !before->cut)
            memcpy(now->x, before->next, sizeof now->x);
        int64_t number = -1;
        if (lgkt_units_act_key(units, (uint64_t)unit, now->x, sizeof now->x, NULL, &number,
                               &now->action) != LGKT_OK)
            fail_msg("%s", lgkt_units_message(units));
        assert_int_equal(number, made);
        // where it acts is where the decision before has led, as long as that is open
        if (before != NULL && !before->followed && last[unit] >= made - PATIENCE) {
            memcpy(before->next, now->x, sizeof now->x);
            before->followed = true;
            learn(before, last[unit], order, &count);
        }
        last[unit] = made;
        // reports on any of the open ones
        for (int i = 0; i < 3; i++) {
            const int at = made - (int)lgkt_rng_below(&r.rng, made < 8 ? made + 1 : 8);
            decision *d = &all[at];
            if (lgkt_rng_below(&r.rng, 4) == 0 && !d->followed) {
                draw(&r, d->next);
                d->cut = lgkt_rng_below(&r.rng, 3) == 0;
                assert_int_equal(lgkt_units_next_key(units, at, d->next, sizeof d->next, d->cut),
                                 LGKT_OK);
                d->followed = true;
            } else if (!d->rewarded && at % 7 != 0) {
                d->reward = d->x[0] + 0.5 * d->action;
                d->rewarded = true;
                assert_int_equal(lgkt_units_reward(units, at, d->reward), LGKT_OK);
            }
            learn(d, at, order, &count);
        }
        if (made % 20 == 0) {
            lgkt_units *copy = NULL;
            assert_ok(lgkt_units_copy(units, &copy, &error), error);
            assert_int_equal(lgkt_units_hash(copy), lgkt_units_hash(units));
            lgkt_units_destroy(made % 40 == 0 ? units : copy);
            units = made % 40 == 0 ? copy : units;
            check_log(lgkt_units_learner(units), all, order, count);
            forest_ref_check(lgkt_units_learner(units));
        }
    }
    assert_true(count > DECISIONS / 2);
    lgkt_units_destroy(units);
}

// one unit with prompt reports is the plain learner, action by action
static void test_one_unit(void **state)
{
    (void)state;
    const lgkt_learner_config config = config_for(1000);
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = 1;
    set.keys = keys();
    lgkt_units *units = NULL;
    lgkt_error error = {0};
    run r = run_start("forest", &config);
    assert_ok(lgkt_units_create("forest", &config, &set, &units, &error), error);
    for (int t = 0; t < 1000; t++) {
        int64_t number = -1;
        int32_t action = -1;
        double next[DIMS];
        assert_int_equal(lgkt_keyed_act(r.keyed, r.x, sizeof r.x, NULL, &r.action), LGKT_OK);
        assert_int_equal(lgkt_units_act_key(units, 7, r.x, sizeof r.x, NULL, &number, &action),
                         LGKT_OK);
        assert_int_equal(action, r.action);
        draw(&r, next);
        const double reward = r.x[0] * r.action;
        const bool ended = t % 40 == 39;
        assert_int_equal(lgkt_keyed_observe(r.keyed, reward, next, sizeof next, ended), LGKT_OK);
        assert_int_equal(lgkt_units_reward(units, number, reward), LGKT_OK);
        assert_int_equal(lgkt_units_next_key(units, number, next, sizeof next, ended), LGKT_OK);
        // the same report again changes nothing, another one is refused
        assert_int_equal(lgkt_units_next_key(units, number, next, sizeof next, ended), LGKT_OK);
        assert_int_equal(lgkt_units_next_key(units, number, r.x, sizeof r.x, ended),
                         LGKT_ERR_PROTOCOL);
        memcpy(r.x, next, sizeof next);
    }
    lgkt_keyed_destroy(r.keyed);
    lgkt_units_destroy(units);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resumed_is_uninterrupted),
        cmocka_unit_test(test_resumed_within_a_step),
        cmocka_unit_test(test_asking_changes_nothing),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_made_up_bytes),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_one_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
