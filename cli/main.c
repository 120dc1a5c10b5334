// SPDX-License-Identifier: MIT
// The command line: finds the command and hands over.

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "lgkt/base.h"
#include "output.h"

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} command;

static const command COMMANDS[] = {
    {"demo", cmd_demo, "watch learners on a small problem"},
    {"run", cmd_run, "run learners on an environment, many seeds, and write the curves"},
    {"reproduce", cmd_reproduce, "the experiments of the paper by name, into folders of results"},
    {"plot", cmd_plot, "figures of these results"},
    {"report", cmd_report, "a page with every claim of the paper and what the results say"},
    {"plan", cmd_plan, "the exact optimum, K-step greedy and K-step thresholding of a known model"},
    {"trace", cmd_trace, "one learner on a tape of random numbers, action by action"},
    {"list", cmd_list, "learners and environments with their parameters"},
    {"bench", cmd_bench, "measure how fast learners and environments are"},
};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };

static const char *command_name(const void *ctx, int i)
{
    (void)ctx;
    return i < COMMAND_COUNT ? COMMANDS[i].name : NULL;
}

static const command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(COMMANDS[i].name, name) == 0)
            return &COMMANDS[i];
    return NULL;
}

static void print_overview(FILE *out)
{
    fprintf(out, "usage: lgkt <command> [options]\n\n"
                 "Learning to act well in one run of a Markov decision process that never "
                 "repeats.\n\ncommands:\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-11s%s\n", COMMANDS[i].name, COMMANDS[i].summary);
    fprintf(out, "\nlgkt help <command>    options and examples of a command\n"
                 "lgkt --version         the version\n");
}

static int unknown_command(const char *name)
{
    const char *near = cli_nearest(name, command_name, NULL);
    if (near != NULL)
        return cli_fail(NULL, CLI_USAGE, "unknown command \"%s\"; did you mean %s?", name, near);
    return cli_fail(NULL, CLI_USAGE, "unknown command \"%s\"; see lgkt --help", name);
}

// lgkt help, lgkt help COMMAND
static int help(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stdout);
        return cli_finish("help", CLI_OK);
    }
    const command *found = find_command(argv[1]);
    if (found == NULL)
        return unknown_command(argv[1]);
    char option[] = "--help";
    char *words[] = {argv[1], option, NULL};
    return found->run(2, words);
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

int main(int argc, char **argv)
{
    // a reader that goes away is a write error like others, not a death by signal
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    if (is_one_of(argv[1], "help", "--help", "-h"))
        return help(argc - 1, argv + 1);
    if (is_one_of(argv[1], "version", "--version", "-V")) {
        printf("lgkt %s\n", lgkt_version());
        return cli_finish("version", CLI_OK);
    }
    const command *found = find_command(argv[1]);
    return found != NULL ? found->run(argc - 1, argv + 1) : unknown_command(argv[1]);
}
