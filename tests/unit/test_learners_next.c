// SPDX-License-Identifier: MIT
// Saved states in later versions: builds in which every learner has a parameter more, one less, a
// newer state or a retired one. The registry of this program makes them from the real classes, in
// one process, so that one build saves what another one loads.

// the real registry, under other names; this program's own one is linked in its place
#define lgkt_learner_class_at real_class_at
#define lgkt_learner_entry    real_entry
#define lgkt_learner_registry real_registry
#include "learners/front/registry.c"
#undef lgkt_learner_class_at
#undef lgkt_learner_entry
#undef lgkt_learner_registry

#include "lgkt/keyed.h"
#include "lgkt/units.h"
#include "ref/keyed_run.h"
#include "ref/learner_run.h"
#include "ref/saved_bytes.h"
#include "ref/tag_states.h"
#include "ref/tamper.h"
#include "test.h"

const lgkt_learner_class *lgkt_learner_class_at(int32_t i, const lgkt_entry **entry);
LGKT_API const lgkt_entry *lgkt_learner_entry(int32_t i);

// ---- other builds ----

enum { MOST = 128, PARAMS = 64, MARK = 41, NEXT = LGKT_STATES + 1 };
#define LATER "9.0.0" // the version of a later build

typedef enum build {
    TODAY,
    MORE,    // a parameter more, of which older states have another value, and a word more to save
    FEWER,   // the last parameter is gone, and nobody raised a number
    NEWER,   // another state
    RETIRED, // another state, and the first one is no longer read
    BUILDS
} build;

static build building = TODAY;
static lgkt_learner_class others[BUILDS][MOST];
static union name {
    lgkt_entry entry;
    char bytes[256]; // with what is behind it
} names[BUILDS][MOST];
static lgkt_param_row params[BUILDS][MOST][PARAMS];

static const lgkt_learner_class *real_class(const lgkt_learner *learner)
{
    const lgkt_learner_class *class = NULL;
    const lgkt_entry *entry;
    for (int32_t i = 0; (class = real_class_at(i, &entry)) != NULL; i++)
        if (strcmp(entry->name, learner->entry->name) == 0)
            return class;
    fail();
    return NULL;
}

static void visit_more(lgkt_learner *learner, lgkt_archive *archive)
{
    const lgkt_learner_class *class = real_class(learner);
    int64_t mark = MARK;
    if (learner->state_number >= NEXT)
        lgkt_visit_i64(archive, &mark, 1, MARK, MARK);
    lgkt_learner *nested;
    if (class->visit != NULL)
        class->visit(learner, archive);
    else
        for (size_t i = 0; (nested = lgkt_next_within(learner, &i)) != NULL;)
            lgkt_nested_visit(learner, nested, archive);
}

static void make_class(int32_t i)
{
    const lgkt_entry *real_name;
    const lgkt_learner_class *real = real_class_at(i, &real_name);
    lgkt_learner_class *class = &others[building][i];
    lgkt_entry *entry = &names[building][i].entry;
    lgkt_param_row *rows = params[building][i];
    *class = *real;
    memcpy(&names[building][i], real_name, real->name_size);
    assert_true(entry->param_count < PARAMS);
    if (entry->param_count > 0)
        memcpy(rows, entry->params, (size_t)entry->param_count * sizeof *rows);
    entry->params = rows;
    if (building == FEWER) {
        entry->param_count -= entry->param_count > 0;
        return;
    }
    class->state = NEXT;
    class->oldest_state = building == RETIRED ? NEXT : real->oldest_state;
    if (building != MORE)
        return;
    // behind what any settings have
    rows[entry->param_count++] = (lgkt_param_row){.param = {.name = "extra",
                                                            .type = LGKT_PARAM_INTEGER,
                                                            .fallback = "7",
                                                            .max = 9,
                                                            .help = "what came later"},
                                                  .offset = LGKT_SETTINGS_BYTES - sizeof(int64_t),
                                                  .since = NEXT,
                                                  .before = "3"};
    class->visit = visit_more;
}

const lgkt_learner_class *lgkt_learner_class_at(int32_t i, const lgkt_entry **entry)
{
    const lgkt_learner_class *real = real_class_at(i, entry);
    if (building == TODAY || real == NULL)
        return real;
    assert_true(i < MOST && real->name_size <= sizeof(union name));
    *entry = &names[building][i].entry;
    if ((*entry)->name == NULL)
        make_class(i);
    return &others[building][i];
}

const lgkt_entry *lgkt_learner_entry(int32_t i)
{
    const lgkt_entry *entry = NULL;
    lgkt_learner_class_at(i, &entry);
    return entry;
}

const lgkt_registry lgkt_learner_registry = {.what = "learner", .entry = lgkt_learner_entry};

// a learner made by a later build was born with its number
static const char *born_next(saved_bytes *saved)
{
    tamper_set_word(saved->bytes, SAVED_AT_BORN, NEXT);
    memcpy(saved->bytes + TAMPER_AT_WRITER, LATER, sizeof LATER);
    tamper_seal(saved->bytes, saved->size);
    return LATER;
}

// ---- what is saved ----

enum { STEPS = 200, HORIZON = 2 * STEPS, SPEC = LEARNER_RUN_SPEC };

static const char *const nested[] = {
    "anytime:of=lg2t",
    "anytime:of=(anytime:of=ucb)",
    "window:of=(lg2t:profile=paper),steps=50",
    "lg1t-rl:rl=ucrl2,cutoff=100",
    "lg2t:sampler=(anytime:of=ucb)",
    "lg2t:profile=paper",
};
enum { NESTED = sizeof nested / sizeof *nested };

// every name and those above; false beyond the last whose states may be numbered
static bool spec_at(int32_t i, const char **spec)
{
    const lgkt_entry *entry = i < NESTED ? NULL : real_entry(i - NESTED);
    *spec = i < NESTED ? nested[i] : NULL;
    if (entry != NULL && (entry->traits & LGKT_TRAIT_STATES))
        *spec = entry->name;
    return *spec != NULL;
}

static lgkt_learner_config config_of(const lgkt_mdp *model)
{
    lgkt_learner_config config = learner_run_config(model, HORIZON);
    config.seed = 5;
    return config;
}

// a learner after so many steps, saved; where it stands into *run, without it
static saved_bytes save_in(build which, const char *spec, const lgkt_mdp *model, learner_run *run)
{
    building = which;
    const lgkt_learner_config config = config_of(model);
    lgkt_learner *learner = learner_run_make(spec, &config);
    *run = (learner_run){.learner = learner, .model = model, .seed = 3};
    learner_run_play(run, STEPS, NULL);
    const saved_bytes saved = saved_bytes_of(learner);
    lgkt_learner_destroy(learner);
    run->learner = NULL;
    return saved;
}

static lgkt_learner *load_in(build which, const saved_bytes *saved, const lgkt_mdp *model)
{
    building = which;
    const lgkt_learner_config config = config_of(model);
    return saved_bytes_load(saved, &config);
}

static void refuse_in(build which, const saved_bytes *saved, const lgkt_mdp *model,
                      lgkt_status status, const char *words)
{
    building = which;
    const lgkt_learner_config config = config_of(model);
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_refused(lgkt_learner_load(saved->bytes, saved->size, &config, &learner, &error), status,
                   error, words);
    assert_null(learner);
}

// the parameter that came later, of a learner and of all within
static void check_extra(const lgkt_learner *learner, const char *words)
{
    if (strstr(learner->spec, words) == NULL)
        fail_msg("%s has no %s", learner->spec, words);
    lgkt_learner *within = NULL;
    for (size_t i = 0;
         learner->class->within != NULL && learner->class->within(learner, i, &within); i++)
        if (within != NULL)
            check_extra(within, words);
}

// ---- a parameter more ----

static void test_a_parameter_more(void **state)
{
    const char *spec;
    for (int32_t i = 0; spec_at(i, &spec); i++) {
        learner_run run;
        int32_t expected[STEPS], actual[STEPS];
        saved_bytes saved = save_in(TODAY, spec, *state, &run);
        learner_run other = run;
        run.learner = load_in(TODAY, &saved, *state);
        learner_run_play(&run, STEPS, expected);
        lgkt_learner_destroy(run.learner);

        // it has the value of old states, and goes on as it would have
        other.learner = load_in(MORE, &saved, *state);
        check_extra(other.learner, "extra=3");
        learner_run_play(&other, STEPS / 2, actual);
        // saved again, with the new number, it still has it
        saved_bytes again = saved_bytes_of(other.learner);
        assert_int_equal(tamper_word(again.bytes, saved_bytes_number_at(again.bytes)), NEXT);
        lgkt_learner_destroy(other.learner);
        other.learner = load_in(MORE, &again, *state);
        check_extra(other.learner, "extra=3");
        learner_run_play(&other, STEPS / 2, actual + STEPS / 2);
        if (memcmp(expected, actual, sizeof actual) != 0)
            fail_msg("%s goes on differently", spec);
        // and with another horizon
        assert_int_equal(lgkt_learner_set_horizon(other.learner, 2 * HORIZON), LGKT_OK);
        check_extra(other.learner, "extra=3");
        lgkt_learner_destroy(other.learner);
        saved_bytes_free(&again);
        saved_bytes_free(&saved);

        // while one that is made now has the default
        building = MORE;
        const lgkt_learner_config config = config_of(*state);
        lgkt_learner *fresh = learner_run_make(spec, &config);
        assert_non_null(strstr(lgkt_learner_spec(fresh), "extra="));
        lgkt_learner_destroy(fresh);
    }
}

static void check_old_value(const lgkt_learner *learner)
{
    check_extra(learner, "extra=3");
}

// the states that were recorded at the tag, too
static void test_states_of_the_tag(void **state)
{
    (void)state;
    building = MORE;
    assert_true(tag_states_check(LGKT_TAG "/states", check_old_value) > 0);
}

static void test_only_what_was_added_may_differ(void **state)
{
    learner_run run;
    saved_bytes saved = save_in(TODAY, "ucb", *state, &run);
    // born when there was the parameter, but without it
    born_next(&saved);
    refuse_in(MORE, &saved, *state, LGKT_ERR_FORMAT, "which means something else here");
    saved_bytes_free(&saved);
}

// ---- what is refused ----

static void test_a_parameter_less(void **state)
{
    const char *spec;
    for (int32_t i = NESTED; spec_at(i, &spec); i++) {
        const int32_t count = real_entry(i - NESTED)->param_count;
        if (count == 0)
            continue;
        const char *name = lgkt_entry_param(real_entry(i - NESTED), count - 1)->name;
        learner_run run;
        saved_bytes saved = save_in(TODAY, spec, *state, &run);
        char words[128];
        snprintf(words, sizeof words, "unknown parameter \"%s\"", name);
        // what is unset is not in the spec
        char key[64];
        snprintf(key, sizeof key, "%s=", name);
        if (strstr((const char *)saved.bytes + SAVED_AT_SPEC, key) != NULL) {
            refuse_in(FEWER, &saved, *state, LGKT_ERR_SPEC, words);
            born_next(&saved);
            refuse_in(FEWER, &saved, *state, LGKT_ERR_FORMAT, words);
            refuse_in(FEWER, &saved, *state, LGKT_ERR_FORMAT, "saved by lgkt " LATER);
        }
        saved_bytes_free(&saved);
    }
}

static void test_newer_states(void **state)
{
    const char *spec;
    char words[128];
    snprintf(words, sizeof words,
             "was saved by lgkt " LATER " as number %d; this version, " LGKT_VERSION_STRING
             ", reads up to number ",
             NEXT);
    for (int32_t i = 0; spec_at(i, &spec); i++) {
        learner_run run;
        saved_bytes saved = save_in(NEWER, spec, *state, &run);
        born_next(&saved);
        refuse_in(TODAY, &saved, *state, LGKT_ERR_FORMAT, words);
        lgkt_learner_destroy(load_in(NEWER, &saved, *state));
        saved_bytes_free(&saved);
        // the parameter is named, too
        saved = save_in(MORE, spec, *state, &run);
        refuse_in(TODAY, &saved, *state, LGKT_ERR_SPEC, "unknown parameter \"extra\"");
        born_next(&saved);
        refuse_in(TODAY, &saved, *state, LGKT_ERR_FORMAT, "unknown parameter \"extra\"");
        saved_bytes_free(&saved);
    }
}

static void test_retired_states(void **state)
{
    const char *spec;
    for (int32_t i = 0; spec_at(i, &spec); i++) {
        learner_run run;
        saved_bytes saved = save_in(TODAY, spec, *state, &run);
        char words[128], name[32];
        assert_int_equal(lgkt_spec_name(spec, name, sizeof name, NULL), LGKT_OK);
        snprintf(words, sizeof words,
                 "states of \"%s\" from lgkt %s can no longer be loaded: run them with %d.%d.x",
                 name, LGKT_VERSION_STRING, LGKT_VERSION_MAJOR, LGKT_VERSION_MINOR);
        refuse_in(RETIRED, &saved, *state, LGKT_ERR_FORMAT, words);
        lgkt_learner_destroy(load_in(NEWER, &saved, *state));
        saved_bytes_free(&saved);
    }
}

// ---- other numbers ----

static void test_states_load_across_numbers(void **state)
{
    enum { OTHER = 7 };
    learner_run run;
    saved_bytes saved = save_in(TODAY, "lg2t", *state, &run);
    lgkt_learner *learner = load_in(TODAY, &saved, *state);
    assert_int_equal(lgkt_learner_saved_numbers(learner), LGKT_NUMBERS);
    assert_string_equal(lgkt_learner_saved_version(learner), LGKT_VERSION_STRING);
    lgkt_learner_destroy(learner);

    memcpy(saved.bytes + TAMPER_AT_WRITER, "3.14.15", sizeof "3.14.15");
    tamper_set_word(saved.bytes, TAMPER_AT_NUMBERS, OTHER);
    tamper_seal(saved.bytes, saved.size);
    learner = load_in(TODAY, &saved, *state);
    assert_int_equal(lgkt_learner_saved_numbers(learner), OTHER);
    assert_string_equal(lgkt_learner_saved_version(learner), "3.14.15");
    // one that goes on says so, with another horizon and when it is saved again
    assert_int_equal(lgkt_learner_set_horizon(learner, 2 * HORIZON), LGKT_OK);
    assert_int_equal(lgkt_learner_saved_numbers(learner), OTHER);
    saved_bytes again = saved_bytes_of(learner);
    lgkt_learner_destroy(learner);
    assert_int_equal(tamper_word(again.bytes, TAMPER_AT_NUMBERS), LGKT_NUMBERS);
    lgkt_learner_config config = config_of(*state);
    config.problem.horizon *= 2;
    learner = saved_bytes_load(&again, &config);
    assert_int_equal(lgkt_learner_saved_numbers(learner), OTHER);
    assert_string_equal(lgkt_learner_saved_version(learner), LGKT_VERSION_STRING);
    lgkt_learner_destroy(learner);
    saved_bytes_free(&again);
    saved_bytes_free(&saved);

    assert_int_equal(lgkt_learner_saved_numbers(NULL), 0);
    assert_string_equal(lgkt_learner_saved_version(NULL), "");
}

// ---- the fronts around a learner ----

static void test_keyed_learners(void **state)
{
    (void)state;
    building = TODAY;
    const lgkt_learner_config config = keyed_run_config(HORIZON);
    lgkt_keyed *keyed = keyed_run_make("anytime:of=lg2t", &config, KEYED_RUN_STATES);
    keyed_run run = keyed_run_start(keyed, KEYED_RUN_STATES, 5);
    keyed_run_play(&run, STEPS);
    size_t size;
    unsigned char *bytes = keyed_run_save(keyed, &size);
    lgkt_keyed_destroy(keyed);
    building = MORE;
    keyed = keyed_run_load(bytes, size, &config);
    check_extra(lgkt_keyed_learner(keyed), "extra=3");
    // states that come up now, too
    keyed_run more = run;
    more.keyed = keyed;
    keyed_run_play(&more, STEPS);
    lgkt_keyed_destroy(keyed);
    building = RETIRED;
    lgkt_error error = {0};
    assert_refused(lgkt_keyed_load(bytes, size, &config, &keyed, &error), LGKT_ERR_FORMAT, error,
                   "states of \"anytime\" from lgkt");
    building = TODAY;
    tamper_set_word(bytes, TAMPER_AT_STATE, 2);
    tamper_seal(bytes, size);
    assert_refused(lgkt_keyed_load(bytes, size, &config, &keyed, &error), LGKT_ERR_FORMAT, error,
                   "the state of \"keyed learner\" was saved by lgkt");
    free(bytes);
}

static void test_units(void **state)
{
    (void)state;
    enum { UNITS = 5 };
    building = TODAY;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 3;
    config.problem.actions = 2;
    config.problem.horizon = HORIZON;
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = UNITS;
    lgkt_units *units = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_units_create("lg2t:sampler=(anytime:of=ucb)", &config, &set, &units, &error),
              error);
    for (int t = 0; t < STEPS; t++) {
        int64_t decision;
        int32_t action;
        assert_int_equal(
            lgkt_units_act(units, (uint64_t)(t % UNITS), t % 3, NULL, &decision, &action), LGKT_OK);
        assert_int_equal(lgkt_units_reward(units, decision, action), LGKT_OK);
        assert_int_equal(lgkt_units_next(units, decision, (t + UNITS) % 3, false), LGKT_OK);
    }
    size_t size = 0;
    lgkt_units_save(units, NULL, 0, &size, NULL);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(lgkt_units_save(units, bytes, size, &size, NULL), LGKT_OK);
    lgkt_units_destroy(units);
    building = MORE;
    const lgkt_learner_config empty = lgkt_learner_config_default();
    assert_ok(lgkt_units_load(bytes, size, &empty, &units, &error), error);
    check_extra(lgkt_units_learner(units), "extra=3");
    lgkt_units_destroy(units);
    building = TODAY;
    tamper_set_word(bytes, TAMPER_AT_STATE, 2);
    tamper_seal(bytes, size);
    assert_refused(lgkt_units_load(bytes, size, &empty, &units, &error), LGKT_ERR_FORMAT, error,
                   "the state of \"learner of units\" was saved by lgkt");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_parameter_more),
        cmocka_unit_test(test_states_of_the_tag),
        cmocka_unit_test(test_only_what_was_added_may_differ),
        cmocka_unit_test(test_a_parameter_less),
        cmocka_unit_test(test_newer_states),
        cmocka_unit_test(test_retired_states),
        cmocka_unit_test(test_states_load_across_numbers),
        cmocka_unit_test(test_keyed_learners),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
