/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check-chains SESSION MODULE: compares Xen's call chains in a session with the
 * code of the running hypervisor (xen-code.h) and of our module, "" if that is
 * part of it.  Prints a line for each number:
 *
 *   samples      of Xen
 *   deep         samples with at least two frames of Xen
 *   truncated    samples whose chain did not reach a root
 *   deepest      frames of the longest chain
 *   returns      distinct return addresses
 *   bad          return addresses that are not directly after a call
 *   interrupted  distinct places where Xen itself was interrupted
 *   own          distinct return addresses outside the hypervisor's code
 *   foreign      1: some of those are not our module's either
 *   edges        distinct pairs of a direct call and the function it led to
 *   straight     pairs where the call names that function; the other calls led
 *                to it by tail calls
 *
 * and a line with its chain for each bad address and each truncated stack;
 * where that is its leaf alone, a line for each leaf, with its samples.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxenoprof.h"
#include "xen-code.h"

#define FRAMES_MAX 256
#define OWN_MAX    4096

struct place {
    uint64_t address, start; /* of its function */
    bool xen;
    bool seen;  /* as a caller */
    bool entry; /* of code that is written by hand for entry */
    char *symbol;
    uint64_t alone; /* samples whose truncated chain is just this */
};

struct read_stack {
    uint32_t *places;
    uint32_t count; /* Xen's alone */
    bool reported;
};

struct stack_numbers {
    uint64_t samples, deep, truncated, deepest;
    uint64_t returns, bad, interrupted, own, edges, straight;
};

static struct place *places;
static struct read_stack *stacks;
static size_t place_room, stack_room;
static struct stack_numbers numbers;
static uint64_t own[OWN_MAX];

static void *grow(void *table, size_t *room, size_t index, size_t size)
{
    size_t more = *room;

    while ( more <= index )
        more = more ? more * 2 : 1024;
    if ( more == *room )
        return table;
    table = realloc(table, more * size);
    if ( !table )
        xen_code_fail("no memory");
    memset((char *)table + *room * size, 0, (more - *room) * size);
    *room = more;
    return table;
}

/* The session ------------------------------------------------------------ */

/* index: the place to point at. */
static void tell(const char *what, const struct read_stack *stack,
                 uint32_t index)
{
    printf("%s-chain:", what);
    for ( uint32_t i = 0; i < stack->count; i++ )
    {
        const struct place *place = &places[stack->places[i]];

        printf("%s %s(%#lx)", i == index ? " >>>" : "",
               place->symbol ? place->symbol : "?", place->address);
    }
    putchar('\n');
}

/* Looks at the frames behind the leaf.  To remember each pair of caller and
 * callee would take too much, so each caller is looked at once, with the callee
 * that it had then. */
static void look_at(const struct read_stack *stack, uint32_t index)
{
    struct place *place = &places[stack->places[index]];
    const struct place *called = &places[stack->places[index - 1]];
    uint64_t to;

    if ( place->seen )
        return;
    place->seen = true;
    if ( called->entry )
        numbers.interrupted++;
    else if ( !xen_code_has(place->address) )
        own[numbers.own++ % OWN_MAX] = place->address + 1;
    else
    {
        numbers.returns++;
        if ( !xen_code_after_call(place->address + 1, &to) )
        {
            numbers.bad++;
            tell("bad", stack, index);
        }
        else if ( to && called->start )
        {
            numbers.edges++;
            numbers.straight += to == called->start;
        }
    }
}

static void take_stack(const struct xenoprof_item *item)
{
    struct read_stack *stack;
    size_t count = item->u.stack.count;
    uint32_t number = item->u.stack.number;

    if ( count > FRAMES_MAX )
        xen_code_fail("a stack has too many frames");
    stacks = grow(stacks, &stack_room, number, sizeof(*stacks));
    stack = &stacks[number];
    stack->places = calloc(count, sizeof(*stack->places));
    if ( !stack->places )
        xen_code_fail("no memory");
    memcpy(stack->places, item->u.stack.places, count * sizeof(*stack->places));
    while ( stack->count < count && stack->places[stack->count] < place_room &&
            places[stack->places[stack->count]].xen )
        stack->count++;
    for ( uint32_t i = 1; i < stack->count; i++ )
        look_at(stack, i);
}

/* Entry code in assembly: Xen itself may have been interrupted before it.
 * Names of statics begin with their file. */
static bool is_entry(const struct xenoprof_place *place)
{
    return xen_code_is_entry(place->address) ||
           (place->symbol && strstr(place->symbol, "/entry.S#"));
}

static void take_place(const struct xenoprof_item *item)
{
    const struct xenoprof_place *place = &item->u.place.place;
    uint32_t number = item->u.place.number;

    places = grow(places, &place_room, number, sizeof(*places));
    places[number] = (struct place){
        .address = place->address,
        .start = place->symbol ? place->symbol_start : 0,
        .xen = place->mode == XENOPROF_MODE_XEN,
        .entry = is_entry(place),
        .symbol = place->symbol ? strdup(place->symbol) : NULL,
    };
}

static void take_truncated(const struct xenoprof_stored *sample)
{
    uint32_t number = sample->stack;

    numbers.truncated++;
    if ( !number && sample->place < place_room )
        places[sample->place].alone++;
    if ( !number || number >= stack_room || stacks[number].reported )
        return;
    stacks[number].reported = true;
    tell("truncated", &stacks[number], stacks[number].count - 1);
}

static void tell_leaves(void)
{
    for ( size_t i = 0; i < place_room; i++ )
        if ( places[i].alone )
            printf("truncated-leaf: %lu %s(%#lx)\n", places[i].alone,
                   places[i].symbol ? places[i].symbol : "?",
                   places[i].address);
}

static void take_sample(const struct xenoprof_item *item)
{
    uint32_t number = item->u.sample.stack;
    uint64_t frames = 1;

    if ( item->u.sample.mode != XENOPROF_MODE_XEN )
        return;
    if ( number && number < stack_room )
        frames = stacks[number].count;
    numbers.samples++;
    numbers.deep += frames > 1;
    if ( item->u.sample.marks & XENOPROF_MARK_TRUNCATED )
        take_truncated(&item->u.sample);
    if ( frames > numbers.deepest )
        numbers.deepest = frames;
}

static void read_session(const char *folder)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_session *session;
    struct xenoprof_item item;

    if ( !handle || xenoprof_session_open(handle, folder, &session) )
        xen_code_fail("the session cannot be read");
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
    {
        if ( item.kind == XENOPROF_ITEM_PLACE )
            take_place(&item);
        else if ( item.kind == XENOPROF_ITEM_STACK )
            take_stack(&item);
        else if ( item.kind == XENOPROF_ITEM_SAMPLE )
            take_sample(&item);
    }
    xenoprof_session_close(session);
    xenoprof_close(handle);
}

int main(int argc, char **argv)
{
    size_t own_count;

    if ( argc != 3 )
        xen_code_fail("which session, and which module?");
    xen_code_open(argv[2]);
    read_session(argv[1]);
    tell_leaves();
    own_count = numbers.own < OWN_MAX ? numbers.own : OWN_MAX;
    printf("samples: %lu\ndeep: %lu\ntruncated: %lu\ndeepest: %lu\n",
           numbers.samples, numbers.deep, numbers.truncated, numbers.deepest);
    printf("returns: %lu\nbad: %lu\ninterrupted: %lu\n", numbers.returns,
           numbers.bad, numbers.interrupted);
    printf("own: %lu\nforeign: %d\nedges: %lu\nstraight: %lu\n", numbers.own,
           !xen_code_fits_module(own, own_count), numbers.edges,
           numbers.straight);
    return 0;
}
