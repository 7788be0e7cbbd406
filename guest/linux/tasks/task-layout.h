/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a kernel's tasks have their members, and what else its type information
 * says on the way to them.
 */
#ifndef XENOPROF_GUEST_LINUX_TASKS_TASK_LAYOUT_H
#define XENOPROF_GUEST_LINUX_TASKS_TASK_LAYOUT_H

#include "guest/btf/btf-find.h"

#define TASK_COMM_BYTES 16u
#define TASK_UNKNOWN    UINT32_MAX

/* What is wanted of the types, in this order. */
enum task_struct_number {
    TASK_STRUCT,
    TASK_PROCESSOR, /* struct cpuinfo_x86 */
    TASK_HOT,       /* struct pcpu_hot, 6.2 to 6.14 */
    TASK_STRUCTS
};

/* Offsets in bytes; numbers of 32 bits, without padding. */
struct task_layout {
    uint32_t known; /* 0: it does not say what a list needs */
    uint32_t pid;   /* the process's is behind the thread's own */
    uint32_t start_time;
    uint32_t comm;
    /* TASK_UNKNOWN, each: */
    uint32_t mm;
    uint32_t stack;
    uint32_t cgroups;
    uint32_t current;  /* in struct pcpu_hot */
    uint32_t features; /* in struct cpuinfo_x86: the word of isolation's bit */
    uint32_t reserved;
};

/* Bit of that word: page tables are isolated (X86_FEATURE_PTI, 7 * 32 + 11). */
#define TASK_ISOLATED (1u << 11)

/* Asks for the structures.  hot: there is a symbol pcpu_hot. */
void task_layout_want(struct btf_wanted wanted[TASK_STRUCTS], bool hot);
/* Takes what was found. */
void task_layout_read(struct btf *btf,
                      const struct btf_wanted wanted[TASK_STRUCTS],
                      struct task_layout *ret);

#endif
