// SPDX-License-Identifier: MIT
// What learners do where nobody tells them about the rewards.

#include "experiments/runner/untold.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "lgkt/spec.h"

enum { MIN, MAX, SD, KEYS };

void exp_untell(lgkt_problem *problem)
{
    problem->reward_min = problem->reward_max = problem->reward_sd = NAN;
}

static const lgkt_entry *entry_of(const char *spec)
{
    const size_t length = strcspn(spec, ":");
    const lgkt_entry *entry;
    for (int32_t i = 0; (entry = lgkt_learner_entry(i)) != NULL; i++)
        if (strlen(entry->name) == length && strncmp(entry->name, spec, length) == 0)
            return entry;
    return NULL;
}

// Returns how many parameters about rewards a learner has, and the values of those that are known:
// that of the spec, or the number that the default ends with. `inner` gets the spec of a learner
// within it, if there is one.
static int find_values(const char *spec, char values[KEYS][32], char inner[256])
{
    static const char *const keys[KEYS] = {"reward-min", "reward-max", "reward-sd"};
    const lgkt_entry *entry = entry_of(spec);
    int count = 0;
    for (int32_t p = 0; entry != NULL && p < entry->param_count; p++) {
        const lgkt_param *param = lgkt_entry_param(entry, p);
        const char *number = param->fallback != NULL ? strrchr(param->fallback, ' ') : NULL;
        double unused;
        char value[256] = "";
        if (lgkt_spec_value(spec, param->name, value, sizeof value, NULL) != LGKT_OK &&
            number != NULL && lgkt_number_parse(number + 1, &unused))
            snprintf(value, sizeof value, "%s", number + 1);
        for (int k = 0; k < KEYS; k++)
            if (strcmp(param->name, keys[k]) == 0) {
                snprintf(values[k], sizeof values[k], "%.31s", value);
                count++;
            }
        if (param->type == LGKT_PARAM_TEXT && inner[0] == '\0' && entry_of(value) != NULL)
            strcpy(inner, value);
    }
    return count;
}

void exp_untold_describe(const char *spec, char text[EXP_UNTOLD_SIZE])
{
    char values[KEYS][32] = {"", "", ""}, inner[256] = "", further[256] = "", means[80] = "";
    int count = find_values(spec, values, inner);
    if (count == 0)
        count = find_values(inner, values, further);
    const bool min = values[MIN][0] != '\0', max = values[MAX][0] != '\0';
    const bool noise = values[SD][0] != '\0';
    if (min && max)
        snprintf(means, sizeof means, "means in [%s, %s]", values[MIN], values[MAX]);
    else if (min || max)
        snprintf(means, sizeof means, "means %s %s", min ? "from" : "up to",
                 values[min ? MIN : MAX]);
    if (min || max || noise)
        snprintf(text, EXP_UNTOLD_SIZE, "assumes %s%s%s%s%s", means,
                 means[0] != '\0' && noise ? " and " : "", noise ? "noise " : "", values[SD],
                 min + max + noise < count ? ", else uses what it sees" : "");
    else
        snprintf(text, EXP_UNTOLD_SIZE, "%s", count > 0 ? "uses what it sees" : "needs no range");
}
