// SPDX-License-Identifier: MIT
// The two forms of a page. HTML is one file with its style and drawings inside: no scripts, no
// network. Wide tables scroll within their own box, so that the page never does on a phone.

#include "experiments/page.h"

#include <stdarg.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--line:#8884;--soft:#8881}\n"
    "body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:82rem;"
    "overflow-wrap:break-word}\n"
    "h1{font-size:1.7rem;line-height:1.2}h2{margin-top:2.5rem;border-bottom:1px solid "
    "var(--line)}\n"
    "h3{margin:1.8rem 0 .4rem}h4{margin:1.2rem 0 .3rem}p,ul,blockquote{max-width:60rem}\n"
    "blockquote{margin:.4rem 0;padding:.2rem 1rem;border-left:3px solid var(--line)}\n"
    ".box{overflow-x:auto;margin:.6rem 0}\n"
    "table{border-collapse:collapse;font-size:.9rem}\n"
    "th,td{padding:.25rem .7rem;border-bottom:1px solid var(--line);text-align:left;"
    "vertical-align:top}\n"
    "td.r,th.r{text-align:right;font-variant-numeric:tabular-nums}td.r,td.n{white-space:nowrap}\n"
    "th{border-bottom-width:2px}td.l{min-width:11rem}\n"
    "pre{overflow-x:auto;padding:.7rem;background:var(--soft)}code{font-size:.9em}\n"
    "details{margin:.4rem 0}summary{cursor:pointer}\n"
    ".figures{display:grid;gap:.8rem;margin:.8rem 0;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,34rem),1fr))}\n"
    ".figures svg,.figures img{display:block;width:100%;height:auto;max-width:46rem;"
    "background:#fff;border-radius:4px}\n"
    ".badge{display:inline-block;padding:.05rem .6rem;border-radius:1rem;font-weight:600;"
    "color:#fff;white-space:nowrap}\n"
    ".holds{background:#00664b}.part{background:#7a5200}.not{background:#a83a00}"
    ".open{background:#555}\n";

// ---- text ----

// code is shown as it stands by Markdown, all else may be read as HTML or as a mark
static void put_escaped(const exp_page *page, char c, bool code)
{
    const char *entity = c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : NULL;
    if (entity != NULL && (page->html || !code))
        fputs(entity, page->out);
    else if (!page->html && ((c == '|' && page->columns > 0) || (!code && (c == '`' || c == '\\'))))
        fprintf(page->out, "\\%c", c);
    else
        fputc(c, page->out);
}

// the mark at the beginning of a text, with the words of HTML for it
static const struct {
    const char *mark, *tag;
} marks[] = {{"**", "strong"}, {"*", "em"}};

// how many characters before the next backtick that stands alone; 0: there is none
static size_t code_length(const char *text)
{
    for (size_t i = 1; text[i] != '\0'; i++)
        if (text[i] == '`' && text[i - 1] != '`' && text[i + 1] != '`')
            return i;
    return 0;
}

// Code stands between two single backticks, as in Markdown; other backticks are no marks. For HTML
// the marks become tags, in turn opened and closed, and [text](#anchor) a link.
static void put_text(const exp_page *page, const char *text)
{
    bool open[2] = {false};
    char last = '\0';
    for (; *text != '\0'; last = *text++) {
        const size_t code = *text == '`' && last != '`' && text[1] != '`' ? code_length(text) : 0;
        if (code > 0) {
            fputs(page->html ? "<code>" : "`", page->out);
            for (size_t i = 1; i < code; i++)
                put_escaped(page, text[i], true);
            fputs(page->html ? "</code>" : "`", page->out);
            text += code;
            continue;
        }
        const size_t words = page->html && *text == '[' ? strcspn(text, "]") : 0;
        if (words > 0 && strncmp(text + words, "](#", 3) == 0) {
            const char *anchor = text + words + 3;
            const size_t length = strcspn(anchor, ")<>&\"'");
            if (anchor[length] == ')') {
                fprintf(page->out, "<a href=\"#%.*s\">", (int)length, anchor);
                for (size_t i = 1; i < words; i++)
                    put_escaped(page, text[i], false);
                fputs("</a>", page->out);
                text = anchor + length;
                continue;
            }
        }
        int m = 0;
        while (m < 2 && strncmp(text, marks[m].mark, strlen(marks[m].mark)) != 0)
            m++;
        if (!page->html || m == 2) {
            put_escaped(page, *text, false);
            continue;
        }
        fprintf(page->out, "<%s%s>", open[m] ? "/" : "", marks[m].tag);
        open[m] = !open[m];
        text += strlen(marks[m].mark) - 1;
    }
}

static void put_format(const exp_page *page, const char *format, va_list list)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, list);
    put_text(page, text);
}

// a text between two others
static void put_between(const exp_page *page, const char *before, const char *text,
                        const char *after)
{
    fputs(before, page->out);
    put_text(page, text);
    fputs(after, page->out);
}

// ---- frame ----

void exp_page_begin(exp_page *page, const char *title, const char *mark)
{
    if (!page->html)
        return;
    put_between(page,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
                title, "</title>\n");
    // an icon of nothing keeps browsers from asking for one
    fprintf(page->out,
            "<link rel=\"icon\" href=\"data:,\">\n<style>\n%s</style>\n</head>\n"
            "<body %s>\n",
            style, mark);
}

void exp_page_end(exp_page *page)
{
    if (page->html)
        fputs("</body>\n</html>\n", page->out);
}

void exp_page_heading(exp_page *page, int level, const char *anchor, const char *text)
{
    if (page->html) {
        fprintf(page->out, "<h%d", level);
        if (anchor != NULL)
            fprintf(page->out, " id=\"%s\"", anchor);
        put_between(page, ">", text, "");
        fprintf(page->out, "</h%d>\n", level);
        return;
    }
    if (anchor != NULL)
        fprintf(page->out, "<a id=\"%s\"></a>\n\n", anchor);
    fprintf(page->out, "%.*s ", level, "####");
    put_between(page, "", text, "\n\n");
}

void exp_page_text(exp_page *page, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs(page->html ? "<p>" : "", page->out);
    put_format(page, format, list);
    fputs(page->html ? "</p>\n" : "\n\n", page->out);
    va_end(list);
}

void exp_page_quote(exp_page *page, const char *text)
{
    if (page->html)
        put_between(page, "<blockquote>", text, "</blockquote>\n");
    else
        put_between(page, "> ", text, "\n\n");
}

void exp_page_code(exp_page *page, const char *lines)
{
    fputs(page->html ? "<pre><code>" : "```sh\n", page->out);
    for (; *lines != '\0'; lines++)
        put_escaped(page, *lines, true);
    fputs(page->html ? "</code></pre>\n" : "```\n\n", page->out);
}

// ---- lists ----

void exp_page_list_begin(exp_page *page)
{
    fputs(page->html ? "<ul>\n" : "", page->out);
}

void exp_page_item(exp_page *page, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs(page->html ? "<li>" : "- ", page->out);
    put_format(page, format, list);
    fputs(page->html ? "</li>\n" : "\n", page->out);
    va_end(list);
}

void exp_page_list_end(exp_page *page)
{
    fputs(page->html ? "</ul>\n" : "\n", page->out);
}

// ---- tables ----

void exp_page_table_begin(exp_page *page, const char *aligned)
{
    page->aligned = aligned;
    page->columns = (int32_t)strlen(aligned);
    page->cell = 0;
    fputs(page->html ? "<div class=\"box\"><table>\n" : "", page->out);
}

static const char *cell_tag(const exp_page *page)
{
    return page->cell < page->columns ? "th" : "td";
}

static void begin_cell(const exp_page *page)
{
    const int32_t column = page->cell % page->columns;
    const char letter = page->aligned[column];
    if (!page->html)
        fputs("| ", page->out);
    else
        fprintf(page->out, "%s<%s class=\"%c\">", column == 0 ? "<tr>" : "", cell_tag(page),
                letter);
}

static void end_cell(exp_page *page)
{
    const bool last = (page->cell + 1) % page->columns == 0;
    if (page->html)
        fprintf(page->out, "</%s>%s", cell_tag(page), last ? "</tr>\n" : "");
    else
        fputs(last ? " |\n" : " ", page->out);
    page->cell++;
    // the line of Markdown below the heading
    if (!page->html && page->cell == page->columns) {
        for (int32_t c = 0; c < page->columns; c++)
            fputs(page->aligned[c] == 'r' ? "| ---: " : "| --- ", page->out);
        fputs("|\n", page->out);
    }
}

void exp_page_cell(exp_page *page, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    begin_cell(page);
    put_format(page, format, list);
    end_cell(page);
    va_end(list);
}

static void put_badge(const exp_page *page, const char *kind, const char *text)
{
    if (page->html)
        fprintf(page->out, "<span class=\"badge %s\">%s</span>", kind, text);
    else
        fprintf(page->out, "**%s**", text);
}

void exp_page_badge_cell(exp_page *page, const char *kind, const char *text)
{
    begin_cell(page);
    put_badge(page, kind, text);
    end_cell(page);
}

void exp_page_table_end(exp_page *page)
{
    fputs(page->html ? "</table></div>\n" : "\n", page->out);
    page->columns = 0;
}

// ---- folds and badges ----

void exp_page_fold_begin(exp_page *page, const char *summary)
{
    // Markdown goes on after an empty line
    put_between(page, "<details><summary>", summary,
                page->html ? "</summary>\n" : "</summary>\n\n");
}

void exp_page_fold_end(exp_page *page)
{
    fputs(page->html ? "</details>\n" : "</details>\n\n", page->out);
}

void exp_page_badge(exp_page *page, const char *kind, const char *text)
{
    fputs(page->html ? "<p class=\"verdict\">" : "", page->out);
    put_badge(page, kind, text);
    fputs(page->html ? "</p>\n" : "\n\n", page->out);
}

// ---- figures ----

void exp_page_figures_begin(exp_page *page)
{
    fputs(page->html ? "<div class=\"figures\">\n" : "", page->out);
}

void exp_page_svg(exp_page *page, const char *svg, const char *title)
{
    const char *begin = strstr(svg, "<svg"), *body = strstr(svg, "<desc>");
    if (begin == NULL || body == NULL)
        return;
    // the attributes, without the title that every drawing of gnuplot has
    const char *inside = strchr(begin, '>');
    page->drawings++;
    fprintf(page->out, "<svg role=\"img\"%.*s>", (int)(inside - begin - 4), begin + 4);
    put_between(page, "<title>", title, "</title>");
    // drawings of one page share their names, so each gets its own prefix
    static const char *const before[] = {" id='", " id=\"", "href='#", "url(#"};
    while (*body != '\0') {
        size_t length = 0;
        for (size_t i = 0; i < sizeof before / sizeof *before && length == 0; i++)
            if (strncmp(body, before[i], strlen(before[i])) == 0)
                length = strlen(before[i]);
        fprintf(page->out, "%.*s", (int)(length > 0 ? length : 1), body);
        if (length > 0)
            fprintf(page->out, "d%d-", page->drawings);
        body += length > 0 ? length : 1;
    }
}

void exp_page_image(exp_page *page, const char *path, const char *title)
{
    fputs("![", page->out);
    put_between(page, "", title, "](");
    for (; *path != '\0'; path++)
        fprintf(page->out, strchr(" <>()\\\"'`&|%#?", *path) != NULL ? "%%%02X" : "%c",
                (unsigned char)*path);
    fputs(")\n\n", page->out);
}

void exp_page_figures_end(exp_page *page)
{
    fputs(page->html ? "</div>\n" : "", page->out);
}
