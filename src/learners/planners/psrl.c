// SPDX-License-Identifier: MIT
// Posterior sampling: draw a model from what is believed, play its best policy for a while, draw
// anew (Strens 2000; Osband, Russo and Van Roy 2013). The laws and the draw are in posterior.c, the
// planner in value_iteration.c.
//
//   psrl              one model
//   psrl-optimistic   psi models of every row, and the best of them in the planning (Agrawal and
//                     Jia 2017)
//
// When a new model is drawn; N are visits, t_k is the step of the last draw, z a pair:
//
//   tsde       t > t_k + T_{k-1}, or N_t(z) > 2 N_{t_k}(z) for some z; T_{k-1} is the length of the
//              episode before, T_0 = 1                               (Ouyang et al. 2017)
//   doubling   before a pair with N >= max(1, 2 N_{t_k}) is played (Jaksch et al. 2010)
//   ds         t = 1, 2, 4, 8, ..                                    (Theocharous et al. 2018)
//   coin       with probability 1 - g before each step; the plan is for the g-discounted return
//                                                                    (Xu, Dong and Van Roy 2022)
//   every      tau steps after the last draw
//
// Plans: for the gain, from the values of the last sample on, until the gain is known within
// precision = R min(0.01, 1/t); or (plan=left) for the steps that are left, value by value from 0
// until the values grow alike, after which the last table is played for all longer times. An
// episode that meets a state it has no action for, or follows steps chosen by others, starts anew.
//
// psrl-optimistic has rows (a, j), j = 1 .. psi, of Dirichlet((C + omega)/kappa), and as reward the
// largest of psi draws; rows with fewer than eta moves are lower bounds with the rest on one state.
// The theory wants psi of order S log(SA/rho), kappa and omega of order log(T/rho) and eta of order
// sqrt(TS/A) + omega S^2; the defaults are practical ones. The paper takes rewards as known.
//
// Explained: value = xbar + phat.u in rewards, u the values of the last sample (with discount under
// schedule=coin); a pair that led nowhere has none. Probabilities are those of the policy in force;
// ties were drawn with the plan. There are none where a model would be drawn, nor may be: never
// under schedule=coin.
//
// Masks: where the policy's action is not allowed, the best of those allowed in the sample is
// played, which is saved for that. A pair that cannot be played has no say in plans, and a change
// of these calls for a draw. Another horizon calls for one with plan=left.
//
// Cost: O(1) a step; a plan draws a model (posterior.c) and takes some 10 sweeps over its rows, psi
// times as much with optimism. Memory: O(S A + min(T, S^2 A)), times psi; plan=left 4 S
// min(T, 2000) bytes more.

#include "learners/planners/psrl.h"

#include <math.h>

#include "learners/front/best_action.h"

enum { TIES_UNIFORM, TIES_LEAST_VISITED };

#define MOST_TABLES 2000
// a drawn model may fall apart, and its plan then does not end by itself
#define MOST_SWEEPS 1e6
// values that are equal on paper differ by this much, relative to their span
#define SLACK 1e-12

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// ---- plans ----

// puts the best actions of a state in the sample into p->ties; returns how many there are
static int32_t find_best(lgkt_learner *learner, int32_t state, const uint8_t *allowed, double g,
                         double slack)
{
    lgkt_psrl *p = learner->self;
    const size_t row = (size_t)state * (size_t)learner->problem.actions;
    const size_t copies = (size_t)p->post.copies;
    const lgkt_seen_row *pairs = p->post.counts.rows + row;
    double best = -INFINITY;
    for (int32_t a = 0; a < learner->problem.actions; a++) {
        p->values[a] = -INFINITY;
        if (allowed != NULL && allowed[a] == 0)
            continue;
        for (size_t i = (row + (size_t)a) * copies, end = i + copies; i < end; i++) {
            const double value = lgkt_vi_value(&p->vi, i, g);
            p->values[a] = value > p->values[a] ? value : p->values[a];
        }
        best = p->values[a] > best ? p->values[a] : best;
    }
    const bool least = p->set.ties == TIES_LEAST_VISITED;
    int32_t count = 0;
    for (int32_t a = 0; a < learner->problem.actions; a++) {
        if (p->values[a] < best - slack || (allowed != NULL && allowed[a] == 0) ||
            (least && count > 0 && pairs[a].n > pairs[p->ties[0]].n))
            continue;
        if (least && count > 0 && pairs[a].n < pairs[p->ties[0]].n)
            count = 0;
        p->ties[count++] = a;
    }
    return count;
}

static int32_t draw_tie(lgkt_learner *learner, int32_t count)
{
    return lgkt_choose_tie(((const lgkt_psrl *)learner->self)->ties, count, &learner->rng);
}

static double scale_of(const lgkt_psrl *p)
{
    const double range = lgkt_posterior_range(&p->post);
    return range > 0 ? range : 1;
}

static double discount_of(const lgkt_psrl *p)
{
    return p->set.schedule == LGKT_SCHEDULE_COIN ? p->set.g : 1;
}

static double slack_of(const lgkt_psrl *p, double scale)
{
    double low = INFINITY, high = -INFINITY;
    for (int32_t s = 0; s < p->vi.states; s++) {
        low = fmin(low, p->vi.u[s]);
        high = fmax(high, p->vi.u[s]);
    }
    return SLACK * fmax(scale, high - low);
}

// u = v - min v
static void step_back(lgkt_vi *vi)
{
    double least = INFINITY;
    for (int32_t s = 0; s < vi->states; s++)
        least = fmin(least, vi->v[s]);
    for (int32_t s = 0; s < vi->states; s++)
        vi->u[s] = vi->v[s] - least;
}

// the actions with 1, 2, .. steps left
static void plan_left(lgkt_learner *learner, double scale, double precision)
{
    lgkt_psrl *p = learner->self;
    lgkt_vi *vi = &p->vi;
    const int32_t states = vi->states;
    // another unit may have more steps left
    const int64_t left =
        learner->unit.left >= 0 ? p->most_tables : lgkt_learner_steps_to_plan(learner);
    const int64_t cap = left < p->most_tables ? left : p->most_tables;
    for (int32_t s = 0; s < states; s++)
        vi->u[s] = 0;
    for (int64_t k = 1;; k++) {
        lgkt_vi_sweep(vi, 1);
        const double slack = slack_of(p, scale);
        double low = INFINITY, high = -INFINITY;
        for (int32_t s = 0; s < states; s++) {
            p->left[(int64_t)s * p->most_tables + k - 1] =
                draw_tie(learner, find_best(learner, s, NULL, 1, slack));
            low = fmin(low, vi->v[s] - vi->u[s]);
            high = fmax(high, vi->v[s] - vi->u[s]);
        }
        p->tables = k;
        p->planned_steps = k - 1;
        const bool done = high - low < precision;
        if (done || k >= cap) {
            vi->cap_hits += !done && cap < left;
            return;
        }
        step_back(vi);
    }
}

static void resample(lgkt_learner *learner)
{
    lgkt_psrl *p = learner->self;
    const int32_t states = learner->problem.states;
    const size_t pairs = (size_t)states * (size_t)learner->problem.actions;
    p->length = p->planned ? most(1, learner->t - p->started) : 1;
    p->started = learner->t;
    p->planned = true;
    p->enough = false;
    p->known = states;
    p->resampled++;
    for (size_t z = 0; z < pairs; z++)
        p->visits[z] = (int64_t)p->post.counts.rows[z].n;
    for (int32_t s = 0; s < states && p->unitless; s++)
        p->vi.u[s] = 0;

    lgkt_posterior_draw(learner, &p->post, &p->vi);
    const double scale = scale_of(p);
    const double t = (double)learner->t + 1;
    const double precision =
        scale * (isnan(p->set.precision) ? fmin(0.01, 1 / t) : p->set.precision);
    if (p->set.plan == LGKT_PLAN_LEFT) {
        plan_left(learner, scale, precision);
        return;
    }
    const double g = discount_of(p);
    if (p->set.schedule == LGKT_SCHEDULE_COIN)
        lgkt_vi_discounted(&p->vi, g, precision);
    else
        lgkt_vi_gain(&p->vi, precision);
    const double slack = slack_of(p, scale);
    for (int32_t s = 0; s < states; s++)
        p->left[s] = draw_tie(learner, find_best(learner, s, NULL, g, slack));
    p->tables = 1;
    // as long as the unit is arbitrary, so are these values; a choice among allowed actions may
    // need them until the next draw
    const bool unitless = !(lgkt_posterior_range(&p->post) > 0);
    p->unitless = unitless && learner->offered != NULL;
    for (int32_t s = 0; s < states && unitless && !p->unitless; s++)
        p->vi.u[s] = 0;
}

// ---- steps ----

static int32_t policy_of(const lgkt_learner *learner, int32_t state)
{
    const lgkt_psrl *p = learner->self;
    const int64_t left = lgkt_learner_steps_to_plan(learner);
    const int64_t k = left < p->tables ? left : p->tables;
    return p->left[(int64_t)state * p->most_tables + k - 1];
}

// as find_best, among the allowed actions, for the plan in force
static int32_t find_allowed(lgkt_learner *learner, int32_t state)
{
    lgkt_psrl *p = learner->self;
    lgkt_vi *vi = &p->vi;
    if (p->set.plan == LGKT_PLAN_LEFT) {
        const int64_t left = lgkt_learner_steps_to_plan(learner);
        const int64_t wanted_steps = (left < p->tables ? left : p->tables) - 1;
        for (int32_t s = 0; s < vi->states && p->planned_steps > wanted_steps; s++)
            vi->u[s] = 0;
        p->planned_steps = p->planned_steps > wanted_steps ? 0 : p->planned_steps;
        for (; p->planned_steps < wanted_steps; p->planned_steps++) {
            lgkt_vi_sweep(vi, 1);
            step_back(vi);
        }
        // for its total of u
        lgkt_vi_sweep(vi, 1);
    }
    return find_best(learner, state, learner->allowed, discount_of(p), slack_of(p, scale_of(p)));
}

static int32_t choice_in(lgkt_learner *learner, int32_t state)
{
    const int32_t action = policy_of(learner, state);
    if (lgkt_learner_allows(learner, action))
        return action;
    return draw_tie(learner, find_allowed(learner, state));
}

// whether a model is drawn before the next step, whatever its action; a coin draws a number
static bool is_due(lgkt_learner *learner, int32_t state)
{
    const lgkt_psrl *p = learner->self;
    if (!p->planned || state >= p->known)
        return true;
    const int64_t steps = learner->t - p->started, t = learner->t + 1;
    switch ((lgkt_schedule)p->set.schedule) {
    case LGKT_SCHEDULE_TSDE:
        return p->enough || steps > p->length;
    case LGKT_SCHEDULE_DOUBLING:
        return false;
    case LGKT_SCHEDULE_DS:
        return steps > 0 && (t & (t - 1)) == 0;
    case LGKT_SCHEDULE_COIN:
        return !lgkt_rng_bernoulli(&learner->rng, p->set.g);
    default:
        return steps >= p->set.tau;
    }
}

// whether one is drawn before this action
static bool is_due_before(const lgkt_learner *learner, int32_t state, int32_t action)
{
    const lgkt_psrl *p = learner->self;
    const size_t z = (size_t)state * (size_t)learner->problem.actions + (size_t)action;
    return p->set.schedule == LGKT_SCHEDULE_DOUBLING &&
           (int64_t)p->post.counts.rows[z].n >= most(1, 2 * p->visits[z]);
}

// among all actions or those allowed
static int32_t act(lgkt_learner *learner, int32_t state)
{
    if (!is_due(learner, state)) {
        const int32_t action = choice_in(learner, state);
        if (!is_due_before(learner, state, action))
            return action;
    }
    resample(learner);
    return choice_in(learner, state);
}

static void offer(lgkt_learner *learner, int32_t state)
{
    (void)state;
    ((lgkt_psrl *)learner->self)->known = 0;
}

// ---- reasons ----

// The law of the policy in force; nothing where a draw may come before. False if it takes a copy.
static bool explain_law(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    lgkt_psrl *p = learner->self;
    if (p->set.schedule == LGKT_SCHEDULE_COIN || is_due(learner, state))
        return true;
    p->ties[0] = policy_of(learner, state);
    int32_t count = 1;
    if (!lgkt_learner_allows(learner, p->ties[0])) {
        if (p->set.plan == LGKT_PLAN_LEFT && !learner->is_copy)
            return false;
        count = find_allowed(learner, state);
    }
    for (int32_t i = 0; i < count; i++)
        if (is_due_before(learner, state, p->ties[i]))
            return true;
    lgkt_law_of_ties(p->ties, count, learner->problem.actions, reasons);
    return true;
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const lgkt_psrl *p = learner->self;
    const lgkt_posterior *post = &p->post;
    const int32_t actions = learner->problem.actions;
    const double base = post->bounds.base, unit = post->bounds.unit, g = discount_of(p);
    const double nothing = g < 1 ? base / (1 - g) : 0;
    for (int32_t a = 0; a < actions; a++) {
        const size_t z = (size_t)state * (size_t)actions + (size_t)a;
        reasons[a].visits = post->counts.rows[z].n;
        if (!(reasons[a].visits > 0))
            continue;
        const double next = lgkt_successors_mean(&post->counts, z, p->vi.u, 1);
        reasons[a].mean_reward = base + unit * post->moments[z].mean;
        reasons[a].value = reasons[a].mean_reward + g * (nothing + unit * next);
    }
    return explain_law(learner, state, reasons);
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    lgkt_psrl *p = learner->self;
    const size_t z = lgkt_learner_pair(learner);
    LGKT_TRY(lgkt_posterior_learn(learner, &p->post, z, reward, next_state, ended));
    p->enough |= (int64_t)p->post.counts.rows[z].n > 2 * p->visits[z];
    return LGKT_OK;
}

// the next choice begins an episode
static lgkt_status feed(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    LGKT_TRY(observe(learner, reward, next_state, ended));
    ((lgkt_psrl *)learner->self)->planned = false;
    return LGKT_OK;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    lgkt_psrl_settings *set = settings;
    const char *name = learner->entry->name;
    if (set->psi == 0) {
        // no such parameter: one model, from the posterior as it is
        set->psi = 1;
        set->kappa = 1;
        set->eta = 0;
    }
    if (isnan(set->alpha) && !learner->grows)
        set->alpha = 1.0 / learner->problem.states;
    LGKT_TRY(lgkt_reward_bounds_fill(learner, &set->reward, error));
    if (set->schedule == LGKT_SCHEDULE_COIN && set->plan == LGKT_PLAN_LEFT)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "%s: schedule=coin plans for a discounted return, not for plan=left",
                         name);
    const bool told = !isnan(set->reward.min) && !isnan(set->reward.max);
    if (set->law == LGKT_UNSET_CHOICE)
        set->law = told ? LGKT_LAW_NG : LGKT_LAW_NG_FREE;
    lgkt_psrl *p = learner->self;
    p->set = *set;
    p->post = (lgkt_posterior){.law = (lgkt_reward_law)set->law,
                               .fraction = set->rounding == 1,
                               .alpha = set->alpha,
                               .kappa = set->kappa,
                               .eta = set->eta,
                               .split = (lgkt_split)set->split,
                               .names = set->split != LGKT_SPLIT_UNIFORM,
                               .copies = (int32_t)set->psi,
                               .bounds = lgkt_reward_bounds_start(&set->reward)};
    // a range near 0 must not make it infinite
    p->post.sd =
        isnan(set->reward.sd) ? NAN : fmin(set->reward.sd / p->post.bounds.unit, LGKT_MAX_REWARD);
    p->vi.sweep_cap = set->sweeps;
    p->vi.copies = p->post.copies;
    p->length = 1;
    const int64_t horizon = learner->problem.horizon;
    p->most_tables = set->plan != LGKT_PLAN_LEFT ? 1
                     : horizon < MOST_TABLES     ? horizon
                                                 : MOST_TABLES;
    // a saved state has the tables whole, and a full sample
    const size_t states = (size_t)learner->problem.states;
    const size_t copies = (size_t)learner->problem.actions * (size_t)set->psi;
    const size_t sample = set->split == LGKT_SPLIT_EXACT ? states * copies * states : 0;
    return lgkt_learner_claim(learner, states * (size_t)p->most_tables + sample, error);
}

// ---- room ----

// room for a sample of so many states with so many successors
static bool make_room(lgkt_learner *learner, int32_t states, int64_t seen)
{
    lgkt_psrl *p = learner->self;
    return lgkt_vi_reserve(learner, &p->vi, lgkt_posterior_size(learner, &p->post, states, seen));
}

static bool prepare(lgkt_learner *learner)
{
    lgkt_successors *counts = &((lgkt_psrl *)learner->self)->post.counts;
    return lgkt_successors_prepare(learner, counts) &&
           make_room(learner, learner->capacity, counts->capacity);
}

static lgkt_status grow(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error)
{
    (void)before;
    const lgkt_psrl *p = learner->self;
    // a saved state, which may be made up, has room for what it holds
    const lgkt_successors *counts = &p->post.counts;
    const bool fits = make_room(learner, after, learner->saved ? counts->used : counts->capacity);
    return fits ? LGKT_OK : lgkt_fail_memory(error, "a learner");
}

static const lgkt_field fields[] = {
    {LGKT_PART(lgkt_psrl, post, &lgkt_posterior_part)},
    {LGKT_PART(lgkt_psrl, vi, &lgkt_vi_part)},
    {LGKT_NUMBER(lgkt_psrl, planned, FLAG)},
    {LGKT_NUMBER(lgkt_psrl, enough, FLAG)},
    {LGKT_NUMBER(lgkt_psrl, started, COUNT)},
    {LGKT_NUMBER(lgkt_psrl, length, COUNT)},
    {LGKT_NUMBER(lgkt_psrl, known, STATES_KNOWN)},
    {LGKT_ARRAY(lgkt_psrl, visits, PER_PAIR, SCRATCH)},
    {LGKT_ARRAY(lgkt_psrl, values, PER_ACTION, SCRATCH)},
    {LGKT_ARRAY(lgkt_psrl, ties, PER_ACTION, SCRATCH)},
    {LGKT_ARRAY(lgkt_psrl, left, PER_STATE, SCRATCH), LGKT_TIMES(lgkt_psrl, most_tables)},
    {LGKT_NUMBER(lgkt_psrl, resampled, TALLY)},
    {LGKT_NUMBER(lgkt_psrl, unitless, FLAG)},
};

// ---- saving ----

// A sample is drawn anew for every plan and not saved, but where there are masks, since choices
// among allowed actions rest on it, and with split=exact, whose sample is part of the law.

// the sample that choices among allowed actions rest on; pairs that cannot be played are not in it
static void visit_sample(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_psrl *p = learner->self;
    lgkt_vi *vi = &p->vi;
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    const size_t rows = (size_t)p->known * (size_t)vi->actions;
    int32_t places = 0;
    lgkt_visit_i64(archive, &p->planned_steps, 1, 0, p->tables);
    for (size_t i = 0; i < rows; i++) {
        lgkt_vi_row *row = &vi->rows[i];
        double reward = row->reward > -INFINITY ? row->reward : 0;
        lgkt_visit_f64(archive, &reward, 1);
        lgkt_visit_f64(archive, &row->base, 1);
        lgkt_visit_i32(archive, &row[1].start, 1, places, (int32_t)vi->capacity);
        if (archive->bad)
            return;
        places = row[1].start;
        if (loads)
            row->reward = lgkt_learner_offers(learner, i / (size_t)vi->copies) ? reward : -INFINITY;
    }
    lgkt_visit_i32(archive, vi->next, (size_t)places, 0, learner->problem.states - 1);
    lgkt_visit_f64(archive, vi->weight, (size_t)places);
    if (loads)
        vi->states = p->known;
}

static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_psrl *p = learner->self;
    const int32_t states = learner->problem.states, last = learner->problem.actions - 1;
    const size_t pairs = (size_t)states * (size_t)learner->problem.actions;
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    if (loads && !archive->bad && !make_room(learner, learner->capacity, p->post.counts.used))
        lgkt_archive_starve(archive);
    archive->bad |= p->length < 1;
    for (size_t z = 0; z < pairs; z++)
        lgkt_visit_i64(archive, &p->visits[z], 1, 0, (int64_t)p->post.counts.rows[z].n);
    // plans up to another end are of no use, and their tables may have another size
    const bool anew = archive->retimed && p->set.plan == LGKT_PLAN_LEFT;
    if (!anew) {
        lgkt_visit_i64(archive, &p->tables, 1, p->planned, p->most_tables);
        lgkt_visit_i32(archive, p->left, (size_t)states * (size_t)p->most_tables, 0, last);
    }
    if (loads && anew) {
        p->tables = 1;
        p->known = 0;
    }
    if (p->set.split == LGKT_SPLIT_EXACT)
        lgkt_visit_f64(archive, p->vi.weight, pairs * (size_t)states * (size_t)p->post.copies);
    if (learner->offered != NULL && p->planned && !anew)
        visit_sample(learner, archive);
}

static int32_t counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const lgkt_psrl *p = learner->self;
    const lgkt_counter all[] = {{"resamplings", p->resampled},
                                {"sweeps", p->vi.sweeps},
                                {"sweep_cap_hits", p->vi.cap_hits},
                                {"rewards_clipped", p->post.clipped}};
    return lgkt_counters_write(all, p->set.law == LGKT_LAW_BETA ? 4 : 3, out, capacity);
}

// ---- the names ----

#define ROWS(schedule_, prior_)                                                                    \
    LGKT_ROW_CHOICE(lgkt_psrl_settings, schedule, "schedule", schedule_,                           \
                    "tsde|doubling|ds|coin|every",                                                 \
                    "when to draw a new model: episodes that grow by a step at most, when visits " \
                    "double, at powers of two, by a coin before each step, every tau steps"),      \
        LGKT_ROW_REAL(lgkt_psrl_settings, g, "g", "0.99", 0, 1 - 1e-9,                             \
                      "schedule=coin: probability to go on, and discount of the plan"),            \
        LGKT_ROW_INTEGER(lgkt_psrl_settings, tau, "tau", "100", 1, 1e15,                           \
                         "schedule=every: steps between two draws"),                               \
        LGKT_ROW_REAL(lgkt_psrl_settings, alpha, prior_, "@1/S, S the states known", 1e-6, 1e9,    \
                      "Dirichlet prior of the rows, per state"),                                   \
        LGKT_ROW_CHOICE(lgkt_psrl_settings, split, "split", "uniform", "uniform|exact|vertex",     \
                        "what states not seen after a pair get of their mass: equal parts, a "     \
                        "draw from the law itself (memory S^2 A), or one of them all of it"),      \
        LGKT_ROW_CHOICE(lgkt_psrl_settings, law, "reward", "@ng, or ng-free if no range is told",  \
                        "ng|ng-free|beta|normal",                                                  \
                        "law of the mean rewards: normal-gamma (unknown noise), the same with "    \
                        "its prior from the rewards seen, which fails where rewards are sparse, "  \
                        "beta (rewards in the range), normal (noise of scale reward-sd)"),         \
        LGKT_ROW_CHOICE(lgkt_psrl_settings, rounding, "rounding", "coin", "coin|fraction",         \
                        "reward=beta: a reward inside the range counts as one of its ends by a "   \
                        "coin, or in parts"),                                                      \
        LGKT_ROW_CHOICE(lgkt_psrl_settings, plan, "plan", "gain", "gain|left",                     \
                        "for the long run, or for the steps left; schedule=coin: discounted"),     \
        LGKT_ROW_CHOICE(lgkt_psrl_settings, ties, "ties", "uniform", "uniform|least-visited",      \
                        "among equal actions of a plan: any, or those played least"),              \
        LGKT_ROW_REAL(lgkt_psrl_settings, precision, "precision", "@min(0.01, 1/t)", 1e-12, 1e15,  \
                      "of a plan, in units of the reward range"),                                  \
        LGKT_ROW_INTEGER(lgkt_psrl_settings, sweeps, "sweeps", "20000", 1, MOST_SWEEPS,            \
                         "most sweeps of a plan; hits are counted"),                               \
        LGKT_REWARD_BOUND_ROWS(lgkt_psrl_settings, reward)

static const lgkt_param_row psrl_params[] = {ROWS("tsde", "alpha")};

static const lgkt_param_row optimistic_params[] = {
    ROWS("doubling", "omega"),
    LGKT_ROW_INTEGER(lgkt_psrl_settings, psi, "psi", "5", 1, 100, "models drawn of every row"),
    LGKT_ROW_REAL(lgkt_psrl_settings, kappa, "kappa", "1", 1e-6, 1e6,
                  "divides the parameters of the Dirichlet laws: more than 1 widens them"),
    LGKT_ROW_REAL(lgkt_psrl_settings, eta, "eta", "0", 0, 1e15,
                  "rows with fewer moves are lower bounds with the rest on one state"),
};

static const lgkt_entry names[] = {
    LGKT_ENTRY_LACKING("psrl", psrl_params,
                       "plays the best policy of a model drawn from the posterior",
                       "Strens 2000; Osband et al. 2013; Ouyang et al. 2017",
                       "O(S A + min(T, S^2 A))", LGKT_TRAIT_LAW),
    LGKT_ENTRY_LACKING("psrl-optimistic", optimistic_params,
                       "psrl with several draws of every row, and the best of them in the plan",
                       "Agrawal and Jia 2017", "O(psi (S A + min(T, S^2 A)))", LGKT_TRAIT_LAW),
};

const lgkt_learner_class lgkt_psrl_class = {
    LGKT_SELF(lgkt_psrl, fields), LGKT_NAMES(names), .create = create,   .act = act,
    .observe = observe,           .offer = offer,    .explain = explain, .feed = feed,
    .prepare = prepare,           .grow = grow,      .visit = visit,     .counters = counters,
};
