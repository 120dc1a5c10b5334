// SPDX-License-Identifier: MIT
// lgkt plot: the figures of results.
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "experiments/figure.h"
#include "io/io_folder.h"
#include "io/io_text.h"

typedef struct settings {
    cli_texts folders;
    const char *out, *formats;
} settings;

#define AT(field) offsetof(settings, field)

static const cli_option options[] = {
    {"out", 'o', CLI_TEXT, "DIR", NULL, 0, 0, NULL, AT(out),
     "where the files go (default: each into the folder of its results)"},
    {"format", 'f', CLI_TEXT, "LIST", "pdf,svg,png", 0, 0, NULL, AT(formats),
     "kinds of files, split by commas"},
};

static const cli_command command = {
    .name = "plot",
    .usage = "DIR [DIR ...] [options]",
    .about =
        "Draws the results of `lgkt reproduce` as PDF, SVG and PNG: one figure for each\n"
        "experiment, and figure-1, figure-2 and figure-3 of the paper where all their experiments\n"
        "are there. A DIR is the folder of one experiment, or one that holds several. Needs\n"
        "gnuplot.\n",
    .examples = "lgkt plot results\n"
                "lgkt plot results/synthetic-10 --format pdf --out .\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .max_words = CLI_MAX_TEXTS,
    .words_offset = AT(folders),
};

// ---- formats ----

static int unknown_format(const char *text, size_t length)
{
    return cli_fail("plot", CLI_USAGE, "--format: \"%.*s\" is none of pdf, svg, png",
                    (int)(length < 40 ? length : 40), text);
}

// the formats in a list; CLI_OK or an exit code after the line of a failure
static int read_formats(const char *list, exp_format formats[EXP_FORMATS], int32_t *count)
{
    bool wanted[EXP_FORMATS] = {false};
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        int f = 0;
        while (f < EXP_FORMATS && (strlen(exp_format_name(f)) != length ||
                                   strncmp(exp_format_name(f), at, length) != 0))
            f++;
        if (f == EXP_FORMATS)
            return unknown_format(at, length);
        wanted[f] = true;
        at += length;
        if (*at == '\0')
            break;
    }
    *count = 0;
    for (int f = 0; f < EXP_FORMATS; f++)
        if (wanted[f])
            formats[(*count)++] = (exp_format)f;
    return CLI_OK;
}

// ---- files ----

// what is to be drawn; the paths belong to it
typedef struct plan {
    exp_figure figures[EXP_MAX_FIGURES];
    exp_drawing drawings[EXP_MAX_FIGURES * EXP_FORMATS];
    int32_t count;
} plan;

static bool add_file(plan *p, const exp_figure *figure, exp_format format, const char *out)
{
    char name[80];
    snprintf(name, sizeof name, "%s.%s", figure->name, exp_format_name(format));
    char *path = io_folder_file(out != NULL ? out : figure->folder, name);
    p->drawings[p->count++] = (exp_drawing){figure, format, path};
    return path != NULL;
}

static bool add_files(plan *p, const exp_results *results, const settings *s,
                      const exp_format *formats, int32_t format_count)
{
    const int32_t figures = exp_figures_of(results, p->figures);
    for (int32_t i = 0; i < figures; i++)
        for (int32_t f = 0; f < format_count; f++)
            if (!add_file(p, &p->figures[i], formats[f], s->out))
                return false;
    return true;
}

static int draw(plan *p)
{
    lgkt_error error = {0};
    if (exp_figures_draw(p->drawings, p->count, &error) != LGKT_OK)
        return cli_fail_error("plot", &error);
    for (int32_t i = 0; i < p->count; i++)
        puts(p->drawings[i].path);
    return CLI_OK;
}

static int plot(const exp_results *results, const settings *s, const exp_format *formats,
                int32_t format_count)
{
    lgkt_error error = {0};
    if (s->out != NULL && io_folder_make(s->out, &error) != LGKT_OK)
        return cli_fail_error("plot", &error);
    plan *p = calloc(1, sizeof *p);
    const bool ok = p != NULL && add_files(p, results, s, formats, format_count);
    const int code = ok ? draw(p) : cli_fail("plot", CLI_FAILED, "out of memory");
    for (int32_t i = 0; p != NULL && i < p->count; i++)
        free((char *)p->drawings[i].path);
    free(p);
    return code;
}

int cmd_plot(int argc, char **argv)
{
    settings s = {0};
    int code = cli_parse(&command, argc, argv, &s);
    if (code != CLI_CONTINUE)
        return code;
    if (s.folders.count == 0)
        return cli_fail("plot", CLI_USAGE, "no folder given; see lgkt plot --help");
    exp_format formats[EXP_FORMATS];
    int32_t format_count = 0;
    code = read_formats(s.formats, formats, &format_count);
    if (code != CLI_OK)
        return code;
    lgkt_error error = {0};
    exp_results results;
    if (exp_results_read(s.folders.items, s.folders.count, &results, &error) != LGKT_OK)
        return cli_fail_error("plot", &error);
    code = plot(&results, &s, formats, format_count);
    exp_results_free(&results);
    return cli_finish("plot", code);
}
