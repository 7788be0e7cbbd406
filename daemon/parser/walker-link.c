/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batches to a walker, and its answers, which are copied before they are
 * checked, and checked before they are used. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vector.h"
#include "batch-answers.h"
#include "batch-area.h"
#include "batch-requests.h"
#include "cage/process-link.h"
#include "walker-link.h"

#define MILLISECOND 1000000ull
#define SECOND      1000000000ull

/* Bytes that there are at least for names that nobody asked for. */
#define NAMES_ROOM 32768u

/* When a batch is worth sending. */
#define DUE_REQUESTS 32u
#define DUE_TIME     SECOND

/* How old the process's CPU time may be that a batch's is counted from. */
#define CPU_AGE SECOND

struct asked_stacks {
    VECTOR(uint64_t);
};

struct walker {
    struct process_link process;
    struct walker_limits limits;
    struct batch_area area;
    /* OK: at home; MORE: the batch is away; or how the process ended. */
    enum link_status status;

    /* The batch that is gathered, or away. */
    bool anew;           /* its names come once more */
    uint32_t used;       /* bytes of requests */
    uint32_t requests;   /* how many */
    size_t answer_bytes; /* that they may need */
    struct asked_stacks tags, instructions;
    uint64_t gathered_since; /* 0: nobody has asked yet */
    uint64_t sent, cpu_before, cpu_read;

    /* The answers to the batch before. */
    uint8_t *answers;
    struct asked_stacks answered; /* tags */
    uint32_t stacks_at, names_at; /* the next ones */
    uint32_t stacks_taken;
    uint32_t names_left;
};

static bool make_walker_process(struct walker *walker,
                                const struct process_maker *maker,
                                const struct walker_tables *tables)
{
    const struct batch_head head = {
        .base = tables->base,
        .pv = tables->pv,
        .frame_pointers = tables->frame_pointers,
    };
    struct process_order order = {.kind = PROCESS_WALKER, .count = 1};
    bool made;

    order.files[0] = batch_area_open(&walker->area, &head);
    if ( order.files[0] < 0 )
        return false;
    if ( tables->image )
        order.files[order.count++] = tables->image->file;
    if ( tables->image && tables->modules )
        order.files[order.count++] = tables->modules->file;
    made = process_link_begin(&walker->process, maker, &order);
    close(order.files[0]);
    if ( !made )
        batch_area_close(&walker->area);
    return made;
}

struct walker *walker_begin(const struct process_maker *maker,
                            const struct walker_tables *tables,
                            const struct walker_limits *limits)
{
    /* Some thousand times what a batch takes: emulated processors are slow, and
     * where dom0's vCPUs are preempted, its clocks count that as the process's
     * work.  It is taken from the guest's account.  Nobody waits for a walker,
     * so the clock on the wall is only for one that never answers: on a host
     * that other work keeps from running an honest one may not run for 20 s. */
    static const struct walker_limits usual = {
        .work = 8 * SECOND,
        .stack = 4 * MILLISECOND,
        .wait = 120 * SECOND,
    };
    struct walker *walker = calloc(1, sizeof(*walker));

    if ( !walker )
        return NULL;
    walker->limits = limits ? *limits : usual;
    if ( !make_walker_process(walker, maker, tables) )
    {
        free(walker);
        return NULL;
    }
    return walker;
}

static void drop_answers(struct walker *walker)
{
    free(walker->answers);
    walker->answers = NULL;
    walker->answered.count = walker->stacks_taken = walker->names_left = 0;
}

static enum link_status end_walker_with(struct walker *walker,
                                        enum link_status status)
{
    process_link_end(&walker->process);
    batch_area_close(&walker->area);
    drop_answers(walker);
    return walker->status = status;
}

void walker_end(struct walker *walker)
{
    if ( !walker )
        return;
    end_walker_with(walker, LINK_NONE);
    vector_free(&walker->tags);
    vector_free(&walker->instructions);
    vector_free(&walker->answered);
    free(walker);
}

int walker_fd(const struct walker *walker)
{
    return walker->process.socket;
}

bool walker_is_away(const struct walker *walker)
{
    return walker->status == LINK_MORE;
}

uint64_t walker_cpu(struct walker *walker)
{
    return process_link_cpu(&walker->process);
}

/* Returns where a request of size bytes goes, or NULL if it does not fit with
 * its answer. */
static uint8_t *make_request_room(struct walker *walker, size_t size,
                                  size_t answer)
{
    uint32_t at = BATCH_BEGIN + walker->used;

    if ( walker->status != LINK_OK || size > BATCH_SIZE - at ||
         batch_answers_at(walker->used + (uint32_t)size) +
                 sizeof(struct batch_answers) + walker->answer_bytes + answer +
                 NAMES_ROOM >
             BATCH_SIZE )
        return NULL;
    walker->used += (uint32_t)size;
    walker->answer_bytes += answer;
    walker->requests++;
    return walker->area.bytes + at;
}

bool walker_add(struct walker *walker, uint64_t tag,
                const struct unwind_start *start)
{
    size_t size = batch_stack_size(start);
    uint8_t *at;

    if ( !vector_reserve(&walker->tags, 1) ||
         !vector_reserve(&walker->instructions, 1) )
        return false;
    at = make_request_room(walker, size, BATCH_FRAMES_BYTES);
    if ( !at )
        return false;
    batch_put_stack(at, start);
    *vector_add(&walker->tags) = tag;
    *vector_add(&walker->instructions) = start->ip;
    return true;
}

bool walker_add_name(struct walker *walker, uint64_t address)
{
    uint8_t *at = make_request_room(walker, sizeof(struct batch_request),
                                    BATCH_NAME_BYTES);

    if ( at )
        batch_put_name_request(at, address);
    return at;
}

void walker_forget_names(struct walker *walker)
{
    walker->anew = true;
}

bool walker_is_due(struct walker *walker, uint64_t now)
{
    if ( walker->status != LINK_OK || !walker->requests )
        return false;
    if ( !walker->gathered_since )
        walker->gathered_since = now;
    return walker->requests >= DUE_REQUESTS ||
           now - walker->gathered_since >= DUE_TIME;
}

enum link_status walker_send(struct walker *walker)
{
    const struct batch_word word = {walker->anew ? BATCH_ANEW : BATCH_GO,
                                    walker->used};

    if ( walker->status != LINK_OK || !walker->requests )
        return walker->status;
    drop_answers(walker);
    batch_area_trim(&walker->area, batch_answers_at(walker->used) +
                                       (uint32_t)walker->answer_bytes +
                                       NAMES_ROOM);
    walker->gathered_since = 0;
    walker->anew = false;
    walker->sent = monotonic_now();
    /* Its clock is not looked at for each batch: that is a system call. */
    if ( walker->sent - walker->cpu_read >= CPU_AGE )
    {
        walker->cpu_read = walker->sent;
        walker->cpu_before = process_link_cpu(&walker->process);
    }
    if ( !process_link_send(&walker->process, &word, sizeof(word)) )
        return end_walker_with(walker, LINK_DIED);
    return walker->status = LINK_MORE;
}

/* A single thread uses no more CPU time than there is time, so its clock is
 * looked at only after that. */
static bool is_walker_late(struct walker *walker)
{
    uint64_t work = walker->limits.work +
                    walker->requests * walker->limits.stack;
    uint64_t waited = monotonic_now() - walker->sent;

    return waited > walker->limits.wait ||
           (waited > work &&
            process_link_cpu(&walker->process) - walker->cpu_before > work);
}

/* The answers are the daemon's own from now on. */
static bool copy_answers(struct walker *walker, uint32_t bytes)
{
    struct asked_stacks free_tags = walker->answered;
    struct batch_answers head;

    batch_area_copy_out(&walker->area, batch_answers_at(walker->used),
                        walker->answers, bytes);
    if ( !batch_check_answers(walker->answers, bytes,
                              walker->instructions.items,
                              walker->instructions.count) )
        return false;
    memcpy(&head, walker->answers, sizeof(head));
    walker->answered = walker->tags;
    walker->tags = free_tags;
    walker->tags.count = walker->instructions.count = 0;
    walker->stacks_at = sizeof(head);
    walker->names_at = batch_names_at(walker->answers);
    walker->names_left = head.names;
    walker->used = walker->requests = 0;
    walker->answer_bytes = 0;
    return true;
}

static bool is_done(const struct walker *walker, const struct batch_word *word,
                    size_t size)
{
    return size == sizeof(*word) && word->magic == BATCH_DONE &&
           word->bytes <= BATCH_SIZE - batch_answers_at(walker->used);
}

enum link_status walker_receive(struct walker *walker)
{
    struct batch_word word;
    size_t size = sizeof(word);
    enum link_status status;

    if ( walker->status != LINK_MORE )
        return walker->status == LINK_OK ? LINK_MORE : walker->status;
    status = process_link_receive(&walker->process, &word, &size);
    if ( status == LINK_MORE && is_walker_late(walker) )
        return end_walker_with(walker,
                               walker->process.ready ? LINK_DIED : LINK_NONE);
    if ( status == LINK_MORE )
        return LINK_MORE;
    if ( status != LINK_OK || !is_done(walker, &word, size) )
        return end_walker_with(walker, status == LINK_OK ? LINK_DIED : status);
    walker->answers = malloc(word.bytes + 1);
    if ( !walker->answers )
        return end_walker_with(walker, LINK_NONE);
    if ( !copy_answers(walker, word.bytes) )
        return end_walker_with(walker, LINK_DIED);
    return walker->status = LINK_OK;
}

bool walker_next_stack(struct walker *walker, uint64_t *tag,
                       struct unwind_result *ret)
{
    if ( walker->stacks_taken == walker->answered.count )
        return false;
    *tag = walker->answered.items[walker->stacks_taken++];
    walker->stacks_at += (uint32_t)batch_get_frames(
        walker->answers + walker->stacks_at, ret);
    return true;
}

bool walker_next_name(struct walker *walker, uint64_t *address,
                      struct kernel_symbol *ret)
{
    if ( !walker->names_left )
        return false;
    walker->names_left--;
    walker->names_at += (uint32_t)batch_get_name(
        walker->answers + walker->names_at, address, ret);
    return true;
}
