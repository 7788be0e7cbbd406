/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checks that need no running hypervisor. */
#include "hypervisor/port-payload/payload.h"
#include "tests/harness.h"

static struct xenoprof_facts now;
extern const struct xenoprof_facts facts __attribute__((alias("now")));

struct xen_vcpu *idle_vcpu[1];
struct xen_domain *hardware_domain;
unsigned int nr_cpu_ids;
unsigned long max_page, max_pdx, __per_cpu_offset[1];
void *stack_base[1];

bool port_pcpu_online(unsigned int pcpu)
{
    (void)pcpu;
    return false;
}

static void begin(void)
{
    uint32_t *values = &now.count + 1;

    now.magic = XENOPROF_FACTS_MAGIC;
    now.version = XENOPROF_FACTS_VERSION;
    now.size = sizeof(now);
    now.count = XENOPROF_FACT_COUNT;
    for ( unsigned int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        values[i] = 8;
    nr_cpu_ids = 4;
}

TEST(facts_of_another_list_are_refused)
{
    begin();
    now.count--;
    CHECK_TEXT(facts_check(), "count");
    begin();
    now.version++;
    CHECK_TEXT(facts_check(), "version");
}

/* The core's arrays are for so many. */
TEST(facts_of_too_many_pcpus_are_refused)
{
    begin();
    nr_cpu_ids = PORT_PCPUS_MAX + 1;
    CHECK_TEXT(facts_check(), "nr_cpu_ids");
    /* The next check, of what is wrong here. */
    nr_cpu_ids = PORT_PCPUS_MAX;
    CHECK_TEXT(facts_check(), "regs_rip");
}

TEST(facts_that_are_needed_are_there)
{
    begin();
    now.regs_rip = XENOPROF_FACT_ABSENT;
    CHECK_TEXT(facts_check(), "regs_rip");
    begin();
    now.domain_handle = XENOPROF_FACT_ABSENT;
    CHECK_TEXT(facts_check(), "domain_handle");
}
