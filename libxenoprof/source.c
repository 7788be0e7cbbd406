/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A source: maps its status page and tables, and keeps its list of rings. */
#include <stddef.h>
#include <string.h>

#include "source.h"

#define WORD_OF(member)                                                        \
    (offsetof(struct xenoprof_status_page, member) / sizeof(uint64_t))

_Static_assert(WORD_OF(rings) == WORD_OF(changes),
               "a new count of changes comes with the number of rings");

static void *map_source_page(struct xenoprof_source *source, uint64_t mfn,
                             bool writable)
{
    return source->backend->functions->map(source->backend, &mfn, 1, writable);
}

static void unmap_page(struct xenoprof_source *source, const void *page)
{
    if ( page )
        source->backend->functions->unmap(source->backend, (void *)page, 1);
}

enum xenoprof_status source_open(struct xenoprof_handle *handle,
                                 struct backend *backend, uint64_t status_mfn,
                                 struct xenoprof_source **ret)
{
    struct xenoprof_source *source = calloc(1, sizeof(*source));
    struct xenoprof_status_page page;
    enum xenoprof_status status;

    if ( !source )
    {
        backend->functions->close(backend);
        return handle_no_memory(handle);
    }
    source->handle = handle;
    source->backend = backend;
    source->status = map_source_page(source, status_mfn, false);
    if ( !source->status )
        status = handle_fail_system(handle, "%s: cannot map the status page",
                                    backend->functions->name);
    else
        status = xenoprof_source_status(source, &page);
    if ( !status )
        status = xenoprof_source_refresh(source);
    if ( status )
        xenoprof_source_close(source);
    else
        *ret = source;
    return status;
}

void xenoprof_source_close(struct xenoprof_source *source)
{
    if ( !source )
        return;
    for ( size_t i = 0; i < source->rings.count; i++ )
        ring_unmap(source, &source->rings.items[i]);
    for ( unsigned int i = 0; i < XENOPROF_TABLE_PAGES; i++ )
        unmap_page(source, source->table[i]);
    for ( unsigned int i = 0; i < XENOPROF_INDEX_PAGES; i++ )
        unmap_page(source, source->index[i]);
    unmap_page(source, source->status);
    source->backend->functions->close(source->backend);
    vector_free(&source->rings);
    free(source);
}

enum xenoprof_status xenoprof_source_status(struct xenoprof_source *source,
                                            struct xenoprof_status_page *ret)
{
    const char *name = source->backend->functions->name;

    copy_shared(ret, source->status, sizeof(*ret));
    if ( ret->magic != XENOPROF_STATUS_MAGIC )
        return handle_fail(source->handle, XENOPROF_INVALID,
                           "%s: not a status page (magic 0x%x); the "
                           "session it belonged to is over",
                           name, ret->magic);
    if ( ret->version != XENOPROF_ABI_VERSION )
        return handle_fail(source->handle,
                           ret->version > XENOPROF_ABI_VERSION
                               ? XENOPROF_NEWER
                               : XENOPROF_INVALID,
                           "%s: the hypervisor module speaks version %u, this "
                           "library version %u; unload it and set it up again",
                           name, ret->version, XENOPROF_ABI_VERSION);
    if ( ret->rings > XENOPROF_RINGS_MAX )
        return handle_fail(source->handle, XENOPROF_INVALID,
                           "%s: the status page has %u rings, more than "
                           "possible",
                           name, ret->rings);
    return XENOPROF_OK;
}

/* Map what is new in a list of single pages, which only grows in a session. */
static bool map_pages(struct xenoprof_source *source, const uint64_t *mfns,
                      uint64_t *have, void **pages, bool writable)
{
    for ( unsigned int i = 0; i < XENOPROF_TABLE_PAGES; i++ )
    {
        if ( mfns[i] == have[i] )
            continue;
        unmap_page(source, pages[i]);
        pages[i] = mfns[i] ? map_source_page(source, mfns[i], writable) : NULL;
        have[i] = pages[i] ? mfns[i] : 0;
        if ( mfns[i] && !pages[i] )
            return false;
    }
    return true;
}

_Static_assert(XENOPROF_TABLE_PAGES == XENOPROF_INDEX_PAGES,
               "one loop maps both lists");

static uint64_t ring_page_mfn(const struct xenoprof_source *source,
                              uint32_t number)
{
    const uint64_t *table = source->table[number / XENOPROF_TABLE_ENTRIES];

    /* Acquire, with set_entry() in hypervisor/directory.c: a ring that is found
     * is complete. */
    return table ? __atomic_load_n(&table[number % XENOPROF_TABLE_ENTRIES],
                                   __ATOMIC_ACQUIRE)
                 : 0;
}

static enum xenoprof_status refuse_ring(struct xenoprof_source *source,
                                        uint32_t number,
                                        enum xenoprof_status status)
{
    const char *name = source->backend->functions->name;

    if ( status == XENOPROF_SYSTEM )
        return handle_fail_system(source->handle, "%s: cannot map ring %u",
                                  name, number);
    return handle_fail(source->handle, status,
                       "%s: ring %u's page is not valid, or its size is "
                       "impossible; stop the profiler and start it again",
                       name, number);
}

static void remove_ring(struct xenoprof_source *source, size_t at)
{
    ring_unmap(source, &source->rings.items[at]);
    source->rings.count--;
    source->lists++;
    memmove(&source->rings.items[at], &source->rings.items[at + 1],
            (source->rings.count - at) * sizeof(*source->rings.items));
}

/* Make the list agree with Xen about ring number.  at is the ring's position in
 * the list, or where it would be inserted. */
static enum xenoprof_status refresh_ring(struct xenoprof_source *source,
                                         uint32_t number, size_t at)
{
    bool have = at < source->rings.count &&
                source->rings.items[at].number == number;
    uint64_t mfn = ring_page_mfn(source, number);
    enum xenoprof_status status;
    struct source_ring ring;

    if ( have && source->rings.items[at].mfn == mfn &&
         source->rings.items[at].generation ==
             __atomic_load_n(&source->rings.items[at].page->generation,
                             __ATOMIC_ACQUIRE) )
        return XENOPROF_OK;
    if ( have )
        remove_ring(source, at);
    if ( !mfn )
        return XENOPROF_OK;
    if ( !vector_reserve(&source->rings, 1) )
        return handle_no_memory(source->handle);
    status = ring_map(source, number, mfn, &ring);
    if ( status )
        return refuse_ring(source, number, status);
    memmove(&source->rings.items[at + 1], &source->rings.items[at],
            (source->rings.count - at) * sizeof(ring));
    source->rings.items[at] = ring;
    source->rings.count++;
    source->lists++;
    return XENOPROF_OK;
}

/* A ring that cannot be mapped does not stop the others. */
static enum xenoprof_status refresh_rings(struct xenoprof_source *source,
                                          uint32_t limit)
{
    enum xenoprof_status first = XENOPROF_OK;
    size_t at = 0;

    for ( uint32_t number = 0; number < limit; number++ )
    {
        enum xenoprof_status status = refresh_ring(source, number, at);

        if ( status && !first )
            first = status;
        if ( at < source->rings.count &&
             source->rings.items[at].number == number )
            at++;
    }
    while ( source->rings.count > at )
        remove_ring(source, source->rings.count - 1);
    return first;
}

/* Index pages do not move during a session of the module.  If one moved, all
 * mapped rings are of an older session. */
static bool another_session(const struct xenoprof_source *source,
                            const struct xenoprof_status_page *page)
{
    for ( unsigned int i = 0; i < XENOPROF_INDEX_PAGES; i++ )
        if ( source->index_mfn[i] &&
             source->index_mfn[i] != page->index_mfn[i] )
            return true;
    return false;
}

enum xenoprof_status xenoprof_source_refresh(struct xenoprof_source *source)
{
    struct xenoprof_status_page page;
    enum xenoprof_status status = xenoprof_source_status(source, &page);

    if ( status )
        return status;
    if ( source->looked && source->changes == page.changes )
        return XENOPROF_OK;
    while ( another_session(source, &page) && source->rings.count )
        remove_ring(source, source->rings.count - 1);
    if ( !map_pages(source, page.table_mfn, source->table_mfn,
                    (void **)source->table, false) ||
         !map_pages(source, page.index_mfn, source->index_mfn,
                    (void **)source->index, true) )
        return handle_fail_system(source->handle,
                                  "%s: cannot map the tables of rings",
                                  source->backend->functions->name);
    status = refresh_rings(source, page.rings);
    /* Changes since the copy was taken are found the next time. */
    source->changes = page.changes;
    source->looked = !status;
    return status;
}

void xenoprof_source_heartbeat(struct xenoprof_source *source)
{
    uint64_t *slot = source->index[0] ? &source->index[0]->slot[0] : NULL;

    if ( slot )
        xenoprof_store_consumer(slot, *slot + 1);
}
