/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks and addresses, to be walked and named, one after another. */
#include <string.h>

#include "batch-requests.h"

static size_t round_up(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

size_t batch_stack_size(const struct unwind_start *start)
{
    size_t size = sizeof(struct batch_stack);

    for ( unsigned int i = 0; i < UNWIND_WINDOWS; i++ )
        size += round_up(start->windows[i].length);
    return size;
}

void batch_put_stack(uint8_t *at, const struct unwind_start *start)
{
    struct batch_stack stack = {
        .head = {BATCH_STACK, (uint32_t)batch_stack_size(start), start->ip},
        .registers = *start->registers,
        .bits32 = start->bits32,
        .kernel = start->kernel,
    };

    for ( unsigned int i = 0; i < UNWIND_WINDOWS; i++ )
    {
        stack.addresses[i] = start->windows[i].address;
        stack.lengths[i] = (uint32_t)start->windows[i].length;
    }
    memcpy(at, &stack, sizeof(stack));
    at += sizeof(stack);
    for ( unsigned int i = 0; i < UNWIND_WINDOWS; i++ )
    {
        if ( stack.lengths[i] )
            memcpy(at, start->windows[i].bytes, stack.lengths[i]);
        at += round_up(stack.lengths[i]);
    }
}

void batch_put_name_request(uint8_t *at, uint64_t address)
{
    const struct batch_request request = {BATCH_NAME, sizeof(request), address};

    memcpy(at, &request, sizeof(request));
}

/* size bytes begin with a struct batch_stack's head. */
static bool get_stack(const uint8_t *at, size_t size, struct read_request *ret)
{
    const uint8_t *bytes = at + sizeof(struct batch_stack);
    struct batch_stack stack;

    if ( size < sizeof(stack) )
        return false;
    memcpy(&stack, at, sizeof(stack));
    if ( stack.bits32 > 1 || stack.kernel > 1 ||
         stack.lengths[0] > BATCH_SIZE || stack.lengths[1] > BATCH_SIZE )
        return false;
    ret->registers = stack.registers;
    ret->start = (struct unwind_start){
        .ip = stack.head.address,
        .registers = &ret->registers,
        .windows = {{stack.addresses[0], bytes, stack.lengths[0]},
                    {stack.addresses[1], bytes + round_up(stack.lengths[0]),
                     stack.lengths[1]}},
        .bits32 = stack.bits32,
        .kernel = stack.kernel,
    };
    return batch_stack_size(&ret->start) == size;
}

size_t batch_get_request(const uint8_t *at, size_t left,
                         struct read_request *ret)
{
    struct batch_request head;

    if ( left < sizeof(head) )
        return 0;
    memcpy(&head, at, sizeof(head));
    if ( head.size > left || head.size % 8 )
        return 0;
    ret->kind = (enum batch_kind)head.kind;
    ret->address = head.address;
    if ( head.kind == BATCH_NAME )
        return head.size == sizeof(head) ? head.size : 0;
    return head.kind == BATCH_STACK && get_stack(at, head.size, ret) ? head.size
                                                                     : 0;
}
