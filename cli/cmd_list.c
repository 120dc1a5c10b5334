// SPDX-License-Identifier: MIT
// lgkt list: the registries of learners and environments, in four forms. docs/settings.md is the
// markdown form.
//
// The memory of a learner is measured: one is made, then a second one like it. What the second one
// takes is its own, what it does not take again is shared. Counted is what they ask of their
// allocator.

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "core/text.h"
#include "io/plain/io_json.h"
#include "lgkt/env.h"
#include "lgkt/learner.h"
#include "lgkt/spec.h"

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
static bool is_selected(const cli_settings *s, const section *part, const lgkt_entry *entry)
{
    bool selected = s->words.count == 0;
    for (int w = 0; w < s->words.count; w++)
        selected = selected || strcmp(s->words.items[w], part->word) == 0 ||
                   strcmp(s->words.items[w], entry->name) == 0;
    return selected;
}

// ---- one parameter in words ----

static bool is_number(const lgkt_param *param)
{
    return param->type == LGKT_PARAM_INTEGER || param->type == LGKT_PARAM_REAL;
}

// What is allowed: "1 .. 100", ">= 0", "low, high"; "any" text or number.
static void print_allowed(const lgkt_param *param)
{
    const bool number = is_number(param);
    const bool low = number && param->min > -NO_BOUND, high = number && param->max < NO_BOUND;
    if (param->type == LGKT_PARAM_CHOICE)
        for (const char *c = param->choices; *c != '\0'; c++)
            printf(*c == '|' ? ", " : "%c", *c);
    else if (low && high)
        printf("%.15g .. %.15g", param->min, param->max);
    else if (low || high)
        printf(low ? ">= %.15g" : "<= %.15g", low ? param->min : param->max);
    else
        printf("any");
}

// ---- memory ----

// the problem of the usual size on which it is measured
enum { STATES = 10, ACTIONS = 5, HORIZON = 20000 };

typedef struct memory {
    size_t own;    // bytes of each learner
    size_t shared; // bytes that learners of one spec have in common
} memory;

// room before each piece of memory, for its size
enum { HEAD = sizeof(max_align_t) };

static void *count_alloc(void *ctx, size_t size)
{
    size_t *made = size <= SIZE_MAX - HEAD ? malloc(HEAD + size) : NULL;
    if (made == NULL)
        return NULL;
    *made = size;
    *(size_t *)ctx += size;
    return (char *)made + HEAD;
}

static void count_free(void *ctx, void *bytes)
{
    size_t *made = (void *)((char *)bytes - HEAD);
    *(size_t *)ctx -= *made;
    free(made);
}

// False for an environment, and for a learner that cannot be made with its defaults.
static bool measure(const section *part, const lgkt_entry *entry, memory *bytes)
{
    if (part->entry != lgkt_learner_entry)
        return false;
    char spec[64];
    snprintf(spec, sizeof spec, "synthetic:states=%d,actions=%d", STATES, ACTIONS);
    lgkt_env *env = NULL;
    if (lgkt_env_create(spec, NULL, &env, NULL) != LGKT_OK)
        return false;
    size_t first_bytes = 0, second_bytes = 0;
    lgkt_learner *first = NULL, *second = NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(env, HORIZON);
    config.allocator = (lgkt_allocator){count_alloc, count_free, &first_bytes};
    lgkt_status status = lgkt_learner_create(entry->name, &config, &first, NULL);
    config.allocator.ctx = &second_bytes;
    config.like = first;
    if (status == LGKT_OK)
        status = lgkt_learner_create(entry->name, &config, &second, NULL);
    *bytes = (memory){second_bytes, first_bytes - second_bytes};
    lgkt_learner_destroy(second);
    lgkt_learner_destroy(first);
    lgkt_env_destroy(env);
    return status == LGKT_OK;
}

// "940 bytes", "3.8 kB", "480 kB", "1.2 MB"
static void print_size(size_t bytes)
{
    const double thousands = (double)bytes / (bytes < 1000000 ? 1e3 : 1e6);
    if (bytes < 1000)
        printf("%zu bytes", bytes);
    else
        printf("%.*f %s", thousands < 10.0 ? 1 : 0, thousands, bytes < 1000000 ? "kB" : "MB");
}

// The order, and for learners the size: "O(S A); 1.6 kB for 10 states, ..".
static void print_memory(const section *part, const lgkt_entry *entry)
{
    memory bytes;
    printf("%s", entry->memory);
    if (!measure(part, entry, &bytes))
        return;
    printf("; ");
    print_size(bytes.own);
    if (bytes.shared > 0) {
        printf(" each and ");
        print_size(bytes.shared);
        printf(" shared");
    }
    printf(" for %d states, %d actions and horizon %d", STATES, ACTIONS, HORIZON);
}

// ---- one entry ----

// All about it: for a terminal, or as a section of a page of documentation.
static void print_full(const section *part, const lgkt_entry *entry, bool page)
{
    if (page) {
        printf("\n### `%s`\n\n%s\n\nSource: %s. Memory: ", entry->name, entry->summary,
               entry->source);
    } else {
        printf("%s\n", entry->name);
        cli_print_wrapped(entry->summary, 0, 2, LINE_WIDTH);
        printf("  source: %s\n  memory: ", entry->source);
    }
    print_memory(part, entry);
    // what a learner can do with its defaults: "law, fed, masked"
    const char *name, *before = page ? ". Traits: " : "\n  traits: ";
    for (int32_t i = 0; (name = lgkt_trait_name(i)) != NULL; i++)
        if (entry->traits >> i & 1) {
            printf("%s%s", before, name);
            before = ", ";
        }
    printf(page ? ".\n" : "\n");
    if (page && entry->param_count > 0)
        printf("\n| parameter | default | allowed | meaning |\n| --- | --- | --- | --- |\n");
    for (int32_t i = 0; i < entry->param_count; i++) {
        const lgkt_param *param = lgkt_entry_param(entry, i);
        // a default that is computed stands in parentheses
        const char *fallback = param->fallback != NULL && *param->fallback ? param->fallback : "-";
        const bool computed = fallback[0] == '@';
        printf(page ? "| `%s` | %s%s%s | " : "  %s=%s%s%s  [", param->name, computed ? "(" : "",
               fallback + computed, computed ? ")" : "");
        if (page && param->type == LGKT_PARAM_TEXT)
            printf("text");
        else
            print_allowed(param);
        printf("%s", page ? " | " : "]\n");
        if (page)
            printf("%s |\n", param->help);
        else
            cli_print_wrapped(param->help, 0, 6, LINE_WIDTH);
    }
}

static void write_json(io_json *json, const section *part, const lgkt_entry *entry)
{
    static const char *const types[] = {"integer", "real", "choice", "text"};
    memory bytes;
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_text(json, "name", entry->name);
    io_json_text(json, "summary", entry->summary);
    io_json_text(json, "source", entry->source);
    io_json_text(json, "memory", entry->memory);
    if (measure(part, entry, &bytes)) {
        io_json_open(json, "bytes", IO_JSON_RECORD);
        io_json_integer(json, "own", (int64_t)bytes.own);
        io_json_integer(json, "shared", (int64_t)bytes.shared);
        io_json_integer(json, "states", STATES);
        io_json_integer(json, "actions", ACTIONS);
        io_json_integer(json, "horizon", HORIZON);
        io_json_close(json);
    }
    if (part->entry == lgkt_learner_entry) {
        const char *name;
        io_json_open(json, "traits", IO_JSON_RECORD);
        for (int32_t i = 0; (name = lgkt_trait_name(i)) != NULL; i++)
            io_json_bool(json, name, entry->traits >> i & 1);
        io_json_close(json);
    }
    io_json_open(json, "params", IO_JSON_ARRAY);
    for (int32_t i = 0; i < entry->param_count; i++) {
        const lgkt_param *param = lgkt_entry_param(entry, i);
        const bool computed = param->fallback != NULL && param->fallback[0] == '@';
        io_json_open(json, NULL, IO_JSON_RECORD);
        io_json_text(json, "name", param->name);
        io_json_text(json, "type", types[param->type]);
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
    io_json_close(json);
    io_json_close(json);
}

// ---- the command ----

static const char PAGE_HEAD[] =
    "# Settings\n\n<!-- Generated by `lgkt list --markdown`. Do not edit. -->\n\n"
    "This page is generated by `lgkt list --markdown` from the tables that the library\n"
    "itself reads. A default in parentheses is computed as the words say. Traits are those\n"
    "of a learner with its defaults: the *law* of its next act is always known to `explain`,\n"
    "it can be *fed* steps that others chose, be *shared* by units, be *masked* (leave out\n"
    "actions) and be *grown* (states as keys).\n";

// Whether a word names one entry, not a whole section; a word that is neither is refused.
static lgkt_status check_word(const char *word, bool *one, lgkt_error *error)
{
    char quoted[CLI_QUOTED_SIZE];
    lgkt_hint hint = {.word = word, .size = 100};
    for (int k = 0; k < SECTION_COUNT; k++) {
        lgkt_hint_add(&hint, SECTIONS[k].word);
        for (int32_t j = 0; SECTIONS[k].entry(j) != NULL; j++)
            lgkt_hint_add(&hint, SECTIONS[k].entry(j)->name);
    }
    if (hint.nearest == NULL || strcmp(word, hint.nearest) != 0)
        return lgkt_fail(error, CLI_USAGE, "no learner or environment \"%s\"; %s",
                         cli_quoted(word, quoted), lgkt_hint_text(&hint));
    for (int k = 0; k < SECTION_COUNT; k++)
        *one = *one && strcmp(word, SECTIONS[k].word) != 0;
    return LGKT_OK;
}

lgkt_status cmd_list(cli_settings *s, lgkt_error *error)
{
    bool full = s->words.count > 0; // names that are asked for are shown in full
    for (int w = 0; w < s->words.count; w++)
        LGKT_TRY(check_word(s->words.items[w], &full, error));
    full = full || s->verbose;

    const lgkt_entry *entry;
    int width = 0;
    for (int k = 0; k < SECTION_COUNT; k++)
        for (int32_t i = 0; (entry = SECTIONS[k].entry(i)) != NULL; i++)
            if (is_selected(s, &SECTIONS[k], entry) && (int)strlen(entry->name) > width)
                width = (int)strlen(entry->name);
    io_json json = {.out = stdout};
    if (s->json)
        io_json_open(&json, NULL, IO_JSON_OBJECT);
    else if (s->markdown)
        fputs(PAGE_HEAD, stdout);
    const char *gap = "";
    for (int k = 0; k < SECTION_COUNT; k++) {
        const section *part = &SECTIONS[k];
        bool begun = false;
        if (s->json)
            io_json_open(&json, part->key, IO_JSON_ARRAY);
        else if (s->markdown)
            printf("\n## %s\n", part->title);
        for (int32_t i = 0; (entry = part->entry(i)) != NULL; i++) {
            if (!is_selected(s, part, entry))
                continue;
            if (s->json) {
                write_json(&json, part, entry);
            } else if (full || s->markdown) {
                fputs(s->markdown ? "" : gap, stdout);
                print_full(part, entry, s->markdown);
            } else {
                if (!begun)
                    printf("%s%s\n", gap, part->key);
                printf("  %-*s  %s\n", width, entry->name, entry->summary);
            }
            begun = true;
            gap = "\n";
        }
        if (s->json)
            io_json_close(&json);
    }
    if (s->json)
        io_json_close(&json);
    return LGKT_OK;
}
