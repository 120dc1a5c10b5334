// SPDX-License-Identifier: MIT
// Which figures there are, as the paper arranges them, and the files they go to.
//
// Where a panel compares settings of LG1T and of LG2T, the paper draws one plot for each; so do we.

#include "experiments/figure.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/text.h"
#include "experiments/figure_script.h"
#include "io/io_text.h"

extern char **environ;

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

// ---- which figures ----

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
    for (size_t i = 0; i < sizeof together / sizeof *together; i++) {
        // a figure of the paper, if all its experiments were read
        exp_figure *figure = &figures[count];
        bool all = true;
        *figure = (exp_figure){.folder = NULL};
        snprintf(figure->name, sizeof figure->name, "%s", together[i].name);
        for (int part = 0; part < MOST_PARTS && together[i].experiments[part] != NULL; part++) {
            const exp_folder *folder = exp_results_find(results, together[i].experiments[part]);
            all = all && folder != NULL;
            if (folder == NULL)
                continue;
            if (part == 0)
                figure->folder = folder->path;
            add_views(figure, folder);
        }
        count += all && figure->view_count > 0;
    }
    for (int32_t i = 0; i < results->count && count < EXP_MAX_FIGURES; i++) {
        exp_figure_of(results->folders[i], &figures[count]);
        count += figures[count].view_count > 0;
    }
    return count;
}

exp_figure exp_figure_single(const exp_figure *figure, int32_t view)
{
    exp_figure single = {.folder = figure->folder, .views = {figure->views[view]}, .view_count = 1};
    snprintf(single.name, sizeof single.name, "%.*s-%d", (int)lgkt_text_fit(figure->name, 50),
             figure->name, view + 1);
    return single;
}

// ---- gnuplot ----

// Starts gnuplot with these files as input and output; 0 or the code of the failure.
static int start(FILE *script, FILE *said, pid_t *child)
{
    char name[] = "gnuplot", plain[] = "-d";
    char *const words[] = {name, plain, NULL};
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    if (code == 0)
        code = posix_spawn_file_actions_adddup2(&actions, fileno(said), STDOUT_FILENO);
    if (code == 0)
        code = posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO);
    if (code == 0)
        code = posix_spawnp(child, name, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

// It reads the script from a file on its standard input, so there is no pipe that could break, and
// what it says goes to a file of which one line is shown.
static lgkt_status run_gnuplot(FILE *script, FILE *said, lgkt_error *error)
{
    pid_t child;
    if (fflush(script) != 0 || ferror(script) || lseek(fileno(script), 0, SEEK_SET) != 0)
        return lgkt_fail(error, LGKT_ERR_IO, "the script for gnuplot: %s", strerror(errno));
    int code = start(script, said, &child);
    if (code == ENOENT)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "gnuplot was not found on the PATH; it draws the figures (Debian: apt-get "
                         "install gnuplot-nox)");
    int status = 0;
    while (code == 0 && waitpid(child, &status, 0) < 0)
        code = errno != EINTR ? errno : 0;
    if (code != 0)
        return lgkt_fail(error, LGKT_ERR_SYSTEM, "gnuplot: %s", strerror(code));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return LGKT_OK;
    // the line that says what is wrong; gnuplot shows the place first
    char line[200], kept[200] = "no reason given";
    rewind(said);
    while (fgets(line, sizeof line, said) != NULL)
        if (strstr(line, "line ") != NULL || strstr(line, "annot") != NULL)
            memcpy(kept, line, sizeof kept);
    kept[strcspn(kept, "\n")] = '\0';
    return lgkt_fail(error, LGKT_ERR_SYSTEM, "gnuplot failed: %s", kept);
}

// Whether a file ends as its format does: gnuplot is silent when the disk is full.
static bool is_whole(const char *path, exp_format format)
{
    static const char *const ends[] = {"</svg>", "%%EOF", "IEND"};
    char tail[16] = "";
    FILE *file = fopen(path, "rb");
    bool whole = false;
    if (file != NULL && fseek(file, -(long)sizeof tail, SEEK_END) == 0 &&
        fread(tail, 1, sizeof tail, file) == sizeof tail)
        for (size_t i = 0; i + strlen(ends[format]) <= sizeof tail; i++)
            whole = whole || memcmp(tail + i, ends[format], strlen(ends[format])) == 0;
    if (file != NULL)
        fclose(file);
    return whole;
}

lgkt_status exp_figures_draw(const exp_drawing *drawings, int32_t count, lgkt_error *error)
{
    // no quotes keep a line end out of the script
    for (int32_t i = 0; i < count; i++)
        for (const char *c = drawings[i].path; *c != '\0'; c++)
            if ((unsigned char)*c < ' ' || *c == 0x7f)
                return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                                 "%s: a name with control characters cannot be drawn to",
                                 io_short_name(drawings[i].path));
    FILE *script = tmpfile(), *said = tmpfile();
    char **names = calloc((size_t)count + 1, sizeof *names); // (count) while they are drawn
    lgkt_status status = LGKT_OK;
    if (script == NULL || said == NULL)
        status = lgkt_fail(error, LGKT_ERR_IO, "a temporary file: %s", strerror(errno));
    else if (names == NULL)
        status = lgkt_fail_memory(error, "figures");
    for (int32_t i = 0; i < count && status == LGKT_OK; i++) {
        // gnuplot runs a name that begins with | and looks for a home behind ~
        const char *path = drawings[i].path, *here = path[0] == '/' ? "" : "./";
        const size_t size = strlen(path) + 40;
        names[i] = malloc(size);
        if (names[i] == NULL) {
            status = lgkt_fail_memory(error, "figures");
            break;
        }
        snprintf(names[i], size, "%s%s.%ld.tmp", here, path, (long)getpid());
        exp_figure_script(script, drawings[i].figure, drawings[i].format, names[i]);
    }
    if (status == LGKT_OK)
        status = run_gnuplot(script, said, error);
    for (int32_t i = 0; i < count && status == LGKT_OK; i++)
        if (!is_whole(names[i], drawings[i].format))
            status = lgkt_fail(error, LGKT_ERR_IO, "%s: gnuplot could not write all of it",
                               io_short_name(drawings[i].path));
    for (int32_t i = 0; i < count && status == LGKT_OK; i++)
        if (rename(names[i], drawings[i].path) != 0)
            status = io_fail_errno(error, drawings[i].path);
    for (int32_t i = 0; names != NULL && i < count; i++) {
        // after a failure some are left
        if (names[i] != NULL && status != LGKT_OK)
            remove(names[i]);
        free(names[i]);
    }
    free(names);
    if (script != NULL)
        fclose(script);
    if (said != NULL)
        fclose(said);
    return status;
}
