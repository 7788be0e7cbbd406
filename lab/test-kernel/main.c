/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that knows what it does: proves that it reaches Xen, tries the door
 * that only dom0 may use, then works for ever in functions with known names.
 */
#include <stddef.h>

#include "console.h"
#include "gaps.h"
#include "halts.h"
#include "hypercall.h"
#include "work.h"

#include <xen/xen.h>
#include <xen/hypfs.h>
#include <xen/sched.h>
#include <xen/version.h>
#include <xen/arch-x86/hvm/start_info.h>

#define ROUNDS    1000000
#define GAP_TICKS 100000000 /* a tenth of a second, under -icount */

/* What start64.S and start32.S call; it returns only if Xen is not there. */
void started_by_xen(const struct hvm_start_info *info);

/* The words for an hvm guest, which Xen's domain builder hands none: the lab
 * puts them here. */
static volatile const char own_command[64]
    __attribute__((section(".command"))) = "none";

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
    do
    {
        size_t at = 0;

        while ( word[at] && command[at] == word[at] )
            at++;
        if ( !word[at] )
            return true;
    } while ( *command++ );
    return false;
}

/* Told afterwards: dom0 is needed for that, and would make more of them. */
static void tell_gaps(unsigned long ticks)
{
    static uint64_t gaps[1000];
    unsigned int found = gaps_find(ticks, gaps, 1000);

    for ( unsigned int i = 0; i < found; i++ )
        report("gap", gaps[i]);
}

static void read_device(unsigned long rounds)
{
    static unsigned long answers;

    answers += device_exits(rounds);
    report("answers", answers);
}

static void compute(unsigned long rounds)
{
    outer(rounds);
}

static void keep_stack(unsigned long rounds)
{
    (void)rounds;
    known_stack();
}

/* The first whose word is in the command. */
static const struct {
    const char *word;
    void (*work)(unsigned long rounds);
    unsigned long rounds;
} works[] = {
    {"hypercalls", hypercalls, ROUNDS / 100},
    {"cpuids", cpuids, ROUNDS / 1000},
    {"msrs", msr_reads, ROUNDS / 1000},
    {"npfs", apic_reads, ROUNDS / 1000},
    {"halts", halts, ROUNDS / 1000},
    {"ipis", own_ipis, ROUNDS / 1000},
    {"exits", read_device, ROUNDS / 1000},
    {"gaps", tell_gaps, GAP_TICKS},
    {"stack", keep_stack, 1},
    {"", compute, ROUNDS},
};

static void work(const char *command)
{
    size_t chosen = 0;

    while ( !asked_for(command, works[chosen].word) )
        chosen++;
    for ( unsigned long done = 1;; done++ )
    {
        works[chosen].work(works[chosen].rounds);
        if ( done % 100 == 0 )
            report("rounds", done);
    }
}

static void test_kernel(const char *command)
{
    if ( !hypercalls_init() || !console_init() )
        return;
    print("test-kernel: command ");
    print(command);
    print("\n");
    reach_xen();
    try_door();
    print("lab: up\n");
    if ( asked_for(command, "poweroff") )
        power_off();
    work(command);
}

void started_by_xen(const struct hvm_start_info *info)
{
    test_kernel(info->cmdline_paddr
                    ? (const char *)(uintptr_t)info->cmdline_paddr
                    : (const char *)own_command);
}
