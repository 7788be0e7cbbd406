/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's list of domains, of a few bytes.
 */
#include <string.h>

#include "hypervisor/port-payload/xen.h"
#include "tests/harness.h"

enum { DOMAINS = 4, VCPUS = 3, BYTES = 64 };
enum { ID_AT = 0, COUNT_AT = 4, VCPUS_AT = 8, NEXT_AT = 16, UUID_AT = 24 };
enum { DYING_AT = 40 };
enum { VCPU_ID_AT = 0, FLAGS_AT = 8 };

struct xen_domain *domain_list;
struct xen_vcpu *idle_vcpu[2];

static uint8_t domains[DOMAINS][BYTES] __attribute__((aligned(8)));
static uint8_t vcpus[DOMAINS][VCPUS][BYTES] __attribute__((aligned(8)));
static void *arrays[DOMAINS][VCPUS];

static struct xenoprof_facts now;

unsigned int port_pcpu(void)
{
    return 1;
}

void vcpu_runstate_get(const struct xen_vcpu *vcpu, struct xen_runstate *ret)
{
    *ret = (struct xen_runstate){
        .state = XENOPROF_RUNNABLE,
        .since = 77,
        .times = {1, 2, 3, 1000 + xen_u32(vcpu, VCPU_ID_AT)},
    };
}

#define facts now
#include "hypervisor/port-payload/vcpu-list.c"

static void put(void *base, uint32_t offset, uint64_t value, size_t size)
{
    memcpy((char *)base + offset, &value, size);
}

/* Domains 0, 3, 6 and 9, with three vCPUs each. */
static void make(void)
{
    now = (struct xenoprof_facts){
        .domain_domain_id = ID_AT,
        .domain_max_vcpus = COUNT_AT,
        .domain_vcpu = VCPUS_AT,
        .domain_next = NEXT_AT,
        .domain_handle = UUID_AT,
        .domain_is_dying = DYING_AT,
        .vcpu_vcpu_id = VCPU_ID_AT,
        .vcpu_pause_flags = FLAGS_AT,
    };
    memset(domains, 0, sizeof(domains));
    for ( unsigned int i = 0; i < DOMAINS; i++ )
    {
        put(domains[i], ID_AT, 3 * i, 2);
        put(domains[i], COUNT_AT, VCPUS, 4);
        put(domains[i], VCPUS_AT, (uintptr_t)arrays[i], 8);
        put(domains[i], NEXT_AT,
            i + 1 < DOMAINS ? (uintptr_t)domains[i + 1] : 0, 8);
        put(domains[i], UUID_AT, i, 1);
        for ( unsigned int j = 0; j < VCPUS; j++ )
        {
            arrays[i][j] = vcpus[i][j];
            put(vcpus[i][j], VCPU_ID_AT, j, 4);
            put(vcpus[i][j], FLAGS_AT, j == 2 ? 0x104 : 0, 8);
        }
    }
    domain_list = (struct xen_domain *)domains[0];
}

static struct port_vcpus walk;
static struct xenoprof_wait found;

/* Returns how many a walk from there shows, and the first of them. */
static unsigned int count_from(uint16_t domain, uint32_t vcpu)
{
    struct xenoprof_wait next;
    unsigned int count = 0;

    found = (struct xenoprof_wait){.domain = 0};
    port_vcpus_from(&walk, domain, vcpu);
    for ( ; port_vcpus_next(&walk, &next); count++ )
        if ( !count )
            found = next;
    return count;
}

static void check_found(uint16_t domain, uint16_t vcpu)
{
    CHECK_EQ(found.domain, domain);
    CHECK_EQ(found.vcpu, vcpu);
}

TEST(all_vcpus_in_order)
{
    make();
    CHECK_EQ(count_from(0, 0), DOMAINS * VCPUS);
    check_found(0, 0);
    CHECK_EQ(count_from(3, 2), 7);
    check_found(3, 2);
    CHECK_EQ(found.state, XENOPROF_RUNNABLE);
    CHECK_EQ(found.reasons, XENOPROF_WAIT_DEVICE | XENOPROF_WAIT_CAPPED);
    CHECK_EQ(found.since, 77);
    CHECK_EQ(found.times[XENOPROF_OFFLINE], 1002);
    CHECK_EQ(found.uuid[0], 1);
}

/* The domain where a round ended may be gone, or have lost vCPUs. */
TEST(a_walk_from_a_vcpu_that_is_gone)
{
    make();
    CHECK_EQ(count_from(4, 2), 6);
    check_found(6, 0);
    CHECK_EQ(count_from(3, 3), 6);
    check_found(6, 0);
    CHECK_EQ(count_from(10, 0), 0);
}

/* A domain in the making has no array yet, or lacks vCPUs; one that dies is not
 * looked at. */
TEST(domains_that_come_and_go)
{
    make();
    put(domains[0], VCPUS_AT, 0, 8);
    arrays[1][0] = arrays[1][2] = NULL;
    put(domains[2], DYING_AT, 1, 1);
    CHECK_EQ(count_from(0, 0), 4);
    check_found(3, 1);
}

/* A wrong list ends the walk. */
TEST(a_list_that_is_not_in_order)
{
    make();
    put(domains[2], NEXT_AT, (uintptr_t)domains[1], 8);
    CHECK_EQ(count_from(0, 0), 9);
}

TEST(facts_that_were_not_found)
{
    make();
    now.vcpu_pause_flags = XENOPROF_FACT_ABSENT;
    CHECK_EQ(count_from(0, 0), DOMAINS * VCPUS);
    CHECK_EQ(found.reasons, XENOPROF_WAIT_UNKNOWN);
    now.domain_next = XENOPROF_FACT_ABSENT;
    CHECK_EQ(count_from(0, 0), 0);
}

/* Xen accounts for the idle vCPU of a pCPU as for any other. */
TEST(the_idle_time_of_this_pcpu)
{
    make();
    idle_vcpu[0] = (struct xen_vcpu *)vcpus[0][0];
    idle_vcpu[1] = (struct xen_vcpu *)vcpus[1][1];
    CHECK_EQ(port_idle_time(), 1);
}
