/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running hypervisor: what it is, its symbols, hypfs and console. */
#ifndef XENOPROF_MODULE_RUNNING_XEN_H
#define XENOPROF_MODULE_RUNNING_XEN_H

#include <xenctrl.h>

#include "assemble.h"
#include "base/failure.h"

/* Checks that we are root in dom0 of a Xen host.  Returns 0, or an exit status
 * with the remedy in failure. */
int running_xen_check(struct failure *failure);

/* Returns false if the running hypervisor has no build-id. */
bool running_xen_build_id(xc_interface *xc, struct build_id *ret);
void build_id_text(const struct build_id *id,
                   char text[2 * XEN_IMAGE_BUILD_ID_MAX + 1]);

/* Returns Xen's own symbol table as text, malloc'ed, or NULL with errno. */
char *running_xen_symbols(size_t *size);

/* Returns 1 if the running hypervisor was built with us, 0 if not, or -1 if it
 * does not say, as without /proc/xen/xensyms. */
int running_xen_has_us(void);

/* Returns whether Xen has hypfs. */
bool running_xen_has_hypfs(void);

/* Returns whether name is a directory at the root of hypfs. */
bool running_xen_has_door(const char *name);

/* Returns how Xen schedules a pool of pCPUs that it does not schedule one by
 * one, "core" or "socket", or NULL if there is none. */
const char *running_xen_sched_gran(void);

/* Copies the last line on Xen's console that contains words, or "". */
void running_xen_console_line(xc_interface *xc, const char *words, char *line,
                              size_t size);

#endif
