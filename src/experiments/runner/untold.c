// SPDX-License-Identifier: MIT
// What learners do where nobody tells them about the rewards.

#include "experiments/runner/untold.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "lgkt/spec.h"

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

// what is known of a parameter: its value, or the number that its default ends with
static bool value_of(const char *spec, const lgkt_param *param, char *value, size_t size)
{
    if (lgkt_spec_value(spec, param->name, value, size, NULL) == LGKT_OK)
        return true;
    const char *number = param->fallback != NULL ? strrchr(param->fallback, ' ') : NULL;
    double unused;
    if (number == NULL || !lgkt_number_parse(number + 1, &unused))
        return false;
    snprintf(value, size, "%s", number + 1);
    return true;
}

// false if the learner has no parameter about rewards; then `inner` (nullable) is the spec of a
// learner within it, if there is one
static bool describe(const char *spec, char text[EXP_UNTOLD_SIZE], char *inner, size_t size)
{
    static const char *const keys[] = {"reward-min", "reward-max", "reward-sd"};
    enum { MIN, MAX, SD, KEYS };
    const lgkt_entry *entry = entry_of(spec);
    char values[KEYS][32] = {"", "", ""}; // empty: not known
    bool seen = false, assumed = false;
    for (int32_t p = 0; entry != NULL && p < entry->param_count; p++) {
        const lgkt_param *param = lgkt_entry_param(entry, p);
        for (int k = 0; k < KEYS; k++)
            if (strcmp(param->name, keys[k]) == 0) {
                const bool known = value_of(spec, param, values[k], sizeof values[k]);
                assumed = assumed || known;
                seen = seen || !known;
            }
        if (inner != NULL && param->type == LGKT_PARAM_TEXT && inner[0] == '\0' &&
            (lgkt_spec_value(spec, param->name, inner, size, NULL) != LGKT_OK ||
             entry_of(inner) == NULL))
            inner[0] = '\0';
    }
    char means[80] = "";
    if (values[MIN][0] != '\0' && values[MAX][0] != '\0')
        snprintf(means, sizeof means, "means in [%s, %s]", values[MIN], values[MAX]);
    else if (values[MIN][0] != '\0' || values[MAX][0] != '\0')
        snprintf(means, sizeof means, "means %s %s", values[MIN][0] != '\0' ? "from" : "up to",
                 values[MIN][0] != '\0' ? values[MIN] : values[MAX]);
    const bool noise = values[SD][0] != '\0';
    if (assumed)
        snprintf(text, EXP_UNTOLD_SIZE, "assumes %s%s%s%s%s", means,
                 means[0] != '\0' && noise ? " and " : "", noise ? "noise " : "", values[SD],
                 seen ? ", else uses what it sees" : "");
    else
        snprintf(text, EXP_UNTOLD_SIZE, "%s", seen ? "uses what it sees" : "needs no range");
    return assumed || seen;
}

void exp_untold_describe(const char *spec, char text[EXP_UNTOLD_SIZE])
{
    char inner[256] = "";
    if (!describe(spec, text, inner, sizeof inner) && inner[0] != '\0')
        describe(inner, text, NULL, 0);
}
