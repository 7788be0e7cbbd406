/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/near.h"
#include "parser-child.h"
#include "parser-sandbox.h"
#include "base/scope.h"

struct child {
    const struct wire *wire;
    struct kernel_images *images;
    struct kernel *kernels[WIRE_SLOTS];
    bool pv[WIRE_SLOTS];
    bool frames[WIRE_SLOTS]; /* it makes frame pointers, though not known */
    uint32_t searched; /* slot that is being looked at; WIRE_SLOTS: none */
    bool gone;         /* the other side */
    struct near_memory near; /* of what is searched */
    struct wire_message in, out;
};

static void send(struct child *child, enum wire_kind kind, uint32_t slot)
{
    if ( !child->gone && !wire_send(child->wire, &child->out, kind, slot) )
        child->gone = true;
}

/* The kernel of this slot: not while it is looked for, but while its modules
 * are. */
static struct kernel *kernel_of(const struct child *child)
{
    return child->kernels[child->in.head.slot];
}

static bool row_of(const void *self, uint64_t address, struct orc_row *ret)
{
    return kernel_orc(self, address, ret);
}

static bool is_code(const void *self, uint64_t address)
{
    return kernel_is_code(self, address);
}

static enum unwind_special special(const void *self, uint64_t address)
{
    struct kernel_symbol symbol;

    return kernel_name(self, address, &symbol) ? unwind_special_of(symbol.name)
                                               : UNWIND_ORDINARY;
}

static void set_code(const struct child *child, const struct kernel *kernel,
                     struct unwind_code *ret)
{
    *ret = (struct unwind_code){
        .self = kernel,
        .row = row_of,
        .is_code = is_code,
        .special = special,
        .frame_pointers = kernel_has_frame_pointers(kernel),
        .pv = child->pv[child->in.head.slot],
    };
}

static bool answer_stack(struct child *child)
{
    const struct kernel *kernel = kernel_of(child);
    struct xenoprof_registers registers;
    struct unwind_start start;
    struct unwind_result result;
    struct unwind_code code = {0};

    if ( !wire_get_stack(&child->in, &registers, &start) )
        return false;
    /* A kernel that nothing is known of may use that register for anything. */
    code.frame_pointers = child->frames[child->in.head.slot];
    if ( kernel && start.kernel )
        set_code(child, kernel, &code);
    guest_unwind(&code, &start, &result);
    wire_put_frames(&child->out, &result);
    send(child, WIRE_FRAMES, child->in.head.slot);
    return true;
}

static bool answer_name(struct child *child)
{
    const struct kernel *kernel = kernel_of(child);
    const uint64_t *addresses;
    size_t count;

    if ( !wire_get_addresses(&child->in, &addresses, &count) )
        return false;
    wire_begin(&child->out);
    for ( size_t i = 0; i < count; i++ )
    {
        struct kernel_symbol symbol = {0};

        if ( !kernel || !kernel_name(kernel, addresses[i], &symbol) )
            symbol = (struct kernel_symbol){0};
        wire_put_name(&child->out, &symbol);
    }
    send(child, WIRE_NAMES, child->in.head.slot);
    return true;
}

static bool forget(struct child *child)
{
    uint32_t slot = child->in.head.slot;

    if ( slot == child->searched )
        return false;
    kernel_close(child->kernels[slot]);
    child->kernels[slot] = NULL;
    child->frames[slot] = false;
    return true;
}

/* What may come at any time, also while a kernel is being looked for. */
static bool answer_small(struct child *child)
{
    switch ( child->in.head.kind )
    {
    case WIRE_STACK: return answer_stack(child);
    case WIRE_NAME: return answer_name(child);
    case WIRE_FORGET: return forget(child);
    default: return false;
    }
}

/* The next message that is of this kind; others are answered meanwhile. */
static bool await(struct child *child, enum wire_kind kind)
{
    while ( !child->gone )
    {
        child->gone = !wire_receive(child->wire, &child->in);
        if ( child->gone || child->in.head.kind == kind )
            break;
        child->gone = !answer_small(child);
    }
    return !child->gone;
}

/* One READ and its BYTES. */
static size_t read_piece(struct child *child, uint64_t address, void *to,
                         size_t size)
{
    struct wire_read request = {address, size};

    wire_begin(&child->out);
    wire_add(&child->out, &request, sizeof(request));
    send(child, WIRE_READ, child->searched);
    if ( !await(child, WIRE_BYTES) )
        return 0;
    child->gone = child->in.head.length > size;
    if ( child->gone )
        return 0;
    memcpy(to, child->in.payload, child->in.head.length);
    return child->in.head.length;
}

static size_t read_pieces(void *self, uint64_t address, void *to, size_t size)
{
    size_t got = 0, piece, wanted;

    do
    {
        wanted = size - got < WIRE_READ_MAX ? size - got : WIRE_READ_MAX;
        piece = wanted
                    ? read_piece(self, address + got, (char *)to + got, wanted)
                    : 0;
        got += piece;
    } while ( got < size && piece == wanted );
    return got;
}

/* Of what is searched, of which nothing is kept yet. */
static struct guest_memory memory_of(struct child *child, uint64_t budget)
{
    near_forget(&child->near);
    return (struct guest_memory){read_pieces, child, budget, &child->near};
}

static void tell_found(struct child *child, enum kernel_code code)
{
    const struct kernel *kernel = child->kernels[child->searched];
    struct kernel_info facts;

    memset(&facts, 0, sizeof(facts));
    if ( code == KERNEL_OK )
        kernel_get_info(kernel, &facts);
    else
        facts.frame_pointers = child->frames[child->searched];
    wire_begin(&child->out);
    wire_add(&child->out, &facts, sizeof(facts));
    child->out.head.code = (uint8_t)code;
    send(child, WIRE_FOUND, child->searched);
    child->searched = WIRE_SLOTS;
}

/* All of the file, which comes in pieces; an empty one: there is no more of it
 * to come.  NULL: no memory for it. */
static uint8_t *receive_file(struct child *child, uint64_t size, bool *whole)
{
    uint8_t *bytes = malloc(size);
    uint64_t at = 0;

    while ( at < size && await(child, WIRE_PIECE) )
    {
        uint32_t length = child->in.head.length;

        if ( !length )
            break;
        child->gone = length > size - at;
        if ( !child->gone && bytes )
            memcpy(bytes + at, child->in.payload, length);
        at += length;
    }
    *whole = at == size;
    return bytes;
}

static enum kernel_code look_at_file(struct child *child,
                                     const struct wire_find *find,
                                     struct guest_memory *memory,
                                     struct kernel **ret)
{
    bool whole;
    uint8_t *bytes SCOPE_FREE = receive_file(child, find->size, &whole);

    if ( !bytes || child->gone )
        return KERNEL_NO_MEMORY;
    return whole ? kernel_from_file(child->images, bytes, find->size, memory,
                                    find->address, ret)
                 : KERNEL_DAMAGED;
}

/* Its own code says whether frame pointers lead on. */
static bool makes_frames(struct child *child, uint64_t address)
{
    struct guest_memory memory = memory_of(child, WIRE_READ_MAX);

    return !child->gone && kernel_code_makes_frames(&memory, address);
}

static bool search(struct child *child)
{
    uint32_t slot = child->in.head.slot;
    bool file = child->in.head.kind == WIRE_FILE;
    struct kernel *kernel = NULL;
    struct wire_find find;
    struct guest_memory memory;
    enum kernel_code code;

    if ( !wire_get_find(&child->in, &find) || (file && !find.size) )
        return false;
    kernel_close(child->kernels[slot]);
    child->kernels[slot] = NULL;
    child->frames[slot] = false;
    child->searched = slot;
    child->pv[slot] = find.pv;
    memory = memory_of(child, find.budget);
    code = file ? look_at_file(child, &find, &memory, &kernel)
                : kernel_find(child->images, &memory, find.address, &kernel);
    if ( code == KERNEL_OK )
        child->kernels[slot] = kernel;
    else
        child->frames[slot] = makes_frames(child, find.address);
    tell_found(child, code);
    return true;
}

static bool look_at_modules(struct child *child)
{
    uint32_t slot = child->in.head.slot;
    struct guest_memory memory;
    struct wire_find find;

    if ( !wire_get_find(&child->in, &find) || !child->kernels[slot] )
        return false;
    memory = memory_of(child, find.budget);
    child->searched = slot;
    tell_found(child, kernel_look_at_modules(child->kernels[slot], &memory));
    return true;
}

static bool answer(struct child *child)
{
    switch ( child->in.head.kind )
    {
    case WIRE_FIND:
    case WIRE_FILE: return search(child);
    case WIRE_MODULES: return look_at_modules(child);
    default: return answer_small(child);
    }
}

void kernel_child_serve(const struct wire *wire)
{
    struct child *child SCOPE_FREE = calloc(1, sizeof(*child));

    if ( !child )
        return;
    child->wire = wire;
    child->searched = WIRE_SLOTS;
    child->images = kernel_images_open();
    child->gone = !child->images;
    while ( !child->gone && wire_receive(wire, &child->in) && answer(child) )
        continue;
    for ( uint32_t i = 0; i < WIRE_SLOTS; i++ )
        kernel_close(child->kernels[i]);
    kernel_images_close(child->images);
}

/* What was read and not taken yet: a message is most often one piece. */
struct inbox {
    uint8_t bytes[16384];
    size_t taken, filled;
};

static bool read_pipe(void *self, void *to, size_t size)
{
    struct inbox *inbox = self;
    char *at = to;

    for ( ;; )
    {
        size_t there = inbox->filled - inbox->taken;
        ssize_t got;

        if ( there > size )
            there = size;
        memcpy(at, inbox->bytes + inbox->taken, there);
        inbox->taken += there;
        at += there;
        size -= there;
        if ( !size )
            return true;
        got = read(SANDBOX_IN, inbox->bytes, sizeof(inbox->bytes));
        if ( got <= 0 )
            return false;
        inbox->taken = 0;
        inbox->filled = (size_t)got;
    }
}

static bool write_pipe(void *self, const void *from, size_t size)
{
    const char *at = from;

    (void)self;
    while ( size )
    {
        ssize_t done = write(SANDBOX_OUT, at, size);

        if ( done <= 0 )
            return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

void kernel_child_run(int requests, int answers)
{
    static struct inbox inbox;
    static const struct wire wire = {read_pipe, write_pipe, &inbox};

    if ( sandbox_enter(requests, answers) == 0 )
        kernel_child_serve(&wire);
}
