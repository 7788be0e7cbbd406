/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows that a compiler wrote into a kernel's file (.eh_frame or
 * .debug_frame), for kernels that have no rows of their own.
 */
#ifndef XENOPROF_GUEST_LINUX_IMAGE_ROWS_H
#define XENOPROF_GUEST_LINUX_IMAGE_ROWS_H

#include "linux-image.h"

/* Takes the rows of the ELF file that the image was made of, if it has any. */
void image_read_rows(struct linux_image *image, const void *file, size_t size);

/* The image's rows as flat bytes; it has some. */
bool image_rows_put(const struct linux_image *image, struct buffer *to);
/* Returns whether the rows in these bytes, which are used where they lie, are
 * now the image's. */
bool image_rows_get(struct linux_image *image, struct cursor *from);

/* Returns the code of an image with rows, where a guest has it at this base, or
 * NULL if there is no memory. */
struct user_space *image_space(const struct linux_image *image, uint64_t base);

#endif
