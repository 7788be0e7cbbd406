/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the current guest entered Xen.
 *
 * Never from rax: it has the number of a hypercall only until the result is
 * there, and a process's own number if the guest's processes make system calls.
 * What a hypercall does is seen on Xen's stack.
 */
#include "entry-code.h"
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

static bool pv_entry(const struct port_frame *frame, bool user,
                     struct xenoprof_entry *ret)
{
    const struct port_frame *guest = xen_guest_frame();

    if ( frame &&
         !entry_vector_is_whole(xen_u64(frame, FRAME_SP), (uintptr_t)guest) )
        return false;
    ret->kind = XENOPROF_ENTRY_PV;
    ret->code = xen_u32(guest, FRAME_VECTOR) & 0xffff;
    if ( user && ret->code == PV_SYSCALL )
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

bool port_guest_entry(const struct port_frame *frame,
                      const struct port_state *guest,
                      struct xenoprof_entry *ret)
{
    const void *vmcb;

    *ret = (struct xenoprof_entry){.kind = XENOPROF_ENTRY_NONE};
    if ( !guest->hvm )
        return pv_entry(frame, guest->mode == XENOPROF_MODE_USER, ret);
    vmcb = guest_vmcb(xen_current());
    return vmcb && svm_entry(vmcb, ret);
}
