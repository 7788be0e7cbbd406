/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module's own functions (module/module.h), with our exit statuses.
 */
#ifndef XENOPROF_OPCONTROL_MODULE_LINK_H
#define XENOPROF_OPCONTROL_MODULE_LINK_H

#include "commands.h"
#include "module/module.h"

/* NULL with a failure. */
struct module_context *module_link_open(const struct arguments *arguments,
                                        struct failure *failure);
/* The status and the context's sentence; 0 for MODULE_OK and
 * MODULE_ALREADY. */
int module_link_fail(const struct module_context *context,
                     enum module_code code, struct failure *failure);

#endif
