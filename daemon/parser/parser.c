/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parser: its main loop, requests of the daemon, and its two pipes. */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "guest/code-frames.h"
#include "guest/memory.h"
#include "parser.h"
#include "parser-sandbox.h"
#include "base/scope.h"

#define PARSER_MEMORY (512ul << 20)

struct guest_parser {
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

static void send(struct guest_parser *parser, enum wire_kind kind,
                 uint32_t slot)
{
    if ( !parser->gone && !wire_send(parser->wire, &parser->out, kind, slot) )
        parser->gone = true;
}

/* Returns the kernel of the slot, or NULL while it is looked for; there is one
 * while its modules are looked for. */
static struct kernel *kernel_of(const struct guest_parser *parser)
{
    return parser->kernels[parser->in.head.slot];
}

static bool answer_stack(struct guest_parser *parser)
{
    const struct kernel *kernel = kernel_of(parser);
    struct xenoprof_registers registers;
    struct unwind_start start;
    struct unwind_result result;
    struct unwind_code code = {0};

    if ( !wire_get_stack(&parser->in, &registers, &start) )
        return false;
    /* An unknown kernel may use that register for anything. */
    code.frame_pointers = parser->frames[parser->in.head.slot];
    if ( kernel && start.kernel )
    {
        kernel_get_code(kernel, &code);
        code.pv = parser->pv[parser->in.head.slot];
    }
    guest_unwind(&code, &start, &result);
    wire_put_frames(&parser->out, &result);
    send(parser, WIRE_FRAMES, parser->in.head.slot);
    return true;
}

static bool answer_name(struct guest_parser *parser)
{
    const struct kernel *kernel = kernel_of(parser);
    const uint64_t *addresses;
    size_t count;

    if ( !wire_get_addresses(&parser->in, &addresses, &count) )
        return false;
    wire_begin(&parser->out);
    for ( size_t i = 0; i < count; i++ )
    {
        struct kernel_symbol symbol = {0};

        if ( !kernel || !kernel_name(kernel, addresses[i], &symbol) )
            symbol = (struct kernel_symbol){0};
        wire_put_name(&parser->out, &symbol);
    }
    send(parser, WIRE_NAMES, parser->in.head.slot);
    return true;
}

static bool forget(struct guest_parser *parser)
{
    uint32_t slot = parser->in.head.slot;

    if ( slot == parser->searched )
        return false;
    kernel_close(parser->kernels[slot]);
    parser->kernels[slot] = NULL;
    parser->frames[slot] = false;
    return true;
}

/* Requests that may come at any time, also while a kernel is looked for. */
static bool answer_small(struct guest_parser *parser)
{
    switch ( parser->in.head.kind )
    {
    case WIRE_STACK: return answer_stack(parser);
    case WIRE_NAME: return answer_name(parser);
    case WIRE_FORGET: return forget(parser);
    default: return false;
    }
}

/* Waits for the next message of this kind; answers others meanwhile. */
static bool await(struct guest_parser *parser, enum wire_kind kind)
{
    while ( !parser->gone )
    {
        parser->gone = !wire_receive(parser->wire, &parser->in);
        if ( parser->gone || parser->in.head.kind == kind )
            break;
        parser->gone = !answer_small(parser);
    }
    return !parser->gone;
}

/* One READ and its BYTES. */
static size_t read_piece(struct guest_parser *parser, uint64_t address,
                         void *to, size_t size)
{
    struct wire_read request = {address, size};

    wire_begin(&parser->out);
    wire_add(&parser->out, &request, sizeof(request));
    send(parser, WIRE_READ, parser->searched);
    if ( !await(parser, WIRE_BYTES) )
        return 0;
    parser->gone = parser->in.head.length > size;
    if ( parser->gone )
        return 0;
    memcpy(to, parser->in.payload, parser->in.head.length);
    return parser->in.head.length;
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

/* Returns the memory of the guest that is searched; nothing is cached yet. */
static struct guest_memory memory_of(struct guest_parser *parser,
                                     uint64_t budget)
{
    near_forget(&parser->near);
    return (struct guest_memory){read_pieces, parser, budget, &parser->near};
}

static void tell_found(struct guest_parser *parser, enum kernel_status code)
{
    const struct kernel *kernel = parser->kernels[parser->searched];
    struct kernel_info info;

    memset(&info, 0, sizeof(info));
    if ( code == KERNEL_OK )
        kernel_get_info(kernel, &info);
    else
        info.frame_pointers = parser->frames[parser->searched];
    wire_begin(&parser->out);
    wire_add(&parser->out, &info, sizeof(info));
    parser->out.head.code = (uint8_t)code;
    send(parser, WIRE_FOUND, parser->searched);
    parser->searched = WIRE_SLOTS;
}

/* Receives the file piece by piece; an empty piece ends it early.  Returns its
 * bytes, or NULL if there is no memory. */
static uint8_t *receive_file(struct guest_parser *parser, uint64_t size,
                             bool *whole)
{
    uint8_t *bytes = malloc(size);
    uint64_t at = 0;

    while ( at < size && await(parser, WIRE_PIECE) )
    {
        uint32_t length = parser->in.head.length;

        if ( !length )
            break;
        parser->gone = length > size - at;
        if ( !parser->gone && bytes )
            memcpy(bytes + at, parser->in.payload, length);
        at += length;
    }
    *whole = at == size;
    return bytes;
}

static enum kernel_status look_at_file(struct guest_parser *parser,
                                       const struct wire_find *find,
                                       struct guest_memory *memory,
                                       struct kernel **ret)
{
    bool whole;
    uint8_t *bytes SCOPE_FREE = receive_file(parser, find->size, &whole);

    if ( !bytes || parser->gone )
        return KERNEL_NO_MEMORY;
    return whole ? kernel_from_file(parser->images, bytes, find->size, memory,
                                    find->address, ret)
                 : KERNEL_DAMAGED;
}

/* Returns whether the kernel's code makes frame pointers. */
static bool makes_frames(struct guest_parser *parser, uint64_t address)
{
    struct guest_memory memory = memory_of(parser, WIRE_READ_MAX);

    return !parser->gone && code_uses_frames(&memory, address);
}

static bool search(struct guest_parser *parser)
{
    uint32_t slot = parser->in.head.slot;
    bool file = parser->in.head.kind == WIRE_FILE;
    struct kernel *kernel = NULL;
    struct wire_find find;
    struct guest_memory memory;
    enum kernel_status code;

    if ( !wire_get_find(&parser->in, &find) || (file && !find.size) )
        return false;
    kernel_close(parser->kernels[slot]);
    parser->kernels[slot] = NULL;
    parser->frames[slot] = false;
    parser->searched = slot;
    parser->pv[slot] = find.pv;
    memory = memory_of(parser, find.budget);
    code = file ? look_at_file(parser, &find, &memory, &kernel)
                : kernel_find(parser->images, &memory, find.address, &kernel);
    if ( code == KERNEL_OK )
        parser->kernels[slot] = kernel;
    else
        parser->frames[slot] = makes_frames(parser, find.address);
    tell_found(parser, code);
    return true;
}

static bool look_at_modules(struct guest_parser *parser)
{
    uint32_t slot = parser->in.head.slot;
    struct guest_memory memory;
    struct wire_find find;

    if ( !wire_get_find(&parser->in, &find) || !parser->kernels[slot] )
        return false;
    memory = memory_of(parser, find.budget);
    parser->searched = slot;
    tell_found(parser, kernel_look_at_modules(parser->kernels[slot], &memory));
    return true;
}

static bool answer(struct guest_parser *parser)
{
    switch ( parser->in.head.kind )
    {
    case WIRE_FIND:
    case WIRE_FILE: return search(parser);
    case WIRE_MODULES: return look_at_modules(parser);
    default: return answer_small(parser);
    }
}

void parser_serve(const struct wire *wire)
{
    struct guest_parser *parser SCOPE_FREE = calloc(1, sizeof(*parser));

    if ( !parser )
        return;
    parser->wire = wire;
    parser->searched = WIRE_SLOTS;
    parser->images = kernel_images_open();
    parser->gone = !parser->images;
    while ( !parser->gone && wire_receive(wire, &parser->in) && answer(parser) )
        continue;
    for ( uint32_t i = 0; i < WIRE_SLOTS; i++ )
        kernel_close(parser->kernels[i]);
    kernel_images_close(parser->images);
}

/* Bytes that were read and not taken yet: most messages come in one piece. */
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

void parser_run(int requests, int answers)
{
    static struct inbox inbox;
    static const struct wire wire = {read_pipe, write_pipe, &inbox};

    prctl(PR_SET_NAME, "xenoprof-parser");
    if ( sandbox_enter(requests, answers, PARSER_MEMORY) == 0 )
        parser_serve(&wire);
}
