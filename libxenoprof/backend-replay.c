/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved rings as a backend: a folder's files become pages with frame numbers
 * of our own, so that everything above reads them as if they were Xen's.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "backend.h"
#include "replay.h"

#define PAGE        XENOPROF_PAGE_SIZE
#define FIRST_FRAME 0x1000u
/* Status page, tables, index pages; the rings follow. */
#define FIXED_PAGES (1 + XENOPROF_TABLE_PAGES + XENOPROF_INDEX_PAGES)

struct replay {
    struct backend backend;
    uint8_t *pages;
    size_t count;
};

static void *replay_map(struct backend *backend, const uint64_t *mfns,
                        size_t count, bool writable)
{
    struct replay *replay = (struct replay *)backend;
    uint64_t first = mfns[0] - FIRST_FRAME;

    (void)writable;
    errno = EINVAL;
    if ( first >= replay->count || count > replay->count - first )
        return NULL;
    for ( size_t i = 1; i < count; i++ )
        if ( mfns[i] != mfns[0] + i )
            return NULL;
    return replay->pages + first * PAGE;
}

static void replay_unmap(struct backend *backend, void *pages, size_t count)
{
    /* replay_close() unmaps all pages at once. */
    (void)backend;
    (void)pages;
    (void)count;
}

static void replay_close(struct backend *backend)
{
    struct replay *replay = (struct replay *)backend;

    munmap(replay->pages, replay->count * PAGE);
    free(replay);
}

static const struct backend_functions functions = {
    .name = "replay",
    .map = replay_map,
    .unmap = replay_unmap,
    .close = replay_close,
};

/* The status page for a folder without one. */
static void make_status(const struct replay_folder *folder,
                        struct xenoprof_status_page *ret)
{
    *ret = (struct xenoprof_status_page){
        .magic = XENOPROF_STATUS_MAGIC,
        .version = XENOPROF_ABI_VERSION,
        .state = XENOPROF_STATE_STOPPED,
        .stop_reason = XENOPROF_STOP_ASKED,
        .sampler = XENOPROF_SAMPLER_NMI,
        .frequency = 97,
        .asked = 97,
        .mask = XENOPROF_PARTS_ALL,
        .pcpus = 1,
        .session = 1,
    };
    for ( size_t i = 0; i < folder->count; i++ )
    {
        const struct xenoprof_ring_page *page = &folder->items[i].page;

        ret->counters.made += page->made;
        ret->counters.due += page->made;
        ret->counters.committed += page->committed;
        for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
            ret->counters.lost[cause] += page->lost[cause];
    }
}

static enum xenoprof_status load_fixed(const struct replay_folder *folder,
                                       struct replay *replay)
{
    struct xenoprof_status_page *page = (void *)replay->pages;
    uint8_t *index = replay->pages + (1 + XENOPROF_TABLE_PAGES) * PAGE;
    char path[REPLAY_PATH];
    enum xenoprof_status status;

    snprintf(path, sizeof(path), "%s/%s", folder->path, REPLAY_STATUS);
    status = replay_load_pages(folder->handle, path, 1, page, sizeof(*page));
    if ( status == XENOPROF_NOT_FOUND )
        make_status(folder, page);
    else if ( status )
        return status;
    for ( unsigned int i = 0; i < XENOPROF_TABLE_PAGES; i++ )
    {
        page->table_mfn[i] = FIRST_FRAME + 1 + i;
        page->index_mfn[i] = FIRST_FRAME + 1 + XENOPROF_TABLE_PAGES + i;
    }
    snprintf(path, sizeof(path), "%s/%s", folder->path, REPLAY_INDEX);
    status = replay_load_pages(folder->handle, path, XENOPROF_INDEX_PAGES,
                               index, XENOPROF_INDEX_PAGES * PAGE);
    return status == XENOPROF_NOT_FOUND ? XENOPROF_OK : status;
}

static void place_ring(struct replay *replay, const struct replay_ring *ring,
                       size_t at)
{
    struct xenoprof_status_page *status = (void *)replay->pages;
    uint64_t *table = (uint64_t *)(replay->pages + PAGE);
    struct xenoprof_ring_page *page = (void *)(replay->pages + at * PAGE);

    *page = ring->page;
    for ( uint32_t i = 0; i < page->data_pages; i++ )
        page->data_mfn[i] = FIRST_FRAME + at + 1 + i;
    memcpy(replay->pages + (at + 1) * PAGE, ring->data,
           (size_t)page->data_pages * PAGE);
    table[ring->number] = FIRST_FRAME + at;
    if ( status->rings <= ring->number )
        status->rings = ring->number + 1;
}

static enum xenoprof_status make_pages(const struct replay_folder *folder,
                                       struct replay *replay)
{
    size_t at = FIXED_PAGES;
    enum xenoprof_status status;

    replay->count = FIXED_PAGES + folder->pages;
    replay->pages = mmap(NULL, replay->count * PAGE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if ( replay->pages == MAP_FAILED )
        return handle_no_memory(folder->handle);
    status = load_fixed(folder, replay);
    for ( size_t i = 0; !status && i < folder->count; i++ )
    {
        place_ring(replay, &folder->items[i], at);
        at += 1 + folder->items[i].page.data_pages;
    }
    if ( status )
        munmap(replay->pages, replay->count * PAGE);
    return status;
}

static enum xenoprof_status load_folder(struct xenoprof_handle *handle,
                                        const char *path, struct replay *replay)
{
    struct replay_folder folder = {.handle = handle, .path = path};
    enum xenoprof_status status = replay_load(&folder);

    if ( !status )
        status = make_pages(&folder, replay);
    replay_free(&folder);
    return status;
}

enum xenoprof_status xenoprof_source_replay(struct xenoprof_handle *handle,
                                            const char *folder,
                                            struct xenoprof_source **ret)
{
    struct replay *replay = calloc(1, sizeof(*replay));
    enum xenoprof_status status;

    if ( !replay )
        return handle_no_memory(handle);
    replay->backend.functions = &functions;
    status = load_folder(handle, folder, replay);
    if ( status )
    {
        free(replay);
        return status;
    }
    return source_open(handle, &replay->backend, FIRST_FRAME, ret);
}
