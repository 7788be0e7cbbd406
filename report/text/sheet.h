/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sheet: rows under columns, each with a title in a table and a key in JSON.
 * A view fills it once, and it becomes the one or the other; what the other
 * has is let go.
 */
#ifndef XENOPROF_REPORT_TEXT_SHEET_H
#define XENOPROF_REPORT_TEXT_SHEET_H

#include "grid.h"

#include "base/json-writer.h"

struct sheet {
    struct json *json; /* NULL: a table */
    struct grid grid;  /* which its owner prints */
};

/* Rows, a member of the JSON object around them; and one of them, an object,
 * which may have rows in turn. */
void sheet_rows(struct sheet *sheet, const char *key);
void sheet_rows_end(struct sheet *sheet);
void sheet_row(struct sheet *sheet, bool flat);
void sheet_row_end(struct sheet *sheet);

/* The next cell of a row; it takes text over, which is malloc'ed.  title NULL:
 * it is in JSON only; key NULL: in the table only. */
void sheet_number(struct sheet *sheet, const char *title, const char *key,
                  uint64_t number, char *text);
/* The number itself, and a length of time in ns ("9.5 us"). */
void sheet_count(struct sheet *sheet, const char *title, const char *key,
                 uint64_t number);
void sheet_short(struct sheet *sheet, const char *title, const char *key,
                 uint64_t number);
/* In the table only. */
void sheet_words(struct sheet *sheet, const char *title, bool shrinks,
                 char *text);

#endif
