// SPDX-License-Identifier: MIT
// Failures in files, whole files in, atomic files out, and texts in memory.
//
// An atomic file is written as NAME.PID.N.tmp in the same folder, flushed to the disk and renamed.
// A name that is a link stays one: the file it points to is replaced. What is not a regular file
// (a pipe, /dev/stdout) is written directly, since a rename would replace the device.

#define _XOPEN_SOURCE 700 // realpath

#include "io/plain/io_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"

// longest part of a file name that a message shows
#define SHOWN_NAME 100
#define CHUNK      ((size_t)64 * 1024) // of a file, read at a time

// ---- failures ----

const char *io_short_name(const char *name)
{
    return lgkt_text_tail(name, SHOWN_NAME);
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
    return lgkt_fail(place->error, status, "%s%s: %s", io_short_name(place->name), line, text);
}

lgkt_status io_fail_errno(lgkt_error *error, const char *path)
{
    // what a system call says of a file that is not there, or not for us
    static const int no_file[] = {ENOENT, EACCES, EPERM,        ENOTDIR, EISDIR, ELOOP,
                                  EROFS,  EEXIST, ENAMETOOLONG, ENXIO,   ENODEV};
    const int code = errno;
    lgkt_status status = code == ENOMEM                     ? LGKT_ERR_NO_MEMORY
                         : code == EMFILE || code == ENFILE ? LGKT_ERR_SYSTEM
                                                            : LGKT_ERR_IO;
    for (size_t i = 0; i < sizeof no_file / sizeof no_file[0]; i++)
        if (code == no_file[i])
            status = LGKT_ERR_NO_FILE;
    return lgkt_fail(error, status, "%s: %s", io_short_name(path), strerror(code));
}

// ---- reading ----

lgkt_status io_file_read(const char *path, size_t limit, char **bytes, size_t *size,
                         lgkt_error *error)
{
    const io_place place = {.name = path, .error = error};
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return io_fail_errno(error, path);
    // what kind of file it is, before a byte is read
    struct stat info;
    lgkt_status status = LGKT_OK;
    if (fstat(fileno(file), &info) != 0)
        status = io_fail_errno(error, path);
    else if (S_ISDIR(info.st_mode))
        status = io_fail_at(&place, LGKT_ERR_FORMAT, "is a directory");
    else if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode))
        status = io_fail_at(&place, LGKT_ERR_FORMAT, "is neither a file nor a pipe");
    else if (S_ISREG(info.st_mode) && (uintmax_t)info.st_size > limit)
        status = io_fail_at(&place, LGKT_ERR_SHAPE, "larger than %zu bytes", limit);

    io_memory memory = {0};
    char chunk[CHUNK];
    size_t length = 0, taken = CHUNK;
    while (status == LGKT_OK && taken == CHUNK) {
        taken = fread(chunk, 1, CHUNK, file);
        length += taken;
        io_memory_write(&memory, chunk, taken);
        if (ferror(file))
            status = io_fail_errno(error, path);
        else if (length > limit)
            status = io_fail_at(&place, LGKT_ERR_SHAPE, "larger than %zu bytes", limit);
    }
    fclose(file);
    char *data = io_memory_close(&memory, NULL);
    if (status == LGKT_OK && data == NULL)
        status = io_fail_at(&place, LGKT_ERR_NO_MEMORY, "out of memory");
    if (status != LGKT_OK) {
        free(data);
        return status;
    }
    // the mark that some editors and spreadsheets put before UTF-8 is no part of the text
    if (length >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0)
        memmove(data, data + 3, length -= 3);
    data[length] = '\0';
    *bytes = data;
    *size = length;
    return LGKT_OK;
}

// ---- writing ----

// Creates a new file beside the target.
static FILE *open_beside(io_output *output)
{
    const size_t size = strlen(output->target) + 64;
    char *name = malloc(size);
    int file = -1;
    for (int i = 0; name != NULL && i < 1000 && file < 0 && (i == 0 || errno == EEXIST); i++) {
        snprintf(name, size, "%s.%ld.%d.tmp", output->target, (long)getpid(), i);
        file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (file < 0) {
        free(name);
        return NULL;
    }
    output->temporary = name;
    FILE *stream = fdopen(file, "wb");
    if (stream == NULL)
        close(file);
    return stream;
}

lgkt_status io_output_open(const char *path, io_output *output, lgkt_error *error)
{
    // links are followed where the file exists
    struct stat info;
    const bool direct = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    char *real = direct ? NULL : realpath(path, NULL);
    *output = (io_output){.target = real != NULL ? real : strdup(path)};
    if (output->target != NULL)
        output->stream = direct ? fopen(output->target, "wb") : open_beside(output);
    if (output->stream != NULL)
        return LGKT_OK;
    const lgkt_status status = io_fail_errno(error, path);
    io_output_discard(output);
    return status;
}

lgkt_status io_output_commit(io_output *output, lgkt_error *error)
{
    // everything on the disk, and no error on the way; the first one counts
    errno = 0;
    bool good = fflush(output->stream) == 0 && !ferror(output->stream);
    if (good && output->temporary != NULL)
        good = fsync(fileno(output->stream)) == 0;
    const int code = good ? 0 : errno != 0 ? errno : EIO;
    good = fclose(output->stream) == 0 && good;
    output->stream = NULL;
    if (code != 0)
        errno = code;
    if (good && output->temporary != NULL)
        good = rename(output->temporary, output->target) == 0;
    const lgkt_status status = good ? LGKT_OK : io_fail_errno(error, output->target);
    io_output_discard(output); // once it is renamed, there is nothing to remove
    return status;
}

void io_output_discard(io_output *output)
{
    if (output->stream != NULL)
        fclose(output->stream);
    if (output->temporary != NULL)
        remove(output->temporary);
    free(output->temporary);
    free(output->target);
    *output = (io_output){0};
}

// ---- texts in memory ----

static bool is_open(io_memory *memory)
{
    if (memory->stream == NULL && !memory->lost)
        memory->stream = open_memstream(&memory->text, &memory->size);
    return memory->stream != NULL;
}

void io_memory_print_list(io_memory *memory, const char *format, va_list values)
{
    memory->lost |= !is_open(memory) || vfprintf(memory->stream, format, values) < 0;
}

void io_memory_print(io_memory *memory, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    io_memory_print_list(memory, format, values);
    va_end(values);
}

void io_memory_write(io_memory *memory, const void *bytes, size_t size)
{
    memory->lost |= !is_open(memory) || fwrite(bytes, 1, size, memory->stream) < size;
}

char *io_memory_close(io_memory *memory, size_t *size)
{
    memory->lost |= memory->stream == NULL || fclose(memory->stream) != 0;
    char *text = memory->text;
    if (memory->lost) {
        free(text);
        text = NULL;
    } else if (size != NULL) {
        *size = memory->size;
    }
    *memory = (io_memory){0};
    return text;
}
