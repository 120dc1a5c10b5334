// SPDX-License-Identifier: MIT
// Command lines from one table per command: it drives parsing, checking and --help.
//
//     static const cli_option options[] = {
//         {"horizon", 0, CLI_INTEGER, "T", "20000", 1, 1e12, NULL, offsetof(settings, horizon),
//          "number of steps"},
//         {"json", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, offsetof(settings, json), "print JSON"}};
//     static const cli_command command = {.name = "run", .usage = "--env SPEC [options]", ...};
//
//     settings s = {.threshold = NAN};       // what options without fallback are if not given
//     const int code = cli_parse(&command, argc, argv, &s);
//     if (code != CLI_CONTINUE)
//         return code;                       // --help was printed, or the usage is wrong
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stddef.h>

#include "cli.h"

#define CLI_CONTINUE    (-1)
#define CLI_MAX_TEXTS   256
#define CLI_MAX_OPTIONS 32  // rows of a table
#define CLI_VALUE_SIZE  128 // room for any number

// The field type of each option type is in brackets. Numbers are read as in specs: 1000, 1e3, 1/3.
typedef enum cli_type {
    CLI_FLAG,    // given or not (bool)
    CLI_INTEGER, // in [min, max] (int64_t)
    CLI_REAL,    // in [min, max], finite (double)
    CLI_SEED,    // 0 .. 2^64-1 (uint64_t)
    CLI_CHOICE,  // one of "one|two" (int, its position)
    CLI_TEXT,    // not empty, no control characters (const char *)
    CLI_TEXTS    // the same; may be given several times (cli_texts)
} cli_type;

typedef struct cli_texts {
    const char *items[CLI_MAX_TEXTS];
    int count;
} cli_texts;

// A row without a name is one more value of the option above it, with a type, range and field of
// its own: --save-at 100 FILE has two rows.
typedef struct cli_option {
    const char *name; // without dashes; NULL: a further value
    char letter;      // short form, or 0
    cli_type type;
    const char *value;    // what the value is called in help, e.g. "FILE"; NULL for a flag
    const char *fallback; // default as typed; NULL: the field is left as it was
    double min, max;      // of CLI_INTEGER and CLI_REAL; both 0: any
    const char *choices;  // of CLI_CHOICE
    size_t offset;        // of the field in the settings struct
    const char *help;
} cli_option;

typedef struct cli_command {
    const char *name;
    const char *usage;    // what follows "lgkt name "
    const char *about;    // paragraph(s) on what it does; lines end with \n
    const char *examples; // one command per line
    const cli_option *options;
    int option_count;
    int max_words;       // how many arguments that are not options are allowed
    size_t words_offset; // of a cli_texts field for them, if max_words > 0
} cli_command;

// Fills `settings` from the fallbacks, then from argv[1..]: --name value, --name=value, -v, and
// further values as words of their own; "--" ends the options. Returns CLI_CONTINUE, or the exit
// code after it printed help or a failure.
int cli_parse(const cli_command *command, int argc, char **argv, void *settings);

// Cuts the next of several values separated by commas from *list into text, and moves *list behind
// it: NULL after the last one. False if it does not fit.
bool cli_next_value(const char **list, char *text, size_t size);

#endif
