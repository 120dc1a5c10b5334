// SPDX-License-Identifier: MIT
// Failure lines, aligned tables, wrapped text, the progress line and Ctrl-C.
//
// What the signal handler writes are the only global variables of the program: a handler gets no
// argument.

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "core/text.h"

// ---- ends ----

int cli_fail(const char *command, int code, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    // what the user typed may hold anything; the failure is still one line
    lgkt_text_clean(text, sizeof text, text);
    fprintf(stderr, "lgkt: %s%s%s\n", command != NULL ? command : "", command != NULL ? ": " : "",
            text);
    return code;
}

const char *cli_quoted(const char *text, char quoted[CLI_QUOTED_SIZE])
{
    if (strlen(text) < CLI_QUOTED_SIZE)
        return text;
    const size_t length = lgkt_text_fit(text, CLI_QUOTED_SIZE - sizeof "...");
    snprintf(quoted, CLI_QUOTED_SIZE, "%.*s...", (int)length, text);
    return quoted;
}

// Does not return if stdout is a pipe that nobody reads any more.
static void end_if_unread(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
}

int cli_fail_error(const char *command, const lgkt_error *error)
{
    int code = CLI_USAGE;
    switch (error->status) {
    case LGKT_ERR_IO:
        end_if_unread(); // a file may be /dev/stdout
        code = CLI_FAILED;
        break;
    case LGKT_ERR_NO_MEMORY:
    case LGKT_ERR_PROTOCOL:
    case LGKT_ERR_HORIZON:
    case LGKT_ERR_NO_CONVERGENCE:
    case LGKT_ERR_SYSTEM:
        code = CLI_FAILED;
        break;
    default: // what was given: a value, a spec, a model, a file
        break;
    }
    return cli_fail(command, code, "%s", error->text);
}

int cli_finish(const char *command, int code)
{
    errno = 0;
    bool good = fflush(stdout) == 0 && !ferror(stdout);
    const int why = errno;
    if (!good)
        end_if_unread();
    good = fclose(stdout) == 0 && good;
    if (good || code != CLI_OK)
        return code;
    return cli_fail(command, CLI_FAILED, "cannot write the output: %s",
                    why != 0 ? strerror(why) : "write error");
}

lgkt_status cli_output_open(const char *path, io_output **output, lgkt_error *error)
{
    struct stat out, file;
    if (fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode) && stat(path, &file) == 0 &&
        file.st_dev == out.st_dev && file.st_ino == out.st_ino)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s: the output of the command goes there",
                         io_short_name(path));
    return io_output_open(path, output, error);
}

// ---- tables ----

struct cli_table {
    const char *columns; // 'l' or 'r' each
    size_t width;        // number of columns
    char **cells;        // (count) row by row, owned
    size_t count, capacity;
    bool failed; // memory was out
};

cli_table *cli_table_create(const char *columns, const char *headings)
{
    cli_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    table->columns = columns;
    table->width = strlen(columns);
    for (const char *at = headings; at != NULL;) {
        const int length = (int)strcspn(at, "|");
        cli_table_cell(table, "%.*s", length, at);
        at = at[length] == '|' ? at + length + 1 : NULL;
    }
    return table;
}

void cli_table_cell(cli_table *table, const char *format, ...)
{
    if (table == NULL || table->failed)
        return;
    if (table->count == table->capacity) {
        const size_t capacity = 2 * table->capacity + 64;
        char **grown = realloc(table->cells, capacity * sizeof *grown);
        table->failed = grown == NULL;
        if (table->failed)
            return;
        table->cells = grown;
        table->capacity = capacity;
    }
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    table->failed = text == NULL;
    if (table->failed)
        return;
    va_start(list, format);
    vsnprintf(text, (size_t)length + 1, format, list);
    va_end(list);
    lgkt_text_clean(text, (size_t)length + 1, text);
    table->cells[table->count++] = text;
}

void cli_table_real(cli_table *table, const char *format, double value)
{
    char text[64] = "-";
    if (!isnan(value))
        snprintf(text, sizeof text, format, value);
    // what rounds to zero has no sign
    const bool negative_zero = text[0] == '-' && text[1] == '0' && strtod(text, NULL) == 0;
    cli_table_cell(table, "%s", text + negative_zero);
}

int cli_table_print(const char *command, cli_table *table)
{
    int *widths = table != NULL ? calloc(table->width, sizeof *widths) : NULL; // (columns)
    const bool good = widths != NULL && !table->failed;
    for (size_t i = 0; good && i < table->count; i++) {
        const int length = (int)strlen(table->cells[i]);
        int *widest = &widths[i % table->width];
        *widest = length > *widest ? length : *widest;
    }
    for (size_t i = 0; good && i < table->count; i++) {
        const size_t j = i % table->width;
        const bool last = j + 1 == table->width;
        // no blanks behind the last cell of a line
        const int width = table->columns[j] == 'r' ? widths[j] : last ? 0 : -widths[j];
        printf("%*s%s", width, table->cells[i], last ? "\n" : "  ");
    }
    for (size_t i = 0; table != NULL && i < table->count; i++)
        free(table->cells[i]);
    if (table != NULL)
        free(table->cells);
    free(table);
    free(widths);
    return good ? CLI_OK : cli_fail(command, CLI_FAILED, "out of memory");
}

// ---- text ----

void cli_print_wrapped(const char *text, int at, int indent, int width)
{
    bool line_start = true;
    printf("%*s", indent > at ? indent - at : 0, "");
    int column = indent > at ? indent : at;
    while (*(text += strspn(text, " ")) != '\0') {
        const int length = (int)strcspn(text, " ");
        if (!line_start && column + 1 + length > width) {
            printf("\n%*s", indent, "");
            column = indent;
            line_start = true;
        }
        column += printf("%s%.*s", line_start ? "" : " ", length, text);
        line_start = false;
        text += length;
    }
    putchar('\n');
}

// ---- Ctrl-C ----

static atomic_bool interrupted;
static atomic_int interrupts;

// some programs that pass the signal on deliver it twice, so the third one is a second Ctrl-C
static void on_interrupt(int number)
{
    (void)number;
    atomic_store(&interrupted, true);
    if (atomic_fetch_add(&interrupts, 1) >= 2)
        _exit(CLI_INTERRUPTED);
    alarm(8);
}

// A call of the library, such as planning, looks at no flag: it is ended where it is, or said to go
// on.
static void on_alarm(int number)
{
    static const char ended[] = "lgkt: interrupted\n", going[] = "lgkt: at work; Ctrl-C stops it\n";
    const bool end = atomic_load(&interrupted);
    (void)number;
    (void)!write(STDERR_FILENO, end ? ended : going, (end ? sizeof ended : sizeof going) - 1);
    if (end)
        _exit(CLI_INTERRUPTED);
    alarm(60);
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler,
                               .sa_flags = number == SIGALRM ? SA_RESTART : 0};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

const atomic_bool *cli_watch_interrupts(void)
{
    handle(SIGALRM, on_alarm);
    handle(SIGINT, on_interrupt);
    return &interrupted;
}

void cli_watch_silence(bool begin)
{
    handle(SIGALRM, on_alarm);
    alarm(begin ? 2 : 0);
}

// ---- progress ----

void cli_watch_progress(void *ctx, const exp_progress *progress)
{
    cli_progress *line = ctx;
    const bool terminal = isatty(STDERR_FILENO) == 1;
    if (progress->instances_done == progress->instances)
        return;
    if (progress->seconds < fmax(line->next, 2.0))
        return;

    const double part = progress->steps_done / progress->steps;
    fputs(terminal ? "\r" : "", stderr);
    // "adaptive-k riverswim-8, lg1t: ", where there are panels
    if (line->name != NULL) {
        const char *learner = progress->learner != NULL ? progress->learner : "";
        const bool whole = strcmp(line->name, progress->name) != 0;
        fprintf(stderr, "%s%s%s%s%.*s: ", whole ? line->name : "", whole ? " " : "", progress->name,
                learner[0] != '\0' ? ", " : "", (int)lgkt_text_fit(learner, 40), learner);
    }
    fprintf(stderr, "%3.0f%%  %lld of %lld instances  ", 100.0 * part,
            (long long)progress->instances_done, (long long)progress->instances);
    if (part > 0.0)
        fprintf(stderr, "%.1f M steps/s  %.0f s left",
                1e-6 * progress->steps_done / progress->seconds,
                progress->seconds * (1.0 - part) / part);
    else
        fputs("no step yet", stderr); // exact values come first
    fputs(terminal ? "\033[K" : "\n", stderr);
    fflush(stderr);
    line->shown = true;
    // elsewhere: after 2, 4, 8, .. seconds, then once a minute
    line->next = terminal ? 0.0 : progress->seconds + fmin(progress->seconds, 60.0);
}

void cli_watch_end(const cli_progress *line, bool complete)
{
    // the results take the place of the line
    if (line->shown && isatty(STDERR_FILENO) == 1)
        fputs(complete ? "\r\033[K" : "\n", stderr);
}

// ---- both ----

int cli_watch_run(const char *command, const exp_tasks *tasks, bool arrays, int64_t jobs,
                  bool quiet, exp_result *result)
{
    cli_progress line = {0};
    const exp_runner how = {.jobs = (int32_t)jobs,
                            .stop = cli_watch_interrupts(),
                            .progress = quiet ? NULL : cli_watch_progress,
                            .progress_ctx = &line};
    lgkt_error error = {0};
    const lgkt_status status = exp_result_run(result, tasks, arrays, &how, &error);
    cli_watch_end(&line, result->complete);
    if (result->complete)
        return CLI_OK;
    exp_result_free(result);
    return status != LGKT_OK ? cli_fail_error(command, &error)
                             : cli_fail(command, CLI_INTERRUPTED, "interrupted");
}

int32_t cli_watch_cores(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > EXP_MAX_JOBS ? EXP_MAX_JOBS : (int32_t)cores;
}
