/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the module can not do on this host.
 */
#include <xenoprof/door.h>

#include "guest.h"
#include "guest-memory.h"

/* No guests, no lack. */
static bool stacks_are_known(const char *guests, bool hvm)
{
    return !guests || guest_memory_known(hvm);
}

/* By the first letter Xen lets dom0 know of an NMI that nobody claims, ignores
 * it, or else stops. */
static bool stops_at_nmis(void)
{
    char word = optional.opt_nmi ? *optional.opt_nmi : 0;

    return word != 'd' && word != 'i';
}

uint32_t port_lacks(void)
{
    return (guest_exits_known() ? 0 : XENOPROF_LACK_EXITS) |
           (stacks_are_known(optional.pv_domain_initialise, false)
                ? 0
                : XENOPROF_LACK_PV_STACKS) |
           (stacks_are_known(optional.hvm_domain_initialise, true)
                ? 0
                : XENOPROF_LACK_HVM_STACKS) |
           (optional.ASSERT_NOT_IN_ATOMIC ? XENOPROF_LACK_FREES : 0) |
           (facts.domain_next == XENOPROF_FACT_ABSENT ? XENOPROF_LACK_WAITS
                                                      : 0) |
           (facts.vcpu_pause_flags == XENOPROF_FACT_ABSENT
                ? XENOPROF_LACK_REASONS
                : 0) |
           (guest_can_wait() ? 0 : XENOPROF_LACK_WAITING) |
           (stops_at_nmis() ? XENOPROF_LACK_SAFE_NMIS : 0) |
           (guest_is_vmx() && optional.hvm_domain_initialise &&
                    (facts.vcpu_vmcs_pa == XENOPROF_FACT_ABSENT ||
                     !optional.per_cpu__vmxon)
                ? XENOPROF_LACK_ENTRIES
                : 0);
}
