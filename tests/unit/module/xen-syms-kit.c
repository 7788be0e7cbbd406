/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness.h"
#include "xen-syms-kit.h"

const char *xen_syms_list(void)
{
    const char *list = getenv("XENOPROF_XEN_SYMS");

    if ( !list || !*list )
        test_skip("XENOPROF_XEN_SYMS names no xen-syms");
    return list;
}

bool xen_syms_next(const char **list, char path[XEN_SYMS_PATH])
{
    size_t length;

    *list += strspn(*list, ":");
    length = strcspn(*list, ":");
    snprintf(path, XEN_SYMS_PATH, "%.*s", (int)length, *list);
    *list += length;
    return length;
}
