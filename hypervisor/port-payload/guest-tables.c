/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a guest's page tables are: for PV from Xen's structures, for
 * HVM and PVH from the processor's, with Xen's p2m below those only if the
 * processor uses it.
 */
#include "guest-memory.h"
#include "guest.h"
#include "payload-load.h"

#define CR0_PROTECTED 0x00000001ul
#define CR0_PAGING    0x80000000ul
#define CR4_PSE       0x00000010ul
#define CR4_PAE       0x00000020ul
#define CR4_LA57      0x00001000ul
#define EFER_LONG     0x00000400ul /* long mode is active */

#define VMCS_ENTRY_CONTROLS 0x4012ul
#define VMCS_ENTRY_LONG     0x00000200ul
#define VMCS_EPT_POINTER    0x201aul
#define VMCS_CR3            0x6802ul

#define ROOT_32    0x00000000fffff000ul
#define ROOT_PAE   0x00000000ffffffe0ul
#define ROOT_LONG  0x000ffffffffff000ul
#define CR3_OFFSET 24 /* from CR0, eight bytes each */
#define CR4_OFFSET 32

/* The registers that select how an HVM guest's addresses are translated. */
struct paging {
    uint64_t cr0, cr3, cr4;
    bool is_long;
    uint64_t second; /* root of the second level */
    enum page_format format;
};

static bool is_table_fact_known(uint32_t fact)
{
    return fact != XENOPROF_FACT_ABSENT;
}

bool guest_tables_known(bool hvm)
{
    if ( !hvm )
        return guest_pv_root_known();
    return is_table_fact_known(facts.domain_p2m) &&
           is_table_fact_known(facts.p2m_phys_table) &&
           is_table_fact_known(facts.p2m_max_mapped_pfn) &&
           (!guest_is_vmx() || is_table_fact_known(facts.vcpu_guest_cr));
}

static void paging_of_amd(const void *vmcb, struct paging *ret)
{
    ret->cr0 = xen_u64(vmcb, VMCB_CR0);
    ret->cr3 = xen_u64(vmcb, VMCB_CR3);
    ret->cr4 = xen_u64(vmcb, VMCB_CR4);
    ret->is_long = xen_u64(vmcb, VMCB_EFER) & EFER_LONG;
    ret->second = xen_u64(vmcb, VMCB_NESTED_CR3);
    ret->format = PAGE_FORMAT_NPT;
}

/* Xen keeps the guest's view of CR0, CR3 and CR4 since the last exit.  That CR3
 * agrees with the VMCS shows that the fact is right. */
static bool paging_of_intel(const struct xen_vcpu *vcpu, struct paging *ret)
{
    ret->cr0 = xen_u64(vcpu, facts.vcpu_guest_cr);
    ret->cr3 = xen_u64(vcpu, facts.vcpu_guest_cr + CR3_OFFSET);
    ret->cr4 = xen_u64(vcpu, facts.vcpu_guest_cr + CR4_OFFSET);
    ret->is_long = guest_vmcs_read(VMCS_ENTRY_CONTROLS) & VMCS_ENTRY_LONG;
    ret->second = guest_vmcs_read(VMCS_EPT_POINTER) & ROOT_LONG;
    ret->format = PAGE_FORMAT_EPT;
    return ret->cr3 == guest_vmcs_read(VMCS_CR3);
}

static bool paging_of(const struct xen_vcpu *vcpu, struct paging *ret)
{
    const void *vmcb = guest_vmcb(vcpu);

    if ( guest_is_vmx() )
        return vcpu == xen_current() && paging_of_intel(vcpu, ret);
    if ( vmcb )
        paging_of_amd(vmcb, ret);
    return vmcb;
}

static void choose_format(const struct paging *paging, struct page_walk *own)
{
    if ( !(paging->cr4 & CR4_PAE) )
    {
        own->format = PAGE_FORMAT_32;
        own->no_large = !(paging->cr4 & CR4_PSE);
        own->root = paging->cr3 & ROOT_32;
    }
    else if ( !paging->is_long )
    {
        own->format = PAGE_FORMAT_PAE;
        own->root = paging->cr3 & ROOT_PAE;
    }
    else
    {
        own->format = paging->cr4 & CR4_LA57 ? PAGE_FORMAT_LA57
                                             : PAGE_FORMAT_LONG;
        own->root = paging->cr3 & ROOT_LONG;
    }
}

/*
 * Finds the domain's p2m.  Returns whether it is the processor's second level.
 * It is not with shadow tables, in a nested guest, or with another view of the
 * p2m for this vCPU; nor if a fact is wrong, wherever that leads.
 */
static bool find_p2m(const struct paging *paging, struct guest_tables *ret)
{
    const char *p2m;
    uint64_t root;

    p2m = xen_pointer(ret->domain, facts.domain_p2m);
    if ( !xen_mapped(p2m) || (uintptr_t)p2m & 7 )
        return false;
    root = load_entry(p2m + facts.p2m_phys_table, 8);
    ret->last_frame = load_entry(p2m + facts.p2m_max_mapped_pfn, 8);
    ret->p2m.format = paging->format;
    ret->p2m.root = root << 12;
    return ret->last_frame && ret->p2m.root && ret->p2m.root == paging->second;
}

static bool hvm_tables(const struct xen_vcpu *vcpu, struct guest_tables *ret)
{
    struct paging paging;

    if ( !paging_of(vcpu, &paging) || !find_p2m(&paging, ret) ||
         !(paging.cr0 & CR0_PROTECTED) )
        return false;
    ret->second = true;
    ret->flat = !(paging.cr0 & CR0_PAGING);
    choose_format(&paging, &ret->own);
    return true;
}

bool guest_tables_of(const struct xen_vcpu *vcpu,
                     const struct port_state *guest, struct guest_tables *ret)
{
    ret->domain = xen_domain_of(vcpu);
    ret->own.user = guest->mode == XENOPROF_MODE_USER;
    if ( !guest_tables_known(xen_is_hvm(ret->domain)) )
        return false;
    if ( xen_is_hvm(ret->domain) )
        return hvm_tables(vcpu, ret);
    ret->second = ret->flat = false;
    ret->own.format = PAGE_FORMAT_LONG;
    ret->own.root = guest_pv_root(vcpu, ret->own.user);
    return ret->own.root;
}
