/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A backend provides the pages that Xen shares.  All above it is common to all
 * backends: rings, checks, indices.
 *
 * To add a backend, minimum first:
 *
 *   1. backend-NAME.c with the three functions, and xenoprof_source_NAME(),
 *      which makes the backend and passes it to source_open()
 *   2. its declaration in libxenoprof.h, libxenoprof.map and libxenoprof(3)
 *   3. a test like tests/unit/libxenoprof/test-backend-xen.c
 */
#ifndef XENOPROF_LIBXENOPROF_BACKEND_H
#define XENOPROF_LIBXENOPROF_BACKEND_H

#include "handle.h"

struct backend;

struct backend_functions {
    const char *name; /* for messages */
    /* Maps the pages with these frame numbers in a row.  Returns the first, or
     * NULL with errno. */
    void *(*map)(struct backend *backend, const uint64_t *mfns, size_t count,
                 bool writable);
    void (*unmap)(struct backend *backend, void *pages, size_t count);
    /* Frees the backend; all its pages are unmapped by then. */
    void (*close)(struct backend *backend);
};

struct backend {
    const struct backend_functions *functions;
};

/* Make a source of a backend, which it owns from now on, also if this fails. */
enum xenoprof_status source_open(struct xenoprof_handle *handle,
                                 struct backend *backend, uint64_t status_mfn,
                                 struct xenoprof_source **ret);

#endif
