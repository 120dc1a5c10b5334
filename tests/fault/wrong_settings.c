// SPDX-License-Identifier: MIT
// Must not compile: settings whose fields have other types than their rows write.

#include "learners/front/learner_private.h"

typedef struct wrong_settings {
    float real;
    int32_t whole;
    int64_t choice;
    char text[8];
} wrong_settings;

const lgkt_param_row wrong_params[] = {
    LGKT_ROW_REAL(wrong_settings, real, "real", "1", 0, 1, "a number"),
    LGKT_ROW_INTEGER(wrong_settings, whole, "whole", "1", 0, 1, "a whole number"),
    LGKT_ROW_CHOICE(wrong_settings, choice, "choice", "one", "one|two", "a word"),
    LGKT_ROW_TEXT(wrong_settings, text, "text", "", "a text"),
};
