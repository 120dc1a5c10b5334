// SPDX-License-Identifier: MIT
// Numbers to text and back, the same in every locale.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LGKT_NUMBER_SIZE 32 // room for any number printed by lgkt_number_print

// "-1.5e3" or a fraction "1/3" of two such numbers; nothing else: no blanks, hexadecimals, NaN or
// infinity, and no more than 100 characters. False if it is no such text or the value overflows.
bool lgkt_number_parse(const char *text, double *value);

// Digits with a sign, exactly; or a number as above that is whole and less than 2^53 in size, such
// as 1e6. False otherwise, and for INT64_MIN, which stands for "unset".
bool lgkt_integer_parse(const char *text, int64_t *value);

// The same for 0 .. 2^64 - 1.
bool lgkt_seed_parse(const char *text, uint64_t *value);

// The shortest text of 15 to 17 digits that parses back to the same double. "inf", "-inf" and "nan"
// for those, which do not parse. Returns text.
const char *lgkt_number_print(char text[LGKT_NUMBER_SIZE], double value);
