/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ORC rows of an image. */
#ifndef XENOPROF_GUEST_LINUX_IMAGE_ORC_H
#define XENOPROF_GUEST_LINUX_IMAGE_ORC_H

#include "guest/fingerprint.h"
#include "linux-image.h"

/*
 * Reads the rows of a kernel that lies in memory at the image's base into
 * image->orc, and adds them to the fingerprint.  Returns KERNEL_OK, also if
 * there are none, KERNEL_NO_MEMORY, or KERNEL_BUDGET.
 */
enum kernel_status image_read_orc(struct linux_image *image,
                                  struct guest_memory *memory,
                                  const struct kallsyms_wanted wanted[MARKS],
                                  struct fingerprint *fingerprint);

#endif
