/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of the overview: a part of all pCPU time, and what it is of.  How many
 * of them there are.
 */
#ifndef XENOPROF_REPORT_TEXT_OVERVIEW_LINES_H
#define XENOPROF_REPORT_TEXT_OVERVIEW_LINES_H

#include "layout.h"

#include <libxenoprof.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* One line each; what does not fit is cut in the middle. */
void overview_title(const struct layout *layout, const char *text, FILE *file);
void overview_line(const struct layout *layout, uint64_t time, uint64_t all,
                   const char *text, FILE *file);
/* A domain with a bar of its modes, of half the screen's width, and what stands
 * above those. */
void overview_domain(const struct layout *layout, uint64_t time,
                     const uint64_t by_mode[XENOPROF_MODES], uint64_t all,
                     const char *name, FILE *file);
void overview_domains_title(const struct layout *layout, FILE *file);

/* A table of one screen. */
struct screen_part {
    size_t there;  /* rows that it could have */
    size_t least;  /* that it has in any case, if they are there */
    size_t weight; /* of others' room, it gets that part */
    size_t shown;  /* rows that it has */
};

/* Shares out room rows: each part gets its least, even if there is no room for
 * that, and the rest by weight.  What one part does not need is the others'. */
void screen_rows_share(struct screen_part *parts, size_t count, size_t room);

#endif
