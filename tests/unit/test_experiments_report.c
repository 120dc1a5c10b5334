// SPDX-License-Identifier: MIT
// Pages in both forms, the report without results, styles for every learner, and labels that keep
// their distance.
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/claims.h"
#include "experiments/figure.h"
#include "experiments/figure_style.h"
#include "experiments/page.h"
#include "experiments/report.h"

// ---- gnuplot ----

static void what_gnuplot_would_obey_is_refused(void **state)
{
    (void)state;
    exp_figure figure = {.name = "none"};
    const exp_drawing drawing = {&figure, EXP_SVG, "a\nsystem 'touch owned'\n/b.svg"};
    lgkt_error error = {0};
    assert_refused(exp_figures_draw(&drawing, 1, &error), LGKT_ERR_ARGUMENT, error,
                   "a name with control characters");
}

// a gnuplot that fails; that there is none is asked in tests/cli/plot, since valgrind hides it
static void a_failed_program_is_named(void **state)
{
    (void)state;
    char folder[] = "/tmp/lgkt-tool-XXXXXX", path[64], *before = strdup(getenv("PATH"));
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/gnuplot", folder);
    FILE *out = fopen(path, "w");
    fputs("#!/bin/sh\necho 'line 7: cannot do it'\nexit 1\n", out);
    fclose(out);
    assert_int_equal(chmod(path, 0700), 0);
    setenv("PATH", folder, 1);
    lgkt_error error = {0};
    assert_refused(exp_figures_draw(NULL, 0, &error), LGKT_ERR_SYSTEM, error,
                   "gnuplot failed: line 7: cannot do it");
    unlink(path);
    setenv("PATH", before, 1);
    rmdir(folder);
    free(before);
}

// ---- pages ----

// what a page wrote; the caller frees it
static char *text_of(FILE *file)
{
    const long size = ftell(file);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

static char *write_page(bool html)
{
    exp_page page = {.out = tmpfile(), .html = html};
    assert_non_null(page.out);
    exp_page_heading(&page, 2, "there", "a < b");
    exp_page_text(&page, "**x** & *y* `<%s*>` [here](#there) [0, 1]", "z");
    exp_page_table_begin(&page, "lr");
    exp_page_cell(&page, "p|q");
    exp_page_cell(&page, "n");
    exp_page_badge_cell(&page, "holds", "yes");
    exp_page_cell(&page, "%d", 7);
    exp_page_table_end(&page);
    return text_of(page.out);
}

static void a_page_has_two_forms(void **state)
{
    (void)state;
    char *html = write_page(true), *markdown = write_page(false);
    assert_string_equal(html, "<h2 id=\"there\">a &lt; b</h2>\n"
                              "<p><strong>x</strong> &amp; <em>y</em> <code>&lt;z*&gt;</code> "
                              "<a href=\"#there\">here</a> [0, 1]</p>\n"
                              "<div class=\"box\"><table>\n"
                              "<tr><th class=\"l\">p|q</th><th class=\"r\">n</th></tr>\n"
                              "<tr><td class=\"l\"><span class=\"badge holds\">yes</span></td>"
                              "<td class=\"r\">7</td></tr>\n</table></div>\n");
    assert_string_equal(markdown, "<a id=\"there\"></a>\n\n## a &lt; b\n\n"
                                  "**x** &amp; *y* `<z*>` [here](#there) [0, 1]\n\n"
                                  "| p\\|q | n |\n| --- | ---: |\n| **yes** | 7 |\n\n");
    free(html);
    free(markdown);
}

// what comes from files is shown, never obeyed
static void no_text_becomes_markup(void **state)
{
    (void)state;
    static const struct {
        const char *text, *html, *markdown;
    } cases[] = {
        {"<script>", "&lt;script&gt;", "&lt;script&gt;"},
        {"a & b | c", "a &amp; b | c", "a &amp; b \\| c"},
        {"`<b>|`", "<code>&lt;b&gt;|</code>", "`<b>\\|`"},
        // backticks that Markdown does not pair
        {"` <b>", "` &lt;b&gt;", "\\` &lt;b&gt;"},
        {"``` <b> `", "``` &lt;b&gt; `", "\\`\\`\\` &lt;b&gt; \\`"},
        {"` <b> `` `", "<code> &lt;b&gt; `` </code>", "` <b> `` `"},
        {"\\`<b>`", "\\<code>&lt;b&gt;</code>", "\\\\`<b>`"},
        {"[<b>](#x) [y](#\"><b>)", "<a href=\"#x\">&lt;b&gt;</a> [y](#\"&gt;&lt;b&gt;)",
         "[&lt;b&gt;](#x) [y](#\"&gt;&lt;b&gt;)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int html = 0; html < 2; html++) {
            char wanted[256];
            exp_page page = {.out = tmpfile(), .html = html == 1};
            exp_page_table_begin(&page, "l");
            exp_page_cell(&page, "%s", cases[i].text);
            exp_page_table_end(&page);
            char *text = text_of(page.out);
            snprintf(wanted, sizeof wanted, html == 1 ? ">%s</th>" : "| %s |\n",
                     html == 1 ? cases[i].html : cases[i].markdown);
            if (strstr(text, wanted) == NULL)
                fail_msg("%s is shown as %s", cases[i].text, text);
            free(text);
        }
    exp_page page = {.out = tmpfile()};
    exp_page_image(&page, "a b/(<x>).svg", "<t>");
    char *text = text_of(page.out);
    assert_string_equal(text, "![&lt;t&gt;](a%20b/%28%3Cx%3E%29.svg)\n\n");
    free(text);
}

static void drawings_keep_their_names_apart(void **state)
{
    (void)state;
    static const char svg[] = "<?xml?>\n<svg width='3'>\n<title>Gnuplot</title>\n<desc>d</desc>"
                              "<g id='p'/><use xlink:href='#p'/></svg>";
    exp_page page = {.out = tmpfile(), .html = true};
    exp_page_svg(&page, svg, "a & b");
    exp_page_svg(&page, svg, "c");
    exp_page_svg(&page, "no drawing", "d");
    char *text = text_of(page.out);
    assert_string_equal(text, "<svg role=\"img\" width='3'><title>a &amp; b</title><desc>d</desc>"
                              "<g id='d1-p'/><use xlink:href='#d1-p'/></svg>"
                              "<svg role=\"img\" width='3'><title>c</title><desc>d</desc>"
                              "<g id='d2-p'/><use xlink:href='#d2-p'/></svg>");
    free(text);
}

// ---- the report ----

static int count_of(const char *text, const char *words)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, words)) != NULL; at++)
        count++;
    return count;
}

// all claims are there; what needs results is not judged
static void a_report_without_results_has_all_claims(void **state)
{
    (void)state;
    const exp_results results = {.count = 0};
    const exp_report report = {.results = &results, .figures = "figures"};
    FILE *out = tmpfile();
    lgkt_error error = {0};
    assert_non_null(out);
    assert_ok(exp_report_write(&report, out, NULL, &error), error);
    char *text = text_of(out);
    int32_t claims = 0;
    while (exp_claim_at(claims) != NULL)
        claims++;
    assert_int_equal(count_of(text, "\n### Claim "), claims);
    assert_int_equal(count_of(text, "does not hold** |"), 2);
    assert_non_null(strstr(text, "Experiment `profiles` was not read."));
    assert_null(strstr(text, "!["));
    free(text);
}

// ---- figures ----

static void every_learner_has_a_style(void **state)
{
    (void)state;
    const exp_experiment *e;
    for (int32_t i = 0; (e = exp_experiment_at(i)) != NULL; i++)
        for (int32_t p = 0; p < e->panel_count; p++)
            for (int32_t l = 0; l < e->panels[p].entry_count; l++) {
                const char *label = e->panels[p].entries[l].label;
                if (exp_style_of(label).label == NULL)
                    fail_msg("no style for %s of %s", label, e->name);
            }
    assert_null(exp_style_of("nobody").label);
}

static void labels_keep_their_distance(void **state)
{
    (void)state;
    double pair[] = {0.5, 0.5};
    exp_spread_labels(pair, 2, 0.1, 0, 1);
    assert_close(pair[0], 0.45, 1e-12);
    assert_close(pair[1], 0.55, 1e-12);
    double far[] = {0.9, 0.1, 0.5};
    exp_spread_labels(far, 3, 0.1, 0, 1);
    assert_close(far[0], 0.9, 1e-12);
    assert_close(far[1], 0.1, 1e-12);
    assert_close(far[2], 0.5, 1e-12);
    double top[] = {0.99, 1.0, 0.98, 0.2};
    exp_spread_labels(top, 4, 0.1, 0, 1);
    assert_close(top[1], 1.0, 1e-12);
    assert_close(top[0], 0.9, 1e-12);
    assert_close(top[2], 0.8, 1e-12);
    assert_close(top[3], 0.2, 1e-12);
    exp_spread_labels(NULL, 0, 0.1, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_gnuplot_would_obey_is_refused),
        cmocka_unit_test(a_failed_program_is_named),
        cmocka_unit_test(a_page_has_two_forms),
        cmocka_unit_test(no_text_becomes_markup),
        cmocka_unit_test(drawings_keep_their_names_apart),
        cmocka_unit_test(a_report_without_results_has_all_claims),
        cmocka_unit_test(every_learner_has_a_style),
        cmocka_unit_test(labels_keep_their_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
