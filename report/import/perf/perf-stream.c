/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf-stream.h"

#include "base/must.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#define READ_BYTES   (1u << 20)
#define UNPACKED_MAX (64u << 20) /* of one record: perf packs a few MB */

struct perf_stream {
    int fd;
    uint64_t offset; /* in the file, of what is read next into bytes */
    uint64_t left;   /* of the file's records, that were not read yet */
    uint64_t begun;  /* where the last record began */
    size_t at, have; /* in bytes */
    uint8_t *bytes;
    bool cut;
    ZSTD_DStream *packed; /* NULL: nothing was packed so far */
    struct buffer plain;  /* unpacked */
    size_t plain_at;
};

struct perf_stream *perf_stream_open(int fd, uint64_t offset, uint64_t size)
{
    struct perf_stream *stream = must(calloc(1, sizeof(*stream)));

    stream->fd = fd;
    stream->offset = offset;
    stream->left = size;
    stream->bytes = must(malloc(READ_BYTES));
    return stream;
}

void perf_stream_close(struct perf_stream *stream)
{
    if ( !stream )
        return;
    ZSTD_freeDStream(stream->packed);
    buffer_free(&stream->plain);
    free(stream->bytes);
    free(stream);
}

uint64_t perf_stream_offset(const struct perf_stream *stream)
{
    return stream->begun;
}

bool perf_stream_cut(const struct perf_stream *stream)
{
    return stream->cut;
}

/* Returns the next bytes of the file, or NULL if there are not so many.  size
 * is less than READ_BYTES. */
static const uint8_t *file_bytes(struct perf_stream *stream, size_t size)
{
    const uint8_t *bytes;

    if ( stream->have - stream->at < size )
    {
        memmove(stream->bytes, stream->bytes + stream->at,
                stream->have - stream->at);
        stream->have -= stream->at;
        stream->at = 0;
    }
    while ( stream->have - stream->at < size )
    {
        size_t room = READ_BYTES - stream->have;
        ssize_t got;

        room = room < stream->left ? room : (size_t)stream->left;
        got = room ? pread(stream->fd, stream->bytes + stream->have, room,
                           (off_t)stream->offset)
                   : 0;
        if ( got < 0 && errno == EINTR )
            continue;
        if ( got <= 0 )
            return NULL;
        stream->have += (size_t)got;
        stream->offset += (uint64_t)got;
        stream->left -= (uint64_t)got;
    }
    bytes = stream->bytes + stream->at;
    stream->at += size;
    return bytes;
}

/* Passes over what follows some records. */
static void skip(struct perf_stream *stream, uint64_t size)
{
    const size_t have = stream->have - stream->at;

    if ( size <= have )
    {
        stream->at += (size_t)size;
        return;
    }
    stream->at = stream->have = 0;
    size -= have;
    size = size < stream->left ? size : stream->left;
    stream->offset += size;
    stream->left -= size;
}

/* Puts a record's header and body into ret.  Returns false if it is too
 * short. */
static bool take_record(const struct perf_event_header *head,
                        const uint8_t *body, struct perf_record *ret)
{
    *ret = (struct perf_record){
        .type = head->type,
        .misc = head->misc,
        .body = {body, body + head->size - sizeof(*head), false}};
    return true;
}

/* Returns whether what was unpacked has a whole record; *wrong: it never
 * will. */
static bool plain_record(struct perf_stream *stream, struct perf_record *ret,
                         const char **wrong)
{
    const size_t left = stream->plain.used - stream->plain_at;
    struct perf_event_header head;
    const uint8_t *at;

    if ( left < sizeof(head) )
        return false;
    at = stream->plain.bytes + stream->plain_at;
    memcpy(&head, at, sizeof(head));
    if ( head.size < sizeof(head) )
        *wrong = "a packed record is shorter than its header";
    if ( head.size < sizeof(head) || left < head.size )
        return false;
    stream->plain_at += head.size;
    return take_record(&head, at + sizeof(head), ret);
}

/* The end of what was unpacked may be a record's beginning. */
static const char *unpack_record(struct perf_stream *stream,
                                 const struct cursor *body)
{
    ZSTD_inBuffer in = {body->at, cursor_left(body), 0};
    ZSTD_outBuffer out;
    size_t left = stream->plain.used - stream->plain_at, more;

    if ( left )
        memmove(stream->plain.bytes, stream->plain.bytes + stream->plain_at,
                left);
    stream->plain.used = left;
    stream->plain_at = 0;
    if ( !stream->packed )
        stream->packed = must(ZSTD_createDStream());
    do
    {
        must_do(buffer_reserve(&stream->plain, ZSTD_DStreamOutSize()));
        out = (ZSTD_outBuffer){stream->plain.bytes + stream->plain.used,
                               stream->plain.room - stream->plain.used, 0};
        more = ZSTD_decompressStream(stream->packed, &out, &in);
        if ( ZSTD_isError(more) )
            return "what perf packed is damaged";
        stream->plain.used += out.pos;
        if ( stream->plain.used > UNPACKED_MAX )
            return "a packed record has more than 64 MB";
    } while ( in.pos < in.size || out.pos == out.size );
    return NULL;
}

/* Of a record whose data follow it. */
static void skip_data(struct perf_stream *stream, struct cursor body,
                      uint32_t type)
{
    if ( type == PERF_ADDED_AUXTRACE )
        skip(stream, perf_u64(&body));
    else if ( type == PERF_ADDED_TRACING_DATA )
        skip(stream, ((uint64_t)perf_u32(&body) + 7) / 8 * 8);
}

static bool file_record(struct perf_stream *stream, struct perf_record *ret,
                        const char **wrong)
{
    const uint8_t *bytes;
    struct perf_event_header head;

    stream->begun = stream->offset - (stream->have - stream->at);
    bytes = file_bytes(stream, sizeof(head));
    if ( !bytes )
    {
        stream->cut |= stream->have > stream->at;
        return false;
    }
    memcpy(&head, bytes, sizeof(head));
    if ( head.size < sizeof(head) )
    {
        *wrong = "a record is shorter than its header";
        return false;
    }
    bytes = file_bytes(stream, head.size - sizeof(head));
    if ( !bytes )
    {
        stream->cut = true;
        return false;
    }
    take_record(&head, bytes, ret);
    skip_data(stream, ret->body, ret->type);
    return true;
}

bool perf_stream_next(struct perf_stream *stream, struct perf_record *ret,
                      const char **wrong)
{
    *wrong = NULL;
    for ( ;; )
    {
        if ( plain_record(stream, ret, wrong) )
            return true;
        if ( *wrong || !file_record(stream, ret, wrong) )
            return false;
        if ( ret->type != PERF_ADDED_COMPRESSED &&
             ret->type != PERF_ADDED_COMPRESSED2 )
            return true;
        if ( ret->type == PERF_ADDED_COMPRESSED2 )
        {
            const uint64_t size = perf_u64(&ret->body);

            if ( size < cursor_left(&ret->body) )
                ret->body.end = ret->body.at + size;
        }
        *wrong = unpack_record(stream, &ret->body);
        if ( *wrong )
            return false;
    }
}
