/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of the overview: a part of all pCPU time, and what it is of.  Each
 * returns false if there is no memory.
 */
#ifndef XENOPROF_REPORT_TEXT_OVERVIEW_LINES_H
#define XENOPROF_REPORT_TEXT_OVERVIEW_LINES_H

#include "layout.h"

#include <libxenoprof.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* One line; what does not fit is cut in the middle. */
bool overview_line(const struct layout *layout, uint64_t time, uint64_t all,
                   const char *text, FILE *file);
/* A domain with a bar of its modes, and what stands above those. */
bool overview_domain(const struct layout *layout, uint64_t time,
                     const uint64_t by_mode[XENOPROF_MODES], uint64_t all,
                     const char *name, FILE *file);
void overview_domains_title(const struct layout *layout, FILE *file);

#endif
