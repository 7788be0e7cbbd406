/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a search for a kernel returns, and what is known of a kernel. */
#ifndef XENOPROF_GUEST_KERNEL_INFO_H
#define XENOPROF_GUEST_KERNEL_INFO_H

#include <stdint.h>

#include "memory.h"

enum kernel_status {
    KERNEL_OK = 0,
    KERNEL_UNKNOWN,  /* no kernel that a finder knows, or too old a one */
    KERNEL_BUDGET,   /* not found within the bytes that may be read */
    KERNEL_DAMAGED,  /* it contradicts itself, or changed during the search */
    KERNEL_MISMATCH, /* a file of another build than the one that runs */
    KERNEL_NO_MEMORY
};

struct kernel_symbol {
    const char *name;
    const char *module; /* the kernel module; NULL: the kernel itself */
    uint64_t start;
    uint64_t end; /* 0: not known */
};

#define KERNEL_BUILD_ID_MAX 20u

struct kernel_info {
    char release[96]; /* "6.1.0-31-amd64"; "" if not known */
    uint8_t build_id[KERNEL_BUILD_ID_MAX];
    uint8_t build_id_length; /* 0: none found */
    uint64_t base;           /* where its text starts in this guest */
    uint32_t symbols;
    uint32_t modules; /* kernel modules */
    uint32_t rows;
    uint64_t bytes_read;    /* of the guest's memory, to find all this */
    uint8_t checked;        /* 1: names come from what runs, the guest's memory
                               or a file with its build-id; text has none */
    uint8_t frame_pointers; /* 1: stacks are walked by frame pointers; also
                               set for a kernel that was not found */
    uint8_t fred;           /* 1: it is built for FRED, whose frames are longer,
                               whether the processor has it or not */
    char row_layout[8];     /* "6.4"; "" if there are no rows */
};

#endif
