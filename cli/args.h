// SPDX-License-Identifier: MIT
// Command lines from one table per command: it drives parsing, checking and --help.
//
//     static const cli_option options[] = {
//         CLI_ROW("horizon", 't', CLI_INTEGER, "T", horizon, "number of steps", "20000", 1, 1e12),
//         CLI_ROW("json", 0, CLI_FLAG, NULL, json, "print JSON")};
//     static const cli_command command = {.name = "run", CLI_OPTIONS(options), ...};
//
//     settings s = {0};       // what options without fallback are if not given; a real is NaN
//     LGKT_TRY(cli_parse(&command, argc, argv, &s, error));
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stddef.h>

#include "cli.h"

#define CLI_MAX_TEXTS   256
#define CLI_MAX_OPTIONS 32  // rows of a table
#define CLI_VALUE_SIZE  128 // room for any number

// The field type of each option type is in brackets. Numbers are read as in specs: 1000, 1e3, 1/3.
typedef enum cli_type {
    CLI_FLAG,    // given or not (bool)
    CLI_INTEGER, // in [min, max] (int64_t)
    CLI_REAL,    // in [min, max], finite (double)
    CLI_SEED,    // 0 .. 2^64-1 (cli_seed)
    CLI_TEXT,    // not empty, no control characters (const char *)
    CLI_TEXTS    // the same; may be given several times (cli_texts)
} cli_type;

typedef struct cli_seed {
    uint64_t value;
    const char *text; // as typed; NULL: not given
} cli_seed;

typedef struct cli_texts {
    const char *items[CLI_MAX_TEXTS];
    int count;
} cli_texts;

typedef struct cli_option {
    const char *name; // without dashes
    char letter;      // short form, or 0
    cli_type type;
    const char *value; // what the value is called in help, e.g. "FILE"; NULL for a flag
    size_t offset;     // of the field in the settings struct
    const char *help;
    const char *fallback;          // default as typed; NULL: the field is left as it was
    double min, max;               // of CLI_INTEGER and CLI_REAL; both 0: any
    const struct cli_option *more; // a second value behind the first: --save-at 100 FILE; nullable
} cli_option;

typedef struct cli_command {
    const char *name;
    const char *usage;    // what follows "lgkt name "
    const char *about;    // paragraph(s) on what it does; lines end with \n
    const char *examples; // one command per line
    const cli_option *options;
    int option_count;
    bool takes_words; // the settings begin with a cli_texts for arguments that are not options
} cli_command;

// The table of a cli_command.
#define CLI_OPTIONS(rows_) .options = (rows_), .option_count = sizeof(rows_) / sizeof *(rows_)
// A row of it, for a field of the struct `settings`. Behind the help follow, as far as they are
// needed, fallback, min, max and more.
#define CLI_ROW(name_, letter_, type_, value_, field_, ...)                                        \
    {                                                                                              \
        .name = name_, .letter = letter_, .type = type_, .value = value_,                          \
        .offset = offsetof(settings, field_), .help = __VA_ARGS__                                  \
    }

// Fills `settings` from the fallbacks, then from argv[1..]: --name value, --name=value, -v, and
// further values as words of their own; "--" ends the options. CLI_HELPED if help was printed.
lgkt_status cli_parse(const cli_command *command, int argc, char **argv, void *settings,
                      lgkt_error *error);

// Whether a text can be a name of a file or a spec: it is not empty, and without control characters,
// which would break lines, tables and the files that we write; no name needs them.
bool cli_is_good_text(const char *text);

// Cuts the next of several values separated by commas from *list into text, and moves *list behind
// it: NULL after the last one. False if it does not fit.
bool cli_next_value(const char **list, char text[CLI_VALUE_SIZE]);

#endif
