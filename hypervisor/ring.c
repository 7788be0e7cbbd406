/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing a ring: records, pads, what was lost, and the reader's index.
 */
#include "ring.h"

static struct xenoprof_ring_page *page_of(const struct ring *ring)
{
    return ring->pages->page[0];
}

uint32_t ring_bytes(uint32_t data_pages)
{
    return (data_pages + 1) * XENOPROF_PAGE_SIZE;
}

struct ring *ring_create(const struct ring_name *name, uint32_t data_pages)
{
    unsigned int near = name->kind == XENOPROF_RING_PCPU ? name->vcpu
                                                         : PORT_ANYWHERE;
    struct ring *ring = port_alloc(sizeof(*ring));

    if ( !ring )
        return NULL;
    ring->pages = pages_share(data_pages + 1, PORT_DOM0_READS, near);
    if ( !ring->pages )
    {
        port_free(ring, sizeof(*ring));
        return NULL;
    }
    ring->name = *name;
    ring->size = data_pages * XENOPROF_PAGE_SIZE;
    ring->state = XENOPROF_RING_OPEN;
    return ring;
}

void ring_show(struct ring *ring)
{
    struct xenoprof_ring_page *page = page_of(ring);

    page->magic = XENOPROF_RING_MAGIC;
    page->version = XENOPROF_ABI_VERSION;
    page->ring = ring->number;
    page->generation = ring->generation;
    page->domain = ring->name.domain;
    page->vcpu = ring->name.vcpu;
    page->kind = ring->name.kind;
    page->state = ring->state;
    memcpy(page->uuid, ring->name.uuid, sizeof(page->uuid));
    page->data_pages = ring->size / XENOPROF_PAGE_SIZE;
    for ( unsigned int i = 1; i < ring->pages->count; i++ )
        page->data_mfn[i - 1] = port_page_mfn(ring->pages->page[i]);
}

void ring_destroy(struct ring *ring)
{
    pages_give_back(ring->pages);
    port_free(ring, sizeof(*ring));
}

/* Xen's own state may be read by ring_put() while upkeep closes the ring: one
 * sample more or less goes in.  Release, with xenoprof_ring_info(): a reader
 * that sees the state sees all records. */
static void set_state(struct ring *ring, enum xenoprof_ring_state state)
{
    __atomic_store_n(&ring->state, (uint16_t)state, __ATOMIC_RELAXED);
    __atomic_store_n(&page_of(ring)->state, (uint16_t)state, __ATOMIC_RELEASE);
}

bool ring_close(struct ring *ring)
{
    if ( __atomic_load_n(&ring->state, __ATOMIC_RELAXED) != XENOPROF_RING_OPEN )
        return false;
    set_state(ring, XENOPROF_RING_CLOSED);
    return true;
}

/* Counters for the reader, see xenoprof_ring_info(): each is a word that is
 * never torn. */
static void show_losses(struct ring *ring, enum xenoprof_cause cause)
{
    struct xenoprof_ring_page *page = page_of(ring);

    __atomic_store_n(&page->lost[cause], ring->lost[cause], __ATOMIC_RELAXED);
    __atomic_store_n(&page->made, ring->made, __ATOMIC_RELAXED);
}

void ring_lose(struct ring *ring, enum xenoprof_cause cause, uint64_t count)
{
    ring->made += count;
    ring->lost[cause] += count;
    ring->unreported[cause] += count;
    ring->unreported_any = true;
    show_losses(ring, cause);
}

/* Computes the unread bytes.  Returns true, or false if the reader's index is
 * impossible: then the ring stops. */
static bool check_consumer(struct ring *ring, uint64_t *unread)
{
    uint64_t consumer = xenoprof_load_consumer(ring->consumer);

    *unread = ring->producer - consumer;
    if ( *unread <= ring->size && !(consumer & 7) )
        return true;
    set_state(ring, XENOPROF_RING_STOPPED);
    return false;
}

/* Returns where a record of this length begins if the last one ends at end. */
static uint64_t record_start(const struct ring *ring, uint64_t end,
                             uint32_t length)
{
    uint32_t left = ring->size - (end & (ring->size - 1));

    return length <= left ? end : end + left;
}

/* Returns where the LOST records end that have to precede the next record. */
static uint64_t end_of_losses(const struct ring *ring)
{
    uint64_t end = ring->producer;

    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
        if ( ring->unreported[cause] )
            end = record_start(ring, end, sizeof(struct xenoprof_lost)) +
                  sizeof(struct xenoprof_lost);
    return end;
}

/* Data pages are order-0 pages anywhere: a record may lie in several. */
static __attribute__((noinline)) void copy_on(struct ring *ring, uint64_t at,
                                              const unsigned char *from,
                                              uint32_t length)
{
    while ( length )
    {
        uint32_t part = length;
        void *to = ring_bytes_at(ring, at, &part);

        memcpy(to, from, part);
        at += part;
        from += part;
        length -= part;
    }
}

/* Mostly it lies in one. */
static void copy_in(struct ring *ring, uint64_t at, const void *from,
                    uint32_t length)
{
    uint32_t part = length;
    void *to = ring_bytes_at(ring, at, &part);

    memcpy(to, from, part);
    if ( part < length )
        copy_on(ring, at + part, (const unsigned char *)from + part,
                length - part);
}

/* Begins a record: where the last one ended, or after a pad. */
static void begin_at(struct ring *ring, uint64_t at)
{
    if ( at != ring->producer )
    {
        struct xenoprof_record pad = {
            .kind = XENOPROF_RECORD_PAD,
            .length = at - ring->producer,
        };

        copy_in(ring, ring->producer, &pad, sizeof(pad));
    }
    ring->producer = at;
}

static void append(struct ring *ring, const void *bytes, uint32_t length)
{
    copy_in(ring, ring->producer, bytes, length);
    ring->producer += length;
}

static void append_losses(struct ring *ring, uint64_t time)
{
    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
    {
        struct xenoprof_lost lost = {
            .head.kind = XENOPROF_RECORD_LOST,
            .head.length = sizeof(lost),
            .time = time,
            .count = ring->unreported[cause],
            .cause = cause,
        };

        if ( !lost.count )
            continue;
        begin_at(ring, record_start(ring, ring->producer, sizeof(lost)));
        append(ring, &lost, sizeof(lost));
        ring->unreported[cause] = 0;
    }
    ring->unreported_any = false;
}

static enum ring_result lose_one(struct ring *ring, enum xenoprof_cause cause)
{
    ring_lose(ring, cause, 1);
    return cause == XENOPROF_LOST_RING ? RING_FULL : RING_REFUSED;
}

/* Of a ring that was written. */
static enum ring_result fills_up(struct ring *ring, uint64_t unread)
{
    ring->unread = unread;
    return unread < ring->size / 8 * 5 ? RING_WRITTEN_HALF : RING_WRITTEN_MUCH;
}

static bool is_written_to(const struct ring *ring)
{
    return __atomic_load_n(&ring->state, __ATOMIC_RELAXED) ==
           XENOPROF_RING_OPEN;
}

/* Counts the sample that was written last, and shows it to the reader. */
static enum ring_result show_sample(struct ring *ring, uint64_t unread)
{
    struct xenoprof_ring_page *page = page_of(ring);

    ring->made++;
    ring->committed++;
    /* Before the producer index, with xenoprof_ring_info(), which reads them
     * after it: who sees the record sees it counted. */
    __atomic_store_n(&page->made, ring->made, __ATOMIC_RELAXED);
    __atomic_store_n(&page->committed, ring->committed, __ATOMIC_RELAXED);
    xenoprof_store_producer(&page->producer, ring->producer);
    return unread < ring->size / 2 ? RING_WRITTEN : fills_up(ring, unread);
}

/* LOST records have to precede the sample.  Returns false if there is no room
 * for all. */
static __attribute__((noinline)) bool report_losses(struct ring *ring,
                                                    uint32_t length,
                                                    uint64_t unread,
                                                    uint64_t time)
{
    uint64_t at = record_start(ring, end_of_losses(ring), length);

    if ( unread + (at + length - ring->producer) > ring->size )
        return false;
    append_losses(ring, time);
    return true;
}

enum ring_result ring_put(struct ring *ring,
                          const struct ring_piece record[RING_PIECES],
                          uint64_t time)
{
    uint32_t length = record[0].length + record[1].length;
    uint64_t unread, at, before = ring->producer;

    if ( !is_written_to(ring) || !check_consumer(ring, &unread) )
        return lose_one(ring, XENOPROF_LOST_STOPPED);
    if ( ring->unreported_any && !report_losses(ring, length, unread, time) )
        return lose_one(ring, XENOPROF_LOST_RING);
    at = record_start(ring, ring->producer, length);
    unread += at + length - before;
    if ( unread > ring->size )
        return lose_one(ring, XENOPROF_LOST_RING);
    begin_at(ring, at);
    append(ring, record[0].bytes, record[0].length);
    if ( record[1].length )
        append(ring, record[1].bytes, record[1].length);
    return show_sample(ring, unread);
}

bool ring_reserve(struct ring *ring, uint32_t most, struct ring_space *ret)
{
    if ( ring->unreported_any || !is_written_to(ring) ||
         !check_consumer(ring, &ret->unread) )
        return false;
    ret->at = record_start(ring, ring->producer, most);
    return ret->unread + (ret->at - ring->producer) + most <= ring->size;
}

enum ring_result ring_finish(struct ring *ring, const struct ring_space *space,
                             const struct ring_piece *beginning,
                             uint32_t length)
{
    uint64_t more = space->at + length - ring->producer;

    begin_at(ring, space->at);
    copy_in(ring, space->at, beginning->bytes, beginning->length);
    ring->producer = space->at + length;
    return show_sample(ring, space->unread + more);
}

enum ring_result ring_tell(struct ring *ring,
                           const struct ring_piece records[RING_PIECES])
{
    uint32_t length = records[0].length + records[1].length;
    uint64_t unread, at, more;

    if ( !is_written_to(ring) || !check_consumer(ring, &unread) )
        return RING_FULL;
    at = record_start(ring, ring->producer, length);
    more = at + length - ring->producer;
    if ( unread + more >= ring->size / 2 )
        return RING_FULL;
    begin_at(ring, at);
    for ( unsigned int i = 0; i < RING_PIECES; i++ )
        append(ring, records[i].bytes, records[i].length);
    xenoprof_store_producer(&page_of(ring)->producer, ring->producer);
    return unread + more >= ring->size / 4 ? RING_WRITTEN_HALF : RING_WRITTEN;
}
