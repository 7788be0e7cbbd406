/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef OPCONTROL_MODULE_BUILD_H
#define OPCONTROL_MODULE_BUILD_H

#include "context.h"

/*
 * The payload for the running hypervisor: taken from MODULE_FOLDER if it was
 * put together before from this very object, else put together now.
 * on_top: other payloads are applied, so it cannot carry the hypervisor's
 * build-id.  path gets its place.
 */
enum module_code build_module(struct module_context *context, bool on_top,
                              char *path, size_t size);

/* The empty payload of --check, in a temporary file that the caller removes. */
enum module_code build_empty(struct module_context *context, char *path,
                             size_t size);

#endif
