// SPDX-License-Identifier: MIT
// Fuzz targets: each takes any bytes, feeds them to one reader of the library or the command, and
// checks what must hold whatever they are.
//
// The same functions serve three programs: fuzz_<name> runs one under libFuzzer, fuzz_replay runs
// all of them on the archives of corpus/, and fuzz_seeds writes first inputs made from the registries.
#ifndef LGKT_TESTS_FUZZ_H
#define LGKT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "lgkt/lgkt.h"
#include "ref/fault.h"

// those of the decision service, where it is built
#ifdef LGKT_SERVE
#define FUZZ_SERVE_TARGETS(X) X(http) X(serve) X(serve_model) X(serve_bytes)
#else
#define FUZZ_SERVE_TARGETS(X)
#endif

// All targets. File target_<name>.c defines fuzz_<name>; corpus/<name>.tar holds its inputs.
#define FUZZ_TARGETS(X)                                                                            \
    X(learner)                                                                                     \
    X(env)                                                                                         \
    X(model)                                                                                       \
    X(experiment)                                                                                  \
    X(tape)                                                                                        \
    X(prices)                                                                                      \
    X(saved)                                                                                       \
    X(keyed) X(resume) X(trajectory) X(units) X(units_saved) X(journal) FUZZ_SERVE_TARGETS(X)

#define FUZZ_DECLARE(name) void fuzz_##name(const uint8_t *data, size_t size);
FUZZ_TARGETS(FUZZ_DECLARE)
#undef FUZZ_DECLARE

// ---- checks ----

// Ends the program, with a line on what was expected, if `condition` does not hold.
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fuzz_fail(#condition, __FILE__, __LINE__);                                             \
    } while (0)

_Noreturn void fuzz_fail(const char *what, const char *file, int line);

// A failure has a status that exists and one line of text; a success has neither.
void fuzz_check_outcome(lgkt_status status, const lgkt_error *error);

// ---- inputs ----

// The bytes as a zero-terminated text, cut at the first zero byte; free with free.
char *fuzz_text(const uint8_t *data, size_t size);

// A copy of a saved state with size and checksum made right, so that changed bytes are not turned
// away at the door; free with free.
uint8_t *fuzz_sealed(const uint8_t *data, size_t size);

// ---- worlds ----

// Three states, two actions, with noise; made with malloc.
enum { FUZZ_STATES = 3, FUZZ_ACTIONS = 2, FUZZ_HORIZON = 40 };
lgkt_mdp *fuzz_model_small(void);

// A small environment of each kind, for runs that are saved; i < FUZZ_ENVS.
enum { FUZZ_ENVS = 12 };
lgkt_env *fuzz_env_small(int i);

// What learners are told about the model. Nullable: memory (malloc and free then), model.
lgkt_learner_config fuzz_config(const lgkt_mdp *model, fault *memory);

// A reward that depends on i only; now and then a large one.
double fuzz_reward(int i);

// Saves and loads: the copy, which is the same learner by its hash; NULL only if memory was
// refused.
lgkt_learner *fuzz_copy(const lgkt_learner *learner, const lgkt_learner_config *config,
                        const fault *memory);

// Plays up to `steps` steps from wherever the learner is, every 7th cut, and checks the actions.
// Ends early at the horizon, or when memory is out.
void fuzz_play(lgkt_learner *learner, int steps);

#endif
