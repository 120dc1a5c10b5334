// SPDX-License-Identifier: MIT
// Verdicts on claims (claims.h), computed from the tables of the results.
//
// d is the paired difference a - b on the same instances and w half the width of its 95% interval,
// both from pairs.csv; m is the margin: `limit` times the mean of b at that time. A comparison
// counts
//
//     kind       for the claim if     against it if
//     above      d - w > 0            d + w < 0
//     not below  d + w >= 0           d + w < 0
//     close      |d| + w <= m         |d| - w > m
//     near       d - w >= -m          d + w < -m
//     same rate  as close, with d of the steps after time t: (T d_T - t d_t) / (T - t), and for w
//                the sum of both widths, (T w_T + t w_t) / (T - t)
//     number     the printed number is in the interval of ours, or less than 0.02 away; else not
//     flat       R(T) - R(T/2) < limit R(T); else not
//     slower     log(R(T) / R(T/10)) / log 10 <= limit; else not
//     linear     log(T d_T / (T/4 d_{T/4})) / log 4 >= limit with d = b - a; else not
//
// and is open in all other cases. Without an interval (a single instance) it is not measured.
//
// A claim holds if all its comparisons count for it. It does not hold if more than half of them
// count against it, if some count against it and none for it, or if a unit test has a
// counterexample. It is not judged if a comparison was not measured or all are open. Else it holds
// in part.

#include "experiments/claims.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/elementary.h"
#include "core/error.h"

#define NUMBER_TOLERANCE 0.02

// ---- lists ----

bool exp_list_next(const char **list, char item[EXP_FIELD_SIZE])
{
    if (*list == NULL || **list == '\0')
        return false;
    const size_t length = strcspn(*list, "|");
    snprintf(item, EXP_FIELD_SIZE, "%.*s", (int)length, *list);
    *list += length + ((*list)[length] == '|');
    return true;
}

// The entries of a panel that are in a list; returns how many.
static int32_t select_entries(const exp_panel *panel, const char *list, int32_t *entries)
{
    char label[EXP_FIELD_SIZE];
    int32_t count = 0;
    while (exp_list_next(&list, label)) {
        const int32_t entry = exp_panel_find(panel, label);
        if (entry >= 0)
            entries[count++] = entry;
    }
    return count;
}

// ---- one comparison ----

// What a comparison is made on.
typedef struct subject {
    const exp_panel_data *data;
    const exp_check *check;
    int32_t a, b; // b is -1 where there is none
    int64_t t, horizon;
} subject;

static exp_side side_of(bool for_it, bool against_it)
{
    return for_it ? EXP_FOR : against_it ? EXP_AGAINST : EXP_OPEN;
}

static bool mean_at(const subject *s, int32_t entry, int64_t t, double *mean)
{
    return exp_track_mean(&s->data->tracks[entry], t, mean);
}

static bool difference_at(const subject *s, int64_t t, double *d, double *w)
{
    return exp_panel_difference(s->data, s->a, s->b, t, d, w);
}

// false if it was not measured
static bool compare(const subject *s, exp_evidence *e)
{
    const double limit = s->check->limit, end = (double)s->horizon;
    const exp_check_kind kind = s->check->kind;
    if (kind == EXP_NUMBER) {
        const exp_track *track = &s->data->tracks[s->a];
        const double off = fabs(track->mean - limit);
        e->value = track->mean;
        e->ci95 = track->ci95;
        e->side = side_of(off <= track->ci95 || off < NUMBER_TOLERANCE, true);
        return track->n > 0;
    }
    if (kind == EXP_FLAT || kind == EXP_SLOWER) {
        // the growth of a curve between two times: flat is its relative increase, else an exponent
        const int64_t from = s->horizon / (kind == EXP_FLAT ? 2 : 10);
        double first, last;
        if (!mean_at(s, s->a, from, &first) || !mean_at(s, s->a, s->horizon, &last))
            return false;
        e->value = kind == EXP_FLAT ? (last - first) / last
                                    : lgkt_log(last / first) / lgkt_log(end / (double)from);
        e->side = side_of(kind == EXP_FLAT ? e->value < limit : e->value <= limit, true);
        return true;
    }
    double d, w, d_mid = 0.0, w_mid = 0.0, level = 0.0, level_mid = 0.0;
    if (kind == EXP_LINEAR) {
        const double times = end / (double)(s->horizon / 4);
        if (!difference_at(s, s->horizon, &d, &w) ||
            !difference_at(s, s->horizon / 4, &d_mid, &w_mid))
            return false;
        e->value = lgkt_log(times * d / d_mid) / lgkt_log(times);
        e->side = side_of(e->value >= limit, true);
        return true;
    }
    // a pair at time t, or in the steps after it
    const bool after = kind == EXP_SAME_RATE;
    const int64_t t = after ? s->horizon : s->t;
    if (!difference_at(s, t, &d, &w) || ((after || limit != 0.0) && !mean_at(s, s->b, t, &level)) ||
        (after && (!difference_at(s, s->t, &d_mid, &w_mid) || !mean_at(s, s->b, s->t, &level_mid))))
        return false;
    if (after) {
        const double mid = (double)s->t;
        d = (end * d - mid * d_mid) / (end - mid);
        w = (end * w + mid * w_mid) / (end - mid);
        level = (end * level - mid * level_mid) / (end - mid);
    }
    const double m = limit * fabs(level);
    e->value = d;
    e->ci95 = w;
    e->limit = m;
    e->side = kind == EXP_ABOVE       ? side_of(d - w > 0.0, d + w < 0.0)
              : kind == EXP_NOT_BELOW ? side_of(d + w >= 0.0, d + w < 0.0)
              : kind == EXP_NEAR      ? side_of(d - w >= -m, d + w < -m)
                                      : side_of(fabs(d) + w <= m, fabs(d) - w > m);
    return !isnan(w);
}

// ---- from checks to comparisons ----

static lgkt_status add_evidence(exp_judgement *judgement, const exp_evidence *evidence,
                                lgkt_error *error)
{
    const size_t size = ((size_t)judgement->count + 1) * sizeof *evidence;
    exp_evidence *grown = realloc(judgement->evidence, size);
    if (grown == NULL)
        return lgkt_fail_memory(error, "claims");
    judgement->evidence = grown;
    grown[judgement->count++] = *evidence;
    judgement->sides[evidence->side]++;
    return LGKT_OK;
}

// all comparisons of a check on one panel at one time
static lgkt_status open_time(subject *s, exp_judgement *judgement, lgkt_error *error)
{
    const exp_panel *panel = s->data->panel;
    int32_t a[EXP_FIELD_SIZE], b[EXP_FIELD_SIZE] = {-1};
    int32_t a_count = select_entries(panel, s->check->a, a);
    const int32_t b_count = s->check->b != NULL ? select_entries(panel, s->check->b, b) : 1;
    lgkt_status status = LGKT_OK;
    if (s->check->best && a_count > 0) {
        double best = -INFINITY, mean;
        for (int32_t i = 0; i < a_count; i++) {
            if (mean_at(s, a[i], s->t, &mean) && mean > best) {
                best = mean;
                a[0] = a[i];
            }
        }
        a_count = 1;
    }
    for (int32_t i = 0; i < a_count; i++) {
        for (int32_t j = 0; j < b_count && status == LGKT_OK; j++) {
            s->a = a[i];
            s->b = b[j];
            if (s->a == s->b)
                continue;
            exp_evidence evidence = {
                .check = s->check,
                .panel = panel,
                .a = panel->entries[s->a].label,
                .b = s->b >= 0 ? panel->entries[s->b].label : NULL,
                .t = s->t,
                .ci95 = NAN,
                .limit = s->check->limit,
            };
            if (!compare(s, &evidence))
                evidence.side = EXP_MISSING;
            status = add_evidence(judgement, &evidence, error);
        }
    }
    return status;
}

// what needs no numbers, or finds none
static lgkt_status add_bare(const exp_check *check, exp_side side, exp_judgement *judgement,
                            lgkt_error *error)
{
    const exp_evidence evidence = {.check = check, .a = check->a, .ci95 = NAN, .side = side};
    return add_evidence(judgement, &evidence, error);
}

static lgkt_status open_check(const exp_check *check, const exp_results *results,
                              exp_judgement *judgement, lgkt_error *error)
{
    if (check->kind == EXP_TESTED || check->kind == EXP_REFUTED)
        return add_bare(check, check->kind == EXP_TESTED ? EXP_FOR : EXP_AGAINST, judgement, error);
    const exp_folder *folder = exp_results_find(results, check->experiment);
    if (folder == NULL)
        return add_bare(check, EXP_MISSING, judgement, error);
    char name[EXP_FIELD_SIZE];
    const char *list = check->panels;
    lgkt_status status = LGKT_OK;
    while (status == LGKT_OK && exp_list_next(&list, name)) {
        const exp_panel_data *data = exp_folder_panel(folder, name);
        if (data == NULL)
            status = add_bare(check, EXP_MISSING, judgement, error);
        for (int i = 0; data != NULL && i < EXP_MAX_TIMES && check->times[i] != 0; i++) {
            subject s = {.data = data, .check = check, .horizon = data->panel->horizon};
            s.t = check->times[i] == EXP_END ? s.horizon : check->times[i];
            if (status == LGKT_OK)
                status = open_time(&s, judgement, error);
        }
    }
    return status;
}

// ---- public ----

lgkt_status exp_judge(const exp_claim *claim, const exp_results *results, exp_judgement *judgement,
                      lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    *judgement = (exp_judgement){.claim = claim};
    for (int32_t i = 0; i < claim->check_count && status == LGKT_OK; i++)
        status = open_check(&claim->checks[i], results, judgement, error);
    if (status != LGKT_OK) {
        exp_judgement_free(judgement);
        return status;
    }
    const int32_t *sides = judgement->sides, all = judgement->count;
    bool refuted = false;
    for (int32_t i = 0; i < all; i++)
        refuted = refuted || judgement->evidence[i].check->kind == EXP_REFUTED;
    judgement->verdict = refuted                                               ? EXP_HOLDS_NOT
                         : sides[EXP_MISSING] > 0 || sides[EXP_OPEN] == all    ? EXP_NOT_JUDGED
                         : sides[EXP_FOR] == all                               ? EXP_HOLDS
                         : 2 * sides[EXP_AGAINST] > all || sides[EXP_FOR] == 0 ? EXP_HOLDS_NOT
                                                                               : EXP_HOLDS_IN_PART;
    return LGKT_OK;
}

void exp_judgement_free(exp_judgement *judgement)
{
    free(judgement->evidence);
    *judgement = (exp_judgement){0};
}

const char *exp_verdict_text(exp_verdict verdict)
{
    static const char *const texts[] = {"holds", "holds in part", "does not hold", "not judged"};
    return texts[verdict];
}

const char *exp_side_text(exp_side side)
{
    static const char *const texts[] = {"for", "open", "against", "not measured"};
    return texts[side];
}

const char *exp_rule_text(int32_t i)
{
    static const char *const rules[] = {
        "A claim is opened into single comparisons. It **holds** if all of them count for it. It "
        "**does not hold** if more than half of them count against it, if some count against it "
        "and none for it, or if a unit test has a counterexample. It is **not judged** if one of "
        "them was not measured or all are open. Else it **holds in part**.",
        "Comparisons rest on d, the mean difference of two learners on the same instances, and w, "
        "half the width of its 95% interval. *Above*: for if d - w > 0, against if d + w < 0. "
        "*Not below*: against if d + w < 0, else for. *Close*: for if |d| + w is at most a margin, "
        "against if |d| - w is more; the margin is a stated share of the mean of the second "
        "learner. *Near*: for if d - w is above minus the margin, against if d + w is below it. "
        "All else is open: the interval leaves both possible.",
        "*Same rate* is *close* for the steps after a time, with the widths of both ends added. "
        "*Best of* takes, of a set of learners, the one with the highest mean at that time.",
        "A *number* printed in the paper: for if it lies in our 95% interval or is less than 0.02 "
        "away, else against. *Flat*: for if the curve grows by less than the stated share of "
        "itself from T/2 to T. *Slower*: for if the exponent of growth from T/10 to T is at most "
        "the stated one. *Linear*: for if the exponent of the regret to the optimum from T/4 to T "
        "is at least the stated one.",
    };
    const int32_t count = sizeof rules / sizeof *rules;
    return i >= 0 && i < count ? rules[i] : NULL;
}

// ---- words ----

const char *exp_evidence_text(const exp_evidence *e, char text[EXP_EVIDENCE_SIZE])
{
    char interval[64];
    const char *panel = e->panel != NULL ? e->panel->name : e->check->panels;
    snprintf(interval, sizeof interval, isnan(e->ci95) ? "%+.4g" : "%+.4g ± %.2g", e->value,
             e->ci95);
    if (e->check->kind == EXP_TESTED || e->check->kind == EXP_REFUTED)
        snprintf(text, EXP_EVIDENCE_SIZE, "`%s`, `%s`", e->check->panels, e->a);
    else if (e->panel == NULL)
        snprintf(text, EXP_EVIDENCE_SIZE, "experiment %s was not read", e->check->experiment);
    else if (e->side == EXP_MISSING)
        snprintf(text, EXP_EVIDENCE_SIZE, "%s: no numbers for %s%s%s at %" PRId64, panel, e->a,
                 e->b != NULL ? " and " : "", e->b != NULL ? e->b : "", e->t);
    else if (e->check->kind == EXP_NUMBER)
        snprintf(text, EXP_EVIDENCE_SIZE, "%s, %s: %.4g ± %.2g, printed %g", panel, e->a, e->value,
                 e->ci95, e->limit);
    else if (e->check->kind == EXP_FLAT)
        snprintf(text, EXP_EVIDENCE_SIZE, "%s, %s: grows by %.3g%% from T/2 to T (limit %g%%)",
                 panel, e->a, 100.0 * e->value, 100.0 * e->limit);
    else if (e->check->kind == EXP_SLOWER || e->check->kind == EXP_LINEAR)
        snprintf(text, EXP_EVIDENCE_SIZE, "%s, %s: exponent %.3f (limit %g)", panel, e->a, e->value,
                 e->limit);
    else if (e->limit > 0.0)
        snprintf(text, EXP_EVIDENCE_SIZE, "%s, %s - %s %s %" PRId64 ": %s (margin %.2g)", panel,
                 e->a, e->b, e->check->kind == EXP_SAME_RATE ? "after" : "at", e->t, interval,
                 e->limit);
    else
        snprintf(text, EXP_EVIDENCE_SIZE, "%s, %s - %s at %" PRId64 ": %s", panel, e->a, e->b, e->t,
                 interval);
    return text;
}
