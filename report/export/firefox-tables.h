/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all threads of --export=firefox share: functions, frames and stacks in
 * columns, and the texts that all else names by number.
 */
#ifndef XENOPROF_REPORT_EXPORT_FIREFOX_TABLES_H
#define XENOPROF_REPORT_EXPORT_FIREFOX_TABLES_H

#include "export-walk.h"

#include "base/json-writer.h"
#include "base/names.h"

#define FIREFOX_NS_DIGITS 6u /* of a ns, in ms */

/* What the colour of time says.  The first is that of what is not code. */
enum firefox_category {
    FIREFOX_OTHER,
    FIREFOX_XEN,
    FIREFOX_KERNEL,
    FIREFOX_USER,
    FIREFOX_PROFILER,
    FIREFOX_CATEGORIES
};

struct firefox_tables {
    const struct export_walk *walk;
    struct names texts;           /* number 0 is "" */
    struct names images, sources; /* of functions; their numbers begin with 1 */
    /* Stacks that the profiler's own programs had: their leaves are frames of
     * another category. */
    struct table own;
};

/* firefox_tables_free() in any case. */
void firefox_tables_init(struct firefox_tables *tables,
                         const struct export_walk *walk);
void firefox_tables_free(struct firefox_tables *tables);

uint32_t firefox_text(struct firefox_tables *tables, const char *text);
/* Returns the number of a sample's stack. */
uint32_t firefox_stack(struct firefox_tables *tables,
                       const struct walk_sample *sample);

/* Put member `categories`; and `shared`, once all texts and samples were put.
 */
void firefox_put_categories(struct json *json);
void firefox_put_shared(struct firefox_tables *tables, struct json *json);

/* Members: a text; a column of one value, so many times. */
void firefox_put_text(struct json *json, const char *key, const char *text);
void firefox_put_number(struct json *json, const char *key, uint64_t number);
void firefox_put_nulls(struct json *json, const char *key, size_t count);
void firefox_put_same(struct json *json, const char *key, int64_t value,
                      size_t count);

#endif
