// SPDX-License-Identifier: MIT
// LinUCB with a line for each action (Li, Chu, Langford and Schapire, "A contextual-bandit approach
// to personalized news article recommendation", 2010, algorithm 1): looks at the next reward only.
//
// A record becomes z = (1, its numbers, a 0 or 1 for each category); what is missing is 0, and numbers
// count within +-10^6. For each action a, of the steps in which it was played,
//
//   A_a = ridge I + sum z z'     inverse holds its inverse P_a, kept by the formula of Sherman and
//   b_a = sum r z                Morrison: P - P z (P z)' / (1 + z' P z)
//   theta_a = P_a b_a
//
// and the action of the highest theta_a z + alpha sqrt(z' P_a z) is played, ties drawn. Features are
// taken as they are: whoever wants them of one size scales them.
//
// What explain says: value = theta_a z, upper = with the bonus.
//
// Cost: O(A w^2) per step, w the length of z. Memory: 8 A w (w + 2) bytes.

#include "learners/front/learner_private.h"

#include <math.h>

#include "learners/front/best_action.h"

#define MOST_COLUMNS 1024
#define MOST_NUMBER  1e6

typedef struct linucb_settings {
    double alpha, ridge;
} linucb_settings;

typedef struct linucb {
    linucb_settings set;
    int64_t columns, squared; // w, w^2
    double *inverse;          // (A, w, w) P
    double *sums;             // (A, w) b
    double *theta;            // (A, w)
    int64_t *plays;           // (A)
    double *z;                // (w) of the record at hand
    double *turned;           // (w) P z
    double *indices;          // (A)
} linucb;

// ---- steps ----

static void read_record(const lgkt_learner *learner, int32_t state)
{
    linucb *u = learner->self;
    const lgkt_records *records = learner->records;
    const double *x = lgkt_learner_record(learner, state);
    double *z = u->z;
    *z++ = 1;
    for (int32_t d = 0; d < records->dims; d++) {
        if (records->kinds[d].type == LGKT_KIND_NUMBER) {
            *z++ = isnan(x[d]) ? 0 : fmax(-MOST_NUMBER, fmin(MOST_NUMBER, x[d]));
            continue;
        }
        for (int32_t c = 0; c < records->kinds[d].count; c++)
            *z++ = x[d] == c;
    }
}

// z' P_a z, with P_a z in turned
static double turn(linucb *u, int32_t action)
{
    const double *row = u->inverse + action * u->squared;
    double square = 0;
    for (int64_t i = 0; i < u->columns; i++, row += u->columns) {
        double sum = 0;
        for (int64_t j = 0; j < u->columns; j++)
            sum += row[j] * u->z[j];
        u->turned[i] = sum;
        square += sum * u->z[i];
    }
    // what was rounded may be below
    return square > 0 ? square : 0;
}

// theta_a z; what is behind a deviation in *bonus
static double value_of(linucb *u, int32_t action, double *bonus)
{
    const double *theta = u->theta + action * u->columns;
    double value = 0;
    for (int64_t i = 0; i < u->columns; i++)
        value += theta[i] * u->z[i];
    *bonus = u->set.alpha * sqrt(turn(u, action));
    return value;
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    linucb *u = learner->self;
    const int32_t actions = learner->problem.actions;
    read_record(learner, state);
    for (int32_t a = 0; a < actions; a++) {
        double bonus = 0;
        const double value = value_of(u, a, &bonus);
        u->indices[a] = value + bonus;
    }
    const lgkt_action_values indices = {.at = u->indices, .stride = 1, .count = actions};
    return lgkt_choose_best(&indices, learner->allowed, &learner->rng);
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    linucb *u = learner->self;
    const int32_t actions = learner->problem.actions;
    read_record(learner, state);
    for (int32_t a = 0; a < actions; a++) {
        double bonus = 0;
        reasons[a].visits = (double)u->plays[a];
        reasons[a].value = value_of(u, a, &bonus);
        reasons[a].upper = reasons[a].value + bonus;
    }
    const lgkt_action_values indices = lgkt_reason_values(&reasons->upper, actions);
    lgkt_law_of_best(&indices, learner->allowed, reasons);
    return true;
}

static void solve(linucb *u, int32_t action)
{
    const double *row = u->inverse + action * u->squared, *b = u->sums + action * u->columns;
    for (int64_t i = 0; i < u->columns; i++, row += u->columns) {
        double sum = 0;
        for (int64_t j = 0; j < u->columns; j++)
            sum += row[j] * b[j];
        u->theta[action * u->columns + i] = sum;
    }
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    (void)next_state, (void)ended;
    linucb *u = learner->self;
    const int32_t a = learner->action;
    // no number of an inverse is larger, but for what was rounded
    const double most = 1 / u->set.ridge;
    double *row = u->inverse + a * u->squared;
    read_record(learner, learner->state);
    const double share = 1 / (1 + turn(u, a));
    for (int64_t i = 0; i < u->columns; i++, row += u->columns) {
        for (int64_t j = 0; j < u->columns; j++)
            row[j] = fmax(-most, fmin(most, row[j] - u->turned[i] * u->turned[j] * share));
        u->sums[a * u->columns + i] += reward * u->z[i];
    }
    u->plays[a]++;
    solve(u, a);
    return LGKT_OK;
}

// ---- life ----

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    linucb *u = learner->self;
    const lgkt_records *records = learner->records;
    u->set = *(linucb_settings *)settings;
    u->columns = 1;
    for (int32_t d = 0; d < records->dims; d++)
        u->columns += records->kinds[d].type == LGKT_KIND_NUMBER ? 1 : records->kinds[d].count;
    u->squared = u->columns * u->columns;
    if (u->columns > MOST_COLUMNS)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "linucb: numbers and categories make %lld columns, must be at most %d",
                         (long long)u->columns, MOST_COLUMNS);
    return LGKT_OK;
}

static lgkt_status grow(lgkt_learner *learner, int32_t before, int32_t after, lgkt_error *error)
{
    (void)after, (void)error;
    linucb *u = learner->self;
    for (int32_t a = 0; a < learner->problem.actions && before == 0; a++)
        for (int64_t i = 0; i < u->columns; i++)
            u->inverse[a * u->squared + i * u->columns + i] = 1 / u->set.ridge;
    return LGKT_OK;
}

static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    const linucb *u = learner->self;
    const double most = 1 / u->set.ridge;
    for (int64_t i = 0; i < learner->problem.actions * u->squared; i++)
        archive->bad |= !(fabs(u->inverse[i]) <= most);
}

static void loaded(lgkt_learner *learner)
{
    for (int32_t a = 0; a < learner->problem.actions; a++)
        solve(learner->self, a);
}

// ---- the name ----

static const lgkt_param_row params[] = {
    LGKT_ROW_REAL(linucb_settings, alpha, "alpha", "1", 0, 1e6, "factor of the bonus"),
    LGKT_ROW_REAL(linucb_settings, ridge, "ridge", "1", 1e-6, 1e6, "weight of the ridge"),
};

static const lgkt_entry names[] = {{
    .name = "linucb",
    .summary = "a linear bandit on records: looks at the next reward only",
    .source = "Li et al. 2010",
    .memory = "O(A features^2)",
    .params = params,
    .param_count = LGKT_LENGTH(params),
    .traits = (LGKT_TRAITS_ALL & ~(uint32_t)LGKT_TRAIT_STATES) | LGKT_TRAIT_RECORDS,
}};

static const lgkt_field fields[] = {
    {LGKT_ARRAY(linucb, inverse, PER_ACTION, REAL), LGKT_TIMES(linucb, squared)},
    {LGKT_ARRAY(linucb, sums, PER_ACTION, REAL), LGKT_TIMES(linucb, columns)},
    {LGKT_ARRAY(linucb, theta, PER_ACTION, SCRATCH), LGKT_TIMES(linucb, columns)},
    {LGKT_ARRAY(linucb, plays, PER_ACTION, TALLY)},
    {LGKT_ARRAY(linucb, z, ONE, SCRATCH), LGKT_TIMES(linucb, columns)},
    {LGKT_ARRAY(linucb, turned, ONE, SCRATCH), LGKT_TIMES(linucb, columns)},
    {LGKT_ARRAY(linucb, indices, PER_ACTION, SCRATCH)},
};

const lgkt_learner_class lgkt_linucb_class = {
    LGKT_SELF(linucb, fields), LGKT_NAMES(names), .takes = LGKT_TAKES_RECORDS,
    .create = create,          .act = act,        .observe = observe,
    .explain = explain,        .grow = grow,      .visit = visit,
    .loaded = loaded,
};
