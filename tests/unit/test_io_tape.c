// SPDX-License-Identifier: MIT
// Tapes, prices, and environments whose spec names a file.
#include <stdlib.h>
#include <unistd.h>

#include "lgkt/io.h"
#include "io/formats/io_tape.h"
#include "test.h"

#define HEADER "u_next,z_reward,u_reward,u_coin\n"

// ---- tapes ----

static lgkt_status read_tape(const char *text, io_tape *tape, lgkt_error *error)
{
    return io_tape_read_text(text, strlen(text), "t.csv", tape, error);
}

static void test_tapes_are_read(void **state)
{
    (void)state;
    // with and without a last line end, and with line ends of two characters
    static const char *const texts[] = {
        HEADER "0.25,-1.5,0,0.999\n0.5,2e1,0.125,0\n", HEADER "0.25,-1.5,0,0.999\n0.5,20,0.125,0",
        "u_next,z_reward,u_reward,u_coin\r\n0.25,-1.5,0,0.999\r\n0.5,20,0.125,0\r\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        io_tape tape;
        lgkt_error error = {0};
        assert_ok(read_tape(texts[i], &tape, &error), error);
        assert_int_equal(tape.count, 2);
        assert_close(tape.rows[0].u_next, 0.25, 0);
        assert_close(tape.rows[0].z_reward, -1.5, 0);
        assert_close(tape.rows[0].u_coin, 0.999, 0);
        assert_close(tape.rows[1].z_reward, 20, 0);
        assert_close(tape.rows[1].u_reward, 0.125, 0);
        io_tape_release(&tape);
        assert_null(tape.rows);
    }
}

typedef struct bad_text {
    const char *text;
    lgkt_status status;
    const char *words; // in the message
} bad_text;

static void test_bad_tapes_are_refused_by_line(void **state)
{
    (void)state;
    static const bad_text bad[] = {
        {"", LGKT_ERR_FORMAT, "t.csv:1: the header must be u_next,"},
        {"\n", LGKT_ERR_FORMAT, "t.csv:1: the header"},
        {"u_next,z_reward,u_reward\n0,0,0\n", LGKT_ERR_FORMAT, "t.csv:1: the header"},
        {" " HEADER "0,0,0,0\n", LGKT_ERR_FORMAT, "t.csv:1: the header"},
        {"0,0,0,0\n", LGKT_ERR_FORMAT, "t.csv:1: the header"},
        {HEADER, LGKT_ERR_SHAPE, "t.csv:2: the tape has no rows"},
        {HEADER "0,0,0\n", LGKT_ERR_SHAPE, "t.csv:2: has 3 columns; it must have 4"},
        {HEADER "0,0,0,0\n0,0,0,0,\n", LGKT_ERR_SHAPE, "t.csv:3: has 5 columns"},
        {HEADER "0,0,0,0\n\n0,0,0,0\n", LGKT_ERR_SHAPE, "t.csv:3: has 1 columns"},
        {HEADER "1,0,0,0\n", LGKT_ERR_ARGUMENT, "t.csv:2: u_next is 1; it must be in [0, 1)"},
        {HEADER "0,0,0,0\n0,0,-0.5,0\n", LGKT_ERR_ARGUMENT, "t.csv:3: u_reward is -0.5"},
        {HEADER "0,0,0,1.5\n", LGKT_ERR_ARGUMENT, "t.csv:2: u_coin is 1.5"},
        {HEADER "0,nan,0,0\n", LGKT_ERR_FORMAT, "z_reward is \"nan\"; it must be a number"},
        {HEADER "0,inf,0,0\n", LGKT_ERR_FORMAT, "t.csv:2: z_reward is \"inf\""},
        {HEADER "0,1e999,0,0\n", LGKT_ERR_FORMAT, "t.csv:2: z_reward"},
        {HEADER "0x1,0,0,0\n", LGKT_ERR_FORMAT, "t.csv:2: u_next is \"0x1\""},
        {HEADER "0, 0,0,0\n", LGKT_ERR_FORMAT, "t.csv:2: z_reward is \" 0\""},
        {HEADER "0,,0,0\n", LGKT_ERR_FORMAT, "t.csv:2: z_reward is \"\""},
        {HEADER "0,0,0,0\n0,0,0,", LGKT_ERR_FORMAT, "t.csv:3: u_coin is \"\""},
        {HEADER "0,\"0,0,0\n", LGKT_ERR_SHAPE, "t.csv:2: has 2 columns"},
    };
    io_tape tape;
    lgkt_error error = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused(read_tape(bad[i].text, &tape, &error), bad[i].status, error, bad[i].words);
    static const char zero[] = HEADER "0,0\0,0,0\n";
    assert_refused(io_tape_read_text(zero, sizeof zero - 1, "t.csv", &tape, &error),
                   LGKT_ERR_FORMAT, error, "t.csv:2: z_reward");
    assert_refused(io_tape_read("/no/such/tape", &tape, &error), LGKT_ERR_NO_FILE, error,
                   "/no/such/tape: No such file");
}

// ---- prices ----

static lgkt_status read_prices(const char *text, double **prices, size_t *count, lgkt_error *error)
{
    return lgkt_io_series_parse(text, strlen(text), "p.csv", NULL, prices, count, error);
}

static void test_prices_are_read(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "Time,Open,Close,Volume\na,1,1.5,2\nb,1,2.5,2\n",
        "\"Time\",\"close\"\r\n\"1 Jan, 2017\",1.5\r\n\"2 Jan, 2017\",2.5\r\n",
        "\357\273\277CLOSE,x\n1.5,\n2.5,\n",
        "Close\n1.5\n2.5\n",
        "eur in usd\n1.5\n2.5",
        "1.5\n2.5\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double *prices;
        size_t count;
        lgkt_error error = {0};
        assert_ok(read_prices(texts[i], &prices, &count, &error), error);
        assert_int_equal(count, 2);
        assert_close(prices[0], 1.5, 0);
        assert_close(prices[1], 2.5, 0);
        free(prices);
    }
}

static void test_bad_prices_are_refused_by_line(void **state)
{
    (void)state;
    static const bad_text bad[] = {
        {"", LGKT_ERR_SHAPE, "p.csv:1: the file has no prices"},
        {"Close\n", LGKT_ERR_SHAPE, "p.csv:2: the file has no prices"},
        {"Open,High\n1,2\n", LGKT_ERR_FORMAT, "p.csv:1: no column is called Close"},
        {"1,2\n", LGKT_ERR_FORMAT, "p.csv:1: no column is called Close"},
        {"Close,x\n1,2\n3\n", LGKT_ERR_SHAPE, "p.csv:3: has 1 columns; it must have 2"},
        {"x,Close\n1,2\n3,four\n", LGKT_ERR_FORMAT, "p.csv:3: the price is \"four\""},
        {"Close\n1\n0\n", LGKT_ERR_ARGUMENT, "p.csv:3: the price is 0; it must be positive"},
        {"1\n-2\n", LGKT_ERR_ARGUMENT, "p.csv:2: the price is -2"},
        {"1x\n", LGKT_ERR_FORMAT, "p.csv:1: the price is \"1x\""},
        {"1\n\n", LGKT_ERR_FORMAT, "p.csv:2: the price is \"\""},
        {"\n1\n", LGKT_ERR_FORMAT, "p.csv:1: the price is \"\""},
        {"Close\nnan\n", LGKT_ERR_FORMAT, "p.csv:2: the price is \"nan\""},
    };
    double *prices;
    size_t count;
    lgkt_error error = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused(read_prices(bad[i].text, &prices, &count, &error), bad[i].status, error,
                       bad[i].words);
    assert_refused(lgkt_io_series_read("/no/such/prices", NULL, &prices, &count, &error),
                   LGKT_ERR_NO_FILE, error, "No such file");
}

// ---- environments ----

static void write_file(char *path, const char *text)
{
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

static void test_model_environment_reads_its_file(void **state)
{
    (void)state;
    char path[] = "/tmp/lgkt-test-XXXXXX", spec[64];
    write_file(path,
               "{\"states\": 2, \"actions\": 1, \"start\": 1, \"noise\": {\"kind\": \"none\"}, "
               "\"rewards\": [[3], [4]], \"transitions\": [[[0, 1]], [[1, 0]]]}");
    snprintf(spec, sizeof spec, "model:file=%s", path);
    lgkt_env *env;
    lgkt_trajectory *run;
    lgkt_step step;
    lgkt_error error = {0};
    assert_ok(lgkt_io_env_create(spec, NULL, &env, &error), error);
    assert_int_equal(lgkt_mdp_states(lgkt_env_model(env)), 2);
    assert_ok(lgkt_trajectory_create(env, 2, 0, 0, NULL, &run, &error), error);
    assert_int_equal(lgkt_trajectory_state(run), 1);
    assert_int_equal(lgkt_trajectory_step(run, 0, &step), LGKT_OK);
    assert_close(step.reward, 4, 0);
    assert_int_equal(step.state, 0);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
    unlink(path);
    assert_refused(lgkt_io_env_create(spec, NULL, &env, &error), LGKT_ERR_NO_FILE, error,
                   "No such file");
}

static void test_trading_environment_reads_its_file(void **state)
{
    (void)state;
    char path[] = "/tmp/lgkt-test-XXXXXX", spec[96], text[4096] = "Close\n";
    size_t length = strlen(text);
    for (int i = 0; i < 100; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%g\n", 1 + 0.01 * (i % 7));
    write_file(path, text);
    snprintf(spec, sizeof spec, "trading:file=%s,window=2,frame-lo=2,frame-hi=100", path);
    lgkt_env *env;
    lgkt_error error = {0};
    assert_ok(lgkt_io_env_create(spec, NULL, &env, &error), error);
    assert_null(lgkt_env_model(env));
    lgkt_env_destroy(env);
    unlink(path);
    write_file(strcpy(path, "/tmp/lgkt-test-XXXXXX"), "Close\n-1\n");
    snprintf(spec, sizeof spec, "trading:file=%s", path);
    assert_refused(lgkt_io_env_create(spec, NULL, &env, &error), LGKT_ERR_ARGUMENT, error,
                   ":2: the price is -1");
    unlink(path);
}

static void test_other_specs_pass_through(void **state)
{
    (void)state;
    lgkt_env *env;
    lgkt_error error = {0};
    assert_ok(lgkt_io_env_create("riverswim:states=6", NULL, &env, &error), error);
    assert_int_equal(lgkt_mdp_states(lgkt_env_model(env)), 6);
    lgkt_env_destroy(env);
    assert_refused(lgkt_io_env_create("riverswin", NULL, &env, &error), LGKT_ERR_UNKNOWN_NAME,
                   error, "riverswim");
    assert_refused(lgkt_io_env_create("riverswim:file=x", NULL, &env, &error), LGKT_ERR_SPEC, error,
                   "file");
    assert_refused(lgkt_io_env_create("model:", NULL, &env, &error), LGKT_ERR_SPEC, error, "model");
    assert_refused(lgkt_io_env_create("model", NULL, &env, &error), LGKT_ERR_CONFIG, error,
                   "file=");
    assert_refused(lgkt_io_env_create(NULL, NULL, &env, &error), LGKT_ERR_ARGUMENT, error, "NULL");
}

// A spec that is only a path is told how a file is named.
static void test_mere_paths_get_a_hint(void **state)
{
    (void)state;
    static const char *const hints[][2] = {
        {"x.json", "did you mean \"model:file=x.json\"?"},
        {"/no/such/x.json", "did you mean \"model:file=/no/such/x.json\"?"},
        {"model:x.json", "did you mean \"model:file=x.json\"?"},
        {"model:a,b", "did you mean \"model:file=(a,b)\"?"},
        {"trading:x", "did you mean \"trading:file=x\"?"},
        {"x.csv", "did you mean \"trading:file=x.csv\"?"},
        {"scaled:of=(x.json)", "did you mean \"model:file=x.json\"?"},
        {"scaled:of=(model:x.json)", "did you mean \"model:file=x.json\"?"},
    };
    lgkt_env *env;
    lgkt_error error = {0};
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        assert_refused(lgkt_io_env_create(hints[i][0], NULL, &env, &error), LGKT_ERR_SPEC, error,
                       hints[i][1]);
        assert_int_equal(lgkt_io_env_create(hints[i][0], NULL, &env, NULL), LGKT_ERR_SPEC);
    }
    // a file that exists, whatever its name
    char path[] = "/tmp/lgkt-test-XXXXXX";
    write_file(path, "{}");
    assert_refused(lgkt_io_env_create(path, NULL, &env, &error), LGKT_ERR_SPEC, error,
                   "did you mean \"model:file=/tmp/lgkt-test-");
    unlink(path);
    // but neither a folder nor a misspelt name
    assert_refused(lgkt_io_env_create("/tmp", NULL, &env, &error), LGKT_ERR_SPEC, error, "/tmp");
    assert_null(strstr(error.text, "file="));
    assert_refused(lgkt_io_env_create("modle", NULL, &env, &error), LGKT_ERR_UNKNOWN_NAME, error,
                   "did you mean \"model\"?");
}

static void test_data_and_configs_are_respected(void **state)
{
    (void)state;
    static const double prices[] = {1, 2, 3};
    lgkt_env *env;
    lgkt_error error = {0};
    // a config that nobody made is refused before its allocator is called
    lgkt_env_config config = {.allocator.alloc = (void *(*)(void *, size_t))1};
    assert_refused(lgkt_io_env_create("model:file=/no/such", &config, &env, &error),
                   LGKT_ERR_CONFIG, error, "default");
    // what is given goes before what is named
    config = lgkt_env_config_default();
    config.data = (lgkt_data){.kind = LGKT_DATA_SERIES, .series = prices, .count = 3};
    assert_refused(lgkt_io_env_create("model:file=/no/such", &config, &env, &error),
                   LGKT_ERR_CONFIG, error, "model");
}

static void test_null_series_are_refused(void **state)
{
    (void)state;
    double *values;
    size_t count;
    assert_int_equal(lgkt_io_series_read(NULL, NULL, &values, &count, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_io_series_parse(NULL, 0, "p", NULL, &values, &count, NULL),
                     LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_io_series_parse("1", 1, "p", NULL, NULL, &count, NULL),
                     LGKT_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tapes_are_read),
        cmocka_unit_test(test_bad_tapes_are_refused_by_line),
        cmocka_unit_test(test_prices_are_read),
        cmocka_unit_test(test_bad_prices_are_refused_by_line),
        cmocka_unit_test(test_model_environment_reads_its_file),
        cmocka_unit_test(test_trading_environment_reads_its_file),
        cmocka_unit_test(test_other_specs_pass_through),
        cmocka_unit_test(test_mere_paths_get_a_hint),
        cmocka_unit_test(test_data_and_configs_are_respected),
        cmocka_unit_test(test_null_series_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
