/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each domain reads its own number in xenstore; there is no other place where
 * PV, PVH and HVM guests have it.  dom0 is not asked: where nobody serves
 * xenstore yet, it would wait.  Xen tells its features to all sorts of guests
 * alike, and the kernel passes them on.
 */
#include "xen-place.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xen/features.h>
#include <xenstore.h>

/* Reads a line; "" if there is none. */
static void read_line(const char *folder, const char *name, char *ret, int size)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    *ret = 0;
    file = fopen(path, "re");
    if ( file && !fgets(ret, size, file) )
        *ret = 0;
    if ( file )
        fclose(file);
}

static bool is_dom0(const char *folder)
{
    char features[64];

    read_line(folder, "properties/features", features, sizeof(features));
    return strtoull(features, NULL, 16) & 1ull << XENFEAT_dom0;
}

static bool is_on_xen(const char *folder)
{
    char type[16];

    read_line(folder, "type", type, sizeof(type));
    return !strcmp(type, "xen\n");
}

/* Returns this domain's number, or -1. */
static int own_number(void)
{
    struct xs_handle *store = xs_open(0);
    char *text = store ? xs_read(store, XBT_NULL, "domid", NULL) : NULL;
    int number = text ? atoi(text) : -1, code = errno;

    free(text);
    if ( store )
        xs_close(store);
    errno = code;
    return number;
}

enum xen_place xen_place_find(const char *folder)
{
    int number = is_dom0(folder) ? 0 : own_number(), code = errno;
    bool unknown = number < 0 && is_on_xen(folder);

    errno = code;
    return number > 0 ? XEN_GUEST : unknown ? XEN_UNKNOWN : XEN_NO_GUEST;
}
