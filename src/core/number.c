// SPDX-License-Identifier: MIT
// Numbers to text and back. strtod and printf use the decimal point of the program's locale, which
// a library must not change; here the point is always '.'. The shape of the text is checked first,
// and the point of the locale, found by printing 0.5, is put in its place for strtod.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

#define MAX_CHARS 100

// ---- locale ----

// The decimal point of the locale: what stands between the digits of 0.5; returns its length.
static size_t locale_point(char point[16])
{
    char sample[16];
    const int length = snprintf(sample, sizeof sample, "%.1f", 0.5);
    if (length < 3 || length >= (int)sizeof sample)
        return 0;
    memcpy(point, sample + 1, (size_t)length - 2);
    point[length - 2] = '\0';
    return (size_t)length - 2;
}

// ---- the shape of a number ----

// isdigit may follow the locale, so digits are told by hand
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(const char *text)
{
    size_t n = 0;
    while (is_digit(text[n]))
        n++;
    return n;
}

// The length of the number [+-] digits [. digits] [e [+-] digits] at the start of text; 0 if there
// is none.
static size_t number_length(const char *text)
{
    const char *at = text + (*text == '+' || *text == '-');
    size_t digits = count_digits(at);
    at += digits;
    if (*at == '.') {
        const size_t decimals = count_digits(at + 1);
        digits += decimals;
        at += 1 + decimals;
    }
    if (digits == 0)
        return 0;
    if (*at == 'e' || *at == 'E') {
        at += 1;
        at += *at == '+' || *at == '-';
        const size_t exponent = count_digits(at);
        if (exponent == 0)
            return 0;
        at += exponent;
    }
    return (size_t)(at - text);
}

// ---- parsing ----

// Reads one number of `length` characters whose shape has been checked.
static bool convert(const char *text, size_t length, double *value)
{
    char point[16], copy[MAX_CHARS + 16 + 1];
    const size_t point_length = locale_point(point);
    if (length > MAX_CHARS || point_length == 0)
        return false;
    const char *dot = memchr(text, '.', length);
    const size_t before = dot != NULL ? (size_t)(dot - text) : length;
    memcpy(copy, text, before);
    char *end = copy + before;
    if (dot != NULL) {
        memcpy(end, point, point_length);
        end += point_length;
        memcpy(end, dot + 1, length - before - 1);
        end += length - before - 1;
    }
    *end = '\0';
    char *stop;
    *value = strtod(copy, &stop);
    return stop == end && isfinite(*value);
}

bool lgkt_number_parse(const char *text, double *value)
{
    const size_t top = number_length(text);
    double numerator, denominator = 1.0;
    if (top == 0 || !convert(text, top, &numerator))
        return false;
    if (text[top] == '/') {
        const char *below = text + top + 1;
        const size_t length = number_length(below);
        if (length == 0 || below[length] != '\0' || !convert(below, length, &denominator))
            return false;
    } else if (text[top] != '\0') {
        return false;
    }
    // 1/0 is an infinity and 0/0 a NaN: both are refused here
    const double quotient = numerator / denominator;
    if (!isfinite(quotient))
        return false;
    *value = quotient;
    return true;
}

// Digits with a sign; false if there is anything else, or on overflow.
static bool parse_digits(const char *text, int64_t *value)
{
    const bool negative = *text == '-';
    const char *at = text + (*text == '+' || *text == '-');
    int64_t total = 0;
    if (!is_digit(*at))
        return false;
    for (; is_digit(*at); at++) {
        const int digit = *at - '0';
        if (total > (INT64_MAX - digit) / 10)
            return false;
        total = 10 * total + digit;
    }
    *value = negative ? -total : total;
    return *at == '\0';
}

bool lgkt_integer_parse(const char *text, int64_t *value)
{
    int64_t whole;
    if (parse_digits(text, &whole)) {
        *value = whole;
        return true;
    }
    double number;
    if (!lgkt_number_parse(text, &number) || number != floor(number) || fabs(number) >= 0x1p53)
        return false;
    *value = (int64_t)number;
    return true;
}

// ---- printing ----

// Puts '.' in the place of the locale's point.
static void plain_point(char *text)
{
    char point[16];
    const size_t length = locale_point(point);
    char *at = length > 0 ? strstr(text, point) : NULL;
    if (at != NULL) {
        *at = '.';
        memmove(at + 1, at + length, strlen(at + length) + 1);
    }
}

void lgkt_number_print(char text[LGKT_NUMBER_SIZE], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        snprintf(text, LGKT_NUMBER_SIZE, "%.*g", digits, value);
        plain_point(text);
        if (lgkt_number_parse(text, &back) && back == value)
            return;
    }
    // only what is not finite comes here; its spelling is ours, not that of printf
    if (!isfinite(value))
        strcpy(text, isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf");
}
