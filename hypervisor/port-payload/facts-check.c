/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of the facts, from those that others build on to the rest.
 */
#include "payload.h"

#define STRUCT_LIMIT 8192u /* no structure of Xen that we read is larger */

static const char *header_is_wrong(void)
{
    const uint32_t *values = &facts.count + 1;

    if ( facts.magic != XENOPROF_FACTS_MAGIC ||
         facts.version != XENOPROF_FACTS_VERSION )
        return "version";
    if ( facts.size != sizeof(facts) || facts.count != XENOPROF_FACT_COUNT )
        return "count";
    for ( unsigned int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        if ( values[i] >= STRUCT_LIMIT && values[i] != XENOPROF_FACT_ABSENT )
            return "range";
    return NULL;
}

/* The core keeps arrays for PORT_PCPUS_MAX of them.  Xen may be built for more
 * since Xen commit 996576b965 ("xen: allow up to 16383 cpus") (4.19). */
static const char *too_many_pcpus(void)
{
    return nr_cpu_ids > PORT_PCPUS_MAX ? "nr_cpu_ids" : NULL;
}

/* With AMD's virtualization. */
static bool runs_on_amd(void)
{
    return optional.svm_asm_do_resume;
}

/* Facts that no check below uses must at least be present. */
static const char *absent_fact(void)
{
    const uint32_t *values = &facts.count + 1;

    for ( unsigned int i = 0; i < XENOPROF_FACT_COUNT; i++ )
    {
        static const struct {
            unsigned char needed;
            char name[31];
        } list[] = {
#define SAMPLING                              1
#define AMD                                   2
#define STACKS                                0
#define PV                                    0
#define HVM                                   0
#define WAITS                                 0
#define VMX                                   0
#define XENOPROF_FACT(name, need, path, what) {need, #name},
#include <xenoprof/facts.def>
#undef XENOPROF_FACT
#undef SAMPLING
#undef AMD
#undef STACKS
#undef PV
#undef HVM
#undef WAITS
#undef VMX
        };
        bool needed = list[i].needed == 2 ? runs_on_amd() : list[i].needed;

        if ( needed && values[i] == XENOPROF_FACT_ABSENT )
            return list[i].name;
    }
    return NULL;
}

/*
 * Where entries from a guest begin to push, by the processor's own TSS: the end
 * of the guest's frame.  With FRED Xen fills it in all the same.  The TSS lies
 * behind a table of eight addresses, this word behind the TSS's first four
 * bytes.
 */
#define TSS_ENTRY_STACK (8 * 8 + 4)

static bool frame_ends_elsewhere(unsigned int pcpu, const char *end)
{
    const char *tss = optional.per_cpu__tss_page;
    uint64_t entry;

    if ( !tss )
        return false;
    memcpy(&entry, tss + __per_cpu_offset[pcpu] + TSS_ENTRY_STACK,
           sizeof(entry));
    return entry != (uintptr_t)end - facts.cpu_info_regs + FRAME_END;
}

/* Checked for every pCPU: the zeroes of the first one prove little. */
static const char *pcpu_is_wrong(unsigned int pcpu)
{
    const char *end = (const char *)stack_base[pcpu] + XEN_STACK_SIZE;

    if ( frame_ends_elsewhere(pcpu, end) )
        return "cpu_info_regs";
    if ( xen_u32(end - facts.cpu_info_processor_id, 0) != pcpu )
        return "cpu_info_processor_id";
    if ( xen_u64(end - facts.cpu_info_per_cpu_offset, 0) !=
         __per_cpu_offset[pcpu] )
        return "cpu_info_per_cpu_offset";
    return NULL;
}

static const char *pcpus_are_wrong(void)
{
    const char *wrong = NULL;

    for ( unsigned int i = 0; !wrong && i < nr_cpu_ids; i++ )
        if ( port_pcpu_online(i) )
            wrong = pcpu_is_wrong(i);
    return wrong;
}

/* What may lie between a guest's frame and the pCPU's number: selectors, or
 * what FRED saves since Xen commit cb29eed2da ("x86/traps: Extend struct
 * cpu_user_regs/cpu_info with FRED fields") (4.21). */
#define AFTER_FRAME_MAX 64u

static const char *cpu_info_is_wrong(void)
{
    const char *end = xen_stack_end();
    unsigned int pcpu, after;

    if ( facts.cpu_info_regs < FRAME_END || facts.cpu_info_regs > 1024 ||
         facts.cpu_info_regs & 7 )
        return "cpu_info_regs";
    after = facts.cpu_info_regs - FRAME_END;
    if ( facts.cpu_info_processor_id > after )
        return "cpu_info_processor_id";
    pcpu = xen_u32(end - facts.cpu_info_processor_id, 0);
    if ( pcpu >= nr_cpu_ids ||
         (const char *)stack_base[pcpu] + XEN_STACK_SIZE != end )
        return "cpu_info_processor_id";
    if ( after - facts.cpu_info_processor_id >= AFTER_FRAME_MAX )
        return "cpu_info_regs";
    if ( facts.cpu_info_current_vcpu >= facts.cpu_info_regs ||
         xen_current() != idle_vcpu[pcpu] )
        return "cpu_info_current_vcpu";
    if ( facts.cpu_info_per_cpu_offset >= facts.cpu_info_regs )
        return "cpu_info_per_cpu_offset";
    return NULL;
}

/* The idle vCPU of this pCPU has the pCPU's number, a known domain, and no
 * control block. */
static const char *idle_is_wrong(void)
{
    const struct xen_vcpu *idle = xen_current();
    const struct xen_domain *domain;

    if ( !xen_mapped(idle) )
        return "cpu_info_current_vcpu";
    if ( xen_u32(idle, facts.vcpu_vcpu_id) !=
         xen_u32(xen_stack_end() - facts.cpu_info_processor_id, 0) )
        return "vcpu_vcpu_id";
    domain = xen_domain_of(idle);
    if ( !xen_mapped(domain) )
        return "vcpu_domain";
    if ( xen_u16(domain, facts.domain_domain_id) != XEN_DOMID_IDLE )
        return "domain_domain_id";
    if ( xen_pointer(idle, facts.vcpu_vm_event) )
        return "vcpu_vm_event";
    return NULL;
}

/* People may give dom0 any uuid, but no uuid looks like an address of Xen. */
static bool uuid_is_plausible(const struct xen_domain *domain)
{
    return xen_u64(domain, facts.domain_handle) >> 48 != 0xffff;
}

/* dom0 is alive, and its first vCPU belongs to it. */
static const char *dom0_is_wrong(void)
{
    const struct xen_domain *domain = hardware_domain;
    const void *vcpus, *vcpu0;
    uint32_t count;

    if ( !xen_mapped(domain) )
        return "hardware_domain";
    if ( xen_u16(domain, facts.domain_domain_id) >= 0x7ff0 )
        return "domain_domain_id";
    count = xen_u32(domain, facts.domain_max_vcpus);
    if ( !count || count > 8192 )
        return "domain_max_vcpus";
    vcpus = xen_pointer(domain, facts.domain_vcpu);
    if ( !xen_mapped(vcpus) )
        return "domain_vcpu";
    vcpu0 = xen_pointer(vcpus, 0);
    if ( !xen_mapped(vcpu0) || xen_u32(vcpu0, facts.vcpu_vcpu_id) ||
         xen_domain_of(vcpu0) != domain )
        return "domain_vcpu";
    if ( count > 1 && xen_mapped(xen_pointer(vcpus, 8)) &&
         xen_u32(xen_pointer(vcpus, 8), facts.vcpu_vcpu_id) != 1 )
        return "vcpu_vcpu_id";
    if ( xen_u32(domain, facts.domain_is_dying) & 0xff )
        return "domain_is_dying";
    if ( xen_u32(domain, facts.domain_options) > 0xffff )
        return "domain_options";
    if ( !uuid_is_plausible(domain) )
        return "domain_handle";
    if ( xen_u64(vcpu0, facts.vcpu_flags) >> 16 )
        return "vcpu_flags";
    if ( xen_pointer(vcpu0, facts.vcpu_vm_event) &&
         !xen_mapped(xen_pointer(vcpu0, facts.vcpu_vm_event)) )
        return "vcpu_vm_event";
    return NULL;
}

/* Every pCPU stands still: the list of domains is in order, of numbers that
 * domains may have. */
static const char *list_is_wrong(void)
{
    const struct xen_domain *domain = domain_list;
    const struct xen_vcpu *vcpu0;
    uint32_t before = 0;

    if ( facts.vcpu_pause_flags != XENOPROF_FACT_ABSENT )
    {
        vcpu0 = xen_pointer(xen_pointer(hardware_domain, facts.domain_vcpu), 0);
        if ( xen_u32(vcpu0, facts.vcpu_pause_flags) >> 16 )
            return "vcpu_pause_flags";
    }
    if ( facts.domain_next == XENOPROF_FACT_ABSENT )
        return NULL;
    while ( domain )
    {
        uint32_t number;

        if ( !xen_mapped(domain) )
            return "domain_next";
        number = xen_u16(domain, facts.domain_domain_id) + 1;
        if ( number <= before || number > 0x7ff0 )
            return "domain_next";
        before = number;
        domain = xen_pointer(domain, facts.domain_next);
    }
    return NULL;
}

/* Compressed frame numbers, by whichever rule, make Xen's tables shorter.  Xen
 * commit c5c45bcbd6 ("pdx: introduce a new compression algorithm based on
 * region offsets") (4.21) has added a rule, and pdx-compress=no. */
static const char compressed[] = "max_pdx";

static const char *frames_are_compressed(void)
{
    return max_pdx != max_page ? compressed : NULL;
}

const char *host_check(void)
{
    const char *wrong = too_many_pcpus();

    return wrong ? wrong : frames_are_compressed();
}

const char *facts_remedy(const char *wrong)
{
    return wrong == compressed
               ? ": Xen leaves holes of this host's memory out of its tables; "
                 "from 4.21 on, pdx-compress=no turns that off"
               : "";
}

/* struct domain is a page of Xen's heap, which its entry in the frame table
 * must show. */
static const char *pages_are_wrong(void)
{
    uintptr_t frame = ((uintptr_t)hardware_domain - XEN_DIRECTMAP_START) >> 12;
    const char *page;

    if ( facts.page_size != 32 )
        return "page_size";
    if ( facts.page_count_info > facts.page_size - 8 )
        return "page_count_info";
    page = (const char *)XEN_FRAME_TABLE + frame * facts.page_size;
    if ( !(xen_u64(page, facts.page_count_info) & 1ul << XEN_PAGE_XEN_HEAP) )
        return "page_count_info";
    return NULL;
}

/* Each vCPU's control block is checked when it is used (guest.c); here only
 * that both fields lie in one small structure.  They are not neighbours since
 * Xen commit fb01f69edb ("x86/svm: Merge vmcb.h into svm-types.h") (4.22). */
#define CONTROL_BLOCK_MAX 64u

static const char *control_block_is_wrong(void)
{
    if ( !runs_on_amd() )
        return NULL;
    if ( facts.vcpu_vmcb & 7 || facts.vcpu_vmcb > 4000 )
        return "vcpu_vmcb";
    if ( facts.vcpu_vmcb_pa & 7 || facts.vcpu_vmcb_pa <= facts.vcpu_vmcb ||
         facts.vcpu_vmcb_pa - facts.vcpu_vmcb >= CONTROL_BLOCK_MAX )
        return "vcpu_vmcb_pa";
    return NULL;
}

/* Which control structure is loaded is compared with it at each use. */
static const char *control_structure_is_wrong(void)
{
    return facts.vcpu_vmcs_pa != XENOPROF_FACT_ABSENT &&
                   (facts.vcpu_vmcs_pa & 7 || facts.vcpu_vmcs_pa > 4000)
               ? "vcpu_vmcs_pa"
               : NULL;
}

const char *facts_check(void)
{
    static const char *(*const checks[])(void) = {
        header_is_wrong,
        host_check,
        absent_fact,
        cpu_info_is_wrong,
        pcpus_are_wrong,
        idle_is_wrong,
        dom0_is_wrong,
        list_is_wrong,
        pages_are_wrong,
        control_block_is_wrong,
        control_structure_is_wrong,
    };

    for ( unsigned int i = 0; i < sizeof(checks) / sizeof(*checks); i++ )
    {
        const char *wrong = checks[i]();

        if ( wrong )
            return wrong;
    }
    return NULL;
}
