/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plain-name.h"

#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "demangle.h"

/* A longer name is shown as it is spelled in the file: what the demangler does
 * grows with it. */
#define MANGLED_MAX 1024u

void plain_name(const char *name, char *ret, size_t size)
{
    char *plain SCOPE_FREE = NULL;

    if ( strlen(name) <= MANGLED_MAX )
        plain = demangle(name);
    snprintf(ret, size, "%s", plain ? plain : name);
}
