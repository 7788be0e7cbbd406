/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The handle, and the message of the last failure at it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "handle.h"

struct xenoprof_handle *xenoprof_open(void)
{
    return calloc(1, sizeof(struct xenoprof_handle));
}

void xenoprof_close(struct xenoprof_handle *handle)
{
    if ( handle && handle->xen )
        handle->xen_close(handle->xen);
    free(handle);
}

const char *xenoprof_message(const struct xenoprof_handle *handle)
{
    return handle->failure.text;
}

int xenoprof_errno(const struct xenoprof_handle *handle)
{
    return handle->error;
}

enum xenoprof_status handle_fail(struct xenoprof_handle *handle,
                                 enum xenoprof_status status,
                                 const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fail_list(&handle->failure, status, format, arguments);
    va_end(arguments);
    return status;
}

enum xenoprof_status handle_fail_system(struct xenoprof_handle *handle,
                                        const char *format, ...)
{
    int error = errno;
    char what[FAILURE_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    handle->error = error;
    return handle_fail(handle, XENOPROF_SYSTEM, "%s: %s", what,
                       strerror(error));
}

enum xenoprof_status handle_fail_in(struct xenoprof_handle *handle,
                                    enum xenoprof_status status,
                                    const char *path)
{
    char *why SCOPE_FREE = strdup(handle->failure.text);

    return handle_fail(handle, status, "%s: %s", path, why ? why : "");
}

enum xenoprof_status handle_no_memory(struct xenoprof_handle *handle)
{
    return handle_fail(handle, XENOPROF_NO_MEMORY, "out of memory");
}
