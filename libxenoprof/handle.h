/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside a handle, and how the library's files report failures at it.
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
    void *xen; /* Xen's device from xenoprof_prepare_xen(), or NULL */
    void (*xen_close)(void *xen);
};

/* Leave the message at the handle.  Returns status. */
enum xenoprof_status handle_fail(struct xenoprof_handle *handle,
                                 enum xenoprof_status status,
                                 const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a failed system call: keeps errno and adds its text.  Returns
 * XENOPROF_SYSTEM. */
enum xenoprof_status handle_fail_system(struct xenoprof_handle *handle,
                                        const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Put the file's name before the message that is there.  Returns status. */
enum xenoprof_status handle_fail_in(struct xenoprof_handle *handle,
                                    enum xenoprof_status status,
                                    const char *path);

/* Returns XENOPROF_NO_MEMORY, with its message at the handle. */
enum xenoprof_status handle_no_memory(struct xenoprof_handle *handle);

#endif
