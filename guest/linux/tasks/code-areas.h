/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The areas of a process's memory that may be executed (struct vm_area_struct),
 * read while its guest runs.  What the guest changes meanwhile may be missed,
 * or make all of it nonsense: then it is to be read again.
 */
#ifndef XENOPROF_GUEST_LINUX_TASKS_CODE_AREAS_H
#define XENOPROF_GUEST_LINUX_TASKS_CODE_AREAS_H

#include "guest/mapped.h"
#include "guest/memory.h"
#include "kernel-layout.h"

/* Areas of one process that are looked at. */
#define AREAS_MAX 4096u

struct code_area {
    uint64_t start, end;
    uint64_t offset; /* in the file, bytes */
    uint64_t file;   /* struct file; 0: none */
};

struct code_areas {
    uint32_t count;
    struct code_area items[MAPPED_MAX]; /* by address */
};

/* Takes those of the struct mm_struct at that address; if there are more than
 * the limits say, the first ones.  Returns false if what is there is no list or
 * tree of areas of that memory. */
bool code_areas_read(const struct kernel_layout *layout,
                     struct guest_memory *memory, uint64_t mm,
                     struct code_areas *ret);

#endif
