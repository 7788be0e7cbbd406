/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <limits.h>
#include <string.h>

#include "kernel-files.h"

int kernel_files_add(struct domain_pairs *files, const char *option,
                     const char *text, struct failure *failure)
{
    const char *colon = strchr(text, ':');

    if ( !colon || colon == text || colon[1] != '/' )
        return fail(failure, STATUS_USAGE,
                    "--%s=%s is not DOM:FILE: give a domain's number or name, "
                    "a colon, and a file whose path begins with '/'",
                    option, text);
    if ( colon - text >= DOMAIN_NAME_MAX || strlen(colon + 1) >= PATH_MAX )
        return fail(failure, STATUS_RANGE, "--%s=%s is too long", option, text);
    return domain_pairs_add(files, option, text, failure);
}
