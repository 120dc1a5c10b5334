// SPDX-License-Identifier: MIT
// What a test has shown, as a line of a file.
#include "ref/verdict.h"

#include <stdlib.h>

#include "test.h"

// the file to write for a source file; false without a folder
static bool path_of(const char *file, char *path, size_t size)
{
    const char *folder = getenv("LGKT_VERDICTS"), *slash = strrchr(file, '/');
    if (folder == NULL || folder[0] == '\0')
        return false;
    const char *name = slash != NULL ? slash + 1 : file;
    const int length = snprintf(path, size, "%s/%.*s.jsonl", folder, (int)strcspn(name, "."), name);
    assert_in_range(length, 1, size - 1);
    return true;
}

// compilers are given absolute paths; what counts begins at tests/
static const char *within_the_tree(const char *file)
{
    const char *at = file;
    for (const char *next = file; (next = strstr(next, "tests/")) != NULL; next++)
        at = next;
    return at;
}

void verdict_begin_file(const char *file)
{
    char path[1024];
    if (!path_of(file, path, sizeof path))
        return;
    FILE *out = fopen(path, "w");
    if (out == NULL || fclose(out) != 0) {
        fprintf(stderr, "%s: cannot be written\n", path);
        exit(2);
    }
}

void verdict_write(const char *file, const char *test, bool holds, const char *format, ...)
{
    char path[1024], shown[512], line[1024];
    if (!path_of(file, path, sizeof path))
        return;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(shown, sizeof shown, format, arguments);
    va_end(arguments);
    assert_in_range(length, 1, sizeof shown - 1);
    // so that nothing needs an escape
    assert_int_equal(strcspn(shown, "\"\\\n\t"), length);
    const int size = snprintf(
        line, sizeof line,
        "{\"file\": \"%s\", \"test\": \"%s\", \"holds\": %s, \"shown\": \"%s\", \"version\": "
        "\"%s\"}\n",
        within_the_tree(file), test, holds ? "true" : "false", shown, lgkt_version());
    assert_in_range(size, 1, sizeof line - 1);
    // one call, so that a killed program leaves whole lines
    FILE *out = fopen(path, "a");
    assert_non_null(out);
    setvbuf(out, NULL, _IOFBF, sizeof line);
    assert_int_equal(fwrite(line, 1, (size_t)size, out), size);
    assert_int_equal(fclose(out), 0);
}
