/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the code of a session's functions, and the shift from its addresses to
 * the session's.  In this order:
 *
 *   options     --code=WHAT:FILE, if WHAT means the function
 *   session     an archive has the code of its hottest functions
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
#include "source-text.h"

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
    size_t length;  /* of its symbol, if that is less; 0: all */
    uint64_t start; /* address in the session */
    uint64_t shift; /* from the file's addresses to the session's */
    struct code_file *file;
    const struct code_symbols *symbols;   /* the file's */
    const struct running_kernel *running; /* instead of a file */
    const struct kept_function *kept;     /* the same: the session's */
    const struct loaded *loaded;          /* ... of this one */
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

/* Returns a sentence on where the code is from, or, if there is none, on what
 * code_find() failed with (refusal, else "") or what to give; malloc'ed. */
char *code_words(const struct code *code, const struct loaded *loaded,
                 const struct function *function, const char *refusal);

/* Returns where the code is from: a path, or what it is instead; NULL if there
 * is none.  *from: enum xenoprof_code_from. */
const char *code_origin(const struct code *code, uint8_t *from);

/* What an instruction leads to, or has the address of. */
struct code_target {
    uint64_t address;
    const char *name; /* the code's; NULL: inside of the function, or unknown */
    uint64_t offset;  /* so far behind it */
    bool moved;       /* the loader decides on the address: its bytes do not */
};

/* Find it of an instruction, size bytes at an address of the session, by the
 * address that its bytes have, ret->address.  jumps: it is a jump or call. */
void code_target(const struct code *code, uint64_t address, size_t size,
                 bool jumps, struct code_target *ret);

/* Returns the symbol at an address of the session, and in *offset how far into
 * it that is, or NULL if it is not known. */
const char *code_name(const struct code *code, uint64_t address,
                      uint64_t *offset);

/* Find the line of an address of the session.  Returns false if it is not
 * known; ret->path is malloc'ed. */
bool code_find_line(const struct code *code, uint64_t address,
                    struct code_line *ret);
/* Returns whether lines of the function are known. */
bool code_has_lines(const struct code *code);
/* Returns a line's text, valid until the next call with files, or NULL: of
 * a file of this host, if the code is. */
const char *code_source(const struct code *code, struct source_text *files,
                        const struct code_line *line);

#endif
