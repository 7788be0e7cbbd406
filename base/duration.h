/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A length of time as a user gives it: "90s", "30m", "1h", "2d".
 */
#ifndef XENOPROF_BASE_DURATION_H
#define XENOPROF_BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#define DURATION_EXAMPLES "as in 90s, 30m, 1h or 2d"

/* Sets *ret to the seconds.  Returns false if text is something else, 0, or
 * more than max. */
bool duration_parse(const char *text, uint64_t max, uint64_t *ret);

#endif
