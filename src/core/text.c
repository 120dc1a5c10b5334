// SPDX-License-Identifier: MIT
// UTF-8 (RFC 3629), and the nearest name.
//
// Nearness is the edit distance with swaps of neighbours (Damerau 1964, in the restricted form that
// edits no letter twice): d(i,j) between the first i letters of a and j of b is the least of
// d(i-1,j) + 1, d(i,j-1) + 1, d(i-1,j-1) + [a_i != b_j], and d(i-2,j-2) + 1 if the last two letters
// are swapped. O(|a| |b|) time, three rows of memory.

#include "core/text.h"

#include <stdio.h>
#include <string.h>

#define MAX_WORD 64

// ---- characters ----

static bool is_follower(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

size_t lgkt_utf8_length(const char *text)
{
    const unsigned first = (unsigned char)text[0], second = first != 0 ? (unsigned char)text[1] : 0;
    if (first < 0x80)
        return first != 0;
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    for (size_t i = 1; i < length; i++) {
        if (!is_follower(text[i]))
            return 0;
    }
    // longer than needed (c0, c1, e0, f0), halves of a pair (ed), beyond the last character (f4)
    if (first < 0xc2 || first > 0xf4 || (first == 0xe0 && second < 0xa0) ||
        (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
        (first == 0xf4 && second > 0x8f))
        return 0;
    return length;
}

size_t lgkt_text_fit(const char *text, size_t limit)
{
    size_t at = 0;
    while (at < limit && text[at] != '\0') {
        const size_t length = lgkt_utf8_length(text + at);
        if (length > limit - at)
            break;
        at += length > 0 ? length : 1;
    }
    return at;
}

const char *lgkt_text_tail(const char *text, size_t limit)
{
    const size_t length = strlen(text);
    const char *at = length > limit ? text + (length - limit) : text;
    // at most 3 bytes of a character that began before
    for (int i = 0; at != text && i < 3 && is_follower(*at); i++)
        at++;
    return at;
}

size_t lgkt_text_clean(char *to, size_t size, const char *text)
{
    size_t at = 0;
    while (*text != '\0') {
        const size_t length = lgkt_utf8_length(text);
        const unsigned char c = (unsigned char)text[0];
        // U+0080 to U+009F are control characters too
        const bool control = c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)text[1] < 0xa0);
        const size_t kept = length == 0 || control ? 1 : length;
        if (at + kept >= size)
            break;
        const size_t taken = length > 0 ? length : 1;
        memmove(to + at, length == 0 || control ? "?" : text, kept);
        text += taken;
        at += kept;
    }
    to[at] = '\0';
    return at;
}

// ---- names ----

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

int32_t lgkt_edit_distance(const char *a, const char *b, int32_t cap)
{
    int32_t rows[3][MAX_WORD + 1];
    const size_t m = strlen(a), n = strlen(b);
    if (m > MAX_WORD || n > MAX_WORD)
        return cap;
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = (int32_t)j;
    for (size_t i = 1; i <= m; i++) {
        const int32_t *before_last = rows[(i + 1) % 3], *last = rows[(i + 2) % 3];
        int32_t *row = rows[i % 3];
        row[0] = (int32_t)i;
        for (size_t j = 1; j <= n; j++) {
            const bool same = a[i - 1] == b[j - 1];
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + !same);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before_last[j - 2] + 1);
        }
    }
    return least(rows[m % 3][n], cap);
}

// Puts the name that was added last into the list, if there is room for it and so many bytes.
static void list_last(lgkt_hint *hint, size_t reserve)
{
    const char *gap = hint->length > 0 ? ", " : "known: ";
    if (hint->last == NULL || hint->full)
        return;
    hint->full = hint->length + strlen(gap) + strlen(hint->last) + reserve > hint->size;
    hint->length += (size_t)snprintf(hint->text + hint->length, hint->size - hint->length, "%s%s",
                                     gap, hint->full ? "..." : hint->last);
}

void lgkt_hint_add(lgkt_hint *hint, const char *name)
{
    const size_t whole = strlen(hint->word);
    const int32_t length = whole > MAX_WORD ? MAX_WORD + 1 : (int32_t)whole;
    const int32_t most = hint->nearest != NULL ? hint->edits : 1 + (length > 8 ? length / 3 : 2);
    const int32_t other = (int32_t)strlen(name);
    const int32_t cap = least(most, length > other ? length : other);
    const int32_t distance = lgkt_edit_distance(hint->word, name, cap);
    if (distance < cap) {
        hint->edits = distance;
        hint->nearest = name;
    }
    // with room for ", ..." behind the one before, which is not the last
    list_last(hint, 6);
    hint->last = name;
}

const char *lgkt_hint_text(lgkt_hint *hint)
{
    if (hint->nearest != NULL) {
        snprintf(hint->text, hint->size, "did you mean \"%s\"?", hint->nearest);
        return hint->text;
    }
    list_last(hint, 1);
    return hint->last != NULL ? hint->text : "there are none";
}
