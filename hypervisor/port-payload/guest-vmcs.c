/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose control structure one of Intel's processors has loaded. */
#include "guest.h"

/* Where the access rights of SS have the guest's privilege level. */
#define SS_LEVEL 5

bool guest_is_nested(const struct xen_vcpu *vcpu,
                     const struct xen_domain *domain)
{
    if ( !(xen_u32(domain, facts.domain_options) & XEN_DOMAIN_NESTED) )
        return false;
    return facts.vcpu_guestmode == XENOPROF_FACT_ABSENT ||
           xen_u8(vcpu, facts.vcpu_guestmode);
}

/* Outside of VMX operation the processor takes none of its instructions.  A
 * pCPU that goes down, as at a reboot, leaves it with an HVM vCPU current, and
 * notes that before. */
static bool in_vmx_operation(void)
{
    uint64_t offset = xen_u64(xen_stack_end() - facts.cpu_info_per_cpu_offset,
                              0);

    return optional.per_cpu__vmxon &&
           xen_u8(optional.per_cpu__vmxon + offset, 0);
}

/* Xen loads others' meanwhile, and notes that after it was done; the processor
 * knows. */
bool guest_vmcs_is_loaded(const struct xen_vcpu *vcpu)
{
    uint64_t address;

    if ( facts.vcpu_vmcs_pa == XENOPROF_FACT_ABSENT || !in_vmx_operation() ||
         guest_is_nested(vcpu, xen_domain_of(vcpu)) )
        return false;
    address = xen_u64(vcpu, facts.vcpu_vmcs_pa);
    return address && address == guest_vmcs_pointer();
}

uint8_t guest_vmcs_loaded_mode(void)
{
    return (guest_vmcs_read(VMCS_SS_ACCESS) >> SS_LEVEL & 3) == 3
               ? XENOPROF_MODE_USER
               : XENOPROF_MODE_KERNEL;
}

bool guest_vmcs_mode(const struct xen_vcpu *vcpu, uint8_t *mode)
{
    if ( !guest_vmcs_is_loaded(vcpu) )
        return false;
    *mode = guest_vmcs_loaded_mode();
    return true;
}
