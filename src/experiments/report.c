// SPDX-License-Identifier: MIT
// The report (report.h): its order, its fixed texts, and the drawings of the HTML page.
//
// For the HTML page every view is drawn by itself, so that a phone shows them one below the other;
// the Markdown page links to the figures that `lgkt plot` made.

#include "experiments/report.h"

#include <errno.h>
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

// ---- drawings ----

// The views of all experiments in order, each in a file of its own.
typedef struct drawings {
    char folder[256];
    exp_figure figures[MOST_DRAWINGS];
    exp_drawing items[MOST_DRAWINGS];
    int32_t count;
} drawings;

static lgkt_status out_of_memory(lgkt_error *error)
{
    return lgkt_fail_memory(error, "a report");
}

static lgkt_status list_drawings(drawings *d, const exp_results *results, lgkt_error *error)
{
    exp_figure whole;
    for (int32_t i = 0; i < results->count; i++) {
        exp_figure_of(results->folders[i], &whole);
        for (int32_t v = 0; v < whole.view_count && d->count < MOST_DRAWINGS; v++) {
            exp_figure *figure = &d->figures[d->count];
            *figure = exp_figure_single(&whole, v);
            char *path = io_folder_file(d->folder, figure->name);
            if (path == NULL)
                return out_of_memory(error);
            d->items[d->count++] = (exp_drawing){figure, EXP_SVG, path};
        }
    }
    return LGKT_OK;
}

static lgkt_status make_drawings(drawings *d, const exp_results *results, lgkt_error *error)
{
    const char *place = getenv("TMPDIR");
    snprintf(d->folder, sizeof d->folder, "%.200s/lgkt-report-XXXXXX",
             place != NULL && place[0] != '\0' ? place : "/tmp");
    if (mkdtemp(d->folder) == NULL) {
        d->folder[0] = '\0';
        return io_fail_errno(error, d->folder);
    }
    const lgkt_status status = list_drawings(d, results, error);
    return status == LGKT_OK ? exp_figures_draw(d->items, d->count, error) : status;
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

static lgkt_status insert_svg(writer *w, const exp_drawing *drawing)
{
    char *svg = NULL;
    size_t size = 0;
    const lgkt_status status = io_file_read(drawing->path, LARGEST_SVG, &svg, &size, w->error);
    if (status == LGKT_OK)
        exp_page_svg(&w->page, svg, drawing->figure->views[0].title);
    free(svg);
    return status;
}

static lgkt_status insert_drawings(writer *w, const exp_folder *folder)
{
    lgkt_status status = LGKT_OK;
    for (int32_t i = 0; w->drawings != NULL && i < w->drawings->count && status == LGKT_OK; i++)
        if (w->drawings->figures[i].folder == folder->path)
            status = insert_svg(w, &w->drawings->items[i]);
    return status;
}

static void link_figure(writer *w, const char *name, const char *title)
{
    char file[80];
    snprintf(file, sizeof file, "%s.svg", name);
    char *path = io_folder_file(w->report->figures, file);
    exp_page_image(&w->page, path != NULL ? path : file, title);
    free(path);
}

// ---- sections ----

static bool all_there(const exp_results *results, const struct section *section, int parts)
{
    for (int i = 0; i < parts; i++)
        if (section->experiments[i] == NULL ||
            exp_results_find(results, section->experiments[i]) == NULL)
            return false;
    return true;
}

// the joined figure of the paper shows its first two or three experiments
static int joined_parts(const struct section *section)
{
    if (section->joined == NULL)
        return 0;
    return strcmp(section->joined, "figure-1") == 0 ? 2 : 3;
}

static lgkt_status write_figures(writer *w, const struct section *section)
{
    const exp_results *results = w->report->results;
    const int parts = joined_parts(section);
    const bool joined = !w->page.html && parts > 0 && all_there(results, section, parts);
    if (joined)
        link_figure(w, section->joined, section->title);
    lgkt_status status = LGKT_OK;
    exp_page_figures_begin(&w->page);
    for (int i = joined ? parts : 0; i < MOST_PARTS && status == LGKT_OK; i++) {
        const char *name = section->experiments[i];
        const exp_folder *folder = name != NULL ? exp_results_find(results, name) : NULL;
        if (folder == NULL)
            continue;
        if (w->page.html)
            status = insert_drawings(w, folder);
        else
            link_figure(w, name, folder->experiment->title);
    }
    exp_page_figures_end(&w->page);
    return status;
}

static void write_tables(writer *w, const struct section *section)
{
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
    exp_report_claims(&w->page, &w->data, section->name);
    if (strcmp(section->name, "beyond") == 0)
        exp_report_beyond(&w->page, w->report->results);
    exp_page_heading(&w->page, 3, NULL, "Numbers");
    write_tables(w, section);
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
    exp_report_overview(page, &w->data);
    exp_page_heading(page, 2, "rules", "Rules");
    const char *rule;
    for (int32_t i = 0; (rule = exp_rule_text(i)) != NULL; i++)
        exp_page_text(page, "%s", rule);
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
    exp_page_text(
        page,
        "The numbers are the same on every machine and for any number of threads; "
        "`--quick` in the two lines that reproduce does it all with few instances in minutes.");
    exp_report_machine(page, w->report->results);
}

static lgkt_status judge_all(writer *w)
{
    lgkt_status status = LGKT_OK;
    const exp_claim *claim;
    for (int32_t i = 0; (claim = exp_claim_at(i)) != NULL && i < EXP_MAX_CLAIMS; i++) {
        status = exp_judge(claim, w->report->results, &w->data.judgements[i], w->error);
        if (status != LGKT_OK)
            break;
        w->data.count++;
    }
    return status;
}

static lgkt_status write_all(writer *w)
{
    char mark[64];
    lgkt_status status = judge_all(w);
    if (status != LGKT_OK)
        return status;
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
        return out_of_memory(error);
    lgkt_status status = LGKT_OK;
    *w = (writer){.page = {.out = out, .html = report->html}, .report = report, .error = error};
    w->data.results = report->results;
    if (report->html) {
        w->drawings = calloc(1, sizeof *w->drawings);
        status = w->drawings != NULL ? make_drawings(w->drawings, report->results, error)
                                     : out_of_memory(error);
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
