/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a vCPU, PV or with hardware support, as Xen's tools save it. */
#include <errno.h>

#include <xenctrl.h>

#include <xen/hvm/save.h>

#include "vcpu-kernel.h"

/* Addresses of a 64-bit kernel have it set. */
#define KERNEL_HALF (1ull << 63)

/* A PV kernel has said where it wants to be entered, which is its code wherever
 * the vCPU is, and Xen keeps the kernel's tables apart from a process's. */
static int find_pv(xc_interface *xc, uint16_t domain, uint32_t vcpu,
                   struct vcpu_kernel *ret)
{
    vcpu_guest_context_any_t context;
    unsigned int width;

    if ( xc_domain_get_guest_width(xc, domain, &width) ||
         xc_vcpu_getcontext(xc, domain, vcpu, &context) )
        return -errno;
    if ( width != 8 )
        return -EINVAL;
    ret->ip = context.x64.syscall_callback_eip;
    ret->cr3 = context.x64.ctrlreg[3];
    return ret->ip & KERNEL_HALF ? 0 : -EAGAIN;
}

/* While a process runs its tables may lack the kernel. */
static int find_hardware(xc_interface *xc, uint16_t domain, uint32_t vcpu,
                         struct vcpu_kernel *ret)
{
    struct hvm_hw_cpu state;

    if ( xc_domain_hvm_getcontext_partial(xc, domain, HVM_SAVE_CODE(CPU),
                                          (uint16_t)vcpu, &state,
                                          sizeof(state)) )
        return -errno;
    ret->ip = state.rip;
    ret->cr3 = state.cr3;
    return ret->ip & KERNEL_HALF ? 0 : -EAGAIN;
}

int vcpu_kernel_find(struct xc_interface_core *xc,
                     const struct listed_domain *domain, uint32_t vcpu,
                     struct vcpu_kernel *ret)
{
    return domain->hardware ? find_hardware(xc, domain->id, vcpu, ret)
                            : find_pv(xc, domain->id, vcpu, ret);
}
