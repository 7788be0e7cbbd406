/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must be known of a guest's page tables.
 */
#include "tests/harness.h"
#include "hypervisor/port-payload/guest-memory.h"
#include "hypervisor/port-payload/guest.h"

static struct xenoprof_facts now;
extern const struct xenoprof_facts facts __attribute__((alias("now")));
unsigned long max_page;

static bool root_is_known = true;

bool guest_pv_root_known(void)
{
    return root_is_known;
}

uint64_t guest_pv_root(const struct xen_vcpu *vcpu, bool user)
{
    (void)vcpu;
    return user;
}

/* Of an HVM guest's: no matter here. */
const void *guest_vmcb(const struct xen_vcpu *vcpu)
{
    (void)vcpu;
    return NULL;
}

bool guest_is_vmx(void)
{
    return false;
}

TEST(facts_that_guests_of_a_kind_need)
{
    CHECK(guest_tables_known(false));
    CHECK(guest_tables_known(true));
    root_is_known = false;
    now.vcpu_guest_cr = XENOPROF_FACT_ABSENT; /* Intel's */
    CHECK(!guest_tables_known(false));
    CHECK(guest_tables_known(true));
    now.p2m_phys_table = XENOPROF_FACT_ABSENT;
    CHECK(!guest_tables_known(true));
}
