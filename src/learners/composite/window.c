// SPDX-License-Identifier: MIT
// A learner that forgets, for worlds that change: of everything that was seen it knows the last W
// to 2W steps.
//
//   t = 0       a learner starts and acts
//   t = W       a second one starts; both see every step, the elder acts
//   t = 2W      the elder is dropped, the younger takes over and a new one starts; and so on, every
//               W steps
//
// Whoever acts has seen W steps at least, so that nothing is learned from nothing but at the start;
// and what is 2W steps old is known to nobody. A learner within counts its own steps: its clock
// starts at 0, and it is told min(2W, T) as its horizon, since what it learns is of use for no
// longer (a threshold function and a coin get this clock, too). With W >= T it is the learner
// within, bit for bit.
//
// What explain says, and the counters, are those of the learner that acts.
//
// Cost: an observe for the one and a feed for the other, and the making of a learner every W steps.
// Memory: three times that of the learner. Two pieces of memory are taken at creation, each as
// large as a learner is when it is made, and new ones are made there: where all states are known no
// step takes memory, unless the learner within does, or late reports of units bring it more steps
// than it was told. The third one is never used; it holds the
// tables that all of them share.

#include "learners/front/learner_private.h"

#include <stddef.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"

// the default of W: so many steps per pair of state and action, and LEAST at least
#define PER_PAIR 40
#define LEAST    1000

typedef struct window_settings {
    const char *of;
    int64_t steps;
} window_settings;

// ---- memory for one learner ----

// Hands out its bytes one after the other and takes them back all at once. What does not fit comes
// from `outer`, behind its size.
typedef struct piece {
    lgkt_allocator outer;
    unsigned char *bytes; // (capacity)
    size_t capacity, used;
    size_t asked;   // of it since it was empty
    size_t outside; // bytes from outer
} piece;

#define UNIT sizeof(max_align_t)

static void *piece_alloc(void *ctx, size_t size)
{
    piece *p = ctx;
    const size_t rounded = (size + UNIT - 1) / UNIT * UNIT;
    if (rounded < size)
        return NULL;
    p->asked += rounded;
    if (rounded <= p->capacity - p->used) {
        p->used += rounded;
        return p->bytes + p->used - rounded;
    }
    unsigned char *memory = p->outer.alloc(p->outer.ctx, rounded + UNIT);
    if (memory == NULL)
        return NULL;
    memcpy(memory, &rounded, sizeof rounded);
    p->outside += rounded + UNIT;
    return memory + UNIT;
}

static void piece_free(void *ctx, void *memory)
{
    piece *p = ctx;
    const uintptr_t at = (uintptr_t)memory, from = (uintptr_t)p->bytes;
    if (p->bytes != NULL && at >= from && at - from < p->capacity)
        return;
    unsigned char *start = (unsigned char *)memory - UNIT;
    size_t rounded;
    memcpy(&rounded, start, sizeof rounded);
    p->outside -= rounded + UNIT;
    p->outer.free(p->outer.ctx, start);
}

// ---- the learners ----

typedef struct one {
    lgkt_learner *learner; // NULL: there is none
    int64_t born;
    piece *memory;
} one;

typedef struct window {
    int64_t steps;         // W
    int64_t turns;         // W has passed so often
    one elder, younger;    // who acts, and who takes over
    one next;              // ready for the next turn, where states become known one by one
    lgkt_learner *pattern; // what all are like
    piece memories[3];
    size_t track_size;    // of one of them
    unsigned char *begun; // (track_size) the track of one that begins
} window;

static lgkt_learner *make_learner(lgkt_learner *parent, piece *memory, lgkt_error *error)
{
    const window *w = parent->self;
    const lgkt_allocator allocator = {piece_alloc, piece_free, memory};
    lgkt_nesting nesting = {.problem = w->pattern->problem,
                            .like = w->pattern,
                            .steered = true,
                            .spare = true,
                            .allocator = &allocator};
    nesting.problem.states = parent->problem.states;
    lgkt_learner *made = NULL;
    memory->used = memory->asked = 0;
    if (lgkt_nested_create(parent, w->pattern->spec, &nesting, &made, error) != LGKT_OK)
        return NULL;
    made->rng = parent->rng;
    // as much room as there is here, so that all grow together
    if (lgkt_learner_reserve(made, parent->capacity, error) == LGKT_OK)
        return made;
    lgkt_learner_destroy(made);
    return NULL;
}

// The younger takes over, and a new one starts at step `born`. Where there is no younger one it is
// the first turn, or memory was out at the last: then it only starts.
static lgkt_status turn(lgkt_learner *learner, int64_t born)
{
    window *w = learner->self;
    if (w->younger.learner != NULL) {
        const one last = w->elder;
        lgkt_learner_destroy(last.learner);
        w->elder = w->younger;
        w->younger = (one){.memory = last.memory};
        lgkt_nested_begin(w->elder.learner);
    }
    w->younger.born = born;
    if (w->next.learner != NULL) {
        const one spare = w->younger;
        w->younger = (one){w->next.learner, born, w->next.memory};
        w->next = (one){.memory = spare.memory};
    } else {
        w->younger.learner = make_learner(learner, w->younger.memory, NULL);
    }
    return w->younger.learner != NULL ? LGKT_OK : LGKT_ERR_NO_MEMORY;
}

// Turns that are due: one, or, within a learner that seldom asks, several. Of these the last two
// leave nothing of what was.
LGKT_COLD static lgkt_status turn_to(lgkt_learner *learner, int64_t turns)
{
    window *w = learner->self;
    lgkt_status status = LGKT_OK;
    if (turns > w->turns + 2)
        w->turns = turns - 2;
    while (w->turns < turns) {
        const lgkt_status turned = turn(learner, ++w->turns * w->steps);
        status = status == LGKT_OK ? turned : status;
    }
    return status;
}

// The clock of a learner within is set for a call and then put back. It ends with what it was told,
// `least` steps before the end.
static int64_t set_clock(lgkt_learner *learner, const one *o, int64_t least)
{
    const int64_t now = learner->t, last = o->learner->problem.horizon - least;
    learner->t = now - o->born < last ? now - o->born : last;
    return now;
}

// ---- steps ----

// also among some actions: those are lent
static int32_t act(lgkt_learner *learner, int32_t state)
{
    const window *w = learner->self;
    const int64_t now = set_clock(learner, &w->elder, 1);
    const int32_t action = lgkt_nested_act(learner, w->elder.learner, state);
    learner->t = now;
    return action;
}

static lgkt_status feed_one(lgkt_learner *learner, const one *o, double reward, int32_t next_state,
                            bool ended)
{
    if (o->learner == NULL)
        return LGKT_OK;
    const int64_t now = set_clock(learner, o, 0);
    const lgkt_status status = lgkt_nested_feed(learner, o->learner, reward, next_state, ended);
    learner->t = now;
    return status;
}

// what follows when the elder has learned a step
static inline lgkt_status pass_on(lgkt_learner *learner, lgkt_status elder, double reward,
                                  int32_t next_state, bool ended)
{
    const window *w = learner->self;
    const lgkt_status fed = feed_one(learner, &w->younger, reward, next_state, ended);
    const int64_t turns = learner->t / w->steps;
    const lgkt_status turned = turns == w->turns ? LGKT_OK : turn_to(learner, turns);
    return elder != LGKT_OK ? elder : fed != LGKT_OK ? fed : turned;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    const window *w = learner->self;
    const int64_t now = set_clock(learner, &w->elder, 0);
    const lgkt_status status =
        lgkt_nested_observe(learner, w->elder.learner, reward, next_state, ended);
    learner->t = now;
    return pass_on(learner, status, reward, next_state, ended);
}

static lgkt_status feed(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    const window *w = learner->self;
    const lgkt_status status = feed_one(learner, &w->elder, reward, next_state, ended);
    return pass_on(learner, status, reward, next_state, ended);
}

// those that have seen steps
static bool within(const lgkt_learner *learner, size_t i, lgkt_learner **nested)
{
    const window *w = learner->self;
    *nested = i == 0 ? w->elder.learner : w->younger.learner;
    return i < 2;
}

// Where states become known one by one, what is made at a turn has a size of its own.
static bool prepare(lgkt_learner *learner)
{
    window *w = learner->self;
    if (!lgkt_within_prepare(learner))
        return false;
    if (!learner->grows || w->next.learner != NULL || (learner->t + 1) / w->steps == w->turns)
        return true;
    w->next.learner = make_learner(learner, w->next.memory, NULL);
    return w->next.learner != NULL;
}

// ---- reasons, units ----

static bool explain(lgkt_learner *learner, int32_t state, bool copy, lgkt_reason *reasons)
{
    const window *w = learner->self;
    const int64_t now = set_clock(learner, &w->elder, 1);
    const bool done = lgkt_nested_explain(learner, w->elder.learner, state, copy, reasons);
    learner->t = now;
    return done;
}

// When the two were born (-1: there is none), then their own tracks. A unit that was away for a
// turn finds another learner than the one it left, and begins there.
static size_t track(lgkt_learner *learner, lgkt_track_way way, void *bytes)
{
    const window *w = learner->self;
    const size_t size = w->track_size;
    const one *const now[] = {&w->elder, &w->younger};
    int64_t born[2] = {w->elder.born, w->younger.learner != NULL ? w->younger.born : -1};
    const size_t total = sizeof born + 2 * size;
    if (bytes == NULL || size == 0)
        return size > 0 ? total : 0;
    unsigned char *parts = (unsigned char *)bytes + sizeof born;
    if (way == LGKT_TRACK_OUT) {
        memcpy(bytes, born, sizeof born);
        memset(parts, 0, 2 * size);
    } else {
        memcpy(born, bytes, sizeof born);
    }
    for (int i = 0; i < 2 && now[i]->learner != NULL; i++) {
        const int from = born[0] == now[i]->born ? 0 : 1;
        unsigned char *part = born[from] == now[i]->born ? parts + (size_t)from * size : w->begun;
        lgkt_nested_track(now[i]->learner, way, part);
    }
    return total;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, const lgkt_learner *like,
                          lgkt_error *error)
{
    window_settings *set = settings;
    const window *model = like != NULL ? like->self : NULL;
    if (set->steps == LGKT_UNSET_INTEGER) {
        const int64_t steps = PER_PAIR * (int64_t)learner->limit * learner->problem.actions;
        set->steps = steps > LEAST ? steps : LEAST;
    }
    window *w = lgkt_learner_alloc(learner, 1, sizeof *w);
    if (w == NULL)
        return lgkt_fail_memory(error, "a learner");
    learner->self = w;
    w->steps = set->steps;
    learner->may_exceed_horizon = true;
    lgkt_nesting nesting = {.problem = learner->problem,
                            .like = model != NULL ? model->pattern : NULL,
                            .steered = true};
    if (w->steps <= (nesting.problem.horizon - 1) / 2)
        nesting.problem.horizon = 2 * w->steps;
    lgkt_status status = lgkt_nested_create(learner, set->of, &nesting, &w->pattern, error);
    if (status != LGKT_OK)
        return status;
    for (int i = 0; i < 3; i++)
        w->memories[i].outer = learner->allocator;
    w->elder.memory = &w->memories[0];
    w->younger.memory = &w->memories[1];
    w->next.memory = &w->memories[2];
    w->elder.learner = make_learner(learner, w->elder.memory, error);
    if (w->elder.learner == NULL)
        goto out;
    w->track_size = lgkt_nested_track(w->pattern, LGKT_TRACK_OUT, NULL);
    if (w->track_size > 0) {
        w->begun = lgkt_learner_alloc(learner, w->track_size, 1);
        if (w->begun == NULL)
            goto out;
        lgkt_nested_track(w->pattern, LGKT_TRACK_OUT, w->begun);
    }
    if (learner->grows)
        return LGKT_OK;
    // the first has shown how much it takes; it is made again where all others will be
    const size_t size = w->elder.memory->asked;
    lgkt_learner_destroy(w->elder.learner);
    w->elder.learner = NULL;
    for (int i = 0; i < 2; i++) {
        w->memories[i].bytes = lgkt_learner_alloc(learner, size, 1);
        if (w->memories[i].bytes == NULL)
            goto out;
        w->memories[i].capacity = size;
    }
    w->elder.learner = make_learner(learner, w->elder.memory, error);
    if (w->elder.learner != NULL)
        return LGKT_OK;
out:
    return lgkt_fail_memory(error, "a learner");
}

static void destroy(lgkt_learner *learner)
{
    window *w = learner->self;
    lgkt_learner_destroy(w->elder.learner);
    lgkt_learner_destroy(w->younger.learner);
    lgkt_learner_destroy(w->next.learner);
    // any of them may have been in any of these
    for (int i = 0; i < 3; i++)
        lgkt_learner_free(learner, w->memories[i].bytes);
    lgkt_learner_free(learner, w->begun);
    lgkt_learner_destroy(w->pattern);
    lgkt_learner_free(learner, w);
}

static lgkt_status grow(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error)
{
    const window *w = learner->self;
    const lgkt_status status = lgkt_within_grow(learner, before, after, error);
    if (status != LGKT_OK || before == 0 || w->next.learner == NULL)
        return status;
    return lgkt_learner_reserve(w->next.learner, after, error);
}

static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    window *w = learner->self;
    int32_t two = w->younger.learner != NULL;
    lgkt_visit_i64(archive, &w->turns, 1, 0, learner->t / w->steps);
    lgkt_visit_i64(archive, &w->elder.born, 1, 0, learner->t);
    lgkt_nested_visit(learner, w->elder.learner, archive);
    lgkt_visit_i32(archive, &two, 1, 0, 1);
    if (two == 0 || archive->bad)
        return;
    lgkt_visit_i64(archive, &w->younger.born, 1, 0, learner->t);
    if (w->younger.learner == NULL)
        w->younger.learner = make_learner(learner, w->younger.memory, NULL);
    if (w->younger.learner != NULL)
        lgkt_nested_visit(learner, w->younger.learner, archive);
    else
        lgkt_archive_starve(archive);
}

static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const window *w = learner->self;
    const lgkt_counter turns = {"turns", w->turns};
    const int32_t own = lgkt_counters_write(&turns, 1, out, capacity);
    return lgkt_nested_counters(w->elder.learner, own, out, capacity);
}

static size_t nested_bytes(const lgkt_learner *learner, bool shared)
{
    const window *w = learner->self;
    size_t bytes = lgkt_learner_count_bytes(w->pattern, shared);
    for (int i = 0; i < 3; i++)
        bytes += w->memories[i].outside;
    return bytes;
}

static void adopt(lgkt_learner *learner)
{
    const window *w = learner->self;
    w->pattern->parent = learner;
}

// ---- the name ----

static const lgkt_param params[] = {
    LGKT_ROW_TEXT(window_settings, of, "of", "auto",
                  "the learner: any that can be fed, e.g. of=(lg2t:threshold=0.9)"),
    LGKT_ROW_INTEGER(window_settings, steps, "steps", "@40 S A, at least 1000", 1, 1e15,
                     "W: who acts knows the last W to 2W steps"),
};

static const lgkt_entry entry =
    LGKT_ENTRY("window", params, "a learner that forgets, for worlds that change",
               "ours: two learners, each started anew in turn", "three times that of the learner");

static const lgkt_learner_class classes[] = {{
    .entry = &entry,
    .create = create,
    .destroy = destroy,
    .act = act,
    .act_among = act,
    .observe = observe,
    .feed = feed,
    .prepare = prepare,
    .explain = explain,
    .track = track,
    .grow = grow,
    .visit = visit,
    .counters = counters,
    .nested_bytes = nested_bytes,
    .adopt = adopt,
    .within = within,
    .begin = lgkt_within_begin,
    .offer = lgkt_within_offer,
    .visit_track = lgkt_within_visit_track,
    .loaded = lgkt_within_loaded,
}};

const lgkt_learner_family lgkt_family_window = {classes, 1};
