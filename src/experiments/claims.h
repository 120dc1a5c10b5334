// SPDX-License-Identifier: MIT
// The claims of the paper, and what the measured numbers say about them.
//
// A claim is a list of checks; a check is written for sets of learners, panels and times and opens
// into single comparisons. claims.c states when a comparison counts for a claim and what verdict
// follows.
#ifndef EXPERIMENTS_CLAIMS_H
#define EXPERIMENTS_CLAIMS_H

#include "experiments/result_folder.h"

#define EXP_END       (-1) // as a time: the horizon of the panel
#define EXP_MAX_TIMES 6

typedef enum exp_check_kind {
    EXP_ABOVE,     // a above b
    EXP_NOT_BELOW, // a not below b
    EXP_CLOSE,     // a and b differ by at most `limit` of b
    EXP_NEAR,      // a is at most `limit` of b below b
    EXP_SAME_RATE, // after times[0], a and b differ by at most `limit` of b
    EXP_NUMBER,    // a ends at `limit`, the number printed in the paper
    EXP_FLAT,      // a curve grows by less than `limit` of itself in the second half
    EXP_SLOWER,    // a curve grows no faster than t^limit from T/10 to T
    EXP_LINEAR,    // the regret of a to b grows at least as fast as t^limit from T/4 to T
    EXP_TESTED,    // always so: the unit test `a` of the file `panels` shows it
    EXP_REFUTED    // never so: the unit test `a` of the file `panels` shows it
} exp_check_kind;

// The next item of a list "a|b|c" into `item`; false at its end, or if the list is NULL.
bool exp_list_next(const char **list, char item[EXP_FIELD_SIZE]);

// Lists are separated by '|'; labels that a panel does not have are left out.
typedef struct exp_check {
    exp_check_kind kind;
    const char *experiment;
    const char *panels;
    const char *a, *b;
    int64_t times[EXP_MAX_TIMES]; // ended by 0
    double limit;
    bool best; // of all a, only the one with the highest mean counts
} exp_check;

typedef struct exp_claim {
    const char *id;
    const char *section; // of the report
    const char *place;   // where in the paper
    const char *words;   // what it says, in short
    const char *remark;  // on how it was judged; NULL if there is nothing to say
    const exp_check *checks;
    int32_t check_count;
} exp_claim;

// Claim number i in the order of the paper; NULL beyond the last.
const exp_claim *exp_claim_at(int32_t i);

// ---- what the numbers say ----

typedef enum exp_side {
    EXP_FOR,
    EXP_OPEN, // the interval leaves both possible
    EXP_AGAINST,
    EXP_MISSING // not measured
} exp_side;

// One comparison with the number it rests on.
typedef struct exp_evidence {
    const exp_check *check;
    const exp_panel *panel; // NULL for EXP_TESTED and EXP_REFUTED
    const char *a, *b;      // labels; b is NULL where there is none
    int64_t t;
    double value, ci95; // a difference, a number or an exponent; ci95 is NaN if there is none
    double limit;       // what the value is held against, in its unit
    exp_side side;
} exp_evidence;

typedef enum exp_verdict {
    EXP_HOLDS,
    EXP_HOLDS_IN_PART,
    EXP_HOLDS_NOT,
    EXP_NOT_JUDGED // an experiment it needs was not read
} exp_verdict;

typedef struct exp_judgement {
    const exp_claim *claim;
    exp_verdict verdict;
    exp_evidence *evidence; // (count)
    int32_t count;
    int32_t sides[4]; // how many are on each exp_side
} exp_judgement;

// Nullable: error.
lgkt_status exp_judge(const exp_claim *claim, const exp_results *results, exp_judgement *judgement,
                      lgkt_error *error);
void exp_judgement_free(exp_judgement *judgement);

const char *exp_verdict_text(exp_verdict verdict);
const char *exp_side_text(exp_side side);
// The rule of verdicts and of each kind of check, one paragraph each; NULL beyond the last.
const char *exp_rule_text(int32_t i);
// A comparison in words, such as "synthetic-10, LG1T - UCRL2 at 20000: +0.1 ± 0.02".
#define EXP_EVIDENCE_SIZE 256
const char *exp_evidence_text(const exp_evidence *evidence, char text[EXP_EVIDENCE_SIZE]);

#endif
