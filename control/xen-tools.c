/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks what dom0 may always ask, in the language that changes with versions. */
#include <errno.h>

#include "xen-access.h"
#include "xen-tools.h"

int xen_tools_check(xc_interface *xc, struct failure *failure)
{
    xc_physinfo_t info = {0};
    int version, result;

    /* Flask says so, too, and does not say more. */
    errno = 0;
    result = libxc_result(xc_physinfo(xc, &info));
    if ( result != -EACCES )
        return 0;
    /* This question has been the same in all versions. */
    version = xc_version(xc, XENVER_version, NULL);
    return fail(failure, STATUS_TOOLS,
                "Xen does not answer its tools (libxenctrl) in dom0: they are "
                "of another version than the running hypervisor, which is "
                "%d.%d (reboot into the hypervisor that belongs to them, or "
                "install xen-utils, and a xenoprof, for Xen %d.%d), or a "
                "security policy (Flask) forbids this domain to ask",
                version >> 16, version & 0xffff, version >> 16,
                version & 0xffff);
}
