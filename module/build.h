/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_MODULE_BUILD_H
#define XENOPROF_MODULE_BUILD_H

#include "context.h"

/*
 * The payload for the running hypervisor: taken from MODULE_FOLDER if it was
 * put together before from this very object, else put together now.
 * on_top: other payloads are applied, so it cannot carry the hypervisor's
 * build-id.  path gets its place.  MODULE_FOLDER is locked (folder.h).
 */
enum module_code build_module(struct module_context *context, bool on_top,
                              char *path, size_t size);

/*
 * Unload a probe that a build left behind when it was killed.  0, also if
 * there is none, or Xen's -errno.
 */
int build_clear(struct module_context *context);

/* The empty payload of --check, in a temporary file that the caller removes. */
enum module_code build_empty(struct module_context *context, char *path,
                             size_t size);

#endif
