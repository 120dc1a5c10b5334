// SPDX-License-Identifier: MIT
// The settings of the LGKT family, read by hand.

#include "ref/naive_form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lgkt/spec.h"
#include "ref/spec_read.h"

static naive_profile profile_of(const char *spec, const char *key, naive_profile otherwise)
{
    static const char *const words[] = {"paper", "practical", "released", "root"};
    for (int i = 0; i < 4; i++)
        if (spec_read_choice(spec, key, words[i], false))
            return (naive_profile)i;
    return otherwise;
}

// what the name says
static bool read_name(const char *spec, naive_form *form)
{
    static const struct {
        const char *name;
        naive_form form;
    } names[] = {
        {"lg1t", {.k = 1, .threshold = 0.3}},
        {"lg2t", {.k = 2, .threshold = 0.9}},
        {"lgkt", {.k = 0}},
        {"lg1-2t", {.k = 2, .threshold = 0.9, .two_phases = true}},
        {"lg1-2t-adaptive", {.k = 2, .threshold = 0.9, .two_phases = true, .adaptive = true}},
        {"lg1t-i", {.k = 1, .rising = true, .max_raises = 8}},
        {"lg2t-i", {.k = 2, .rising = true, .max_raises = INFINITY}},
        {"lg1t-uniform", {.k = 1, .threshold = 0.3, .uniform = true}},
        {"lg2t-uniform", {.k = 2, .threshold = 0.9, .uniform = true}},
    };
    char name[32];
    if (lgkt_spec_name(spec, name, sizeof name, NULL) != LGKT_OK)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0) {
            *form = names[i].form;
            return true;
        }
    return false;
}

static void read_profile(const char *spec, naive_form *form)
{
    const bool general = form->k == 0;
    form->profile = profile_of(spec, "profile", general ? NAIVE_PRACTICAL : NAIVE_RELEASED);
    const bool paper = form->profile == NAIVE_PAPER, released = form->profile == NAIVE_RELEASED;
    form->width = spec_read_number(spec, "width", paper ? 3 : 1);
    form->michel = spec_read_choice(spec, "candidates", "michel", false);
    form->by_mean = form->michel || spec_read_choice(spec, "candidates", "mean", false);
    form->one_bonus = spec_read_choice(spec, "bonuses", "one", false);
    form->untried_first = spec_read_choice(spec, "untried", "first", !paper);
    form->index = profile_of(spec, "index", form->profile);
    form->uniform = spec_read_choice(spec, "fallback", "uniform", form->uniform);
    form->ties_high = spec_read_choice(spec, "ties", "high", released);
    form->coin = profile_of(spec, "coin", paper ? NAIVE_PAPER : NAIVE_PRACTICAL);
    form->add_means = spec_read_choice(spec, "continuation", "mean", released);
    form->refresh_always = spec_read_choice(spec, "refresh", "always", !released);
    const bool whole = spec_read_choice(spec, "sampler-data", "all", false) ||
                       spec_read_choice(spec, "sampler", "order", false);
    form->sampler_pair = spec_read_choice(spec, "sampler-scope", "per-pair", paper && !whole);
    form->sampler_all =
        spec_read_choice(spec, "sampler-data", "all", !paper && !form->sampler_pair);
    const double bonus = form->profile == NAIVE_PRACTICAL ? 0.01 : 1;
    form->sampler_bonus = spec_read_number(spec, "sampler-bonus", bonus);
    form->printed = form->two_phases && spec_read_choice(spec, "phases", "printed", paper);
    form->released = released && !form->printed;
    if (form->rising && paper)
        form->max_raises = INFINITY;
}

static double default_gamma(int64_t k)
{
    return 0.3 + 0.6 * (double)(k - 1);
}

static void read_stages(const char *spec, const lgkt_problem *problem, naive_form *form)
{
    if (form->k == 0) {
        form->k = (int64_t)spec_read_number(spec, "k", 2);
        form->threshold = default_gamma(form->k);
    }
    // printed: t <= cutoff is the first phase, else t < cutoff
    double cutoff = spec_read_number(spec, "cutoff", 100) + form->printed;
    if (form->adaptive) {
        cutoff = sqrt((double)problem->states * problem->actions * (double)problem->horizon);
        cutoff = form->printed ? floor(cutoff) + 1 : ceil(cutoff);
    }
    form->threshold =
        spec_read_number(spec, form->two_phases ? "threshold2" : "threshold", form->threshold);
    if (form->two_phases)
        form->stages[form->stage_count++] =
            (naive_stage){.k = 1, .gamma = spec_read_number(spec, "threshold1", 0.3)};
    form->stages[form->stage_count++] = (naive_stage){
        .k = form->k, .start = form->two_phases ? (int64_t)cutoff : 0, .gamma = form->threshold};
}

static void read_numbers(const char *spec, const lgkt_problem *problem, naive_form *form)
{
    form->sampler_threshold = spec_read_number(spec, "sampler-threshold", 0.3);
    form->p = spec_read_number(spec, "p", 0.5);
    form->eta = spec_read_number(spec, "eta", 0.5);
    form->delta = spec_read_number(spec, "delta", 0.1);
    form->max_raises = spec_read_number(spec, "max-raises", form->max_raises);
    form->reward_min =
        spec_read_number(spec, "reward-min", isnan(problem->reward_min) ? 0 : problem->reward_min);
    form->reward_max =
        spec_read_number(spec, "reward-max", isnan(problem->reward_max) ? 1 : problem->reward_max);
    form->reward_sd =
        spec_read_number(spec, "reward-sd", isnan(problem->reward_sd) ? 0.5 : problem->reward_sd);
}

// ---- public ----

bool naive_form_is_staged(const naive_form *form)
{
    return form->stage_count > 1 && !form->printed;
}

bool naive_form_samples_by_order(const naive_form *form)
{
    return strcmp(form->sampler, "order") == 0;
}

bool naive_form_read(const char *spec, const lgkt_problem *problem, naive_form *form)
{
    if (!read_name(spec, form))
        return false;
    read_profile(spec, form);
    read_stages(spec, problem, form);
    read_numbers(spec, problem, form);
    form->k = form->stages[form->stage_count - 1].k;
    const char *sampler = form->profile == NAIVE_RELEASED ? "order"
                          : form->k == 2                  ? "ucb"
                                                          : "ucbvi";
    if (form->k > 1 && !spec_read_text(spec, "sampler", form->sampler, sizeof form->sampler))
        strcpy(form->sampler, sampler);
    // what does not go together
    const bool order = naive_form_samples_by_order(form);
    return !(form->k > 2 && (order || form->profile == NAIVE_RELEASED)) &&
           !(form->sampler_pair && form->sampler_all) && form->reward_min <= form->reward_max;
}
