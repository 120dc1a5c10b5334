// SPDX-License-Identifier: MIT
// Which experiment a journal belongs to (identity.h).
#include "experiments/identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/io_words.h"
#include "io/io_folder.h"
#include "io/io_text.h"

#define PRICES_LIMIT ((size_t)1 << 30)

lgkt_status exp_identity_prices(const exp_experiment *experiment, const char *path,
                                char text[EXP_PRICES_SIZE], lgkt_error *error)
{
    bool trades = false;
    for (int32_t p = 0; p < experiment->panel_count; p++)
        trades = trades || exp_spec_trades(experiment->panels[p].env);
    snprintf(text, EXP_PRICES_SIZE, "%s", trades ? "random walk" : "");
    if (!trades || path == NULL)
        return LGKT_OK;
    char *bytes = NULL;
    size_t size = 0;
    const lgkt_status status = io_file_read(path, PRICES_LIMIT, &bytes, &size, error);
    if (status == LGKT_OK)
        snprintf(text, EXP_PRICES_SIZE, "%.100s %016" PRIx64, io_base_name(path),
                 io_check_bytes(IO_CHECK_START, bytes, size));
    free(bytes);
    return status;
}

static uint64_t check_panel(uint64_t check, const exp_stage *stage)
{
    const exp_panel *panel = stage->panel;
    char text[128];
    check = io_check_text(check, panel->name);
    check = io_check_text(check, panel->env);
    snprintf(text, sizeof text, "%" PRId64 " %d %" PRId64 " %.17g", panel->horizon,
             (int)panel->metric, panel->regret_k, panel->regret_threshold);
    check = io_check_text(check, text);
    for (int32_t l = 0; l < panel->entry_count; l++) {
        check = io_check_text(check, panel->entries[l].label);
        check = io_check_text(check, panel->entries[l].spec);
        check = io_check_text(check, panel->entries[l].oracle ? "oracle" : "learner");
    }
    for (int32_t c = 0; c < stage->setup.checkpoint_count; c++) {
        snprintf(text, sizeof text, "%" PRId64, stage->times[c]);
        check = io_check_text(check, text);
    }
    return check;
}

char *exp_identity(const exp_experiment *experiment, const exp_stage *stages, uint64_t seed,
                   const char *prices)
{
    const size_t size = 512 + 24 * (size_t)experiment->panel_count;
    char *text = malloc(size);
    if (text == NULL)
        return NULL;
    size_t used =
        (size_t)snprintf(text, size, "experiment %.64s\nversion %.32s\nseed %" PRIu64 "\ninstances",
                         experiment->name, lgkt_version(), seed);
    uint64_t check = IO_CHECK_START;
    for (int32_t p = 0; p < experiment->panel_count; p++) {
        used += (size_t)snprintf(text + used, size - used, " %" PRId64, stages[p].setup.replicates);
        check = check_panel(check, &stages[p]);
    }
    snprintf(text + used, size - used, "\nprices %s\ncatalog %016" PRIx64 "\n",
             prices[0] != '\0' ? prices : "none", check);
    return text;
}
