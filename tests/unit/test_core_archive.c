// SPDX-License-Identifier: MIT
// The visitor of archive.h and its envelope of saved states.

#include "test.h"

#include "core/archive.h"
#include "ref/naive_rng.h"
#include "ref/tamper.h"

// ---- an object with a field of every type ----

typedef struct thing {
    double f64[3];
    double real[2];
    uint64_t u64[2];
    int64_t i64[2];
    int32_t i32[3];
    lgkt_rng rng;
    unsigned char bytes[13];
} thing;

enum { THING_WORDS = 3 + 2 + 2 + 2 + 3 + 4 + 2, THING_SIZE = 8 * THING_WORDS };

static thing thing_full(void)
{
    return (thing){.f64 = {1.5, -0.0, 0x1p-1074},
                   .real = {NAN, -INFINITY},
                   .u64 = {0, UINT64_MAX},
                   .i64 = {-5, INT64_MAX},
                   .i32 = {-3, 0, 9},
                   .rng = {{1, 2, 3, 4}},
                   .bytes = "hello, world"};
}

static thing thing_empty(void)
{
    thing t;
    memset(&t, 0, sizeof t);
    return t;
}

static void visit_thing(void *object, lgkt_archive *archive)
{
    thing *t = object;
    lgkt_visit_f64(archive, t->f64, 3);
    lgkt_visit_real(archive, t->real, 2);
    lgkt_visit_u64(archive, t->u64, 2);
    lgkt_visit_i64(archive, t->i64, 2, -5, INT64_MAX);
    lgkt_visit_i32(archive, t->i32, 3, -3, 9);
    lgkt_visit_rng(archive, &t->rng);
    lgkt_visit_bytes(archive, t->bytes, sizeof t->bytes);
}

static bool things_equal(const thing *a, const thing *b)
{
    return memcmp(a->f64, b->f64, sizeof a->f64) == 0 &&
           memcmp(a->real, b->real, sizeof a->real) == 0 &&
           memcmp(a->u64, b->u64, sizeof a->u64) == 0 &&
           memcmp(a->i64, b->i64, sizeof a->i64) == 0 &&
           memcmp(a->i32, b->i32, sizeof a->i32) == 0 &&
           memcmp(&a->rng, &b->rng, sizeof a->rng) == 0 &&
           memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static void save_thing(const thing *t, unsigned char bytes[THING_SIZE])
{
    thing copy = *t;
    lgkt_archive archive = lgkt_archive_save(bytes, THING_SIZE);
    visit_thing(&copy, &archive);
    assert_int_equal(archive.at, THING_SIZE);
    assert_false(archive.bad);
    assert_true(things_equal(&copy, t));
}

// ---- saving and loading ----

static void test_round_trip(void **state)
{
    (void)state;
    const thing saved = thing_full();
    unsigned char bytes[THING_SIZE];
    save_thing(&saved, bytes);
    thing loaded = thing_empty();
    lgkt_archive archive = lgkt_archive_load(bytes, sizeof bytes);
    visit_thing(&loaded, &archive);
    assert_false(archive.bad);
    assert_int_equal(archive.at, sizeof bytes);
    assert_true(things_equal(&loaded, &saved));
}

// little-endian words of 8 bytes, whatever the machine; bytes are filled up with zeros
static void test_layout(void **state)
{
    (void)state;
    const thing saved = thing_full();
    unsigned char bytes[THING_SIZE];
    save_thing(&saved, bytes);
    static const uint64_t words[THING_WORDS] = {0x3ff8000000000000,
                                                0x8000000000000000,
                                                1,
                                                0,
                                                0xfff0000000000000,
                                                0,
                                                UINT64_MAX,
                                                (uint64_t)-5,
                                                INT64_MAX,
                                                (uint64_t)-3,
                                                0,
                                                9,
                                                1,
                                                2,
                                                3,
                                                4,
                                                0x77202c6f6c6c6568,
                                                0x00000000646c726f};
    for (size_t i = 0; i < THING_WORDS; i++)
        if (i != 3) // a NaN, which has many forms
            assert_int_equal(tamper_word(bytes, 8 * i), words[i]);
    uint64_t nan;
    memcpy(&nan, &saved.real[0], sizeof nan);
    assert_int_equal(tamper_word(bytes, 24), nan);
}

// the size is told whatever the capacity, and nothing is written beyond that
static void test_sizes_beyond_capacity(void **state)
{
    (void)state;
    thing t = thing_full();
    unsigned char whole[THING_SIZE];
    save_thing(&t, whole);
    lgkt_archive none = lgkt_archive_save(NULL, 0);
    visit_thing(&t, &none);
    assert_int_equal(none.at, THING_SIZE);
    for (size_t capacity = 0; capacity <= THING_SIZE; capacity++) {
        unsigned char bytes[THING_SIZE + 8];
        memset(bytes, 0xa5, sizeof bytes);
        lgkt_archive archive = lgkt_archive_save(bytes, capacity);
        visit_thing(&t, &archive);
        assert_int_equal(archive.at, THING_SIZE);
        const size_t written = capacity - capacity % 8;
        assert_memory_equal(bytes, whole, written);
        for (size_t i = written; i < sizeof bytes; i++)
            assert_int_equal(bytes[i], 0xa5);
    }
}

// when bytes run out, what was there is loaded and the rest is left alone
static void test_bytes_that_run_out(void **state)
{
    (void)state;
    const thing saved = thing_full();
    unsigned char bytes[THING_SIZE];
    save_thing(&saved, bytes);
    for (size_t size = 0; size < THING_SIZE; size++) {
        thing loaded = thing_empty();
        lgkt_archive archive = lgkt_archive_load(bytes, size);
        visit_thing(&loaded, &archive);
        assert_true(archive.bad);
        unsigned char mixed[THING_SIZE] = {0}, again[THING_SIZE];
        memcpy(mixed, bytes, size - size % 8);
        // a generator is loaded as a whole or not at all
        if (size < 128)
            memset(mixed + 96, 0, 32);
        save_thing(&loaded, again);
        assert_memory_equal(again, mixed, THING_SIZE);
    }
}

// ---- bounds ----

// loads one word as a whole number in [lo, hi]
static bool loads_i64(uint64_t word, int64_t lo, int64_t hi)
{
    unsigned char bytes[8];
    tamper_set_word(bytes, 0, word);
    int64_t value = lo <= 77 && 77 <= hi ? 77 : lo;
    const int64_t before = value;
    lgkt_archive archive = lgkt_archive_load(bytes, sizeof bytes);
    lgkt_visit_i64(&archive, &value, 1, lo, hi);
    assert_int_equal(value, archive.bad ? before : (int64_t)word);
    return !archive.bad;
}

static bool loads_i32(uint64_t word, int32_t lo, int32_t hi)
{
    unsigned char bytes[8];
    tamper_set_word(bytes, 0, word);
    int32_t value = 77;
    lgkt_archive archive = lgkt_archive_load(bytes, sizeof bytes);
    lgkt_visit_i32(&archive, &value, 1, lo, hi);
    assert_int_equal(value, archive.bad ? 77 : (int32_t)(int64_t)word);
    return !archive.bad;
}

static void test_whole_numbers_have_bounds(void **state)
{
    (void)state;
    static const int64_t bounds[][2] = {
        {0, 0},         {-1, 1},        {5, 9},   {-9, -5},
        {0, INT64_MAX}, {INT64_MIN, 0}, {77, 78}, {INT64_MIN, INT64_MAX}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const int64_t lo = bounds[i][0], hi = bounds[i][1];
        assert_true(loads_i64((uint64_t)lo, lo, hi));
        assert_true(loads_i64((uint64_t)hi, lo, hi));
        assert_true(lo == INT64_MIN || !loads_i64((uint64_t)lo - 1, lo, hi));
        assert_true(hi == INT64_MAX || !loads_i64((uint64_t)hi + 1, lo, hi));
    }
    assert_true(loads_i32((uint64_t)INT32_MIN, INT32_MIN, INT32_MAX));
    assert_true(loads_i32(INT32_MAX, INT32_MIN, INT32_MAX));
    assert_true(loads_i32((uint64_t)-1, -1, 3) && loads_i32(3, -1, 3));
    assert_false(loads_i32((uint64_t)-2, -1, 3) || loads_i32(4, -1, 3));
    // numbers that fit only after cutting off their upper half
    assert_false(loads_i32(UINT64_C(1) << 32, INT32_MIN, INT32_MAX));
    assert_false(loads_i32(UINT64_C(0xffffffff), INT32_MIN, INT32_MAX));
    assert_false(loads_i32((uint64_t)INT64_MIN, INT32_MIN, INT32_MAX));
}

static void test_real_numbers_are_finite(void **state)
{
    (void)state;
    static const double bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double saved[2] = {bad[i], 4}, loaded[2] = {7, 8};
        unsigned char bytes[16];
        lgkt_archive archive = lgkt_archive_save(bytes, sizeof bytes);
        lgkt_visit_f64(&archive, saved, 2);
        archive = lgkt_archive_load(bytes, sizeof bytes);
        lgkt_visit_real(&archive, loaded, 2);
        assert_false(archive.bad);
        assert_memory_equal(loaded, saved, sizeof saved);
        // refused, and what comes after is left alone too
        loaded[0] = 7, loaded[1] = 8;
        archive = lgkt_archive_load(bytes, sizeof bytes);
        lgkt_visit_f64(&archive, loaded, 2);
        assert_true(archive.bad && loaded[0] == 7 && loaded[1] == 8);
    }
}

static void test_generator_is_not_zero(void **state)
{
    (void)state;
    unsigned char bytes[32] = {0};
    for (size_t word = 0; word <= 4; word++) {
        memset(bytes, 0, sizeof bytes);
        if (word < 4)
            tamper_set_word(bytes, 8 * word, 1);
        lgkt_rng rng = {{5, 6, 7, 8}};
        lgkt_archive archive = lgkt_archive_load(bytes, sizeof bytes);
        lgkt_visit_rng(&archive, &rng);
        assert_true(archive.bad == (word == 4));
        assert_int_equal(rng.s[0], word == 4 ? 5 : word == 0);
        assert_int_equal(rng.s[3], word == 4 ? 8 : word == 3);
    }
}

// once bad, an archive stays bad and changes nothing
static void test_bad_is_sticky(void **state)
{
    (void)state;
    const thing saved = thing_full();
    unsigned char bytes[THING_SIZE];
    save_thing(&saved, bytes);
    lgkt_archive archive = lgkt_archive_load(bytes, sizeof bytes);
    archive.bad = true;
    thing loaded = thing_empty();
    const thing empty = thing_empty();
    visit_thing(&loaded, &archive);
    assert_true(archive.bad);
    assert_true(things_equal(&loaded, &empty));
}

// what was bad before memory was out was bad anyway
static void test_starving(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_archive archive = lgkt_archive_load("", 0);
    lgkt_archive_starve(&archive);
    assert_true(archive.bad);
    assert_refused(lgkt_saved_close(&archive, &error), LGKT_ERR_NO_MEMORY, error, "saved state");
    archive = lgkt_archive_load("", 0);
    archive.bad = true;
    lgkt_archive_starve(&archive);
    assert_refused(lgkt_saved_close(&archive, &error), LGKT_ERR_FORMAT, error, "out of range");
}

// ---- bytes ----

static void test_bytes_of_any_length(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 17; size++) {
        unsigned char text[17], room[24], back[18];
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = (unsigned char)(200 + 3 * i);
        memset(room, 0xa5, sizeof room);
        memset(back, 0x5a, sizeof back);
        lgkt_archive archive = lgkt_archive_save(room, sizeof room);
        lgkt_visit_bytes(&archive, text, size);
        assert_int_equal(archive.at, (size + 7) / 8 * 8);
        assert_memory_equal(room, text, size);
        for (size_t i = size; i < sizeof room; i++)
            assert_int_equal(room[i], i < archive.at ? 0 : 0xa5);
        lgkt_archive load = lgkt_archive_load(room, archive.at);
        lgkt_visit_bytes(&load, back, size);
        assert_false(load.bad);
        assert_memory_equal(back, text, size);
        assert_int_equal(back[size], 0x5a);
    }
}

// ---- hashing ----

// the hash of an object is FNV-1a of what it saves
static void test_hash_is_that_of_the_saved_bytes(void **state)
{
    (void)state;
    thing t = thing_full();
    unsigned char bytes[THING_SIZE];
    save_thing(&t, bytes);
    lgkt_archive archive = lgkt_archive_hash();
    visit_thing(&t, &archive);
    assert_false(archive.bad);
    assert_int_equal(archive.hash, naive_fnv(bytes, sizeof bytes));
    const thing full = thing_full();
    assert_true(things_equal(&t, &full));
    assert_int_equal(lgkt_archive_hash().hash, naive_fnv(NULL, 0));
}

// ---- the envelope ----

enum { SAVED_SIZE = TAMPER_HEAD + THING_SIZE + TAMPER_TAIL, KIND = LGKT_SAVED_TRAJECTORY };

static void write_thing(int kind, unsigned char bytes[SAVED_SIZE])
{
    thing t = thing_full();
    size_t size = 0;
    lgkt_error error = {0};
    assert_ok(lgkt_saved_write(kind, visit_thing, &t, bytes, SAVED_SIZE, &size, &error), error);
    assert_int_equal(size, SAVED_SIZE);
}

static lgkt_status read_thing(void *ctx, const unsigned char *bytes, size_t size, lgkt_error *error)
{
    thing *t = ctx;
    lgkt_archive archive;
    lgkt_status status = lgkt_saved_open(KIND, bytes, size, &archive, error);
    if (status != LGKT_OK)
        return status;
    visit_thing(t, &archive);
    return lgkt_saved_close(&archive, error);
}

static void test_envelope(void **state)
{
    (void)state;
    unsigned char bytes[SAVED_SIZE], content[THING_SIZE];
    write_thing(KIND, bytes);
    const thing full = thing_full();
    save_thing(&full, content);
    assert_memory_equal(bytes, "LGKTSAVE", 8);
    assert_int_equal(tamper_word(bytes, TAMPER_AT_VERSION), 3);
    assert_int_equal(tamper_word(bytes, TAMPER_AT_KIND), KIND);
    assert_int_equal(tamper_word(bytes, TAMPER_AT_SIZE), SAVED_SIZE);
    assert_string_equal((const char *)bytes + TAMPER_AT_WRITER, LGKT_VERSION_STRING);
    assert_int_equal(tamper_word(bytes, TAMPER_AT_NUMBERS), LGKT_NUMBERS);
    assert_int_equal(tamper_word(bytes, TAMPER_AT_STATE), 1);
    assert_memory_equal(bytes + TAMPER_HEAD, content, THING_SIZE);
    assert_int_equal(tamper_word(bytes, SAVED_SIZE - 8), naive_fnv(bytes, SAVED_SIZE - 8));
    thing t = thing_empty();
    lgkt_error error = {0};
    assert_ok(read_thing(&t, bytes, SAVED_SIZE, &error), error);
    assert_true(things_equal(&t, &full));
    assert_int_equal(read_thing(&t, bytes, SAVED_SIZE, NULL), LGKT_OK);
}

static void test_capacity_of_the_envelope(void **state)
{
    (void)state;
    thing t = thing_full();
    unsigned char bytes[SAVED_SIZE] = {0};
    lgkt_error error = {0};
    for (size_t capacity = 0; capacity < SAVED_SIZE; capacity++) {
        size_t size = 0;
        char words[64];
        snprintf(words, sizeof words, "needs %d bytes, there are %zu", SAVED_SIZE, capacity);
        void *room = capacity > 0 ? bytes : NULL;
        assert_refused(lgkt_saved_write(KIND, visit_thing, &t, room, capacity, &size, &error),
                       LGKT_ERR_SHAPE, error, words);
        assert_int_equal(size, SAVED_SIZE);
    }
}

static void test_damage_is_refused(void **state)
{
    (void)state;
    unsigned char bytes[SAVED_SIZE];
    write_thing(KIND, bytes);
    thing t = thing_empty();
    tamper_check_damage(bytes, SAVED_SIZE, read_thing, &t);
}

// a head with one other word and a checksum that agrees
static void check_head(size_t at, uint64_t word, const char *words)
{
    unsigned char bytes[SAVED_SIZE];
    write_thing(KIND, bytes);
    tamper_set_word(bytes, at, word);
    tamper_set_word(bytes, SAVED_SIZE - 8, naive_fnv(bytes, SAVED_SIZE - 8));
    thing t = thing_empty();
    lgkt_error error = {0};
    assert_refused(read_thing(&t, bytes, SAVED_SIZE, &error), LGKT_ERR_FORMAT, error, words);
}

static void test_each_word_of_the_head(void **state)
{
    (void)state;
    check_head(TAMPER_AT_MAGIC, 0, "no saved state of lgkt");
    check_head(TAMPER_AT_MAGIC, 0x455641534c544b47, "no saved state of lgkt");
    check_head(TAMPER_AT_VERSION, 0, "saved in format 0; this version reads 3");
    check_head(TAMPER_AT_VERSION, 4, "saved in format 4; this version reads 3");
    check_head(TAMPER_AT_VERSION, UINT64_MAX, "format 18446744073709551615");
    check_head(TAMPER_AT_KIND, LGKT_SAVED_LEARNER, "state of a learner, not of a trajectory");
    check_head(TAMPER_AT_KIND, LGKT_SAVED_KEYED, "state of a keyed learner, not of a trajectory");
    check_head(TAMPER_AT_KIND, 0, "not of a trajectory");
    check_head(TAMPER_AT_KIND, 4, "not of a trajectory");
    check_head(TAMPER_AT_KIND, UINT64_MAX, "not of a trajectory");
    check_head(TAMPER_AT_SIZE, SAVED_SIZE - 8, "should have");
    check_head(TAMPER_AT_SIZE, SAVED_SIZE + 1, "should have");
    check_head(TAMPER_AT_SIZE, UINT64_MAX, "should have");
    // a version is three numbers, with zeros behind them
    check_head(TAMPER_AT_WRITER, 0, "out of range");
    check_head(TAMPER_AT_WRITER, 0x2e312e30, "out of range");       // 0.1.
    check_head(TAMPER_AT_WRITER, 0x302e2e30, "out of range");       // 0..0
    check_head(TAMPER_AT_WRITER, 0x3100302e312e30, "out of range"); // 0.1.0, 0, 1
    check_head(TAMPER_AT_WRITER, 0x302e312e302e31, "out of range"); // 1.0.1.0
    check_head(TAMPER_AT_WRITER, UINT64_MAX, "out of range");
    check_head(TAMPER_AT_WRITER + 8, 1, "out of range");
    check_head(TAMPER_AT_WRITER + 8, UINT64_MAX, "out of range");
    check_head(TAMPER_AT_NUMBERS, 0, "out of range");
    check_head(TAMPER_AT_NUMBERS, UINT64_MAX, "out of range");
    check_head(TAMPER_AT_STATE, 0, "out of range");
    check_head(TAMPER_AT_STATE, 2, "the state of \"trajectory\" was saved by lgkt");
}

static void test_checksum_and_content(void **state)
{
    (void)state;
    unsigned char bytes[SAVED_SIZE + 8];
    thing t = thing_empty();
    lgkt_error error = {0};
    write_thing(KIND, bytes);
    bytes[TAMPER_HEAD] ^= 1;
    assert_refused(read_thing(&t, bytes, SAVED_SIZE, &error), LGKT_ERR_FORMAT, error, "checksum");
    // sealed content that is too short or too long
    tamper_seal(bytes, SAVED_SIZE - 8);
    assert_refused(read_thing(&t, bytes, SAVED_SIZE - 8, &error), LGKT_ERR_FORMAT, error,
                   "too few");
    tamper_seal(bytes, SAVED_SIZE + 8);
    assert_refused(read_thing(&t, bytes, SAVED_SIZE + 8, &error), LGKT_ERR_FORMAT, error,
                   "8 bytes too many");
    // an empty content
    tamper_seal(bytes, TAMPER_HEAD + TAMPER_TAIL);
    assert_refused(read_thing(&t, bytes, TAMPER_HEAD + TAMPER_TAIL, &error), LGKT_ERR_FORMAT, error,
                   "too few");
    assert_refused(read_thing(&t, NULL, SAVED_SIZE, &error), LGKT_ERR_ARGUMENT, error, "NULL");
    assert_refused(read_thing(&t, bytes, 39, &error), LGKT_ERR_FORMAT, error,
                   "39 bytes are too few");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_sizes_beyond_capacity),
        cmocka_unit_test(test_bytes_that_run_out),
        cmocka_unit_test(test_whole_numbers_have_bounds),
        cmocka_unit_test(test_real_numbers_are_finite),
        cmocka_unit_test(test_generator_is_not_zero),
        cmocka_unit_test(test_bad_is_sticky),
        cmocka_unit_test(test_starving),
        cmocka_unit_test(test_bytes_of_any_length),
        cmocka_unit_test(test_hash_is_that_of_the_saved_bytes),
        cmocka_unit_test(test_envelope),
        cmocka_unit_test(test_capacity_of_the_envelope),
        cmocka_unit_test(test_damage_is_refused),
        cmocka_unit_test(test_each_word_of_the_head),
        cmocka_unit_test(test_checksum_and_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
