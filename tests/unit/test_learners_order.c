// SPDX-License-Identifier: MIT
// labels: slow
// The cached order of order.h against a plain scan written from its definition.
//
// The scan knows nothing of caches or ranks: an untried action that goes first has the
// key (+infinity, +infinity), and each choice looks at all keys anew. Both have their own copy of
// the same random stream, and the two copies must be equal after every choice: so many numbers are
// drawn, and no more.

#include "test.h"

#include <stdlib.h>

#include "learners/lgkt/order.h"
#include "ref/chance.h"

enum { STATES = 3, MOST_ACTIONS = 130 };

// ---- the plain scan ----

typedef struct plain {
    lgkt_rule rule;
    bool high;
    int32_t actions;
    const lgkt_bounds *keys; // (A), of the state at hand
    double gamma;
} plain;

// whether a goes before b, by the definition in words
static bool goes_before(const plain *p, int32_t a, int32_t b)
{
    const lgkt_bounds x = p->keys[a], y = p->keys[b];
    if (p->rule == LGKT_RULE_RELEASED) {
        const double px = fmax(x.lcb, p->gamma), py = fmax(y.lcb, p->gamma);
        return px > py || (px == py && x.index > y.index);
    }
    const bool good_x = x.lcb >= p->gamma, good_y = y.lcb >= p->gamma;
    if (good_x != good_y)
        return good_x;
    return good_x ? x.lcb > y.lcb : x.index > y.index;
}

static bool nobody_is_good(const plain *p)
{
    for (int32_t a = 0; a < p->actions; a++)
        if (p->keys[a].lcb >= p->gamma)
            return false;
    return true;
}

// the first of those that nobody goes before
static int32_t first_best(const plain *p)
{
    int32_t best = 0;
    for (int32_t a = 1; a < p->actions; a++)
        if (goes_before(p, a, best))
            best = a;
    return best;
}

static int32_t plain_pick(const plain *p, lgkt_rng *rng)
{
    if (p->rule == LGKT_RULE_UNIFORM && nobody_is_good(p))
        return (int32_t)(lgkt_rng_uniform(rng) * p->actions);
    int32_t best[MOST_ACTIONS], count = 0;
    const int32_t first = first_best(p);
    for (int32_t a = first; a < p->actions; a++)
        if (!goes_before(p, first, a))
            best[count++] = a;
    if (p->high || count == 1)
        return best[count - 1];
    return best[(int32_t)(lgkt_rng_uniform(rng) * count)];
}

// how likely each action is to be that one, in the same words
static void plain_law(const plain *p, double *law)
{
    const bool even = p->rule == LGKT_RULE_UNIFORM && nobody_is_good(p);
    const int32_t first = first_best(p);
    int32_t count = 0, last = 0;
    for (int32_t a = 0; a < p->actions; a++)
        if (even || !goes_before(p, first, a)) {
            count++;
            last = a;
        }
    for (int32_t a = 0; a < p->actions; a++)
        law[a] = p->high && !even                                    ? a == last
                 : even || (a >= first && !goes_before(p, first, a)) ? 1.0 / count
                                                                     : 0;
}

// ---- an order to test ----

typedef struct bench {
    lgkt_order order;
    lgkt_order_choice choices[STATES];
    lgkt_bounds keys[STATES * MOST_ACTIONS];
    lgkt_rng rng, plain_rng;
} bench;

typedef struct kind {
    lgkt_rule rule;
    bool high, lazy, first; // first: untried actions go first
    int32_t actions;
} kind;

static void bench_init(bench *b, const kind *shape, uint64_t seed)
{
    memset(b, 0, sizeof *b);
    b->order = (lgkt_order){.choices = b->choices,
                            .bounds = b->keys,
                            .actions = shape->actions,
                            .rule = shape->rule,
                            .high = shape->high,
                            .untried = {shape->first ? INFINITY : -INFINITY, INFINITY},
                            .lazy = shape->lazy};
    for (int32_t s = 0; s < STATES; s++) {
        b->choices[s].action = LGKT_CHOICE_STALE;
        for (int32_t a = 0; a < shape->actions; a++)
            b->keys[s * shape->actions + a] = b->order.untried;
    }
    b->rng = b->plain_rng = lgkt_rng_stream(seed, "choices", 0);
}

// a new key, as a learner gives it
static void bench_update(bench *b, int32_t state, int32_t action, lgkt_bounds key)
{
    const int32_t z = state * b->order.actions + action;
    lgkt_order_update(&b->order, (size_t)z, state, action, key);
}

static int32_t bench_pick(bench *b, int32_t state, double gamma)
{
    const plain p = {b->order.rule, b->order.high, b->order.actions,
                     b->keys + state * b->order.actions, gamma};
    const int32_t expected = plain_pick(&p, &b->plain_rng);
    const int32_t action = lgkt_order_pick(&b->order, state, gamma, &b->rng);
    if (action != expected || memcmp(&b->rng, &b->plain_rng, sizeof b->rng) != 0)
        fail_msg("rule %d, %s, %s, untried %s, A = %d, gamma %g: picked %d, plain scan %d; random "
                 "numbers drawn %s",
                 (int)b->order.rule, b->order.high ? "high" : "drawn",
                 b->order.lazy ? "lazy" : "cached", b->order.untried.lcb > 0 ? "first" : "last",
                 b->order.actions, gamma, action, expected,
                 memcmp(&b->rng, &b->plain_rng, sizeof b->rng) == 0 ? "alike" : "differ");
    return action;
}

// The choice among some actions against the plain scan of those alone, filtered first, with as many
// random numbers; its law against that of the scan. The cache must not notice.
static void bench_pick_among(bench *b, int32_t state, double gamma, lgkt_rng *masks)
{
    const int32_t actions = b->order.actions;
    uint8_t allowed[MOST_ACTIONS] = {0};
    int32_t numbers[MOST_ACTIONS], count = 0;
    lgkt_bounds keys[MOST_ACTIONS];
    allowed[lgkt_rng_below(masks, actions)] = 1;
    const double most = lgkt_rng_uniform(masks);
    for (int32_t a = 0; a < actions; a++) {
        allowed[a] |= lgkt_rng_uniform(masks) < most ? 2 : 0;
        if (allowed[a] == 0)
            continue;
        numbers[count] = a;
        keys[count++] = b->keys[state * actions + a];
    }
    const plain p = {b->order.rule, b->order.high, count, keys, gamma};
    const lgkt_order_choice before = b->choices[state];
    lgkt_rng rng = b->rng, plain_rng = b->rng;
    const int32_t expected = numbers[plain_pick(&p, &plain_rng)];
    assert_int_equal(lgkt_order_choose_among(&b->order, state, gamma, allowed, &rng), expected);
    assert_memory_equal(&rng, &plain_rng, sizeof rng);

    lgkt_reason reasons[MOST_ACTIONS];
    double law[MOST_ACTIONS], sum = 0;
    for (int32_t a = 0; a < actions; a++)
        reasons[a].probability = 0.5;
    plain_law(&p, law);
    lgkt_order_law(&b->order, state, gamma, allowed, 0.25, reasons);
    for (int32_t a = 0, i = 0; a < actions; a++) {
        const double expects = allowed[a] != 0 ? law[i++] : 0;
        assert_close(reasons[a].probability, 0.125 + 0.75 * expects, 1e-15);
        sum += expects;
    }
    assert_close(sum, 1, 1e-12);
    assert_memory_equal(&b->choices[state], &before, sizeof before);
}

// ---- random sequences ----

// where keys and thresholds come from
typedef struct source {
    lgkt_rng rng;
    double grain; // numbers are multiples of this; 0: any
    int gammas;   // 0: one for all, 1: one per state, 2: changing now and then, 3: at every pick
    bool related; // lcb <= index, as a learner's keys are
    double fixed;
} source;

static double draw_number(source *from)
{
    const double u = 2 * lgkt_rng_uniform(&from->rng) - 0.5;
    return from->grain > 0 ? floor(u / from->grain) * from->grain : u;
}

static lgkt_bounds draw_bounds(source *from)
{
    const double x = draw_number(from), y = draw_number(from);
    if (from->related)
        return (lgkt_bounds){fmin(x, y), fmax(x, y)};
    return (lgkt_bounds){x, y};
}

static double draw_gamma(source *from, int32_t state)
{
    static const double extremes[] = {-INFINITY, INFINITY, 0.0, -0.0, 1e300};
    if (from->gammas == 1)
        return from->fixed + 0.25 * state;
    if (from->gammas == 3 || (from->gammas == 2 && lgkt_rng_bernoulli(&from->rng, 0.05))) {
        const bool extreme = lgkt_rng_bernoulli(&from->rng, 0.3);
        from->fixed = extreme ? extremes[lgkt_rng_below(&from->rng, 5)] : draw_number(from);
    }
    return from->fixed;
}

// picks and updates in turn; mostly of the action just picked, as in a run, sometimes of another
static int64_t play_sequence(bench *b, source *from)
{
    const int32_t actions = b->order.actions;
    const int64_t length = 100 + 3 * actions;
    for (int64_t i = 0; i < length; i++) {
        const int32_t state = lgkt_rng_below(&from->rng, STATES);
        const double gamma = draw_gamma(from, state);
        if (i % 4 == 0)
            bench_pick_among(b, state, gamma, &from->rng);
        const int32_t picked = bench_pick(b, state, gamma);
        const double u = lgkt_rng_uniform(&from->rng);
        if (u < 0.7)
            bench_update(b, state, picked, draw_bounds(from));
        else if (u < 0.9)
            bench_update(b, state, lgkt_rng_below(&from->rng, actions), draw_bounds(from));
    }
    return length;
}

// what the library uses: drawn ties or the highest number, for the rules that have both
static const kind kinds[] = {
    {.rule = LGKT_RULE_INDEX},
    {.rule = LGKT_RULE_UNIFORM},
    {.rule = LGKT_RULE_UNIFORM, .high = true},
    {.rule = LGKT_RULE_RELEASED, .high = true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void test_sequences_agree_with_a_plain_scan(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 2, 5, 25, 64, 65, 130};
    static const double grains[] = {0, 0.25, 1};
    static bench b;
    int64_t picks = 0;
    uint64_t seed = 0;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
        for (int i = 0; i < KINDS * 4; i++)
            for (int j = 0; j < 3 * 4 * 2; j++, seed++) {
                kind shape = kinds[i % KINDS];
                shape.lazy = i / KINDS % 2 == 1;
                shape.first = i / KINDS / 2 == 1;
                shape.actions = sizes[n];
                source from = {.rng = lgkt_rng_stream(seed, "keys", 0),
                               .grain = grains[j % 3],
                               .gammas = j / 3 % 4,
                               .related = j / 12 == 1,
                               .fixed = 0.25 * (double)(seed % 5)};
                bench_init(&b, &shape, seed);
                picks += play_sequence(&b, &from);
            }
    print_message("%lld picks\n", (long long)picks);
}

// thresholds that never change and are never or always met
static void test_extreme_thresholds_agree(void **state)
{
    (void)state;
    static bench b;
    static const double gammas[] = {-INFINITY, INFINITY};
    for (uint64_t i = 0; i < KINDS * 2 * 2 * 3 * 2; i++) {
        kind shape = kinds[i % KINDS];
        shape.lazy = i / KINDS % 2 == 1;
        shape.first = i / KINDS / 2 % 2 == 1;
        shape.actions = (int32_t[]){1, 5, 65}[i / KINDS / 4 % 3];
        source from = {.rng = lgkt_rng_stream(i, "extremes", 0),
                       .grain = 0.5,
                       .fixed = gammas[i / KINDS / 12]};
        bench_init(&b, &shape, i);
        play_sequence(&b, &from);
    }
}

// the mirror must be able to fail: a scan with another rule disagrees before long
static void test_rules_differ(void **state)
{
    (void)state;
    static bench b;
    for (int i = 0; i < KINDS; i++)
        for (int j = 0; j < KINDS; j++) {
            const kind shape = {kinds[i].rule, kinds[i].high, false, false, 5};
            source from = {.rng = lgkt_rng_stream(1, "keys", 0), .grain = 0.25};
            int64_t differing = 0;
            bench_init(&b, &shape, 1);
            for (int n = 0; n < 2000; n++) {
                bench_update(&b, 0, lgkt_rng_below(&from.rng, 5), draw_bounds(&from));
                plain p = {kinds[j].rule, kinds[j].high, 5, b.keys, draw_number(&from)};
                differing +=
                    plain_pick(&p, &b.plain_rng) != lgkt_order_pick(&b.order, 0, p.gamma, &b.rng);
                b.plain_rng = b.rng;
            }
            assert_true(i == j ? differing == 0 : differing > 0);
        }
}

// ---- draws among equals ----

// how often each action is picked, against a law
static void check_uniform(bench *b, double gamma, const double *law)
{
    enum { DRAWS = 8000 };
    int64_t counts[MOST_ACTIONS] = {0};
    for (int i = 0; i < DRAWS; i++)
        counts[bench_pick(b, 0, gamma)]++;
    // false alarm: CHANCE_LEVEL = 1e-7, and the mirror has already checked each draw
    assert_true(chance_law_p_value(counts, law, (size_t)b->order.actions) > CHANCE_LEVEL);
}

static void test_draws_among_equals_are_uniform(void **state)
{
    (void)state;
    static bench b;
    double all[MOST_ACTIONS], some[MOST_ACTIONS];
    for (int32_t a = 0; a < MOST_ACTIONS; a++) {
        all[a] = 1;
        some[a] = a % 3 == 1;
    }
    for (int32_t n = 0; n < 3; n++) {
        const int32_t actions = (int32_t[]){7, 65, 130}[n];
        const kind index = {LGKT_RULE_INDEX, false, false, true, actions};
        const kind uniform = {LGKT_RULE_UNIFORM, false, false, true, actions};
        // all untried, then some of them
        bench_init(&b, &index, 10);
        check_uniform(&b, 0.5, all);
        for (int32_t a = 0; a < actions; a++)
            if (a % 3 != 1)
                bench_update(&b, 0, a, (lgkt_bounds){0.75, 2});
        check_uniform(&b, 0.5, some);
        // equal bounds above the threshold, equal indices below it, and nobody good enough
        for (int32_t a = 0; a < actions; a++)
            bench_update(&b, 0, a, (lgkt_bounds){a % 3 == 1 ? 0.75 : 0.6, 2});
        check_uniform(&b, 0.5, some);
        for (int32_t a = 0; a < actions; a++)
            bench_update(&b, 0, a, (lgkt_bounds){0.25, a % 3 == 1 ? 2 : 1});
        check_uniform(&b, 0.5, some);
        bench_init(&b, &uniform, 11);
        for (int32_t a = 0; a < actions; a++)
            bench_update(&b, 0, a, (lgkt_bounds){0.25, a % 3 == 1 ? 2 : 1});
        check_uniform(&b, 0.5, all);
    }
}

// ---- random numbers ----

// how many numbers a pick draws, counted without the mirror
static int32_t numbers_drawn(bench *b, double gamma)
{
    lgkt_rng before = b->rng;
    lgkt_order_pick(&b->order, 0, gamma, &b->rng);
    for (int32_t n = 0; n < 10; n++) {
        if (memcmp(&before, &b->rng, sizeof before) == 0)
            return n;
        lgkt_rng_next(&before);
    }
    return -1;
}

static void test_random_numbers_as_documented(void **state)
{
    (void)state;
    static bench b;
    for (int i = 0; i < KINDS; i++) {
        kind shape = kinds[i];
        const int32_t for_ties = shape.high ? 0 : 1;
        const int32_t for_nobody = shape.rule == LGKT_RULE_UNIFORM ? 1 : 0;
        shape.actions = 4;
        shape.first = true;
        bench_init(&b, &shape, 3);
        // four untried, then one
        assert_int_equal(numbers_drawn(&b, 0.5), for_ties);
        for (int32_t a = 0; a < 3; a++)
            bench_update(&b, 0, a, (lgkt_bounds){0.6, 1});
        assert_int_equal(numbers_drawn(&b, 0.5), 0);
        // four equals, one alone at the top, nobody
        bench_update(&b, 0, 3, (lgkt_bounds){0.6, 1});
        assert_int_equal(numbers_drawn(&b, 0.5), for_ties);
        bench_update(&b, 0, 2, (lgkt_bounds){0.7, 1});
        assert_int_equal(numbers_drawn(&b, 0.5), 0);
        assert_int_equal(numbers_drawn(&b, 0.5), 0);
        bench_update(&b, 0, 2, (lgkt_bounds){0.7, 2});
        assert_int_equal(numbers_drawn(&b, 0.9), for_nobody);
        assert_int_equal(numbers_drawn(&b, 0.9), for_nobody);
    }
    // a fallback among one action draws too: one number for a fallback to all alike
    const kind single = {LGKT_RULE_UNIFORM, false, false, false, 1};
    bench_init(&b, &single, 4);
    assert_int_equal(numbers_drawn(&b, 0.5), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences_agree_with_a_plain_scan),
        cmocka_unit_test(test_extreme_thresholds_agree),
        cmocka_unit_test(test_rules_differ),
        cmocka_unit_test(test_draws_among_equals_are_uniform),
        cmocka_unit_test(test_random_numbers_as_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
