// SPDX-License-Identifier: MIT
// What may stand at the end of a command line that is being typed. The scripts of the shells
// (cmd_completion.c) ask for it by `lgkt __complete WORD..`, so that names, options and settings are those of
// the program that is called.

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "experiments/studies/studies.h"
#include "lgkt/env.h"
#include "lgkt/learner.h"
#include "lgkt/spec.h"
#include "table.h"

typedef const lgkt_entry *entry_fn(int32_t);

// The arguments of a command that are not options, by what the first of them is, or at first: words
// as they are typed, and in brackets kinds of names.
static const struct {
    const char *command, *first, *words;
} WORDS[] = {
    {"reproduce", "", "list <collections> <experiments> <files>"},
    {"reproduce", NULL, "<collections> <experiments> <files>"},
    {"merge", "", "<folders>"},
    {"merge", NULL, "<folders>"},
    {"slurm", "", "<collections> <experiments> <files>"},
    {"list", "", "learners envs <names>"},
    {"list", NULL, "<names>"},
    {"serve", "", "token verify export backup"},
    {"serve", "token", "add list revoke"},
    {"serve", "verify", "<files>"},
    {"serve", "export", "<files>"},
    {"serve", "backup", "<files>"},
    {"completion", "", "bash zsh fish"},
    {"man", "", "<commands>"},
};
// The settings that name a learner or an environment within one.
static const char *const INNER[] = {"of", "before", "after", "sampler", "rl", "first"};
#define COLLECTIONS "paper beyond arena practice all"

// What is being completed: `typed` ends the word, behind what stays as it is.
typedef struct place {
    const char *kept; // of kept_length letters
    int kept_length;
    const char *typed;
} place;

// ---- candidates ----

static void offer(const place *at, const char *text, size_t length, const char *end,
                  const char *about)
{
    const size_t typed = strlen(at->typed);
    if (length + strlen(end) < typed ||
        strncmp(text, at->typed, typed < length ? typed : length) != 0 ||
        (typed > length && strncmp(end, at->typed + length, typed - length) != 0))
        return;
    printf("%.*s%.*s%s", at->kept_length, at->kept, (int)length, text, end);
    printf("%s%s\n", *about != '\0' ? "\t" : "", about);
}

static void offer_text(const place *at, const char *text, const char *about)
{
    offer(at, text, strlen(text), "", about);
}

// The words of a text, which are separated by characters of `between`.
static void offer_words(const place *at, const char *text, const char *between)
{
    for (size_t length; *(text += strspn(text, between)) != '\0'; text += length) {
        length = strcspn(text, between);
        offer(at, text, length, "", "");
    }
}

static void offer_commands(const place *at)
{
    for (int i = 0; i < cli_command_count; i++)
        offer_text(at, cli_commands[i].name, cli_commands[i].summary);
}

static void offer_entries(const place *at, entry_fn *entries)
{
    const lgkt_entry *entry;
    for (int32_t i = 0; (entry = entries(i)) != NULL; i++)
        offer_text(at, entry->name, entry->summary);
}

static lgkt_status offer_experiments(const place *at, lgkt_error *error)
{
    exp_choice all;
    LGKT_TRY(exp_choose(&all, (const char *const[]){"all"}, 1, error));
    for (int32_t i = 0; i < all.count; i++)
        offer_text(at, all.items[i].name, all.items[i].title);
    exp_choice_free(&all);
    return LGKT_OK;
}

// ---- specs ----

static const lgkt_entry *find_entry(entry_fn *entries, const char *name, size_t length)
{
    const lgkt_entry *entry;
    for (int32_t i = 0; (entry = entries(i)) != NULL; i++)
        if (strlen(entry->name) == length && strncmp(entry->name, name, length) == 0)
            return entry;
    return NULL;
}

// Where the last setting of a spec begins: behind the last comma that is in no parentheses.
static const char *last_setting(const char *settings)
{
    int depth = 0;
    const char *last = settings;
    for (const char *c = settings; *c != '\0'; c++) {
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
        if (*c == ',' && depth == 0)
            last = c + 1;
    }
    return last;
}

static bool has_setting(const char *settings, const char *name)
{
    const size_t length = strlen(name);
    for (const char *c = settings; (c = strstr(c, name)) != NULL; c += length)
        if ((c == settings || c[-1] == ',') && c[length] == '=')
            return true;
    return false;
}

// Names of learners or environments, then the settings of the one named: lg2t, lg2t:, lg2t:threshold=
static void offer_spec(const place *at, entry_fn *entries)
{
    const char *colon = strchr(at->typed, ':');
    const size_t length = colon != NULL ? (size_t)(colon - at->typed) : strlen(at->typed);
    const lgkt_entry *entry = find_entry(entries, at->typed, length);
    if (colon == NULL) {
        offer_entries(at, entries);
        // what can be set is offered once the name is there
        if (entry != NULL && entry->param_count > 0)
            offer(at, entry->name, strlen(entry->name), ":", "its settings");
        return;
    }
    const char *setting = last_setting(colon + 1), *equals = strchr(setting, '=');
    const lgkt_param *param;
    for (int32_t i = 0; entry != NULL && (param = lgkt_entry_param(entry, i)) != NULL; i++) {
        const size_t name = strlen(param->name);
        place inner = {at->kept, (int)(setting - at->kept), setting};
        if (equals == NULL && !has_setting(colon + 1, param->name))
            offer(&inner, param->name, name, "=", param->help);
        if (equals == NULL || (size_t)(equals - setting) != name ||
            strncmp(setting, param->name, name) != 0)
            continue;
        inner = (place){at->kept, (int)(equals + 1 - at->kept), equals + 1};
        if (param->type == LGKT_PARAM_CHOICE)
            offer_words(&inner, param->choices, "|");
        for (size_t k = 0; k < sizeof INNER / sizeof INNER[0]; k++)
            if (strcmp(param->name, INNER[k]) == 0)
                offer_entries(&inner, entries);
    }
}

// ---- options and arguments ----

static void offer_value(const place *at, const option *row)
{
    const bool learner = row->offset == offsetof(cli_settings, learner) ||
                         row->offset == offsetof(cli_settings, learners);
    if (row->choices != NULL)
        offer_words(at, row->choices, "|");
    else if (strcmp(row->value, "FILE") == 0)
        puts(":files");
    else if (strcmp(row->value, "DIR") == 0)
        puts(":folders");
    else if (strcmp(row->value, "SPEC") == 0)
        offer_spec(at, learner ? lgkt_learner_entry : lgkt_env_entry);
}

static void offer_options(const place *at, const command *called, const bool *seen)
{
    for (int i = 0; i < cli_option_count; i++)
        if (cli_takes(called, &cli_options[i]) && (!seen[i] || cli_options[i].type == TEXTS)) {
            char text[CLI_OPTION_SIZE], name[64];
            cli_option_text(&cli_options[i], text);
            snprintf(name, sizeof name, "--%s", cli_options[i].name);
            offer_text(at, name, text);
        }
}

// False where the command takes no argument here.
static bool offer_arguments(const place *at, const command *called, const char *first,
                            lgkt_status *status, lgkt_error *error)
{
    const char *words = NULL;
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0] && words == NULL; i++)
        if (strcmp(WORDS[i].command, called->name) == 0 &&
            (WORDS[i].first == NULL || strcmp(WORDS[i].first, first) == 0))
            words = WORDS[i].words;
    for (size_t length; words != NULL && *(words += strspn(words, " ")) != '\0'; words += length) {
        length = strcspn(words, " ");
        if (words[0] != '<')
            offer(at, words, length, "", "");
        else if (words[1] == 'n') {
            offer_entries(at, lgkt_learner_entry);
            offer_entries(at, lgkt_env_entry);
        } else if (strncmp(words, "<com", 4) == 0)
            offer_commands(at);
        else if (strncmp(words, "<col", 4) == 0)
            offer_words(at, COLLECTIONS, " ");
        else if (words[1] == 'e')
            *status = offer_experiments(at, error);
        else
            printf(":%.*s\n", (int)length - 2, words + 1);
    }
    return words != NULL;
}

lgkt_status cli_complete(int count, char **words, lgkt_error *error)
{
    place at = {words[count - 1], 0, words[count - 1]};
    if (count == 1 || (count == 2 && strcmp(words[0], "help") == 0)) {
        offer_commands(&at);
        if (count == 1)
            offer_words(&at, "help --help --version", " ");
        return LGKT_OK;
    }
    const command *called = cli_find_command(words[0]);
    bool *seen = calloc((size_t)cli_option_count, sizeof *seen);
    if (called == NULL || seen == NULL) {
        free(seen);
        return LGKT_OK;
    }
    // what the words before say: the option that the last one is a value of, and the first argument
    const option *row = NULL;
    const char *first = "";
    bool over = false;
    for (int i = 1; i < count - 1; i++) {
        const char *word = words[i], *equals = strchr(word, '=');
        if (row != NULL && strncmp(word, "--", 2) != 0) {
            row = row->more;
            continue;
        }
        row = NULL;
        if (over || word[0] != '-' || word[1] == '\0') {
            first = *first == '\0' ? word : first;
            continue;
        }
        over = strcmp(word, "--") == 0;
        const size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
        const int found = over ? -1 : cli_find_option(called, word, length);
        if (found < 0)
            continue;
        seen[found] = true;
        if (cli_options[found].value != NULL)
            row = equals != NULL ? cli_options[found].more : &cli_options[found];
    }
    lgkt_status status = LGKT_OK;
    const char *equals = strncmp(at.typed, "--", 2) == 0 ? strchr(at.typed, '=') : NULL;
    if (row == NULL && !over && equals != NULL) {
        const int found = cli_find_option(called, at.typed, (size_t)(equals - at.typed));
        row = found >= 0 && cli_options[found].value != NULL ? &cli_options[found] : NULL;
        at = (place){at.kept, (int)(equals + 1 - at.kept), equals + 1};
        if (row != NULL)
            offer_value(&at, row);
    } else if (row != NULL && strncmp(at.typed, "--", 2) != 0) {
        offer_value(&at, row);
    } else if (!over && at.typed[0] == '-') {
        offer_options(&at, called, seen);
    } else if (!offer_arguments(&at, called, first, &status, error) && !over) {
        offer_options(&at, called, seen);
    }
    free(seen);
    return status;
}
