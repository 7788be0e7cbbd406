/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the running hypervisor shows of itself: its symbols and its code. */
#ifndef XENOPROF_MODULE_READ_CODE_H
#define XENOPROF_MODULE_READ_CODE_H

#include "context.h"

/* Opens an image of the hypervisor's own symbols, without code.  Returns 0, or
 * an exit status; the image may be closed in either case. */
int read_symbols(struct module_context *context, struct xen_image *image);

/*
 * Adds the hypervisor's code and constants to an image that has its symbols,
 * by loading and unloading the probe, and sets context->has_holes and nmi.
 * MODULE_FOLDER is locked (folder.h).
 * Returns 0, or an exit status.
 */
int read_code(struct module_context *context, struct xen_image *image);

/* The payload that module_check() uploads and withdraws. */
#define EMPTY_NAME "xenoprof-empty"

/* Unloads a probe that a killed build left behind, and withdraws the payload of
 * a killed check.  Returns 0, also if there is none, or Xen's -errno. */
int read_code_clear(struct module_context *context);

#endif
