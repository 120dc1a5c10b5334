// SPDX-License-Identifier: MIT
// Numbers as bytes, little-endian, and a checksum of bytes.
#ifndef IO_WORDS_H
#define IO_WORDS_H

#include <stddef.h>
#include <stdint.h>

void io_put_u64(unsigned char bytes[8], uint64_t value);
uint64_t io_get_u64(const unsigned char bytes[8]);

// 64-bit FNV-1a, begun with IO_CHECK_START. Each byte enters by a bijection of the check, so a
// change of a single byte never goes unseen.
#define IO_CHECK_START UINT64_C(0xcbf29ce484222325)

uint64_t io_check_bytes(uint64_t check, const void *bytes, size_t size);
// The text with its end, so that "a" "bc" is not "ab" "c".
uint64_t io_check_text(uint64_t check, const char *text);

#endif
