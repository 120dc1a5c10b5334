// SPDX-License-Identifier: MIT
// The report (report.h): its order, its fixed texts, and the drawings of the HTML page.
//
// For the HTML page every view is drawn by itself, so that a phone shows them one below the other;
// the Markdown page links to the figures that `lgkt plot` made.
//
// Of a claim, the comparisons that are against it or open are listed; of those for it, the closest
// one. The HTML page also has all of them, folded.

#include "experiments/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "experiments/figure.h"
#include "experiments/report_parts.h"
#include "io/io_folder.h"
#include "io/io_text.h"

#define MOST_DRAWINGS 192
#define LARGEST_SVG   ((size_t)64 << 20)
#define MOST_SHOWN    8

// ---- what the sections are ----

#define MOST_PARTS 7

static const struct section {
    const char *name, *title;
    const char *experiments[MOST_PARTS];
    const char *joined; // the figure of the paper that shows several, or NULL
} sections[] = {
    {"synthetic",
     "Synthetic MDPs (figure 1)",
     {"synthetic-10", "synthetic-100", "value-ratio"},
     "figure-1"},
    {"riverswim",
     "JumpRiverSwim (figure 2)",
     {"riverswim-5", "riverswim-8", "riverswim-15"},
     "figure-2"},
    {"frozenlake", "FrozenLake (figure 3 left)", {"frozenlake"}, NULL},
    {"trading", "Trading (figure 3 right)", {"trading"}, NULL},
    {"long-run", "The long run (section 6)", {"long-run"}, NULL},
    {"adaptive-threshold", "Rising thresholds (appendix E.3)", {"adaptive-threshold"}, NULL},
    {"adaptive-k", "The adaptive cutoff (appendix E.4)", {"adaptive-k"}, NULL},
    {"theory-version", "The uniform fallback (appendix E.5)", {"theory-version"}, NULL},
    {"ablation-threshold", "Fixed thresholds (appendix E.6)", {"ablation-threshold"}, NULL},
    {"theory", "Theory", {"regret-growth"}, NULL},
    {"ours", "Around the paper (ours)", {"profiles", "depth", "reward-range"}, NULL},
    {"beyond",
     "Beyond the paper",
     {"beyond-six-1000", "beyond-six-5000", "beyond-six-20000", "beyond-six-200000", "beyond-fresh",
      "beyond-scale", "beyond-parts"},
     NULL},
};

static const char *const released[] = {
    "Synthetic environments are frozen: the generator is made anew at every step from a fixed "
    "seed, so that an instance is deterministic, with rewards off by a constant. Here every step "
    "is random; `frozen=1` brings their environment back (experiment `profiles`).",
    "Baselines clip optimistic rewards at 1 although mean rewards reach above 4, which takes away "
    "the optimism they rest on. Here they are told the true range of the mean rewards; "
    "`reward-min=0,reward-max=1` brings the clipping back (experiment `reward-range`).",
    "MDP-OOMD never updates: it plays uniformly at random. Here it learns.",
    "The KL radius is a constant 0.001, and the empirical transition rows drift. Here radii are "
    "those of the cited papers.",
    "Learners draw from an unseeded global generator, so runs cannot be repeated. Here every "
    "number follows from one seed.",
    "The FrozenLake and trading scripts do not run as published.",
};

// ---- claims ----

static const char *verdict_class(exp_verdict verdict)
{
    static const char *const classes[] = {"holds", "part", "not", "open"};
    return classes[verdict];
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

static void write_claim(exp_page *page, const exp_judgement *j)
{
    char text[EXP_EVIDENCE_SIZE];
    // the comparison for the claim that came closest to being open
    const exp_evidence *near = NULL;
    double least = INFINITY;
    for (int32_t i = 0; i < j->count; i++) {
        const exp_evidence *e = &j->evidence[i];
        const double room = fabs(e->value) - e->ci95;
        if (e->side == EXP_FOR && e->b != NULL && room < least) {
            least = room;
            near = e;
        }
    }
    snprintf(text, sizeof text, "Claim %s (%s)", j->claim->id, j->claim->place);
    exp_page_heading(page, 3, j->claim->id, text);
    exp_page_quote(page, j->claim->words);
    exp_page_badge(page, verdict_class(j->verdict), exp_verdict_text(j->verdict));
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
    if (!page->html || j->count <= 1)
        return;
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

// ---- drawings ----

// The views of all experiments in order, each in a file of its own.
typedef struct drawings {
    char folder[256];
    exp_figure figures[MOST_DRAWINGS];
    exp_drawing items[MOST_DRAWINGS];
    int32_t count;
} drawings;

static lgkt_status make_drawings(drawings *d, const exp_results *results, lgkt_error *error)
{
    const char *place = getenv("TMPDIR");
    if (place == NULL || place[0] == '\0')
        place = "/tmp";
    const int length = snprintf(d->folder, sizeof d->folder, "%s/lgkt-report-XXXXXX", place);
    errno = ENAMETOOLONG;
    if (length >= (int)sizeof d->folder || mkdtemp(d->folder) == NULL) {
        d->folder[0] = '\0';
        return io_fail_errno(error, place);
    }
    exp_figure whole;
    for (int32_t i = 0; i < results->count; i++) {
        exp_figure_of(results->folders[i], &whole);
        for (int32_t v = 0; v < whole.view_count && d->count < MOST_DRAWINGS; v++) {
            exp_figure *figure = &d->figures[d->count];
            *figure = exp_figure_single(&whole, v);
            char *path = io_folder_file(d->folder, figure->name);
            if (path == NULL)
                return lgkt_fail_memory(error, "a report");
            d->items[d->count++] = (exp_drawing){figure, EXP_SVG, path};
        }
    }
    return exp_figures_draw(d->items, d->count, error);
}

static void free_drawings(drawings *d)
{
    for (int32_t i = 0; d != NULL && i < d->count; i++) {
        remove(d->items[i].path);
        free((char *)d->items[i].path);
    }
    if (d != NULL && d->folder[0] != '\0')
        rmdir(d->folder);
    free(d);
}

// ---- figures on the page ----

// What is needed to write a report.
typedef struct writer {
    exp_page page;
    const exp_report *report;
    exp_report_data data;
    drawings *drawings; // NULL: none
    lgkt_error *error;
} writer;

static void link_figure(writer *w, const char *name, const char *title)
{
    char file[80];
    snprintf(file, sizeof file, "%s.svg", name);
    char *path = io_folder_file(w->report->figures, file);
    exp_page_image(&w->page, path != NULL ? path : file, title);
    free(path);
}

// ---- sections ----

static lgkt_status write_figures(writer *w, const struct section *section)
{
    const exp_results *results = w->report->results;
    // the joined figure of the paper shows its first two or three experiments, if all are there
    const int parts = section->joined == NULL                    ? 0
                      : strcmp(section->joined, "figure-1") == 0 ? 2
                                                                 : 3;
    bool joined = !w->page.html && parts > 0;
    for (int i = 0; i < parts; i++)
        joined = joined && section->experiments[i] != NULL &&
                 exp_results_find(results, section->experiments[i]) != NULL;
    if (joined)
        link_figure(w, section->joined, section->title);
    lgkt_status status = LGKT_OK;
    exp_page_figures_begin(&w->page);
    for (int i = joined ? parts : 0; i < MOST_PARTS && status == LGKT_OK; i++) {
        const char *name = section->experiments[i];
        const exp_folder *folder = name != NULL ? exp_results_find(results, name) : NULL;
        if (folder == NULL)
            continue;
        if (!w->page.html)
            link_figure(w, name, folder->experiment->title);
        for (int32_t d = 0; w->drawings != NULL && d < w->drawings->count; d++) {
            const exp_drawing *drawing = &w->drawings->items[d];
            char *svg = NULL;
            size_t size = 0;
            if (drawing->figure->folder != folder->path || status != LGKT_OK)
                continue;
            status = io_file_read(drawing->path, LARGEST_SVG, &svg, &size, w->error);
            if (status == LGKT_OK)
                exp_page_svg(&w->page, svg, drawing->figure->views[0].title);
            free(svg);
        }
    }
    exp_page_figures_end(&w->page);
    return status;
}

static lgkt_status write_section(writer *w, const struct section *section)
{
    const exp_folder *trading = exp_results_find(w->report->results, "trading");
    exp_page_heading(&w->page, 2, section->name, section->title);
    if (strcmp(section->name, "trading") == 0 && trading != NULL)
        exp_page_text(&w->page, "Prices: %s.",
                      trading->prices[0] != '\0' ? trading->prices
                                                 : "a random walk, not those of the paper");
    const lgkt_status status = write_figures(w, section);
    if (status != LGKT_OK)
        return status;
    for (int32_t i = 0; i < w->data.count; i++)
        if (strcmp(w->data.judgements[i].claim->section, section->name) == 0)
            write_claim(&w->page, &w->data.judgements[i]);
    if (strcmp(section->name, "beyond") == 0)
        exp_report_beyond(&w->page, w->report->results);
    exp_page_heading(&w->page, 3, NULL, "Numbers");
    for (int i = 0; i < MOST_PARTS && section->experiments[i] != NULL; i++) {
        const exp_folder *folder = exp_results_find(w->report->results, section->experiments[i]);
        if (folder == NULL)
            continue;
        if (strcmp(section->name, "theory") == 0)
            exp_report_growth(&w->page, folder);
        if (strcmp(section->name, "long-run") == 0)
            exp_report_overtaking(&w->page, folder);
        exp_page_fold_begin(&w->page, folder->experiment->title);
        for (int32_t p = 0; p < folder->experiment->panel_count; p++)
            exp_report_panel(&w->page, &folder->panels[p]);
        exp_page_fold_end(&w->page);
    }
    return LGKT_OK;
}

// ---- the whole ----

static void write_start(writer *w)
{
    exp_page *page = &w->page;
    exp_page_heading(page, 1, NULL, "Does it hold? K-step lookahead thresholding, reproduced");
    exp_page_text(
        page, "The claims of *Fast Non-Episodic Finite-Horizon RL with K-Step Lookahead "
              "Thresholding* (Xu and Gan), each with the experiment behind it, our numbers and a "
              "verdict computed from them by a fixed rule. Written by `lgkt report`.");
    if (page->html && w->drawings == NULL)
        exp_page_text(page, "Without figures: there was no gnuplot.");
    exp_page_heading(page, 2, "verdicts", "Verdicts");
    int32_t counts[4] = {0};
    for (int32_t i = 0; i < w->data.count; i++)
        counts[w->data.judgements[i].verdict]++;
    exp_page_text(page, "Of %d claims: %d hold, %d hold in part, %d do not hold, %d not judged.",
                  w->data.count, counts[EXP_HOLDS], counts[EXP_HOLDS_IN_PART],
                  counts[EXP_HOLDS_NOT], counts[EXP_NOT_JUDGED]);
    exp_page_table_begin(page, "nnlnl");
    static const char *const heads[] = {"claim", "verdict", "the paper says", "for", "where"};
    for (int i = 0; i < 5; i++)
        exp_page_cell(page, "%s", heads[i]);
    for (int32_t i = 0; i < w->data.count; i++) {
        const exp_judgement *j = &w->data.judgements[i];
        exp_page_cell(page, "[%s](#%s)", j->claim->id, j->claim->id);
        exp_page_badge_cell(page, verdict_class(j->verdict), exp_verdict_text(j->verdict));
        exp_page_cell(page, "%s", j->claim->words);
        exp_page_cell(page, "%d of %d", j->sides[EXP_FOR], j->count);
        exp_page_cell(page, "%s", j->claim->place);
    }
    exp_page_table_end(page);
    exp_page_heading(page, 2, "rules", "Rules");
    const char *rule;
    for (int32_t i = 0; (rule = exp_rule_text(i)) != NULL; i++)
        exp_page_text(page, "%s", rule);
    exp_page_text(page, "In the tables, *score* is where the mean reward lies between that of "
                        "uniform play (0) and the optimum (100), both exact. The *share of "
                        "optimum* is given where the optimum is above zero. The *worst tenth* is "
                        "the mean of the worst tenth of the runs.");
}

static void write_rest(writer *w)
{
    exp_page *page = &w->page;
    exp_page_heading(page, 2, "numbers", "Every number the paper prints, beside ours");
    exp_report_numbers(page, &w->data);
    exp_page_heading(page, 2, "left-out", "What the paper leaves out");
    exp_report_left_out(page, w->report->results);
    exp_page_heading(page, 2, "released", "What differs from the released code");
    exp_page_list_begin(page);
    for (size_t i = 0; i < sizeof released / sizeof *released; i++)
        exp_page_item(page, "%s", released[i]);
    exp_page_list_end(page);
    exp_page_heading(page, 2, "rerun", "How to run it again");
    exp_page_code(page, "make\n"
                        "scripts/fetch_prices prices.csv   # the paper's prices; a random walk "
                        "without\n"
                        "build/lgkt reproduce paper --keep-runs --prices prices.csv --out results\n"
                        "build/lgkt reproduce beyond --seed 2 --prices prices.csv --out results\n"
                        "build/lgkt plot results --format svg --out docs/figures\n"
                        "build/lgkt report results --out report.html --markdown "
                        "docs/REPRODUCTION.md\n");
    exp_page_text(page, "The numbers are the same on every machine and for any number of threads; "
                        "`--quick` in the two lines that reproduce does it all with few instances "
                        "in minutes. Seconds "
                        "are those of the clock, with whatever else the machine did.");
    exp_report_machine(page, w->report->results);
}

static lgkt_status write_all(writer *w)
{
    char mark[64];
    lgkt_status status = LGKT_OK;
    const exp_claim *claim;
    for (int32_t i = 0; (claim = exp_claim_at(i)) != NULL && i < EXP_MAX_CLAIMS; i++) {
        status = exp_judge(claim, w->report->results, &w->data.judgements[i], w->error);
        if (status != LGKT_OK)
            return status;
        w->data.count++;
    }
    snprintf(mark, sizeof mark, "data-claims=\"%d\"", w->data.count);
    exp_page_begin(&w->page, "K-step lookahead thresholding, reproduced", mark);
    write_start(w);
    for (size_t i = 0; i < sizeof sections / sizeof *sections && status == LGKT_OK; i++)
        status = write_section(w, &sections[i]);
    write_rest(w);
    exp_page_end(&w->page);
    return status;
}

lgkt_status exp_report_write(const exp_report *report, FILE *out, lgkt_error *missing,
                             lgkt_error *error)
{
    writer *w = calloc(1, sizeof *w);
    if (w == NULL)
        return lgkt_fail_memory(error, "a report");
    lgkt_status status = LGKT_OK;
    *w = (writer){.page = {.out = out, .html = report->html}, .report = report, .error = error};
    w->data.results = report->results;
    if (report->html) {
        w->drawings = calloc(1, sizeof *w->drawings);
        status = w->drawings != NULL ? make_drawings(w->drawings, report->results, error)
                                     : lgkt_fail_memory(error, "a report");
        // without gnuplot there is still something to read
        if (status == LGKT_ERR_UNSUPPORTED) {
            if (missing != NULL && error != NULL)
                *missing = *error;
            free_drawings(w->drawings);
            w->drawings = NULL;
            status = LGKT_OK;
        }
    }
    if (status == LGKT_OK)
        status = write_all(w);
    for (int32_t i = 0; i < w->data.count; i++)
        exp_judgement_free(&w->data.judgements[i]);
    free_drawings(w->drawings);
    free(w);
    return status;
}
