// SPDX-License-Identifier: MIT
// Command lines from one table per command: parsing, checking and --help.

#include "args.h"

#include <math.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"

enum { HELP_WIDTH = 96, HELP_INDENT = 26, NAME_SIZE = 48 };

// ---- help ----

static void print_option(const cli_option *option)
{
    char text[512], range[96] = "";
    const char letter[5] = {'-', option->letter, ',', ' ', '\0'};
    int at = printf("  %s--%s", option->letter != 0 ? letter : "", option->name);
    for (const cli_option *row = option; row != NULL && row->value != NULL; row = row->more)
        at += printf(" %s", row->value);
    // "(default 5; 1 .. 10)" for numbers
    const bool bounded = option->min != 0 || option->max != 0, known = option->fallback != NULL;
    if (bounded)
        snprintf(range, sizeof range, "%.15g .. %.15g", option->min, option->max);
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", option->help, bounded || known ? " (" : "",
             known ? "default " : "", known ? option->fallback : "", bounded && known ? "; " : "",
             range, bounded || known ? ")" : "");
    if (at > HELP_INDENT - 2)
        at = (fputc('\n', stdout), 0);
    cli_print_wrapped(text, at, HELP_INDENT, HELP_WIDTH);
}

static lgkt_status print_help(const cli_command *command)
{
    static const cli_option help = {.name = "help", .letter = 'h', .help = "print this and stop"};
    printf("usage: lgkt %s %s\n\n%s\noptions:\n", command->name, command->usage, command->about);
    for (int i = 0; i < command->option_count; i++)
        print_option(&command->options[i]);
    print_option(&help);
    printf("\nexamples:\n");
    for (const char *line = command->examples; *line != '\0';) {
        const int length = (int)strcspn(line, "\n");
        printf("  %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
    return CLI_HELPED;
}

// ---- values ----

bool cli_is_good_text(const char *text)
{
    bool good = text[0] != '\0';
    for (const char *c = text; *c != '\0'; c++)
        good = good && (unsigned char)*c >= ' ' && *c != 0x7f;
    return good;
}

static bool add_text(cli_texts *texts, const char *text)
{
    if (texts->count >= CLI_MAX_TEXTS)
        return false;
    texts->items[texts->count++] = text;
    return true;
}

// Stores a value of an option in the field of its row, or says what it must be.
static lgkt_status set_value(const cli_option *option, const cli_option *row, const char *text,
                             void *settings, lgkt_error *error)
{
    void *field = (char *)settings + row->offset;
    const char *kind = "a text that is not empty and has no control characters";
    char range[80] = "", quoted[CLI_QUOTED_SIZE];
    double number = 0.0;
    bool good = cli_is_good_text(text);
    if (row->type == CLI_INTEGER) {
        kind = "a whole number";
        good = lgkt_integer_parse(text, field);
        number = good ? (double)*(int64_t *)field : 0.0;
    } else if (row->type == CLI_REAL) {
        kind = "a number";
        good = lgkt_number_parse(text, field);
        number = *(double *)field;
    } else if (row->type == CLI_SEED) {
        kind = "a whole number in 0 .. 2^64-1";
        good = lgkt_seed_parse(text, &((cli_seed *)field)->value);
        ((cli_seed *)field)->text = text;
    } else if (good && row->type == CLI_TEXT) {
        *(const char **)field = text;
    } else if (good && !add_text(field, text)) {
        kind = "given at most 256 times";
        good = false;
    }
    if (row->min != 0 || row->max != 0) {
        good = good && number >= row->min && number <= row->max;
        snprintf(range, sizeof range, " in %.15g .. %.15g", row->min, row->max);
    }
    if (good)
        return LGKT_OK;
    const bool several = option->more != NULL;
    return lgkt_fail(error, LGKT_ERR_ARGUMENT, "--%s%s%s is \"%s\"; it must be %s%s", option->name,
                     several ? ": " : "", several ? row->value : "", cli_quoted(text, quoted), kind,
                     range);
}

bool cli_next_value(const char **list, char text[CLI_VALUE_SIZE])
{
    const size_t length = strcspn(*list, ",");
    if (length >= CLI_VALUE_SIZE)
        return false;
    snprintf(text, CLI_VALUE_SIZE, "%.*s", (int)length, *list);
    *list = (*list)[length] == ',' ? *list + length + 1 : NULL;
    return true;
}

// ---- parsing ----

static lgkt_status refuse_option(const cli_command *command, const char *word, lgkt_error *error)
{
    char quoted[CLI_QUOTED_SIZE], name[NAME_SIZE];
    if (word[1] != '-' && word[2] != '\0')
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "unknown option %s; a letter stands alone, its value is the next word",
                         cli_quoted(word, quoted));
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    lgkt_hint hint = {.word = name + 2};
    for (int i = 0; i < command->option_count; i++)
        lgkt_hint_add(&hint, command->options[i].name);
    lgkt_hint_add(&hint, "help");
    const char *near = word[1] == '-' ? hint.nearest : NULL;
    return lgkt_fail(error, LGKT_ERR_ARGUMENT, "unknown option %s; %s%s%s", name,
                     near != NULL ? "did you mean --" : "see lgkt help ",
                     near != NULL ? near : command->name, near != NULL ? "?" : "");
}

// The option that the first `length` letters of a word name, -l or --long; NULL if there is none.
static const cli_option *find_option(const cli_command *command, const char *word, size_t length)
{
    for (int i = 0; i < command->option_count; i++) {
        const cli_option *row = &command->options[i];
        if (word[1] == '-'
                ? strlen(row->name) == length - 2 && strncmp(row->name, word + 2, length - 2) == 0
                : row->letter == word[1] && word[2] == '\0')
            return row;
    }
    return NULL;
}

static lgkt_status add_word(const cli_command *command, const char *word, cli_texts *words,
                            lgkt_error *error)
{
    char quoted[CLI_QUOTED_SIZE];
    if (!command->takes_words || !cli_is_good_text(word))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "unexpected argument \"%s\"; see lgkt help %s",
                         cli_quoted(word, quoted), command->name);
    return add_text(words, word)
               ? LGKT_OK
               : lgkt_fail(error, LGKT_ERR_ARGUMENT, "more than %d arguments", CLI_MAX_TEXTS);
}

lgkt_status cli_parse(const cli_command *command, int argc, char **argv, void *settings,
                      lgkt_error *error)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return print_help(command);
    for (int i = 0; i < command->option_count; i++) {
        const cli_option *option = &command->options[i];
        if (option->fallback != NULL)
            LGKT_TRY(set_value(option, option, option->fallback, settings, error));
        else if (option->type == CLI_REAL)
            *(double *)(void *)((char *)settings + option->offset) = NAN;
    }
    bool given[CLI_MAX_OPTIONS] = {false}, options_over = false;
    for (int next = 1; next < argc;) {
        const char *word = argv[next++];
        if (!options_over && strcmp(word, "--") == 0) {
            options_over = true;
            continue;
        }
        if (options_over || word[0] != '-' || word[1] == '\0') {
            LGKT_TRY(add_word(command, word, settings, error));
            continue;
        }
        // -l, --long or --long=value
        const char *equals = word[1] == '-' ? strchr(word, '=') : NULL;
        const size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
        const cli_option *option = find_option(command, word, length);
        if (option == NULL)
            return refuse_option(command, word, error);
        // of two values one would be thrown away in silence
        bool *again = &given[option - command->options];
        if (*again && option->type != CLI_TEXTS)
            return lgkt_fail(error, LGKT_ERR_ARGUMENT, "--%s is given twice", option->name);
        *again = true;
        const char *value = equals != NULL ? equals + 1 : NULL;
        if (option->type == CLI_FLAG && value != NULL)
            return lgkt_fail(error, LGKT_ERR_ARGUMENT, "--%s takes no value", option->name);
        if (option->type == CLI_FLAG) {
            *(bool *)((char *)settings + option->offset) = true;
            continue;
        }
        // the first value may have come with the name
        for (const cli_option *row = option; row != NULL; row = row->more, value = NULL) {
            if (value == NULL && next < argc && strncmp(argv[next], "--", 2) != 0)
                value = argv[next++];
            if (value == NULL && option->more == NULL)
                return lgkt_fail(error, LGKT_ERR_ARGUMENT, "--%s needs a value", option->name);
            if (value == NULL)
                return lgkt_fail(error, LGKT_ERR_ARGUMENT, "--%s needs %s %s; %s is missing",
                                 option->name, option->value, option->more->value, row->value);
            LGKT_TRY(set_value(option, row, value, settings, error));
        }
    }
    return LGKT_OK;
}
