/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "growing-model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Chosen so that new places and stacks grow as in the lab. */
#define CALLEES 3u
#define DEEPER  70u /* of 100 functions that call another one just now */
#define LEAVES  25u /* instructions of a function that are ever seen */

/* Functions do not overlap: some tools find them by address. */
#define SPACING 1024u
#define GAP     512u /* before a function, less than that */
#define LENGTH  (SPACING - GAP)

static uint64_t lots = 1;

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ value >> 27) * 0x94d049bb133111ebull;
    return value ^ value >> 31;
}

uint64_t growing_draw(uint64_t below)
{
    lots += 0x9e3779b97f4a7c15ull;
    return mix(lots) % below;
}

unsigned int growing_draw_ranked(unsigned int below)
{
    double where = (double)growing_draw(1 << 30) / (double)(1 << 30);

    return (unsigned int)(exp(where * log(below + 1.0))) - 1;
}

uint8_t growing_draw_mode(void)
{
    unsigned int lot = (unsigned int)growing_draw(100);

    return lot < 53   ? XENOPROF_MODE_XEN
           : lot < 90 ? XENOPROF_MODE_KERNEL
                      : XENOPROF_MODE_USER;
}

static uint64_t lot_of(uint8_t mode, uint16_t function)
{
    return mix(function * 7919ull + mode);
}

struct growing_frame growing_function(uint8_t mode, uint16_t function)
{
    static const uint64_t bases[] = {0xffff82d040200000ull,
                                     0xffffffff81000000ull, 0x401000ull};
    uint64_t start = bases[mode] + function * SPACING +
                     lot_of(mode, function) % GAP;

    return (struct growing_frame){start, start, function, mode};
}

static void add_frame(struct growing_stack *stack, uint8_t mode,
                      unsigned int function, uint64_t which)
{
    struct growing_frame frame = growing_function(mode, (uint16_t)function);

    frame.address += mix(lot_of(mode, frame.function) + which) % LENGTH;
    stack->frames[stack->count++] = frame;
}

/* Returns the function that this one calls just now. */
static unsigned int call(uint8_t mode, unsigned int function,
                         struct growing_stack *stack)
{
    unsigned int callee = growing_draw_ranked(CALLEES);

    add_frame(stack, mode, function, callee);
    return (unsigned int)(mix(function * 31ull + callee + mode) %
                          GROWING_FUNCTIONS);
}

static void walk(uint8_t mode, struct growing_stack *stack)
{
    unsigned int function = growing_draw_ranked(8);

    for ( unsigned int i = 0; i < GROWING_DEPTH - 1; i++ )
    {
        if ( growing_draw(100) >= DEEPER )
            break;
        function = call(mode, function, stack);
    }
    add_frame(stack, mode, function, 100 + growing_draw_ranked(LEAVES));
}

void growing_draw_walk(uint8_t mode, unsigned int deep,
                       struct growing_stack *ret)
{
    unsigned int function = growing_draw_ranked(8);

    ret->count = 0;
    while ( --deep )
        function = call(mode, function, ret);
    add_frame(ret, mode, function, 100 + growing_draw_ranked(LEAVES));
}

void growing_draw_stack(uint8_t mode, struct growing_stack *ret)
{
    ret->count = 0;
    if ( mode == XENOPROF_MODE_USER )
        add_frame(ret, mode, 0, growing_draw_ranked(LEAVES));
    else if ( mode == XENOPROF_MODE_KERNEL || growing_draw(2) )
        walk(XENOPROF_MODE_KERNEL, ret);
    if ( mode == XENOPROF_MODE_XEN )
        walk(mode, ret);
}

void growing_name(const struct growing_frame *frame, char ret[GROWING_NAME])
{
    uint64_t lot = lot_of(frame->mode, frame->function);

    snprintf(ret, GROWING_NAME, "%.*s_%llx", 3 + (int)(lot % 20),
             "subsystem_verb_the_thing", (unsigned long long)(lot >> 44));
}

uint32_t growing_place(struct xenoprof_handle *handle,
                       struct xenoprof_writer *writer, uint16_t domain,
                       const struct growing_frame *frame)
{
    static const char *const images[] = {"xen", "kernel", "user"};
    bool named = frame->mode != XENOPROF_MODE_USER;
    char name[GROWING_NAME];
    const struct xenoprof_place place = {
        .domain = domain,
        .mode = frame->mode,
        .address = frame->address,
        .image = images[frame->mode],
        .symbol = named ? name : NULL,
        .symbol_start = named ? frame->start : 0,
    };
    uint32_t number;

    if ( xenoprof_writer_known(writer, domain, frame->mode, frame->address,
                               &number) )
        return number;
    growing_name(frame, name);
    if ( xenoprof_writer_place(writer, &place, &number) )
    {
        fprintf(stderr, "%s\n", xenoprof_message(handle));
        exit(1);
    }
    return number;
}
