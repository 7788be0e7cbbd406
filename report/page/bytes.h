/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A section of a page's data: numbers, each in as few bytes as it needs, or
 * text.
 */
#ifndef XENOPROF_REPORT_PAGE_BYTES_H
#define XENOPROF_REPORT_PAGE_BYTES_H

#include "base/buffer.h"

/* All zeroes is empty. */
struct bytes {
    struct buffer buffer;
};

void bytes_free(struct bytes *bytes);
void bytes_put(struct bytes *bytes, const void *data, size_t size);
/* As put_number() in base/buffer.h. */
void bytes_number(struct bytes *bytes, uint64_t number);
/* Append from, its size as a number first. */
void bytes_section(struct bytes *bytes, const struct bytes *from);

#endif
