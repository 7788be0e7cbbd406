/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module's own functions (module/module.h), with our options.
 */
#ifndef XENOPROF_OPCONTROL_MODULE_LINK_H
#define XENOPROF_OPCONTROL_MODULE_LINK_H

#include "commands.h"
#include "module/module.h"

/* Returns a context, or NULL with a failure; module.h says what else writes to
 * failure. */
struct module_context *module_link_open(const struct arguments *arguments,
                                        struct failure *failure);

#endif
