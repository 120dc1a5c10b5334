// SPDX-License-Identifier: MIT
// Exact planning and evaluation on a known model. No sampling anywhere.
//
// Subscripts count steps to go: Q_1 = R, Q_{k+1}(s,a) = R(s,a) + sum_y P(y|s,a) max_b Q_k(y,b),
// V_k = max_a Q_k, V_0 = 0. A horizon of T means T steps, t = 0 .. T-1, with h = T - t to go.
// A function that only reads answers a NULL handle, and a time, state or action out of range, with
// 0, -1 or NaN.
// Two action values are a tie when they differ by at most 1e-12 max(1, |Q|), and values per step
// are exact to about as much. So a model whose largest reward is below 1e-10 in size, and not 0, is
// refused: multiply its rewards.
// Where a model forbids actions, max is over those that are allowed, policies play no others, and
// the value of a forbidden pair is -infinity. Policies and costs are immutable and shared between
// threads.
#ifndef LGKT_PLAN_H
#define LGKT_PLAN_H

#include "lgkt/base.h"
#include "lgkt/mdp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lgkt_ties {
    LGKT_TIES_LOW, ///< the lowest action number
    LGKT_TIES_HIGH ///< the highest action number
} lgkt_ties;

/// gamma(t, s) at depth k: what an action must be worth to be good enough.
typedef double (*lgkt_threshold_fn)(void *ctx, int64_t t, int32_t state, int32_t k);

/// A threshold: a function if `fn` is set, else a table if `table` is set, else a constant.
/// Function and table are borrowed for the life of the object that is given the threshold. An
/// answer that is NaN counts as +infinity (nothing is good enough).
typedef struct lgkt_threshold {
    double constant;
    const double *table; ///< (table_steps, S) row-major; step t reads row min(t, table_steps - 1)
    int64_t table_steps; ///< >= 1 if there is a table; 1 for one threshold per state
    lgkt_threshold_fn fn;
    void *ctx;
} lgkt_threshold;

// ---- lookahead ----

/// The K-step lookahead reward r^K = Q_K. q has length S*A and is written row-major (S, A).
/// Nullable: allocator, error.
LGKT_API lgkt_status lgkt_plan_lookahead(const lgkt_mdp *mdp, int64_t k,
                                         const lgkt_allocator *allocator, double *q,
                                         lgkt_error *error);

// ---- policies: with h to go in s, play uniformly among a set of actions, or draw one by a law ----

typedef struct lgkt_policy lgkt_policy; ///< immutable; keeps its model alive

/// The policy that is optimal for `horizon` steps.
LGKT_API lgkt_status lgkt_policy_optimal(const lgkt_mdp *mdp, int64_t horizon, lgkt_ties ties,
                                         const lgkt_allocator *allocator, lgkt_policy **policy,
                                         lgkt_error *error);
/// The policy that is optimal for `horizon` steps of a model that changes, and knows when: exact
/// backward induction over time. For all other functions it is a policy of the model `before`.
LGKT_API lgkt_status lgkt_change_optimal(const lgkt_change *change, int64_t horizon, lgkt_ties ties,
                                         const lgkt_allocator *allocator, lgkt_policy **policy,
                                         lgkt_error *error);
/// K-step greedy: with h to go plays argmax_a Q_{min(h,K)}(s,a).
LGKT_API lgkt_status lgkt_policy_greedy(const lgkt_mdp *mdp, int64_t k, int64_t horizon,
                                        lgkt_ties ties, const lgkt_allocator *allocator,
                                        lgkt_policy **policy, lgkt_error *error);
/// K-step thresholding: with h to go plays uniformly among {a : Q_{min(h,K)}(s,a) >= gamma(t,s)},
/// or the argmax (ties low) if there is none. A callback or table is borrowed.
LGKT_API lgkt_status lgkt_policy_threshold(const lgkt_mdp *mdp, int64_t k, int64_t horizon,
                                           const lgkt_threshold *threshold,
                                           const lgkt_allocator *allocator, lgkt_policy **policy,
                                           lgkt_error *error);
/// All actions alike in every state; those that are allowed there.
LGKT_API lgkt_status lgkt_policy_uniform(const lgkt_mdp *mdp, int64_t horizon,
                                         const lgkt_allocator *allocator, lgkt_policy **policy,
                                         lgkt_error *error);
/// One action per state at all times; actions has length S and is copied. LGKT_ERR_ARGUMENT if one
/// of them is forbidden.
LGKT_API lgkt_status lgkt_policy_fixed(const lgkt_mdp *mdp, int64_t horizon, const int32_t *actions,
                                       const lgkt_allocator *allocator, lgkt_policy **policy,
                                       lgkt_error *error);
/// In each state an action drawn by a law, the same at all times; law has length S*A, row-major
/// (S, A), and is copied. LGKT_ERR_PROBABILITY if a row does not sum to 1 within 1e-6,
/// LGKT_ERR_ARGUMENT if a forbidden action has a probability.
LGKT_API lgkt_status lgkt_policy_law(const lgkt_mdp *mdp, int64_t horizon, const double *law,
                                     const lgkt_allocator *allocator, lgkt_policy **policy,
                                     lgkt_error *error);
LGKT_API void lgkt_policy_destroy(lgkt_policy *policy);

LGKT_API int64_t lgkt_policy_horizon(const lgkt_policy *policy);
/// The actions played with h to go (1 <= h <= T) in a state: writes 1 or 0 for each of the A
/// actions into `member` and returns how many are played.
LGKT_API int32_t lgkt_policy_actions(const lgkt_policy *policy, int64_t h, int32_t state,
                                     uint8_t *member);
/// With which probability each of the A actions is played; returns how many are.
LGKT_API int32_t lgkt_policy_probabilities(const lgkt_policy *policy, int64_t h, int32_t state,
                                           double *probability);
/// The one action played, or the lowest one if there are several. No allocation.
LGKT_API int32_t lgkt_policy_action(const lgkt_policy *policy, int64_t h, int32_t state);

// ---- evaluation ----

/// Total expected reward of `horizon` steps from each state; value has length S.
/// Nullable: allocator, error.
LGKT_API lgkt_status lgkt_policy_value(const lgkt_policy *policy, const lgkt_allocator *allocator,
                                       double *value, lgkt_error *error);
/// The same of any policy of these sizes in a model that changes, from time 0 on.
LGKT_API lgkt_status lgkt_change_value(const lgkt_change *change, const lgkt_policy *policy,
                                       const lgkt_allocator *allocator, double *value,
                                       lgkt_error *error);
/// Called once per step t with the law of the state at that time; law has length S. A non-zero
/// return stops the walk.
typedef int (*lgkt_law_fn)(void *ctx, int64_t t, const double *law);
/// Walks the distribution of states forward over the horizon from a start law of length S (NULL:
/// the model's own).
LGKT_API lgkt_status lgkt_policy_forward(const lgkt_policy *policy, const double *start,
                                         const lgkt_allocator *allocator, lgkt_law_fn visit,
                                         void *ctx, lgkt_error *error);
/// Competitive ratio V^pi_T / V*_T from the model's start law. NaN if the optimum is 0.
LGKT_API lgkt_status lgkt_policy_ratio(const lgkt_policy *policy, const lgkt_allocator *allocator,
                                       double *ratio, lgkt_error *error);

// ---- threshold cost and regret ----

/// c_t(s,a) = max(0, gamma(t,s) - Q_{min(h,K)}(s,a)): what falls short of the threshold.
typedef struct lgkt_cost lgkt_cost; ///< immutable; keeps its model alive

LGKT_API lgkt_status lgkt_cost_create(const lgkt_mdp *mdp, int64_t k, int64_t horizon,
                                      const lgkt_threshold *threshold,
                                      const lgkt_allocator *allocator, lgkt_cost **cost,
                                      lgkt_error *error);
LGKT_API void lgkt_cost_destroy(lgkt_cost *cost);
/// The cost of one pair at time t; infinite if it is forbidden.
LGKT_API double lgkt_cost_at(const lgkt_cost *cost, int64_t t, int32_t state, int32_t action);
/// The exact expected total cost of a policy of the same horizon from a start law (NULL: the
/// model's own). Regret to the thresholding policy is a learner's summed cost minus this number for
/// lgkt_policy_threshold.
LGKT_API lgkt_status lgkt_cost_of_policy(const lgkt_cost *cost, const lgkt_policy *policy,
                                         const double *start, const lgkt_allocator *allocator,
                                         double *total, lgkt_error *error);

// ---- plans by value: long-run average, discounted, so many steps ----

/// How far a plan is; a non-zero return ends it with what is known by then.
typedef struct lgkt_plan_progress {
    int64_t sweeps;   ///< over all rows so far
    int64_t policies; ///< evaluated so far
    double width;     ///< of the interval; infinite before there is one
} lgkt_plan_progress;
typedef int (*lgkt_plan_progress_fn)(void *ctx, const lgkt_plan_progress *progress);

/// How a plan is made. Make it with lgkt_plan_config_default.
typedef struct lgkt_plan_config {
    size_t size; ///< of this struct, as the program was compiled with; set by _default
    /// how wide the interval may be, default 1e-12: times the largest |R|, or the scale of values,
    /// the largest |R| / (1 - discount)
    double tolerance;
    size_t
        memory; ///< bytes that eliminations may take, default 2^31; beyond it there are sweeps only
    lgkt_plan_progress_fn progress; ///< called after sweeps and evaluations; default NULL
    void *ctx;                      ///< given to it
    lgkt_allocator allocator;       ///< default: malloc and free
} lgkt_plan_config;

/// Fills in the defaults of a config of `size` bytes.
LGKT_API void lgkt_plan_config_init(lgkt_plan_config *config, size_t size);
static inline lgkt_plan_config lgkt_plan_config_default(void)
{
    lgkt_plan_config config;
    lgkt_plan_config_init(&config, sizeof config);
    return config;
}

/// What is found. The caller gives the arrays, of length S; NULL: not wanted.
typedef struct lgkt_plan_result {
    double *value;   ///< the gain or value of each state
    double *bias;    ///< of a long-run average, smallest entry 0; for others not written
    int32_t *policy; ///< the action of each state; the first one of so many steps
    int32_t
        *component; ///< of a long-run average: which set of states that one can stay in and move
                    ///< about in a state belongs to, -1: to none, or the plan was stopped before
    double below;   ///< the true numbers are in value - below ..
    double above;   ///< .. value + above; rounding included
    int32_t components;
    bool differs;     ///< of a long-run average: the gain depends on the start
    bool stopped;     ///< by `progress`
    bool limited;     ///< there was no elimination, for it would take more memory than allowed
    int64_t sweeps;   ///< over all rows
    int64_t policies; ///< evaluated
} lgkt_plan_result;

/// The best long-run average reward per step (gain) from each state, for every model: by sweeps of
/// relative value iteration, then by policy iteration, whose evaluations eliminate states without a
/// subtraction. LGKT_OK with the interval that was reached, which may be wider than the tolerance
/// where rounding is, or a limit. `bias` and `policy` go with it:
/// value + bias = R + P bias for the actions of the policy. Nullable: config, error.
LGKT_API lgkt_status lgkt_plan_average(const lgkt_mdp *mdp, const lgkt_plan_config *config,
                                       lgkt_plan_result *result, lgkt_error *error);

/// The best expected sum of rewards, those of step t times discount^t, 0 <= discount < 1, by modified
/// policy iteration with the bounds of MacQueen, or by eliminations where sweeps take longer. For
/// interval, limits and policy the same holds. Nullable: config, error.
LGKT_API lgkt_status lgkt_plan_discounted(const lgkt_mdp *mdp, double discount,
                                          const lgkt_plan_config *config, lgkt_plan_result *result,
                                          lgkt_error *error);

/// The best expected sum of the rewards of `horizon` steps, and the actions of the first one, by
/// backward induction in one pass over the rows a step; once values grow alike everywhere, the rest
/// is a product. The tolerance is not looked at. Nullable: config, error.
LGKT_API lgkt_status lgkt_plan_horizon(const lgkt_mdp *mdp, int64_t horizon,
                                       const lgkt_plan_config *config, lgkt_plan_result *result,
                                       lgkt_error *error);

// ---- long-run average as one number ----

/// Optimal gain (average reward per step) and bias (length S, smallest entry 0; nullable), to
/// within `tolerance` (try 1e-12). LGKT_ERR_NO_CONVERGENCE where the interval of
/// lgkt_plan_average is wider, or the gain depends on the start.
LGKT_API lgkt_status lgkt_plan_gain(const lgkt_mdp *mdp, double tolerance,
                                    const lgkt_allocator *allocator, double *gain, double *bias,
                                    lgkt_error *error);
/// The same for what a policy plays with its whole horizon to go, taken as a stationary policy, by
/// elimination, to within rounding. LGKT_ERR_NO_CONVERGENCE where gains differ by more than the
/// tolerance.
LGKT_API lgkt_status lgkt_policy_gain(const lgkt_policy *policy, double tolerance,
                                      const lgkt_allocator *allocator, double *gain, double *bias,
                                      lgkt_error *error);

/// The gain from each state where they differ, and a bias: gain + bias = R + P bias for what is
/// played, smallest entry 0; both have length S.
LGKT_API lgkt_status lgkt_policy_average(const lgkt_policy *policy, const lgkt_allocator *allocator,
                                         double *gain, double *bias, lgkt_error *error);
/// The expected sum of rewards, those of step t times discount^t, 0 <= discount < 1, of what is
/// played with the whole horizon to go, taken as stationary; value has length S.
LGKT_API lgkt_status lgkt_policy_discounted(const lgkt_policy *policy, double discount,
                                            const lgkt_allocator *allocator, double *value,
                                            lgkt_error *error);

// ---- the long run of a policy: what it plays with its whole horizon to go, taken as stationary ----
//
// By elimination without a subtraction: numbers keep their relative precision, as long as they fit
// into a double. Moves below 1e-16 of their row are left out, as everywhere in plans. A chance to go
// from one state to another by way of others that is below 1e-308 counts as none: nothing is lost
// where the likeliest way between any two states that have one, the product of its chances, is above
// 1e-290. Else gains and classes may be those of the chain without these ways; intervals of
// lgkt_plan_average hold in any case.

/// The share of time in each state in the long run, from a start law (NULL: the model's own); law
/// has length S. It is the stationary law where there is one closed set of states only.
LGKT_API lgkt_status lgkt_policy_stationary(const lgkt_policy *policy, const double *start,
                                            const lgkt_allocator *allocator, double *law,
                                            lgkt_error *error);
/// The mean number of steps until `target` is entered, from each state, at least 1: so that of the
/// target is its return time. Infinite where that is not certain. times has length S.
LGKT_API lgkt_status lgkt_policy_passage(const lgkt_policy *policy, int32_t target,
                                         const lgkt_allocator *allocator, double *times,
                                         lgkt_error *error);
/// The probability to be, sooner or later, in a state whose `member` is not 0; both have length S.
LGKT_API lgkt_status lgkt_policy_arrival(const lgkt_policy *policy, const uint8_t *member,
                                         const lgkt_allocator *allocator, double *probability,
                                         lgkt_error *error);
/// The closed sets of states, in the order of their lowest: classes (length S) has the number of
/// that of each state, -1 where it is in none.
LGKT_API lgkt_status lgkt_policy_classes(const lgkt_policy *policy, const lgkt_allocator *allocator,
                                         int32_t *classes, int32_t *count, lgkt_error *error);

// ---- the paper's conditions ----

/// Assumption 3.2 (two states, stochastic dominance); false for other sizes. Nullable: why, which
/// gets one line when the answer is false.
LGKT_API bool lgkt_plan_two_state_dominance(const lgkt_mdp *mdp, lgkt_error *why);

/// How far K-step lookahead rewards Q_min(K,T) are from a threshold over all times and states.
typedef struct lgkt_gaps {
    double margin; ///< smallest max_a Q(s,a) - gamma(t,s); >= 0: Assumption 4.1 holds, every state
                   ///< always has a good action
    double above;  ///< Delta_+: smallest Q - gamma of pairs that reach it; infinite without any
    double below;  ///< smallest gamma - Q of pairs that do not; infinite without any
} lgkt_gaps;

/// Assumption 4.1 and the gaps of Theorems 4.2 and 4.4, whose Delta is the smaller of above and
/// below. Nullable: allocator, error.
LGKT_API lgkt_status lgkt_plan_gaps(const lgkt_mdp *mdp, int64_t k, int64_t horizon,
                                    const lgkt_threshold *threshold,
                                    const lgkt_allocator *allocator, lgkt_gaps *gaps,
                                    lgkt_error *error);
/// The right-hand side of Theorem 3.5 for a K-step policy:
/// sum_{h=K+1}^{T} max_x |P_pi(x) - P_{a*_h}(x)|_1 max_x V_{h-1}(x).
LGKT_API lgkt_status lgkt_plan_gap_bound(const lgkt_policy *policy, int64_t k,
                                         const lgkt_allocator *allocator, double *bound,
                                         lgkt_error *error);
/// The same sum without its last factor: sum_{h=K+1}^{T} max_x |P_pi(x) - P_{a*_h}(x)|_1.
LGKT_API lgkt_status lgkt_plan_gap_distance(const lgkt_policy *policy, int64_t k,
                                            const lgkt_allocator *allocator, double *distance,
                                            lgkt_error *error);

#ifdef __cplusplus
}
#endif
#endif
