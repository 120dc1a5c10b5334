// SPDX-License-Identifier: MIT
// labels: slow
// Value iteration on believed rows: random models against the plain one, by their gain and by their
// discounted values; mass on all states against full rows; periodic chains; rows that change one by
// one; and small tables of published planners.

#include "test.h"

#include "learners/model/value_iteration.h"
#include "ref/models.h"
#include "ref/naive_gain.h"

enum { STATES = 12, ACTIONS = 4, PAIRS = STATES * ACTIONS, EDGES = PAIRS * STATES };

// the shipped iteration with its own memory
typedef struct fixture {
    lgkt_vi vi;
    lgkt_successors counts;
    lgkt_seen_row tallies[PAIRS];
    lgkt_edge edges[EDGES];
    lgkt_vi_row rows[PAIRS + 1];
    double weight[EDGES], u[STATES], v[STATES];
    int32_t next[EDGES];
} fixture;

static void fixture_init(fixture *f, int32_t actions)
{
    memset(f, 0, sizeof *f);
    f->counts = (lgkt_successors){.rows = f->tallies, .items = f->edges, .capacity = EDGES};
    f->vi = (lgkt_vi){.actions = actions,
                      .sweep_cap = 100000,
                      .rows = f->rows,
                      .weight = f->weight,
                      .next = f->next,
                      .capacity = EDGES,
                      .u = f->u,
                      .v = f->v};
    for (int32_t z = 0; z < PAIRS; z++)
        f->tallies[z].first = -1;
}

static void lead(fixture *f, int32_t z, int32_t next, double count)
{
    const int32_t e = (int32_t)f->counts.used++;
    f->edges[e] = (lgkt_edge){.next = next, .other = f->tallies[z].first, .count = count};
    f->tallies[z].first = e;
    f->tallies[z].moves += count;
}

// weights are the counts, in the order of the chains
static void weigh(fixture *f, double scale)
{
    int32_t at = 0;
    for (int32_t z = 0; z < f->vi.states * f->vi.actions; z++)
        for (int32_t e = f->tallies[z].first; e >= 0; e = f->edges[e].other)
            f->weight[at++] = f->edges[e].count * scale;
    assert_int_equal(at, f->rows[f->vi.states * f->vi.actions].start);
}

static void take_model(fixture *f, const lgkt_mdp *mdp)
{
    const int32_t states = lgkt_mdp_states(mdp), actions = lgkt_mdp_actions(mdp);
    fixture_init(f, actions);
    for (int32_t z = 0; z < states * actions; z++) {
        const lgkt_row row = lgkt_mdp_row(mdp, z / actions, z % actions);
        f->rows[z].reward = lgkt_mdp_reward(mdp, z / actions, z % actions);
        for (int32_t i = 0; i < row.n; i++)
            lead(f, z, row.next[i], row.p[i]);
    }
    lgkt_vi_gather(&f->vi, &f->counts, states);
    weigh(f, 1);
}

// the discounted values by plain iteration until nothing changes
static void naive_discounted(const lgkt_mdp *mdp, double g, double *u)
{
    const int32_t states = lgkt_mdp_states(mdp), actions = lgkt_mdp_actions(mdp);
    double v[STATES];
    for (int32_t s = 0; s < states; s++)
        u[s] = 0;
    for (int i = 0; i < 20000; i++) {
        for (int32_t s = 0; s < states; s++) {
            v[s] = -INFINITY;
            for (int32_t a = 0; a < actions; a++) {
                const lgkt_row row = lgkt_mdp_row(mdp, s, a);
                double value = 0;
                for (int32_t j = 0; j < row.n; j++)
                    value += row.p[j] * u[row.next[j]];
                v[s] = fmax(v[s], lgkt_mdp_reward(mdp, s, a) + g * value);
            }
        }
        memcpy(u, v, sizeof v);
    }
}

static void test_gain(void **state)
{
    (void)state;
    static fixture f;
    lgkt_rng rng = lgkt_rng_stream(1, "value iteration", 0);
    for (int i = 0; i < 60; i++) {
        const int32_t states = 1 + lgkt_rng_below(&rng, STATES);
        const int32_t actions = 1 + lgkt_rng_below(&rng, ACTIONS);
        lgkt_mdp *mdp = model_random(&rng, states, actions, 0.5);
        take_model(&f, mdp);
        const double best = naive_gain_of_rule(mdp, NAIVE_BEST);
        assert_close(lgkt_vi_gain(&f.vi, 1e-11), best, 1e-10);
        assert_int_equal(f.vi.cap_hits, 0);
        // the greedy policy earns it, and a warm start has nothing left to do
        int32_t policy[STATES] = {0};
        for (size_t z = 0; z < (size_t)states * (size_t)actions; z++) {
            const size_t s = z / (size_t)actions, chosen = s * (size_t)actions + (size_t)policy[s];
            if (lgkt_vi_value(&f.vi, z, 1) > lgkt_vi_value(&f.vi, chosen, 1))
                policy[s] = (int32_t)(z % (size_t)actions);
        }
        assert_close(naive_gain(mdp, policy), best, 1e-9);
        const int64_t sweeps = f.vi.sweeps;
        assert_close(lgkt_vi_gain(&f.vi, 1e-10), best, 1e-10);
        assert_int_equal(f.vi.sweeps, sweeps + 1);
        lgkt_mdp_destroy(mdp);
    }
}

static void test_discounted(void **state)
{
    (void)state;
    static fixture f;
    lgkt_rng rng = lgkt_rng_stream(1, "value iteration", 1);
    for (int i = 0; i < 40; i++) {
        const double g = i % 4 == 0 ? 0.5 : 0.99;
        double expected[STATES];
        lgkt_mdp *mdp = model_random(&rng, STATES, ACTIONS, 0.5);
        naive_discounted(mdp, g, expected);
        for (int leaky = 0; leaky < 2; leaky++) {
            take_model(&f, mdp);
            f.vi.leaky = leaky == 1;
            lgkt_vi_discounted(&f.vi, g, 1e-8);
            for (int32_t s = 0; s < STATES; s++)
                assert_close(f.u[s], expected[s], (leaky == 1 ? 1e-8 : 0.5e-8) + 1e-11);
            // both ends of the bracket move: waiting for the values alone takes 1500 sweeps and
            // more
            assert_true(leaky == 1 || f.vi.sweeps < 300);
        }
        lgkt_mdp_destroy(mdp);
    }
}

// w0 on the k states that were not seen, each w0/k, as a base and smaller weights
static void test_base(void **state)
{
    (void)state;
    static fixture f, full;
    lgkt_rng rng = lgkt_rng_stream(1, "value iteration", 2);
    fixture_init(&f, ACTIONS);
    fixture_init(&full, ACTIONS);
    double share[PAIRS];
    for (int32_t z = 0; z < PAIRS; z++) {
        f.rows[z].reward = full.rows[z].reward = lgkt_rng_uniform(&rng);
        const int32_t seen = lgkt_rng_below(&rng, 4), k = STATES - seen;
        const double w0 = seen == 0 ? 1 : 0.3;
        share[z] = w0 / k;
        // y + z mod S, y < seen, was seen
        for (int32_t y = 0; y < STATES; y++) {
            const double p = y < seen ? (1 - w0) / seen : share[z];
            lead(&full, z, (y + z) % STATES, p);
            if (y < seen)
                lead(&f, z, (y + z) % STATES, p - share[z]);
        }
    }
    lgkt_vi_gather(&f.vi, &f.counts, STATES);
    lgkt_vi_gather(&full.vi, &full.counts, STATES);
    for (int32_t z = 0; z < PAIRS; z++)
        f.rows[z].base = share[z];
    weigh(&f, 1);
    weigh(&full, 1);
    assert_close(lgkt_vi_gain(&f.vi, 1e-12), lgkt_vi_gain(&full.vi, 1e-12), 1e-12);
    for (int32_t z = 0; z < PAIRS; z++)
        assert_close(lgkt_vi_value(&f.vi, (size_t)z, 0.7), lgkt_vi_value(&full.vi, (size_t)z, 0.7),
                     1e-10);
}

static void test_periodic_and_capped(void **state)
{
    (void)state;
    static fixture f;
    lgkt_mdp *mdp = model_two_cycle();
    take_model(&f, mdp);
    assert_close(lgkt_vi_gain(&f.vi, 1e-9), 0.5, 1e-9);
    assert_between((double)f.vi.sweeps, 201, 260);
    assert_int_equal(f.vi.cap_hits, 0);
    take_model(&f, mdp);
    f.vi.sweep_cap = 7;
    lgkt_vi_gain(&f.vi, 1e-9);
    lgkt_vi_discounted(&f.vi, 0.9, 1e-9);
    assert_int_equal(f.vi.sweeps, 14);
    assert_int_equal(f.vi.cap_hits, 2);
    lgkt_mdp_destroy(mdp);
}

// a precision that doubles do not have: what rounding leaves is the end, and soon
static void test_no_finer_than_rounding(void **state)
{
    (void)state;
    static fixture f;
    lgkt_rng rng = lgkt_rng_stream(4, "rounding", 0);
    for (int i = 0; i < 50; i++) {
        lgkt_mdp *mdp = model_random(&rng, STATES, ACTIONS, 1);
        const double offset = i % 2 == 0 ? 0 : 1e15;
        take_model(&f, mdp);
        const double gain = lgkt_vi_gain(&f.vi, 1e-9);
        take_model(&f, mdp);
        for (int32_t z = 0; z < PAIRS; z++)
            f.rows[z].reward += offset;
        assert_close(lgkt_vi_gain(&f.vi, 1e-300), offset + gain, 1e-9 + 1e-14 * offset);
        assert_int_equal(f.vi.cap_hits, 0);
        lgkt_mdp_destroy(mdp);
    }
}

// rows that change one by one are those of one gather, and each row `copies` times
static void test_insert(void **state)
{
    (void)state;
    static fixture f;
    lgkt_rng rng = lgkt_rng_stream(1, "value iteration", 3);
    fixture_init(&f, ACTIONS);
    f.vi.follows = &f.counts;
    const lgkt_learner learner = {.problem.states = STATES};
    lgkt_vi_gather(&f.vi, &f.counts, STATES);
    static bool seen[PAIRS][STATES];
    for (int i = 0; i < 300; i++) {
        const int32_t z = lgkt_rng_below(&rng, PAIRS), y = lgkt_rng_below(&rng, STATES);
        if (seen[z][y])
            continue;
        seen[z][y] = true;
        const int32_t first = f.counts.rows[z].first;
        lead(&f, z, y, i + 1);
        assert_true(lgkt_vi_keeps_up(&learner, &f.vi, (size_t)z, first, y));
        f.weight[f.rows[z].start] = i + 1;
    }
    static fixture other;
    other = f;
    other.vi.rows = other.rows;
    other.vi.next = other.next;
    other.vi.weight = other.weight;
    other.counts.items = other.edges;
    other.counts.rows = other.tallies;
    lgkt_vi_gather(&other.vi, &other.counts, STATES);
    weigh(&other, 1);
    assert_memory_equal(f.rows, other.rows, sizeof f.rows);
    assert_memory_equal(f.next, other.next, sizeof f.next);
    assert_memory_equal(f.weight, other.weight, sizeof f.weight);
}

static void test_rows_taken_away(void **state)
{
    (void)state;
    static fixture f;
    fixture_init(&f, ACTIONS);
    for (int32_t z = 0; z < ACTIONS; z++)
        lead(&f, z, 0, 1);
    lgkt_vi_gather(&f.vi, &f.counts, 1);
    weigh(&f, 1);
    const double rewards[ACTIONS] = {1, 2, 2 - 1e-13, 0};
    for (int32_t a = 0; a < ACTIONS; a++)
        f.rows[a].reward = rewards[a];
    assert_close(lgkt_vi_gain(&f.vi, 1e-12), 2, 0);
    f.rows[1].reward = f.rows[2].reward = -INFINITY;
    assert_close(lgkt_vi_gain(&f.vi, 1e-12), 1, 0);
    assert_true(lgkt_vi_value(&f.vi, 1, 1) == -INFINITY);
}

// two states, two actions, n = [[4, 1], [9, 0]], C(0,0) = (3, 1), C(0,1) = (0, 1), C(1,0) = (3, 6),
// mean rewards [[.25, 0], [.5, -]], g = .9: MBIE-EB with beta = .4, R-max with m = 4, BEB with
// beta = 2.5. The values are from a program of its own.
static void test_published_planners(void **state)
{
    (void)state;
    static fixture f;
    const double n[4] = {4, 1, 9, 0}, mean[4] = {0.25, 0, 0.5, 0};
    const double q[3][4] = {{9.045, 9.4, 9.453333333, 10},
                            {9.25, 10, 9.5, 10},
                            {10.324829932, 10.629251701, 10.492578850, 10.969387755}};
    for (int planner = 0; planner < 3; planner++) {
        fixture_init(&f, 2);
        lead(&f, 0, 0, 3);
        lead(&f, 0, 1, 1);
        lead(&f, 1, 1, 1);
        lead(&f, 2, 0, 3);
        lead(&f, 2, 1, 6);
        lgkt_vi_gather(&f.vi, &f.counts, 2);
        f.vi.leaky = planner < 2;
        for (int32_t z = 0; z < 4; z++) {
            const bool fixed = planner == 0 ? n[z] == 0 : planner == 1 && n[z] < 4;
            const double bonus = planner == 0   ? 0.4 / sqrt(fmax(1, n[z]))
                                 : planner == 2 ? 2.5 / (2 + n[z])
                                                : 0;
            f.rows[z].reward = fixed ? 10 : mean[z] + bonus;
            f.rows[z].base = planner == 2 ? 0.5 / (n[z] + 1) : 0;
            int32_t e = f.tallies[z].first;
            for (int32_t at = f.rows[z].start; at < f.rows[z + 1].start; at++) {
                f.weight[at] = fixed ? 0 : f.edges[e].count / (n[z] + (planner == 2));
                e = f.edges[e].other;
            }
        }
        lgkt_vi_discounted(&f.vi, 0.9, 1e-10);
        for (int32_t z = 0; z < 4; z++)
            assert_close(lgkt_vi_value(&f.vi, (size_t)z, 0.9), q[planner][z], 1e-9);
    }
}

// no pair is worth more than the ceiling, and a plan that is done leaves fixed values as they are
static void test_ceiling(void **state)
{
    (void)state;
    static fixture f;
    fixture_init(&f, 2);
    for (int32_t z = 0; z < 4; z++)
        lead(&f, z, z / 2, 1);
    lgkt_vi_gather(&f.vi, &f.counts, 2);
    weigh(&f, 1);
    const double rewards[4] = {3, 1.5, 0.25, 0};
    for (int32_t z = 0; z < 4; z++)
        f.rows[z].reward = rewards[z];
    f.vi.capped = true;
    f.vi.ceiling = 4;
    lgkt_vi_discounted(&f.vi, 0.5, 1e-10);
    // 3 + 4/2 and 1.5 + 4/2, cut at 4; 0.25 for ever
    assert_close(f.u[0], 4, 0);
    assert_close(f.u[1], 0.5, 1e-10);
    assert_close(lgkt_vi_value(&f.vi, 0, 0.5), 4, 0);
    assert_close(lgkt_vi_value(&f.vi, 1, 0.5), 3.5, 1e-10);
    // out of reach it changes nothing
    f.vi.ceiling = 100;
    lgkt_vi_discounted(&f.vi, 0.5, 1e-10);
    assert_close(f.u[0], 6, 1e-10);
    // a pair without mass has its reward, whatever the precision is
    f.rows[0].reward = 7;
    f.weight[f.rows[0].start] = 0;
    f.vi.capped = false;
    f.vi.leaky = true;
    lgkt_vi_discounted(&f.vi, 0.5, 1e-2);
    assert_close(f.u[0], 7, 0);
    assert_close(f.u[1], 0.5, 1e-2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gain),
        cmocka_unit_test(test_discounted),
        cmocka_unit_test(test_base),
        cmocka_unit_test(test_periodic_and_capped),
        cmocka_unit_test(test_no_finer_than_rounding),
        cmocka_unit_test(test_insert),
        cmocka_unit_test(test_rows_taken_away),
        cmocka_unit_test(test_published_planners),
        cmocka_unit_test(test_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
