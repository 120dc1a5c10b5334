// SPDX-License-Identifier: MIT
// Boxes of transition laws: known widths and intervals, intervals against a scan of their
// definition, the best law against all vertices, the selected support state by state.

#include "test.h"

#include "learners/model/box.h"
#include "ref/naive_box.h"

enum { MOST = 8 };

static lgkt_box_form form_of(lgkt_box_rule rule)
{
    return (lgkt_box_form){.rule = rule, .states = 6, .actions = 2, .delta = 0.05, .constant = 6};
}

// ---- intervals ----

static void test_known_widths_of_ucrl2b(void **state)
{
    (void)state;
    static const struct {
        double constant, n, p, width;
    } known[] = {
        {6, 100, 0.3, 1.028520504},   {6, 100, 0, 0.712654115},     {6, 100, 1, 0.712654115},
        {6, 1000, 0.3, 0.194219958},  {6, 20000, 0.3, 0.032011418}, {18, 100, 0.3, 1.108722210},
        {18, 1000, 0.3, 0.204960562},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        lgkt_box_form form = form_of(LGKT_BOX_BERNSTEIN);
        form.constant = known[i].constant;
        const double p = known[i].p, width = known[i].width;
        // a reward that is 0 or 1 has the same formula
        assert_close(lgkt_box_reward(&form, known[i].n, sqrt(p * (1 - p))), width, 1e-9);
        const lgkt_ends ends = lgkt_box_ends(&form, known[i].n, p);
        assert_close(ends.lo, fmax(0, p - width), 1e-9);
        assert_close(ends.up, fmin(1, p + width), 1e-9);
    }
    // the width alone is below 1 from n = 70 on, and below 0.1 from 841 on
    const lgkt_box_form form = form_of(LGKT_BOX_BERNSTEIN);
    assert_true(lgkt_box_reward(&form, 69, 0) >= 1 && lgkt_box_reward(&form, 70, 0) < 1);
    assert_true(lgkt_box_reward(&form, 840, 0) >= 0.1 && lgkt_box_reward(&form, 841, 0) < 0.1);
}

static void test_known_intervals_of_ucrl3(void **state)
{
    (void)state;
    static const struct {
        double n, e, b;
        lgkt_ends at[3]; // p = 0, .3, 1
    } known[] = {
        {10, 1.645289488, 1.462635970, {{0, .681458054}, {.00000689, .838388110}, {.291346396, 1}}},
        {100, .179276191, .467783044, {{0, .220023541}, {.100327306, .533370037}, {.779976459, 1}}},
        {1000,
         .018809207,
         .154864575,
         {{0, .047542580}, {.226905164, .376629247}, {.952457420, 1}}},
    };
    static const double shares[] = {0, 0.3, 1};
    const lgkt_box_form form = form_of(LGKT_BOX_UCRL3);
    const double level = lgkt_box_level(&form);
    assert_close(exp(-level), 1.984127e-4, 1e-10);
    for (int i = 0; i < 3; i++) {
        assert_close(lgkt_box_bernstein(level, known[i].n), known[i].e, 1e-9);
        assert_close(lgkt_box_laplace(level, known[i].n), known[i].b, 1e-9);
        for (int j = 0; j < 3; j++) {
            const lgkt_ends ends = lgkt_box_ends(&form, known[i].n, shares[j]);
            assert_close(ends.lo, known[i].at[j].lo, 1e-8);
            assert_close(ends.up, known[i].at[j].up, 1e-8);
        }
    }
    assert_close(lgkt_box_reward(&form, 100, sqrt(.21)), .233891522, 1e-9);
    assert_close(sqrt(2 * .21 * known[1].e) + 7 * known[1].e / 3, .692712279, 1e-8);
    // where Bernstein's is the shorter one
    const double e = lgkt_box_bernstein(level, 1000);
    assert_close(lgkt_box_reward(&form, 1000, 0), 7 * e / 3, 1e-15);
    // a share of 1 by the rule of published code
    lgkt_box_form certain = form;
    certain.certain = true;
    assert_close(lgkt_box_ends(&certain, 100, 1).lo, pow(0.5, 0.01), 1e-15);
    assert_close(lgkt_box_ends(&certain, 100, 0.3).lo, known[1].at[1].lo, 1e-8);
}

static void test_intervals_are_all_that_is_plausible(void **state)
{
    (void)state;
    static const double counts[] = {1, 2, 3, 7, 30, 200, 5000, 1e6};
    const lgkt_box_form form = form_of(LGKT_BOX_UCRL3);
    const double d0 = 0.05 / (12 * 21);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int share = 0; share <= 10; share++) {
            const double n = counts[i], p = floor(n * share / 10) / n;
            const lgkt_ends ends = lgkt_box_ends(&form, n, p);
            assert_true(ends.lo <= p && p <= ends.up);
            for (int k = 0; k <= 2000; k++) {
                const double q = k / 2000.0;
                // not within a hair of the ends
                if (fabs(q - ends.lo) < 1e-12 || fabs(q - ends.up) < 1e-12)
                    continue;
                assert_int_equal(naive_box_plausible(q, p, n, d0), q > ends.lo && q < ends.up);
            }
        }
}

// ---- one row ----

typedef struct fixture {
    lgkt_boxes boxes;
    lgkt_successors counts;
    lgkt_seen_row row;
    lgkt_edge edges[MOST];
    lgkt_ends ends[MOST];
    double unseen, sorted[MOST], prefix[MOST + 1];
    int32_t rank[MOST], chosen;
    lgkt_ranked items[MOST];
    lgkt_box_seen seen[MOST];
    // the same, dense
    int32_t n;
    double lo[MOST], up[MOST], u[MOST];
    bool in[MOST];
} fixture;

static void fixture_init(fixture *f, int32_t n, lgkt_box_support support)
{
    *f = (fixture){.n = n};
    f->row.first = -1;
    f->counts = (lgkt_successors){.rows = &f->row, .items = f->edges, .beside = f->ends};
    f->boxes = (lgkt_boxes){.support = support,
                            .unseen = &f->unseen,
                            .sorted = f->sorted,
                            .prefix = f->prefix,
                            .rank = f->rank,
                            .items = f->items,
                            .row = f->seen,
                            .scarce = 1,
                            .chosen = &f->chosen};
}

static void see(fixture *f, int32_t y, double lo, double up)
{
    const int32_t e = (int32_t)f->counts.used++;
    f->edges[e] = (lgkt_edge){.count = 1, .next = y, .other = f->row.first};
    f->ends[e] = (lgkt_ends){lo, up};
    f->row.first = e;
    f->row.moves++;
    f->lo[y] = lo;
    f->up[y] = up;
    f->in[y] = true;
}

// those that are not seen share an upper end; u from 0 on
static void random_row(fixture *f, lgkt_rng *rng, lgkt_box_support support)
{
    const int32_t n = 2 + lgkt_rng_below(rng, MOST - 1);
    fixture_init(f, n, support);
    f->unseen = 0.02 + 0.98 * lgkt_rng_uniform(rng) * lgkt_rng_uniform(rng);
    double p[MOST], sum = 0;
    for (int32_t y = 0; y < n; y++) {
        f->u[y] = lgkt_rng_below(rng, 5) == 0 ? 0.5 : lgkt_rng_uniform(rng);
        p[y] = lgkt_rng_below(rng, 2) == 0 || y == n - 1 ? lgkt_rng_uniform(rng) + 0.01 : 0;
        f->up[y] = f->unseen;
        sum += p[y];
    }
    f->u[lgkt_rng_below(rng, n)] = 0;
    for (int32_t y = 0; y < n; y++)
        if (p[y] > 0) {
            const double share = p[y] / sum, width = 0.3 * lgkt_rng_uniform(rng);
            see(f, y, fmax(0, share - width), fmin(1, share + width));
        }
    lgkt_boxes_order(&f->boxes, f->u, n);
}

static void test_known_box(void **state)
{
    (void)state;
    static const double lo[] = {.1, .2, 0, .05}, up[] = {.6, .5, .2, .3}, u[] = {0, 1, 3, 2};
    fixture f;
    fixture_init(&f, 4, LGKT_SUPPORT_WHOLE);
    for (int32_t y = 0; y < 4; y++)
        see(&f, y, lo[y], up[y]);
    lgkt_boxes_order(&f.boxes, u, 4);
    assert_close(lgkt_boxes_max(&f.boxes, &f.counts, 0, NULL), 1.6, 1e-15);
    bool all[] = {true, true, true, true};
    assert_close(naive_box_vertices(lo, up, all, u, 4), 1.6, 1e-15);

    // the selection adds the last state iff kap < .6
    static const double none[4] = {0};
    const bool first[] = {true, true, true, false}, last[] = {false, false, false, true};
    assert_close(naive_box_max(none, up, first, u, 4), 1.1, 1e-15);
    assert_close(naive_box_max(none, up, last, u, 4), .6, 1e-15);
    for (int i = 0; i < 2; i++) {
        bool in[] = {true, true, true, false};
        naive_noss(up, in, u, 4, i == 0 ? .6 : .59);
        assert_int_equal(in[3], i);
    }
    // shipped: kap = 10 * 3 * 3 / scarce
    for (int i = 0; i < 2; i++) {
        fixture_init(&f, 4, LGKT_SUPPORT_NOSS);
        f.unseen = up[3];
        for (int32_t y = 0; y < 3; y++)
            see(&f, y, lo[y], up[y]);
        lgkt_boxes_order(&f.boxes, u, 4);
        f.boxes.scarce = 90 / (i == 0 ? .6001 : .5999);
        // without the last state all that is left goes to state 1, then to 0
        const double without = .2 * 3 + .5 * 1, with = .2 * 3 + .3 * 2 + .4 * 1;
        assert_close(lgkt_boxes_max(&f.boxes, &f.counts, 0, NULL), i == 0 ? without : with, 1e-15);
    }
}

static void test_boxes_are_those_of_all_vertices(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(5, "boxes", 0);
    const bool all[MOST] = {true, true, true, true, true, true, true, true};
    for (int i = 0; i < 3000; i++) {
        fixture f;
        random_row(&f, &rng, LGKT_SUPPORT_WHOLE);
        double most = NAN;
        const double value = lgkt_boxes_max(&f.boxes, &f.counts, 0, &most);
        assert_close(value, naive_box_max(f.lo, f.up, all, f.u, f.n), 1e-14);
        assert_close(value, naive_box_vertices(f.lo, f.up, all, f.u, f.n), 1e-11);
        assert_close(most, value, 0);
    }
}

static void test_supports_are_selected_as_defined(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(6, "noss", 0);
    int grown = 0, whole = 0;
    for (int i = 0; i < 20000; i++) {
        fixture f;
        const lgkt_box_support support = i % 4 == 0 ? LGKT_SUPPORT_SEEN : LGKT_SUPPORT_NOSS;
        random_row(&f, &rng, support);
        f.boxes.scarce = 1 + 400 * lgkt_rng_uniform(&rng);
        double top = 0, most;
        int32_t seen = 0, selected = 0;
        for (int32_t y = 0; y < f.n; y++) {
            top = fmax(top, f.u[y]);
            seen += f.in[y];
        }
        const bool grows = support == LGKT_SUPPORT_NOSS;
        if (grows)
            naive_noss(f.up, f.in, f.u, f.n, 10 * top * seen / f.boxes.scarce);
        // else the best of all
        bool added = grows;
        for (int32_t y = 0; y < f.n && !added; y++) {
            added = f.u[y] == top;
            f.in[y] |= added;
        }
        const double value = lgkt_boxes_max(&f.boxes, &f.counts, 0, &most);
        assert_close(value, naive_box_max(f.lo, f.up, f.in, f.u, f.n), 1e-13);
        assert_between(value, 0, most + 1e-13);
        for (int32_t y = 0; y < f.n; y++)
            selected += f.in[y];
        grown += selected > seen + 1;
        whole += value > most - 1e-13;
    }
    assert_in_range(grown, 1000, 14000);
    assert_in_range(whole, 1000, 19000);
}

// once frozen, as many states as there were at most
static void test_frozen_supports_only_grow(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(7, "frozen", 0);
    for (int i = 0; i < 3000; i++) {
        fixture f;
        random_row(&f, &rng, LGKT_SUPPORT_NOSS);
        f.boxes.scarce = 1e9; // kap = 0: all that can matter
        lgkt_boxes_freeze(&f.boxes, 0);
        const double large = lgkt_boxes_max(&f.boxes, &f.counts, 0, NULL);
        const int32_t chosen = f.chosen;
        f.boxes.scarce = 1e-9; // fewer would do now
        assert_close(lgkt_boxes_max(&f.boxes, &f.counts, 0, NULL), large, 0);
        assert_int_equal(f.chosen, chosen);
        assert_int_equal(f.boxes.freezes, 1);
        f.boxes.frozen = false;
        assert_between(lgkt_boxes_max(&f.boxes, &f.counts, 0, NULL), 0, large + 1e-13);
    }
}

// ---- order ----

static void test_states_are_sorted(void **state)
{
    (void)state;
    enum { STATES = 300 };
    static double u[STATES], sorted[STATES], prefix[STATES + 1];
    static int32_t rank[STATES];
    static lgkt_ranked items[STATES];
    lgkt_boxes boxes = {.sorted = sorted, .prefix = prefix, .rank = rank, .items = items};
    lgkt_rng rng = lgkt_rng_stream(8, "order", 0);
    for (int32_t n = 1; n <= STATES; n += n < 40 ? 1 : 13) {
        for (int32_t s = 0; s < n; s++)
            u[s] = lgkt_rng_below(&rng, 50);
        lgkt_boxes_order(&boxes, u, n);
        double sum = 0;
        for (int32_t s = 0; s < n; s++) {
            int32_t before = 0; // better ones, or equal ones of a lower number
            for (int32_t y = 0; y < n; y++)
                before += u[y] > u[s] || (u[y] == u[s] && y < s);
            assert_int_equal(rank[s], before);
            assert_close(sorted[rank[s]], u[s], 0);
            sum += sorted[s];
            assert_close(prefix[s + 1], sum, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_widths_of_ucrl2b),
        cmocka_unit_test(test_known_intervals_of_ucrl3),
        cmocka_unit_test(test_intervals_are_all_that_is_plausible),
        cmocka_unit_test(test_known_box),
        cmocka_unit_test(test_boxes_are_those_of_all_vertices),
        cmocka_unit_test(test_supports_are_selected_as_defined),
        cmocka_unit_test(test_frozen_supports_only_grow),
        cmocka_unit_test(test_states_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
