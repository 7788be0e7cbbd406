/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the current guest entered Xen.
 *
 * Never from rax: it has the number of a hypercall only until the result is
 * there, and a process's own number if the guest's processes make system calls.
 * What a hypercall does is seen on Xen's stack.
 */
#include "guest.h"

#define PV_SYSCALL 0x100u /* beyond all vectors */

/* Bits of a nested page fault's information: what the access was, and whether
 * it was one to the guest's tables. */
#define NPF_BITS 0x30000001full

#define IOIO_IN   1u
#define IOIO_PORT 0xffff0000u

static uint32_t guest_ecx(void)
{
    return xen_u32(xen_guest_frame(), GUEST_RCX * sizeof(uint64_t));
}

/* Xen was interrupted between the guest and where the vector is in its place:
 * its code says what will be noted.  Returns whether it is known. */
static bool early_vector(const struct entry_code *code, uint64_t ip,
                         uint32_t *vector)
{
    const uint8_t *at = (const uint8_t *)(uintptr_t)ip;

    if ( ip < code->start + ENTRY_NOTE_BYTES || ip >= code->end ||
         code->end - ip < ENTRY_NOTE_BYTES )
        return false;
    return entry_notes_vector(at, vector) || entry_has_noted_vector(at);
}

/* Exceptions have all their words on Xen's stack at once; a system call comes
 * with the guest's stack pointer, and pushes them.  Code of exceptions' own
 * stacks says nothing. */
static bool is_new_syscall(uint64_t sp, uint64_t words)
{
    uint64_t end = (uintptr_t)xen_stack_end();

    return sp > words || sp < end - XEN_STACK_SIZE;
}

/* Xen was interrupted there.  Returns whether the vector is known. */
static bool interrupted_vector(const struct port_frame *frame,
                               const struct port_frame *guest, uint32_t *vector)
{
    const struct entry_code code = guest_entry_code();
    uint64_t ip = xen_u64(frame, FRAME_IP), sp = xen_u64(frame, FRAME_SP);
    uint64_t words = (uintptr_t)guest + FRAME_IP;
    bool leaves = entry_is_exit(&code, ip);

    if ( is_new_syscall(sp, words) )
    {
        *vector = PV_SYSCALL;
        return !leaves;
    }
    if ( sp < (uintptr_t)xen_stack_end() - XEN_MAIN_STACK_SIZE )
        return false;
    /* A system call has become the kernel's by then, as a hypercall was. */
    if ( leaves )
        return *vector != PV_SYSCALL;
    return entry_vector_is_whole(sp, (uintptr_t)guest) ||
           early_vector(&code, ip, vector);
}

static bool pv_entry(const struct port_frame *frame,
                     const struct xen_vcpu *vcpu, struct xenoprof_entry *ret)
{
    const struct port_frame *guest = xen_guest_frame();
    uint32_t vector = xen_u32(guest, FRAME_VECTOR);

    if ( !guest_frame_is_of(vcpu) ||
         (frame && !interrupted_vector(frame, guest, &vector)) )
        return false;
    ret->kind = XENOPROF_ENTRY_PV;
    ret->code = vector & 0xffff;
    if ( ret->code == PV_SYSCALL &&
         !(xen_u64(vcpu, facts.vcpu_flags) & XEN_VCPU_KERNEL_MODE) )
        ret->flags |= XENOPROF_ENTRY_USER;
    return true;
}

/* The second of the two information words is an address where a guest faults;
 * it is not looked at. */
static uint64_t svm_detail(uint32_t code, uint64_t info)
{
    switch ( code )
    {
    case VMCB_EXIT_IOIO:
        return (info & IOIO_PORT) | (info & IOIO_IN ? XENOPROF_ENTRY_IN : 0);
    case VMCB_EXIT_MSR:
        return guest_ecx() | (info & 1 ? XENOPROF_ENTRY_WRITE : 0);
    case VMCB_EXIT_NPF: return info & NPF_BITS;
    default: return 0;
    }
}

static bool svm_entry(const void *vmcb, struct xenoprof_entry *ret)
{
    ret->kind = XENOPROF_ENTRY_SVM;
    ret->code = xen_u32(vmcb, VMCB_EXIT_CODE);
    ret->detail = svm_detail(ret->code, xen_u64(vmcb, VMCB_EXIT_INFO));
    /* Only the profiler sends NMIs often.  A sample of the guest itself, whose
     * run one ended, has no entry: this is what handling it costs. */
    if ( ret->code == VMCB_EXIT_NMI )
        ret->flags |= XENOPROF_ENTRY_PROFILER;
    return true;
}

/* What Intel's qualification says of an access that the second tables do not
 * allow: the access, what they allow, and whether it was one to the guest's
 * own tables. */
#define EPT_BITS 0x1bfull

#define QUALIFIED_IN   (1u << 3)
#define INTERRUPTION   (1u << 31) /* there was one, of this type: */
#define INTERRUPT_TYPE 0x700u
#define TYPE_NMI       0x200u

static uint64_t vmx_detail(uint32_t reason)
{
    uint64_t qualification;

    switch ( reason )
    {
    case VMCS_REASON_IO:
        qualification = guest_vmcs_read(VMCS_EXIT_QUALIFICATION);
        return (qualification & IOIO_PORT) |
               (qualification & QUALIFIED_IN ? XENOPROF_ENTRY_IN : 0);
    case VMCS_REASON_MSR_READ: return guest_ecx();
    case VMCS_REASON_MSR_WRITE: return guest_ecx() | XENOPROF_ENTRY_WRITE;
    case VMCS_REASON_EPT:
        return guest_vmcs_read(VMCS_EXIT_QUALIFICATION) & EPT_BITS;
    default: return 0;
    }
}

static bool left_by_nmi(uint32_t reason)
{
    uint32_t what = reason == VMCS_REASON_EXCEPTION
                        ? (uint32_t)guest_vmcs_read(VMCS_EXIT_INTERRUPTION)
                        : 0;

    return what & INTERRUPTION && (what & INTERRUPT_TYPE) == TYPE_NMI;
}

static bool vmx_entry(const struct xen_vcpu *vcpu, struct xenoprof_entry *ret)
{
    if ( !guest_vmcs_is_loaded(vcpu) )
        return false;
    ret->kind = XENOPROF_ENTRY_VMX;
    ret->code = guest_vmcs_read(VMCS_EXIT_REASON) & VMCS_REASON_MASK;
    ret->detail = vmx_detail(ret->code);
    if ( left_by_nmi(ret->code) )
        ret->flags |= XENOPROF_ENTRY_PROFILER;
    return true;
}

bool port_guest_entry(const struct port_frame *frame, bool has_guest,
                      struct xenoprof_entry *ret)
{
    const struct xen_vcpu *vcpu = xen_current();
    const void *vmcb;

    *ret = (struct xenoprof_entry){.kind = XENOPROF_ENTRY_NONE};
    if ( !xen_is_hvm(xen_domain_of(vcpu)) )
        return pv_entry(frame, vcpu, ret);
    if ( guest_is_vmx() )
        return has_guest && vmx_entry(vcpu, ret);
    vmcb = has_guest ? guest_vmcb(vcpu) : NULL;
    return vmcb && svm_entry(vmcb, ret);
}
