/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host where anything may happen at any time, by a seed that is printed.
 * XENOPROF_SEED=N runs that seed, XENOPROF_ROUNDS=N runs so many seeds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core-kit.h"

#define PCPUS 5u
#define STEPS 400u
#define MAPS  8u

static uint64_t state;
static struct kit_read read;
static uint64_t mapped[MAPS];
static bool slot_is_safe;

static uint32_t any(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 20) % below;
}

static bool one_in(uint32_t count)
{
    return !any(count);
}

/* Commands, with values that are mostly right. */
static void do_reserve(void)
{
    static const unsigned int pages[] = {1, 1, 2, 4, 16, 3};
    static const unsigned int masks[] = {0, 1, 2, 3, 4, 8, 24, 27, 67, 91};

    kit_command("reserve sampler=%s frequency=%u mask=%u pages=%u queue=%u "
                "lease=%u budget=%u insist=%u window=%u user-window=%u",
                one_in(4) ? "timer" : "nmi", 1 + any(2000), masks[any(10)],
                pages[any(6)], one_in(3) ? 1 + any(16) : 0, any(3) * any(5),
                one_in(3) ? any(20) : 0, any(2), any(250) * 8, any(250) * 8);
}

static void do_domain(void)
{
    unsigned int id = any(8);
    unsigned int byte = one_in(6) ? any(256) : id;
    char uuid[33];

    for ( int i = 0; i < 16; i++ )
        sprintf(uuid + 2 * i, "%02x", byte);
    kit_command("domain id=%u vcpus=%u uuid=%s kind=%s", id, 1 + any(4), uuid,
                one_in(3) ? "active" : "passive");
    if ( one_in(2) )
        kit_command("link id=%u at=%u,%u", id, any(4) * 8, 8 + any(512) * 8);
}

/* Steps and bases that are mostly right. */
static void do_fetch(void)
{
    if ( one_in(4) )
        kit_command("fetch id=%u", any(8));
    else
        kit_command("fetch id=%u list=%u steps=0:%u:8:f,%u:%u:%u:s "
                    "bases=ffff888000000%03x,%x",
                    any(8), 1 + any(3), any(4096), any(3), any(4096),
                    8 + any(3) * 8, any(4096), any(2));
}

static void do_other_command(void)
{
    switch ( any(6) )
    {
    case 5: do_fetch(); break;
    case 0: kit_command("forget id=%u", any(8)); break;
    case 1: kit_command("release ring=%u", any(24)); break;
    case 2: kit_command("pcpus set=%u-%u", any(PCPUS), any(PCPUS + 1)); break;
    case 3: kit_command("reset"); break;
    case 4: kit_command("stop %u", any(9)); break;
    }
}

/* An NMI is late, but not so late that a session has come and gone. */
static void let_nmis_arrive(void)
{
    for ( unsigned int i = 0; i < PCPUS; i++ )
        process_pcpu(i)->hold_nmis = false;
    process_settle();
}

static void do_command(void)
{
    let_nmis_arrive();
    switch ( any(8) )
    {
    case 0:
    case 1: do_reserve(); break;
    case 2:
    case 3: do_domain(); break;
    case 4:
    case 5: kit_command("start"); break;
    case 6: kit_command("stop"); break;
    case 7: do_other_command(); break;
    }
}

/* Some pages are there now and then, and hold addresses of stacks. */
static const uint8_t *memory(unsigned int pcpu, uint64_t address)
{
    static uint64_t page[XENOPROF_PAGE_SIZE / sizeof(uint64_t)];

    (void)address;
    page[any(512)] = 0xffffc90000000000ul + any(0x10000);
    page[any(8)] = process_pcpu(pcpu)->frame.guest.sp;
    return one_in(3) ? NULL : (const uint8_t *)page;
}

/* What the host does. */
static void change_pcpu(void)
{
    unsigned int pcpu = any(PCPUS);
    struct process_pcpu *one = process_pcpu(pcpu);

    switch ( any(9) )
    {
    case 0:
    case 1: process_set_current(pcpu, any(8), any(4)); break;
    case 2: process_set_idle(pcpu); break;
    case 3: one->hold_softirqs = !one->hold_softirqs; break;
    case 4:
        one->drop_nmis = one_in(3);
        one->hold_nmis = one_in(3);
        break;
    case 5: one->marks = one_in(3) ? 1u << (1 + any(4)) : 0; break;
    case 6: one->frame.at.mode = any(XENOPROF_MODES); break;
    case 7: one->frame.complete = one_in(2) && !one->current.idle; break;
    case 8: one->frame.guest.sp = one->frame.at.sp += 8 * any(600); break;
    }
}

static void change_online(void)
{
    unsigned int pcpu = 1 + any(PCPUS - 1);

    if ( process_pcpu(pcpu)->online )
        process_set_offline(pcpu);
    else
        process_pcpu(pcpu)->online = true;
}

static void change_host(void)
{
    uint8_t uuid[16];

    switch ( any(5) )
    {
    case 0: change_online(); break;
    case 1:
        memset(uuid, any(256), sizeof(uuid));
        process_set_uuid(any(8), uuid);
        break;
    case 2: process_host()->call_cost = one_in(4) ? any(20000) : 0; break;
    case 3: process_host()->memory_left = one_in(3) ? (int)any(60) : -1; break;
    case 4:
        if ( !slot_is_safe && process_host()->slot != PORT_SLOT_OURS )
            process_host()->slot = one_in(3) ? PORT_SLOT_OTHERS
                                             : PORT_SLOT_FREE;
        else if ( !slot_is_safe )
            process_host()->slot = one_in(2) ? PORT_SLOT_OTHERS
                                             : PORT_SLOT_FREE;
        break;
    }
}

static bool can_be(const struct xenoprof_ring_page *ring)
{
    uint64_t consumer = *kit_consumer(ring->ring);

    return ring->producer - consumer <= ring->data_pages * XENOPROF_PAGE_SIZE &&
           !(consumer & 7);
}

/* What dom0 does. */
static void drain_some(void)
{
    for ( uint32_t number = 0; number < kit_status()->rings; number++ )
    {
        const struct xenoprof_ring_page *ring = kit_ring_page(number);

        if ( ring && one_in(2) && can_be(ring) )
            kit_drain(ring, true, &read);
    }
}

static void write_index(void)
{
    static const uint64_t far[] = {~0ul, 1, 4, 1ul << 63, 1ul << 20};
    const struct xenoprof_ring_page *ring = kit_ring_page(
        any(kit_status()->rings + 1));

    if ( ring )
        *kit_consumer(ring->ring) = ring->producer + far[any(5)] * 8 + 4;
}

static void map_something(void)
{
    const struct xenoprof_ring_page *ring = kit_ring_page(
        any(kit_status()->rings + 1));
    uint64_t mfn = ring ? ring->data_mfn[0] : kit_state().status_mfn;
    unsigned int slot = any(MAPS);

    if ( mapped[slot] )
        process_unmap(mapped[slot]);
    mapped[slot] = one_in(2) && process_map(mfn) ? mfn : 0;
}

static void do_as_dom0(void)
{
    if ( !kit_state().status_mfn )
        return;
    switch ( any(5) )
    {
    case 0:
    case 1: drain_some(); break;
    case 2: kit_beat(); break;
    case 3: map_something(); break;
    case 4:
        if ( one_in(8) )
            write_index();
        break;
    }
}

/* Checks rings' counters, at any time. */
static void check_rings(void)
{
    for ( uint32_t number = 0; number < kit_status()->rings; number++ )
    {
        const struct xenoprof_ring_page *ring = kit_ring_page(number);
        uint64_t lost = 0;

        for ( int cause = 0; ring && cause < XENOPROF_CAUSES; cause++ )
            lost += ring->lost[cause];
        if ( ring )
            CHECK_EQ(ring->made, ring->committed + lost);
    }
}

static void check(void)
{
    struct xenoprof_door_state door = kit_state();

    CHECK(door.state >= XENOPROF_STATE_LOADED &&
          door.state <= XENOPROF_STATE_STOPPED);
    CHECK_EQ(!door.status_mfn, door.state == XENOPROF_STATE_LOADED);
    if ( !door.status_mfn )
        return;
    CHECK(kit_status()->frequency >= 1);
    check_rings();
}

static void step(void)
{
    switch ( any(6) )
    {
    case 0: do_command(); break;
    case 1: change_pcpu(); break;
    case 2: change_host(); break;
    case 3: do_as_dom0(); break;
    default:
        process_run_until(process_now() + any(40) * KIT_MILLISECOND);
        if ( one_in(50) )
            process_pass(any(3000) * KIT_MILLISECOND);
        break;
    }
    check();
}

static void finish(void)
{
    enum xenoprof_state before = kit_state().state;

    process_host()->memory_left = -1;
    let_nmis_arrive();
    kit_command("stop");
    if ( before != XENOPROF_STATE_LOADED )
        kit_check_sums();
    kit_done("reset");
    for ( unsigned int i = 0; i < MAPS; i++ )
        if ( mapped[i] )
            process_unmap(mapped[i]);
    memset(mapped, 0, sizeof(mapped));
    kit_done("reset");
    CHECK_EQ(kit_state().awaited, 0);
    CHECK_EQ(process_host()->allocated, 0);
    CHECK_EQ(process_host()->shared, 0);
    CHECK_EQ(process_host()->hooked, 0);
    CHECK(process_host()->slot != PORT_SLOT_OURS);
    for ( unsigned int i = 0; i < PCPUS; i++ )
    {
        CHECK_EQ(process_pcpu(i)->timer, 0);
        /* Nothing of ours ever reached dom0. */
        if ( slot_is_safe )
            CHECK_EQ(process_pcpu(i)->nmis_passed, 0);
    }
}

static void round_of(uint64_t seed)
{
    state = seed * 0x9e3779b97f4a7c15ul + 1;
    memset(&read, 0, sizeof(read));
    memset(mapped, 0, sizeof(mapped));
    process_reset(PCPUS);
    process_host()->memory = memory;
    slot_is_safe = one_in(2);
    for ( unsigned int i = 0; i < STEPS; i++ )
        step();
    finish();
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text ? strtoul(text, NULL, 0) : otherwise;
}

TEST(anything_at_any_time)
{
    uint64_t only = from_environment("XENOPROF_SEED", 0);
    uint64_t rounds = from_environment("XENOPROF_ROUNDS", 300);

    if ( only )
    {
        round_of(only);
        return;
    }
    for ( uint64_t seed = 1; seed <= rounds; seed++ )
    {
        printf("# XENOPROF_SEED=%lu\n", seed);
        fflush(stdout);
        round_of(seed);
    }
}
