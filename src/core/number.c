// SPDX-License-Identifier: MIT
// Numbers to text and back. strtod and printf use the decimal point of the program's locale, which
// a library must not change; here the point is always '.'. The shape of the text is checked first,
// and where strtod then does not know the point, that of the locale is put in its place.

#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CHARS 100
#define DIGITS    "0123456789" // isdigit may follow the locale

// ---- parsing ----

// Reads the number [+-] digits [. digits] [e [+-] digits] at the start of text and returns its
// length; 0 if there is none, or none that is finite.
static size_t read_number(const char *text, double *value)
{
    const char *at = text + (*text == '+' || *text == '-');
    const char *dot = NULL;
    size_t digits = strspn(at, DIGITS);
    at += digits;
    if (*at == '.') {
        dot = at;
        const size_t decimals = strspn(at + 1, DIGITS);
        digits += decimals;
        at += 1 + decimals;
    }
    if (digits == 0)
        return 0;
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '+' || at[1] == '-');
        const size_t exponent = strspn(at, DIGITS);
        if (exponent == 0)
            return 0;
        at += exponent;
    }
    const size_t length = (size_t)(at - text);
    if (length > MAX_CHARS)
        return 0;

    // a copy that ends where the number does, with room for the point of any locale
    char copy[MAX_CHARS + 16 + 1], *stop;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *value = strtod(copy, &stop);
    if (dot != NULL && *stop != '\0') {
        // the decimal point of the locale is what stands between the digits of 0.5
        char sample[16];
        snprintf(sample, sizeof sample, "%.1f", 0.5);
        const size_t before = (size_t)(dot - text), point = strcspn(sample + 1, "5");
        memcpy(copy + before, sample + 1, point);
        memcpy(copy + before + point, dot + 1, length - before - 1);
        copy[length - 1 + point] = '\0';
        *value = strtod(copy, &stop);
    }
    return *stop == '\0' && isfinite(*value) ? length : 0;
}

bool lgkt_number_parse(const char *text, double *value)
{
    double numerator, denominator = 1.0;
    size_t length = read_number(text, &numerator);
    if (length > 0 && text[length] == '/') {
        const size_t below = read_number(text + length + 1, &denominator);
        length = below > 0 ? length + 1 + below : 0;
    }
    // 1/0 is an infinity and 0/0 a NaN: both are refused here
    const double quotient = length > 0 ? numerator / denominator : NAN;
    if (text[length] != '\0' || !isfinite(quotient))
        return false;
    *value = quotient;
    return true;
}

// Nothing but digits, and at most `largest`.
static bool read_digits(const char *text, uint64_t largest, uint64_t *value)
{
    const size_t digits = strspn(text, DIGITS);
    uint64_t total = 0;
    for (size_t i = 0; i < digits; i++) {
        const unsigned digit = (unsigned)(text[i] - '0');
        if (total > (largest - digit) / 10)
            return false;
        total = 10 * total + digit;
    }
    *value = total;
    return digits > 0 && text[digits] == '\0';
}

bool lgkt_integer_parse(const char *text, int64_t *value)
{
    uint64_t whole;
    if (read_digits(text + (*text == '+' || *text == '-'), INT64_MAX, &whole)) {
        *value = *text == '-' ? -(int64_t)whole : (int64_t)whole;
        return true;
    }
    double number;
    if (!lgkt_number_parse(text, &number) || number != floor(number) || fabs(number) >= 0x1p53)
        return false;
    *value = (int64_t)number;
    return true;
}

bool lgkt_seed_parse(const char *text, uint64_t *value)
{
    uint64_t digits;
    int64_t whole = -1;
    if (!read_digits(text, UINT64_MAX, &digits) && (!lgkt_integer_parse(text, &whole) || whole < 0))
        return false;
    *value = whole >= 0 ? (uint64_t)whole : digits;
    return true;
}

// ---- printing ----

const char *lgkt_number_print(char text[LGKT_NUMBER_SIZE], double value)
{
    // the spelling of what is not finite is ours, not that of printf
    if (!isfinite(value))
        return strcpy(text, isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf");
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        snprintf(text, LGKT_NUMBER_SIZE, "%.*g", digits, value);
        // '.' in the place of the locale's point
        char *point = text + strspn(text, "+-.e" DIGITS);
        if (*point != '\0') {
            const char *behind = point + strcspn(point, DIGITS);
            *point = '.';
            memmove(point + 1, behind, strlen(behind) + 1);
        }
        if (lgkt_number_parse(text, &back) && back == value)
            break;
    }
    return text;
}
