/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the installed object to a payload for the hypervisor that runs. */
#ifndef XENOPROF_MODULE_BUILD_H
#define XENOPROF_MODULE_BUILD_H

#include "context.h"

/*
 * Writes to path where the payload for the running hypervisor is: the file in
 * MODULE_FOLDER that this very object made before, or else one built now.
 * on_top: other payloads are applied, so the payload cannot carry the
 * hypervisor's build-id.  MODULE_FOLDER is locked (folder.h).  Returns 0, or an
 * exit status.
 */
int build_module(struct module_context *context, bool on_top, char *path,
                 size_t size);

#endif
