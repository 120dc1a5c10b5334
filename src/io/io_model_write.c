// SPDX-License-Identifier: MIT
// Writing model files. Numbers are printed with as many digits as they need to read back exactly,
// one row of the transitions per line.

#include "io/io_model.h"

#include <inttypes.h>
#include <string.h>

#include "io/io_text.h"

static void print_real(FILE *out, double value)
{
    char text[IO_REAL_SIZE];
    fputs(io_print_real(text, value), out);
}

// [a, b, c]
static void print_list(FILE *out, const double *values, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        fputs(i == 0 ? "[" : ", ", out);
        print_real(out, values[i]);
    }
    fputc(']', out);
}

static void print_head(FILE *out, const lgkt_mdp *mdp)
{
    fprintf(out,
            "{\"states\": %" PRId32 ", \"actions\": %" PRId32 ", \"start\": ", lgkt_mdp_states(mdp),
            lgkt_mdp_actions(mdp));
    if (lgkt_mdp_start(mdp) >= 0)
        fprintf(out, "%" PRId32, lgkt_mdp_start(mdp));
    else
        print_list(out, lgkt_mdp_start_law(mdp), lgkt_mdp_states(mdp));
    fputs(",\n \"noise\": ", out);
    if (lgkt_mdp_noise(mdp) == LGKT_NOISE_NORMAL) {
        fputs("{\"kind\": \"normal\", \"sd\": ", out);
        print_real(out, lgkt_mdp_noise_sd(mdp));
        fputc('}', out);
    } else {
        const bool coin = lgkt_mdp_noise(mdp) == LGKT_NOISE_BERNOULLI;
        fprintf(out, "{\"kind\": \"%s\"}", coin ? "bernoulli" : "none");
    }
}

// An (S, A) list of lists whose entries `print` writes, under a key.
static void print_pairs(FILE *out, const lgkt_mdp *mdp, const char *key, const char *between,
                        void (*print)(FILE *, const lgkt_mdp *, int32_t, int32_t))
{
    fprintf(out, ",\n \"%s\": [", key);
    for (int32_t s = 0; s < lgkt_mdp_states(mdp); s++) {
        fputs(s == 0 ? "\n  [" : ",\n  [", out);
        for (int32_t a = 0; a < lgkt_mdp_actions(mdp); a++) {
            fputs(a == 0 ? "" : between, out);
            print(out, mdp, s, a);
        }
        fputc(']', out);
    }
    fputc(']', out);
}

static void print_reward(FILE *out, const lgkt_mdp *mdp, int32_t s, int32_t a)
{
    print_real(out, lgkt_mdp_reward(mdp, s, a));
}

static void print_row(FILE *out, const lgkt_mdp *mdp, int32_t s, int32_t a)
{
    const lgkt_row row = lgkt_mdp_row(mdp, s, a);
    int32_t i = 0;
    for (int32_t next = 0; next < lgkt_mdp_states(mdp); next++) {
        fputs(next == 0 ? "[" : ", ", out);
        const bool positive = i < row.n && row.next[i] == next;
        print_real(out, positive ? row.p[i++] : 0.0);
    }
    fputc(']', out);
}

static void print_edges(FILE *out, const lgkt_mdp *mdp)
{
    const char *comma = "";
    fputs(",\n \"edges\": [", out);
    for (int32_t s = 0; s < lgkt_mdp_states(mdp); s++)
        for (int32_t a = 0; a < lgkt_mdp_actions(mdp); a++) {
            const lgkt_row row = lgkt_mdp_row(mdp, s, a);
            for (int32_t i = 0; i < row.n; i++, comma = ",") {
                fprintf(out, "%s\n  [%" PRId32 ", %" PRId32 ", %" PRId32 ", ", comma, s, a,
                        row.next[i]);
                print_real(out, row.p[i]);
                fputc(']', out);
            }
        }
    fputc(']', out);
}

// At least a quarter of all (s, a, next) is positive.
static bool is_dense(const lgkt_mdp *mdp)
{
    int64_t positive = 0;
    for (int32_t s = 0; s < lgkt_mdp_states(mdp); s++)
        for (int32_t a = 0; a < lgkt_mdp_actions(mdp); a++)
            positive += lgkt_mdp_row(mdp, s, a).n;
    const double all = (double)lgkt_mdp_states(mdp) * lgkt_mdp_states(mdp) * lgkt_mdp_actions(mdp);
    return (double)positive >= all / 4;
}

lgkt_status io_model_print(const lgkt_mdp *mdp, FILE *out, lgkt_error *error)
{
    if (lgkt_mdp_noise(mdp) == LGKT_NOISE_DRIFTING)
        return io_fail(error, LGKT_ERR_UNSUPPORTED, "a model file cannot say drifting noise");
    print_head(out, mdp);
    print_pairs(out, mdp, "rewards", ", ", print_reward);
    if (is_dense(mdp))
        print_pairs(out, mdp, "transitions", ",\n   ", print_row);
    else
        print_edges(out, mdp);
    fputs("}\n", out);
    return LGKT_OK;
}

lgkt_status io_model_write(const lgkt_mdp *mdp, const char *path, lgkt_error *error)
{
    io_output *output;
    lgkt_status status = io_output_open(path, &output, error);
    if (status != LGKT_OK)
        return status;
    status = io_model_print(mdp, io_output_stream(output), error);
    if (status == LGKT_OK)
        return io_output_commit(output, error);
    io_output_discard(output);
    return status;
}
