/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one process has mapped as code, read while its guest runs. */
#ifndef XENOPROF_GUEST_LINUX_TASKS_MAPPING_READ_H
#define XENOPROF_GUEST_LINUX_TASKS_MAPPING_READ_H

#include "guest/mapped.h"
#include "mapping-layout.h"
#include "origin-words.h"

/* What one kernel says, the same for all of its processes. */
struct mapping_facts {
    const struct origin_layout *origins;
    const struct mapping_layout *layout;
    uint32_t comm; /* in struct task_struct */
    uint64_t init_pid_ns;
};

/*
 * Returns whether the thread that is meant was there, and had the same name and
 * memory before and after that was read.  A piece of a file has its path if it
 * has one in the root of the guest's process 1: not if the file was removed, is
 * of another root, as a container has one, or of none.  What is kept of memory
 * is not to be had: the guest goes on meanwhile.
 */
bool mapping_read(const struct mapping_facts *facts,
                  struct guest_memory *memory,
                  const struct mapped_process *process,
                  struct mapped_space *ret);

#endif
