/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What profilers call images, and what of ours is not code. */
#ifndef XENOPROF_REPORT_IMPORT_IMPORT_NAMES_H
#define XENOPROF_REPORT_IMPORT_IMPORT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the image without brackets, malloc'ed, and whose code it is: Xen's
 * and kernels' are in brackets.  *mode is USER if it is known that it is a
 * process's. */
char *import_image(const char *file, uint8_t *mode);

/* Whether a function stands in place of missing frames.  It is nobody's code: a
 * process's, so that it ends each chain. */
bool import_is_mark(const char *name);

#endif
