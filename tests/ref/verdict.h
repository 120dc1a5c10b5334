// SPDX-License-Identifier: MIT
// What a test has shown, as a line of a file, for reports that are made later.
//
// With LGKT_VERDICTS=FOLDER in the environment a test program writes FOLDER/NAME.jsonl, NAME being
// that of its source file. Each test that backs a statement adds one line after its last assertion:
//
//   {"file": "tests/unit/test_theorems.c", "test": "the_limits_of_k_and_gamma", "holds": true,
//    "shown": "largest gap 4e-15", "version": "0.1.0"}
//
// A test that fails adds none. Without the variable nothing is written.
#ifndef LGKT_TESTS_VERDICT_H
#define LGKT_TESTS_VERDICT_H

#include <stdbool.h>

// Removes what an earlier run has written. First thing in main.
#define verdict_begin() verdict_begin_file(__FILE__)
// The statement holds or not, and what shows it, with its numbers. Last thing in a test.
#define verdict(holds, ...) verdict_write(__FILE__, __func__, (holds), __VA_ARGS__)

void verdict_begin_file(const char *file);
void verdict_write(const char *file, const char *test, bool holds, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
