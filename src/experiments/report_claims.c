// SPDX-License-Identifier: MIT
// Claims on a page: the words, the verdict, and the comparisons behind it. Comparisons that are
// against a claim or open are listed; of those for it, the closest one. The HTML page also has all
// of them, folded.

#include "experiments/report_parts.h"

#include <math.h>
#include <string.h>

#define MOST_SHOWN 8

const char *exp_verdict_class(exp_verdict verdict)
{
    static const char *const classes[] = {"holds", "part", "not", "open"};
    return classes[verdict];
}

// ---- overview ----

void exp_report_overview(exp_page *page, const exp_report_data *data)
{
    int32_t counts[4] = {0};
    for (int32_t i = 0; i < data->count; i++)
        counts[data->judgements[i].verdict]++;
    exp_page_text(page, "Of %d claims: %d hold, %d hold in part, %d do not hold, %d not judged.",
                  data->count, counts[EXP_HOLDS], counts[EXP_HOLDS_IN_PART], counts[EXP_HOLDS_NOT],
                  counts[EXP_NOT_JUDGED]);
    exp_page_table_begin(page, "nnlnl");
    static const char *const heads[] = {"claim", "verdict", "the paper says", "for", "where"};
    for (int i = 0; i < 5; i++)
        exp_page_cell(page, "%s", heads[i]);
    for (int32_t i = 0; i < data->count; i++) {
        const exp_judgement *j = &data->judgements[i];
        exp_page_cell(page, "[%s](#%s)", j->claim->id, j->claim->id);
        exp_page_badge_cell(page, exp_verdict_class(j->verdict), exp_verdict_text(j->verdict));
        exp_page_cell(page, "%s", j->claim->words);
        exp_page_cell(page, "%d of %d", j->sides[EXP_FOR], j->count);
        exp_page_cell(page, "%s", j->claim->place);
    }
    exp_page_table_end(page);
}

// ---- one claim ----

// the comparison for a claim that came closest to being open
static const exp_evidence *closest(const exp_judgement *j)
{
    const exp_evidence *found = NULL;
    double least = INFINITY;
    for (int32_t i = 0; i < j->count; i++) {
        const exp_evidence *e = &j->evidence[i];
        const double room = fabs(e->value) - e->ci95;
        if (e->side == EXP_FOR && e->b != NULL && room < least) {
            least = room;
            found = e;
        }
    }
    return found;
}

static void write_side(exp_page *page, const exp_judgement *j, exp_side side)
{
    char text[EXP_EVIDENCE_SIZE];
    int32_t shown = 0;
    for (int32_t i = 0; i < j->count; i++) {
        if (j->evidence[i].side != side)
            continue;
        if (shown++ < MOST_SHOWN)
            exp_page_item(page, "%s: %s", exp_side_text(side),
                          exp_evidence_text(&j->evidence[i], text));
    }
    if (shown > MOST_SHOWN)
        exp_page_item(page, "%s: and %d more", exp_side_text(side), shown - MOST_SHOWN);
}

static void write_all(exp_page *page, const exp_judgement *j)
{
    char text[EXP_EVIDENCE_SIZE];
    exp_page_fold_begin(page, "all comparisons");
    exp_page_table_begin(page, "nl");
    exp_page_cell(page, "counts");
    exp_page_cell(page, "comparison");
    for (int32_t i = 0; i < j->count; i++) {
        exp_page_cell(page, "%s", exp_side_text(j->evidence[i].side));
        exp_page_cell(page, "%s", exp_evidence_text(&j->evidence[i], text));
    }
    exp_page_table_end(page);
    exp_page_fold_end(page);
}

static void write_claim(exp_page *page, const exp_judgement *j)
{
    char text[EXP_EVIDENCE_SIZE];
    const exp_evidence *near = closest(j);
    snprintf(text, sizeof text, "Claim %s (%s)", j->claim->id, j->claim->place);
    exp_page_heading(page, 3, j->claim->id, text);
    exp_page_quote(page, j->claim->words);
    exp_page_badge(page, exp_verdict_class(j->verdict), exp_verdict_text(j->verdict));
    exp_page_text(page, "%d of %d comparisons count for it, %d against, %d are open%s.%s%s",
                  j->sides[EXP_FOR], j->count, j->sides[EXP_AGAINST], j->sides[EXP_OPEN],
                  j->sides[EXP_MISSING] > 0 ? ", others were not measured" : "",
                  j->claim->remark != NULL ? " " : "",
                  j->claim->remark != NULL ? j->claim->remark : "");
    exp_page_list_begin(page);
    if (near != NULL)
        exp_page_item(page, "closest of those for it: %s", exp_evidence_text(near, text));
    else
        write_side(page, j, EXP_FOR);
    write_side(page, j, EXP_AGAINST);
    write_side(page, j, EXP_OPEN);
    write_side(page, j, EXP_MISSING);
    exp_page_list_end(page);
    if (page->html && j->count > 1)
        write_all(page, j);
}

void exp_report_claims(exp_page *page, const exp_report_data *data, const char *section)
{
    for (int32_t i = 0; i < data->count; i++)
        if (strcmp(data->judgements[i].claim->section, section) == 0)
            write_claim(page, &data->judgements[i]);
}
