/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A walker: its maps, its batches, and the names that go with them. */
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "batch-answers.h"
#include "batch-requests.h"
#include "cage/memory-file.h"
#include "cage/parser-limits.h"
#include "cage/parser-sandbox.h"
#include "cage/process-words.h"
#include "walker-process.h"

void walked_guest_init(struct walked_guest *guest)
{
    *guest = (struct walked_guest){0};
    table_init(&guest->named, sizeof(uint64_t), sizeof(uint64_t));
}

void walked_guest_forget(struct walked_guest *guest)
{
    table_free(&guest->named);
    memset(guest->recent, 0, sizeof(guest->recent));
}

void walked_guest_free(struct walked_guest *guest)
{
    walked_guest_forget(guest);
}

/* One batch on its way through. */
struct batch_walk {
    struct walked_guest *guest;
    const uint8_t *requests;
    size_t size;
    struct batch_room room;
    struct batch_answers answers;
};

static bool put_name(struct batch_walk *walk, uint64_t address)
{
    struct kernel_symbol symbol = {0};

    if ( !walk->guest->kernel ||
         !kernel_name(walk->guest->kernel, address, &symbol) )
        symbol = (struct kernel_symbol){0};
    if ( !batch_put_name(&walk->room, address, &symbol) )
        return false;
    walk->answers.names++;
    return true;
}

/* Requests were read once before, without a mistake. */
static bool for_each_request(struct batch_walk *walk,
                             void (*act)(struct batch_walk *,
                                         const struct read_request *))
{
    struct read_request request;
    size_t at = 0, size;

    for ( ; at < walk->size; at += size )
    {
        size = batch_get_request(walk->requests + at, walk->size - at,
                                 &request);
        if ( !size )
            return false;
        act(walk, &request);
    }
    return true;
}

static void answer_stack(struct batch_walk *walk,
                         const struct read_request *request)
{
    const struct walked_guest *guest = walk->guest;
    struct unwind_result result;
    struct unwind_code code;

    if ( request->kind != BATCH_STACK )
        return;
    /* An unknown kernel may use that register for anything. */
    code = (struct unwind_code){.frame_pointers = guest->frame_pointers};
    if ( guest->kernel && request->start.kernel )
    {
        kernel_get_code(guest->kernel, &code);
        code.pv = guest->pv;
    }
    guest_unwind(&code, &request->start, &result);
    walk->answers.stacks += batch_put_frames(&walk->room, &result);
}

static void answer_name(struct batch_walk *walk,
                        const struct read_request *request)
{
    if ( request->kind == BATCH_NAME )
        put_name(walk, request->address);
}

/* Names an address that was not named before.  Most were, not long ago. */
static void name_frame(struct batch_walk *walk, uint64_t address)
{
    struct table *named = &walk->guest->named;
    uint64_t *recent = &walk->guest->recent[hash_mix(named->ids.seed, address) %
                                            WALKER_RECENT];

    if ( (address && *recent == address) || named->count >= WALKER_NAMED_MAX )
        return;
    if ( table_find(named, &address) ||
         (put_name(walk, address) && table_put(named, &address)) )
        *recent = address;
}

/* Names of the frames in the answers that were not named before, as far as they
 * fit; later, if they do not. */
static void name_frames(struct batch_walk *walk, const uint8_t *at)
{
    struct unwind_result frames;

    for ( uint32_t i = 0; i < walk->answers.stacks; i++ )
    {
        at += batch_get_frames(at, &frames);
        for ( uint32_t j = 0; j < frames.count; j++ )
            name_frame(walk, frames.frames[j] - !frames.exact[j]);
    }
}

uint32_t walker_answer(struct walked_guest *guest, uint8_t *area,
                       uint32_t requests)
{
    uint8_t *begin = area + batch_answers_at(requests);
    uint8_t *frames = begin + sizeof(struct batch_answers);
    struct batch_walk walk = {
        .guest = guest,
        .requests = area + BATCH_BEGIN,
        .size = requests,
        .room = {frames, (size_t)(area + BATCH_SIZE - frames)},
    };

    if ( !for_each_request(&walk, answer_stack) ||
         !for_each_request(&walk, answer_name) )
        return 0;
    if ( guest->kernel )
        name_frames(&walk, frames);
    memcpy(begin, &walk.answers, sizeof(walk.answers));
    return (uint32_t)(walk.room.at - begin);
}

/* The process -------------------------------------------------------------- */

/* Returns whether all tables are mapped. */
static bool map_tables(const struct process_order *order,
                       struct kernel_tables *ret)
{
    *ret = (struct kernel_tables){0};
    if ( order->count > 1 )
        ret->image = memory_file_map(order->files[1], &ret->image_size);
    if ( order->count > 2 )
        ret->modules = memory_file_map(order->files[2], &ret->modules_size);
    return (order->count < 2 || ret->image) &&
           (order->count < 3 || ret->modules);
}

/* Returns whether the daemon sent another batch, of *bytes. */
static bool receive_batch(struct walked_guest *guest, uint32_t *bytes)
{
    struct batch_word word;

    if ( read(SANDBOX_IN, &word, sizeof(word)) != sizeof(word) ||
         (word.magic != BATCH_GO && word.magic != BATCH_ANEW) ||
         word.bytes % 8 || word.bytes > BATCH_SIZE - BATCH_BEGIN ||
         batch_answers_at(word.bytes) + sizeof(struct batch_answers) >
             BATCH_SIZE )
        return false;
    if ( word.magic == BATCH_ANEW )
        walked_guest_forget(guest);
    *bytes = word.bytes;
    return true;
}

/* In the sandbox. */
static void walk_guest(struct kernel_tables *tables, uint8_t *area)
{
    const struct batch_head *head = (const void *)area;
    struct kernel *kernel = NULL;
    struct walked_guest guest;
    struct batch_word word = {.magic = BATCH_DONE};
    uint32_t requests;

    tables->base = head->base;
    if ( tables->image && kernel_from_tables(tables, &kernel) )
        return;
    walked_guest_init(&guest);
    guest.kernel = kernel;
    guest.pv = head->pv;
    guest.frame_pointers = head->frame_pointers;
    while ( receive_batch(&guest, &requests) )
    {
        word.bytes = walker_answer(&guest, area, requests);
        if ( !word.bytes || write(SANDBOX_OUT, &word, sizeof(word)) < 0 )
            return;
    }
}

void walker_process_run(const struct process_order *order, int socket)
{
    uint8_t *area = mmap(NULL, BATCH_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
                         order->files[0], 0);
    struct kernel_tables tables;

    prctl(PR_SET_NAME, "xenoprof-walker");
    if ( area != MAP_FAILED && map_tables(order, &tables) &&
         sandbox_enter(socket, socket, MEMORY_OF_WALKER) == 0 &&
         process_say_ready() )
        walk_guest(&tables, area);
}
