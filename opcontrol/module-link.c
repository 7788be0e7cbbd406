/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens module/ with what the command line says about it. */
#include "module-link.h"

struct module_context *module_link_open(const struct arguments *arguments,
                                        struct failure *failure)
{
    const struct module_options options = {
        .xen_syms = arguments->start.xen_syms[0] ? arguments->start.xen_syms
                                                 : NULL,
        .verbose = arguments->verbose ? stdout : NULL,
    };

    return module_open(&options, failure);
}
