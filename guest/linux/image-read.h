/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads an image from memory, be it a guest's or a file's. */
#ifndef XENOPROF_GUEST_LINUX_IMAGE_READ_H
#define XENOPROF_GUEST_LINUX_IMAGE_READ_H

#include "guest/fingerprint.h"
#include "linux-image.h"

/* Returns KERNEL_OK with the image of the kernel around the address in *ret, or
 * why there is none. */
enum kernel_status image_read(const struct kernel_search *search,
                              struct linux_image **ret);

/*
 * Reads all but the symbols, which the image has, from the memory where the
 * image lies at its base; what is not there is left out.  All that is read
 * joins the fingerprint, which ends with it.  Returns KERNEL_OK,
 * KERNEL_NO_MEMORY or KERNEL_BUDGET.
 */
enum kernel_status image_complete(struct linux_image *image,
                                  struct guest_memory *memory,
                                  const struct kallsyms_wanted wanted[MARKS],
                                  struct fingerprint *fingerprint);

#endif
