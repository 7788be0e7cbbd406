/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a guest entered Xen, as its control block or its frame has it.
 */
#include <string.h>

#include "hypervisor/port-payload/guest.h"
#include "tests/harness.h"

static uint64_t vmcb[32], this_vcpu[8], interrupted[32];
static uint8_t stacks[XEN_STACK_SIZE] __attribute__((aligned(32768)));
static bool has_vmcb;

#define GUEST ((uint8_t *)stacks + XEN_STACK_SIZE - 264)

const void *guest_vmcb(const struct xen_vcpu *vcpu)
{
    CHECK(vcpu == (const struct xen_vcpu *)this_vcpu);
    return has_vmcb ? vmcb : NULL;
}

/* The code under test, in this hypervisor. */
#define xen_current()     ((const struct xen_vcpu *)this_vcpu)
#define xen_guest_frame() ((const struct port_frame *)GUEST)
#include "hypervisor/port-payload/guest-entry.c"

static void put(void *base, uint32_t offset, uint64_t value, size_t size)
{
    memcpy((char *)base + offset, &value, size);
}

/* An HVM guest that left with this code and these words, and has this in its
 * general registers. */
static struct xenoprof_entry exit_of(uint64_t code, uint64_t info,
                                     uint64_t all_registers)
{
    const struct port_state guest = {.hvm = 1};
    struct xenoprof_entry entry;

    for ( unsigned int i = 0; i <= GUEST_RDI; i++ )
        put(GUEST, i * 8, all_registers, 8);
    put(vmcb, VMCB_EXIT_CODE, code, 8);
    put(vmcb, VMCB_EXIT_INFO, info, 8);
    put(vmcb, VMCB_EXIT_INFO + 8, 0x5ec4e7, 8);
    has_vmcb = true;
    CHECK(port_guest_entry(NULL, &guest, &entry));
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
    const struct port_state guest = {.hvm = 1};
    struct xenoprof_entry entry;

    has_vmcb = false;
    CHECK(!port_guest_entry(NULL, &guest, &entry));
}

/* A PV guest that came by this vector; Xen's stack pointer is so far below its
 * frame. */
static bool pv(uint32_t vector, enum xenoprof_mode mode, int64_t below,
               struct xenoprof_entry *ret)
{
    const struct port_state guest = {.mode = mode};

    memset(GUEST, 0x5a, FRAME_END);
    put(GUEST, FRAME_VECTOR, vector, 4);
    put(interrupted, FRAME_SP, (uintptr_t)GUEST - below, 8);
    return port_guest_entry((const struct port_frame *)interrupted, &guest,
                            ret);
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

/* In a softirq the guest's frame is complete. */
TEST(a_vector_in_a_softirq)
{
    const struct port_state guest = {.mode = XENOPROF_MODE_KERNEL};
    struct xenoprof_entry entry;

    put(GUEST, FRAME_VECTOR, 0xfa, 4);
    CHECK(port_guest_entry(NULL, &guest, &entry));
    CHECK_EQ(entry.code, 0xfa);
}
