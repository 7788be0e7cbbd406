/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the steps of module.h's functions share: the options, Xen's handle, the
 * running build, and where a failure goes. */
#ifndef XENOPROF_MODULE_CONTEXT_H
#define XENOPROF_MODULE_CONTEXT_H

#include <stdio.h>

#include "assemble.h"
#include "running-xen.h"

struct module_context {
    const char *xen_syms; /* --xen-syms=FILE, or NULL */
    const char *object;   /* instead of the installed module object, or NULL */
    FILE *verbose;        /* --verbose, or NULL */
    struct failure *failure; /* the caller's */
    xc_interface *xc;        /* NULL until context_connect() */
    struct build_id id;
    char id_text[2 * XEN_IMAGE_BUILD_ID_MAX + 1];
    bool has_holes;   /* its tables leave out some of the host's memory */
    char nmi;         /* nmi-asked.h */
    char built[1024]; /* of a module that was built just now, or "" */
    char note[FAILURE_MAX + 128];       /* what was mended, or "" */
    char name[XEN_LIVEPATCH_NAME_SIZE]; /* of the payload to unload */
    bool part; /* what it would unload is part of Xen, not a payload */
    char above[XEN_LIVEPATCH_NAME_SIZE];
};

/* Checks that we are root in dom0 of a Xen host, opens libxc, and reads the
 * build-id.  Returns 0, at once from the second call on, or an exit status. */
int context_connect(struct module_context *context);

/* Prints for --verbose. */
void context_say(const struct module_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Keeps the one sentence that the user gets if all goes well. */
void context_note(struct module_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Path of the installed object NAME, or of the module object that the options
 * name. */
void context_object(const struct module_context *context, const char *name,
                    char *path, size_t size);

/* Fills in the identities: the payload gets that of the running hypervisor.
 * on_top: it gets one of its own, as it is applied on other payloads. */
void context_identify(const struct module_context *context,
                      struct assemble_order *order, bool on_top);

/* Completes an object with these identities.  Returns 0, or STATUS_NO_FACTS. */
int context_assemble(struct module_context *context,
                     struct assemble_order *order, bool on_top);

#endif
