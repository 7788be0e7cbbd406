/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What module.h's functions share: Xen's handle, the running build, and the
 * sentence for the user.
 */
#ifndef XENOPROF_MODULE_CONTEXT_H
#define XENOPROF_MODULE_CONTEXT_H

#include "assemble.h"
#include "running-xen.h"
#include "module.h"

#define MESSAGE_MAX 1024

struct module_context {
    struct module_options options;
    xc_interface *xc; /* NULL until context_connect() */
    struct build_id id;
    char id_text[2 * XEN_IMAGE_BUILD_ID_MAX + 1];
    char message[MESSAGE_MAX];
    char unwind_line[128]; /* of a table that was made just now, or "" */
    char above[XEN_LIVEPATCH_NAME_SIZE];
};

/* Set the sentence and return code. */
enum module_code context_fail(struct module_context *context,
                              enum module_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Is this a Xen host that we may work on; opens libxc, finds the build-id. */
enum module_code context_connect(struct module_context *context);

/* Tell the user if he asked for it (--verbose). */
void context_tell(const struct module_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The installed object NAME; with --object the given one. */
void context_object(const struct module_context *context, const char *name,
                    char *path, size_t size);

#endif
