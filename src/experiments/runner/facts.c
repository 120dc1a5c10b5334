// SPDX-License-Identifier: MIT
// Texts about a panel in one record (facts.h).
#include "experiments/runner/facts.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/hash.h"

enum { WORD = 8, HEAD = 2 * WORD };
#define MARK (UINT64_MAX - 1) // the first word

void exp_facts_begin(io_memory *text, const exp_setup *setup)
{
    unsigned char head[HEAD];
    lgkt_put_u64(head, MARK);
    lgkt_put_u64(head + WORD, (uint64_t)(setup->panel - setup->asked->experiment->panels));
    io_memory_open(text);
    io_memory_write(text, head, HEAD);
}

void exp_facts_put(io_memory *text, const char *line)
{
    io_memory_write(text, line, strlen(line) + 1);
}

int32_t exp_facts_panel(const unsigned char *bytes, size_t size)
{
    const bool facts = size > HEAD && lgkt_get_u64(bytes) == MARK && bytes[size - 1] == '\0' &&
                       lgkt_get_u64(bytes + WORD) < EXP_MAX_PANELS;
    return facts ? (int32_t)lgkt_get_u64(bytes + WORD) : -1;
}

bool exp_facts_good(const exp_facts *facts, const exp_panel *panel)
{
    const char *text = exp_facts_note(facts), *end = (const char *)facts->bytes + facts->size;
    bool good = exp_facts_panel(facts->bytes, facts->size) >= 0 && strlen(text) < EXP_NOTE_SIZE;
    text = good ? exp_facts_next(text) : end;
    for (int32_t l = 0; l < panel->entry_count && good; l++) {
        int32_t counters = 0;
        good = text < end;
        for (text = good ? exp_facts_next(text) : end; text < end && text[0] != '\0';
             text = exp_facts_next(text))
            good = good && ++counters <= EXP_MAX_COUNTERS && strlen(text) < EXP_COUNTER_SIZE;
        good = good && text < end;
        text = good ? exp_facts_next(text) : end;
    }
    return good && text == end;
}

lgkt_status exp_facts_copy(exp_facts *facts, const exp_facts *from, lgkt_error *error)
{
    *facts = (exp_facts){malloc(from->size), from->size};
    if (facts->bytes == NULL)
        return lgkt_fail_memory(error, "a panel");
    memcpy(facts->bytes, from->bytes, from->size);
    return LGKT_OK;
}

void exp_facts_free(exp_facts *facts)
{
    free(facts->bytes);
    *facts = (exp_facts){0};
}

const char *exp_facts_note(const exp_facts *facts)
{
    return (const char *)facts->bytes + HEAD;
}

const char *exp_facts_next(const char *text)
{
    return text + strlen(text) + 1;
}

const char *exp_facts_spec(const exp_facts *facts, int32_t learner)
{
    const char *text = exp_facts_next(exp_facts_note(facts));
    for (int32_t l = 0; l < learner; l++) {
        while (text[0] != '\0')
            text = exp_facts_next(text);
        text = exp_facts_next(text);
    }
    return text;
}
