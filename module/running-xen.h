/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running hypervisor: is there one, which build is it, what is its code.
 */
#ifndef XENOPROF_MODULE_RUNNING_XEN_H
#define XENOPROF_MODULE_RUNNING_XEN_H

#include <xenctrl.h>

#include "assemble.h"
#include "base/failure.h"

/* Checks that we are root in dom0 of a Xen host.  Returns 0, or an exit status
 * with the remedy in failure. */
int running_xen_check(struct failure *failure);

/* Build-id of the running hypervisor; false if it has none. */
bool running_xen_build_id(xc_interface *xc, struct build_id *ret);
void build_id_text(const struct build_id *id,
                   char text[2 * XEN_IMAGE_BUILD_ID_MAX + 1]);

/* Xen's own symbol table as text, malloc'ed; NULL and errno on failure. */
char *running_xen_symbols(size_t *size);

/* hypfs is there. */
bool running_xen_has_hypfs(void);

/* True if NAME is a directory at hypfs' root. */
bool running_xen_has_door(const char *name);

/* The last line on Xen's console that has words in it; "" if none. */
void running_xen_console_line(xc_interface *xc, const char *words, char *line,
                              size_t size);

#endif
