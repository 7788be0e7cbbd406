/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "core-kit.h"

#define VCPU_RING(domain, vcpu) kit_ring_of(XENOPROF_RING_VCPU, domain, vcpu)
#define PCPU_RING(pcpu)         kit_ring_of(XENOPROF_RING_PCPU, 0, pcpu)

static const uint8_t other_uuid[16] = {0xaa, 0xbb};
#define OTHER_UUID "aabb0000000000000000000000000000"

static struct kit_read read;

static void begin(void)
{
    memset(&read, 0, sizeof(read));
    kit_session(2);
    process_set_current(0, 0, 0);
    process_set_current(1, 5, 1);
}

static void run(uint64_t milliseconds)
{
    process_run_until(process_now() + milliseconds * KIT_MILLISECOND);
}

static void end(void)
{
    kit_done("stop");
    kit_check_sums();
    kit_done("reset");
    CHECK_EQ(process_host()->allocated, 0);
    CHECK_EQ(process_host()->shared, 0);
}

TEST(domain_has_a_ring_for_each_vcpu)
{
    const struct xenoprof_ring_page *ring;

    begin();
    ring = VCPU_RING(5, 1);
    CHECK(ring);
    CHECK_EQ(ring->domain, 5);
    CHECK_EQ(ring->vcpu, 1);
    CHECK_EQ(ring->uuid[0], 5);
    CHECK_EQ(ring->uuid[15], 5);
    CHECK(VCPU_RING(5, 0));
    CHECK(!VCPU_RING(5, 2));
    CHECK(!VCPU_RING(6, 0));
    kit_refused(17, "domain 5 is already profiled",
                "domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
    kit_done("reset");
}

TEST(domain_may_come_while_it_runs)
{
    uint32_t changes;

    begin();
    process_set_current(1, 6, 0);
    kit_done("start");
    run(300);
    CHECK(PCPU_RING(1)->committed > 20);
    changes = kit_status()->changes;
    kit_done("domain id=6 vcpus=1 uuid=" KIT_UUID_6 " kind=active");
    CHECK(kit_status()->changes > changes);
    run(300);
    CHECK(VCPU_RING(6, 0)->committed > 20);
    end();
}

TEST(domain_that_is_forgotten)
{
    const struct xenoprof_ring_page *ring;
    uint64_t producer;
    char line[64];

    begin();
    kit_done("start");
    run(300);
    ring = VCPU_RING(5, 1);
    kit_done("forget id=5");
    CHECK_EQ(ring->state, XENOPROF_RING_CLOSED);
    CHECK_EQ(VCPU_RING(5, 0)->state, XENOPROF_RING_CLOSED);
    producer = ring->producer;
    run(300);
    CHECK_EQ(ring->producer, producer);
    CHECK(PCPU_RING(1)->committed > 20);
    kit_refused(2, "domain 5 is not profiled", "forget id=5");
    /* A closed ring can still be read, and then it goes. */
    kit_drain(ring, true, &read);
    CHECK_EQ(read.samples, ring->committed);
    snprintf(line, sizeof(line), "release ring=%u", ring->ring);
    kit_done(line);
    CHECK(!VCPU_RING(5, 1));
    kit_refused(2, "there is no ring 5", "release ring=5");
    end();
}

TEST(ring_in_use_is_not_released)
{
    begin();
    kit_refused(16, "ring 0 is in use; forget its domain first",
                "release ring=0");
    kit_refused(16, "ring 2 is in use; forget its domain first",
                "release ring=2");
    kit_refused(2, "there is no ring 17", "release ring=17");
    kit_done("reset");
}

TEST(number_of_a_released_ring_is_used_again)
{
    const struct xenoprof_ring_page *ring;
    uint32_t generation, number;

    begin();
    kit_done("start");
    run(300);
    ring = VCPU_RING(5, 0);
    number = ring->ring;
    generation = ring->generation;
    *kit_consumer(number) = 999;
    kit_done("forget id=5");
    CHECK_EQ(kit_command("release ring=%u", number), 0);
    kit_done("domain id=6 vcpus=1 uuid=" KIT_UUID_6 " kind=passive");
    ring = VCPU_RING(6, 0);
    CHECK_EQ(ring->ring, number);
    CHECK(ring->generation > generation);
    CHECK_EQ(*kit_consumer(number), 0);
    process_set_current(1, 6, 0);
    run(300);
    CHECK(ring->committed > 20);
    kit_drain(ring, true, &read);
    CHECK_EQ(read.samples, ring->committed);
    end();
}

TEST(domain_reboots_under_its_number)
{
    const struct xenoprof_ring_page *old;
    uint64_t made;

    begin();
    kit_done("start");
    run(300);
    old = VCPU_RING(5, 1);
    made = old->made;
    process_set_uuid(5, other_uuid);
    run(300);
    CHECK_EQ(old->made, made);
    CHECK_EQ(old->state, XENOPROF_RING_CLOSED);
    /* The daemon asks for the new domain before it has seen the old one go. */
    kit_done("domain id=5 vcpus=2 uuid=" OTHER_UUID " kind=passive");
    run(300);
    CHECK_EQ(old->made, made);
    for ( uint32_t number = 0; number < kit_status()->rings; number++ )
    {
        const struct xenoprof_ring_page *ring = kit_ring_page(number);

        if ( ring && ring->domain == 5 && ring->vcpu == 1 &&
             ring->kind == XENOPROF_RING_VCPU && ring != old )
        {
            CHECK_EQ(ring->uuid[0], 0xaa);
            CHECK(ring->committed > 10);
        }
    }
    CHECK_EQ(kit_command("release ring=%u", old->ring), 0);
    end();
}

TEST(domain_reboots_and_nobody_ran_in_between)
{
    begin();
    process_set_uuid(5, other_uuid);
    kit_done("domain id=5 vcpus=1 uuid=" OTHER_UUID " kind=passive");
    kit_done("forget id=5");
    kit_refused(2, "domain 5 is not profiled", "forget id=5");
    kit_done("reset");
}

TEST(wrong_uuid_from_the_start)
{
    begin();
    kit_done("domain id=6 vcpus=1 uuid=" OTHER_UUID " kind=passive");
    process_set_current(1, 6, 0);
    kit_done("start");
    run(300);
    CHECK_EQ(VCPU_RING(6, 0)->made, 0);
    CHECK_EQ(VCPU_RING(6, 0)->state, XENOPROF_RING_CLOSED);
    end();
}

TEST(vcpus_beyond_the_ceiling_use_their_pcpus_ring)
{
    process_reset(2);
    kit_done("reserve sampler=nmi frequency=100 mask=3 pages=256 queue=0 "
             "lease=0 budget=0");
    kit_done("domain id=5 vcpus=128 uuid=" KIT_UUID_5 " kind=passive");
    /* 63 rings fit, two of them are the pCPUs'. */
    CHECK_EQ(kit_status()->rings, 63);
    CHECK(strstr(process_host()->log,
                 "domain 5: 67 of 128 vCPUs use their pCPU's ring"));
    process_set_current(0, 5, 60);
    process_set_current(1, 5, 61);
    kit_done("start");
    run(300);
    CHECK(VCPU_RING(5, 60)->committed > 20);
    CHECK(!VCPU_RING(5, 61));
    CHECK(PCPU_RING(1)->committed > 20);
    kit_drain(PCPU_RING(1), true, &read);
    CHECK_EQ(read.last.sample.vcpu, 61);
    CHECK_EQ(read.last.sample.marks, 0);
    end();
}

TEST(domain_without_memory)
{
    for ( int pieces = 0; pieces < 12; pieces++ )
    {
        int error;

        begin();
        process_host()->memory_left = pieces;
        error = kit_command("domain id=700 vcpus=2 uuid=" KIT_UUID_6
                            " kind=passive");
        process_host()->memory_left = -1;
        CHECK_EQ(error, pieces < 2 ? -12 : 0);
        process_set_current(1, 700, 1);
        process_set_uuid(700, kit_ring_of(XENOPROF_RING_VCPU, 5, 1)->uuid);
        kit_done("start");
        run(100);
        end();
    }
}

TEST(highest_domain_number)
{
    begin();
    process_set_current(1, 0x7fef, 0);
    kit_done("domain id=32751 vcpus=1 uuid=efefefefefefefefefefefefefefefef "
             "kind=passive");
    kit_done("start");
    run(300);
    CHECK(VCPU_RING(0x7fef, 0)->committed > 20);
    /* Numbers that only Xen uses are refused. */
    process_set_current(1, 0xfff0, 0);
    run(100);
    CHECK(PCPU_RING(1)->committed > 5);
    end();
}

TEST(a_thousand_vcpus)
{
    process_reset(2);
    kit_done("reserve sampler=nmi frequency=100 mask=3 pages=8 queue=0 "
             "lease=0 budget=0");
    for ( unsigned int id = 1; id <= 250; id++ )
        CHECK_EQ(
            kit_command("domain id=%u vcpus=4 uuid=%032x kind=passive", id, id),
            0);
    CHECK_EQ(kit_status()->rings, 1002);
    for ( unsigned int id = 1; id <= 250; id++ )
        CHECK(VCPU_RING(id, 3));
    for ( unsigned int id = 1; id <= 250; id += 2 )
        CHECK_EQ(kit_command("forget id=%u", id), 0);
    kit_done("reset");
    CHECK_EQ(process_host()->allocated, 0);
    CHECK_EQ(process_host()->shared, 0);
}

/* A vCPU that wanders, domains that come and go: the sums hold. */
TEST(domains_come_and_go_while_sampled)
{
    begin();
    kit_done("start");
    for ( unsigned int round = 0; round < 200; round++ )
    {
        unsigned int id = 6 + round % 5;

        uint8_t uuid[16] = {id};

        /* Every second time, another domain has the number than the named
         * one. */
        if ( round % 2 )
            uuid[15] = 1;
        process_set_uuid(id, uuid);
        CHECK_EQ(kit_command("domain id=%u vcpus=1 uuid=%02x%030x "
                             "kind=passive",
                             id, id, 0),
                 0);
        process_set_current(round % 2, id, 0);
        run(17);
        kit_drain_all(&read);
        /* The core may have noticed already that the domain is gone. */
        CHECK_EQ(kit_command("forget id=%u", id), round % 2 ? -2 : 0);
        for ( uint32_t number = 6; number < kit_status()->rings; number++ )
            if ( kit_ring_page(number) )
                CHECK_EQ(kit_command("release ring=%u", number), 0);
        process_set_current(round % 2, 5, round % 2);
        run(13);
    }
    kit_done("stop");
    kit_drain_all(&read);
    CHECK_EQ(read.samples, kit_status()->counters.committed);
    end();
}
