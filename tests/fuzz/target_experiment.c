// SPDX-License-Identifier: MIT
// Any bytes as an experiment file. What is read is sound: everything is there, within its range,
// and what must differ does.

#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

#include "core/number.h"
#include "experiments/runner/experiment.h"
#include "experiments/runner/instance.h"

static void check_times(const int64_t *times, int32_t count, int32_t most)
{
    FUZZ_CHECK(count >= 0 && count <= most);
    for (int32_t i = 0; i < count; i++)
        FUZZ_CHECK(times[i] > (i > 0 ? times[i - 1] : 0));
}

// Names and texts are within their limits, and what is a number reads back as it.
static void check_cell(const exp_cell *cell, const char *label)
{
    FUZZ_CHECK(label[0] != '\0' && strlen(label) <= 64);
    if (cell == NULL)
        return;
    FUZZ_CHECK(cell->grid[0] != '\0' && cell->count >= 1 && cell->count <= 16);
    for (int32_t i = 0; i < cell->count; i++) {
        const exp_value *value = &cell->values[i];
        double number;
        FUZZ_CHECK(value->name[0] != '\0' && strlen(value->name) <= 16);
        FUZZ_CHECK(value->text[0] != '\0' && strlen(value->text) <= 64);
        FUZZ_CHECK(isnan(value->number) ||
                   (lgkt_number_parse(value->text, &number) && number == value->number));
    }
}

static void check_panel(const exp_panel *panel)
{
    FUZZ_CHECK(panel->name[0] != '\0' && panel->env[0] != '\0' && panel->title != NULL);
    FUZZ_CHECK(panel->horizon >= 1 && panel->horizon <= EXP_MAX_HORIZON);
    FUZZ_CHECK(panel->instances >= 1 && panel->quick_instances <= panel->instances);
    FUZZ_CHECK(panel->measure_count >= 1 && panel->measure_count <= EXP_MAX_MEASURES);
    for (int32_t m = 0; m < panel->measure_count; m++) {
        const exp_measure *measure = &panel->measures[m];
        const bool named =
            measure->kind == EXP_MEASURE_COUNTER || measure->kind == EXP_MEASURE_EVENT;
        FUZZ_CHECK(named == (measure->name != NULL) && (!named || measure->name[0] != '\0'));
        FUZZ_CHECK(measure->kind != EXP_MEASURE_REGRET || panel->regret_k >= 1);
        FUZZ_CHECK(measure->kind != EXP_MEASURE_RATIO || panel->measure_count == 1);
    }
    check_cell(panel->cell, panel->name);
    check_times(panel->compare, panel->compare_count, EXP_MAX_COMPARE);
    check_times(panel->given_times, panel->given_count, EXP_MAX_TIMES);
    FUZZ_CHECK(panel->entry_count >= 1 && panel->entry_count <= EXP_MAX_LEARNERS);
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const exp_entry *entry = &panel->entries[l];
        FUZZ_CHECK(entry->spec[0] != '\0' && entry->group != NULL && entry->section != NULL);
        check_cell(entry->cell, entry->label);
        for (int32_t m = 0; m < l; m++)
            FUZZ_CHECK(strcmp(entry->label, panel->entries[m].label) != 0);
    }
}

void fuzz_experiment(const uint8_t *data, size_t size)
{
    exp_experiment experiment;
    lgkt_error error = {0};
    const lgkt_status status =
        exp_experiment_parse(&experiment, (const char *)data, size, "in/put.json", &error);
    fuzz_check_outcome(status, &error);
    FUZZ_CHECK((status == LGKT_OK) == (experiment.panel_count > 0));
    for (int32_t p = 0; p < experiment.panel_count; p++) {
        check_panel(&experiment.panels[p]);
        for (int32_t q = 0; q < p; q++)
            FUZZ_CHECK(strcmp(experiment.panels[p].name, experiment.panels[q].name) != 0);
    }
    exp_experiment_quicken(&experiment);
    exp_experiment_free(&experiment);
}
