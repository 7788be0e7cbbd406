/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts of symbols that the kernel offers: /proc/kallsyms and
 * /proc/xen/xensyms; /proc/modules is opened like them.  They are opened as
 * root, since the kernel decides at opening whether addresses are shown, and
 * read again later as somebody else.
 */
#ifndef XENOPROF_DAEMON_SYMBOL_TEXT_H
#define XENOPROF_DAEMON_SYMBOL_TEXT_H

#include <stddef.h>

/* A file descriptor, or -1. */
int symbol_text_open(const char *path);
void symbol_text_close(int fd);

/*
 * All lines that name code (types t and w of either case), malloc'ed; data
 * would only cost memory.  NULL if there are none, or all addresses are
 * hidden.
 */
char *symbol_text_read(int fd, size_t *size);

#endif
