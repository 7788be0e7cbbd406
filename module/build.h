/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the payload for the hypervisor that runs, from the installed object.
 */
#ifndef XENOPROF_MODULE_BUILD_H
#define XENOPROF_MODULE_BUILD_H

#include "context.h"

/*
 * Writes the path of the payload for the running hypervisor to path: a file in
 * MODULE_FOLDER that was built from this very object before, or else one that
 * is built now. on_top: other payloads are applied, so the payload cannot carry
 * the hypervisor's build-id.  MODULE_FOLDER must be locked (folder.h).  Returns
 * 0, or an exit status.
 */
int build_module(struct module_context *context, bool on_top, char *path,
                 size_t size);

#endif
