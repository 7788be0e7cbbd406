/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A column: one number for each of some rows, as few bytes on disk.
 *
 * Numbers, or what they differ by, are cut into planes: the lowest bytes of all
 * rows, then the next higher ones, as many as the largest has.  Each plane is
 * compressed for itself: bytes of one plane are alike, and those of two are
 * not.  A plane of one byte throughout takes two bytes, and so does a column of
 * one small number.
 *
 *   form     bits 0 to 3: planes, 0 to 8, or 9: bytes; bits 4 and 5: coding
 *   0 planes the number that all rows have
 *   planes   one stream each, of as many bytes as there are rows
 *   bytes    their number, and a stream of them
 *   stream   size * 4 + how it is kept, and that many bytes
 */
#ifndef XENOPROF_LIBXENOPROF_COLUMN_H
#define XENOPROF_LIBXENOPROF_COLUMN_H

#include <zstd.h>

#include "base/buffer.h"

#define COLUMN_ROWS_MAX   65536u
#define COLUMN_BYTES_MAX  (8u << 20)
#define COLUMN_PLANES_MAX 8u

/* What is cut into planes. */
enum column_coding {
    COLUMN_PLAIN,  /* the numbers */
    COLUMN_SIGNED, /* small ones may be below 0: folded as by put_signed() */
    COLUMN_DIFFERENCES, /* ... to the row before, the first one's to 0 */
    COLUMN_EITHER /* for column_put(): numbers, or differences where these are
                     much smaller */
};

/* Makes columns. */
struct column_packer {
    ZSTD_CCtx *zstd;
    struct buffer plane, packed;
};

/* Returns false if there is no memory. */
bool column_packer_init(struct column_packer *packer);
void column_packer_free(struct column_packer *packer);

/* Appends a column of 1 to COLUMN_ROWS_MAX numbers to *to; values are used up.
 * Returns false if there is no memory. */
bool column_put(struct column_packer *packer, enum column_coding coding,
                uint64_t *values, size_t rows, struct buffer *to);
/* The same for a row of bytes, COLUMN_BYTES_MAX at most. */
bool column_put_bytes(struct column_packer *packer, const void *bytes,
                      size_t size, struct buffer *to);

/* Reads columns; all zeroes but for zstd is one. */
struct column_reader {
    ZSTD_DCtx *zstd;
    struct buffer planes[COLUMN_PLANES_MAX]; /* of column_get() */
    struct buffer bytes;                     /* of column_get_bytes() */
    uint64_t steps; /* that zstd took so far, of about a nanosecond */
};

void column_reader_free(struct column_reader *reader);

enum column_result { COLUMN_OK, COLUMN_BAD, COLUMN_NO_MEMORY };

/* Reads a column of rows numbers, COLUMN_ROWS_MAX at most, and leaves the
 * cursor behind it.  Returns COLUMN_OK, COLUMN_BAD if the bytes are not such a
 * column, or COLUMN_NO_MEMORY. */
enum column_result column_get(struct column_reader *reader, struct cursor *from,
                              size_t rows, uint64_t *values);
/* The same for a row of bytes, in reader->bytes until the next call. */
enum column_result column_get_bytes(struct column_reader *reader,
                                    struct cursor *from);
/* Leaves the cursor behind a column of any form.  Returns COLUMN_OK or
 * COLUMN_BAD. */
enum column_result column_skip(struct cursor *from);

#endif
