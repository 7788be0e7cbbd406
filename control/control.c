/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "control.h"

const char *control_path(void)
{
    const char *path = getenv("XENOPROF_CONTROL");

    return path && *path ? path : CONTROL_PATH;
}
