// SPDX-License-Identifier: MIT
// Writing model files (docs/model-files.md), to a file or into memory. Numbers are the shortest
// that read back as the same double. Transitions are rows of S numbers where many are positive,
// else a list of edges.
#include <stdlib.h>
#include <string.h>

#include "io/plain/io_json.h"
#include "io/formats/io_model.h"
#include "io/plain/io_text.h"

static void print_noise(io_json *json, const char *key, lgkt_noise kind, double sd)
{
    io_json_open(json, key, IO_JSON_RECORD);
    io_json_text(json, "kind", io_noise_name(kind));
    if (kind == LGKT_NOISE_NORMAL)
        io_json_real(json, "sd", sd);
    io_json_close(json);
}

// A row as S numbers, those of `values` where it is positive.
static void print_row(io_json *json, const lgkt_row *row, const double *values, int32_t states)
{
    io_json_open(json, NULL, IO_JSON_LIST);
    for (int32_t next = 0, i = 0; next < states; next++) {
        const bool positive = i < row->n && row->next[i] == next;
        io_json_real(json, NULL, positive ? values[i++] : 0.0);
    }
    io_json_close(json);
}

// What a table holds for each pair.
typedef enum part { PART_NOISE, PART_REWARD, PART_ROW, PART_ALLOWED } part;

// An (S, A) list of lists under a key.
static void print_table(io_json *json, const char *key, const lgkt_mdp *mdp, part what, bool dense)
{
    const int32_t states = lgkt_mdp_states(mdp);
    io_json_open(json, key, IO_JSON_ARRAY);
    for (int32_t s = 0; s < states; s++) {
        io_json_open(json, NULL, what == PART_ROW ? IO_JSON_ARRAY : IO_JSON_LIST);
        for (int32_t a = 0; a < lgkt_mdp_actions(mdp); a++) {
            const bool allowed = lgkt_mdp_allowed(mdp, s, a);
            const lgkt_row row = lgkt_mdp_row(mdp, s, a);
            double sd;
            if (what == PART_ALLOWED) {
                if (allowed)
                    io_json_integer(json, NULL, a);
            } else if (!allowed) {
                io_json_text(json, NULL, NULL);
            } else if (what == PART_NOISE) {
                const lgkt_noise kind = lgkt_mdp_pair_noise(mdp, s, a, &sd);
                print_noise(json, NULL, kind, sd);
            } else if (what == PART_ROW) {
                print_row(json, &row, row.p, states);
            } else if (row.reward != NULL && dense) {
                print_row(json, &row, row.reward, states);
            } else {
                io_json_real(json, NULL, row.reward == NULL ? lgkt_mdp_reward(mdp, s, a) : 0.0);
            }
        }
        io_json_close(json);
    }
    io_json_close(json);
}

static lgkt_status print_model(const lgkt_io_model *model, io_json *json, lgkt_error *error)
{
    const lgkt_mdp *mdp = lgkt_io_model_mdp(model);
    const int32_t states = lgkt_mdp_states(mdp), actions = lgkt_mdp_actions(mdp);
    const lgkt_noise noise = lgkt_mdp_noise(mdp);
    if (noise == LGKT_NOISE_DRIFTING)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED, "a model file cannot say drifting noise");
    io_json_open(json, NULL, IO_JSON_OBJECT);
    if (lgkt_io_model_name(model) != NULL)
        io_json_text(json, "name", lgkt_io_model_name(model));
    if (lgkt_io_model_comment(model) != NULL)
        io_json_text(json, "comment", lgkt_io_model_comment(model));
    io_json_integer(json, "states", states);
    io_json_integer(json, "actions", actions);
    if (lgkt_mdp_restricted(mdp))
        print_table(json, "allowed", mdp, PART_ALLOWED, false);
    if (lgkt_mdp_start(mdp) >= 0) {
        io_json_integer(json, "start", lgkt_mdp_start(mdp));
    } else {
        io_json_open(json, "start", IO_JSON_LIST);
        for (int32_t s = 0; s < states; s++)
            io_json_real(json, NULL, lgkt_mdp_start_law(mdp)[s]);
        io_json_close(json);
    }
    if (noise == LGKT_NOISE_MIXED)
        print_table(json, "noise", mdp, PART_NOISE, false);
    else
        print_noise(json, "noise", noise, lgkt_mdp_noise_sd(mdp));

    // dense where at least a quarter of all (s, a, next) is positive
    int64_t positive = 0;
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < actions; a++)
            positive += lgkt_mdp_row(mdp, s, a).n;
    const bool dense = (double)positive >= (double)states * states * actions / 4;
    print_table(json, "rewards", mdp, PART_REWARD, dense);
    if (dense) {
        print_table(json, "transitions", mdp, PART_ROW, dense);
    } else {
        io_json_open(json, "edges", IO_JSON_ARRAY);
        for (int64_t z = 0; z < (int64_t)states * actions; z++) {
            const lgkt_row row = lgkt_mdp_row(mdp, (int32_t)(z / actions), (int32_t)(z % actions));
            for (int32_t i = 0; i < row.n; i++) {
                io_json_open(json, NULL, IO_JSON_LIST);
                io_json_integer(json, NULL, z / actions);
                io_json_integer(json, NULL, z % actions);
                io_json_integer(json, NULL, row.next[i]);
                io_json_real(json, NULL, row.p[i]);
                if (row.reward != NULL)
                    io_json_real(json, NULL, row.reward[i]);
                io_json_close(json);
            }
        }
        io_json_close(json);
    }
    io_json_close(json);
    return LGKT_OK;
}

lgkt_status lgkt_io_model_write(const lgkt_io_model *model, const char *path, lgkt_error *error)
{
    io_output output;
    if (model == NULL || path == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "model and path must not be NULL");
    LGKT_TRY(io_output_open(path, &output, error));
    io_json json = {.out = output.stream};
    const lgkt_status status = print_model(model, &json, error);
    if (status == LGKT_OK)
        return io_output_commit(&output, error);
    io_output_discard(&output);
    return status;
}

lgkt_status lgkt_io_model_print(const lgkt_io_model *model, char *text, size_t capacity,
                                size_t *size, lgkt_error *error)
{
    if (model == NULL || size == NULL || (text == NULL && capacity > 0))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "model, text and size must not be NULL");
    io_memory memory = {0};
    io_json json = {.memory = &memory};
    size_t length = 0;
    lgkt_status status = print_model(model, &json, error);
    char *whole = io_memory_close(&memory, &length);
    if (status == LGKT_OK && whole == NULL)
        status = lgkt_fail_memory(error, "the text of a model");
    if (status == LGKT_OK) {
        *size = length;
        if (length < capacity)
            memcpy(text, whole, length + 1);
        else
            status = lgkt_fail(error, LGKT_ERR_SHAPE, "the text has %zu bytes, the room is for %zu",
                               length, capacity);
    }
    free(whole);
    return status;
}
