// SPDX-License-Identifier: MIT
// A figure is a grid of cells of fixed size; all lengths below are in points of that grid, which is
// one pixel in SVG and two in PNG. Each cell is one plot with margins of its own: labels stand at
// the right end of the lines, so the right margin is wide and no legend covers a curve.
//
//     average, cumulative    log t against the mean, with its 95% band
//     regret                 both axes logarithmic
//     ratio                  one point for each K with its 95% interval; where runs.csv has the
//                            distance of Theorem 3.5, one dot for each instance against it

#include "experiments/figure_script.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "experiments/claims.h"
#include "experiments/figure_style.h"

#define CELL_WIDTH  630.0
#define ALONE_WIDTH 510.0 // of a cell that is the whole figure: it has to do on a phone, too
#define CELL_HEIGHT 370.0
#define LEFT        82.0
#define RIGHT       140.0
#define TOP         40.0
#define BOTTOM      52.0
#define LABEL_STEP  13.5 // between the lines of two labels
#define COLUMNS     2
#define FONT        "Helvetica"

// points of a curve that are nearer than this part of the axis are left out
#define FINEST       0.012
#define FIRST_STEP   10.0
#define FIRST_REGRET 100.0
#define MOST_TRACKS  64

// What is needed to place things in one coordinate system.
typedef struct axes {
    FILE *out;
    const exp_view *view;
    int32_t number;       // of the view, for the names of data blocks
    double x_low, x_high; // t, distance or position
    double y_low, y_high;
    bool x_log, y_log;
} axes;

// in single quotes gnuplot reads everything as it stands, but a quote as two
static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputc('\'', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

// ---- which learners are shown ----

static const char *label_of(const exp_view *view, int32_t entry)
{
    return view->data->panel->entries[entry].label;
}

static bool shown(const exp_view *view, int32_t entry)
{
    const char *hidden = view->hidden;
    char prefix[EXP_FIELD_SIZE];
    while (exp_list_next(&hidden, prefix))
        if (strncmp(label_of(view, entry), prefix, strlen(prefix)) == 0)
            return false;
    return view->data->tracks[entry].n > 0;
}

// ---- ranges ----

static void include(axes *x, double y)
{
    if (!isfinite(y) || (x->y_log && y <= 0.0))
        return;
    x->y_low = y < x->y_low ? y : x->y_low;
    x->y_high = y > x->y_high ? y : x->y_high;
}

// some room above and below; a range of one point becomes a small one around it
static void pad(axes *x)
{
    if (!(x->y_low <= x->y_high)) {
        x->y_low = x->y_log ? 1.0 : 0.0;
        x->y_high = x->y_log ? 10.0 : 1.0;
    }
    if (x->y_log) {
        const double factor = fmax(lgkt_pow(x->y_high / x->y_low, 0.04), 1.05);
        x->y_low /= factor;
        x->y_high *= factor;
    } else {
        const double room = fmax(0.05 * (x->y_high - x->y_low), 1e-3 * fabs(x->y_high) + 1e-9);
        x->y_low -= room;
        x->y_high += room;
    }
}

// ---- frame ----

static void write_frame(const axes *x, const char *x_title, const char *y_title)
{
    FILE *out = x->out;
    fputs("unset label\nunset arrow\nunset logscale\nset xtics auto\n", out);
    fputs(x->x_log ? "set logscale x\nset format x '%.0s%c'\n" : "set format x '%g'\n", out);
    fputs(x->y_log ? "set logscale y\nset format y '%.0s%c'\n" : "set format y '%g'\n", out);
    fprintf(out, "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n", x->x_low, x->x_high,
            x->y_low, x->y_high);
    fprintf(out, "set xlabel '%s' offset 0,0.3\nset ylabel '%s' offset 0.5,0\n", x_title, y_title);
    fputs("set label 1 ", out);
    put_quoted(out, x->view->title);
    fputs(" at graph 0, graph 1.06 left font ',13'\n", out);
}

// ---- labels at the right end ----

typedef struct ends {
    int32_t entries[MOST_TRACKS];
    double at[MOST_TRACKS];    // where the line ends, as a part of the height
    double moved[MOST_TRACKS]; // where its label stands
    int32_t count;
} ends;

static void add_end(ends *e, const axes *x, int32_t entry, double y)
{
    if (e->count == MOST_TRACKS || !isfinite(y) || (x->y_log && y <= 0.0))
        return;
    e->entries[e->count] = entry;
    e->at[e->count] = e->moved[e->count] =
        x->y_log ? lgkt_log(y / x->y_low) / lgkt_log(x->y_high / x->y_low)
                 : (y - x->y_low) / (x->y_high - x->y_low);
    e->count++;
}

static void write_labels(const axes *x, ends *e)
{
    const double height = CELL_HEIGHT - TOP - BOTTOM;
    exp_spread_labels(e->moved, e->count, LABEL_STEP / height, -0.12, 1.0);
    for (int32_t i = 0; i < e->count; i++) {
        const char *label = label_of(x->view, e->entries[i]);
        const exp_style style = exp_style_of(label);
        fprintf(x->out,
                "set arrow %d from graph 1.004, graph %.5f to graph 1.038, graph %.5f nohead "
                "lc rgb '%s' lw 0.8\nset label %d ",
                i + 10, e->at[i], e->moved[i], style.colour, i + 10);
        put_quoted(x->out, label);
        fprintf(x->out, " at graph 1.046, graph %.5f left tc rgb '%s' font ',11'\n", e->moved[i],
                style.colour);
    }
}

// ---- curves ----

// the points that are drawn; each line is t, mean, and the bounds of the band
static void write_curve(const axes *x, int32_t entry)
{
    const exp_track *track = &x->view->data->tracks[entry];
    double last = -INFINITY;
    fprintf(x->out, "$d%d_%d << E\n", x->number, entry);
    for (int32_t i = 0; i < track->count; i++) {
        const exp_mark *mark = &track->marks[i];
        const double at = lgkt_log((double)mark->t / x->x_low) / lgkt_log(x->x_high / x->x_low);
        const bool wanted = at >= 0.0 && (at - last >= FINEST || i + 1 == track->count);
        if (!wanted || (x->y_log && mark->mean <= 0.0))
            continue;
        const double half = isnan(mark->ci95) ? 0.0 : mark->ci95;
        const double low = x->y_log ? fmax(mark->mean - half, x->y_low) : mark->mean - half;
        fprintf(x->out, "%" PRId64 " %.8g %.8g %.8g\n", mark->t, mark->mean, low,
                mark->mean + half);
        last = at;
    }
    fputs("E\n", x->out);
}

static void write_curve_plot(const axes *x)
{
    const exp_panel *panel = x->view->data->panel;
    const char *sep = "plot ";
    // the first learners of a panel are the ones the paper is about: they come last, on top
    for (int part = 0; part < 2; part++) {
        for (int32_t l = panel->entry_count - 1; l >= 0; l--) {
            if (!shown(x->view, l) || x->view->data->tracks[l].count == 0)
                continue;
            const exp_style style = exp_style_of(label_of(x->view, l));
            fprintf(x->out, "%s$d%d_%d ", sep, x->number, l);
            sep = ", \\\n     ";
            if (part == 0)
                fprintf(x->out,
                        "using 1:3:4 with filledcurves fc rgb '%s' fs transparent solid 0.13 "
                        "noborder notitle",
                        style.colour);
            else
                fprintf(x->out, "using 1:2 with lines lc rgb '%s' lw %g dt %s notitle",
                        style.colour, style.width, style.dash);
        }
    }
    fputs(sep[0] == 'p' ? "plot NaN notitle\n" : "\n", x->out);
}

static const char *value_title(exp_metric metric)
{
    static const char *const titles[] = {
        [EXP_METRIC_AVERAGE] = "reward per step so far",
        [EXP_METRIC_CUMULATIVE] = "reward so far",
        [EXP_METRIC_REGRET] = "regret so far",
        [EXP_METRIC_RATIO] = "share of the optimal value",
    };
    return titles[metric];
}

static void write_curves(FILE *out, const exp_view *view, int32_t number)
{
    const exp_panel *panel = view->data->panel;
    const bool regret = panel->metric == EXP_METRIC_REGRET;
    axes x = {.out = out,
              .view = view,
              .number = number,
              .x_low = regret ? FIRST_REGRET : FIRST_STEP,
              .x_high = (double)panel->horizon,
              .y_low = INFINITY,
              .y_high = -INFINITY,
              .x_log = true,
              .y_log = regret};
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const exp_track *track = &view->data->tracks[l];
        for (int32_t i = 0; shown(view, l) && i < track->count; i++)
            if ((double)track->marks[i].t >= x.x_low)
                include(&x, track->marks[i].mean);
    }
    pad(&x);
    ends e = {.count = 0};
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const exp_track *track = &view->data->tracks[l];
        if (!shown(view, l) || track->count == 0)
            continue;
        write_curve(&x, l);
        add_end(&e, &x, l, track->marks[track->count - 1].mean);
    }
    write_frame(&x, "step", value_title(panel->metric));
    write_labels(&x, &e);
    write_curve_plot(&x);
}

// ---- ratios ----

// the number that the paper prints for a learner of a panel, or NaN
static double printed_number(const exp_panel *panel, const char *label)
{
    const exp_claim *claim;
    for (int32_t i = 0; (claim = exp_claim_at(i)) != NULL; i++)
        for (int32_t c = 0; c < claim->check_count; c++) {
            const exp_check *check = &claim->checks[c];
            if (check->kind == EXP_NUMBER && strcmp(check->panels, panel->name) == 0 &&
                strcmp(check->a, label) == 0)
                return check->limit;
        }
    return NAN;
}

static void write_ratio_plot(const axes *x)
{
    const exp_panel *panel = x->view->data->panel;
    const char *sep = "plot ";
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const char *label = label_of(x->view, l);
        const char *colour = exp_style_of(label).colour;
        if (!shown(x->view, l))
            continue;
        fprintf(x->out,
                "%s$d%d_%d using 1:2:3 with yerrorbars pt 7 ps 0.9 lw 1.8 lc rgb '%s' notitle", sep,
                x->number, l, colour);
        sep = ", \\\n     ";
        fprintf(x->out,
                "%s$d%d_%d using 1:2:(sprintf('%%.3f', $2)) with labels offset 3.6,0 tc rgb '%s' "
                "font ',11' notitle",
                sep, x->number, l, colour);
        if (!isnan(printed_number(panel, label)))
            fprintf(x->out,
                    "%s$p%d_%d using ($1-0.12):2 with points pt 4 ps 1.1 lw 1.5 lc rgb '#000000' "
                    "notitle, $p%d_%d using ($1-0.12):2:(sprintf('paper %%.2f', $2)) with labels "
                    "right offset -1,0 font ',11' notitle",
                    sep, x->number, l, x->number, l);
    }
    fputs(sep[0] == 'p' ? "plot NaN notitle\n" : "\n", x->out);
}

static void write_ratios(FILE *out, const exp_view *view, int32_t number)
{
    const exp_panel *panel = view->data->panel;
    axes x = {.out = out,
              .view = view,
              .number = number,
              .x_low = -1.3,
              .x_high = panel->entry_count - 0.2,
              .y_low = 1.0,
              .y_high = 1.0};
    for (int32_t l = 0; l < panel->entry_count; l++) {
        if (shown(view, l))
            include(&x, view->data->tracks[l].mean);
        include(&x, printed_number(panel, label_of(view, l)));
    }
    pad(&x);
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const exp_track *track = &view->data->tracks[l];
        const double printed = printed_number(panel, label_of(view, l));
        if (!shown(view, l))
            continue;
        fprintf(out, "$d%d_%d << E\n%d %.8g %.8g\nE\n", number, l, l, track->mean,
                isnan(track->ci95) ? 0.0 : track->ci95);
        if (!isnan(printed))
            fprintf(out, "$p%d_%d << E\n%d %.8g\nE\n", number, l, l, printed);
    }
    write_frame(&x, "steps of lookahead", value_title(panel->metric));
    fputs("set xtics (", out);
    for (int32_t l = 0; l < panel->entry_count; l++)
        fprintf(out, "%s'%s' %d", l > 0 ? ", " : "", label_of(view, l), l);
    fputs(")\n", out);
    write_ratio_plot(&x);
}

// ---- ratio against the distance of Theorem 3.5 ----

static bool has_distances(const exp_view *view)
{
    for (int32_t l = 0; l < view->data->panel->entry_count; l++)
        for (int64_t i = 0; i < view->data->tracks[l].sample_count; i++)
            if (isfinite(view->data->tracks[l].samples[i].distance))
                return true;
    return false;
}

static void write_scatter(FILE *out, const exp_view *view, int32_t number)
{
    const exp_panel *panel = view->data->panel;
    axes x = {.out = out, .view = view, .number = number, .y_low = 1.0, .y_high = 1.0};
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const exp_track *track = &view->data->tracks[l];
        fprintf(out, "$d%d_%d << E\n", number, l);
        for (int64_t i = 0; i < track->sample_count; i++) {
            const exp_sample *sample = &track->samples[i];
            if (!isfinite(sample->distance) || !isfinite(sample->value))
                continue;
            fprintf(out, "%.6g %.6g\n", sample->distance, sample->value);
            x.x_high = fmax(x.x_high, sample->distance);
            include(&x, sample->value);
        }
        fputs("E\n", out);
    }
    x.x_high = x.x_high > 0.0 ? 1.03 * x.x_high : 1.0;
    pad(&x);
    ends e = {.count = 0};
    for (int32_t l = 0; l < panel->entry_count; l++)
        if (shown(view, l))
            add_end(&e, &x, l, view->data->tracks[l].mean);
    write_frame(&x, "L1 distance of transitions per step (theorem 3.5)",
                value_title(panel->metric));
    write_labels(&x, &e);
    const char *sep = "plot ";
    for (int32_t l = 0; l < panel->entry_count; l++) {
        fprintf(out, "%s$d%d_%d using 1:2 with points pt 7 ps 0.4 lc rgb '%s' notitle", sep, number,
                l, exp_style_of(label_of(view, l)).colour);
        sep = ", \\\n     ";
    }
    fputc('\n', out);
}

// ---- public ----

void exp_figure_script(FILE *script, const exp_figure *figure, exp_format format, const char *path)
{
    const int32_t columns = figure->view_count < COLUMNS ? figure->view_count : COLUMNS;
    const int32_t rows = (figure->view_count + columns - 1) / columns;
    const double cell = columns == 1 ? ALONE_WIDTH : CELL_WIDTH;
    const double width = cell * columns, height = CELL_HEIGHT * rows;
    if (format == EXP_SVG)
        fprintf(script,
                "set terminal svg noenhanced size %.0f,%.0f font '" FONT ",12' background "
                "'#ffffff'\n",
                width, height);
    else if (format == EXP_PDF)
        fprintf(script, "set terminal pdfcairo noenhanced size %.4fin,%.4fin font '" FONT ",12'\n",
                width / 72.0, height / 72.0);
    else
        fprintf(script,
                "set terminal pngcairo noenhanced size %.0f,%.0f font '" FONT ",12' fontscale 2 "
                "linewidth 2 pointscale 2 background '#ffffff'\n",
                2.0 * width, 2.0 * height);
    fputs("set output ", script);
    put_quoted(script, path);
    fputs("\nset border 3 lc rgb '#444444'\nset tics nomirror out scale 0.6\nset key off\n"
          "set grid ytics lc rgb '#e4e4e4' lt 1 lw 0.7\nset multiplot\n",
          script);
    for (int32_t v = 0; v < figure->view_count; v++) {
        const exp_view *view = &figure->views[v];
        const double x = cell * (v % columns), y = height - CELL_HEIGHT * (v / columns + 1);
        fprintf(script, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n",
                (x + LEFT) / width, (x + cell - RIGHT) / width);
        fprintf(script, "set bmargin at screen %.5f\nset tmargin at screen %.5f\n",
                (y + BOTTOM) / height, (y + CELL_HEIGHT - TOP) / height);
        if (view->data->panel->metric != EXP_METRIC_RATIO)
            write_curves(script, view, v);
        else if (strncmp(view->data->panel->name, "concentration", 13) == 0 && has_distances(view))
            write_scatter(script, view, v);
        else
            write_ratios(script, view, v);
    }
    fputs("unset multiplot\nunset output\nreset\n", script);
}
