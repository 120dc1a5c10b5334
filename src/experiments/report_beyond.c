// SPDX-License-Identifier: MIT
// The part of the report on what is beyond the paper: the learner `auto-1` against everybody else.
//
// Learners fall into groups by their labels: ours (Auto-1, Plug-in), the paper's family (LG...),
// oracles, and baselines, which are all others. d is the paired difference of `auto-1` to a rival
// on the same instances at the end of the run, w half the width of its 95% interval:
//
//     win  d - w > 0        loss  d + w < 0        tie  all else
//
// The best rival is the one with the highest mean in the very numbers that are compared.
//
// Targets (each over the six environments of the paper; m is 1% of the optimum):
//
//     beats              every one is a win; not reached if one is a loss or a tie
//     not behind         d - w >= -m on all; not reached if d + w < -m on one; else open
//     ahead in the mean  D - W > 0; not reached if D + W < 0; else open
//     aims               the share of the optimum is as high as aimed at on all
//
// D and W are the means of d and w in shares of the optimum: the widths are added as if all erred
// together, since the runs share their random numbers. A target whose runs are incomplete is not
// measured, unless what there is decides against it.

#include "experiments/report_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define OUR_LABEL "Auto-1"
#define MARGIN    0.01
#define MOST_SEEN 64

enum { OURS = 1, PAPERS = 2, BASELINES = 4, ORACLES = 8 };
enum { RIVALS = PAPERS | BASELINES };

static const struct {
    int64_t horizon;
    const char *experiment;
} runs[] = {
    {1000, "beyond-six-1000"},
    {5000, "beyond-six-5000"},
    {20000, "beyond-six-20000"},
    {200000, "beyond-six-200000"},
};
enum { RUN_COUNT = sizeof runs / sizeof *runs, SHORTEST = 0, SHORT = 1, MAIN = 2 };

// shares of the optimum that were aimed at, for T = 20000
static const struct {
    const char *panel;
    double share;
} aims[] = {
    {"synthetic-10", 0.98}, {"synthetic-100", 0.88}, {"riverswim-5", 0.96},
    {"riverswim-8", 0.97},  {"riverswim-15", 0.97},  {"frozenlake", 0.98},
};

// ---- learners of a panel ----

static int group_of(const exp_entry *entry)
{
    if (entry->oracle)
        return ORACLES;
    if (strcmp(entry->label, OUR_LABEL) == 0 || strncmp(entry->label, "Plug-in", 7) == 0)
        return OURS;
    return strncmp(entry->label, "LG", 2) == 0 ? PAPERS : BASELINES;
}

// everybody that `auto-1` can be compared with
static bool is_other(const exp_entry *entry)
{
    return !entry->oracle && strcmp(entry->label, OUR_LABEL) != 0;
}

// `auto-1` against one other learner of a panel.
typedef struct duel {
    const exp_panel_data *data;
    int32_t self, other; // positions in the panel's entries; other is -1 if there is none
    double d, w;         // NaN if not measured
} duel;

static duel duel_with(const exp_panel_data *data, int32_t other)
{
    duel x = {data, exp_panel_find(data->panel, OUR_LABEL), other, NAN, NAN};
    if (x.self < 0 || other < 0 ||
        !exp_panel_difference(data, x.self, other, data->panel->horizon, &x.d, &x.w))
        x.d = x.w = NAN;
    return x;
}

// against the one of some groups with the highest mean, chosen by the numbers it is compared in
static duel duel_with_best(const exp_panel_data *data, int groups)
{
    int32_t best = -1;
    for (int32_t l = 0; l < data->panel->entry_count; l++) {
        const exp_track *track = &data->tracks[l];
        if ((group_of(&data->panel->entries[l]) & groups) != 0 && track->n > 0 &&
            (best < 0 || track->mean > data->tracks[best].mean))
            best = l;
    }
    return duel_with(data, best);
}

static const exp_track *self_of(const exp_panel_data *data)
{
    const int32_t l = exp_panel_find(data->panel, OUR_LABEL);
    return l >= 0 && data->tracks[l].n > 0 ? &data->tracks[l] : NULL;
}

// NaN where there is no model, or the optimum is not above 0
static double optimum_of(const exp_panel_data *data)
{
    const exp_track *self = self_of(data);
    return self != NULL ? self->mean / self->share : NAN;
}

// ---- outcomes ----

typedef enum outcome { WIN, TIE, LOSS, UNKNOWN, OUTCOMES } outcome;

static outcome outcome_of(const duel *x)
{
    if (isnan(x->d) || isnan(x->w))
        return UNKNOWN;
    return x->d - x->w > 0 ? WIN : x->d + x->w < 0 ? LOSS : TIE;
}

static const char *outcome_text(outcome o)
{
    static const char *const texts[] = {"win", "tie", "loss", "-"};
    return texts[o];
}

// ---- cells ----

static const char *difference_text(const duel *x, char text[64])
{
    if (outcome_of(x) == UNKNOWN)
        return "-";
    snprintf(text, 64, "%+.3g ± %.2g", x->d, x->w);
    return text;
}

// "UCRL2 1.234" and the difference with its outcome
static void put_duel(exp_page *page, const duel *x)
{
    char text[64];
    if (x->other < 0)
        exp_page_cell(page, "-");
    else
        exp_page_cell(page, "%s %.4g", x->data->panel->entries[x->other].label,
                      x->data->tracks[x->other].mean);
    exp_page_cell(page, "%s", difference_text(x, text));
    exp_page_cell(page, "%s", outcome_text(outcome_of(x)));
}

// ---- one horizon ----

static double aim_of(const char *panel)
{
    for (size_t i = 0; i < sizeof aims / sizeof *aims; i++)
        if (strcmp(aims[i].panel, panel) == 0)
            return aims[i].share;
    return NAN;
}

static void write_run(exp_page *page, const exp_results *results, int r)
{
    static const char *const heads[] = {
        "environment",       "instances",   "optimum", "auto-1",        "of optimum",  "score",
        "best of the paper", "auto-1 - it", "result",  "best baseline", "auto-1 - it", "result"};
    static const char *const aimed_heads[] = {"environment", "instances",  "optimum",
                                              "auto-1",      "of optimum", "score",
                                              "aim",         "reached",    "best of the paper",
                                              "auto-1 - it", "result",     "best baseline",
                                              "auto-1 - it", "result"};
    const exp_folder *folder = exp_results_find(results, runs[r].experiment);
    char title[64];
    snprintf(title, sizeof title, "The six environments, T = %" PRId64, runs[r].horizon);
    exp_page_heading(page, 3, NULL, title);
    if (folder == NULL) {
        exp_page_text(page, "Experiment `%s` was not read.", runs[r].experiment);
        return;
    }
    if (r == MAIN)
        exp_report_heads(page, "nrrrrrrnnrnnrn", aimed_heads);
    else
        exp_report_heads(page, "nrrrrrnrnnrn", heads);
    for (int32_t p = 0; p < folder->experiment->panel_count; p++) {
        const exp_panel_data *data = &folder->panels[p];
        const exp_track *self = self_of(data);
        const duel paper = duel_with_best(data, PAPERS), baseline = duel_with_best(data, BASELINES);
        const double share = self != NULL ? self->share : NAN, aim = aim_of(data->panel->name);
        exp_page_cell(page, "%s", data->panel->name);
        exp_page_cell(page, "%" PRId64, exp_panel_instances(data));
        exp_report_real(page, "%.4g", optimum_of(data));
        exp_report_real(page, "%.4g", self != NULL ? self->mean : NAN);
        exp_report_real(page, "%.1f%%", 100 * share);
        exp_report_real(page, "%.1f", self != NULL ? self->score : NAN);
        if (r == MAIN) {
            exp_report_real(page, "%.0f%%", 100 * aim);
            exp_page_cell(page, "%s", share >= aim ? "yes" : isnan(share) ? "-" : "no");
        }
        put_duel(page, &paper);
        put_duel(page, &baseline);
    }
    exp_page_table_end(page);
}

// ---- targets ----

typedef enum reached { REACHED, NOT_REACHED, LEFT_OPEN, NOT_MEASURED } reached;

// One target: what it says, how it ended, and the numbers.
typedef struct target {
    char words[160];
    reached verdict;
    char found[256];
} target;

// The duels of `auto-1` with the best of some groups, on every panel of a run; returns how many.
static int32_t find_duels(const exp_results *results, int r, int groups, duel *duels)
{
    const exp_folder *folder = exp_results_find(results, runs[r].experiment);
    const int32_t count = folder != NULL ? folder->experiment->panel_count : 0;
    for (int32_t p = 0; p < count && p < MOST_SEEN; p++)
        duels[p] = duel_with_best(&folder->panels[p], groups);
    return count < MOST_SEEN ? count : MOST_SEEN;
}

// the one that is the least for us, in shares of the optimum
static void print_lowest(target *t, const duel *duels, int32_t count)
{
    char text[64];
    const duel *x = NULL;
    double least = INFINITY;
    for (int32_t i = 0; i < count; i++) {
        const double low = (duels[i].d - duels[i].w) / optimum_of(duels[i].data);
        if (low < least) {
            least = low;
            x = &duels[i];
        }
    }
    const size_t used = strlen(t->found);
    if (x != NULL)
        snprintf(t->found + used, sizeof t->found - used, "; lowest: %s, %s to %s (%+.2f%%)",
                 x->data->panel->name, difference_text(x, text),
                 x->data->panel->entries[x->other].label, 100 * x->d / optimum_of(x->data));
}

// wins against the best of a group everywhere
static target beats(const exp_results *results, int r, int groups, const char *whom)
{
    duel duels[MOST_SEEN];
    int32_t seen[OUTCOMES] = {0};
    const int32_t count = find_duels(results, r, groups, duels);
    for (int32_t i = 0; i < count; i++)
        seen[outcome_of(&duels[i])]++;
    target t = {.verdict = seen[LOSS] + seen[TIE] > 0        ? NOT_REACHED
                           : count == 0 || seen[UNKNOWN] > 0 ? NOT_MEASURED
                                                             : REACHED};
    snprintf(t.words, sizeof t.words, "T = %" PRId64 ": above the best %s on each of the six",
             runs[r].horizon, whom);
    snprintf(t.found, sizeof t.found, "%d of %d are wins, %d ties, %d losses", seen[WIN], count,
             seen[TIE], seen[LOSS]);
    print_lowest(&t, duels, count);
    return t;
}

static target not_behind(const exp_results *results, int r)
{
    duel duels[MOST_SEEN];
    int32_t behind = 0, open = 0, unknown = 0;
    const int32_t count = find_duels(results, r, RIVALS, duels);
    for (int32_t i = 0; i < count; i++) {
        const double d = duels[i].d, w = duels[i].w, m = MARGIN * optimum_of(duels[i].data);
        unknown += isnan(d + w + m);
        behind += d + w < -m;
        open += d + w >= -m && d - w < -m;
    }
    target t = {.verdict = behind > 0                  ? NOT_REACHED
                           : count == 0 || unknown > 0 ? NOT_MEASURED
                           : open > 0                  ? LEFT_OPEN
                                                       : REACHED};
    snprintf(t.words, sizeof t.words,
             "T = %" PRId64 ": on none of the six behind the best of all by more than 1%% of the "
             "optimum",
             runs[r].horizon);
    snprintf(t.found, sizeof t.found, "%d of %d are behind by more, %d are open", behind, count,
             open);
    print_lowest(&t, duels, count);
    return t;
}

static target ahead(const exp_results *results, int r)
{
    duel duels[MOST_SEEN];
    double d = 0, w = 0;
    const int32_t count = find_duels(results, r, RIVALS, duels);
    for (int32_t i = 0; i < count; i++) {
        d += duels[i].d / optimum_of(duels[i].data) / count;
        w += duels[i].w / optimum_of(duels[i].data) / count;
    }
    target t = {.verdict = count == 0 || isnan(d + w) ? NOT_MEASURED
                           : d - w > 0                ? REACHED
                           : d + w < 0                ? NOT_REACHED
                                                      : LEFT_OPEN};
    snprintf(t.words, sizeof t.words,
             "T = %" PRId64 ": ahead of the best of each in the mean over the six",
             runs[r].horizon);
    if (t.verdict != NOT_MEASURED)
        snprintf(t.found, sizeof t.found, "%+.2f%% ± %.2f%% of the optimum", 100 * d, 100 * w);
    return t;
}

// the shares of the optimum
static target aims_of(const exp_results *results)
{
    const exp_folder *folder = exp_results_find(results, runs[MAIN].experiment);
    const int32_t count = folder != NULL ? folder->experiment->panel_count : 0;
    int32_t measured = 0, good = 0;
    target t = {.found = ""};
    for (int32_t p = 0; p < count; p++) {
        const exp_track *self = self_of(&folder->panels[p]);
        const double aim = aim_of(folder->panels[p].panel->name);
        const size_t used = strlen(t.found);
        if (self == NULL || isnan(self->share))
            continue;
        measured++;
        good += self->share >= aim;
        snprintf(t.found + used, sizeof t.found - used, "%s%s %.1f%% (aim %.0f%%)",
                 used > 0 ? ", " : "", folder->panels[p].panel->name, 100 * self->share, 100 * aim);
    }
    t.verdict = good < measured                  ? NOT_REACHED
                : count == 0 || measured < count ? NOT_MEASURED
                                                 : REACHED;
    snprintf(t.words, sizeof t.words, "T = %" PRId64 ": the shares of the optimum aimed at",
             runs[MAIN].horizon);
    return t;
}

static void write_targets(exp_page *page, const exp_results *results)
{
    static const char *const heads[] = {"target", "verdict", "numbers"};
    const target targets[] = {
        beats(results, MAIN, PAPERS, "learner of the paper"),
        beats(results, MAIN, BASELINES, "baseline"),
        aims_of(results),
        not_behind(results, SHORTEST),
        ahead(results, SHORTEST),
        not_behind(results, SHORT),
        ahead(results, SHORT),
    };
    exp_report_heads(page, "lnl", heads);
    static const char *const texts[] = {"reached", "not reached", "open", "not measured"};
    static const char *const classes[] = {"holds", "not", "open", "open"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        exp_page_cell(page, "%s", targets[i].words);
        exp_page_badge_cell(page, classes[targets[i].verdict], texts[targets[i].verdict]);
        exp_page_cell(page, "%s", targets[i].found);
    }
    exp_page_table_end(page);
    exp_page_text(
        page,
        "*Above* asks that the paired difference is above zero at 95%% everywhere. *Not behind* "
        "and *ahead* are reached if the whole 95%% interval is on the good side, not reached if it "
        "is on the other, else open; in the mean over the six the widths are added as if all erred "
        "together. The best rival is chosen afterwards, by the very numbers it is compared in, "
        "which favours the rival: its luck counts for it.");
}

// ---- fresh environments ----

// Wins, ties and losses against each rival, and against the best of each panel.
typedef struct score {
    int32_t seen[OUTCOMES];
} score;

static void put_score(exp_page *page, const score *s)
{
    exp_page_cell(page, "%d / %d / %d", s->seen[WIN], s->seen[TIE], s->seen[LOSS]);
}

static void write_fresh_table(exp_page *page, const exp_folder *folder)
{
    // the learners of the first panel have the columns; one letter for each (page.h)
    const exp_panel *first = folder->panels[0].panel;
    static const char *const before[] = {"environment", "auto-1", "of optimum", "score"};
    static const char *const behind[] = {"best rival", "auto-1 - it", "result"};
    char aligned[MOST_SEEN];
    score scores[MOST_SEEN] = {0}, best = {0};
    size_t columns = (size_t)snprintf(aligned, MOST_SEEN, "nrrr");
    for (int32_t l = 0; l < first->entry_count && columns + 4 < MOST_SEEN; l++)
        if (is_other(&first->entries[l]))
            aligned[columns++] = 'n';
    snprintf(aligned + columns, MOST_SEEN - columns, "nrn");
    exp_page_table_begin(page, aligned);
    for (int i = 0; i < 4; i++)
        exp_page_cell(page, "%s", before[i]);
    for (int32_t l = 0; l < first->entry_count; l++)
        if (is_other(&first->entries[l]))
            exp_page_cell(page, "%s", first->entries[l].label);
    for (int i = 0; i < 3; i++)
        exp_page_cell(page, "%s", behind[i]);

    for (int32_t p = 0; p < folder->experiment->panel_count; p++) {
        const exp_panel_data *data = &folder->panels[p];
        const exp_track *self = self_of(data);
        const duel hardest = duel_with_best(data, RIVALS);
        exp_page_cell(page, "%s", data->panel->name);
        exp_report_real(page, "%.4g", self != NULL ? self->mean : NAN);
        exp_report_real(page, "%.1f%%", self != NULL ? 100 * self->share : NAN);
        exp_report_real(page, "%.1f", self != NULL ? self->score : NAN);
        for (int32_t l = 0; l < first->entry_count; l++) {
            if (!is_other(&first->entries[l]))
                continue;
            const duel x = duel_with(data, exp_panel_find(data->panel, first->entries[l].label));
            scores[l].seen[outcome_of(&x)]++;
            exp_page_cell(page, "%s", outcome_text(outcome_of(&x)));
        }
        best.seen[outcome_of(&hardest)]++;
        put_duel(page, &hardest);
    }

    exp_page_cell(page, "all: win / tie / loss");
    for (int i = 0; i < 3; i++)
        exp_page_cell(page, "%s", "");
    for (int32_t l = 0; l < first->entry_count; l++)
        if (is_other(&first->entries[l]))
            put_score(page, &scores[l]);
    exp_page_cell(page, "%s", "");
    exp_page_cell(page, "%s", "");
    put_score(page, &best);
    exp_page_table_end(page);
}

static void write_losses(exp_page *page, const exp_folder *folder)
{
    char text[64];
    int32_t losses = 0;
    exp_page_list_begin(page);
    for (int32_t p = 0; p < folder->experiment->panel_count; p++) {
        const exp_panel_data *data = &folder->panels[p];
        for (int32_t l = 0; l < data->panel->entry_count; l++) {
            const duel x = duel_with(data, l);
            if (!is_other(&data->panel->entries[l]) || outcome_of(&x) != LOSS)
                continue;
            losses++;
            exp_page_item(page, "loss on %s to %s: %s", data->panel->name,
                          data->panel->entries[l].label, difference_text(&x, text));
        }
    }
    if (losses == 0)
        exp_page_item(page, "no loss to anybody");
    exp_page_list_end(page);
    if (losses > 0)
        exp_page_text(page, "Why it loses there: docs/auto.md, \"Where it loses\".");
}

static void write_fresh(exp_page *page, const exp_results *results)
{
    const exp_folder *folder = exp_results_find(results, "beyond-fresh");
    exp_page_heading(page, 3, NULL, "Fresh environments");
    if (folder == NULL) {
        exp_page_text(page, "Experiment `beyond-fresh` was not read.");
        return;
    }
    exp_page_text(page,
                  "None of these was used to choose the default. A *win* is a paired difference "
                  "above zero at 95%%, a *loss* one below zero, a *tie* anything else. T = %" PRId64
                  ". On trading (%s) the reward is the sum of what was observed; where the optimum "
                  "is not above zero there is no share of it. The best rival is that of the paper "
                  "or the baselines with the highest mean.",
                  folder->panels[0].panel->horizon,
                  folder->prices[0] != '\0' ? folder->prices : "prices unknown");
    write_fresh_table(page, folder);
    write_losses(page, folder);
}

// ---- rewards in other units ----

#define BY    100.0
#define SHIFT (-50.0)

static void write_scale(exp_page *page, const exp_results *results)
{
    static const char *const heads[] = {"environment", "learner", "plain", "scaled, in plain units",
                                        "of optimum",  "scaled",  "runs"};
    const exp_folder *folder = exp_results_find(results, "beyond-scale");
    exp_page_heading(page, 3, NULL, "Rewards in other units");
    if (folder == NULL) {
        exp_page_text(page, "Experiment `beyond-scale` was not read.");
        return;
    }
    exp_page_text(page,
                  "All rewards times %g and plus %g, with the same random numbers: who needs "
                  "no scale earns the same.",
                  BY, SHIFT);
    exp_report_heads(page, "nnrrrrn", heads);
    for (int32_t p = 0; p < folder->experiment->panel_count; p++) {
        // the panel of the same name with "-scaled" behind
        const exp_panel_data *plain = &folder->panels[p];
        char name[EXP_FIELD_SIZE];
        snprintf(name, sizeof name, "%s-scaled", plain->panel->name);
        const exp_panel_data *scaled = exp_folder_panel(folder, name);
        for (int32_t l = 0; scaled != NULL && l < plain->panel->entry_count; l++) {
            const exp_track *a = &plain->tracks[l], *b = &scaled->tracks[l];
            const double back = (b->mean - SHIFT) / BY, optimum = optimum_of(plain);
            if (a->n == 0 || b->n == 0)
                continue;
            exp_page_cell(page, "%s", plain->panel->name);
            exp_page_cell(page, "%s", plain->panel->entries[l].label);
            exp_report_real(page, "%.6g", a->mean);
            exp_report_real(page, "%.6g", back);
            exp_report_real(page, "%.2f%%", 100 * a->mean / optimum);
            exp_report_real(page, "%.2f%%", 100 * back / optimum);
            exp_page_cell(page, "%s",
                          fabs(back - a->mean) <= 1e-9 * fabs(a->mean) ? "the same" : "differs");
        }
    }
    exp_page_table_end(page);
}

// ---- public ----

void exp_report_beyond(exp_page *page, const exp_results *results)
{
    exp_page_text(
        page, "`auto-1` is the first generation of the learner that we recommend, which needs no "
              "threshold, no depth and no reward scale; the second is in the arena "
              "(docs/auto.md). It is ours, as is `plugin`, and so are the targets "
              "below. `auto-1` was chosen on the six environments of the paper and a few more "
              "that are not shown here, `plugin` on the six, both with other random numbers "
              "than those of this page (docs/auto.md has the list). Every learner is told its "
              "horizon, so each T has runs of its own.");
    write_targets(page, results);
    for (int r = 0; r < RUN_COUNT; r++)
        write_run(page, results, r);
    write_fresh(page, results);
    write_scale(page, results);
}
