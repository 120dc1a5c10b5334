// SPDX-License-Identifier: MIT
// What a learner is inside: one common head, and a class with its own state behind it.
//
// To add a learner, write a class (one file per family) and list its family in learners.def. The
// front in learner.c has checked every argument before a class function is called: the class sees
// only states in range, finite rewards and the strict order act, observe, act.
#pragma once

#include "lgkt/learner.h"
#include "lgkt/rng.h"
#include "lgkt/spec.h"

#include "core/archive.h"
#include "core/error.h"
#include "core/settings.h"

// Which way a unit's own part of a learner goes.
typedef enum lgkt_track_way { LGKT_TRACK_OUT, LGKT_TRACK_IN } lgkt_track_way;

typedef struct lgkt_learner_class lgkt_learner_class;

// What the states of a learner are: numbered, so that a state comes back; records (records.h), each
// with a number of its own; or either, for classes that do not look at them.
typedef enum lgkt_taking { LGKT_TAKES_STATES, LGKT_TAKES_RECORDS, LGKT_TAKES_EITHER } lgkt_taking;

#include "learners/front/fields.h"
#include "learners/front/records.h"

struct lgkt_learner_class {
    // The names that it serves (LGKT_NAMES): structs that begin with an lgkt_entry; what tells the
    // names apart is behind it, and for create to read.
    const void *names; // (name_count)
    size_t name_size;
    int32_t name_count;
    // What learner->self is (LGKT_SELF): it is zeroed before create, and what the table of its
    // fields says is done before grow and visit, and after destroy, which need not be there then.
    size_t self_size; // 0: create makes it, and destroy frees it
    lgkt_part whole;  // fields and nothing else
    // Where it takes records, a state number stands for lgkt_learner_record(learner, state). That
    // record is there until act, observe, feed or explain returns; a class that needs it later holds
    // its number, in learner->records, and does so again in `loaded`.
    lgkt_taking takes;
    // Fills learner->self from filled settings, after computing those that are unset (they are
    // printed in the full spec), all but what grows with the states. On failure destroy is called,
    // with self as far as it was built. NULL: there is nothing to fill.
    lgkt_status (*create)(lgkt_learner *learner, void *settings, lgkt_error *error);
    // Frees what self holds besides its fields and the learners within, which are gone by then. Not
    // called where there is no self.
    void (*destroy)(lgkt_learner *learner);
    // The action, or a negative lgkt_status (then nothing may have changed).
    int32_t (*act)(lgkt_learner *learner, int32_t state);
    // The pair that was played is (learner->state, learner->action). learner->t already counts the
    // step, so that this is the last thing a step does. LGKT_OK, or why it could not learn.
    lgkt_status (*observe)(lgkt_learner *learner, double reward, int32_t next_state, bool ended);

    // The rest may be NULL. Where begin, prepare, track or visit_track is, it is done to the learners
    // within, or where there are none to the numbers of the table that are tracked. What is done by
    // grow, offer and loaded is done to the learners within, too.

    // As act, among the actions with learner->allowed[a] != 0 (never NULL here, and some but not
    // all are). NULL: act itself does that; there `allowed` is NULL for all.
    int32_t (*act_among)(lgkt_learner *learner, int32_t state);
    // Plans are to take other actions for possible in a state than before: learner->offered.
    void (*offer)(lgkt_learner *learner, int32_t state);
    // Fills in what there is of a state's actions, all NaN before; learner->allowed is NULL for
    // all. The learner must stay as it is: where a choice would change it, by a plan perhaps, this
    // returns false, and is called again with a copy (is_copy), with which it may do what it likes.
    bool (*explain)(lgkt_learner *learner, int32_t state, lgkt_reason *reasons);
    // Of a class that takes records: what it says of one besides its actions; sides of length dims.
    lgkt_status (*describe)(lgkt_learner *learner, int32_t state, lgkt_side *sides,
                            lgkt_error *error);
    // Of learners that serve many units: what belongs to a unit's own trajectory (an open run, the
    // pair before, the place in a piece). Returns how many bytes that is; takes them out of or puts
    // them into the learner if `bytes` is not NULL. An open run that is not to count, since a reward
    // of it is missing, is given up by putting in the track of a learner that has just been made or
    // begun; begin itself counts what the run has earned so far.
    size_t (*track)(lgkt_learner *learner, lgkt_track_way way, void *bytes);
    // The part of visit that walks over it.
    void (*visit_track)(lgkt_learner *learner, lgkt_archive *archive);
    const char *unpooled; // why units cannot share one

    // A step that another learner chose; the pair is where observe finds it. NULL: as observe, or
    // refused by name if `unfed` says why. A create may set learner->feed to NULL.
    lgkt_status (*feed)(lgkt_learner *learner, double reward, int32_t next_state, bool ended);
    const char *unfed;
    // Whether the action just chosen is to be learned as one that another chose. Asked once after an
    // act, by a front that keeps the answer until it calls feed or observe; where nobody asks,
    // observe itself must know. NULL: it never is.
    bool (*took)(lgkt_learner *learner);
    // The next act starts anew, in any state: a new piece, a new episode.
    void (*begin)(lgkt_learner *learner);
    // Takes the memory that the next two of observe or feed may need, so that they cannot fail
    // (one act of a unit may make known two steps); false when it is out. NULL: the parts of self
    // do.
    bool (*prepare)(lgkt_learner *learner);
    // Room for `after` states instead of `before`, zero or ready for use. Called once by creation,
    // with before = 0. When memory is out the old arrays must stay usable. NULL: where there is a
    // self without fields or learners within, all states must be known at creation.
    lgkt_status (*grow)(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error);
    // Visits what can neither be computed from others nor is a saved field, and checks what the
    // kind of a field does not say. NULL: the learners within are visited.
    void (*visit)(lgkt_learner *learner, lgkt_archive *archive);
    // Computes the others, after a visit has loaded.
    void (*loaded)(lgkt_learner *learner);
    // Writes at most `capacity` counters, returns how many there are.
    int32_t (*counters)(const lgkt_learner *learner, lgkt_counter *counters, int32_t capacity);
    // Bytes of the learners within (lgkt_learner_count_bytes), with or without those of tables that
    // they share with the learners of the learner that this one is like. NULL: their sum.
    size_t (*nested_bytes)(const lgkt_learner *learner, bool shared);
    // The learners within, in a fixed order: number i, or NULL where that is still to be made, into
    // *nested; false beyond the last.
    bool (*within)(const lgkt_learner *learner, size_t i, lgkt_learner **nested);
    // The number of its saved state: LGKT_STATES when that, or what its parameters mean where a spec
    // does not say them, changed last; visit finds in learner->state_number which one is loaded. 0
    // stands for 1, the number of 0.1.0.
    int32_t state;
    int32_t oldest_state; // states with lower numbers are no longer loaded
};

// More steps than anybody can feed; counts that are further ahead of the clock were made up.
#define LGKT_MAX_FED (INT64_C(1) << 52)

// The steps of the unit that is at hand, where there are units.
typedef struct lgkt_unit_clock {
    int64_t made; // -1: there are no units
    int64_t left; // -1: there are none, or they have no end
} lgkt_unit_clock;

// What may come next.
typedef enum lgkt_phase { LGKT_PHASE_ACT, LGKT_PHASE_OBSERVE, LGKT_PHASE_OVER } lgkt_phase;

struct lgkt_learner {
    void *self; // the class's own state
    // as in the class, unless its create chose a shorter way, or no feed, for these settings
    int32_t (*act)(lgkt_learner *learner, int32_t state);
    lgkt_status (*observe)(lgkt_learner *learner, double reward, int32_t next_state, bool ended);
    lgkt_status (*feed)(lgkt_learner *learner, double reward, int32_t next_state, bool ended);

    // the protocol
    lgkt_phase phase;
    int32_t next_state;    // the state that must come next, or -1 for any
    int32_t state, action; // the pair in play, or the last one
    int32_t plain_states;  // an act in a state below needs no further look; 0 with masks
    int64_t t;             // finished steps
    lgkt_problem problem;
    lgkt_rng rng;
    const uint8_t *allowed; // (A) of the act at hand; NULL: all
    uint8_t *offered;       // (S, A) what plans take for possible: enum below; NULL: everything
    lgkt_unit_clock unit;   // at hand
    int64_t fed;            // steps, at most LGKT_MAX_FED
    bool must_prepare;      // memory was taken for fewer steps than may come: see prepare
    lgkt_error refusal;     // the last refused call
    int32_t state_number;   // of the state that is loaded, or was loaded last

    // fixed at creation
    const lgkt_learner_class *class;
    const lgkt_entry *entry; // its name, one of those of the class
    const void *like;        // in create: self of a like learner, for shared tables, or NULL
    lgkt_allocator allocator;
    lgkt_threshold threshold; // read if fn or table is set
    lgkt_coin_fn coin;
    void *coin_ctx;
    uint64_t seed, instance;
    int32_t born;         // LGKT_STATES of the build that made it: decides what its spec means
    lgkt_writer writer;   // of the state that it was loaded from; this build if there is none
    size_t bytes;         // held by this one alone
    size_t shared;        // of tables that others may hold too
    char *spec;           // owned, the full spec
    const char *unpooled; // as in the class, unless its create ruled units out
    bool can_fail;        // an act may be refused, for lack of memory perhaps: its, or one within
    // late reports may bring it, or one within, more steps than it was told
    bool may_exceed_horizon;
    bool masked;           // it, or the one that it is within, will leave out actions
    int32_t capacity;      // states there is room for
    int32_t limit;         // states there may ever be; S where all are known
    bool grows;            // states become known one by one
    bool is_copy;          // made for explain, which may change it
    lgkt_records *records; // behind the numbers of states, the front's; NULL: states are numbered
    int64_t memory;        // steps that it remembers, where it forgets the oldest; 0: all

    // learners within learners
    lgkt_learner *parent; // the one that this is within; nullable
    int64_t started;      // at which step of the one that it is within; its clock counts from there
    size_t saved_bytes_left; // of the outermost: bytes of the saved state for more of them
    bool saved;              // made for a saved state: memory must be in proportion to it
};

// Whether an action was offered in a state. Plans leave out what never was.
enum { LGKT_OFFER_NEVER, LGKT_OFFER_ONCE, LGKT_OFFER_UNKNOWN };

static inline bool lgkt_learner_offers(const lgkt_learner *learner, size_t z)
{
    return learner->offered == NULL || learner->offered[z] != LGKT_OFFER_NEVER;
}

static inline bool lgkt_learner_allows(const lgkt_learner *learner, int32_t action)
{
    return learner->allowed == NULL || learner->allowed[action] != 0;
}

// The row of learner->offered of a state, as a mask; NULL: everything.
static inline const uint8_t *lgkt_learner_offers_in(const lgkt_learner *learner, int32_t state)
{
    const size_t row = (size_t)state * (size_t)learner->problem.actions;
    return learner->offered == NULL ? NULL : learner->offered + row;
}

// All traits of spec.h of a learner whose states are numbered.
#define LGKT_TRAITS_ALL 63u
// Those of a learner on records, which has no numbered states.
#define LGKT_TRAITS_RECORDS                                                                        \
    ((LGKT_TRAITS_ALL & ~(uint32_t)LGKT_TRAIT_STATES) | (uint32_t)LGKT_TRAIT_RECORDS)

// The entry of a class, with its parameter table. With its defaults it has all traits, or all but
// those that it lacks (LGKT_TRAIT_FED | ..): test_learners_traits compares with what it can do.
#define LGKT_ENTRY(name_, params_, summary_, source_, memory_)                                     \
    LGKT_ENTRY_LACKING(name_, params_, summary_, source_, memory_, 0)
#define LGKT_ENTRY_LACKING(name_, params_, summary_, source_, memory_, lacks_)                     \
    LGKT_ENTRY_WITH(name_, params_, summary_, source_, memory_,                                    \
                    LGKT_TRAITS_ALL & ~(uint32_t)(lacks_))
#define LGKT_ENTRY_WITH(name_, params_, summary_, source_, memory_, traits_)                       \
    {                                                                                              \
        .name = name_, .summary = summary_, .source = source_, .memory = memory_,                  \
        .params = params_, .param_count = LGKT_LENGTH(params_), .traits = traits_                  \
    }

// The members of a class for the table of its names.
#define LGKT_NAMES(names_)                                                                         \
    .names = names_, .name_size = sizeof *(names_), .name_count = LGKT_LENGTH(names_)

#define LGKT_CLASS(class_, files_, names_) extern const lgkt_learner_class lgkt_##class_##_class;
#include "learners/front/learners.def"
#undef LGKT_CLASS

extern const lgkt_registry lgkt_learner_registry;
// The class of name number i in the registry, and its entry; NULL beyond the last.
const lgkt_learner_class *lgkt_learner_class_at(int32_t i, const lgkt_entry **entry);

// ---- memory ----

// Zeroed memory that is counted in learner->bytes; NULL when memory is out.
void *lgkt_learner_alloc(lgkt_learner *learner, size_t count, size_t size);
// Puts a longer copy, its new part zero, in place of an array (nullable), which `array` points to the
// pointer to; false when memory is out, and then the old one is untouched.
bool lgkt_learner_resize(lgkt_learner *learner, void *array, size_t before, size_t after,
                         size_t size);
void lgkt_learner_free(lgkt_learner *learner, void *memory);
// Before a table is made that a saved state holds too, `count` words of it: refused if the one to
// be loaded is too short for them. Nothing is refused where none is loaded.
lgkt_status lgkt_learner_claim(lgkt_learner *learner, size_t count, lgkt_error *error);
// Bytes held, with or without those of shared tables.
size_t lgkt_learner_count_bytes(const lgkt_learner *learner, bool shared);

// ---- steps ----

// The record that a state number stands for, of length learner->records->dims.
static inline const double *lgkt_learner_record(const lgkt_learner *learner, int32_t state)
{
    return lgkt_records_at(learner->records, state);
}

// False for a NaN too.
static inline bool lgkt_reward_fits(double reward)
{
    return reward <= LGKT_MAX_REWARD && reward >= -LGKT_MAX_REWARD;
}

// The choice of a class, with its mask if there is one.
static inline int32_t lgkt_learner_act_now(lgkt_learner *learner, int32_t state)
{
    const lgkt_learner_class *class = learner->class;
    if (learner->allowed == NULL)
        return learner->act(learner, state);
    return class->act_among != NULL ? class->act_among(learner, state) : class->act(learner, state);
}

// The number of the pair in play.
static inline size_t lgkt_learner_pair(const lgkt_learner *learner)
{
    return (size_t)learner->state * (size_t)learner->problem.actions + (size_t)learner->action;
}

// Steps still to be played, the one at hand included.
static inline int64_t lgkt_learner_steps_left(const lgkt_learner *learner)
{
    return learner->problem.horizon - learner->t;
}

// Those left of the unit at hand, where there are units: for plans up to its end. At least 1.
static inline int64_t lgkt_learner_steps_to_plan(const lgkt_learner *learner)
{
    const int64_t left =
        learner->unit.left >= 0 ? learner->unit.left : lgkt_learner_steps_left(learner);
    return left > 1 ? left : 1;
}

// An observe and feed of classes that do not learn.
lgkt_status lgkt_learns_nothing(lgkt_learner *learner, double reward, int32_t next_state,
                                bool ended);

// The fewest steps that it or one within remembers; 0: they forget none.
int64_t lgkt_learner_memory(const lgkt_learner *learner);

// How a class ends its counters: writes at most `capacity` of them, returns `count`.
int32_t lgkt_counters_write(const lgkt_counter *all, int32_t count, lgkt_counter *out,
                            int32_t capacity);

// ---- learners within learners ----

typedef struct lgkt_nesting {
    lgkt_problem problem;
    const lgkt_learner *like; // shares tables, as in a config; nullable
    bool steered;             // the parent's threshold table or function and its coin are for it
    bool spare; // a copy of `like`, which counts as no level: the parent has its own limit
    bool alone; // sees nothing but what it chose itself
    const lgkt_allocator *allocator; // NULL: the parent's
} lgkt_nesting;

// A learner for the use of `parent`, which checks all calls. Its seed and instance are the
// parent's. Refused by name if it cannot be fed, unless it is alone. If units cannot share it, they
// cannot share the parent.
lgkt_status lgkt_nested_create(lgkt_learner *parent, const char *spec, const lgkt_nesting *nesting,
                               lgkt_learner **nested, lgkt_error *error);
// One choice, with the parent's clock and random stream; then what came of it.
int32_t lgkt_nested_act(lgkt_learner *parent, lgkt_learner *nested, int32_t state);
lgkt_status lgkt_nested_observe(lgkt_learner *parent, lgkt_learner *nested, double reward,
                                int32_t next_state, bool ended);
// A step of the parent's that the nested learner did not choose. The pair is the parent's.
lgkt_status lgkt_nested_feed(lgkt_learner *parent, lgkt_learner *nested, double reward,
                             int32_t next_state, bool ended);
// Begins, then one choice; if that fails it has not begun.
int32_t lgkt_nested_begin_and_act(lgkt_learner *parent, lgkt_learner *nested, int32_t state);
// Gives it the parent's stream, mask and pair in play, and the clock since it has started, which
// stops at `last`: where steps come late, or another one chose them, it may be told too few.
void lgkt_nested_lend(const lgkt_learner *parent, lgkt_learner *nested, int64_t last);
// What the nested learner would choose with the parent's clock; as explain of the class.
bool lgkt_nested_explain(lgkt_learner *parent, lgkt_learner *nested, int32_t state,
                         lgkt_reason *reasons);
void lgkt_nested_visit(lgkt_learner *parent, lgkt_learner *nested, lgkt_archive *archive);
// Plans are to take what the parent was offered in a state for possible.
void lgkt_nested_offer(lgkt_learner *parent, lgkt_learner *nested, int32_t state);
// The counters of a nested learner behind `used` ones of the parent's; returns how many there are.
int32_t lgkt_nested_counters(const lgkt_learner *nested, int32_t used, lgkt_counter *out,
                             int32_t capacity);

// The next learner within that is there, from number *i on; NULL: there are no more.
lgkt_learner *lgkt_next_within(const lgkt_learner *learner, size_t *i);
// For functions of a class that do more than to pass a call on to the learners within.
size_t lgkt_within_track(lgkt_learner *learner, lgkt_track_way way, void *bytes);
void lgkt_within_visit_track(lgkt_learner *learner, lgkt_archive *archive);

// What the class does, or else the table of its fields and the learners within: see the class.
void lgkt_learner_begin(lgkt_learner *learner);
bool lgkt_learner_prepare(lgkt_learner *learner);
void lgkt_learner_offer(lgkt_learner *learner, int32_t state);
size_t lgkt_learner_track(lgkt_learner *learner, lgkt_track_way way, void *bytes);
void lgkt_learner_visit_track(lgkt_learner *learner, lgkt_archive *archive);
void lgkt_learner_loaded(lgkt_learner *learner);

// ---- growing and saving, shared by the front and by nested learners ----

// Room for at least so many states.
lgkt_status lgkt_learner_reserve(lgkt_learner *learner, int32_t capacity, lgkt_error *error);
// One more state is known, up to the limit. Fails when memory is out.
lgkt_status lgkt_learner_add_state(lgkt_learner *learner, lgkt_error *error);
void lgkt_learner_visit(void *object, lgkt_archive *archive);
// A learner like this one in every bit, told another horizon; nested ones too.
lgkt_status lgkt_learner_copy_for(const lgkt_learner *learner, int64_t horizon, lgkt_learner **copy,
                                  lgkt_error *error);
// What a config must supply to load the saved state of a learner that is there.
lgkt_learner_config lgkt_learner_config_of(const lgkt_learner *learner);
// Puts such a copy in the place of a learner; the old one is destroyed.
void lgkt_learner_replace(lgkt_learner *learner, lgkt_learner *made);
// As lgkt_learner_set_horizon, of any learner.
lgkt_status lgkt_learner_retime(lgkt_learner *learner, int64_t horizon, lgkt_error *error);
// Notes which actions were offered in a state; allowed is NULL for all. And whether plans would
// take other actions for possible then.
void lgkt_learner_note_offer(lgkt_learner *learner, int32_t state, const uint8_t *allowed);
bool lgkt_learner_changes_offer(const lgkt_learner *learner, int32_t state, const uint8_t *allowed);
// One choice of the outermost learner in learner->state, among the allowed actions, NULL for all,
// which are noted. The action, or a negative lgkt_status; then nothing has changed.
int32_t lgkt_learner_choose(lgkt_learner *learner, const uint8_t *allowed);
// Whether a mask can be served: some action is allowed, and the learner can leave out others.
// *full says that all are.
lgkt_status lgkt_learner_check_mask(const lgkt_learner *learner, const uint8_t *allowed, bool *full,
                                    lgkt_error *error);
// Whether a step that another one chose can be fed, as far as its action and reward go.
lgkt_status lgkt_learner_check_feed(const lgkt_learner *learner, int32_t action, double reward,
                                    lgkt_error *error);
// What lgkt_learner_save writes: everything, from the birth on. And back.
void lgkt_learner_visit_whole(void *object, lgkt_archive *archive);
lgkt_status lgkt_learner_load_archive(lgkt_archive *archive, const lgkt_learner_config *config,
                                      void **made, lgkt_error *error);
// The same with records, which may be NULL.
lgkt_status lgkt_learner_load_on(lgkt_archive *archive, const lgkt_learner_config *config,
                                 lgkt_records *records, lgkt_learner **made, lgkt_error *error);
// A copy of a config of the caller's, of whatever version that was compiled with.
lgkt_status lgkt_learner_take_config(const lgkt_learner_config *config, lgkt_learner_config *own,
                                     lgkt_error *error);

// How an object that callers hold is saved and loaded: a learner, one with keys, or with units.
typedef struct lgkt_front {
    int kind;         // which front it is, as in LGKT_SAVED_KEYED
    const char *name; // of the argument, in messages
    lgkt_saved_fn visit;
    // Makes one from an archive, which may go on behind it.
    lgkt_status (*load)(lgkt_archive *archive, const lgkt_learner_config *config, void **made,
                        lgkt_error *error);
    void (*destroy)(void *object);
} lgkt_front;

// The public functions of all of them; `handle` points to where a pointer to the object goes.
uint64_t lgkt_front_hash(lgkt_saved_fn visit, const void *object);
lgkt_status lgkt_front_save(const lgkt_front *front, const void *object, void *buffer,
                            size_t capacity, size_t *size, lgkt_error *error);
lgkt_status lgkt_front_load(const lgkt_front *front, const void *buffer, size_t size,
                            const lgkt_learner_config *config, void *handle, lgkt_error *error);
// By way of a saved state; `learner` is the one in it.
lgkt_status lgkt_front_copy(const lgkt_front *front, const void *object,
                            const lgkt_learner *learner, void *handle, lgkt_error *error);

// Where a new learner comes from.
typedef struct lgkt_origin {
    int32_t limit;         // states there may ever be; 0: all are known
    lgkt_learner *parent;  // the one that it is within; nullable
    size_t saved_bytes;    // without a parent: bytes of the saved state to load; else SIZE_MAX
    bool saved;            // it is, or is within, one that is loaded
    bool masked;           // it is, or takes the place of one that is, within a masked one
    int32_t born;          // LGKT_STATES of the build that first made it; 0: this one
    lgkt_records *records; // NULL: states are numbered
} lgkt_origin;

// As lgkt_learner_explain, also where states are records.
lgkt_status lgkt_learner_reasons(const lgkt_learner *learner, int32_t state, const uint8_t *allowed,
                                 lgkt_reason *reasons, size_t reason_size, lgkt_error *error);
// As lgkt_learner_policy, of one state.
lgkt_status lgkt_learner_policy_of(const lgkt_learner *learner, int32_t state, double *policy,
                                   lgkt_error *error);

// As lgkt_learner_create, with an origin.
lgkt_status lgkt_learner_create_from(const char *spec, const lgkt_learner_config *config,
                                     const lgkt_origin *origin, lgkt_learner **learner,
                                     lgkt_error *error);
