// SPDX-License-Identifier: MIT
// Learners: act, observe, act, observe, ... on one trajectory that is never reset.
//
//     lgkt_learner_act(learner, s_t, NULL, &a_t)
//     lgkt_learner_observe(learner, r_t, s_{t+1}, ended)
//     lgkt_learner_act(learner, s_{t+1}, NULL, &a_{t+1}) ...
//
// A call that is refused (out of order, past the horizon, a state out of range, a reward that is
// NaN or beyond LGKT_MAX_REWARD) returns a status, explains itself in lgkt_learner_message and
// leaves the learner as it was. All memory for steps is taken at creation, but for five cases: with
// sampler-scope=per-pair act takes memory for each pair's first run, up to sampler-limit in all;
// act of "anytime" takes memory when it tells a longer horizon, and act of both a copy of the
// learner where its mask is the first to open or close an action in a state; feed may take memory,
// and observe after it, since more can be fed than the horizon has steps; learners on keys grow
// (keyed.h); and where many transitions may still be met, one that was loaded takes memory as they
// are. A new horizon and reasons take memory where they say so. A lack of it is a refusal like any
// other, LGKT_ERR_NO_MEMORY. A function that only reads answers a NULL handle with NULL, "", 0 or
// -1; the message then says that it is NULL.
//
// A handle is for one thread at a time, also for reasons and policies, which use its workspace.
// Learners on several threads may share models and, by `like`, tables.
#ifndef LGKT_LEARNER_H
#define LGKT_LEARNER_H

#include "lgkt/base.h"
#include "lgkt/plan.h"
#include "lgkt/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lgkt_learner lgkt_learner;

/// Learners may hold others, named in their specs (samplers, partners): in so many levels at most,
/// the outermost included.
#define LGKT_MAX_LEVELS 4

/// Supplies the uniform number of the estimation coin at step t, in place of the learner's own
/// stream.
typedef double (*lgkt_coin_fn)(void *ctx, int64_t t);

/// What a spec string cannot say. Make it with lgkt_learner_config_default, then set the problem.
typedef struct lgkt_learner_config {
    size_t size;          ///< of this struct, as the program was compiled with; set by _default
    lgkt_problem problem; ///< sizes and horizon must be set; a model is kept alive by the learner
    uint64_t seed;        ///< root seed; default 0
    uint64_t instance;    ///< index of the stream "learner"; default 0
    /// Replaces the thresholds of the spec if fn or table is set; its constant is not read. A table
    /// serves the deepest lookahead of the learner, a function all depths.
    lgkt_threshold threshold;
    lgkt_coin_fn coin; ///< default NULL: the learner's own stream
    void *coin_ctx;
    /// Shares the constant tables of this learner where they are the same. It may be destroyed
    /// before or after the new one, and be in use on another thread. Default NULL.
    const lgkt_learner *like;
    /// lgkt_learner_load only: goes on with the stream of this seed and instance, in place of the
    /// saved one, e.g. for copies that differ by chance alone. Default false.
    bool reseed;
    lgkt_allocator allocator; ///< default: malloc and free
} lgkt_learner_config;

/// Defaults as above; problem with S = A = 0, horizon 0 (to be set) and unknown rewards.
LGKT_API void lgkt_learner_config_init(lgkt_learner_config *config, size_t size);
static inline lgkt_learner_config lgkt_learner_config_default(void)
{
    lgkt_learner_config config;
    lgkt_learner_config_init(&config, sizeof config);
    return config;
}

/// Makes the learner that a spec names, e.g. "lg2t:threshold=0.9". LGKT_ERR_UNKNOWN_NAME and
/// LGKT_ERR_SPEC for what is wrong with the spec, LGKT_ERR_CONFIG with the config. Nullable: error.
LGKT_API lgkt_status lgkt_learner_create(const char *spec, const lgkt_learner_config *config,
                                         lgkt_learner **learner, lgkt_error *error);
LGKT_API void lgkt_learner_destroy(lgkt_learner *learner);

/// Chooses the action for the state at hand, among those with allowed[a] != 0, allowed of length A;
/// NULL: all. After an observe that was not `ended` the state must be the one observed. A mask that
/// leaves out actions needs problem.masked; LGKT_ERR_ARGUMENT if none is allowed,
/// LGKT_ERR_UNSUPPORTED for learners that cannot leave out actions. Plans take an action for
/// possible in a state unless every act there was without it. Nullable: allowed.
LGKT_API lgkt_status lgkt_learner_act(lgkt_learner *learner, int32_t state, const uint8_t *allowed,
                                      int32_t *action);
/// Tells what the action earned and where it led. What the world itself ends (a fall, a goal, the end
/// of an episode) leads to where it starts again: that is next_state, as after any other move, and
/// no cut. `ended` is for what a clock ends, or whoever holds it: the process was cut, next_state is
/// then no consequence of the action, and the next act may be in any state.
LGKT_API lgkt_status lgkt_learner_observe(lgkt_learner *learner, double reward, int32_t next_state,
                                          bool ended);

/// Says that the run goes on in another state than the one observed, and that nobody is told how it
/// got there: the next act may be in any state. It is no cut: what the learner has open, as an
/// estimation run, goes on, and the step to come counts as one that follows on the last.
/// LGKT_ERR_PROTOCOL between an act and its observe.
LGKT_API lgkt_status lgkt_learner_jump(lgkt_learner *learner);

/// Lets the learner watch a step that another one chose, e.g. for a warm start. It takes no step of
/// the run, ends an open estimation run, and the next act may be in any state. LGKT_ERR_UNSUPPORTED
/// for learners that can only learn from what they chose themselves.
LGKT_API lgkt_status lgkt_learner_feed(lgkt_learner *learner, int32_t state, int32_t action,
                                       double reward, int32_t next_state, bool ended);

/// Moves the end of the run: it has `horizon` steps in all from now on, as many as are finished or
/// begun at least (LGKT_ERR_ARGUMENT). The learner is then what lgkt_learner_load would make of its
/// state had it been told so at creation: logarithms of the horizon, visits still to come and plans
/// for the end follow; parameters that its full spec shows stay, also those that were computed from
/// the horizon. Takes memory and time as a save and a load do; a failure changes nothing.
LGKT_API lgkt_status lgkt_learner_set_horizon(lgkt_learner *learner, int64_t horizon);

/// One line on the last refused call; "" if there was none.
LGKT_API const char *lgkt_learner_message(const lgkt_learner *learner);
/// Finished steps (act and observe).
LGKT_API int64_t lgkt_learner_time(const lgkt_learner *learner);
/// The state that the next act must be in; -1 if it may be any.
LGKT_API int32_t lgkt_learner_next_state(const lgkt_learner *learner);
/// What the learner was told; the horizon and sizes of a loaded one.
LGKT_API void lgkt_learner_get_problem(const lgkt_learner *learner, lgkt_problem *problem,
                                       size_t size);
static inline lgkt_problem lgkt_learner_problem(const lgkt_learner *learner)
{
    lgkt_problem problem;
    lgkt_learner_get_problem(learner, &problem, sizeof problem);
    return problem;
}
/// The full spec: the name with every parameter, defaults filled in. Lives as long as the learner.
LGKT_API const char *lgkt_learner_spec(const lgkt_learner *learner);
/// A hash of the whole mutable state: equal before and after a refused call.
LGKT_API uint64_t lgkt_learner_hash(const lgkt_learner *learner);
/// Bytes held by this learner, shared tables included.
LGKT_API size_t lgkt_learner_bytes(const lgkt_learner *learner);

/// A number worth showing, e.g. how many estimation runs were made.
typedef struct lgkt_counter {
    const char *name;
    int64_t value;
} lgkt_counter;

/// Writes up to `capacity` counters and returns how many the learner has.
LGKT_API int32_t lgkt_learner_counters(const lgkt_learner *learner, lgkt_counter *counters,
                                       int32_t capacity);

// ---- why ----

/// What a learner holds of an action in a state. Each fills in what it has; the rest is NaN. The
/// head of its source and docs/explain.md say what the numbers mean. All fields are doubles, and
/// later versions may have more of them.
typedef struct lgkt_reason {
    double visits;      ///< of the pair
    double mean_reward; ///< of these visits
    double value;       ///< estimated worth
    double lower;       ///< lower bound of it
    double upper;       ///< upper bound of it, or the index that it is ranked by
    double good;        ///< 1 if it counts as good enough, else 0
    double probability; ///< that the learner would choose it now

    // Parts of the value, of learners that add it up from such (forest).
    double linear_part; ///< of the columns of a record
    double state_part;  ///< of the state, whatever is done there
    double action_part; ///< of the action in that state
    double doubt;       ///< standard error of it
    double price;       ///< how many standard errors it is ranked above the value
} lgkt_reason;

/// Says what the learner would do in a state now, with reasons of length A; reason_size is
/// sizeof(lgkt_reason), so that a later library writes no more than the program has (or less, for
/// the first fields up to the probability or more). The probabilities sum to 1. They are all NaN where a model would be drawn anew before the choice, and where there is
/// no choice to make: between an act and its observe, and when the run is over. `allowed` as in
/// lgkt_learner_act: an action that is not has probability 0. The learner stays as it is; a choice
/// that would change its plan is made on a copy, which takes memory and time as a save and a load
/// do. Nullable: allowed, error.
LGKT_API lgkt_status lgkt_learner_explain(const lgkt_learner *learner, int32_t state,
                                          const uint8_t *allowed, lgkt_reason *reasons,
                                          size_t reason_size, lgkt_error *error);
/// The same for all states, each as if it were the one at hand; reasons of shape (S, A). Actions
/// that plans take for impossible have probability 0. Nullable: error.
LGKT_API lgkt_status lgkt_learner_explain_all(const lgkt_learner *learner, lgkt_reason *reasons,
                                              size_t reason_size, lgkt_error *error);
/// What it would play if it stopped learning, as probabilities of shape (S, A): the actions of the
/// highest value, all alike where several have it; where it has no values the probabilities above,
/// and where it has none of these all possible actions alike. Nullable: error.
LGKT_API lgkt_status lgkt_learner_policy(const lgkt_learner *learner, double *policy,
                                         lgkt_error *error);

// ---- copy, save and resume ----

/// Makes a second learner that goes on bit for bit as this one would, and for itself from then on.
/// Threshold function, table and coin are the same ones, constant tables are shared. Nullable:
/// error.
LGKT_API lgkt_status lgkt_learner_copy(const lgkt_learner *learner, lgkt_learner **copy,
                                       lgkt_error *error);
/// Writes the whole state (spec, problem, random stream, everything learned) into a buffer. *size
/// is set to the bytes needed; LGKT_ERR_SHAPE if the capacity is smaller. The bytes do not depend
/// on the machine. Nullable: buffer with capacity 0, error.
LGKT_API lgkt_status lgkt_learner_save(const lgkt_learner *learner, void *buffer, size_t capacity,
                                       size_t *size, lgkt_error *error);
/// Makes a learner from such a buffer: it goes on bit for bit as the saved one would have. Spec,
/// problem, seed and instance are in the buffer; the config supplies what is not (allocator,
/// threshold function or table, coin, like, the model of an oracle), and its problem may stay
/// empty, else its sizes and horizon must agree (LGKT_ERR_CONFIG). LGKT_ERR_FORMAT for bytes that
/// are damaged, cut or not a learner's. Nullable: error.
LGKT_API lgkt_status lgkt_learner_load(const void *buffer, size_t size,
                                       const lgkt_learner_config *config, lgkt_learner **learner,
                                       lgkt_error *error);
/// Which build saved the state that a learner was loaded from: its version, e.g. "0.1.0", which
/// lives as long as the learner, and its LGKT_NUMBERS. Those of this library if it was not loaded. A
/// state loads whatever its numbers; where they are not lgkt_numbers(), the learner goes on as this
/// library computes and not as the one that saved it would have. They stay with a learner that is
/// saved again.
LGKT_API const char *lgkt_learner_saved_version(const lgkt_learner *learner);
LGKT_API int32_t lgkt_learner_saved_numbers(const lgkt_learner *learner);

#ifdef __cplusplus
}
#endif
#endif
