// SPDX-License-Identifier: MIT
// labels: threads
// Instances reduced as they come, against a plain computation over all numbers of all instances;
// and the memory of reproductions and merges, which is 8 bytes a run and 8 an instance.
//
// The linker sends malloc, calloc, realloc and free of all our objects to the functions below
// (--wrap, see CMakeLists.txt), which add up what is in use.
#include "test.h"

#include <malloc.h>
#include <stdlib.h>

#include "experiments/studies/studies.h"
#include "experiments/runner/reduction.h"
#include "experiments/runner/store.h"
#include "ref/folders.h"
#include "ref/paired.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

static atomic_llong used, most; // bytes; the most since it was set

static void *count(void *memory)
{
    const long long now = atomic_fetch_add(&used, (long long)malloc_usable_size(memory)) +
                          (long long)malloc_usable_size(memory);
    long long before = atomic_load(&most);
    while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
        ;
    return memory;
}

static void uncount(void *memory)
{
    atomic_fetch_sub(&used, (long long)malloc_usable_size(memory));
}

void *__wrap_malloc(size_t size)
{
    return count(__real_malloc(size));
}

void *__wrap_calloc(size_t times, size_t size)
{
    return count(__real_calloc(times, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    uncount(memory);
    return count(__real_realloc(memory, size));
}

void __wrap_free(void *memory)
{
    uncount(memory);
    __real_free(memory);
}

// ---- made up instances ----

enum { N = 37, LEARNERS = 5, MEASURES = 3, TIMES = 4, POINTS = LEARNERS * MEASURES * TIMES };

static const exp_measure measures[MEASURES] = {{EXP_MEASURE_AVERAGE, "average", NULL},
                                               {EXP_MEASURE_REGRET, "regret", NULL},
                                               {EXP_MEASURE_COUNTER, "counter:c", "c"}};
static int64_t times[TIMES] = {1, 5, 10, 20};
static const exp_panel panel_all = {
    .entry_count = LEARNERS, .horizon = 20, .measures = measures, .measure_count = MEASURES};
static const exp_setup setup_all = {.panel = &panel_all,
                                    .instances = N,
                                    .checkpoints = times,
                                    .checkpoint_count = TIMES,
                                    .compared = {0, 2, 3},
                                    .compared_count = 3,
                                    .regret_k = 1};

typedef struct instance {
    double optimum, random;
    exp_measured scores[LEARNERS];
    double curve[POINTS];
} instance;

static instance instances[N];

// what is known of the panel: each learner counts two things
static exp_facts make_facts(void)
{
    exp_facts facts = {
        .note = "note", .entries = calloc(LEARNERS, sizeof *facts.entries), .count = LEARNERS};
    assert_non_null(facts.entries);
    for (int l = 0; l < LEARNERS; l++)
        facts.entries[l] = (exp_entry_facts){.count = 2, .names = {"first", "second"}};
    return facts;
}

// far from 0, so that a sum of squares would lose most of its digits
static double draw(void)
{
    static uint64_t bits = 1;
    bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return 1000.0 + (double)(bits >> 11) * 0x1p-53;
}

static int make_instances(void **state)
{
    for (int i = 0; i < N; i++) {
        instance *made = &instances[i];
        made->optimum = draw() + 1.0;
        made->random = draw() - 1.0;
        for (int l = 0; l < LEARNERS; l++)
            made->scores[l] = (exp_measured){.reward = draw(),
                                             .observed = draw(),
                                             .regret = draw(),
                                             .seconds = draw(),
                                             .counters = {i + l, 7}};
        for (int p = 0; p < POINTS; p++)
            made->curve[p] = draw();
        // learner 1 has no such counter
        for (int c = 0; c < TIMES; c++)
            made->curve[(1 * MEASURES + 2) * TIMES + c] = NAN;
    }
    return folders_make(state);
}

static exp_reduction reduce(const exp_setup *setup)
{
    exp_reduction reduction;
    exp_facts facts = make_facts();
    lgkt_error error = {0};
    assert_ok(exp_reduction_create(&reduction, setup, &facts, &error), error);
    for (int i = 0; i < setup->instances; i++) {
        const exp_outcome outcome = {instances[i].optimum, instances[i].random, instances[i].scores,
                                     instances[i].curve, 0.0};
        exp_reduction_add(&reduction, &outcome);
    }
    return reduction;
}

// ---- all numbers, one after the other ----

// in two passes, of x or of x - y
static void assert_estimate(exp_estimate got, const double *x, const double *y, double scale)
{
    long double mean = 0.0L, squares = 0.0L;
    for (int i = 0; i < N; i++)
        mean += ((long double)x[i] - (y != NULL ? y[i] : 0.0)) / N;
    for (int i = 0; i < N; i++) {
        const long double distance = (long double)x[i] - (y != NULL ? y[i] : 0.0) - mean;
        squares += distance * distance;
    }
    if (isnan((double)mean)) {
        assert_true(isnan(got.mean) && isnan(got.ci95));
        return;
    }
    // Student's t of 36 degrees of freedom, 0.975: 2.0280940009804502
    const double ci95 = 2.0280940009804502 * (double)sqrtl(squares / (N - 1) / N);
    assert_close(got.mean, scale * (double)mean, scale * 1e-12);
    assert_close(got.ci95, scale * ci95, scale * 1e-10);
}

static void row_of(double *row, int measure, int learner, int time)
{
    for (int i = 0; i < N; i++)
        row[i] = instances[i].curve[(learner * MEASURES + measure) * TIMES + time];
}

static void assert_same_estimate(const exp_reduction *reduction, exp_estimate got,
                                 exp_moments moments)
{
    const exp_estimate expected = exp_estimate_of(reduction, moments);
    assert_memory_equal(&got, &expected, sizeof got);
}

static void check_curves(const exp_reduction *reduction)
{
    double x[N], y[N];
    for (int m = 0; m < MEASURES; m++)
        for (int l = 0; l < LEARNERS; l++)
            for (int c = 0; c < TIMES; c++) {
                row_of(x, m, l, c);
                const exp_estimate got = exp_curve_point(reduction, m, l, c);
                assert_estimate(got, x, NULL, 1.0);
                if (!isnan(x[0]))
                    assert_same_estimate(reduction, got, exp_moments_of(x, N));
            }
    for (int at = 0; at < reduction->setup->compared_count; at++)
        for (int l = 0; l < LEARNERS; l++)
            for (int m = l + 1; m < LEARNERS; m++) {
                row_of(x, 0, l, setup_all.compared[at]);
                row_of(y, 0, m, setup_all.compared[at]);
                const exp_estimate got = exp_pair_point(reduction, at, l, m);
                assert_estimate(got, x, y, 1.0);
                if (!isnan(x[0]) && !isnan(y[0]))
                    assert_same_estimate(reduction, got, paired_moments(x, y, N));
            }
}

static void check_learner(const exp_reduction *reduction, int learner)
{
    double optimum[N], random[N], reward[N], observed[N], regret[N];
    long double seconds = 0.0L;
    for (int i = 0; i < N; i++) {
        const exp_measured *score = &instances[i].scores[learner];
        optimum[i] = instances[i].optimum;
        random[i] = instances[i].random;
        reward[i] = score->reward;
        observed[i] = score->observed;
        regret[i] = score->regret;
        seconds += score->seconds;
    }
    const exp_summary got = exp_summarize(reduction, learner);
    const double best = exp_moments_of(optimum, N).mean, mean = exp_moments_of(reward, N).mean;
    assert_estimate(exp_estimate_of(reduction, reduction->optimum), optimum, NULL, 1.0);
    assert_estimate(exp_estimate_of(reduction, reduction->random), random, NULL, 1.0);
    assert_estimate(got.reward, reward, NULL, 1.0);
    assert_estimate(got.observed, observed, NULL, 1.0);
    assert_close(got.seconds, (double)seconds, 1e-9);
    assert_close(got.steps_per_second, N * 20 / got.seconds, 1e-12);
    assert_estimate(got.threshold_regret, regret, NULL, 1.0);
    assert_estimate(got.optimum_regret, optimum, reward, 20.0);
    if (isnan(best)) {
        assert_true(isnan(got.share) && isnan(got.score));
    } else {
        const double low = exp_moments_of(random, N).mean;
        assert_close(got.share, mean / best, 1e-15);
        assert_close(got.score, 100.0 * (mean - low) / (best - low), 1e-10);
    }
    assert_int_equal(reduction->facts.entries[learner].totals[0], N * (N - 1) / 2 + N * learner);
    assert_int_equal(reduction->facts.entries[learner].totals[1], 7 * N);
}

static void assert_spread(const exp_reduction *reduction, int learner, const double *row, bool less)
{
    double x[N];
    memcpy(x, row, sizeof x);
    const exp_spread expected = exp_spread_of(x, N, less);
    const exp_spread got = exp_summarize(reduction, learner).spread;
    assert_memory_equal(&got, &expected, sizeof got);
}

static void test_against_all_numbers(void **state)
{
    (void)state;
    exp_reduction reduction = reduce(&setup_all);
    check_curves(&reduction);
    double row[N];
    for (int l = 0; l < LEARNERS; l++) {
        check_learner(&reduction, l);
        row_of(row, 0, l, TIMES - 1);
        assert_spread(&reduction, l, row, false);
    }
    exp_reduction_free(&reduction);
}

// a first measure of which less is better, and that one learner does not have
static void test_other_measures_first(void **state)
{
    (void)state;
    static const exp_measure turned[MEASURES] = {{EXP_MEASURE_REGRET, "regret", NULL},
                                                 {EXP_MEASURE_AVERAGE, "average", NULL},
                                                 {EXP_MEASURE_COUNTER, "counter:c", "c"}};
    exp_panel panel = panel_all;
    exp_setup setup = setup_all;
    panel.measures = turned;
    setup.panel = &panel;
    const double kept = instances[5].curve[2 * MEASURES * TIMES + TIMES - 1];
    instances[5].curve[2 * MEASURES * TIMES + TIMES - 1] = NAN;
    exp_reduction reduction = reduce(&setup);
    check_curves(&reduction);
    double row[N];
    for (int l = 0; l < LEARNERS; l++) {
        row_of(row, 0, l, TIMES - 1);
        if (l != 2)
            assert_spread(&reduction, l, row, true);
        else
            assert_true(isnan(exp_summarize(&reduction, l).spread.median) &&
                        isnan(exp_summarize(&reduction, l).spread.worst));
    }
    exp_reduction_free(&reduction);
    instances[5].curve[2 * MEASURES * TIMES + TIMES - 1] = kept;
}

// an environment without a model: nothing but optimum and random is touched by that
static void test_without_a_model(void **state)
{
    (void)state;
    double kept[N][2];
    for (int i = 0; i < N; i++) {
        kept[i][0] = instances[i].optimum;
        kept[i][1] = instances[i].random;
        instances[i].optimum = instances[i].random = NAN;
    }
    exp_reduction reduction = reduce(&setup_all);
    check_curves(&reduction);
    for (int l = 0; l < LEARNERS; l++)
        check_learner(&reduction, l);
    exp_reduction_free(&reduction);
    for (int i = 0; i < N; i++) {
        instances[i].optimum = kept[i][0];
        instances[i].random = kept[i][1];
    }
}

// without curves the spread is that of rewards; of one instance there are no intervals
static void test_small_ones(void **state)
{
    (void)state;
    exp_setup setup = setup_all;
    double row[N];
    setup.checkpoint_count = setup.compared_count = 0;
    exp_reduction reduction = reduce(&setup);
    for (int l = 0; l < LEARNERS; l++) {
        for (int i = 0; i < N; i++)
            row[i] = instances[i].scores[l].reward;
        check_learner(&reduction, l);
        assert_spread(&reduction, l, row, false);
    }
    exp_reduction_free(&reduction);

    exp_panel panel = panel_all;
    panel.entry_count = 1;
    setup = setup_all;
    setup.panel = &panel;
    setup.instances = 1;
    setup.regret_k = 0;
    reduction = reduce(&setup);
    const exp_summary got = exp_summarize(&reduction, 0);
    assert_close(got.reward.mean, instances[0].scores[0].reward, 0);
    assert_true(isnan(got.reward.ci95));
    assert_close(got.spread.median, instances[0].curve[TIMES - 1], 0);
    assert_close(got.spread.worst, instances[0].curve[TIMES - 1], 0);
    assert_true(got.threshold_regret.mean == 0.0 && got.optimum_regret.mean == 0.0);
    exp_reduction_free(&reduction);
}

// ---- memory ----

// what a reduction takes for this many instances
static long long bytes_of(int64_t instances_count)
{
    exp_setup setup = setup_all;
    exp_reduction reduction;
    lgkt_error error = {0};
    setup.instances = instances_count;
    const long long before = atomic_load(&used);
    exp_facts facts = make_facts();
    assert_ok(exp_reduction_create(&reduction, &setup, &facts, &error), error);
    const long long after = atomic_load(&used);
    exp_reduction_free(&reduction);
    assert_true(atomic_load(&used) == before);
    return after - before;
}

enum { PAGE = 4096 }; // by which a large piece is rounded up

static void test_bytes_of_a_reduction(void **state)
{
    (void)state;
    const int64_t few = 10000, many = 50000;
    const long long more = bytes_of(many) - bytes_of(few);
    print_message("bytes a run: %.3f\n", (double)more / (double)((many - few) * LEARNERS));
    assert_in_range(more, 8 * (many - few) * LEARNERS - 2 * PAGE,
                    8 * (many - few) * LEARNERS + 2 * PAGE);
}

// the most that a reproduction of this many instances has in use, or the merge of two parts of it
static long long most_of(int64_t replicates, bool merge)
{
    static const char text[] =
        "{\"title\": \"Bytes\", \"horizon\": 2, \"instances\": 1, \"compare\": [1],"
        " \"learners\": {\"all\": [{\"label\": \"A\", \"spec\": \"random\"},"
        "   {\"label\": \"B\", \"spec\": \"random\"}]},"
        " \"panels\": [{\"name\": \"p\", \"environment\": \"riverswim:states=3\","
        "   \"learners\": [\"all\"]}]}";
    exp_experiment experiment;
    lgkt_error error = {0};
    assert_ok(exp_experiment_parse(&experiment, text, strlen(text), "bytes.json", &error), error);
    const char *folder = folders_in("bytes");
    const long long before = atomic_load(&used);
    for (int part = 0; part < (merge ? 2 : 1); part++) {
        const exp_reproduction asked = {.asked = {.experiment = &experiment,
                                                  .replicates = replicates,
                                                  .seed = 1,
                                                  .files = &io_true_files},
                                        .folder = folder,
                                        .shard = {part, merge ? 2 : 0},
                                        .how.jobs = 1};
        exp_session session = {0};
        atomic_store(&most, before);
        assert_ok(exp_reproduce(&asked, &session, &error), error);
        assert_true(session.complete);
    }
    if (merge) {
        const exp_merging asked = {.paths = &folder, .path_count = 1, .out = folders_in("merged")};
        exp_merged merged = {0};
        atomic_store(&most, before);
        assert_ok(exp_merge(&asked, &merged, &error), error);
        assert_true(merged.complete && merged.found == replicates);
    }
    const long long result = atomic_load(&most) - before;
    exp_experiment_free(&experiment);
    folders_empty(folders_root());
    return result;
}

static void test_bytes_of_tables(void **state)
{
    (void)state;
    const int64_t few = 2000, many = test_short() ? 4000 : 10000, runs = 2 * (many - few);
    for (int merge = 0; merge < 2; merge++) {
        const long long more = most_of(many, merge) - most_of(few, merge);
        print_message("bytes a run%s: %.3f\n", merge ? ", merged" : "",
                      (double)more / (double)runs);
        assert_true(more <= 8 * runs + 8 * (many - few) + 2 * PAGE);
    }
}

// what making and playing an experiment of so many panels has in use at most
static long long most_of_panels(int panels)
{
    char text[600];
    snprintf(text, sizeof text,
             "{\"title\": \"Grid\", \"horizon\": 20, \"instances\": 1,"
             " \"learners\": {\"all\": [{\"label\": \"L\", \"spec\": \"ucrl2\"}]},"
             " \"panels\": [{\"name\": \"p{n}\", \"grid\": {\"n\": {\"from\": 201, \"to\": %d,"
             "   \"count\": %d}}, \"environment\": \"riverswim:states={n}\","
             "   \"learners\": [\"all\"]}]}",
             200 + panels, panels);
    exp_experiment experiment;
    lgkt_error error = {0};
    assert_ok(exp_experiment_parse(&experiment, text, strlen(text), "grid.json", &error), error);
    const exp_reproduction asked = {
        .asked = {.experiment = &experiment, .seed = 1, .files = &io_true_files},
        .folder = folders_in("grid"),
        .how.jobs = 1};
    exp_session session = {0};
    const long long before = atomic_load(&used);
    atomic_store(&most, before);
    assert_ok(exp_reproduce(&asked, &session, &error), error);
    assert_true(session.complete);
    const long long result = atomic_load(&most) - before;
    exp_experiment_free(&experiment);
    folders_empty(folders_root());
    return result;
}

// a panel is made when it is played and dropped then: many take little more than few
static void test_bytes_of_panels(void **state)
{
    (void)state;
    const long long few = most_of_panels(3), many = most_of_panels(40);
    print_message("bytes of 3 panels: %lld, of 40: %lld\n", few, many);
    assert_true(many < 2 * few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all_numbers),  cmocka_unit_test(test_other_measures_first),
        cmocka_unit_test(test_without_a_model),      cmocka_unit_test(test_small_ones),
        cmocka_unit_test(test_bytes_of_a_reduction), cmocka_unit_test(test_bytes_of_tables),
        cmocka_unit_test(test_bytes_of_panels),
    };
    return cmocka_run_group_tests(tests, make_instances, folders_remove);
}
