// SPDX-License-Identifier: MIT
// Line plots: each line is drawn as dots on a fine grid, then the grid is printed cell by cell.
//
//   - With UTF-8 a cell is a braille character of 2 x 4 dots (U+2800 plus one bit per dot); in
//   plain
//     ASCII it is one dot, shown as the letter of the line.
//   - A cell has the colour of the line drawn last in it.
//   - Lines are labelled where they end. Labels that would meet are moved apart.
//
// Cost: columns x rows x lines.
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/elementary.h"

#define ROWS  18
#define LABEL 24 // columns right of the plot at most

// A plot on its way to the screen.
typedef struct picture {
    const cli_plot *plot;
    cli_canvas canvas;
    FILE *out;
    int width;           // cells of the plot area
    int dots_x, dots_y;  // dots in a cell
    double x_min, x_max; // natural logarithms
    double y_min, y_max; //
    uint8_t *bits;       // (ROWS, width) dots that are set
    uint8_t *owner;      // (ROWS, width) line drawn last, plus 1
    double tick;         // distance of the numbers on the y axis
    int axis;            // columns they need, with the rule
    int label_of[ROWS];  // the line whose label stands in this row, or -1
} picture;

// ---- the canvas ----

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

cli_canvas cli_canvas_of(FILE *out)
{
    const char *locale = setting("LC_ALL");
    locale = locale != NULL ? locale : setting("LC_CTYPE");
    locale = locale != NULL ? locale : setting("LANG");
    const char *term = setting("TERM");
    const bool terminal = isatty(fileno(out)) == 1;
    cli_canvas canvas = {
        .columns = 80,
        .utf8 = locale != NULL &&
                (strstr(locale, "UTF-8") || strstr(locale, "utf-8") || strstr(locale, "utf8")),
        .colour =
            terminal && setting("NO_COLOR") == NULL && (term == NULL || strcmp(term, "dumb") != 0),
    };
    struct winsize size;
    if (terminal && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        canvas.columns = size.ws_col < 60 ? 60 : size.ws_col > 120 ? 120 : size.ws_col;
    return canvas;
}

// ---- colours ----

static void colour_on(const picture *p, int line)
{
    static const int codes[] = {32, 36, 33, 35, 34, 31, 92, 96, 93, 95};
    if (p->canvas.colour)
        fprintf(p->out, "\033[%dm", codes[line % (int)(sizeof codes / sizeof codes[0])]);
}

static void colour_off(const picture *p)
{
    if (p->canvas.colour)
        fputs("\033[0m", p->out);
}

static char letter(int line)
{
    return (char)('a' + line % 26);
}

// ---- scales ----

// the largest of 1, 2, 5 times a power of ten that puts at least four ticks on the axis
static double nice_step(double range)
{
    double power = lgkt_pow(10.0, floor(lgkt_log(range / 4.0) / lgkt_log(10.0)));
    if (range / 4.0 >= 10.0 * power) // the quotient of two logarithms may fall short
        power *= 10.0;
    const double rest = range / 4.0 / power;
    return power * (rest >= 5.0 ? 5.0 : rest >= 2.0 ? 2.0 : 1.0);
}

static void find_ranges(picture *p)
{
    const cli_plot *plot = p->plot;
    p->x_min = lgkt_log(plot->x[0]);
    p->x_max = lgkt_log(plot->x[plot->n - 1]);
    if (!(p->x_max > p->x_min))
        p->x_max = p->x_min + 1.0;
    p->y_min = INFINITY;
    p->y_max = -INFINITY;
    for (int l = 0; l < plot->line_count; l++) {
        for (int i = 0; i < plot->n; i++) {
            p->y_min = fmin(p->y_min, plot->lines[l].y[i]);
            p->y_max = fmax(p->y_max, plot->lines[l].y[i]);
        }
    }
    if (!(p->y_max - p->y_min > 1e-9 * fabs(p->y_max))) {
        const double room = p->y_max != 0.0 ? 0.5 * fabs(p->y_max) : 1.0;
        p->y_min -= room;
        p->y_max += room;
    }
    p->tick = nice_step(p->y_max - p->y_min);
}

// the row of dots of a value, 0 at the top
static int dot_row(const picture *p, double y)
{
    return (int)lround((p->y_max - y) / (p->y_max - p->y_min) * (ROWS * p->dots_y - 1));
}

static int cell_row(const picture *p, double y)
{
    return dot_row(p, y) / p->dots_y;
}

static int cell_column(const picture *p, double x)
{
    return (int)lround((lgkt_log(x) - p->x_min) / (p->x_max - p->x_min) * (p->width - 1));
}

// the widest number of the y axis, a blank and the rule
static int axis_width(const picture *p)
{
    int width = 4;
    for (double i = ceil(p->y_min / p->tick); i * p->tick <= p->y_max; i++) {
        const int length = snprintf(NULL, 0, "%g", i * p->tick + 0.0);
        width = length > width ? length : width;
    }
    return width + 2;
}

// ---- lines ----

static void set_dot(picture *p, int column, int row, int line)
{
    // bit numbers of the dots of a braille character, [row][column]
    static const uint8_t bit[4][2] = {{0, 3}, {1, 4}, {2, 5}, {6, 7}};
    const int cell = row / p->dots_y * p->width + column / p->dots_x;
    p->bits[cell] |= (uint8_t)(1u << bit[row % p->dots_y][column % p->dots_x]);
    p->owner[cell] = (uint8_t)(line + 1);
}

// the value at a logarithm of x, between the points around it; *i walks along
static double value_at(const cli_plot *plot, const double *y, double log_x, int *i)
{
    while (*i + 2 < plot->n && lgkt_log(plot->x[*i + 1]) < log_x)
        ++*i;
    if (plot->n == 1)
        return y[0];
    const double a = lgkt_log(plot->x[*i]), b = lgkt_log(plot->x[*i + 1]);
    const double part = fmin(fmax((log_x - a) / (b - a), 0.0), 1.0);
    return y[*i] + part * (y[*i + 1] - y[*i]);
}

static void draw_line(picture *p, int line)
{
    const int columns = p->width * p->dots_x;
    int i = 0, before = -1;
    for (int c = 0; c < columns; c++) {
        const double log_x = p->x_min + (p->x_max - p->x_min) * c / (columns - 1);
        const int row = dot_row(p, value_at(p->plot, p->plot->lines[line].y, log_x, &i));
        // upwards or downwards from the column before, so that steep parts have no gaps
        const int step = before < 0 || before == row ? 0 : before < row ? 1 : -1;
        for (int r = step == 0 ? row : before + step; r != row; r += step)
            set_dot(p, c, r, line);
        set_dot(p, c, row, line);
        before = row;
    }
}

// ---- labels ----

static double last_value(const cli_plot *plot, int line)
{
    return plot->lines[line].y[plot->n - 1];
}

// puts each label in the row where its line ends, or the nearest that keeps the labels in order
static void place_labels(picture *p)
{
    const cli_plot *plot = p->plot;
    const int count = plot->line_count < ROWS ? plot->line_count : ROWS;
    int order[CLI_PLOT_LINES], rows[ROWS];
    for (int i = 0; i < plot->line_count; i++) {
        int at = i;
        for (; at > 0 && last_value(plot, order[at - 1]) < last_value(plot, i); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    // down from the top, then up from the bottom
    for (int i = 0; i < count; i++) {
        const int wish = cell_row(p, last_value(plot, order[i]));
        rows[i] = i > 0 && rows[i - 1] >= wish ? rows[i - 1] + 1 : wish;
    }
    for (int i = count - 1, lowest = ROWS - 1; i >= 0; i--, lowest = rows[i + 1] - 1)
        rows[i] = rows[i] < lowest ? rows[i] : lowest;
    for (int r = 0; r < ROWS; r++)
        p->label_of[r] = -1;
    for (int i = 0; i < count; i++)
        p->label_of[rows[i]] = order[i];
}

static void print_label(const picture *p, int line)
{
    if (line < 0)
        return;
    colour_on(p, line);
    if (!p->canvas.utf8)
        fprintf(p->out, " %c", letter(line));
    fprintf(p->out, " %.*s %.3g", LABEL - 9, p->plot->lines[line].label, last_value(p->plot, line));
    colour_off(p);
}

static int label_width(const cli_plot *plot)
{
    int width = 0;
    for (int l = 0; l < plot->line_count; l++) {
        const int length = (int)strlen(plot->lines[l].label) + 9;
        width = length > width ? length : width;
    }
    return width < LABEL ? width : LABEL;
}

// ---- printing ----

static void print_cell(const picture *p, int cell)
{
    if (p->owner[cell] == 0) {
        fputc(' ', p->out);
        return;
    }
    const int line = p->owner[cell] - 1;
    colour_on(p, line);
    // U+2800 plus the bits, as UTF-8
    if (p->canvas.utf8)
        fprintf(p->out, "\xE2%c%c", 0xA0 | p->bits[cell] >> 6, 0x80 | (p->bits[cell] & 0x3F));
    else
        fputc(letter(line), p->out);
    colour_off(p);
}

// the number of the y axis that belongs to a row, if there is one
static bool tick_of(const picture *p, int row, double *value)
{
    for (double i = ceil(p->y_min / p->tick); i * p->tick <= p->y_max; i++) {
        *value = i * p->tick + 0.0; // no -0
        if (cell_row(p, *value) == row)
            return true;
    }
    return false;
}

static void print_row(const picture *p, int row)
{
    double value;
    if (tick_of(p, row, &value))
        fprintf(p->out, "%*g %s", p->axis - 2, value, p->canvas.utf8 ? "┤" : "+");
    else
        fprintf(p->out, "%*s %s", p->axis - 2, "", p->canvas.utf8 ? "│" : "|");
    int last = p->width - 1;
    while (p->label_of[row] < 0 && last >= 0 && p->owner[row * p->width + last] == 0)
        last--;
    for (int c = 0; c <= last; c++)
        print_cell(p, row * p->width + c);
    print_label(p, p->label_of[row]);
    fputc('\n', p->out);
}

// the x axis: a rule with a mark at each power of ten, and the powers below
static void print_x_axis(const picture *p)
{
    const cli_plot *plot = p->plot;
    char marks[256] = {0}, text[256];
    memset(text, ' ', sizeof text);
    for (double x = 1.0; x <= plot->x[plot->n - 1] * (1.0 + 1e-12); x *= 10.0) {
        if (x < plot->x[0])
            continue;
        const int column = cell_column(p, x);
        marks[column] = 1;
        const int length = snprintf(text + column, sizeof text - (size_t)column, "%g", x);
        text[column + length] = ' ';
    }
    fprintf(p->out, "%*s%s", p->axis - 1, "", p->canvas.utf8 ? "└" : "+");
    for (int c = 0; c < p->width; c++)
        fputs(p->canvas.utf8 ? marks[c] ? "┬" : "─" : marks[c] ? "+" : "-", p->out);
    // the last number may begin at the very end of the rule
    int length = p->width + p->axis;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    fprintf(p->out, "\n%*s%.*s  %s\n", p->axis, "", length, text, plot->x_label);
}

bool cli_plot_print(const cli_plot *plot, cli_canvas canvas, FILE *out)
{
    picture p = {
        .plot = plot,
        .canvas = canvas,
        .out = out,
        .dots_x = canvas.utf8 ? 2 : 1,
        .dots_y = canvas.utf8 ? 4 : 1,
    };
    find_ranges(&p);
    p.axis = axis_width(&p);
    p.width = canvas.columns - p.axis - label_width(plot);
    const size_t cells = (size_t)(ROWS * p.width);
    p.bits = calloc(cells, 1);
    p.owner = calloc(cells, 1);
    const bool ok = p.bits != NULL && p.owner != NULL;
    if (ok) {
        place_labels(&p);
        for (int l = 0; l < plot->line_count; l++)
            draw_line(&p, l);
        fprintf(out, "%*s%s\n", p.axis, "", plot->title);
        for (int r = 0; r < ROWS; r++)
            print_row(&p, r);
        print_x_axis(&p);
    }
    free(p.bits);
    free(p.owner);
    return ok;
}
