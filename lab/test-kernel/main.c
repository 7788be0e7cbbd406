/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that knows what it does: proves that it reaches Xen, tries the door
 * that only dom0 may use, then works for ever in functions with known names.
 */
#include <stddef.h>

#include "console.h"
#include "gaps.h"
#include "hypercall.h"
#include "work.h"

#include <xen/xen.h>
#include <xen/hypfs.h>
#include <xen/sched.h>
#include <xen/version.h>
#include <xen/arch-x86/hvm/start_info.h>

#define ROUNDS    1000000
#define GAP_TICKS 100000000 /* a tenth of a second, under -icount */

/* The start of what a multiboot loader hands over. */
struct multiboot_info {
    uint32_t flags, memory_lower, memory_upper, device;
    uint32_t command; /* address; there if flags has MULTIBOOT_COMMAND */
};
#define MULTIBOOT_COMMAND (1u << 2)

/* What start64.S and start32.S call; it returns only if Xen is not there. */
void started_by_xen(const struct hvm_start_info *info);
void started_by_multiboot(const struct multiboot_info *info);

static void report(const char *what, long value)
{
    print("test-kernel: ");
    print(what);
    print(" ");
    print_number(value);
    print("\n");
}

/* Positive: Xen answered, so a refusal below is Xen's and not a lost call. */
static void reach_xen(void)
{
    long version = HYPERCALL(__HYPERVISOR_xen_version, XENVER_version);

    report("xen major", version >> 16);
    report("xen minor", version & 0xffff);
}

static void try_door(void)
{
    static const char door[] = "/xenoprof", root[] = "/";
    static char answer[256];

    report("read of /", HYPERCALL(__HYPERVISOR_hypfs_op, XEN_HYPFS_OP_read,
                                  (unsigned long)root, sizeof(root),
                                  (unsigned long)answer, sizeof(answer)));
    report("read of /xenoprof",
           HYPERCALL(__HYPERVISOR_hypfs_op, XEN_HYPFS_OP_read,
                     (unsigned long)door, sizeof(door), (unsigned long)answer,
                     sizeof(answer)));
    report("write to /xenoprof",
           HYPERCALL(__HYPERVISOR_hypfs_op, XEN_HYPFS_OP_write_contents,
                     (unsigned long)door, sizeof(door), (unsigned long)answer,
                     sizeof(answer)));
}

static void power_off(void)
{
    struct sched_shutdown why = {.reason = SHUTDOWN_poweroff};

    HYPERCALL(__HYPERVISOR_sched_op, SCHEDOP_shutdown, (unsigned long)&why);
}

static bool asked_for(const char *command, const char *word)
{
    for ( ; *command; command++ )
    {
        size_t at = 0;

        while ( word[at] && command[at] == word[at] )
            at++;
        if ( !word[at] )
            return true;
    }
    return false;
}

/* Told afterwards: dom0 is needed for that, and would make more of them. */
static void tell_gaps(void)
{
    static uint64_t gaps[1000];
    unsigned int found = gaps_find(GAP_TICKS, gaps, 1000);

    for ( unsigned int i = 0; i < found; i++ )
        report("gap", gaps[i]);
}

static void work(const char *command)
{
    unsigned long done = 0;

    for ( ;; )
    {
        if ( asked_for(command, "hypercalls") )
            hypercalls(ROUNDS / 100);
        else if ( asked_for(command, "exits") )
            device_exits(ROUNDS / 1000);
        else if ( asked_for(command, "gaps") )
            tell_gaps();
        else if ( asked_for(command, "stack") )
            known_stack();
        else
            outer(ROUNDS);
        if ( ++done % 100 == 0 || asked_for(command, "exits") )
            report("rounds", done);
    }
}

static void test_kernel(const char *command)
{
    if ( !hypercalls_init() || !console_init() )
        return;
    reach_xen();
    try_door();
    print("lab: up\n");
    if ( asked_for(command, "poweroff") )
        power_off();
    work(command);
}

void started_by_xen(const struct hvm_start_info *info)
{
    const char *command = (const char *)(uintptr_t)info->cmdline_paddr;

    test_kernel(command ? command : "");
}

void started_by_multiboot(const struct multiboot_info *info)
{
    if ( info->flags & MULTIBOOT_COMMAND )
        test_kernel((const char *)(uintptr_t)info->command);
    else
        test_kernel("");
}
