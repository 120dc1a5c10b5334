// SPDX-License-Identifier: MIT
// What the front for units is made of: a ring of decisions and a table of units (units.c), and how
// all of it is made, left, explained and saved (units_state.c).
#pragma once

#include "lgkt/units.h"

#include "core/hash.h"
#include "learners/front/learner_private.h"

// Marks of a decision: its reward is known, its next state is known, it was cut there (`ended`),
// somebody else chose the action. The learner has learned it when the first two are set.
enum { LGKT_REWARDED = 1, LGKT_FOLLOWED = 2, LGKT_CUT = 4, LGKT_TAKEN = 8 };
#define LGKT_LEARNED (LGKT_REWARDED | LGKT_FOLLOWED)

typedef struct lgkt_decision {
    double reward;
    int32_t state, action;
    int32_t next; // where FOLLOWED
    int32_t unit; // index of its unit while this is the unit's latest decision; else stale, or -1
    uint32_t marks;
} lgkt_decision;

// In place of the next state of a unit. ANY: it may act in any state. OPEN: none was reported of
// its latest decision, and the state that it acts in next will be that.
enum { LGKT_NEXT_ANY = -1, LGKT_NEXT_OPEN = -2 };

typedef struct lgkt_unit {
    uint64_t id;
    int64_t last; // its latest decision; -1: there is none, or a row was fed after it
    int64_t made; // decisions
    int32_t next; // the state that it must act in, or is in after a row that was fed, or see above
    bool linked;  // what came last was learned in time: the track goes on from there
} lgkt_unit;

struct lgkt_units {
    lgkt_learner *learner; // its t is the number of decisions, next_state -1
    lgkt_error *refusal;   // the learner's: of the last refused call
    lgkt_keyed *keyed;     // owns the learner; NULL where states are numbers
    lgkt_allocator allocator;
    lgkt_units_config set;

    // Decision i is in ring[i & (ring_size - 1)], as long as there were at most ring_size since.
    lgkt_decision *ring; // (ring_size), a power of two
    int64_t ring_size;
    int64_t oldest; // the first decision that is open to reports
    int64_t open, expired;

    lgkt_unit *all; // (capacity), the first `count` are there; slots and tracks lie behind them
    int32_t count, capacity;
    int32_t *slots; // (slot_count) index + 1, 0: empty; a power of two, never more than half full
    size_t slot_count;

    // What belongs to one trajectory. That of unit `at_hand` is in the learner, not here; with
    // at_hand = -1 what is in the learner is nobody's.
    size_t track;          // bytes of one
    unsigned char *tracks; // (1 + capacity, track), that of a trajectory that begins first
    int32_t at_hand;
};

// Whether what a unit, new if it is NULL, does in a state follows on what it did before. The state
// is where it may act; after a row that was fed that may be elsewhere than the row has led.
static inline bool lgkt_unit_continues(const lgkt_unit *unit, int32_t state)
{
    return unit != NULL && unit->linked && (unit->last >= 0 || unit->next == state);
}

// The clock of a unit that has made so many decisions; left = -1: it may make as many as it likes.
static inline lgkt_unit_clock lgkt_units_clock(const lgkt_units *u, int64_t made)
{
    const int64_t end = u->set.unit_horizon;
    return (lgkt_unit_clock){.made = made, .left = end > 0 ? end - made : -1};
}

static inline lgkt_decision *lgkt_units_at(const lgkt_units *u, int64_t decision)
{
    return &u->ring[decision & (u->ring_size - 1)];
}

// The track of a unit; that of a trajectory that begins if `unit` is -1.
static inline unsigned char *lgkt_units_track(const lgkt_units *u, int32_t unit)
{
    return u->tracks + (size_t)(unit + 1) * u->track;
}

// The slot of an id, or the empty one where it belongs. Ids may be anything, numbers in a row or
// multiples of 2^32, so all of their bits are mixed.
static inline size_t lgkt_units_slot(const lgkt_units *u, uint64_t id)
{
    const size_t mask = u->slot_count - 1;
    size_t slot = (size_t)lgkt_splitmix(&(uint64_t){id}) & mask;
    while (u->slots[slot] != 0 && u->all[u->slots[slot] - 1].id != id)
        slot = (slot + 1) & mask;
    return slot;
}

// Puts the track of a unit into the learner, in place of the one that is there; -1: one that
// begins and is nobody's.
void lgkt_units_switch(lgkt_units *u, int32_t unit);
// Finds each unit its slot anew.
void lgkt_units_fill_slots(lgkt_units *u);
// Memory for so many units, or for so many open decisions; false when it is out.
bool lgkt_units_reserve(lgkt_units *u, int32_t capacity);
bool lgkt_units_make_ring(lgkt_units *u, int64_t size);
