// SPDX-License-Identifier: MIT
// Streaming statistics of a panel (reduce.h), by Welford's moments (statistics.h).
//
// Memory: L C + P L^2 moments and L N numbers for L learners, C checkpoints, P times of comparison
// and N instances.
#include "experiments/reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/io_text.h"

lgkt_status exp_reduction_create(exp_reduction *reduction, const exp_stage *stage,
                                 lgkt_error *error)
{
    const size_t learners = (size_t)stage->setup.learner_count;
    const size_t points = learners * (size_t)stage->setup.checkpoint_count;
    const size_t pairs = (size_t)stage->pair_count * learners * learners;
    *reduction = (exp_reduction){
        .stage = stage,
        .reward = calloc(learners, sizeof(exp_moments)),
        .observed = calloc(learners, sizeof(exp_moments)),
        .curve = calloc(points, sizeof(exp_moments)),
        .pairs = calloc(pairs, sizeof(exp_moments)),
        .finals = calloc(learners * (size_t)stage->setup.replicates, sizeof(double)),
        .seconds = calloc(learners, sizeof(exp_sum)),
        .counters = calloc(learners, sizeof(exp_counters)),
    };
    if (reduction->reward != NULL && reduction->observed != NULL && reduction->curve != NULL &&
        reduction->pairs != NULL && reduction->finals != NULL && reduction->seconds != NULL &&
        reduction->counters != NULL) {
        memcpy(reduction->counters, stage->counters, learners * sizeof *stage->counters);
        return LGKT_OK;
    }
    exp_reduction_free(reduction);
    return io_fail(error, LGKT_ERR_NO_MEMORY, "no memory for the statistics of a panel");
}

void exp_reduction_free(exp_reduction *reduction)
{
    free(reduction->reward);
    free(reduction->observed);
    free(reduction->curve);
    free(reduction->pairs);
    free(reduction->finals);
    free(reduction->seconds);
    free(reduction->counters);
    *reduction = (exp_reduction){0};
}

// ---- adding ----

static exp_moments *pair_of(const exp_reduction *reduction, int32_t at, int32_t learner,
                            int32_t other)
{
    const int64_t count = reduction->stage->setup.learner_count;
    return &reduction->pairs[(at * count + learner) * count + other];
}

static void add_pairs(exp_reduction *reduction, const exp_record *record, int32_t at)
{
    const exp_stage *stage = reduction->stage;
    const int32_t learners = stage->setup.learner_count;
    const int64_t checkpoints = stage->setup.checkpoint_count;
    const double *values = record->curve + stage->pair_places[at];
    for (int32_t l = 0; l < learners; l++)
        for (int32_t m = l + 1; m < learners; m++)
            exp_moments_add(pair_of(reduction, at, l, m),
                            values[l * checkpoints] - values[m * checkpoints]);
}

void exp_reduction_add(exp_reduction *reduction, const exp_record *record)
{
    const exp_stage *stage = reduction->stage;
    const int32_t learners = stage->setup.learner_count;
    const int64_t checkpoints = stage->setup.checkpoint_count, instances = stage->setup.replicates;
    exp_moments_add(&reduction->optimum, record->optimum);
    exp_moments_add(&reduction->random, record->random);
    for (int32_t l = 0; l < learners; l++) {
        const exp_score *score = &record->scores[l];
        exp_moments_add(&reduction->reward[l], score->reward);
        exp_moments_add(&reduction->observed[l], score->observed);
        exp_sum_add(&reduction->seconds[l], score->seconds);
        exp_counters_add(&reduction->counters[l], score->counters);
        reduction->finals[l * instances + record->instance] =
            record->curve[(l + 1) * checkpoints - 1];
    }
    for (int64_t i = 0; i < learners * checkpoints; i++)
        exp_moments_add(&reduction->curve[i], record->curve[i]);
    for (int32_t at = 0; at < stage->pair_count; at++)
        add_pairs(reduction, record, at);
}

// ---- what the tables show ----

exp_moments exp_reduction_final(const exp_reduction *reduction, int32_t learner)
{
    const int64_t checkpoints = reduction->stage->setup.checkpoint_count;
    return reduction->curve[(learner + 1) * checkpoints - 1];
}

exp_moments exp_reduction_pair(const exp_reduction *reduction, int32_t at, int32_t learner,
                               int32_t other)
{
    if (learner < other)
        return *pair_of(reduction, at, learner, other);
    exp_moments moments = *pair_of(reduction, at, other, learner);
    moments.mean = -moments.mean;
    return moments;
}

int32_t exp_reduction_best_other(const exp_reduction *reduction, int32_t learner)
{
    const exp_panel *panel = reduction->stage->panel;
    const double sign = panel->metric == EXP_METRIC_REGRET ? -1.0 : 1.0;
    int32_t best = -1;
    double most = -INFINITY;
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const double mean = sign * exp_reduction_final(reduction, l).mean;
        if (l != learner && !panel->entries[l].oracle && mean > most) {
            best = l;
            most = mean;
        }
    }
    return best;
}

exp_spread exp_reduction_spread(exp_reduction *reduction, int32_t learner)
{
    const int64_t n = reduction->stage->setup.replicates;
    return exp_spread_of(reduction->finals + learner * n, n,
                         reduction->stage->panel->metric == EXP_METRIC_REGRET);
}
