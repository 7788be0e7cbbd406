/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorted offsets of symbols or code in memory, recognised by their shape: no
 * symbol says where they are.
 */
#ifndef XENOPROF_GUEST_LINUX_OFFSET_RUN_H
#define XENOPROF_GUEST_LINUX_OFFSET_RUN_H

#include "guest/kernel-info.h"

#define OFFSETS_MIN 256u
#define OFFSETS_MAX (1u << 20)

/*
 * What an offset means.  Linux has had offsets instead of addresses since
 * commit 2213e9a66bb8 ("kallsyms: add support for relative offsets in kallsyms
 * address table") (v4.6).  Per-CPU symbols were absolute until 01157ddc58dc
 * ("kallsyms: Remove KALLSYMS_ABSOLUTE_PERCPU") (v6.15).  Offsets count from
 * themselves since a081b5789255 ("kallsyms: Get rid of kallsyms relative base")
 * (v7.0).
 */
enum offset_encoding {
    OFFSET_PER_CPU,   /* from 0 on: an absolute per-CPU symbol; below: minus
                         the distance from the base, minus one */
    OFFSET_FROM_BASE, /* the distance from the base */
    OFFSET_FROM_SELF, /* the distance from where the offset lies */
    OFFSET_ENCODINGS
};

struct offset_run {
    enum offset_encoding encoding;
    uint64_t start; /* address of the first */
    uint64_t end;   /* address behind the last */
};

/* Returns whether all 16 values may be in a table of this encoding. */
bool offsets_may_be(enum offset_encoding encoding, const uint32_t *values);

/* Measures the run that the values at address belong to.  Returns KERNEL_OK
 * with the run in *ret, KERNEL_UNKNOWN if it is too short or too long, or
 * KERNEL_BUDGET. */
enum kernel_status offset_run_measure(struct guest_memory *memory,
                                      uint64_t address,
                                      enum offset_encoding encoding,
                                      struct offset_run *ret);

#endif
