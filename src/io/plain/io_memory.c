// SPDX-License-Identifier: MIT
// Texts in memory (io_memory.h).
#include "io/plain/io_memory.h"

#include <stdlib.h>

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
