/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the code of a session's functions, and the shift from its addresses to
 * the session's.  In this order:
 *
 *   options     --code=WHAT:FILE, if WHAT means the function
 *   Xen         xen-syms of the session's build-id, or the image in /boot, with
 *               its own symbols or those of the Xen that runs
 *   dom0        the running kernel, if dom0 was not rebooted since; else files
 *               of its release
 *   guests      files of their kernel's release and build-id
 *   processes   of dom0, not rebooted since: the file
 */
#ifndef XENOPROF_REPORT_CODE_CODE_H
#define XENOPROF_REPORT_CODE_CODE_H

#include "code-file.h"
#include "hits.h"
#include "running.h"

#define CODE_MAX (1u << 20) /* bytes of one function */

/* Files stay open for the next function. */
struct code_shelf {
    const struct loaded *loaded;
    const struct hits *hits;  /* with the functions whose code is looked for */
    const char *const *given; /* "WHAT:FILE", ends with NULL; or NULL */
    const char *root;         /* before paths that were not given: "" */
    VECTOR(struct code_file *); /* that are open */
    struct running_kernel *running;
    bool running_tried;
};

/* A function's code. */
struct code {
    const uint8_t *bytes;
    size_t size;    /* 0: there is none */
    uint64_t start; /* address in the session */
    uint64_t shift; /* from the file's addresses to the session's */
    struct code_file *file;
    const struct code_symbols *symbols;   /* the file's */
    const struct running_kernel *running; /* instead of a file */
    bool checked; /* the file has the build-id that ran */
    bool absent;  /* the file is without the function */
    uint8_t *owned;
};

void code_shelf_free(struct code_shelf *shelf);

/*
 * Find a function's code; code_free() in any case.  Returns STATUS_DONE, with
 * ret->size 0 if no file was given and none found, or STATUS_NO_CODE with a
 * failure if the given file is of another build or cannot be used.
 */
enum exit_status code_find(struct code_shelf *shelf,
                           const struct function *function, struct code *ret,
                           struct failure *failure);
void code_free(struct code *code);

/* Returns what the user can give to have it found, malloc'ed. */
char *code_advice(const struct loaded *loaded, const struct function *function);

/* Find where a jump or call (size bytes at an address of the session) leads, if
 * its loader decides that.  Returns the name of a target outside of the file,
 * or NULL; *target is set if the loader decides, and else unchanged. */
const char *code_target(const struct code *code, uint64_t address, size_t size,
                        uint64_t *target);

/* Returns the symbol at an address of the session, and in *offset how far into
 * it that is, or NULL if it is not known. */
const char *code_name(const struct code *code, uint64_t address,
                      uint64_t *offset);

#endif
