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
// A record is one write, so what a killed process leaves is a beginning of it. Only one thread
// syncs, and it does not hold up those that append.
#include "experiments/runner/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/hash.h"
#include "experiments/runner/play.h"
#include "io/plain/io_text.h"

enum { HEAD = EXP_FRAME_HEAD, TAIL = EXP_FRAME_TAIL };
#define SPARE_FILES 32 // that others than journals may open

// the number is that of the format of all records
#define FAMILY "lgkt journal "
#define MAGIC  FAMILY "5\n"

struct exp_journal {
    int file; // < 0: it rests, or is not open yet
    char *path;
    pthread_mutex_t lock; // guards the rest
    int64_t begin;        // of the second record, once the first was read
    int64_t end;          // of the last whole record
    double dirty_since;   // seconds; < 0: all is on the disk
    bool broken;          // a failed write could not be cut off
    bool looking;         // it was opened to be read only
};

// ---- bytes ----

void exp_frame_close(unsigned char *frame, size_t size)
{
    lgkt_put_u64(frame, size);
    lgkt_put_u64(frame + 8, lgkt_hash_bytes(LGKT_HASH_START, frame, 8));
    lgkt_put_u64(frame + HEAD + size, lgkt_hash_bytes(LGKT_HASH_START, frame, HEAD + size));
}

int64_t exp_journal_room(size_t size)
{
    return (int64_t)(HEAD + size + TAIL);
}

// with its zero, so that the text can be read as one
int64_t exp_journal_begin(const char *identity)
{
    return exp_journal_room(strlen(MAGIC) + strlen(identity) + 1);
}

// HEAD + size + TAIL bytes that the caller frees, or NULL
static unsigned char *frame(const void *payload, size_t size)
{
    unsigned char *record = malloc(HEAD + size + TAIL);
    if (record == NULL)
        return NULL;
    memcpy(record + HEAD, payload, size);
    exp_frame_close(record, size);
    return record;
}

static bool good_head(const unsigned char *head)
{
    return lgkt_get_u64(head + 8) == lgkt_hash_bytes(LGKT_HASH_START, head, 8) &&
           lgkt_get_u64(head) <= EXP_MAX_RECORD;
}

bool exp_frame_check(const unsigned char *bytes, size_t available, size_t *size)
{
    if (available < HEAD + TAIL || !good_head(bytes) ||
        lgkt_get_u64(bytes) > available - HEAD - TAIL)
        return false;
    *size = (size_t)lgkt_get_u64(bytes);
    return lgkt_get_u64(bytes + HEAD + *size) ==
           lgkt_hash_bytes(LGKT_HASH_START, bytes, HEAD + *size);
}

// ---- reading ----

// false with errno, or with errno 0 at the end of the file
static bool read_at(int file, int64_t offset, void *bytes, size_t size)
{
    unsigned char *to = bytes;
    errno = 0;
    while (size > 0) {
        const ssize_t n = pread(file, to, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        to += n;
        offset += n;
        size -= (size_t)n;
    }
    return true;
}

static lgkt_status damaged(const exp_journal *journal, int64_t offset, lgkt_error *error)
{
    return lgkt_fail(error, LGKT_ERR_FORMAT,
                     "%s: damaged at byte %" PRId64 "; nothing was changed (%scut the file there "
                     "to keep what stands before)",
                     io_short_name(journal->path), offset,
                     journal->looking ? "" : "use another --out, or ");
}

static lgkt_status no_memory(lgkt_error *error)
{
    return lgkt_fail_memory(error, "a record of the journal");
}

static lgkt_status read_failed(const exp_journal *journal, int64_t offset, lgkt_error *error)
{
    return errno != 0 ? io_fail_errno(error, journal->path) : damaged(journal, offset, error);
}

// the payload of the record at an offset, into bytes of HEAD + size + TAIL
static lgkt_status read_record(const exp_journal *journal, int64_t offset, unsigned char *bytes,
                               size_t size, lgkt_error *error)
{
    if (!read_at(journal->file, offset, bytes, HEAD + size + TAIL))
        return read_failed(journal, offset, error);
    size_t found;
    if (!exp_frame_check(bytes, HEAD + size + TAIL, &found) || found != size)
        return damaged(journal, offset, error);
    return LGKT_OK;
}

static bool open_to_read(exp_journal *journal)
{
    // it may be a pipe, which must not hold us up
    journal->file = open(journal->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    return journal->file >= 0;
}

static void close_file(exp_journal *journal)
{
    if (journal->file >= 0)
        close(journal->file);
    journal->file = -1;
}

void exp_journal_rest(exp_journal *journal)
{
    if (journal->file >= sysconf(_SC_OPEN_MAX) - SPARE_FILES)
        close_file(journal);
}

lgkt_status exp_journal_read(exp_journal *journal, int64_t offset, void *bytes, size_t size,
                             lgkt_error *error)
{
    const bool rests = journal->file < 0;
    if (rests && !open_to_read(journal))
        return io_fail_errno(error, journal->path);
    unsigned char *record = malloc(HEAD + size + TAIL);
    const lgkt_status status =
        record != NULL ? read_record(journal, offset, record, size, error) : no_memory(error);
    if (status == LGKT_OK)
        memcpy(bytes, record + HEAD, size);
    free(record);
    if (rests)
        close_file(journal);
    return status;
}

// ---- opening: going through the records ----

// A walk over the file.
typedef struct scan {
    exp_journal *journal;
    int64_t size; // of the file
    exp_record_fn visit;
    void *ctx;
    unsigned char *buffer; // (capacity)
    size_t capacity;
} scan;

static bool reserve(scan *s, size_t size)
{
    if (size <= s->capacity)
        return true;
    unsigned char *grown = realloc(s->buffer, size);
    if (grown == NULL)
        return false;
    s->buffer = grown;
    s->capacity = size;
    return true;
}

// whether nothing but zeros follows
static lgkt_status only_zeros(const scan *s, int64_t offset, bool *zeros, lgkt_error *error)
{
    unsigned char bytes[4096];
    *zeros = true;
    while (*zeros && offset < s->size) {
        const int64_t left = s->size - offset;
        const size_t n = left < (int64_t)sizeof bytes ? (size_t)left : sizeof bytes;
        if (!read_at(s->journal->file, offset, bytes, n))
            return read_failed(s->journal, offset, error);
        for (size_t i = 0; i < n; i++)
            *zeros = *zeros && bytes[i] == 0;
        offset += (int64_t)n;
    }
    return LGKT_OK;
}

// The size of the record at an offset; *cut if the file ends within it.
static lgkt_status look_at(const scan *s, int64_t offset, size_t *size, bool *cut,
                           lgkt_error *error)
{
    unsigned char head[HEAD];
    *cut = s->size - offset < HEAD;
    if (*cut)
        return LGKT_OK;
    if (!read_at(s->journal->file, offset, head, HEAD))
        return read_failed(s->journal, offset, error);
    if (good_head(head)) {
        *size = (size_t)lgkt_get_u64(head);
        *cut = s->size - offset < (int64_t)(HEAD + *size + TAIL);
        return LGKT_OK;
    }
    const lgkt_status status = only_zeros(s, offset, cut, error);
    return status == LGKT_OK && !*cut ? damaged(s->journal, offset, error) : status;
}

// shows all whole records from `offset` on and sets the end of the last one
static lgkt_status walk(scan *s, int64_t offset, lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    while (offset < s->size && status == LGKT_OK) {
        size_t size = 0;
        bool cut;
        status = look_at(s, offset, &size, &cut, error);
        if (status != LGKT_OK || cut)
            break;
        if (!reserve(s, HEAD + size + TAIL))
            return no_memory(error);
        status = read_record(s->journal, offset, s->buffer, size, error);
        if (status == LGKT_OK && s->visit != NULL)
            status = s->visit(s->ctx, offset, s->buffer + HEAD, size, error);
        offset += (int64_t)(HEAD + size + TAIL);
    }
    s->journal->end = offset;
    return status;
}

// ---- opening: whose journal it is ----

static lgkt_status not_ours(const exp_journal *journal, lgkt_error *error)
{
    return lgkt_fail(error, LGKT_ERR_FORMAT,
                     "%s: is no journal of this program; nothing was changed",
                     io_short_name(journal->path));
}

// The text of the first record behind its magic, in the buffer; NULL if the file ends within it.
static lgkt_status read_first(scan *s, const char **text, lgkt_error *error)
{
    size_t size = 0;
    bool torn;
    const size_t magic = strlen(MAGIC);
    *text = NULL;
    if (s->size < HEAD || look_at(s, 0, &size, &torn, NULL) != LGKT_OK)
        return not_ours(s->journal, error);
    if (torn)
        return LGKT_OK;
    if (size < magic)
        return not_ours(s->journal, error);
    if (!reserve(s, HEAD + size + TAIL))
        return no_memory(error);
    LGKT_TRY(read_record(s->journal, 0, s->buffer, size, error));
    char *found = (char *)s->buffer + HEAD;
    found[size] = '\0';
    if (memcmp(found, FAMILY, strlen(FAMILY)) != 0)
        return not_ours(s->journal, error);
    if (memcmp(found, MAGIC, magic) != 0)
        return lgkt_fail(
            error, LGKT_ERR_CONFIG, "%s: made by another version; nothing was changed%s",
            io_short_name(s->journal->path), s->journal->looking ? "" : " (use another --out)");
    *text = found + magic;
    return LGKT_OK;
}

// Compares the first record with ours, `own` of `length` bytes; *cut if there is only its
// beginning.
static lgkt_status check_first(scan *s, const unsigned char *own, size_t length, bool *cut,
                               lgkt_error *error)
{
    const size_t begin = s->size < (int64_t)length ? (size_t)s->size : length;
    *cut = begin < length;
    if (!reserve(s, begin + 1))
        return no_memory(error);
    if (!read_at(s->journal->file, 0, s->buffer, begin))
        return read_failed(s->journal, 0, error);
    if (memcmp(s->buffer, own, begin) == 0)
        return LGKT_OK;

    lgkt_status status = only_zeros(s, 0, cut, error);
    if (status != LGKT_OK || *cut)
        return status;
    // not ours: somebody else's, or none at all
    const char *text = NULL;
    status = read_first(s, &text, error);
    if (status != LGKT_OK)
        return status;
    if (text == NULL)
        return begin < length ? not_ours(s->journal, error) : damaged(s->journal, 0, error);
    char difference[EXP_DIFFERENCE_SIZE];
    exp_journal_difference(text, (const char *)own + HEAD + strlen(MAGIC), difference);
    return lgkt_fail(error, LGKT_ERR_CONFIG,
                     "%s: made with %s; nothing was changed (use another --out)",
                     io_short_name(s->journal->path), difference);
}

void exp_journal_difference(const char *theirs, const char *ours, char text[EXP_DIFFERENCE_SIZE])
{
    size_t line = 0;
    for (size_t i = 0; theirs[i] == ours[i] && ours[i] != '\0'; i++)
        line = ours[i] == '\n' ? i + 1 : line;
    const int a = (int)strcspn(theirs + line, "\n"), b = (int)strcspn(ours + line, "\n");
    snprintf(text, EXP_DIFFERENCE_SIZE, "\"%.*s\", not \"%.*s\"", a < 80 ? a : 80, theirs + line,
             b < 80 ? b : 80, ours + line);
}

// ---- opening ----

static lgkt_status cut_back(exp_journal *journal, lgkt_error *error)
{
    return ftruncate(journal->file, (off_t)journal->end) == 0 ? LGKT_OK
                                                              : io_fail_errno(error, journal->path);
}

static lgkt_status measure(scan *s, lgkt_error *error)
{
    const exp_journal *journal = s->journal;
    struct stat info;
    if (fstat(journal->file, &info) != 0)
        return io_fail_errno(error, journal->path);
    if (!S_ISREG(info.st_mode))
        return lgkt_fail(error, LGKT_ERR_FORMAT, "%s: is not a file", io_short_name(journal->path));
    s->size = info.st_size;
    return LGKT_OK;
}

// goes through what is there, and begins the file if there is nothing
static lgkt_status take_over(scan *s, const unsigned char *own, size_t length, lgkt_error *error)
{
    exp_journal *journal = s->journal;
    bool cut = true;
    lgkt_status status = measure(s, error);
    if (status == LGKT_OK)
        status = check_first(s, own, length, &cut, error);
    if (status == LGKT_OK && !cut)
        status = walk(s, (int64_t)length, error);
    if (status == LGKT_OK && journal->end < s->size)
        status = cut_back(journal, error);
    if (status == LGKT_OK && cut)
        status = exp_journal_append(journal, own + HEAD, length - HEAD - TAIL, NULL, error);
    return status;
}

// a journal that is not open yet, or NULL
static exp_journal *make_journal(const char *path)
{
    exp_journal *journal = calloc(1, sizeof *journal);
    if (journal == NULL)
        return NULL;
    pthread_mutex_init(&journal->lock, NULL);
    journal->dirty_since = -1.0;
    journal->file = -1;
    journal->path = strdup(path);
    if (journal->path != NULL)
        return journal;
    exp_journal_close(journal);
    return NULL;
}

lgkt_status exp_journal_open(const char *path, const char *identity, exp_record_fn visit, void *ctx,
                             exp_journal **journal, lgkt_error *error)
{
    // the first record, with its zero, so that the text can be read as one
    const size_t size = strlen(MAGIC) + strlen(identity) + 1;
    char *text = malloc(size);
    unsigned char *own = NULL;
    if (text != NULL) {
        snprintf(text, size, "%s%s", MAGIC, identity);
        own = frame(text, size);
    }
    free(text);
    exp_journal *made = make_journal(path);
    scan s = {.journal = made, .visit = visit, .ctx = ctx};
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    lgkt_status status = LGKT_OK;
    if (made == NULL || own == NULL)
        status = no_memory(error);
    else if ((made->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666)) < 0)
        status = io_fail_errno(error, path);
    else if (fcntl(made->file, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN))
        status =
            lgkt_fail(error, LGKT_ERR_SYSTEM, "%s: in use by another process", io_short_name(path));
    else
        status = take_over(&s, own, HEAD + size + TAIL, error);
    free(s.buffer);
    free(own);
    if (status == LGKT_OK)
        *journal = made;
    else
        exp_journal_close(made);
    return status;
}

lgkt_status exp_journal_look(const char *path, char **identity, exp_journal **journal,
                             lgkt_error *error)
{
    exp_journal *made = make_journal(path);
    scan s = {.journal = made};
    const char *text = NULL;
    lgkt_status status = LGKT_OK;
    *identity = NULL;
    if (made == NULL)
        status = no_memory(error);
    else if (!open_to_read(made))
        status = io_fail_errno(error, path);
    if (status == LGKT_OK) {
        made->looking = true;
        status = measure(&s, error);
    }
    if (status == LGKT_OK && s.size >= HEAD)
        status = read_first(&s, &text, error);
    if (status == LGKT_OK && text != NULL) {
        made->begin = exp_journal_begin(text);
        *identity = strdup(text);
        status = *identity != NULL ? LGKT_OK : no_memory(error);
    }
    free(s.buffer);
    if (status == LGKT_OK)
        *journal = made;
    else
        exp_journal_close(made);
    return status;
}

lgkt_status exp_journal_walk(exp_journal *journal, exp_record_fn visit, void *ctx,
                             lgkt_error *error)
{
    scan s = {.journal = journal, .visit = visit, .ctx = ctx};
    lgkt_status status = measure(&s, error);
    if (status == LGKT_OK)
        status = walk(&s, journal->begin, error);
    free(s.buffer);
    return status;
}

void exp_journal_close(exp_journal *journal)
{
    if (journal == NULL)
        return;
    close_file(journal);
    pthread_mutex_destroy(&journal->lock);
    free(journal->path);
    free(journal);
}

// ---- writing ----

lgkt_status exp_journal_append(exp_journal *journal, const void *bytes, size_t size,
                               int64_t *offset, lgkt_error *error)
{
    if (size > EXP_MAX_RECORD)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "a record of %zu bytes is larger than %d", size,
                         EXP_MAX_RECORD);
    unsigned char *record = frame(bytes, size);
    if (record == NULL)
        return no_memory(error);
    lgkt_status status = LGKT_OK;
    pthread_mutex_lock(&journal->lock);
    if (journal->broken)
        status = lgkt_fail(error, LGKT_ERR_IO, "%s: a write failed before",
                           io_short_name(journal->path));
    const size_t all = HEAD + size + TAIL;
    for (size_t done = 0; done < all && status == LGKT_OK;) {
        const ssize_t n =
            pwrite(journal->file, record + done, all - done, (off_t)(journal->end + (int64_t)done));
        if (n > 0) {
            done += (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            status = io_fail_errno(error, journal->path);
            journal->broken = cut_back(journal, NULL) != LGKT_OK;
        }
    }
    if (status == LGKT_OK) {
        if (offset != NULL)
            *offset = journal->end;
        journal->end += (int64_t)all;
        if (journal->dirty_since < 0.0)
            journal->dirty_since = exp_clock();
    }
    pthread_mutex_unlock(&journal->lock);
    free(record);
    return status;
}

lgkt_status exp_journal_sync(exp_journal *journal, double seconds, lgkt_error *error)
{
    pthread_mutex_lock(&journal->lock);
    const bool due = journal->dirty_since >= 0.0 && exp_clock() - journal->dirty_since >= seconds;
    if (due)
        journal->dirty_since = -1.0;
    pthread_mutex_unlock(&journal->lock);
    return !due || fsync(journal->file) == 0 ? LGKT_OK : io_fail_errno(error, journal->path);
}
