/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes that grow: numbers in as few of them as they need, then the whole
 * packed into text.
 */
#ifndef XENOPROF_REPORT_PAGE_BYTES_H
#define XENOPROF_REPORT_PAGE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct bytes {
    unsigned char *data;
    size_t size, room;
    bool broken; /* there was no memory; nothing more is taken */
};

/* All zero is empty. */
void bytes_free(struct bytes *bytes);
void bytes_put(struct bytes *bytes, const void *data, size_t size);
/* Seven bits a byte, the lowest first; the top bit says that more follow. */
void bytes_number(struct bytes *bytes, uint64_t number);
/* Its size as a number, then itself; from is broken: so is bytes. */
void bytes_section(struct bytes *bytes, const struct bytes *from);

/* Compressed (RFC 1951, no header) and in base64.  False if there is no
 * memory. */
bool bytes_put_packed(const struct bytes *bytes, FILE *file);

#endif
