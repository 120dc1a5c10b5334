// SPDX-License-Identifier: MIT
// Answers as tests look at them: those that are written as text become trees, too.
#pragma once

#include "serve/machine.h"

static inline void serve_answer_read(srv_answer *answer)
{
    if (answer->body == NULL && answer->text.size > 0)
        answer->body = json_loadb((const char *)answer->text.at, answer->text.size, 0, NULL);
}
