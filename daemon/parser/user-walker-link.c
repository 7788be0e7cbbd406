/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets to the walker of dom0's processes, windows beside them, and its
 * answers, checked. */
#include "user-walker-link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "batch-area.h"
#include "cage/process-link.h"

_Static_assert(XENOPROF_RECORD_MAX <= USER_WINDOWS_SIZE &&
                   sizeof(struct user_head) +
                           USER_STACKS_TOGETHER * sizeof(struct user_asked) <=
                       USER_MESSAGE_MAX,
               "each stack has room");

struct user_walker {
    struct process_link process;
    struct {
        uint64_t tag, since; /* our clock: when it was asked for */
    } asked[USER_AWAY_MAX];  /* a ring of stacks without an answer */
    uint32_t first, away;    /* of them */
    uint64_t since;          /* of the last answers, or of the first of these */
    uint64_t stuck;          /* since when it takes nothing; 0: it does */
    uint32_t gathered;       /* stacks in `to` */
    size_t used;             /* bytes of these, and of what goes before them */
    uint32_t chains;         /* in `from`, that are not taken yet */
    size_t at, size;         /* where these are in it, and where it ends */
    struct batch_area windows;
    uint32_t filled; /* bytes of it, since there were no stacks without an
                        answer */
    uint64_t to[USER_MESSAGE_MAX / 8], from[USER_MESSAGE_MAX / 8];
};

static bool make_user_walker_process(struct user_walker *walker,
                                     const struct process_maker *maker)
{
    static const struct batch_head none;
    struct process_order order = {.kind = PROCESS_USER_WALKER, .count = 1};
    bool made;

    order.files[0] = batch_area_open(&walker->windows, &none);
    if ( order.files[0] < 0 )
        return false;
    made = process_link_begin(&walker->process, maker, &order);
    close(order.files[0]);
    if ( !made )
        batch_area_close(&walker->windows);
    return made;
}

struct user_walker *user_walker_begin(const struct process_maker *maker)
{
    struct user_walker *walker = calloc(1, sizeof(*walker));

    if ( walker && !make_user_walker_process(walker, maker) )
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
    batch_area_close(&walker->windows);
    explicit_bzero(walker->to, walker->used);
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

bool user_walker_gathers(const struct user_walker *walker)
{
    return walker->gathered;
}

static enum link_status send_bytes(struct user_walker *walker, size_t size)
{
    if ( process_link_send(&walker->process, walker->to, size) )
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

enum link_status user_walker_send(struct user_walker *walker)
{
    const struct user_head head = {USER_STACKS, walker->gathered, 0};
    enum link_status status;

    if ( !walker->gathered )
        return LINK_OK;
    memcpy(walker->to, &head, sizeof(head));
    status = send_bytes(walker, walker->used);
    if ( status != LINK_OK )
        return status;
    explicit_bzero(walker->to, walker->used);
    walker->gathered = 0;
    walker->used = 0;
    return LINK_OK;
}

/* What is not a stack.  Those that were asked for before it go before it. */
static enum link_status send_user_message(struct user_walker *walker,
                                          const void *head, size_t head_size,
                                          const void *bytes, size_t size)
{
    enum link_status status = user_walker_send(walker);

    if ( status != LINK_OK )
        return status;
    if ( size > sizeof(walker->to) - head_size )
        return LINK_DIED;
    memcpy(walker->to, head, head_size);
    if ( size )
        memcpy((uint8_t *)walker->to + head_size, bytes, size);
    return send_bytes(walker, head_size + size);
}

/* It answers nothing, or not the one that has waited for longest. */
static bool is_user_walker_late(const struct user_walker *walker)
{
    uint64_t now = monotonic_now();

    return now - walker->since > USER_WALKER_PATIENCE ||
           now - walker->asked[walker->first].since > USER_WALKER_LONGEST;
}

enum link_status user_walker_table(struct user_walker *walker, uint32_t table,
                                   const struct agent_table *whole,
                                   uint64_t offset, const void *bytes,
                                   size_t size)
{
    const struct user_piece piece = {
        .head = {USER_TABLE, 0, table}, .size = whole->size, .offset = offset};

    return send_user_message(walker, &piece, sizeof(piece), bytes, size);
}

enum link_status user_walker_forget(struct user_walker *walker, uint32_t table)
{
    const struct user_head head = {USER_FORGET, 0, table};

    return send_user_message(walker, &head, sizeof(head), NULL, 0);
}

enum link_status user_walker_space(struct user_walker *walker, uint32_t space,
                                   const struct user_piece_mapped *mappings,
                                   uint32_t count)
{
    const struct user_head head = {USER_SPACE, count, space};

    return send_user_message(walker, &head, sizeof(head), mappings,
                             count * sizeof(*mappings));
}

/* There is room for it. */
static void put_asked_stack(struct user_walker *walker, uint32_t space,
                            const struct user_start *start)
{
    const struct user_window *window = &start->window;
    const struct user_asked asked = {
        .space = space,
        .length = (uint32_t)window->length,
        .at = walker->filled,
        .ip = start->ip,
        .address = window->address,
        .registers = *start->registers,
    };

    if ( window->length )
        memcpy(walker->windows.bytes + asked.at, window->bytes, window->length);
    walker->filled += asked.length;
    if ( !walker->gathered )
        walker->used = sizeof(struct user_head);
    memcpy((uint8_t *)walker->to + walker->used, &asked, sizeof(asked));
    walker->used += sizeof(asked);
    walker->gathered++;
}

enum link_status user_walker_stack(struct user_walker *walker, uint64_t tag,
                                   uint32_t space,
                                   const struct user_start *start)
{
    enum link_status status = LINK_OK;
    uint32_t last;
    uint64_t now;

    if ( walker->away == USER_AWAY_MAX ||
         start->window.length > USER_WINDOWS_SIZE - walker->filled )
        return LINK_MORE;
    if ( walker->gathered == USER_STACKS_TOGETHER )
        status = user_walker_send(walker);
    if ( status != LINK_OK )
        return status;
    put_asked_stack(walker, space, start);
    last = (walker->first + walker->away) % USER_AWAY_MAX;
    now = monotonic_now();
    if ( !walker->away )
        walker->since = now;
    walker->asked[last].tag = tag;
    walker->asked[last].since = now;
    walker->away++;
    return LINK_OK;
}

/* The first of the chains that are not taken yet. */
static bool next_answered_chain(struct user_walker *walker,
                                struct user_chain *ret)
{
    const uint8_t *at = (const uint8_t *)walker->from + walker->at;
    size_t left = walker->size - walker->at, size;
    struct user_answered answered;

    if ( left < sizeof(answered) )
        return false;
    memcpy(&answered, at, sizeof(answered));
    size = sizeof(answered) + answered.count * sizeof(ret->frames[0]);
    if ( !answered.count || answered.count > USER_ANSWER_FRAMES ||
         answered.end >= USER_ENDS || size > left )
        return false;
    ret->count = answered.count;
    ret->end = (enum user_end)answered.end;
    ret->wanted = answered.wanted;
    memcpy(ret->frames, at + sizeof(answered),
           ret->count * sizeof(ret->frames[0]));
    for ( uint32_t i = 0; i < ret->count; i++ )
        ret->exact[i] = answered.exact[i / 64] >> i % 64 & 1;
    walker->at += size;
    /* Nothing is behind the last. */
    return --walker->chains || size == left;
}

static enum link_status receive_chains(struct user_walker *walker)
{
    size_t size = sizeof(walker->from);
    struct user_head head;
    enum link_status status;
    bool right;

    if ( !walker->away )
        return LINK_MORE;
    status = process_link_receive(&walker->process, walker->from, &size);
    if ( status == LINK_MORE && is_user_walker_late(walker) )
        return walker->process.ready ? LINK_DIED : LINK_NONE;
    if ( status != LINK_OK )
        return status;
    if ( size < sizeof(head) )
        return LINK_DIED;
    memcpy(&head, walker->from, sizeof(head));
    walker->chains = head.count;
    walker->at = sizeof(head);
    walker->size = size;
    walker->since = monotonic_now();
    /* What it was not sent it cannot answer. */
    right = head.kind == USER_CHAINS && head.count &&
            head.count <= walker->away - walker->gathered;
    return right ? LINK_OK : LINK_DIED;
}

enum link_status user_walker_next(struct user_walker *walker, uint64_t *tag,
                                  struct user_chain *ret)
{
    enum link_status status = walker->chains ? LINK_OK : receive_chains(walker);

    if ( status == LINK_OK && !next_answered_chain(walker, ret) )
        status = LINK_DIED;
    if ( status != LINK_OK )
        return status;
    /* It is of the one that has waited for longest. */
    *tag = walker->asked[walker->first].tag;
    walker->first = (walker->first + 1) % USER_AWAY_MAX;
    if ( !--walker->away )
    {
        /* Nobody looks at windows any more. */
        explicit_bzero(walker->windows.bytes, walker->filled);
        batch_area_trim(&walker->windows, walker->filled);
        walker->filled = 0;
    }
    return LINK_OK;
}
