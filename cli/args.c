// SPDX-License-Identifier: MIT
// Command lines from one table per command: parsing, checking and --help.

#include "args.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/io_text.h"
#include "output.h"

enum { HELP_WIDTH = 96, HELP_INDENT = 26, NEAR = 2, LONGEST_WORD = 48 };

// ---- options of several values ----

// The row of the option's next value, or NULL.
static const cli_option *next_value(const cli_command *command, const cli_option *option)
{
    const cli_option *next = option + 1;
    return next < command->options + command->option_count && next->name == NULL ? next : NULL;
}

// " N FILE": what the values are called, each behind a blank.
static void value_names(const cli_command *command, const cli_option *option, char *text,
                        size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (; option != NULL && length < size; option = next_value(command, option))
        if (option->value != NULL)
            length += (size_t)snprintf(text + length, size - length, " %s", option->value);
}

// ---- the nearest word ----

static int min_of(int a, int b)
{
    return a < b ? a : b;
}

// How many letters must be added, dropped, changed or swapped with their neighbour; words that are
// too long are far.
static int distance(const char *a, const char *b)
{
    const int n = (int)strlen(a), m = (int)strlen(b);
    int d[LONGEST_WORD + 1][LONGEST_WORD + 1];
    if (n > LONGEST_WORD || m > LONGEST_WORD)
        return NEAR + 1;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++) {
            d[i][j] = i + j;
            if (i == 0 || j == 0)
                continue;
            d[i][j] = min_of(min_of(d[i - 1][j], d[i][j - 1]) + 1,
                             d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = min_of(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

const char *cli_nearest(const char *word, const char *(*words)(const void *ctx, int i),
                        const void *ctx)
{
    const char *best = NULL;
    int least = NEAR + 1;
    for (int i = 0; words(ctx, i) != NULL; i++) {
        const int d = distance(word, words(ctx, i));
        if (d < least && d < (int)strlen(words(ctx, i))) {
            least = d;
            best = words(ctx, i);
        }
    }
    return best;
}

// ---- help ----

// "(default 5, 1 .. 10)" for numbers, "(low or high)" for choices.
static void describe(const cli_option *option, char *text, size_t size)
{
    char range[96] = "", fallback[96] = "";
    if (option->min != 0 || option->max != 0)
        snprintf(range, sizeof range, "%.15g .. %.15g", option->min, option->max);
    else if (option->choices != NULL)
        snprintf(range, sizeof range, "%s", option->choices);
    if (option->fallback != NULL)
        snprintf(fallback, sizeof fallback, "default %s", option->fallback);
    const bool both = range[0] != '\0' && fallback[0] != '\0';
    const bool any = range[0] != '\0' || fallback[0] != '\0';
    snprintf(text, size, any ? "%s (%s%s%s)" : "%s", option->help, fallback, both ? "; " : "",
             range);
}

static void print_option(const cli_command *command, const cli_option *option)
{
    char text[512], values[64];
    const char letter[5] = {'-', option->letter, ',', ' ', '\0'};
    value_names(command, option, values, sizeof values);
    int at = printf("  %s--%s%s", option->letter != 0 ? letter : "", option->name, values);
    describe(option, text, sizeof text);
    if (at > HELP_INDENT - 2)
        at = (fputc('\n', stdout), 0);
    cli_print_wrapped(stdout, text, at, HELP_INDENT, HELP_WIDTH);
}

static int print_help(const cli_command *command)
{
    static const cli_option help = {.name = "help", .letter = 'h', .help = "print this and stop"};
    printf("usage: lgkt %s %s\n\n%s\noptions:\n", command->name, command->usage, command->about);
    for (int i = 0; i < command->option_count; i++)
        if (command->options[i].name != NULL)
            print_option(command, &command->options[i]);
    print_option(&(const cli_command){.options = &help, .option_count = 1}, &help);
    printf("\nexamples:\n");
    for (const char *line = command->examples; *line != '\0';) {
        const int length = (int)strcspn(line, "\n");
        printf("  %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
    return cli_finish(command->name, CLI_OK);
}

// ---- values ----

// "" or the reason why a number is refused.
static void range_text(const cli_option *option, char *text, size_t size)
{
    const char *kind = option->type == CLI_REAL ? "a number" : "a whole number";
    if (option->min != 0 || option->max != 0)
        snprintf(text, size, "%s in %.15g .. %.15g", kind, option->min, option->max);
    else
        snprintf(text, size, "%s", kind);
}

static bool in_range(const cli_option *option, double value)
{
    return (option->min == 0 && option->max == 0) || (value >= option->min && value <= option->max);
}

static bool set_choice(const cli_option *option, const char *text, int *field)
{
    const size_t length = strlen(text);
    int position = 0;
    for (const char *word = option->choices; *word != '\0'; position++) {
        const size_t end = strcspn(word, "|");
        if (end == length && strncmp(word, text, end) == 0) {
            *field = position;
            return true;
        }
        word += end + (word[end] == '|');
    }
    return false;
}

static bool add_text(cli_texts *texts, const char *text)
{
    if (texts->count >= CLI_MAX_TEXTS)
        return false;
    texts->items[texts->count++] = text;
    return true;
}

// Stores a value; false if it is not one of the option's type and range.
static bool set_value(const cli_option *option, const char *text, void *settings)
{
    void *field = (char *)settings + option->offset;
    int64_t whole;
    double number;
    switch (option->type) {
    case CLI_FLAG:
        *(bool *)field = true;
        return true;
    case CLI_INTEGER:
        if (!io_parse_integer(text, &whole) || !in_range(option, (double)whole))
            return false;
        *(int64_t *)field = whole;
        return true;
    case CLI_REAL:
        if (!io_parse_real(text, &number) || !in_range(option, number))
            return false;
        *(double *)field = number;
        return true;
    case CLI_SEED:
        return io_parse_seed(text, field);
    case CLI_CHOICE:
        return set_choice(option, text, field);
    case CLI_TEXT:
        *(const char **)field = text;
        return true;
    case CLI_TEXTS:
        return add_text(field, text);
    }
    return false;
}

// `option` is the row of the value; the name is that of the option it belongs to.
static int refuse_value(const cli_command *command, const char *name, const cli_option *option,
                        const char *text)
{
    char allowed[160];
    if (option->type == CLI_CHOICE)
        snprintf(allowed, sizeof allowed, "one of %s", option->choices);
    else if (option->type == CLI_SEED)
        snprintf(allowed, sizeof allowed, "a whole number in 0 .. 2^64-1");
    else if (option->type == CLI_TEXTS)
        snprintf(allowed, sizeof allowed, "given at most %d times", CLI_MAX_TEXTS);
    else
        range_text(option, allowed, sizeof allowed);
    const bool several = option->name == NULL || next_value(command, option) != NULL;
    return cli_fail(command->name, CLI_USAGE, "--%s%s%s is \"%s\"; it must be %s", name,
                    several ? ": " : "", several ? option->value : "", text, allowed);
}

// ---- parsing ----

// the arguments not read yet
typedef struct cursor {
    const cli_command *command;
    char **argv;
    int argc, next;
    void *settings;
} cursor;

static const char *option_name(const void *ctx, int i)
{
    const cli_command *command = ctx;
    if (i == command->option_count)
        return "help";
    if (i > command->option_count)
        return NULL;
    const char *name = command->options[i].name;
    return name != NULL ? name : "";
}

static const cli_option *find_option(const cli_command *command, const char *name, size_t length)
{
    for (int i = 0; i < command->option_count; i++) {
        const cli_option *option = &command->options[i];
        if (option->name != NULL && strlen(option->name) == length &&
            strncmp(option->name, name, length) == 0)
            return option;
    }
    return NULL;
}

static const cli_option *find_letter(const cli_command *command, const char *word)
{
    for (int i = 0; i < command->option_count; i++)
        if (command->options[i].letter == word[1] && word[2] == '\0')
            return &command->options[i];
    return NULL;
}

static int refuse_option(const cli_command *command, const char *word)
{
    const int length = (int)strcspn(word, "=");
    char name[LONGEST_WORD + 1];
    snprintf(name, sizeof name, "%.*s", length - 2 > 0 ? length - 2 : 0, word + min_of(length, 2));
    const char *near = cli_nearest(name, option_name, command);
    if (near != NULL)
        return cli_fail(command->name, CLI_USAGE, "unknown option %.*s; did you mean --%s?", length,
                        word, near);
    return cli_fail(command->name, CLI_USAGE, "unknown option %.*s; see lgkt help %s", length, word,
                    command->name);
}

static int refuse_missing(const cli_command *command, const cli_option *option,
                          const cli_option *missing)
{
    char values[64];
    if (next_value(command, option) == NULL)
        return cli_fail(command->name, CLI_USAGE, "--%s needs a value", option->name);
    value_names(command, option, values, sizeof values);
    return cli_fail(command->name, CLI_USAGE, "--%s needs%s; %s is missing", option->name, values,
                    missing->value);
}

// Reads the values of an option; the first one may have come with its name.
static int parse_values(cursor *at, const cli_option *option, const char *value)
{
    for (const cli_option *row = option; row != NULL; row = next_value(at->command, row)) {
        if (value == NULL) {
            if (at->next >= at->argc || strncmp(at->argv[at->next], "--", 2) == 0)
                return refuse_missing(at->command, option, row);
            value = at->argv[at->next++];
        }
        if (!set_value(row, value, at->settings))
            return refuse_value(at->command, option->name, row, value);
        value = NULL;
    }
    return CLI_CONTINUE;
}

// Reads the option that begins at `word`, with its values.
static int parse_option(cursor *at, const char *word)
{
    const cli_command *command = at->command;
    const bool is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    const size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const cli_option *option =
        is_long ? find_option(command, word + 2, length - 2) : find_letter(command, word);
    if (option == NULL)
        return refuse_option(command, word);
    const char *value = equals != NULL ? equals + 1 : NULL;
    if (option->type != CLI_FLAG)
        return parse_values(at, option, value);
    if (value != NULL)
        return cli_fail(command->name, CLI_USAGE, "--%s takes no value", option->name);
    set_value(option, NULL, at->settings);
    return CLI_CONTINUE;
}

static int parse_word(const cursor *at, const char *word)
{
    const cli_command *command = at->command;
    cli_texts *words = (cli_texts *)(void *)((char *)at->settings + command->words_offset);
    if (command->max_words == 0 || words->count >= command->max_words)
        return cli_fail(command->name, CLI_USAGE, "unexpected argument \"%s\"; see lgkt help %s",
                        word, command->name);
    add_text(words, word);
    return CLI_CONTINUE;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

int cli_parse(const cli_command *command, int argc, char **argv, void *settings)
{
    if (asks_for_help(argc, argv))
        return print_help(command);
    for (int i = 0; i < command->option_count; i++)
        if (command->options[i].fallback != NULL)
            set_value(&command->options[i], command->options[i].fallback, settings);
    cursor at = {command, argv, argc, 1, settings};
    bool options_over = false;
    int code = CLI_CONTINUE;
    while (code == CLI_CONTINUE && at.next < argc) {
        const char *word = argv[at.next++];
        if (!options_over && strcmp(word, "--") == 0)
            options_over = true;
        else if (!options_over && word[0] == '-' && word[1] != '\0')
            code = parse_option(&at, word);
        else
            code = parse_word(&at, word);
    }
    return code;
}

int cli_integers(const cli_command *command, const char *option, const char *text, int64_t min,
                 int64_t max, int64_t *values, int capacity)
{
    int count = 0;
    for (const char *at = text;; at++) {
        char number[32];
        const size_t length = strcspn(at, ",");
        snprintf(number, sizeof number, "%.*s", (int)length, at);
        if (length >= sizeof number || count == capacity ||
            !io_parse_integer(number, &values[count]) || values[count] < min ||
            values[count] > max) {
            cli_fail(command->name, CLI_USAGE,
                     "--%s is \"%s\"; it must be up to %d whole numbers in %" PRId64 " .. %" PRId64
                     ", separated by commas",
                     option, text, capacity, min, max);
            return -1;
        }
        count++;
        at += length;
        if (*at == '\0')
            return count;
    }
}
