// SPDX-License-Identifier: MIT
// Strict numbers, messages of one line, files read whole and written atomically, JSON output.
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "io/io_json.h"
#include "io/io_text.h"
#include "test.h"

// ---- a folder of its own for each test ----

static char *folder_path(const char *folder, const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    static char folder[64];
    snprintf(folder, sizeof folder, "/tmp/lgkt-test-XXXXXX");
    *state = mkdtemp(folder);
    return *state == NULL ? -1 : 0;
}

static int count_files(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = 0;
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static int remove_folder(void **state)
{
    DIR *dir = opendir(*state);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        unlink(folder_path(*state, entry->d_name));
    closedir(dir);
    return rmdir(*state);
}

static void assert_file_is(const char *path, const char *expected)
{
    char *bytes;
    size_t size;
    lgkt_error error = {0};
    assert_ok(io_file_read(path, 1000, &bytes, &size, &error), error);
    assert_int_equal(size, strlen(expected));
    assert_string_equal(bytes, expected);
    free(bytes);
}

// ---- numbers ----

static void test_reals_are_strict(void **state)
{
    (void)state;
    static const char *const bad[] = {"",    " 1",    "1 ", "0x10", "nan", "inf", "1e999", "-1e999",
                                      "1,5", "1.2.3", "e5", "--1",  "1e",  "+",   ".",     "1f"};
    double value = 7;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(io_parse_real(bad[i], &value));
    assert_close(value, 7, 0);
    assert_true(io_parse_real("-1.5e-3", &value));
    assert_close(value, -1.5e-3, 0);
    assert_true(io_parse_real("+.5", &value));
    assert_close(value, 0.5, 0);
}

static void test_whole_numbers_are_strict(void **state)
{
    (void)state;
    int64_t value = 7;
    uint64_t seed = 7;
    assert_true(io_parse_integer("-9223372036854775808", &value));
    assert_true(value == INT64_MIN);
    assert_false(io_parse_integer("9223372036854775808", &value));
    assert_false(io_parse_integer("1.0", &value));
    assert_false(io_parse_integer("1e3", &value));
    assert_false(io_parse_integer("", &value));
    assert_true(io_parse_seed("18446744073709551615", &seed));
    assert_true(seed == UINT64_MAX);
    assert_false(io_parse_seed("18446744073709551616", &seed));
    assert_false(io_parse_seed("-1", &seed));
}

static void test_printed_reals_read_back(void **state)
{
    (void)state;
    char text[IO_REAL_SIZE];
    assert_string_equal(io_print_real(text, 0.1), "0.1");
    assert_string_equal(io_print_real(text, 1.0), "1");
    assert_string_equal(io_print_real(text, 0.1 + 0.2), "0.30000000000000004");
    lgkt_rng rng = lgkt_rng_stream(1, "bits", 0);
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = lgkt_rng_next(&rng);
        double value, again;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        assert_true(io_parse_real(io_print_real(text, value), &again));
        assert_memory_equal(&again, &value, sizeof value);
    }
}

// ---- messages ----

static void test_messages_are_one_line(void **state)
{
    (void)state;
    lgkt_error error = {0};
    assert_int_equal(io_fail(&error, LGKT_ERR_SHAPE, "a%cb%dc", '\n', 5), LGKT_ERR_SHAPE);
    assert_string_equal(error.text, "a?b5c");
    assert_int_equal(error.status, LGKT_ERR_SHAPE);
    assert_int_equal(io_fail(NULL, LGKT_ERR_SPEC, "x"), LGKT_ERR_SPEC);
    char name[300];
    memset(name, 'x', sizeof name);
    memcpy(name + sizeof name - 8, "end.csv", 8);
    assert_int_equal(strlen(io_short_name(name)), 100);
    assert_non_null(strstr(io_short_name(name), "xend.csv"));
    assert_string_equal(io_short_name("short"), "short");
}

// ---- files ----

static void test_files_are_read_up_to_a_limit(void **state)
{
    char *path = folder_path(*state, "file");
    char *bytes;
    size_t size;
    lgkt_error error = {0};
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int i = 0; i < 1000; i++)
        fputs("0123456789", file);
    fclose(file);
    assert_ok(io_file_read(path, 10000, &bytes, &size, &error), error);
    assert_int_equal(size, 10000);
    assert_int_equal(bytes[9999], '9');
    assert_int_equal(bytes[10000], '\0');
    free(bytes);
    assert_refused(io_file_read(path, 9999, &bytes, &size, &error), LGKT_ERR_SHAPE, error,
                   "larger than 9999 bytes");
    fclose(fopen(path, "wb"));
    assert_file_is(path, "");
}

// The size of a pipe is not known beforehand, so the limit is met while reading.
static void test_pipes_are_read_up_to_a_limit(void **state)
{
    (void)state;
    enum { SIZE = 60000 };
    static char data[SIZE];
    for (int limit = SIZE - 1; limit <= SIZE; limit++) {
        int ends[2];
        char path[64], *bytes;
        size_t size = 0;
        lgkt_error error = {0};
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], data, SIZE), SIZE);
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        const lgkt_status status = io_file_read(path, (size_t)limit, &bytes, &size, &error);
        if (status == LGKT_OK)
            free(bytes);
        assert_int_equal(status, limit < SIZE ? LGKT_ERR_SHAPE : LGKT_OK);
        close(ends[0]);
    }
}

static void test_output_appears_when_complete(void **state)
{
    char *path = folder_path(*state, "out");
    lgkt_error error = {0};
    io_output *output;
    assert_ok(io_output_open(path, &output, &error), error);
    fputs("first", io_output_stream(output));
    assert_int_equal(access(path, F_OK), -1);
    assert_ok(io_output_commit(output, &error), error);
    assert_file_is(path, "first");
    // giving up leaves the old file and nothing else
    assert_ok(io_output_open(path, &output, &error), error);
    fputs("second", io_output_stream(output));
    io_output_discard(output);
    assert_file_is(path, "first");
    assert_ok(io_output_open(path, &output, &error), error);
    fputs("third", io_output_stream(output));
    assert_ok(io_output_commit(output, &error), error);
    assert_file_is(path, "third");
    assert_int_equal(count_files(*state), 1);
    io_output_discard(NULL);
}

static void test_output_keeps_links(void **state)
{
    char link[512];
    snprintf(link, sizeof link, "%s", folder_path(*state, "link"));
    char *path = folder_path(*state, "target");
    lgkt_error error = {0};
    io_output *output;
    struct stat info;
    fclose(fopen(path, "wb"));
    assert_int_equal(symlink(path, link), 0);
    assert_ok(io_output_open(link, &output, &error), error);
    fputs("new", io_output_stream(output));
    assert_ok(io_output_commit(output, &error), error);
    assert_file_is(path, "new");
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

static void test_output_reports_failures(void **state)
{
    lgkt_error error = {0};
    io_output *output;
    assert_refused(io_output_open("/no/such/folder/x", &output, &error), LGKT_ERR_ARGUMENT, error,
                   "/no/such/folder/x: No such file");
    assert_int_equal(io_output_open("/no/such/folder/x", &output, NULL), LGKT_ERR_ARGUMENT);
    assert_refused(io_output_open(*state, &output, &error), LGKT_ERR_ARGUMENT, error, "directory");
    if (access("/dev/full", W_OK) != 0)
        return;
    // a device is written directly, and stays a device
    assert_ok(io_output_open("/dev/full", &output, &error), error);
    fputs("x", io_output_stream(output));
    assert_refused(io_output_commit(output, &error), LGKT_ERR_NO_MEMORY, error, "/dev/full: ");
    struct stat info;
    assert_int_equal(stat("/dev/full", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

// ---- JSON ----

static void write_sample(io_json *json)
{
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_text(json, "text", "a\"b\\c\n\x01");
    io_json_text(json, "none", NULL);
    io_json_real(json, "nan", NAN);
    io_json_open(json, "record", IO_JSON_RECORD);
    io_json_real(json, "x", 0.1);
    io_json_open(json, "inside", IO_JSON_ARRAY);
    io_json_bool(json, NULL, true);
    io_json_bool(json, NULL, false);
    io_json_close(json);
    io_json_close(json);
    io_json_open(json, "rows", IO_JSON_ARRAY);
    io_json_open(json, NULL, IO_JSON_LIST);
    io_json_integer(json, NULL, INT64_MIN);
    io_json_unsigned(json, NULL, UINT64_MAX);
    io_json_close(json);
    io_json_close(json);
    io_json_open(json, "empty", IO_JSON_ARRAY);
    io_json_close(json);
    io_json_close(json);
}

// What `write` prints; the caller frees it.
static char *capture(void (*write)(io_json *))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    io_json json = io_json_start(out);
    write(&json);
    fclose(out);
    return text;
}

static void test_json_layout(void **state)
{
    (void)state;
    char *text = capture(write_sample);
    assert_string_equal(text, "{\n"
                              "  \"text\": \"a\\\"b\\\\c\\u000a\\u0001\",\n"
                              "  \"none\": null,\n"
                              "  \"nan\": null,\n"
                              "  \"record\": {\"x\": 0.1, \"inside\": [true, false]},\n"
                              "  \"rows\": [\n"
                              "    [-9223372036854775808, 18446744073709551615]\n"
                              "  ],\n"
                              "  \"empty\": []\n"
                              "}\n");
    free(text);
}

static void write_values(io_json *json)
{
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_text(json, "k", "a\"b\\c\n\x01\xc3\xa9");
    io_json_real(json, "r", 1.0 / 3.0);
    io_json_close(json);
}

static void test_json_is_understood(void **state)
{
    (void)state;
    char *text = capture(write_values);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "k")), "a\"b\\c\n\x01\xc3\xa9");
    assert_close(json_real_value(json_object_get(root, "r")), 1.0 / 3.0, 0);
    json_decref(root);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reals_are_strict),
        cmocka_unit_test(test_whole_numbers_are_strict),
        cmocka_unit_test(test_printed_reals_read_back),
        cmocka_unit_test(test_messages_are_one_line),
        cmocka_unit_test_setup_teardown(test_files_are_read_up_to_a_limit, make_folder,
                                        remove_folder),
        cmocka_unit_test(test_pipes_are_read_up_to_a_limit),
        cmocka_unit_test_setup_teardown(test_output_appears_when_complete, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_output_keeps_links, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_output_reports_failures, make_folder, remove_folder),
        cmocka_unit_test(test_json_layout),
        cmocka_unit_test(test_json_is_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
