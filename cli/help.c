// SPDX-License-Identifier: MIT
// --help from the tables of the command line, and looking things up in these.

#include <string.h>

#include "cli.h"
#include "core/text.h"
#include "table.h"

enum { HELP_WIDTH = 96, HELP_INDENT = 26 };

// ---- looking up ----

bool cli_takes(const command *called, const option *row)
{
    return row->takers >> (called - cli_commands) & 1;
}

const command *cli_find_command(const char *name)
{
    for (int i = 0; i < cli_command_count; i++)
        if (strcmp(cli_commands[i].name, name) == 0)
            return &cli_commands[i];
    return NULL;
}

lgkt_status cli_refuse_command(const char *name, lgkt_error *error)
{
    char quoted[CLI_QUOTED_SIZE];
    lgkt_hint hint = {.word = name, .size = 100};
    for (int i = 0; i < cli_command_count; i++)
        lgkt_hint_add(&hint, cli_commands[i].name);
    lgkt_hint_add(&hint, "log");
    lgkt_hint_add(&hint, "report");
    return lgkt_fail(error, CLI_USAGE, "unknown command \"%s\"; %s", cli_quoted(name, quoted),
                     lgkt_hint_text(&hint));
}

int cli_find_option(const command *called, const char *word, size_t length)
{
    for (int i = 0; i < cli_option_count; i++)
        if (cli_takes(called, &cli_options[i]) &&
            (word[1] == '-' ? strlen(cli_options[i].name) == length - 2 &&
                                  strncmp(cli_options[i].name, word + 2, length - 2) == 0
                            : cli_options[i].letter == word[1] && word[2] == '\0'))
            return i;
    return -1;
}

// ---- printing ----

void cli_option_text(const option *row, char text[CLI_OPTION_SIZE])
{
    // "(default 5; 1 .. 10)" for numbers
    const bool bounded = row->min != 0 || row->max != 0, known = row->fallback != NULL;
    char range[96] = "";
    if (bounded)
        snprintf(range, sizeof range, "%.15g .. %.15g", row->min, row->max);
    snprintf(text, CLI_OPTION_SIZE, "%s%s%s%s%s%s%s", row->help, bounded || known ? " (" : "",
             known ? "default " : "", known ? row->fallback : "", bounded && known ? "; " : "",
             range, bounded || known ? ")" : "");
}

static void print_option(const option *given)
{
    char text[CLI_OPTION_SIZE];
    const char letter[5] = {'-', given->letter, ',', ' ', '\0'};
    int at = printf("  %s--%s", given->letter != 0 ? letter : "", given->name);
    for (const option *row = given; row != NULL && row->value != NULL; row = row->more)
        at += printf(" %s", row->value);
    cli_option_text(given, text);
    if (at > HELP_INDENT - 2)
        at = (fputc('\n', stdout), 0);
    cli_print_wrapped(text, at, HELP_INDENT, HELP_WIDTH);
}

void cli_help_print(const command *called)
{
    printf("usage: lgkt %s %s\n\n%s\noptions:\n", called->name, called->usage, called->about);
    for (int i = 0; i < cli_option_count; i++)
        if (cli_takes(called, &cli_options[i]))
            print_option(&cli_options[i]);
    printf("\nexamples:\n%s", called->examples);
}

void cli_overview_print(FILE *out)
{
    fprintf(out, "usage: lgkt <command> [options]\n\n" CLI_ABOUT "\n\ncommands:\n");
    for (int i = 0; i < cli_command_count; i++)
        fprintf(out, "  %-11s%s\n", cli_commands[i].name, cli_commands[i].summary);
    fprintf(out, "\nof the Python package (python3 -m lgkt log, python3 -m lgkt report):\n"
                 "  log        check a log of decisions, and ask what others would have earned\n"
                 "  report     a page of results of experiments\n");
    fprintf(out, "\nlgkt help <command>    options and examples of a command\n"
                 "lgkt --version         the version\n\n"
                 "exit codes: " CLI_EXIT "\n");
}
