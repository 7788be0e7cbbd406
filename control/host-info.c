/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of the machine and of its Xen. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/scope.h"
#include "host-info.h"

static void read_build_id(xc_interface *xc, char *text, size_t size)
{
    union {
        struct xen_build_id id;
        unsigned char bytes[sizeof(struct xen_build_id) + 64];
    } buffer = {.id = {.len = 64}};
    int length = xc_version(xc, XENVER_build_id, &buffer.id);

    text[0] = '\0';
    for ( int i = 0; i < length && i < 64 && size > 2; i++, size -= 2 )
        text += sprintf(text, "%02x", buffer.id.buf[i]);
}

void host_info_read(xc_interface *xc, struct host_info *ret)
{
    int version = xc_version(xc, XENVER_version, NULL);
    xen_extraversion_t extra = "";
    FILE *file SCOPE_FCLOSE = fopen("/proc/sys/kernel/random/boot_id", "re");
    struct utsname name;

    xc_version(xc, XENVER_extraversion, extra);
    snprintf(ret->xen_version, sizeof(ret->xen_version), "%d.%d%.40s",
             version >> 16, version & 0xffff, extra);
    read_build_id(xc, ret->xen_build_id, sizeof(ret->xen_build_id));
    if ( !file || !fgets(ret->boot, (int)sizeof(ret->boot), file) )
        ret->boot[0] = '\0';
    ret->boot[strcspn(ret->boot, "\n")] = '\0';
    if ( uname(&name) == 0 )
    {
        snprintf(ret->host, sizeof(ret->host), "%s", name.nodename);
        snprintf(ret->kernel, sizeof(ret->kernel), "%s %s", name.sysname,
                 name.release);
    }
}
