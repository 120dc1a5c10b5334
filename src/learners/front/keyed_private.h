// SPDX-License-Identifier: MIT
// What other fronts need of the numbering of keys (keyed.c).
#ifndef LGKT_LEARNERS_KEYED_PRIVATE_H
#define LGKT_LEARNERS_KEYED_PRIVATE_H

#include "lgkt/keyed.h"

#include "core/archive.h"
#include "learners/front/learner_private.h"

// The number of a key, a new one if it has none. Refusals are in lgkt_keyed_message.
lgkt_status lgkt_keyed_number(lgkt_keyed *keyed, const void *key, size_t size, int32_t *number);
// Forgets all keys but the first `count`; of the others nothing may have been learned.
void lgkt_keyed_forget(lgkt_keyed *keyed, int32_t count);
// Whether a key has this number. All vectors have that of the state that stood for all of them
// while the edges of a view were to come.
bool lgkt_keyed_is(const lgkt_keyed *keyed, int32_t number, const void *key, size_t size);
// An act was made with this key, which lgkt_keyed_number has taken.
void lgkt_keyed_note(lgkt_keyed *keyed, const void *key);
// The learner behind, for use.
lgkt_learner *lgkt_keyed_own_learner(lgkt_keyed *keyed);
// Bytes held beside the learner.
size_t lgkt_keyed_own_bytes(const lgkt_keyed *keyed);
// What must be true of the learner's config both when it is made and when it is loaded.
lgkt_status lgkt_keyed_check_learner(const lgkt_learner_config *config, lgkt_error *error);
// What lgkt_keyed_save writes. And back.
void lgkt_keyed_visit_whole(void *object, lgkt_archive *archive);
lgkt_status lgkt_keyed_load_archive(lgkt_archive *archive, const lgkt_learner_config *config,
                                    lgkt_keyed **keyed, lgkt_error *error);

#endif
