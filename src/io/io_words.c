// SPDX-License-Identifier: MIT
// Numbers as bytes, and a checksum (io_words.h).
#include "io/io_words.h"

#include <string.h>

void io_put_u64(unsigned char bytes[8], uint64_t value)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

uint64_t io_get_u64(const unsigned char bytes[8])
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

uint64_t io_check_bytes(uint64_t check, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    for (size_t i = 0; i < size; i++)
        check = (check ^ from[i]) * UINT64_C(0x100000001b3);
    return check;
}

uint64_t io_check_text(uint64_t check, const char *text)
{
    return io_check_bytes(check, text, strlen(text) + 1);
}
