// SPDX-License-Identifier: MIT
// The report on what is beyond the paper, from made-up results: who is the best rival, wins, ties
// and losses, and the verdict on each target on both sides of its limit.
#include "test.h"

#include <stdlib.h>

#include "experiments/report_parts.h"

#define OPTIMUM 10.0
#define UNIFORM 5.0 // all but who is set otherwise play so

// ---- made-up results ----

// All experiments of the catalog whose names begin with "beyond"; every learner earns 5 of 10 but
// where a test says otherwise, and differences follow with an interval of 0.01.
typedef struct toy {
    exp_results results;
} toy;

static const exp_panel_data *panel_of(const toy *t, const char *experiment, const char *panel)
{
    const exp_folder *folder = exp_results_find(&t->results, experiment);
    assert_non_null(folder);
    const exp_panel_data *data = exp_folder_panel(folder, panel);
    assert_non_null(data);
    return data;
}

// the differences of `Auto-1` to all others at the end
static void fill_pairs(exp_panel_data *data)
{
    const int32_t self = exp_panel_find(data->panel, "Auto-1");
    data->pair_count = 0;
    for (int32_t l = 0; l < data->panel->entry_count; l++)
        if (l != self)
            data->pairs[data->pair_count++] =
                (exp_pair){self, l, data->panel->horizon,
                           data->tracks[self].mean - data->tracks[l].mean, 0.01};
}

static void set_mean(toy *t, const char *experiment, const char *panel, const char *label,
                     double mean)
{
    exp_panel_data *data = (exp_panel_data *)panel_of(t, experiment, panel);
    exp_track *track = &data->tracks[exp_panel_find(data->panel, label)];
    track->mean = mean;
    track->share = track->share > 0 ? mean / OPTIMUM : NAN;
    track->score = 100 * (mean - UNIFORM) / (OPTIMUM - UNIFORM);
    fill_pairs(data);
}

static void set_six(toy *t, const char *experiment, const char *label, double mean)
{
    const exp_folder *folder = exp_results_find(&t->results, experiment);
    for (int32_t p = 0; p < folder->experiment->panel_count; p++)
        set_mean(t, experiment, folder->panels[p].panel->name, label, mean);
}

static exp_folder *make_folder(const exp_experiment *experiment)
{
    exp_folder *folder = calloc(1, sizeof *folder);
    assert_non_null(folder);
    folder->experiment = experiment;
    folder->panels = calloc((size_t)experiment->panel_count, sizeof *folder->panels);
    assert_non_null(folder->panels);
    for (int32_t p = 0; p < experiment->panel_count; p++) {
        exp_panel_data *data = &folder->panels[p];
        const size_t count = (size_t)experiment->panels[p].entry_count;
        data->panel = &experiment->panels[p];
        data->tracks = calloc(count, sizeof *data->tracks);
        data->pairs = calloc(count, sizeof *data->pairs);
        assert_true(data->tracks != NULL && data->pairs != NULL);
        for (size_t l = 0; l < count; l++)
            data->tracks[l] = (exp_track){.n = 7, .mean = 5, .ci95 = 0.2, .share = 5 / OPTIMUM};
        fill_pairs(data);
    }
    return folder;
}

static void make_toy(toy *t)
{
    *t = (toy){.results = {.count = 0}};
    for (int32_t i = 0; exp_experiment_at(i) != NULL; i++)
        if (strncmp(exp_experiment_at(i)->name, "beyond", 6) == 0)
            t->results.folders[t->results.count++] = make_folder(exp_experiment_at(i));
    assert_int_equal(t->results.count, 7);
}

static void free_toy(toy *t)
{
    for (int32_t i = 0; i < t->results.count; i++) {
        exp_folder *folder = t->results.folders[i];
        for (int32_t p = 0; p < folder->experiment->panel_count; p++) {
            free(folder->panels[p].tracks);
            free(folder->panels[p].pairs);
        }
        free(folder->panels);
        free(folder);
    }
}

// the section as Markdown; the caller frees it
static char *section_of(const toy *t)
{
    exp_page page = {.out = tmpfile()};
    assert_non_null(page.out);
    exp_report_beyond(&page, &t->results);
    const long size = ftell(page.out);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    rewind(page.out);
    assert_int_equal(fread(text, 1, (size_t)size, page.out), size);
    fclose(page.out);
    return text;
}

static void assert_has(const char *text, const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("not there: %s\nin:\n%.6000s", words, text);
}

static void check_has(const toy *t, const char *words)
{
    char *text = section_of(t);
    assert_has(text, words);
    free(text);
}

// ---- tests ----

#define MAIN "beyond-six-20000"

static void the_best_rival_is_that_of_its_group(void **state)
{
    (void)state;
    toy t;
    make_toy(&t);
    set_mean(&t, MAIN, "riverswim-8", "Auto-1", 9.75);
    set_mean(&t, MAIN, "riverswim-8", "LG2T-I", 9.5);
    set_mean(&t, MAIN, "riverswim-8", "UCBVI 0.01", 9.76);
    // neither ours nor oracles are rivals
    set_mean(&t, MAIN, "riverswim-8", "Plug-in K=10", 9.9);
    set_mean(&t, MAIN, "riverswim-8", "Optimal", 10);
    check_has(
        &t,
        "| riverswim-8 | 7 | 10 | 9.75 | 97.5% | 95.0 | 97% | yes | LG2T-I 9.5 | +0.25 ± 0.01 | "
        "win | UCBVI 0.01 9.76 | -0.01 ± 0.01 | tie |\n");
    set_mean(&t, MAIN, "riverswim-8", "Auto-1", 9.6);
    check_has(
        &t, "| 9.6 | 96.0% | 92.0 | 97% | no | LG2T-I 9.5 | +0.1 ± 0.01 | win | UCBVI 0.01 9.76 | "
            "-0.16 ± 0.01 | loss |\n");
    free_toy(&t);
}

static void a_target_needs_all_six(void **state)
{
    (void)state;
    toy t;
    make_toy(&t);
    check_has(&t, "above the best baseline on each of the six | **not reached** | 0 of 6 are wins, "
                  "6 ties, 0 losses; lowest: ");
    set_six(&t, MAIN, "Auto-1", 9.9);
    check_has(&t, "T = 20000: above the best learner of the paper on each of the six | **reached** "
                  "| 6 of 6 are wins, 0 ties, 0 losses; lowest: synthetic-10, +4.9 ± 0.01 to "
                  "LG1T (+49.00%) |\n");
    check_has(&t, "T = 20000: the shares of the optimum aimed at | **reached** | synthetic-10 "
                  "99.0% (aim 98%), synthetic-100 99.0% (aim 88%)");
    set_mean(&t, MAIN, "frozenlake", "UCB", 9.95);
    check_has(&t, "above the best baseline on each of the six | **not reached** | 5 of 6 are wins, "
                  "0 ties, 1 losses; lowest: frozenlake, -0.05 ± 0.01 to UCB (-0.50%) |\n");
    check_has(&t, "above the best learner of the paper on each of the six | **reached**");
    set_mean(&t, MAIN, "riverswim-5", "Auto-1", 9.5);
    check_has(&t, "the shares of the optimum aimed at | **not reached**");
    free_toy(&t);
}

// the margin is 0.1; the interval 0.01
static void short_runs_have_a_margin(void **state)
{
    (void)state;
    static const struct {
        double mean; // of `Auto-1` where it is lowest; rivals have 5
        const char *verdict;
    } cases[] = {{4.92, "reached"}, {4.895, "open"}, {4.905, "open"}, {4.88, "not reached"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        toy t;
        char words[160];
        make_toy(&t);
        set_mean(&t, "beyond-six-5000", "riverswim-15", "Auto-1", cases[i].mean);
        snprintf(words, sizeof words,
                 "T = 5000: on none of the six behind the best of all by more than 1%% of the "
                 "optimum | **%s** |",
                 cases[i].verdict);
        check_has(&t, words);
        check_has(&t, "T = 1000: on none of the six behind the best of all by more than 1% of the "
                      "optimum | **reached** |");
        free_toy(&t);
    }
}

// five of six at 0; the mean of all is a sixth of the last, its width 0.1% of the optimum
static void the_mean_is_over_the_six(void **state)
{
    (void)state;
    toy t;
    make_toy(&t);
    check_has(&t, "T = 1000: ahead of the best of each in the mean over the six | **open** | "
                  "+0.00% ± 0.10% of the optimum |");
    set_mean(&t, "beyond-six-1000", "frozenlake", "Auto-1", 5.12);
    check_has(&t, "**reached** | +0.20% ± 0.10% of the optimum |");
    set_mean(&t, "beyond-six-1000", "frozenlake", "Auto-1", 4.88);
    check_has(&t, "**not reached** | -0.20% ± 0.10% of the optimum |");
    free_toy(&t);
}

static void what_was_not_measured_is_not_reached(void **state)
{
    (void)state;
    toy t;
    make_toy(&t);
    set_six(&t, MAIN, "Auto-1", 9.9);
    exp_panel_data *data = (exp_panel_data *)panel_of(&t, MAIN, "frozenlake");
    data->pair_count = 0;
    check_has(&t, "above the best baseline on each of the six | **not measured** |");
    free_toy(&t);
    const toy empty = {.results = {.count = 0}};
    char *text = section_of(&empty);
    assert_has(text, "T = 20000: the shares of the optimum aimed at | **not measured** |");
    assert_has(text, "T = 1000: ahead of the best of each in the mean over the six | **not "
                     "measured** |");
    assert_has(text, "Experiment `beyond-six-200000` was not read.");
    assert_has(text, "Experiment `beyond-fresh` was not read.");
    assert_has(text, "Experiment `beyond-scale` was not read.");
    free(text);
}

static void no_loss_is_hidden(void **state)
{
    (void)state;
    toy t;
    make_toy(&t);
    check_has(&t, "- no loss to anybody");
    set_mean(&t, "beyond-fresh", "riverswim-20", "Auto-1", 6);
    set_mean(&t, "beyond-fresh", "trading", "KL-UCRL", 5.5);
    set_mean(&t, "beyond-fresh", "linear-gap", "Plug-in K=5", 7);
    char *text = section_of(&t);
    // columns: plug-in, three of the paper, seven baselines; then the best of these
    assert_has(
        text, "| riverswim-20 | 6 | 60.0% | 20.0 | win | win | win | win | win | win | win | win | "
              "win | win | win | LG1T 5 | +1 ± 0.01 | win |\n");
    assert_has(text,
               "| linear-gap | 5 | 50.0% | 0.0 | loss | tie | tie | tie | tie | tie | tie | tie | "
               "tie | tie | tie | LG1T 5 | +0 ± 0.01 | tie |\n");
    assert_has(text, "KL-UCRL 5.5 | -0.5 ± 0.01 | loss |\n");
    assert_has(text, "| 1 / 16 / 1 | 1 / 17 / 0 | 1 / 17 / 0 | 1 / 17 / 0 | 1 / 17 / 0 | 1 / 16 / "
                     "1 | 1 / 17 / 0 |");
    assert_has(text, "|  |  | 1 / 16 / 1 |\n");
    assert_has(text, "- loss on trading to KL-UCRL: -0.5 ± 0.01\n");
    assert_has(text, "- loss on linear-gap to Plug-in K=5: -2 ± 0.01\n");
    assert_null(strstr(text, "no loss to anybody"));
    free(text);
    free_toy(&t);
}

static void scaled_rewards_are_put_back(void **state)
{
    (void)state;
    toy t;
    make_toy(&t);
    set_six(&t, "beyond-scale", "UCRL2", 5);
    set_mean(&t, "beyond-scale", "riverswim-8", "Auto-1", 9.5);
    set_mean(&t, "beyond-scale", "riverswim-8-scaled", "Auto-1", 900);
    check_has(&t, "| riverswim-8 | Auto-1 | 9.5 | 9.5 | 95.00% | 95.00% | the same |\n");
    check_has(&t, "| riverswim-8 | UCRL2 | 5 | 0.55 | 50.00% | 5.50% | differs |\n");
    free_toy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_rival_is_that_of_its_group),
        cmocka_unit_test(a_target_needs_all_six),
        cmocka_unit_test(short_runs_have_a_margin),
        cmocka_unit_test(the_mean_is_over_the_six),
        cmocka_unit_test(what_was_not_measured_is_not_reached),
        cmocka_unit_test(no_loss_is_hidden),
        cmocka_unit_test(scaled_rewards_are_put_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
