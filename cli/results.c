// SPDX-License-Identifier: MIT
// Table and plot of an experiment.
#include "results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "output.h"
#include "plot.h"

// ---- table ----

static void put_heads(cli_table *table, const char *const *heads, int count)
{
    for (int i = 0; i < count; i++)
        cli_table_cell(table, "%s", heads[i]);
}

// a mean and half the width of its interval
static void put_moments(cli_table *table, const exp_moments *moments, int decimals)
{
    const double numbers[] = {moments->mean, exp_moments_half_width(moments)};
    for (int i = 0; i < 2; i++) {
        if (isnan(numbers[i]))
            cli_table_cell(table, "-");
        else
            cli_table_cell(table, "%.*f", decimals, numbers[i]);
    }
}

static void table_row(cli_table *table, const char *spec, const exp_summary *summary)
{
    cli_table_cell(table, "%s", spec);
    put_moments(table, &summary->reward, 4);
    if (isnan(summary->share))
        cli_table_cell(table, "-");
    else
        cli_table_cell(table, "%.1f%%", 100.0 * summary->share);
    if (summary->threshold_regret.n > 0) {
        put_moments(table, &summary->threshold_regret, 1);
        put_moments(table, &summary->optimum_regret, 1);
    }
    if (summary->steps_per_second >= 1e5)
        cli_table_cell(table, "%.1f M", 1e-6 * summary->steps_per_second);
    else
        cli_table_cell(table, "%.0f", summary->steps_per_second);
}

bool cli_results_table(const exp_setup *setup, const exp_result *result, FILE *out)
{
    static const char *const reward[] = {"learner", "reward per step", "+- 95%",
                                         "share of optimum"};
    static const char *const regret[] = {"threshold regret", "+- 95%", "optimum regret", "+- 95%"};
    static const char *const speed[] = {"steps/s"};
    cli_table *table = cli_table_create(result->regret != NULL ? "lrrrrrrrr" : "lrrrr");
    put_heads(table, reward, 4);
    put_heads(table, regret, result->regret != NULL ? 4 : 0);
    put_heads(table, speed, 1);
    for (int32_t l = 0; l < result->learner_count; l++) {
        const exp_summary summary = exp_summarize(result, l);
        table_row(table, setup->learners[l], &summary);
    }
    const bool ok = cli_table_print(table, out);
    cli_table_destroy(table);
    const double optimum = exp_optimum(result);
    if (isnan(optimum))
        fprintf(out, "optimum: not known, there is no model\n");
    else
        fprintf(out, "optimum: %.4f per step with full knowledge, exact\n", optimum);
    return ok;
}

bool cli_results_counters(const exp_setup *setup, const exp_result *result, FILE *out)
{
    static const char *const heads[] = {"learner", "counter", "per run"};
    cli_table *table = cli_table_create("llr");
    put_heads(table, heads, 3);
    for (int32_t l = 0; l < result->learner_count; l++) {
        const exp_counters *counters = &result->counters[l];
        for (int32_t i = 0; i < counters->count; i++) {
            cli_table_cell(table, "%s", setup->learners[l]);
            cli_table_cell(table, "%s", counters->names[i]);
            cli_table_cell(table, "%.1f", (double)counters->totals[i] / (double)result->replicates);
        }
    }
    const bool ok = cli_table_print(table, out);
    cli_table_destroy(table);
    return ok;
}

// ---- plot ----

bool cli_results_plot(const exp_setup *setup, const exp_result *result, FILE *out)
{
    const int points = result->checkpoint_count;
    const int lines =
        result->learner_count < CLI_PLOT_LINES ? result->learner_count : CLI_PLOT_LINES;
    double *x = calloc((size_t)points, sizeof *x);                 // (points)
    double *y = calloc((size_t)points * (size_t)lines, sizeof *y); // (lines, points)
    cli_plot_line line[CLI_PLOT_LINES];
    bool ok = x != NULL && y != NULL;
    for (int l = 0; ok && l < lines; l++) {
        line[l] = (cli_plot_line){.label = setup->learners[l], .y = y + l * points};
        for (int c = 0; c < points; c++) {
            x[c] = (double)setup->checkpoints[c];
            y[l * points + c] = exp_curve_point(result, l, c).mean;
        }
    }
    if (ok) {
        char title[128];
        snprintf(title, sizeof title, "expected reward per step so far (mean, N = %" PRId64 ")",
                 result->replicates);
        const cli_plot plot = {title, "step", x, points, line, lines};
        ok = cli_plot_print(&plot, cli_canvas_of(out), out);
    }
    free(x);
    free(y);
    return ok;
}
