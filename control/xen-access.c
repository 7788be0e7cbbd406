/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The check that this is dom0 and root; libxc's results; a logger that drops
 * all. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xen/features.h>

#include "base/scope.h"
#include "xen-access.h"

/* Reads the first line of a small file; "" if the file cannot be read. */
static void read_line(const char *path, char *line, size_t size)
{
    FILE *file SCOPE_FCLOSE = fopen(path, "re");

    line[0] = '\0';
    if ( file && fgets(line, (int)size, file) )
        line[strcspn(line, "\n")] = '\0';
    else
        line[0] = '\0';
}

static bool is_xen_host(void)
{
    char line[32];

    read_line("/sys/hypervisor/type", line, sizeof(line));
    return strcmp(line, "xen") == 0 || access("/proc/xen/xenbus", F_OK) == 0;
}

/* Xenfs answers if it is mounted; otherwise the features that Xen gave to
 * Linux do. */
static bool is_control_domain(void)
{
    char line[128];

    read_line("/proc/xen/capabilities", line, sizeof(line));
    if ( line[0] )
        return strstr(line, "control_d") != NULL;
    read_line("/sys/hypervisor/properties/features", line, sizeof(line));
    return strtoul(line, NULL, 16) >> XENFEAT_dom0 & 1;
}

int xen_access_check(struct failure *failure)
{
    if ( !is_xen_host() )
        return fail(failure, STATUS_NO_XEN,
                    "this machine does not run on Xen; xenoprof profiles a "
                    "Xen host from its dom0");
    if ( geteuid() != 0 )
        return fail(failure, STATUS_NOT_ROOT,
                    "only root can control Xen; run this as root");
    if ( !is_control_domain() )
        return fail(failure, STATUS_NO_DOM0,
                    "this is a guest; run this in dom0, the domain that "
                    "controls the host");
    return 0;
}

static void drop_message(struct xentoollog_logger *logger,
                         xentoollog_level level, int errnoval,
                         const char *context, const char *format, va_list al)
{
    (void)logger, (void)level, (void)errnoval;
    (void)context, (void)format, (void)al;
}

static void drop_progress(struct xentoollog_logger *logger, const char *context,
                          const char *doing_what, int percent,
                          unsigned long done, unsigned long total)
{
    (void)logger, (void)context, (void)doing_what;
    (void)percent, (void)done, (void)total;
}

static void keep_logger(struct xentoollog_logger *logger)
{
    (void)logger;
}

xentoollog_logger *quiet_log(void)
{
    static xentoollog_logger logger = {drop_message, drop_progress,
                                       keep_logger};

    return &logger;
}

int libxc_result(int result)
{
    if ( result >= 0 )
        return result;
    return result == -1 && errno ? -errno : result;
}
