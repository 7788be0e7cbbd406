/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where one guest's processors have the word that is their current task. */
#ifndef XENOPROF_GUEST_LINUX_TASKS_TASK_CPUS_H
#define XENOPROF_GUEST_LINUX_TASKS_TASK_CPUS_H

#include "guest/memory.h"
#include "task-facts.h"

struct task_place {
    uint64_t base;   /* of the kernel */
    bool image_only; /* no other memory may be read, as of dom0 */
};

/*
 * Makes the list of a guest.  Each processor's word is checked: it leads to
 * something that looks like a task.  Without a list, ret->status says why.
 * image_only: nothing behind the table can be read, so nothing is checked but
 * that, and a processor is the vCPU of its number.
 */
void task_cpus_read(const struct task_facts *facts,
                    const struct kernel_layout *layout,
                    struct guest_memory *memory, const struct task_place *place,
                    struct task_list *ret);

#endif
