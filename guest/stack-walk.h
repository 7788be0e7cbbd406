/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One walk up a stack, frame by frame, and the unwinders: each is a way from
 * a frame to its caller's.
 */
#ifndef XENOPROF_GUEST_STACK_WALK_H
#define XENOPROF_GUEST_STACK_WALK_H

#include <stddef.h>
#include <string.h>

#include "unwind-input.h"

/* Where the frame's other registers are: only an interrupted frame has
 * them. */
enum walk_registers { REGISTERS_LEAF, REGISTERS_SAVED, REGISTERS_LOST };

struct stack_walk {
    const struct unwind_code *code;
    const struct unwind_start *start;
    bool (*row_of)(const void *self, uint64_t address, struct unwind_row *ret);
    uint64_t ip, sp, bp;
    bool exact;            /* ip was interrupted; else it is behind a call */
    uint8_t word;          /* its bytes, in this code */
    struct unwind_row row; /* of the frame; kind is UNDEFINED if it has none */
    enum walk_registers registers;
    uint64_t saved; /* address of their pt_regs */
    /* On each stack frames only rise, so every walk ends. */
    uint64_t floors[UNWIND_WINDOWS];
    unsigned int stack;   /* the window of the last frame */
    const uint8_t *frame; /* its bytes */
    /* Where words of that window are; of code with 4 bytes a word, or of a
     * window that is not in the kernel's half, there are none. */
    struct {
        uint64_t second; /* the address of the second one */
        const uint8_t *bytes;
        uint64_t room; /* one begins at each offset below */
    } words;
};

void walk_start(struct stack_walk *walk, const struct unwind_code *code,
                const struct unwind_start *start);

/* Returns the window's bytes at address, or NULL if not all are in it. */
static inline const uint8_t *walk_window(const struct unwind_window *window,
                                         uint64_t address, size_t size)
{
    uint64_t offset = address - window->address;

    if ( offset >= window->length || window->length - offset < size )
        return NULL;
    return window->bytes + offset;
}

/* Returns bytes of the stack, and in *stack which window they are in, or NULL
 * if they are in none.  The current window is tried first, since a guest may
 * make windows overlap. */
static inline const uint8_t *walk_bytes(const struct stack_walk *walk,
                                        uint64_t address, size_t size,
                                        unsigned int *stack)
{
    const uint8_t *bytes;

    *stack = walk->stack;
    bytes = walk_window(&walk->start->windows[*stack], address, size);
    if ( bytes )
        return bytes;
    *stack = !*stack;
    return walk_window(&walk->start->windows[*stack], address, size);
}

static inline uint64_t walk_load(const struct stack_walk *walk,
                                 const uint8_t *from)
{
    uint64_t word = 0;

    if ( walk->word == 8 )
        memcpy(&word, from, 8);
    else
        memcpy(&word, from, 4);
    return word;
}

/* Returns whether the word at address is in a window; it is then in *ret. */
static inline bool walk_read(const struct stack_walk *walk, uint64_t address,
                             uint64_t *ret)
{
    unsigned int stack;
    const uint8_t *bytes = walk_bytes(walk, address, walk->word, &stack);

    if ( bytes )
        *ret = walk_load(walk, bytes);
    return bytes;
}

/* Kernels that have rows are 64-bit, in the upper half. */
static inline bool walk_is_kernels(uint64_t sp)
{
    return sp >> 56 == 0xff;
}

/* The window of the current frame is another one. */
static inline void walk_note_window(struct stack_walk *walk)
{
    const struct unwind_window *window = &walk->start->windows[walk->stack];

    walk->words.second = window->address + 8;
    walk->words.bytes = window->bytes;
    walk->words.room = walk->word == 8 && window->length >= 8 &&
                               walk_is_kernels(window->address) &&
                               UINT64_MAX - window->address >= window->length
                           ? window->length - 7
                           : 0;
}

/* Enters the frame at address: no later frame may lie below its end.  Returns
 * UNWIND_ON, after which walk_member() reads the frame, or why the walk
 * ends. */
static inline enum unwind_end walk_rise(struct stack_walk *walk,
                                        uint64_t address, size_t size)
{
    unsigned int stack;
    const uint8_t *bytes = walk_bytes(walk, address, size, &stack);

    if ( address & (walk->word - 1) )
        return UNWIND_NONSENSE;
    if ( !bytes )
        return UNWIND_WINDOW;
    if ( address < walk->floors[stack] )
        return UNWIND_NONSENSE;
    walk->floors[stack] = address + size;
    walk->stack = stack;
    walk_note_window(walk);
    walk->frame = bytes;
    return UNWIND_ON;
}

/* The word at this offset in the frame. */
static inline uint64_t walk_member(const struct stack_walk *walk, size_t offset)
{
    return walk_load(walk, walk->frame + offset);
}

/* They are compiled for code in the last 2 GiB, where kernel modules and BPF
 * programs are too. */
static inline bool walk_is_code(uint64_t ip)
{
    return ip >= 0xffffffff80000000u;
}

/* What walk_by_row() does of a usual row whose words are all in the window of
 * the frame before, in one piece: most are.  Returns false, with *walk as it
 * was, for all others, and for what ends the walk. */
static inline bool walk_pass_call(struct stack_walk *walk)
{
    const struct unwind_row *row = &walk->row;
    const uint64_t cfa = row->cfa_offset +
                         (row->cfa_base == ROW_BASE_SP ? walk->sp : walk->bp);
    const uint64_t at = cfa - walk->words.second;
    uint64_t bp = walk->bp, bp_at = at + 8 + row->bp_offset, ip;

    if ( at >= walk->words.room || cfa & 7 ||
         cfa - 8 < walk->floors[walk->stack] )
        return false;
    if ( row->bp_base == ROW_BASE_CFA )
    {
        if ( bp_at >= walk->words.room )
            return false;
        memcpy(&bp, walk->words.bytes + bp_at, 8);
    }
    memcpy(&ip, walk->words.bytes + at, 8);
    if ( !walk_is_code(ip) )
        return false;
    walk->floors[walk->stack] = walk->sp = cfa;
    walk->registers = REGISTERS_LOST;
    walk->bp = bp;
    walk->ip = ip;
    walk->exact = row->signal;
    return true;
}

/*
 * The unwinders.  Each returns UNWIND_ON with *walk at the caller's frame,
 * UNWIND_PASS if the frame is not one for it, or why the walk ends.
 */
enum unwind_end walk_by_row(struct stack_walk *walk);
enum unwind_end walk_by_frame_pointer(struct stack_walk *walk);

#endif
