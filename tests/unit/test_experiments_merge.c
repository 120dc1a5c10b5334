// SPDX-License-Identifier: MIT
// labels: threads
// Parts of an experiment and their merge: the bytes of one machine whoever did what, and one line
// for what does not fit together.
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/hash.h"
#include "experiments/studies/studies.h"
#include "experiments/runner/store.h"
#include "io/plain/io_folder.h"
#include "ref/folders.h"

// ---- a small experiment ----

#define FILE_TEXT                                                                                  \
    "{\"title\": \"Small\", \"horizon\": 300, \"instances\": 9, \"quick\": 2,\n"                   \
    " \"checkpoints\": [10, 100], \"compare\": [100],\n"                                           \
    " \"learners\": {\"all\": [{\"label\": \"One\", \"spec\": \"lg1t\"},\n"                        \
    "   {\"label\": \"Two\", \"spec\": \"lg2t:threshold=0.9\"}],\n"                                \
    "  \"depths\": [{\"label\": \"K\", \"spec\": \"kstep:k=1\"}]},\n"                              \
    " \"panels\": [\n"                                                                             \
    "  {\"name\": \"a\", \"environment\": \"synthetic:states=4,actions=3\", \"learners\": "        \
    "[\"all\"]},\n"                                                                                \
    "  {\"name\": \"b\", \"environment\": \"riverswim:states=5\", \"learners\": [\"all\"],\n"      \
    "   \"instances\": 4, \"measure\": [\"average\", \"counter:runs\"]},\n"                        \
    "  {\"name\": \"c\", \"environment\": \"synthetic:states=4,actions=3\", \"learners\": "        \
    "[\"depths\"],\n"                                                                              \
    "   \"measure\": \"ratio\", \"instances\": 3}]}\n"
enum { ALL = 16, UNFILED = 77 };

static exp_experiment read_text(const char *text)
{
    exp_experiment experiment;
    lgkt_error error = {0};
    assert_ok(exp_experiment_parse(&experiment, text, strlen(text), "some/small.json", &error),
              error);
    return experiment;
}

// part `part` of the experiment in a text, into a folder below the root
static exp_session play(const char *text, const char *folder, const char *part, uint64_t seed,
                        int32_t jobs)
{
    exp_experiment experiment = read_text(text);
    exp_session session;
    lgkt_error error = {0};
    if (seed == UNFILED)
        experiment.size = 0; // as one that was changed in memory
    exp_reproduction asked = {
        .asked = {.experiment = &experiment, .seed = seed, .files = &io_true_files},
        .folder = folders_in(folder),
        .keep_runs = true,
        .how.jobs = jobs};
    if (part != NULL)
        assert_ok(exp_shard_parse(part, &asked.shard, &error), error);
    assert_ok(exp_reproduce(&asked, &session, &error), error);
    assert_true(session.complete);
    assert_int_equal(session.done, session.instances);
    exp_experiment_free(&experiment);
    return session;
}

static const char *whole(void)
{
    static bool made;
    if (!made)
        play(FILE_TEXT, "whole/small", NULL, 1, 2);
    made = true;
    return folders_in("whole/small");
}

// merges some folders below the root into another one
static lgkt_status merge(const char *const *folders, int32_t count, const char *out,
                         exp_merged *merged, lgkt_error *error)
{
    char *paths[8];
    assert_true(count <= 8);
    for (int32_t i = 0; i < count; i++)
        paths[i] = strdup(folders_in(folders[i]));
    const exp_merging asked = {.paths = (const char *const *)paths,
                               .path_count = count,
                               .out = folders_in(out),
                               .keep_runs = true};
    *merged = (exp_merged){0};
    const lgkt_status status = exp_merge(&asked, merged, error);
    for (int32_t i = 0; i < count; i++)
        free(paths[i]);
    return status;
}

static exp_merged must_merge(const char *const *folders, int32_t count, const char *out)
{
    exp_merged merged;
    lgkt_error error = {0};
    assert_ok(merge(folders, count, out, &merged, &error), error);
    assert_string_equal(merged.name, "small");
    assert_int_equal(merged.instances, ALL);
    return merged;
}

// ---- parts ----

static void test_parts_of_units(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",     "3",     "0/2",     "3/2",  "1/0",  "-1/2", "1/",        "/2",
        "1/2:", "1/2:3", "1/2:3/2", "1/2x", " 1/2", "+1/2", "1/1000001", "1/1000:1/1001",
        "1 /2", "1/ 2",  "1/+2"};
    exp_shard shard;
    lgkt_error error = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(exp_shard_parse(bad[i], &shard, &error), LGKT_ERR_ARGUMENT, error,
                       "is no shard");
    assert_ok(exp_shard_parse("3/16:2/4", &shard, &error), error);
    assert_int_equal(shard.part, 18);
    assert_int_equal(shard.parts, 64);
    char text[EXP_SHARD_SIZE];
    exp_shard_print(shard, "/", text);
    assert_string_equal(text, "19/64");
    exp_shard_print((exp_shard){0}, "/", text);
    assert_string_equal(text, "");

    // a part that is cut again has the units of the part, each once, dealt in turn
    for (int64_t u = 0; u < 200; u++) {
        int whole_count = 0, cut_count = 0;
        for (int i = 1; i <= 5; i++) {
            char part[32];
            snprintf(part, sizeof part, "%d/5", i);
            assert_ok(exp_shard_parse(part, &shard, &error), error);
            const bool has = exp_shard_has(shard, u);
            assert_int_equal(has, u % 5 == i - 1);
            whole_count += has;
            int within = 0;
            for (int j = 1; j <= 3; j++) {
                snprintf(part, sizeof part, "%d/5:%d/3", i, j);
                assert_ok(exp_shard_parse(part, &shard, &error), error);
                assert_int_equal(exp_shard_has(shard, u), has && u / 5 % 3 == j - 1);
                within += exp_shard_has(shard, u);
            }
            assert_int_equal(within, has);
            cut_count += within;
        }
        assert_int_equal(whole_count, 1);
        assert_int_equal(cut_count, 1);
        assert_true(exp_shard_has((exp_shard){0}, u));
    }
}

static void test_seven_parts_are_the_whole(void **state)
{
    (void)state;
    int64_t sum = 0;
    for (int i = 1; i <= 7; i++) {
        char part[32];
        snprintf(part, sizeof part, "%d/7", i);
        const exp_session session = play(FILE_TEXT, "seven/small", part, 1, 1 + i % 3);
        assert_true(session.instances == 2 || session.instances == 3);
        sum += session.instances;
        assert_false(io_folder_has(folders_in("seven/small"), "manifest.json"));
    }
    assert_int_equal(sum, ALL);
    // a part that is there does nothing more
    assert_int_equal(play(FILE_TEXT, "seven/small", "3/7", 1, 2).found, 2 + (ALL % 7 > 2));
    const char *const from[] = {"seven"};
    const exp_merged merged = must_merge(from, 1, "seven");
    assert_int_equal(merged.journals, 7);
    assert_true(merged.complete);
    folders_same(whole(), folders_in("seven/small"));
    // again, into the same folder, and from the folder itself; of what others were writing, that
    // of a process that lives is left alone
    const char *const inner[] = {"seven/small"};
    const char dead[] = "runs.csv.999999999.0.tmp";
    char living[64];
    snprintf(living, sizeof living, "runs.csv.%ld.0.tmp", (long)getppid());
    folders_write(folders_in("seven/small"), dead, "panel", 5);
    folders_write(folders_in("seven/small"), living, "panel", 5);
    assert_true(must_merge(inner, 1, "seven").complete);
    folders_same(whole(), folders_in("seven/small"));
    assert_false(io_folder_has(folders_in("seven/small"), dead));
    assert_true(io_folder_has(folders_in("seven/small"), living));
}

static void test_cut_again_and_there_twice(void **state)
{
    (void)state;
    play(FILE_TEXT, "mixed/a", "1/3", 1, 1);
    play(FILE_TEXT, "mixed/b", "2/3:1/2", 1, 1);
    play(FILE_TEXT, "mixed/c", "5/6", 1, 1);
    const char *const from[] = {"mixed/a", "mixed/b", "mixed/c", "mixed/a/journal-1-of-3.bin",
                                "mixed/d", "mixed/e"};
    exp_merged merged = must_merge(from, 3, "mixed/out");
    assert_false(merged.complete);
    assert_int_equal(merged.found, 6 + 3 + 2);
    assert_non_null(strstr(merged.missing, "3 of the 9 instances of panel a"));
    assert_false(io_folder_has(folders_in("mixed/out"), "small"));

    // another machine did the first third, too, and somebody the whole
    play(FILE_TEXT, "mixed/d", "1/3", 1, 2);
    play(FILE_TEXT, "mixed/e", NULL, 1, 1);
    merged = must_merge(from, 6, "mixed/out");
    assert_true(merged.complete);
    assert_int_equal(merged.journals, 6);
    folders_same(whole(), folders_in("mixed/out/small"));
    const char *const twice[] = {"mixed/e", "mixed/e", "mixed/e/journal.bin"};
    assert_true(must_merge(twice, 3, "mixed/other").complete);
    folders_same(whole(), folders_in("mixed/other/small"));
}

static void test_what_is_missing_is_named(void **state)
{
    (void)state;
    for (int i = 1; i <= 7; i++) {
        char part[32];
        snprintf(part, sizeof part, "%d/7", i);
        if (i != 2 && i != 5)
            play(FILE_TEXT, "gaps/small", part, 1, 1);
    }
    const char *const from[] = {"gaps"};
    exp_merged merged = must_merge(from, 1, "gaps");
    assert_false(merged.complete);
    assert_string_equal(merged.missing, "shard 2/7, shard 5/7");

    // a journal that was cut off within a record holds what stands before
    size_t size;
    char *bytes = folders_read(folders_in("gaps/small"), "journal-1-of-7.bin", &size);
    play(FILE_TEXT, "gaps/small", "2/7", 1, 1);
    play(FILE_TEXT, "gaps/small", "5/7", 1, 1);
    folders_write(folders_in("gaps/small"), "journal-1-of-7.bin", bytes, size - 5);
    merged = must_merge(from, 1, "gaps");
    assert_string_equal(merged.missing, "1 of the 3 instances of shard 1/7");
    char *after = folders_read(folders_in("gaps/small"), "journal-1-of-7.bin", NULL);
    assert_memory_equal(bytes, after, size - 5);
    free(after);
    // cut at its very beginning it holds nothing
    for (size_t left = 0; left < 40; left += 13) {
        folders_write(folders_in("gaps/small"), "journal-1-of-7.bin", bytes, left);
        assert_string_equal(must_merge(from, 1, "gaps").missing, "shard 1/7");
    }
    // and so it does with the first record alone
    folders_write(folders_in("gaps/small"), "journal-1-of-7.bin", bytes,
                  (size_t)lgkt_get_u64((unsigned char *)bytes) + 24);
    assert_string_equal(must_merge(from, 1, "gaps").missing, "shard 1/7");
    // or when a loss of power left nothing but zeros; the same command goes on
    const char zeros[5000] = {0};
    for (size_t left = 100; left <= sizeof zeros; left += sizeof zeros - 100) {
        folders_write(folders_in("gaps/small"), "journal-1-of-7.bin", zeros, left);
        assert_string_equal(must_merge(from, 1, "gaps").missing, "shard 1/7");
        play(FILE_TEXT, "gaps/small", "1/7", 1, 1);
    }
    assert_true(must_merge(from, 1, "gaps").complete);
    folders_same(whole(), folders_in("gaps/small"));
    free(bytes);
}

// ---- what does not fit ----

static void assert_no_merge(const char *a, const char *b, lgkt_status status, const char *words)
{
    const char *const from[] = {a, b};
    exp_merged merged;
    lgkt_error error = {0};
    assert_refused(merge(from, b != NULL ? 2 : 1, "bad", &merged, &error), status, error, words);
    assert_null(strchr(error.text, '\n'));
    assert_false(io_folder_has(folders_in("bad"), "small"));
}

static void replace(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
}

static void test_other_experiments_are_refused(void **state)
{
    (void)state;
    play(FILE_TEXT, "bad/one", "1/2", 1, 1);
    play(FILE_TEXT, "bad/seed", "2/2", 2, 1);
    assert_no_merge("bad/one", "bad/seed", LGKT_ERR_CONFIG, "\"seed 2\", not \"seed 1\"");
    char text[] = FILE_TEXT;
    replace(text, "threshold=0.9", "threshold=0.8");
    play(text, "bad/spec", "2/2", 1, 1);
    assert_no_merge("bad/one", "bad/spec", LGKT_ERR_CONFIG,
                    "\"learner lg2t:threshold=0.8\", not \"learner lg2t:threshold=0.9\"");

    // only shown differently: one has to say which
    strcpy(text, FILE_TEXT);
    replace(text, "\"One\"", "\"Uno\"");
    play(text, "bad/label", "2/2", 1, 1);
    assert_no_merge("bad/one", "bad/label", LGKT_ERR_CONFIG, "which one counts");
    folders_write(folders_root(), "small.json", text, strlen(text));
    const char *const from[] = {folders_in("bad/one"), folders_in("bad/label")};
    char *file = strdup(folders_in("small.json"));
    const exp_merging asked = {
        .paths = from, .path_count = 2, .experiment = file, .out = folders_in("labels")};
    exp_merged merged;
    lgkt_error error = {0};
    assert_ok(exp_merge(&asked, &merged, &error), error);
    assert_true(merged.complete);
    free(file);
    char *summary = folders_read(folders_in("labels/small"), "summary.csv", NULL);
    assert_non_null(strstr(summary, "a,Uno,"));
    free(summary);

    play(FILE_TEXT, "bad/unfiled", NULL, UNFILED, 1);
    assert_no_merge("bad/unfiled", NULL, LGKT_ERR_FORMAT, "carries no experiment file");
    assert_no_merge("bad/nowhere", NULL, LGKT_ERR_NO_FILE, "No such file");
    assert_no_merge("whole/small/manifest.json", NULL, LGKT_ERR_FORMAT, "no journal of this");
    assert_int_equal(io_folder_make(folders_in("bad/empty"), NULL), LGKT_OK);
    assert_no_merge("bad/empty", NULL, LGKT_ERR_NO_FILE, "holds no journal");
}

// a journal with its text changed and its checks right again, as another version would write it
static void test_other_versions_are_refused(void **state)
{
    (void)state;
    size_t size;
    play(FILE_TEXT, "old/a", "1/2", 1, 1);
    play(FILE_TEXT, "old/b", "2/2", 1, 1);
    char *bytes = folders_read(folders_in("old/b"), "journal-2-of-2.bin", &size);
    const size_t first = (size_t)lgkt_get_u64((unsigned char *)bytes);
    char *version = strstr(bytes + 16, "version ") + strlen("version ");
    char was[16];
    snprintf(was, sizeof was, "%.*s", (int)strcspn(version, "\n"), version);
    assert_string_equal(was, lgkt_version());
    // other numbers: both are named
    char ours[32], both[96];
    snprintf(ours, sizeof ours, "numbers %d", LGKT_NUMBERS);
    char *numbers = strstr(bytes + 16, ours) + strlen("numbers ");
    const char digit = numbers[0];
    numbers[0] = '7';
    lgkt_put_u64((unsigned char *)bytes + 16 + first,
                 lgkt_hash_bytes(LGKT_HASH_START, bytes, 16 + first));
    folders_write(folders_in("old/b"), "journal-2-of-2.bin", bytes, size);
    snprintf(both, sizeof both, "made with \"numbers 7%s\", not \"%s\"", ours + 9, ours);
    assert_no_merge("old/a", "old/b", LGKT_ERR_CONFIG, both);
    assert_no_merge("old/b", NULL, LGKT_ERR_CONFIG, both);
    numbers[0] = digit;
    version[0] = '9';
    lgkt_put_u64((unsigned char *)bytes + 16 + first,
                 lgkt_hash_bytes(LGKT_HASH_START, bytes, 16 + first));
    folders_write(folders_in("old/b"), "journal-2-of-2.bin", bytes, size);
    assert_no_merge("old/a", "old/b", LGKT_ERR_CONFIG, "version 9");
    assert_no_merge("old/b", NULL, LGKT_ERR_CONFIG, "version 9");
    // another format of journals
    replace(bytes + 16, "journal 5", "journal 3");
    lgkt_put_u64((unsigned char *)bytes + 16 + first,
                 lgkt_hash_bytes(LGKT_HASH_START, bytes, 16 + first));
    folders_write(folders_in("old/b"), "journal-2-of-2.bin", bytes, size);
    assert_no_merge("old/a", "old/b", LGKT_ERR_CONFIG, "made by another version");
    free(bytes);
}

// nonsense in what the first record says of its origin, with its check right
static void test_origins_are_looked_at(void **state)
{
    (void)state;
    static const char *const changes[][2] = {
        {"shard 1/2", "shard 9/2"}, {"shard 1/2", "shard 1 2"}, {"replicates 0", "replicates x"},
        {"seed 1", "seed -"},       {"folder ", "fol\ner "},    {"\n\n{", "\n\r{"}};
    size_t size;
    play(FILE_TEXT, "from/a", "1/2", 1, 1);
    char *bytes = folders_read(folders_in("from/a"), "journal-1-of-2.bin", &size);
    unsigned char *record = (unsigned char *)bytes;
    const size_t length = (size_t)lgkt_get_u64(record) + 16;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const size_t word = strlen(changes[i][0]);
        char *at = strstr((char *)record + 16, "\n\n");
        while (memcmp(at, changes[i][0], word) != 0)
            at++;
        memcpy(at, changes[i][1], word);
        lgkt_put_u64(record + length, lgkt_hash_bytes(LGKT_HASH_START, record, length));
        folders_write(folders_in("from/a"), "journal-1-of-2.bin", bytes, size);
        memcpy(at, changes[i][0], word);
        assert_no_merge("from/a", NULL, LGKT_ERR_FORMAT,
                        "journal-1-of-2.bin: the record of its origin is not readable");
    }
    free(bytes);
}

// A merge makes no learner: what tables say of a panel stands in the journals. It is changed here,
// with its check right, and comes out as it was changed.
static void test_what_is_known_is_read(void **state)
{
    (void)state;
    size_t size;
    play(FILE_TEXT, "known/a", NULL, 1, 1);
    char *bytes = folders_read(folders_in("known/a"), "journal.bin", &size);
    unsigned char *record = (unsigned char *)bytes;
    while (lgkt_get_u64(record + 16) != UINT64_MAX)
        record += lgkt_get_u64(record) + 24;
    const size_t length = (size_t)lgkt_get_u64(record) + 16;
    const char *const from[] = {"known/a"};
    record[32] = 'Z'; // of the note, behind mark and panel
    lgkt_put_u64(record + length, lgkt_hash_bytes(LGKT_HASH_START, record, length));
    folders_write(folders_in("known/a"), "journal.bin", bytes, size);
    assert_true(must_merge(from, 1, "known/out").complete);
    char *manifest = folders_read(folders_in("known/out/small"), "manifest.json", NULL);
    assert_non_null(strstr(manifest, "\"note\": \"Z"));
    free(manifest);

    // the length of the spec of its first learner, behind the note
    record[32 + 512] ^= 0x40;
    lgkt_put_u64(record + length, lgkt_hash_bytes(LGKT_HASH_START, record, length));
    folders_write(folders_in("known/a"), "journal.bin", bytes, size);
    exp_merged merged;
    lgkt_error error = {0};
    assert_refused(merge(from, 1, "known/bad", &merged, &error), LGKT_ERR_FORMAT, error,
                   "what is known of panel");
    free(bytes);
}

static void test_damage_is_found(void **state)
{
    (void)state;
    size_t size;
    play(FILE_TEXT, "hurt/a", "1/2", 1, 1);
    play(FILE_TEXT, "hurt/b", "2/2", 1, 1);
    char *bytes = folders_read(folders_in("hurt/b"), "journal-2-of-2.bin", &size);
    for (size_t at = 20; at + 400 < size; at += 97) {
        bytes[at] ^= 16;
        folders_write(folders_in("hurt/b"), "journal-2-of-2.bin", bytes, size);
        bytes[at] ^= 16;
        const char *const from[] = {"hurt/a", "hurt/b"};
        exp_merged merged;
        lgkt_error error = {0};
        assert_int_equal(merge(from, 2, "hurt/out", &merged, &error), LGKT_ERR_FORMAT);
        assert_non_null(strstr(error.text, "journal-2-of-2.bin"));
    }
    // an instance that two machines do not agree on: the last word of the last record but its check
    unsigned char *end = (unsigned char *)bytes + size;
    const char *const from[] = {"hurt/a", "hurt/b", "whole/small"};
    size_t record = 16;
    for (size_t at = 0; at < size; at += record)
        record = (size_t)lgkt_get_u64((unsigned char *)bytes + at) + 24;
    end[-9] ^= 1;
    lgkt_put_u64(end - 8, lgkt_hash_bytes(LGKT_HASH_START, end - record, record - 8));
    folders_write(folders_in("hurt/b"), "journal-2-of-2.bin", bytes, size);
    exp_merged merged;
    lgkt_error error = {0};
    whole();
    assert_refused(merge(from, 3, "hurt/out", &merged, &error), LGKT_ERR_FORMAT, error,
                   "has other numbers");
    free(bytes);
}

static void test_results_of_others_are_left_alone(void **state)
{
    (void)state;
    play(FILE_TEXT, "mine/parts", NULL, 1, 1);
    const char *const from[] = {"mine/parts"};
    assert_true(must_merge(from, 1, "mine/out").complete);
    // now there are results without a journal beside them
    exp_merged merged;
    lgkt_error error = {0};
    assert_refused(merge(from, 1, "mine/out", &merged, &error), LGKT_ERR_CONFIG, error,
                   "without a journal");
    // a merge that was killed before its manifest appeared can be repeated
    char path[4096];
    snprintf(path, sizeof path, "%s/small/manifest.json", folders_in("mine/out"));
    assert_int_equal(remove(path), 0);
    assert_true(must_merge(from, 1, "mine/out").complete);
    assert_int_equal(remove(path), 0);
}

static void test_a_full_disk(void **state)
{
    (void)state;
    whole();
    const char *const from[] = {"whole/small"};
    exp_merged merged;
    lgkt_error error = {0};
    struct rlimit before, small;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 700;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const lgkt_status status = merge(from, 1, "full", &merged, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_refused(status, LGKT_ERR_IO, error, "");
    assert_false(io_folder_has(folders_in("full/small"), "manifest.json"));
    assert_true(must_merge(from, 1, "full").complete);
    folders_same(whole(), folders_in("full/small"));
}

// more journals than files that may be open
static void test_many_journals(void **state)
{
    (void)state;
    char *path = strdup(whole());
    const char *paths[100];
    for (int i = 0; i < 100; i++)
        paths[i] = path;
    const exp_merging asked = {
        .paths = paths, .path_count = 100, .out = folders_in("many"), .keep_runs = true};
    exp_merged merged = {0};
    lgkt_error error = {0};
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    small = before;
    small.rlim_cur = 64;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
    const lgkt_status status = exp_merge(&asked, &merged, &error);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_ok(status, error);
    assert_true(merged.complete);
    assert_int_equal(merged.journals, 100);
    free(path);
    folders_same(whole(), folders_in("many/small"));

    // each part in a journal of its own, none of which stays open
    for (int i = 1; i <= 5; i++) {
        char part[32];
        snprintf(part, sizeof part, "%d/5", i);
        play(FILE_TEXT, "rest/small", part, 1, 1);
    }
    small.rlim_cur = 32;
    const char *const from[] = {"rest"};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
    const exp_merged rest = must_merge(from, 1, "rest");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(rest.complete);
    folders_same(whole(), folders_in("rest/small"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_of_units),
        cmocka_unit_test(test_seven_parts_are_the_whole),
        cmocka_unit_test(test_cut_again_and_there_twice),
        cmocka_unit_test(test_what_is_missing_is_named),
        cmocka_unit_test(test_other_experiments_are_refused),
        cmocka_unit_test(test_other_versions_are_refused),
        cmocka_unit_test(test_origins_are_looked_at),
        cmocka_unit_test(test_what_is_known_is_read),
        cmocka_unit_test(test_damage_is_found),
        cmocka_unit_test(test_results_of_others_are_left_alone),
        cmocka_unit_test(test_a_full_disk),
        cmocka_unit_test(test_many_journals),
    };
    return cmocka_run_group_tests(tests, folders_make, folders_remove);
}
