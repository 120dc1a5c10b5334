// SPDX-License-Identifier: MIT
// labels: slow
// Extended value iteration: known fixed points sweep by sweep, every policy and extreme kernel of
// tiny models, and long chains of plannings with changing counts against the plain version, which
// evaluates all pairs in all sweeps.

#include "test.h"

#include "learners/model/bias.h"
#include "learners/model/evi.h"
#include "ref/naive_evi.h"

enum { STATES = 6, ACTIONS = 5, PAIRS = STATES * ACTIONS };

// the shipped iteration with its own memory, and the same model for the plain one
typedef struct fixture {
    naive_evi plain;
    int64_t seen[PAIRS * STATES]; // (S, A, S)

    lgkt_evi evi;
    lgkt_successors counts;
    lgkt_seen_row tallies[PAIRS];
    lgkt_edge edges[PAIRS * STATES];
    lgkt_plausible pairs[PAIRS];
    lgkt_pair_backup backups[PAIRS];
    double u[STATES], v[STATES], p[STATES], value[STATES];
    int32_t hint[STATES];

    lgkt_bias bias;
    double limit[STATES * STATES], projected[STATES];
} fixture;

static void fixture_init(fixture *f, int32_t states, int32_t actions, bool kl)
{
    memset(f, 0, sizeof *f);
    f->plain = (naive_evi){.states = states, .actions = actions, .kl = kl};
    f->counts = (lgkt_successors){.rows = f->tallies, .items = f->edges};
    f->evi = (lgkt_evi){.region = kl ? LGKT_REGION_KL : LGKT_REGION_L1,
                        .counts = &f->counts,
                        .states = states,
                        .actions = actions,
                        .sweep_cap = 100000,
                        .pairs = f->pairs,
                        .backups = f->backups,
                        .u = f->u,
                        .v = f->v,
                        .hint = f->hint,
                        .p = f->p,
                        .value = f->value};
    for (int32_t z = 0; z < states * actions; z++) {
        f->tallies[z].first = -1;
        f->backups[z] = (lgkt_pair_backup){.value = INFINITY, .warm = NAN};
        f->pairs[z].mitigation = f->plain.mitigation[z] = INFINITY;
    }
}

static void see(fixture *f, int32_t z, int32_t next, int64_t count)
{
    const int32_t states = f->plain.states;
    lgkt_seen_row *pair = &f->tallies[z];
    int64_t *seen = &f->seen[z * states + next];
    if (*seen == 0) {
        f->edges[f->counts.used] = (lgkt_edge){.next = next, .other = pair->first};
        pair->first = (int32_t)f->counts.used++;
    }
    *seen += count;
    pair->moves += (double)count;
    for (int32_t e = pair->first; e >= 0; e = f->edges[e].other)
        f->edges[e].count = (double)f->seen[z * states + f->edges[e].next];
    for (int32_t y = 0; y < states; y++)
        f->plain.p[z * states + y] = (double)f->seen[z * states + y] / (double)pair->moves;
}

static void know(fixture *f, int32_t z, double reward, double radius, double mitigation)
{
    f->pairs[z] = (lgkt_plausible){reward, radius, mitigation};
    f->plain.reward[z] = reward;
    f->plain.radius[z] = radius;
    f->plain.mitigation[z] = mitigation;
    lgkt_evi_touch(&f->evi, (size_t)z);
}

// limits h_x - h_y + slack on differences
static void constrain(fixture *f, const double *h, double slack)
{
    const int32_t n = f->plain.states;
    for (int32_t z = 0; z < n * n; z++)
        f->limit[z] = f->plain.limit[z] = z % (n + 1) == 0 ? 0 : h[z / n] - h[z % n] + slack;
    assert_true(lgkt_min_plus_closure(f->limit, n));
    f->bias = (lgkt_bias){.limit = f->limit, .projected = f->projected, .tight = true};
    f->plain.constrained = true;
    f->evi.bias = &f->bias;
}

// ---- known fixed points ----

typedef enum known_kind { PLAIN, L1, KL, UNVISITED, MITIGATED, PMEVI, PMEVI_TIGHT } known_kind;

static void known_model(fixture *f, known_kind kind)
{
    static const int64_t rows[6][3] = {{100, 0, 0},  {60, 40, 0}, {90, 10, 0},
                                       {10, 55, 35}, {0, 90, 10}, {0, 40, 60}};
    static const double means[] = {0.2, 0, 0, 0, 0, 0.9}, h[] = {0, 1, 2};
    const bool ball = kind != PLAIN, kl = kind >= KL;
    fixture_init(f, 3, 2, kl);
    for (int32_t z = 0; z < 6; z++) {
        for (int32_t y = 0; y < 3; y++)
            if (rows[z][y] > 0 && !(kind == UNVISITED && z == 1))
                see(f, z, y, rows[z][y]);
        const double radius = kl ? (z % 2 == 0 ? 0.02 : 0.05) : (z % 2 == 0 ? 0.2 : 0.3);
        know(f, z, fmin(1, means[z] + (ball ? 0.05 : 0)), ball ? radius : 0,
             kind >= MITIGATED ? 0.1 : INFINITY);
    }
    if (kind >= PMEVI)
        constrain(f, h, kind == PMEVI ? 0.2 : 0.1);
}

static const struct {
    known_kind kind;
    double sweeps[3][3]; // NaN: not known
    double gain, bias[3];
} known[] = {
    {PLAIN,
     {{0.2, 0, 0.9}, {0.4, 0.335, 1.44}, {0.265, 0.39325, 1.563}},
     0.3705882353,
     {0, 0.9264705882, 2.25}},
    {L1,
     {{0.25, 0.05, 0.95}, {0.52, 0.52, 1.625}, {0.3605, 0.6025, 1.77875}},
     0.65,
     {0, 0.7636363636, 1.9636363636}},
    {KL,
     {{0.25, 0.05, 0.95},
      {0.4638609287, 0.5222119469, 1.620254817},
      {0.2728981332, 0.6606816039, 1.8260938214}},
     0.6257020342,
     {0, 1.0316643427, 2.302063858}},
    {UNVISITED,
     {{0.25, 0.05, 0.95}, {0.95, 0.5222119469, 1.620254817}, {NAN, NAN, NAN}},
     0.6630229326,
     {0.5111763093, 0, 1.1241992419}},
    {MITIGATED,
     {{NAN, NAN, NAN}, {NAN, NAN, NAN}, {NAN, NAN, NAN}},
     0.5205882353,
     {0, 0.9264705882, 2.25}},
    {PMEVI,
     {{-0.85, 0.05, 0.95}, {0.475, 1.275, 2.475}, {0.47, 1.29, 2.49}},
     0.486,
     {0, 0.84, 2.04}},
    {PMEVI_TIGHT, {{NAN, NAN, NAN}, {NAN, NAN, NAN}, {NAN, NAN, NAN}}, 0.445, {0, 0.9, 2}},
};

static void test_known_sweeps(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int64_t sweeps = 1; sweeps <= 3; sweeps++) {
            fixture f;
            known_model(&f, known[i].kind);
            f.evi.sweep_cap = sweeps;
            lgkt_evi_solve(&f.evi, 1e-13);
            const double *expected = known[i].sweeps[sweeps - 1];
            for (int s = 0; s < 3 && !isnan(expected[0]); s++)
                assert_close(f.v[s], expected[s], 1e-9);
            assert_int_equal(f.evi.sweeps, sweeps);
        }
}

static void test_known_fixed_points(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        fixture f;
        known_model(&f, known[i].kind);
        assert_close(lgkt_evi_solve(&f.evi, 1e-11), known[i].gain, 1e-9);
        double plain[STATES];
        assert_close(naive_evi_solve(&f.plain, 1e-11, plain), known[i].gain, 1e-9);
        for (int32_t s = 0; s < 3; s++) {
            assert_close(f.u[s], known[i].bias[s], 1e-9);
            assert_close(plain[s], known[i].bias[s], 1e-9);
            int32_t ties[2];
            assert_int_equal(lgkt_evi_best(&f.evi, s, NULL, 1e-9, ties), 1);
            assert_int_equal(ties[0], 1);
        }
        assert_int_equal(f.evi.cap_hits, 0);
        if (known[i].kind == PMEVI_TIGHT)
            assert_in_range(f.evi.sweeps, 3, 4);
        assert_true((f.evi.projections > 0) == (known[i].kind >= PMEVI));
    }
}

// ---- policies and kernels, one by one ----

// one or two successors of each pair were seen
static void random_model(fixture *f, lgkt_rng *rng, int32_t states, int32_t actions, bool kl)
{
    fixture_init(f, states, actions, kl);
    for (int32_t z = 0; z < states * actions; z++) {
        see(f, z, lgkt_rng_below(rng, states), 1 + lgkt_rng_below(rng, 9));
        see(f, z, lgkt_rng_below(rng, states), 1 + lgkt_rng_below(rng, 9));
        const double radius = lgkt_rng_uniform(rng);
        know(f, z, lgkt_rng_uniform(rng), kl ? radius * radius : radius, INFINITY);
    }
}

static void test_l1_is_the_best_of_all_policies_and_kernels(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(1, "models", 0);
    for (int i = 0; i < 20; i++) {
        fixture f;
        random_model(&f, &rng, 2 + i % 2, 1 + i / 2 % 2, false);
        assert_close(lgkt_evi_solve(&f.evi, 1e-11), naive_evi_enumerate(&f.plain), 1e-9);
    }
}

// the law that attains the maximum is the derivative of the maximum
static void best_law(const naive_evi *plain, int32_t z, const double *u, double *q)
{
    const int32_t n = plain->states;
    double value[STATES];
    for (int32_t y = 0; y < n; y++) {
        double ends[2];
        for (int side = 0; side < 2; side++) {
            memcpy(value, u, (size_t)n * sizeof *u);
            value[y] += side == 0 ? -1e-5 : 1e-5;
            ends[side] = naive_max_kl(plain->p + z * n, value, n, plain->radius[z]);
        }
        q[y] = (ends[1] - ends[0]) / 2e-5;
    }
}

static double divergence(const double *p, const double *q, int32_t n)
{
    double sum = 0;
    for (int32_t y = 0; y < n; y++)
        sum += p[y] > 0 ? p[y] * log(p[y] / q[y]) : 0;
    return sum;
}

// a kernel within the balls that attains the gain
static void check_attained(fixture *f, double gain)
{
    const int32_t n = f->plain.states, actions = f->plain.actions;
    double kernel[STATES * STATES], reward[STATES];
    for (int32_t s = 0; s < n; s++) {
        int32_t ties[ACTIONS];
        lgkt_evi_best(&f->evi, s, NULL, 1e-9, ties);
        const int32_t z = s * actions + ties[0];
        best_law(&f->plain, z, f->u, kernel + s * n);
        reward[s] = f->plain.reward[z];
        assert_between(divergence(f->plain.p + z * n, kernel + s * n, n), -1e-9,
                       f->plain.radius[z] + 1e-4);
    }
    assert_close(naive_kernel_gain(kernel, reward, n), gain, 1e-4);
}

// a random law within the ball of a pair
static void stray_law(const naive_evi *plain, int32_t z, lgkt_rng *rng, double *q)
{
    const int32_t n = plain->states;
    const double *p = plain->p + z * n;
    double stray[STATES], mix = lgkt_rng_uniform(rng), sum = 0;
    for (int32_t y = 0; y < n; y++)
        sum += stray[y] = 1e-9 + lgkt_rng_gamma(rng, 0.3);
    do {
        for (int32_t y = 0; y < n; y++)
            q[y] = (1 - mix) * p[y] + mix * stray[y] / sum;
        mix *= 0.8;
    } while (divergence(p, q, n) > plain->radius[z]);
}

static void check_not_exceeded(const fixture *f, double gain, lgkt_rng *rng)
{
    const int32_t n = f->plain.states, actions = f->plain.actions;
    double kernel[STATES * STATES], reward[STATES];
    for (int32_t s = 0; s < n; s++) {
        const int32_t z = s * actions + lgkt_rng_below(rng, actions);
        stray_law(&f->plain, z, rng, kernel + s * n);
        reward[s] = f->plain.reward[z];
    }
    assert_between(naive_kernel_gain(kernel, reward, n), -INFINITY, gain + 1e-9);
}

static void test_kl_gain_is_attained_and_not_exceeded(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(2, "models", 0);
    for (int i = 0; i < 20; i++) {
        fixture f;
        random_model(&f, &rng, 2 + i % 3, 2, true);
        const double gain = lgkt_evi_solve(&f.evi, 1e-11);
        check_attained(&f, gain);
        for (int j = 0; j < 100; j++)
            check_not_exceeded(&f, gain, &rng);
    }
}

// ---- chains of plannings ----

// sweeps of the same kind as the shipped ones, over all pairs, with rows in the same order
static double unpruned_pair(const fixture *f, int32_t z, const double *u)
{
    const int32_t n = f->plain.states;
    double top = 0, mean = 0, p[STATES], value[STATES], warm = NAN;
    for (int32_t s = 0; s < n; s++)
        top = fmax(top, u[s]);
    const lgkt_seen_row *pair = &f->tallies[z];
    if (pair->moves == 0 || n == 1)
        return top;
    lgkt_support row = {.p = p, .value = value};
    for (int32_t e = pair->first; e >= 0; e = f->edges[e].other, row.n++) {
        p[row.n] = (double)f->edges[e].count * (1 / (double)pair->moves);
        value[row.n] = u[f->edges[e].next];
        mean += p[row.n] * value[row.n];
    }
    const double best = f->plain.kl ? lgkt_max_kl(&row, top, f->pairs[z].radius, &warm)
                                    : lgkt_max_l1(&row, top, f->pairs[z].radius);
    return fmin(best, mean + f->pairs[z].mitigation);
}

typedef struct unpruned {
    double u[STATES], v[STATES];
    double gain;
    int64_t sweeps;
} unpruned;

static void unpruned_solve(fixture *f, unpruned *x, double precision)
{
    const int32_t n = f->plain.states, actions = f->plain.actions;
    for (int64_t i = 1;; i++) {
        double low = INFINITY, high = -INFINITY, least = INFINITY;
        for (int32_t s = 0; s < n; s++) {
            x->v[s] = -INFINITY;
            for (int32_t z = s * actions; z < (s + 1) * actions; z++)
                x->v[s] = fmax(x->v[s], f->pairs[z].reward + unpruned_pair(f, z, x->u));
        }
        if (f->evi.bias != NULL)
            lgkt_bias_project(f->evi.bias, x->v, n);
        x->sweeps++;
        for (int32_t s = 0; s < n; s++) {
            low = fmin(low, x->v[s] - x->u[s]);
            high = fmax(high, x->v[s] - x->u[s]);
        }
        x->gain = (high + low) / 2;
        if (high - low <= precision || i >= f->evi.sweep_cap)
            return;
        for (int32_t s = 0; s < n; s++) {
            x->v[s] = i > 200 ? (x->u[s] + x->v[s]) / 2 : x->v[s];
            least = fmin(least, x->v[s]);
        }
        for (int32_t s = 0; s < n; s++)
            x->u[s] = x->v[s] - least;
    }
}

// some pairs are seen more often; their radii shrink
static void learn_more(fixture *f, lgkt_rng *rng, const double *means, bool mitigated)
{
    const int32_t n = f->plain.states, pairs = n * f->plain.actions;
    const int32_t changes = 1 + lgkt_rng_below(rng, pairs);
    for (int32_t i = 0; i < changes; i++) {
        const int32_t z = lgkt_rng_below(rng, pairs), y = lgkt_rng_below(rng, n);
        // each pair has a few successors, one of them likely
        see(f, z, (z + y * (y % 3 == 0)) % n, 1 + lgkt_rng_below(rng, 5));
        const double moves = (double)f->tallies[z].moves;
        const double radius = f->plain.kl ? 6 / moves : 4 / sqrt(moves);
        const double mitigation = mitigated && moves > 20 ? 3 / sqrt(moves) : INFINITY;
        know(f, z, fmin(1, means[z] + 1 / sqrt(moves)), radius, mitigation);
    }
}

// in each planning: v and u of the plain version, bit for bit where no root is searched for; all
// bounds that pairs are skipped by are bounds; and the sets of best actions
static void check_planning(fixture *f, unpruned *x, double precision)
{
    const int32_t n = f->plain.states, actions = f->plain.actions;
    memcpy(x->u, f->u, sizeof x->u);
    x->sweeps = f->evi.sweeps;
    unpruned_solve(f, x, precision);
    const double gain = lgkt_evi_solve(&f->evi, precision);
    const double slack = f->plain.kl ? 1e-11 : 0;
    assert_int_equal(f->evi.sweeps, x->sweeps);
    assert_close(gain, x->gain, slack);
    for (int32_t s = 0; s < n; s++) {
        assert_close(f->u[s], x->u[s], slack);
        assert_close(f->v[s], x->v[s], slack);
        double best = -INFINITY, q[ACTIONS];
        for (int32_t a = 0; a < actions; a++) {
            const int32_t z = s * actions + a;
            best = fmax(best, q[a] = naive_evi_pair(&f->plain, s, a, f->u));
            const double bound = f->backups[z].value + (f->evi.drift - f->backups[z].drift);
            assert_between(f->pairs[z].reward + bound, q[a] - 1e-11, INFINITY);
        }
        int32_t ties[ACTIONS], count = 0;
        const int32_t found = lgkt_evi_best(&f->evi, s, NULL, 1e-9, ties);
        for (int32_t a = 0; a < actions; a++)
            if (q[a] >= best - 1e-9)
                assert_int_equal(ties[count++], a);
        assert_int_equal(found, count);
    }
}

static void check_chain(lgkt_rng *rng, bool kl, bool pmevi)
{
    fixture f;
    const int32_t n = 2 + lgkt_rng_below(rng, STATES - 1), actions = 1 + lgkt_rng_below(rng, 5);
    fixture_init(&f, n, actions, kl);
    double means[PAIRS], h[STATES];
    for (int32_t z = 0; z < n * actions; z++) {
        // some alike, so that there are ties
        means[z] = lgkt_rng_below(rng, 8) / 10.0;
        know(&f, z, 1, 0, INFINITY);
    }
    for (int32_t s = 0; s < n; s++)
        h[s] = 2 * lgkt_rng_uniform(rng);
    if (pmevi)
        constrain(&f, h, 0.5 + lgkt_rng_uniform(rng));
    unpruned x;
    for (int i = 0; i < 60; i++) {
        if (i > 0)
            learn_more(&f, rng, means, pmevi);
        check_planning(&f, &x, 0.3 / (1 + i));
    }
    // and the plain solution from the start
    double bias[STATES];
    const double gain = lgkt_evi_solve(&f.evi, 1e-10);
    assert_close(gain, naive_evi_solve(&f.plain, 1e-10, bias), 1e-9);
}

static void test_chains_of_plannings(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(3, "chains", 0);
    for (int i = 0; i < (test_short() ? 4 : 24); i++)
        check_chain(&rng, i % 2 == 1, i / 2 % 2 == 1);
}

// ---- stopping ----

// a cycle of length 2 without any optimism: full steps would go round for ever
static void test_periodic_models_converge(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2, 1, false);
    see(&f, 0, 1, 5);
    see(&f, 1, 0, 5);
    know(&f, 0, 1, 0, INFINITY);
    know(&f, 1, 0, 0, INFINITY);
    assert_close(lgkt_evi_solve(&f.evi, 1e-9), 0.5, 1e-9);
    assert_close(f.u[0] - f.u[1], 0.5, 1e-9);
    assert_in_range(f.evi.sweeps, 201, 260);
    assert_int_equal(f.evi.cap_hits, 0);
}

static void test_sweep_cap_is_counted(void **state)
{
    (void)state;
    fixture f;
    known_model(&f, L1);
    f.evi.sweep_cap = 2;
    lgkt_evi_solve(&f.evi, 1e-6);
    assert_int_equal(f.evi.cap_hits, 1);
    assert_int_equal(f.evi.sweeps, 2);
    // precise enough at the cap: no hit
    lgkt_evi_solve(&f.evi, 10);
    assert_int_equal(f.evi.cap_hits, 1);
    f.evi.sweep_cap = 1;
    lgkt_evi_solve(&f.evi, 10);
    assert_int_equal(f.evi.cap_hits, 1);
    lgkt_evi_solve(&f.evi, 1e-6);
    assert_int_equal(f.evi.cap_hits, 2);
}

static void test_nothing_seen_and_one_state(void **state)
{
    (void)state;
    for (int kl = 0; kl < 2; kl++) {
        fixture f;
        fixture_init(&f, 3, 2, kl == 1);
        for (int32_t z = 0; z < 6; z++)
            know(&f, z, 1, 0, INFINITY);
        assert_close(lgkt_evi_solve(&f.evi, 1e-9), 1, 0);
        int32_t ties[2];
        assert_int_equal(lgkt_evi_best(&f.evi, 1, NULL, 1e-12, ties), 2);

        fixture_init(&f, 1, 3, kl == 1);
        for (int32_t z = 0; z < 3; z++) {
            know(&f, z, 0.25 * z, 0, INFINITY);
            if (z > 0)
                see(&f, z, 0, 3);
        }
        assert_close(lgkt_evi_solve(&f.evi, 1e-9), 0.5, 0);
        assert_int_equal(lgkt_evi_best(&f.evi, 0, NULL, 1e-12, ties), 1);
        assert_int_equal(ties[0], 2);
        assert_close(f.u[0], 0, 0);
    }
}

// differences below the tolerance are ties, whichever action has the higher number
static void test_ties_have_a_tolerance(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        fixture f;
        fixture_init(&f, 2, 3, false);
        for (int32_t z = 0; z < 6; z++)
            see(&f, z, z % 2, 10);
        const double rewards[] = {0.5, 0.5 - 5e-13, 0.5 - 5e-12};
        for (int32_t z = 0; z < 6; z++)
            know(&f, z, rewards[order == 0 ? z % 3 : 2 - z % 3], 2, INFINITY);
        lgkt_evi_solve(&f.evi, 1e-9);
        int32_t ties[3];
        assert_int_equal(lgkt_evi_best(&f.evi, 1, NULL, 1e-12, ties), 2);
        assert_int_equal(ties[0], order);
        assert_int_equal(ties[1], order + 1);
        assert_int_equal(lgkt_evi_best(&f.evi, 1, NULL, 0, ties), 1);
        assert_int_equal(lgkt_evi_best(&f.evi, 1, NULL, 1e-11, ties), 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_sweeps),
        cmocka_unit_test(test_known_fixed_points),
        cmocka_unit_test(test_l1_is_the_best_of_all_policies_and_kernels),
        cmocka_unit_test(test_kl_gain_is_attained_and_not_exceeded),
        cmocka_unit_test(test_chains_of_plannings),
        cmocka_unit_test(test_periodic_models_converge),
        cmocka_unit_test(test_sweep_cap_is_counted),
        cmocka_unit_test(test_ties_have_a_tolerance),
        cmocka_unit_test(test_nothing_seen_and_one_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
