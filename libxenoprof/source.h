/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside a source: the pages that Xen shares, and the rings in them.
 */
#ifndef XENOPROF_LIBXENOPROF_SOURCE_H
#define XENOPROF_LIBXENOPROF_SOURCE_H

#include "base/vector.h"
#include "backend.h"

struct source_ring {
    const struct xenoprof_ring_page *page;
    const uint8_t *data;
    uint64_t *slot; /* its consumer index, in an index page */
    uint64_t mfn;   /* of the ring page */
    uint32_t number;
    uint32_t generation;
    uint32_t size; /* bytes of data; checked, like all values copied here */
    uint16_t domain;
    uint16_t vcpu;
    uint16_t kind;
    uint8_t uuid[16];
    uint64_t producer; /* the last value that was possible */
    uint64_t position;
    uint64_t released;
    /* What xenoprof_ring_info() said last. */
    uint64_t reported_producer, reported_made, reported_position,
        reported_released;
    uint16_t reported_state;
    bool reported;
    bool broken; /* its data makes no sense; not read any more */
};

struct xenoprof_source {
    struct xenoprof_handle *handle;
    struct backend *backend;
    const struct xenoprof_status_page *status;
    const uint64_t *table[XENOPROF_TABLE_PAGES];
    struct xenoprof_index_page *index[XENOPROF_INDEX_PAGES];
    uint64_t table_mfn[XENOPROF_TABLE_PAGES];
    uint64_t index_mfn[XENOPROF_INDEX_PAGES];
    struct {
        VECTOR(struct source_ring);
    } rings;          /* by number, ascending */
    uint64_t lists;   /* how often that changed */
    uint64_t bytes;   /* of all rings' data */
    uint32_t changes; /* status page's count at the last refresh */
    bool looked;
};

/* Copy from a shared page in whole words, each of which is read once. */
static inline void copy_shared(void *to, const void *from, size_t size)
{
    const uint64_t *words = from;
    uint64_t *copy = to;

    /* Acquire, from the first word to the last: directory_publish() in
     * hypervisor/directory.c stores a status page the other way, so what
     * follows a new word is at least as new. */
    for ( size_t i = 0; i < size / sizeof(*words); i++ )
        copy[i] = __atomic_load_n(&words[i], __ATOMIC_ACQUIRE);
}

/* Map and check the ring whose page has that frame number.  Returns
 * XENOPROF_OK, XENOPROF_SYSTEM or XENOPROF_INVALID, without a message. */
enum xenoprof_status ring_map(struct xenoprof_source *source, uint32_t number,
                              uint64_t mfn, struct source_ring *ret);
void ring_unmap(struct xenoprof_source *source, struct source_ring *ring);

#endif
