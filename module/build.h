/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the payload for the hypervisor that runs, from the installed object.
 */
#ifndef XENOPROF_MODULE_BUILD_H
#define XENOPROF_MODULE_BUILD_H

#include "context.h"

/* A payload in MODULE_FOLDER. */
struct built_module {
    char object[512]; /* what it is made of */
    char path[512];
    bool on_top; /* other payloads are applied, so it cannot carry the
                    hypervisor's build-id */
    bool kept;   /* it was made before, and is as it was then */
};

/* Fills in *ret, whose on_top the caller has set, and builds nothing.  The
 * rest is as for build_module(). */
int build_find(struct module_context *context, struct built_module *ret);

/*
 * Fills in *ret, whose on_top the caller has set: the payload for the running
 * hypervisor that was built from this very object before, or else one that is
 * built now.  One that is there and has a flaw (kept.h) is built anew; the
 * context's note says so.  MODULE_FOLDER must be locked (folder.h).  Returns 0,
 * or an exit status.
 */
int build_module(struct module_context *context, struct built_module *ret);

/* The same for one that build_module() filled in, and whatever is kept. */
int build_module_anew(struct module_context *context,
                      struct built_module *module);

#endif
