/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the tables are found, in steps: probe for the offsets' shape, measure
 * that run of numbers, then read what lies next to it.
 */
#ifndef XENOPROF_GUEST_LINUX_KALLSYMS_INSIDE_H
#define XENOPROF_GUEST_LINUX_KALLSYMS_INSIDE_H

#include "kallsyms.h"

/* Numbers in memory that look like offsets. */
struct kallsyms_run {
    enum kallsyms_encoding encoding;
    uint64_t start; /* address of the first */
    uint64_t end;   /* address behind the last */
};

/* All 16 values may be in a table of this encoding. */
bool kallsyms_may_be(enum kallsyms_encoding encoding, const uint32_t *values);
/* How far the run that the values at address belong to goes. */
enum kernel_code kallsyms_measure(struct guest_memory *memory, uint64_t address,
                                  enum kallsyms_encoding encoding,
                                  struct kallsyms_run *ret);

/* Everything, if run is a kernel's offsets; else KERNEL_UNKNOWN. */
enum kernel_code kallsyms_read(struct guest_memory *memory,
                               const struct kallsyms_run *run,
                               struct kallsyms **ret);

/* 256 strings at address and, where they end, the index of them. */
bool kallsyms_read_tokens(struct guest_memory *memory, uint64_t address,
                          struct kallsyms_tokens *ret);
/* The string table before an index at address: its own address, or 0. */
uint64_t kallsyms_tokens_before(struct guest_memory *memory, uint64_t address,
                                struct kallsyms_tokens *ret);

/* Reads count names from address on, and makes the markers. */
enum kernel_code kallsyms_read_names(struct guest_memory *memory,
                                     uint64_t address,
                                     struct kallsyms *kallsyms);

/* Takes the length before a name; returns how many bytes it has, 0 if it is
 * none. */
uint32_t kallsyms_length(const uint8_t *at, const uint8_t *end, uint32_t *ret);
/* The name in to (KALLSYMS_NAME_MAX); false if it is too long or empty. */
bool kallsyms_expand(const struct kallsyms_tokens *tokens, const uint8_t *at,
                     uint32_t length, char *to);

/* Tables lie at multiples of 8, since 7.0 of 4. */
static inline uint64_t kallsyms_align(uint64_t address, uint32_t alignment)
{
    return (address + alignment - 1) & -(uint64_t)alignment;
}

/* What to say when something could not be read: why. */
static inline enum kernel_code kallsyms_unread(
    const struct guest_memory *memory)
{
    return memory->left ? KERNEL_UNKNOWN : KERNEL_BUDGET;
}

#endif
