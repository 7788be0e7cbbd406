/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hypervisors' xen-syms that XENOPROF_XEN_SYMS names, joined by ':'. */
#ifndef TESTS_UNIT_MODULE_XEN_SYMS_KIT_H
#define TESTS_UNIT_MODULE_XEN_SYMS_KIT_H

#include <stdbool.h>

#define XEN_SYMS_PATH 4096

/* Returns the list; skips the test if there is none. */
const char *xen_syms_list(void);

/* Takes the first path off the list.  Returns false if there is none left. */
bool xen_syms_next(const char **list, char path[XEN_SYMS_PATH]);

#endif
