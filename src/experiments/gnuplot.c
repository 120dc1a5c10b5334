// SPDX-License-Identifier: MIT
// gnuplot reads the script from a file on its standard input, so there is no pipe that could break,
// and its complaints go to a file of which one line is shown.

#include "experiments/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"

extern char **environ;

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

// The line that says what is wrong: gnuplot shows the place first.
static lgkt_status fail_with(FILE *said, lgkt_error *error)
{
    char line[200], kept[200] = "no reason given";
    rewind(said);
    while (fgets(line, sizeof line, said) != NULL)
        if (strstr(line, "line ") != NULL || strstr(line, "annot") != NULL)
            memcpy(kept, line, sizeof kept);
    kept[strcspn(kept, "\n")] = '\0';
    return lgkt_fail(error, LGKT_ERR_NO_CONVERGENCE, "gnuplot failed: %s", kept);
}

static lgkt_status run(FILE *script, FILE *said, lgkt_error *error)
{
    pid_t child;
    if (fflush(script) != 0 || ferror(script) || lseek(fileno(script), 0, SEEK_SET) != 0)
        return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "the script for gnuplot: %s", strerror(errno));
    const int code = start(script, said, &child);
    if (code == ENOENT)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "gnuplot was not found on the PATH; it draws the figures (Debian: apt-get "
                         "install gnuplot-nox)");
    if (code != 0)
        return lgkt_fail(error, LGKT_ERR_NO_CONVERGENCE, "gnuplot: %s", strerror(code));
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return lgkt_fail(error, LGKT_ERR_NO_CONVERGENCE, "gnuplot: %s", strerror(errno));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? LGKT_OK : fail_with(said, error);
}

lgkt_status exp_gnuplot_run(FILE *script, lgkt_error *error)
{
    FILE *said = tmpfile();
    if (said == NULL)
        return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "a temporary file: %s", strerror(errno));
    const lgkt_status status = run(script, said, error);
    fclose(said);
    return status;
}

void exp_gnuplot_quote(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputc('\'', script);
        fputc(*text, script);
    }
    fputc('\'', script);
}
