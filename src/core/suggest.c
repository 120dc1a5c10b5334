// SPDX-License-Identifier: MIT
// What to say about a name that does not exist: the nearest one, or all there are.
//
// Nearness is the edit distance with swaps of neighbours (Damerau 1964, in the restricted form that
// edits no letter twice): d(i,j) between the first i letters of a and j of b is the least of
// d(i-1,j) + 1, d(i,j-1) + 1, d(i-1,j-1) + [a_i != b_j], and d(i-2,j-2) + 1 if the last two letters
// are swapped. O(|a| |b|) time, three rows of memory.

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/suggest.h"

#define MAX_WORD 64

// ---- distance ----

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// Row i of d from the two before it; rows have |b| + 1 entries.
static void next_row(const char *a, const char *b, int32_t i, const int32_t *before_last,
                     const int32_t *last, int32_t *row)
{
    const int32_t n = (int32_t)strlen(b);
    row[0] = i;
    for (int32_t j = 1; j <= n; j++) {
        const bool same = a[i - 1] == b[j - 1];
        row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + !same);
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            row[j] = least(row[j], before_last[j - 2] + 1);
    }
}

int32_t lgkt_edit_distance(const char *a, const char *b, int32_t cap)
{
    int32_t rows[3][MAX_WORD + 1];
    const size_t m = strlen(a), n = strlen(b);
    if (m > MAX_WORD || n > MAX_WORD)
        return cap;
    for (int32_t j = 0; j <= (int32_t)n; j++)
        rows[0][j] = j;
    for (int32_t i = 1; i <= (int32_t)m; i++)
        next_row(a, b, i, rows[(i + 1) % 3], rows[(i + 2) % 3], rows[i % 3]);
    return least(rows[m % 3][n], cap);
}

// ---- suggestion ----

// The nearest name, or NULL if none is close: at most 2 edits, or a third of the word, and some of
// it unchanged.
static const char *nearest(const char *word, lgkt_name_fn name, const void *ctx)
{
    const int32_t length = (int32_t)least(MAX_WORD + 1, (int32_t)strlen(word));
    int32_t best = 1 + (length / 3 > 2 ? length / 3 : 2);
    const char *found = NULL;
    for (int32_t i = 0; name(ctx, i) != NULL; i++) {
        const int32_t other = (int32_t)strlen(name(ctx, i));
        const int32_t cap = least(best, length > other ? length : other);
        const int32_t distance = lgkt_edit_distance(word, name(ctx, i), cap);
        if (distance < cap) {
            best = distance;
            found = name(ctx, i);
        }
    }
    return found;
}

// "known: a, b, c", ending in "..." where the room ends.
static void list_names(char *text, size_t size, lgkt_name_fn name, const void *ctx)
{
    size_t at = (size_t)snprintf(text, size, "known: ");
    for (int32_t i = 0; at < size && name(ctx, i) != NULL; i++) {
        const char *gap = i > 0 ? ", " : "";
        // leave room for ", ..." unless this is the last one
        const size_t reserve = name(ctx, i + 1) != NULL ? 6 : 1;
        if (at + strlen(gap) + strlen(name(ctx, i)) + reserve > size) {
            snprintf(text + at, size - at, "%s...", gap);
            return;
        }
        at += (size_t)snprintf(text + at, size - at, "%s%s", gap, name(ctx, i));
    }
}

void lgkt_suggest(char *text, size_t size, const char *word, lgkt_name_fn name, const void *ctx)
{
    const char *near = nearest(word, name, ctx);
    if (near != NULL)
        snprintf(text, size, "did you mean \"%s\"?", near);
    else if (name(ctx, 0) != NULL)
        list_names(text, size, name, ctx);
    else
        snprintf(text, size, "there are none");
}
