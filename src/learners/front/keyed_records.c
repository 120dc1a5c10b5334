// SPDX-License-Identifier: MIT
// What only learners on records have (keyed.h): answers for many records at once, and names.

#include "learners/front/keyed_private.h"

#include <string.h>

// ---- many records ----

static lgkt_status check_rows(const lgkt_keyed *keyed, const double *records, int64_t count,
                              const void *out, lgkt_error *error)
{
    if (keyed == NULL || out == NULL || (records == NULL && count > 0))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "keyed, records and what is asked for must not "
                         "be NULL");
    if (keyed->records == NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED, "keys are no records here");
    if (count < 0)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "count = %lld must not be negative",
                         (long long)count);
    return LGKT_OK;
}

// one of them becomes number 0; a refusal says which one it is
static lgkt_status ask_row(const lgkt_keyed *keyed, const double *records, int64_t i,
                           lgkt_error *error)
{
    const size_t dims = (size_t)keyed->records->dims;
    lgkt_error why = {0};
    const lgkt_status status =
        lgkt_keyed_ask(keyed, records + (size_t)i * dims, dims * sizeof *records, &why);
    return status == LGKT_OK ? LGKT_OK
                             : lgkt_fail(error, status, "row %lld: %s", (long long)i, why.text);
}

lgkt_status lgkt_keyed_policy(const lgkt_keyed *keyed, const double *records, int64_t count,
                              double *law, lgkt_error *error)
{
    LGKT_TRY(check_rows(keyed, records, count, law, error));
    const size_t actions = (size_t)keyed->learner->problem.actions;
    for (int64_t i = 0; i < count; i++) {
        LGKT_TRY(ask_row(keyed, records, i, error));
        LGKT_TRY(lgkt_learner_policy_of(keyed->learner, 0, law + (size_t)i * actions, error));
    }
    return LGKT_OK;
}

lgkt_status lgkt_keyed_explain_rows(const lgkt_keyed *keyed, const double *records, int64_t count,
                                    lgkt_reason *reasons, size_t reason_size, lgkt_error *error)
{
    LGKT_TRY(check_rows(keyed, records, count, reasons, error));
    const size_t row = (size_t)keyed->learner->problem.actions * reason_size;
    for (int64_t i = 0; i < count; i++) {
        LGKT_TRY(ask_row(keyed, records, i, error));
        LGKT_TRY(lgkt_learner_reasons(keyed->learner, 0, NULL,
                                      (lgkt_reason *)((char *)reasons + (size_t)i * row),
                                      reason_size, error));
    }
    return LGKT_OK;
}

// the learner that decides: one within that looks at records, if the outermost does not
static lgkt_learner *describer(lgkt_learner *learner)
{
    size_t i = 0;
    while (learner->class->describe == NULL) {
        lgkt_learner *nested = lgkt_next_within(learner, &i);
        if (nested == NULL)
            return NULL;
        learner = nested;
        i = 0;
    }
    return learner;
}

lgkt_status lgkt_keyed_describe(const lgkt_keyed *keyed, const void *key, size_t size,
                                lgkt_side *sides, lgkt_error *error)
{
    LGKT_TRY(check_rows(keyed, key, 1, sides, error));
    lgkt_learner *learner = describer(keyed->learner);
    if (learner == NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED, "learner \"%s\" sees no boxes",
                         keyed->learner->entry->name);
    LGKT_TRY(lgkt_keyed_ask(keyed, key, size, error));
    return learner->class->describe(learner, 0, sides, error);
}

// ---- names ----

static lgkt_status check_feature(const lgkt_keyed *keyed, int32_t feature, lgkt_error *error)
{
    if (keyed->records == NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED, "keys are no records here");
    return lgkt_check_index("feature", feature, keyed->records->dims, error);
}

lgkt_status lgkt_keyed_kind(const lgkt_keyed *keyed, int32_t feature, lgkt_kind *kind,
                            lgkt_error *error)
{
    if (keyed == NULL || kind == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "keyed and kind must not be NULL");
    LGKT_TRY(check_feature(keyed, feature, error));
    *kind = keyed->records->kinds[feature];
    return LGKT_OK;
}

lgkt_status lgkt_keyed_name_feature(lgkt_keyed *keyed, int32_t feature, const char *name)
{
    if (keyed == NULL)
        return LGKT_ERR_ARGUMENT;
    lgkt_error *refusal = &keyed->learner->refusal;
    LGKT_TRY(lgkt_check_given(name, "name", refusal));
    LGKT_TRY(check_feature(keyed, feature, refusal));
    const char *known = lgkt_records_text(keyed->records, feature, -1);
    if (known == NULL)
        return lgkt_records_name(keyed->records, feature, -1, name, refusal);
    return strcmp(known, name) == 0
               ? LGKT_OK
               : lgkt_fail(refusal, LGKT_ERR_PROTOCOL,
                           "feature %d is \"%s\" already, and \"%s\" is another "
                           "name",
                           feature, known, name);
}

const char *lgkt_keyed_feature_name(const lgkt_keyed *keyed, int32_t feature)
{
    if (keyed == NULL || check_feature(keyed, feature, NULL) != LGKT_OK)
        return NULL;
    const char *name = lgkt_records_text(keyed->records, feature, -1);
    return name != NULL ? name : "";
}

lgkt_status lgkt_keyed_category(lgkt_keyed *keyed, int32_t feature, const char *text,
                                int32_t *category)
{
    if (keyed == NULL)
        return LGKT_ERR_ARGUMENT;
    lgkt_error *refusal = &keyed->learner->refusal;
    if (text == NULL || category == NULL)
        return lgkt_fail(refusal, LGKT_ERR_ARGUMENT, "text and category must not be NULL");
    LGKT_TRY(check_feature(keyed, feature, refusal));
    lgkt_records *records = keyed->records;
    int32_t found = lgkt_records_find(records, feature, text);
    if (found < 0) {
        char called[32];
        const int32_t count = records->kinds[feature].count;
        found = lgkt_records_known(records, feature);
        if (found == count)
            return lgkt_fail(refusal, LGKT_ERR_SHAPE,
                             "\"%s\" is one category too many of %s: the limit is %d", text,
                             lgkt_records_called(records, feature, called), count);
        LGKT_TRY(lgkt_records_name(records, feature, found, text, refusal));
    }
    *category = found;
    return LGKT_OK;
}

const char *lgkt_keyed_category_text(const lgkt_keyed *keyed, int32_t feature, int32_t category)
{
    if (keyed == NULL || check_feature(keyed, feature, NULL) != LGKT_OK || category < 0 ||
        category >= keyed->records->kinds[feature].count)
        return NULL;
    const char *text = lgkt_records_text(keyed->records, feature, category);
    return text != NULL ? text : "";
}
