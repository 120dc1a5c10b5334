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

// ---- one row ----

static size_t count_of(const lgkt_learner *learner, const void *self, const lgkt_field *field,
                       size_t states)
{
    return field->shape == NULL ? 1 : field->shape(learner, self, states);
}

// the number itself, or the first element of its array
static void *address_of(const void *self, const lgkt_field *field)
{
    char *inside = (char *)(uintptr_t)self + field->offset;
    return field->is_array ? *(void **)inside : inside;
}

static bool is_saved(const lgkt_field *field)
{
    return field->kind != LGKT_FIELD_SCRATCH && field->kind != LGKT_FIELD_PART;
}

static bool is_in_all_states(const lgkt_field *field)
{
    return is_saved(field) && field->since == 0;
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

// `count` numbers that lie side by side
static void visit_numbers(lgkt_learner *learner, const void *self, const lgkt_field *field,
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
    case LGKT_FIELD_FLAG:
        visit_flags(archive, numbers, count);
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
    default:
        break;
    }
}

static size_t size_of_number(const lgkt_field *field)
{
    switch (field->kind) {
    case LGKT_FIELD_FLAG:
        return sizeof(bool);
    case LGKT_FIELD_ACTION:
    case LGKT_FIELD_MAYBE_ACTION:
    case LGKT_FIELD_MAYBE_STATE:
    case LGKT_FIELD_STATES_KNOWN:
        return sizeof(int32_t);
    default:
        return sizeof(int64_t);
    }
}

// An array of numbers, or columns of an array of structs, element by element; returns the row
// behind the last column.
static const lgkt_field *visit_fields(lgkt_learner *learner, const void *self,
                                      const lgkt_field *field, const lgkt_field *end,
                                      lgkt_archive *archive)
{
    const size_t count = count_of(learner, self, field, (size_t)learner->problem.states);
    char *elements = address_of(self, field);
    if (field->size == size_of_number(field)) {
        visit_numbers(learner, self, field, elements, count, archive);
        return field + 1;
    }
    const lgkt_field *last = field;
    while (last + 1 < end && last[1].offset == field->offset)
        last++;
    for (size_t i = 0; i < count; i++)
        for (const lgkt_field *column = field; column <= last; column++)
            visit_numbers(learner, self, column, elements + i * column->size + column->column, 1,
                          archive);
    return last + 1;
}

static bool grow_field(lgkt_learner *learner, void *self, const lgkt_field *field, size_t before,
                       size_t after)
{
    void **array = (void **)((char *)self + field->offset);
    const size_t more = count_of(learner, self, field, after);
    const size_t old = *array == NULL ? 0 : count_of(learner, self, field, before);
    if (more == 0 || (*array != NULL && more <= old))
        return true;
    void *longer = lgkt_learner_resize(learner, *array, old, more, field->size);
    if (longer == NULL)
        return false;
    *array = longer;
    set_first(self, field, old, more);
    return true;
}

// ---- a table, with the parts in it ----

typedef struct table {
    const lgkt_field *fields;
    size_t count;
} table;

static table table_of(const lgkt_learner *learner)
{
    return (table){learner->class->fields, learner->class->field_count};
}

// whether a part is there with these settings
static bool has_part(const lgkt_learner *learner, const void *self, const lgkt_field *field)
{
    return field->kind == LGKT_FIELD_PART && count_of(learner, self, field, 1) > 0;
}

static size_t pair_words_of(const lgkt_field *fields, size_t count)
{
    size_t words = 0;
    for (const lgkt_field *field = fields; field < fields + count; field++) {
        const lgkt_part *part = field->part;
        if (part != NULL && field->shape == NULL)
            words += part->pair_words + pair_words_of(part->fields, part->count);
        words += is_in_all_states(field) && field->shape == lgkt_per_pair;
    }
    return words;
}

// words of arrays with a shape of their own, which a saved state must have, too
static size_t special_words(const lgkt_learner *learner, const void *self, table rows)
{
    size_t words = 0;
    for (const lgkt_field *field = rows.fields; field < rows.fields + rows.count; field++) {
        const void *inside = address_of(self, field);
        if (has_part(learner, self, field))
            words +=
                special_words(learner, inside, (table){field->part->fields, field->part->count});
        else if (is_in_all_states(field) && field->is_array && field->shape != lgkt_per_pair)
            words += count_of(learner, self, field, (size_t)learner->problem.states);
    }
    return words;
}

static bool grow_table(lgkt_learner *learner, void *self, table rows, int32_t before, int32_t after)
{
    for (const lgkt_field *field = rows.fields; field < rows.fields + rows.count; field++) {
        const lgkt_part *part = field->part;
        void *inside = address_of(self, field);
        if (field->is_owner && !grow_field(learner, self, field, (size_t)before, (size_t)after))
            return false;
        if (!field->is_array && before == 0)
            set_first(self, field, 0, 1);
        if (!has_part(learner, self, field))
            continue;
        if (!grow_table(learner, inside, (table){part->fields, part->count}, before, after))
            return false;
        if (part->grow != NULL && !part->grow(learner, inside, before, after))
            return false;
    }
    return true;
}

static void release_table(lgkt_learner *learner, void *self, table rows)
{
    for (const lgkt_field *field = rows.fields; field < rows.fields + rows.count; field++) {
        const lgkt_part *part = field->part;
        void *inside = address_of(self, field);
        if (field->is_owner)
            lgkt_learner_free(learner, inside);
        if (part != NULL && part->release != NULL)
            part->release(learner, inside);
        if (part != NULL)
            release_table(learner, inside, (table){part->fields, part->count});
    }
}

static void visit_table(lgkt_learner *learner, void *self, table rows, lgkt_archive *archive)
{
    const lgkt_field *const end = rows.fields + rows.count;
    for (const lgkt_field *field = rows.fields; field < end;) {
        if (is_saved(field)) {
            field = visit_fields(learner, self, field, end, archive);
            continue;
        }
        const lgkt_part *part = has_part(learner, self, field) ? field->part : NULL;
        void *inside = address_of(self, field++);
        if (part != NULL)
            visit_table(learner, inside, (table){part->fields, part->count}, archive);
        if (part != NULL && part->visit != NULL)
            part->visit(learner, inside, archive);
    }
}

// ---- tracked numbers ----

size_t lgkt_fields_track(lgkt_learner *learner, lgkt_track_way way, void *bytes)
{
    const table rows = table_of(learner);
    size_t size = 0;
    for (const lgkt_field *field = rows.fields; field < rows.fields + rows.count; field++) {
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
    const table rows = table_of(learner);
    for (const lgkt_field *field = rows.fields; field < rows.fields + rows.count; field++)
        if (field->is_tracked)
            visit_fields(learner, learner->self, field, field + 1, archive);
}

void lgkt_fields_begin(lgkt_learner *learner)
{
    const table rows = table_of(learner);
    for (const lgkt_field *field = rows.fields; field < rows.fields + rows.count; field++) {
        if (!field->is_tracked)
            continue;
        memset(address_of(learner->self, field), 0, field->size);
        set_first(learner->self, field, 0, 1);
    }
}

// ---- for the front ----

size_t lgkt_fields_pair_words(const lgkt_learner_class *class)
{
    return pair_words_of(class->fields, class->field_count);
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
    release_table(learner, learner->self, table_of(learner));
    lgkt_learner_free(learner, learner->self);
}

lgkt_status lgkt_fields_grow(lgkt_learner *learner, int32_t before, int32_t after,
                             lgkt_error *error)
{
    const table rows = table_of(learner);
    lgkt_status status = LGKT_OK;
    if (before == 0 && rows.count > 0)
        status = lgkt_learner_claim(learner, special_words(learner, learner->self, rows), error);
    if (status == LGKT_OK && !grow_table(learner, learner->self, rows, before, after))
        status = lgkt_fail_memory(error, "the tables of a learner");
    if (status == LGKT_OK && learner->class->grow != NULL)
        status = learner->class->grow(learner, before, after, error);
    return status;
}

void lgkt_fields_visit(lgkt_learner *learner, lgkt_archive *archive)
{
    visit_table(learner, learner->self, table_of(learner), archive);
    if (learner->class->visit != NULL)
        learner->class->visit(learner, archive);
}
