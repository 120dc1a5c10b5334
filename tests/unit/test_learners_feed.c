// SPDX-License-Identifier: MIT
// labels: slow
// Steps that another one chose: what feeding teaches, what it leaves alone, who refuses it; and
// learners within learners, which live on it.

#include "test.h"

#include <stdlib.h>

#include "learners/lgkt/thresholding.h"
#include "ref/fault.h"
#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/saved_bytes.h"
#include "ref/state_learners.h"

enum { STEPS = 200 };

static lgkt_status feed_step(lgkt_learner *learner, int32_t state, int32_t action,
                             const lgkt_step *step)
{
    return lgkt_learner_feed(learner, state, action, step->reward, step->state, step->ended);
}

// one step of a run; *played is the pair
static lgkt_step play_step(learner_run *run, lgkt_place *played)
{
    int32_t action;
    assert_int_equal(lgkt_learner_act(run->learner, run->state, NULL, &action), LGKT_OK);
    const lgkt_step step = learner_run_outcome(run, action);
    assert_int_equal(lgkt_learner_observe(run->learner, step.reward, step.state, step.ended),
                     LGKT_OK);
    *played = lgkt_place_of(run->learner, run->state, action);
    run->state = step.state;
    return step;
}

// the clock, the stream and the protocol of another learner
static void take_clock(lgkt_learner *learner, const lgkt_learner *from)
{
    learner->t = from->t;
    learner->rng = from->rng;
    learner->phase = from->phase;
    learner->next_state = from->next_state;
}

// ---- what is learned ----

// learners for whom it makes no difference who chose
static void test_fed_learners_know_what_others_observed(void **state)
{
    static const char *const specs[] = {
        "ucb",          "ucb:bound=ucb1",     "random",
        "lg1t",         "lg1t:profile=paper", "lg1t:profile=practical",
        "lg1t-uniform", "lgkt:k=1",           "kstep:k=2",
        "optimal"};
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        learner_run run = {learner_run_make(specs[i], &config), *state, 3, 0.1, 0};
        lgkt_learner *fed = learner_run_make(specs[i], &config);
        for (int t = 0; t < STEPS; t++) {
            lgkt_place at;
            const lgkt_step step = play_step(&run, &at);
            assert_int_equal(feed_step(fed, at.state, at.action, &step), LGKT_OK);
        }
        assert_int_equal(lgkt_learner_time(fed), 0);
        take_clock(fed, run.learner);
        if (lgkt_learner_hash(fed) != lgkt_learner_hash(run.learner))
            fail_msg("%s: what was fed is not what was observed", specs[i]);
        lgkt_learner_destroy(run.learner);
        lgkt_learner_destroy(fed);
    }
}

// of a saved ucbvi: the part behind the random stream and before Q, V, N', the step and a flag
static saved_bytes counts_of(const lgkt_learner *learner, size_t h)
{
    saved_bytes saved = saved_bytes_of(learner);
    const size_t states = LEARNER_RUN_STATES, actions = LEARNER_RUN_ACTIONS;
    // number, phase, clock and next state, the generator
    const size_t before = saved_bytes_number_at(saved.bytes) + 8 * (4 + 4);
    const size_t after = 8 * (states * actions * h + states * (h + 1) + states * h + 1 + 1 + 1);
    memmove(saved.bytes, saved.bytes + before, saved.size - before - after);
    saved.size -= before + after;
    return saved;
}

static void test_ucbvi_counts_what_it_is_fed(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    learner_run run = {learner_run_make("ucbvi:h=3,bonus=0.01", &config), *state, 3, 0.1, 0};
    lgkt_learner *fed = learner_run_make("ucbvi:h=3,bonus=0.01", &config);
    for (int t = 0; t < STEPS; t++) {
        lgkt_place at;
        const lgkt_step step = play_step(&run, &at);
        assert_int_equal(feed_step(fed, at.state, at.action, &step), LGKT_OK);
        saved_bytes a = counts_of(run.learner, 3), b = counts_of(fed, 3);
        assert_true(saved_bytes_equal(&a, &b));
        saved_bytes_free(&a);
        saved_bytes_free(&b);
    }
    lgkt_learner_destroy(run.learner);
    lgkt_learner_destroy(fed);
}

// n and m1 are learned, continuations and clocks are not
static void test_lookahead_learns_mean_rewards_only(void **state)
{
    static const char *const specs[] = {"lg2t",
                                        "lg2t:profile=paper",
                                        "lgkt:k=4",
                                        "lg1-2t:cutoff=3",
                                        "lg2t-i",
                                        "lg2t-uniform",
                                        "lg1-2t:cutoff=5,profile=paper",
                                        "lgkt:k=3,sampler-scope=per-pair"};
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        lgkt_learner *learner = learner_run_make(specs[i], &config);
        const lgkt_thresholding *f = learner->self;
        double sum[LEARNER_RUN_STATES * LEARNER_RUN_ACTIONS] = {0};
        int64_t n[LEARNER_RUN_STATES * LEARNER_RUN_ACTIONS] = {0};
        const lgkt_rng rng = learner->rng;
        // more of them than the run has steps
        for (int t = 0; t < 2 * STEPS; t++) {
            const lgkt_step step = {.reward = 0.25 * (t % 5), .state = t % 3, .ended = t % 7 == 0};
            const int32_t s = t / 3 % 3, a = t % 4;
            assert_int_equal(feed_step(learner, s, a, &step), LGKT_OK);
            n[s * 4 + a]++;
            sum[s * 4 + a] += step.reward;
        }
        for (int z = 0; z < 12; z++) {
            assert_int_equal(f->pairs[z].n, n[z]);
            assert_true(f->pairs[z].phi == sum[z]);
            assert_int_equal(f->continuations[z].nc, 0);
            assert_int_equal(f->continuations[z].late, 0);
        }
        for (int s = 0; f->since != NULL && s < 3; s++)
            assert_int_equal(f->since[s], 0);
        assert_memory_equal(&rng, &learner->rng, sizeof rng);
        assert_int_equal(lgkt_learner_time(learner), 0);
        assert_int_equal(learner_run_counter(learner, "runs"), 0);
        // the run itself has all its steps
        learner_run run = {learner, *state, 3, 0.1, 0};
        learner_run_play(&run, STEPS, NULL);
        int32_t action;
        assert_int_equal(lgkt_learner_act(learner, run.state, NULL, &action), LGKT_ERR_HORIZON);
        const lgkt_step step = {.reward = 1};
        assert_int_equal(feed_step(learner, 0, 0, &step), LGKT_OK);
        lgkt_learner_destroy(learner);
    }
}

// An open run ends with a feed as it would have with a cut: a twin whose last step was cut and who
// is fed the same is the same. (Its sampler must not mind cuts.)
static void check_closing(const char *spec, const lgkt_mdp *model, int32_t closings)
{
    const lgkt_learner_config config = learner_run_config(model, 4 * STEPS);
    learner_run run = {learner_run_make(spec, &config), model, 3, 0, 0};
    lgkt_learner *twin = learner_run_make(spec, &config);
    const lgkt_thresholding *f = run.learner->self;
    for (int t = 0; t < 4 * STEPS && closings > 0; t++) {
        lgkt_place at;
        int32_t action;
        const int32_t from = run.state;
        const lgkt_step step = play_step(&run, &at);
        assert_int_equal(lgkt_learner_act(twin, from, NULL, &action), LGKT_OK);
        assert_int_equal(action, at.action);
        const bool open = f->track.run.left > 0;
        assert_int_equal(lgkt_learner_observe(twin, step.reward, step.state, open), LGKT_OK);
        if (!open)
            continue;
        closings--;
        const lgkt_step fed = {.reward = 0.5, .state = 1};
        assert_int_equal(lgkt_learner_next_state(run.learner), step.state);
        assert_int_equal(feed_step(run.learner, 2, 1, &fed), LGKT_OK);
        assert_int_equal(feed_step(twin, 2, 1, &fed), LGKT_OK);
        assert_int_equal(lgkt_learner_next_state(run.learner), -1);
        assert_true(f->track.run.left == 0 && f->track.previous.state < 0 && f->track.eps < 0);
        if (lgkt_learner_hash(run.learner) != lgkt_learner_hash(twin))
            fail_msg("%s: a feed is not a cut", spec);
        run.state = t % 3; // any state may come
    }
    assert_int_equal(closings, 0);
    lgkt_learner_destroy(run.learner);
    lgkt_learner_destroy(twin);
}

static void test_feeding_ends_an_open_run(void **state)
{
    check_closing("lgkt:k=3,sampler=ucb", *state, 10);
    check_closing("lgkt:k=5,sampler=ucb,profile=paper", *state, 10);
    check_closing("lgkt:k=4,sampler=random,continuation=mean,refresh=added", *state, 10);
    check_closing("lgkt:k=3,sampler=ucb,sampler-scope=per-pair", *state, 10);
}

// sampler-data=all: the sampler knows what was fed; runs: it does not
static void test_samplers_are_fed(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    for (int all = 0; all < 2; all++) {
        lgkt_learner *learner = learner_run_make(
            all ? "lgkt:k=2,sampler=ucb" : "lgkt:k=2,sampler=ucb,sampler-data=runs", &config);
        lgkt_learner *bandit = learner_run_make("ucb", &config);
        for (int t = 0; t < 50; t++) {
            const lgkt_step step = {.reward = 0.25 * (t % 5), .state = t % 3};
            assert_int_equal(feed_step(learner, t / 3 % 3, t % 4, &step), LGKT_OK);
            if (all)
                assert_int_equal(feed_step(bandit, t / 3 % 3, t % 4, &step), LGKT_OK);
        }
        const lgkt_learner *sampler = ((const lgkt_thresholding *)learner->self)->sampler;
        take_clock(bandit, sampler);
        assert_true(lgkt_learner_hash(bandit) == lgkt_learner_hash(sampler));
        lgkt_learner_destroy(learner);
        lgkt_learner_destroy(bandit);
    }
}

// ---- refusals ----

static void refuse(lgkt_learner *learner, const int32_t pair[2], double reward, int32_t next,
                   lgkt_status expected, const char *words)
{
    const uint64_t hash = lgkt_learner_hash(learner);
    const lgkt_status status =
        lgkt_learner_feed(learner, pair[0], pair[1], reward, next, next % 2 == 0);
    const char *message = lgkt_learner_message(learner);
    if (status != expected || strstr(message, words) == NULL || lgkt_learner_hash(learner) != hash)
        fail_msg("%s: %s \"%s\", expected %s \"%s\", hash %s", lgkt_learner_spec(learner),
                 lgkt_status_name(status), message, lgkt_status_name(expected), words,
                 lgkt_learner_hash(learner) == hash ? "unchanged" : "changed");
}

static void refuse_bad_steps(lgkt_learner *learner)
{
    static const int32_t good[] = {1, 1};
    static const int32_t bad_states[] = {-1, LEARNER_RUN_STATES, INT32_MAX, INT32_MIN};
    static const int32_t bad_actions[] = {-1, LEARNER_RUN_ACTIONS, INT32_MAX, INT32_MIN};
    char words[64];
    for (int i = 0; i < 4; i++) {
        snprintf(words, sizeof words, "state %d is out of range [0, 2]", bad_states[i]);
        refuse(learner, (int32_t[]){bad_states[i], 1}, 0, 0, LGKT_ERR_ARGUMENT, words);
        refuse(learner, good, 0, bad_states[i], LGKT_ERR_ARGUMENT, words);
        snprintf(words, sizeof words, "action %d is out of range [0, 3]", bad_actions[i]);
        refuse(learner, (int32_t[]){1, bad_actions[i]}, 0, 0, LGKT_ERR_ARGUMENT, words);
    }
    refuse(learner, good, NAN, 0, LGKT_ERR_NOT_FINITE, "nan");
    refuse(learner, good, INFINITY, 0, LGKT_ERR_NOT_FINITE, "inf");
    refuse(learner, good, -INFINITY, 0, LGKT_ERR_NOT_FINITE, "-inf");
}

// for every registered learner, before, within and after a run
static void test_refused_steps_change_nothing(void **state)
{
    static const int32_t good[] = {1, 1};
    const lgkt_learner_config config = learner_run_config(*state, 20);
    char spec[LEARNER_RUN_SPEC];
    int fed = 0, unfed = 0;
    for (int32_t i = 0; learner_run_spec(i, spec); i++) {
        learner_run run = {learner_run_make(spec, &config), *state, 1, 0.1, 0};
        const bool able = run.learner->feed != NULL;
        able ? fed++ : unfed++;
        for (int t = 0; t < 20; t++) {
            int32_t action;
            if (able)
                refuse_bad_steps(run.learner);
            else
                refuse(run.learner, good, 0, 0, LGKT_ERR_UNSUPPORTED,
                       learner_run_entry(spec)->name);
            assert_int_equal(lgkt_learner_act(run.learner, run.state, NULL, &action), LGKT_OK);
            if (able)
                refuse(run.learner, good, 0, 0, LGKT_ERR_PROTOCOL, "has not been observed");
            const lgkt_step step = learner_run_outcome(&run, action);
            assert_int_equal(lgkt_learner_observe(run.learner, step.reward, step.state, step.ended),
                             LGKT_OK);
            run.state = step.state;
        }
        if (able)
            refuse_bad_steps(run.learner);
        lgkt_learner_destroy(run.learner);
    }
    assert_int_equal(lgkt_learner_feed(NULL, 0, 0, 0, 0, false), LGKT_ERR_ARGUMENT);
    print_message("%d specs can be fed, %d refuse by name\n", fed, unfed);
    assert_true(fed > 20);
}

// who cannot be fed cannot serve either, and is named; so is who must be the outermost
static void test_learners_that_cannot_serve_are_refused(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 20);
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; learner_run_spec(i, spec); i++) {
        lgkt_learner *alone = learner_run_make(spec, &config), *learner = NULL;
        const bool able = learner_run_can_serve(alone);
        lgkt_learner_destroy(alone);
        static const char *const forms[] = {"lgkt:k=3,sampler=(%s)", "lg1t-rl:rl=(%s)",
                                            "lg1t-rl:first=(%s)"};
        for (int j = 0; j < 3; j++) {
            char whole[LEARNER_RUN_SPEC + 40], words[64];
            snprintf(whole, sizeof whole, forms[j], spec);
            lgkt_error error = {0};
            snprintf(words, sizeof words, "\"%s\" cannot serve", learner_run_entry(spec)->name);
            if (able)
                assert_ok(lgkt_learner_create(whole, &config, &learner, &error), error);
            else
                assert_refused(lgkt_learner_create(whole, &config, &learner, &error), LGKT_ERR_SPEC,
                               error, words);
            lgkt_learner_destroy(learner);
            learner = NULL;
        }
    }
}

static void test_settings_that_do_not_go_together(void **state)
{
    static const struct {
        const char *spec;
        lgkt_status status;
        const char *words;
    } cases[] = {
        {"lgkt:k=3,profile=released", LGKT_ERR_SPEC, "use profile=practical"},
        {"lgkt:k=3,sampler=order", LGKT_ERR_SPEC, "k=3 needs more; use sampler=ucbvi"},
        {"lgkt:sampler-scope=per-pair,sampler-data=all", LGKT_ERR_SPEC, "needs sampler-data=runs"},
        // also where the profile says per-pair
        {"lgkt:profile=paper,sampler-limit=9", LGKT_ERR_SHAPE, "use sampler-scope=shared"},
        {"lg2t:profile=paper,sampler=(lg2t:profile=paper)", LGKT_ERR_SPEC, "per pair itself"},
        {"lg1-2t:profile=paper,sampler-data=all,sampler-scope=per-pair", LGKT_ERR_SPEC,
         "needs sampler-data=runs"},
        {"lg1t:phases=printed", LGKT_ERR_SPEC, "unknown parameter \"phases\""},
        {"lg1-2t:phases=paper", LGKT_ERR_SPEC, "is not one of linked|printed"},
        {"lg1t:candidates=ucb", LGKT_ERR_SPEC, "is not one of lcb|mean|michel"},
        {"lgkt:reward-min=2,reward-max=1", LGKT_ERR_SPEC, "reward-min=2 is above reward-max=1"},
        {"lgkt:k=0", LGKT_ERR_SPEC, "k=0"},
        {"lgkt:k=1001", LGKT_ERR_SPEC, "k=1001"},
        {"lgkt:sampler=ucbv", LGKT_ERR_UNKNOWN_NAME, "ucbv"},
        {"lgkt:k=3,sampler=(ucbvi:h=0)", LGKT_ERR_SPEC, "h"},
        {"lgkt:k=3,sampler=(ucbvi:i=2)", LGKT_ERR_SPEC, "i"},
        {"lgkt:k=3,sampler=(ucbvi", LGKT_ERR_SPEC, "("},
        {"lgkt:sampler=(lgkt:k=3,profile=released)", LGKT_ERR_SPEC, "use profile=practical"},
        {"lg1t-rl:rl=nobody", LGKT_ERR_UNKNOWN_NAME, "nobody"},
        {"lg1t-rl:first=order", LGKT_ERR_UNKNOWN_NAME, "order"},
    };
    const lgkt_learner_config config = learner_run_config(*state, 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_learner *learner = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_learner_create(cases[i].spec, &config, &learner, &error),
                       cases[i].status, error, cases[i].words);
        assert_null(learner);
    }
}

// the message says how many bytes there may be; that many are enough, one less is not
static void test_sampler_limit_says_the_number(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 20);
    lgkt_learner *sampler = learner_run_make("ucbvi:h=2,bonus=0.01", &config), *learner = NULL;
    lgkt_error error = {0};
    assert_refused(lgkt_learner_create("lgkt:k=3,sampler-scope=per-pair,sampler-limit=1000",
                                       &config, &learner, &error),
                   LGKT_ERR_SHAPE, error, "sampler-limit is 1000");
    const char *number = strpbrk(error.text, "0123456789");
    assert_non_null(number);
    const long long bytes = strtoll(number, NULL, 10);
    assert_in_range(bytes, 12 * (lgkt_learner_bytes(sampler) - 100),
                    12 * (lgkt_learner_bytes(sampler) + 100));
    for (int less = 0; less < 2; less++) {
        char spec[128];
        snprintf(spec, sizeof spec, "lgkt:k=3,sampler-scope=per-pair,sampler-limit=%lld",
                 bytes - less);
        assert_int_equal(lgkt_learner_create(spec, &config, &learner, &error),
                         less ? LGKT_ERR_SHAPE : LGKT_OK);
    }
    lgkt_learner_destroy(learner);
    lgkt_learner_destroy(sampler);
}

// ---- one learner, then another ----

static void check_first(const char *first, const char *rl, int64_t cutoff, const lgkt_mdp *model)
{
    const lgkt_learner_config config = learner_run_config(model, STEPS);
    char spec[160];
    snprintf(spec, sizeof spec, "lg1t-rl:cutoff=%d,first=(%s),rl=(%s)", (int)cutoff, first, rl);
    learner_run both = {learner_run_make(spec, &config), model, 3, 0.1, 0};
    learner_run alone = {learner_run_make(first, &config), model, 3, 0.1, 0};
    int32_t expected[STEPS], actions[STEPS];
    learner_run_play(&both, cutoff, actions);
    learner_run_play(&alone, cutoff, expected);
    assert_memory_equal(actions, expected, (size_t)cutoff * sizeof *actions);
    assert_memory_equal(&both.learner->rng, &alone.learner->rng, sizeof(lgkt_rng));
    lgkt_learner_destroy(both.learner);
    lgkt_learner_destroy(alone.learner);
}

static void test_up_to_the_cutoff_the_first_acts_alone(void **state)
{
    static const char *const firsts[] = {
        "lg1t", "lg2t", "lgkt:k=3", "lg1t:profile=paper", "ucb", "lgkt:k=3,sampler-scope=per-pair"};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        check_first(firsts[i], "ucbvi", STEPS, *state);
        check_first(firsts[i], "random", 50, *state);
    }
}

// A partner by hand: fed each step as of its time (or not), begun at the cutoff, with the same
// stream. Whether it acts as the partner of the learner does.
static bool acts_as_partner(const char *rl, int64_t cutoff, const lgkt_mdp *model, bool fed)
{
    const lgkt_learner_config config = learner_run_config(model, STEPS);
    char spec[160];
    snprintf(spec, sizeof spec, "lg1t-rl:first=(lgkt:k=3),cutoff=%d,rl=(%s)", (int)cutoff, rl);
    learner_run both = {learner_run_make(spec, &config), model, 3, 0.1, 0};
    lgkt_learner *hand = learner_run_make(rl, &config);
    for (int64_t t = 0; t < cutoff; t++) {
        lgkt_place at;
        const lgkt_step step = play_step(&both, &at);
        hand->t = both.learner->t;
        if (fed)
            assert_int_equal(feed_step(hand, at.state, at.action, &step), LGKT_OK);
    }
    take_clock(hand, both.learner);
    lgkt_learner_begin(hand);
    bool same = true;
    for (int64_t t = cutoff; t < STEPS && same; t++) {
        lgkt_place at;
        int32_t action;
        const int32_t from = both.state;
        const lgkt_step step = play_step(&both, &at);
        assert_int_equal(lgkt_learner_act(hand, from, NULL, &action), LGKT_OK);
        assert_int_equal(lgkt_learner_observe(hand, step.reward, step.state, step.ended), LGKT_OK);
        same = action == at.action && memcmp(&both.learner->rng, &hand->rng, sizeof hand->rng) == 0;
    }
    lgkt_learner_destroy(both.learner);
    lgkt_learner_destroy(hand);
    return same;
}

static void check_partner(const char *rl, int64_t cutoff, const lgkt_mdp *model)
{
    if (!acts_as_partner(rl, cutoff, model, true))
        fail_msg("%s does not act as the partner from step %d on", rl, (int)cutoff);
}

static void test_from_the_cutoff_on_the_partner_acts(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    int partners = 0;
    for (int32_t i = 0; state_learner(i) != NULL; i++) {
        const char *name = state_learner(i)->name;
        lgkt_learner *alone = learner_run_make(name, &config);
        const bool able = learner_run_can_serve(alone);
        lgkt_learner_destroy(alone);
        for (int64_t cutoff = 0; able && cutoff <= 150;
             cutoff += test_short() ? 150 : 75, partners++)
            check_partner(name, cutoff, *state);
    }
    check_partner("ucbvi:h=3,bonus=0.001", 60, *state);
    check_partner("ucbvi:h=3,bonus=0.001", 1, *state);
    check_partner("ucbvi:h=4,bonus=0.0001,bound=ch", 61, *state);
    check_partner("lg1t-rl:cutoff=100,rl=ucb", 50, *state);
    print_message("%d partners and cutoffs\n", partners);
}

// a comparison that cannot fail would prove nothing
static void test_a_partner_that_was_not_fed_differs(void **state)
{
    assert_false(acts_as_partner("ucb", 100, *state, false));
    assert_false(acts_as_partner("ucbvi:h=3,bonus=0.001", 100, *state, false));
    assert_false(acts_as_partner("lg1t", 100, *state, false));
}

// ---- two phases ----

// as printed: lg1t while t <= cutoff, from which nothing but counts and sums of rewards goes on
static void test_printed_phases_are_lg1t_first(void **state)
{
    static const int cutoffs[] = {0, 1, 7, 60, STEPS - 2};
    for (size_t i = 0; i < sizeof cutoffs / sizeof *cutoffs; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "lg1-2t:profile=paper,cutoff=%d", cutoffs[i]);
        const lgkt_learner_config config = learner_run_config(*state, STEPS);
        learner_run a = {learner_run_make("lg1t:profile=paper", &config), *state, i, 0.05, 0};
        learner_run b = {learner_run_make(spec, &config), *state, i, 0.05, 0};
        int32_t x[STEPS], y[STEPS];
        learner_run_play(&a, cutoffs[i] + 1, x);
        learner_run_play(&b, cutoffs[i] + 1, y);
        assert_memory_equal(x, y, (size_t)(cutoffs[i] + 1) * sizeof *x);
        const lgkt_thresholding *one = a.learner->self, *both = b.learner->self;
        assert_int_equal(both->stage, 0);
        const size_t pairs = LEARNER_RUN_STATES * LEARNER_RUN_ACTIONS;
        assert_memory_equal(one->pairs, both->pairs, pairs * sizeof *one->pairs);
        for (size_t z = 0; z < pairs; z++)
            assert_int_equal(both->continuations[z].nc, 0);
        learner_run_play(&b, 1, NULL);
        assert_int_equal(both->stage, 1);
        lgkt_learner_destroy(a.learner);
        lgkt_learner_destroy(b.learner);
    }
}

// As printed: lg1t of the paper while t <= cutoff, so that the partner begins one step later than
// with the same two learners in the other profile.
static void test_printed_switch_comes_after_the_cutoff(void **state)
{
    static const int cutoffs[] = {0, 1, 60, STEPS - 2};
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    for (size_t i = 0; i < sizeof cutoffs / sizeof *cutoffs; i++) {
        char printed[96], same[96];
        snprintf(printed, sizeof printed, "lg1t-rl:profile=paper,cutoff=%d,rl=ucrl2", cutoffs[i]);
        snprintf(same, sizeof same, "lg1t-rl:cutoff=%d,first=(lg1t:profile=paper),rl=ucrl2",
                 cutoffs[i] + 1);
        learner_run a = {learner_run_make(printed, &config), *state, i, 0.05, 0};
        learner_run b = {learner_run_make(same, &config), *state, i, 0.05, 0};
        learner_run alone = {learner_run_make("lg1t:profile=paper", &config), *state, i, 0.05, 0};
        int32_t x[STEPS], y[STEPS], z[STEPS];
        learner_run_play(&a, STEPS, x);
        learner_run_play(&b, STEPS, y);
        learner_run_play(&alone, cutoffs[i] + 1, z);
        assert_memory_equal(x, y, sizeof x);
        assert_memory_equal(x, z, (size_t)(cutoffs[i] + 1) * sizeof *x);
        lgkt_learner_destroy(a.learner);
        lgkt_learner_destroy(b.learner);
        lgkt_learner_destroy(alone.learner);
    }
}

// With few steps among many states room is made for the steps. There is enough of it up to the last
// one, and more is taken for steps that were fed before.
static void test_room_for_all_steps(void **state)
{
    (void)state;
    enum { MANY = 30, HORIZON = 30 };
    char spec[LEARNER_RUN_SPEC];
    lgkt_rng rng = lgkt_rng_stream(3, "steps", 0);
    lgkt_mdp *model = model_random(&rng, MANY, 4, 1);
    for (int32_t i = 0; learner_run_spec(i / 2, spec); i++) {
        fault f;
        fault_init(&f);
        lgkt_learner_config config = learner_run_config(model, HORIZON);
        config.allocator = fault_allocator(&f);
        lgkt_learner *learner = NULL;
        if (lgkt_learner_create(spec, &config, &learner, NULL) != LGKT_OK)
            continue;
        for (int t = 0; i % 2 == 1 && t < HORIZON - 3; t++)
            (void)lgkt_learner_feed(learner, t, t % 4, 1, (7 * t) % MANY, false);
        const long long before = atomic_load(&f.calls);
        // each step is new
        for (int32_t t = 0; t < HORIZON; t++) {
            int32_t action;
            assert_int_equal(lgkt_learner_act(learner, t, NULL, &action), LGKT_OK);
            assert_int_equal(lgkt_learner_observe(learner, 0.5, (t + 1) % MANY, false), LGKT_OK);
        }
        if (i % 2 == 0 && atomic_load(&f.calls) != before && !learner->can_fail)
            fail_msg("%s: a step takes memory", spec);
        lgkt_learner_destroy(learner);
        assert_true(fault_is_clean(&f));
    }
    lgkt_mdp_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_room_for_all_steps),
        cmocka_unit_test(test_fed_learners_know_what_others_observed),
        cmocka_unit_test(test_ucbvi_counts_what_it_is_fed),
        cmocka_unit_test(test_lookahead_learns_mean_rewards_only),
        cmocka_unit_test(test_feeding_ends_an_open_run),
        cmocka_unit_test(test_samplers_are_fed),
        cmocka_unit_test(test_refused_steps_change_nothing),
        cmocka_unit_test(test_learners_that_cannot_serve_are_refused),
        cmocka_unit_test(test_settings_that_do_not_go_together),
        cmocka_unit_test(test_sampler_limit_says_the_number),
        cmocka_unit_test(test_up_to_the_cutoff_the_first_acts_alone),
        cmocka_unit_test(test_from_the_cutoff_on_the_partner_acts),
        cmocka_unit_test(test_a_partner_that_was_not_fed_differs),
        cmocka_unit_test(test_printed_phases_are_lg1t_first),
        cmocka_unit_test(test_printed_switch_comes_after_the_cutoff),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
