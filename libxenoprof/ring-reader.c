/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads one ring: checks its page, then its records one by one. */
#include <string.h>

#include "base/id-table.h"
#include "source.h"

static bool power_of_two(uint32_t value)
{
    return value && !(value & (value - 1));
}

/* The consumer is at most one ring's size behind the producer. */
static bool possible(uint64_t producer, uint64_t consumer, uint32_t size)
{
    return producer - consumer <= size && producer % 8 == 0 &&
           consumer % 8 == 0;
}

static bool sound(const struct xenoprof_ring_page *page, uint32_t number)
{
    if ( page->magic != XENOPROF_RING_MAGIC ||
         page->version != XENOPROF_ABI_VERSION || page->ring != number ||
         (page->kind != XENOPROF_RING_PCPU &&
          page->kind != XENOPROF_RING_VCPU) ||
         !power_of_two(page->data_pages) ||
         page->data_pages > XENOPROF_DATA_PAGES_MAX )
        return false;
    for ( uint32_t i = 0; i < page->data_pages; i++ )
        if ( !page->data_mfn[i] )
            return false;
    return true;
}

static uint64_t *index_slot(const struct xenoprof_source *source,
                            uint32_t number)
{
    uint32_t slot = number + 1, page = slot / XENOPROF_INDEX_SLOTS;

    if ( page >= XENOPROF_INDEX_PAGES || !source->index[page] )
        return NULL;
    return &source->index[page]->slot[slot % XENOPROF_INDEX_SLOTS];
}

/* Check a copy of the ring page, take its values, and map the data. */
static enum xenoprof_status adopt(struct xenoprof_source *source,
                                  const struct xenoprof_ring_page *copy,
                                  struct source_ring *ring)
{
    const struct backend_functions *functions = source->backend->functions;

    if ( !sound(copy, ring->number) || !ring->slot ||
         source->bytes + copy->data_pages * XENOPROF_PAGE_SIZE >
             XENOPROF_RING_CEILING_LARGE )
        return XENOPROF_INVALID;
    ring->data = functions->map(source->backend, copy->data_mfn,
                                copy->data_pages, false);
    if ( !ring->data )
        return XENOPROF_SYSTEM;
    ring->size = copy->data_pages * XENOPROF_PAGE_SIZE;
    ring->generation = copy->generation;
    ring->domain = copy->domain;
    ring->vcpu = copy->vcpu;
    ring->kind = copy->kind;
    memcpy(ring->uuid, copy->uuid, sizeof(ring->uuid));
    ring->producer = copy->producer;
    ring->position = ring->released = xenoprof_load_consumer(ring->slot);
    ring->broken = !possible(ring->producer, ring->position, ring->size);
    source->bytes += ring->size;
    return XENOPROF_OK;
}

enum xenoprof_status ring_map(struct xenoprof_source *source, uint32_t number,
                              uint64_t mfn, struct source_ring *ret)
{
    const struct backend_functions *functions = source->backend->functions;
    struct xenoprof_ring_page copy;
    enum xenoprof_status status;

    *ret = (struct source_ring){
        .number = number, .mfn = mfn, .slot = index_slot(source, number)};
    ret->page = functions->map(source->backend, &mfn, 1, false);
    if ( !ret->page )
        return XENOPROF_SYSTEM;
    copy_shared(&copy, ret->page, sizeof(copy));
    status = adopt(source, &copy, ret);
    if ( status )
        functions->unmap(source->backend, (void *)ret->page, 1);
    return status;
}

void ring_unmap(struct xenoprof_source *source, struct source_ring *ring)
{
    const struct backend_functions *functions = source->backend->functions;

    functions->unmap(source->backend, (void *)ring->data,
                     ring->size / XENOPROF_PAGE_SIZE);
    functions->unmap(source->backend, (void *)ring->page, 1);
    source->bytes -= ring->size;
}

size_t xenoprof_source_rings(const struct xenoprof_source *source)
{
    return source->rings.count;
}

uint64_t xenoprof_source_list(const struct xenoprof_source *source)
{
    return source->lists;
}

/* State and producer lie next to each other. */
bool xenoprof_ring_stirs(const struct xenoprof_source *source, size_t index)
{
    const struct source_ring *ring = index < source->rings.count
                                         ? &source->rings.items[index]
                                         : NULL;

    if ( !ring )
        return false;
    return __atomic_load_n(&ring->page->state, __ATOMIC_ACQUIRE) !=
               XENOPROF_RING_OPEN ||
           xenoprof_load_producer(&ring->page->producer) != ring->position;
}

/* These lie next to each other, too. */
bool xenoprof_ring_changed(const struct xenoprof_source *source, size_t index)
{
    const struct source_ring *ring = index < source->rings.count
                                         ? &source->rings.items[index]
                                         : NULL;
    uint64_t made;

    if ( !ring || !ring->reported )
        return ring;
    copy_shared(&made, &ring->page->made, sizeof(made));
    return made != ring->reported_made ||
           ring->position != ring->reported_position ||
           ring->released != ring->reported_released ||
           __atomic_load_n(&ring->page->state, __ATOMIC_ACQUIRE) !=
               ring->reported_state ||
           xenoprof_load_producer(&ring->page->producer) !=
               ring->reported_producer;
}

void xenoprof_ring_expect(const struct xenoprof_source *source, size_t index)
{
    if ( index < source->rings.count )
        memory_expect(&source->rings.items[index].page->state);
}

static struct source_ring *ring_at(struct xenoprof_source *source, size_t index)
{
    if ( index < source->rings.count )
        return &source->rings.items[index];
    handle_fail(source->handle, XENOPROF_NOT_FOUND,
                "%s: no ring with index %zu; there are %zu",
                source->backend->functions->name, index, source->rings.count);
    return NULL;
}

/* Whether Xen was not just counting: each sample is one of these. */
static bool at_rest(const struct xenoprof_ring_info *info)
{
    uint64_t all = info->committed;

    for ( unsigned int i = 0; i < XENOPROF_LOST_SLOTS; i++ )
        all += info->lost[i];
    return info->made == all;
}

enum xenoprof_status xenoprof_ring_info(struct xenoprof_source *source,
                                        size_t index,
                                        struct xenoprof_ring_info *ret)
{
    struct source_ring *ring = ring_at(source, index);

    if ( !ring )
        return XENOPROF_NOT_FOUND;
    /* Callers compare it as a whole, padding included. */
    memset(ret, 0, sizeof(*ret));
    ret->ring = ring->number;
    ret->generation = ring->generation;
    ret->domain = ring->domain;
    ret->vcpu = ring->vcpu;
    ret->kind = ring->kind;
    /* Acquire, with set_state() in hypervisor/ring.c: the records of a closed
     * ring are all seen.  Then the index, then the counters, with ring_put():
     * what the index has is counted. */
    ret->state = __atomic_load_n(&ring->page->state, __ATOMIC_ACQUIRE);
    memcpy(ret->uuid, ring->uuid, sizeof(ret->uuid));
    ret->size = ring->size;
    ret->producer = xenoprof_load_producer(&ring->page->producer);
    ret->position = ring->position;
    ret->released = ring->released;
    copy_shared(&ret->made, &ring->page->made, sizeof(ret->made));
    copy_shared(&ret->committed, &ring->page->committed,
                sizeof(ret->committed));
    copy_shared(ret->lost, ring->page->lost, sizeof(ret->lost));
    ring->reported = at_rest(ret);
    ring->reported_state = ret->state;
    ring->reported_producer = ret->producer;
    ring->reported_made = ret->made;
    ring->reported_position = ret->position;
    ring->reported_released = ret->released;
    return XENOPROF_OK;
}

static enum xenoprof_status break_ring(struct xenoprof_source *source,
                                       struct source_ring *ring)
{
    ring->broken = true;
    return handle_fail(source->handle, XENOPROF_INVALID,
                       "%s: ring %u (domain %u, %s %u) holds nonsense at byte "
                       "%llu and is not read any more",
                       source->backend->functions->name, ring->number,
                       ring->domain,
                       ring->kind == XENOPROF_RING_PCPU ? "pCPU" : "vCPU",
                       ring->vcpu, (unsigned long long)ring->position);
}

/* Take over how far Xen has written; an impossible value breaks the ring. */
static void load_producer(struct source_ring *ring)
{
    uint64_t producer = xenoprof_load_producer(&ring->page->producer);

    if ( possible(producer, ring->position, ring->size) )
        ring->producer = producer;
    else
        ring->broken = true;
}

/* Returns how many bytes a record at position can have: up to the ring's end or
 * the producer. */
static size_t bytes_at(const struct source_ring *ring, const void **bytes)
{
    uint32_t offset = ring->position & (ring->size - 1);
    uint64_t left = ring->producer - ring->position;

    *bytes = ring->data + offset;
    return left < ring->size - offset ? left : ring->size - offset;
}

enum xenoprof_status xenoprof_ring_next(struct xenoprof_source *source,
                                        size_t index, struct xenoprof_view *ret)
{
    struct source_ring *ring = ring_at(source, index);
    const void *bytes;
    size_t size;

    if ( !ring )
        return XENOPROF_NOT_FOUND;
    for ( ;; )
    {
        if ( !ring->broken && ring->position == ring->producer )
            load_producer(ring);
        if ( ring->broken )
            return break_ring(source, ring);
        if ( ring->position == ring->producer )
            return XENOPROF_END;
        size = bytes_at(ring, &bytes);
        if ( xenoprof_record_check(bytes, size, ret) )
            return break_ring(source, ring);
        ring->position += ret->head->length;
        if ( ret->head->kind != XENOPROF_RECORD_PAD )
            return XENOPROF_OK;
    }
}

enum xenoprof_status xenoprof_ring_seek(struct xenoprof_source *source,
                                        size_t index, uint64_t position)
{
    struct source_ring *ring = ring_at(source, index);
    uint64_t producer;

    if ( !ring )
        return XENOPROF_NOT_FOUND;
    producer = xenoprof_load_producer(&ring->page->producer);
    if ( position % 8 ||
         position - ring->released > producer - ring->released ||
         !possible(producer, ring->released, ring->size) )
        return handle_fail(source->handle, XENOPROF_INVALID,
                           "%s: ring %u cannot be read from byte %llu: it has "
                           "bytes %llu to %llu",
                           source->backend->functions->name, ring->number,
                           (unsigned long long)position,
                           (unsigned long long)ring->released,
                           (unsigned long long)producer);
    ring->position = position;
    ring->producer = producer;
    return XENOPROF_OK;
}

void xenoprof_ring_release(struct xenoprof_source *source, size_t index)
{
    struct source_ring *ring = ring_at(source, index);

    if ( !ring || ring->released == ring->position )
        return;
    xenoprof_store_consumer(ring->slot, ring->position);
    ring->released = ring->position;
}
