// SPDX-License-Identifier: MIT
// Failures in words, strict numbers, whole files in, atomic files out.
//
// Numbers are checked letter by letter before strtod sees them, which would also take blanks,
// hexadecimal and "nan". The program never leaves the C locale, so the decimal point is a point.
//
// An atomic file is written as NAME.PID.N.tmp in the same folder, flushed to the disk and renamed.
// A name that is a link stays one: the file it points to is replaced. What is not a regular file
// (a pipe, /dev/stdout) is written directly, since a rename would replace the device.

#define _XOPEN_SOURCE 700 // realpath

#include "io/io_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

// longest part of a file name that a message shows
#define SHOWN_NAME 100
#define FIRST_READ (64 * 1024)

// ---- failures ----

lgkt_status io_fail(lgkt_error *error, lgkt_status status, const char *format, ...)
{
    if (error == NULL)
        return status;
    va_list list;
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    for (char *c = error->text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    error->status = status;
    return status;
}

const char *io_short_name(const char *name)
{
    const size_t length = strlen(name);
    return length <= SHOWN_NAME ? name : name + (length - SHOWN_NAME);
}

lgkt_status io_fail_at(const io_place *place, lgkt_status status, const char *format, ...)
{
    char text[sizeof(((lgkt_error *)0)->text)], line[24] = "";
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (place->line > 0)
        snprintf(line, sizeof line, ":%" PRId64, place->line);
    return io_fail(place->error, status, "%s%s: %s", io_short_name(place->name), line, text);
}

static bool is_lack_of_room(int code)
{
    return code == ENOMEM || code == ENOSPC || code == EDQUOT || code == EFBIG || code == EIO;
}

lgkt_status io_fail_errno(lgkt_error *error, const char *path)
{
    const int code = errno;
    const lgkt_status status = is_lack_of_room(code) ? LGKT_ERR_NO_MEMORY : LGKT_ERR_ARGUMENT;
    return io_fail(error, status, "%s: %s", io_short_name(path), strerror(code));
}

static lgkt_status fail_memory(lgkt_error *error, const char *path)
{
    return io_fail(error, LGKT_ERR_NO_MEMORY, "%s: out of memory", io_short_name(path));
}

// ---- numbers ----

static bool only_of(const char *text, const char *letters)
{
    return text[0] != '\0' && text[strspn(text, letters)] == '\0';
}

bool io_parse_real(const char *text, double *value)
{
    if (!only_of(text, "0123456789+-.eE"))
        return false;
    char *end;
    const double number = strtod(text, &end);
    if (*end != '\0' || !isfinite(number))
        return false;
    *value = number;
    return true;
}

bool io_parse_integer(const char *text, int64_t *value)
{
    if (!only_of(text, "0123456789+-"))
        return false;
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (*end != '\0' || errno != 0)
        return false;
    *value = number;
    return true;
}

bool io_parse_seed(const char *text, uint64_t *value)
{
    if (!only_of(text, "0123456789"))
        return false;
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (*end != '\0' || errno != 0)
        return false;
    *value = number;
    return true;
}

const char *io_print_real(char text[IO_REAL_SIZE], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, IO_REAL_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

// ---- reading ----

// Reads on from `file` until its end, growing the buffer, which has room for `capacity` bytes.
static lgkt_status read_all(FILE *file, const char *path, size_t limit, size_t capacity,
                            char **bytes, size_t *size, lgkt_error *error)
{
    *size = 0;
    *bytes = NULL;
    for (;;) {
        char *grown = realloc(*bytes, capacity + 1);
        if (grown == NULL)
            return fail_memory(error, path);
        *bytes = grown;
        *size += fread(*bytes + *size, 1, capacity - *size, file);
        if (ferror(file))
            return io_fail_errno(error, path);
        if (*size < capacity)
            break;
        if (capacity > limit)
            return io_fail(error, LGKT_ERR_SHAPE, "%s: larger than %zu bytes", io_short_name(path),
                           limit);
        // one byte beyond the limit is enough to see that a file is too large
        capacity = capacity <= limit / 2 ? 2 * capacity : limit + 1;
    }
    (*bytes)[*size] = '\0';
    return LGKT_OK;
}

// Looks at what kind of file it is before a byte is read.
static lgkt_status check_kind(FILE *file, const char *path, size_t limit, size_t *capacity,
                              lgkt_error *error)
{
    struct stat info;
    if (fstat(fileno(file), &info) != 0)
        return io_fail_errno(error, path);
    if (S_ISDIR(info.st_mode))
        return io_fail(error, LGKT_ERR_ARGUMENT, "%s: is a directory", io_short_name(path));
    if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode))
        return io_fail(error, LGKT_ERR_ARGUMENT, "%s: is neither a file nor a pipe",
                       io_short_name(path));
    if (S_ISREG(info.st_mode) && (uintmax_t)info.st_size > limit)
        return io_fail(error, LGKT_ERR_SHAPE, "%s: larger than %zu bytes", io_short_name(path),
                       limit);
    // one more than the size, so that a single read meets the end
    *capacity = info.st_size > 0 ? (size_t)info.st_size + 1 : FIRST_READ;
    *capacity = *capacity <= limit ? *capacity : limit + 1;
    return LGKT_OK;
}

lgkt_status io_file_read(const char *path, size_t limit, char **bytes, size_t *size,
                         lgkt_error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return io_fail_errno(error, path);
    char *data = NULL;
    size_t length = 0, capacity = 0;
    lgkt_status status = check_kind(file, path, limit, &capacity, error);
    if (status == LGKT_OK)
        status = read_all(file, path, limit, capacity, &data, &length, error);
    fclose(file);
    if (status != LGKT_OK) {
        free(data);
        return status;
    }
    *bytes = data;
    *size = length;
    return LGKT_OK;
}

// ---- writing ----

struct io_output {
    FILE *stream;
    char *target;    // the name it gets in the end
    char *temporary; // the name it has until then; NULL if written directly
};

// The name to write to in the end: links are followed where the file exists.
static char *resolve_target(const char *path, bool *direct)
{
    struct stat info;
    *direct = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    char *real = *direct ? NULL : realpath(path, NULL);
    return real != NULL ? real : strdup(path);
}

// Creates a new file beside the target.
static FILE *open_beside(io_output *output)
{
    const size_t size = strlen(output->target) + 64;
    output->temporary = malloc(size);
    if (output->temporary == NULL)
        return NULL;
    int file = -1;
    for (int i = 0; i < 1000 && file < 0; i++) {
        snprintf(output->temporary, size, "%s.%ld.%d.tmp", output->target, (long)getpid(), i);
        file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            break;
    }
    if (file < 0) {
        free(output->temporary);
        output->temporary = NULL;
        return NULL;
    }
    return fdopen(file, "wb");
}

lgkt_status io_output_open(const char *path, io_output **output, lgkt_error *error)
{
    io_output *made = calloc(1, sizeof *made);
    if (made == NULL)
        return fail_memory(error, path);
    bool direct;
    made->target = resolve_target(path, &direct);
    if (made->target == NULL)
        goto fail;
    made->stream = direct ? fopen(made->target, "wb") : open_beside(made);
    if (made->stream == NULL)
        goto fail;
    *output = made;
    return LGKT_OK;

fail:
    io_fail_errno(error, path);
    io_output_discard(made);
    return error != NULL ? error->status : LGKT_ERR_ARGUMENT;
}

FILE *io_output_stream(io_output *output)
{
    return output->stream;
}

// Everything on the disk, and no error on the way.
static bool close_stream(io_output *output)
{
    bool good = fflush(output->stream) == 0 && !ferror(output->stream);
    if (good && output->temporary != NULL)
        good = fsync(fileno(output->stream)) == 0;
    const int code = errno;
    const bool closed = fclose(output->stream) == 0;
    output->stream = NULL;
    if (!good)
        errno = code != 0 ? code : EIO;
    return good && closed;
}

lgkt_status io_output_commit(io_output *output, lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    errno = 0;
    if (!close_stream(output) ||
        (output->temporary != NULL && rename(output->temporary, output->target) != 0)) {
        status = io_fail_errno(error, output->target);
    } else {
        free(output->temporary);
        output->temporary = NULL;
    }
    io_output_discard(output);
    return status;
}

void io_output_discard(io_output *output)
{
    if (output == NULL)
        return;
    if (output->stream != NULL)
        fclose(output->stream);
    if (output->temporary != NULL)
        remove(output->temporary);
    free(output->temporary);
    free(output->target);
    free(output);
}
