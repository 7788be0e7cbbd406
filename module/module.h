/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hypervisor module seen from dom0: is it there, can it be, put it there,
 * take it away.
 *
 * The module is compiled once; for a given hypervisor it is put together from
 * the installed object and the facts of that build, kept by build-id in
 * MODULE_FOLDER, and uploaded as a livepatch.  Every function that fails
 * leaves one sentence (cause and remedy) in the context's message.
 */
#ifndef XENOPROF_MODULE_MODULE_H
#define XENOPROF_MODULE_MODULE_H

#include <stdbool.h>
#include <stdio.h>

#define MODULE_NAME   "xenoprof"
#define MODULE_FOLDER "/var/lib/xenoprof/modules"

enum module_code {
    MODULE_OK = 0,
    MODULE_ALREADY, /* the work was done before */
    MODULE_NO_XEN,  /* this is no Xen host */
    MODULE_NO_DOM0, /* a guest, or not the control domain */
    MODULE_NOT_ROOT,
    MODULE_NO_LIVEPATCH, /* hypervisor built without, or upload forbidden */
    MODULE_NO_HYPFS,
    MODULE_NO_FACTS, /* a fact could not be found twice, or they differ */
    MODULE_REFUSED,  /* Xen refused the payload, or it its facts */
    MODULE_COVERED,  /* another payload lies above ours */
    MODULE_SYSTEM    /* anything else; message says it */
};

struct module_options {
    const char *xen_syms; /* --xen-syms=FILE, or NULL */
    const char *object;   /* module object instead of the installed one */
    FILE *verbose;        /* where each fact came from is told, or NULL */
};

struct module_context;

struct module_context *module_open(const struct module_options *options);
void module_close(struct module_context *context);
const char *module_message(const struct module_context *context);

/* Put together and load.  MODULE_ALREADY if it is loaded. */
enum module_code module_setup(struct module_context *context);

/* How much of Xen's code call stacks cover, in one line; "" if the module was
 * not put together by this module_setup(), but kept from before. */
const char *module_unwind_line(const struct module_context *context);

/* MODULE_COVERED names the payload that lies above; else MODULE_OK. */
enum module_code module_may_unload(struct module_context *context);

/* Unload.  MODULE_ALREADY if it is not loaded; MODULE_COVERED as above.
 * Nothing is asked of the module first. */
enum module_code module_unload(struct module_context *context);

/* True if the payload is applied (which does not prove that it has a door:
 * the module opens none when a fact is wrong). */
bool module_loaded(struct module_context *context);

/* Name of the topmost payload above ours, or NULL. */
const char *module_covered_by(struct module_context *context);

/* xenopctl --check: one line for each need with yes or no and the remedy, on
 * out.  Changes nothing: an empty payload is uploaded and withdrawn to see
 * whether that is allowed.  MODULE_OK if nothing is missing. */
enum module_code module_check(struct module_context *context, FILE *out);

#endif
