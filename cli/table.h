// SPDX-License-Identifier: MIT
// The two tables of the command line (main.c), which parsing, --help, man pages and completion read.
#pragma once

#include "cli.h"

typedef struct command {
    const char *name;
    cli_command *run;
    // arguments that are not options: NULL: takes none; "": may go without; else what it says then
    const char *needs;
    const char *summary;  // a line for the overview
    const char *usage;    // what follows "lgkt name "
    const char *about;    // paragraph(s) on what it does; lines end with \n
    const char *examples; // one command per line, as it is printed
} command;

// What a value may be follows from the type of its field. Numbers are read as in specs: 1000, 1e3, 1/3.
typedef enum type {
    FLAG,    // given or not
    INTEGER, // in [min, max]
    REAL,    // in [min, max], finite
    SEED,    // 0 .. 2^64-1
    TEXT,    // not empty, no control characters
    TEXTS    // the same; may be given several times
} type;

typedef struct option {
    int takers; // the commands that take it: the sum of their bits
    type type;
    char letter;       // short form, or 0
    const char *name;  // without dashes
    const char *value; // what the value is called in help, e.g. "FILE"; NULL for a flag
    size_t offset;     // of the field in cli_settings
    const char *help;
    const char *fallback;      // default as typed; NULL: the field is left as it was
    double min, max;           // of a number; both 0: any
    const struct option *more; // a second value behind the first: --save-at 100 FILE; nullable
    const char *choices;       // "one|two" for completion, where these are all; nullable
} option;

extern const command cli_commands[];
extern const int cli_command_count;
extern const option cli_options[]; // in the order of the help
extern const int cli_option_count;

// What `lgkt` itself says, in help and man page.
#define CLI_ABOUT "Learning to act well in one run of a Markov decision process that never repeats."
#define CLI_EXIT  "0 done, 1 failed, 2 bad usage or input, 130 interrupted"

// ---- help.c ----

bool cli_takes(const command *called, const option *row);
// The command of that name; NULL if there is none.
const command *cli_find_command(const char *name);
lgkt_status cli_refuse_command(const char *name, lgkt_error *error);
// The number of the option that the first `length` letters of a word name, -l or --long; or -1.
int cli_find_option(const command *called, const char *word, size_t length);

void cli_overview_print(FILE *out);
void cli_help_print(const command *called);
// What an option means, with its default and range: "depth of lookahead (default 5; 1 .. 10)".
#define CLI_OPTION_SIZE 512
void cli_option_text(const option *row, char text[CLI_OPTION_SIZE]);

// ---- complete.c ----

// Prints what may stand in place of the last of some words, the first of which is a command: a line
// for each, with a tab and what it means behind it. A line ":files" or ":folders" says that such
// names fit, too.
lgkt_status cli_complete(int count, char **words, lgkt_error *error);
