// SPDX-License-Identifier: MIT
// Panels into tasks, tasks into records (tasks.h).
#include "experiments/runner/tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/hash.h"
#include "core/text.h"

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

// ---- records ----

enum { WORD = 8, HEAD = 2 * WORD };

_Static_assert(sizeof(exp_measured) == (7 + EXP_MAX_COUNTERS) * WORD, "a score is words");

size_t exp_record_size(const exp_tasks *tasks, int32_t panel)
{
    const exp_setup *setup = &tasks->setups[panel];
    return HEAD + 2 * WORD + (size_t)setup->panel->entry_count * sizeof(exp_measured) +
           exp_outcome_points(setup) * WORD;
}

// `count` words at `values` to the bytes or back; returns what is behind them
static unsigned char *pass(unsigned char *bytes, bool writing, void *values, size_t count)
{
    unsigned char *at = values;
    for (size_t i = 0; i < count; i++, bytes += WORD, at += WORD) {
        uint64_t word;
        memcpy(&word, at, WORD);
        if (writing)
            lgkt_put_u64(bytes, word);
        else
            word = lgkt_get_u64(bytes);
        memcpy(at, &word, WORD);
    }
    return bytes;
}

// all behind panel and instance
static void pass_outcome(unsigned char *bytes, bool writing, const exp_setup *setup,
                         exp_outcome *outcome)
{
    const size_t scores = (size_t)setup->panel->entry_count * sizeof(exp_measured) / WORD;
    bytes = pass(bytes + HEAD, writing, &outcome->optimum, 1);
    bytes = pass(bytes, writing, &outcome->random, 1);
    bytes = pass(bytes, writing, outcome->scores, scores);
    pass(bytes, writing, outcome->curve, exp_outcome_points(setup));
}

void exp_record_write(const exp_tasks *tasks, int64_t task, const exp_outcome *outcome,
                      unsigned char *bytes)
{
    const int32_t panel = exp_tasks_panel(tasks, task);
    exp_outcome numbers = *outcome;
    lgkt_put_u64(bytes, (uint64_t)panel);
    lgkt_put_u64(bytes + WORD, (uint64_t)(task - tasks->first[panel]));
    pass_outcome(bytes, true, &tasks->setups[panel], &numbers);
}

void exp_record_read(const exp_tasks *tasks, int64_t task, const unsigned char *bytes,
                     exp_outcome *outcome)
{
    const exp_setup *setup = &tasks->setups[exp_tasks_panel(tasks, task)];
    pass_outcome((unsigned char *)bytes, false, setup, outcome); // which are left as they are
}

int64_t exp_record_task(const exp_tasks *tasks, const unsigned char *bytes, size_t size)
{
    const uint64_t p = size >= HEAD ? lgkt_get_u64(bytes) : UINT64_MAX;
    const uint64_t instance = size >= HEAD ? lgkt_get_u64(bytes + WORD) : 0;
    if (p >= (uint64_t)tasks->panel_count || instance >= (uint64_t)tasks->setups[p].instances ||
        size != exp_record_size(tasks, (int32_t)p))
        return -1;
    return tasks->first[p] + (int64_t)instance;
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
