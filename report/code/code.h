/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the code of a session's functions is now, and how its addresses there
 * become those of the session.
 *
 *   options     --code=WHAT:FILE, if one means the function
 *   Xen         xen-syms of the session's build-id, or the image in /boot with
 *               the names that it has itself, if it is what runs
 *   dom0        the running kernel, if it is still the same boot; else files
 *               of its release
 *   guests      files of their kernel's release and build-id
 *   processes   of dom0, in the same boot: the file
 */
#ifndef XENOPROF_REPORT_CODE_CODE_H
#define XENOPROF_REPORT_CODE_CODE_H

#include "code-file.h"
#include "hits.h"
#include "running.h"

#define CODE_MAX (1u << 20) /* bytes of one function */

/* Files that were opened stay open, for the next function. */
struct code_shelf {
    const struct loaded *loaded;
    const char *const *given;   /* "WHAT:FILE", ends with NULL; or NULL */
    const char *root;           /* before paths that were not given: "" */
    VECTOR(struct code_file *); /* that are open */
    struct running_kernel *running;
    bool running_tried;
};

/* A function's code. */
struct code {
    const uint8_t *bytes;
    size_t size;    /* 0: there is none */
    uint64_t start; /* of it, as the session counts */
    uint64_t shift; /* from the file's addresses to the session's */
    struct code_file *file;
    const struct code_symbols *symbols;   /* the file's */
    const struct running_kernel *running; /* instead of a file */
    bool checked;                         /* it has the build-id that ran */
    bool absent;                          /* the file is without the function */
    uint8_t *owned;
};

void code_shelf_free(struct code_shelf *shelf);

/*
 * Find it; code_free() in any case.  A file that was given and is another
 * build's, or none, is STATUS_NO_CODE with a failure; that nothing was given
 * and nothing found is none, but ret->size is 0 then.
 */
enum exit_status code_find(struct code_shelf *shelf,
                           const struct function *function, struct code *ret,
                           struct failure *failure);
void code_free(struct code *code);

/* What to give so that it is found: malloc'ed, NULL if there is no memory. */
char *code_advice(const struct loaded *loaded, const struct function *function);

/* Where a jump or call (size bytes at an address of the session's) leads if a
 * loader is to say that: to *target, or to what has that name and is in no file
 * that is known here.  Else *target stays. */
const char *code_target(const struct code *code, uint64_t address, size_t size,
                        uint64_t *target);

/* What lies at an address of the session's, and how far into it; NULL: not
 * known. */
const char *code_name(const struct code *code, uint64_t address,
                      uint64_t *offset);

#endif
