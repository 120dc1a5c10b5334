// SPDX-License-Identifier: MIT
// labels: slow
// Saving and resuming: a learner that is saved and loaded anywhere goes on bit for bit.
//
// For every registered learner, with its defaults and each profile, and for a list of deeper
// settings: a run of 300 steps with cuts is saved before each act and between each act and observe.
// A second learner is saved and loaded anew at each of these points and must always have the same
// bytes; and from every seventh of them a learner is loaded that plays to the end by itself. In
// runs of 60 steps that is done from every point, and every learner takes part as a sampler and as
// a partner too.

#include "test.h"

#include "ref/fault.h"
#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/saved_bytes.h"
#include "ref/state_learners.h"

enum { LONG = 300, SHORT = 60, MOST_SPEC = 160 };

// ---- cases ----

enum { OF_SPEC, FUNCTION, TABLE };

typedef struct resume_case {
    char spec[MOST_SPEC];
    int threshold;
    bool coin;
} resume_case;

static const resume_case deeper[] = {
    {"lgkt:k=3", OF_SPEC, false},
    {"lgkt:k=5,profile=paper", OF_SPEC, false},
    {"lgkt:k=9,threshold=2", OF_SPEC, true},
    {"lgkt:k=3", FUNCTION, false},
    {"lgkt:k=4", TABLE, true},
    {"lg1t", TABLE, false},
    {"lg2t", FUNCTION, true},
    {"lg2t:profile=paper", TABLE, false},
    {"lg1-2t:cutoff=30", FUNCTION, true},
    {"lg1-2t:cutoff=30,profile=paper", OF_SPEC, false},
    {"lg1-2t:cutoff=30,profile=practical,sampler=order", OF_SPEC, false},
    {"lg2t-i:delta=0.01,profile=practical", OF_SPEC, false},
    {"lg2t:fallback=uniform,untried=last,ties=uniform", OF_SPEC, true},
    {"lgkt:k=2,sampler-scope=per-pair", OF_SPEC, false},
    {"lgkt:k=4,sampler-scope=per-pair,sampler=ucb", OF_SPEC, false},
    {"lgkt:k=4,sampler-scope=per-pair", OF_SPEC, true},
    {"lgkt:k=4,sampler=(ucbvi:bound=ch),sampler-bonus=0.0001", OF_SPEC, false},
    {"lgkt:k=4,sampler=(ucbvi:h=2)", OF_SPEC, false},
    {"lgkt:k=3,sampler=(lgkt:k=3,sampler=(lgkt:k=2,sampler=ucb))", OF_SPEC, false},
    {"lg1-2t:cutoff=20,profile=practical,sampler=ucb", TABLE, false},
    {"lg1-2t:cutoff=20,profile=practical,sampler-scope=per-pair,sampler=ucb", OF_SPEC, false},
    {"lg1t-rl:first=(lgkt:k=4),cutoff=31,rl=(ucbvi:h=3,bonus=0.01)", OF_SPEC, false},
    {"lg1t-rl:cutoff=0,rl=(lg1t-rl:cutoff=9,rl=ucb)", OF_SPEC, false},
    {"lg1t-rl:cutoff=30,rl=ucb,first=(lgkt:k=3,sampler-scope=per-pair)", OF_SPEC, false},
    {"lg1t-rl:cutoff=30,first=random,rl=(lg1-2t:cutoff=40)", OF_SPEC, false},
    {"ucbvi:h=1,bonus=0.001", OF_SPEC, false},
    {"ucbvi:h=4,bonus=0.001,bound=ch", OF_SPEC, false},
    {"auto:depth=3,visits=1,refresh=1", OF_SPEC, false},
    {"auto:sweep=1,reward-max=5", OF_SPEC, false},
    {"auto:limit=0,pull=50,refresh=50", OF_SPEC, false},
    {"lg1t-rl:cutoff=30,rl=auto,first=(auto:visits=1)", OF_SPEC, false},
    {"plugin:k=5", OF_SPEC, false},
    {"plugin:k=6,untried=last,refresh=3", TABLE, false},
    {"plugin:k=2,untried=share,index=paper", FUNCTION, false},
    {"plugin:k-max=40,threshold=none,scale=1", OF_SPEC, false},
    {"psrl:schedule=coin,g=0.9,reward=normal", OF_SPEC, false},
    {"psrl:schedule=doubling,split=vertex,ties=least-visited", OF_SPEC, false},
    {"psrl:schedule=ds,reward=beta", OF_SPEC, false},
    {"psrl:schedule=every,tau=3,split=exact", OF_SPEC, false},
    {"psrl:plan=left,reward=ng-free", OF_SPEC, false},
    {"psrl-optimistic:eta=10,kappa=3,split=vertex", OF_SPEC, false},
    {"ucrl2:profile=released", OF_SPEC, false},
    {"klucrl:profile=released,sweeps=20", OF_SPEC, false},
    {"klucrl:rows=drifting,sweeps=20", OF_SPEC, false},
    {"pmevi-klucrl:profile=released", OF_SPEC, false},
    {"pmevi-ucrl2:profile=released,opening=planned", OF_SPEC, false},
    {"ucrl2b:episodes=vanishing,ties=least-visited", OF_SPEC, false},
    {"ucrl3:support=seen,certain=1", OF_SPEC, false},
    {"ucrl3:support=whole", OF_SPEC, false},
    {"imed-rl:index=p0,smooth=0", OF_SPEC, false},
    {"mbie-eb:beta=5,cap=1,lazy=1", OF_SPEC, false},
    {"beb:lazy=1", OF_SPEC, false},
    {"r-max:m=2,freeze=1", OF_SPEC, false},
    {"q-greedy:start=optimistic,step=power,explore=root", OF_SPEC, false},
    {"sarsa:start=optimistic,explore=time", OF_SPEC, false},
    {"q-differential:centre=rvi,reference=mean", OF_SPEC, false},
    {"ucb:bound=ucb1", OF_SPEC, false},
    {"kstep:k=3,ties=high", OF_SPEC, false},
    {"thresholding:k=2", OF_SPEC, false},
};
enum { DEEPER = sizeof deeper / sizeof *deeper };

// all cases; those from long_count on are for short runs only
enum { MOST_CASES = 512 };
static resume_case cases[MOST_CASES];
static int32_t long_count, case_count;

static void add_case(const char *form, const char *spec)
{
    assert_true(case_count + DEEPER < MOST_CASES);
    resume_case *c = &cases[case_count++];
    *c = (resume_case){.threshold = OF_SPEC};
    snprintf(c->spec, sizeof c->spec, form, spec);
}

// every name alone and with each profile, the list, and every name as partner and as sampler
static int list_cases(void **state)
{
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; learner_run_spec(i, spec); i++)
        if (strchr(spec, ':') == NULL || strstr(spec, ":profile=") != NULL)
            add_case("%s", spec);
    for (int i = 0; i < DEEPER; i++)
        cases[case_count++] = deeper[i];
    long_count = case_count;
    for (int32_t i = 0; state_learner(i) != NULL; i++) {
        add_case("lg1t-rl:cutoff=25,rl=%s", state_learner(i)->name);
        add_case("lgkt:k=3,sampler=%s", state_learner(i)->name);
    }
    return learner_run_setup(state);
}

static double wavy(void *ctx, int64_t t, int32_t state, int32_t k)
{
    (void)ctx;
    return 0.25 * (double)((t / 20 + state) % 5 - 1) * k;
}

static double coin_of_step(void *ctx, int64_t t)
{
    (void)ctx;
    lgkt_rng rng = lgkt_rng_stream(5, "coin", (uint64_t)t);
    return lgkt_rng_uniform(&rng);
}

static lgkt_learner_config config_of(const resume_case *c, const lgkt_mdp *model, int64_t steps)
{
    static const double table[2 * LEARNER_RUN_STATES] = {0.5, 0, 1, 0.25, 0.75, -1};
    lgkt_learner_config config = learner_run_config(model, steps);
    config.seed = 3;
    config.instance = 8;
    if (c->threshold == FUNCTION)
        config.threshold.fn = wavy;
    if (c->threshold == TABLE)
        config.threshold = (lgkt_threshold){.table = table, .table_steps = 2};
    config.coin = c->coin ? coin_of_step : NULL;
    return config;
}

// ---- the undisturbed run ----

// point 2t is before act t, point 2t+1 between act and observe t, point 2T the end
typedef struct record {
    int64_t steps;
    lgkt_learner_config config;
    learner_run run;
    int32_t states[LONG], actions[LONG];
    saved_bytes points[2 * LONG + 1];
} record;

static void half_step(learner_run *run, int64_t point, int32_t *states, int32_t *actions)
{
    const int64_t t = point / 2;
    if (point % 2 == 0) {
        states[t] = run->state;
        assert_int_equal(lgkt_learner_act(run->learner, run->state, NULL, &actions[t]), LGKT_OK);
        return;
    }
    const lgkt_step step = learner_run_outcome(run, actions[t]);
    assert_int_equal(lgkt_learner_observe(run->learner, step.reward, step.state, step.ended),
                     LGKT_OK);
    run->state = step.state;
}

// false if the case is one that cannot be made: a learner that cannot be fed, or a profile that
// ends before the depth
static bool record_make(record *r, const resume_case *c, const lgkt_mdp *model, int64_t steps)
{
    r->steps = steps;
    r->config = config_of(c, model, steps);
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_learner_create(c->spec, &r->config, &learner, &error);
    if (status == LGKT_ERR_SPEC && (strstr(error.text, "profile=released ends at") != NULL ||
                                    strstr(error.text, "cannot serve") != NULL))
        return false;
    if (status != LGKT_OK)
        fail_msg("%s: %s", c->spec, error.text);
    r->run = (learner_run){learner, model, 11, 0.05, 0};
    for (int64_t p = 0; p < 2 * steps; p++) {
        r->points[p] = saved_bytes_of(learner);
        half_step(&r->run, p, r->states, r->actions);
    }
    r->points[2 * steps] = saved_bytes_of(learner);
    return true;
}

static void record_release(record *r)
{
    for (int64_t p = 0; p <= 2 * r->steps; p++)
        saved_bytes_free(&r->points[p]);
    lgkt_learner_destroy(r->run.learner);
}

// what is given on loading: the problem, or nothing but the model; a learner to share tables with
static lgkt_learner_config config_for_loading(const record *r, int64_t point)
{
    lgkt_learner_config config = r->config;
    config.seed = config.instance = 99; // in the bytes
    if (point % 5 < 2) {
        config.problem = lgkt_learner_config_default().problem;
        config.problem.model = r->config.problem.model;
    }
    if (point % 3 != 0)
        config.like = r->run.learner;
    return config;
}

// ---- resuming ----

static void check_same(const lgkt_learner *a, const lgkt_learner *b)
{
    lgkt_counter x[16] = {{NULL, 0}}, y[16] = {{NULL, 0}};
    const lgkt_problem p = lgkt_learner_problem(a), q = lgkt_learner_problem(b);
    assert_true(lgkt_learner_hash(a) == lgkt_learner_hash(b));
    assert_string_equal(lgkt_learner_spec(a), lgkt_learner_spec(b));
    assert_int_equal(lgkt_learner_time(a), lgkt_learner_time(b));
    assert_int_equal(lgkt_learner_next_state(a), lgkt_learner_next_state(b));
    assert_true(p.states == q.states && p.actions == q.actions && p.horizon == q.horizon);
    assert_true(p.reward_min == q.reward_min && p.reward_max == q.reward_max);
    assert_int_equal(lgkt_learner_counters(a, x, 16), lgkt_learner_counters(b, y, 16));
    for (int i = 0; i < 16; i++)
        assert_true(x[i].value == y[i].value);
}

// saves, loads, saves again; the loaded one takes the place of the other
static void reload(const record *r, int64_t point, learner_run *run)
{
    saved_bytes saved = saved_bytes_of(run->learner);
    assert_true(saved_bytes_equal(&saved, &r->points[point]));
    const lgkt_learner_config config = config_for_loading(r, point);
    lgkt_learner *loaded = saved_bytes_load(&saved, &config);
    saved_bytes again = saved_bytes_of(loaded);
    assert_true(saved_bytes_equal(&saved, &again));
    check_same(run->learner, loaded);
    lgkt_learner_destroy(run->learner);
    run->learner = loaded;
    saved_bytes_free(&saved);
    saved_bytes_free(&again);
}

static void check_chain(const record *r, const resume_case *c)
{
    int32_t states[LONG], actions[LONG];
    learner_run run = r->run;
    run.learner = learner_run_make(c->spec, &r->config);
    run.state = r->states[0];
    for (int64_t p = 0; p < 2 * r->steps; p++) {
        reload(r, p, &run);
        half_step(&run, p, states, actions);
        assert_int_equal(actions[p / 2], r->actions[p / 2]);
    }
    reload(r, 2 * r->steps, &run);
    lgkt_learner_destroy(run.learner);
}

// from one point to the end without another stop
static void check_resumption(const record *r, int64_t point)
{
    int32_t states[LONG], actions[LONG];
    const int64_t t = point / 2;
    const lgkt_learner_config config = config_for_loading(r, point);
    learner_run run = r->run;
    run.learner = saved_bytes_load(&r->points[point], &config);
    if (t < r->steps) {
        run.state = r->states[t];
        actions[t] = r->actions[t];
    }
    for (int64_t p = point; p < 2 * r->steps; p++) {
        half_step(&run, p, states, actions);
        assert_int_equal(actions[p / 2], r->actions[p / 2]);
    }
    saved_bytes end = saved_bytes_of(run.learner);
    assert_true(saved_bytes_equal(&end, &r->points[2 * r->steps]));
    check_same(run.learner, r->run.learner);
    saved_bytes_free(&end);
    lgkt_learner_destroy(run.learner);
}

typedef struct tally {
    int64_t cases, refused, chained, resumed;
} tally;

static void check_case(const resume_case *c, const lgkt_mdp *model, int64_t steps, int64_t every,
                       tally *sum)
{
    static record r;
    if (!record_make(&r, c, model, steps)) {
        sum->refused++;
        return;
    }
    check_chain(&r, c);
    for (int64_t p = 0; p <= 2 * steps; p += every, sum->resumed++)
        check_resumption(&r, p);
    sum->cases++;
    sum->chained += 2 * steps + 1;
    record_release(&r);
}

static void check_all(const lgkt_mdp *model, int64_t steps, int64_t every)
{
    tally sum = {0};
    for (int32_t i = 0; i < (steps == SHORT ? case_count : long_count); i++)
        check_case(&cases[i], model, steps, every, &sum);
    print_message("%lld steps: %lld settings of learners (%lld cannot be made), %lld points of "
                  "saving and loading in chains, %lld resumed to the end\n",
                  (long long)steps, (long long)sum.cases, (long long)sum.refused,
                  (long long)sum.chained, (long long)sum.resumed);
    assert_true(sum.cases > 60 && sum.chained == sum.cases * (2 * steps + 1));
}

static void test_short_runs_resume_at_every_point(void **state)
{
    check_all(*state, SHORT, test_short() ? 9 : 1);
}

static void test_long_runs_resume_at_every_seventh_point(void **state)
{
    check_all(*state, test_short() ? LONG / 3 : LONG, test_short() ? 41 : 7);
}

// one state, one action, one step
static void test_smallest_sizes_resume(void **state)
{
    (void)state;
    tally sum = {0};
    for (int sizes = 0; sizes < 4; sizes++) {
        lgkt_rng rng = lgkt_rng_stream(9, "small", (uint64_t)sizes);
        lgkt_mdp *model = model_random(&rng, sizes & 1 ? 1 : 3, sizes & 2 ? 1 : 70, 1);
        for (int32_t i = 0; i < case_count; i++)
            if (strstr(cases[i].spec, "per-pair") == NULL)
                check_case(&cases[i], model, sizes == 3 ? 1 : 6, 1, &sum);
        lgkt_mdp_destroy(model);
    }
    print_message("small sizes: %lld cases, %lld points\n", (long long)sum.cases,
                  (long long)sum.chained);
}

// what was fed is part of the state, also more of it than the run has steps
static void test_fed_learners_resume(void **state)
{
    for (int32_t i = 0; i < case_count; i++) {
        static record r;
        if (!record_make(&r, &cases[i], *state, 2))
            continue;
        for (int n = 0; n < 20; n++) {
            const lgkt_status status =
                lgkt_learner_feed(r.run.learner, n % 3, n % 4, 0.5, n % 2, n % 7 == 0);
            assert_true(status == LGKT_OK || status == LGKT_ERR_UNSUPPORTED);
        }
        saved_bytes saved = saved_bytes_of(r.run.learner);
        lgkt_learner *loaded = saved_bytes_load(&saved, &r.config);
        check_same(r.run.learner, loaded);
        lgkt_learner_destroy(loaded);
        saved_bytes_free(&saved);
        record_release(&r);
    }
}

// ---- memory ----

typedef struct load_task {
    const saved_bytes *saved;
    lgkt_learner_config config;
} load_task;

static lgkt_status load_and_destroy(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    load_task *task = ctx;
    task->config.allocator = *allocator;
    lgkt_learner *learner = NULL;
    const lgkt_status status =
        lgkt_learner_load(task->saved->bytes, task->saved->size, &task->config, &learner, error);
    lgkt_learner_destroy(learner);
    return status;
}

static void test_failing_allocations(void **state)
{
    long long allocations = 0;
    for (int32_t i = 0; i < case_count; i++) {
        static record r;
        if (!record_make(&r, &cases[i], *state, SHORT))
            continue;
        load_task task = {&r.points[SHORT + 1], r.config};
        allocations += fault_sweep(load_and_destroy, &task);
        record_release(&r);
    }
    print_message("%lld allocations failed once and for good while loading\n", allocations);
}

// An act without memory, if it needs any: refused, without a change, and tried again with it.
// Returns whether it was refused.
static bool act_without_memory(fault *f, learner_run *run, int32_t *action)
{
    const uint64_t hash = lgkt_learner_hash(run->learner);
    *action = -77;
    fault_fail_at(f, 1, true);
    const lgkt_status status = lgkt_learner_act(run->learner, run->state, NULL, action);
    fault_fail_at(f, 0, false);
    if (status == LGKT_OK)
        return false;
    assert_int_equal(status, LGKT_ERR_NO_MEMORY);
    assert_int_equal(*action, -77);
    assert_true(lgkt_learner_hash(run->learner) == hash);
    assert_int_equal(lgkt_learner_act(run->learner, run->state, NULL, action), LGKT_OK);
    return true;
}

// A learner that allocates as it goes: an act that memory does not suffice for changes nothing, and
// can be tried again.
static void check_acts_without_memory(const char *spec, const lgkt_mdp *model)
{
    fault f;
    fault_init(&f);
    lgkt_learner_config config = learner_run_config(model, LONG);
    learner_run plain = {learner_run_make(spec, &config), model, 1, 0.05, 0};
    config.allocator = fault_allocator(&f);
    learner_run run = {learner_run_make(spec, &config), model, 1, 0.05, 0};
    int failures = 0;
    for (int t = 0; t < LONG; t++) {
        int32_t action;
        failures += act_without_memory(&f, &run, &action);
        const lgkt_step step = learner_run_outcome(&run, action);
        assert_int_equal(lgkt_learner_observe(run.learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        run.state = step.state;
        learner_run_play(&plain, 1, NULL);
        assert_true(lgkt_learner_hash(run.learner) == lgkt_learner_hash(plain.learner));
    }
    assert_true(failures > 3);
    lgkt_learner_destroy(run.learner);
    lgkt_learner_destroy(plain.learner);
    assert_true(fault_is_clean(&f));
}

static void test_acts_without_memory_change_nothing(void **state)
{
    static const char *const specs[] = {
        "lgkt:k=2,sampler-scope=per-pair",
        "lgkt:k=3,sampler-scope=per-pair",
        "lg1t-rl:cutoff=200,rl=ucb,first=(lgkt:k=3,sampler-scope=per-pair)",
        "lg2t-i:profile=practical,sampler-scope=per-pair",
        "lg1-2t:cutoff=20,profile=practical,sampler-scope=per-pair",
        // runs begin as soon as they can, so that the second stage begins with one
        "lg1-2t:cutoff=7,profile=practical,coin=paper,p=0,sampler=ucb,sampler-scope=per-pair",
        ("lg1-2t:cutoff=9,profile=practical,coin=paper,p=0,sampler=(lg1t:width=2),"
         "sampler-scope=per-pair"),
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        check_acts_without_memory(specs[i], *state);
}

// ---- what the config must supply ----

static void check_load_refused(const saved_bytes *saved, const lgkt_learner_config *config,
                               lgkt_status expected, const char *words)
{
    lgkt_learner *const mark = (lgkt_learner *)&words;
    lgkt_learner *learner = mark;
    lgkt_error error = {0};
    assert_refused(lgkt_learner_load(saved->bytes, saved->size, config, &learner, &error), expected,
                   error, words);
    assert_int_equal(error.status, expected);
    assert_int_equal(lgkt_learner_load(saved->bytes, saved->size, config, &learner, NULL),
                     expected);
    assert_ptr_equal(learner, mark);
}

static void test_callbacks_must_be_supplied_again(void **state)
{
    for (int i = 0; i < 3; i++) {
        const resume_case c = {"lg2t", i == 0 ? FUNCTION : i == 1 ? TABLE : OF_SPEC, i == 2};
        lgkt_learner_config config = config_of(&c, *state, LONG);
        learner_run run = {learner_run_make(c.spec, &config), *state, 1, 0, 0};
        learner_run_play(&run, 10, NULL);
        saved_bytes saved = saved_bytes_of(run.learner);
        config.coin = NULL;
        config.threshold = (lgkt_threshold){.constant = 1};
        check_load_refused(&saved, &config, LGKT_ERR_CONFIG,
                           i < 2 ? "saved with a threshold function or table of its own"
                                 : "saved with a coin of its own");
        saved_bytes_free(&saved);
        lgkt_learner_destroy(run.learner);
    }
}

static void test_problems_must_agree(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, LONG);
    lgkt_learner *learner = learner_run_make("lg2t", &config);
    saved_bytes saved = saved_bytes_of(learner);
    for (int i = 0; i < 4; i++) {
        lgkt_learner_config other = lgkt_learner_config_default();
        other.problem = (lgkt_problem){
            .states = LEARNER_RUN_STATES, .actions = LEARNER_RUN_ACTIONS, .horizon = LONG};
        other.problem.states += i == 0;
        other.problem.actions -= i == 1;
        other.problem.horizon += i == 2 ? 1 : i == 3 ? -LONG : 0;
        check_load_refused(&saved, &other, LGKT_ERR_CONFIG,
                           "saved with 3 states, 4 actions and horizon 300; the config has");
    }
    saved_bytes_free(&saved);
    lgkt_learner_destroy(learner);
}

static void test_oracles_need_their_own_model(void **state)
{
    static const char *const oracles[] = {"kstep", "thresholding", "optimal",
                                          "lg1t-rl:cutoff=5,rl=kstep"};
    lgkt_rng rng = lgkt_rng_stream(7, "other", 0);
    lgkt_mdp *other = model_random(&rng, LEARNER_RUN_STATES, LEARNER_RUN_ACTIONS, 0.5);
    lgkt_mdp *larger = model_random(&rng, LEARNER_RUN_STATES + 1, LEARNER_RUN_ACTIONS, 0.5);
    for (int i = 0; i < 4; i++) {
        lgkt_learner_config config = learner_run_config(*state, LONG);
        lgkt_learner *learner = learner_run_make(oracles[i], &config);
        saved_bytes saved = saved_bytes_of(learner);
        config.problem.model = other;
        check_load_refused(&saved, &config, LGKT_ERR_FORMAT, "out of range");
        config.problem.model = NULL;
        check_load_refused(&saved, &config, LGKT_ERR_CONFIG, "this problem has none");
        config.problem.model = larger;
        check_load_refused(&saved, &config, LGKT_ERR_CONFIG, "its model 4 and 4");
        saved_bytes_free(&saved);
        lgkt_learner_destroy(learner);
    }
    lgkt_mdp_destroy(other);
    lgkt_mdp_destroy(larger);
}

static void test_arguments_are_checked(void **state)
{
    lgkt_learner_config config = learner_run_config(*state, LONG);
    lgkt_learner *learner = learner_run_make("lg1t", &config);
    saved_bytes saved = saved_bytes_of(learner);
    size_t size = 7;
    assert_int_equal(lgkt_learner_save(NULL, saved.bytes, saved.size, &size, NULL),
                     LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_learner_save(learner, saved.bytes, saved.size, NULL, NULL),
                     LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_learner_save(learner, NULL, 1, &size, NULL), LGKT_ERR_ARGUMENT);
    assert_int_equal(size, 7);
    for (size_t capacity = 0; capacity < saved.size; capacity++) {
        saved_bytes less = {saved.bytes, capacity};
        saved_bytes small = saved_bytes_copy(&less);
        assert_int_equal(lgkt_learner_save(learner, small.bytes, capacity, &size, NULL),
                         LGKT_ERR_SHAPE);
        assert_int_equal(size, saved.size);
        saved_bytes_free(&small);
    }
    lgkt_error error = {0};
    assert_refused(lgkt_learner_load(NULL, 100, &config, &learner, &error), LGKT_ERR_ARGUMENT,
                   error, "buffer must not be NULL");
    assert_refused(lgkt_learner_load(saved.bytes, saved.size, &config, NULL, &error),
                   LGKT_ERR_ARGUMENT, error, "learner must not be NULL");
    check_load_refused(&saved, NULL, LGKT_ERR_ARGUMENT, "config must not be NULL");
    config.size ^= 1;
    check_load_refused(&saved, &config, LGKT_ERR_CONFIG, "lgkt_learner_config_default");
    saved_bytes_free(&saved);
    lgkt_learner_destroy(learner);
}

// a range of rewards that is wrong by far leaves all numbers finite, and so fit to be loaded
static void test_any_range_of_rewards_resumes(void **state)
{
    static const double tops[] = {0x1p-1074, 1e-310, 1e-300, 1e15};
    const lgkt_mdp *model = *state;
    const lgkt_entry *entry;
    for (int32_t i = 0; (entry = state_learner(i)) != NULL; i++)
        for (int j = 0; j < 8; j++) {
            lgkt_learner_config config = learner_run_config(model, SHORT);
            config.problem.reward_min = 0;
            config.problem.reward_max = tops[j / 2];
            config.problem.reward_sd = j % 2 * tops[(j / 2 + 1) % 4];
            lgkt_learner *learner = learner_run_make(entry->name, &config);
            lgkt_rng rng = lgkt_rng_stream(8, "large", (uint64_t)j);
            for (int t = 0; t < SHORT; t++) {
                int32_t action;
                const int32_t next = lgkt_learner_next_state(learner);
                assert_int_equal(lgkt_learner_act(learner, next < 0 ? 0 : next, NULL, &action),
                                 LGKT_OK);
                assert_int_equal(lgkt_learner_observe(learner, t % 3 == 0 ? -1e100 : 1e100,
                                                      lgkt_rng_below(&rng, config.problem.states),
                                                      false),
                                 LGKT_OK);
            }
            saved_bytes saved = saved_bytes_of(learner);
            lgkt_learner *again = saved_bytes_load(&saved, &config);
            assert_true(lgkt_learner_hash(again) == lgkt_learner_hash(learner));
            lgkt_learner_destroy(again);
            lgkt_learner_destroy(learner);
            saved_bytes_free(&saved);
        }
}

// A learner with many states is loaded without the room for all transitions there can be. It takes
// it when they come; where there is none the step is refused, and nothing has changed.
static void test_loaded_rows_take_memory_as_they_fill(void **state)
{
    (void)state;
    enum { STATES = 300, STEPS = 45000 };
    static const char *const planners[] = {"auto", "lg2t:sampler=auto"};
    for (int i = 0; i < 2; i++) {
        fault memory;
        fault_init(&memory);
        lgkt_learner_config config = lgkt_learner_config_default();
        config.problem.states = STATES;
        config.problem.actions = 2;
        config.problem.horizon = 1000000;
        lgkt_learner *learner = learner_run_make(planners[i], &config);
        saved_bytes saved = saved_bytes_of(learner);
        config.allocator = fault_allocator(&memory);
        lgkt_learner *again = saved_bytes_load(&saved, &config);
        assert_true(lgkt_learner_bytes(again) < lgkt_learner_bytes(learner));
        fault_fail_at(&memory, 1, true);
        lgkt_rng rng = lgkt_rng_stream(8, "rows", 0);
        int refusals = 0;
        for (int32_t t = 0, at = 0; t < STEPS; t++) {
            int32_t one, two;
            const int32_t next = lgkt_rng_below(&rng, STATES);
            assert_int_equal(lgkt_learner_act(learner, at, NULL, &one), LGKT_OK);
            assert_int_equal(lgkt_learner_act(again, at, NULL, &two), LGKT_OK);
            assert_int_equal(one, two);
            assert_int_equal(lgkt_learner_observe(learner, t % 7, next, false), LGKT_OK);
            const lgkt_status status = lgkt_learner_observe(again, t % 7, next, false);
            if (status != LGKT_OK) {
                refusals++;
                assert_int_equal(status, LGKT_ERR_NO_MEMORY);
                assert_int_equal(lgkt_learner_time(again), t);
                fault_fail_at(&memory, 0, false);
                assert_int_equal(lgkt_learner_observe(again, t % 7, next, false), LGKT_OK);
            }
            at = next;
        }
        assert_int_equal(refusals, 1);
        assert_true(lgkt_learner_hash(again) == lgkt_learner_hash(learner));
        lgkt_learner_destroy(again);
        lgkt_learner_destroy(learner);
        saved_bytes_free(&saved);
        assert_true(fault_is_clean(&memory));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_runs_resume_at_every_point),
        cmocka_unit_test(test_long_runs_resume_at_every_seventh_point),
        cmocka_unit_test(test_smallest_sizes_resume),
        cmocka_unit_test(test_fed_learners_resume),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_acts_without_memory_change_nothing),
        cmocka_unit_test(test_callbacks_must_be_supplied_again),
        cmocka_unit_test(test_problems_must_agree),
        cmocka_unit_test(test_oracles_need_their_own_model),
        cmocka_unit_test(test_arguments_are_checked),
        cmocka_unit_test(test_any_range_of_rewards_resumes),
        cmocka_unit_test(test_loaded_rows_take_memory_as_they_fill),
    };
    return cmocka_run_group_tests(tests, list_cases, learner_run_teardown);
}
