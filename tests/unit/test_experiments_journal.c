// SPDX-License-Identifier: MIT
// labels: threads
// The journal: cut at every byte, changed at every byte, of somebody else, on a full disk, in use,
// filled by one thread while another one syncs.
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/hash.h"
#include "experiments/runner/journal.h"

#define IDENTITY "experiment small\nversion 1.2.3\nseed 7\n"
#define MORE     "\nwhat may differ"

// ---- files ----

static char folder[] = "/tmp/lgkt-journal-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/journal.bin", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static size_t read_file(unsigned char *bytes, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, capacity, file);
    assert_true(size < capacity);
    fclose(file);
    return size;
}

// a new file, since some file systems bring a file to the disk when its contents are replaced
static void write_file(const unsigned char *bytes, size_t size)
{
    unlink(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void assert_file(const unsigned char *bytes, size_t size)
{
    unsigned char now[8192];
    assert_int_equal(read_file(now, sizeof now), size);
    assert_memory_equal(now, bytes, size);
}

// ---- records ----

#define MOST 64

// What a walk over a journal met.
typedef struct met {
    int count;
    int64_t offsets[MOST];
    size_t sizes[MOST];
    unsigned char first[MOST]; // first byte of each record, 0 for an empty one
} met;

static lgkt_status meet(void *ctx, int64_t offset, const void *bytes, size_t size,
                        lgkt_error *error)
{
    (void)error;
    met *m = ctx;
    assert_int_equal(((const char *)bytes)[size], 0);
    if (offset == 0)
        return LGKT_OK;
    assert_true(m->count < MOST);
    m->offsets[m->count] = offset;
    m->sizes[m->count] = size;
    m->first[m->count] = 0;
    if (size > 0)
        m->first[m->count] = *(const unsigned char *)bytes;
    m->count++;
    return LGKT_OK;
}

// the frame of a first record
static unsigned char *first_of(const char *identity)
{
    static unsigned char frame[256];
    char *text = (char *)frame + EXP_FRAME_HEAD;
    snprintf(text, sizeof frame - EXP_FRAME, EXP_JOURNAL_MAGIC "%s" MORE, identity);
    exp_frame_close(frame, strlen(text));
    return frame;
}

static lgkt_status open_journal(const char *identity, met *m, exp_journal **journal,
                                lgkt_error *error)
{
    *m = (met){0};
    return exp_journal_open(path, first_of(identity), meet, m, journal, error);
}

// appends a record of its own frame
static lgkt_status append_bytes(exp_journal *journal, const void *bytes, size_t size,
                                int64_t *offset, lgkt_error *error)
{
    unsigned char frame[1024];
    memcpy(frame + EXP_FRAME_HEAD, bytes, size);
    exp_frame_close(frame, size);
    return exp_journal_append(journal, frame, offset, error);
}

static exp_journal *must_open(met *m)
{
    exp_journal *journal = NULL;
    lgkt_error error = {0};
    assert_ok(open_journal(IDENTITY, m, &journal, &error), error);
    return journal;
}

// record number i: some bytes that begin with i + 1, sizes 3, 0, 25, 8
static size_t payload(int i, unsigned char bytes[32])
{
    static const size_t sizes[] = {3, 0, 25, 8};
    const size_t size = sizes[i % 4];
    for (size_t j = 0; j < size; j++)
        bytes[j] = (unsigned char)(j == 0 ? i + 1 : 37 * i + 11 * (int)j);
    return size;
}

static void append(exp_journal *journal, int i)
{
    unsigned char bytes[32];
    lgkt_error error = {0};
    const size_t size = payload(i, bytes);
    assert_ok(append_bytes(journal, bytes, size, NULL, &error), error);
}

// a journal with four records; returns its size
static size_t make_journal(unsigned char *bytes, size_t capacity)
{
    met m;
    exp_journal *journal = must_open(&m);
    assert_int_equal(m.count, 0);
    for (int i = 0; i < 4; i++)
        append(journal, i);
    exp_journal_close(journal);
    return read_file(bytes, capacity);
}

static void assert_records(const met *m, int count)
{
    assert_int_equal(m->count, count);
    for (int i = 0; i < count; i++) {
        unsigned char bytes[32];
        assert_int_equal(m->sizes[i], payload(i, bytes));
        assert_int_equal(m->first[i], m->sizes[i] > 0 ? i + 1 : 0);
    }
}

// ---- what comes back ----

static void test_records_come_back(void **state)
{
    (void)state;
    unsigned char file[4096], bytes[32], *again = NULL;
    size_t found;
    make_journal(file, sizeof file);
    met m;
    exp_journal *journal = must_open(&m);
    lgkt_error error = {0};
    assert_records(&m, 4);
    for (int i = 3; i >= 0; i--) {
        const size_t size = payload(i, bytes);
        assert_ok(exp_journal_read(journal, m.offsets[i], &again, &found, &error), error);
        assert_int_equal(found, size);
        assert_memory_equal(again + EXP_FRAME_HEAD, bytes, size);
        free(again);
    }
    const int64_t nowhere[] = {m.offsets[2] + 1, 1 << 20};
    for (int i = 0; i < 2; i++) {
        assert_refused(exp_journal_read(journal, nowhere[i], &again, &found, &error),
                       LGKT_ERR_FORMAT, error, "damaged at byte");
        free(again);
    }
    int64_t offset = 0;
    assert_ok(append_bytes(journal, "x", 1, &offset, &error), error);
    assert_ok(exp_journal_read(journal, offset, &again, &found, &error), error);
    assert_int_equal(found, 1);
    assert_int_equal(again[EXP_FRAME_HEAD], 'x');
    free(again);
    assert_ok(exp_journal_sync(journal, 0.0, &error), error);
    assert_ok(exp_journal_sync(journal, 0.0, &error), error);
    exp_journal_close(journal);
    exp_journal_close(NULL);
}

static void test_the_format_is_what_it_says(void **state)
{
    (void)state;
    unsigned char file[4096];
    const size_t size = make_journal(file, sizeof file);
    const char *text = "lgkt journal 5\n" IDENTITY MORE;
    const size_t first = strlen(text);
    assert_int_equal(lgkt_get_u64(file), first);
    assert_memory_equal(file + 16, text, first);
    // FNV-1a: the published value of "a"
    assert_true(lgkt_hash_bytes(LGKT_HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(lgkt_get_u64(file + 8) == lgkt_hash_bytes(LGKT_HASH_START, file, 8));
    assert_true(lgkt_get_u64(file + 16 + first) ==
                lgkt_hash_bytes(LGKT_HASH_START, file, 16 + first));
    assert_int_equal(size, 24 + first + 4 * 24 + 3 + 0 + 25 + 8);
}

// ---- cut ----

static void test_cut_at_every_byte(void **state)
{
    (void)state;
    unsigned char file[4096];
    const size_t size = make_journal(file, sizeof file);
    met whole;
    exp_journal_close(must_open(&whole));
    for (size_t cut = 0; cut <= size; cut++) {
        write_file(file, cut);
        met m;
        exp_journal *journal = must_open(&m);
        int count = 0;
        while (count < 4 && (size_t)whole.offsets[count] + 24 + whole.sizes[count] <= cut)
            count++;
        assert_records(&m, count);

        // going on gives the file that was never cut
        for (int i = count; i < 4; i++)
            append(journal, i);
        exp_journal_close(journal);
        assert_file(file, size);
    }
}

static void test_zeros_at_the_end_are_cut_off(void **state)
{
    (void)state;
    unsigned char file[16384] = {0};
    const size_t size = make_journal(file, sizeof file - 6000);
    const size_t zeros[] = {1, 15, 16, 17, 24, 5000};
    for (int i = 0; i < 6; i++) {
        write_file(file, size + zeros[i]);
        met m;
        exp_journal_close(must_open(&m));
        assert_records(&m, 4);
        assert_file(file, size);
    }
    // not if something stands behind them
    file[size + 5000] = 1;
    write_file(file, size + 5001);
    met m;
    exp_journal *journal;
    lgkt_error error = {0};
    assert_refused(open_journal(IDENTITY, &m, &journal, &error), LGKT_ERR_FORMAT, error,
                   "damaged at byte");
}

// ---- changed ----

static void test_every_changed_byte_is_refused(void **state)
{
    (void)state;
    unsigned char file[4096];
    const size_t size = make_journal(file, sizeof file);
    const unsigned char changes[] = {0x01, 0x80, 0xff};
    for (size_t i = 0; i < 3 * size; i++) {
        unsigned char *byte = &file[i / 3];
        *byte ^= changes[i % 3];
        write_file(file, size);
        met m;
        exp_journal *journal = NULL;
        lgkt_error error = {0};
        const lgkt_status status = open_journal(IDENTITY, &m, &journal, &error);
        if (status != LGKT_ERR_FORMAT)
            fail_msg("byte %zu: %s: %s", i / 3, lgkt_status_name(status), error.text);
        assert_true(strlen(error.text) > 0 && strchr(error.text, '\n') == NULL);
        assert_file(file, size); // nothing was changed
        *byte ^= changes[i % 3];
    }
}

static void test_a_lost_or_doubled_piece_is_refused(void **state)
{
    (void)state;
    unsigned char file[4096], other[8192];
    const size_t size = make_journal(file, sizeof file);
    met m, whole;
    exp_journal *journal;
    exp_journal_close(must_open(&whole));
    // 10 bytes lost in the middle of the third record
    const size_t at = (size_t)whole.offsets[2] + 20;
    memcpy(other, file, at);
    memcpy(other + at, file + at + 10, size - at - 10);
    write_file(other, size - 10);
    lgkt_error error = {0};
    char words[64];
    snprintf(words, sizeof words, "damaged at byte %d", (int)whole.offsets[2]);
    assert_refused(open_journal(IDENTITY, &m, &journal, &error), LGKT_ERR_FORMAT, error, words);
    // 10 bytes in addition
    memcpy(other, file, at);
    memset(other + at, 'x', 10);
    memcpy(other + at + 10, file + at, size - at);
    write_file(other, size + 10);
    assert_refused(open_journal(IDENTITY, &m, &journal, &error), LGKT_ERR_FORMAT, error, words);
    // words behind the end
    memcpy(other, file, size);
    memset(other + size, 'x', 40);
    write_file(other, size + 40);
    assert_refused(open_journal(IDENTITY, &m, &journal, &error), LGKT_ERR_FORMAT, error,
                   "damaged at byte");
}

// ---- of somebody else ----

// a good first record in the format of another version, or of another program
static void test_another_format_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *words;
        lgkt_status status;
    } cases[] = {
        {"lgkt journal 3\n" IDENTITY, "made by another version", LGKT_ERR_CONFIG},
        {"lgkt journal 6\n" IDENTITY "more\n", "made by another version", LGKT_ERR_CONFIG},
        {"some diary 2\n" IDENTITY, "is no journal", LGKT_ERR_FORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char file[256];
        const size_t size = strlen(cases[i].text) + 1;
        lgkt_put_u64(file, size);
        lgkt_put_u64(file + 8, lgkt_hash_bytes(LGKT_HASH_START, file, 8));
        memcpy(file + 16, cases[i].text, size);
        lgkt_put_u64(file + 16 + size, lgkt_hash_bytes(LGKT_HASH_START, file, 16 + size));
        write_file(file, size + 24);
        met m;
        exp_journal *journal;
        lgkt_error error = {0};
        assert_refused(open_journal(IDENTITY, &m, &journal, &error), cases[i].status, error,
                       cases[i].words);
        assert_file(file, size + 24);
    }
}

static void test_the_first_different_line_is_named(void **state)
{
    (void)state;
    unsigned char file[4096];
    const size_t size = make_journal(file, sizeof file);
    const struct {
        const char *identity, *words;
    } cases[] = {
        {"experiment other\nversion 1.2.3\nseed 7\n",
         "made with \"experiment small\", not \"experiment other\""},
        {"experiment small\nversion 1.2.4\nseed 7\n",
         "made with \"version 1.2.3\", not \"version 1.2.4\""},
        {"experiment small\nversion 1.2.3\nseed 8\n", "made with \"seed 7\", not \"seed 8\""},
        {"experiment small\nversion 1.2.3\nseed 7\ncatalog 1\n", "not \"catalog 1\""},
        {"experiment small\nversion 1.2.3\n", "made with \"seed 7\""},
        {"", "made with \"experiment small\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met m;
        exp_journal *journal;
        lgkt_error error = {0};
        assert_refused(open_journal(cases[i].identity, &m, &journal, &error), LGKT_ERR_CONFIG,
                       error, cases[i].words);
        assert_int_equal(m.count, 0);
        assert_file(file, size);
    }
}

static void test_other_files_are_refused(void **state)
{
    (void)state;
    const char *const texts[] = {"x", "panel,learner,t\n", ("lgkt journal 1\n" IDENTITY),
                                 "\x10\0\0\0\0\0\0\0 and so on, for quite a while"};
    for (int i = 0; i < 4; i++) {
        const size_t size = i == 3 ? 30 : strlen(texts[i]);
        write_file((const unsigned char *)texts[i], size);
        met m;
        exp_journal *journal;
        lgkt_error error = {0};
        assert_refused(open_journal(IDENTITY, &m, &journal, &error), LGKT_ERR_FORMAT, error,
                       "no journal");
        assert_file((const unsigned char *)texts[i], size);
    }
    // good records, but not a journal of ours
    unsigned char record[64];
    lgkt_put_u64(record, 20);
    lgkt_put_u64(record + 8, lgkt_hash_bytes(LGKT_HASH_START, record, 8));
    memset(record + 16, 'x', 20);
    lgkt_put_u64(record + 36, lgkt_hash_bytes(LGKT_HASH_START, record, 36));
    write_file(record, 44);
    met m;
    exp_journal *journal;
    lgkt_error error = {0};
    assert_refused(open_journal(IDENTITY, &m, &journal, &error), LGKT_ERR_FORMAT, error,
                   "no journal");
}

static void test_places_that_cannot_be(void **state)
{
    (void)state;
    exp_journal *journal;
    lgkt_error error = {0};
    assert_refused(
        exp_journal_open("/nowhere/at/all", first_of(IDENTITY), meet, NULL, &journal, &error),
        LGKT_ERR_NO_FILE, error, "No such file");
    assert_refused(exp_journal_open(folder, first_of(IDENTITY), meet, NULL, &journal, &error),
                   LGKT_ERR_NO_FILE, error, "directory");
    assert_refused(exp_journal_open("/dev/null", first_of(IDENTITY), meet, NULL, &journal, &error),
                   LGKT_ERR_FORMAT, error, "not a file");
}

static lgkt_status refuse(void *ctx, int64_t offset, const void *bytes, size_t size,
                          lgkt_error *error)
{
    (void)ctx, (void)offset, (void)bytes, (void)size;
    error->status = LGKT_ERR_SHAPE;
    snprintf(error->text, sizeof error->text, "not this one");
    return LGKT_ERR_SHAPE;
}

static void test_a_visitor_can_refuse(void **state)
{
    (void)state;
    unsigned char file[4096];
    const size_t size = make_journal(file, sizeof file);
    write_file(file, size - 1);
    exp_journal *journal;
    lgkt_error error = {0};
    assert_refused(exp_journal_open(path, first_of(IDENTITY), refuse, NULL, &journal, &error),
                   LGKT_ERR_SHAPE, error, "not this one");
    assert_file(file, size - 1);
}

// ---- trouble while writing ----

// A child says yes by killing itself: a normal end under valgrind would count the memory of its
// parent as lost.
static void answer(bool yes)
{
    if (yes)
        raise(SIGKILL);
    _exit(1);
}

static void assert_yes(pid_t child)
{
    int code = -1;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFSIGNALED(code) && WTERMSIG(code) == SIGKILL);
}

// in a child, since the limit cannot be raised again
static void fill_disk(void)
{
    met m;
    exp_journal *journal = must_open(&m);
    lgkt_error error = {0};
    unsigned char bytes[100] = {1};
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {1000, 1000};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    int written = 0;
    while (written < 20 && append_bytes(journal, bytes, 100, NULL, &error) == LGKT_OK)
        written++;
    // less room was needed: that still fits, and a second failure is like the first
    const bool good = written == 7 && error.status == LGKT_ERR_IO &&
                      strstr(error.text, "File too large") != NULL &&
                      append_bytes(journal, bytes, 10, NULL, &error) == LGKT_OK &&
                      append_bytes(journal, bytes, 100, NULL, &error) == LGKT_ERR_IO;
    exp_journal_close(journal);
    answer(good);
}

static void test_a_full_disk_leaves_whole_records(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0)
        fill_disk();
    assert_yes(child);
    met m;
    exp_journal_close(must_open(&m));
    assert_int_equal(m.count, 8);
    assert_int_equal(m.sizes[6], 100);
    assert_int_equal(m.sizes[7], 10);
}

static void test_only_one_process_at_a_time(void **state)
{
    (void)state;
    met m;
    exp_journal *journal = must_open(&m);
    const pid_t child = fork();
    if (child == 0) {
        exp_journal *second;
        lgkt_error error = {0};
        const lgkt_status status = open_journal(IDENTITY, &m, &second, &error);
        answer(status == LGKT_ERR_SYSTEM && strstr(error.text, "in use") != NULL);
    }
    assert_yes(child);
    exp_journal_close(journal);
}

static void test_records_have_a_largest_size(void **state)
{
    (void)state;
    met m;
    exp_journal *journal = must_open(&m);
    lgkt_error error = {0};
    unsigned char frame[EXP_FRAME];
    lgkt_put_u64(frame, EXP_MAX_RECORD + UINT64_C(1));
    assert_refused(exp_journal_append(journal, frame, NULL, &error), LGKT_ERR_SHAPE, error,
                   "larger");
    exp_journal_close(journal);
}

// ---- threads ----

enum { EACH = 48 };

static void *write_records(void *ctx)
{
    unsigned char bytes[500];
    for (int i = 0; i < EACH; i++) {
        memset(bytes, 1 + i, sizeof bytes);
        if (append_bytes(ctx, bytes, 10 * (size_t)(1 + i), NULL, NULL) != LGKT_OK)
            return ctx;
    }
    return NULL;
}

static void test_one_thread_appends_and_another_syncs(void **state)
{
    (void)state;
    met m;
    exp_journal *journal = must_open(&m);
    pthread_t thread;
    void *failed;
    assert_int_equal(pthread_create(&thread, NULL, write_records, journal), 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(exp_journal_sync(journal, 0.0, NULL), LGKT_OK);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    exp_journal_close(journal);
    exp_journal_close(must_open(&m));
    assert_int_equal(m.count, EACH);
    for (int i = 0; i < EACH; i++) {
        assert_int_equal(m.first[i], 1 + i);
        assert_int_equal(m.sizes[i], 10 * (size_t)(1 + i));
    }
}

#define ON_NEW_FILE(test) cmocka_unit_test_setup_teardown(test, remove_file, remove_file)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_NEW_FILE(test_records_come_back),
        ON_NEW_FILE(test_the_format_is_what_it_says),
        ON_NEW_FILE(test_cut_at_every_byte),
        ON_NEW_FILE(test_zeros_at_the_end_are_cut_off),
        ON_NEW_FILE(test_every_changed_byte_is_refused),
        ON_NEW_FILE(test_a_lost_or_doubled_piece_is_refused),
        ON_NEW_FILE(test_another_format_is_refused),
        ON_NEW_FILE(test_the_first_different_line_is_named),
        ON_NEW_FILE(test_other_files_are_refused),
        ON_NEW_FILE(test_places_that_cannot_be),
        ON_NEW_FILE(test_a_visitor_can_refuse),
        ON_NEW_FILE(test_a_full_disk_leaves_whole_records),
        ON_NEW_FILE(test_only_one_process_at_a_time),
        ON_NEW_FILE(test_records_have_a_largest_size),
        ON_NEW_FILE(test_one_thread_appends_and_another_syncs),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
