// SPDX-License-Identifier: MIT
// What is often tried first: a table of values, moved a little at each step, and now and then a
// random action.
//
//   q-greedy        Watkins, Learning from delayed rewards (1989)
//   sarsa           Rummery and Niranjan, On-line Q-learning using connectionist systems (1994)
//   q-differential  Wan, Naik and Sutton, Learning and planning in average-reward Markov decision
//                   processes (2021); Abounadi, Bertsekas and Borkar, Learning algorithms for
//                   Markov decision processes with average cost (2001)
//
// After a step (s, a, r, y), with n visits of (s,a), this one included,
//
//   d = r + gamma Q(y,.) - Q(s,a)         q-greedy: the highest Q(y,b); sarsa: Q(y,a'), where a' is
//                                         what will be played in y; it is drawn now and kept
//   d = r - rbar + max_b Q(y,b) - Q(s,a)  q-differential
//   Q(s,a) += alpha d                     alpha constant, or n^-w
//
// and rbar is
//   differential  eta times the sum of all changes of Q so far: what rbar += eta alpha d adds up to
//   rvi           f(Q): Q of the first action in state 0, or the mean or the highest of all Q
//
// With probability epsilon the action is any, else one with the highest Q, ties drawn. Epsilon is a
// constant c, min(1, c/sqrt(1 + n_s)) in a state visited n_s times, or min(1, c/t) at step t.
//
// Where the run is cut, y is no consequence of the step: nothing is learned but how high rewards
// are, and sarsa drops the action that it kept.
//
// Values begin at Q0 = 0, or optimistic at Q0 = m/(1-gamma), where m is the highest mean reward
// that was told. Where none was told it is the highest reward seen so far: then Q0 grows, for the
// pairs never played. The table holds D = Q - Q0 and learns from r - m, so that ties among what was
// never played are exact whatever the rewards are:
//   r + gamma (Q0 + D(y,.)) - Q0 - D(s,a) = (r - m) + gamma D(y,.) - D(s,a)
//
// What to expect: from Q0 = 0 a small reward nearby is held for the best there is (classic
// RiverSwim with 6 states: 0.0005 per step of 0.223). With step=power the first visit of a pair has
// alpha = 1 and forgets Q0 at once.
//
// What explain says: value = Q. Where sarsa has drawn the action to come, that one is certain.
//
// An action that must be left out is never one that was drawn: sarsa draws anew where the one it
// kept is not allowed. The highest Q(y,b), and the draw of a', are among what y has offered.
//
// Cost: O(A) per step; O(S A) when an optimistic Q0 grows, and at each step with reference=max.
// Memory: 16 S A bytes.

#include "learners/front/learner_private.h"

#include <math.h>

#include "core/elementary.h"
#include "learners/front/best_action.h"

enum { EXPLORE_CONSTANT, EXPLORE_ROOT, EXPLORE_TIME };
enum { STEP_CONSTANT, STEP_POWER };
enum { START_ZERO, START_OPTIMISTIC };
enum { CENTRE_DIFFERENTIAL, CENTRE_RVI };
enum { REFERENCE_FIRST, REFERENCE_MEAN, REFERENCE_MAX };

// values are clipped here: far beyond all that rewards lead to, unless steps are so large that they
// feed on themselves
#define MOST_VALUE 1e120

typedef struct greedy_settings {
    int explore, step, start, centre, reference;
    double epsilon, alpha, power, discount, eta;
    double reward_max;
} greedy_settings;

typedef struct greedy_name {
    lgkt_entry entry;
    bool keeps;   // the next action: sarsa
    bool centred; // without a discount: q-differential
} greedy_name;

typedef struct greedy {
    greedy_settings set;
    bool keeps, centred;
    bool rises;    // Q0 grows with the rewards seen
    double gamma;  // 1 if centred
    double level;  // m; 0 unless optimistic
    bool seen;     // there was a reward
    int32_t kept;  // action for the state at hand, or -1
    double change; // sum of all changes of Q; of use if centred
    double *d;     // (S, A), Q - Q0
    int64_t *n;    // (S, A)
} greedy;

// ---- steps ----

static lgkt_action_values row_of(const lgkt_learner *learner, int32_t state)
{
    const greedy *g = learner->self;
    const int32_t actions = learner->problem.actions;
    const lgkt_action_values row = {
        .at = g->d + (size_t)state * (size_t)actions, .stride = 1, .count = actions};
    return row;
}

// epsilon of the step to come
static double exploration(const lgkt_learner *learner, int32_t state)
{
    const greedy *g = learner->self;
    const int32_t actions = learner->problem.actions;
    if (g->set.explore == EXPLORE_CONSTANT)
        return g->set.epsilon;
    if (g->set.explore == EXPLORE_TIME)
        return g->set.epsilon / (double)(learner->t + 1);
    double visits = 0;
    for (int32_t a = 0; a < actions; a++)
        visits += (double)g->n[(size_t)state * (size_t)actions + (size_t)a];
    return g->set.epsilon / sqrt(1 + visits);
}

static int32_t choose(lgkt_learner *learner, int32_t state, const uint8_t *allowed)
{
    const double epsilon = exploration(learner, state);
    if (epsilon > 0 && lgkt_rng_bernoulli(&learner->rng, epsilon))
        return lgkt_draw_among(learner->problem.actions, allowed, &learner->rng);
    const lgkt_action_values row = row_of(learner, state);
    return lgkt_choose_best(&row, allowed, &learner->rng);
}

static bool plays_kept(const lgkt_learner *learner)
{
    const greedy *g = learner->self;
    return g->kept >= 0 && lgkt_learner_allows(learner, g->kept);
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    const greedy *g = learner->self;
    return plays_kept(learner) ? g->kept : choose(learner, state, learner->allowed);
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const greedy *g = learner->self;
    const lgkt_action_values row = row_of(learner, state);
    for (int32_t a = 0; a < row.count; a++) {
        reasons[a].visits = (double)g->n[(size_t)state * (size_t)row.count + (size_t)a];
        reasons[a].value = g->centred ? row.at[a] : g->level / (1 - g->gamma) + row.at[a];
    }
    // the action kept is for the state that was observed, which the outermost learner knows
    const lgkt_learner *root = learner;
    while (root->parent != NULL)
        root = root->parent;
    if (plays_kept(learner) && (root->next_state < 0 || root->next_state == state)) {
        lgkt_law_of_action(g->kept, row.count, reasons);
        return true;
    }
    lgkt_law_of_best(&row, learner->allowed, reasons);
    const double epsilon = fmin(1, exploration(learner, state));
    lgkt_law_mix_even(epsilon, learner->allowed, row.count, reasons);
    return true;
}

// a reward above all others lifts Q0; what was played keeps its Q
static void see_reward(lgkt_learner *learner, double reward)
{
    greedy *g = learner->self;
    if (!g->rises || (g->seen && reward <= g->level))
        return;
    const double lift = g->seen ? (reward - g->level) / (1 - g->gamma) : 0;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    for (size_t z = 0; z < pairs && lift > 0; z++)
        g->d[z] -= g->n[z] > 0 ? lift : 0;
    g->level = reward;
    g->seen = true;
}

static double average(const lgkt_learner *learner)
{
    const greedy *g = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    if (g->set.centre == CENTRE_DIFFERENTIAL)
        return g->set.eta * g->change;
    if (g->set.reference == REFERENCE_FIRST)
        return g->d[0];
    if (g->set.reference == REFERENCE_MEAN)
        return g->change / (double)pairs;
    double most = g->d[0];
    for (size_t z = 1; z < pairs; z++)
        most = g->d[z] > most ? g->d[z] : most;
    return most;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    greedy *g = learner->self;
    const size_t actions = (size_t)learner->problem.actions;
    const size_t z = lgkt_learner_pair(learner);
    see_reward(learner, reward);
    g->kept = -1;
    if (ended)
        return LGKT_OK;
    const double n = (double)++g->n[z];
    const double alpha = g->set.step == STEP_POWER ? 1 / lgkt_pow(n, g->set.power) : g->set.alpha;
    double follows;
    if (g->keeps) {
        g->kept = choose(learner, next_state, lgkt_learner_offers_in(learner, next_state));
        follows = g->d[(size_t)next_state * actions + (size_t)g->kept];
    } else {
        const lgkt_action_values row = row_of(learner, next_state);
        follows = lgkt_best_among(&row, lgkt_learner_offers_in(learner, next_state)).value;
    }
    const double base = g->centred ? average(learner) : g->level;
    const double before = g->d[z];
    const double after = before + alpha * (reward - base + g->gamma * follows - before);
    g->d[z] = after > MOST_VALUE ? MOST_VALUE : after < -MOST_VALUE ? -MOST_VALUE : after;
    g->change += g->d[z] - before;
    return LGKT_OK;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    (void)error;
    greedy_settings *set = settings;
    const greedy_name *name = (const greedy_name *)learner->entry;
    greedy *g = learner->self;
    if (isnan(set->epsilon))
        set->epsilon = set->explore == EXPLORE_CONSTANT ? 0.1 : 1;
    if (!name->centred && isnan(set->reward_max))
        set->reward_max = learner->problem.reward_max;
    g->set = *set;
    g->keeps = name->keeps;
    if (g->keeps)
        learner->feed = NULL;
    g->centred = name->centred;
    g->gamma = g->centred ? 1 : set->discount;
    if (!g->centred && set->start == START_OPTIMISTIC) {
        g->rises = isnan(set->reward_max);
        g->level = g->rises ? 0 : set->reward_max;
    }
    return LGKT_OK;
}

static const lgkt_field fields[] = {
    {LGKT_ARRAY(greedy, d, PER_PAIR, REAL)},
    {LGKT_ARRAY(greedy, n, PER_PAIR, COUNT)},
    {LGKT_NUMBER(greedy, change, REAL), LGKT_IF(greedy, centred)},
    {LGKT_NUMBER(greedy, kept, MAYBE_ACTION), LGKT_IF(greedy, keeps), LGKT_TRACKED},
    {LGKT_NUMBER(greedy, seen, FLAG), LGKT_IF(greedy, rises)},
    {LGKT_NUMBER(greedy, level, REAL), LGKT_IF(greedy, rises)},
};

static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    const greedy *g = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    if (archive->mode != LGKT_ARCHIVE_LOAD)
        return;
    for (size_t z = 0; z < pairs; z++)
        archive->bad |= g->n[z] == 0 && g->d[z] != 0;
    archive->bad |= g->rises && (!lgkt_reward_fits(g->level) || (!g->seen && g->level != 0));
}

// ---- the names ----

#define EXPLORE_ROWS                                                                               \
    LGKT_ROW_CHOICE(greedy_settings, explore, "explore", "constant", "constant|root|time",         \
                    "probability of a random action: c, c/sqrt(1 + visits of the state) or c/t"),  \
        LGKT_ROW_REAL(greedy_settings, epsilon, "epsilon", "@0.1; 1 unless explore=constant", 0,   \
                      1e15, "c of explore; what is above 1 counts as 1")

#define STEP_ROWS                                                                                  \
    LGKT_ROW_CHOICE(greedy_settings, step, "step", "constant", "constant|power",                   \
                    "step size: alpha, or visits of the pair to the power -w"),                    \
        LGKT_ROW_REAL(greedy_settings, alpha, "alpha", "0.1", 0, 1, "for step=constant"),          \
        LGKT_ROW_REAL(greedy_settings, power, "w", "0.6", 0, 1, "for step=power")

#define DISCOUNT_ROWS                                                                              \
    LGKT_ROW_REAL(greedy_settings, discount, "discount", "0.99", 0, 1 - 1e-9, "discount gamma"),   \
        LGKT_ROW_CHOICE(greedy_settings, start, "start", "zero", "zero|optimistic",                \
                        "values begin at 0, or at the highest reward for ever"),                   \
        LGKT_ROW_REAL(greedy_settings, reward_max, "reward-max",                                   \
                      "@from the problem, else the highest seen", -1e15, 1e15,                     \
                      "upper bound of the mean rewards, for start=optimistic")

static const lgkt_param_row discounted_params[] = {EXPLORE_ROWS, STEP_ROWS, DISCOUNT_ROWS};

static const lgkt_param_row centred_params[] = {
    EXPLORE_ROWS,
    STEP_ROWS,
    LGKT_ROW_CHOICE(greedy_settings, centre, "centre", "differential", "differential|rvi",
                    "what is taken from each reward: an average learned with eta, or f(Q)"),
    LGKT_ROW_REAL(greedy_settings, eta, "eta", "1", 0, 1e6,
                  "step size of the average, in units of alpha; for centre=differential"),
    LGKT_ROW_CHOICE(greedy_settings, reference, "reference", "first", "first|mean|max",
                    "f(Q): of the first pair, the mean or the highest; for centre=rvi"),
};

static const greedy_name names[] = {
    {.entry = LGKT_ENTRY("q-greedy", discounted_params,
                         "Q-learning with random actions now and then", "Watkins 1989", "O(S A)")},
    {LGKT_ENTRY_LACKING("sarsa", discounted_params,
                        "the same, with the value of what will be played",
                        "Rummery and Niranjan 1994", "O(S A)", LGKT_TRAIT_FED),
     .keeps = true},
    {LGKT_ENTRY("q-differential", centred_params,
                "Q-learning for the average reward, without a discount",
                "Wan et al. 2021; Abounadi et al. 2001", "O(S A)"),
     .centred = true},
};

const lgkt_learner_class lgkt_q_greedy_class = {
    LGKT_SELF(greedy, fields),
    LGKT_NAMES(names),
    .create = create,
    .act = act,
    .observe = observe,
    .explain = explain,
    .feed = observe,
    .unfed = "it learns from the action that it will play next",
    .visit = visit,
};
