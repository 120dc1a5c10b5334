// SPDX-License-Identifier: MIT
// What a test has measured and what follows from it, as a line of a file, for reports made later.
//
// A test that backs a statement compares numbers with what the statement says of them, and then
// closes its list:
//
//   verdict_at_most("gap of the policy, against its bound", gap, 0, bound);
//   verdict_expect(VERDICT_AGAINST, "one state, rewards 1 and 0, T = %d", T);
//
// The side follows from the comparisons and from nothing else: against the statement if one is on
// the other side; else open if one is within VERDICT_ERRORS standard errors of its bound; else for
// it. With LGKT_VERDICTS=FOLDER in the environment the line goes to FOLDER/NAME.jsonl, NAME being
// that of the source file:
//
//   {"file": "tests/unit/test_theorems.c", "test": "..", "holds": false, "shown": "one state, ..",
//    "comparisons": [{"what": "gap of ..", "measured": 2.5, "error": 0, "relation": "<=",
//    "bound": 0, "holds": false}], "could_fail": true, "version": "0.1.0"}
//
// "holds" is null where it is open. The line is written first; then the test fails if the side is
// not the one that is known. A test that fails before has no line.
#ifndef LGKT_TESTS_VERDICT_H
#define LGKT_TESTS_VERDICT_H

#include <stdbool.h>

// With normal errors a number is farther off than this with probability 6e-7.
#define VERDICT_ERRORS 5

typedef enum verdict_side { VERDICT_AGAINST, VERDICT_OPEN, VERDICT_FOR } verdict_side;

// Removes what an earlier run has written. First thing in main.
#define verdict_begin() verdict_begin_file(__FILE__)
// The statement says that a number is at most, or at least, a bound. `error` is its standard error,
// 0 of what is exact. In the function of the test itself.
#define verdict_at_most(what, measured, error, bound)                                              \
    verdict_compare(__func__, (what), (measured), (error), true, (bound))
#define verdict_at_least(what, measured, error, bound)                                             \
    verdict_compare(__func__, (what), (measured), (error), false, (bound))
// What is compared in this test is true by definition or by construction.
#define verdict_cannot_fail() verdict_by_construction(__func__)
// Writes the line, with a text that says on what was measured, and asserts the side. Last thing in
// a test.
#define verdict_expect(side, ...)                                                                  \
    verdict_check((side), verdict_write(__FILE__, __func__, __VA_ARGS__), __FILE__, __LINE__)

void verdict_begin_file(const char *file);
void verdict_compare(const char *test, const char *what, double measured, double error,
                     bool at_most, double bound);
void verdict_by_construction(const char *test);
// Returns the side. Without comparisons the test fails.
verdict_side verdict_write(const char *file, const char *test, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void verdict_check(verdict_side expected, verdict_side found, const char *file, int line);

#endif
