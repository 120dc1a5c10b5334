// SPDX-License-Identifier: MIT
// Claims: every kind of check on both sides of its limit, the rule of verdicts, and a table of
// claims that fits the catalog.
#include "test.h"

#include <stdlib.h>

#include "experiments/claims.h"

// ---- a small experiment: learners a, b, c; T = 1000 ----

static const exp_entry entries[] = {{"a", "a", false}, {"b", "b", false}, {"c", "c", false}};
static const exp_panel panel = {
    .name = "p", .horizon = 1000, .instances = 4, .entries = entries, .entry_count = 3};
static const exp_experiment experiment = {"toy", "Toy", "here", &panel, 1};

// One learner is at 10 everywhere; b - a, c - a and c - b are as given at 250, 500 and 1000.
typedef struct toy {
    exp_mark marks[3][4];
    exp_track tracks[3];
    exp_pair pairs[4];
    exp_panel_data data;
    exp_folder folder;
    exp_results results;
} toy;

static void make_toy(toy *t)
{
    static const int64_t times[] = {100, 250, 500, 1000};
    *t = (toy){.data = {.panel = &panel}, .folder = {.experiment = &experiment}};
    for (int l = 0; l < 3; l++) {
        for (int i = 0; i < 4; i++)
            t->marks[l][i] = (exp_mark){times[i], 10 + l, 0.5};
        t->tracks[l] =
            (exp_track){.marks = t->marks[l], .count = 4, .n = 4, .mean = 10 + l, .ci95 = 0.5};
    }
    t->data.tracks = t->tracks;
    t->data.pairs = t->pairs;
    t->folder.panels = &t->data;
    t->results.folders[0] = &t->folder;
    t->results.count = 1;
}

static void add_pair(toy *t, int32_t a, int32_t b, int64_t at, double d, double w)
{
    t->pairs[t->data.pair_count++] = (exp_pair){a, b, at, d, w};
}

static exp_check check_of(exp_check_kind kind, const char *a, const char *b, double limit)
{
    return (exp_check){kind, "toy", "p", a, b, {EXP_END}, limit, false};
}

static exp_judgement judge(const toy *t, const exp_check *checks, int32_t count)
{
    // the judgement keeps the checks, not the claim
    const exp_claim claim = {"X", "x", "here", "words", NULL, checks, count};
    exp_judgement judgement;
    lgkt_error error = {0};
    assert_ok(exp_judge(&claim, &t->results, &judgement, &error), error);
    return judgement;
}

static exp_side side(const toy *t, exp_check check)
{
    exp_judgement judgement = judge(t, &check, 1);
    assert_int_equal(judgement.count, 1);
    const exp_side found = judgement.evidence[0].side;
    assert_int_equal(judgement.sides[found], 1);
    exp_judgement_free(&judgement);
    return found;
}

// ---- kinds ----

static exp_side side_of_pair(exp_check_kind kind, double d, double w, double limit)
{
    toy t;
    make_toy(&t);
    add_pair(&t, 0, 1, 1000, d, w);
    return side(&t, check_of(kind, "a", "b", limit));
}

static void differences_are_held_against_their_interval(void **state)
{
    (void)state;
    assert_int_equal(side_of_pair(EXP_ABOVE, 2, 1, 0), EXP_FOR);
    assert_int_equal(side_of_pair(EXP_ABOVE, 1, 1, 0), EXP_OPEN);
    assert_int_equal(side_of_pair(EXP_ABOVE, -1, 1, 0), EXP_OPEN);
    assert_int_equal(side_of_pair(EXP_ABOVE, -2, 1, 0), EXP_AGAINST);
    assert_int_equal(side_of_pair(EXP_ABOVE, 2, NAN, 0), EXP_MISSING);
    assert_int_equal(side_of_pair(EXP_NOT_BELOW, -1, 1, 0), EXP_FOR);
    assert_int_equal(side_of_pair(EXP_NOT_BELOW, -2, 1, 0), EXP_AGAINST);
}

// b is at 11, so that 10% of it are 1.1
static void margins_are_a_share_of_the_second(void **state)
{
    (void)state;
    assert_int_equal(side_of_pair(EXP_CLOSE, 1, 0.05, 0.1), EXP_FOR);
    assert_int_equal(side_of_pair(EXP_CLOSE, -1, 0.2, 0.1), EXP_OPEN);
    assert_int_equal(side_of_pair(EXP_CLOSE, -2, 0.2, 0.1), EXP_AGAINST);
    assert_int_equal(side_of_pair(EXP_CLOSE, 2, 0.2, 0.1), EXP_AGAINST);
    assert_int_equal(side_of_pair(EXP_NEAR, 9, 1, 0.1), EXP_FOR);
    assert_int_equal(side_of_pair(EXP_NEAR, -1, 0.05, 0.1), EXP_FOR);
    assert_int_equal(side_of_pair(EXP_NEAR, -1, 0.2, 0.1), EXP_OPEN);
    assert_int_equal(side_of_pair(EXP_NEAR, -2, 0.2, 0.1), EXP_AGAINST);
}

// d after 500 is (1000 * d_T - 500 * d_500) / 500 = 2 d_T - d_500, its width 2 w_T + w_500
static void rates_are_those_after_the_switch(void **state)
{
    (void)state;
    toy t;
    make_toy(&t);
    add_pair(&t, 0, 1, 500, 2, 0.1);
    add_pair(&t, 0, 1, 1000, 1.2, 0.2);
    exp_check check = check_of(EXP_SAME_RATE, "a", "b", 0.1);
    check.times[0] = 500;
    exp_judgement judgement = judge(&t, &check, 1);
    assert_close(judgement.evidence[0].value, 0.4, 1e-12);
    assert_close(judgement.evidence[0].ci95, 0.5, 1e-12);
    assert_close(judgement.evidence[0].limit, 1.1, 1e-12);
    assert_int_equal(judgement.evidence[0].side, EXP_FOR);
    exp_judgement_free(&judgement);
}

static void printed_numbers_need_the_interval_or_two_hundredths(void **state)
{
    (void)state;
    toy t;
    make_toy(&t);
    assert_int_equal(side(&t, check_of(EXP_NUMBER, "a", NULL, 10.4)), EXP_FOR);
    assert_int_equal(side(&t, check_of(EXP_NUMBER, "a", NULL, 10.6)), EXP_AGAINST);
    t.tracks[0].ci95 = 0.001;
    assert_int_equal(side(&t, check_of(EXP_NUMBER, "a", NULL, 10.019)), EXP_FOR);
    assert_int_equal(side(&t, check_of(EXP_NUMBER, "a", NULL, 10.021)), EXP_AGAINST);
    t.tracks[0].n = 0;
    assert_int_equal(side(&t, check_of(EXP_NUMBER, "a", NULL, 10)), EXP_MISSING);
}

static void growth_is_measured_to_the_end(void **state)
{
    (void)state;
    toy t;
    make_toy(&t);
    // from 100 to 1000 by a factor of 10^0.5; the last half adds 1 - 10/11
    t.marks[0][0].mean = 11 / sqrt(10);
    t.marks[0][2].mean = 10;
    t.marks[0][3].mean = 11;
    assert_int_equal(side(&t, check_of(EXP_SLOWER, "a", NULL, 0.501)), EXP_FOR);
    assert_int_equal(side(&t, check_of(EXP_SLOWER, "a", NULL, 0.499)), EXP_AGAINST);
    assert_int_equal(side(&t, check_of(EXP_FLAT, "a", NULL, 0.091)), EXP_FOR);
    assert_int_equal(side(&t, check_of(EXP_FLAT, "a", NULL, 0.09)), EXP_AGAINST);
    t.tracks[0].count = 0;
    assert_int_equal(side(&t, check_of(EXP_FLAT, "a", NULL, 0.1)), EXP_MISSING);
}

// regret 250 d, then 1000 d / 2: the exponent is log 2 / log 4
static void regret_to_another_has_an_exponent(void **state)
{
    (void)state;
    toy t;
    make_toy(&t);
    add_pair(&t, 0, 1, 250, -2, 0.1);
    add_pair(&t, 0, 1, 1000, -1, 0.1);
    assert_int_equal(side(&t, check_of(EXP_LINEAR, "a", "b", 0.499)), EXP_FOR);
    assert_int_equal(side(&t, check_of(EXP_LINEAR, "a", "b", 0.501)), EXP_AGAINST);
}

// ---- sets ----

static void lists_open_into_pairs(void **state)
{
    (void)state;
    toy t;
    make_toy(&t);
    add_pair(&t, 0, 1, 1000, 1, 0.1);
    add_pair(&t, 0, 2, 1000, -1, 0.1);
    add_pair(&t, 1, 2, 1000, 1, 0.1);
    // nobody is not in the panel, and a learner is not compared with itself
    const exp_check check = check_of(EXP_ABOVE, "a|nobody|b", "b|c", 0);
    exp_judgement judgement = judge(&t, &check, 1);
    assert_int_equal(judgement.count, 3);
    assert_int_equal(judgement.sides[EXP_FOR], 2);
    assert_int_equal(judgement.sides[EXP_AGAINST], 1);
    assert_string_equal(judgement.evidence[0].a, "a");
    assert_string_equal(judgement.evidence[0].b, "b");
    char text[EXP_EVIDENCE_SIZE];
    assert_string_equal(exp_evidence_text(&judgement.evidence[0], text),
                        "p, a - b at 1000: +1 ± 0.1");
    exp_judgement_free(&judgement);
}

static void the_best_is_the_highest_at_that_time(void **state)
{
    (void)state;
    toy t;
    make_toy(&t);
    add_pair(&t, 2, 0, 1000, 1, 0.1);
    exp_check check = check_of(EXP_ABOVE, "b|c", "a", 0);
    check.best = true;
    exp_judgement judgement = judge(&t, &check, 1);
    assert_int_equal(judgement.count, 1);
    assert_string_equal(judgement.evidence[0].a, "c");
    assert_int_equal(judgement.evidence[0].side, EXP_FOR);
    exp_judgement_free(&judgement);
}

// ---- verdicts ----

// how many comparisons are on each side, and what follows
static exp_verdict verdict_of(int for_it, int open, int against, int refuted, int missing)
{
    toy t;
    make_toy(&t);
    add_pair(&t, 0, 1, 1000, 1, 0.1);
    add_pair(&t, 0, 2, 1000, 0, 0.1);
    add_pair(&t, 1, 2, 1000, -1, 0.1);
    const struct {
        int count;
        exp_check check;
    } kinds[] = {{for_it, check_of(EXP_ABOVE, "a", "b", 0)},
                 {open, check_of(EXP_ABOVE, "a", "c", 0)},
                 {against, check_of(EXP_ABOVE, "b", "c", 0)},
                 {refuted, {.kind = EXP_REFUTED, .panels = "file", .a = "test"}},
                 {missing, {.kind = EXP_ABOVE, .experiment = "other"}}};
    exp_check checks[16];
    int32_t count = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int i = 0; i < kinds[k].count; i++)
            checks[count++] = kinds[k].check;
    exp_judgement judgement = judge(&t, checks, count);
    const exp_verdict verdict = judgement.verdict;
    exp_judgement_free(&judgement);
    return verdict;
}

static void verdicts_follow_the_rule(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(3, 0, 0, 0, 0), EXP_HOLDS);
    assert_int_equal(verdict_of(3, 1, 0, 0, 0), EXP_HOLDS_IN_PART);
    assert_int_equal(verdict_of(2, 0, 2, 0, 0), EXP_HOLDS_IN_PART);
    assert_int_equal(verdict_of(1, 2, 3, 0, 0), EXP_HOLDS_IN_PART);
    assert_int_equal(verdict_of(2, 0, 3, 0, 0), EXP_HOLDS_NOT);
    assert_int_equal(verdict_of(0, 3, 1, 0, 0), EXP_HOLDS_NOT);
    assert_int_equal(verdict_of(3, 0, 0, 1, 0), EXP_HOLDS_NOT);
    assert_int_equal(verdict_of(0, 3, 0, 0, 0), EXP_NOT_JUDGED);
    assert_int_equal(verdict_of(3, 0, 0, 0, 1), EXP_NOT_JUDGED);
    assert_int_equal(verdict_of(0, 0, 0, 0, 0), EXP_NOT_JUDGED);
}

// ---- the table ----

static const exp_panel *find_panel(const exp_experiment *e, const char *name)
{
    for (int32_t p = 0; p < e->panel_count; p++)
        if (strcmp(e->panels[p].name, name) == 0)
            return &e->panels[p];
    return NULL;
}

// every label is in one of the panels of the check, and each panel has one of them
static void assert_labels_known(const exp_check *check, const exp_experiment *e, const char *labels)
{
    char label[EXP_FIELD_SIZE], name[EXP_FIELD_SIZE];
    while (exp_list_next(&labels, label)) {
        const char *panels = check->panels;
        bool found = false;
        while (exp_list_next(&panels, name))
            found = found || exp_panel_find(find_panel(e, name), label) >= 0;
        if (!found)
            fail_msg("no panel of %s has a learner %s", e->name, label);
    }
}

static void assert_check_fits(const exp_check *check)
{
    if (check->kind == EXP_TESTED || check->kind == EXP_REFUTED)
        return;
    const exp_experiment *e = exp_experiment_find(check->experiment);
    assert_non_null(e);
    char name[EXP_FIELD_SIZE];
    const char *panels = check->panels;
    while (exp_list_next(&panels, name))
        if (find_panel(e, name) == NULL)
            fail_msg("%s has no panel %s", e->name, name);
    assert_labels_known(check, e, check->a);
    assert_labels_known(check, e, check->b);
    assert_true(check->times[0] != 0);
}

static void claims_fit_the_catalog(void **state)
{
    (void)state;
    const exp_claim *claim, *other;
    for (int32_t i = 0; (claim = exp_claim_at(i)) != NULL; i++) {
        assert_true(claim->check_count > 0);
        for (int32_t c = 0; c < claim->check_count; c++)
            assert_check_fits(&claim->checks[c]);
        for (int32_t j = 0; j < i && (other = exp_claim_at(j)) != NULL; j++)
            assert_string_not_equal(claim->id, other->id);
    }
    assert_null(exp_claim_at(-1));
}

static void words_exist_for_everything(void **state)
{
    (void)state;
    assert_string_equal(exp_verdict_text(EXP_HOLDS_NOT), "does not hold");
    assert_string_equal(exp_side_text(EXP_MISSING), "not measured");
    assert_non_null(exp_rule_text(0));
    assert_null(exp_rule_text(99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_held_against_their_interval),
        cmocka_unit_test(margins_are_a_share_of_the_second),
        cmocka_unit_test(rates_are_those_after_the_switch),
        cmocka_unit_test(printed_numbers_need_the_interval_or_two_hundredths),
        cmocka_unit_test(growth_is_measured_to_the_end),
        cmocka_unit_test(regret_to_another_has_an_exponent),
        cmocka_unit_test(lists_open_into_pairs),
        cmocka_unit_test(the_best_is_the_highest_at_that_time),
        cmocka_unit_test(verdicts_follow_the_rule),
        cmocka_unit_test(claims_fit_the_catalog),
        cmocka_unit_test(words_exist_for_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
