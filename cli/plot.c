// SPDX-License-Identifier: MIT
// A plot of an experiment.
//
// Each line of the plot is drawn as dots on a fine grid, then the grid is printed cell by cell:
//
//   - With UTF-8 a cell is a braille character of 2 x 4 dots (U+2800 plus one bit per dot); in
//     plain ASCII it is one dot, shown as the letter of the line.
//   - A cell has the colour of the line drawn last in it.
//   - Lines are labelled where they end. Labels that would meet are moved apart.
//
// Cost: columns x rows x lines.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"
#include "core/elementary.h"
#include "core/text.h"

enum {
    ROWS = 18,
    LABEL = 24,       // columns right of the plot at most
    LINES = 64,       // drawn at most; later lines over earlier ones
    MAX_COLUMNS = 120 // of the screen, as far as it is used
};

// A plot on its way to the screen.
typedef struct picture {
    const exp_reduction *reduction;
    int n, line_count;        // points and lines
    const exp_entry *entries; // (line_count) whose labels are shown
    bool utf8, colour;
    int width;           // cells of the plot area
    int dots_x, dots_y;  // dots in a cell
    double y_min, y_max; // range of the values
    double tick[ROWS];   // the number of the y axis that stands in this row, or NaN
    int axis;            // columns they need, with the rule
    int label_of[ROWS];  // the line whose label stands in this row, or -1
    // dots that are set, and the line drawn last, plus 1
    uint8_t bits[ROWS][MAX_COLUMNS], owner[ROWS][MAX_COLUMNS];
} picture;

// a variable of the environment; "" if there is none
static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? value : "";
}

// The colour of a line from here on; -1: none.
static void set_colour(const picture *p, int line)
{
    static const int codes[] = {32, 36, 33, 35, 34, 31, 92, 96, 93, 95};
    if (p->colour)
        printf("\033[%dm", line < 0 ? 0 : codes[line % (int)(sizeof codes / sizeof codes[0])]);
}

// Point i on the axes: the natural logarithm of the step, and the value of a line there.
static double x_at(const picture *p, int i)
{
    return lgkt_log((double)p->reduction->setup->checkpoints[i]);
}

static double y_at(const picture *p, int line, int i)
{
    return exp_curve_point(p->reduction, 0, line, i).mean;
}

// the row of dots of a value, 0 at the top
static int dot_row(const picture *p, double y)
{
    return (int)lround((p->y_max - y) / (p->y_max - p->y_min) * (ROWS * p->dots_y - 1));
}

// The range of the values, the numbers on the y axis, and the room that is left for the plot.
static void set_scales(picture *p, int columns)
{
    p->y_min = INFINITY;
    p->y_max = -INFINITY;
    for (int i = 0; i < p->line_count * p->n; i++) {
        p->y_min = fmin(p->y_min, y_at(p, i / p->n, i % p->n));
        p->y_max = fmax(p->y_max, y_at(p, i / p->n, i % p->n));
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
    const double tick = power * (quarter >= 5.0 * power ? 5.0 : quarter >= 2.0 * power ? 2.0 : 1.0);

    // the widest number of the y axis, a blank and the rule
    p->axis = 4;
    for (int r = 0; r < ROWS; r++)
        p->tick[r] = NAN;
    for (double i = ceil(p->y_min / tick); i * tick <= p->y_max; i++) {
        const double value = i * tick + 0.0; // no -0
        const int length = snprintf(NULL, 0, "%g", value), row = dot_row(p, value) / p->dots_y;
        p->axis = length > p->axis ? length : p->axis;
        p->tick[row] = isnan(p->tick[row]) ? value : p->tick[row];
    }
    p->axis += 2;
    int label = 0;
    for (int l = 0; l < p->line_count; l++) {
        const int length = (int)strlen(p->entries[l].label) + 9;
        label = length > label ? length : label;
    }
    p->width = columns - p->axis - (label < LABEL ? label : LABEL);
}

static void draw_line(picture *p, int line)
{
    // bit numbers of the dots of a braille character, [row][column]
    static const uint8_t bit[4][2] = {{0, 3}, {1, 4}, {2, 5}, {6, 7}};
    const int columns = p->width * p->dots_x, n = p->n;
    int i = 0, before = -1;
    for (int c = 0; c < columns; c++) {
        // the value between the points around it
        const double at = x_at(p, 0) + (x_at(p, n - 1) - x_at(p, 0)) * c / (columns - 1);
        while (i + 2 < n && x_at(p, i + 1) < at)
            i++;
        double y = y_at(p, line, i);
        if (n > 1) {
            const double part = (at - x_at(p, i)) / (x_at(p, i + 1) - x_at(p, i));
            y += fmin(fmax(part, 0.0), 1.0) * (y_at(p, line, i + 1) - y);
        }
        const int row = dot_row(p, y);
        // upwards or downwards from the column before, so that steep parts have no gaps
        const int step = before < 0 || before == row ? 0 : before < row ? 1 : -1;
        for (int r = step == 0 ? row : before + step;; r += step) {
            const int y_cell = r / p->dots_y, x_cell = c / p->dots_x;
            p->bits[y_cell][x_cell] |= (uint8_t)(1u << bit[r % p->dots_y][c % p->dots_x]);
            p->owner[y_cell][x_cell] = (uint8_t)(line + 1);
            if (r == row)
                break;
        }
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
        for (; at > 0 && y_at(p, order[at - 1], p->n - 1) < y_at(p, i, p->n - 1); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    // down from the top, then up from the bottom
    for (int i = 0; i < count; i++) {
        const int wish = dot_row(p, y_at(p, order[i], p->n - 1)) / p->dots_y;
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
    if (isnan(p->tick[row]))
        printf("%*s %s", p->axis - 2, "", p->utf8 ? "│" : "|");
    else
        printf("%*g %s", p->axis - 2, p->tick[row], p->utf8 ? "┤" : "+");
    const int label = p->label_of[row];
    const uint8_t *owner = p->owner[row], *bits = p->bits[row];
    int last = p->width - 1;
    while (label < 0 && last >= 0 && owner[last] == 0)
        last--;
    for (int c = 0; c <= last; c++) {
        if (owner[c] == 0) {
            putchar(' ');
            continue;
        }
        set_colour(p, owner[c] - 1);
        // U+2800 plus the bits, as UTF-8
        if (p->utf8)
            printf("\xE2%c%c", 0xA0 | bits[c] >> 6, 0x80 | (bits[c] & 0x3F));
        else
            putchar('a' + (owner[c] - 1) % 26);
        set_colour(p, -1);
    }
    if (label >= 0) {
        const char *text = p->entries[label].label;
        set_colour(p, label);
        if (!p->utf8)
            printf(" %c", 'a' + label % 26);
        printf(" %.*s %.3g", (int)lgkt_text_fit(text, LABEL - 9), text, y_at(p, label, p->n - 1));
        set_colour(p, -1);
    }
    putchar('\n');
}

// A rule with a mark at each power of ten, and the powers below.
static void print_x_axis(const picture *p)
{
    const int64_t *steps = p->reduction->setup->checkpoints;
    const double range = p->n > 1 ? x_at(p, p->n - 1) - x_at(p, 0) : 1.0;
    char marks[256] = {0}, text[256];
    memset(text, ' ', sizeof text);
    for (double x = 1.0; x <= (double)steps[p->n - 1] * (1.0 + 1e-12); x *= 10.0) {
        if (x < (double)steps[0])
            continue;
        const int column = (int)lround((lgkt_log(x) - x_at(p, 0)) / range * (p->width - 1));
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

void cli_results_plot(const exp_reduction *reduction)
{
    const exp_panel *panel = reduction->setup->panel;
    const char *locale = setting("LC_ALL");
    locale = locale[0] != '\0' ? locale : setting("LC_CTYPE");
    locale = locale[0] != '\0' ? locale : setting("LANG");
    const bool terminal = isatty(STDOUT_FILENO) == 1;
    const bool utf8 = strstr(locale, "UTF-8") || strstr(locale, "utf-8") || strstr(locale, "utf8");
    picture p = {
        .reduction = reduction,
        .n = reduction->setup->checkpoint_count,
        .line_count = panel->entry_count < LINES ? panel->entry_count : LINES,
        .entries = panel->entries,
        .utf8 = utf8,
        .colour =
            terminal && setting("NO_COLOR")[0] == '\0' && strcmp(setting("TERM"), "dumb") != 0,
        .dots_x = utf8 ? 2 : 1,
        .dots_y = utf8 ? 4 : 1,
    };
    struct winsize size;
    int columns = 80;
    if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        columns = size.ws_col < 60 ? 60 : size.ws_col > MAX_COLUMNS ? MAX_COLUMNS : size.ws_col;
    set_scales(&p, columns);
    place_labels(&p);
    for (int l = 0; l < p.line_count; l++)
        draw_line(&p, l);
    printf("%*sexpected reward per step so far (mean, N = %" PRId64 ")\n", p.axis, "",
           reduction->setup->instances);
    for (int r = 0; r < ROWS; r++)
        print_row(&p, r);
    print_x_axis(&p);
    putchar('\n');
}
