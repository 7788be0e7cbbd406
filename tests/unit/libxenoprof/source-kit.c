/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A backend that maps pages of the hypervisor core in this process. */
#include <errno.h>
#include <sys/mman.h>

#include "tests/host/host.h"
#include "libxenoprof/backend.h"
#include "source-kit.h"

#define PAGE XENOPROF_PAGE_SIZE

/* One call of map(), undone as a whole by unmap(). */
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

static bool map_frame(const struct mapping *mapping, size_t at, int protection)
{
    uint64_t mfn = mapping->mfns[at], offset;
    int file = process_frame_file(mfn, &offset);

    errno = EINVAL;
    if ( file < 0 )
        return false;
    if ( mmap((uint8_t *)mapping->pages + at * PAGE, PAGE, protection,
              MAP_SHARED | MAP_FIXED, file, offset) == MAP_FAILED )
        return false;
    process_map(mfn);
    return true;
}

/* Pages are mapped read-only where Xen does so for a PV dom0. */
static bool map_frames(struct mapping *mapping, bool writable)
{
    int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;

    mapping->pages = mmap(NULL, mapping->count * PAGE, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if ( mapping->pages == MAP_FAILED )
        return false;
    for ( size_t i = 0; i < mapping->count; i++ )
        if ( !map_frame(mapping, i, protection) )
        {
            unmap_frames(mapping, i);
            return false;
        }
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

enum xenoprof_status source_process(struct xenoprof_handle *handle,
                                    uint64_t status_mfn,
                                    struct xenoprof_source **ret)
{
    struct process_backend *process = calloc(1, sizeof(*process));

    if ( !process )
        return handle_no_memory(handle);
    process->backend.functions = &functions;
    return source_open(handle, &process->backend, status_mfn, ret);
}
