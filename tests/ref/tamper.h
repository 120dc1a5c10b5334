// SPDX-License-Identifier: MIT
// Tampering with saved states: words at a place, and a checksum that agrees again.
#ifndef LGKT_TESTS_TAMPER_H
#define LGKT_TESTS_TAMPER_H

#include <stddef.h>
#include <stdint.h>

#include "lgkt/base.h"

enum { TAMPER_HEAD = 64, TAMPER_TAIL = 8 };
// where the words of the envelope stand
enum {
    TAMPER_AT_MAGIC = 0,
    TAMPER_AT_VERSION = 8,
    TAMPER_AT_KIND = 16,
    TAMPER_AT_SIZE = 24,
    TAMPER_AT_WRITER = 32,
    TAMPER_AT_NUMBERS = 48,
    TAMPER_AT_STATE = 56
};

uint64_t tamper_word(const unsigned char *bytes, size_t at);
void tamper_set_word(unsigned char *bytes, size_t at, uint64_t word);
// Makes size and checksum agree with the content.
void tamper_seal(unsigned char *bytes, size_t size);

// Loads a buffer and tries what was loaded, if anything; returns what loading said.
typedef lgkt_status (*tamper_load_fn)(void *ctx, const unsigned char *bytes, size_t size,
                                      lgkt_error *error);

// Asserts (cmocka) that every flipped bit, every cut and every byte too many is refused with
// LGKT_ERR_FORMAT and a text. Bits of long states are taken at a stride.
void tamper_check_damage(const unsigned char *bytes, size_t size, tamper_load_fn load, void *ctx);
// Puts wrong values into every word of the content, seals it, and loads. It may be refused, with
// a text, or be accepted, and then it is for `load` to see that what was loaded is sound. Returns
// how many were refused.
long tamper_check_content(const unsigned char *bytes, size_t size, tamper_load_fn load, void *ctx);

#endif
