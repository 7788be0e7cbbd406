/* SPDX-License-Identifier: MIT */
/*
 * A fetch list: which words of a guest kernel's memory Xen adds to each sample
 * of it, such as who the current task is.
 *
 * dom0 fills one in for each domain, from what it knows of the kernel, and the
 * door's command `fetch` (door.h) brings it to Xen, which knows nothing of what
 * the words mean.  A list begins at a vCPU's base, an address that never
 * changes while the kernel is up: for Linux __per_cpu_offset[cpu] +
 * current_task (6.2 to 6.14: + pcpu_hot), a word that holds the address of the
 * task.
 *
 * Example: 4 steps.
 *
 *   {.from = 0, .offset = 0, .length = 8, .action = XENOPROF_FETCH_FOLLOW}
 *   {.from = 1, .offset = task_struct.pid, .length = 8, ..._STORE}: pid, tgid
 *   {.from = 1, .offset = task_struct.start_time, .length = 8, ..._STORE}
 *   {.from = 1, .offset = task_struct.comm, .length = 16, ..._STORE}
 *
 * A sample's part `task` (record.h) has the bytes of the steps that store, one
 * behind the other in their order, so those above are: pid at 0, tgid at 4,
 * start_time at 8, comm at 16.
 */
#ifndef XENOPROF_FETCH_H
#define XENOPROF_FETCH_H

#include <xenoprof/types.h>

#define XENOPROF_FETCH_STEPS      8u
#define XENOPROF_FETCH_VCPUS      384u /* that may have a base */
#define XENOPROF_FETCH_LENGTH_MAX 32u  /* of a step; a multiple of 8 */
#define XENOPROF_FETCH_STORED_MAX 48u  /* bytes, of all steps */
#define XENOPROF_FETCH_OFFSET_MAX 0xffffffu
#define XENOPROF_FETCH_LISTS      65535u /* highest number of a list */

/* The lowest address of a kernel half, that of five-level page tables. */
#define XENOPROF_FETCH_KERNEL_HALF 0xff00000000000000ull

enum xenoprof_fetch_action {
    XENOPROF_FETCH_STORE,
    XENOPROF_FETCH_FOLLOW, /* the word is an address that later steps read at */
    XENOPROF_FETCH_ACTIONS
};

/* Reads length bytes at an address + offset. */
struct xenoprof_fetch_step {
    uint32_t offset;
    uint8_t length;
    uint8_t action;   /* enum xenoprof_fetch_action */
    uint8_t from;     /* 0: the vCPU's base; N: what step N, which comes before
                         this one and follows, has read; the first step is 1 */
    uint8_t reserved; /* 0 */
};

struct xenoprof_fetch {
    uint16_t list;    /* its number, for dom0: samples have it; not 0 */
    uint8_t steps;    /* 1 to XENOPROF_FETCH_STEPS */
    uint8_t isolated; /* 1: the kernel isolates page tables (HVM, PVH): in user
                         mode, the root of its own is that of the process with
                         bit 12 cleared */
    uint32_t vcpus;   /* 1 to XENOPROF_FETCH_VCPUS, and not more than the domain
                         has; those beyond have no part `task` */
    struct xenoprof_fetch_step step[XENOPROF_FETCH_STEPS];
    uint64_t base[XENOPROF_FETCH_VCPUS]; /* by vCPU; 0: this one has none */
};

static inline int xenoprof_fetch_is_kernel(uint64_t address)
{
    return address >= XENOPROF_FETCH_KERNEL_HALF;
}

/* Not 0 if the step may be the one with this number (from 1), with those before
 * it. */
static inline int xenoprof_fetch_step_is_right(
    const struct xenoprof_fetch *list, unsigned int number)
{
    const struct xenoprof_fetch_step *step = &list->step[number - 1];

    if ( step->from >= number || step->offset > XENOPROF_FETCH_OFFSET_MAX ||
         step->length < 8 || step->length > XENOPROF_FETCH_LENGTH_MAX ||
         step->length % 8 || step->action >= XENOPROF_FETCH_ACTIONS ||
         step->reserved )
        return 0;
    if ( step->action == XENOPROF_FETCH_FOLLOW && step->length != 8 )
        return 0;
    return !step->from ||
           list->step[step->from - 1].action == XENOPROF_FETCH_FOLLOW;
}

/* How many bytes the first so many steps store. */
static inline uint32_t xenoprof_fetch_stored(const struct xenoprof_fetch *list,
                                             unsigned int steps)
{
    uint32_t bytes = 0;

    for ( unsigned int i = 0; i < steps; i++ )
        if ( list->step[i].action == XENOPROF_FETCH_STORE )
            bytes += list->step[i].length;
    return bytes;
}

/* Not 0 if Xen takes the list for a domain of at least that many vCPUs: for
 * dom0 to ask before it sends one; Xen asks for itself. */
static inline int xenoprof_fetch_is_right(const struct xenoprof_fetch *list)
{
    if ( !list->list || !list->steps || list->steps > XENOPROF_FETCH_STEPS ||
         list->isolated > 1 || !list->vcpus ||
         list->vcpus > XENOPROF_FETCH_VCPUS )
        return 0;
    for ( unsigned int i = 1; i <= list->steps; i++ )
        if ( !xenoprof_fetch_step_is_right(list, i) )
            return 0;
    for ( uint32_t vcpu = 0; vcpu < list->vcpus; vcpu++ )
        if ( list->base[vcpu] && !xenoprof_fetch_is_kernel(list->base[vcpu]) )
            return 0;
    return xenoprof_fetch_stored(list, list->steps) &&
           xenoprof_fetch_stored(list, list->steps) <=
               XENOPROF_FETCH_STORED_MAX;
}

#endif
