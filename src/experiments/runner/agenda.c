// SPDX-License-Identifier: MIT
// Panels into units, units into records (agenda.h).
#include "experiments/runner/agenda.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/hash.h"
#include "core/text.h"

// ---- parts ----

// cuts "3/16" from the front
static bool next_cut(const char **text, int64_t *part, int64_t *parts)
{
    char digits[2][8];
    int used = 0;
    if (sscanf(*text, "%7[0-9]/%7[0-9]%n", digits[0], digits[1], &used) != 2)
        return false;
    *text += used;
    *part = atol(digits[0]);
    *parts = atol(digits[1]);
    return *part >= 1 && *part <= *parts && *parts <= EXP_MAX_SHARDS;
}

lgkt_status exp_shard_parse(const char *text, exp_shard *shard, lgkt_error *error)
{
    exp_shard whole = {.part = 0, .parts = 1};
    const char *at = text;
    int64_t part, parts;
    bool good = next_cut(&at, &part, &parts);
    // of units u = part (mod parts), each further cut deals u div parts
    for (; good; good = next_cut(&at, &part, &parts)) {
        whole.part += (part - 1) * whole.parts;
        whole.parts *= parts;
        if (*at != ':' || whole.parts > EXP_MAX_SHARDS)
            break;
        at++;
    }
    if (!good || *at != '\0' || whole.parts > EXP_MAX_SHARDS)
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

bool exp_shard_has(exp_shard shard, int64_t unit)
{
    return shard.parts <= 1 || unit % shard.parts == shard.part;
}

// ---- the whole ----

int64_t exp_asked_instances(const exp_asked *asked, const exp_panel *panel)
{
    if (asked->replicates > 0)
        return asked->replicates;
    return asked->quick ? panel->quick_instances : panel->instances;
}

lgkt_status exp_agenda_make(exp_agenda *agenda, const exp_asked *asked, lgkt_error *error)
{
    const exp_experiment *experiment = asked->experiment;
    const size_t panels = (size_t)experiment->panel_count;
    *agenda = (exp_agenda){.asked = *asked,
                           .panel_count = experiment->panel_count,
                           .stages = calloc(panels, sizeof(exp_stage)),
                           .parts = calloc(panels, sizeof(exp_part)),
                           .first = calloc(panels + 1, sizeof(int64_t))};
    if (agenda->stages == NULL || agenda->parts == NULL || agenda->first == NULL)
        return lgkt_fail_memory(error, "an experiment");
    for (int32_t p = 0; p < agenda->panel_count; p++) {
        const exp_panel *panel = &experiment->panels[p];
        const exp_stage_options options = {
            .instances = exp_asked_instances(asked, panel),
            .seed = asked->seed,
            .prices = asked->prices,
            .files = asked->files,
            .folder = experiment->folder,
            .file = experiment->file,
        };
        const lgkt_status status = exp_stage_make(&agenda->stages[p], panel, &options, error);
        if (status != LGKT_OK)
            return status;
        agenda->first[p + 1] = agenda->first[p] + options.instances;
        agenda->parts[p] =
            (exp_part){panel->name, &agenda->stages[p].setup, &agenda->stages[p].cast};
    }
    agenda->units = agenda->first[agenda->panel_count];
    exp_stage_prices(agenda->stages, agenda->panel_count, asked->prices, agenda->prices);
    agenda->identity = exp_stage_identity(experiment->name, agenda->stages, agenda->panel_count,
                                          asked->seed, agenda->prices);
    return agenda->identity != NULL ? LGKT_OK : lgkt_fail_memory(error, "an experiment");
}

void exp_agenda_free(exp_agenda *agenda)
{
    for (int32_t p = 0; p < agenda->panel_count && agenda->stages != NULL; p++)
        exp_stage_free(&agenda->stages[p]);
    free(agenda->stages);
    free(agenda->parts);
    free(agenda->first);
    free(agenda->identity);
    *agenda = (exp_agenda){0};
}

bool exp_agenda_keeps_runs(const exp_agenda *agenda, bool asked_for)
{
    for (int32_t p = 0; p < agenda->panel_count; p++)
        asked_for = asked_for || agenda->stages[p].setup.exact;
    return asked_for;
}

int32_t exp_agenda_panel(const exp_agenda *agenda, int64_t unit)
{
    return exp_part_of(agenda->first, agenda->panel_count, unit);
}

// ---- records ----

enum { WORD = 8, HEAD = 2 * WORD };

_Static_assert(sizeof(exp_score) == (7 + EXP_MAX_COUNTERS) * WORD, "a score is words");

size_t exp_record_size(const exp_agenda *agenda, int32_t panel)
{
    const exp_setup *setup = &agenda->stages[panel].setup;
    return HEAD + 2 * WORD + (size_t)setup->learner_count * sizeof(exp_score) +
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
    const size_t scores = (size_t)setup->learner_count * sizeof(exp_score) / WORD;
    bytes = pass(bytes + HEAD, writing, &outcome->optimum, 1);
    bytes = pass(bytes, writing, &outcome->random, 1);
    bytes = pass(bytes, writing, outcome->scores, scores);
    pass(bytes, writing, outcome->curve, exp_outcome_points(setup));
}

void exp_record_write(const exp_agenda *agenda, int64_t unit, const exp_outcome *outcome,
                      unsigned char *bytes)
{
    const int32_t panel = exp_agenda_panel(agenda, unit);
    exp_outcome numbers = *outcome;
    lgkt_put_u64(bytes, (uint64_t)panel);
    lgkt_put_u64(bytes + WORD, (uint64_t)(unit - agenda->first[panel]));
    pass_outcome(bytes, true, &agenda->stages[panel].setup, &numbers);
}

void exp_record_read(const exp_agenda *agenda, int64_t unit, const unsigned char *bytes,
                     exp_outcome *outcome)
{
    const exp_setup *setup = &agenda->stages[exp_agenda_panel(agenda, unit)].setup;
    pass_outcome((unsigned char *)bytes, false, setup, outcome); // which are left as they are
}

int64_t exp_record_unit(const exp_agenda *agenda, const unsigned char *bytes, size_t size)
{
    const uint64_t p = size >= HEAD ? lgkt_get_u64(bytes) : UINT64_MAX;
    const uint64_t instance = size >= HEAD ? lgkt_get_u64(bytes + WORD) : 0;
    if (p >= (uint64_t)agenda->panel_count ||
        instance >= (uint64_t)agenda->stages[p].setup.replicates ||
        size != exp_record_size(agenda, (int32_t)p))
        return -1;
    return agenda->first[p] + (int64_t)instance;
}

bool exp_record_same(const exp_agenda *agenda, int64_t unit, const unsigned char *a,
                     const unsigned char *b)
{
    const int32_t panel = exp_agenda_panel(agenda, unit);
    const size_t size = exp_record_size(agenda, panel);
    const size_t learners = (size_t)agenda->stages[panel].setup.learner_count;
    size_t at = 0;
    bool same = true;
    for (size_t l = 0; l < learners && same; l++) {
        const size_t seconds =
            HEAD + 2 * WORD + l * sizeof(exp_score) + offsetof(exp_score, seconds);
        same = memcmp(a + at, b + at, seconds - at) == 0;
        at = seconds + WORD;
    }
    return same && memcmp(a + at, b + at, size - at) == 0;
}
