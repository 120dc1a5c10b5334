// SPDX-License-Identifier: MIT
// The file format of a journal (journal.h), all numbers little-endian:
//
//     record = size (8 bytes), check of the size (8), payload (size bytes), check (8)
//
// A check (core/hash.h) is that of all that stands before it in the record. Since the size has a
// check of its own, a damaged size is not taken for a record that goes on behind the end of the
// file. A record was cut off by a kill if the file ends
//   - before the check of its size, or
//   - behind a good size but before the check of the record, or
//   - in zeros only, which some file systems leave after a loss of power.
// The first record is whole, a beginning of the one we would write, or zeros.
//
// A record is one write, so what a killed process leaves is a beginning of it. The thread that syncs
// does not hold up the one that appends.
#include "experiments/runner/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/hash.h"
#include "experiments/runner/play.h"
#include "io/plain/io_text.h"

enum { HEAD = EXP_FRAME_HEAD };
#define SPARE_FILES 32 // that others than journals may open

struct exp_journal {
    int file; // < 0: it rests, or is not open yet
    char *path;
    int64_t end;                // of the last whole record
    _Atomic double dirty_since; // seconds; < 0: all is on the disk
    bool broken;                // a failed write could not be cut off
    bool looking;               // it was opened to be read only
};

// ---- frames ----

void exp_frame_close(unsigned char *frame, size_t size)
{
    lgkt_put_u64(frame, size);
    lgkt_put_u64(frame + 8, lgkt_hash_bytes(LGKT_HASH_START, frame, 8));
    lgkt_put_u64(frame + HEAD + size, lgkt_hash_bytes(LGKT_HASH_START, frame, HEAD + size));
}

static bool good_head(const unsigned char *head)
{
    return lgkt_get_u64(head + 8) == lgkt_hash_bytes(LGKT_HASH_START, head, 8) &&
           lgkt_get_u64(head) <= EXP_MAX_RECORD;
}

bool exp_frame_check(const unsigned char *bytes, size_t available, size_t *size)
{
    if (available < EXP_FRAME || !good_head(bytes) || lgkt_get_u64(bytes) > available - EXP_FRAME)
        return false;
    *size = (size_t)lgkt_get_u64(bytes);
    return lgkt_get_u64(bytes + HEAD + *size) ==
           lgkt_hash_bytes(LGKT_HASH_START, bytes, HEAD + *size);
}

// ---- reading ----

const char *exp_journal_name(const exp_journal *journal)
{
    return io_short_name(journal->path);
}

static lgkt_status damaged(const exp_journal *journal, int64_t offset, lgkt_error *error)
{
    return lgkt_fail(error, LGKT_ERR_FORMAT,
                     "%s: damaged at byte %" PRId64 "; nothing was changed (%scut the file there "
                     "to keep what stands before)",
                     exp_journal_name(journal), offset,
                     journal->looking ? "" : "use another --out, or ");
}

static lgkt_status not_ours(const exp_journal *journal, lgkt_error *error)
{
    return lgkt_fail(error, LGKT_ERR_FORMAT,
                     "%s: is no journal of this program; nothing was changed",
                     exp_journal_name(journal));
}

static lgkt_status read_at(const exp_journal *journal, int64_t offset, unsigned char *bytes,
                           size_t size, lgkt_error *error)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n =
            pread(journal->file, bytes + done, size - done, (off_t)(offset + (int64_t)done));
        if (n == 0)
            return damaged(journal, offset, error);
        if (n < 0 && errno != EINTR)
            return io_fail_errno(error, journal->path);
        done += n > 0 ? (size_t)n : 0;
    }
    return LGKT_OK;
}

static lgkt_status open_to_read(exp_journal *journal, lgkt_error *error)
{
    // it may be a pipe, which must not hold us up
    journal->file = open(journal->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    return journal->file >= 0 ? LGKT_OK : io_fail_errno(error, journal->path);
}

static void close_file(exp_journal *journal)
{
    if (journal->file >= 0)
        close(journal->file);
    journal->file = -1;
}

// ---- going through the records ----

// A walk over the file.
typedef struct scan {
    exp_journal *journal;
    int64_t size; // of the file
    exp_record_fn visit;
    void *ctx;
    unsigned char *buffer; // of the record at hand
} scan;

static lgkt_status reserve(scan *s, size_t size, lgkt_error *error)
{
    unsigned char *grown = realloc(s->buffer, size);
    if (grown == NULL)
        return lgkt_fail_memory(error, "a record of the journal");
    s->buffer = grown;
    return LGKT_OK;
}

// whether nothing but zeros follows
static lgkt_status only_zeros(const scan *s, int64_t offset, bool *zeros, lgkt_error *error)
{
    unsigned char bytes[4096];
    *zeros = true;
    while (*zeros && offset < s->size) {
        const int64_t left = s->size - offset;
        const size_t n = left < (int64_t)sizeof bytes ? (size_t)left : sizeof bytes;
        LGKT_TRY(read_at(s->journal, offset, bytes, n, error));
        for (size_t i = 0; i < n; i++)
            *zeros = *zeros && bytes[i] == 0;
        offset += (int64_t)n;
    }
    return LGKT_OK;
}

// The frame at an offset, into the buffer; *cut if the file ends within it.
static lgkt_status next_frame(scan *s, int64_t offset, size_t *size, bool *cut, lgkt_error *error)
{
    unsigned char head[HEAD];
    *cut = s->size - offset < HEAD;
    if (*cut)
        return LGKT_OK;
    LGKT_TRY(read_at(s->journal, offset, head, HEAD, error));
    if (!good_head(head)) {
        LGKT_TRY(only_zeros(s, offset, cut, error));
        if (*cut)
            return LGKT_OK;
        return offset > 0 ? damaged(s->journal, offset, error) : not_ours(s->journal, error);
    }
    *size = (size_t)lgkt_get_u64(head);
    *cut = s->size - offset < (int64_t)(EXP_FRAME + *size);
    if (*cut)
        return LGKT_OK;
    LGKT_TRY(reserve(s, EXP_FRAME + *size, error));
    LGKT_TRY(read_at(s->journal, offset, s->buffer, EXP_FRAME + *size, error));
    return exp_frame_check(s->buffer, EXP_FRAME + *size, size) ? LGKT_OK
                                                               : damaged(s->journal, offset, error);
}

lgkt_status exp_journal_read(exp_journal *journal, int64_t offset, unsigned char **frame,
                             size_t *size, lgkt_error *error)
{
    const bool rests = journal->file < 0;
    // one that goes on behind the end of the file is damaged
    scan s = {.journal = journal, .size = INT64_MAX};
    bool cut;
    if (rests)
        LGKT_TRY(open_to_read(journal, error));
    const lgkt_status status = next_frame(&s, offset, size, &cut, error);
    if (rests)
        close_file(journal);
    *frame = s.buffer;
    return status;
}

// what there is of a first record that was cut off must be a beginning of ours, or zeros
static lgkt_status check_beginning(scan *s, const unsigned char *first, lgkt_error *error)
{
    const int64_t length = EXP_FRAME + (int64_t)lgkt_get_u64(first);
    const size_t there = (size_t)(s->size < length ? s->size : length);
    bool good;
    LGKT_TRY(reserve(s, there + 1, error));
    LGKT_TRY(read_at(s->journal, 0, s->buffer, there, error));
    if (memcmp(s->buffer, first, there) == 0)
        return LGKT_OK;
    LGKT_TRY(only_zeros(s, 0, &good, error));
    return good ? LGKT_OK : not_ours(s->journal, error);
}

// the first record, a text, is of this program, this version and, if we have one, like ours
static lgkt_status check_first(const scan *s, const char *text, const unsigned char *first,
                               lgkt_error *error)
{
    char difference[EXP_DIFFERENCE_SIZE];
    const char *name = exp_journal_name(s->journal);
    if (strncmp(text, EXP_JOURNAL_FAMILY, strlen(EXP_JOURNAL_FAMILY)) != 0)
        return not_ours(s->journal, error);
    if (strncmp(text, EXP_JOURNAL_MAGIC, strlen(EXP_JOURNAL_MAGIC)) != 0)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "%s: made by another version; nothing was changed%s", name,
                         s->journal->looking ? "" : " (use another --out)");
    if (first == NULL || exp_journal_same(text, (const char *)first + HEAD, difference))
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_CONFIG,
                     "%s: made with %s; nothing was changed (use another --out)", name, difference);
}

bool exp_journal_same(const char *theirs, const char *ours, char text[EXP_DIFFERENCE_SIZE])
{
    size_t line = 0;
    for (size_t i = 0; theirs[i] == ours[i]; i++) {
        // the end, or an empty line
        if (ours[i] == '\0' || (ours[i] == '\n' && i == line))
            return true;
        line = ours[i] == '\n' ? i + 1 : line;
    }
    const int a = (int)strcspn(theirs + line, "\n"), b = (int)strcspn(ours + line, "\n");
    snprintf(text, EXP_DIFFERENCE_SIZE, "\"%.*s\", not \"%.*s\"", a < 80 ? a : 80, theirs + line,
             b < 80 ? b : 80, ours + line);
    return false;
}

// shows all whole records and sets the end of the last one
static lgkt_status walk(scan *s, const unsigned char *first, lgkt_error *error)
{
    int64_t *end = &s->journal->end;
    size_t size = 0;
    bool cut;
    for (; *end < s->size; *end += (int64_t)(EXP_FRAME + size)) {
        LGKT_TRY(next_frame(s, *end, &size, &cut, error));
        if (cut)
            break;
        // in place of the check that follows it
        s->buffer[HEAD + size] = '\0';
        if (*end == 0)
            LGKT_TRY(check_first(s, (const char *)s->buffer + HEAD, first, error));
        LGKT_TRY(s->visit(s->ctx, *end, s->buffer + HEAD, size, error));
    }
    return *end == 0 && first != NULL ? check_beginning(s, first, error) : LGKT_OK;
}

// ---- opening ----

static lgkt_status cut_back(exp_journal *journal, lgkt_error *error)
{
    return ftruncate(journal->file, (off_t)journal->end) == 0 ? LGKT_OK
                                                              : io_fail_errno(error, journal->path);
}

static lgkt_status open_to_write(exp_journal *journal, lgkt_error *error)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    journal->file = open(journal->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (journal->file < 0)
        return io_fail_errno(error, journal->path);
    if (fcntl(journal->file, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN))
        return lgkt_fail(error, LGKT_ERR_SYSTEM, "%s: in use by another process",
                         exp_journal_name(journal));
    return LGKT_OK;
}

// goes through what is there, and begins the file if there is nothing
static lgkt_status take_over(scan *s, const unsigned char *first, lgkt_error *error)
{
    exp_journal *journal = s->journal;
    struct stat info;
    LGKT_TRY(first != NULL ? open_to_write(journal, error) : open_to_read(journal, error));
    if (fstat(journal->file, &info) != 0)
        return io_fail_errno(error, journal->path);
    if (!S_ISREG(info.st_mode))
        return lgkt_fail(error, LGKT_ERR_FORMAT, "%s: is not a file", exp_journal_name(journal));
    s->size = info.st_size;
    LGKT_TRY(walk(s, first, error));
    if (first == NULL) {
        if (journal->file >= sysconf(_SC_OPEN_MAX) - SPARE_FILES)
            close_file(journal);
        return LGKT_OK;
    }
    if (journal->end < s->size)
        LGKT_TRY(cut_back(journal, error));
    return journal->end == 0 ? exp_journal_append(journal, first, NULL, error) : LGKT_OK;
}

lgkt_status exp_journal_open(const char *path, const unsigned char *first, exp_record_fn visit,
                             void *ctx, exp_journal **journal, lgkt_error *error)
{
    exp_journal *made = *journal = malloc(sizeof *made);
    if (made == NULL)
        return lgkt_fail_memory(error, "a journal");
    *made = (exp_journal){
        .file = -1, .path = strdup(path), .dirty_since = -1.0, .looking = first == NULL};
    scan s = {.journal = made, .visit = visit, .ctx = ctx};
    const lgkt_status status =
        made->path != NULL ? take_over(&s, first, error) : lgkt_fail_memory(error, "a journal");
    free(s.buffer);
    if (status != LGKT_OK) {
        exp_journal_close(made);
        *journal = NULL;
    }
    return status;
}

void exp_journal_close(exp_journal *journal)
{
    if (journal == NULL)
        return;
    close_file(journal);
    free(journal->path);
    free(journal);
}

// ---- writing ----

lgkt_status exp_journal_append(exp_journal *journal, const unsigned char *frame, int64_t *offset,
                               lgkt_error *error)
{
    const uint64_t size = lgkt_get_u64(frame);
    if (size > EXP_MAX_RECORD)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "a record of %" PRIu64 " bytes is larger than %d",
                         size, EXP_MAX_RECORD);
    const size_t all = EXP_FRAME + (size_t)size;
    if (journal->broken)
        return lgkt_fail(error, LGKT_ERR_IO, "%s: a write failed before",
                         exp_journal_name(journal));
    for (size_t done = 0; done < all;) {
        const ssize_t n =
            pwrite(journal->file, frame + done, all - done, (off_t)(journal->end + (int64_t)done));
        if (n == 0 || (n < 0 && errno != EINTR)) {
            const lgkt_status status = io_fail_errno(error, journal->path);
            journal->broken = cut_back(journal, NULL) != LGKT_OK;
            return status;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    if (offset != NULL)
        *offset = journal->end;
    journal->end += (int64_t)all;
    if (journal->dirty_since < 0.0)
        journal->dirty_since = exp_clock();
    return LGKT_OK;
}

lgkt_status exp_journal_sync(exp_journal *journal, double seconds, lgkt_error *error)
{
    const double since = journal->dirty_since;
    if (since < 0.0 || exp_clock() - since < seconds)
        return LGKT_OK;
    // what is appended from here on may miss the disk, and says so again
    journal->dirty_since = -1.0;
    return fsync(journal->file) == 0 ? LGKT_OK : io_fail_errno(error, journal->path);
}
