/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one process has mapped as code, read while its guest runs. */
#ifndef XENOPROF_GUEST_LINUX_TASKS_MAPPING_READ_H
#define XENOPROF_GUEST_LINUX_TASKS_MAPPING_READ_H

#include "guest/mapped.h"
#include "origin-words.h"
#include "page-cache.h"

/* What one kernel says, the same for all of its processes. */
struct mapping_facts {
    const struct kernel_layout *layout;
    const struct cache_facts *cache; /* NULL: files are not to be known */
    uint64_t init_pid_ns;
};

/*
 * Returns whether the thread that is meant was there, and had the same name and
 * memory before and after that was read.  A piece of a file has its path; one
 * that is none in the root of the guest's process 1 is elsewhere: if the file
 * was removed, or is of another root, as a container has one.  What is kept of
 * memory is not to be had: the guest goes on meanwhile.
 */
bool mapping_read(const struct mapping_facts *facts,
                  struct guest_memory *memory,
                  const struct mapped_process *process,
                  struct mapped_space *ret);

#endif
