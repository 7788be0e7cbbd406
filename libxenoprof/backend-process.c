/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of the hypervisor core in this process, for tests and benches. */
#include <errno.h>
#include <sys/mman.h>

#include "backend.h"
#include "hypervisor/port-process/port-process.h"

#define PAGE XENOPROF_PAGE_SIZE

/* What was mapped together is unmapped together. */
struct mapping {
    struct mapping *next;
    void *pages;
    size_t count;
    uint64_t mfns[];
};

struct process_backend {
    struct backend backend;
    struct mapping *mappings;
};

static void unmap_frames(const struct mapping *mapping, size_t count)
{
    for ( size_t i = 0; i < count; i++ )
        process_unmap(mapping->mfns[i]);
    munmap(mapping->pages, mapping->count * PAGE);
}

/* mremap() from no bytes makes a second mapping of the same memory. */
static bool map_frame(const struct mapping *mapping, size_t at)
{
    void *page = process_map(mapping->mfns[at]);
    void *place = (uint8_t *)mapping->pages + at * PAGE;

    errno = EINVAL;
    if ( !page )
        return false;
    if ( mremap(page, 0, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place )
        return true;
    process_unmap(mapping->mfns[at]);
    return false;
}

static bool map_frames(struct mapping *mapping, bool writable)
{
    mapping->pages = mmap(NULL, mapping->count * PAGE, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if ( mapping->pages == MAP_FAILED )
        return false;
    for ( size_t i = 0; i < mapping->count; i++ )
        if ( !map_frame(mapping, i) )
        {
            unmap_frames(mapping, i);
            return false;
        }
    /* As Xen does it for a PV dom0. */
    if ( !writable )
        mprotect(mapping->pages, mapping->count * PAGE, PROT_READ);
    return true;
}

static void *process_backend_map(struct backend *backend, const uint64_t *mfns,
                                 size_t count, bool writable)
{
    struct process_backend *process = (struct process_backend *)backend;
    struct mapping *mapping = malloc(sizeof(*mapping) + count * sizeof(*mfns));

    if ( !mapping )
        return NULL;
    mapping->count = count;
    memcpy(mapping->mfns, mfns, count * sizeof(*mfns));
    if ( !map_frames(mapping, writable) )
    {
        free(mapping);
        return NULL;
    }
    mapping->next = process->mappings;
    process->mappings = mapping;
    return mapping->pages;
}

static void process_backend_unmap(struct backend *backend, void *pages,
                                  size_t count)
{
    struct process_backend *process = (struct process_backend *)backend;
    struct mapping **link = &process->mappings, *mapping;

    while ( *link && (*link)->pages != pages )
        link = &(*link)->next;
    mapping = *link;
    if ( !mapping )
        return;
    *link = mapping->next;
    unmap_frames(mapping, count);
    free(mapping);
}

static void process_backend_close(struct backend *backend)
{
    free(backend);
}

static const struct backend_functions functions = {
    .name = "process",
    .map = process_backend_map,
    .unmap = process_backend_unmap,
    .close = process_backend_close,
};

enum xenoprof_code xenoprof_source_process(struct xenoprof_handle *handle,
                                           uint64_t status_mfn,
                                           struct xenoprof_source **ret)
{
    struct process_backend *process = calloc(1, sizeof(*process));

    if ( !process )
        return handle_no_memory(handle);
    process->backend.functions = &functions;
    return source_open(handle, &process->backend, status_mfn, ret);
}
