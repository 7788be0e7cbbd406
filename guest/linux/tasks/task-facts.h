/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a kernel says of its tasks, the same for equal kernels: where the word
 * lies that is the current task, on each processor.
 *
 * Two sources say where that word is, and where the table of the processors'
 * areas: symbols and code (code-loads.h).  Either is enough, if the other is
 * silent; where they contradict each other, nothing is known.
 */
#ifndef XENOPROF_GUEST_LINUX_TASKS_TASK_FACTS_H
#define XENOPROF_GUEST_LINUX_TASKS_TASK_FACTS_H

#include "code-loads.h"
#include "guest/task-list.h"
#include "kernel-layout.h"

/* A symbol.  Those of per-CPU variables are absolute before 6.15: distances in
 * a processor's area. */
struct task_symbol {
    bool known;
    bool absolute;
    uint64_t at; /* a distance from the kernel's base, unless absolute */
};

struct task_symbols {
    struct task_symbol offsets;   /* __per_cpu_offset */
    struct task_symbol current;   /* current_task */
    struct task_symbol hot;       /* pcpu_hot */
    struct task_symbol vcpu_id;   /* xen_vcpu_id */
    struct task_symbol processor; /* boot_cpu_data */
    struct task_symbol canary;    /* __stack_chk_guard, since 6.15 */
};

#define TASK_BY_SYMBOL 1u
#define TASK_BY_CODE   2u

/* Flat: numbers without padding. */
struct task_facts {
    uint32_t status;     /* enum task_list_status */
    uint32_t absolute;   /* 1: per-CPU symbols are absolute */
    uint32_t current_by; /* TASK_BY_..., both: they agree */
    uint32_t offsets_by;
    uint64_t offsets;  /* the table of areas: a distance from the base */
    uint64_t current;  /* a per-CPU symbol, as absolute says */
    uint64_t vcpu_id;  /* the same; UINT64_MAX: there is none */
    uint64_t features; /* a distance from the base: the word of isolation's
                          bit; UINT64_MAX: not known */
};

/* Puts together what was found.  loads are those of the kernel at base; NULL:
 * code was not read.  layout NULL: there is no type information. */
void task_facts_make(const struct task_symbols *symbols,
                     const struct kernel_layout *layout,
                     const struct code_loads *loads, uint64_t base,
                     struct task_facts *ret);

/* Returns whether facts that another process wrote may be used. */
bool task_facts_are_sound(const struct task_facts *facts);

#endif
