// SPDX-License-Identifier: MIT
// Sarsa with tile coding against a plain version that keeps each tile under its own name, and what it
// refuses.

#include "test.h"

#include "ref/record_run.h"

// ---- a plain version: a list of tiles, no hash, traces of all that was visited ----

enum { TILINGS = 4, TILES = 5, MOST = 4000 };

typedef struct tile {
    int parts[1 + RECORD_DIMS + 1]; // tiling, parts, action
    double weight, trace;
} tile;

typedef struct plain {
    tile tiles[MOST];
    int count;
    double low[2], high[2]; // of the two numbers
    bool told;
} plain;

// the part of a range; the category is its own part, and what is missing has one
static int part_of(const plain *p, const double *x, int d, int tiling)
{
    if (isnan(x[d]))
        return -1;
    if (d == 1)
        return (int)x[d];
    const int n = d / 2;
    const double size = p->high[n] - p->low[n];
    const double place = size > 0 ? fmin(1, fmax(0, (x[d] - p->low[n]) / size)) : 0;
    return (int)(place * TILES + (double)((2 * d + 1) * tiling % TILINGS) / TILINGS);
}

static tile *find(plain *p, const double *x, int tiling, int action)
{
    int parts[1 + RECORD_DIMS + 1] = {tiling, 0, 0, 0, action};
    for (int d = 0; d < RECORD_DIMS; d++)
        parts[1 + d] = part_of(p, x, d, tiling);
    for (int i = 0; i < p->count; i++)
        if (memcmp(p->tiles[i].parts, parts, sizeof parts) == 0)
            return &p->tiles[i];
    assert_true(p->count < MOST);
    tile *made = &p->tiles[p->count++];
    *made = (tile){.weight = 0};
    memcpy(made->parts, parts, sizeof parts);
    return made;
}

static double value_of(plain *p, const double *x, int action)
{
    double sum = 0;
    for (int i = 0; i < TILINGS; i++)
        sum += find(p, x, i, action)->weight;
    return sum;
}

static void widen(plain *p, const double *x)
{
    for (int n = 0; n < 2 && !p->told; n++) {
        const double number = x[2 * n];
        if (isnan(number))
            continue;
        if (p->low[n] > p->high[n])
            p->low[n] = p->high[n] = number;
        if (number > p->high[n])
            p->high[n] = number + (number - p->low[n]);
        if (number < p->low[n])
            p->low[n] = number - (p->high[n] - number);
    }
}

// one step, with the value of what follows
static void learn(plain *p, const double *x, int action, double target, double fade)
{
    const double error = target - value_of(p, x, action);
    for (int i = 0; i < p->count; i++)
        p->tiles[i].trace *= fade;
    for (int i = 0; i < TILINGS; i++)
        find(p, x, i, action)->trace = 1;
    for (int i = 0; i < p->count; i++)
        p->tiles[i].weight += 0.4 / TILINGS * error * p->tiles[i].trace;
}

static void test_against_a_plain_version(void **state)
{
    (void)state;
    static const struct {
        const char *more;
        bool told, zero;
    } cases[] = {
        {"", false, false}, {",low=-1/0/0,high=1/2/5", true, false}, {",cut=zero", false, true}};
    for (size_t c = 0; c < 3; c++) {
        char spec[200];
        // a trace of 64 steps leaves out less than 1e-15 of what came before
        snprintf(spec, sizeof spec,
                 "sarsa-tiles:tilings=4,tiles=5,weights=16777216,step=0.4,discount=0.9,"
                 "trace=0.6,epsilon=0.2%s",
                 cases[c].more);
        lgkt_keyed *learner = record_run_make(spec, 1, 1000, NULL);
        plain *p = calloc(1, sizeof *p);
        p->told = cases[c].told;
        for (int n = 0; n < 2; n++) {
            p->low[n] = p->told ? (n == 0 ? -1 : 0) : 1;
            p->high[n] = p->told ? (n == 0 ? 1 : 5) : -1;
        }
        lgkt_rng rng = lgkt_rng_stream(3, "test", c);
        double x[RECORD_DIMS], next[RECORD_DIMS];
        record_run_draw(&rng, x);
        int explored = 0;
        for (int t = 0; t < 700; t++) {
            lgkt_reason reasons[RECORD_ACTIONS];
            record_run_explain(learner, x, NULL, reasons);
            for (int32_t a = 0; a < RECORD_ACTIONS && t > 0; a++)
                assert_close(reasons[a].value, value_of(p, x, a), 1e-9);
            const int32_t action = record_run_act(learner, x, NULL);
            assert_true(reasons[action].probability > 0.06);
            const bool ended = t % 40 == 39;
            const double reward = action + lgkt_rng_normal(&rng);
            record_run_draw(&rng, next);
            record_run_observe(learner, reward, next, ended);
            // what comes next is drawn, and certain
            widen(p, x);
            if (!ended) {
                widen(p, next);
                record_run_explain(learner, next, NULL, reasons);
                int32_t kept = 0;
                while (kept < RECORD_ACTIONS && reasons[kept].probability != 1)
                    kept++;
                assert_true(kept < RECORD_ACTIONS);
                learn(p, x, action, reward + 0.9 * value_of(p, next, kept), 0.54);
                for (int32_t a = 0; a < RECORD_ACTIONS; a++)
                    explored += value_of(p, next, a) > value_of(p, next, kept) + 1e-9;
            } else if (cases[c].zero) {
                learn(p, x, action, reward, 0.54);
            }
            for (int i = 0; i < p->count && ended; i++)
                p->tiles[i].trace = 0;
            memcpy(x, next, sizeof x);
        }
        // two thirds of a fifth of the steps, and most of these twice
        assert_in_range(explored, 60, 300);
        lgkt_keyed_destroy(learner);
        free(p);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"sarsa-tiles:low=0/0/0", "go together"},
        {"sarsa-tiles:high=0/0/0", "go together"},
        {"sarsa-tiles:low=0/0,high=1/1/1", "3 numbers"},
        {"sarsa-tiles:low=0/0/0/0,high=1/1/1", "3 numbers"},
        {"sarsa-tiles:low=0/0/x,high=1/1/1", "low=0/0/x"},
        {"sarsa-tiles:low=0/0/nan,high=1/1/1", "3 numbers"},
        {"sarsa-tiles:low=0/0/,high=1/1/1", "3 numbers"},
        {"sarsa-tiles:low=0/0/1,high=1/1/1", "low of number 2 is 1, must be below its high 1"},
        {"sarsa-tiles:tilings=0", "tilings"},
        {"sarsa-tiles:discount=1", "discount"},
    };
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_keyed_config keys = lgkt_keyed_config_default();
    config.problem.actions = 2;
    config.problem.horizon = 10;
    keys.view.dims = 3;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_keyed *keyed = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_keyed_create(cases[i][0], &config, &keys, &keyed, &error),
                       LGKT_ERR_SPEC, error, cases[i][1]);
        assert_null(keyed);
    }
    const double x[] = {0, 0, 0};
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_keyed_create("sarsa-tiles", &config, &keys, &keyed, &error), error);
    assert_int_equal(lgkt_keyed_feed(keyed, x, sizeof x, 0, 1, x, sizeof x, false),
                     LGKT_ERR_UNSUPPORTED);
    assert_non_null(strstr(lgkt_keyed_message(keyed), "play next"));
    lgkt_keyed_destroy(keyed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_a_plain_version),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
