/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_GUEST_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_GUEST_H

#include "entry-code.h"
#include "xen.h"

/*
 * Returns AMD's control block of a vCPU, or NULL: the vCPU is not HVM, the host
 * is not AMD, or the block's address and machine address disagree (a wrong fact
 * must not become a stray read in an NMI). [nmi]
 */
const void *guest_vmcb(const struct xen_vcpu *vcpu);

/* Offsets in it, from AMD's manual. */
enum {
    VMCB_EXIT_CODE = 0x070,
    VMCB_EXIT_INFO = 0x078, /* the first of two: never an address */
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

enum {
    VMCB_EXIT_INTR = 0x60,
    VMCB_EXIT_NMI = 0x61,
    VMCB_EXIT_IOIO = 0x7b,
    VMCB_EXIT_MSR = 0x7c,
    VMCB_EXIT_NPF = 0x400
};

/* Fields of Intel's control structure, and what is in them, from Intel's
 * manual. */
enum {
    VMCS_EXIT_REASON = 0x4402,
    VMCS_EXIT_INTERRUPTION = 0x4404,
    VMCS_SS_ACCESS = 0x4818,
    VMCS_EXIT_QUALIFICATION = 0x6400
};

enum {
    VMCS_REASON_MASK = 0xffff,
    VMCS_REASON_EXCEPTION = 0, /* or an NMI */
    VMCS_REASON_IO = 30,
    VMCS_REASON_MSR_READ = 31,
    VMCS_REASON_MSR_WRITE = 32,
    VMCS_REASON_EPT = 48
};

/* The guest's registers, in the order in which Xen's entry code saves them;
 * each has 8 bytes of the frame. */
enum {
    GUEST_R15,
    GUEST_R14,
    GUEST_R13,
    GUEST_R12,
    GUEST_RBP,
    GUEST_RBX,
    GUEST_R11,
    GUEST_R10,
    GUEST_R9,
    GUEST_R8,
    GUEST_RAX,
    GUEST_RCX,
    GUEST_RDX,
    GUEST_RSI,
    GUEST_RDI
};

/*
 * Fills in where the current guest is, from where Xen keeps that.  For AMD it
 * is the control block: since Xen commit 3abe241190 ("SVM: introduce a VM entry
 * helper") (4.11) the frame gets the exit's values some instructions after
 * STGI.  Returns false without a control block. [nmi]
 */
bool guest_now(const struct xen_vcpu *vcpu, struct port_state *ret);

/* The same, of a vCPU whose registers are in this frame: the control block of
 * an HVM guest has its mode only.  Returns false without one on AMD's
 * processors. [soft] */
bool guest_in_frame(const struct xen_vcpu *vcpu, const struct port_frame *frame,
                    struct port_state *ret);
/* Fills in the general registers from that frame; guest is what goes with
 * it. */
void guest_registers(const struct xen_vcpu *vcpu,
                     const struct port_frame *frame,
                     const struct port_state *guest,
                     struct xenoprof_registers *ret);

/* Returns where Xen's entry code lies.  The exit code is known only without
 * that of 32-bit PV guests, which lies elsewhere. [nmi] */
struct entry_code guest_entry_code(void);

/* Returns whether the frame on this stack is the vCPU's: Xen switches PV vCPUs
 * lazily, and it may still be another's. [nmi] */
bool guest_frame_is_of(const struct xen_vcpu *vcpu);

/* Returns whether the facts say where a PV vCPU has its roots. */
bool guest_pv_root_known(void);

/*
 * Returns the machine address of the root of a PV vCPU's own page tables, for
 * its kernel or its user mode; 0 if the facts do not say.  The loaded root may
 * be another: Xen's shadow of it, while the guest migrates.
 */
uint64_t guest_pv_root(const struct xen_vcpu *vcpu, bool user);

/* Returns a field of Intel's control structure, or 0 if the processor lacks it.
 * Only while this vCPU's structure is loaded: on its exit path, and in softirqs
 * that run before it enters again. */
static inline uint64_t guest_vmcs_read(uint64_t field)
{
    uint64_t value = 0;

    asm volatile("vmread %1, %0" : "+rm"(value) : "r"(field) : "cc");
    return value;
}

/* Returns whether the vCPU's structure is the one that is loaded, and is about
 * the guest itself.  Only on Intel's processors. [nmi] */
bool guest_vmcs_is_loaded(const struct xen_vcpu *vcpu);
/* Returns the mode of the guest whose structure is loaded: of what an NMI has
 * just interrupted it is. [nmi] */
uint8_t guest_vmcs_loaded_mode(void);
/* Says in which mode the vCPU's guest is, if its structure is loaded.  Returns
 * false if another one is.  Only on Intel's processors. [nmi] */
bool guest_vmcs_mode(const struct xen_vcpu *vcpu, uint8_t *mode);

/* Returns the machine address of the control structure that is loaded, all ones
 * for none.  Only while an HVM vCPU is current on Intel's processors, in VMX
 * operation: others may not have that instruction. [nmi] */
static inline uint64_t guest_vmcs_pointer(void)
{
    uint64_t pointer = ~0ull;

    asm volatile("vmptrst %0" : "+m"(pointer) : : "cc");
    return pointer;
}

/* Returns whether it is, or may be, a guest of this guest that ran. [nmi] */
bool guest_is_nested(const struct xen_vcpu *vcpu,
                     const struct xen_domain *domain);

/* Finds out, once and not in an NMI, the vendor, where an AMD guest's run ends,
 * and where Xen idles. */
void guest_init(void);

/* Returns whether it is known where runs of the guests that this host can have
 * end. */
bool guest_exits_known(void);

/* Returns whether the facts show which vCPUs wait, and their registers
 * (waiter.c). */
bool guest_can_wait(void);

/* Returns whether the processor has Intel's virtualization, not AMD's. */
bool guest_is_vmx(void);

#endif
