/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hypervisor module as dom0 sees it: whether it can be loaded, whether it
 * is, loading and unloading it.
 *
 * The module is compiled once.  For a given hypervisor it is completed from
 * the installed object and the facts of that build, kept by build-id
 * (folder.h), and uploaded as a livepatch.
 */
#ifndef XENOPROF_MODULE_MODULE_H
#define XENOPROF_MODULE_MODULE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/failure.h"

struct module_options {
    const char *xen_syms; /* --xen-syms=FILE, or NULL */
    const char *object;   /* module object instead of the installed one */
    FILE *verbose;        /* gets the source of each fact, or NULL */
};

struct module_context;

/*
 * Returns a context, or NULL with a failure.  Every function below that fails
 * leaves its exit status and one sentence, cause and remedy, in failure, which
 * must outlive the context.
 */
struct module_context *module_open(const struct module_options *options,
                                   struct failure *failure);
void module_close(struct module_context *context);

/*
 * Builds and loads the module.  One that is kept from before is loaded if it
 * has no flaw, else it is made anew; so is one, once, that Xen or the module
 * itself then refuses.  Returns 0, or an exit status.  *already: the module is
 * loaded, nothing was done.
 */
int module_setup(struct module_context *context, bool *already);

/* How much of Xen's code call stacks cover, in one line, and in another which
 * facts were not found, if any; "" if the module was not built by this
 * module_setup(), but kept from before. */
const char *module_built_text(const struct module_context *context);

/* What module_setup() found wrong and mended, in one sentence, or "". */
const char *module_note(const struct module_context *context);

/* Returns 0; STATUS_COVERED with the name of a payload that lies above;
 * STATUS_FAILED if the module was loaded by hand, under a name that cannot be
 * known; or STATUS_TOOLS. */
int module_may_unload(struct module_context *context);

/*
 * Unloads the module, without asking it first, also one that somebody loaded
 * by hand under another name, if no other payload is applied.  Returns 0, or an
 * exit status. *already: it is not loaded, or is part of Xen, and nothing was
 * done.
 */
int module_unload(struct module_context *context, bool *already);

/* Returns whether the running hypervisor was built with us. */
bool module_is_part(void);

/* Removes what a module_setup() that was killed left in Xen and on disk, after
 * one that runs has ended.  Returns 0, or an exit status. */
int module_clear(struct module_context *context);

/* True if the payload is applied.  The module may still have no door: it opens
 * none when a fact is wrong. */
bool module_loaded(struct module_context *context);

/* Returns the name of the topmost payload above ours, or NULL. */
const char *module_covered_by(struct module_context *context);

/*
 * xenopctl --check: prints one line on out for each need, with yes or no and
 * the remedy.  Keeps nothing, and loads no module: an empty payload is uploaded
 * and withdrawn to see whether Xen takes one, then the probe shows Xen's code.
 * Returns 0 if nothing is missing, or the exit status of the first need that is
 * not met.
 */
int module_check(struct module_context *context, FILE *out);

/*
 * xenopctl --setup --offline: prints the same lines about the code of a
 * hypervisor that need not run, from a boot file or xen-syms.  Loads nothing,
 * and needs no Xen.  Returns 0 if nothing is missing that --setup needs, the
 * exit status with which it would fail, or STATUS_FAILED if the file cannot be
 * read.
 */
int module_report(struct module_context *context, const char *file, FILE *out);

/*
 * xenopctl --setup --offline --unwind-table: writes the unwind table of a
 * hypervisor that was built with us (intree/) into another file, and prints how
 * much of its code that covers.  Needs no Xen.  Returns 0; STATUS_NO_FACTS if
 * too little is covered; or STATUS_FAILED if a file cannot be read or written.
 */
int module_table(struct module_context *context, const char *file,
                 const char *to, FILE *out);

#endif
