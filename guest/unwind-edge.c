/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of Linux that its own tables leave without a rule since no frame of
 * the kernel's lies below it: ways out to the user, ways in from Xen.
 */
#include "unwind-walk.h"

static const char *const edges[] = {
    "hypercall_iret", "xen_failsafe_callback", "xen_hypercall_iret",
    "xen_iret",       "xen_sysret32",          "xen_sysret64",
};

bool unwind_is_edge(const char *name)
{
    for ( size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++ )
        if ( !strcmp(name, edges[i]) )
            return true;
    return false;
}
