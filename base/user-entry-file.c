/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "user-entry.h"

const struct passwd *user_entry(const char *name)
{
    FILE *file = fopen("/etc/passwd", "re");
    const struct passwd *entry = NULL;

    while ( file && (entry = fgetpwent(file)) && strcmp(entry->pw_name, name) )
        ;
    if ( file )
        fclose(file);
    return entry;
}
