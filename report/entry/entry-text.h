/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why guests entered Xen, in words: "exit ioio 0x3f8 out", "#PF", "syscall".
 * What a hypercall is called is not known here: it is seen on Xen's own stack,
 * of which a guest has no say (report/model/gather.h).
 */
#ifndef XENOPROF_REPORT_ENTRY_ENTRY_TEXT_H
#define XENOPROF_REPORT_ENTRY_ENTRY_TEXT_H

#include <libxenoprof.h>

#define ENTRY_HYPERCALL "hypercall"

/* Returns the row of ways.def that an entry has, from 0 on, or -1. */
int entry_way(const struct xenoprof_entry *entry);

/* Returns what an entry is called, ENTRY_HYPERCALL for each hypercall but iret;
 * malloc'ed. */
char *entry_text(const struct xenoprof_entry *entry);

#endif
