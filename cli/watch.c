// SPDX-License-Identifier: MIT
// The progress line and Ctrl-C.
//
// What the signal handler writes are the only global variables of the program: a handler gets no
// argument.
#include "watch.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

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
}

const atomic_bool *cli_watch_interrupts(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    return &interrupted;
}

// ---- progress ----

// "adaptive-k riverswim-8, lg1t: ", as far as it is known
static void print_subject(const exp_progress *progress)
{
    if (progress->name == NULL)
        return;
    fputs(progress->name, stderr);
    if (progress->learner != NULL)
        fprintf(stderr, ", %.40s", progress->learner);
    fputs(": ", stderr);
}

void cli_watch_progress(void *ctx, const exp_progress *progress)
{
    cli_progress *line = ctx;
    const bool terminal = isatty(STDERR_FILENO) == 1;
    if (progress->instances_done == progress->instances)
        return;
    if (progress->seconds < fmax(line->next, 2.0) || progress->steps_done <= 0.0)
        return;

    const double part = progress->steps_done / progress->steps;
    fputs(terminal ? "\r" : "", stderr);
    print_subject(progress);
    fprintf(stderr, "%3.0f%%  %lld of %lld instances  %.1f M steps/s  %.0f s left%s", 100.0 * part,
            (long long)progress->instances_done, (long long)progress->instances,
            1e-6 * progress->steps_done / progress->seconds,
            progress->seconds * (1.0 - part) / part, terminal ? "\033[K" : "\n");
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

int cli_watch_run(const char *command, exp_setup *setup, bool quiet, exp_result *result)
{
    cli_progress line = {0};
    setup->stop = cli_watch_interrupts();
    if (!quiet) {
        setup->progress = cli_watch_progress;
        setup->progress_ctx = &line;
    }
    lgkt_error error = {0};
    const lgkt_status status = exp_run(setup, result, &error);
    const bool stopped = status == LGKT_OK && !result->complete;
    cli_watch_end(&line, status == LGKT_OK && !stopped);
    if (status != LGKT_OK)
        return cli_fail_error(command, &error);
    if (stopped) {
        exp_result_free(result);
        return cli_fail(command, CLI_INTERRUPTED, "interrupted");
    }
    return CLI_OK;
}

int32_t cli_watch_cores(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > EXP_MAX_JOBS ? EXP_MAX_JOBS : (int32_t)cores;
}
