/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of a kernel's structures: its guest may change or lie about each. */
#ifndef XENOPROF_GUEST_LINUX_TASKS_ORIGIN_WORDS_H
#define XENOPROF_GUEST_LINUX_TASKS_ORIGIN_WORDS_H

#include <xenoprof/fetch.h>

#include "guest/memory.h"
#include "kernel-layout.h"

/* Names of one path, and mounts on it. */
#define ORIGIN_STEPS_MAX 64u

struct origin_reading {
    const struct kernel_layout *layout;
    struct guest_memory *memory;
};

/* Returns whether it may be the address of a structure. */
static inline bool origin_is_address(uint64_t word)
{
    return word % 8 == 0 && xenoprof_fetch_is_kernel(word);
}

static inline uint64_t origin_member(const struct origin_reading *reading,
                                     uint64_t address, enum kernel_member which)
{
    return address + reading->layout->at[which];
}

/* Reads a word of a structure.  Returns whether it was read. */
static inline bool origin_word(const struct origin_reading *reading,
                               uint64_t address, enum kernel_member which,
                               uint64_t *ret)
{
    return guest_memory_get(reading->memory,
                            origin_member(reading, address, which), ret,
                            sizeof(*ret));
}

/* The same; it is the address of something in the kernel. */
static inline bool origin_address(const struct origin_reading *reading,
                                  uint64_t address, enum kernel_member which,
                                  uint64_t *ret)
{
    return origin_word(reading, address, which, ret) && origin_is_address(*ret);
}

#endif
