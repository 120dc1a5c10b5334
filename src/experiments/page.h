// SPDX-License-Identifier: MIT
// A page of text, tables and figures, written as HTML or as Markdown by the same calls.
//
// Texts may contain `code`, **strong** and *emphasised* words and [links](#to-anchors); all else is
// shown as it is, whatever HTML or Markdown would make of it.
#ifndef EXPERIMENTS_PAGE_H
#define EXPERIMENTS_PAGE_H

#include <stdio.h>

#include "core/error.h"

typedef struct exp_page {
    FILE *out;
    bool html;
    int32_t columns;     // of the open table
    int32_t cell;        // number of the next cell
    const char *aligned; // one letter for each column: l, n (left, never broken) or r
    int32_t drawings;    // so far, to keep their names apart
} exp_page;

// The frame around everything; `mark` is an attribute of the HTML body for those who check it.
void exp_page_begin(exp_page *page, const char *title, const char *mark);
void exp_page_end(exp_page *page);

// Level 1 to 4; the anchor is nullable.
void exp_page_heading(exp_page *page, int level, const char *anchor, const char *text);
void exp_page_text(exp_page *page, const char *format, ...) LGKT_PRINTF(2, 3);
// Words of somebody else.
void exp_page_quote(exp_page *page, const char *text);
void exp_page_code(exp_page *page, const char *lines);

void exp_page_list_begin(exp_page *page);
void exp_page_item(exp_page *page, const char *format, ...) LGKT_PRINTF(2, 3);
void exp_page_list_end(exp_page *page);

// Cells fill rows from left to right; the first row is the heading.
void exp_page_table_begin(exp_page *page, const char *aligned);
void exp_page_cell(exp_page *page, const char *format, ...) LGKT_PRINTF(2, 3);
void exp_page_badge_cell(exp_page *page, const char *kind, const char *text);
void exp_page_table_end(exp_page *page);

// Text that opens on request.
void exp_page_fold_begin(exp_page *page, const char *summary);
void exp_page_fold_end(exp_page *page);

// Figures side by side as far as there is room: the bytes of an SVG file (HTML), or a link
// (Markdown).
void exp_page_figures_begin(exp_page *page);
void exp_page_svg(exp_page *page, const char *svg, const char *title);
void exp_page_image(exp_page *page, const char *path, const char *title);
void exp_page_figures_end(exp_page *page);

// A word in a box whose look is the class of that name.
void exp_page_badge(exp_page *page, const char *kind, const char *text);

#endif
