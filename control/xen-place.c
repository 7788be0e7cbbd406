/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include <xen/features.h>

#include "base/scope.h"
#include "xen-domains.h"

/* First line of a small file; "" if it cannot be read. */
static void read_line(const char *path, char *line, size_t size)
{
    FILE *file SCOPE_FCLOSE = fopen(path, "re");

    line[0] = '\0';
    if ( file && fgets(line, (int)size, file) )
        line[strcspn(line, "\n")] = '\0';
    else
        line[0] = '\0';
}

static bool is_xen(void)
{
    char line[32];

    read_line("/sys/hypervisor/type", line, sizeof(line));
    return strcmp(line, "xen") == 0 || access("/proc/xen/xenbus", F_OK) == 0;
}

/* Xenfs says it if it is mounted, and so do the features Xen told Linux. */
static bool is_control_domain(void)
{
    char line[128];

    read_line("/proc/xen/capabilities", line, sizeof(line));
    if ( line[0] )
        return strstr(line, "control_d") != NULL;
    read_line("/sys/hypervisor/properties/features", line, sizeof(line));
    return strtoul(line, NULL, 16) >> XENFEAT_dom0 & 1;
}

int xen_place_check(struct failure *failure)
{
    if ( !is_xen() )
        return fail(failure, STATUS_NO_XEN,
                    "this machine does not run on Xen; xenoprof profiles a "
                    "Xen host from its dom0");
    if ( geteuid() != 0 )
        return fail(failure, STATUS_NOT_ROOT,
                    "only root can talk to Xen; run it as root");
    if ( !is_control_domain() )
        return fail(failure, STATUS_NO_DOM0,
                    "this is a guest; run it in dom0, the domain that "
                    "controls the host");
    return 0;
}
