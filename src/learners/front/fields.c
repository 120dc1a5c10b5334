// SPDX-License-Identifier: MIT
// Walks over the tables of fields.h.

#include "learners/front/learner_private.h"

#include <string.h>

// ---- one row ----

// whether there is such a field, with these settings
static bool is_there(const void *self, const lgkt_field *field)
{
    return !field->has_when || *(const bool *)((const char *)self + field->when);
}

// elements of a field, or 1 of a number or part; 0: it is not there
static size_t count_of(const lgkt_learner *learner, const void *self, const lgkt_field *field,
                       size_t states)
{
    if (!is_there(self, field))
        return 0;
    const size_t actions = (size_t)learner->problem.actions;
    const size_t counts[] = {
        [LGKT_SHAPE_ONE] = 1,
        [LGKT_SHAPE_PER_ACTION] = actions,
        [LGKT_SHAPE_PER_STATE] = states,
        [LGKT_SHAPE_PER_PAIR] = states * actions,
        [LGKT_SHAPE_PER_TWO_STATES] = states * states,
        [LGKT_SHAPE_PER_LEG] = states * (states - 1) / 2,
        [LGKT_SHAPE_MADE_ELSEWHERE] = 0,
    };
    const size_t count = counts[field->shape] + field->more;
    const int64_t *times = (const int64_t *)((const char *)self + field->times);
    return field->has_times ? count * (size_t)*times : count;
}

// the number itself, or the first element of its array
static void *address_of(const void *self, const lgkt_field *field)
{
    char *inside = (char *)(uintptr_t)self + field->offset;
    void *address = inside;
    // pointers to elements of all types are read by their bytes
    if (field->is_array)
        memcpy(&address, inside, sizeof address);
    return address;
}

// whether the array is this row's: the first of its columns stands for all
static bool owns_array(const lgkt_part *part, size_t row)
{
    const lgkt_field *field = &part->fields[row];
    return field->is_array && (row == 0 || field[-1].offset != field->offset);
}

// elements from .. to-1 of a field whose first value is not 0
static void set_first(const void *self, const lgkt_field *field, size_t from, size_t to)
{
    const bool is_none =
        field->kind == LGKT_FIELD_MAYBE_ACTION || field->kind == LGKT_FIELD_MAYBE_STATE;
    char *elements = address_of(self, field);
    for (size_t i = from; i < to; i++) {
        void *number = elements + i * field->size + field->column;
        if (field->has_first)
            *(double *)number = *(const double *)((const char *)self + field->other);
        else if (is_none)
            *(int32_t *)number = -1;
    }
}

// `count` numbers that lie side by side
static void visit_numbers(const lgkt_learner *learner, const void *self, const lgkt_field *field,
                          void *numbers, size_t count, lgkt_archive *archive)
{
    const int32_t states = learner->problem.states, actions = learner->problem.actions;
    if (learner->state_number < field->since)
        return;
    switch (field->kind) {
    case LGKT_FIELD_REAL:
        lgkt_visit_f64(archive, numbers, count);
        break;
    case LGKT_FIELD_SQUARE:
        lgkt_visit_squares(archive, numbers, count);
        break;
    case LGKT_FIELD_COUNT:
        lgkt_visit_i64(archive, numbers, count, 0, LGKT_MAX_COUNT);
        break;
    case LGKT_FIELD_TALLY:
        lgkt_visit_tally(archive, numbers, count);
        break;
    case LGKT_FIELD_PLACE:
        lgkt_visit_i64(archive, numbers, count, 0,
                       *(const int64_t *)((const char *)self + field->other) - 1);
        break;
    case LGKT_FIELD_MAYBE_PAIR:
        lgkt_visit_i64(archive, numbers, count, 0, (int64_t)states * actions);
        break;
    case LGKT_FIELD_FLAG:
        for (bool *flag = numbers; flag < (bool *)numbers + count; flag++) {
            int32_t value = *flag;
            lgkt_visit_i32(archive, &value, 1, 0, 1);
            *flag = value != 0;
        }
        break;
    case LGKT_FIELD_ACTION:
        lgkt_visit_i32(archive, numbers, count, 0, actions - 1);
        break;
    case LGKT_FIELD_MAYBE_ACTION:
        lgkt_visit_i32(archive, numbers, count, -1, actions - 1);
        break;
    case LGKT_FIELD_MAYBE_STATE:
        lgkt_visit_i32(archive, numbers, count, -1, states - 1);
        break;
    case LGKT_FIELD_STATES_KNOWN:
        lgkt_visit_i32(archive, numbers, count, 0, states);
        break;
    case LGKT_FIELD_SCRATCH:
    case LGKT_FIELD_PART:
        break;
    }
}

// ---- a part, with the parts in it ----

size_t lgkt_part_words(const lgkt_learner *learner, const lgkt_part *part, const void *self)
{
    const size_t states = (size_t)learner->problem.states;
    size_t words = part->pair_words * states * (size_t)learner->problem.actions;
    for (size_t i = 0; i < part->count; i++) {
        const lgkt_field *field = &part->fields[i];
        const size_t count = count_of(learner, self, field, states);
        if (field->part != NULL && count > 0)
            words += lgkt_part_words(learner, field->part, address_of(self, field));
        else if (field->is_array && field->kind != LGKT_FIELD_SCRATCH && field->since == 0)
            words += count;
    }
    return words;
}

bool lgkt_part_grow(lgkt_learner *learner, const lgkt_part *part, void *self, int32_t before,
                    int32_t after)
{
    for (size_t i = 0; i < part->count; i++) {
        const lgkt_field *field = &part->fields[i];
        void *place = address_of(self, field);
        const size_t more = count_of(learner, self, field, (size_t)after);
        if (field->part != NULL) {
            if (more > 0 && !lgkt_part_grow(learner, field->part, place, before, after))
                return false;
        } else if (owns_array(part, i)) {
            const size_t old = place == NULL ? 0 : count_of(learner, self, field, (size_t)before);
            if (more <= old)
                continue;
            void *inside = (char *)self + field->offset;
            if (!lgkt_learner_resize(learner, inside, old, more, field->size))
                return false;
            set_first(self, field, old, more);
        } else if (!field->is_array && before == 0) {
            set_first(self, field, 0, 1);
        } else if (field->has_first) {
            set_first(self, field, count_of(learner, self, field, (size_t)before), more);
        }
    }
    return part->grow == NULL || part->grow(learner, self, before, after);
}

bool lgkt_part_prepare(lgkt_learner *learner, const lgkt_part *part, void *self)
{
    for (size_t i = 0; i < part->count; i++) {
        const lgkt_field *field = &part->fields[i];
        if (field->part != NULL && is_there(self, field) &&
            !lgkt_part_prepare(learner, field->part, address_of(self, field)))
            return false;
    }
    return part->prepare == NULL || part->prepare(learner, self);
}

void lgkt_part_release(lgkt_learner *learner, const lgkt_part *part, void *self)
{
    if (part->release != NULL)
        part->release(learner, self);
    for (size_t i = 0; i < part->count; i++) {
        const lgkt_field *field = &part->fields[i];
        if (owns_array(part, i))
            lgkt_learner_free(learner, address_of(self, field));
        if (field->part != NULL)
            lgkt_part_release(learner, field->part, address_of(self, field));
    }
}

void lgkt_part_visit(lgkt_learner *learner, const lgkt_part *part, void *self,
                     lgkt_archive *archive)
{
    for (size_t i = 0, columns; i < part->count; i += columns) {
        const lgkt_field *field = &part->fields[i];
        const size_t count = count_of(learner, self, field, (size_t)learner->problem.states);
        char *place = address_of(self, field);
        columns = 1;
        if (field->part != NULL) {
            if (count > 0)
                lgkt_part_visit(learner, field->part, place, archive);
        } else if (!field->is_column) {
            visit_numbers(learner, self, field, place, count, archive);
        } else {
            // columns of one array, element by element
            while (i + columns < part->count && field[columns].offset == field->offset)
                columns++;
            for (size_t j = 0; j < count; j++)
                for (size_t c = 0; c < columns; c++)
                    visit_numbers(learner, self, &field[c],
                                  place + j * field->size + field[c].column, 1, archive);
        }
    }
    if (part->visit != NULL)
        part->visit(learner, self, archive);
}

// ---- tracked numbers, which lie in the struct of the learner itself ----

// the next one that is there, from row *i on; NULL: there are no more
static const lgkt_field *next_tracked(const lgkt_learner *learner, size_t *i)
{
    const lgkt_part *whole = &learner->class->whole;
    while (*i < whole->count) {
        const lgkt_field *field = &whole->fields[(*i)++];
        if (field->is_tracked && is_there(learner->self, field))
            return field;
    }
    return NULL;
}

// a loop of its own: units do this with every decision
size_t lgkt_fields_track(lgkt_learner *learner, lgkt_track_way way, void *bytes)
{
    const lgkt_part *whole = &learner->class->whole;
    size_t size = 0;
    for (size_t i = 0; i < whole->count; i++) {
        const lgkt_field *field = &whole->fields[i];
        if (!field->is_tracked || !is_there(learner->self, field))
            continue;
        void *number = address_of(learner->self, field);
        if (bytes != NULL && way == LGKT_TRACK_OUT)
            memcpy((char *)bytes + size, number, field->size);
        else if (bytes != NULL)
            memcpy(number, (const char *)bytes + size, field->size);
        size += field->size;
    }
    return size;
}

void lgkt_fields_visit_track(lgkt_learner *learner, lgkt_archive *archive)
{
    const lgkt_field *field;
    for (size_t i = 0; (field = next_tracked(learner, &i)) != NULL;)
        visit_numbers(learner, learner->self, field, address_of(learner->self, field), 1, archive);
}

void lgkt_fields_begin(lgkt_learner *learner)
{
    const lgkt_field *field;
    for (size_t i = 0; (field = next_tracked(learner, &i)) != NULL;) {
        memset(address_of(learner->self, field), 0, field->size);
        set_first(learner->self, field, 0, 1);
    }
}
