/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the table for walking Xen's stack (<xenoprof/unwind.h>) from machine
 * code alone, the hypervisor's and our own module's: without debug information,
 * without frame pointers. doc/xen-stacks.md explains how.
 */
#ifndef XENOPROF_MODULE_UNWIND_UNWIND_TABLE_H
#define XENOPROF_MODULE_UNWIND_UNWIND_TABLE_H

#include <stdio.h>

#include <xenoprof/unwind.h>

#include "module/xen-image.h"

/* A table that covers less, in hundredths of a percent, is refused. */
#define UNWIND_COVERAGE_MIN 9900u

#define UNWIND_GAPS      16
#define UNWIND_GAP_NAME  48
#define UNWIND_ERROR_MAX 320

/* A function with instructions that are not covered. */
struct unwind_gap {
    char name[UNWIND_GAP_NAME];
    unsigned int unknown;   /* paths meet with different frames */
    unsigned int unreached; /* nothing is seen to reach them */
};

struct unwind_report {
    unsigned int instructions; /* all except padding */
    unsigned int kinds[XENOPROF_UNWIND_KINDS];
    unsigned int entry;     /* of these: entry code, covered or not */
    unsigned int apart;     /* multiboot headers, kexec, S3: not Xen's stack */
    unsigned int unknown;   /* outside both */
    unsigned int unreached; /* likewise */
    unsigned int covered;   /* of the rest, hundredths of a percent */
    unsigned int bytes;
    unsigned int milliseconds;
    struct unwind_gap gaps[UNWIND_GAPS]; /* the largest ones */
    size_t gap_count;
    char error[UNWIND_ERROR_MAX]; /* one sentence, empty after success */
};

/*
 * Makes the table of image's text and, unless object is NULL, of the text of
 * that module object.  Returns 0 with *table malloc'ed; -ENODATA if less than
 * UNWIND_COVERAGE_MIN is covered; -ENOMEM; -E2BIG; -ENOSYS if capstone cannot
 * decode x86; or what own_text_open() returns.  The report is filled in in each
 * case.
 */
int unwind_generate(const struct xen_image *image, const char *object,
                    struct xenoprof_unwind **table,
                    struct unwind_report *report);

/* The same without a minimum, also for code of which nothing is covered. */
int unwind_make(const struct xen_image *image, const char *object,
                struct xenoprof_unwind **table, struct unwind_report *report);

/* Prints the report in one line without a newline, for --setup. */
void unwind_report_line(const struct unwind_report *report, char *line,
                        size_t size);

#endif
