/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the formats of --export that are text share: a walk whose functions have
 * labels have names that keep a line one line, and lines that go out together.
 *
 *   lines_init(&lines, report, file);
 *   while ( walk_next(&lines.walk, &sample) )
 *       lines_text(...), lines_number(...), lines_end(...)
 *   lines_free(&lines);
 */
#ifndef XENOPROF_REPORT_EXPORT_EXPORT_LINES_H
#define XENOPROF_REPORT_EXPORT_EXPORT_LINES_H

#include "export-walk.h"

#include "base/buffer.h"
#include "base/must.h"

/* A text as it is put. */
struct lines_name {
    char *text; /* NULL: not made yet */
    size_t length;
};

/* How a format spells names; each is malloc'ed. */
struct lines_spelling {
    char *(*function)(const struct walk_function *function);
    char *(*label)(const char *text);
};

struct lines_label {
    struct {
        uint64_t value;
        uint64_t label;
    } key;
    struct lines_name name;
};

struct export_lines {
    struct export_walk walk;
    FILE *file;
    const struct lines_spelling *spelling;
    struct buffer out;        /* what has not gone out yet */
    struct lines_name *names; /* of functions, by their numbers */
    struct table labels;      /* struct lines_label */
    struct {
        VECTOR(uint32_t);
    } path; /* functions of a stack */
};

/* lines_free(), which writes what is left, in any case. */
void lines_init(struct export_lines *lines, const struct report *report,
                FILE *file, const struct lines_spelling *spelling);
void lines_free(struct export_lines *lines);

/* For a spelling as --folded has it: "get_page_[x]", "web". */
char *lines_folded_function(const struct walk_function *function);
char *lines_folded_label(const char *text);

/* Both are made when they are first asked for, and good as long as no other
 * label is. */
const struct lines_name *lines_function(struct export_lines *lines,
                                        uint32_t function);
const struct lines_name *lines_label(struct export_lines *lines,
                                     enum walk_label label, uint64_t value);

static inline void lines_bytes(struct export_lines *lines, const char *bytes,
                               size_t length)
{
    struct buffer *out = &lines->out;

    if ( out->room - out->used < length )
        must_do(buffer_reserve(out, length));
    memcpy(out->bytes + out->used, bytes, length);
    out->used += length;
}

static inline void lines_text(struct export_lines *lines, const char *text)
{
    lines_bytes(lines, text, strlen(text));
}

static inline void lines_put(struct export_lines *lines,
                             const struct lines_name *name)
{
    lines_bytes(lines, name->text, name->length);
}

/* At least so many digits, of which the first may be zeroes. */
void lines_number(struct export_lines *lines, uint64_t number,
                  unsigned int digits);
/* Puts the names of a stack's functions, the root first, with ';' between. */
void lines_stack(struct export_lines *lines, uint32_t stack);
void lines_end(struct export_lines *lines);

#endif
