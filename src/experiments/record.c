// SPDX-License-Identifier: MIT
// Outcomes to bytes and back.
//
// A record is 64-bit words, little-endian: panel, instance, optimum, value of uniform play; for
// each learner seven numbers and its counters; for each learner its curves, one measure after the
// other. A double is its bits.
#include "experiments/record.h"

#include <string.h>

#include "core/hash.h"

enum { WORD = 8, HEAD_WORDS = 4, SCORE_WORDS = 7 + EXP_MAX_COUNTERS };

size_t exp_record_size(const exp_setup *setup)
{
    return WORD *
           (HEAD_WORDS + SCORE_WORDS * (size_t)setup->learner_count + exp_outcome_points(setup));
}

// Where words go to or, if that is NULL, come from.
typedef struct stream {
    unsigned char *to;
    const unsigned char *from;
} stream;

// the number at `value`, of 8 bytes
static void pass(stream *tape, void *value)
{
    uint64_t word;
    memcpy(&word, value, sizeof word);
    if (tape->to != NULL) {
        lgkt_put_u64(tape->to, word);
        tape->to += WORD;
    } else {
        word = lgkt_get_u64(tape->from);
        tape->from += WORD;
        memcpy(value, &word, sizeof word);
    }
}

// both directions
static void pass_outcome(stream tape, const exp_setup *setup, int64_t panel, int64_t instance,
                         exp_outcome *outcome)
{
    const size_t points = exp_outcome_points(setup);
    pass(&tape, &panel);
    pass(&tape, &instance);
    pass(&tape, &outcome->optimum);
    pass(&tape, &outcome->random);
    for (int32_t l = 0; l < setup->learner_count; l++) {
        exp_score *score = &outcome->scores[l];
        double *const reals[] = {&score->reward, &score->observed, &score->regret,  &score->seconds,
                                 &score->gap,    &score->bound,    &score->distance};
        for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
            pass(&tape, reals[i]);
        for (int i = 0; i < EXP_MAX_COUNTERS; i++)
            pass(&tape, &score->counters[i]);
    }
    for (size_t i = 0; i < points; i++)
        pass(&tape, &outcome->curve[i]);
}

void exp_record_pack(unsigned char *bytes, const exp_setup *setup, int64_t panel, int64_t instance,
                     const exp_outcome *outcome)
{
    exp_outcome view = *outcome; // what is written is left as it is
    pass_outcome((stream){.to = bytes}, setup, panel, instance, &view);
}

void exp_record_unpack(const unsigned char *bytes, const exp_setup *setup, exp_outcome *outcome)
{
    pass_outcome((stream){.from = bytes}, setup, 0, 0, outcome);
}

bool exp_record_place(const unsigned char *bytes, size_t size, uint64_t *panel, uint64_t *instance)
{
    if (size < WORD * HEAD_WORDS)
        return false;
    *panel = lgkt_get_u64(bytes);
    *instance = lgkt_get_u64(bytes + WORD);
    return true;
}
