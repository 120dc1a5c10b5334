// SPDX-License-Identifier: MIT
// Sarsa(lambda) on records, with tile coding (Sutton and Barto, Reinforcement Learning, 2nd ed. 2018,
// sections 9.5.4, 10.1 and 12.7).
//
// `tilings` grids lie over the numbers of a record, each with `tiles` parts of the range of a number
// and one more, since grid i begins (2 d + 1) i / tilings parts before the range of number d. A record
// is in one tile of each grid; Q(x,a) is the sum of their weights for action a. A tile with its
// action has a place among `weights` by a hash, which several may share. Where a number is missing
// that is a part of its own, and so is each category.
//
// After a step (x, a, r, y), a' what will be played in y, drawn now and kept:
//
//   d = r + discount Q(y,a') - Q(x,a)
//   w += step / tilings * (discount trace)^k d   for the tiles of the pair k steps back, each by its
//                                                last visit alone (replacing traces), k < LENGTH
//
// With probability epsilon the action is any, else one with the highest Q, ties drawn. Weights begin
// at 0. Where the run is cut the trace ends, and nothing is learned; with cut=zero it is the end of
// an episode, with Q(y,.) = 0.
//
// Ranges are those told in `low` and `high`, beyond which the end tiles go on. Where none are told
// they grow: a number beyond its range moves that end to twice the distance from the other one, and
// the tiles with it; what was learned stays with the tiles.
//
// What explain says: value = Q. Where the action to come is drawn, that one is certain.
//
// Cost: O(tilings (dims + A + LENGTH)) per step. Memory: 16 bytes per weight.

#include "learners/front/learner_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "learners/front/best_action.h"

enum { LENGTH = 64 };
enum { CUT_SKIP, CUT_ZERO };

// values are clipped here: far beyond all that rewards lead to
#define MOST_VALUE 1e120

typedef struct sarsa_settings {
    int64_t tilings, tiles, weights;
    double step, epsilon, discount, trace;
    int cut;
    const char *low, *high;
} sarsa_settings;

typedef struct sarsa_tiles {
    sarsa_settings set;
    bool told;                // the ranges are
    int64_t dims, remembered; // of a record; tiles of all pairs that the trace holds
    double *low, *high;       // (dims) low is above high where nothing was seen
    double *weight;           // (weights)
    int64_t *last;            // (weights) when it was last visited, counted in steps learned from
    int64_t
        *visited;   // (LENGTH, tilings) tiles of the last steps; the newest is at clock mod LENGTH
    int64_t clock;  // steps learned from
    int64_t length; // steps that the trace holds, less than LENGTH
    int32_t kept;   // action for the record at hand, or -1
    uint64_t *tile; // (tilings) of the record at hand
    double *values; // (A)
} sarsa_tiles;

// ---- tiles ----

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

// the part of a grid that number d of a record is in
static uint64_t part_of(const lgkt_learner *learner, double x, int32_t d, int64_t tiling)
{
    const sarsa_tiles *s = learner->self;
    if (isnan(x))
        return UINT64_MAX;
    if (learner->records->kinds[d].type != LGKT_KIND_NUMBER)
        return (uint64_t)x;
    const double size = s->high[d] / 2 - s->low[d] / 2; // half of it, which never overflows
    const double place = size > 0 ? (x / 2 - s->low[d] / 2) / size : 0;
    const double within = place > 0 ? place < 1 ? place : 1 : 0;
    const double offset = (double)((2 * d + 1) * tiling % s->set.tilings) / (double)s->set.tilings;
    return (uint64_t)(within * (double)s->set.tiles + offset);
}

// the tiles of a record, without an action
static void find_tiles(const lgkt_learner *learner, int32_t state)
{
    const sarsa_tiles *s = learner->self;
    const double *x = lgkt_learner_record(learner, state);
    for (int64_t i = 0; i < s->set.tilings; i++) {
        uint64_t hash = mix(0, (uint64_t)i);
        for (int32_t d = 0; d < learner->records->dims; d++)
            hash = mix(hash, part_of(learner, x[d], d, i));
        s->tile[i] = hash;
    }
}

// where the weight of a tile with an action is
static size_t place_of(const sarsa_tiles *s, int64_t tiling, int32_t action)
{
    return (size_t)(mix(s->tile[tiling], (uint64_t)action) % (uint64_t)s->set.weights);
}

// Q of the record whose tiles were found last
static double value_of(const sarsa_tiles *s, int32_t action)
{
    double sum = 0;
    for (int64_t i = 0; i < s->set.tilings; i++)
        sum += s->weight[place_of(s, i, action)];
    return sum;
}

static lgkt_action_values values_of(const lgkt_learner *learner, int32_t state)
{
    const sarsa_tiles *s = learner->self;
    find_tiles(learner, state);
    for (int32_t a = 0; a < learner->problem.actions; a++)
        s->values[a] = value_of(s, a);
    return (lgkt_action_values){.at = s->values, .stride = 1, .count = learner->problem.actions};
}

// moves the ends of ranges that a record is beyond
static void widen(const lgkt_learner *learner, int32_t state)
{
    const sarsa_tiles *s = learner->self;
    const double *x = lgkt_learner_record(learner, state);
    for (int32_t d = 0; d < learner->records->dims && !s->told; d++) {
        if (isnan(x[d]))
            continue;
        if (s->low[d] > s->high[d])
            s->low[d] = s->high[d] = x[d];
        else if (x[d] > s->high[d])
            s->high[d] = fmin(LGKT_MAX_NUMBER, x[d] + (x[d] - s->low[d]));
        else if (x[d] < s->low[d])
            s->low[d] = fmax(-LGKT_MAX_NUMBER, x[d] - (s->high[d] - x[d]));
    }
}

// ---- steps ----

static int32_t choose(lgkt_learner *learner, int32_t state, const uint8_t *allowed)
{
    const sarsa_tiles *s = learner->self;
    if (lgkt_rng_bernoulli(&learner->rng, s->set.epsilon))
        return lgkt_draw_among(learner->problem.actions, allowed, &learner->rng);
    const lgkt_action_values values = values_of(learner, state);
    return lgkt_choose_best(&values, allowed, &learner->rng);
}

static bool plays_kept(const lgkt_learner *learner)
{
    const sarsa_tiles *s = learner->self;
    return s->kept >= 0 && lgkt_learner_allows(learner, s->kept);
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    const sarsa_tiles *s = learner->self;
    return plays_kept(learner) ? s->kept : choose(learner, state, learner->allowed);
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const sarsa_tiles *s = learner->self;
    const lgkt_action_values values = values_of(learner, state);
    for (int32_t a = 0; a < values.count; a++)
        reasons[a].value = s->values[a];
    // the action kept is for the record that was observed, which the outermost learner knows
    const lgkt_learner *root = learner;
    while (root->parent != NULL)
        root = root->parent;
    if (plays_kept(learner) && root->next_state >= 0 &&
        lgkt_records_is(learner->records, root->next_state, lgkt_learner_record(learner, state))) {
        lgkt_law_of_action(s->kept, values.count, reasons);
        return true;
    }
    lgkt_law_of_best(&values, learner->allowed, reasons);
    lgkt_law_mix_even(s->set.epsilon, learner->allowed, values.count, reasons);
    return true;
}

// Puts the pair that was played at the head of the trace; returns its Q.
static double remember(lgkt_learner *learner)
{
    sarsa_tiles *s = learner->self;
    find_tiles(learner, learner->state);
    s->clock++;
    s->length += s->length < LENGTH;
    double sum = 0;
    for (int64_t i = 0; i < s->set.tilings; i++) {
        const size_t at = place_of(s, i, learner->action);
        s->visited[s->clock % LENGTH * s->set.tilings + i] = (int64_t)at;
        s->last[at] = s->clock;
        sum += s->weight[at];
    }
    return sum;
}

// Moves the weights of the trace by an error.
static void learn(sarsa_tiles *s, double error)
{
    double change = s->set.step / (double)s->set.tilings * error;
    for (int64_t k = 0; k < s->length; k++, change *= s->set.discount * s->set.trace) {
        const int64_t *visited = s->visited + (s->clock - k) % LENGTH * s->set.tilings;
        for (int64_t i = 0; i < s->set.tilings; i++)
            if (s->last[visited[i]] == s->clock - k) {
                double *weight = &s->weight[visited[i]];
                *weight = fmax(-MOST_VALUE, fmin(MOST_VALUE, *weight + change));
            }
    }
}

static void begin(lgkt_learner *learner)
{
    sarsa_tiles *s = learner->self;
    s->length = 0;
    s->kept = -1;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    sarsa_tiles *s = learner->self;
    widen(learner, learner->state);
    if (ended) {
        if (s->set.cut == CUT_ZERO)
            learn(s, reward - remember(learner));
        begin(learner);
        return LGKT_OK;
    }
    widen(learner, next_state);
    const double before = remember(learner);
    s->kept = choose(learner, next_state, NULL);
    find_tiles(learner, next_state);
    learn(s, reward + s->set.discount * value_of(s, s->kept) - before);
    return LGKT_OK;
}

// ---- life ----

// numbers (dims) of a list a/b/c
static lgkt_status read_ends(const char *key, const char *text, int64_t dims, double *ends,
                             lgkt_error *error)
{
    int64_t count = 0;
    for (const char *at = text; at != NULL; at = strchr(at, '/')) {
        char word[LGKT_NUMBER_SIZE];
        at += *at == '/' && at > text;
        const size_t length = strcspn(at, "/");
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 0, at);
        if (count == dims || !lgkt_number_parse(word, &ends[count]) ||
            !(fabs(ends[count]) <= LGKT_MAX_NUMBER))
            count = dims;
        count++;
    }
    if (count != dims)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "%s=%.60s: it must be %lld numbers, one for each of a record: -1/0/2.5",
                         key, text, (long long)dims);
    return LGKT_OK;
}

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    sarsa_tiles *s = learner->self;
    s->set = *(sarsa_settings *)settings;
    s->dims = learner->records->dims;
    s->remembered = LENGTH * s->set.tilings;
    s->told = s->set.low != NULL;
    learner->feed = NULL;
    if (s->told != (s->set.high != NULL))
        return lgkt_fail(error, LGKT_ERR_SPEC, "low and high go together");
    s->low = lgkt_learner_alloc(learner, (size_t)s->dims, sizeof *s->low);
    s->high = lgkt_learner_alloc(learner, (size_t)s->dims, sizeof *s->high);
    if (s->low == NULL || s->high == NULL)
        return lgkt_fail_memory(error, "ranges");
    for (int64_t d = 0; d < s->dims && !s->told; d++)
        s->low[d] = 1, s->high[d] = -1;
    if (s->told) {
        LGKT_TRY(read_ends("low", s->set.low, s->dims, s->low, error));
        LGKT_TRY(read_ends("high", s->set.high, s->dims, s->high, error));
    }
    for (int64_t d = 0; d < s->dims && s->told; d++)
        if (!(s->low[d] < s->high[d]))
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "low of number %lld is %g, must be below its high %g", (long long)d,
                             s->low[d], s->high[d]);
    return LGKT_OK;
}

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_INTEGER(sarsa_settings, tilings, "tilings", "8", 1, 64, "number of grids"),
    LGKT_ROW_INTEGER(sarsa_settings, tiles, "tiles", "8", 1, 1024, "parts of a range in each grid"),
    LGKT_ROW_INTEGER(sarsa_settings, weights, "weights", "65536", 64, 16777216,
                     "places for weights, which tiles and actions share by a hash"),
    LGKT_ROW_REAL(sarsa_settings, step, "step", "0.5", 0, 1, "step size of all grids together"),
    LGKT_ROW_REAL(sarsa_settings, epsilon, "epsilon", "0.05", 0, 1,
                  "probability of a random action"),
    LGKT_ROW_REAL(sarsa_settings, discount, "discount", "0.99", 0, 1 - 1e-9, "discount"),
    LGKT_ROW_REAL(sarsa_settings, trace, "trace", "0.9", 0, 1, "lambda: how traces fade"),
    LGKT_ROW_CHOICE(sarsa_settings, cut, "cut", "skip", "skip|zero",
                    "what is learned where the run is cut: nothing, or that nothing follows"),
    LGKT_ROW_TEXT(sarsa_settings, low, "low", "@what is seen",
                  "least value of each number of a record: low=-1.2/-0.07"),
    LGKT_ROW_TEXT(sarsa_settings, high, "high", "@what is seen",
                  "highest value of each number of a record: high=0.6/0.07"),
};

static const lgkt_entry names[] = {{
    .name = "sarsa-tiles",
    .summary = "Sarsa(lambda) on records, with tile coding",
    .source = "Sutton and Barto 2018",
    .memory = "O(weights)",
    .params = params,
    .param_count = LGKT_LENGTH(params),
    .traits =
        (LGKT_TRAITS_ALL & ~(uint32_t)(LGKT_TRAIT_STATES | LGKT_TRAIT_FED | LGKT_TRAIT_SHARED)) |
        LGKT_TRAIT_RECORDS,
}};

static const lgkt_field fields[] = {
    {LGKT_ARRAY(sarsa_tiles, low, MADE_ELSEWHERE, REAL)},
    {LGKT_ARRAY(sarsa_tiles, high, MADE_ELSEWHERE, REAL)},
    {LGKT_ARRAY(sarsa_tiles, weight, ONE, REAL), LGKT_TIMES(sarsa_tiles, set.weights)},
    {LGKT_ARRAY(sarsa_tiles, last, ONE, COUNT), LGKT_TIMES(sarsa_tiles, set.weights)},
    {LGKT_ARRAY(sarsa_tiles, visited, ONE, PLACE), LGKT_TIMES(sarsa_tiles, remembered),
     LGKT_BELOW(sarsa_tiles, set.weights)},
    {LGKT_NUMBER(sarsa_tiles, clock, COUNT)},
    {LGKT_NUMBER(sarsa_tiles, length, COUNT)},
    {LGKT_NUMBER(sarsa_tiles, kept, MAYBE_ACTION)},
    {LGKT_ARRAY(sarsa_tiles, tile, ONE, SCRATCH), LGKT_TIMES(sarsa_tiles, set.tilings)},
    {LGKT_ARRAY(sarsa_tiles, values, PER_ACTION, SCRATCH)},
};

static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    sarsa_tiles *s = learner->self;
    if (!s->told) {
        lgkt_visit_f64(archive, s->low, (size_t)s->dims);
        lgkt_visit_f64(archive, s->high, (size_t)s->dims);
    }
    archive->bad |= s->length > LENGTH || s->length > s->clock;
    for (int64_t i = 0; i < s->set.weights; i++)
        archive->bad |= s->last[i] > s->clock || !(fabs(s->weight[i]) <= MOST_VALUE);
}

const lgkt_learner_class lgkt_sarsa_tiles_class = {
    LGKT_SELF(sarsa_tiles, fields),
    LGKT_NAMES(names),
    .takes = LGKT_TAKES_RECORDS,
    .create = create,
    .act = act,
    .observe = observe,
    .explain = explain,
    .unfed = "it learns from the action that it will play next",
    .unpooled = "its trace goes back over one run",
    .begin = begin,
    .visit = visit,
};
