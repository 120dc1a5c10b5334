// SPDX-License-Identifier: MIT
// lgkt plot: the figures of results.
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "experiments/figure.h"
#include "io/io_folder.h"

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

// what is to be drawn; the paths belong to it
typedef struct plan {
    exp_figure figures[EXP_MAX_FIGURES];
    exp_drawing drawings[EXP_MAX_FIGURES * EXP_FORMATS];
    int32_t count;
} plan;

int cmd_plot(int argc, char **argv)
{
    settings s = {0};
    int code = cli_parse(&command, argc, argv, &s);
    if (code != CLI_CONTINUE)
        return code;
    if (s.folders.count == 0)
        return cli_fail("plot", CLI_USAGE, "no folder given; see lgkt plot --help");
    bool wanted[EXP_FORMATS] = {false};
    for (const char *list = s.formats; list != NULL;) {
        char word[8], quoted[CLI_QUOTED_SIZE];
        int f = cli_next_value(&list, word, sizeof word) ? 0 : EXP_FORMATS;
        while (f < EXP_FORMATS && strcmp(exp_format_name(f), word) != 0)
            f++;
        if (f == EXP_FORMATS)
            return cli_fail(
                "plot", CLI_USAGE,
                "--format is \"%s\"; it must be some of pdf, svg, png, separated by commas",
                cli_quoted(s.formats, quoted));
        wanted[f] = true;
    }
    lgkt_error error = {0};
    exp_results results;
    if (exp_results_read(s.folders.items, s.folders.count, &results, &error) != LGKT_OK)
        return cli_fail_error("plot", &error);

    // every figure in every format, with a path that belongs to us
    plan *p = calloc(1, sizeof *p);
    lgkt_status status = p != NULL ? LGKT_OK : lgkt_fail_memory(&error, "figures");
    if (status == LGKT_OK && s.out != NULL)
        status = io_folder_make(s.out, &error);
    const int32_t figures = status == LGKT_OK ? exp_figures_of(&results, p->figures) : 0;
    for (int32_t i = 0; i < figures * EXP_FORMATS && status == LGKT_OK; i++) {
        const exp_figure *figure = &p->figures[i / EXP_FORMATS];
        const exp_format format = (exp_format)(i % EXP_FORMATS);
        char name[80];
        if (!wanted[format])
            continue;
        snprintf(name, sizeof name, "%s.%s", figure->name, exp_format_name(format));
        char *path = io_folder_file(s.out != NULL ? s.out : figure->folder, name);
        if (path == NULL)
            status = lgkt_fail_memory(&error, "paths");
        else
            p->drawings[p->count++] = (exp_drawing){figure, format, path};
    }
    if (status == LGKT_OK)
        status = exp_figures_draw(p->drawings, p->count, &error);
    for (int32_t i = 0; p != NULL && i < p->count; i++) {
        if (status == LGKT_OK)
            puts(p->drawings[i].path);
        free((char *)p->drawings[i].path);
    }
    free(p);
    exp_results_free(&results);
    return status == LGKT_OK ? CLI_OK : cli_fail_error("plot", &error);
}
