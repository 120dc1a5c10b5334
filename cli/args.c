// SPDX-License-Identifier: MIT
// Command lines from one table per command: parsing, checking and --help.

#include "args.h"

#include <string.h>

#include "core/number.h"
#include "core/settings.h"
#include "core/text.h"

enum { HELP_WIDTH = 96, HELP_INDENT = 26, NAME_SIZE = 48 };

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

// ---- help ----

static void print_option(const cli_command *command, const cli_option *option)
{
    char text[512], values[64], range[96] = "", fallback[96] = "";
    const char letter[5] = {'-', option->letter, ',', ' ', '\0'};
    value_names(command, option, values, sizeof values);
    int at = printf("  %s--%s%s", option->letter != 0 ? letter : "", option->name, values);
    // "(default 5; 1 .. 10)" for numbers, "(low|high)" for choices
    if (option->min != 0 || option->max != 0)
        snprintf(range, sizeof range, "%.15g .. %.15g", option->min, option->max);
    else if (option->choices != NULL)
        snprintf(range, sizeof range, "%s", option->choices);
    if (option->fallback != NULL)
        snprintf(fallback, sizeof fallback, "default %s%s", option->fallback,
                 range[0] != '\0' ? "; " : "");
    const bool any = range[0] != '\0' || fallback[0] != '\0';
    snprintf(text, sizeof text, any ? "%s (%s%s)" : "%s", option->help, fallback, range);
    if (at > HELP_INDENT - 2)
        at = (fputc('\n', stdout), 0);
    cli_print_wrapped(text, at, HELP_INDENT, HELP_WIDTH);
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
    return CLI_OK;
}

// ---- values ----

// A name of a file or a spec. Control characters would break lines, tables and the files that we
// write; no name needs them.
static bool is_good_text(const char *text)
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
static int set_value(const cli_command *command, const cli_option *option, const cli_option *row,
                     const char *text, void *settings)
{
    void *field = (char *)settings + row->offset;
    char allowed[160] = "a text that is not empty and has no control characters";
    bool good = false;
    if (row->type == CLI_INTEGER || row->type == CLI_REAL) {
        const bool any = row->min == 0 && row->max == 0;
        const char *kind = row->type == CLI_REAL ? "a number" : "a whole number";
        int64_t whole = 0;
        double number = 0.0;
        good = row->type == CLI_REAL ? lgkt_number_parse(text, &number)
                                     : lgkt_integer_parse(text, &whole);
        const double value = row->type == CLI_REAL ? number : (double)whole;
        good = good && (any || (value >= row->min && value <= row->max));
        if (good && row->type == CLI_REAL)
            *(double *)field = number;
        else if (good)
            *(int64_t *)field = whole;
        snprintf(allowed, sizeof allowed, any ? "%s" : "%s in %.15g .. %.15g", kind, row->min,
                 row->max);
    } else if (row->type == CLI_SEED) {
        good = lgkt_seed_parse(text, field);
        snprintf(allowed, sizeof allowed, "a whole number in 0 .. 2^64-1");
    } else if (row->type == CLI_CHOICE) {
        const int position = lgkt_choice_index(row->choices, text);
        good = position >= 0;
        if (good)
            *(int *)field = position;
        snprintf(allowed, sizeof allowed, "one of %s", row->choices);
    } else if (!is_good_text(text)) {
        good = false;
    } else if (row->type == CLI_TEXT) {
        *(const char **)field = text;
        good = true;
    } else {
        good = add_text(field, text);
        snprintf(allowed, sizeof allowed, "given at most %d times", CLI_MAX_TEXTS);
    }
    if (good)
        return CLI_CONTINUE;
    char quoted[CLI_QUOTED_SIZE];
    const bool several = row != option || next_value(command, option) != NULL;
    return cli_fail(command->name, CLI_USAGE, "--%s%s%s is \"%s\"; it must be %s", option->name,
                    several ? ": " : "", several ? row->value : "", cli_quoted(text, quoted),
                    allowed);
}

bool cli_next_value(const char **list, char *text, size_t size)
{
    const size_t length = strcspn(*list, ",");
    if (length >= size)
        return false;
    memcpy(text, *list, length);
    text[length] = '\0';
    *list = (*list)[length] == ',' ? *list + length + 1 : NULL;
    return true;
}

// ---- parsing ----

static int refuse_option(const cli_command *command, const char *word)
{
    char quoted[CLI_QUOTED_SIZE], name[NAME_SIZE];
    if (word[1] != '-' && word[2] != '\0')
        return cli_fail(command->name, CLI_USAGE,
                        "unknown option %s; a letter stands alone, its value is the next word",
                        cli_quoted(word, quoted));
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    lgkt_hint hint = {.word = name + 2};
    for (int32_t i = 0; word[1] == '-' && i < command->option_count; i++)
        lgkt_hint_add(&hint, command->options[i].name != NULL ? command->options[i].name : "");
    if (word[1] == '-')
        lgkt_hint_add(&hint, "help");
    if (hint.nearest != NULL)
        return cli_fail(command->name, CLI_USAGE, "unknown option %s; did you mean --%s?", name,
                        hint.nearest);
    return cli_fail(command->name, CLI_USAGE, "unknown option %s; see lgkt help %s", name,
                    command->name);
}

// The option that the first `length` letters of a word name, -l or --long; NULL if there is none.
static const cli_option *find_option(const cli_command *command, const char *word, size_t length)
{
    for (int i = 0; i < command->option_count; i++) {
        const cli_option *row = &command->options[i];
        if (word[1] == '-' ? row->name != NULL && strlen(row->name) == length - 2 &&
                                 strncmp(row->name, word + 2, length - 2) == 0
                           : row->letter == word[1] && word[2] == '\0')
            return row;
    }
    return NULL;
}

int cli_parse(const cli_command *command, int argc, char **argv, void *settings)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return print_help(command);
    for (int i = 0; i < command->option_count; i++) {
        const cli_option *option = &command->options[i];
        if (option->fallback != NULL)
            set_value(command, option, option, option->fallback, settings);
    }
    bool given[CLI_MAX_OPTIONS] = {false}, options_over = false;
    int code = CLI_CONTINUE;
    for (int next = 1; code == CLI_CONTINUE && next < argc;) {
        const char *word = argv[next++];
        if (!options_over && strcmp(word, "--") == 0) {
            options_over = true;
            continue;
        }
        if (options_over || word[0] != '-' || word[1] == '\0') {
            char quoted[CLI_QUOTED_SIZE];
            cli_texts *words = (cli_texts *)(void *)((char *)settings + command->words_offset);
            if (command->max_words == CLI_MAX_TEXTS && words->count == CLI_MAX_TEXTS)
                code = cli_fail(command->name, CLI_USAGE, "more than %d arguments", CLI_MAX_TEXTS);
            else if (command->max_words == 0 || words->count >= command->max_words ||
                     !is_good_text(word) || !add_text(words, word))
                code = cli_fail(command->name, CLI_USAGE,
                                "unexpected argument \"%s\"; see lgkt help %s",
                                cli_quoted(word, quoted), command->name);
            continue;
        }
        // -l, --long or --long=value
        const char *equals = word[1] == '-' ? strchr(word, '=') : NULL;
        const size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
        const cli_option *option = find_option(command, word, length);
        if (option == NULL)
            return refuse_option(command, word);
        // of two values one would be thrown away in silence
        bool *again = &given[option - command->options];
        if (*again && option->type != CLI_TEXTS)
            return cli_fail(command->name, CLI_USAGE, "--%s is given twice", option->name);
        *again = true;
        const char *value = equals != NULL ? equals + 1 : NULL;
        if (option->type == CLI_FLAG) {
            if (value != NULL)
                return cli_fail(command->name, CLI_USAGE, "--%s takes no value", option->name);
            *(bool *)((char *)settings + option->offset) = true;
            continue;
        }
        // the first value may have come with the name
        for (const cli_option *row = option; row != NULL && code == CLI_CONTINUE;
             row = next_value(command, row), value = NULL) {
            char values[64];
            value_names(command, option, values, sizeof values);
            if (value == NULL && (next >= argc || strncmp(argv[next], "--", 2) == 0))
                return next_value(command, option) == NULL
                           ? cli_fail(command->name, CLI_USAGE, "--%s needs a value", option->name)
                           : cli_fail(command->name, CLI_USAGE, "--%s needs%s; %s is missing",
                                      option->name, values, row->value);
            code = set_value(command, option, row, value != NULL ? value : argv[next++], settings);
        }
    }
    return code;
}
