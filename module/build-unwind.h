/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_MODULE_BUILD_UNWIND_H
#define XENOPROF_MODULE_BUILD_UNWIND_H

#include "context.h"

/*
 * The unwind table of a hypervisor whose code was read, and of the module's
 * object.  *table is malloc'ed.  What it covers is in context->unwind_line,
 * with more for --verbose.
 */
enum module_code build_unwind(struct module_context *context,
                              const struct hypervisor_image *image,
                              const char *object,
                              struct xenoprof_unwind **table);

#endif
