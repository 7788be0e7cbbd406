/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an image's type information says, of kernel modules, of tasks,
 * where they come from, what they have mapped and what of files is in memory.
 * All of it is read in one walk, since types lie far from each other, and all
 * bytes are off one budget.
 */
#ifndef XENOPROF_GUEST_LINUX_IMAGE_TYPES_H
#define XENOPROF_GUEST_LINUX_IMAGE_TYPES_H

#include "linux-image.h"
#include "tasks/task-cpus.h"

/* Reads the types once, and the code a little, as the marks say where they are.
 * What is not there is not known: the image says so. */
void image_read_types(struct linux_image *image, struct guest_memory *memory,
                      const struct kallsyms_wanted wanted[MARKS]);

/* As kernel_get_tasks(), of a kernel whose types are read. */
void image_read_tasks(const struct linux_image *image,
                      struct guest_memory *memory,
                      const struct task_place *place, struct task_list *ret);

/* Returns whether its types say what kernel_get_origin() reads. */
bool image_knows_origins(const struct linux_image *image);

/* The same of kernel_get_mapped(). */
bool image_knows_mapped(const struct linux_image *image);

/* The same of kernel_get_leaves(). */
bool image_knows_cached(const struct linux_image *image);

#endif
