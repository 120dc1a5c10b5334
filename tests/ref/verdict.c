// SPDX-License-Identifier: MIT
// What a test has measured and what follows from it, as a line of a file.
#include "ref/verdict.h"

#include <stdlib.h>

#include "test.h"

enum { MOST_COMPARISONS = 24, LINE_BYTES = 8192 };

typedef struct comparison {
    char what[160];
    double measured, error, bound;
    bool at_most;
    verdict_side side;
} comparison;

// of the test that runs
static struct {
    const char *test;
    int count;
    bool by_construction;
    comparison at[MOST_COMPARISONS];
} pending;

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

// so that nothing needs an escape
static void assert_plain(const char *text)
{
    assert_int_equal(strcspn(text, "\"\\\n\t"), strlen(text));
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

// ---- comparisons ----

// what a test that failed has left belongs to no other
static void belong_to(const char *test)
{
    if (pending.test == NULL || strcmp(pending.test, test) != 0) {
        memset(&pending, 0, sizeof pending);
        pending.test = test;
    }
}

// what is no number is on no side
static verdict_side side_of(double measured, double error, bool at_most, double bound)
{
    const double inside = measured == bound ? 0 : at_most ? bound - measured : measured - bound;
    if (isnan(inside) || isnan(error) || (error > 0 && fabs(inside) < VERDICT_ERRORS * error))
        return VERDICT_OPEN;
    return inside >= 0 ? VERDICT_FOR : VERDICT_AGAINST;
}

void verdict_compare(const char *test, const char *what, double measured, double error,
                     bool at_most, double bound)
{
    belong_to(test);
    assert_in_range(pending.count, 0, MOST_COMPARISONS - 1);
    comparison *one = &pending.at[pending.count++];
    *one = (comparison){.measured = measured,
                        .error = error,
                        .bound = bound,
                        .at_most = at_most,
                        .side = side_of(measured, error, at_most, bound)};
    assert_plain(what);
    assert_in_range(snprintf(one->what, sizeof one->what, "%s", what), 1, sizeof one->what - 1);
}

void verdict_by_construction(const char *test)
{
    belong_to(test);
    pending.by_construction = true;
}

static verdict_side side_of_all(void)
{
    verdict_side side = VERDICT_FOR;
    for (int i = 0; i < pending.count; i++)
        if (pending.at[i].side < side)
            side = pending.at[i].side;
    return side;
}

// ---- lines ----

static const char *word_of(verdict_side side)
{
    return side == VERDICT_FOR ? "true" : side == VERDICT_AGAINST ? "false" : "null";
}

// JSON knows no infinity
static void number_text(double x, char *text, size_t size)
{
    if (isfinite(x))
        snprintf(text, size, "%.9g", x);
    else
        snprintf(text, size, "null");
}

static int comparison_text(const comparison *one, char *text, size_t size)
{
    char numbers[3][32];
    number_text(one->measured, numbers[0], sizeof numbers[0]);
    number_text(one->error, numbers[1], sizeof numbers[1]);
    number_text(one->bound, numbers[2], sizeof numbers[2]);
    return snprintf(text, size,
                    "{\"what\": \"%s\", \"measured\": %s, \"error\": %s, \"relation\": \"%s\", "
                    "\"bound\": %s, \"holds\": %s}",
                    one->what, numbers[0], numbers[1], one->at_most ? "<=" : ">=", numbers[2],
                    word_of(one->side));
}

static void write_line(const char *path, const char *file, const char *shown, verdict_side side)
{
    static char line[LINE_BYTES];
    size_t size = (size_t)snprintf(
        line, sizeof line,
        "{\"file\": \"%s\", \"test\": \"%s\", \"holds\": %s, \"shown\": \"%s\", \"comparisons\": [",
        within_the_tree(file), pending.test, word_of(side), shown);
    for (int i = 0; i < pending.count && size < sizeof line; i++) {
        if (i > 0)
            size += (size_t)snprintf(line + size, sizeof line - size, ", ");
        if (size < sizeof line)
            size += (size_t)comparison_text(&pending.at[i], line + size, sizeof line - size);
    }
    if (size < sizeof line)
        size += (size_t)snprintf(line + size, sizeof line - size,
                                 "], \"could_fail\": %s, \"version\": \"%s\"}\n",
                                 pending.by_construction ? "false" : "true", lgkt_version());
    assert_in_range(size, 1, sizeof line - 1);
    // one call, so that a killed program leaves whole lines
    FILE *out = fopen(path, "a");
    assert_non_null(out);
    setvbuf(out, NULL, _IOFBF, sizeof line);
    assert_int_equal(fwrite(line, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

verdict_side verdict_write(const char *file, const char *test, const char *format, ...)
{
    char path[1024], shown[512];
    belong_to(test);
    assert_true(pending.count > 0);
    const verdict_side side = side_of_all();
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(shown, sizeof shown, format, arguments);
    va_end(arguments);
    assert_in_range(length, 1, sizeof shown - 1);
    assert_plain(shown);
    if (path_of(file, path, sizeof path))
        write_line(path, file, shown, side);
    return side;
}

void verdict_check(verdict_side expected, verdict_side found, const char *file, int line)
{
    if (expected != found) {
        for (int i = 0; i < pending.count; i++) {
            const comparison *one = &pending.at[i];
            print_error("%s: %g +- %g, %s %g: %s\n", one->what, one->measured, one->error,
                        one->at_most ? "at most" : "at least", one->bound, word_of(one->side));
        }
        _fail(file, line);
    }
    pending.test = NULL;
}
