/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The five ways of packing; all but LZ4 are done by their libraries. */
#include "unpack-formats.h"

#include <limits.h>
#include <lzma.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define MEMORY_MAX       (192u << 20) /* for a decoder itself */
#define LZ4_BLOCK_MAX    (8u << 20)
#define LZ4_MATCH_MIN    4u
#define LZ4_MORE         15u  /* in a length of 4 bits: bytes follow */
#define LZ4_MORE_IN_BYTE 255u /* and in those */

size_t unpack_gzip(const uint8_t *bytes, size_t size, uint8_t *to, size_t room)
{
    z_stream stream = {0};
    int status;

    if ( size > UINT_MAX || inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK )
        return 0;
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = to;
    stream.avail_out = (uInt)room;
    status = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return status == Z_STREAM_END ? room - stream.avail_out : 0;
}

static size_t run_lzma(lzma_stream *stream, const uint8_t *bytes, size_t size,
                       uint8_t *to, size_t room)
{
    lzma_ret status;

    stream->next_in = bytes;
    stream->avail_in = size;
    stream->next_out = to;
    stream->avail_out = room;
    status = lzma_code(stream, LZMA_RUN);
    lzma_end(stream);
    return status == LZMA_STREAM_END ? room - stream->avail_out : 0;
}

size_t unpack_xz(const uint8_t *bytes, size_t size, uint8_t *to, size_t room)
{
    lzma_stream stream = LZMA_STREAM_INIT;

    if ( lzma_stream_decoder(&stream, MEMORY_MAX, 0) != LZMA_OK )
        return 0;
    return run_lzma(&stream, bytes, size, to, room);
}

size_t unpack_lzma(const uint8_t *bytes, size_t size, uint8_t *to, size_t room)
{
    lzma_stream stream = LZMA_STREAM_INIT;

    if ( lzma_alone_decoder(&stream, MEMORY_MAX) != LZMA_OK )
        return 0;
    return run_lzma(&stream, bytes, size, to, room);
}

size_t unpack_zstd(const uint8_t *bytes, size_t size, uint8_t *to, size_t room)
{
    size_t frame = ZSTD_findFrameCompressedSize(bytes, size), done;

    if ( ZSTD_isError(frame) )
        return 0;
    /* At once: a window of its own would be 128 MiB. */
    done = ZSTD_decompress(to, room, bytes, frame);
    return ZSTD_isError(done) ? 0 : done;
}

struct lz4 {
    const uint8_t *at, *end;
    uint8_t *to, *to_start, *to_end;
};

/* The rest of a length whose first 4 bits are in length. */
static bool lz4_length(struct lz4 *block, size_t *length)
{
    uint8_t more;

    if ( *length < LZ4_MORE )
        return true;
    do
    {
        if ( block->at == block->end )
            return false;
        more = *block->at++;
        *length += more;
    } while ( more == LZ4_MORE_IN_BYTE );
    return true;
}

static bool lz4_literals(struct lz4 *block, size_t length)
{
    if ( !lz4_length(block, &length) ||
         length > (size_t)(block->end - block->at) ||
         length > (size_t)(block->to_end - block->to) )
        return false;
    memcpy(block->to, block->at, length);
    block->at += length;
    block->to += length;
    return true;
}

static bool lz4_match(struct lz4 *block, size_t length)
{
    size_t distance;

    if ( block->end - block->at < 2 )
        return false;
    distance = block->at[0] | (size_t)block->at[1] << 8;
    block->at += 2;
    if ( !lz4_length(block, &length) || !distance ||
         distance > (size_t)(block->to - block->to_start) ||
         length + LZ4_MATCH_MIN > (size_t)(block->to_end - block->to) )
        return false;
    /* The match may reach into what it makes. */
    for ( length += LZ4_MATCH_MIN; length; length--, block->to++ )
        *block->to = *(block->to - distance);
    return true;
}

/* Returns how many bytes the block had, 0 if it is damaged. */
static size_t lz4_block(struct lz4 *block)
{
    while ( block->at < block->end )
    {
        uint8_t token = *block->at++;

        if ( !lz4_literals(block, token >> 4) )
            return 0;
        if ( block->at == block->end )
            break;
        if ( !lz4_match(block, token & 15) )
            return 0;
    }
    return (size_t)(block->to - block->to_start);
}

size_t unpack_lz4(const uint8_t *bytes, size_t size, uint8_t *to, size_t room)
{
    const uint8_t *at = bytes + 4, *end = bytes + size;
    size_t done = 0, got;
    uint32_t length;

    /* The last word is not a block but the length of the whole. */
    while ( end - at > 4 )
    {
        size_t most = room - done < LZ4_BLOCK_MAX ? room - done : LZ4_BLOCK_MAX;
        struct lz4 block;

        memcpy(&length, at, sizeof(length));
        at += 4;
        if ( length > (size_t)(end - at) )
            return 0;
        block = (struct lz4){at, at + length, to + done, to + done,
                             to + done + most};
        got = lz4_block(&block);
        if ( !got )
            return 0;
        done += got;
        at += length;
    }
    return done;
}
