// SPDX-License-Identifier: MIT
// Reading result folders: the numbers of good ones, and a clear line for everything else.
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include "experiments/csv_table.h"
#include "experiments/result_folder.h"
#include "io/io_folder.h"

static const char *const files[] = {"manifest.json", "curves.csv", "summary.csv",
                                    "pairs.csv",     "runs.csv",   "timings.json"};
enum { MANIFEST, CURVES, SUMMARY, PAIRS, RUNS, TIMINGS, FILES };

#define CURVE_HEAD "panel,learner,t,mean,ci95,n\n"
#define SUMMARY_HEAD                                                                               \
    "panel,learner,spec,n,mean,ci95,share_of_optimum,best_other,difference,difference_ci95,score," \
    "random,median,worst_tenth\n"
#define PAIR_HEAD "panel,t,learner,other,difference,ci95\n"
#define RUN_HEAD                                                                                   \
    "panel,learner,instance,value,mean,observed,optimum,gap,bound,distance,score,random\n"

// two learners of synthetic-10, and what the files of a good folder hold
static const char *const good[FILES] = {
    "{\"experiment\": \"synthetic-10\", \"version\": \"1.2.3\", \"seed\": 7, \"panels\": []}",
    CURVE_HEAD "synthetic-10,LG1T,1,0.5,0.25,4\nsynthetic-10,LG1T,100,1.5,,4\n"
               "synthetic-10,\"UCRL2\",1,2,0.125,4\n",
    SUMMARY_HEAD "synthetic-10,LG1T,lg1t,4,1.5,0.25,0.75,UCRL2,-0.5,0.125,62.5,0.5,1.25,1\n"
                 "synthetic-10,UCRL2,\"a,b\",4,2,0.5,,,,,,,,\n",
    PAIR_HEAD "synthetic-10,100,LG1T,UCRL2,-0.5,0.125\n",
    RUN_HEAD "synthetic-10,LG1T,0,1,2,3,4,,,,50,0\n",
    "{\"host\": {\"processors\": 2, \"machine\": \"m\", \"system\": \"s\"}, \"date\": \"today\", "
    "\"session_seconds\": 9.5, \"panels\": [{\"name\": \"synthetic-10\", \"learners\": "
    "[{\"label\": \"LG1T\", \"seconds\": 3}]}]}",
};

// ---- folders ----

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/lgkt-test-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static void path_of(int file, char path[128])
{
    snprintf(path, 128, "%s/%s", folder, files[file]);
}

static int remove_folder(void **state)
{
    (void)state;
    char path[128];
    for (int i = 0; i < FILES; i++) {
        path_of(i, path);
        remove(path);
    }
    return rmdir(folder);
}

// a text of NULL removes the file
static void write_file(int file, const char *text)
{
    char path[128];
    path_of(file, path);
    remove(path);
    if (text == NULL)
        return;
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

// a good folder but for one file
static void write_folder(int odd, const char *text)
{
    for (int i = 0; i < FILES; i++)
        write_file(i, i == odd ? text : good[i]);
}

static lgkt_status read_it(exp_results *results, lgkt_error *error)
{
    const char *const paths[] = {folder};
    return exp_results_read(paths, 1, results, error);
}

// ---- good ones ----

static void numbers_come_back(void **state)
{
    (void)state;
    exp_results results;
    lgkt_error error = {0};
    write_folder(-1, NULL);
    assert_ok(read_it(&results, &error), error);
    const exp_folder *found = exp_results_find(&results, "synthetic-10");
    assert_non_null(found);
    assert_null(exp_results_find(&results, "synthetic-100"));
    assert_string_equal(found->version, "1.2.3");
    assert_string_equal(found->seed, "7");
    assert_string_equal(found->host, "2 processors m, s");
    assert_string_equal(found->date, "today");
    assert_close(found->run_seconds, 3, 0);

    const exp_panel_data *data = exp_folder_panel(found, "synthetic-10");
    const int32_t one = exp_panel_find(data->panel, "LG1T");
    const int32_t two = exp_panel_find(data->panel, "UCRL2");
    const exp_track *track = &data->tracks[one];
    assert_int_equal(exp_panel_instances(data), 4);
    assert_int_equal(track->count, 2);
    assert_close(track->marks[0].ci95, 0.25, 0);
    assert_true(isnan(track->marks[1].ci95));
    assert_close(track->share, 0.75, 0);
    assert_close(track->score, 62.5, 0);
    assert_close(track->median, 1.25, 0);
    assert_close(track->worst, 1.0, 0);
    assert_close(track->difference, -0.5, 0);
    assert_string_equal(track->best_other, "UCRL2");
    assert_close(track->seconds, 3, 0);
    assert_true(isnan(data->tracks[two].share));
    assert_true(isnan(data->tracks[two].seconds));
    exp_results_free(&results);
}

static void differences_have_two_directions(void **state)
{
    (void)state;
    exp_results results;
    lgkt_error error = {0};
    write_folder(-1, NULL);
    assert_ok(read_it(&results, &error), error);
    const exp_panel_data *data = &results.folders[0]->panels[0];
    const int32_t a = exp_panel_find(data->panel, "LG1T"), b = exp_panel_find(data->panel, "UCRL2");
    double d = 0, w = 0;
    assert_true(exp_panel_difference(data, a, b, 100, &d, &w));
    assert_close(d, -0.5, 0);
    assert_close(w, 0.125, 0);
    assert_true(exp_panel_difference(data, b, a, 100, &d, &w));
    assert_close(d, 0.5, 0);
    assert_false(exp_panel_difference(data, a, b, 1000, &d, &w));
    exp_results_free(&results);
}

static void means_lie_between_checkpoints(void **state)
{
    (void)state;
    exp_mark marks[] = {{10, 1, 0}, {1000, 3, 0}};
    const exp_track track = {.marks = marks, .count = 2};
    double mean = 0;
    assert_true(exp_track_mean(&track, 10, &mean));
    assert_close(mean, 1, 0);
    assert_true(exp_track_mean(&track, 100, &mean));
    assert_close(mean, 2, 1e-12);
    assert_true(exp_track_mean(&track, 1000, &mean));
    assert_close(mean, 3, 0);
    assert_false(exp_track_mean(&track, 9, &mean));
    assert_false(exp_track_mean(&track, 1001, &mean));
}

static void some_files_may_be_missing(void **state)
{
    (void)state;
    exp_results results;
    lgkt_error error = {0};
    write_folder(RUNS, NULL);
    write_file(TIMINGS, NULL);
    assert_ok(read_it(&results, &error), error);
    assert_string_equal(results.folders[0]->host, "");
    assert_true(isnan(results.folders[0]->run_seconds));
    exp_results_free(&results);
}

// ---- bad ones ----

static void bad_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        int file;
        const char *text, *words;
    } cases[] = {
        {MANIFEST, "", "manifest.json"},
        {MANIFEST, "[]", "is no JSON object"},
        {MANIFEST, "{\"experiment\": \"frobnicate\"}", "no experiment \"frobnicate\""},
        {MANIFEST, "{\"experiment\": 3}", "no experiment \"3\""},
        {TIMINGS, "{", "timings.json"},
        {CURVES, NULL, "curves.csv: No such file"},
        {CURVES, "", "the columns are \"\""},
        {CURVES, "panel,learner,t\n", "the columns are \"panel,learner,t\""},
        {CURVES, CURVE_HEAD "nowhere,LG1T,1,2,3,4\n", ":2: this version has no such panel: \"now"},
        {CURVES, CURVE_HEAD "synthetic-10,LG9T,1,2,3,4\n", ":2: this version has no such learner"},
        {CURVES, CURVE_HEAD "synthetic-10,LG1T,1,2,3\n", ":2: too few fields"},
        {CURVES, CURVE_HEAD "synthetic-10,LG1T,1,2,3,4,5\n", ":2: too many fields"},
        {CURVES, CURVE_HEAD "synthetic-10,LG1T,1,2,3,4\n\n", ":3: too few fields"},
        {CURVES, CURVE_HEAD "synthetic-10,LG1T,1,x,3,4\n", ":2: is no number: \"x\""},
        {CURVES, CURVE_HEAD "synthetic-10,LG1T,1,nan,3,4\n", "is no number"},
        {CURVES, CURVE_HEAD "synthetic-10,LG1T,-1,2,3,4\n", "is no whole number from 0 on: \"-1\""},
        {CURVES, CURVE_HEAD "synthetic-10,LG1T,1,2,3,4.5\n", "is no whole number"},
        {CURVES, CURVE_HEAD "synthetic-10,\"LG1T,1,2,3,4\n", "a quote that does not end"},
        {CURVES, CURVE_HEAD "synthetic-10,\"LG1T\"x,1,2,3,4\n", "text after a quoted field"},
        {CURVES, CURVE_HEAD "synthetic-10,LG1T,5,2,3,4\nsynthetic-10,LG1T,5,2,3,4\n",
         ":3: times must increase"},
        {SUMMARY, PAIR_HEAD, "expected \"panel,learner,spec"},
        {SUMMARY,
         SUMMARY_HEAD "synthetic-10,LG1T,l,4,1,1,1,,1,1,,,,\n"
                      "synthetic-10,LG1T,l,4,1,1,1,,1,1,,,,\n",
         ":3: comes twice: \"LG1T\""},
        {PAIRS, PAIR_HEAD "synthetic-10,1,LG1T,Nobody,1,1\n", "no such learner: \"Nobody\""},
        {PAIRS, PAIR_HEAD "synthetic-10,1,LG1T,UCRL2,1,1", "is cut off"},
        {RUNS, CURVE_HEAD, "runs.csv:1: the columns are"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        exp_results results;
        lgkt_error error = {0};
        write_folder(cases[i].file, cases[i].text);
        const lgkt_status status = read_it(&results, &error);
        assert_int_equal(status, cases[i].text != NULL ? LGKT_ERR_FORMAT : LGKT_ERR_NO_FILE);
        if (strstr(error.text, cases[i].words) == NULL) {
            print_error("case %zu: \"%s\", expected \"%s\"\n", i, error.text, cases[i].words);
            fail();
        }
        assert_int_equal(results.count, 0);
    }
}

static void folders_are_told_apart(void **state)
{
    (void)state;
    exp_results results;
    lgkt_error error = {0};
    write_folder(-1, NULL);
    const char *const twice[] = {folder, folder};
    assert_refused(exp_results_read(twice, 2, &results, &error), LGKT_ERR_ARGUMENT, error,
                   "was read already");
    write_file(MANIFEST, NULL);
    assert_refused(read_it(&results, &error), LGKT_ERR_NO_FILE, error, "no finished results");
    const char *const nowhere[] = {"/nowhere"};
    assert_refused(exp_results_read(nowhere, 1, &results, &error), LGKT_ERR_NO_FILE, error,
                   "/nowhere: no finished results");
}

static void quotes_come_off(void **state)
{
    (void)state;
    exp_csv csv;
    lgkt_error error = {0};
    char path[128];
    path_of(CURVES, path);
    write_file(CURVES, "a,b\n\"x, \"\"y\"\"\",\n\"\",2\n");
    assert_ok(exp_csv_read(path, "a,b", &csv, &error), error);
    assert_int_equal(csv.rows, 2);
    assert_string_equal(exp_csv_text(&csv, 0, 0), "x, \"y\"");
    assert_string_equal(exp_csv_text(&csv, 0, 1), "");
    assert_string_equal(exp_csv_text(&csv, 1, 0), "");
    assert_string_equal(exp_csv_text(&csv, 1, 1), "2");
    exp_csv_free(&csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(differences_have_two_directions),
        cmocka_unit_test(means_lie_between_checkpoints),
        cmocka_unit_test(some_files_may_be_missing),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(folders_are_told_apart),
        cmocka_unit_test(quotes_come_off),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
