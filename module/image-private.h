/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the ways to open an image share. */
#ifndef XENOPROF_MODULE_IMAGE_PRIVATE_H
#define XENOPROF_MODULE_IMAGE_PRIVATE_H

#include "image.h"

/*
 * Sorts the symbols and builds the index by name, once all are in place.
 * Returns 0, -ENOMEM, or -EINVAL: there are none.
 */
int image_index(struct hypervisor_image *image);

#endif /* XENOPROF_MODULE_IMAGE_PRIVATE_H */
