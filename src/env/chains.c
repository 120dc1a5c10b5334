// SPDX-License-Identifier: MIT
// Five worlds of the literature whose best reward lies behind many steps that earn little or
// nothing.
//
// `sixarms` (Strehl & Littman 2008): a hub, state 0, and six arms, 1 .. 6; six actions; start 0.
//     hub     action i: to arm i+1 with p_i = (1, .15, .1, .05, .03, .01), else stay; earns 0
//     arm 1   action 4: to the hub, 0; others: stay, 50
//     arm j   action j-1: stay, (133, 300, 800, 1660, 6000) for j = 2 .. 6; others: to the hub, 0
// All over 6000. Only arm 6 is optimal, and the hub has to be asked 100 times for it in the mean.
//
// `chain` (Dearden et al. 1998, Strens 2000): states 0 .. n-1, start 0, two actions,
//     forward  s -> s+1, earns 0; in the last state: stay, 10
//     back     s -> 0, earns 2
// Action 0 means forward, 1 means back; with probability `slip` the other effect happens, and the
// other reward with it. What is observed is the reward of the move.
//
// `lock`: states 0 .. n-1, start 0. In s the action (7s+3) mod A leads to s+1 with 1-e, e = slip,
// else to 0; all others lead to 0. Out of the last state success leads to 0 too, and earns 1; all
// else earns 0. Success and failure end in the same state there, so the reward observed is a coin
// of mean 1-e. Gain (1-e)^n / sum_{k<n} (1-e)^k.
// With `lure` m wrong actions earn m, with `prize` M success earns M, with `sd` noise is normal. At
// e = 0 and M > n m a lookahead of n steps opens it and one of fewer prefers to be lured: Q_n(s,
// right) = M + s m and Q_n(s, wrong) = n m, while Q_k(0, right) = (k-1) m < k m for k < n. So the
// threshold halfway, (M + n m)/2, has a gap of (M - n m)/2 on both sides, and who plays n-1 steps
// as well as can be pays that gap: this is where estimation runs cost (Theorem 4.4).
//
// `linear-gap` (the instance of Theorem 3.4): whoever looks k steps ahead or fewer stays where it
// is bad. State 0 is bad and the start; 1 .. S-1 are good. Action 0 stays on its side, the others
// cross:
//     from 0     action 0: to 0, reward -1           others: to a good state, reward -(k+1)
//     from good  action 0: to a good state, reward 0  others: to 0, reward -1
// A good state is chosen uniformly. Leaving costs k+1 at once and saves 1 at each later step, so it
// pays from the (k+2)nd step on: a lookahead of up to k steps never leaves, and loses 1 at each
// step. The optimum of T > k + 1 steps is -(k+1) in all. Rewards are exact, as in the theorem, or
// normal about the mean.
//
// `deepsea` (Osband et al. 2020, bsuite) as one run without end: only N times the right action in a
// row finds the treasure, each of them costs a little, and every other path earns nothing. Cells
// (r, c) of a triangle, 0 <= c <= r < N = size, start (0, 0); state = r(r+1)/2 + c, so S =
// N(N+1)/2. Two actions, and every step leads one row down:
//     right  to (r+1, c+1), earns -0.01/N, and 1 more in (N-1, N-1)
//     left   to (r+1, max(c-1, 0)), earns 0
// From the last row every move leads to (0, 0). Which of the actions 0, 1 is right is a coin of its
// own in each cell, thrown in order of the states from the stream "instance". windy=1: right keeps
// its column with probability 1/N; cost and reward are the same. Rewards are exact; bsuite's
// stochastic version is windy with normal noise of sd=1 in the two corners (N-1, 0) and (N-1, N-1),
// whatever is played there. Optimal is always right: gain 0.99/N without wind. The chain has period
// N under every policy: plain value iteration does not converge on it.
//
// Cost and memory O(S A), of linear-gap O(S^2 + S A).
#include "env/world.h"

#include <stdio.h>

#include "core/error.h"

#define MAX_CHAIN   100000
#define MAX_ENTRIES (INT64_C(1) << 28)
#define MAX_K       1000000
#define MAX_SIZE    1024
#define COST        0.01 // of N steps to the right in deepsea

// The settings of all five worlds; each has parameters for some of them.
typedef struct settings {
    int64_t states, actions, k, size, windy;
    double slip, lure, prize, sd;
} settings;

static const lgkt_param_row CHAIN[] = {
    LGKT_ROW_INTEGER(settings, states, "states", "5", 2, MAX_CHAIN, "length of the chain"),
    LGKT_ROW_REAL(settings, slip, "slip", "0.2", 0, 1,
                  "probability that the other action's effect happens"),
};

static const lgkt_param_row LOCK[] = {
    LGKT_ROW_INTEGER(settings, states, "states", "10", 1, MAX_CHAIN,
                     "right actions in a row that open it"),
    LGKT_ROW_INTEGER(settings, actions, "actions", "4", 2, LGKT_MAX_ACTIONS, "number of actions A"),
    LGKT_ROW_REAL(settings, slip, "slip", "0", 0, 1,
                  "probability that the right action leads back to 0"),
    LGKT_ROW_REAL(settings, lure, "lure", "0", -1e15, 1e15, "what a wrong action earns"),
    LGKT_ROW_REAL(settings, prize, "prize", "1", -1e15, 1e15, "what opening it earns"),
    LGKT_ROW_REAL(settings, sd, "sd", "0", 0, 1e6,
                  "standard deviation of normal reward noise; 0: none, or with slip a coin"),
};

static const lgkt_param_row LINEAR_GAP[] = {
    LGKT_ROW_INTEGER(settings, states, "states", "4", 2, LGKT_MAX_STATES, "number of states S"),
    LGKT_ROW_INTEGER(settings, actions, "actions", "3", 2, LGKT_MAX_ACTIONS, "number of actions A"),
    LGKT_ROW_INTEGER(settings, k, "k", "4", 1, MAX_K, "the lookahead that is too short"),
    LGKT_ROW_REAL(settings, sd, "sd", "0", 0, 1e6, "standard deviation of normal reward noise"),
};

static const lgkt_param_row DEEPSEA[] = {
    LGKT_ROW_INTEGER(settings, size, "size", "10", 2, MAX_SIZE,
                     "rows N of the triangle; it has N(N+1)/2 states"),
    LGKT_ROW_INTEGER(settings, windy, "windy", "0", 0, 1,
                     "1: going right keeps its column with probability 1/N"),
    LGKT_ROW_REAL(settings, sd, "sd", "0", 0, 1e6,
                  "standard deviation of normal reward noise in the two bottom corners; bsuite has "
                  "1 with wind"),
};

// ---- sixarms ----

enum { HUB, ARMS = 6, LEAVE_FIRST = 4 };

static lgkt_status create_sixarms(lgkt_env *env, void *chosen, lgkt_error *error)
{
    static const double REACHED[ARMS] = {1, 0.15, 0.1, 0.05, 0.03, 0.01};
    static const double PAID[ARMS] = {50, 133, 300, 800, 1660, 6000};
    (void)chosen;
    snprintf(env->note, sizeof env->note, "SixArms: a hub and six arms");
    LGKT_TRY(lgkt_env_begin_model(env, ARMS + 1, ARMS, error));
    for (int32_t a = 0; a < ARMS; a++) {
        lgkt_mdp_builder_edge(env->builder, HUB, a, a + 1, REACHED[a]);
        lgkt_mdp_builder_edge(env->builder, HUB, a, HUB, 1 - REACHED[a]);
    }
    for (int32_t arm = 1; arm <= ARMS; arm++)
        for (int32_t a = 0; a < ARMS; a++) {
            const bool stays = arm == 1 ? a != LEAVE_FIRST : a == arm - 1;
            lgkt_mdp_builder_edge(env->builder, arm, a, stays ? arm : HUB, 1);
            if (stays)
                lgkt_mdp_builder_reward(env->builder, arm, a, PAID[arm - 1] / PAID[ARMS - 1]);
        }
    return LGKT_OK;
}

// ---- chain ----

enum { FORWARD, BACK, CHAIN_ACTIONS };

static lgkt_status create_chain(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    const int32_t last = (int32_t)set->states - 1;
    snprintf(env->note, sizeof env->note, "chain of %lld states, slip %g", (long long)set->states,
             set->slip);
    LGKT_TRY(lgkt_env_begin_model(env, set->states, CHAIN_ACTIONS, error));
    for (int32_t s = 0; s <= last; s++)
        for (int32_t a = 0; a < CHAIN_ACTIONS; a++)
            for (int32_t effect = FORWARD; effect <= BACK; effect++) {
                const double probability = effect == a ? 1 - set->slip : set->slip;
                const int32_t next = effect == BACK ? 0 : s < last ? s + 1 : last;
                const double reward = effect == BACK ? 2 : s < last ? 0 : 10;
                lgkt_mdp_builder_edge(env->builder, s, a, next, probability);
                lgkt_mdp_builder_edge_reward(env->builder, s, a, next, reward);
            }
    return LGKT_OK;
}

// ---- lock ----

static lgkt_status create_lock(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    const int32_t last = (int32_t)set->states - 1, actions = (int32_t)set->actions;
    const double success = 1 - set->slip;
    const lgkt_noise noise = set->sd > 0     ? LGKT_NOISE_NORMAL
                             : set->slip > 0 ? LGKT_NOISE_BERNOULLI
                                             : LGKT_NOISE_NONE;
    snprintf(env->note, sizeof env->note, "lock of %lld steps, %lld actions, slip %g",
             (long long)set->states, (long long)set->actions, set->slip);
    LGKT_TRY(lgkt_env_begin_model(env, set->states, set->actions, error));
    lgkt_mdp_builder_noise(env->builder, noise, set->sd);
    for (int32_t s = 0; s <= last; s++) {
        const int32_t right = (7 * s + 3) % actions;
        for (int32_t a = 0; a < actions; a++) {
            const double onwards = a == right && s < last ? success : 0;
            if (onwards > 0)
                lgkt_mdp_builder_edge(env->builder, s, a, s + 1, onwards);
            lgkt_mdp_builder_edge(env->builder, s, a, 0, 1 - onwards);
            const double mean = a != right ? set->lure : s == last ? success * set->prize : 0;
            lgkt_mdp_builder_reward(env->builder, s, a, mean);
        }
    }
    return LGKT_OK;
}

// ---- linear-gap ----

static lgkt_status create_linear_gap(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    const int32_t states = (int32_t)set->states;
    if (set->states * (set->states + set->actions) > MAX_ENTRIES)
        return lgkt_fail(error, LGKT_ERR_SHAPE,
                         "states=%lld and actions=%lld: S*(S+A) must be at most 2^28",
                         (long long)set->states, (long long)set->actions);
    snprintf(env->note, sizeof env->note, "linear gap for lookahead up to %lld, %d states",
             (long long)set->k, (int)set->states);
    LGKT_TRY(lgkt_env_begin_model(env, set->states, set->actions, error));
    const lgkt_noise noise = set->sd > 0 ? LGKT_NOISE_NORMAL : LGKT_NOISE_NONE;
    lgkt_mdp_builder_noise(env->builder, noise, set->sd);
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < (int32_t)set->actions; a++) {
            const bool bad = s == 0, stays = a == 0, to_bad = bad == stays;
            const double mean = bad && !stays ? -(double)(set->k + 1) : bad || !stays ? -1 : 0;
            lgkt_mdp_builder_reward(env->builder, s, a, mean);
            for (int32_t y = to_bad ? 0 : 1; y < (to_bad ? 1 : states); y++)
                lgkt_mdp_builder_edge(env->builder, s, a, y, to_bad ? 1 : 1.0 / (states - 1));
        }
    return LGKT_OK;
}

// ---- deepsea ----

enum { DEEPSEA_ACTIONS = 2 };

static int32_t cell(int32_t row, int32_t column)
{
    return row * (row + 1) / 2 + column;
}

// Both actions of a cell.
static void fill_cell(lgkt_mdp_builder *builder, const settings *set, int32_t row, int32_t column,
                      int32_t right)
{
    const int32_t last = (int32_t)set->size - 1, s = cell(row, column), left = 1 - right;
    const double size = (double)set->size, wind = set->windy ? 1 / size : 0;
    const bool corner = row == last && (column == 0 || column == last);
    const double treasure = row == last && column == last ? 1 : 0;
    lgkt_mdp_builder_reward(builder, s, right, treasure - COST / size);
    if (row == last) {
        for (int32_t a = 0; a < DEEPSEA_ACTIONS; a++)
            lgkt_mdp_builder_edge(builder, s, a, 0, 1);
    } else {
        const int32_t back = column > 0 ? column - 1 : 0;
        lgkt_mdp_builder_edge(builder, s, left, cell(row + 1, back), 1);
        lgkt_mdp_builder_edge(builder, s, right, cell(row + 1, column + 1), 1 - wind);
        lgkt_mdp_builder_edge(builder, s, right, cell(row + 1, column), wind);
    }
    for (int32_t a = 0; a < DEEPSEA_ACTIONS && corner && set->sd > 0; a++)
        lgkt_mdp_builder_pair_noise(builder, s, a, LGKT_NOISE_NORMAL, set->sd);
}

static lgkt_status create_deepsea(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    const int32_t size = (int32_t)set->size;
    snprintf(env->note, sizeof env->note, "DeepSea of %d rows%s, seed %llu, instance %llu",
             (int)size, set->windy ? ", windy" : "", (unsigned long long)env->config->seed,
             (unsigned long long)env->config->instance);
    LGKT_TRY(lgkt_env_begin_model(env, cell(size, 0), DEEPSEA_ACTIONS, error));
    for (int32_t row = 0; row < size; row++)
        for (int32_t column = 0; column <= row; column++)
            fill_cell(env->builder, set, row, column, lgkt_rng_below(&env->rng, DEEPSEA_ACTIONS));
    return LGKT_OK;
}

// ---- classes ----

const lgkt_env_class lgkt_sixarms_class = {
    LGKT_ENV_ENTRY("sixarms",
                   "a hub with six arms: the better an arm pays, the seldomer it is reached",
                   "Strehl & Littman 2008", "O(1)", .params = NULL),
    LGKT_WORLD_CLASS(create_sixarms),
};

const lgkt_env_class lgkt_chain_class = {
    LGKT_ENV_ENTRY("chain", "2 for going back to the first state, 10 at the far end; actions slip",
                   "Dearden et al. 1998; Strens 2000", "O(S)", LGKT_PARAMS(CHAIN)),
    LGKT_WORLD_CLASS(create_chain),
};

const lgkt_env_class lgkt_lock_class = {
    LGKT_ENV_ENTRY("lock", "combination lock: one right action per state, any other one leads back",
                   "the combination lock of the literature; right actions and lure as here",
                   "O(S A)", LGKT_PARAMS(LOCK)),
    LGKT_WORLD_CLASS(create_lock),
};

const lgkt_env_class lgkt_linear_gap_class = {
    LGKT_ENV_ENTRY("linear-gap",
                   "a bad state that no lookahead of k steps leaves, and good ones beyond",
                   "paper, Theorem 3.4", "O(S^2 + S A)", LGKT_PARAMS(LINEAR_GAP)),
    LGKT_WORLD_CLASS(create_linear_gap),
};

const lgkt_env_class lgkt_deepsea_class = {
    LGKT_ENV_ENTRY("deepsea",
                   "a treasure that only one path of N costly steps finds, as one run without end",
                   "Osband et al. 2020 (bsuite)", "O(N^2)", LGKT_PARAMS(DEEPSEA)),
    LGKT_WORLD_CLASS(create_deepsea),
};
