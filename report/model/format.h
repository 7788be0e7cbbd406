/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers and times as text, and times from text.
 */
#ifndef XENOPROF_REPORT_MODEL_FORMAT_H
#define XENOPROF_REPORT_MODEL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NS_PER_S   1000000000u
#define CLOCK_TEXT 40u /* bytes that hold any text made here */

/* Part of a whole, in percent; 0 of nothing. */
static inline double percent_of(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* Seconds with a decimal point ("12", "0.25") as ns; false if text is
 * something else, or too large. */
bool clock_parse_seconds(const char *text, uint64_t *ret);
/* "2026-11-20T10:00:00Z", with a fraction or without, as ns since 1970. */
bool clock_parse_utc(const char *text, uint64_t *ret);

/* ns since 1970 as "2026-11-20T10:00:00.000000000Z"; digits of the fraction
 * 0 to 9. */
void clock_format_utc(uint64_t ns, unsigned int digits, char ret[CLOCK_TEXT]);
/* A length of time for people: "0.250 ms", "12.345 s", "3 min 02 s",
 * "2 h 03 min". */
void clock_format_length(uint64_t ns, char ret[CLOCK_TEXT]);

/* Returns the part of a path behind its last slash, or all of it. */
const char *format_without_path(const char *path);

/* Closes a file of open_memstream().  Returns its text. */
char *format_close(FILE *file, char **text);

/* These return a malloc'ed text. */
/* "12.345 s", for columns. */
char *format_seconds(uint64_t ns);
/* "950 ns", "9.5 us", "95 ms", "950 s", for columns. */
char *format_short(uint64_t ns);

/* "950", "1.23 k", "45.6 M", "7.89 G" and so on, for columns. */
char *format_count(uint64_t count);

#endif
