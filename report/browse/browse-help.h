/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said of keys (key-table.def).
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_HELP_H
#define XENOPROF_REPORT_BROWSE_BROWSE_HELP_H

#include <stddef.h>

/* Returns the keys that matter most, as many as fit, malloc'ed. */
char *browse_hints(size_t width);
/* Returns a page that says what each key does, malloc'ed. */
char *browse_help(void);

#endif
