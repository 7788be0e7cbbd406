/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a build with sanitizers says of a memory error in a process that is shut
 * in.  sandbox-reports-sanitizers.c brings it out, and is in no other build:
 * there sandbox-reports-none.c leaves each filter as it is.
 */
#ifndef XENOPROF_CAGE_SANDBOX_REPORTS_H
#define XENOPROF_CAGE_SANDBOX_REPORTS_H

#include <seccomp.h>

/*
 * For a process on its way behind this filter, which is the keeper's or the
 * sandbox's: adds the system calls that a report makes, most of them to be
 * refused instead of killing the process.  What it then reports is printed, and
 * the exit status is 1, when the process that it came from ends by exit().
 * Returns 0 or a negative errno.
 */
int sandbox_reports_keeper(scmp_filter_ctx filter);
int sandbox_reports_inside(scmp_filter_ctx filter);

#endif
