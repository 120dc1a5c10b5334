// SPDX-License-Identifier: MIT
// Tables and a plot of an experiment.
//
// Each line of the plot is drawn as dots on a fine grid, then the grid is printed cell by cell:
//
//   - With UTF-8 a cell is a braille character of 2 x 4 dots (U+2800 plus one bit per dot); in
//     plain ASCII it is one dot, shown as the letter of the line.
//   - A cell has the colour of the line drawn last in it.
//   - Lines are labelled where they end. Labels that would meet are moved apart.
//
// Cost: columns x rows x lines.
#include "results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/elementary.h"
#include "core/text.h"

// ---- tables ----

int cli_results_table(const char *command, const exp_reduction *reduction)
{
    const exp_panel *panel = reduction->setup->panel;
    const double optimum = reduction->optimum.mean, random = reduction->random.mean;
    double largest = 0.0;
    for (int32_t l = 0; l < panel->entry_count; l++)
        largest = fmax(largest, fabs(exp_summarize(reduction, l).reward.mean));
    // four decimals, unless rewards are far from 1
    const char *format = largest >= 0.01 && largest < 1e6 ? "%.4f" : "%.5g";
    cli_table *table = cli_table_create(
        "lrrrrrrr", "learner|mean reward|+- 95%|median|worst tenth|score|share|steps/s");
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const exp_summary summary = exp_summarize(reduction, l);
        const double speed = summary.steps_per_second;
        cli_table_cell(table, "%s", panel->entries[l].label);
        cli_table_real(table, format, summary.reward.mean);
        cli_table_real(table, format, summary.reward.ci95);
        cli_table_real(table, format, summary.spread.median);
        cli_table_real(table, format, summary.spread.worst);
        cli_table_real(table, "%.1f", summary.score);
        cli_table_real(table, "%.1f%%", 100.0 * summary.share);
        cli_table_real(table, speed >= 1e5 ? "%.1f M" : "%.0f",
                       speed >= 1e5 ? 1e-6 * speed : speed);
    }
    int code = cli_table_print(command, table);
    if (isnan(optimum)) {
        printf("optimum: not known, there is no model\n");
    } else {
        char text[2][32];
        snprintf(text[0], sizeof text[0], format, optimum);
        snprintf(text[1], sizeof text[1], format, random);
        printf("optimum: %s per step with full knowledge, exact (score 100)\n"
               "uniform: %s per step with random actions, exact (score 0)\n",
               text[0], text[1]);
    }
    if (code != CLI_OK || reduction->setup->regret_k == 0)
        return code;

    putchar('\n');
    table = cli_table_create("lrrrr", "learner|threshold regret|+- 95%|optimum regret|+- 95%");
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const exp_summary summary = exp_summarize(reduction, l);
        cli_table_cell(table, "%s", panel->entries[l].label);
        cli_table_real(table, "%.1f", summary.threshold_regret.mean);
        cli_table_real(table, "%.1f", summary.threshold_regret.ci95);
        cli_table_real(table, "%.1f", summary.optimum_regret.mean);
        cli_table_real(table, "%.1f", summary.optimum_regret.ci95);
    }
    return cli_table_print(command, table);
}

int cli_results_counters(const char *command, const exp_reduction *reduction)
{
    const exp_panel *panel = reduction->setup->panel;
    cli_table *table = cli_table_create("llr", "learner|counter|per run");
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const exp_entry_facts *facts = &reduction->facts.entries[l];
        for (int32_t i = 0; i < facts->count; i++) {
            cli_table_cell(table, "%s", panel->entries[l].label);
            cli_table_cell(table, "%s", facts->names[i]);
            cli_table_cell(table, "%.1f",
                           (double)facts->totals[i] / (double)reduction->setup->instances);
        }
    }
    return cli_table_print(command, table);
}

// ---- the plot ----

enum {
    ROWS = 18,
    LABEL = 24, // columns right of the plot at most
    LINES = 64  // drawn at most; later lines over earlier ones
};

// A plot on its way to the screen.
typedef struct picture {
    int n, line_count;
    double *x;                // (n) natural logarithms of the steps
    double *y;                // (line_count, n)
    const exp_entry *entries; // (line_count) whose labels are shown
    int columns;              // of the screen
    bool utf8, colour;
    int width;           // cells of the plot area
    int dots_x, dots_y;  // dots in a cell
    double y_min, y_max; // range of the values
    uint8_t *bits;       // (ROWS, width) dots that are set
    uint8_t *owner;      // (ROWS, width) line drawn last, plus 1
    double tick;         // distance of the numbers on the y axis
    int axis;            // columns they need, with the rule
    int label_of[ROWS];  // the line whose label stands in this row, or -1
} picture;

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static void colour_on(const picture *p, int line)
{
    static const int codes[] = {32, 36, 33, 35, 34, 31, 92, 96, 93, 95};
    if (p->colour)
        printf("\033[%dm", codes[line % (int)(sizeof codes / sizeof codes[0])]);
}

static void colour_off(const picture *p)
{
    if (p->colour)
        fputs("\033[0m", stdout);
}

static char letter(int line)
{
    return (char)('a' + line % 26);
}

static double last_value(const picture *p, int line)
{
    return p->y[line * p->n + p->n - 1];
}

// the row of dots of a value, 0 at the top
static int dot_row(const picture *p, double y)
{
    return (int)lround((p->y_max - y) / (p->y_max - p->y_min) * (ROWS * p->dots_y - 1));
}

// The range of the values, the numbers on the y axis, and the room that is left for the plot.
static void set_scales(picture *p)
{
    p->y_min = INFINITY;
    p->y_max = -INFINITY;
    for (int i = 0; i < p->line_count * p->n; i++) {
        p->y_min = fmin(p->y_min, p->y[i]);
        p->y_max = fmax(p->y_max, p->y[i]);
    }
    if (!(p->y_max - p->y_min > 1e-9 * fabs(p->y_max))) {
        const double room = p->y_max != 0.0 ? 0.5 * fabs(p->y_max) : 1.0;
        p->y_min -= room;
        p->y_max += room;
    }
    // the largest of 1, 2, 5 times a power of ten that puts at least four ticks on the axis; the
    // quotient of two logarithms may fall short
    const double quarter = (p->y_max - p->y_min) / 4.0;
    double power = lgkt_pow(10.0, floor(lgkt_log(quarter) / lgkt_log(10.0)));
    if (quarter >= 10.0 * power)
        power *= 10.0;
    p->tick = power * (quarter >= 5.0 * power ? 5.0 : quarter >= 2.0 * power ? 2.0 : 1.0);

    // the widest number of the y axis, a blank and the rule
    p->axis = 4;
    for (double i = ceil(p->y_min / p->tick); i * p->tick <= p->y_max; i++) {
        const int length = snprintf(NULL, 0, "%g", i * p->tick + 0.0);
        p->axis = length > p->axis ? length : p->axis;
    }
    p->axis += 2;
    int label = 0;
    for (int l = 0; l < p->line_count; l++) {
        const int length = (int)strlen(p->entries[l].label) + 9;
        label = length > label ? length : label;
    }
    p->width = p->columns - p->axis - (label < LABEL ? label : LABEL);
}

static void set_dot(picture *p, int column, int row, int line)
{
    // bit numbers of the dots of a braille character, [row][column]
    static const uint8_t bit[4][2] = {{0, 3}, {1, 4}, {2, 5}, {6, 7}};
    const int cell = row / p->dots_y * p->width + column / p->dots_x;
    p->bits[cell] |= (uint8_t)(1u << bit[row % p->dots_y][column % p->dots_x]);
    p->owner[cell] = (uint8_t)(line + 1);
}

static void draw_line(picture *p, int line)
{
    const double *x = p->x, *y = p->y + line * p->n;
    const int columns = p->width * p->dots_x;
    int i = 0, before = -1;
    for (int c = 0; c < columns; c++) {
        // the value between the points around it
        const double at = x[0] + (x[p->n - 1] - x[0]) * c / (columns - 1);
        while (i + 2 < p->n && x[i + 1] < at)
            i++;
        const double part = p->n > 1 ? fmin(fmax((at - x[i]) / (x[i + 1] - x[i]), 0.0), 1.0) : 0.0;
        const int row = dot_row(p, p->n > 1 ? y[i] + part * (y[i + 1] - y[i]) : y[0]);
        // upwards or downwards from the column before, so that steep parts have no gaps
        const int step = before < 0 || before == row ? 0 : before < row ? 1 : -1;
        for (int r = step == 0 ? row : before + step; r != row; r += step)
            set_dot(p, c, r, line);
        set_dot(p, c, row, line);
        before = row;
    }
}

// Puts each label in the row where its line ends, or the nearest that keeps the labels in order.
static void place_labels(picture *p)
{
    const int count = p->line_count < ROWS ? p->line_count : ROWS;
    int order[LINES], rows[ROWS];
    for (int i = 0; i < p->line_count; i++) {
        int at = i;
        for (; at > 0 && last_value(p, order[at - 1]) < last_value(p, i); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    // down from the top, then up from the bottom
    for (int i = 0; i < count; i++) {
        const int wish = dot_row(p, last_value(p, order[i])) / p->dots_y;
        rows[i] = i > 0 && rows[i - 1] >= wish ? rows[i - 1] + 1 : wish;
    }
    for (int i = count - 1, lowest = ROWS - 1; i >= 0; i--, lowest = rows[i + 1] - 1)
        rows[i] = rows[i] < lowest ? rows[i] : lowest;
    for (int r = 0; r < ROWS; r++)
        p->label_of[r] = -1;
    for (int i = 0; i < count; i++)
        p->label_of[rows[i]] = order[i];
}

static void print_row(const picture *p, int row)
{
    // the number of the y axis that belongs to it, if there is one
    double value = NAN;
    for (double i = ceil(p->y_min / p->tick); i * p->tick <= p->y_max && isnan(value); i++)
        if (dot_row(p, i * p->tick + 0.0) / p->dots_y == row)
            value = i * p->tick + 0.0; // no -0
    if (isnan(value))
        printf("%*s %s", p->axis - 2, "", p->utf8 ? "│" : "|");
    else
        printf("%*g %s", p->axis - 2, value, p->utf8 ? "┤" : "+");
    const int label = p->label_of[row];
    const uint8_t *owner = p->owner + row * p->width, *bits = p->bits + row * p->width;
    int last = p->width - 1;
    while (label < 0 && last >= 0 && owner[last] == 0)
        last--;
    for (int c = 0; c <= last; c++) {
        if (owner[c] == 0) {
            putchar(' ');
            continue;
        }
        colour_on(p, owner[c] - 1);
        // U+2800 plus the bits, as UTF-8
        if (p->utf8)
            printf("\xE2%c%c", 0xA0 | bits[c] >> 6, 0x80 | (bits[c] & 0x3F));
        else
            putchar(letter(owner[c] - 1));
        colour_off(p);
    }
    if (label >= 0) {
        const char *text = p->entries[label].label;
        colour_on(p, label);
        if (!p->utf8)
            printf(" %c", letter(label));
        printf(" %.*s %.3g", (int)lgkt_text_fit(text, LABEL - 9), text, last_value(p, label));
        colour_off(p);
    }
    putchar('\n');
}

// A rule with a mark at each power of ten, and the powers below.
static void print_x_axis(const picture *p, int64_t first, int64_t last)
{
    const double range = p->n > 1 ? p->x[p->n - 1] - p->x[0] : 1.0;
    char marks[256] = {0}, text[256];
    memset(text, ' ', sizeof text);
    for (double x = 1.0; x <= (double)last * (1.0 + 1e-12); x *= 10.0) {
        if (x < (double)first)
            continue;
        const int column = (int)lround((lgkt_log(x) - p->x[0]) / range * (p->width - 1));
        marks[column] = 1;
        const int length = snprintf(text + column, sizeof text - (size_t)column, "%g", x);
        text[column + length] = ' ';
    }
    printf("%*s%s", p->axis - 1, "", p->utf8 ? "└" : "+");
    for (int c = 0; c < p->width; c++)
        fputs(p->utf8 ? marks[c] ? "┬" : "─" : marks[c] ? "+" : "-", stdout);
    // the last number may begin at the very end of the rule
    int length = p->width + p->axis;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    printf("\n%*s%.*s  step\n", p->axis, "", length, text);
}

int cli_results_plot(const char *command, const exp_reduction *reduction)
{
    const exp_setup *setup = reduction->setup;
    const exp_panel *panel = setup->panel;
    const char *locale = setting("LC_ALL");
    locale = locale != NULL ? locale : setting("LC_CTYPE");
    locale = locale != NULL ? locale : setting("LANG");
    const char *term = setting("TERM");
    const bool terminal = isatty(STDOUT_FILENO) == 1;
    const int n = setup->checkpoint_count;
    picture p = {
        .n = n,
        .line_count = panel->entry_count < LINES ? panel->entry_count : LINES,
        .entries = panel->entries,
        .columns = 80,
        .utf8 = locale != NULL &&
                (strstr(locale, "UTF-8") || strstr(locale, "utf-8") || strstr(locale, "utf8")),
        .colour =
            terminal && setting("NO_COLOR") == NULL && (term == NULL || strcmp(term, "dumb") != 0),
    };
    p.dots_x = p.utf8 ? 2 : 1;
    p.dots_y = p.utf8 ? 4 : 1;
    struct winsize size;
    if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        p.columns = size.ws_col < 60 ? 60 : size.ws_col > 120 ? 120 : size.ws_col;

    p.x = calloc((size_t)n, sizeof *p.x);
    p.y = calloc((size_t)n * (size_t)p.line_count, sizeof *p.y);
    bool ok = p.x != NULL && p.y != NULL;
    for (int c = 0; ok && c < n; c++) {
        p.x[c] = lgkt_log((double)setup->checkpoints[c]);
        for (int l = 0; l < p.line_count; l++)
            p.y[l * n + c] = exp_curve_point(reduction, 0, l, c).mean;
    }
    if (ok) {
        set_scales(&p);
        p.bits = calloc((size_t)(ROWS * p.width), 1);
        p.owner = calloc((size_t)(ROWS * p.width), 1);
        ok = p.bits != NULL && p.owner != NULL;
    }
    if (ok) {
        place_labels(&p);
        for (int l = 0; l < p.line_count; l++)
            draw_line(&p, l);
        printf("%*sexpected reward per step so far (mean, N = %" PRId64 ")\n", p.axis, "",
               reduction->setup->instances);
        for (int r = 0; r < ROWS; r++)
            print_row(&p, r);
        print_x_axis(&p, setup->checkpoints[0], setup->checkpoints[n - 1]);
        putchar('\n');
    }
    free(p.x);
    free(p.y);
    free(p.bits);
    free(p.owner);
    return ok ? CLI_OK : cli_fail(command, CLI_FAILED, "out of memory");
}
