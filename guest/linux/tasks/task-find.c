/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Down the tree of threads' numbers. */
#include "task-find.h"

/* An xarray: each node looks at so many bits of a number, of 64 at most. */
#define SLOT_BITS  6u
#define SLOTS      64u
#define LEVELS_MAX 11u
/* The lowest bits of a slot that has a node: its address and this. */
#define IS_NODE   2u
#define SLOT_MASK 3u

/* Goes from a node to the slot of a number.  *shift: of the node before it, and
 * then its own. */
static bool descend_to_number(const struct origin_reading *reading,
                              uint64_t node, uint32_t number, uint32_t *shift,
                              uint64_t *slot)
{
    uint64_t at;
    uint8_t own;

    if ( !origin_is_address(node) ||
         !guest_memory_get(reading->memory,
                           origin_member(reading, node, MEMBER_XA_NODE_SHIFT),
                           &own, sizeof(own)) ||
         own % SLOT_BITS || own >= *shift )
        return false;
    *shift = own;
    /* A number beyond what the first node holds is not there. */
    at = own < 32 ? number >> own : 0;
    return origin_word(reading, node + at % SLOTS * sizeof(*slot),
                       MEMBER_XA_NODE_SLOTS, slot);
}

/* Finds the struct pid of a thread's number.  What is found for a number that
 * the tree does not have is another thread's, which shows. */
static bool find_pid(const struct origin_reading *reading, uint64_t init_pid_ns,
                     uint32_t number, uint64_t *ret)
{
    uint64_t array = origin_member(
        reading, origin_member(reading, init_pid_ns, MEMBER_NAMESPACE_IDR),
        MEMBER_IDR_ARRAY);
    uint32_t shift = LEVELS_MAX * SLOT_BITS;

    if ( !origin_word(reading, array, MEMBER_ARRAY_HEAD, ret) )
        return false;
    while ( (*ret & SLOT_MASK) == IS_NODE && shift )
        if ( !descend_to_number(reading, *ret - IS_NODE, number, &shift, ret) )
            return false;
    return origin_is_address(*ret);
}

bool task_is_thread(const struct origin_reading *reading, uint64_t task,
                    const struct origin_thread *thread)
{
    uint32_t pids[2];
    uint64_t start;

    return guest_memory_get(reading->memory,
                            origin_member(reading, task, MEMBER_TASK_PID), pids,
                            sizeof(pids)) &&
           pids[0] == thread->tid && pids[1] == thread->pid &&
           origin_word(reading, task, MEMBER_TASK_START, &start) &&
           start == thread->start;
}

/* The list of the tasks whose own number it is begins in struct pid, and leads
 * into the task. */
bool task_of_number(const struct origin_reading *reading, uint64_t init_pid_ns,
                    uint32_t tid, uint64_t *ret)
{
    uint64_t pid;

    if ( !find_pid(reading, init_pid_ns, tid, &pid) ||
         !origin_address(reading, pid, MEMBER_PID_TASKS, ret) )
        return false;
    *ret -= reading->layout->at[MEMBER_TASK_LINKS];
    return true;
}

bool task_find(const struct origin_reading *reading, uint64_t init_pid_ns,
               const struct origin_thread *thread, uint64_t *ret)
{
    return task_of_number(reading, init_pid_ns, thread->tid, ret) &&
           task_is_thread(reading, *ret, thread);
}
