/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds out what need not be read. */
#include <unistd.h>

#include "session-seek.h"

/* A guest's kernel may get its names so much later than its samples were taken,
 * and Xen's account of idle time is looked at so often. */
#define NEAR 10000000000ull /* ns */

static bool overlaps(const struct session_block_header *header, uint64_t from,
                     uint64_t to)
{
    return header->last >= from && header->first < to;
}

bool seek_wants(const struct session_span *span,
                const struct session_block_header *header)
{
    return header->samples &&
           (!span->given || overlaps(header, span->from, span->to));
}

static uint64_t soon_after(uint64_t time)
{
    return time < UINT64_MAX - NEAR ? time + NEAR : UINT64_MAX;
}

/* What is not samples is wanted of a little more than the span. */
static bool is_near(const struct session_span *span,
                    const struct session_block_header *header)
{
    uint64_t from = span->from > NEAR ? span->from - NEAR : 0;

    return overlaps(header, from, span->near_to);
}

bool seek_passes(struct xenoprof_session *session,
                 const struct session_block_header *header, uint64_t end)
{
    struct session_span *span = &session->span;

    if ( !span->given || !header->samples )
        return false;
    if ( !overlaps(header, span->from, span->to) )
        return end < session->size;
    /* Samples of the span that waited get their names later still. */
    if ( span->near_to < soon_after(header->last) )
        span->near_to = soon_after(header->last);
    return false;
}

bool seek_sums(const struct xenoprof_session *session,
               const struct session_block_header *header, uint64_t end)
{
    const struct session_span *span = &session->span;

    return session->sums && header->flags & SESSION_BLOCK_TICKS &&
           header->samples && end < session->size &&
           (!span->given ||
            (header->first >= span->from && header->last < span->to));
}

bool seek_header(const struct xenoprof_session *session, uint64_t offset,
                 struct session_block_header *ret)
{
    uint64_t left = session->size - offset;

    return offset <= session->size && left >= sizeof(*ret) &&
           pread(session->fd, ret, sizeof(*ret), (off_t)offset) ==
               (ssize_t)sizeof(*ret) &&
           session_block_sound(ret) &&
           session_block_size(ret) <= left - sizeof(*ret);
}

bool seek_is_far(const struct xenoprof_session *session, uint64_t *samples,
                 uint64_t *sequence)
{
    uint64_t offset = session->offset;
    struct session_block_header header;

    *samples = 0;
    *sequence = session->sequence;
    for ( ; offset < session->size;
          offset += sizeof(header) + session_block_size(&header) )
    {
        if ( !seek_header(session, offset, &header) ||
             is_near(&session->span, &header) ||
             (session->sequence_known && header.sequence != *sequence) )
            return false;
        *samples += header.samples;
        *sequence = header.sequence + 1;
    }
    return true;
}

uint64_t seek_last(const struct xenoprof_session *session)
{
    uint64_t offset = sizeof(struct session_file_header), last = 0;
    struct session_block_header header;

    while ( offset < session->size && seek_header(session, offset, &header) )
    {
        if ( header.last > last )
            last = header.last;
        offset += sizeof(header) + session_block_size(&header);
    }
    return offset == session->size ? last : 0;
}

void xenoprof_session_span(struct xenoprof_session *session, uint64_t from,
                           uint64_t to)
{
    session->span.given = true;
    session->span.judged = false;
    session->span.from = from;
    session->span.to = to;
    session->span.near_to = soon_after(to);
}

uint64_t xenoprof_session_left_out(const struct xenoprof_session *session)
{
    return session->span.left_out;
}
