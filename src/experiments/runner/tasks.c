// SPDX-License-Identifier: MIT
// Panels into tasks, tasks into records (tasks.h).
#define _XOPEN_SOURCE 700 // realpath
#include "experiments/runner/tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/archive.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/number.h"
#include "core/text.h"
#include "io/plain/io_text.h"

// ---- shards ----

lgkt_status exp_shard_parse(const char *text, exp_shard *shard, lgkt_error *error)
{
    exp_shard whole = {.part = 0, .parts = 1};
    const char *at = text;
    bool good = true, more = true;
    // of tasks u = part (mod parts), each further cut deals u div parts
    for (int used = 0; good && more; at += more) {
        char digits[2][8] = {"", ""};
        good = sscanf(at, "%7[0-9]/%7[0-9]%n", digits[0], digits[1], &used) == 2;
        const int64_t part = atol(digits[0]), parts = atol(digits[1]);
        whole.part += (part - 1) * whole.parts;
        whole.parts *= parts;
        at += good ? used : 0;
        more = *at == ':';
        good = good && (more || *at == '\0') && part >= 1 && part <= parts &&
               whole.parts <= EXP_MAX_SHARDS;
    }
    if (!good)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "\"%.*s\" is no shard; it must be like 3/16, the third of 16 parts, or "
                         "3/16:2/4 for a part of it, with at most %d parts in all",
                         (int)lgkt_text_fit(text, 60), text, EXP_MAX_SHARDS);
    *shard = whole;
    return LGKT_OK;
}

void exp_shard_print(exp_shard shard, const char *middle, char text[EXP_SHARD_SIZE])
{
    text[0] = '\0';
    if (shard.parts > 1)
        snprintf(text, EXP_SHARD_SIZE, "%" PRId64 "%s%" PRId64, shard.part + 1, middle,
                 shard.parts);
}

bool exp_shard_has(exp_shard shard, int64_t task)
{
    return shard.parts <= 1 || task % shard.parts == shard.part;
}

int64_t exp_tasks_in(const exp_tasks *tasks, int32_t panel, exp_shard shard)
{
    int64_t count = 0;
    for (int64_t task = tasks->first[panel]; task < tasks->first[panel + 1]; task++)
        count += exp_shard_has(shard, task);
    return count;
}

// ---- the whole ----

lgkt_status exp_tasks_make(exp_tasks *tasks, const exp_asked *asked, lgkt_error *error)
{
    const exp_experiment *experiment = asked->experiment;
    const size_t panels = (size_t)experiment->panel_count;
    *tasks = (exp_tasks){.asked = *asked,
                         .panel_count = experiment->panel_count,
                         .setups = calloc(panels, sizeof(exp_setup)),
                         .first = calloc(panels + 1, sizeof(int64_t))};
    if (tasks->setups == NULL || tasks->first == NULL)
        return lgkt_fail_memory(error, "an experiment");
    for (int32_t p = 0; p < tasks->panel_count; p++) {
        LGKT_TRY(exp_setup_make(&tasks->setups[p], &tasks->asked, &experiment->panels[p], error));
        tasks->first[p + 1] = tasks->first[p] + tasks->setups[p].instances;
    }
    tasks->count = tasks->first[tasks->panel_count];
    return LGKT_OK;
}

void exp_tasks_free(exp_tasks *tasks)
{
    for (int32_t p = 0; p < tasks->panel_count && tasks->setups != NULL; p++)
        exp_setup_free(&tasks->setups[p]);
    free(tasks->setups);
    free(tasks->first);
    *tasks = (exp_tasks){0};
}

lgkt_status exp_tasks_check(const exp_tasks *tasks, exp_shard shard, lgkt_error *error)
{
    const bool known = tasks->asked.experiment->shipped && tasks->asked.prices == NULL;
    lgkt_status status = LGKT_OK;
    for (int32_t p = 0; p < tasks->panel_count && status == LGKT_OK; p++) {
        if (known || exp_tasks_in(tasks, p, shard) == 0)
            continue;
        exp_shared shared;
        status = exp_shared_make(&shared, &tasks->setups[p], error);
        exp_shared_free(&shared, &tasks->setups[p]);
    }
    return status;
}

bool exp_tasks_keep_runs(const exp_tasks *tasks, bool asked_for)
{
    for (int32_t p = 0; p < tasks->panel_count; p++)
        asked_for = asked_for || tasks->setups[p].exact;
    return asked_for;
}

int32_t exp_tasks_panel(const exp_tasks *tasks, int64_t task)
{
    int32_t low = 0, high = tasks->panel_count;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (tasks->first[middle] <= task)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// ---- the first record ----

// The whole path of a folder or file, so that it is found from elsewhere; "" for none. One that is
// no line becomes a dot. NULL when memory is out.
static char *whole_path(const char *path, bool folder)
{
    if (path == NULL || (path[0] == '\0' && !folder))
        return strdup("");
    char *whole = realpath(path[0] != '\0' ? path : ".", NULL);
    if (whole == NULL)
        whole = strdup(path);
    if (whole != NULL && strchr(whole, '\n') != NULL)
        memcpy(whole, ".", 2);
    return whole;
}

unsigned char *exp_head_write(const exp_tasks *tasks, exp_shard shard, size_t *size)
{
    const exp_asked *asked = &tasks->asked;
    const exp_experiment *experiment = asked->experiment;
    const char room[EXP_FRAME_HEAD] = {0};
    char *written = NULL, part[EXP_SHARD_SIZE];
    char *identity = exp_setup_identity(tasks->setups, tasks->panel_count);
    char *folder = whole_path(experiment->folder, true), *prices = whole_path(asked->prices, false);
    if (identity != NULL && folder != NULL && prices != NULL) {
        io_memory text = {0};
        exp_shard_print(shard, "/", part);
        io_memory_write(&text, room, EXP_FRAME_HEAD);
        io_memory_print(&text,
                        EXP_JOURNAL_MAGIC "%s\nfile %s\nfolder %s\nseed %" PRIu64
                                          "\nreplicates %" PRId64
                                          "\nquick %d\nprices %s\nshard %s\n\n",
                        identity, experiment->file != NULL ? experiment->file : experiment->name,
                        folder, asked->seed, asked->replicates, asked->quick, prices, part);
        if (experiment->size > 0)
            io_memory_write(&text, experiment->bytes, experiment->size);
        io_memory_write(&text, room, EXP_FRAME_TAIL);
        written = io_memory_close(&text, size);
    }
    if (written != NULL)
        exp_frame_close((unsigned char *)written, *size - EXP_FRAME);
    free(identity);
    free(folder);
    free(prices);
    return (unsigned char *)written;
}

// what stands behind a word and a blank at the beginning of a line, which it cuts off; NULL if the
// line has another word
static const char *next_line(char **at, const char *word)
{
    char *line = *at, *end = strchr(line, '\n');
    const size_t length = strlen(word);
    if (end == NULL || strncmp(line, word, length) != 0 || line[length] != ' ')
        return NULL;
    *end = '\0';
    *at = end + 1;
    return line + length + 1;
}

lgkt_status exp_head_read(exp_head *head, const char *name, const char *bytes, size_t size,
                          lgkt_error *error)
{
    *head = (exp_head){.text = malloc(size + 1)};
    if (head->text == NULL)
        return lgkt_fail_memory(error, "a record of the journal");
    memcpy(head->text, bytes, size);
    head->text[size] = '\0';
    char *at = strstr(head->text, "\n\n");
    at = at != NULL ? at + 2 : head->text + size;
    static const char *const words[] = {"file",  "folder", "seed", "replicates",
                                        "quick", "prices", "shard"};
    enum { FILE_NAME, FOLDER, SEED, REPLICATES, QUICK, PRICES, SHARD, WORDS };
    const char *said[WORDS];
    bool good = true;
    for (int i = 0; i < WORDS && good; i++)
        good = (said[i] = next_line(&at, words[i])) != NULL;
    if (!good || *at != '\n' || !lgkt_seed_parse(said[SEED], &head->asked.seed) ||
        !lgkt_integer_parse(said[REPLICATES], &head->asked.replicates) ||
        (said[SHARD][0] != '\0' && exp_shard_parse(said[SHARD], &head->shard, NULL) != LGKT_OK)) {
        exp_head_free(head);
        return lgkt_fail(error, LGKT_ERR_FORMAT, "%s: the record of its origin is not readable",
                         name);
    }
    head->asked.quick = strcmp(said[QUICK], "1") == 0;
    head->asked.prices = said[PRICES][0] != '\0' ? said[PRICES] : NULL;
    head->experiment = (exp_experiment){.file = said[FILE_NAME],
                                        .folder = said[FOLDER],
                                        .bytes = at + 1,
                                        .size = size - (size_t)(at + 1 - head->text)};
    return LGKT_OK;
}

void exp_head_free(exp_head *head)
{
    free(head->text);
    *head = (exp_head){0};
}

// ---- records ----

enum { WORD = 8, HEAD = 2 * WORD };
#define FACTS UINT64_MAX // in place of the panel

_Static_assert(sizeof(exp_measured) == (7 + EXP_MAX_COUNTERS) * WORD, "a score is words");

size_t exp_record_size(const exp_tasks *tasks, int32_t panel)
{
    const exp_setup *setup = &tasks->setups[panel];
    return HEAD + 2 * WORD + (size_t)setup->panel->entry_count * sizeof(exp_measured) +
           exp_outcome_points(setup) * WORD;
}

static void visit_facts(lgkt_archive *archive, exp_facts *facts)
{
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    lgkt_visit_bytes(archive, facts->note, EXP_NOTE_SIZE - 1);
    for (int32_t l = 0; l < facts->count && !archive->bad; l++) {
        exp_entry_facts *entry = &facts->entries[l];
        int64_t length = loads ? 0 : (int64_t)strlen(entry->spec);
        lgkt_visit_i64(archive, &length, 1, 0, (int64_t)archive->capacity);
        if (loads && (entry->spec = calloc((size_t)length + 1, 1)) == NULL)
            lgkt_archive_starve(archive);
        if (entry->spec != NULL)
            lgkt_visit_bytes(archive, entry->spec, (size_t)length);
        lgkt_visit_i32(archive, &entry->count, 1, 0, EXP_MAX_COUNTERS);
        for (int32_t i = 0; i < entry->count; i++)
            lgkt_visit_bytes(archive, entry->names[i], EXP_COUNTER_SIZE - 1);
    }
}

static void visit_outcome(lgkt_archive *archive, const exp_setup *setup, exp_outcome *outcome)
{
    lgkt_visit_real(archive, &outcome->optimum, 1);
    lgkt_visit_real(archive, &outcome->random, 1);
    for (int32_t l = 0; l < setup->panel->entry_count; l++) {
        exp_measured *score = &outcome->scores[l];
        double *const numbers[] = {&score->reward,  &score->observed, &score->regret,
                                   &score->seconds, &score->gap,      &score->bound,
                                   &score->distance};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            lgkt_visit_real(archive, numbers[i], 1);
        lgkt_visit_i64(archive, score->counters, EXP_MAX_COUNTERS, INT64_MIN, INT64_MAX);
    }
    lgkt_visit_real(archive, outcome->curve, exp_outcome_points(setup));
}

unsigned char *exp_record_write(const exp_tasks *tasks, int64_t number, const exp_outcome *outcome,
                                exp_facts *facts, size_t *size)
{
    const int32_t panel = outcome != NULL ? exp_tasks_panel(tasks, number) : 0;
    uint64_t words[] = {FACTS, (uint64_t)(number - tasks->count)};
    exp_outcome numbers = {0};
    if (outcome != NULL) {
        words[0] = (uint64_t)panel;
        words[1] = (uint64_t)(number - tasks->first[panel]);
        numbers = *outcome; // which a save leaves as they are
    }
    unsigned char *frame = NULL;
    // once without memory, for the size
    for (int round = 0; round < 2; round++) {
        lgkt_archive archive = lgkt_archive_save(frame != NULL ? frame + EXP_FRAME_HEAD : NULL,
                                                 frame != NULL ? *size - EXP_FRAME : 0);
        lgkt_visit_u64(&archive, words, 2);
        if (outcome != NULL)
            visit_outcome(&archive, &tasks->setups[panel], &numbers);
        else
            visit_facts(&archive, facts);
        *size = EXP_FRAME + archive.at;
        if (round == 0 && (frame = malloc(*size)) == NULL)
            return NULL;
    }
    exp_frame_close(frame, *size - EXP_FRAME);
    return frame;
}

lgkt_status exp_facts_read(exp_facts *facts, const exp_panel *panel, const unsigned char *bytes,
                           size_t size, lgkt_error *error)
{
    lgkt_archive archive = lgkt_archive_load(bytes + HEAD, size - HEAD);
    *facts = (exp_facts){.count = panel->entry_count};
    facts->entries = calloc((size_t)facts->count + 1, sizeof *facts->entries);
    if (facts->entries != NULL)
        visit_facts(&archive, facts);
    if (facts->entries == NULL || archive.starved)
        return lgkt_fail_memory(error, "what is known of a panel");
    return archive.bad || archive.at != archive.capacity
               ? lgkt_fail(error, LGKT_ERR_FORMAT, "what is known of panel %s is damaged",
                           panel->name)
               : LGKT_OK;
}

void exp_record_read(const exp_tasks *tasks, int64_t task, const unsigned char *bytes,
                     exp_outcome *outcome)
{
    const int32_t panel = exp_tasks_panel(tasks, task);
    lgkt_archive archive = lgkt_archive_load(bytes + HEAD, exp_record_size(tasks, panel) - HEAD);
    visit_outcome(&archive, &tasks->setups[panel], outcome);
}

int64_t exp_record_number(const exp_tasks *tasks, const unsigned char *bytes, size_t size)
{
    const uint64_t p = size >= HEAD ? lgkt_get_u64(bytes) : (uint64_t)tasks->panel_count;
    const uint64_t second = size >= HEAD ? lgkt_get_u64(bytes + WORD) : 0;
    if (p == FACTS && second < (uint64_t)tasks->panel_count)
        return tasks->count + (int64_t)second;
    if (p >= (uint64_t)tasks->panel_count || second >= (uint64_t)tasks->setups[p].instances ||
        size != exp_record_size(tasks, (int32_t)p))
        return -1;
    return tasks->first[p] + (int64_t)second;
}

bool exp_record_same(const exp_tasks *tasks, int64_t task, const unsigned char *a, unsigned char *b)
{
    const int32_t panel = exp_tasks_panel(tasks, task);
    for (int32_t l = 0; l < tasks->setups[panel].panel->entry_count; l++) {
        const size_t seconds =
            HEAD + 2 * WORD + (size_t)l * sizeof(exp_measured) + offsetof(exp_measured, seconds);
        memcpy(b + seconds, a + seconds, WORD);
    }
    return memcmp(a, b, exp_record_size(tasks, panel)) == 0;
}
