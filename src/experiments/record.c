// SPDX-License-Identifier: MIT
// Records to bytes and back (record.h): one visitor for both directions.
#include "experiments/record.h"

#include <stdlib.h>
#include <string.h>

#include "io/io_words.h"
#include "io/io_text.h"

enum { WORD = 8, HEAD_WORDS = 4, SCORE_WORDS = 7 + EXP_MAX_COUNTERS };

// ---- storage ----

lgkt_status exp_record_create(exp_record *record, const exp_stage *stage, lgkt_error *error)
{
    const size_t learners = (size_t)stage->setup.learner_count;
    const size_t points = learners * (size_t)stage->setup.checkpoint_count;
    *record = (exp_record){.scores = calloc(learners, sizeof(exp_score)),
                           .curve = calloc(points, sizeof(double))};
    if (record->scores != NULL && record->curve != NULL)
        return LGKT_OK;
    exp_record_free(record);
    return io_fail(error, LGKT_ERR_NO_MEMORY, "no memory for a record of %zu runs", learners);
}

void exp_record_free(exp_record *record)
{
    free(record->scores);
    free(record->curve);
    *record = (exp_record){0};
}

static double value_at(const exp_point *point, exp_metric metric)
{
    switch (metric) {
    case EXP_METRIC_CUMULATIVE:
        return point->observed;
    case EXP_METRIC_REGRET:
        return point->regret;
    default:
        return point->expected;
    }
}

void exp_record_take(exp_record *record, const exp_stage *stage, const exp_outcome *outcome)
{
    const size_t learners = (size_t)stage->setup.learner_count;
    const size_t points = learners * (size_t)stage->setup.checkpoint_count;
    record->optimum = outcome->optimum;
    record->random = outcome->random;
    memcpy(record->scores, outcome->scores, learners * sizeof *record->scores);
    for (size_t i = 0; i < points; i++)
        record->curve[i] = value_at(&outcome->points[i], stage->panel->metric);
}

// ---- bytes ----

// Goes along the bytes, from the numbers to them or back.
typedef struct cursor {
    unsigned char *to;         // NULL: reading
    const unsigned char *from; // NULL: writing
} cursor;

static void pass_word(cursor *c, uint64_t *word)
{
    if (c->to != NULL) {
        io_put_u64(c->to, *word);
        c->to += WORD;
    } else {
        *word = io_get_u64(c->from);
        c->from += WORD;
    }
}

static void pass_integer(cursor *c, int64_t *value)
{
    uint64_t word = (uint64_t)*value;
    pass_word(c, &word);
    *value = (int64_t)word;
}

static void pass_real(cursor *c, double *value)
{
    uint64_t word;
    memcpy(&word, value, sizeof word);
    pass_word(c, &word);
    memcpy(value, &word, sizeof word);
}

static void pass_score(cursor *c, exp_score *score)
{
    double *const reals[] = {&score->reward, &score->observed, &score->regret,  &score->seconds,
                             &score->gap,    &score->bound,    &score->distance};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        pass_real(c, reals[i]);
    for (int i = 0; i < EXP_MAX_COUNTERS; i++)
        pass_integer(c, &score->counters[i]);
}

static void pass_record(cursor *c, exp_record *record, const exp_stage *stage)
{
    const int32_t learners = stage->setup.learner_count;
    pass_integer(c, &record->panel);
    pass_integer(c, &record->instance);
    pass_real(c, &record->optimum);
    pass_real(c, &record->random);
    for (int32_t l = 0; l < learners; l++)
        pass_score(c, &record->scores[l]);
    for (int64_t i = 0; i < (int64_t)learners * stage->setup.checkpoint_count; i++)
        pass_real(c, &record->curve[i]);
}

size_t exp_record_size(const exp_stage *stage)
{
    const size_t per_learner = SCORE_WORDS + (size_t)stage->setup.checkpoint_count;
    return WORD * (HEAD_WORDS + (size_t)stage->setup.learner_count * per_learner);
}

void exp_record_pack(const exp_record *record, const exp_stage *stage, unsigned char *bytes)
{
    // writing changes nothing, but the visitor is one for both directions
    exp_record copy = *record;
    pass_record(&(cursor){.to = bytes}, &copy, stage);
}

void exp_record_unpack(exp_record *record, const exp_stage *stage, const unsigned char *bytes)
{
    pass_record(&(cursor){.from = bytes}, record, stage);
}

bool exp_record_place(const unsigned char *bytes, size_t size, const exp_stage *stages,
                      int32_t stage_count, int32_t *panel, int64_t *instance)
{
    if (size < WORD * HEAD_WORDS)
        return false;
    cursor c = {.from = bytes};
    int64_t p = 0, i = 0;
    pass_integer(&c, &p);
    pass_integer(&c, &i);
    if (p < 0 || p >= stage_count || i < 0 || i >= stages[p].setup.replicates ||
        size != exp_record_size(&stages[p]))
        return false;
    *panel = (int32_t)p;
    *instance = i;
    return true;
}
