// SPDX-License-Identifier: MIT
// All learners, by class, in the order they are listed: the rows of learners.def, or of those that
// the build has (cmake/choice.cmake).

#include "learners/front/learner_private.h"

#ifndef LGKT_LEARNER_TABLE
#define LGKT_LEARNER_TABLE "learners/front/learners.def"
#endif

#define LGKT_CLASS(class_, files_, names_) &lgkt_##class_##_class,
#define LGKT_LEFT_OUT(names_)
static const lgkt_learner_class *const classes[] = {
#include LGKT_LEARNER_TABLE
};
#undef LGKT_CLASS
#undef LGKT_LEFT_OUT

const lgkt_learner_class *lgkt_learner_class_at(int32_t i, const lgkt_entry **entry)
{
    for (size_t c = 0; i >= 0 && c < LGKT_LENGTH(classes); i -= classes[c++]->name_count) {
        if (i >= classes[c]->name_count)
            continue;
        const char *names = classes[c]->names;
        *entry = (const lgkt_entry *)(names + (size_t)i * classes[c]->name_size);
        return classes[c];
    }
    return NULL;
}

const lgkt_entry *lgkt_learner_entry(int32_t i)
{
    const lgkt_entry *entry = NULL;
    lgkt_learner_class_at(i, &entry);
    return entry;
}

#define LGKT_CLASS(class_, files_, names_)
#define LGKT_LEFT_OUT(names_) .left_out = (names_),
const lgkt_registry lgkt_learner_registry = {
    .what = "learner",
    .entry = lgkt_learner_entry,
#include LGKT_LEARNER_TABLE
};
