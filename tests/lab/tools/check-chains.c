/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check-chains SESSION: what Xen's call chains in a session are worth, held
 * against the code of the running hypervisor, which the payload show-code must
 * have in hypfs.  Prints a line for each number:
 *
 *   samples      of Xen
 *   deep         with two frames of Xen's at least
 *   truncated    that did not reach a root
 *   deepest      frames
 *   returns      distinct return addresses
 *   bad          of these: not directly behind a call
 *   interrupted  distinct places where Xen itself was interrupted
 *   elsewhere    distinct callers outside the hypervisor's own code
 *   edges        distinct direct calls and what they led to
 *   straight     of these: the function that the call names; others end in it
 *                by tail calls
 *
 * and for each bad address one with its chain.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenhypfs.h>

#include "libxenoprof.h"

#define FRAMES_MAX 256
#define TRIES      16

struct place {
    uint64_t address, start; /* of its function */
    bool xen;
    bool seen; /* as a caller */
    char *symbol;
};

struct stack {
    uint32_t *places;
    uint32_t count; /* Xen's alone */
};

struct code {
    const uint8_t *bytes;
    uint64_t start, size;
    uint64_t entry, entry_end;
};

struct numbers {
    uint64_t samples, deep, truncated, deepest;
    uint64_t returns, bad, interrupted, elsewhere, edges, straight;
};

static struct place *places;
static struct stack *stacks;
static size_t place_room, stack_room;
static struct code code;
static struct numbers numbers;

static void fail(const char *what)
{
    fprintf(stderr, "check-chains: %s\n", what);
    exit(1);
}

static void *grow(void *table, size_t *room, size_t index, size_t size)
{
    size_t more = *room;

    while ( more <= index )
        more = more ? more * 2 : 1024;
    if ( more == *room )
        return table;
    table = realloc(table, more * size);
    if ( !table )
        fail("no memory");
    memset((char *)table + *room * size, 0, (more - *room) * size);
    *room = more;
    return table;
}

/* The hypervisor's code ------------------------------------------------- */

static uint64_t symbol(const char *name)
{
    FILE *file = fopen("/proc/xen/xensyms", "r");
    char found[128];
    unsigned long address;
    uint64_t ret = 0;

    if ( !file )
        fail("there is no /proc/xen/xensyms");
    while ( !ret && fscanf(file, "%lx %*c %127s", &address, found) == 2 )
        if ( strcmp(found, name) == 0 )
            ret = address;
    fclose(file);
    return ret;
}

/* hypfs may answer for another node: the size tells. */
static void read_code(void)
{
    xenhypfs_handle *hypfs = xenhypfs_open(NULL, 0);
    uint64_t end = symbol("_etext");

    code.start = symbol("_stext");
    code.size = end - code.start;
    code.entry = symbol("_stextentry");
    code.entry_end = symbol("_etextentry");
    if ( !hypfs || !code.start || !end )
        fail("there is no hypfs, or Xen has no _stext");
    for ( int i = 0; i < TRIES && !code.bytes; i++ )
    {
        struct xenhypfs_dirent *entry = NULL;
        void *bytes = xenhypfs_read_raw(hypfs, "/xenoprof-probe/text", &entry);

        if ( bytes && entry->size == code.size )
            code.bytes = bytes;
        free(entry);
    }
    if ( !code.bytes )
        fail("hypfs does not show Xen's code; is show-code loaded?");
}

static bool in_code(uint64_t address)
{
    return address - code.start < code.size;
}

static bool in_entry(uint64_t address)
{
    return address >= code.entry && address < code.entry_end;
}

/* Bytes of `call *...` with this ModRM byte and what follows; 0: none. */
static unsigned int indirect_length(const uint8_t *modrm)
{
    unsigned int mode = *modrm >> 6, base = *modrm & 7;
    unsigned int length = 2;

    if ( (*modrm >> 3 & 7) != 2 )
        return 0;
    if ( mode == 3 )
        return length;
    if ( base == 4 )
    {
        length++;
        base = modrm[1] & 7;
    }
    if ( mode == 1 )
        return length + 1;
    return mode == 2 || base == 5 ? length + 4 : length;
}

/* Directly behind a call; *to: what it names, 0 if it is indirect. */
static bool behind_call(uint64_t address, uint64_t *to)
{
    uint64_t offset = address - code.start;
    int32_t distance;

    *to = 0;
    if ( offset < 8 || offset > code.size )
        return false;
    if ( code.bytes[offset - 5] == 0xe8 )
    {
        memcpy(&distance, code.bytes + offset - 4, sizeof(distance));
        *to = address + distance;
        if ( in_code(*to) )
            return true;
    }
    *to = 0;
    for ( unsigned int length = 2; length <= 7; length++ )
    {
        const uint8_t *at = code.bytes + offset - length;

        if ( *at == 0xff && indirect_length(at + 1) == length )
            return true;
    }
    return false;
}

/* The session ------------------------------------------------------------ */

static void tell_bad(const struct stack *stack, uint32_t index)
{
    printf("bad-chain:");
    for ( uint32_t i = 0; i < stack->count; i++ )
    {
        const struct place *place = &places[stack->places[i]];

        printf("%s %s(%#lx)", i == index ? " >>>" : "",
               place->symbol ? place->symbol : "?", place->address);
    }
    putchar('\n');
}

/* Frames behind the leaf; each pair of caller and called once for all is too
 * much to remember, so each caller is looked at once, with who was called. */
static void look_at(const struct stack *stack, uint32_t index)
{
    struct place *place = &places[stack->places[index]];
    const struct place *called = &places[stack->places[index - 1]];
    uint64_t to;

    if ( place->seen )
        return;
    place->seen = true;
    if ( !in_code(place->address) )
        numbers.elsewhere++;
    else if ( in_entry(called->address) )
        numbers.interrupted++;
    else
    {
        numbers.returns++;
        if ( !behind_call(place->address + 1, &to) )
        {
            numbers.bad++;
            tell_bad(stack, index);
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
    struct stack *stack;
    size_t count = item->u.stack.count;
    uint32_t number = item->u.stack.number;

    if ( count > FRAMES_MAX )
        fail("a stack has too many frames");
    stacks = grow(stacks, &stack_room, number, sizeof(*stacks));
    stack = &stacks[number];
    stack->places = calloc(count, sizeof(*stack->places));
    if ( !stack->places )
        fail("no memory");
    memcpy(stack->places, item->u.stack.places, count * sizeof(*stack->places));
    while ( stack->count < count && stack->places[stack->count] < place_room &&
            places[stack->places[stack->count]].xen )
        stack->count++;
    for ( uint32_t i = 1; i < stack->count; i++ )
        look_at(stack, i);
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
        .symbol = place->symbol ? strdup(place->symbol) : NULL,
    };
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
    numbers.truncated += !!(item->u.sample.marks & XENOPROF_MARK_TRUNCATED);
    if ( frames > numbers.deepest )
        numbers.deepest = frames;
}

static void read_session(const char *folder)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_session *session;
    struct xenoprof_item item;

    if ( !handle || xenoprof_session_open(handle, folder, &session) )
        fail("the session cannot be read");
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
    if ( argc != 2 )
        fail("which session?");
    read_code();
    read_session(argv[1]);
    printf("samples: %lu\ndeep: %lu\ntruncated: %lu\ndeepest: %lu\n",
           numbers.samples, numbers.deep, numbers.truncated, numbers.deepest);
    printf("returns: %lu\nbad: %lu\ninterrupted: %lu\nelsewhere: %lu\n",
           numbers.returns, numbers.bad, numbers.interrupted,
           numbers.elsewhere);
    printf("edges: %lu\nstraight: %lu\n", numbers.edges, numbers.straight);
    return 0;
}
