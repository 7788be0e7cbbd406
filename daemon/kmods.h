/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel modules of dom0's kernel, from /proc/modules: some kilobytes,
 * where /proc/kallsyms has ten megabytes.
 */
#ifndef XENOPROF_DAEMON_KMODS_H
#define XENOPROF_DAEMON_KMODS_H

#include <stdint.h>

/* Returns a number that changes when kernel modules come, go or move, or 0 if
 * fd cannot be read. */
uint64_t kmods_sum(int fd);

#endif
