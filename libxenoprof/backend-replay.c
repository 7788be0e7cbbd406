/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recorded rings: a folder's files become pages, with frame numbers of our
 * own, so that everything above a backend reads them as if they were Xen's.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "backend.h"
#include "replay.h"

#define PAGE        XENOPROF_PAGE_SIZE
#define FIRST_FRAME 0x1000u
/* Status page, tables, index pages; then the rings. */
#define FIXED_PAGES (1 + XENOPROF_TABLE_PAGES + XENOPROF_INDEX_PAGES)

struct replay {
    struct backend backend;
    uint8_t *pages;
    size_t count;
};

/* A folder while it is loaded. */
struct loading {
    struct xenoprof_handle *handle;
    const char *folder;
    struct replay_ring *rings;
    size_t count;
    size_t pages; /* of all rings */
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
    /* All of it goes at once, when the backend is closed. */
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

/* The first size bytes of a file of so many pages into ret; NOT_FOUND if it
 * is not there. */
static enum xenoprof_status load_pages(struct xenoprof_handle *handle,
                                       const char *path, size_t pages,
                                       void *ret, size_t size)
{
    SCOPE_FREE void *bytes = NULL;
    size_t length;
    enum xenoprof_status status = replay_read(handle, path, &bytes, &length);

    if ( status )
        return status;
    if ( length != pages * PAGE )
        return handle_fail(handle, XENOPROF_INVALID,
                           "%s: such a recording has %zu bytes, this file %zu",
                           path, pages * PAGE, length);
    memcpy(ret, bytes, size);
    return XENOPROF_OK;
}

static enum xenoprof_status load_binary(struct loading *loading,
                                        struct replay_ring *ring)
{
    char path[REPLAY_PATH];
    size_t size;
    enum xenoprof_status status;

    replay_ring_path(loading->folder, ring->number, "page", path);
    status = load_pages(loading->handle, path, 1, &ring->page,
                        sizeof(ring->page));
    if ( status )
        return status;
    replay_ring_path(loading->folder, ring->number, "data", path);
    status = replay_read(loading->handle, path, (void **)&ring->data, &size);
    if ( status == XENOPROF_NOT_FOUND || (!status && (!size || size % PAGE)) ||
         (!status && size / PAGE != ring->page.data_pages) ||
         (!status && size / PAGE > XENOPROF_DATA_PAGES_MAX) )
        return handle_fail(loading->handle, XENOPROF_INVALID,
                           "%s: the ring's data is not there, or not as long "
                           "as its page says",
                           path);
    return status;
}

static enum xenoprof_status load_text(struct loading *loading,
                                      struct replay_ring *ring)
{
    SCOPE_FREE void *text = NULL;
    char path[REPLAY_PATH];
    size_t size;
    enum xenoprof_status status;

    replay_ring_path(loading->folder, ring->number, "text", path);
    status = replay_read(loading->handle, path, &text, &size);
    return status ? status
                  : replay_load_text(loading->handle, path, text, ring);
}

static enum xenoprof_status load_ring(struct loading *loading, uint32_t number)
{
    struct replay_ring ring = {.number = number}, *larger;
    enum xenoprof_status status = load_binary(loading, &ring);

    if ( status == XENOPROF_NOT_FOUND )
        status = load_text(loading, &ring);
    larger = realloc(loading->rings, (loading->count + 1) * sizeof(*larger));
    if ( larger )
        loading->rings = larger;
    if ( !status && !larger )
        status = handle_no_memory(loading->handle);
    if ( status )
    {
        free(ring.data);
        return status;
    }
    larger[loading->count++] = ring;
    loading->pages += 1 + ring.page.data_pages;
    return XENOPROF_OK;
}

/* ring-N.page or ring-N.text, each number once. */
static bool names_ring(const struct loading *loading, const char *name,
                       uint32_t *ret)
{
    char suffix[8];

    if ( sscanf(name, "ring-%4u.%7s", ret, suffix) != 2 ||
         *ret + 1 >= XENOPROF_RINGS_MAX ||
         (strcmp(suffix, "page") && strcmp(suffix, "text")) )
        return false;
    for ( size_t i = 0; i < loading->count; i++ )
        if ( loading->rings[i].number == *ret )
            return false;
    return true;
}

static enum xenoprof_status load_rings(struct loading *loading)
{
    DIR *directory = opendir(loading->folder);
    enum xenoprof_status status = XENOPROF_OK;
    struct dirent *entry;
    uint32_t number;

    if ( !directory )
        return handle_fail_system(loading->handle,
                                  "%s: cannot look into the folder",
                                  loading->folder);
    while ( !status && (entry = readdir(directory)) )
        if ( names_ring(loading, entry->d_name, &number) )
            status = load_ring(loading, number);
    closedir(directory);
    if ( !status && !loading->count )
        status = handle_fail(loading->handle, XENOPROF_INVALID,
                             "%s: there are no recorded rings in this folder "
                             "(ring-0.page, ring-0.text, ...)",
                             loading->folder);
    return status;
}

/* What a status page says when none was recorded. */
static void make_status(const struct loading *loading,
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
    for ( size_t i = 0; i < loading->count; i++ )
    {
        const struct xenoprof_ring_page *page = &loading->rings[i].page;

        ret->counters.made += page->made;
        ret->counters.due += page->made;
        ret->counters.committed += page->committed;
        for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
            ret->counters.lost[cause] += page->lost[cause];
    }
}

static enum xenoprof_status load_fixed(const struct loading *loading,
                                       struct replay *replay)
{
    struct xenoprof_status_page *page = (void *)replay->pages;
    uint8_t *index = replay->pages + (1 + XENOPROF_TABLE_PAGES) * PAGE;
    char path[REPLAY_PATH];
    enum xenoprof_status status;

    snprintf(path, sizeof(path), "%s/%s", loading->folder, REPLAY_STATUS);
    status = load_pages(loading->handle, path, 1, page, sizeof(*page));
    if ( status == XENOPROF_NOT_FOUND )
        make_status(loading, page);
    else if ( status )
        return status;
    for ( unsigned int i = 0; i < XENOPROF_TABLE_PAGES; i++ )
    {
        page->table_mfn[i] = FIRST_FRAME + 1 + i;
        page->index_mfn[i] = FIRST_FRAME + 1 + XENOPROF_TABLE_PAGES + i;
    }
    snprintf(path, sizeof(path), "%s/%s", loading->folder, REPLAY_INDEX);
    status = load_pages(loading->handle, path, XENOPROF_INDEX_PAGES, index,
                        XENOPROF_INDEX_PAGES * PAGE);
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

static enum xenoprof_status make_pages(const struct loading *loading,
                                       struct replay *replay)
{
    size_t at = FIXED_PAGES;
    enum xenoprof_status status;

    replay->count = FIXED_PAGES + loading->pages;
    replay->pages = mmap(NULL, replay->count * PAGE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if ( replay->pages == MAP_FAILED )
        return handle_no_memory(loading->handle);
    status = load_fixed(loading, replay);
    for ( size_t i = 0; !status && i < loading->count; i++ )
    {
        place_ring(replay, &loading->rings[i], at);
        at += 1 + loading->rings[i].page.data_pages;
    }
    if ( status )
        munmap(replay->pages, replay->count * PAGE);
    return status;
}

static enum xenoprof_status load_folder(struct xenoprof_handle *handle,
                                        const char *folder,
                                        struct replay *replay)
{
    struct loading loading = {.handle = handle, .folder = folder};
    enum xenoprof_status status = load_rings(&loading);

    if ( !status )
        status = make_pages(&loading, replay);
    for ( size_t i = 0; i < loading.count; i++ )
        free(loading.rings[i].data);
    free(loading.rings);
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
