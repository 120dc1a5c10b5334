// SPDX-License-Identifier: MIT
// lgkt report: what the results say about the claims of the paper.

#include "args.h"
#include "experiments/report.h"

typedef struct settings {
    cli_texts folders;
    const char *out, *markdown, *figures;
} settings;

#define AT(field) offsetof(settings, field)

static const cli_option options[] = {
    {"out", 'o', CLI_TEXT, "FILE", "report.html", 0, 0, NULL, AT(out), "the HTML page"},
    {"markdown", 'm', CLI_TEXT, "FILE", NULL, 0, 0, NULL, AT(markdown),
     "also write the report as Markdown"},
    {"figures", 0, CLI_TEXT, "DIR", "figures", 0, 0, NULL, AT(figures),
     "where the Markdown finds the SVG files of lgkt plot, as seen from it"},
};

static const cli_command command = {
    .name = "report",
    .usage = "DIR [DIR ...] [options]",
    .about = "Judges every claim of the paper by the results of `lgkt reproduce` and writes one\n"
             "page with figures, tables and verdicts that opens without network. A DIR is the\n"
             "folder of one experiment, or one that holds several. Figures need gnuplot.\n",
    .examples = "lgkt report results\n"
                "lgkt report results --out report.html --markdown docs/REPRODUCTION.md\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .max_words = CLI_MAX_TEXTS,
    .words_offset = AT(folders),
};

// Writes one form of the report; CLI_OK or an exit code after the line of a failure.
static int write_report(const exp_report *report, const char *path)
{
    lgkt_error error = {0}, missing = {0};
    io_output *file = NULL;
    if (cli_output_open(path, &file, &error) != LGKT_OK)
        return cli_fail_error("report", &error);
    if (exp_report_write(report, io_output_stream(file), &missing, &error) != LGKT_OK) {
        io_output_discard(file);
        return cli_fail_error("report", &error);
    }
    if (io_output_commit(file, &error) != LGKT_OK)
        return cli_fail_error("report", &error);
    if (missing.text[0] != '\0')
        cli_fail("report", CLI_OK, "without figures: %s", missing.text);
    puts(path);
    return CLI_OK;
}

int cmd_report(int argc, char **argv)
{
    settings s = {0};
    int code = cli_parse(&command, argc, argv, &s);
    if (code != CLI_CONTINUE)
        return code;
    if (s.folders.count == 0)
        return cli_fail("report", CLI_USAGE, "no folder given; see lgkt report --help");
    lgkt_error error = {0};
    exp_results results;
    if (exp_results_read(s.folders.items, s.folders.count, &results, &error) != LGKT_OK)
        return cli_fail_error("report", &error);
    exp_report report = {.results = &results, .html = true, .figures = s.figures};
    code = write_report(&report, s.out);
    report.html = false;
    if (code == CLI_OK && s.markdown != NULL)
        code = write_report(&report, s.markdown);
    exp_results_free(&results);
    return code;
}
