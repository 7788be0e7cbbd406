/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps the running hypervisor's pages through libxenforeignmemory. */
#include <errno.h>
#include <sys/mman.h>

#include <xenforeignmemory.h>

#include "backend.h"

struct xen_backend {
    struct backend backend;
    xenforeignmemory_handle *memory;
    bool shared; /* memory is the handle's, from xenoprof_prepare_xen() */
};

static xenforeignmemory_handle *backend_memory(struct backend *backend)
{
    return ((struct xen_backend *)backend)->memory;
}

static void *map_frames(struct backend *backend, const xen_pfn_t *frames,
                        int *errors, size_t count, int protection)
{
    xenforeignmemory_handle *memory = backend_memory(backend);
    void *pages = xenforeignmemory_map(memory, DOMID_XEN, protection, count,
                                       frames, errors);

    for ( size_t i = 0; pages && i < count; i++ )
    {
        if ( !errors[i] )
            continue;
        xenforeignmemory_unmap(memory, pages, count);
        errno = errors[i] < 0 ? -errors[i] : errors[i];
        pages = NULL;
    }
    return pages;
}

static void *xen_map(struct backend *backend, const uint64_t *mfns,
                     size_t count, bool writable)
{
    SCOPE_FREE xen_pfn_t *frames = calloc(count, sizeof(*frames));
    SCOPE_FREE int *errors = calloc(count, sizeof(*errors));

    if ( !frames || !errors )
        return NULL;
    for ( size_t i = 0; i < count; i++ )
        frames[i] = mfns[i];
    return map_frames(backend, frames, errors, count,
                      writable ? PROT_READ | PROT_WRITE : PROT_READ);
}

static void xen_unmap(struct backend *backend, void *pages, size_t count)
{
    xenforeignmemory_unmap(backend_memory(backend), pages, count);
}

static void xen_close(struct backend *backend)
{
    if ( !((struct xen_backend *)backend)->shared )
        xenforeignmemory_close(backend_memory(backend));
    free(backend);
}

static const struct backend_functions functions = {
    .name = "xen",
    .map = xen_map,
    .unmap = xen_unmap,
    .close = xen_close,
};

static enum xenoprof_status open_memory(struct xenoprof_handle *handle,
                                        xenforeignmemory_handle **ret)
{
    *ret = xenforeignmemory_open(NULL, 0);
    return *ret ? XENOPROF_OK
                : handle_fail_system(handle,
                                     "xen: cannot open /dev/xen/privcmd (this "
                                     "needs dom0, and root)");
}

static void close_prepared(void *memory)
{
    xenforeignmemory_close(memory);
}

enum xenoprof_status xenoprof_prepare_xen(struct xenoprof_handle *handle)
{
    xenforeignmemory_handle *memory;
    enum xenoprof_status status;

    if ( handle->xen )
        return XENOPROF_OK;
    status = open_memory(handle, &memory);
    if ( status )
        return status;
    handle->xen = memory;
    handle->xen_close = close_prepared;
    return XENOPROF_OK;
}

enum xenoprof_status xenoprof_source_xen(struct xenoprof_handle *handle,
                                         uint64_t status_mfn,
                                         struct xenoprof_source **ret)
{
    struct xen_backend *xen = calloc(1, sizeof(*xen));
    enum xenoprof_status status = XENOPROF_OK;

    if ( !xen )
        return handle_no_memory(handle);
    xen->backend.functions = &functions;
    xen->shared = handle->xen != NULL;
    if ( xen->shared )
        xen->memory = handle->xen;
    else
        status = open_memory(handle, &xen->memory);
    if ( status )
    {
        free(xen);
        return status;
    }
    return source_open(handle, &xen->backend, status_mfn, ret);
}
