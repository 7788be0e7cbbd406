/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine's memory as QEMU dumped it (dump-guest-memory: an ELF core of
 * physical memory with the registers in a note), by the virtual addresses
 * that the first CPU saw.
 */
#ifndef XENOPROF_TESTS_UNIT_GUEST_LINUX_DUMP_MEMORY_H
#define XENOPROF_TESTS_UNIT_GUEST_LINUX_DUMP_MEMORY_H

#include "guest/memory.h"

struct dump_memory {
    const uint8_t *bytes;
    size_t size;
    uint64_t ip;
    uint64_t cr3;
    unsigned long reads;
    struct guest_memory memory; /* with the budget of one kernel */
    struct near_memory near;    /* as in the parser */
};

/* Returns false if the dump cannot be read. */
bool dump_memory_open(struct dump_memory *dump, const char *path);
void dump_memory_close(struct dump_memory *dump);

#endif
