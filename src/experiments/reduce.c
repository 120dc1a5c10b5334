// SPDX-License-Identifier: MIT
// Records to bytes and back, and streaming statistics of a panel by Welford's moments
// (statistics.h).
//
// A record is 64-bit words, little-endian: panel, instance, optimum, value of uniform play; for
// each learner seven numbers and its counters; for each learner its curve. A double is its bits.
//
// Memory of a reduction: L C + P L^2 moments and L N numbers for L learners, C checkpoints, P times
// of comparison and N instances.
#include "experiments/reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/hash.h"

enum { WORD = 8, HEAD_WORDS = 4, SCORE_WORDS = 7 + EXP_MAX_COUNTERS };

// ---- records ----

static size_t record_size(const exp_stage *stage)
{
    const size_t per_learner = SCORE_WORDS + (size_t)stage->setup.checkpoint_count;
    return WORD * (HEAD_WORDS + (size_t)stage->setup.learner_count * per_learner);
}

lgkt_status exp_record_create(exp_record *record, const exp_stage *stage, lgkt_error *error)
{
    const size_t learners = (size_t)stage->setup.learner_count;
    const size_t points = learners * (size_t)stage->setup.checkpoint_count;
    *record = (exp_record){.scores = calloc(learners, sizeof(exp_score)),
                           .curve = calloc(points, sizeof(double)),
                           .size = record_size(stage)};
    record->bytes = calloc(record->size, 1);
    if (record->scores != NULL && record->curve != NULL && record->bytes != NULL)
        return LGKT_OK;
    exp_record_free(record);
    return lgkt_fail_memory(error, "a record of the journal");
}

void exp_record_free(exp_record *record)
{
    free(record->scores);
    free(record->curve);
    free(record->bytes);
    *record = (exp_record){0};
}

void exp_record_take(exp_record *record, const exp_stage *stage, const exp_outcome *outcome)
{
    const size_t learners = (size_t)stage->setup.learner_count;
    const exp_measure_kind main = stage->panel->measures[0].kind;
    record->optimum = outcome->optimum;
    record->random = outcome->random;
    memcpy(record->scores, outcome->scores, learners * sizeof *record->scores);
    for (size_t i = 0; i < learners * (size_t)stage->setup.checkpoint_count; i++) {
        const exp_point *point = &outcome->points[i];
        record->curve[i] = main == EXP_MEASURE_CUMULATIVE ? point->observed
                           : main == EXP_MEASURE_REGRET   ? point->regret
                                                          : point->expected;
    }
}

// one visitor for both directions: the number at `value`, of 8 bytes, to the bytes or back
static void pass(unsigned char **at, bool writing, void *value)
{
    uint64_t word;
    memcpy(&word, value, sizeof word);
    if (writing)
        lgkt_put_u64(*at, word);
    else
        word = lgkt_get_u64(*at);
    memcpy(value, &word, sizeof word);
    *at += WORD;
}

static void pass_record(exp_record *record, const exp_stage *stage, bool writing)
{
    const int32_t learners = stage->setup.learner_count;
    unsigned char *at = record->bytes;
    pass(&at, writing, &record->panel);
    pass(&at, writing, &record->instance);
    pass(&at, writing, &record->optimum);
    pass(&at, writing, &record->random);
    for (int32_t l = 0; l < learners; l++) {
        exp_score *score = &record->scores[l];
        double *const reals[] = {&score->reward, &score->observed, &score->regret,  &score->seconds,
                                 &score->gap,    &score->bound,    &score->distance};
        for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
            pass(&at, writing, reals[i]);
        for (int i = 0; i < EXP_MAX_COUNTERS; i++)
            pass(&at, writing, &score->counters[i]);
    }
    for (int64_t i = 0; i < (int64_t)learners * stage->setup.checkpoint_count; i++)
        pass(&at, writing, &record->curve[i]);
}

void exp_record_pack(exp_record *record, const exp_stage *stage)
{
    pass_record(record, stage, true);
}

void exp_record_unpack(exp_record *record, const exp_stage *stage)
{
    pass_record(record, stage, false);
}

bool exp_record_place(const unsigned char *bytes, size_t size, const exp_stage *stages,
                      int32_t stage_count, int32_t *panel, int64_t *instance)
{
    if (size < WORD * HEAD_WORDS)
        return false;
    const uint64_t p = lgkt_get_u64(bytes), i = lgkt_get_u64(bytes + WORD);
    if (p >= (uint64_t)stage_count || i >= (uint64_t)stages[p].setup.replicates ||
        size != record_size(&stages[p]))
        return false;
    *panel = (int32_t)p;
    *instance = (int64_t)i;
    return true;
}

// ---- reductions ----

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
    return lgkt_fail_memory(error, "the statistics of a panel");
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

static exp_moments *pair_of(const exp_reduction *reduction, int32_t at, int32_t learner,
                            int32_t other)
{
    const int64_t count = reduction->stage->setup.learner_count;
    return &reduction->pairs[(at * count + learner) * count + other];
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
    for (int32_t at = 0; at < stage->pair_count; at++) {
        const double *values = record->curve + stage->pair_places[at];
        for (int32_t l = 0; l < learners; l++)
            for (int32_t m = l + 1; m < learners; m++)
                exp_moments_add(pair_of(reduction, at, l, m),
                                values[l * checkpoints] - values[m * checkpoints]);
    }
}

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
    const double sign = panel->measures[0].kind == EXP_MEASURE_REGRET ? -1.0 : 1.0;
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
                         reduction->stage->panel->measures[0].kind == EXP_MEASURE_REGRET);
}
