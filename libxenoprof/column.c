/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cuts numbers into planes and packs them, and puts them together again. */
#include <string.h>

#include "column.h"

#define PLANES_MAX  COLUMN_PLANES_MAX
#define HALF        4u /* of them */
#define PLANES_MASK 0x0fu
#define FORM_BYTES  9u
#define CODING_AT   4u

/* A literal takes a bit at least.  What is more than these are matches, which
 * may be short and take zstd long, and nothing on disk. */
#define SYMBOLS     8u
#define STEPS_MATCH 2u

/* How a stream's bytes are kept. */
enum stream_kind {
    STREAM_SAME,  /* one byte, which all are */
    STREAM_PLAIN, /* as they are */
    STREAM_ZSTD
};
#define STREAM_KIND_BITS 2u

bool column_packer_init(struct column_packer *packer)
{
    *packer = (struct column_packer){.zstd = ZSTD_createCCtx()};
    if ( !packer->zstd )
        return false;
    /* Bytes of a plane repeat by chance, not because what they say does: short
     * matches cost more than what Huffman makes of their bytes. */
    ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_minMatch, 7);
    ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_hashLog, 6);
    return true;
}

void column_packer_free(struct column_packer *packer)
{
    ZSTD_freeCCtx(packer->zstd);
    buffer_free(&packer->plane);
    buffer_free(&packer->packed);
    packer->zstd = NULL;
}

void column_reader_free(struct column_reader *reader)
{
    ZSTD_freeDCtx(reader->zstd);
    for ( unsigned int i = 0; i < PLANES_MAX; i++ )
        buffer_free(&reader->planes[i]);
    buffer_free(&reader->bytes);
    reader->zstd = NULL;
}

static uint64_t fold(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static uint64_t unfold(uint64_t value)
{
    return (value >> 1) ^ -(value & 1);
}

static void encode_values(enum column_coding coding, uint64_t *values,
                          size_t rows)
{
    uint64_t before = 0;

    if ( coding == COLUMN_PLAIN )
        return;
    for ( size_t i = 0; i < rows; i++ )
    {
        uint64_t value = values[i];

        values[i] = fold((int64_t)(value - before));
        if ( coding == COLUMN_DIFFERENCES )
            before = value;
    }
}

/* Numbers are put together so many at a time, in loops of a length that a
 * compiler knows: it makes them vector code. */
#define CHUNK 64u

static void unfold_chunk(uint64_t *values)
{
    for ( size_t i = 0; i < CHUNK; i++ )
        values[i] = unfold(values[i]);
}

static void unfold_all(uint64_t *values, size_t rows)
{
    size_t i = 0;

    for ( ; i + CHUNK <= rows; i += CHUNK )
        unfold_chunk(values + i);
    for ( ; i < rows; i++ )
        values[i] = unfold(values[i]);
}

static void decode(enum column_coding coding, uint64_t *values, size_t rows)
{
    uint64_t before = 0;

    if ( coding != COLUMN_PLAIN )
        unfold_all(values, rows);
    if ( coding == COLUMN_DIFFERENCES )
        for ( size_t i = 0; i < rows; i++ )
            values[i] = before += values[i];
}

static bool append_column_number(struct buffer *to, uint64_t number)
{
    uint8_t bytes[NUMBER_BYTES];

    return buffer_append(to, bytes,
                         (size_t)(put_number(bytes, number) - bytes));
}

static bool append_stream(struct buffer *to, enum stream_kind kind,
                          const void *bytes, size_t size)
{
    return append_column_number(to,
                                (uint64_t)size << STREAM_KIND_BITS | kind) &&
           buffer_append(to, bytes, size);
}

static bool are_same(const uint8_t *bytes, size_t size)
{
    return size > 1 && !memcmp(bytes, bytes + 1, size - 1);
}

static bool put_stream(struct column_packer *packer, const uint8_t *bytes,
                       size_t size, struct buffer *to)
{
    size_t bound = ZSTD_compressBound(size), packed;

    if ( are_same(bytes, size) )
        return append_stream(to, STREAM_SAME, bytes, 1);
    packer->packed.used = 0;
    if ( !buffer_reserve(&packer->packed, bound) )
        return false;
    packed = ZSTD_compress2(packer->zstd, packer->packed.bytes, bound, bytes,
                            size);
    if ( ZSTD_isError(packed) )
        return false;
    return packed < size
               ? append_stream(to, STREAM_ZSTD, packer->packed.bytes, packed)
               : append_stream(to, STREAM_PLAIN, bytes, size);
}

/* The lowest byte is plane 0. */
static bool put_plane(struct column_packer *packer, const uint64_t *values,
                      size_t rows, unsigned int plane, struct buffer *to)
{
    packer->plane.used = 0;
    if ( !buffer_reserve(&packer->plane, rows) )
        return false;
    for ( size_t i = 0; i < rows; i++ )
        packer->plane.bytes[i] = (uint8_t)(values[i] >> 8 * plane);
    return put_stream(packer, packer->plane.bytes, rows, to);
}

static unsigned int planes_of(const uint64_t *values, size_t rows)
{
    uint64_t all = 0;
    unsigned int planes = 1;

    for ( size_t i = 0; i < rows; i++ )
        all |= values[i];
    while ( planes < PLANES_MAX && all >> 8 * planes )
        planes++;
    return planes;
}

static bool put_form(struct buffer *to, enum column_coding coding,
                     unsigned int planes)
{
    const uint8_t form = (uint8_t)(coding << CODING_AT | planes);

    return buffer_append(to, &form, 1);
}

static bool have_one_value(const uint64_t *values, size_t rows)
{
    for ( size_t i = 1; i < rows; i++ )
        if ( values[i] != values[0] )
            return false;
    return true;
}

static unsigned int bits_of(uint64_t value)
{
    return 64 - (unsigned int)__builtin_clzll(value | 1);
}

/* A row that is as the one before takes little either way. */
static enum column_coding choose_coding(const uint64_t *values, size_t rows)
{
    uint64_t plain = 0, differences = 0;

    for ( size_t i = 1; i < rows; i++ )
    {
        const uint64_t more = values[i] - values[i - 1];

        plain += more ? bits_of(values[i]) : 0;
        differences += more ? bits_of(fold((int64_t)more)) : 0;
    }
    return 4 * differences < 3 * plain ? COLUMN_DIFFERENCES : COLUMN_PLAIN;
}

bool column_put(struct column_packer *packer, enum column_coding coding,
                uint64_t *values, size_t rows, struct buffer *to)
{
    unsigned int planes;
    bool done;

    if ( coding == COLUMN_EITHER )
        coding = choose_coding(values, rows);
    encode_values(coding, values, rows);
    if ( have_one_value(values, rows) )
        return put_form(to, coding, 0) && append_column_number(to, values[0]);
    planes = planes_of(values, rows);
    done = put_form(to, coding, planes);
    for ( unsigned int i = 0; done && i < planes; i++ )
        done = put_plane(packer, values, rows, i, to);
    return done;
}

bool column_put_bytes(struct column_packer *packer, const void *bytes,
                      size_t size, struct buffer *to)
{
    return put_form(to, COLUMN_PLAIN, FORM_BYTES) &&
           append_column_number(to, size) &&
           put_stream(packer, bytes, size, to);
}

/* A stream of size bytes: *ret points to them, in the cursor's bytes or in
 * spare. */
static enum column_result get_stream(struct column_reader *reader,
                                     struct cursor *from, size_t size,
                                     struct buffer *spare, const uint8_t **ret)
{
    uint64_t head = get_number(from);
    size_t kept = (size_t)(head >> STREAM_KIND_BITS);
    const unsigned int kind = head & ((1u << STREAM_KIND_BITS) - 1);
    const uint8_t *bytes = get_bytes(from, kept);

    *ret = bytes;
    if ( from->bad || kind > STREAM_ZSTD || (kind == STREAM_SAME && kept != 1) )
        return COLUMN_BAD;
    if ( kind == STREAM_PLAIN )
        return kept == size ? COLUMN_OK : COLUMN_BAD;
    spare->used = 0;
    if ( !buffer_reserve(spare, size + 1) ) /* of nothing, too */
        return COLUMN_NO_MEMORY;
    *ret = spare->bytes;
    if ( kind == STREAM_SAME )
    {
        memset(spare->bytes, bytes[0], size);
        return COLUMN_OK;
    }
    reader->steps += size + (size / SYMBOLS > kept
                                 ? STEPS_MATCH * (size - kept * SYMBOLS)
                                 : 0);
    return ZSTD_decompressDCtx(reader->zstd, spare->bytes, size, bytes, kept) ==
                   size
               ? COLUMN_OK
               : COLUMN_BAD;
}

static void join_plane(uint32_t *restrict half, const uint8_t *restrict plane,
                       unsigned int shift)
{
    for ( size_t i = 0; i < CHUNK; i++ )
        half[i] |= (uint32_t)plane[i] << shift;
}

/* planes[] of count planes; those of the lower half are most often all. */
static void join_chunk(uint64_t *restrict values,
                       const uint8_t *const planes[PLANES_MAX],
                       unsigned int count, size_t at)
{
    uint32_t low[CHUNK] = {0}, high[CHUNK] = {0};

    for ( unsigned int i = 0; i < count; i++ )
        join_plane(i < HALF ? low : high, planes[i] + at, 8 * (i % HALF));
    for ( size_t i = 0; i < CHUNK; i++ )
        values[i] = low[i];
    for ( size_t i = 0; count > HALF && i < CHUNK; i++ )
        values[i] |= (uint64_t)high[i] << 32;
}

/* Rows from at on, fewer than a chunk. */
static void join_rest(uint64_t *values, const uint8_t *const planes[PLANES_MAX],
                      unsigned int count, size_t at, size_t rows)
{
    for ( ; at < rows; at++ )
    {
        values[at] = 0;
        for ( unsigned int i = 0; i < count; i++ )
            values[at] |= (uint64_t)planes[i][at] << 8 * i;
    }
}

static enum column_result get_planes(struct column_reader *reader,
                                     struct cursor *from, size_t rows,
                                     unsigned int count, uint64_t *values)
{
    const uint8_t *planes[PLANES_MAX];
    size_t at = 0;

    for ( unsigned int i = 0; i < count; i++ )
    {
        enum column_result result = get_stream(reader, from, rows,
                                               &reader->planes[i], &planes[i]);

        if ( result )
            return result;
    }
    for ( ; at + CHUNK <= rows; at += CHUNK )
        join_chunk(values + at, planes, count, at);
    join_rest(values, planes, count, at, rows);
    return COLUMN_OK;
}

enum column_result column_get(struct column_reader *reader, struct cursor *from,
                              size_t rows, uint64_t *values)
{
    const uint8_t *form = get_bytes(from, 1);
    unsigned int planes = form ? *form & PLANES_MASK : 0;
    unsigned int coding = form ? *form >> CODING_AT : 0;
    enum column_result result = COLUMN_OK;

    if ( !form || planes > PLANES_MAX || coding > COLUMN_DIFFERENCES )
        return COLUMN_BAD;
    if ( planes )
        result = get_planes(reader, from, rows, planes, values);
    else
    {
        const uint64_t value = get_number(from);

        for ( size_t i = 0; i < rows; i++ )
            values[i] = value;
    }
    if ( result || from->bad )
        return result ? result : COLUMN_BAD;
    decode(coding, values, rows);
    return COLUMN_OK;
}

enum column_result column_get_bytes(struct column_reader *reader,
                                    struct cursor *from)
{
    const uint8_t *form = get_bytes(from, 1), *bytes;
    size_t size = (size_t)get_bounded(from, COLUMN_BYTES_MAX);
    enum column_result result;

    if ( from->bad || *form != FORM_BYTES )
        return COLUMN_BAD;
    result = get_stream(reader, from, size, &reader->planes[0], &bytes);
    reader->bytes.used = 0;
    if ( result )
        return result;
    return buffer_append(&reader->bytes, bytes, size) ? COLUMN_OK
                                                      : COLUMN_NO_MEMORY;
}

enum column_result column_skip(struct cursor *from)
{
    const uint8_t *form = get_bytes(from, 1);
    unsigned int streams = form ? *form & PLANES_MASK : 0;

    if ( !form || streams > FORM_BYTES )
        return COLUMN_BAD;
    if ( streams == 0 || streams == FORM_BYTES )
        get_number(from);
    if ( streams == FORM_BYTES )
        streams = 1;
    for ( unsigned int i = 0; i < streams && !from->bad; i++ )
        get_bytes(from, (size_t)(get_number(from) >> STREAM_KIND_BITS));
    return from->bad ? COLUMN_BAD : COLUMN_OK;
}
