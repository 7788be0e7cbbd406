/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core-kit.h"
#include "hypervisor/core.h"

/* A port frees then what it has timers and NMIs for. */
static void check_rest(void)
{
    if ( !core_at_rest() )
        return;
    for ( unsigned int i = 0; i < port_pcpus(); i++ )
        CHECK_EQ(process_pcpu(i)->timer, 0);
    CHECK(!process_host()->hooked);
    CHECK(process_host()->slot != PORT_SLOT_OURS);
}

/* In as many pieces as the module wants. */
static int whole_command(const char *line)
{
    int error;

    do
    {
        error = core_command(line);
        check_rest();
    } while ( error == -ERROR_AGAIN );
    return error;
}

int kit_command(const char *format, ...)
{
    char line[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    return whole_command(line);
}

struct xenoprof_door_state kit_state(void)
{
    struct xenoprof_door_state state;

    core_door_state(&state);
    CHECK_EQ(state.magic, XENOPROF_DOOR_MAGIC);
    CHECK_EQ(state.leaf, XENOPROF_DOOR_LEAF_STATE);
    CHECK_EQ(state.sequence, state.sequence_end);
    CHECK_EQ(state.size, sizeof(state));
    return state;
}

void kit_refused(int error, const char *message, const char *line)
{
    int got = whole_command(line);

    CHECK_TEXT(kit_state().message, message);
    CHECK_EQ(got, -error);
}

void kit_done(const char *line)
{
    int got = whole_command(line);

    CHECK_TEXT(kit_state().message, "");
    CHECK_EQ(got, 0);
}

void kit_session(unsigned int pcpus)
{
    process_reset(pcpus);
    kit_done("reserve sampler=nmi frequency=100 mask=35 pages=4 queue=0 "
             "lease=0 budget=0");
    kit_done("domain id=0 vcpus=2 uuid=" KIT_UUID_0 " kind=passive");
    kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
}

const struct xenoprof_status_page *kit_status(void)
{
    const struct xenoprof_status_page *page = process_page(
        kit_state().status_mfn);

    CHECK(page);
    CHECK_EQ(page->magic, XENOPROF_STATUS_MAGIC);
    CHECK_EQ(page->version, XENOPROF_ABI_VERSION);
    return page;
}

const struct xenoprof_ring_page *kit_ring_page(uint32_t number)
{
    uint64_t mfn = kit_status()->table_mfn[number / XENOPROF_TABLE_ENTRIES];
    const uint64_t *table = mfn ? process_page(mfn) : NULL;
    const struct xenoprof_ring_page *ring;

    if ( !table || !table[number % XENOPROF_TABLE_ENTRIES] )
        return NULL;
    ring = process_page(table[number % XENOPROF_TABLE_ENTRIES]);
    CHECK(ring);
    CHECK_EQ(ring->magic, XENOPROF_RING_MAGIC);
    CHECK_EQ(ring->ring, number);
    return ring;
}

const struct xenoprof_ring_page *kit_ring_of(enum xenoprof_ring_kind kind,
                                             uint16_t domain, uint16_t vcpu)
{
    for ( uint32_t number = 0; number < kit_status()->rings; number++ )
    {
        const struct xenoprof_ring_page *ring = kit_ring_page(number);

        if ( ring && ring->kind == kind && ring->vcpu == vcpu &&
             (kind == XENOPROF_RING_PCPU || ring->domain == domain) )
            return ring;
    }
    return NULL;
}

uint64_t *kit_consumer(uint32_t number)
{
    uint32_t slot = number + 1;
    struct xenoprof_index_page *page = process_page(
        kit_status()->index_mfn[slot / XENOPROF_INDEX_SLOTS]);

    CHECK(page);
    return &page->slot[slot % XENOPROF_INDEX_SLOTS];
}

void kit_beat(void)
{
    struct xenoprof_index_page *page = process_page(kit_status()->index_mfn[0]);

    page->slot[0]++;
}

static void copy_out(const struct xenoprof_ring_page *ring, uint64_t at,
                     void *to, uint32_t length)
{
    unsigned char *bytes = to;

    for ( uint32_t i = 0; i < length; )
    {
        uint64_t offset = (at + i) % (ring->data_pages * XENOPROF_PAGE_SIZE);
        uint32_t in_page = offset % XENOPROF_PAGE_SIZE;
        uint32_t part = XENOPROF_PAGE_SIZE - in_page;
        const unsigned char *page = process_page(
            ring->data_mfn[offset / XENOPROF_PAGE_SIZE]);

        CHECK(page);
        if ( part > length - i )
            part = length - i;
        memcpy(bytes + i, page + in_page, part);
        i += part;
    }
}

/* Returns how long the part is. */
static uint32_t read_window(const unsigned char *bytes, uint32_t left,
                            struct kit_window *ret)
{
    uint32_t filled;

    CHECK(left >= sizeof(ret->head));
    memcpy(&ret->head, bytes, sizeof(ret->head));
    filled = (ret->head.length + 7) & ~7u;
    CHECK(ret->head.length > 0);
    CHECK(ret->head.length <= sizeof(ret->bytes));
    CHECK(filled <= left - sizeof(ret->head));
    CHECK_EQ(ret->head.reserved, 0);
    memcpy(ret->bytes, bytes + sizeof(ret->head), ret->head.length);
    for ( uint32_t i = ret->head.length; i < filled; i++ )
        CHECK_EQ(bytes[sizeof(ret->head) + i], 0);
    return sizeof(ret->head) + filled;
}

static uint32_t read_chain(const unsigned char *bytes, struct kit_sample *ret)
{
    uint32_t length;

    memcpy(&ret->xen_stack, bytes, sizeof(ret->xen_stack));
    CHECK(ret->xen_stack.count > 0 &&
          ret->xen_stack.count <= XENOPROF_CHAIN_MAX);
    length = ret->xen_stack.count * sizeof(*ret->frames);
    memcpy(ret->frames, bytes + sizeof(ret->xen_stack), length);
    CHECK_EQ(ret->frames[0], ret->sample.ip);
    return sizeof(ret->xen_stack) + length;
}

enum tail { NOTHING, ADDRESSES, BYTES };

static const struct {
    uint32_t part;
    enum tail tail;
    size_t member; /* of struct kit_sample */
    size_t size;
} kit_parts[] = {
#define XENOPROF_PART(bit, NAME, name, member, structure, tail, stacks, text)  \
    {XENOPROF_PART_##NAME, tail, offsetof(struct kit_sample, member),          \
     sizeof(struct xenoprof_##structure)},
#include <xenoprof/record-parts.def>
#undef XENOPROF_PART
};

/* Returns the bytes of all parts. */
static uint32_t read_parts(const unsigned char *bytes, uint32_t left,
                           struct kit_sample *ret)
{
    uint32_t at = 0;

    for ( size_t i = 0; i < sizeof(kit_parts) / sizeof(*kit_parts); i++ )
    {
        unsigned char *member = (unsigned char *)ret + kit_parts[i].member;
        uint32_t size = kit_parts[i].size;

        memset(member, 0, size);
        if ( !(ret->sample.head.parts & kit_parts[i].part) )
            continue;
        if ( kit_parts[i].tail == ADDRESSES )
            size = read_chain(bytes + at, ret);
        else if ( kit_parts[i].tail == BYTES )
            size = read_window(bytes + at, left - at, (void *)member);
        else
            memcpy(member, bytes + at, size);
        at += size;
    }
    return at;
}

static void read_sample(const unsigned char *bytes, struct kit_read *ret)
{
    struct kit_sample *last = &ret->last;
    uint32_t at = sizeof(last->sample);

    memcpy(&last->sample, bytes, sizeof(last->sample));
    at += read_parts(bytes + at, last->sample.head.length - at, last);
    CHECK_EQ(at, last->sample.head.length);
    CHECK(last->sample.weight > 0);
    CHECK(last->sample.period > 0);
    CHECK(last->sample.mode < XENOPROF_MODES);
    if ( last->sample.marks & XENOPROF_MARK_WAITING )
        ret->waiting++;
    else
        ret->samples++;
    if ( ret->each )
        ret->each(last);
}

static void read_lost(const unsigned char *bytes, struct kit_read *ret)
{
    struct xenoprof_lost lost;

    memcpy(&lost, bytes, sizeof(lost));
    CHECK_EQ(lost.head.length, sizeof(lost));
    CHECK(lost.cause < XENOPROF_CAUSES);
    CHECK(lost.count > 0);
    ret->lost[lost.cause] += lost.count;
}

static void read_wait(const unsigned char *bytes, struct kit_read *ret)
{
    memcpy(&ret->last_wait, bytes, sizeof(ret->last_wait));
    CHECK_EQ(ret->last_wait.head.length, sizeof(ret->last_wait));
    ret->waits++;
    if ( ret->each_wait )
        ret->each_wait(&ret->last_wait);
}

static void read_counted(const unsigned char *bytes, struct kit_read *ret)
{
    struct xenoprof_counted counted;

    memcpy(&counted, bytes, sizeof(counted));
    CHECK_EQ(counted.head.length, sizeof(counted));
    CHECK(counted.running <= counted.enabled && counted.enabled);
    if ( ret->each_counted )
        ret->each_counted(&counted);
}

static uint32_t read_record(const struct xenoprof_ring_page *ring, uint64_t at,
                            uint64_t end, struct kit_read *ret)
{
    uint32_t size = ring->data_pages * XENOPROF_PAGE_SIZE;
    static unsigned char bytes[XENOPROF_RECORD_MAX];
    struct xenoprof_record head;

    CHECK(end - at >= sizeof(head));
    copy_out(ring, at, &head, sizeof(head));
    CHECK(head.length >= sizeof(head));
    CHECK_EQ(head.length % 8, 0);
    CHECK(head.length <= end - at);
    CHECK(head.length <= size - at % size);
    if ( head.kind == XENOPROF_RECORD_PAD )
    {
        CHECK_EQ(head.length, size - at % size);
        ret->pads++;
        return head.length;
    }
    CHECK(head.length <= sizeof(bytes));
    copy_out(ring, at, bytes, head.length);
    if ( head.kind == XENOPROF_RECORD_SAMPLE )
        read_sample(bytes, ret);
    else if ( head.kind == XENOPROF_RECORD_WAIT )
        read_wait(bytes, ret);
    else if ( head.kind == XENOPROF_RECORD_COUNTED )
        read_counted(bytes, ret);
    else
    {
        CHECK_EQ(head.kind, XENOPROF_RECORD_LOST);
        read_lost(bytes, ret);
    }
    return head.length;
}

void kit_drain(const struct xenoprof_ring_page *ring, bool release,
               struct kit_read *ret)
{
    uint64_t *consumer = kit_consumer(ring->ring);
    uint64_t at = *consumer;
    uint64_t end = xenoprof_load_producer(&ring->producer);

    while ( at != end )
        at += read_record(ring, at, end, ret);
    if ( release )
        xenoprof_store_consumer(consumer, at);
}

void kit_drain_all(struct kit_read *ret)
{
    for ( uint32_t number = 0; number < kit_status()->rings; number++ )
    {
        const struct xenoprof_ring_page *ring = kit_ring_page(number);

        if ( ring && ring->state != XENOPROF_RING_STOPPED )
            kit_drain(ring, true, ret);
    }
}

static uint64_t sum_of(const uint64_t *lost)
{
    uint64_t sum = 0;

    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
        sum += lost[cause];
    return sum;
}

void kit_check_sums(void)
{
    const struct xenoprof_status_page *status = kit_status();
    const struct xenoprof_counters *all = &status->counters;
    uint64_t made = 0, committed = 0;

    CHECK_EQ(all->due, all->made + all->missed);
    CHECK_EQ(all->made, all->committed + sum_of(all->lost));
    CHECK(all->idle <= all->missed);
    for ( uint32_t number = 0; number < status->rings; number++ )
    {
        const struct xenoprof_ring_page *ring = kit_ring_page(number);

        if ( !ring )
            continue;
        CHECK_EQ(ring->made, ring->committed + sum_of(ring->lost));
        made += ring->made;
        committed += ring->committed;
    }
    /* Rings that were released have taken their numbers along. */
    CHECK(made <= all->made);
    CHECK(committed <= all->committed);
}
