// SPDX-License-Identifier: MIT
// Rows of successors in edges, against dense arrays; how they are saved and grow.

#include "test.h"

#include "core/archive.h"
#include "learners/model/successors.h"
#include "ref/fault.h"

enum { MOST_STATES = 12, MOST_ACTIONS = 4, MOST_PAIRS = MOST_STATES * MOST_ACTIONS };

// a learner that owns the memory, and the counts
typedef struct owner {
    fault memory;
    lgkt_learner *learner;
    lgkt_successors counts;
    int32_t states; // there is room for
} owner;

static void owner_init(owner *o, int32_t states, int32_t actions, int64_t horizon)
{
    fault_init(&o->memory);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = states;
    config.problem.actions = actions;
    config.problem.horizon = horizon;
    config.allocator = fault_allocator(&o->memory);
    lgkt_error error = {0};
    assert_ok(lgkt_learner_create("random", &config, &o->learner, &error), error);
    o->counts = (lgkt_successors){.rows = NULL};
    o->states = states;
}

static void owner_release(owner *o)
{
    lgkt_successors_part.release(o->learner, &o->counts);
    lgkt_learner_destroy(o->learner);
    assert_true(fault_is_clean(&o->memory));
}

static bool add(owner *o, int32_t s, int32_t a, double reward, int32_t next, bool ended)
{
    const size_t z = (size_t)s * (size_t)o->learner->problem.actions + (size_t)a;
    return lgkt_successors_add_edge(o->learner, &o->counts, z, reward, next, ended) == LGKT_OK;
}

// ---- dense arrays ----

typedef struct dense {
    double reward[MOST_PAIRS];
    int64_t n[MOST_PAIRS], to[MOST_PAIRS][MOST_STATES];
} dense;

static void dense_add(dense *d, int32_t z, double reward, int32_t next, bool ended)
{
    d->n[z]++;
    d->reward[z] += reward;
    d->to[z][next] += !ended;
}

static void check_pair(const lgkt_successors *counts, const dense *d, int32_t z, int32_t states)
{
    const lgkt_seen_row *pair = &counts->rows[z];
    int64_t to[MOST_STATES] = {0}, moves = 0;
    const lgkt_edge *edges = lgkt_successors_edges(counts);
    for (int32_t e = pair->first; e >= 0; e = edges[e].other) {
        assert_in_range(edges[e].next, 0, states - 1);
        assert_true(edges[e].count >= 1);
        // one edge to each state
        assert_int_equal(to[edges[e].next], 0);
        to[edges[e].next] = (int64_t)edges[e].count;
    }
    for (int32_t y = 0; y < states; y++) {
        assert_int_equal(to[y], d->to[z][y]);
        moves += d->to[z][y];
    }
    assert_true(pair->n == (double)d->n[z]);
    assert_true(pair->moves == (double)moves);
    assert_true(pair->reward == d->reward[z]);
}

static void check_dense(const owner *o, const dense *d)
{
    const int32_t actions = o->learner->problem.actions;
    int64_t edges = 0;
    for (int32_t z = 0; z < o->states * actions; z++) {
        check_pair(&o->counts, d, z, o->states);
        for (int32_t y = 0; y < o->states; y++)
            edges += d->to[z][y] > 0;
    }
    assert_int_equal(o->counts.used, edges);
    assert_true(o->counts.used <= o->counts.capacity);
}

// random steps for both
static void add_many(owner *o, dense *d, lgkt_rng *rng, int steps, double cuts)
{
    for (int i = 0; i < steps; i++) {
        const int32_t s = lgkt_rng_below(rng, o->states);
        const int32_t a = lgkt_rng_below(rng, o->learner->problem.actions);
        const int32_t next = lgkt_rng_below(rng, o->states);
        const double reward = lgkt_rng_normal(rng);
        const bool ended = lgkt_rng_bernoulli(rng, cuts);
        assert_true(add(o, s, a, reward, next, ended));
        dense_add(d, s * o->learner->problem.actions + a, reward, next, ended);
    }
}

// ---- tests ----

// with a long horizon the pool has room for every edge there can be, and no step allocates
static void test_counts_agree_with_dense_arrays(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        owner o;
        dense d = {.reward = {0}};
        lgkt_rng rng = lgkt_rng_stream(4, "steps", (uint64_t)i);
        const int32_t states = 1 + i, actions = 1 + i % MOST_ACTIONS;
        owner_init(&o, states, actions, 100000);
        assert_true(lgkt_successors_part.grow(o.learner, &o.counts, 0, states));
        assert_int_equal(o.counts.capacity, (int64_t)states * states * actions);
        const long long calls = atomic_load(&o.memory.calls);
        check_dense(&o, &d);
        for (int j = 0; j < 20; j++) {
            add_many(&o, &d, &rng, 100, j % 3 * 0.3);
            check_dense(&o, &d);
        }
        assert_int_equal(atomic_load(&o.memory.calls), calls);
        owner_release(&o);
    }
}

// a short run needs no more edges than it has steps; what is beyond grows the pool
static void test_pool_grows_beyond_the_horizon(void **state)
{
    (void)state;
    owner o;
    dense d = {.reward = {0}};
    lgkt_rng rng = lgkt_rng_stream(4, "beyond", 0);
    owner_init(&o, MOST_STATES, MOST_ACTIONS, 7);
    assert_true(lgkt_successors_part.grow(o.learner, &o.counts, 0, MOST_STATES));
    assert_int_equal(o.counts.capacity, 7);
    const long long calls = atomic_load(&o.memory.calls);
    add_many(&o, &d, &rng, 7, 0);
    assert_int_equal(atomic_load(&o.memory.calls), calls);
    for (int i = 0; i < 40; i++) {
        add_many(&o, &d, &rng, 50, 0.1);
        check_dense(&o, &d);
    }
    // doubling: few allocations, and never more than about twice what is used
    assert_true(atomic_load(&o.memory.calls) - calls < 9);
    assert_true(o.counts.capacity <= 2 * o.counts.used + 16);
    owner_release(&o);
}

// once every pair leads everywhere there is nothing to make room for
static void test_a_full_pool_is_enough(void **state)
{
    (void)state;
    owner o;
    owner_init(&o, 4, 2, 3);
    assert_true(lgkt_successors_part.grow(o.learner, &o.counts, 0, 4));
    for (int32_t i = 0; i < 4 * 2 * 4; i++)
        assert_true(add(&o, i / 8, i / 4 % 2, 1, i % 4, false));
    assert_int_equal(o.counts.used, 32);
    assert_int_equal(o.counts.capacity, 32);
    fault_fail_at(&o.memory, 1, true);
    assert_true(lgkt_successors_prepare(o.learner, &o.counts));
    assert_true(add(&o, 3, 1, 1, 0, false));
    owner_release(&o);
}

// an add that memory does not suffice for counts nothing; known edges and cuts need none
static void test_adds_without_memory_count_nothing(void **state)
{
    (void)state;
    owner o;
    dense d = {.reward = {0}};
    owner_init(&o, 3, 1, 1);
    assert_true(lgkt_successors_part.grow(o.learner, &o.counts, 0, 3));
    assert_int_equal(o.counts.capacity, 1);
    assert_true(add(&o, 0, 0, 1, 1, false));
    dense_add(&d, 0, 1, 1, false);
    fault_fail_at(&o.memory, 1, true);
    assert_false(lgkt_successors_prepare(o.learner, &o.counts));
    assert_false(add(&o, 0, 0, 1, 2, false));
    check_dense(&o, &d);
    assert_true(add(&o, 0, 0, 1, 1, false));
    assert_true(add(&o, 1, 0, 1, 2, true));
    dense_add(&d, 0, 1, 1, false);
    dense_add(&d, 1, 1, 2, true);
    check_dense(&o, &d);
    fault_fail_at(&o.memory, 0, false);
    assert_true(lgkt_successors_prepare(o.learner, &o.counts));
    fault_fail_at(&o.memory, 1, true);
    assert_true(add(&o, 0, 0, 1, 2, false));
    dense_add(&d, 0, 1, 2, false);
    check_dense(&o, &d);
    owner_release(&o);
}

// where states become known one by one, what was counted stays
static void test_states_are_added(void **state)
{
    (void)state;
    owner o;
    dense d = {.reward = {0}};
    lgkt_rng rng = lgkt_rng_stream(4, "grow", 0);
    owner_init(&o, 1, 2, 1000);
    o.learner->grows = true;
    for (int32_t states = 1; states <= MOST_STATES; states++) {
        // a growth that fails leaves everything
        fault_fail_at(&o.memory, 1, true);
        assert_false(lgkt_successors_part.grow(o.learner, &o.counts, states - 1, states));
        fault_fail_at(&o.memory, 0, false);
        assert_true(lgkt_successors_part.grow(o.learner, &o.counts, states - 1, states));
        o.states = o.learner->problem.states = states;
        check_dense(&o, &d);
        add_many(&o, &d, &rng, 30, 0.1);
        check_dense(&o, &d);
    }
    owner_release(&o);
}

static void test_failing_allocations(void **state)
{
    (void)state;
    for (long long k = 1; k <= 2; k++) {
        owner o;
        owner_init(&o, 3, 2, 100);
        fault_fail_at(&o.memory, k, true);
        assert_false(lgkt_successors_part.grow(o.learner, &o.counts, 0, 3));
        owner_release(&o);
    }
}

// ---- saving ----

enum { ROOM = 16384 };

static size_t save(owner *o, unsigned char *bytes)
{
    lgkt_archive archive = lgkt_archive_save(bytes, ROOM);
    lgkt_successors_part.visit(o->learner, &o->counts, &archive);
    assert_true(archive.at <= ROOM);
    return archive.at;
}

// whether the bytes were taken, all of them
static bool load(owner *o, const unsigned char *bytes, size_t size)
{
    owner_init(o, MOST_STATES, MOST_ACTIONS, 7);
    assert_true(lgkt_successors_part.grow(o->learner, &o->counts, 0, MOST_STATES));
    lgkt_archive archive = lgkt_archive_load(bytes, size);
    lgkt_successors_part.visit(o->learner, &o->counts, &archive);
    assert_false(archive.starved);
    return !archive.bad && archive.at == size;
}

static void test_saved_counts_come_back(void **state)
{
    (void)state;
    static unsigned char bytes[ROOM], again[ROOM];
    owner o, loaded;
    dense d = {.reward = {0}};
    lgkt_rng rng = lgkt_rng_stream(4, "save", 0);
    owner_init(&o, MOST_STATES, MOST_ACTIONS, 7);
    assert_true(lgkt_successors_part.grow(o.learner, &o.counts, 0, MOST_STATES));
    for (int i = 0; i < 10; i++) {
        const size_t size = save(&o, bytes);
        assert_true(load(&loaded, bytes, size));
        check_dense(&loaded, &d);
        assert_int_equal(save(&loaded, again), size);
        assert_memory_equal(bytes, again, size);
        // too short by a word, or more
        owner cut;
        for (size_t left = 0; left < size; left += 8 * (1 + (size_t)i)) {
            assert_false(load(&cut, bytes, left));
            owner_release(&cut);
        }
        owner_release(&loaded);
        add_many(&o, &d, &rng, 30, 0.2);
    }
    owner_release(&o);
}

// One pair of one action and three states as words: edges, then reward, n, moves, the length of
// its list, and next and count of each edge.
static bool load_words(const int64_t *words, size_t count)
{
    unsigned char bytes[64 * 8];
    for (size_t i = 0; i < 8 * count; i++)
        bytes[i] = (unsigned char)((uint64_t)words[i / 8] >> 8 * (i % 8));
    owner o;
    owner_init(&o, 3, 1, 7);
    assert_true(lgkt_successors_part.grow(o.learner, &o.counts, 0, 3));
    const long long peak = atomic_load(&o.memory.peak);
    lgkt_archive archive = lgkt_archive_load(bytes, 8 * count);
    lgkt_successors_part.visit(o.learner, &o.counts, &archive);
    // no memory is taken for what the bytes cannot hold
    assert_true(atomic_load(&o.memory.peak) < peak + 4096);
    owner_release(&o);
    return !archive.bad && archive.at == 8 * count;
}

static void test_made_up_counts_are_refused(void **state)
{
    (void)state;
    enum { WORDS = 17 };
    static const int64_t right[WORDS] = {2, 0, 9, 7, 2, 1, 3, 0, 4, 0, 0, 0, 0, 0, 1, 0, 0};
    static const struct {
        size_t at;
        int64_t word;
    } wrong[] = {
        {0, -1},        {0, INT32_MAX}, {0, INT64_MAX}, {2, -1},  {2, 6},         {2, INT64_MAX},
        {3, -1},        {3, 6},         {3, 8},         {4, -1},  {4, 4},         {4, INT64_MAX},
        {5, -1},        {5, 3},         {5, 0}, // twice the same
        {5, INT64_MAX}, {6, 0},         {6, -3},        {6, 2},   {6, 4},         {6, INT64_MAX},
        {8, 0},         {8, 5},         {8, 3},         {14, -1}, {1, INT64_MAX}, // a NaN
    };
    assert_true(load_words(right, WORDS));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int64_t words[WORDS];
        memcpy(words, right, sizeof words);
        words[wrong[i].at] = wrong[i].word;
        if (load_words(words, WORDS))
            fail_msg("word %zu = %lld was taken", wrong[i].at, (long long)wrong[i].word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_agree_with_dense_arrays),
        cmocka_unit_test(test_pool_grows_beyond_the_horizon),
        cmocka_unit_test(test_a_full_pool_is_enough),
        cmocka_unit_test(test_adds_without_memory_count_nothing),
        cmocka_unit_test(test_states_are_added),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_saved_counts_come_back),
        cmocka_unit_test(test_made_up_counts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
