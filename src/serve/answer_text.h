// SPDX-License-Identifier: MIT
// JSON written as it comes, for answers that are given often: compact, in ASCII order of names, the
// same bytes as those of a tree that is written with JSON_COMPACT | JSON_SORT_KEYS. The caller keeps
// the order.
#pragma once

#include "serve/record.h"

// Letters as they are.
void srv_say(srv_bytes *text, const char *letters);
// In quotes, with what must be marked.
void srv_say_text(srv_bytes *text, const char *value);
void srv_say_integer(srv_bytes *text, int64_t value);
// 17 digits without zeros at the end, and always with a point or an exponent; null for what is not
// finite.
void srv_say_real(srv_bytes *text, double value);
