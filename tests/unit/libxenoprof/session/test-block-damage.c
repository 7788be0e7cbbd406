/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is lost of a file makes other things unknown, never wrong: a session is
 * read without each of its blocks, and what comes back is compared with what
 * was written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxenoprof/session/session-block.h"
#include "session-kit.h"

#define BLOCKS     40u
#define PER_BLOCK  6u
#define SAMPLES    (BLOCKS * PER_BLOCK)
#define CHAIN_MAX  5u
#define PLACES_MAX 4096u

/* A sample, by its time. */
static struct {
    struct xenoprof_stored sample;
    uint64_t chain[CHAIN_MAX]; /* addresses, leaf first */
    size_t count;
} wanted[SAMPLES];

/* What was read: places and stacks by number. */
static struct {
    uint64_t address;
    char symbol[16];
} places[PLACES_MAX];
static struct {
    uint32_t places[CHAIN_MAX];
    size_t count;
} stacks[PLACES_MAX];

/* The name of an address says which it is. */
static void name_of(uint64_t address, char ret[16])
{
    snprintf(ret, 16, "f_%llx", (unsigned long long)address);
}

static uint32_t put_place(struct session_kit *kit, uint16_t domain,
                          uint8_t mode, uint64_t address, bool named)
{
    char name[16];

    name_of(address, name);
    return kit_place(kit, domain, mode, address, named ? name : NULL);
}

static void put_sample(struct session_kit *kit, size_t at)
{
    struct xenoprof_stored *sample = &wanted[at].sample;
    uint32_t chain[CHAIN_MAX];
    uint8_t mode = (uint8_t)(random() % 3);

    *sample = (struct xenoprof_stored){
        .time = 1000 + at,
        .domain = (uint16_t)(1 + random() % 3 + at / 100),
        .vcpu = (uint16_t)(random() % 4),
        .pcpu = (uint16_t)(random() % 2),
        .mode = mode,
        .marks = random() % 3 ? 0 : XENOPROF_MARK_TRUNCATED,
        .period = 1000,
        .weight = 1,
        .type = (uint16_t)(random() % 2 * (random() % 4)),
        .count = 1000,
    };
    wanted[at].count = 1 + (size_t)random() % CHAIN_MAX;
    for ( size_t i = 0; i < wanted[at].count; i++ )
    {
        uint64_t address = 0x1000 + (uint64_t)random() % (16 + at / 4) * 16;

        wanted[at].chain[i] = address;
        chain[i] = put_place(kit, sample->domain, mode, address,
                             at > SAMPLES / 2 || random() % 2);
        if ( mode && i > 1 && random() % 2 )
            mode++;
        if ( mode > 2 )
            mode = 2;
    }
    KIT_OK(kit, xenoprof_writer_sample(kit->writer, sample, chain,
                                       wanted[at].count));
}

static struct session_kit *write_session(void)
{
    const uint8_t uuid[16] = {7};
    struct session_kit *kit = kit_create();

    srandom(7);
    for ( uint16_t i = XENOPROF_TYPE_EVENT; i < 4; i++ )
        KIT_OK(kit, xenoprof_writer_type(
                        kit->writer, i,
                        &(struct xenoprof_type){.name = i % 2 ? "b" : "a",
                                                .unit = "events"}));
    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 1, 1, uuid, "web", "passive"));
    for ( size_t at = 0; at < SAMPLES; at++ )
    {
        struct xenoprof_ring_info ring = kit_ring(1 + at % 3, at);

        put_sample(kit, at);
        KIT_OK(kit, xenoprof_writer_ring(kit->writer, &ring, at, 0, 0));
        KIT_OK(kit, xenoprof_writer_idle(kit->writer, at, at % 2, at * 7));
        if ( at % PER_BLOCK == PER_BLOCK - 1 )
            KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    }
    KIT_OK(kit, xenoprof_writer_close(kit->writer, SAMPLES));
    return kit;
}

static void check_place(uint32_t number, uint64_t address)
{
    char name[16];

    name_of(address, name);
    if ( !number )
        return;
    CHECK_EQ(places[number].address, address);
    if ( places[number].symbol[0] )
        CHECK_TEXT(places[number].symbol, name);
}

static void check_sample(const struct xenoprof_stored *got)
{
    size_t at = (size_t)got->time - 1000;

    CHECK(at < SAMPLES);
    CHECK_EQ(got->domain, wanted[at].sample.domain);
    CHECK_EQ(got->vcpu, wanted[at].sample.vcpu);
    CHECK_EQ(got->pcpu, wanted[at].sample.pcpu);
    CHECK_EQ(got->mode, wanted[at].sample.mode);
    CHECK_EQ(got->marks, wanted[at].sample.marks);
    CHECK_EQ(got->type, wanted[at].sample.type);
    CHECK_EQ(got->count, 1000);
    check_place(got->place, wanted[at].chain[0]);
    /* What is unknown ends a chain. */
    for ( size_t i = 0; got->stack && i < stacks[got->stack].count; i++ )
    {
        if ( !stacks[got->stack].places[i] )
            break;
        check_place(stacks[got->stack].places[i], wanted[at].chain[i]);
    }
}

static void check_item(const struct xenoprof_item *item)
{
    switch ( item->kind )
    {
    case XENOPROF_ITEM_PLACE:
        CHECK(item->u.place.number < PLACES_MAX);
        places[item->u.place.number].address = item->u.place.place.address;
        snprintf(places[item->u.place.number].symbol, 16, "%s",
                 item->u.place.place.symbol ? item->u.place.place.symbol : "");
        break;
    case XENOPROF_ITEM_STACK:
        CHECK(item->u.stack.number < PLACES_MAX);
        CHECK(item->u.stack.count <= CHAIN_MAX);
        stacks[item->u.stack.number].count = item->u.stack.count;
        memcpy(stacks[item->u.stack.number].places, item->u.stack.places,
               item->u.stack.count * sizeof(uint32_t));
        break;
    case XENOPROF_ITEM_SAMPLE: check_sample(&item->u.sample); break;
    case XENOPROF_ITEM_RING:
        CHECK_EQ(item->u.ring.read, item->u.ring.info.position);
        CHECK_EQ(item->u.ring.read % 3, item->u.ring.info.ring - 1);
        break;
    case XENOPROF_ITEM_IDLE:
        CHECK_EQ(item->u.idle.idle, item->time * 7);
        CHECK_EQ(item->time % 2, item->u.idle.pcpu);
        break;
    default: break;
    }
}

/* Returns how many samples could be read. */
static size_t check_session(struct session_kit *kit)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    enum xenoprof_status status;
    size_t samples = 0;

    memset(places, 0, sizeof(places));
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    while ( (status = xenoprof_session_next(session, &item)) != XENOPROF_END )
    {
        CHECK(!status || status == XENOPROF_DAMAGED);
        if ( status )
            continue;
        check_item(&item);
        samples += item.kind == XENOPROF_ITEM_SAMPLE;
    }
    xenoprof_session_close(session);
    return samples;
}

static size_t block_size(const uint8_t *at)
{
    struct session_block_header header;

    memcpy(&header, at, sizeof(header));
    CHECK(session_block_sound(&header));
    return sizeof(header) + (size_t)session_block_size(&header);
}

TEST(without_any_of_its_blocks_a_session_says_nothing_wrong)
{
    struct session_kit *kit = write_session();
    size_t size, at = sizeof(struct session_file_header);
    uint8_t *bytes = kit_bytes(kit_file(kit, 0), &size);
    uint8_t *less = malloc(size);

    CHECK_EQ(check_session(kit), SAMPLES);
    for ( unsigned int block = 0; block <= BLOCKS; block++ )
    {
        size_t length = block_size(bytes + at), samples;

        memcpy(less, bytes, at);
        memcpy(less + at, bytes + at + length, size - at - length);
        kit_put_bytes(kit_file(kit, 0), less, size - length);
        samples = check_session(kit);
        /* No other sample: an absolute block comes.  The closing one, which is
         * such a one, has none. */
        CHECK_EQ(samples, SAMPLES - (block < BLOCKS ? PER_BLOCK : 0));
        at += length;
    }
    CHECK_EQ(at, size);
    free(bytes);
    free(less);
    kit_destroy(kit);
}

/* Also of two, one of which says how far its rings are after the other. */
TEST(without_two_of_its_blocks_neither)
{
    struct session_kit *kit = write_session();
    size_t size, starts[BLOCKS + 1] = {sizeof(struct session_file_header)};
    uint8_t *bytes = kit_bytes(kit_file(kit, 0), &size);
    uint8_t *less = malloc(size);

    for ( unsigned int block = 0; block < BLOCKS; block++ )
        starts[block + 1] = starts[block] + block_size(bytes + starts[block]);
    for ( unsigned int i = 0; i < BLOCKS; i++ )
    {
        unsigned int first = (unsigned int)random() % (BLOCKS - 1);
        unsigned int second = first + 1 +
                              (unsigned int)random() % (BLOCKS - 1 - first);
        size_t used = starts[first];

        memcpy(less, bytes, used);
        memcpy(less + used, bytes + starts[first + 1],
               starts[second] - starts[first + 1]);
        used += starts[second] - starts[first + 1];
        memcpy(less + used, bytes + starts[second + 1],
               size - starts[second + 1]);
        used += size - starts[second + 1];
        kit_put_bytes(kit_file(kit, 0), less, used);
        check_session(kit);
    }
    free(bytes);
    free(less);
    kit_destroy(kit);
}
