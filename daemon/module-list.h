/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which modules dom0's kernel has, told from /proc/modules: some kilobytes,
 * where /proc/kallsyms has ten megabytes.
 */
#ifndef XENOPROF_DAEMON_MODULE_LIST_H
#define XENOPROF_DAEMON_MODULE_LIST_H

#include <stdint.h>

/* Another number when modules came, went or moved; 0: it cannot be told. */
uint64_t module_list_sum(int fd);

#endif
