// SPDX-License-Identifier: MIT
// MDP-OOMD, optimistic online mirror descent on policies: algorithms 2 and 3 of Wei, Jafarnia-
// Jahromi, Luo, Sharma and Jain, Model-free reinforcement learning in infinite-horizon
// average-reward Markov decision processes (2020).
//
//   pi(a|s)    the policy in play       pi'(a|s)  the iterate behind it; both uniform at first
//   B          steps of a batch         N         steps of a window
//   eta        learning rate            beta(s,a) estimate of q(s,a) + N J, J the gain of pi
//
// The policy pi is played for B steps, numbered 0 .. B-1. Then for each state s: go through the
// steps tau <= B-1-N; one that is in s is a sample,
//   y(a_tau) += (r_tau + .. + r_{tau+N-1}) / pi(a_tau|s),
// after which 2N steps are passed over (windows=paper), or none (windows=overlapping, the authors'
// program). beta(s,.) is y over the number of samples, and
//   pi'(.|s) = LB(pi'(.|s), beta),   pi(.|s) = LB(pi'(.|s), beta)
// with the mirror descent step LB below. The second step is a hint: beta is expected
// once more. For a state without a sample beta is 0 and LB(pi', 0) = pi', so that pi' stays and pi
// falls back to it: a hint lasts for one batch.
//
// Settings of the authors' experiments: eta = 0.01; B = 4, N = 2 for random models, B = 30, N = 10
// for JumpRiverSwim. (Their program differs from the paper in the windows, and finds lambda of the
// second step only roughly and from another base; here both steps are exact.)
//
// Rewards are mapped to about [0, 1] as in rewards.h; the authors have [-1, 0]. LB does not
// mind a constant, but the estimate does, since unsampled actions count as 0: with rewards >= 0
// whatever was played gains, with rewards <= 0 it loses.
//
// Where the run is cut, the batch ends with what it has earned, its last reward included.
//
// It cannot be fed: the samples are weighted by the policy that drew them.
//
// Explained: the probabilities pi(.|s); it counts nothing.
//
// Masks: the policy is pi(a|s) over the sum of those allowed, M. A sample is weighted by it, and
// counts for the actions of M alone, so that each beta is the mean over samples in which the action
// was allowed: the estimate stays unbiased. An action that was allowed in none gets the mean sum of
// the state's samples, what its policy earned, which speaks neither for nor against it.
//
// Cost: O(A) per step to draw, and per batch O(B) and two LB for each state sampled. Memory: 16 S A
// + 12 S + 28 B bytes.

#include "learners/modelfree/mdp_oomd.h"

#include <math.h>
#include <string.h>

#include "learners/front/learner_private.h"
#include "learners/model/rewards.h"

// far above what is needed: a bound for numbers that make no sense
#define MOST_STEPS 100

enum { WINDOWS_PAPER, WINDOWS_OVERLAPPING };

typedef struct oomd_settings {
    int64_t b, n;
    double eta;
    int windows;
    lgkt_reward_range rewards;
} oomd_settings;

typedef struct batch_step {
    int32_t state, action;
    double reward; // mapped
} batch_step;

typedef struct oomd {
    oomd_settings set;
    lgkt_reward_map map;
    double even;       // 1/A, what all probabilities begin with
    int64_t ends;      // B + 1
    int64_t pass_over; // steps to the next step that may be a sample of the same state
    double *hint;      // (S, A), LB(pi', beta) as of the last batch with a sample
    double *base;      // (S, A), pi'
    int64_t *hinted;   // (S), the number of batches then
    int64_t batches;   // finished
    batch_step *steps; // (B), those of this batch so far
    bool masked;
    uint8_t *allowed; // (B, A), what was allowed then; NULL: there are no masks
    int32_t filled;   // how many

    // scratch for the end of a batch
    double *earned; // (B + 1), rewards before each step
    int32_t *later; // (B), the next step in the same state, or -1
    int32_t *heads; // (S), 1 + the first step in a state; 0 between batches
    double *beta;   // (A)
    int32_t *count; // (A), samples in which an action was allowed; if there are masks
} oomd;

// ---- mirror descent ----

// LB(y, beta) is one step of mirror descent on the simplex with the log barrier as regulariser:
//
//   x = argmax over the simplex of <x, beta> - D(x, y),
//
// where D is the Bregman divergence of (1/eta) sum_a ln(1/x_a). The solution is
//   1/x_a = 1/y_a - eta beta_a + lambda,   lambda such that the x_a are positive and sum to 1.
//
// With g_a = (1/y_a - eta beta_a) - min_b(1/y_b - eta beta_b) >= 0 and X = lambda + that minimum,
// sum_a 1/(X + g_a) = 1 is solved for X. The left side is convex and decreasing, at least 1 at
// X = 1, and by Jensen at least n/(X + mean g): from X = max(1, n - mean g) Newton's method goes up
// to the root without overshooting, 3 to 7 steps to the last digit. This needs no 1/y_a - eta
// beta_a to be positive. Adding a constant to beta changes nothing.
double lgkt_log_barrier_step(const double *y, const double *beta, double eta, int32_t n, double *x)
{
    double least = INFINITY, mean = 0, total = 0;
    for (int32_t a = 0; a < n; a++) {
        x[a] = 1 / fmax(y[a], LGKT_BARRIER_FLOOR) - eta * beta[a];
        least = fmin(least, x[a]);
    }
    // x holds the g_a until the root X is known
    for (int32_t a = 0; a < n; a++) {
        x[a] -= least;
        mean += x[a] / (double)n;
    }
    double root = fmax(1, (double)n - mean);
    for (int i = 0; i < MOST_STEPS; i++) {
        double sum = 0, slope = 0;
        for (int32_t a = 0; a < n; a++) {
            const double p = 1 / (root + x[a]);
            sum += p;
            slope += p * p;
        }
        const double step = (sum - 1) / slope;
        root += step;
        // the error of the root is at most the square of that before: nothing is left to gain
        if (!(step > 1e-9 * root))
            break;
    }
    for (int32_t a = 0; a < n; a++) {
        x[a] = fmax(1 / (root + x[a]), LGKT_BARRIER_FLOOR);
        total += x[a];
    }
    for (int32_t a = 0; a < n; a++)
        x[a] /= total;
    return root - least;
}

// pi(.|s)
static const double *policy_of(const oomd *o, int32_t state, int32_t actions)
{
    const double *const table = o->hinted[state] == o->batches ? o->hint : o->base;
    return table + (size_t)state * (size_t)actions;
}

// what was allowed at a step of the batch, if there are masks
static uint8_t *mask_of(const oomd *o, int32_t step, int32_t actions)
{
    return o->allowed != NULL ? o->allowed + (size_t)step * (size_t)actions : NULL;
}

// allowed is NULL for all
static double sum_allowed(const double *pi, const uint8_t *allowed, int32_t actions)
{
    double sum = 0;
    for (int32_t a = 0; a < actions; a++)
        sum += allowed == NULL || allowed[a] != 0 ? pi[a] : 0;
    return sum;
}

// ---- the end of a batch ----

// beta of the state of step `first`, from its samples up to step `last`; how many those were
static int32_t estimate(const oomd *o, int32_t first, int64_t last, int32_t actions)
{
    const double *pi = policy_of(o, o->steps[first].state, actions);
    int32_t samples = 0;
    int64_t next = first;
    double earned = 0;
    for (int32_t a = 0; a < actions; a++)
        o->beta[a] = 0;
    for (int32_t a = 0; a < actions && o->count != NULL; a++)
        o->count[a] = 0;
    for (int32_t i = first; i >= 0 && i <= last; i = o->later[i]) {
        if (i < next)
            continue;
        const int32_t a = o->steps[i].action;
        const double sum = o->earned[i + o->set.n] - o->earned[i];
        const uint8_t *allowed = mask_of(o, i, actions);
        const double all = allowed != NULL ? sum_allowed(pi, allowed, actions) : 1;
        o->beta[a] += sum / fmax(pi[a] / all, LGKT_BARRIER_FLOOR);
        for (int32_t b = 0; b < actions && o->count != NULL; b++)
            o->count[b] += allowed[b] != 0;
        earned += sum;
        samples++;
        next = i + o->pass_over;
    }
    // nothing to divide by without masks and with one sample
    for (int32_t a = 0; a < actions && samples > (o->count == NULL); a++) {
        const int32_t count = o->count != NULL ? o->count[a] : samples;
        o->beta[a] = count > 0 ? o->beta[a] / count : earned / samples;
    }
    return samples;
}

// mirror descent in every state with a sample; windows start at step `last` at the latest
static void finish_batch(lgkt_learner *learner, int64_t last)
{
    oomd *o = learner->self;
    const int32_t actions = learner->problem.actions;
    // sums of rewards, and for each state the list of its steps
    o->earned[0] = 0;
    for (int32_t i = 0; i < o->filled; i++)
        o->earned[i + 1] = o->earned[i] + o->steps[i].reward;
    for (int32_t i = o->filled - 1; i >= 0; i--) {
        int32_t *head = &o->heads[o->steps[i].state];
        o->later[i] = *head - 1;
        *head = i + 1;
    }
    for (int32_t i = 0; i < o->filled; i++) {
        const int32_t state = o->steps[i].state;
        if (o->heads[state] != i + 1)
            continue;
        o->heads[state] = 0;
        if (estimate(o, i, last, actions) == 0)
            continue;
        double *base = o->base + (size_t)state * (size_t)actions;
        double *hint = o->hint + (size_t)state * (size_t)actions;
        lgkt_log_barrier_step(base, o->beta, o->set.eta, actions, base);
        lgkt_log_barrier_step(base, o->beta, o->set.eta, actions, hint);
        o->hinted[state] = o->batches + 1;
    }
    o->batches++;
    o->filled = 0;
}

// ---- steps ----

static int32_t act(lgkt_learner *learner, int32_t state)
{
    const oomd *o = learner->self;
    const int32_t actions = learner->problem.actions;
    if (o->allowed != NULL)
        memset(mask_of(o, o->filled, actions), 1, (size_t)actions);
    return lgkt_sample_index(policy_of(o, state, actions), actions,
                             lgkt_rng_uniform(&learner->rng));
}

static int32_t act_among(lgkt_learner *learner, int32_t state)
{
    const oomd *o = learner->self;
    const int32_t actions = learner->problem.actions;
    const double *pi = policy_of(o, state, actions);
    double left = lgkt_rng_uniform(&learner->rng) * sum_allowed(pi, learner->allowed, actions);
    uint8_t *mask = mask_of(o, o->filled, actions);
    int32_t chosen = -1;
    for (int32_t a = 0; a < actions; a++) {
        mask[a] = lgkt_learner_allows(learner, a);
        if (!mask[a] || (chosen >= 0 && left < 0))
            continue;
        chosen = a;
        left -= pi[a];
    }
    return chosen;
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const int32_t actions = learner->problem.actions;
    const double *pi = policy_of(learner->self, state, actions);
    const double all = sum_allowed(pi, learner->allowed, actions);
    for (int32_t a = 0; a < actions; a++)
        reasons[a].probability = lgkt_learner_allows(learner, a) ? pi[a] / all : 0;
    return true;
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    (void)next_state;
    oomd *o = learner->self;
    o->steps[o->filled++] = (batch_step){.state = learner->state,
                                         .action = learner->action,
                                         .reward = lgkt_reward_mapped(&o->map, reward)};
    if (ended)
        finish_batch(learner, o->filled - o->set.n);
    else if (o->filled == o->set.b)
        finish_batch(learner, o->filled - 1 - o->set.n);
    return LGKT_OK;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    oomd_settings *set = settings;
    if (set->n >= set->b)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "mdp-oomd: windows of n=%lld steps do not fit a batch of b=%lld, which "
                         "must have at least n + 1",
                         (long long)set->n, (long long)set->b);
    LGKT_TRY(lgkt_reward_range_fill(learner, &set->rewards, error));
    oomd *o = learner->self;
    o->set = *set;
    o->map = lgkt_reward_map_make(&set->rewards);
    o->even = 1 / (double)learner->problem.actions;
    o->masked = learner->masked;
    o->ends = set->b + 1;
    o->pass_over = set->windows == WINDOWS_PAPER ? 2 * set->n : 1;
    return LGKT_OK;
}

static const lgkt_field fields[] = {
    {LGKT_ARRAY(oomd, hint, PER_PAIR, REAL), LGKT_FROM(oomd, even)},
    {LGKT_ARRAY(oomd, base, PER_PAIR, REAL), LGKT_FROM(oomd, even)},
    {LGKT_ARRAY(oomd, hinted, PER_STATE, COUNT)},
    {LGKT_NUMBER(oomd, batches, COUNT)},
    {LGKT_ARRAY(oomd, steps, ONE, SCRATCH), LGKT_TIMES(oomd, set.b)},
    {LGKT_ARRAY(oomd, allowed, PER_ACTION, SCRATCH), LGKT_TIMES(oomd, set.b),
     LGKT_IF(oomd, masked)},
    {LGKT_ARRAY(oomd, earned, ONE, SCRATCH), LGKT_TIMES(oomd, ends)},
    {LGKT_ARRAY(oomd, later, ONE, SCRATCH), LGKT_TIMES(oomd, set.b)},
    {LGKT_ARRAY(oomd, heads, PER_STATE, SCRATCH)},
    {LGKT_ARRAY(oomd, beta, PER_ACTION, SCRATCH)},
    {LGKT_ARRAY(oomd, count, PER_ACTION, SCRATCH), LGKT_IF(oomd, masked)},
};

// the batch so far
static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    oomd *o = learner->self;
    const int32_t states = learner->problem.states, actions = learner->problem.actions;
    lgkt_visit_i32(archive, &o->filled, 1, 0, (int32_t)o->set.b - 1);
    for (int32_t i = 0; i < o->filled; i++) {
        lgkt_visit_i32(archive, &o->steps[i].state, 1, 0, states - 1);
        lgkt_visit_i32(archive, &o->steps[i].action, 1, 0, actions - 1);
        lgkt_visit_f64(archive, &o->steps[i].reward, 1);
    }
    // the step at hand has its mask already
    const int32_t masks = o->filled + (learner->phase == LGKT_PHASE_OBSERVE);
    if (o->allowed != NULL)
        lgkt_visit_bytes(archive, o->allowed, (size_t)masks * (size_t)actions);
}

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_INTEGER(oomd_settings, b, "b", "4", 2, 1e6, "steps B of a batch, above n"),
    LGKT_ROW_INTEGER(oomd_settings, n, "n", "2", 1, 1e6, "steps N of a window"),
    LGKT_ROW_REAL(oomd_settings, eta, "eta", "0.01", 0, 1e6, "learning rate"),
    LGKT_ROW_CHOICE(oomd_settings, windows, "windows", "paper", "paper|overlapping",
                    "whether 2N steps are passed over after each sample of a state, or none"),
    LGKT_REWARD_ROWS(oomd_settings, rewards),
};

static const lgkt_entry names[] = {LGKT_ENTRY_LACKING(
    "mdp-oomd", params, "mirror descent on policies, batch by batch",
    "Wei et al. 2020, algorithms 2 and 3", "O(S A + B)", LGKT_TRAIT_FED | LGKT_TRAIT_SHARED)};

const lgkt_learner_class lgkt_oomd_class = {
    LGKT_SELF(oomd, fields),
    LGKT_NAMES(names),
    .create = create,
    .act = act,
    .observe = observe,
    .act_among = act_among,
    .explain = explain,
    .unpooled = "a batch is a piece of one trajectory",
    .unfed = "its samples are weighted by the policy that drew them",
    .visit = visit,
};
