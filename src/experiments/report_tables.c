// SPDX-License-Identifier: MIT
// Tables of a report. A number that is not known is a dash.

#include "experiments/report_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "experiments/figure.h"

// ---- cells ----

void exp_report_heads(exp_page *page, const char *aligned, const char *const *heads)
{
    exp_page_table_begin(page, aligned);
    for (size_t i = 0; i < strlen(aligned); i++)
        exp_page_cell(page, "%s", heads[i]);
}

// a mean with half the width of its interval
static void put_interval(exp_page *page, double mean, double ci95, bool sign)
{
    if (isnan(mean))
        exp_page_cell(page, "-");
    else if (isnan(ci95))
        exp_page_cell(page, sign ? "%+.4g" : "%.4g", mean);
    else
        exp_page_cell(page, sign ? "%+.4g ± %.2g" : "%.4g ± %.2g", mean, ci95);
}

void exp_report_real(exp_page *page, const char *format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    exp_page_cell(page, "%s", isnan(value) ? "-" : text);
}

static double seconds_per_run(const exp_track *track)
{
    return track->n > 0 ? track->seconds / (double)track->n : NAN;
}

// ---- a panel ----

static void put_track(exp_page *page, const exp_panel_data *data, int32_t l)
{
    const exp_track *track = &data->tracks[l];
    exp_page_cell(page, "%s", data->panel->entries[l].label);
    put_interval(page, track->mean, track->ci95, false);
    exp_report_real(page, "%.3f", track->share);
    exp_report_real(page, "%.1f", track->score);
    exp_report_real(page, "%.4g", track->median);
    exp_report_real(page, "%.4g", track->worst);
    put_interval(page, track->difference, track->difference_ci95, true);
    exp_page_cell(page, "%s", track->best_other[0] != '\0' ? track->best_other : "-");
    exp_page_cell(page, "`%s`", data->panel->entries[l].spec);
}

void exp_report_panel(exp_page *page, const exp_panel_data *data)
{
    static const char *const heads[] = {"learner", "mean",        "share of optimum",  "score",
                                        "median",  "worst tenth", "paired difference", "to",
                                        "spec"};
    const int64_t n = exp_panel_instances(data);
    exp_page_heading(page, 4, NULL, exp_panel_title(data->panel));
    exp_page_text(page, "`%s`, %" PRId64 " instance%s%s, T = %" PRId64 ".", data->panel->env, n,
                  n == 1 ? "" : "s", n < data->panel->instances ? " (fewer than in full)" : "",
                  data->panel->horizon);
    exp_report_heads(page, "nrrrrrrnn", heads);
    for (int32_t l = 0; l < data->panel->entry_count; l++)
        if (data->tracks[l].n > 0)
            put_track(page, data, l);
    exp_page_table_end(page);
}

// ---- numbers of the paper ----

static void put_printed(exp_page *page, const exp_evidence *e)
{
    exp_page_cell(page, "value of the greedy policy with %s over the optimal value, %s",
                  e->check->a, e->check->panels);
    exp_page_cell(page, "%.2f", e->check->limit);
    put_interval(page, e->side != EXP_MISSING ? e->value : NAN, e->ci95, false);
}

// the first checkpoint from which a stays above b to the end; 0 if it does not at the end
static int64_t lead_from(const exp_track *a, const exp_track *b)
{
    int64_t from = 0;
    double mean;
    for (int32_t i = a->count - 1; i >= 0; i--) {
        if (!exp_track_mean(b, a->marks[i].t, &mean) || a->marks[i].mean <= mean)
            break;
        from = a->marks[i].t;
    }
    return from;
}

static const exp_track *track_of(const exp_panel_data *data, const char *label)
{
    const int32_t l = data != NULL ? exp_panel_find(data->panel, label) : -1;
    return l >= 0 && data->tracks[l].n > 0 ? &data->tracks[l] : NULL;
}

static const exp_panel_data *panel_of(const exp_results *results, const char *experiment,
                                      const char *panel)
{
    const exp_folder *folder = exp_results_find(results, experiment);
    return folder != NULL ? exp_folder_panel(folder, panel) : NULL;
}

static void put_lead(exp_page *page, const exp_track *a, const exp_track *b)
{
    const int64_t from = a != NULL && b != NULL ? lead_from(a, b) : -1;
    if (from > 0)
        exp_page_cell(page, "from %" PRId64 " on", from);
    else
        exp_page_cell(page, "%s", from == 0 ? "not by the end" : "-");
}

// settings that the paper prints, and what ours are
static const char *const settings[][3] = {
    {"horizon", "20000", "the same; 10^6 for long-run and regret-growth"},
    {"instances: synthetic, JumpRiverSwim, FrozenLake, trading", "2 x 1000, 100, 100, 1000",
     "see the tables"},
    {"states and actions: synthetic; states: JumpRiverSwim", "10 x 5, 100 x 25; 5, 8, 15",
     "the same"},
    {"mean rewards; noise; transitions",
     "Gamma(0.5, 1); variance 0.5; Gamma(0.1, 10), Gamma(0.01, 1000)",
     "the same, but standard deviation 0.5 as in the released code"},
    {"thresholds of LG1T and LG2T", "0.3, 0.9", "the same"},
    {"cutoff of LG1-2T: synthetic, JumpRiverSwim, FrozenLake, trading", "100, 100, 10000, 30",
     "the same, and 3000 on S = 100"},
    {"switch of LG1T-RL", "10000", "the same"},
    {"discounts of optimistic Q-learning; H of Q-learning", "0.9, 0.99; 1, 10", "the same"},
    {"factor 3.4 and log(10 T) of the index; g(t) = 3 log t", "3.4, 10, 3",
     "in the profile `paper`; the default profile follows the released code"},
    {"FrozenLake: hole, frozen tile, goal; chance to slip each way", "0, 0.2, 1; 1/3", "the same"},
    {"JumpRiverSwim: rewards; jump; right: on, stay, back", "0.2, 1; 0.01; 0.3, 0.1, 0.6",
     "the same, but stay 0.6 and back 0.1 as in the released code"},
};

static void put_crossing(exp_page *page, const exp_panel_data *data, const char *other)
{
    exp_page_cell(page, "S = 100: LG1T above %s", other);
    exp_page_cell(page, "after fewer than 1000 steps");
    put_lead(page, track_of(data, "LG1T"), track_of(data, other));
}

void exp_report_numbers(exp_page *page, const exp_report_data *data)
{
    static const char *const heads[] = {"number", "paper", "ours"};
    const exp_panel_data *large = panel_of(data->results, "synthetic-100", "synthetic-100");
    const exp_track *slow = track_of(large, "PMEVI-KLUCRL");
    exp_report_heads(page, "lll", heads);
    for (int32_t i = 0; i < data->count; i++)
        for (int32_t e = 0; e < data->judgements[i].count; e++)
            if (data->judgements[i].evidence[e].check->kind == EXP_NUMBER)
                put_printed(page, &data->judgements[i].evidence[e]);
    exp_page_cell(page, "PMEVI-KLUCRL at S = 100, time of one instance");
    exp_page_cell(page, "more than 3 h");
    exp_report_real(page, "%.2g s", slow != NULL ? seconds_per_run(slow) : NAN);
    put_crossing(page, large, "UCRL2");
    put_crossing(page, large, "KL-UCRL");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (int c = 0; c < 3; c++)
            exp_page_cell(page, "%s", settings[i][c]);
    exp_page_table_end(page);
}

// ---- what the paper leaves out ----

static const struct {
    const char *title, *text, *experiment;
    const char *panels; // split by '|'
    const char *labels; // of '|'; NULL: all
} left_out[] = {
    {"PMEVI-KLUCRL at S = 100", "The paper leaves it out for its run time.", "synthetic-100",
     "synthetic-100", "PMEVI-KLUCRL|KL-UCRL|UCRL2|LG1T|LG1-2T 3000"},
    {"Model-based learners on trading",
     "The paper leaves them out for their run time; here states are added as they are met.",
     "trading", "trading", "UCRL2|KL-UCRL|PMEVI-KLUCRL|LG1T|LG2T|LG1-2T"},
    {"Oracles on FrozenLake", "The paper calls them inaccessible; the model is known exactly.",
     "frozenlake", "frozenlake", "1-step greedy|2-step greedy|Optimal|LG1T|LG2T|LG1-2T"},
    {"MDP-OOMD that learns", "In the released code it never updates and plays at random.",
     "long-run", "riverswim-5|riverswim-8|riverswim-15", "MDP-OOMD|Random|UCRL2|LG1T"},
    {"Fair reward ranges",
     "The released baselines clip optimistic rewards at 1 although mean rewards reach above 4: "
     "marked [0,1]. The others are told the true range.",
     "reward-range", "synthetic-10|synthetic-100", NULL},
    {"Real randomness against frozen noise",
     "The released synthetic environment makes its generator anew at every step: it is "
     "deterministic, with rewards off by a constant (frozen-10).",
     "profiles", "synthetic-10|frozen-10", "LG1T released|LG2T released|LG1-2T released|Optimal"},
    {"The printed JumpRiverSwim",
     "The paper's text swaps two numbers of the released code: 0.6 to the left and 0.1 to stay.",
     "profiles", "riverswim-5|riverswim-5-printed",
     "LG1T released|LG2T released|LG1-2T released|1-step greedy|2-step greedy|Optimal"},
    {"Profiles",
     "*released* is the released code, *paper* the algorithm as printed, *practical* ours.",
     "profiles", "synthetic-10|riverswim-5", NULL},
    {"K of 3 and more", "The paper runs K = 1 and 2 only.", "depth", "synthetic-10", NULL},
};

static bool is_in(const char *label, const char *list)
{
    char item[EXP_FIELD_SIZE];
    if (list == NULL)
        return true;
    while (exp_list_next(&list, item))
        if (strcmp(item, label) == 0)
            return true;
    return false;
}

static void put_selected(exp_page *page, const exp_panel_data *data, const char *labels)
{
    for (int32_t l = 0; l < data->panel->entry_count; l++) {
        const exp_track *track = &data->tracks[l];
        if (track->n == 0 || !is_in(data->panel->entries[l].label, labels))
            continue;
        exp_page_cell(page, "%s", data->panel->name);
        exp_page_cell(page, "%s", data->panel->entries[l].label);
        put_interval(page, track->mean, track->ci95, false);
        exp_report_real(page, "%.3f", track->share);
        exp_report_real(page, "%.1f", track->score);
        exp_report_real(page, "%.3g", seconds_per_run(track));
    }
}

void exp_report_left_out(exp_page *page, const exp_results *results)
{
    static const char *const heads[] = {"panel", "learner",         "mean", "share of optimum",
                                        "score", "seconds of a run"};
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        char name[EXP_FIELD_SIZE];
        const char *list = left_out[i].panels;
        exp_page_heading(page, 3, NULL, left_out[i].title);
        exp_page_text(page, "%s", left_out[i].text);
        if (exp_results_find(results, left_out[i].experiment) == NULL) {
            exp_page_text(page, "Experiment `%s` was not read.", left_out[i].experiment);
            continue;
        }
        exp_report_heads(page, "nnrrrr", heads);
        while (exp_list_next(&list, name)) {
            const exp_panel_data *data = panel_of(results, left_out[i].experiment, name);
            if (data != NULL)
                put_selected(page, data, left_out[i].labels);
        }
        exp_page_table_end(page);
    }
    exp_page_text(page, "The growth of regret and the theorem that is false as printed are in the "
                        "section on theory, the long run in its own.");
}

// ---- growth and overtaking ----

void exp_report_growth(exp_page *page, const exp_folder *folder)
{
    static const char *const heads[] = {"panel", "learner", "regret at T/10", "regret at T",
                                        "exponent"};
    exp_report_heads(page, "nnrrr", heads);
    for (int32_t p = 0; p < folder->experiment->panel_count; p++) {
        const exp_panel_data *data = &folder->panels[p];
        for (int32_t l = 0; l < data->panel->entry_count; l++) {
            double first, last;
            if (!exp_track_mean(&data->tracks[l], data->panel->horizon / 10, &first) ||
                !exp_track_mean(&data->tracks[l], data->panel->horizon, &last))
                continue;
            exp_page_cell(page, "%s", data->panel->name);
            exp_page_cell(page, "%s", data->panel->entries[l].label);
            exp_report_real(page, "%.3g", first);
            exp_report_real(page, "%.3g", last);
            exp_report_real(page, "%.3f", lgkt_log(last / first) / lgkt_log(10));
        }
    }
    exp_page_table_end(page);
}

void exp_report_overtaking(exp_page *page, const exp_folder *folder)
{
    static const char *const heads[] = {"panel", "learner", "above LG1T", "above LG2T"};
    exp_report_heads(page, "nnrr", heads);
    for (int32_t p = 0; p < folder->experiment->panel_count; p++) {
        const exp_panel_data *data = &folder->panels[p];
        const exp_track *one = track_of(data, "LG1T"), *two = track_of(data, "LG2T");
        for (int32_t l = 0; l < data->panel->entry_count; l++) {
            const exp_track *track = &data->tracks[l];
            if (data->panel->entries[l].oracle || track->n == 0 || track == one || track == two)
                continue;
            exp_page_cell(page, "%s", data->panel->name);
            exp_page_cell(page, "%s", data->panel->entries[l].label);
            put_lead(page, track, one);
            put_lead(page, track, two);
        }
    }
    exp_page_table_end(page);
}

// ---- the run ----

void exp_report_machine(exp_page *page, const exp_results *results)
{
    static const char *const heads[] = {"experiment",          "where",   "version", "seed",
                                        "seconds of all runs", "machine", "date"};
    exp_report_heads(page, "nnnrrnn", heads);
    for (int32_t i = 0; i < results->count; i++) {
        const exp_folder *folder = results->folders[i];
        exp_page_cell(page, "%s", folder->experiment->name);
        exp_page_cell(page, "%s", folder->experiment->place);
        exp_page_cell(page, "%s", folder->version);
        exp_page_cell(page, "%s", folder->seed);
        exp_report_real(page, "%.3g", folder->run_seconds);
        exp_page_cell(page, "%s", folder->host[0] != '\0' ? folder->host : "-");
        exp_page_cell(page, "%s", folder->date[0] != '\0' ? folder->date : "-");
    }
    exp_page_table_end(page);
}
