/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which page tables a PV guest's registers and windows belong to.
 */
#include "tests/harness.h"
#include "hypervisor/port-payload/guest-memory.h"
#include "hypervisor/port-payload/guest.h"

enum { TABLE = 16, TABLE_USER = 8, VCPU_BYTES = 32 };

#define PRESENT_FACTS                                                          \
    {                                                                          \
        .vcpu_guest_table = TABLE, .vcpu_guest_table_user = TABLE_USER         \
    }

static struct xenoprof_facts now = PRESENT_FACTS;
extern const struct xenoprof_facts facts __attribute__((alias("now")));
unsigned long max_page;

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

uint64_t guest_vmcs_read(uint64_t field)
{
    return field;
}

/* A vCPU with these frames as roots. */
static const struct xen_vcpu *vcpu_with(uint64_t kernel, uint64_t user)
{
    static uint64_t vcpu[VCPU_BYTES / 8];

    now = (struct xenoprof_facts)PRESENT_FACTS;
    vcpu[TABLE / 8] = kernel;
    vcpu[TABLE_USER / 8] = user;
    return (const struct xen_vcpu *)vcpu;
}

TEST(a_root_for_each_mode)
{
    const struct xen_vcpu *vcpu = vcpu_with(0x123456789, 0x987);

    CHECK_EQ(guest_pv_root(vcpu, false), 0x123456789000);
    CHECK_EQ(guest_pv_root(vcpu, true), 0x987000);
}

TEST(one_root_for_both)
{
    const struct xen_vcpu *vcpu = vcpu_with(0x77, 0);

    CHECK_EQ(guest_pv_root(vcpu, true), 0x77000);
}

TEST(facts_that_do_not_say)
{
    const struct xen_vcpu *vcpu = vcpu_with(1, 2);

    now.vcpu_guest_table = XENOPROF_FACT_ABSENT;
    CHECK_EQ(guest_pv_root(vcpu, false), 0);
    vcpu_with(1, 2);
    now.vcpu_guest_table_user = XENOPROF_FACT_ABSENT;
    CHECK_EQ(guest_pv_root(vcpu, true), 0);
}

TEST(facts_that_guests_of_a_kind_need)
{
    vcpu_with(1, 2);
    CHECK(guest_tables_known(false));
    CHECK(guest_tables_known(true));
    now.vcpu_guest_table = XENOPROF_FACT_ABSENT;
    now.vcpu_guest_cr = XENOPROF_FACT_ABSENT; /* Intel's */
    CHECK(!guest_tables_known(false));
    CHECK(guest_tables_known(true));
    now.p2m_phys_table = XENOPROF_FACT_ABSENT;
    CHECK(!guest_tables_known(true));
}
