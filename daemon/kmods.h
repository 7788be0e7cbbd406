/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which modules dom0's kernel has, told from /proc/modules: some kilobytes,
 * where /proc/kallsyms has ten megabytes.
 */
#ifndef XENOPROF_DAEMON_KMODS_H
#define XENOPROF_DAEMON_KMODS_H

#include <stdint.h>

/* Another number when modules came, went or moved; 0: it cannot be told. */
uint64_t kmods_sum(int fd);

#endif
