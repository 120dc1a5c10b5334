// SPDX-License-Identifier: MIT
// The command line: finds the command and hands over.

#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "cli.h"
#include "core/text.h"

static void print_overview(FILE *out)
{
    fprintf(out, "usage: lgkt <command> [options]\n\n"
                 "Learning to act well in one run of a Markov decision process that never "
                 "repeats.\n\ncommands:\n");
    for (int i = 0; i < CLI_COMMANDS; i++)
        fprintf(out, "  %-11s%s\n", cli_commands[i].name, cli_commands[i].summary);
    fprintf(out, "\nlgkt help <command>    options and examples of a command\n"
                 "lgkt --version         the version\n\n"
                 "exit codes: 0 done, 1 failed, 2 bad usage or input, 130 interrupted\n");
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

int main(int argc, char **argv)
{
    lgkt_error error = {0};
    // a reader that goes away is a write error like others, and cli_finish tells it from them
    signal(SIGPIPE, SIG_IGN);
    // where stdout was closed, the next file opened would become it
    for (int file = 0; file <= 2; file++)
        if (fcntl(file, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDONLY);
    if (argc < 2) {
        print_overview(stderr);
        return cli_finish(NULL, CLI_USAGE, &error);
    }
    if (is_one_of(argv[1], "version", "--version", "-V")) {
        printf("lgkt %s\n", lgkt_version());
        return cli_finish("version", LGKT_OK, &error);
    }
    // lgkt help, lgkt help COMMAND
    const bool help = is_one_of(argv[1], "help", "--help", "-h");
    if (help && argc < 3) {
        print_overview(stdout);
        return cli_finish("help", LGKT_OK, &error);
    }
    char option[] = "--help", *name = argv[help ? 2 : 1], *words[] = {argv[0], name, option, NULL};
    for (int i = 0; i < CLI_COMMANDS; i++)
        if (strcmp(cli_commands[i].name, name) == 0) {
            cli_settings settings;
            lgkt_status status = cli_parse(&cli_commands[i], help ? 2 : argc - 1,
                                           (help ? words : argv) + 1, &settings, &error);
            if (status == LGKT_OK)
                status = cli_commands[i].run(&settings, &error);
            return cli_finish(name, status, &error);
        }
    char quoted[CLI_QUOTED_SIZE];
    lgkt_hint hint = {.word = name};
    for (int i = 0; i < CLI_COMMANDS; i++)
        lgkt_hint_add(&hint, cli_commands[i].name);
    const char *near = hint.nearest;
    const lgkt_status status =
        is_one_of(name, "plot", "report", "report")
            ? lgkt_fail(&error, CLI_USAGE,
                        "%s: figures and reports are made in Python: python3 -m lgkt.report DIR, "
                        "in a clone make report",
                        name)
            : lgkt_fail(&error, CLI_USAGE, "unknown command \"%s\"; %s%s%s",
                        cli_quoted(name, quoted),
                        near != NULL ? "did you mean " : "see lgkt --help",
                        near != NULL ? near : "", near != NULL ? "?" : "");
    return cli_finish(NULL, status, &error);
}
