/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a thread's number to its task. */
#ifndef XENOPROF_GUEST_LINUX_TASKS_TASK_FIND_H
#define XENOPROF_GUEST_LINUX_TASKS_TASK_FIND_H

#include "guest/origin.h"
#include "origin-words.h"

/* Returns whether a task has this number in the namespace init_pid_ns, which
 * lies at that address, as far as is known before it is looked at. */
bool task_of_number(const struct origin_reading *reading, uint64_t init_pid_ns,
                    uint32_t tid, uint64_t *ret);
/* The same; and it is that thread's. */
bool task_find(const struct origin_reading *reading, uint64_t init_pid_ns,
               const struct origin_thread *thread, uint64_t *ret);
/* Returns whether a task is that thread's (still). */
bool task_is_thread(const struct origin_reading *reading, uint64_t task,
                    const struct origin_thread *thread);

#endif
