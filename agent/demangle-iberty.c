/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The demangler without the rest of libbfd, all of which a static program would
 * have. */
#include "demangle.h"

/* As libiberty has it, whose header lies elsewhere on each system. */
char *cplus_demangle(const char *mangled, int options);

char *demangle(const char *name)
{
    return cplus_demangle(name, 0);
}
