/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which guest this pCPU works for, and where that guest is.
 */
#include "guest.h"
#include "idle.h"

#define VMX_EXTERNAL_INTERRUPT 1u
#define PV_FIRST_APIC_VECTOR   0xf0u

static bool vmx;

/* Where an AMD guest's run ends: the instruction after STGI, or 0. */
static uintptr_t amd_exit;

bool guest_is_vmx(void)
{
    return vmx;
}

/* A hypervisor without svm_asm_do_resume() runs no such guest on AMD. */
bool guest_exits_known(void)
{
    return vmx || amd_exit || !optional.svm_asm_do_resume;
}

const void *guest_vmcb(const struct xen_vcpu *vcpu)
{
    uintptr_t block, machine;

    if ( vmx || facts.vcpu_vmcb == XENOPROF_FACT_ABSENT ||
         !xen_is_hvm(xen_domain_of(vcpu)) )
        return NULL;
    block = xen_u64(vcpu, facts.vcpu_vmcb);
    machine = xen_u64(vcpu, facts.vcpu_vmcb_pa);
    if ( block & 0xfff || !xen_mapped((const void *)block) ||
         block - XEN_DIRECTMAP_START != machine )
        return NULL;
    return (const void *)block;
}

void port_current(struct port_vcpu *ret)
{
    const struct xen_vcpu *vcpu = xen_current();

    ret->idle = vcpu == idle_vcpu[port_pcpu()];
    ret->vcpu = xen_u32(vcpu, facts.vcpu_vcpu_id);
    ret->domain = xen_u16(xen_domain_of(vcpu), facts.domain_domain_id);
}

const uint8_t *port_current_uuid(void)
{
    return (const uint8_t *)xen_domain_of(xen_current()) + facts.domain_handle;
}

uint32_t port_current_marks(void)
{
    const struct xen_vcpu *vcpu = xen_current();
    const struct xen_domain *domain = xen_domain_of(vcpu);
    uint32_t marks = 0;

    if ( vcpu == idle_vcpu[port_pcpu()] )
        return XENOPROF_MARK_UNKNOWN;
    if ( xen_u8(domain, facts.domain_is_dying) )
        marks |= XENOPROF_MARK_DYING;
    if ( xen_pointer(vcpu, facts.vcpu_vm_event) )
        marks |= XENOPROF_MARK_EVENT;
    if ( facts.domain_is_shutting_down != XENOPROF_FACT_ABSENT &&
         xen_u8(domain, facts.domain_is_shutting_down) )
        marks |= XENOPROF_MARK_DYING;
    if ( xen_is_hvm(domain) )
    {
        if ( guest_is_nested(vcpu, domain) )
            marks |= XENOPROF_MARK_NESTED;
        if ( !vmx && !guest_vmcb(vcpu) )
            marks |= XENOPROF_MARK_UNKNOWN;
    }
    return marks;
}

static uint8_t pv_mode(const struct xen_vcpu *vcpu, uint16_t cs)
{
    if ( (cs & 3) == 1 ) /* a 32-bit kernel has ring 1 to itself */
        return XENOPROF_MODE_KERNEL;
    return xen_u64(vcpu, facts.vcpu_flags) & XEN_VCPU_KERNEL_MODE
               ? XENOPROF_MODE_KERNEL
               : XENOPROF_MODE_USER;
}

static void state_of_frame(const struct port_frame *frame,
                           struct port_state *ret)
{
    ret->ip = xen_u64(frame, FRAME_IP);
    ret->sp = xen_u64(frame, FRAME_SP);
    ret->flags = xen_u64(frame, FRAME_FLAGS);
    ret->cs = xen_u16(frame, FRAME_CS);
    ret->ss = xen_u16(frame, FRAME_SS);
    ret->hvm = 0;
}

static void state_of_vmcb(const void *vmcb, struct port_state *ret)
{
    ret->ip = xen_u64(vmcb, VMCB_IP);
    ret->sp = xen_u64(vmcb, VMCB_SP);
    ret->flags = xen_u64(vmcb, VMCB_FLAGS);
    ret->cs = xen_u16(vmcb, VMCB_CS);
    ret->ss = xen_u16(vmcb, VMCB_SS);
    ret->mode = xen_u8(vmcb, VMCB_CPL) == 3 ? XENOPROF_MODE_USER
                                            : XENOPROF_MODE_KERNEL;
    ret->hvm = 1;
}

/* While another VMCS is loaded the address shows the mode of 64-bit guests
 * whose kernels have the upper half. */
static uint8_t vmx_mode(const struct xen_vcpu *vcpu, uint64_t ip)
{
    uint8_t mode;

    if ( guest_vmcs_mode(vcpu, &mode) )
        return mode;
    return ip >> 63 ? XENOPROF_MODE_KERNEL : XENOPROF_MODE_USER;
}

bool guest_now(const struct xen_vcpu *vcpu, struct port_state *ret)
{
    const void *vmcb;

    if ( !xen_is_hvm(xen_domain_of(vcpu)) )
    {
        state_of_frame(xen_guest_frame(), ret);
        ret->mode = pv_mode(vcpu, ret->cs);
        return true;
    }
    if ( vmx )
    {
        state_of_frame(xen_guest_frame(), ret);
        ret->hvm = 1;
        ret->mode = vmx_mode(vcpu, ret->ip);
        return true;
    }
    vmcb = guest_vmcb(vcpu);
    if ( !vmcb )
        return false;
    state_of_vmcb(vmcb, ret);
    return true;
}

bool guest_in_frame(const struct xen_vcpu *vcpu, const struct port_frame *frame,
                    struct port_state *ret)
{
    const void *vmcb = guest_vmcb(vcpu);

    if ( vmcb )
        state_of_vmcb(vmcb, ret);
    else if ( vmx || !xen_is_hvm(xen_domain_of(vcpu)) )
        state_of_frame(frame, ret);
    else
        return false;
    ret->ip = xen_u64(frame, FRAME_IP);
    ret->sp = xen_u64(frame, FRAME_SP);
    ret->flags = xen_u64(frame, FRAME_FLAGS);
    ret->hvm = xen_is_hvm(xen_domain_of(vcpu));
    if ( !ret->hvm )
        ret->mode = pv_mode(vcpu, ret->cs);
    else if ( !vmcb )
        ret->mode = vmx_mode(vcpu, ret->ip);
    return true;
}

/* AMD: an NMI while the guest runs ends the run, and is then taken as an NMI in
 * Xen at the first instruction that allows it, after STGI. */
static bool at_amd_exit(const struct xen_vcpu *vcpu, uint64_t ip)
{
    const void *vmcb;

    if ( !amd_exit || ip != amd_exit )
        return false;
    vmcb = guest_vmcb(vcpu);
    return vmcb && xen_u64(vmcb, VMCB_EXIT_CODE) == VMCB_EXIT_NMI;
}

void guest_init(void)
{
    static const uint8_t stgi[] = {0x0f, 0x01, 0xdc};
    const char *after = optional.svm_stgi_label;
    uint32_t leaf = 0, b, c, d;

    asm volatile("cpuid" : "+a"(leaf), "=b"(b), "=c"(c), "=d"(d));
    vmx = b == 0x756e6547; /* "Genu" */
    amd_exit = after && !memcmp(after - sizeof(stgi), stgi, sizeof(stgi))
                   ? (uintptr_t)after
                   : 0;
}

static bool on_xen_stack(uint64_t sp)
{
    uint64_t end = (uintptr_t)xen_stack_end();

    return sp <= end && end - sp <= XEN_STACK_SIZE;
}

void port_interrupted(const struct port_frame *frame, struct port_state *ret)
{
    const struct xen_vcpu *vcpu = xen_current();
    bool was_guest = frame == xen_guest_frame() ||
                     xen_u16(frame, FRAME_CS) != XEN_CODE_SELECTOR;

    state_of_frame(frame, ret);
    ret->mode = XENOPROF_MODE_XEN;
    if ( vcpu == idle_vcpu[port_pcpu()] )
    {
        if ( idle_has(ret->ip) )
            ret->mode = XENOPROF_MODE_IDLE;
        return;
    }
    if ( was_guest && !xen_is_hvm(xen_domain_of(vcpu)) )
        ret->mode = pv_mode(vcpu, ret->cs);
    else if ( was_guest && vmx )
    {
        ret->hvm = 1;
        ret->mode = guest_vmcs_loaded_mode();
    }
    else if ( at_amd_exit(vcpu, ret->ip) )
        guest_now(vcpu, ret);
    else if ( !on_xen_stack(ret->sp) )
        ret->sp = 0; /* the guest's: the first instructions of a syscall */
}

struct entry_code guest_entry_code(void)
{
    struct entry_code code = {
        .start = (uintptr_t)optional._stextentry,
        .end = (uintptr_t)optional._etextentry,
    };

    if ( optional.restore_all_guest && !optional.compat_restore_all_guest )
    {
        code.exit_start = (uintptr_t)optional.restore_all_guest;
        code.exit_end = (uintptr_t)optional.lstar_enter;
    }
    return code;
}

static bool words_are_whole(const struct port_frame *frame)
{
    struct entry_code code = guest_entry_code();
    uint64_t words = (uintptr_t)xen_guest_frame() + FRAME_IP;
    uint64_t stack = (uintptr_t)xen_stack_end() - XEN_MAIN_STACK_SIZE;

    return entry_words_are_whole(&code, xen_u64(frame, FRAME_IP),
                                 xen_u64(frame, FRAME_SP), stack, words);
}

bool guest_frame_is_of(const struct xen_vcpu *vcpu)
{
    uint64_t offset = xen_u64(xen_stack_end() - facts.cpu_info_per_cpu_offset,
                              0);

    return xen_pointer(per_cpu__curr_vcpu + offset, 0) == vcpu;
}

bool port_guest_state(const struct port_frame *frame, struct port_state *ret)
{
    const struct xen_vcpu *vcpu = xen_current();

    if ( vcpu == idle_vcpu[port_pcpu()] || !guest_frame_is_of(vcpu) )
        return false;
    if ( frame && !words_are_whole(frame) )
        return false;
    return guest_now(vcpu, ret);
}

/* Returns the root of the loaded page tables, without flags: for a current PV
 * vCPU its own tables, or Xen's shadow of them. */
static uint64_t loaded_tables(void)
{
    uint64_t cr3;

    asm volatile("mov %%cr3, %0" : "=r"(cr3));
    return cr3 & 0x000ffffffffff000ul;
}

bool guest_pv_root_known(void)
{
    return facts.vcpu_guest_table != XENOPROF_FACT_ABSENT &&
           facts.vcpu_guest_table_user != XENOPROF_FACT_ABSENT;
}

/* A 32-bit guest has one set of tables, below a top level that belongs to
 * Xen. */
uint64_t guest_pv_root(const struct xen_vcpu *vcpu, bool user)
{
    uint64_t root;

    if ( !guest_pv_root_known() )
        return 0;
    root = xen_u64(vcpu, facts.vcpu_guest_table);
    if ( user && xen_u64(vcpu, facts.vcpu_guest_table_user) )
        root = xen_u64(vcpu, facts.vcpu_guest_table_user);
    return root << 12;
}

void guest_registers(const struct xen_vcpu *vcpu,
                     const struct port_frame *frame,
                     const struct port_state *guest,
                     struct xenoprof_registers *ret)
{
    const uint64_t *at = (const uint64_t *)frame;
    const void *vmcb;

    ret->rax = at[GUEST_RAX];
    ret->rdx = at[GUEST_RDX];
    ret->rcx = at[GUEST_RCX];
    ret->rbx = at[GUEST_RBX];
    ret->rsi = at[GUEST_RSI];
    ret->rdi = at[GUEST_RDI];
    ret->rbp = at[GUEST_RBP];
    ret->rsp = guest->sp;
    ret->r8 = at[GUEST_R8];
    ret->r9 = at[GUEST_R9];
    ret->r10 = at[GUEST_R10];
    ret->r11 = at[GUEST_R11];
    ret->r12 = at[GUEST_R12];
    ret->r13 = at[GUEST_R13];
    ret->r14 = at[GUEST_R14];
    ret->r15 = at[GUEST_R15];
    ret->cr3 = 0;
    if ( !guest->hvm )
        ret->cr3 = guest_pv_root(vcpu, guest->mode == XENOPROF_MODE_USER);
    else if ( (vmcb = guest_vmcb(vcpu)) )
        ret->cr3 = xen_u64(vmcb, VMCB_CR3);
    else if ( vmx && facts.vcpu_guest_cr != XENOPROF_FACT_ABSENT )
        ret->cr3 = xen_u64(vcpu, facts.vcpu_guest_cr + 24);
}

void port_guest_registers(const struct port_state *guest,
                          struct xenoprof_registers *ret)
{
    guest_registers(xen_current(), xen_guest_frame(), guest, ret);
    if ( !guest->hvm && !ret->cr3 )
        ret->cr3 = loaded_tables();
}

/*
 * Returns whether the guest was left because of an interrupt of the local APIC:
 * then the tick interrupted the guest.  If the guest was left for anything
 * else, Xen was at work for it when the timer ran out.
 */
static bool left_by_interrupt(const struct xen_vcpu *vcpu)
{
    const void *vmcb = guest_vmcb(vcpu);
    uint32_t vector;

    if ( vmcb )
        return xen_u64(vmcb, VMCB_EXIT_CODE) == VMCB_EXIT_INTR;
    if ( xen_is_hvm(xen_domain_of(vcpu)) )
        return vmx && (guest_vmcs_read(VMCS_EXIT_REASON) & VMCS_REASON_MASK) ==
                          VMX_EXTERNAL_INTERRUPT;
    vector = xen_u32(xen_guest_frame(), FRAME_VECTOR);
    return vector >= PV_FIRST_APIC_VECTOR && vector <= 0xff;
}

void port_ticked(struct port_state *ret)
{
    const struct xen_vcpu *vcpu = xen_current();

    memset(ret, 0, sizeof(*ret));
    ret->mode = XENOPROF_MODE_XEN;
    if ( vcpu == idle_vcpu[port_pcpu()] )
        ret->mode = XENOPROF_MODE_IDLE;
    else if ( left_by_interrupt(vcpu) )
        guest_now(vcpu, ret);
}
