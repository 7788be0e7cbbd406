/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a guest entered Xen, as its control block or its frame has it.
 */
#include <string.h>

#include "hypervisor/port-payload/guest.h"
#include "tests/harness.h"

static uint64_t vmcb[32], this_vcpu[8], this_domain[8], interrupted[32];
static uint8_t stacks[XEN_STACK_SIZE] __attribute__((aligned(32768)));
static bool has_vmcb, others_frame;

/* A processor of Intel's. */
enum { VMCS = 0x1234000 };
static bool is_vmx;
static uint64_t loaded, reason, qualification, interruption, ss_access;
static unsigned int pointer_asked;

bool guest_is_vmx(void)
{
    return is_vmx;
}

static uint64_t ask_pointer(void)
{
    pointer_asked++;
    return loaded;
}

/* Nothing is read of a structure that is not this vCPU's. */
static uint64_t read_field(uint64_t field)
{
    CHECK(is_vmx);
    CHECK_EQ(loaded, VMCS);
    switch ( field )
    {
    case VMCS_EXIT_REASON: return reason;
    case VMCS_EXIT_QUALIFICATION: return qualification;
    case VMCS_EXIT_INTERRUPTION: return interruption;
    case VMCS_SS_ACCESS: return ss_access;
    }
    CHECK(!"no other field");
    return 0;
}

static const struct xenoprof_facts offsets = {.cpu_info_per_cpu_offset = 48,
                                              .vcpu_domain = 0,
                                              .vcpu_flags = 8,
                                              .vcpu_vmcs_pa = 16,
                                              .vcpu_guestmode = 24,
                                              .domain_options = 0};

/* Whether pCPUs are in VMX operation; the code runs on the second. */
static char vmxon[2];
static struct xen_optional symbols = {.per_cpu__vmxon = vmxon};

/* Xen's entry code: a way out, then a stub of each sort. */
enum { EXIT = 0, ENTRY = 64, INTERRUPT = 128, SYSCALL = 160, REST = 192 };
static const uint8_t text[256] = {
    /* endbr64; movl $0xd, 4(%rsp); jmp */
    [ENTRY] = 0xf3,
    0x0f,
    0x1e,
    0xfa,
    0xc7,
    0x44,
    0x24,
    0x04,
    0x0d,
    0,
    0,
    0,
    0xe9,
    /* endbr64; pushq $0; movb $0xfa, 4(%rsp); jmp */
    [INTERRUPT] = 0xf3,
    0x0f,
    0x1e,
    0xfa,
    0x6a,
    0,
    0xc6,
    0x44,
    0x24,
    0x04,
    0xfa,
    0xe9,
    /* pushq $0; movl $0x100, 4(%rsp); sti */
    [SYSCALL] = 0x6a,
    0,
    0xc7,
    0x44,
    0x24,
    0x04,
    0,
    1,
    0,
    0,
    0xfb};

struct entry_code guest_entry_code(void)
{
    return (struct entry_code){
        .start = (uintptr_t)text,
        .end = (uintptr_t)text + sizeof(text),
        .exit_start = (uintptr_t)text + EXIT,
        .exit_end = (uintptr_t)text + ENTRY,
    };
}

bool guest_frame_is_of(const struct xen_vcpu *vcpu)
{
    CHECK(vcpu == (const struct xen_vcpu *)this_vcpu);
    return !others_frame;
}

#define GUEST ((uint8_t *)stacks + XEN_STACK_SIZE - 264)

const void *guest_vmcb(const struct xen_vcpu *vcpu)
{
    CHECK(vcpu == (const struct xen_vcpu *)this_vcpu);
    return has_vmcb ? vmcb : NULL;
}

/* The code under test, in this hypervisor. */
#define facts              offsets
#define optional           symbols
#define guest_vmcs_pointer ask_pointer
#define guest_vmcs_read    read_field
#define xen_current()      ((const struct xen_vcpu *)this_vcpu)
#define xen_guest_frame()  ((const struct port_frame *)GUEST)
#define xen_stack_end()    ((const char *)stacks + XEN_STACK_SIZE)
#define xen_domain_of(v)   ((const struct xen_domain *)this_domain)
#define xen_is_hvm(d)      ((d) == (const void *)this_domain && this_domain[0])
#include "hypervisor/port-payload/guest-entry.c"
#include "hypervisor/port-payload/guest-vmcs.c"

static void put(void *base, uint32_t offset, uint64_t value, size_t size)
{
    memcpy((char *)base + offset, &value, size);
}

/* An HVM guest that left with this code and these words, and has this in its
 * general registers. */
static struct xenoprof_entry exit_of(uint64_t code, uint64_t info,
                                     uint64_t all_registers)
{
    struct xenoprof_entry entry;

    this_domain[0] = 1;
    for ( unsigned int i = 0; i <= GUEST_RDI; i++ )
        put(GUEST, i * 8, all_registers, 8);
    put(vmcb, VMCB_EXIT_CODE, code, 8);
    put(vmcb, VMCB_EXIT_INFO, info, 8);
    put(vmcb, VMCB_EXIT_INFO + 8, 0x5ec4e7, 8);
    has_vmcb = true;
    CHECK(!port_guest_entry(NULL, false, &entry));
    CHECK(port_guest_entry(NULL, true, &entry));
    CHECK_EQ(entry.kind, XENOPROF_ENTRY_SVM);
    CHECK_EQ(entry.code, (uint32_t)code);
    return entry;
}

TEST(an_io_port_and_its_direction)
{
    CHECK_EQ(exit_of(0x7b, 0x03f80000 | 0x12 << 4, 7).detail, 0x3f80000);
    CHECK_EQ(exit_of(0x7b, 0x0cfc0041, 7).detail, 0xcfc0001);
    CHECK_EQ(exit_of(0x7b, ~0ull, 7).detail, 0xffff0001);
}

TEST(the_number_of_an_msr_and_never_its_value)
{
    uint64_t registers = 0xdeadbeefc0000080;

    CHECK_EQ(exit_of(0x7c, 0, registers).detail, 0xc0000080);
    CHECK_EQ(exit_of(0x7c, 1, registers).detail, 0x1c0000080);
    CHECK_EQ(exit_of(0x7c, ~0ull, registers).detail, 0x1c0000080);
}

TEST(a_nested_page_fault_without_its_address)
{
    CHECK_EQ(exit_of(0x400, 0x100000006, 7).detail, 0x100000006);
    CHECK_EQ(exit_of(0x400, ~0ull, 7).detail, 0x30000001f);
}

/* Whatever the information is then, and the registers. */
TEST(no_other_exit_has_a_detail)
{
    for ( uint32_t code = 0; code < 0x500; code++ )
        if ( code != 0x7b && code != 0x7c && code != 0x400 )
            CHECK_EQ(exit_of(code, ~0ull, ~0ull).detail, 0);
    CHECK_EQ(exit_of(~0ull, ~0ull, ~0ull).detail, 0);
}

TEST(an_nmi_is_the_profilers)
{
    CHECK_EQ(exit_of(VMCB_EXIT_NMI, 0, 0).flags, XENOPROF_ENTRY_PROFILER);
    CHECK_EQ(exit_of(VMCB_EXIT_INTR, 0, 0).flags, 0);
    CHECK_EQ(exit_of(0x81, 0, 0).flags, 0);
}

TEST(no_control_block_no_entry)
{
    struct xenoprof_entry entry;

    this_domain[0] = 1;
    has_vmcb = false;
    CHECK(!port_guest_entry(NULL, true, &entry));
}

/* An HVM guest that left one of Intel's processors. */
static bool left_intel(uint64_t why, uint64_t qualified, uint64_t registers,
                       struct xenoprof_entry *ret)
{
    is_vmx = true;
    this_domain[0] = 1;
    this_vcpu[2] = VMCS;
    loaded = VMCS;
    vmxon[1] = 1;
    put(stacks, XEN_STACK_SIZE - 48, 1, 8);
    reason = why;
    qualification = qualified;
    for ( unsigned int i = 0; i <= GUEST_RDI; i++ )
        put(GUEST, i * 8, registers, 8);
    return port_guest_entry(NULL, true, ret);
}

static struct xenoprof_entry intel_exit(uint64_t why, uint64_t qualified,
                                        uint64_t registers)
{
    struct xenoprof_entry entry;

    CHECK(left_intel(why, qualified, registers, &entry));
    CHECK_EQ(entry.kind, XENOPROF_ENTRY_VMX);
    CHECK_EQ(entry.code, why & 0xffff);
    is_vmx = false;
    return entry;
}

TEST(details_of_intels_exits)
{
    CHECK_EQ(intel_exit(30, 0x03f80000, 7).detail, 0x3f80000);
    CHECK_EQ(intel_exit(30, 0x0cfc0008, 7).detail, 0xcfc0001);
    CHECK_EQ(intel_exit(30, ~0ull, 7).detail, 0xffff0001);
    CHECK_EQ(intel_exit(31, ~0ull, 0xdeadbeefc0000080).detail, 0xc0000080);
    CHECK_EQ(intel_exit(32, 0, 0xdeadbeefc0000080).detail, 0x1c0000080);
    CHECK_EQ(intel_exit(48, ~0ull, 7).detail, 0x1bf);
    /* Whatever the processor says besides, and the registers. */
    CHECK_EQ(intel_exit(0x8000000c, ~0ull, ~0ull).detail, 0);
    for ( uint32_t why = 0; why < 80; why++ )
        if ( why != 30 && why != 31 && why != 32 && why != 48 )
            CHECK_EQ(intel_exit(why, ~0ull, ~0ull).detail, 0);
}

TEST(intels_nmi_is_the_profilers)
{
    interruption = 0x80000202;
    CHECK_EQ(intel_exit(0, 0, 0).flags, XENOPROF_ENTRY_PROFILER);
    CHECK_EQ(intel_exit(1, 0, 0).flags, 0);
    interruption = 0x80000b0e; /* #PF */
    CHECK_EQ(intel_exit(0, 0, 0).flags, 0);
    interruption = 0x00000202;
    CHECK_EQ(intel_exit(0, 0, 0).flags, 0);
    interruption = 0;
}

/* Xen works on another vCPU's for a tool, or has none loaded; the guest has
 * one of its own; where the vCPU's is was not found. */
TEST(anothers_control_structure_is_not_read)
{
    static const uint64_t others[] = {0, VMCS + 0x1000, ~0ull};
    struct xenoprof_entry entry;
    unsigned int asked;

    CHECK(left_intel(12, 0, 0, &entry));
    for ( unsigned int i = 0; i < 3; i++ )
    {
        loaded = others[i];
        CHECK(!port_guest_entry(NULL, true, &entry));
        CHECK_EQ(entry.kind, XENOPROF_ENTRY_NONE);
    }
    this_vcpu[2] = loaded = 0;
    CHECK(!port_guest_entry(NULL, true, &entry));
    CHECK(left_intel(12, 0, 0, &entry));
    CHECK(!port_guest_entry(NULL, false, &entry));
    this_domain[0] |= XEN_DOMAIN_NESTED;
    CHECK(port_guest_entry(NULL, true, &entry));
    this_vcpu[3] = 1; /* in guest mode */
    CHECK(!port_guest_entry(NULL, true, &entry));
    this_vcpu[3] = 0;
    /* A PV vCPU's pCPU may not have the instruction. */
    asked = pointer_asked;
    this_domain[0] = 0;
    port_guest_entry(NULL, true, &entry);
    CHECK_EQ(pointer_asked, asked);
    is_vmx = false;
}

/* By SS, whose level is the guest's; the rest of its rights says nothing. */
TEST(the_mode_of_intels_guest)
{
    const struct xen_vcpu *vcpu = (const struct xen_vcpu *)this_vcpu;
    struct xenoprof_entry entry;
    uint8_t mode = XENOPROF_MODES;

    CHECK(left_intel(12, 0, 0, &entry));
    ss_access = 0xc093;
    CHECK(guest_vmcs_mode(vcpu, &mode));
    CHECK_EQ(mode, XENOPROF_MODE_KERNEL);
    ss_access = 0xc0f3;
    CHECK(guest_vmcs_mode(vcpu, &mode));
    CHECK_EQ(mode, XENOPROF_MODE_USER);
    ss_access = 0;
    loaded = VMCS + 0x1000;
    CHECK(!guest_vmcs_mode(vcpu, &mode));
    CHECK_EQ(mode, XENOPROF_MODE_USER);
    is_vmx = false;
}

/* The instruction that asks is none then; nor where it is not known. */
TEST(no_structure_is_asked_for_outside_of_vmx_operation)
{
    struct xenoprof_entry entry;
    unsigned int asked;

    CHECK(left_intel(12, 0, 0, &entry));
    asked = pointer_asked;
    vmxon[0] = 1; /* another pCPU's */
    vmxon[1] = 0;
    CHECK(!port_guest_entry(NULL, true, &entry));
    CHECK_EQ(entry.kind, XENOPROF_ENTRY_NONE);
    vmxon[1] = 1;
    symbols.per_cpu__vmxon = NULL;
    CHECK(!port_guest_entry(NULL, true, &entry));
    CHECK_EQ(pointer_asked, asked);
    symbols.per_cpu__vmxon = vmxon;
    is_vmx = false;
}

/* A PV guest whose frame has this vector, when Xen is interrupted at ip with
 * this stack pointer. */
static bool pv_at(uint64_t ip, uint64_t sp, uint32_t vector,
                  struct xenoprof_entry *ret)
{
    this_domain[0] = 0;
    memset(GUEST, 0x5a, FRAME_END);
    put(GUEST, FRAME_VECTOR, vector, 4);
    put(interrupted, FRAME_IP, ip, 8);
    put(interrupted, FRAME_SP, sp, 8);
    return port_guest_entry((const struct port_frame *)interrupted, true, ret);
}

#define ORDINARY   0xffff82d040400000ul
#define STUB_PAGE  0xffff82d07fffe000ul
#define GUEST_AT   ((uintptr_t)GUEST)
#define WORDS      (GUEST_AT + FRAME_IP)
#define STUB(name) ((uintptr_t)text + name)

/* A PV guest in ordinary code of Xen's, so far below its frame. */
static bool pv(uint32_t vector, enum xenoprof_mode mode, int64_t below,
               struct xenoprof_entry *ret)
{
    this_vcpu[1] = mode == XENOPROF_MODE_KERNEL ? XEN_VCPU_KERNEL_MODE : 0;
    return pv_at(ORDINARY, GUEST_AT - below, vector, ret);
}

/* All of the vector, also bit 8: Xen sets it when it hands the guest an event
 * or exception, and clears it in the hypercall iret. */
TEST(a_vector_as_it_is)
{
    static const uint32_t vectors[] = {0,    0x0d,  0x0e,  0x80,  0x82, 0xfa,
                                       0xfc, 0x100, 0x10e, 0x1fa, 0x1fc};
    struct xenoprof_entry entry;

    for ( unsigned int i = 0; i < sizeof(vectors) / sizeof(*vectors); i++ )
    {
        CHECK(pv(vectors[i], XENOPROF_MODE_KERNEL, 0x200, &entry));
        CHECK_EQ(entry.kind, XENOPROF_ENTRY_PV);
        CHECK_EQ(entry.code, vectors[i]);
        CHECK_EQ(entry.flags, 0);
        CHECK_EQ(entry.detail, 0);
    }
}

TEST(a_system_call_is_known_by_the_guests_mode)
{
    struct xenoprof_entry entry;

    CHECK(pv(0x100, XENOPROF_MODE_USER, 0x200, &entry));
    CHECK_EQ(entry.flags, XENOPROF_ENTRY_USER);
    CHECK(pv(0x0e, XENOPROF_MODE_USER, 0x200, &entry));
    CHECK_EQ(entry.flags, 0);
}

TEST(a_vector_that_is_not_written_yet_is_not_taken)
{
    struct xenoprof_entry entry;

    CHECK(!pv(0x100, XENOPROF_MODE_KERNEL, -120, &entry));
    CHECK(!pv(0x100, XENOPROF_MODE_KERNEL, -8, &entry));
    CHECK(pv(0x100, XENOPROF_MODE_KERNEL, 0, &entry));
}

/* The frame still has what the guest came for before. */
TEST(an_entry_that_has_just_begun_is_known_by_its_code)
{
    struct xenoprof_entry entry;

    CHECK(pv_at(STUB(ENTRY), WORDS - 8, 0x100, &entry));
    CHECK_EQ(entry.code, 0x0d);
    CHECK(pv_at(STUB(ENTRY) + 4, WORDS - 8, 0x100, &entry));
    CHECK_EQ(entry.code, 0x0d);
    CHECK(pv_at(STUB(INTERRUPT), WORDS, 0x100, &entry));
    CHECK_EQ(entry.code, 0xfa);
    CHECK(pv_at(STUB(INTERRUPT) + 6, WORDS - 8, 0x100, &entry));
    CHECK_EQ(entry.code, 0xfa);
    CHECK(pv_at(STUB(SYSCALL), WORDS, 0x0d, &entry));
    CHECK_EQ(entry.code, 0x100);
}

TEST(a_vector_that_was_just_noted_is_taken)
{
    struct xenoprof_entry entry;

    CHECK(pv_at(STUB(ENTRY) + 12, WORDS - 8, 0x07, &entry));
    CHECK_EQ(entry.code, 0x07);
    CHECK(!pv_at(STUB(REST), WORDS - 8, 0x07, &entry));
}

/* No code is read that may not be there. */
TEST(only_entry_code_is_read)
{
    struct xenoprof_entry entry;

    CHECK(!pv_at(ORDINARY, WORDS - 8, 0x07, &entry));
    CHECK(!pv_at(0, WORDS - 8, 0x07, &entry));
    CHECK(!pv_at(~0ul, WORDS - 8, 0x07, &entry));
    CHECK(!pv_at(STUB(sizeof(text)) - 1, WORDS - 8, 0x07, &entry));
}

/* The guest's stack pointer, or not all words are pushed. */
TEST(a_system_call_is_known_before_it_is_on_xens_stack)
{
    static const uint64_t stacks_of_guests[] = {0x7ffd00001000,
                                                0xffffc90000003000};
    struct xenoprof_entry entry;

    for ( unsigned int i = 0; i < 2; i++ )
    {
        this_vcpu[1] = i ? XEN_VCPU_KERNEL_MODE : 0;
        CHECK(pv_at(STUB_PAGE, stacks_of_guests[i], 0x0d, &entry));
        CHECK_EQ(entry.code, 0x100);
        CHECK_EQ(entry.flags, i ? 0 : XENOPROF_ENTRY_USER);
        CHECK(pv_at(STUB(REST), WORDS + 16, 0x0d, &entry));
        CHECK_EQ(entry.code, 0x100);
        /* sysret, with the guest's stack pointer already */
        CHECK(!pv_at(STUB(EXIT), stacks_of_guests[i], 0x0d, &entry));
    }
}

/* Of a system call it is not known any more whose it was. */
TEST(on_the_way_out_the_vector_is_still_there)
{
    struct xenoprof_entry entry;

    CHECK(pv_at(STUB(EXIT), GUEST_AT, 0x0d, &entry));
    CHECK_EQ(entry.code, 0x0d);
    CHECK(pv_at(STUB(EXIT) + 20, WORDS, 0xfa, &entry));
    CHECK_EQ(entry.code, 0xfa);
    CHECK(!pv_at(STUB(EXIT), GUEST_AT, 0x100, &entry));
}

TEST(an_exceptions_own_stack_and_anothers_frame_say_nothing)
{
    struct xenoprof_entry entry;

    CHECK(!pv_at(ORDINARY, (uintptr_t)stacks + 0x2f00, 0x0d, &entry));
    others_frame = true;
    CHECK(!pv(0x0d, XENOPROF_MODE_KERNEL, 0x200, &entry));
    CHECK(!pv_at(STUB(ENTRY), WORDS - 8, 0x0d, &entry));
    others_frame = false;
    CHECK(pv(0x0d, XENOPROF_MODE_KERNEL, 0x200, &entry));
}

/* In a softirq the guest's frame is complete. */
TEST(a_vector_in_a_softirq)
{
    struct xenoprof_entry entry;

    this_domain[0] = 0;
    put(GUEST, FRAME_VECTOR, 0xfa, 4);
    CHECK(port_guest_entry(NULL, true, &entry));
    CHECK_EQ(entry.code, 0xfa);
}
