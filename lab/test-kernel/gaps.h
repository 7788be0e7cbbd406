/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_LAB_TEST_KERNEL_GAPS_H
#define XENOPROF_LAB_TEST_KERNEL_GAPS_H

#include <stdint.h>

/*
 * Reads the TSC over and over for so many ticks.  Whenever the next reading
 * is much later than it usually is, somebody else had the processor: writes
 * these gaps, in ticks and without the reading's own, and returns how many
 * there were.  It ends early when there is no room for more.  Where a tick
 * is a number of instructions (QEMU's -icount) a gap is what was executed.
 */
unsigned int gaps_find(uint64_t ticks, uint64_t *ret, unsigned int room);

#endif /* XENOPROF_LAB_TEST_KERNEL_GAPS_H */
