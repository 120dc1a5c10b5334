// SPDX-License-Identifier: MIT
// Learners by extended value iteration: when episodes end, what a planning takes for plausible,
// and PMEVI's numbers.

#include "test.h"

#include "learners/planners/ucrl.h"
#include "ref/chance.h"
#include "ref/learner_run.h"
#include "ref/models.h"

static const char *const names[] = {"ucrl2", "klucrl", "pmevi-ucrl2", "pmevi-klucrl"};
enum { NAMES = 4 };

static lgkt_ucrl *inside(lgkt_learner *learner)
{
    return learner->self;
}

static lgkt_learner_config config_of(int32_t states, int32_t actions, int64_t horizon)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = states;
    config.problem.actions = actions;
    config.problem.horizon = horizon;
    config.seed = 5;
    return config;
}

static void feed(lgkt_learner *learner, int32_t state, int32_t action, double reward, int32_t next,
                 int64_t times)
{
    for (int64_t i = 0; i < times; i++)
        assert_int_equal(lgkt_learner_feed(learner, state, action, reward, next, false), LGKT_OK);
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    int32_t action = -1;
    assert_int_equal(lgkt_learner_act(learner, state, NULL, &action), LGKT_OK);
    return action;
}

// ---- episodes ----

// the smallest number of visits that ends an episode which began at time t with n of them
static int64_t visits_at_end(const char *spec, int64_t t, int64_t n)
{
    const lgkt_learner_config config = config_of(1, 1, 1000000000);
    lgkt_learner *learner = learner_run_make(spec, &config);
    feed(learner, 0, 0, 0.5, 0, n);
    learner->t = t - 1;
    act(learner, 0);
    while (inside(learner)->episodes == 1) {
        assert_int_equal(lgkt_learner_observe(learner, 0.5, 0, false), LGKT_OK);
        act(learner, 0);
    }
    const int64_t visits = (int64_t)inside(learner)->counts.rows[0].n;
    assert_int_equal(inside(learner)->started, learner->t + 1);
    lgkt_learner_destroy(learner);
    return visits;
}

static void test_vanishing_episodes(void **state)
{
    (void)state;
    static const int64_t cases[][3] = {{100, 14, 132}, {1000, 12, 118}, {20000, 11, 109}};
    for (int i = 0; i < NAMES; i++)
        for (size_t j = 0; j < sizeof cases / sizeof *cases; j++) {
            assert_int_equal(visits_at_end(names[i], cases[j][0], 10), cases[j][1]);
            assert_int_equal(visits_at_end(names[i], cases[j][0], 100), cases[j][2]);
            assert_int_equal(visits_at_end(names[i], cases[j][0], 0), 1);
        }
}

// the share vanishes with the time now, which goes on while visits come in
static void test_episodes_that_vanish_now(void **state)
{
    (void)state;
    static const int64_t times[] = {1, 100, 1000, 20000}, counts[] = {0, 1, 10, 100, 3000};
    for (int i = 0; i < NAMES; i++)
        for (size_t j = 0; j < 4; j++)
            for (size_t k = 0; k < 5; k++) {
                char spec[64];
                snprintf(spec, sizeof spec, "%s:episodes=vanishing-now", names[i]);
                double n = (double)counts[k], t = (double)times[j], visits = n;
                do {
                    visits++;
                    t++;
                } while (visits < fmax((1 + sqrt(sqrt(t) / t)) * n, 1));
                assert_int_equal(visits_at_end(spec, times[j], counts[k]), (int64_t)visits);
            }
}

static void test_doubling_episodes(void **state)
{
    (void)state;
    static const int64_t cases[][2] = {{0, 1}, {1, 2}, {10, 20}, {333, 666}};
    for (size_t j = 0; j < sizeof cases / sizeof *cases; j++) {
        assert_int_equal(visits_at_end("ucrl2:episodes=doubling", 1000, cases[j][0]), cases[j][1]);
        assert_int_equal(visits_at_end("pmevi-klucrl:episodes=doubling", 7, cases[j][0]),
                         cases[j][1]);
    }
}

// at most S A log2(8 T/(S A)) by doubling (T >= S A); vanishing makes more, and fewer than steps
static void test_number_of_episodes(void **state)
{
    (void)state;
    lgkt_mdp *model = model_riverswim(4, false);
    for (int i = 0; i < NAMES; i++) {
        int64_t counts[2];
        for (int rule = 0; rule < 2; rule++) {
            char spec[64];
            snprintf(spec, sizeof spec, "%s:episodes=%s", names[i],
                     rule == 0 ? "doubling" : "vanishing");
            const lgkt_learner_config config = learner_run_config(model, 5000);
            lgkt_learner *learner = learner_run_make(spec, &config);
            learner_run run = {learner, model, 3, 0, 0};
            for (int64_t t = 0; t < 5000; t += 50) {
                learner_run_play(&run, 50, NULL);
                const double pairs = 8, steps = (double)(t + 50);
                counts[rule] = learner_run_counter(learner, "episodes");
                if (rule == 0)
                    assert_between((double)counts[0], 1, pairs * log2(8 * steps / pairs));
            }
            lgkt_learner_destroy(learner);
        }
        assert_in_range(counts[1], counts[0] + 1, 1500);
    }
    lgkt_mdp_destroy(model);
}

static void test_begin_and_feed_start_a_new_episode(void **state)
{
    (void)state;
    for (int i = 0; i < NAMES; i++) {
        const lgkt_learner_config config = config_of(3, 2, 1000);
        lgkt_learner *learner = learner_run_make(names[i], &config);
        feed(learner, 0, 0, 0.5, 0, 100);
        feed(learner, 0, 1, 0.5, 0, 100);
        act(learner, 0);
        for (int64_t episodes = 1; episodes < 4; episodes++) {
            assert_int_equal(inside(learner)->episodes, episodes);
            assert_int_equal(lgkt_learner_observe(learner, 0.5, 0, false), LGKT_OK);
            // nothing new to learn in one step
            act(learner, 0);
            assert_int_equal(inside(learner)->episodes, episodes);
            assert_int_equal(lgkt_learner_observe(learner, 0.5, 0, false), LGKT_OK);
            lgkt_learner_begin(learner);
            act(learner, 0);
        }
        // what is fed is not what the plan was made of
        assert_int_equal(lgkt_learner_observe(learner, 0.5, 0, false), LGKT_OK);
        feed(learner, 1, 0, 0, 0, 1);
        feed(learner, 1, 0, 0, 2, 1);
        act(learner, 1);
        assert_int_equal(inside(learner)->episodes, 5);
        assert_true(inside(learner)->evi.pairs[2].radius > 0);
        assert_true(inside(learner)->evi.pairs[2].reward <= 1);
        lgkt_learner_destroy(learner);
    }
}

// ---- choices ----

// actions that were never tried go before one that is known to be poor, all alike
static void test_unvisited_pairs_go_first(void **state)
{
    (void)state;
    enum { ACTIONS = 5, RUNS = 400 };
    const double law[ACTIONS] = {0, 1, 1, 0, 1};
    for (int i = 0; i < NAMES; i++) {
        int64_t counts[ACTIONS] = {0};
        lgkt_learner_config config = config_of(2, ACTIONS, 100000);
        for (config.instance = 0; config.instance < RUNS; config.instance++) {
            lgkt_learner *learner = learner_run_make(names[i], &config);
            feed(learner, 0, 0, 0.25, 0, 500);
            feed(learner, 0, 3, 0.25, 1, 500);
            counts[act(learner, 0)]++;
            lgkt_learner_destroy(learner);
        }
        // false alarm: CHANCE_LEVEL = 1e-7
        assert_true(chance_law_p_value(counts, law, ACTIONS) > CHANCE_LEVEL);
    }
}

static void test_a_cut_adds_no_transition(void **state)
{
    (void)state;
    for (int i = 0; i < NAMES; i++) {
        const lgkt_learner_config config = config_of(3, 1, 100);
        lgkt_learner *learner = learner_run_make(names[i], &config);
        act(learner, 0);
        assert_int_equal(lgkt_learner_observe(learner, 0.5, 1, true), LGKT_OK);
        const lgkt_seen_row *pair = inside(learner)->counts.rows;
        assert_int_equal(pair->n, 1);
        assert_int_equal(pair->moves, 0);
        assert_int_equal(pair->first, -1);
        assert_close(pair->reward, 0.5, 0);
        // its reward is known, where it leads is not
        lgkt_learner_begin(learner);
        act(learner, 2);
        assert_close(inside(learner)->evi.pairs[0].radius, 0, 0);
        assert_true(inside(learner)->evi.backups[0].value == inside(learner)->evi.top);
        lgkt_learner_destroy(learner);
    }
}

static void test_watching_counts_as_playing(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(4, "model", 0);
    lgkt_mdp *model = model_random(&rng, 4, 3, 0.5);
    for (int i = 0; i < NAMES; i++) {
        const lgkt_learner_config config = learner_run_config(model, 400);
        lgkt_learner *player = learner_run_make(names[i], &config);
        lgkt_learner *watcher = learner_run_make(names[i], &config);
        learner_run run = {player, model, 3, 0.05, 0};
        for (int t = 0; t < 400; t++) {
            const int32_t from = run.state, action = act(player, from);
            const lgkt_step step = learner_run_outcome(&run, action);
            lgkt_learner_observe(player, step.reward, step.state, step.ended);
            assert_int_equal(
                lgkt_learner_feed(watcher, from, action, step.reward, step.state, step.ended),
                LGKT_OK);
            run.state = step.state;
        }
        const lgkt_ucrl *a = inside(player), *b = inside(watcher);
        assert_memory_equal(a->counts.rows, b->counts.rows, 12 * sizeof *a->counts.rows);
        assert_int_equal(a->counts.used, b->counts.used);
        assert_memory_equal(a->counts.items, b->counts.items,
                            (size_t)a->counts.used * sizeof(lgkt_edge));
        if (a->name->pmevi)
            assert_memory_equal(a->bias.legs, b->bias.legs, 6 * sizeof *a->bias.legs);
        assert_true(a->bias.reward == b->bias.reward && a->bias.steps == b->bias.steps);
        assert_int_equal(b->episodes, 0);
        lgkt_learner_destroy(player);
        lgkt_learner_destroy(watcher);
    }
    lgkt_mdp_destroy(model);
}

// ---- what is plausible ----

// 50 visits of pair (0, 0), mean reward 0, at time 1000 of 20000; S = 5, A = 2
static lgkt_plausible plausible_of(const char *spec, double reward)
{
    const lgkt_learner_config config = config_of(5, 2, 20000);
    lgkt_learner *learner = learner_run_make(spec, &config);
    feed(learner, 0, 0, reward, 0, 50);
    learner->t = 999;
    act(learner, 0);
    const lgkt_plausible pair = inside(learner)->evi.pairs[0];
    assert_close(inside(learner)->evi.pairs[1].reward, 1, 0);
    lgkt_learner_destroy(learner);
    return pair;
}

static void test_radii_in_use(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double reward, radius;
    } cases[] = {
        {"ucrl2:bound=original,delta=0.05", 0.950234385731, 3.975637644343},
        {"pmevi-ucrl2:bound=original,delta=0.05", 0.950234385731, 3.975637644343},
        {"klucrl:bound=original,delta=0.05", 0.300376626248, 1.350925957777},
        {"ucrl2", 0.370788552236, 0.829882795972},
        {"klucrl", 0.370788552236, 0.518473684135},
        {"pmevi-klucrl", 0.370788552236, 0.518473684135},
        {"ucrl2:profile=printed", 0.950234385731, 3.975637644343},
        {"pmevi-klucrl:profile=printed", 0.300376626248, 1.350925957777},
        {"klucrl:radius=0.001", 0.370788552236, 0.001},
        {"pmevi-klucrl:profile=printed,radius=0.001", 0.300376626248, 0.001},
        {"ucrl2:bound=released", 0.370788552236, 0.850159548883},
        {"pmevi-ucrl2:profile=released,opening=planned", 0.370788552236, 0.850159548883},
        {"klucrl:profile=released,opening=planned", 0.370788552236, 0.001},
        {"pmevi-klucrl:profile=released,opening=planned,radius=0.5", 0.370788552236, 0.5},
        {"ucrl2:scale=0.1", 0.0370788552236, 0.0829882795972},
        {"pmevi-ucrl2:profile=printed,scale=0.01", 0.00950234385731, 0.03975637644343},
        {"klucrl:profile=printed,scale=0.5", 0.150188313124, 0.6754629788885},
        {"pmevi-klucrl:scale=2,radius=0.001", 0.741577104472, 0.002},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lgkt_plausible pair = plausible_of(cases[i].spec, 0);
        assert_close(pair.reward, cases[i].reward, 1e-12);
        assert_close(pair.radius, cases[i].radius, 1e-11);
    }
    // units of the range, the noise apart: r = 3 in [-1, 7], noise of scale 1 instead of 4
    const lgkt_plausible pair = plausible_of("ucrl2:reward-min=-1,reward-max=7,reward-sd=1", 3);
    assert_close(pair.reward, 0.5 + 0.370788552236 / 4, 1e-12);
    // told less than there is: never above 1
    assert_close(plausible_of("klucrl:reward-max=1", 5).reward, 1, 0);
    // no noise: no doubt about rewards
    assert_close(plausible_of("klucrl:reward-sd=0", 0.25).reward, 0.25, 0);
}

// a profile stands for its settings, and gives way to those that are typed
static void test_profiles(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *full;
    } cases[] = {
        {"", ":bound=mixture,episodes=vanishing,delta=1e-05,sweeps"},
        {":profile=practical", ":profile=practical,bound=mixture,episodes=vanishing,delta=1e-05,"},
        {":profile=printed", ":profile=printed,bound=original,episodes=doubling,delta=0.05,"},
        {":delta=0.1,profile=printed",
         ":profile=printed,bound=original,episodes=doubling,delta=0.1,"},
        {":profile=printed,bound=mixture", ":profile=printed,bound=mixture,episodes=doubling,"},
        {":episodes=vanishing,profile=printed",
         ":profile=printed,bound=original,episodes=vanishing,"},
        {":profile=released",
         ":profile=released,bound=released,episodes=vanishing-now,delta=1e-05,precision=0.001,"
         "sweeps=99,reward-min=0,reward-max=1,reward-sd=0.5,scale=1,opening=random,choice=first"},
        {":profile=released,sweeps=7,choice=best,reward-max=3",
         ":profile=released,bound=released,episodes=vanishing-now,delta=1e-05,precision=0.001,"
         "sweeps=7,reward-min=0,reward-max=3,reward-sd=0.5,scale=1,opening=random,choice=best"},
    };
    const lgkt_learner_config config = config_of(3, 2, 100);
    for (int i = 0; i < NAMES; i++)
        for (size_t j = 0; j < sizeof cases / sizeof *cases; j++) {
            char spec[256], full[256];
            snprintf(spec, sizeof spec, "%s%s", names[i], cases[j].typed);
            snprintf(full, sizeof full, "%s%s", names[i], cases[j].full);
            lgkt_learner *learner = learner_run_make(spec, &config);
            if (strncmp(lgkt_learner_spec(learner), full, strlen(full)) != 0)
                assert_string_equal(lgkt_learner_spec(learner), full);
            lgkt_learner_destroy(learner);
        }
}

static void test_settings(void **state)
{
    (void)state;
    lgkt_learner_config config = config_of(5, 2, 20000);
    lgkt_learner *learner = learner_run_make("pmevi-klucrl", &config);
    assert_non_null(
        strstr(lgkt_learner_spec(learner),
               "bound=mixture,episodes=vanishing,delta=1e-05,sweeps=20000,"
               "reward-min=0,reward-max=1,reward-sd=0.5,scale=1,opening=planned,choice=best,"
               "span=7.2477966"));
    assert_close(inside(learner)->set.span, pow(20000, 0.2), 1e-14);
    lgkt_learner_destroy(learner);
    config.problem.reward_min = -2;
    config.problem.reward_max = 3;
    config.problem.reward_sd = 0.25;
    learner = learner_run_make("ucrl2:reward-max=1,precision=0.01", &config);
    assert_string_equal(lgkt_learner_spec(learner),
                        "ucrl2:bound=mixture,episodes=vanishing,delta=1e-05,precision=0.01,"
                        "sweeps=20000,reward-min=-2,reward-max=1,reward-sd=0.25,scale=1,"
                        "opening=planned,choice=best");
    act(learner, 0);
    assert_close(inside(learner)->precision, 0.01, 0);
    lgkt_learner_destroy(learner);

    static const struct {
        const char *spec, *words;
    } bad[] = {
        {"ucrl2:reward-min=2,reward-max=1", "reward-min=2 is above reward-max=1"},
        {"ucrl2:reward-max=-3", "reward-min=-2 is above reward-max=-3"},
        {"klucrl:delta=0", "delta"},
        {"klucrl:delta=1.5", "delta"},
        {"ucrl2:sweeps=0", "sweeps"},
        {"ucrl2:precision=0", "precision"},
        {"ucrl2:bound=bernstein", "bound"},
        {"ucrl2:span=3", "span"},
        {"pmevi-ucrl2:span=-1", "span"},
        {"ucrl2:profile=paper", "profile=paper is not one of practical|printed|released"},
        {"ucrl3:profile=printed", "unknown parameter \"profile\""},
        {"optimistic-q:profile=printed", "unknown parameter \"profile\""},
        {"ucrl2:radius=0.001", "unknown parameter \"radius\""},
        {"klucrl:radius=0", "radius=0 is out of range"},
        {"ucrl2:scale=0", "scale=0 is out of range"},
        {"ucrl3:scale=0.1", "unknown parameter \"scale\""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lgkt_error error = {0};
        assert_refused(lgkt_learner_create(bad[i].spec, &config, &learner, &error), LGKT_ERR_SPEC,
                       error, bad[i].words);
    }
}

// ---- PMEVI's numbers ----

// legs and rewards of a learner with 2 or 3 states, as if they had happened: n legs for each two
// states and estimates h(x) - h(y); the inner regret is `regret`
static void pretend(lgkt_learner *learner, int64_t t, double regret, int64_t n, const double *h)
{
    lgkt_ucrl *u = inside(learner);
    for (int32_t y = 1; y < learner->problem.states; y++)
        for (int32_t x = 0; x < y; x++)
            u->bias.legs[y * (y - 1) / 2 + x] =
                (lgkt_leg){.n = n, .reward = (double)n * (h[x] - h[y])};
    u->bias.most_legs = n;
    u->bias.most_reward = INFINITY; // a look at every leg
    learner->t = t - 1;
    u->bias.steps = t - 1;
    u->bias.reward = (double)(t - 1) - regret; // no gain was planned yet: it is at most 1
}

static void test_known_errors(void **state)
{
    (void)state;
    static const struct {
        int64_t t, n, legs; // as printed, and so many that the limit is below the span
        double regret, error;
    } cases[] = {
        {1001, 40, 4000, 120, 71.215369439334},
        {20000, 4000, 4000, 800, 3.289046201408},
        // more was earned than is possible: as if there were no regret
        {1001, 40, 4000, -500, 71.215369439334 - 2 * 120 / 40.0},
    };
    for (int i = 0; i < 3; i++) {
        const lgkt_learner_config config = config_of(2, 2, 20000);
        lgkt_learner *learner = learner_run_make("pmevi-klucrl", &config);
        const double h[] = {0, 0};
        pretend(learner, cases[i].t, cases[i].regret, cases[i].legs, h);
        act(learner, 0);
        const lgkt_bias *bias = &inside(learner)->bias;
        assert_true(bias->tight);
        const double scaled = bias->limit[1] * (double)cases[i].legs / (double)cases[i].n;
        assert_close(scaled, cases[i].error, 1e-10);
        assert_close(bias->limit[2], bias->limit[1], 0);
        lgkt_learner_destroy(learner);
    }
}

// p = (.1, .55, .35) from 1000 visits, h0 = (0, .92, 2.25), e = .4 between different states
static void test_known_mitigation(void **state)
{
    (void)state;
    const lgkt_learner_config config = config_of(3, 2, 20000);
    lgkt_learner *learner = learner_run_make("pmevi-klucrl", &config);
    feed(learner, 0, 0, 0.5, 0, 100);
    feed(learner, 0, 0, 0.5, 1, 550);
    feed(learner, 0, 0, 0.5, 2, 350);
    const double h[] = {0, 0.92, 2.25}, span = pow(20000, 0.2);
    const double fixed = 3 * span + (1 + span) * (1 + sqrt(8 * 5000 * log(2e5)));
    const int64_t legs = 100000;
    pretend(learner, 5000, (0.4 * (double)legs - fixed) / 2, legs, h);
    act(learner, 0);
    assert_close(inside(learner)->evi.pairs[0].mitigation, 1.219208082484, 1e-10);
    assert_true(isinf(inside(learner)->evi.pairs[1].mitigation));
    // the constraints agree with h0
    assert_close(inside(learner)->bias.limit[1], -0.92 + 0.4, 1e-9);
    assert_close(inside(learner)->bias.limit[6], 2.25 + 0.4, 1e-9);
    lgkt_learner_destroy(learner);
}

// estimates that contradict each other leave the span
static void test_contradicting_estimates_are_counted(void **state)
{
    (void)state;
    const lgkt_learner_config config = config_of(3, 2, 20000);
    lgkt_learner *learner = learner_run_make("pmevi-ucrl2", &config);
    const double h[] = {0, 1, 2};
    pretend(learner, 5000, -1e9, 100000, h); // no regret: the error is small
    inside(learner)->bias.legs[1].reward *= -1;
    act(learner, 0);
    assert_int_equal(learner_run_counter(learner, "infeasible_projections"), 1);
    assert_false(inside(learner)->bias.tight);
    lgkt_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vanishing_episodes),
        cmocka_unit_test(test_episodes_that_vanish_now),
        cmocka_unit_test(test_doubling_episodes),
        cmocka_unit_test(test_number_of_episodes),
        cmocka_unit_test(test_begin_and_feed_start_a_new_episode),
        cmocka_unit_test(test_unvisited_pairs_go_first),
        cmocka_unit_test(test_a_cut_adds_no_transition),
        cmocka_unit_test(test_watching_counts_as_playing),
        cmocka_unit_test(test_radii_in_use),
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_known_errors),
        cmocka_unit_test(test_known_mitigation),
        cmocka_unit_test(test_contradicting_estimates_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
