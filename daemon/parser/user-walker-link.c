/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets to the walker of dom0's processes, and its answers, checked. */
#include "user-walker-link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "process-link.h"

struct user_walker {
    struct process_link process;
    uint32_t away; /* stacks without an answer */
    struct {
        uint64_t tag, since; /* our clock: when it was asked for */
    } asked[USER_AWAY_MAX];
    uint64_t since; /* of the last answer, or of the first of these */
    uint64_t stuck; /* since when it takes nothing; 0: it does */
    uint64_t message[USER_MESSAGE_MAX / 8];
};

struct user_walker *user_walker_begin(const struct process_maker *maker)
{
    const struct process_order order = {.kind = PROCESS_USER_WALKER};
    struct user_walker *walker = calloc(1, sizeof(*walker));

    if ( walker && !process_link_begin(&walker->process, maker, &order) )
    {
        free(walker);
        return NULL;
    }
    /* As the walker does. */
    if ( walker )
        mlock2(walker, sizeof(*walker), MLOCK_ONFAULT);
    return walker;
}

void user_walker_end(struct user_walker *walker)
{
    if ( !walker )
        return;
    process_link_end(&walker->process);
    free(walker);
}

int user_walker_fd(const struct user_walker *walker)
{
    return walker->process.socket;
}

uint64_t user_walker_cpu(struct user_walker *walker)
{
    return process_link_cpu(&walker->process);
}

uint32_t user_walker_away(const struct user_walker *walker)
{
    return walker->away;
}

/* Sends what lies in the message, and the bytes behind it. */
static enum link_status send_message(struct user_walker *walker, size_t head,
                                     const void *bytes, size_t size)
{
    uint8_t *at = (uint8_t *)walker->message + head;

    if ( size > sizeof(walker->message) - head )
        return LINK_DIED;
    if ( size )
        memcpy(at, bytes, size);
    if ( process_link_send(&walker->process, walker->message, head + size) )
    {
        walker->stuck = 0;
        return LINK_OK;
    }
    if ( errno != EAGAIN && errno != ENOBUFS )
        return LINK_DIED;
    if ( !walker->stuck )
        walker->stuck = monotonic_now();
    return monotonic_now() - walker->stuck > USER_WALKER_PATIENCE ? LINK_DIED
                                                                  : LINK_MORE;
}

static void note_asked(struct user_walker *walker, uint64_t tag)
{
    uint64_t now = monotonic_now();

    if ( !walker->away )
        walker->since = now;
    walker->asked[walker->away].tag = tag;
    walker->asked[walker->away++].since = now;
}

/* Returns false if that was not asked for. */
static bool note_answered(struct user_walker *walker, uint64_t tag)
{
    for ( uint32_t i = 0; i < walker->away; i++ )
        if ( walker->asked[i].tag == tag )
        {
            /* The first is the one that has waited for longest. */
            memmove(&walker->asked[i], &walker->asked[i + 1],
                    (--walker->away - i) * sizeof(walker->asked[0]));
            walker->since = monotonic_now();
            return true;
        }
    return false;
}

/* It answers nothing, or not the one that has waited for longest. */
static bool is_late(const struct user_walker *walker)
{
    uint64_t now = monotonic_now();

    return now - walker->since > USER_WALKER_PATIENCE ||
           now - walker->asked[0].since > USER_WALKER_LONGEST;
}

enum link_status user_walker_table(struct user_walker *walker, uint32_t table,
                                   const struct agent_table *whole,
                                   uint64_t offset, const void *bytes,
                                   size_t size)
{
    const struct user_piece piece = {
        .head = {USER_TABLE, 0, table}, .size = whole->size, .offset = offset};

    memcpy(walker->message, &piece, sizeof(piece));
    return send_message(walker, sizeof(piece), bytes, size);
}

enum link_status user_walker_forget(struct user_walker *walker, uint32_t table)
{
    const struct user_head head = {USER_FORGET, 0, table};

    memcpy(walker->message, &head, sizeof(head));
    return send_message(walker, sizeof(head), NULL, 0);
}

enum link_status user_walker_space(struct user_walker *walker, uint32_t space,
                                   const struct user_piece_mapped *mappings,
                                   uint32_t count)
{
    const struct user_head head = {USER_SPACE, count, space};

    memcpy(walker->message, &head, sizeof(head));
    return send_message(walker, sizeof(head), mappings,
                        count * sizeof(*mappings));
}

enum link_status user_walker_stack(struct user_walker *walker, uint64_t tag,
                                   uint32_t space,
                                   const struct user_start *start)
{
    const struct user_asked asked = {
        .head = {USER_STACK, 0, tag},
        .space = space,
        .length = (uint32_t)start->window.length,
        .ip = start->ip,
        .address = start->window.address,
        .registers = *start->registers,
    };
    enum link_status status;

    if ( walker->away == USER_AWAY_MAX )
        return LINK_MORE;
    memcpy(walker->message, &asked, sizeof(asked));
    status = send_message(walker, sizeof(asked), start->window.bytes,
                          start->window.length);
    if ( start->window.length <= sizeof(walker->message) - sizeof(asked) )
        explicit_bzero(walker->message, sizeof(asked) + start->window.length);
    if ( status == LINK_OK )
        note_asked(walker, tag);
    return status;
}

static bool take_chain(const struct user_walker *walker, size_t size,
                       uint64_t *tag, struct user_chain *ret)
{
    const uint8_t *at = (const uint8_t *)walker->message;
    struct user_answered answered;

    if ( size < sizeof(answered) )
        return false;
    memcpy(&answered, at, sizeof(answered));
    if ( answered.head.kind != USER_CHAIN || !answered.head.count ||
         answered.head.count > USER_FRAMES_MAX || answered.end >= USER_ENDS ||
         size !=
             sizeof(answered) + answered.head.count * sizeof(ret->frames[0]) )
        return false;
    *tag = answered.head.number;
    ret->count = answered.head.count;
    ret->end = (enum user_end)answered.end;
    ret->wanted = answered.wanted;
    memcpy(ret->frames, at + sizeof(answered),
           ret->count * sizeof(ret->frames[0]));
    for ( uint32_t i = 0; i < ret->count; i++ )
        ret->exact[i] = answered.exact[i / 64] >> i % 64 & 1;
    return true;
}

enum link_status user_walker_next(struct user_walker *walker, uint64_t *tag,
                                  struct user_chain *ret)
{
    size_t size = sizeof(walker->message);
    enum link_status status;

    if ( !walker->away )
        return LINK_MORE;
    status = process_link_receive(&walker->process, walker->message, &size);
    if ( status == LINK_MORE && is_late(walker) )
        return walker->process.ready ? LINK_DIED : LINK_NONE;
    if ( status != LINK_OK )
        return status;
    return take_chain(walker, size, tag, ret) && note_answered(walker, *tag)
               ? LINK_OK
               : LINK_DIED;
}
