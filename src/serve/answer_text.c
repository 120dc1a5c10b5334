// SPDX-License-Identifier: MIT
// JSON written as it comes (answer_text.h).
//
// A double is m 2^-s with a whole m below 2^53. Of one within 1e-4 .. 1e15, x 10^q with the q that
// leaves 17 digits before the point is m 10^q / 2^s, and m 10^q is below 2^124: the digits and what
// they are rounded by are exact in whole numbers of 128 bits, as those of printf are. Others are
// printed by printf.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "serve/answer_text.h"

enum { DIGITS = 17, REAL_SIZE = 40 };

void srv_say(srv_bytes *text, const char *letters)
{
    srv_bytes_put(text, letters, strlen(letters));
}

void srv_say_text(srv_bytes *text, const char *value)
{
    srv_bytes_put(text, "\"", 1);
    while (*value != '\0') {
        size_t plain = 0;
        while ((unsigned char)value[plain] >= ' ' && value[plain] != '"' && value[plain] != '\\')
            plain++;
        srv_bytes_put(text, value, plain);
        value += plain;
        if (*value == '\0')
            break;
        static const char marked[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
        const char *at = strchr(marked, *value);
        char mark[16];
        if (at != NULL)
            snprintf(mark, sizeof mark, "\\%c", letters[at - marked]);
        else
            snprintf(mark, sizeof mark, "\\u%04X", (unsigned char)*value);
        srv_say(text, mark);
        value++;
    }
    srv_bytes_put(text, "\"", 1);
}

// The digits of a whole number, from its end; returns where they begin.
static char *put_digits(char *end, uint64_t number)
{
    do
        *--end = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return end;
}

void srv_say_integer(srv_bytes *text, int64_t value)
{
    char room[24], *end = room + sizeof room;
    char *at = put_digits(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    if (value < 0)
        *--at = '-';
    srv_bytes_put(text, at, (size_t)(end - at));
}

// ---- reals ----

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

static const uint64_t TENS[] = {1,
                                10,
                                100,
                                1000,
                                10000,
                                100000,
                                1000000,
                                10000000,
                                100000000,
                                1000000000,
                                10000000000,
                                100000000000,
                                1000000000000,
                                10000000000000,
                                100000000000000,
                                1000000000000000,
                                10000000000000000,
                                100000000000000000};

// The 17 digits of a value within 1e-4 .. 1e15, as a whole number, and its power of ten.
static uint64_t digits_of(double value, int *power)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const wide m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    const int s = 1075 - (int)(bits >> 52);
    int d = value >= 1 ? 0 : -4;
    while (d < 0 ? value * (double)TENS[-d] >= 10 : value >= (double)TENS[d + 1])
        d++;
    for (;;) {
        const int q = DIGITS - 1 - d;
        const wide whole = m * TENS[q < DIGITS ? q : DIGITS] * (q > DIGITS ? TENS[q - DIGITS] : 1);
        const wide rest = whole & (((wide)1 << s) - 1), half = (wide)1 << (s - 1);
        uint64_t digits = (uint64_t)(whole >> s);
        // a power that was rounded is one off
        if (digits < TENS[DIGITS - 1]) {
            d--;
        } else if (whole >> s >= TENS[DIGITS]) {
            d++;
        } else {
            digits += rest > half || (rest == half && digits % 2 == 1);
            *power = d + (digits == TENS[DIGITS]);
            return digits == TENS[DIGITS] ? TENS[DIGITS - 1] : digits;
        }
    }
}

// A value from 0 on as printf's %.17g has it; false for one that is printed by printf.
static bool print_usual(char room[REAL_SIZE], double value)
{
    if (value == 0) {
        memcpy(room, "0", 2);
        return true;
    }
    if (!(value >= 1.0001e-4 && value < 1e15))
        return false;
    int power;
    char digits[DIGITS + 1];
    put_digits(digits + DIGITS, digits_of(value, &power));
    int count = DIGITS;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    char *at = room;
    if (power < 0) {
        memcpy(at, "0.0000", 6);
        at += 1 - power;
        memcpy(at, digits, (size_t)count);
        at[count] = '\0';
        return true;
    }
    const int before = power + 1;
    memcpy(at, digits, (size_t)before); // zeros that were cut are still there
    at += before;
    if (count > before) {
        *at++ = '.';
        memcpy(at, digits + before, (size_t)(count - before));
        at += count - before;
    }
    *at = '\0';
    return true;
}
#else
static bool print_usual(char room[REAL_SIZE], double value)
{
    (void)room, (void)value;
    return false;
}
#endif

// The command never leaves the locale "C", so the point is one.
static void print_rare(char room[REAL_SIZE], double value)
{
    snprintf(room, REAL_SIZE, "%.*g", DIGITS, value);
    char *exponent = strchr(room, 'e');
    if (exponent == NULL)
        return;
    // e-05 and e+20 as e-5 and e20
    char *to = exponent + 1, *from = to + 1;
    to += *to == '-';
    from += strspn(from, "0");
    memmove(to, from, strlen(from) + 1);
}

void srv_say_real(srv_bytes *text, double value)
{
    char room[REAL_SIZE];
    if (!isfinite(value)) {
        srv_say(text, "null");
        return;
    }
    if (signbit(value))
        srv_bytes_put(text, "-", 1);
    if (!print_usual(room, fabs(value)))
        print_rare(room, fabs(value));
    srv_say(text, room);
    if (strpbrk(room, ".e") == NULL)
        srv_say(text, ".0");
}
