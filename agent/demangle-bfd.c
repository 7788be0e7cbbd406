/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

/* bfd.h refuses to be included without config.h or this. */
#define PACKAGE "xenoprof"
#include <bfd.h>

#include "demangle.h"

char *demangle(const char *name)
{
    return bfd_demangle(NULL, name, 0);
}
