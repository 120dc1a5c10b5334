// SPDX-License-Identifier: MIT
// A Markov decision process (S, A, P, R): immutable, sparse rows, shared between threads; and two
// of them where the world changes.
//
// Pairs are numbered z = s*A + a. A model is made by a builder, which may be reused or destroyed
// after each build. Limits: 1 <= S <= 2^24, 1 <= A <= 2^16, S*A <= 2^28.
#ifndef LGKT_MDP_H
#define LGKT_MDP_H

#include "lgkt/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LGKT_MAX_STATES  (1 << 24)
#define LGKT_MAX_ACTIONS (1 << 16)
#define LGKT_MAX_PAIRS   (1 << 28)
#define LGKT_MAX_REWARD  1e100 // learners refuse rewards beyond it: their sums could overflow

/// How an observed reward scatters about its mean R(s,a).
typedef enum lgkt_noise {
    LGKT_NOISE_NONE,      ///< r = R
    LGKT_NOISE_NORMAL,    ///< r = R + sd z
    LGKT_NOISE_BERNOULLI, ///< r = 1 with probability R, else 0; needs 0 <= R <= 1
    LGKT_NOISE_DRIFTING,  ///< the law changes from step to step, its mean does not
    LGKT_NOISE_MIXED      ///< pairs differ in kind or scale: ask lgkt_mdp_pair_noise
} lgkt_noise;

typedef struct lgkt_mdp lgkt_mdp;
typedef struct lgkt_mdp_builder lgkt_mdp_builder;

/// One row of the transition kernel: next[i] has probability p[i] > 0; next is increasing. Points
/// into the model and lives as long as it. This struct never changes.
typedef struct lgkt_row {
    int32_t n;
    const int32_t *next;
    const double *p;
    const double *reward; ///< the reward of each move, NULL where it does not depend on it
} lgkt_row;

// ---- building ----
//
// A state, an action or a kind of noise that does not exist is LGKT_ERR_ARGUMENT, a number that is
// not finite LGKT_ERR_NOT_FINITE, a bad probability LGKT_ERR_PROBABILITY; the builder stays as it
// was and lgkt_mdp_builder_message says why.

/// A builder with all rewards 0, no transitions, start state 0 and no noise. Nullable: allocator
/// (it is used for the models too), error.
LGKT_API lgkt_status lgkt_mdp_builder_create(int32_t states, int32_t actions,
                                             const lgkt_allocator *allocator,
                                             lgkt_mdp_builder **builder, lgkt_error *error);
LGKT_API void lgkt_mdp_builder_destroy(lgkt_mdp_builder *builder);
/// Sets the mean reward of a pair, or the reward of those of its moves that have none of their own.
LGKT_API lgkt_status lgkt_mdp_builder_reward(lgkt_mdp_builder *builder, int32_t state,
                                             int32_t action, double mean);
/// Adds probability to (state, action) -> next; edges given twice add up.
LGKT_API lgkt_status lgkt_mdp_builder_edge(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                           int32_t next, double probability);
/// Sets the reward r(s,a,s') of one move; the mean of the pair is then sum_y P(y|s,a) r(s,a,y).
/// What was given last counts; a move that cannot happen earns nothing.
LGKT_API lgkt_status lgkt_mdp_builder_edge_reward(lgkt_mdp_builder *builder, int32_t state,
                                                  int32_t action, int32_t next, double reward);
/// Adds a whole row; p has length S.
LGKT_API lgkt_status lgkt_mdp_builder_row(lgkt_mdp_builder *builder, int32_t state, int32_t action,
                                          const double *p);
/// A fixed start state.
LGKT_API lgkt_status lgkt_mdp_builder_start(lgkt_mdp_builder *builder, int32_t state);
/// A law of the start state; p has length S and sums to 1 within 1e-6.
LGKT_API lgkt_status lgkt_mdp_builder_start_law(lgkt_mdp_builder *builder, const double *p);
/// The noise of all rewards; sd >= 0 is read for LGKT_NOISE_NORMAL only. It is about the reward of
/// the move where that is known. Drifting noise goes with no noise of pairs, no rewards of moves.
LGKT_API lgkt_status lgkt_mdp_builder_noise(lgkt_mdp_builder *builder, lgkt_noise kind, double sd);
/// The noise of one pair (none, normal or Bernoulli) in place of that of all.
LGKT_API lgkt_status lgkt_mdp_builder_pair_noise(lgkt_mdp_builder *builder, int32_t state,
                                                 int32_t action, lgkt_noise kind, double sd);
/// Takes an action out of a state. The pair needs no row, and what it is given is not read; every
/// state must keep an action.
LGKT_API lgkt_status lgkt_mdp_builder_forbid(lgkt_mdp_builder *builder, int32_t state,
                                             int32_t action);
/// One line on the last refused call on this builder; "" if there was none.
LGKT_API const char *lgkt_mdp_builder_message(const lgkt_mdp_builder *builder);
/// Checks everything (each row sums to 1 within 1e-6, and is then normalised; rewards fit the
/// noise) and makes a model that does not depend on the builder.
LGKT_API lgkt_status lgkt_mdp_builder_build(const lgkt_mdp_builder *builder, lgkt_mdp **mdp,
                                            lgkt_error *error);

/// A model from rows as sparse matrices have them, for large ones: the moves of pair z = s*A + a are
/// at begin[z] .. begin[z+1]-1, next states increasing, probabilities > 0; rewards has length S*A.
/// Everything is copied once. No noise, and all actions are allowed. start_law has length S (NULL:
/// state 0). Nullable: start_law, allocator, error.
LGKT_API lgkt_status lgkt_mdp_from_rows(int32_t states, int32_t actions, const int64_t *begin,
                                        const int32_t *next, const double *p, const double *rewards,
                                        const double *start_law, const lgkt_allocator *allocator,
                                        lgkt_mdp **mdp, lgkt_error *error);

// ---- sharing ----

/// Counts one more owner; returns the same model. Safe from any thread.
LGKT_API const lgkt_mdp *lgkt_mdp_retain(const lgkt_mdp *mdp);
/// Gives up one ownership; the last one frees. Safe from any thread.
LGKT_API void lgkt_mdp_destroy(const lgkt_mdp *mdp);

// ---- reading (a model and arguments in range are the caller's duty) ----

LGKT_API int32_t lgkt_mdp_states(const lgkt_mdp *mdp);
LGKT_API int32_t lgkt_mdp_actions(const lgkt_mdp *mdp);
LGKT_API double lgkt_mdp_reward(const lgkt_mdp *mdp, int32_t state, int32_t action);
LGKT_API const double *lgkt_mdp_rewards(const lgkt_mdp *mdp); ///< (S, A), 0 where forbidden
LGKT_API lgkt_row lgkt_mdp_row(const lgkt_mdp *mdp, int32_t state, int32_t action);
LGKT_API const double *lgkt_mdp_start_law(const lgkt_mdp *mdp); ///< (S), sums to 1
/// The start state if it is certain, else -1.
LGKT_API int32_t lgkt_mdp_start(const lgkt_mdp *mdp);
LGKT_API lgkt_noise lgkt_mdp_noise(const lgkt_mdp *mdp);
/// The noise of one pair and, in *sd, its scale as below. Nullable: sd.
LGKT_API lgkt_noise lgkt_mdp_pair_noise(const lgkt_mdp *mdp, int32_t state, int32_t action,
                                        double *sd);
/// The sub-Gaussian scale of the noise: sd of the normal, 0.5 for Bernoulli, 0 for none, the
/// largest scale met for drifting noise, the largest of all pairs for mixed noise.
LGKT_API double lgkt_mdp_noise_sd(const lgkt_mdp *mdp);
LGKT_API double lgkt_mdp_reward_min(const lgkt_mdp *mdp); ///< smallest mean reward
LGKT_API double lgkt_mdp_reward_max(const lgkt_mdp *mdp); ///< largest mean reward
/// Whether an action may be played in a state, and whether there is one that may not.
LGKT_API bool lgkt_mdp_allowed(const lgkt_mdp *mdp, int32_t state, int32_t action);
LGKT_API bool lgkt_mdp_restricted(const lgkt_mdp *mdp);
/// The same of all actions of a state, as 1 and 0, of length A; NULL if the model is not
/// restricted.
LGKT_API const uint8_t *lgkt_mdp_mask(const lgkt_mdp *mdp, int32_t state);
/// A hash of sizes, rewards, transitions, start, noise and forbidden actions.
LGKT_API uint64_t lgkt_mdp_hash(const lgkt_mdp *mdp);

// ---- a model that changes ----

/// Two models of the same sizes, and when the world goes from the one to the other. At time t it is
/// the mixture (1 - w) before + w after: a step follows `after` with probability w(t). Immutable,
/// shared between threads as models are.
typedef struct lgkt_change lgkt_change;

/// At each of the times (count of them, increasing, >= 0) the world turns: towards `after` at the
/// first, back at the second, and so on. Rate 0: at once, so that w is 1 from times[0] on and 0
/// from times[1] on. Else w moves by `rate` (at most 1) a step: n steps after times[0] it is min(1,
/// rate n). The start is that of `before`. Both must allow the same actions. The models are kept
/// alive, the times copied. Nullable: allocator, error.
LGKT_API lgkt_status lgkt_change_create(const lgkt_mdp *before, const lgkt_mdp *after,
                                        const int64_t *times, int32_t count, double rate,
                                        const lgkt_allocator *allocator, lgkt_change **change,
                                        lgkt_error *error);
/// As of models.
LGKT_API const lgkt_change *lgkt_change_retain(const lgkt_change *change);
LGKT_API void lgkt_change_destroy(const lgkt_change *change);
LGKT_API const lgkt_mdp *lgkt_change_before(const lgkt_change *change);
LGKT_API const lgkt_mdp *lgkt_change_after(const lgkt_change *change);
/// The times; *count is how many.
LGKT_API const int64_t *lgkt_change_times(const lgkt_change *change, int32_t *count);
/// w(t), the share of `after` at time t >= 0.
LGKT_API double lgkt_change_weight(const lgkt_change *change, int64_t t);
/// A hash of both models, the times and the rate.
LGKT_API uint64_t lgkt_change_hash(const lgkt_change *change);

#ifdef __cplusplus
}
#endif
#endif
