// SPDX-License-Identifier: MIT
// lgkt man: man pages from the tables that --help is made from, in the macros of man(7), which groff
// and mandoc know. They carry the version and no date, so that the same program writes the same bytes.

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "io/plain/io_folder.h"
#include "lgkt/base.h"
#include "table.h"

// ---- text ----

enum { ROMAN = 'R', BOLD = 'B', ITALIC = 'I' };
// in the source, behind which a line is broken at the next blank
enum { LINE_LENGTH = 40 };

static void put_font(io_memory *page, int *font, int wanted)
{
    if (*font != wanted)
        io_memory_print(page, "\\f%c", wanted);
    *font = wanted;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

// The options of a text are bold. In a synopsis so are other words in small letters, which are
// typed as they stand, and words in capitals, which stand for something, are italic.
static int word_font(const char *word, size_t length, bool synopsis)
{
    if (length > 1 && word[0] == '-' && (word[1] == '-' ? length > 2 : length == 2))
        return BOLD;
    if (!synopsis || length == 0 || is_word(word, length, "or"))
        return ROMAN;
    bool capitals = true, small = true;
    for (size_t i = 0; i < length; i++) {
        capitals = capitals && isupper((unsigned char)word[i]);
        small = small && islower((unsigned char)word[i]);
    }
    return capitals || is_word(word, length, "options") ? ITALIC : small ? BOLD : ROMAN;
}

// Text as it stands: what means something to roff, or is another character in its fonts, is escaped.
static void put_plain(io_memory *page, const char *text, size_t length)
{
    static const struct {
        char plain;
        const char *roff;
    } ESCAPES[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                   {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
    for (size_t i = 0; i < length; i++) {
        const char *roff = NULL;
        for (size_t e = 0; e < sizeof ESCAPES / sizeof ESCAPES[0]; e++)
            roff = ESCAPES[e].plain == text[i] ? ESCAPES[e].roff : roff;
        if (roff != NULL)
            io_memory_print(page, "%s", roff);
        else
            io_memory_write(page, &text[i], 1);
    }
}

// Text with its fonts, in lines of moderate length, none of which begins as a request does.
static void put_line(io_memory *page, const char *text, size_t length, bool synopsis)
{
    static const char WORD[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
    int font = ROMAN;
    for (size_t at = 0, begin = 0; at < length;) {
        if (text[at] == ' ' && at - begin > LINE_LENGTH) {
            begin = ++at;
            put_font(page, &font, ROMAN);
            io_memory_print(page, "\n");
        }
        if (at == begin && text[at] == '.')
            io_memory_print(page, "\\&");
        size_t word = strspn(text + at, WORD);
        word = word > length - at ? length - at : word;
        const size_t size = word > 0 ? word : 1;
        put_font(page, &font, word_font(text + at, word, synopsis));
        put_plain(page, text + at, size);
        at += size;
    }
    put_font(page, &font, ROMAN);
    io_memory_print(page, "\n");
}

// The lines of a text. Those that begin with two blanks are rows of a list: what it is, two blanks
// or more, what that means.
static void put_text(io_memory *page, const char *text)
{
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        const char *gap = strncmp(text, "  ", 2) == 0 ? strstr(text + 2, "  ") : NULL;
        if (gap == NULL || gap >= text + length) {
            put_line(page, text, length, false);
            continue;
        }
        io_memory_print(page, ".TP\n");
        put_line(page, text + 2, (size_t)(gap - text) - 2, true);
        gap += strspn(gap, " ");
        put_line(page, gap, (size_t)(text + length - gap), false);
    }
}

// ---- pages ----

static void put_head(io_memory *page, const char *title, const char *name, const char *summary)
{
    io_memory_print(page,
                    ".\\\" written by lgkt man\n.TH %s 1 \"\" \"lgkt %s\" \"User Commands\"\n",
                    title, lgkt_version());
    io_memory_print(page, ".nh\n.ad l\n.SH NAME\n%s \\- ", name);
    put_line(page, summary, strlen(summary), false);
}

static void put_option(io_memory *page, const option *given)
{
    char text[CLI_OPTION_SIZE];
    io_memory_print(page, ".TP\n");
    if (given->letter != 0)
        io_memory_print(page, "\\fB\\-%c\\fR, ", given->letter);
    io_memory_print(page, "\\fB\\-\\-");
    put_plain(page, given->name, strlen(given->name));
    io_memory_print(page, "\\fR");
    for (const option *row = given; row != NULL && row->value != NULL; row = row->more) {
        io_memory_print(page, " \\fI");
        put_plain(page, row->value, strlen(row->value));
        io_memory_print(page, "\\fR");
    }
    io_memory_print(page, "\n");
    cli_option_text(given, text);
    put_line(page, text, strlen(text), false);
}

static void put_exit(io_memory *page)
{
    io_memory_print(page, ".SH EXIT STATUS\n");
    put_line(page, CLI_EXIT, strlen(CLI_EXIT), false);
}

static void put_examples(io_memory *page, const char *line)
{
    io_memory_print(page, ".SH EXAMPLES\n.nf\n");
    for (size_t length; *line != '\0'; line += length + (line[length] == '\n')) {
        line += strspn(line, " ");
        length = strcspn(line, "\n");
        put_plain(page, line, length);
        io_memory_print(page, "\n");
    }
    io_memory_print(page, ".fi\n");
}

static void put_overview(io_memory *page)
{
    put_head(page, "LGKT", "lgkt", "online learning in one run of a Markov decision process");
    io_memory_print(page, ".SH SYNOPSIS\n.B lgkt\n\\fIcommand\\fR [\\fIoptions\\fR]\n.br\n"
                          ".B lgkt help\n\\fIcommand\\fR\n.br\n.B lgkt \\-\\-version\n"
                          ".SH DESCRIPTION\n");
    put_line(page, CLI_ABOUT, strlen(CLI_ABOUT), false);
    io_memory_print(page, ".SH COMMANDS\n");
    for (int i = 0; i < cli_command_count; i++) {
        io_memory_print(page, ".TP\n.BR lgkt\\-%s (1)\n", cli_commands[i].name);
        put_line(page, cli_commands[i].summary, strlen(cli_commands[i].summary), false);
    }
    put_exit(page);
}

static void put_command(io_memory *page, const command *called)
{
    char title[64], name[64];
    snprintf(title, sizeof title, "LGKT\\-%s", called->name);
    for (char *c = title; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    snprintf(name, sizeof name, "lgkt\\-%s", called->name);
    put_head(page, title, name, called->summary);
    io_memory_print(page, ".SH SYNOPSIS\n.B lgkt %s\n", called->name);
    put_line(page, called->usage, strlen(called->usage), true);
    io_memory_print(page, ".SH DESCRIPTION\n");
    put_text(page, called->about);
    io_memory_print(page, ".SH OPTIONS\n");
    for (int i = 0; i < cli_option_count; i++)
        if (cli_takes(called, &cli_options[i]))
            put_option(page, &cli_options[i]);
    put_exit(page);
    put_examples(page, called->examples);
    io_memory_print(page, ".SH SEE ALSO\n.BR lgkt (1)\n");
}

// ---- the command ----

// The page of a command, or of lgkt where there is none, into `folder` or, where that is NULL, to
// stdout.
static lgkt_status write_page(const command *called, const char *folder, lgkt_error *error)
{
    io_memory page = {0};
    size_t size = 0;
    char file[64];
    if (called != NULL)
        put_command(&page, called);
    else
        put_overview(&page);
    char *text = io_memory_close(&page, &size);
    if (text == NULL)
        return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    if (folder == NULL) {
        fwrite(text, 1, size, stdout);
        free(text);
        return LGKT_OK;
    }
    snprintf(file, sizeof file, "lgkt%s%s.1", called != NULL ? "-" : "",
             called != NULL ? called->name : "");
    char *path = io_folder_file(folder, file);
    io_output output;
    lgkt_status status = path != NULL ? io_output_open(path, &output, error)
                                      : lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    if (status == LGKT_OK) {
        fwrite(text, 1, size, output.stream);
        status = io_output_commit(&output, error);
    }
    free(path);
    free(text);
    return status;
}

lgkt_status cmd_man(cli_settings *s, lgkt_error *error)
{
    const char *name = s->words.count > 0 ? s->words.items[0] : NULL;
    const command *called = name != NULL ? cli_find_command(name) : NULL;
    if (s->words.count > 1)
        return lgkt_fail(error, CLI_USAGE, "one command at a time");
    if (name != NULL && s->out != NULL)
        return lgkt_fail(error, CLI_USAGE, "--out writes all pages; it goes with no command");
    if (name != NULL && called == NULL)
        return cli_refuse_command(name, error);
    if (s->out == NULL)
        return write_page(called, NULL, error);
    LGKT_TRY(io_folder_make(s->out, error));
    LGKT_TRY(write_page(NULL, s->out, error));
    for (int i = 0; i < cli_command_count; i++)
        LGKT_TRY(write_page(&cli_commands[i], s->out, error));
    return LGKT_OK;
}
