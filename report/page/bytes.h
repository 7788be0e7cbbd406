/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A section of a page's data: numbers, each in as few bytes as it needs, or
 * text.
 */
#ifndef XENOPROF_REPORT_PAGE_BYTES_H
#define XENOPROF_REPORT_PAGE_BYTES_H

#include "base/buffer.h"
#include "base/vector.h"

/* All zeroes is empty. */
struct bytes {
    struct buffer buffer;
    struct {
        VECTOR(size_t);
    } edges; /* where columns by place begin, and where they end, in turn */
};

/* A column of numbers that is read and packed best by place: the lowest byte of
 * each, then the next one of each, and so on.  All zeroes is empty. */
struct planes {
    struct bytes place[sizeof(uint64_t)];
    size_t used; /* places: those above are zero */
    size_t count;
};

void bytes_free(struct bytes *bytes);
void bytes_put(struct bytes *bytes, const void *data, size_t size);
/* As put_number() in base/buffer.h. */
void bytes_number(struct bytes *bytes, uint64_t number);
/* Append from, its size as a number first. */
void bytes_section(struct bytes *bytes, const struct bytes *from);

void planes_put(struct planes *planes, uint64_t number);
/* Append a column, how many numbers it has first, as a section.  It is empty
 * then. */
void bytes_planes(struct bytes *bytes, struct planes *from);
void planes_free(struct planes *planes);

#endif
