// SPDX-License-Identifier: MIT
// Walks over the tables of fields.h.

#include "learners/front/learner_private.h"

#include <string.h>

#include "core/error.h"

size_t lgkt_per_action(const lgkt_learner *learner, const void *self, size_t states)
{
    (void)self, (void)states;
    return (size_t)learner->problem.actions;
}

size_t lgkt_per_state(const lgkt_learner *learner, const void *self, size_t states)
{
    (void)learner, (void)self;
    return states;
}

size_t lgkt_per_pair(const lgkt_learner *learner, const void *self, size_t states)
{
    (void)self;
    return states * (size_t)learner->problem.actions;
}

size_t lgkt_made_elsewhere(const lgkt_learner *learner, const void *self, size_t states)
{
    (void)learner, (void)self, (void)states;
    return 0;
}

// ---- one row ----

static size_t count_of(const lgkt_learner *learner, const void *self, const lgkt_field *field,
                       size_t states)
{
    if (field->has_when && !*(const bool *)((const char *)self + field->when))
        return 0;
    const size_t count = field->shape == NULL ? 1 : field->shape(learner, self, states);
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

static bool is_saved(const lgkt_field *field)
{
    return field->kind != LGKT_FIELD_SCRATCH && field->kind != LGKT_FIELD_PART;
}

static bool is_in_all_states(const lgkt_field *field)
{
    return is_saved(field) && field->since == 0;
}

// what makes a saved state longer with each pair, whatever the settings
static bool is_always_per_pair(const lgkt_field *field)
{
    return is_in_all_states(field) && field->shape == lgkt_per_pair && !field->has_when &&
           !field->has_times;
}

static bool begins_with_none(const lgkt_field *field)
{
    return field->kind == LGKT_FIELD_MAYBE_ACTION || field->kind == LGKT_FIELD_MAYBE_STATE;
}

// elements from .. to-1 of a field whose first value is not 0
static void set_first(const void *self, const lgkt_field *field, size_t from, size_t to)
{
    char *elements = address_of(self, field);
    for (size_t i = from; i < to; i++) {
        void *number = elements + i * field->size + field->column;
        if (field->has_first)
            *(double *)number = *(const double *)((const char *)self + field->other);
        else if (begins_with_none(field))
            *(int32_t *)number = -1;
    }
}

static void visit_flags(lgkt_archive *archive, bool *flags, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int32_t flag = flags[i];
        lgkt_visit_i32(archive, &flag, 1, 0, 1);
        flags[i] = flag != 0;
    }
}

// bounds of a whole number, by its kind
static int64_t highest_of(const lgkt_learner *learner, const void *self, const lgkt_field *field)
{
    switch (field->kind) {
    case LGKT_FIELD_PLACE:
        return *(const int64_t *)((const char *)self + field->other) - 1;
    case LGKT_FIELD_MAYBE_PAIR:
        return (int64_t)learner->problem.states * learner->problem.actions;
    case LGKT_FIELD_ACTION:
    case LGKT_FIELD_MAYBE_ACTION:
        return learner->problem.actions - 1;
    case LGKT_FIELD_MAYBE_STATE:
        return learner->problem.states - 1;
    case LGKT_FIELD_STATES_KNOWN:
        return learner->problem.states;
    default:
        return LGKT_MAX_COUNT;
    }
}

// `count` numbers that lie side by side
static void visit_numbers(lgkt_learner *learner, const void *self, const lgkt_field *field,
                          void *numbers, size_t count, lgkt_archive *archive)
{
    const int64_t lowest = begins_with_none(field) ? -1 : 0;
    const int64_t highest = highest_of(learner, self, field);
    if (learner->state_number < field->since)
        return;
    switch (field->kind) {
    case LGKT_FIELD_REAL:
        lgkt_visit_f64(archive, numbers, count);
        break;
    case LGKT_FIELD_SQUARE:
        lgkt_visit_squares(archive, numbers, count);
        break;
    case LGKT_FIELD_TALLY:
        lgkt_visit_tally(archive, numbers, count);
        break;
    case LGKT_FIELD_FLAG:
        visit_flags(archive, numbers, count);
        break;
    case LGKT_FIELD_COUNT:
    case LGKT_FIELD_PLACE:
    case LGKT_FIELD_MAYBE_PAIR:
        lgkt_visit_i64(archive, numbers, count, lowest, highest);
        break;
    default:
        lgkt_visit_i32(archive, numbers, count, (int32_t)lowest, (int32_t)highest);
    }
}

static size_t size_of_number(const lgkt_field *field)
{
    if (field->kind == LGKT_FIELD_FLAG)
        return sizeof(bool);
    return field->kind < LGKT_FIELD_FLAG ? sizeof(int64_t) : sizeof(int32_t);
}

// An array of numbers, or columns of an array of structs, element by element; `rows` are left of
// the table. Returns how many were visited.
static size_t visit_fields(lgkt_learner *learner, const void *self, const lgkt_field *field,
                           size_t rows, lgkt_archive *archive)
{
    const size_t count = count_of(learner, self, field, (size_t)learner->problem.states);
    char *elements = address_of(self, field);
    if (field->size == size_of_number(field)) {
        visit_numbers(learner, self, field, elements, count, archive);
        return 1;
    }
    size_t columns = 1;
    while (columns < rows && field[columns].offset == field->offset)
        columns++;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < columns; c++)
            visit_numbers(learner, self, &field[c], elements + i * field->size + field[c].column, 1,
                          archive);
    return columns;
}

static bool grow_field(lgkt_learner *learner, void *self, const lgkt_field *field, size_t before,
                       size_t after)
{
    void *array = address_of(self, field);
    const size_t more = count_of(learner, self, field, after);
    const size_t old = array == NULL ? 0 : count_of(learner, self, field, before);
    if (more == 0 || (array != NULL && more <= old))
        return true;
    array = lgkt_learner_resize(learner, array, old, more, field->size);
    if (array == NULL)
        return false;
    memcpy((char *)self + field->offset, &array, sizeof array);
    set_first(self, field, old, more);
    return true;
}

// ---- a part, with the parts in it ----

// the whole of self, as far as its table goes
static lgkt_part whole_of(const lgkt_learner_class *class)
{
    return (lgkt_part){.fields = class->fields, .count = class->field_count};
}

// whether a part is there with these settings
static bool has_part(const lgkt_learner *learner, const void *self, const lgkt_field *field)
{
    return field->kind == LGKT_FIELD_PART && count_of(learner, self, field, 1) > 0;
}

static size_t pair_words_of(const lgkt_part *part)
{
    size_t words = part->pair_words;
    for (size_t i = 0; i < part->count; i++) {
        const lgkt_field *field = &part->fields[i];
        if (field->part != NULL && !field->has_when)
            words += pair_words_of(field->part);
        words += is_always_per_pair(field);
    }
    return words;
}

// words of arrays with a shape of their own, which a saved state must have, too
static size_t special_words(const lgkt_learner *learner, const lgkt_part *part, const void *self)
{
    size_t words = 0;
    for (size_t i = 0; i < part->count; i++) {
        const lgkt_field *field = &part->fields[i];
        if (has_part(learner, self, field))
            words += special_words(learner, field->part, address_of(self, field));
        else if (is_in_all_states(field) && field->is_array && !is_always_per_pair(field))
            words += count_of(learner, self, field, (size_t)learner->problem.states);
    }
    return words;
}

// whether the array is this row's: the first of its columns stands for all
static bool owns_array(const lgkt_part *part, size_t row)
{
    const lgkt_field *field = &part->fields[row];
    return field->is_array && (row == 0 || field[-1].offset != field->offset);
}

static bool grow_part(lgkt_learner *learner, const lgkt_part *part, void *self, int32_t before,
                      int32_t after)
{
    for (size_t i = 0; i < part->count; i++) {
        const lgkt_field *field = &part->fields[i];
        if (owns_array(part, i) && !grow_field(learner, self, field, (size_t)before, (size_t)after))
            return false;
        if (!field->is_array && before == 0)
            set_first(self, field, 0, 1);
        if (has_part(learner, self, field) &&
            !grow_part(learner, field->part, address_of(self, field), before, after))
            return false;
    }
    return part->grow == NULL || part->grow(learner, self, before, after);
}

static void release_part(lgkt_learner *learner, const lgkt_part *part, void *self)
{
    if (part->release != NULL)
        part->release(learner, self);
    for (size_t i = 0; i < part->count; i++) {
        const lgkt_field *field = &part->fields[i];
        if (owns_array(part, i))
            lgkt_learner_free(learner, address_of(self, field));
        if (field->part != NULL)
            release_part(learner, field->part, address_of(self, field));
    }
}

void lgkt_part_visit(lgkt_learner *learner, const lgkt_part *part, void *self,
                     lgkt_archive *archive)
{
    for (size_t i = 0, taken; i < part->count; i += taken) {
        const lgkt_field *field = &part->fields[i];
        taken = 1;
        if (is_saved(field))
            taken = visit_fields(learner, self, field, part->count - i, archive);
        else if (has_part(learner, self, field))
            lgkt_part_visit(learner, field->part, address_of(self, field), archive);
    }
    if (part->visit != NULL)
        part->visit(learner, self, archive);
}

// ---- tracked numbers ----

size_t lgkt_fields_track(lgkt_learner *learner, lgkt_track_way way, void *bytes)
{
    const lgkt_part rows = whole_of(learner->class);
    size_t size = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const lgkt_field *field = &rows.fields[i];
        if (!field->is_tracked || count_of(learner, learner->self, field, 1) == 0)
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
    const lgkt_part rows = whole_of(learner->class);
    for (size_t i = 0; i < rows.count; i++)
        if (rows.fields[i].is_tracked)
            visit_fields(learner, learner->self, &rows.fields[i], 1, archive);
}

void lgkt_fields_begin(lgkt_learner *learner)
{
    const lgkt_part rows = whole_of(learner->class);
    for (size_t i = 0; i < rows.count; i++) {
        const lgkt_field *field = &rows.fields[i];
        if (!field->is_tracked)
            continue;
        memset(address_of(learner->self, field), 0, field->size);
        set_first(learner->self, field, 0, 1);
    }
}

// ---- for the front ----

size_t lgkt_fields_pair_words(const lgkt_learner_class *class)
{
    const lgkt_part whole = whole_of(class);
    return pair_words_of(&whole);
}

bool lgkt_fields_create(lgkt_learner *learner)
{
    if (learner->class->self_size > 0)
        learner->self = lgkt_learner_alloc(learner, 1, learner->class->self_size);
    return learner->self != NULL || learner->class->self_size == 0;
}

void lgkt_fields_destroy(lgkt_learner *learner)
{
    if (learner->self == NULL)
        return;
    if (learner->class->destroy != NULL)
        learner->class->destroy(learner);
    if (learner->class->self_size == 0)
        return;
    const lgkt_part whole = whole_of(learner->class);
    release_part(learner, &whole, learner->self);
    lgkt_learner_free(learner, learner->self);
}

lgkt_status lgkt_fields_grow(lgkt_learner *learner, int32_t before, int32_t after,
                             lgkt_error *error)
{
    const lgkt_part whole = whole_of(learner->class);
    lgkt_status status = LGKT_OK;
    if (before == 0)
        status = lgkt_learner_claim(learner, special_words(learner, &whole, learner->self), error);
    if (status == LGKT_OK && !grow_part(learner, &whole, learner->self, before, after))
        status = lgkt_fail_memory(error, "the tables of a learner");
    if (status == LGKT_OK && learner->class->grow != NULL)
        status = learner->class->grow(learner, before, after, error);
    return status;
}

void lgkt_fields_visit(lgkt_learner *learner, lgkt_archive *archive)
{
    const lgkt_part whole = whole_of(learner->class);
    lgkt_part_visit(learner, &whole, learner->self, archive);
    if (learner->class->visit != NULL)
        learner->class->visit(learner, archive);
}
