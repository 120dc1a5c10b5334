// SPDX-License-Identifier: MIT
// labels: slow
// The command's own layers take memory from malloc and calloc directly, and so does the library
// where no hooks are given. Here both fail at every call in turn, once and for good, while files
// are read and written and experiments run.
//
// The linker sends malloc, calloc and realloc of all our objects to the functions below
// (--wrap, see CMakeLists.txt); jansson is told to use them. Leaks are for the address sanitizer
// and valgrind to find.

#include "test.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <jansson.h>

#include "experiments/studies/studies.h"
#include "experiments/runner/store.h"
#include "experiments/runner/reduction.h"
#include "io/plain/io_folder.h"
#include "io/formats/io_learner.h"
#include "io/formats/io_tape.h"
#include "lgkt/io.h"
#include "ref/folders.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static atomic_llong calls;       // since the last reset
static atomic_llong fail_at;     // the call to fail; 0: none
static atomic_bool fail_forever; // and all later ones

static bool fails(void)
{
    const long long call = atomic_fetch_add(&calls, 1) + 1, at = atomic_load(&fail_at);
    const bool out = at > 0 && (call == at || (call > at && atomic_load(&fail_forever)));
    if (out)
        errno = ENOMEM;
    return out;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

static void fail_from(long long call, bool forever)
{
    atomic_store(&calls, 0);
    atomic_store(&fail_at, call);
    atomic_store(&fail_forever, forever);
}

// ---- the sweep ----

// Does something whole, and frees what it made.
typedef lgkt_status (*task_fn)(lgkt_error *error);

// A string that jansson has no memory for is a syntax error to it.
static bool is_lack_of_memory(lgkt_status status, const lgkt_error *error)
{
    return status == LGKT_ERR_NO_MEMORY ||
           (status == LGKT_ERR_FORMAT && strstr(error->text, " near '") != NULL);
}

static void check_one(const char *name, task_fn task, long long k, bool forever)
{
    lgkt_error error = {0};
    fail_from(k, forever);
    const lgkt_status status = task(&error);
    fail_from(0, false);
    if (!is_lack_of_memory(status, &error) || error.status != status || error.text[0] == '\0')
        fail_msg("%s, allocation %lld failing %s: %s \"%s\"", name, k,
                 forever ? "for good" : "once", lgkt_status_name(status), error.text);
}

static void sweep(const char *name, task_fn task)
{
    lgkt_error error = {0};
    fail_from(0, false);
    assert_ok(task(&error), error);
    const long long count = atomic_load(&calls);
    assert_true(count > 0);
    for (long long k = 1; k <= count; k++) {
        check_one(name, task, k, false);
        check_one(name, task, k, true);
    }
    print_message("%s: %lld allocations failed\n", name, count);
}

// ---- texts ----

static const char MODEL[] =
    "{\"name\": \"two\", \"comment\": \"all there is\", \"states\": 2, \"actions\": 2,"
    " \"start\": [0.5, 0.5], \"rewards\": [[1, 0], [[1, 2], null]], \"allowed\": [[0, 1], [0]],"
    " \"noise\": [[{\"kind\": \"normal\", \"sd\": 0.5}, {\"kind\": \"none\"}],"
    "             [{\"kind\": \"none\"}, null]],"
    " \"edges\": [[0, 0, 0, 1], [0, 1, 1, 1, 3], [1, 0, 0, 1]]}";
static const char PLAIN[] = "{\"states\": 2, \"actions\": 2, \"start\": [0.5, 0.5],"
                            " \"noise\": {\"kind\": \"normal\", \"sd\": 0.5},"
                            " \"rewards\": [[1, 0], [0, 2]],"
                            " \"edges\": [[0, 0, 0, 1], [0, 1, 1, 1], [1, 0, 0, 1], [1, 1, 1, 1]]}";
static const char TAPE[] = "u_next,z_reward,u_reward,u_coin\n0.5,1,0.25,0\n";
static const char PRICES[] = "Date,Close\n2020-01-01,1\n2020-01-02,2\n";

static lgkt_status read_model(lgkt_error *error)
{
    lgkt_io_model *model = NULL;
    const lgkt_status status =
        lgkt_io_model_parse(MODEL, sizeof MODEL - 1, "model", NULL, &model, error);
    lgkt_io_model_destroy(model);
    return status;
}

// texts of at most 13 bytes: jansson drops a letter of longer ones where its buffer cannot grow
static const char EXPERIMENT[] =
    "{\"horizon\": 30, \"instances\": 2, \"measure\": [\"regret\", \"event:e\"],"
    " \"regret\": {\"k\": 1, \"threshold\": 0.5}, \"events\": {\"e\": \"gap\"},"
    " \"checkpoints\": [10], \"compare\": [5, 9],"
    " \"learners\": {\"s\": [{\"label\": \"A\", \"spec\": \"lg1t\", \"style\": {\"dash\": "
    "\"short\"}}, {\"label\": \"B\", \"spec\": \"lgkt:k={k}\", \"grid\": {\"k\": [1, 2]}}]},"
    " \"panels\": [{\"name\": \"p\", \"environment\": \"gap\", \"learners\": [\"s\"]},"
    "  {\"name\": \"q\", \"environment\": \"gap:sd={a}\", \"learners\": [\"s\"],"
    "   \"events\": {\"e\": \"gap:sd={a}\"}, \"horizon\": \"{T}\","
    "   \"grid\": {\"a\": {\"from\": 2, \"to\": 3, \"count\": 2}, \"T\": [30]}}]}";

// from its bytes to what would be run
static lgkt_status read_experiment(lgkt_error *error)
{
    exp_experiment experiment;
    lgkt_status status = exp_experiment_parse(&experiment, EXPERIMENT, sizeof EXPERIMENT - 1,
                                              "some/experiment.json", error);
    const exp_reproduction asked = {
        .asked = {.experiment = &experiment, .seed = 1, .files = &io_true_files}, .how.jobs = 1};
    if (status == LGKT_OK)
        status = exp_reproduction_check(&asked, error);
    exp_experiment_free(&experiment);
    return status;
}

static lgkt_status read_tape(lgkt_error *error)
{
    io_tape tape = {0};
    const lgkt_status status = io_tape_read_text(TAPE, sizeof TAPE - 1, "tape", &tape, error);
    io_tape_release(&tape);
    return status;
}

static lgkt_status read_prices(lgkt_error *error)
{
    double *prices = NULL;
    size_t count;
    const lgkt_status status =
        lgkt_io_series_parse(PRICES, sizeof PRICES - 1, "prices", NULL, &prices, &count, error);
    free(prices);
    return status;
}

static void test_texts(void **state)
{
    (void)state;
    sweep("a model", read_model);
    sweep("an experiment file", read_experiment);
    sweep("a tape", read_tape);
    sweep("prices", read_prices);
}

// ---- files ----

static char path[] = "/tmp/lgkt-fault-XXXXXX";

// to the file and back
static lgkt_status use_model_file(lgkt_error *error)
{
    lgkt_io_model *model = NULL;
    lgkt_env *env = NULL;
    char spec[64], text[2000];
    size_t size;
    snprintf(spec, sizeof spec, "model:file=%s", path);
    lgkt_status status = lgkt_io_model_parse(PLAIN, sizeof PLAIN - 1, "model", NULL, &model, error);
    if (status == LGKT_OK)
        status = lgkt_io_model_print(model, text, sizeof text, &size, error);
    if (status == LGKT_OK)
        status = lgkt_io_model_write(model, path, error);
    if (status == LGKT_OK)
        status = lgkt_io_env_create(spec, NULL, &env, error);
    lgkt_env_destroy(env);
    lgkt_io_model_destroy(model);
    return status;
}

static lgkt_status use_prices_file(lgkt_error *error)
{
    lgkt_env *env = NULL;
    char spec[96];
    snprintf(spec, sizeof spec, "trading:file=%s,window=2,frame-lo=2,frame-hi=100", path);
    const lgkt_status status = lgkt_io_env_create(spec, NULL, &env, error);
    lgkt_env_destroy(env);
    return status;
}

static lgkt_status use_learner_file(lgkt_error *error)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 2;
    config.problem.actions = 2;
    config.problem.horizon = 10;
    lgkt_learner *learner = NULL, *copy = NULL;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    lgkt_status status = lgkt_learner_create("lg2t", &config, &learner, error);
    if (status == LGKT_OK)
        status = io_learner_print(learner, NULL, file, error);
    assert_int_equal(fclose(file), 0);
    if (status == LGKT_OK)
        status = io_learner_read(path, &config, &copy, NULL, error);
    lgkt_learner_destroy(copy);
    lgkt_learner_destroy(learner);
    return status;
}

static lgkt_status choose(lgkt_error *error)
{
    exp_choice choice;
    const lgkt_status status = exp_choose(&choice, &(const char *){path}, 1, error);
    exp_choice_free(&choice);
    return status;
}

static void test_files(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    sweep("a model in a file", use_model_file);
    sweep("a learner in a file", use_learner_file);
    FILE *experiment = fopen(path, "wb");
    assert_non_null(experiment);
    fputs(EXPERIMENT, experiment);
    assert_int_equal(fclose(experiment), 0);
    sweep("a choice of experiments", choose);
    FILE *prices = fopen(path, "wb");
    assert_non_null(prices);
    for (int i = 0; i < 100; i++)
        fprintf(prices, "%d\n", 1 + i % 7);
    assert_int_equal(fclose(prices), 0);
    sweep("prices in a file", use_prices_file);
    remove(path);
}

// ---- experiments ----

static lgkt_status run(int32_t jobs, lgkt_error *error)
{
    static const exp_entry learners[] = {{.label = "a", .spec = "lgkt:k=3"},
                                         {.label = "b", .spec = "lg2t:profile=released"},
                                         {.label = "c", .spec = "optimal"}};
    static const int64_t times[] = {10};
    static const exp_measure measures[] = {{EXP_MEASURE_AVERAGE, "average", NULL},
                                           {EXP_MEASURE_REGRET, "regret", NULL},
                                           {EXP_MEASURE_EVENT, "event:swims", "swims"}};
    static const exp_event events[] = {{"swims", "riverswim:states=3"}};
    static const exp_panel panel = {.name = "panel",
                                    .env = "riverswim:states=3",
                                    .horizon = 20,
                                    .instances = 2,
                                    .measures = measures,
                                    .measure_count = 3,
                                    .events = events,
                                    .event_count = 1,
                                    .regret_k = 2,
                                    .regret_threshold = 0.5,
                                    .times = EXP_TIMES_GIVEN,
                                    .given_times = times,
                                    .given_count = 1,
                                    .compare = times,
                                    .compare_count = 1,
                                    .entries = learners,
                                    .entry_count = 3};
    static const exp_experiment experiment = {.name = "it", .panels = &panel, .panel_count = 1};
    const exp_asked asked = {.experiment = &experiment, .files = &io_true_files};
    const exp_runner how = {.jobs = jobs};
    exp_tasks tasks;
    exp_result result = {0};
    lgkt_status status = exp_tasks_make(&tasks, &asked, error);
    if (status == LGKT_OK)
        status = exp_result_run(&result, &tasks, true, &how, error);
    assert_true(status != LGKT_OK || result.complete);
    exp_result_free(&result);
    exp_tasks_free(&tasks);
    return status;
}

static lgkt_status run_alone(lgkt_error *error)
{
    return run(1, error);
}

static lgkt_status run_together(lgkt_error *error)
{
    return run(2, error);
}

// a part of an experiment into a folder
static lgkt_status keep(const char *part, lgkt_error *error)
{
    exp_experiment experiment = {0};
    exp_session session;
    exp_reproduction asked = {
        .asked = {.experiment = &experiment, .seed = 1, .files = &io_true_files},
        .folder = folders_in("experiment"),
        .how.jobs = 1};
    lgkt_status status = exp_experiment_parse(&experiment, EXPERIMENT, sizeof EXPERIMENT - 1,
                                              "some/experiment.json", error);
    if (status == LGKT_OK)
        status = exp_shard_parse(part, &asked.shard, error);
    if (status == LGKT_OK)
        status = exp_reproduce(&asked, &session, error);
    exp_experiment_free(&experiment);
    return status;
}

static lgkt_status keep_part(lgkt_error *error)
{
    unlink(folders_in("experiment/journal-1-of-2.bin"));
    return keep("1/2", error);
}

static lgkt_status merge_parts(lgkt_error *error)
{
    const char *from[] = {folders_in("experiment")};
    const exp_merging asked = {.paths = from, .path_count = 1, .out = folders_root()};
    exp_merged merged = {0};
    const lgkt_status status = exp_merge(&asked, &merged, error);
    return status;
}

static void test_parts(void **state)
{
    (void)state;
    lgkt_error error = {0};
    sweep("a part of an experiment", keep_part);
    assert_ok(keep("1/2", &error), error);
    assert_ok(keep("2/2", &error), error);
    sweep("the merge of two parts", merge_parts);
    assert_true(io_folder_has(folders_in("experiment"), "manifest.json"));
}

static void test_experiments(void **state)
{
    (void)state;
    sweep("an experiment", run_alone);
    sweep("an experiment of two threads", run_together);
}

int main(void)
{
    json_set_alloc_funcs(malloc, free);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_experiments),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, folders_make, folders_remove);
}
