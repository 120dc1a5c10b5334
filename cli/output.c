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

void cli_say(const char *command, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    // what the user typed may hold anything; it is still one line
    lgkt_text_clean(text, sizeof text, text);
    fprintf(stderr, "lgkt: %s%s%s\n", command != NULL ? command : "", command != NULL ? ": " : "",
            text);
}

const char *cli_quoted(const char *text, char quoted[CLI_QUOTED_SIZE])
{
    if (strlen(text) < CLI_QUOTED_SIZE)
        return text;
    const size_t length = lgkt_text_fit(text, CLI_QUOTED_SIZE - sizeof "...");
    snprintf(quoted, CLI_QUOTED_SIZE, "%.*s...", (int)length, text);
    return quoted;
}

bool cli_is_good_text(const char *text)
{
    bool good = text[0] != '\0';
    for (const char *c = text; *c != '\0'; c++)
        good = good && (unsigned char)*c >= ' ' && *c != 0x7f;
    return good;
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

int cli_finish(const char *command, lgkt_status status, const lgkt_error *error)
{
    // other failures are of what was given: a value, a spec, a model, a file
    static const bool of_the_work[LGKT_STATUS_COUNT] = {
        [-LGKT_ERR_IO] = true,      [-LGKT_ERR_NO_MEMORY] = true, [-LGKT_ERR_PROTOCOL] = true,
        [-LGKT_ERR_HORIZON] = true, [-LGKT_ERR_SYSTEM] = true,    [-LGKT_ERR_NO_CONVERGENCE] = true,
    };
    const int code = status > 0 ? (int)status : status < LGKT_OK ? 2 - of_the_work[-status] : 0;
    if (status == LGKT_ERR_IO)
        end_if_unread(); // a file may be /dev/stdout
    if (status != LGKT_OK && error->text[0] != '\0')
        cli_say(command, "%s", error->text);
    errno = 0;
    bool good = fflush(stdout) == 0 && !ferror(stdout);
    const int why = errno;
    if (!good)
        end_if_unread();
    good = fclose(stdout) == 0 && good;
    if (good || code != 0)
        return code;
    cli_say(command, "cannot write the output: %s", why != 0 ? strerror(why) : "write error");
    return 1;
}

lgkt_status cli_output_open(const char *path, io_output *output, lgkt_error *error)
{
    struct stat out, file;
    if (fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode) && stat(path, &file) == 0 &&
        file.st_dev == out.st_dev && file.st_ino == out.st_ino)
        return lgkt_fail(error, CLI_USAGE, "%s: the output of the command goes there",
                         io_short_name(path));
    return io_output_open(path, output, error);
}

// ---- tables ----

lgkt_status cli_table_print(io_memory *table, const char *columns, lgkt_error *error)
{
    enum { MAX_COLUMNS = 16 };
    int widths[MAX_COLUMNS] = {0};
    size_t size = 0, count = strlen(columns);
    char *text = io_memory_close(table, &size);
    if (text == NULL)
        return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    // first cut into cells and measured, then printed
    for (int pass = 0; pass < 2; pass++) {
        size_t j = 0;
        for (char *cell = text; cell < text + size; cell += strlen(cell) + 1, j = (j + 1) % count) {
            cell[strcspn(cell, "\t\n")] = '\0';
            lgkt_text_clean(cell, strlen(cell) + 1, cell);
            const bool number = columns[j] == 'r', last = j + 1 == count;
            const bool minus = number && cell[0] == '-';
            const bool zero = minus && cell[1] == '0' && strtod(cell, NULL) == 0;
            const bool unknown = number && strncmp(cell + minus, "nan", 3) == 0;
            const char *shown = unknown ? "-" : cell + zero;
            const int length = (int)strlen(shown);
            widths[j] = length > widths[j] ? length : widths[j];
            // no blanks behind the last cell of a line
            const int width = number ? widths[j] : last ? 0 : -widths[j];
            if (pass == 1)
                printf("%*s%s", width, shown, last ? "\n" : "  ");
        }
    }
    free(text);
    return LGKT_OK;
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
        _exit((int)CLI_INTERRUPTED);
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
        _exit((int)CLI_INTERRUPTED);
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
    if (progress->instances_done == progress->instances ||
        progress->seconds < fmax(line->next, 2.0))
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

int32_t cli_watch_jobs(int64_t jobs)
{
    const long count = jobs > 0 ? (long)jobs : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > EXP_MAX_JOBS ? EXP_MAX_JOBS : (int32_t)count;
}
