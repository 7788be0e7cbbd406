/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session says of a domain's kernel: guest_kernel_N of
 * xenoprof-session(5). */
#ifndef XENOPROF_REPORT_MODEL_KERNEL_ATTRIBUTE_H
#define XENOPROF_REPORT_MODEL_KERNEL_ATTRIBUTE_H

#include "loaded.h"

#define KERNEL_ATTRIBUTE_KEYS 11u

struct kernel_attribute {
    char *missing; /* why it was not found; NULL: it was */
    /* In the order of kernel_attribute_keys; NULL: not known. */
    char *value[KERNEL_ATTRIBUTE_KEYS];
    char *text; /* what the others point into */
};

enum kernel_attribute_key {
    KERNEL_RELEASE,
    KERNEL_BUILD_ID,
    KERNEL_BASE,
    KERNEL_SYMBOLS,
    KERNEL_MODULES,
    KERNEL_ORC_ROWS,
    KERNEL_ORC_LAYOUT,
    KERNEL_FRAME_POINTERS,
    KERNEL_FOUND,
    KERNEL_CHECKED,
    KERNEL_TASKS
};

/* "build-id"; of these SYMBOLS, MODULES and ORC_ROWS are decimal numbers,
 * FRAME_POINTERS and CHECKED are yes or no. */
extern const char *const kernel_attribute_keys[KERNEL_ATTRIBUTE_KEYS];

/* False: the session does not say anything of it, and there is nothing to
 * free. */
bool kernel_attribute_read(const struct loaded *loaded, uint32_t domain,
                           struct kernel_attribute *ret);
void kernel_attribute_free(struct kernel_attribute *attribute);

/* "Linux 6.1.0-31-amd64 at 0xffffffff81000000, found in its memory, ...", or
 * "not found: ...".  malloc'ed. */
char *kernel_attribute_text(const struct kernel_attribute *attribute);

#endif
