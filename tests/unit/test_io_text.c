// SPDX-License-Identifier: MIT
// Messages of one line, files read whole and written atomically, JSON output.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "io/plain/io_json.h"
#include "io/plain/io_text.h"
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

// ---- messages ----

static void test_messages_are_one_line(void **state)
{
    (void)state;
    lgkt_error error = {0};
    const io_place place = {.name = "a\tb", .line = 7, .error = &error};
    assert_int_equal(io_fail_at(&place, LGKT_ERR_SHAPE, "c%cd", '\n'), LGKT_ERR_SHAPE);
    assert_string_equal(error.text, "a?b:7: c?d");
    assert_int_equal(error.status, LGKT_ERR_SHAPE);
    char name[300];
    memset(name, 'x', sizeof name);
    memcpy(name + sizeof name - 8, "end.csv", 8);
    assert_int_equal(strlen(io_short_name(name)), 100);
    assert_non_null(strstr(io_short_name(name), "xend.csv"));
    assert_string_equal(io_short_name("short"), "short");
    // never from within a character
    memset(name, '\0', sizeof name);
    for (size_t i = 0; i < 60; i++)
        memcpy(name + 2 * i, "\xc3\xa9", 2);
    name[120] = 'x';
    assert_int_equal(strlen(io_short_name(name)), 99);
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
    io_output output;
    assert_ok(io_output_open(path, &output, &error), error);
    fputs("first", output.stream);
    assert_int_equal(access(path, F_OK), -1);
    assert_ok(io_output_commit(&output, &error), error);
    assert_file_is(path, "first");
    // giving up leaves the old file and nothing else
    assert_ok(io_output_open(path, &output, &error), error);
    fputs("second", output.stream);
    io_output_discard(&output);
    assert_file_is(path, "first");
    assert_ok(io_output_open(path, &output, &error), error);
    fputs("third", output.stream);
    assert_ok(io_output_commit(&output, &error), error);
    assert_file_is(path, "third");
    assert_int_equal(count_files(*state), 1);
    io_output_discard(&output);
}

static void test_output_keeps_links(void **state)
{
    char link[512];
    snprintf(link, sizeof link, "%s", folder_path(*state, "link"));
    char *path = folder_path(*state, "target");
    lgkt_error error = {0};
    io_output output;
    struct stat info;
    fclose(fopen(path, "wb"));
    assert_int_equal(symlink(path, link), 0);
    assert_ok(io_output_open(link, &output, &error), error);
    fputs("new", output.stream);
    assert_ok(io_output_commit(&output, &error), error);
    assert_file_is(path, "new");
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

static void test_output_reports_failures(void **state)
{
    lgkt_error error = {0};
    io_output output;
    assert_refused(io_output_open("/no/such/folder/x", &output, &error), LGKT_ERR_NO_FILE, error,
                   "/no/such/folder/x: No such file");
    assert_int_equal(io_output_open("/no/such/folder/x", &output, NULL), LGKT_ERR_NO_FILE);
    assert_refused(io_output_open(*state, &output, &error), LGKT_ERR_NO_FILE, error, "directory");
    if (access("/dev/full", W_OK) != 0)
        return;
    // a device is written directly, and stays a device
    assert_ok(io_output_open("/dev/full", &output, &error), error);
    fputs("x", output.stream);
    assert_refused(io_output_commit(&output, &error), LGKT_ERR_IO, error, "/dev/full: ");
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
    io_json json = {.out = out};
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

// Texts that are cut within a character or no UTF-8 at all still give JSON.
static void write_broken(io_json *json)
{
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_text(json, "a\xff", "b\xc3");
    io_json_text(json, "c", "\xed\xa0\x80|\xc0\x80|\xf4\x90\x80\x80|\xe2\x82\xac|\x80");
    io_json_close(json);
}

static void test_json_is_always_utf8(void **state)
{
    (void)state;
    char *text = capture(write_broken);
    json_t *root = json_loads(text, 0, NULL); // refuses what is not UTF-8
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "a\uFFFD")), "b\uFFFD");
    assert_string_equal(json_string_value(json_object_get(root, "c")),
                        "\uFFFD\uFFFD\uFFFD|\uFFFD\uFFFD|\uFFFD\uFFFD\uFFFD\uFFFD|\u20AC|\uFFFD");
    json_decref(root);
    free(text);
}

static void test_statuses_of_files(void **state)
{
    char *bytes;
    size_t size;
    lgkt_error error = {0};
    static const struct {
        int code;
        lgkt_status status;
    } rows[] = {
        {ENOENT, LGKT_ERR_NO_FILE}, {EACCES, LGKT_ERR_NO_FILE},   {ENOTDIR, LGKT_ERR_NO_FILE},
        {EROFS, LGKT_ERR_NO_FILE},  {ENOSPC, LGKT_ERR_IO},        {EIO, LGKT_ERR_IO},
        {EFBIG, LGKT_ERR_IO},       {ENOMEM, LGKT_ERR_NO_MEMORY}, {EMFILE, LGKT_ERR_SYSTEM},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        errno = rows[i].code;
        assert_int_equal(io_fail_errno(&error, "f"), rows[i].status);
        assert_int_equal(error.status, rows[i].status);
    }
    assert_refused(io_file_read("/no/such", 10, &bytes, &size, &error), LGKT_ERR_NO_FILE, error,
                   "/no/such: No such file");
    assert_refused(io_file_read(*state, 10, &bytes, &size, &error), LGKT_ERR_FORMAT, error,
                   "is a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(test_json_is_always_utf8),
        cmocka_unit_test_setup_teardown(test_statuses_of_files, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
