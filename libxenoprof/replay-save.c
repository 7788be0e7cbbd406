/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saves a source's pages as they are now, for replay. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "replay.h"
#include "source.h"

#define PAGE XENOPROF_PAGE_SIZE

static enum xenoprof_status save(struct xenoprof_source *source,
                                 const char *path, const void *bytes,
                                 size_t size)
{
    FILE *file = fopen(path, "we");
    bool written = file && fwrite(bytes, 1, size, file) == size;

    if ( file && fclose(file) )
        written = false;
    return written ? XENOPROF_OK
                   : handle_fail_system(source->handle, "%s: cannot write it",
                                        path);
}

static enum xenoprof_status save_page(struct xenoprof_source *source,
                                      const char *path, const void *shared)
{
    uint64_t copy[PAGE / sizeof(uint64_t)];

    copy_shared(copy, shared, PAGE);
    return save(source, path, copy, PAGE);
}

/* All index pages in a row; zeroes for those that are not mapped. */
static enum xenoprof_status save_index(struct xenoprof_source *source,
                                       const char *path)
{
    static const uint64_t nothing[PAGE / sizeof(uint64_t)];
    SCOPE_FREE uint8_t *copy = malloc(XENOPROF_INDEX_PAGES * PAGE);

    if ( !copy )
        return handle_no_memory(source->handle);
    for ( unsigned int i = 0; i < XENOPROF_INDEX_PAGES; i++ )
        copy_shared(copy + i * PAGE,
                    source->index[i] ? (const void *)source->index[i] : nothing,
                    PAGE);
    return save(source, path, copy, XENOPROF_INDEX_PAGES * PAGE);
}

/* The page first: all records below its producer are then in the data. */
static enum xenoprof_status save_ring(struct xenoprof_source *source,
                                      const char *folder,
                                      const struct source_ring *ring)
{
    char path[REPLAY_PATH];
    enum xenoprof_status status;

    replay_ring_path(folder, ring->number, "page", path);
    status = save_page(source, path, ring->page);
    replay_ring_path(folder, ring->number, "data", path);
    return status ? status : save(source, path, ring->data, ring->size);
}

enum xenoprof_status xenoprof_source_record(struct xenoprof_source *source,
                                            const char *folder)
{
    char path[REPLAY_PATH];
    enum xenoprof_status status;

    if ( mkdir(folder, 0700) && errno != EEXIST )
        return handle_fail_system(source->handle, "%s: cannot make the folder",
                                  folder);
    snprintf(path, sizeof(path), "%s/%s", folder, REPLAY_STATUS);
    status = save_page(source, path, source->status);
    snprintf(path, sizeof(path), "%s/%s", folder, REPLAY_INDEX);
    if ( !status )
        status = save_index(source, path);
    for ( size_t i = 0; !status && i < source->rings.count; i++ )
        status = save_ring(source, folder, &source->rings.items[i]);
    return status;
}
