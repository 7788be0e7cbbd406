/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_LAB_TEST_KERNEL_WORK_H
#define XENOPROF_LAB_TEST_KERNEL_WORK_H

/*
 * Known work for a profiler to find: outer() calls middle(), which calls
 * leaf(), where nearly all of the time goes. Returns what leaf() counted.
 */
unsigned long outer(unsigned long rounds);

/* As many calls into Xen, of the cheapest kind. */
void hypercalls(unsigned long rounds);

/* As many exits to Xen of one kind: CPUID, reads of the APIC's base register,
 * and of the APIC's page, where no memory is. */
void cpuids(unsigned long rounds);
void msr_reads(unsigned long rounds);
void apic_reads(unsigned long rounds);

/* As many interrupts to this processor itself, which it never lets in. */
void own_ipis(unsigned long rounds);

/*
 * As many reads of a device that only the device model in dom0 knows (the
 * first words of a PC's PCI devices): each leaves the guest until dom0 has
 * answered. For hvm guests; a PVH guest has no such device. Returns how many
 * were answered.
 */
unsigned long device_exits(unsigned long rounds);

/*
 * The same work for ever, in leaf(), with STACK_WORDS known words on the stack
 * above it (stack-word.h).
 */
#define STACK_WORDS 512
void known_stack(void) __attribute__((noreturn));

#endif /* XENOPROF_LAB_TEST_KERNEL_WORK_H */
