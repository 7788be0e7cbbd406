/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An image as flat bytes: the same for equal kernels, wherever they lie. */
#ifndef XENOPROF_GUEST_LINUX_IMAGE_FLAT_H
#define XENOPROF_GUEST_LINUX_IMAGE_FLAT_H

#include "linux-image.h"

/* Appends the image, without its base, to flat ones.  Returns false if there
 * is no memory. */
bool image_put(const struct linux_image *image, struct buffer *to);
/* Returns KERNEL_OK with the next flat image, with base 0, whose bytes it uses
 * where they lie; KERNEL_DAMAGED or KERNEL_NO_MEMORY. */
enum kernel_status image_get(struct cursor *from, struct linux_image **ret);

#endif
