// SPDX-License-Identifier: MIT
// A learner that forgets, for worlds that change: of everything that was seen it knows the last W
// to 2W steps.
//
//   t = 0       a learner starts and acts
//   t = W       a second one starts, the successor; both see every step, the first one acts
//   t = 2W      the first one is dropped, the successor acts from now on, and a new successor
//               starts; and so on, every W steps
//
// The one that acts has seen at least W steps, except at the start, and nothing that is older than
// 2W steps. Each counts its own steps: its clock starts at 0, and it is told min(2W, T) as its
// horizon, since it is dropped after that (a threshold function and a coin get this clock, too).
// With W >= T it is the learner within, bit for bit.
//
// What explain says, and the counters, are those of the learner that acts.
//
// Cost: an observe for the one and a feed for the other, and the making of a learner every W steps.
// Memory: three times that of the learner: the one that acts, the successor, and a pattern that
// never acts and holds the tables that all of them share. Where all states are known, two blocks of
// memory are taken at creation, each as large as a learner is when it is made, and new learners are
// made in them: then no step takes memory, unless the learner within does, or late reports of units
// bring it more steps than it was told. Where states become known one by one, new learners are made
// by `prepare`, before the step at which they are needed, so that a lack of memory is found in time.

#include "learners/front/learner_private.h"

#include <stddef.h>
#include <string.h>

#include "core/alloc.h"

// the default of W: so many steps per pair of state and action, and LEAST at least
#define PER_PAIR 40
#define LEAST    1000

typedef struct window_settings {
    const char *of;
    int64_t steps;
} window_settings;

// ---- memory for one learner ----

// Hands out its bytes one after the other, and is empty again when the next learner is made in it.
// What does not fit comes from `outer`, with its size in front of it.
typedef struct block {
    lgkt_allocator outer;
    unsigned char *bytes; // (capacity)
    size_t capacity, used;
    size_t asked;   // bytes that were asked of it since it was empty
    size_t outside; // bytes from outer
} block;

#define ALIGNMENT sizeof(max_align_t)

static void *block_alloc(void *ctx, size_t size)
{
    block *b = ctx;
    const size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (rounded < size)
        return NULL;
    b->asked += rounded;
    if (rounded <= b->capacity - b->used) {
        b->used += rounded;
        return b->bytes + b->used - rounded;
    }
    unsigned char *memory = b->outer.alloc(b->outer.ctx, rounded + ALIGNMENT);
    if (memory == NULL)
        return NULL;
    memcpy(memory, &rounded, sizeof rounded);
    b->outside += rounded + ALIGNMENT;
    return memory + ALIGNMENT;
}

static void block_free(void *ctx, void *memory)
{
    block *b = ctx;
    const uintptr_t address = (uintptr_t)memory, from = (uintptr_t)b->bytes;
    if (b->bytes != NULL && address >= from && address - from < b->capacity)
        return;
    unsigned char *start = (unsigned char *)memory - ALIGNMENT;
    size_t rounded;
    memcpy(&rounded, start, sizeof rounded);
    b->outside -= rounded + ALIGNMENT;
    b->outer.free(b->outer.ctx, start);
}

// ---- the learners ----

// A report that comes late may find both learners too old.
enum { MOST_TURNS = 2 };

typedef struct window {
    int64_t steps;                    // W
    int64_t turns;                    // how often a successor was due: once every W steps
    lgkt_learner *acting, *successor; // who acts, and who takes over; NULL: there is none
    lgkt_learner *pattern;            // what all are like
    lgkt_learner *spares[MOST_TURNS]; // (spare_count) successors to come, where states grow
    int32_t spare_count;
    block blocks[2];
    size_t track_size;    // of one of them
    unsigned char *begun; // (track_size) the track of one that begins
} window;

// in the block that the one who acts is not in; where states grow one serves for all
static lgkt_status make_learner(lgkt_learner *parent, lgkt_learner **made, lgkt_error *error)
{
    window *w = parent->self;
    const bool first = w->acting == NULL || parent->grows;
    block *memory = &w->blocks[first || w->acting->allocator.ctx == &w->blocks[1] ? 0 : 1];
    const lgkt_allocator allocator = {block_alloc, block_free, memory};
    lgkt_nesting nesting = {.problem = w->pattern->problem,
                            .like = w->pattern,
                            .steered = true,
                            .spare = true,
                            .allocator = &allocator};
    nesting.problem.states = parent->problem.states;
    memory->used = memory->asked = 0;
    *made = NULL;
    LGKT_TRY(lgkt_nested_create(parent, w->pattern->spec, &nesting, made, error));
    (*made)->rng = parent->rng;
    // memory for as many states as the parent has it for, so that all grow together
    const lgkt_status status = lgkt_learner_reserve(*made, parent->capacity, error);
    if (status != LGKT_OK) {
        lgkt_learner_destroy(*made);
        *made = NULL;
    }
    return status;
}

// The successor acts from now on, and a new one starts at step `born`. Where there is no successor
// it is the first turn: then one only starts.
static lgkt_status turn(lgkt_learner *learner, int64_t born)
{
    window *w = learner->self;
    if (w->successor != NULL) {
        lgkt_learner_destroy(w->acting);
        w->acting = w->successor;
        lgkt_learner_begin(w->acting);
    }
    if (w->spare_count > 0)
        w->successor = w->spares[--w->spare_count];
    else
        LGKT_TRY(make_learner(learner, &w->successor, NULL));
    w->successor->started = born;
    // a spare is what would be made now, whenever it was made
    w->successor->rng = learner->rng;
    return LGKT_OK;
}

// Turns that are due: one, or several where reports are late or another learner seldom asks. Of
// several the last two leave nothing of what was.
LGKT_COLD static lgkt_status turn_to(lgkt_learner *learner, int64_t turns)
{
    window *w = learner->self;
    lgkt_status status = LGKT_OK;
    if (turns > w->turns + MOST_TURNS)
        w->turns = turns - MOST_TURNS;
    while (w->turns < turns) {
        const lgkt_status turned = turn(learner, ++w->turns * w->steps);
        status = status == LGKT_OK ? turned : status;
    }
    return status;
}

// ---- steps ----

// also among some actions, which the learner within is lent
static int32_t act(lgkt_learner *learner, int32_t state)
{
    const window *w = learner->self;
    return lgkt_nested_act(learner, w->acting, state);
}

typedef lgkt_status (*learn_fn)(lgkt_learner *parent, lgkt_learner *nested, double reward,
                                int32_t next_state, bool ended);

// the one that acts observes or is fed, the successor is fed, and then turns may be due
static inline lgkt_status learn_both(lgkt_learner *learner, learn_fn pass_on, double reward,
                                     int32_t next_state, bool ended)
{
    const window *w = learner->self;
    const lgkt_status acting = pass_on(learner, w->acting, reward, next_state, ended);
    const lgkt_status fed =
        w->successor == NULL ? LGKT_OK
                             : lgkt_nested_feed(learner, w->successor, reward, next_state, ended);
    const int64_t turns = learner->t / w->steps;
    const lgkt_status turned = turns == w->turns ? LGKT_OK : turn_to(learner, turns);
    return acting != LGKT_OK ? acting : fed != LGKT_OK ? fed : turned;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    return learn_both(learner, lgkt_nested_observe, reward, next_state, ended);
}

static lgkt_status feed(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    return learn_both(learner, lgkt_nested_feed, reward, next_state, ended);
}

// those that have seen steps
static bool within(const lgkt_learner *learner, size_t i, lgkt_learner **nested)
{
    const window *w = learner->self;
    *nested = i == 0 ? w->acting : w->successor;
    return i < 2;
}

// Where states become known one by one a new learner is larger than the blocks: those that the next
// step may need are made now.
static bool prepare(lgkt_learner *learner)
{
    window *w = learner->self;
    if (!lgkt_learner_prepare(w->acting) ||
        (w->successor != NULL && !lgkt_learner_prepare(w->successor)))
        return false;
    const int64_t due = learner->grows ? (learner->t + 1) / w->steps - w->turns : 0;
    for (; w->spare_count < MOST_TURNS && w->spare_count < due; w->spare_count++)
        if (make_learner(learner, &w->spares[w->spare_count], NULL) != LGKT_OK)
            return false;
    return true;
}

// ---- reasons, units ----

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const window *w = learner->self;
    return lgkt_nested_explain(learner, w->acting, state, reasons);
}

// When the two were born (-1: there is none), then their own tracks. A unit that has seen no turn
// for a while may come back to a learner that was not there before, and begins with it.
static size_t track(lgkt_learner *learner, lgkt_track_way way, void *bytes)
{
    const window *w = learner->self;
    const size_t size = w->track_size;
    lgkt_learner *const now[] = {w->acting, w->successor};
    int64_t born[2] = {w->acting->started, w->successor != NULL ? w->successor->started : -1};
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
    for (int i = 0; i < 2 && now[i] != NULL; i++) {
        const int64_t own = now[i]->started;
        const int from = born[0] == own ? 0 : 1;
        unsigned char *part = born[from] == own ? parts + (size_t)from * size : w->begun;
        lgkt_learner_track(now[i], way, part);
    }
    return total;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    window_settings *set = settings;
    const window *model = learner->like;
    if (set->steps == LGKT_UNSET_INTEGER) {
        const int64_t steps = PER_PAIR * (int64_t)learner->limit * learner->problem.actions;
        set->steps = steps > LEAST ? steps : LEAST;
    }
    window *w = learner->self;
    w->steps = set->steps;
    learner->may_exceed_horizon = true;
    lgkt_nesting nesting = {.problem = learner->problem,
                            .like = model != NULL ? model->pattern : NULL,
                            .steered = true};
    if (w->steps <= (nesting.problem.horizon - 1) / 2)
        nesting.problem.horizon = 2 * w->steps;
    LGKT_TRY(lgkt_nested_create(learner, set->of, &nesting, &w->pattern, error));
    w->pattern->parent = NULL; // which may move, and the pattern makes nothing more
    for (int i = 0; i < 2; i++)
        w->blocks[i].outer = learner->allocator;
    // where states grow blocks have no bytes of their own
    LGKT_TRY(make_learner(learner, &w->acting, error));
    w->track_size = lgkt_learner_track(w->pattern, LGKT_TRACK_OUT, NULL);
    if (w->track_size > 0) {
        w->begun = lgkt_learner_alloc(learner, w->track_size, 1);
        if (w->begun == NULL)
            return lgkt_fail_memory(error, "a learner");
        lgkt_learner_track(w->pattern, LGKT_TRACK_OUT, w->begun);
    }
    if (learner->grows)
        return LGKT_OK;
    // the first has shown how much it takes; it is made again where all others will be
    const size_t size = w->blocks[0].asked;
    lgkt_learner_destroy(w->acting);
    w->acting = NULL;
    for (int i = 0; i < 2; i++) {
        w->blocks[i].bytes = lgkt_learner_alloc(learner, size, 1);
        if (w->blocks[i].bytes == NULL)
            return lgkt_fail_memory(error, "a learner");
        w->blocks[i].capacity = size;
    }
    return make_learner(learner, &w->acting, error);
}

static void destroy(lgkt_learner *learner)
{
    window *w = learner->self;
    for (int32_t i = 0; i < w->spare_count; i++)
        lgkt_learner_destroy(w->spares[i]);
    // any learner may have been in any of these
    for (int i = 0; i < 2; i++)
        lgkt_learner_free(learner, w->blocks[i].bytes);
    lgkt_learner_free(learner, w->begun);
    lgkt_learner_destroy(w->pattern);
}

static lgkt_status grow(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error)
{
    const window *w = learner->self;
    for (int32_t i = 0; before > 0 && i < w->spare_count; i++)
        LGKT_TRY(lgkt_learner_reserve(w->spares[i], after, error));
    return LGKT_OK;
}

static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    window *w = learner->self;
    int32_t has_successor = w->successor != NULL;
    int64_t started = has_successor ? w->successor->started : 0;
    lgkt_visit_i64(archive, &w->turns, 1, 0, learner->t / w->steps);
    lgkt_visit_i64(archive, &w->acting->started, 1, 0, learner->t);
    lgkt_nested_visit(learner, w->acting, archive);
    lgkt_visit_i32(archive, &has_successor, 1, 0, 1);
    if (has_successor == 0 || archive->bad)
        return;
    lgkt_visit_i64(archive, &started, 1, 0, learner->t);
    if (w->successor == NULL && make_learner(learner, &w->successor, NULL) != LGKT_OK) {
        lgkt_archive_starve(archive);
        return;
    }
    w->successor->started = started;
    lgkt_nested_visit(learner, w->successor, archive);
}

static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const window *w = learner->self;
    const lgkt_counter turns = {"turns", w->turns};
    const int32_t own = lgkt_counters_write(&turns, 1, out, capacity);
    return lgkt_nested_counters(w->acting, own, out, capacity);
}

static size_t nested_bytes(const lgkt_learner *learner, bool shared)
{
    const window *w = learner->self;
    size_t bytes = lgkt_learner_count_bytes(w->pattern, shared);
    for (int i = 0; i < 2; i++)
        bytes += w->blocks[i].outside;
    return bytes;
}

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_TEXT(window_settings, of, "of", "auto",
                  "the learner: any that can be fed, e.g. of=(lg2t:threshold=0.9)"),
    LGKT_ROW_INTEGER(window_settings, steps, "steps", "@40 S A, at least 1000", 1, 1e15,
                     "W: who acts knows the last W to 2W steps"),
};

static const lgkt_entry names[] = {
    LGKT_ENTRY("window", params, "a learner that forgets, for worlds that change",
               "ours: two learners, each started anew in turn", "three times that of the learner")};

const lgkt_learner_class lgkt_window_class = {
    LGKT_NAMES(names),    .self_size = sizeof(window),
    .create = create,     .destroy = destroy,
    .act = act,           .observe = observe,
    .feed = feed,         .prepare = prepare,
    .explain = explain,   .track = track,
    .grow = grow,         .visit = visit,
    .counters = counters, .nested_bytes = nested_bytes,
    .within = within,
};
