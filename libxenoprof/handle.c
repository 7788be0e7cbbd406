/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "private.h"

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
    return handle->message;
}

int xenoprof_errno(const struct xenoprof_handle *handle)
{
    return handle->error;
}

enum xenoprof_code handle_fail(struct xenoprof_handle *handle,
                               enum xenoprof_code code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(handle->message, sizeof(handle->message), format, arguments);
    va_end(arguments);
    return code;
}

enum xenoprof_code handle_fail_system(struct xenoprof_handle *handle,
                                      const char *format, ...)
{
    int error = errno;
    va_list arguments;
    size_t used;

    va_start(arguments, format);
    vsnprintf(handle->message, sizeof(handle->message), format, arguments);
    va_end(arguments);
    used = strlen(handle->message);
    snprintf(handle->message + used, sizeof(handle->message) - used, ": %s",
             strerror(error));
    handle->error = error;
    return XENOPROF_SYSTEM;
}

enum xenoprof_code handle_fail_in(struct xenoprof_handle *handle,
                                  enum xenoprof_code code, const char *path)
{
    SCOPED_FREE char *why = strdup(handle->message);

    return handle_fail(handle, code, "%s: %s", path, why ? why : "");
}

enum xenoprof_code handle_no_memory(struct xenoprof_handle *handle)
{
    return handle_fail(handle, XENOPROF_NO_MEMORY, "there is no memory left");
}
