/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the library's own files share: the handle.
 */
#ifndef XENOPROF_LIBXENOPROF_HANDLE_H
#define XENOPROF_LIBXENOPROF_HANDLE_H

#include <stdlib.h>

#include "base/failure.h"
#include "base/scope.h"
#include "libxenoprof.h"

struct xenoprof_handle {
    int error; /* errno of the last XENOPROF_SYSTEM */
    struct failure failure;
    void *xen; /* Xen's device, if it was opened ahead; see backend-xen.c */
    void (*xen_close)(void *xen);
};

/* Leave the sentence at the handle and return status. */
enum xenoprof_status handle_fail(struct xenoprof_handle *handle,
                                 enum xenoprof_status status,
                                 const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a failed system call: keeps errno, adds its text. */
enum xenoprof_status handle_fail_system(struct xenoprof_handle *handle,
                                        const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Put the file's name before the sentence that is there; returns status. */
enum xenoprof_status handle_fail_in(struct xenoprof_handle *handle,
                                    enum xenoprof_status status,
                                    const char *path);

/* XENOPROF_NO_MEMORY with its sentence. */
enum xenoprof_status handle_no_memory(struct xenoprof_handle *handle);

#endif
