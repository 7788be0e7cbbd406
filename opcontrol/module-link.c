/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module-link.h"

struct module_context *module_link_open(const struct arguments *arguments,
                                        struct failure *failure)
{
    const struct module_options options = {
        .xen_syms = arguments->start.xen_syms[0] ? arguments->start.xen_syms
                                                 : NULL,
        .verbose = arguments->verbose ? stdout : NULL,
    };
    struct module_context *context = module_open(&options);

    if ( !context )
        fail_memory(failure);
    return context;
}

int module_link_fail(const struct module_context *context,
                     enum module_code code, struct failure *failure)
{
    static const enum exit_status statuses[] = {
        [MODULE_OK] = STATUS_DONE,
        [MODULE_ALREADY] = STATUS_DONE,
        [MODULE_NO_XEN] = STATUS_NO_XEN,
        [MODULE_NO_DOM0] = STATUS_NO_DOM0,
        [MODULE_NOT_ROOT] = STATUS_NOT_ROOT,
        [MODULE_NO_LIVEPATCH] = STATUS_NO_LIVEPATCH,
        [MODULE_NO_HYPFS] = STATUS_NO_HYPFS,
        [MODULE_NO_FACTS] = STATUS_NO_FACTS,
        [MODULE_REFUSED] = STATUS_REFUSED,
        [MODULE_COVERED] = STATUS_COVERED,
        [MODULE_SYSTEM] = STATUS_FAILED,
    };

    if ( statuses[code] == STATUS_DONE )
        return 0;
    return fail(failure, statuses[code], "%s", module_message(context));
}
