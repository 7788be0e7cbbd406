/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_GUEST_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_GUEST_H

#include "xen.h"

/*
 * AMD's control block of a vCPU, or NULL: not an HVM vCPU, not AMD, or its
 * address and machine address do not agree (a wrong fact must not become a
 * stray read in an NMI).  Fit for NMIs.
 */
const void *guest_vmcb(const struct xen_vcpu *vcpu);

/* Places in it, from AMD's manual. */
enum {
    VMCB_EXIT_CODE = 0x070,
    VMCB_NESTED_CR3 = 0x0b0,
    VMCB_CS = 0x410,
    VMCB_SS = 0x420,
    VMCB_CPL = 0x4cb,
    VMCB_EFER = 0x4d0,
    VMCB_CR4 = 0x548,
    VMCB_CR3 = 0x550,
    VMCB_CR0 = 0x558,
    VMCB_FLAGS = 0x570,
    VMCB_IP = 0x578,
    VMCB_SP = 0x5d8
};

enum { VMCB_EXIT_INTR = 0x60, VMCB_EXIT_NMI = 0x61 };

/*
 * Where the current guest is, from where Xen keeps it.  For AMD that is the
 * control block: the frame has the exit's values only some instructions
 * later.  False if there is no such place.
 */
bool guest_now(const struct xen_vcpu *vcpu, struct port_state *ret);

/*
 * Machine address of the root of a PV vCPU's own page tables, of its kernel or
 * of its user mode; 0: the facts do not say.  What is loaded may be another
 * one: Xen's shadow of it, while the guest migrates.
 */
uint64_t guest_pv_root(const struct xen_vcpu *vcpu, bool user);

/* A field of Intel's control structure, 0 if the processor has no such field.
 * Only while this vCPU's is loaded: on its exit path, and in softirqs that run
 * before it enters again. */
uint64_t guest_vmcs_read(uint64_t field);

/* Look up, once and not in an NMI, which vendor this is and where Xen idles. */
void guest_init(void);

/* This processor has Intel's virtualization, not AMD's. */
bool guest_is_vmx(void);

#endif
