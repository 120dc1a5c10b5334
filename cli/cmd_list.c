// SPDX-License-Identifier: MIT
// lgkt list: the registries of learners and environments, in four forms. docs/settings.md is the
// markdown form.

#include <string.h>

#include "args.h"
#include "io/io_json.h"
#include "lgkt/spec.h"
#include "memory.h"
#include "output.h"

typedef struct settings {
    cli_texts words; // nothing, "learners", "envs" or names
    bool verbose, json, markdown;
} settings;

static const cli_option OPTIONS[] = {
    {"verbose", 'v', CLI_FLAG, NULL, NULL, 0, 0, NULL, offsetof(settings, verbose),
     "all parameters with defaults and ranges, and measured memory"},
    {"json", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, offsetof(settings, json), "everything as JSON"},
    {"markdown", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, offsetof(settings, markdown),
     "everything as a page of documentation"},
};

static const cli_command COMMAND = {
    .name = "list",
    .usage = "[learners | envs | NAME ...] [options]",
    .about = "Prints the learners and environments that a spec can name, or all about some of "
             "them.\nA spec is a name with settings: lg2t:threshold=0.9,p=0.5\n",
    .examples = "lgkt list\nlgkt list learners -v\nlgkt list lg2t riverswim\nlgkt list --json",
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .max_words = 64,
    .words_offset = offsetof(settings, words),
};

typedef struct section {
    const char *word, *key, *title;
    const lgkt_entry *(*entry)(int32_t);
} section;

static const section SECTIONS[] = {
    {"learners", "learners", "Learners", lgkt_learner_entry},
    {"envs", "environments", "Environments", lgkt_env_entry},
};
#define NO_BOUND 1e15 // what is at least this large is no bound to speak of
enum { SECTION_COUNT = sizeof SECTIONS / sizeof SECTIONS[0], LINE_WIDTH = 100 };

// ---- which entries ----

// No words select everything; a section's word all of it, a name that entry.
static bool selected(const settings *s, const section *part, const lgkt_entry *entry)
{
    for (int i = 0; i < s->words.count; i++)
        if (strcmp(s->words.items[i], part->word) == 0 ||
            strcmp(s->words.items[i], entry->name) == 0)
            return true;
    return s->words.count == 0;
}

// The next selected entry of a section from number *i on; NULL at the end.
static const lgkt_entry *next_selected(const settings *s, const section *part, int32_t *i)
{
    for (const lgkt_entry *entry; (entry = part->entry(*i)) != NULL;) {
        (*i)++;
        if (selected(s, part, entry))
            return entry;
    }
    return NULL;
}

// All words that may be asked for: those of the sections, then all names.
static const char *known_word(const void *ctx, int i)
{
    (void)ctx;
    if (i < SECTION_COUNT)
        return SECTIONS[i].word;
    i -= SECTION_COUNT;
    for (int k = 0; k < SECTION_COUNT; k++) {
        int32_t count = 0;
        while (SECTIONS[k].entry(count) != NULL)
            count++;
        if (i < count)
            return SECTIONS[k].entry(i)->name;
        i -= count;
    }
    return NULL;
}

static bool is_known(const char *word)
{
    for (int i = 0; known_word(NULL, i) != NULL; i++)
        if (strcmp(known_word(NULL, i), word) == 0)
            return true;
    return false;
}

// True if a name was asked for, which is then shown in full.
static bool names_given(const settings *s)
{
    for (int i = 0; i < s->words.count; i++)
        for (int k = 0; k < SECTION_COUNT; k++)
            if (strcmp(s->words.items[i], SECTIONS[k].word) == 0)
                return false;
    return s->words.count > 0;
}

static int check_words(const settings *s)
{
    for (int i = 0; i < s->words.count; i++) {
        const char *word = s->words.items[i];
        if (is_known(word))
            continue;
        const char *near = cli_nearest(word, known_word, NULL);
        return cli_fail("list", CLI_USAGE, "no learner or environment \"%s\"%s%s%s", word,
                        near != NULL ? "; did you mean " : "", near != NULL ? near : "",
                        near != NULL ? "?" : "; see lgkt list");
    }
    return CLI_CONTINUE;
}

// ---- one parameter in words ----

static const char *type_name(lgkt_param_type type)
{
    static const char *const names[] = {"integer", "real", "choice", "text"};
    return names[type];
}

static bool is_number(const lgkt_param *param)
{
    return param->type == LGKT_PARAM_INTEGER || param->type == LGKT_PARAM_REAL;
}

// What is allowed: "1 .. 100", ">= 0", "low, high"; "any" text or number.
static const char *allowed(const lgkt_param *param, char *text, size_t size)
{
    snprintf(text, size, "any");
    if (param->type == LGKT_PARAM_CHOICE) {
        size_t length = 0;
        for (const char *c = param->choices; *c != '\0' && length + 3 < size; c++)
            length += (size_t)snprintf(text + length, size - length, *c == '|' ? ", " : "%c", *c);
    } else if (is_number(param)) {
        const bool low = param->min > -NO_BOUND, high = param->max < NO_BOUND;
        if (low && high)
            snprintf(text, size, "%.15g .. %.15g", param->min, param->max);
        else if (low || high)
            snprintf(text, size, low ? ">= %.15g" : "<= %.15g", low ? param->min : param->max);
    }
    return text;
}

// The default, computed ones in brackets.
static const char *fallback_text(const lgkt_param *param, char *text, size_t size)
{
    const bool computed = param->fallback != NULL && param->fallback[0] == '@';
    if (param->fallback == NULL || param->fallback[0] == '\0')
        snprintf(text, size, "-");
    else
        snprintf(text, size, computed ? "(%s)" : "%s", param->fallback + computed);
    return text;
}

// ---- memory in words ----

// "940 bytes", "3.8 kB", "480 kB", "1.2 MB"
static const char *size_text(size_t bytes, char text[32])
{
    const double thousands = (double)bytes / (bytes < 1000000 ? 1e3 : 1e6);
    if (bytes < 1000)
        snprintf(text, 32, "%zu bytes", bytes);
    else
        snprintf(text, 32, "%.*f %s", thousands < 10.0 ? 1 : 0, thousands,
                 bytes < 1000000 ? "kB" : "MB");
    return text;
}

// Whether it is a learner that can be measured with its defaults.
static bool measured(const section *part, const lgkt_entry *entry, cli_memory *memory)
{
    return part->entry == lgkt_learner_entry && cli_memory_of(entry->name, memory, NULL) == LGKT_OK;
}

// The order, and for learners the size: "O(S A); 1.6 kB for 10 states, ..".
static const char *memory_text(const section *part, const lgkt_entry *entry, char *text,
                               size_t size)
{
    cli_memory memory;
    char own[32], common[32], shared[64] = "";
    if (!measured(part, entry, &memory))
        return entry->memory;
    if (memory.shared > 0)
        snprintf(shared, sizeof shared, " each and %s shared", size_text(memory.shared, common));
    snprintf(text, size, "%s; %s%s for %d states, %d actions and horizon %d", entry->memory,
             size_text(memory.own, own), shared, CLI_MEMORY_STATES, CLI_MEMORY_ACTIONS,
             CLI_MEMORY_HORIZON);
    return text;
}

// ---- text ----

static int longest_name(const settings *s)
{
    size_t longest = 0;
    for (int k = 0; k < SECTION_COUNT; k++) {
        int32_t i = 0;
        for (const lgkt_entry *entry; (entry = next_selected(s, &SECTIONS[k], &i)) != NULL;)
            longest = strlen(entry->name) > longest ? strlen(entry->name) : longest;
    }
    return (int)longest;
}

static void print_short(const settings *s)
{
    const int width = longest_name(s);
    const char *gap = "";
    for (int k = 0; k < SECTION_COUNT; k++) {
        int32_t i = 0;
        const lgkt_entry *entry = next_selected(s, &SECTIONS[k], &i);
        if (entry == NULL)
            continue;
        printf("%s%s\n", gap, SECTIONS[k].key);
        for (; entry != NULL; entry = next_selected(s, &SECTIONS[k], &i))
            printf("  %-*s  %s\n", width, entry->name, entry->summary);
        gap = "\n";
    }
}

static void print_param(const lgkt_param *param)
{
    char range[256], fallback[128], head[512];
    snprintf(head, sizeof head, "  %s=%s", param->name,
             fallback_text(param, fallback, sizeof fallback));
    printf("%s  [%s]\n", head, allowed(param, range, sizeof range));
    cli_print_wrapped(stdout, param->help, 0, 6, LINE_WIDTH);
}

static void print_full(const section *part, const lgkt_entry *entry)
{
    char memory[256];
    printf("%s\n", entry->name);
    cli_print_wrapped(stdout, entry->summary, 0, 2, LINE_WIDTH);
    printf("  source: %s\n  memory: %s\n", entry->source,
           memory_text(part, entry, memory, sizeof memory));
    for (int32_t i = 0; i < entry->param_count; i++)
        print_param(&entry->params[i]);
}

static void print_verbose(const settings *s)
{
    bool first = true;
    for (int k = 0; k < SECTION_COUNT; k++) {
        int32_t i = 0;
        for (const lgkt_entry *entry; (entry = next_selected(s, &SECTIONS[k], &i)) != NULL;) {
            if (!first)
                printf("\n");
            first = false;
            print_full(&SECTIONS[k], entry);
        }
    }
}

// ---- JSON ----

static void write_param(io_json *json, const lgkt_param *param)
{
    const bool computed = param->fallback != NULL && param->fallback[0] == '@';
    io_json_open(json, NULL, IO_JSON_RECORD);
    io_json_text(json, "name", param->name);
    io_json_text(json, "type", type_name(param->type));
    io_json_text(json, "default", computed ? NULL : param->fallback);
    if (computed)
        io_json_text(json, "computed", param->fallback + 1);
    if (is_number(param)) {
        io_json_real(json, "min", param->min);
        io_json_real(json, "max", param->max);
    }
    if (param->type == LGKT_PARAM_CHOICE)
        io_json_text(json, "choices", param->choices);
    io_json_text(json, "help", param->help);
    io_json_close(json);
}

static void write_memory(io_json *json, const cli_memory *memory)
{
    io_json_open(json, "bytes", IO_JSON_RECORD);
    io_json_integer(json, "own", (int64_t)memory->own);
    io_json_integer(json, "shared", (int64_t)memory->shared);
    io_json_integer(json, "states", CLI_MEMORY_STATES);
    io_json_integer(json, "actions", CLI_MEMORY_ACTIONS);
    io_json_integer(json, "horizon", CLI_MEMORY_HORIZON);
    io_json_close(json);
}

static void write_entry(io_json *json, const section *part, const lgkt_entry *entry)
{
    cli_memory memory;
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_text(json, "name", entry->name);
    io_json_text(json, "summary", entry->summary);
    io_json_text(json, "source", entry->source);
    io_json_text(json, "memory", entry->memory);
    if (measured(part, entry, &memory))
        write_memory(json, &memory);
    io_json_open(json, "params", IO_JSON_ARRAY);
    for (int32_t i = 0; i < entry->param_count; i++)
        write_param(json, &entry->params[i]);
    io_json_close(json);
    io_json_close(json);
}

static void write_json(const settings *s)
{
    io_json json = io_json_start(stdout);
    io_json_open(&json, NULL, IO_JSON_OBJECT);
    for (int k = 0; k < SECTION_COUNT; k++) {
        io_json_open(&json, SECTIONS[k].key, IO_JSON_ARRAY);
        int32_t i = 0;
        for (const lgkt_entry *entry; (entry = next_selected(s, &SECTIONS[k], &i)) != NULL;)
            write_entry(&json, &SECTIONS[k], entry);
        io_json_close(&json);
    }
    io_json_close(&json);
}

// ---- markdown ----

static void write_markdown_entry(const section *part, const lgkt_entry *entry)
{
    char range[256], fallback[128], memory[256];
    printf("\n### `%s`\n\n%s\n\nSource: %s. Memory: %s.\n", entry->name, entry->summary,
           entry->source, memory_text(part, entry, memory, sizeof memory));
    if (entry->param_count == 0)
        return;
    printf("\n| parameter | default | allowed | meaning |\n| --- | --- | --- | --- |\n");
    for (int32_t i = 0; i < entry->param_count; i++) {
        const lgkt_param *param = &entry->params[i];
        const bool any = param->type == LGKT_PARAM_TEXT;
        printf("| `%s` | %s | %s | %s |\n", param->name,
               fallback_text(param, fallback, sizeof fallback),
               any ? "text" : allowed(param, range, sizeof range), param->help);
    }
}

static void write_markdown(const settings *s)
{
    printf("# Settings\n\n<!-- Generated by `lgkt list --markdown`. Do not edit. -->\n\n"
           "This page is generated by `lgkt list --markdown` from the tables that the library\n"
           "itself reads. A default in brackets is computed as the words say.\n");
    for (int k = 0; k < SECTION_COUNT; k++) {
        printf("\n## %s\n", SECTIONS[k].title);
        int32_t i = 0;
        for (const lgkt_entry *entry; (entry = next_selected(s, &SECTIONS[k], &i)) != NULL;)
            write_markdown_entry(&SECTIONS[k], entry);
    }
}

int cmd_list(int argc, char **argv)
{
    settings s = {0};
    int code = cli_parse(&COMMAND, argc, argv, &s);
    if (code == CLI_CONTINUE)
        code = check_words(&s);
    if (code != CLI_CONTINUE)
        return code;
    if (s.json)
        write_json(&s);
    else if (s.markdown)
        write_markdown(&s);
    else if (s.verbose || names_given(&s))
        print_verbose(&s);
    else
        print_short(&s);
    return cli_finish("list", CLI_OK);
}
