/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of the control protocol: WORD KEY=VALUE KEY=VALUE ...
 *
 * A value may be any text: a byte that is not printable ASCII, and '%', is
 * written as %XX, so a value holds neither space nor line end.
 */
#ifndef XENOPROF_CONTROL_LINE_H
#define XENOPROF_CONTROL_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LINE_MAX_BYTES 32768

/* Write one line, word first; end it with line_end(). */
void line_begin(FILE *file, const char *word);
void line_text(FILE *file, const char *key, const char *value);
void line_number(FILE *file, const char *key, uint64_t value);
void line_end(FILE *file);

/* True if line is word, or begins with it and a space. */
bool line_is(const char *line, const char *word);

/* Value of key, decoded; false if it is not there, is no valid encoding, or
 * does not fit. */
bool line_get_text(const char *line, const char *key, char *value, size_t size);
/* The same for a decimal number; 0 if it is not there. */
uint64_t line_get_number(const char *line, const char *key);

/*
 * Each KEY=VALUE of a line in turn.  *at starts as the line itself; false at
 * the end, or where a field is malformed (then **at is not 0).
 */
bool line_next(const char **at, char *key, size_t key_size, char *value,
               size_t value_size);

#endif
