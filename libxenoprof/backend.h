/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A backend: where pages shared by Xen come from.  Everything above it, the
 * rings, the checks, the indices, is common to all backends.
 *
 * To add a backend, minimum first:
 *
 *   1. backend-NAME.c with the three functions, and xenoprof_source_NAME(),
 *      which makes the backend and hands it to source_open()
 *   2. its line in local.mk, and in libxenoprof.h
 *   3. tests/unit/libxenoprof/test-source.c over it
 */
#ifndef XENOPROF_LIBXENOPROF_BACKEND_H
#define XENOPROF_LIBXENOPROF_BACKEND_H

#include "handle.h"

struct backend;

struct backend_functions {
    const char *name; /* for messages */
    /* The pages with these frame numbers, one behind the other in memory.
     * NULL, with errno, if they cannot be had. */
    void *(*map)(struct backend *backend, const uint64_t *mfns, size_t count,
                 bool writable);
    void (*unmap)(struct backend *backend, void *pages, size_t count);
    /* Frees the backend; nothing is mapped any more. */
    void (*close)(struct backend *backend);
};

struct backend {
    const struct backend_functions *functions;
};

/* The source of a backend, which it owns from now on, also if this fails. */
enum xenoprof_status source_open(struct xenoprof_handle *handle,
                                 struct backend *backend, uint64_t status_mfn,
                                 struct xenoprof_source **ret);

#endif
