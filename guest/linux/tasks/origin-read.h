/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread's program and cgroup, read while its guest runs. */
#ifndef XENOPROF_GUEST_LINUX_TASKS_ORIGIN_READ_H
#define XENOPROF_GUEST_LINUX_TASKS_ORIGIN_READ_H

#include "guest/memory.h"
#include "guest/origin.h"
#include "origin-words.h"

/*
 * Returns whether the thread was there, before and after its origin was read;
 * what of that could not be read, or has no end, is "".  thread is one of the
 * namespace init_pid_ns, which lies at that address.  What is kept of memory is
 * not to be had: the guest goes on meanwhile.
 */
bool origin_read(const struct kernel_layout *layout, uint64_t init_pid_ns,
                 struct guest_memory *memory,
                 const struct origin_thread *thread, struct thread_origin *ret);

#endif
