// SPDX-License-Identifier: MIT
// Refuses to compile where a result would depend on the compiler: every operation on doubles must
// be rounded to a double, in the order written. The build puts this header before every file of
// ours; core/error.h includes it too, for those who compile without our build files.
#ifndef LGKT_CORE_ARITHMETIC_H
#define LGKT_CORE_ARITHMETIC_H

#include <float.h>

// 0: each type in itself; 1: float as double; 16: as 0. The x87 has 2: all as long double.
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1 && FLT_EVAL_METHOD != 16
#error "doubles are computed with more digits here; on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||     \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ != 0)
#error "results would differ: compile without -ffast-math, -Ofast and what they are made of"
#endif

#endif
