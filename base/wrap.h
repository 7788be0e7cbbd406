/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that goes on below itself where the screen is too narrow.
 */
#ifndef XENOPROF_BASE_WRAP_H
#define XENOPROF_BASE_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Prints a clean text on a line of which indent columns are printed already;
 * further lines begin with as many blanks, and the last has no line end yet.
 * width 0, or too small for that: one line. */
void wrap_print(FILE *file, const char *text, size_t indent, size_t width);

/* Returns the width of the terminal that file is, 0 if it is none: lines for
 * programs stay whole. */
size_t wrap_width(FILE *file);

#endif
