/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether an NMI interrupted an AMD guest or Xen, and which page tables belong
 * to a PV guest's registers and windows, in a hypervisor of a few pages.
 */
#include <string.h>

#include "hypervisor/port-payload/entry-code.h"
#include "hypervisor/port-payload/guest.h"
#include "hypervisor/port-payload/guest-memory.h"
#include "hypervisor/port-payload/idle.h"
#include "tests/harness.h"

enum { BYTES = 4096, FRAMES = 2, VCPU = 1 };
enum { DOMAIN_AT = 16, VMCB_AT = 24, VMCB_PA_AT = 40, EVENT_AT = 48 };
enum { TABLE_USER_AT = 0, TABLE_AT = 8 };
enum { OPTIONS_AT = 8, DYING_AT = 12 };

/* The direct map. */
static uint8_t direct_map[FRAMES][BYTES] __attribute__((aligned(4096)));
static uint8_t stacks[XEN_STACK_SIZE] __attribute__((aligned(32768)));
static uint64_t this_vcpu[8], this_domain[2], frame[32];

struct xen_vcpu *idle_vcpu[1];
char per_cpu__curr_vcpu[8];

static struct xenoprof_facts now = {
    .cpu_info_regs = 264,
    .cpu_info_per_cpu_offset = 48,
    .vcpu_domain = DOMAIN_AT,
    .vcpu_vmcb = VMCB_AT,
    .vcpu_vmcb_pa = VMCB_PA_AT,
    .vcpu_vm_event = EVENT_AT,
    .vcpu_guestmode = XENOPROF_FACT_ABSENT,
    .vcpu_guest_table = TABLE_AT,
    .vcpu_guest_table_user = TABLE_USER_AT,
    .domain_options = OPTIONS_AT,
    .domain_is_dying = DYING_AT,
    .domain_is_shutting_down = XENOPROF_FACT_ABSENT,
};
static struct xen_optional symbols;

unsigned int port_pcpu(void)
{
    return 0;
}

bool idle_has(uintptr_t ip)
{
    (void)ip;
    return false;
}

static bool is_known[2]; /* PV's memory, HVM's */

bool guest_memory_known(bool hvm)
{
    return is_known[hvm];
}

static bool waiters_are_hidden;

bool guest_can_wait(void)
{
    return !waiters_are_hidden;
}

static bool is_loaded;
static uint8_t mode_in_vmcs;

bool guest_is_nested(const struct xen_vcpu *vcpu,
                     const struct xen_domain *domain)
{
    (void)vcpu;
    (void)domain;
    return false;
}

uint8_t guest_vmcs_loaded_mode(void)
{
    return mode_in_vmcs;
}

bool guest_vmcs_mode(const struct xen_vcpu *vcpu, uint8_t *mode)
{
    CHECK(vcpu == (const struct xen_vcpu *)this_vcpu);
    if ( is_loaded )
        *mode = mode_in_vmcs;
    return is_loaded;
}

/* The code under test, in this direct_map and with these facts. */
#define facts            now
#define optional         symbols
#define xen_stack_end()  ((const char *)stacks + XEN_STACK_SIZE)
#define xen_current()    ((const struct xen_vcpu *)this_vcpu)
#define xen_domain_of(v) ((const struct xen_domain *)xen_pointer(v, DOMAIN_AT))
#define xen_guest_frame()                                                      \
    ((const struct port_frame *)(xen_stack_end() - now.cpu_info_regs))
#define xen_is_hvm(of) (xen_u32(of, OPTIONS_AT) & XEN_DOMAIN_HVM)
#define xen_mapped(at)                                                         \
    ((uintptr_t)(at) - (uintptr_t)direct_map < sizeof(direct_map))
#undef XEN_DIRECTMAP_START
#define XEN_DIRECTMAP_START ((uintptr_t)direct_map)
#include "hypervisor/port-payload/guest.c"
#include "hypervisor/port-payload/payload-lacks.c"

/* vmrun; stgi; call */
static const uint8_t code[] = {0x0f, 0x01, 0xd8, 0x0f, 0x01, 0xdc, 0xe8};
#define AFTER_VMRUN ((const char *)code + 3)
#define AFTER_STGI  ((const char *)code + 6)
#define GUEST_IP    0xffffffff81000010ul

static void put(void *base, uint32_t offset, uint64_t value, size_t size)
{
    memcpy((char *)base + offset, &value, size);
}

/* A PVH guest on AMD: why its run ended, and the label that Xen has. */
static void make(uint64_t exit_code, const char *label)
{
    symbols = (struct xen_optional){
        .svm_stgi_label = label,
        .svm_asm_do_resume = (const char *)code,
        .pv_domain_initialise = (const char *)code,
        .hvm_domain_initialise = (const char *)code,
        .opt_nmi = "dom0",
        .per_cpu__vmxon = (const char *)code,
    };
    put(this_vcpu, DOMAIN_AT, (uintptr_t)this_domain, 8);
    put(this_vcpu, VMCB_AT, (uintptr_t)direct_map[VCPU], 8);
    put(this_vcpu, VMCB_PA_AT, VCPU * BYTES, 8);
    put(this_domain, OPTIONS_AT, XEN_DOMAIN_HVM, 4);
    put(direct_map[VCPU], VMCB_EXIT_CODE, exit_code, 8);
    put(direct_map[VCPU], VMCB_IP, GUEST_IP, 8);
    guest_init();
    vmx = false;
    is_known[0] = is_known[1] = true;
}

/* An NMI in Xen there. */
static struct port_state interrupted(const char *ip)
{
    struct port_state state;

    put(frame, FRAME_IP, (uintptr_t)ip, 8);
    put(frame, FRAME_CS, XEN_CODE_SELECTOR, 2);
    put(frame, FRAME_SP, (uintptr_t)xen_stack_end() - 512, 8);
    port_interrupted((const struct port_frame *)frame, &state);
    return state;
}

TEST(an_nmi_that_ended_a_run_is_the_guests)
{
    struct port_state state;

    make(VMCB_EXIT_NMI, AFTER_STGI);
    CHECK(!port_lacks());
    state = interrupted(AFTER_STGI);
    CHECK_EQ(state.mode, XENOPROF_MODE_KERNEL);
    CHECK_EQ(state.ip, GUEST_IP);
    CHECK_EQ(state.hvm, 1);
    put(direct_map[VCPU], VMCB_CPL, 3, 1);
    CHECK_EQ(interrupted(AFTER_STGI).mode, XENOPROF_MODE_USER);
    put(direct_map[VCPU], VMCB_CPL, 0, 1);
}

/* One that waited since Xen had held it back, or that came later. */
TEST(another_nmi_is_xens)
{
    make(VMCB_EXIT_INTR, AFTER_STGI);
    CHECK_EQ(interrupted(AFTER_STGI).mode, XENOPROF_MODE_XEN);
    make(VMCB_EXIT_NMI, AFTER_STGI);
    CHECK_EQ(interrupted(AFTER_STGI + 1).mode, XENOPROF_MODE_XEN);
    CHECK_EQ(interrupted(AFTER_STGI + 1).ip, (uintptr_t)AFTER_STGI + 1);
}

/* The guest's time would be Xen's: the core must know before it samples. */
TEST(a_place_that_is_not_after_stgi_is_not_taken)
{
    make(VMCB_EXIT_NMI, NULL);
    CHECK_EQ(port_lacks(), XENOPROF_LACK_EXITS);
    make(VMCB_EXIT_NMI, AFTER_VMRUN);
    CHECK_EQ(port_lacks(), XENOPROF_LACK_EXITS);
    CHECK_EQ(interrupted(AFTER_VMRUN).mode, XENOPROF_MODE_XEN);
}

TEST(a_place_that_no_guest_of_this_host_has_need_not_be_known)
{
    make(VMCB_EXIT_NMI, NULL);
    vmx = true;
    CHECK(!port_lacks());
    vmx = false;
    symbols.svm_asm_do_resume = NULL;
    CHECK(!port_lacks());
}

/* Then nothing can be said of the guest, and that is said. */
TEST(a_control_block_that_is_elsewhere)
{
    make(VMCB_EXIT_NMI, AFTER_STGI);
    CHECK_EQ(port_current_marks(), 0);
    put(this_vcpu, VMCB_PA_AT, 0, 8);
    CHECK_EQ(interrupted(AFTER_STGI).mode, XENOPROF_MODE_XEN);
    CHECK_EQ(port_current_marks(), XENOPROF_MARK_UNKNOWN);
}

TEST(memory_that_facts_do_not_show)
{
    make(VMCB_EXIT_NMI, AFTER_STGI);
    is_known[0] = false;
    CHECK_EQ(port_lacks(), XENOPROF_LACK_PV_STACKS);
    is_known[1] = false;
    CHECK_EQ(port_lacks(), XENOPROF_LACK_PV_STACKS | XENOPROF_LACK_HVM_STACKS);
    symbols.hvm_domain_initialise = NULL;
    CHECK_EQ(port_lacks(), XENOPROF_LACK_PV_STACKS);
    symbols.pv_domain_initialise = NULL;
    CHECK_EQ(port_lacks(), 0);
}

TEST(a_debug_build)
{
    make(VMCB_EXIT_NMI, AFTER_STGI);
    symbols.ASSERT_NOT_IN_ATOMIC = (const char *)code;
    CHECK_EQ(port_lacks(), XENOPROF_LACK_FREES);
}

/* Also by a word that Xen does not know, and where there is none to be read. */
TEST(what_an_nmi_does_that_nobody_claims)
{
    make(VMCB_EXIT_NMI, AFTER_STGI);
    CHECK_EQ(port_lacks(), 0);
    symbols.opt_nmi = "ignore";
    CHECK_EQ(port_lacks(), 0);
    symbols.opt_nmi = "fatal";
    CHECK_EQ(port_lacks(), XENOPROF_LACK_SAFE_NMIS);
    symbols.opt_nmi = "";
    CHECK_EQ(port_lacks(), XENOPROF_LACK_SAFE_NMIS);
    symbols.opt_nmi = NULL;
    CHECK_EQ(port_lacks(), XENOPROF_LACK_SAFE_NMIS);
}

TEST(who_waits_is_not_known)
{
    make(VMCB_EXIT_NMI, AFTER_STGI);
    now.domain_next = XENOPROF_FACT_ABSENT;
    CHECK_EQ(port_lacks(), XENOPROF_LACK_WAITS);
    now.domain_next = 0;
    now.vcpu_pause_flags = XENOPROF_FACT_ABSENT;
    CHECK_EQ(port_lacks(), XENOPROF_LACK_REASONS);
    now.vcpu_pause_flags = 0;
}

TEST(where_they_wait_is_not_known)
{
    make(VMCB_EXIT_NMI, AFTER_STGI);
    waiters_are_hidden = true;
    CHECK_EQ(port_lacks(), XENOPROF_LACK_WAITING);
    waiters_are_hidden = false;
}

/* Xen has the registers of an HVM guest in its frame by then, and its mode in
 * the control block. */
TEST(a_vcpu_that_waits)
{
    struct port_state state;

    make(VMCB_EXIT_INTR, AFTER_STGI);
    put(frame, FRAME_IP, GUEST_IP + 3, 8);
    put(frame, FRAME_SP, 777, 8);
    put(direct_map[VCPU], VMCB_CPL, 3, 1);
    CHECK(guest_in_frame(xen_current(), (const struct port_frame *)frame,
                         &state));
    put(direct_map[VCPU], VMCB_CPL, 0, 1);
    CHECK_EQ(state.ip, GUEST_IP + 3);
    CHECK_EQ(state.sp, 777);
    CHECK_EQ(state.mode, XENOPROF_MODE_USER);
    CHECK(state.hvm);
    put(this_vcpu, VMCB_PA_AT, 0, 8);
    CHECK(!guest_in_frame(xen_current(), (const struct port_frame *)frame,
                          &state));
    vmx = true;
    CHECK(guest_in_frame(xen_current(), (const struct port_frame *)frame,
                         &state));
    CHECK_EQ(state.mode, XENOPROF_MODE_KERNEL);
    CHECK(state.hvm);
    vmx = false;
}

/* A unikernel's kernel is in the lower half, where others have processes. */
TEST(the_mode_of_intels_guest_is_the_structures)
{
    void *own = (void *)xen_guest_frame();
    struct port_state state;

    make(VMCB_EXIT_INTR, AFTER_STGI);
    vmx = true;
    put(own, FRAME_IP, 0x100020, 8);
    CHECK(guest_now(xen_current(), &state));
    CHECK_EQ(state.mode, XENOPROF_MODE_USER);
    is_loaded = true;
    mode_in_vmcs = XENOPROF_MODE_KERNEL;
    CHECK(guest_now(xen_current(), &state));
    CHECK_EQ(state.mode, XENOPROF_MODE_KERNEL);
    put(frame, FRAME_IP, 0x100020, 8);
    put(this_vcpu, VMCB_PA_AT, 0, 8);
    CHECK(guest_in_frame(xen_current(), (const struct port_frame *)frame,
                         &state));
    CHECK_EQ(state.mode, XENOPROF_MODE_KERNEL);
    /* The guest itself was interrupted. */
    port_interrupted(xen_guest_frame(), &state);
    CHECK_EQ(state.mode, XENOPROF_MODE_KERNEL);
    mode_in_vmcs = XENOPROF_MODE_USER;
    port_interrupted(xen_guest_frame(), &state);
    CHECK_EQ(state.mode, XENOPROF_MODE_USER);
    is_loaded = vmx = false;
}

TEST(why_guests_left_intels_processors_is_not_known)
{
    make(VMCB_EXIT_NMI, AFTER_STGI);
    now.vcpu_vmcs_pa = XENOPROF_FACT_ABSENT;
    symbols.hvm_domain_initialise = (const char *)code;
    is_known[true] = true;
    CHECK_EQ(port_lacks(), 0);
    vmx = true;
    CHECK_EQ(port_lacks(), XENOPROF_LACK_ENTRIES);
    now.vcpu_vmcs_pa = 0;
    CHECK_EQ(port_lacks(), 0);
    symbols.per_cpu__vmxon = NULL;
    CHECK_EQ(port_lacks(), XENOPROF_LACK_ENTRIES);
    vmx = is_known[true] = false;
}

/* A PV vCPU with these frames as roots. */
static const struct xen_vcpu *vcpu_with(uint64_t kernel, uint64_t user)
{
    put(this_vcpu, TABLE_AT, kernel, 8);
    put(this_vcpu, TABLE_USER_AT, user, 8);
    return xen_current();
}

TEST(a_root_for_each_mode)
{
    const struct xen_vcpu *vcpu = vcpu_with(0x123456789, 0x987);

    CHECK_EQ(guest_pv_root(vcpu, false), 0x123456789000);
    CHECK_EQ(guest_pv_root(vcpu, true), 0x987000);
}

TEST(one_root_for_both)
{
    const struct xen_vcpu *vcpu = vcpu_with(0x77, 0);

    CHECK_EQ(guest_pv_root(vcpu, true), 0x77000);
}

TEST(facts_that_do_not_say)
{
    const struct xen_vcpu *vcpu = vcpu_with(1, 2);

    CHECK(guest_pv_root_known());
    now.vcpu_guest_table = XENOPROF_FACT_ABSENT;
    CHECK(!guest_pv_root_known());
    CHECK_EQ(guest_pv_root(vcpu, false), 0);
    now.vcpu_guest_table = TABLE_AT;
    now.vcpu_guest_table_user = XENOPROF_FACT_ABSENT;
    CHECK(!guest_pv_root_known());
    CHECK_EQ(guest_pv_root(vcpu, true), 0);
    now.vcpu_guest_table_user = TABLE_USER_AT;
}
