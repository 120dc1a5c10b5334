// SPDX-License-Identifier: MIT
// Which figures there are, as the paper arranges them, and the files they go to.
//
// Where a panel compares settings of LG1T and of LG2T, the paper draws one plot for each; so do we.

#include "experiments/figure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "experiments/figure_script.h"
#include "experiments/gnuplot.h"
#include "io/io_text.h"

// ---- the paper's arrangement ----

#define MOST_PARTS 3

static const struct {
    const char *name;
    const char *experiments[MOST_PARTS];
} together[] = {
    {"figure-1", {"synthetic-10", "synthetic-100"}},
    {"figure-2", {"riverswim-5", "riverswim-8", "riverswim-15"}},
    {"figure-3", {"frozenlake", "trading"}},
};

// more curves than a plot can label
#define CROWD                                                                                      \
    "Plug-in K auto|LG1-2T 3000|LG1-2T 10000|LG1T-I|LG2T-I|LG1T-uniform|LG2T-uniform|PMEVI-UCRL2|" \
    "Opt-QL 0.99|UCB-QL H=10|MDP-OOMD 30|UCBVI|1-step|2-step"

// what the one or two plots of each panel leave out; names of experiments by their beginning
static const struct {
    const char *experiment;
    const char *hidden[2];
    const char *names[2];
} split[] = {
    {"adaptive-threshold", {"LG2T", "LG1T"}, {"LG1T", "LG2T"}},
    {"ablation-threshold", {"LG2T", "LG1T"}, {"LG1T", "LG2T"}},
    {"theory-version", {"LG2T|LG1-2T", "LG1T|LG1-2T"}, {"LG1T", "LG2T"}},
    {"beyond-six", {CROWD}, {""}},
};

static void add_view(exp_figure *figure, const exp_panel_data *data, const char *hidden,
                     const char *part)
{
    if (figure->view_count == EXP_MAX_VIEWS || exp_panel_instances(data) == 0)
        return;
    exp_view *view = &figure->views[figure->view_count++];
    const int64_t n = exp_panel_instances(data);
    view->data = data;
    view->hidden = hidden;
    snprintf(view->title, sizeof view->title, "%s%s%s (%" PRId64 " instance%s)",
             exp_panel_title(data->panel), part[0] != '\0' ? ", " : "", part, n, n == 1 ? "" : "s");
}

static void add_views(exp_figure *figure, const exp_folder *folder)
{
    const char *name = folder->experiment->name;
    for (int32_t p = 0; p < folder->experiment->panel_count; p++) {
        bool parted = false;
        for (size_t i = 0; i < sizeof split / sizeof *split; i++) {
            if (strncmp(split[i].experiment, name, strlen(split[i].experiment)) != 0)
                continue;
            parted = true;
            for (int part = 0; part < 2 && split[i].names[part] != NULL; part++)
                add_view(figure, &folder->panels[p], split[i].hidden[part], split[i].names[part]);
        }
        if (!parted)
            add_view(figure, &folder->panels[p], NULL, "");
    }
}

// a figure of the paper; false if one of its experiments was not read
static bool join_figure(const exp_results *results, size_t which, exp_figure *figure)
{
    *figure = (exp_figure){.folder = NULL};
    snprintf(figure->name, sizeof figure->name, "%s", together[which].name);
    for (int part = 0; part < MOST_PARTS && together[which].experiments[part] != NULL; part++) {
        const exp_folder *folder = exp_results_find(results, together[which].experiments[part]);
        if (folder == NULL)
            return false;
        if (part == 0)
            figure->folder = folder->path;
        add_views(figure, folder);
    }
    return figure->view_count > 0;
}

// ---- public: which figures ----

const char *exp_format_name(exp_format format)
{
    static const char *const names[] = {"svg", "pdf", "png"};
    return names[format];
}

const char *exp_panel_title(const exp_panel *panel)
{
    if (panel->title != NULL)
        return panel->title;
    const exp_experiment *same = exp_experiment_find(panel->name);
    return same != NULL ? same->title : panel->name;
}

void exp_figure_of(const exp_folder *folder, exp_figure *figure)
{
    *figure = (exp_figure){.folder = folder->path};
    snprintf(figure->name, sizeof figure->name, "%s", folder->experiment->name);
    add_views(figure, folder);
}

int32_t exp_figures_of(const exp_results *results, exp_figure figures[EXP_MAX_FIGURES])
{
    int32_t count = 0;
    for (size_t i = 0; i < sizeof together / sizeof *together; i++)
        count += join_figure(results, i, &figures[count]);
    for (int32_t i = 0; i < results->count && count < EXP_MAX_FIGURES; i++) {
        exp_figure_of(results->folders[i], &figures[count]);
        count += figures[count].view_count > 0;
    }
    return count;
}

exp_figure exp_figure_single(const exp_figure *figure, int32_t view)
{
    exp_figure single = {.folder = figure->folder, .views = {figure->views[view]}, .view_count = 1};
    snprintf(single.name, sizeof single.name, "%.50s-%d", figure->name, view + 1);
    return single;
}

// ---- public: files ----

// the name a file has while it is drawn
static char *unfinished(const char *path)
{
    const size_t size = strlen(path) + 40;
    char *name = malloc(size);
    if (name != NULL)
        snprintf(name, size, "%s.%ld.tmp", path, (long)getpid());
    return name;
}

static lgkt_status finish(char *const *names, const exp_drawing *drawings, int32_t count,
                          lgkt_error *error)
{
    for (int32_t i = 0; i < count; i++)
        if (rename(names[i], drawings[i].path) != 0)
            return io_fail_errno(error, drawings[i].path);
    return LGKT_OK;
}

static lgkt_status draw_all(FILE *script, char **names, const exp_drawing *drawings, int32_t count,
                            lgkt_error *error)
{
    for (int32_t i = 0; i < count; i++) {
        names[i] = unfinished(drawings[i].path);
        if (names[i] == NULL)
            return lgkt_fail_memory(error, "figures");
        exp_figure_script(script, drawings[i].figure, drawings[i].format, names[i]);
    }
    const lgkt_status status = exp_gnuplot_run(script, error);
    return status == LGKT_OK ? finish(names, drawings, count, error) : status;
}

lgkt_status exp_figures_draw(const exp_drawing *drawings, int32_t count, lgkt_error *error)
{
    FILE *script = tmpfile();
    char **names = calloc((size_t)count + 1, sizeof *names);
    lgkt_status status = LGKT_ERR_NO_MEMORY;
    if (script == NULL)
        lgkt_fail(error, status, "a temporary file: %s", strerror(errno));
    else if (names == NULL)
        lgkt_fail_memory(error, "figures");
    else
        status = draw_all(script, names, drawings, count, error);
    for (int32_t i = 0; names != NULL && i < count; i++) {
        // after a failure some are left
        if (names[i] != NULL && status != LGKT_OK)
            remove(names[i]);
        free(names[i]);
    }
    free(names);
    if (script != NULL)
        fclose(script);
    return status;
}
