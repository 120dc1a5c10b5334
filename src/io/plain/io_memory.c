// SPDX-License-Identifier: MIT
// Texts in memory (io_memory.h).
#include "io/plain/io_memory.h"

#include <stdarg.h>
#include <stdlib.h>

void io_memory_open(io_memory *memory)
{
    *memory = (io_memory){0};
    memory->stream = open_memstream(&memory->text, &memory->size);
    memory->lost = memory->stream == NULL;
}

void io_memory_print(io_memory *memory, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    memory->lost = memory->lost || vfprintf(memory->stream, format, values) < 0;
    va_end(values);
}

void io_memory_write(io_memory *memory, const void *bytes, size_t size)
{
    memory->lost = memory->lost || fwrite(bytes, 1, size, memory->stream) < size;
}

char *io_memory_close(io_memory *memory, size_t *size)
{
    if (memory->stream != NULL && fclose(memory->stream) != 0)
        memory->lost = true;
    memory->stream = NULL;
    if (memory->lost) {
        free(memory->text);
        memory->text = NULL;
    } else if (size != NULL) {
        *size = memory->size;
    }
    return memory->text;
}
