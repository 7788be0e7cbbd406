/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory: how dom0 finds the rings, and where the status page is
 * published.
 */
#include "directory.h"
#include "core.h"

#define TABLE_BYTES (XENOPROF_TABLE_ENTRIES * sizeof(struct ring *))

static bool open_table(struct directory *directory, uint32_t number)
{
    uint64_t *mfn = &directory->status.table_mfn[number];

    if ( directory->table[number] )
        return true;
    directory->rings[number] = port_alloc(TABLE_BYTES);
    if ( !directory->rings[number] )
        return false;
    directory->table[number] = pages_share(1, PORT_DOM0_READS, PORT_ANYWHERE);
    if ( !directory->table[number] )
    {
        port_free(directory->rings[number], TABLE_BYTES);
        directory->rings[number] = NULL;
        return false;
    }
    *mfn = port_page_mfn(directory->table[number]->page[0]);
    return true;
}

static bool open_index(struct directory *directory, uint32_t number)
{
    if ( directory->index[number] )
        return true;
    directory->index[number] = pages_share(1, PORT_DOM0_WRITES, PORT_ANYWHERE);
    if ( !directory->index[number] )
        return false;
    directory->status.index_mfn[number] = port_page_mfn(
        directory->index[number]->page[0]);
    return true;
}

bool directory_open(struct directory *directory)
{
    memset(directory, 0, sizeof(*directory));
    directory->ceiling = xenoprof_ring_ceiling(port_pcpus());
    directory->status_page = pages_share(1, PORT_DOM0_READS, PORT_ANYWHERE);
    if ( directory->status_page && open_table(directory, 0) &&
         open_index(directory, 0) )
        return true;
    directory_close(directory);
    return false;
}

static void close_table(struct directory *directory, uint32_t number)
{
    struct ring **rings = directory->rings[number];

    for ( unsigned int i = 0; rings && i < XENOPROF_TABLE_ENTRIES; i++ )
        if ( rings[i] )
            ring_destroy(rings[i]);
    if ( rings )
        port_free(rings, TABLE_BYTES);
    pages_give_back(directory->table[number]);
}

void directory_close(struct directory *directory)
{
    for ( unsigned int i = 0; i < XENOPROF_TABLE_PAGES; i++ )
        close_table(directory, i);
    for ( unsigned int i = 0; i < XENOPROF_INDEX_PAGES; i++ )
        pages_give_back(directory->index[i]);
    pages_give_back(directory->status_page);
    memset(directory, 0, sizeof(*directory));
}

struct ring *directory_find(const struct directory *directory, uint64_t number)
{
    struct ring **rings;

    if ( number >= XENOPROF_RINGS_MAX )
        return NULL;
    rings = directory->rings[number / XENOPROF_TABLE_ENTRIES];
    return rings ? rings[number % XENOPROF_TABLE_ENTRIES] : NULL;
}

/* Slot 0 is the heartbeat, slot N + 1 the consumer index of ring N. */
static uint64_t *find_index_slot(const struct directory *directory,
                                 uint32_t number)
{
    uint32_t slot = number + 1;
    struct xenoprof_index_page *page =
        directory->index[slot / XENOPROF_INDEX_SLOTS]->page[0];

    return &page->slot[slot % XENOPROF_INDEX_SLOTS];
}

/* Finds the lowest free number, and makes table and index pages for it. */
static int free_number(struct directory *directory, uint32_t *ret)
{
    uint32_t number = directory->first_free;

    while ( directory_find(directory, number) )
        number++;
    directory->first_free = number;
    if ( number + 1 >= XENOPROF_RINGS_MAX )
        return ERROR_NO_SPACE;
    if ( !open_table(directory, number / XENOPROF_TABLE_ENTRIES) ||
         !open_index(directory, (number + 1) / XENOPROF_INDEX_SLOTS) )
        return ERROR_NO_MEMORY;
    *ret = number;
    return 0;
}

static void set_entry(struct directory *directory, uint32_t number,
                      struct ring *ring)
{
    uint32_t table = number / XENOPROF_TABLE_ENTRIES;
    uint32_t entry = number % XENOPROF_TABLE_ENTRIES;
    uint64_t *mfns = directory->table[table]->page[0];

    directory->rings[table][entry] = ring;
    /* Release, with ring_page_mfn() in dom0: it maps the ring from this entry,
     * and finds it complete. */
    __atomic_store_n(&mfns[entry],
                     ring ? port_page_mfn(ring->pages->page[0]) : 0,
                     __ATOMIC_RELEASE);
}

int directory_add(struct directory *directory, const struct ring_name *name,
                  uint32_t data_pages, struct ring **ret)
{
    struct ring *ring;
    uint32_t number, bytes = ring_bytes(data_pages);
    int error;

    if ( directory->bytes + bytes > directory->ceiling )
        return ERROR_NO_SPACE;
    error = free_number(directory, &number);
    if ( error )
        return error;
    ring = ring_create(name, data_pages);
    if ( !ring )
        return ERROR_NO_MEMORY;
    ring->number = number;
    ring->generation = ++directory->generation;
    ring->consumer = find_index_slot(directory, number);
    /* The reader has released the last ring with this number. */
    *find_index_slot(directory, number) = 0;
    ring_show(ring);
    set_entry(directory, number, ring);
    directory->bytes += bytes;
    if ( number >= directory->status.rings )
        directory->status.rings = number + 1;
    directory_changed(directory);
    *ret = ring;
    return 0;
}

void directory_remove(struct directory *directory, struct ring *ring)
{
    set_entry(directory, ring->number, NULL);
    if ( ring->number < directory->first_free )
        directory->first_free = ring->number;
    directory->bytes -= ring_bytes(ring->size / XENOPROF_PAGE_SIZE);
    ring_destroy(ring);
    directory_changed(directory);
}

bool directory_free_rings(struct directory *directory, uint32_t pages)
{
    uint32_t done = 0;

    while ( directory->status.rings && done < pages )
    {
        uint32_t last = --directory->status.rings;
        struct ring *ring = directory_find(directory, last);

        if ( !ring )
            continue;
        done += ring->pages->count;
        directory_remove(directory, ring);
    }
    return !directory->status.rings;
}

void directory_changed(struct directory *directory)
{
    directory->status.changes++;
}

uint64_t directory_heartbeat(const struct directory *directory)
{
    struct xenoprof_index_page *page = directory->index[0]->page[0];

    return xenoprof_load_consumer(&page->slot[0]);
}

void directory_publish(struct directory *directory)
{
    const uint64_t *from = (const uint64_t *)&directory->status;
    uint64_t *to = directory->status_page->page[0];
    _Static_assert(sizeof(directory->status) % sizeof(*to) == 0,
                   "the status page is copied in words, none of them torn");

    directory->status.magic = XENOPROF_STATUS_MAGIC;
    directory->status.version = XENOPROF_ABI_VERSION;
    directory->status.awaited = pages_awaited();
    /* Release, with copy_shared() in dom0, which loads from the first word to
     * the last.  So they are stored from the last to the first: a reader that
     * finds a new state or count of changes finds the counters and tables that
     * belong to it. */
#pragma GCC unroll 8
    for ( unsigned int i = sizeof(directory->status) / sizeof(*to); i-- > 0; )
        __atomic_store_n(&to[i], from[i], __ATOMIC_RELEASE);
}

uint64_t directory_status_mfn(const struct directory *directory)
{
    return port_page_mfn(directory->status_page->page[0]);
}
