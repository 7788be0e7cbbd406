/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of Xen's stack, on stacks made by hand: each kind of row, what may
 * lie between frames, and stacks that make no sense.
 */
#include <stdlib.h>
#include <string.h>

#include "hypervisor/xen-stack.h"
#include "stack-kit.h"
#include "tests/harness.h"

#define ROOM 8

static struct kit_table table;
static struct unwind_table checked;
static struct kit_stack stack;
static struct port_xen_stack start;
static uint64_t frames[ROOM];
static uint32_t count;
static bool whole;

/* An empty main stack but for what the test puts there; the leaf is a small
 * function at 512 bytes below the root. */
static void begin(void)
{
    process_reset(1);
    if ( !table.head )
        table = kit_table_make(64);
    CHECK(unwind_check(table.head, table.head->size, 0, &checked));
    stack = kit_stack_make();
    start = (struct port_xen_stack){
        .ip = kit_in(KIT_SMALL),
        .sp = stack.root - 512,
        .root = stack.root,
    };
}

static void walk(void)
{
    memset(frames, 0, sizeof(frames));
    count = xen_stack_walk(&checked, &start, frames, ROOM, &whole);
    CHECK(count <= ROOM);
}

/* The leaf, what it was called by, and whether that is all. */
static void expect(uint32_t wanted, const uint64_t *ips, bool wanted_whole)
{
    walk();
    for ( uint32_t i = 0; i < wanted && i < count; i++ )
        CHECK_EQ(frames[i], ips[i]);
    CHECK_EQ(count, wanted);
    CHECK_EQ(whole, wanted_whole);
}

#define EXPECT(is_whole, ...)                                                  \
    do                                                                         \
    {                                                                          \
        const uint64_t ips[] = {__VA_ARGS__};                                  \
                                                                               \
        expect(sizeof(ips) / sizeof(*ips), ips, is_whole);                     \
    } while ( 0 )

/* A frame of a function whose state is rsp + size: at sp; returns the CFA. */
static uint64_t frame(uint64_t sp, uint64_t size, uint64_t caller)
{
    kit_put(sp + size - 8, caller);
    return sp + size;
}

/* Entry code called the function whose CFA this is: the registers of what was
 * interrupted must lie there, or the root. */
static uint64_t from_entry(uint64_t sp, uint64_t size)
{
    return frame(sp, size, kit_after(KIT_REGS));
}

TEST(functions_up_to_the_root)
{
    begin();
    start.sp = stack.root - 24 - 40 - 24;
    from_entry(
        frame(frame(start.sp, 24, kit_in(KIT_SAVES)), 40, kit_after(KIT_SMALL)),
        24);
    EXPECT(true, kit_in(KIT_SMALL), kit_in(KIT_SAVES), kit_after(KIT_SMALL),
           kit_after(KIT_REGS));
}

TEST(leaf_in_entry_code_at_the_root)
{
    begin();
    start.ip = kit_in(KIT_REGS);
    start.sp = stack.root;
    EXPECT(true, kit_in(KIT_REGS));
}

/* Jumped to with an empty stack: no call, nothing to return to. */
TEST(stack_that_was_emptied)
{
    begin();
    start.ip = kit_in(KIT_LEAF);
    start.sp = stack.root;
    EXPECT(true, kit_in(KIT_LEAF));
    start.sp = stack.root - 24;
    frame(start.sp, 8, kit_in(KIT_SMALL));
    EXPECT(true, kit_in(KIT_LEAF), kit_in(KIT_SMALL));
}

/* The caller has a frame pointer, which the leaf has saved. */
TEST(frame_pointer_that_was_saved)
{
    uint64_t cfa, bp;

    begin();
    start.ip = kit_in(KIT_SAVES);
    start.sp = stack.root - 128;
    start.bp = 1;
    cfa = frame(start.sp, 40, kit_in(KIT_FRAME));
    bp = cfa + 48;
    kit_put(cfa - 16, bp);
    kit_put(bp + 8, kit_in(KIT_SMALL));
    from_entry(bp + 16, 24);
    EXPECT(true, kit_in(KIT_SAVES), kit_in(KIT_FRAME), kit_in(KIT_SMALL),
           kit_after(KIT_REGS));
}

TEST(frame_pointer_that_is_kept)
{
    begin();
    start.sp = stack.root - 24 - 32 - 24;
    start.bp = start.sp + 24 + 16;
    frame(start.sp, 24, kit_in(KIT_FRAME));
    kit_put(start.bp + 8, kit_in(KIT_SMALL));
    from_entry(stack.root - 24, 24);
    EXPECT(true, kit_in(KIT_SMALL), kit_in(KIT_FRAME), kit_in(KIT_SMALL),
           kit_after(KIT_REGS));
    start.ip = kit_in(KIT_FRAME);
    EXPECT(true, kit_in(KIT_FRAME), kit_in(KIT_SMALL), kit_after(KIT_REGS));
}

/* The right value is still in the register; the row says not to use it. */
TEST(frame_pointer_that_is_lost)
{
    begin();
    start.ip = kit_in(KIT_LOSES);
    start.bp = start.sp + 40;
    frame(start.sp, 16, kit_in(KIT_FRAME));
    kit_put(start.bp + 8, kit_in(KIT_SMALL));
    EXPECT(false, kit_in(KIT_LOSES), kit_in(KIT_FRAME));
}

TEST(frame_pointers_that_are_garbage)
{
    uint64_t values[] = {
        0, 1, 7, ~0ul, stack.root, 0x8000000000000000, KIT_TEXT, -16ul};

    begin();
    start.ip = kit_in(KIT_FRAME);
    for ( unsigned int i = 0; i < sizeof(values) / sizeof(*values); i++ )
    {
        start.bp = values[i];
        EXPECT(false, kit_in(KIT_FRAME));
    }
    for ( uint64_t bp = start.sp - 64; bp < start.sp + 64; bp++ )
    {
        start.bp = bp;
        /* Below sp, or no multiple of 8, or no return address there. */
        EXPECT(false, kit_in(KIT_FRAME));
    }
    for ( uint64_t bp = stack.root - 64; bp < stack.root + 512; bp++ )
    {
        start.bp = bp;
        walk();
        CHECK_EQ(count, 1);
        CHECK_EQ(whole, bp + 8 == stack.root);
    }
    start.ip = kit_in(KIT_ALIGNED);
    for ( uint64_t bp = start.sp - 64; bp < start.sp + 64; bp++ )
    {
        start.bp = bp;
        EXPECT(false, kit_in(KIT_ALIGNED));
    }
}

/* lea 8(%rsp), %r10; and $-32, %rsp; push -8(%r10); push %rbp; mov %rsp, %rbp;
 * push %r10 */
TEST(aligned_frame)
{
    uint64_t cfa, bp;

    begin();
    cfa = stack.root - 24;
    bp = cfa - 56;
    start.ip = kit_in(KIT_ALIGNED);
    start.sp = bp - 40;
    start.bp = bp;
    kit_put(cfa - 8, kit_in(KIT_FRAME));
    kit_put(bp - 8, cfa);
    kit_put(bp, cfa - 8);
    kit_put(cfa, kit_in(KIT_SMALL));
    EXPECT(false, kit_in(KIT_ALIGNED), kit_in(KIT_FRAME));
    /* The caller's own frame pointer is needed: it must have been found. */
    kit_put(bp, cfa);
    kit_put(cfa + 8, kit_after(KIT_REGS));
    EXPECT(false, kit_in(KIT_ALIGNED), kit_in(KIT_FRAME), kit_after(KIT_REGS));
    kit_put(bp, cfa + 8);
    kit_put(cfa + 16, kit_after(KIT_REGS));
    EXPECT(true, kit_in(KIT_ALIGNED), kit_in(KIT_FRAME), kit_after(KIT_REGS));
}

TEST(frame_that_is_being_aligned)
{
    begin();
    start.ip = kit_in(KIT_ALIGNING);
    start.r10 = stack.root - 24;
    kit_put(start.r10 - 8, kit_in(KIT_SMALL));
    from_entry(start.r10, 24);
    EXPECT(true, kit_in(KIT_ALIGNING), kit_in(KIT_SMALL), kit_after(KIT_REGS));
    /* Nobody but a leaf has its r10. */
    start.ip = kit_in(KIT_SMALL);
    frame(start.sp, 24, kit_in(KIT_ALIGNING));
    EXPECT(false, kit_in(KIT_SMALL), kit_in(KIT_ALIGNING));
}

/* The caller is where the call is, even if that is a function's last
 * instruction: what follows is unknown. */
TEST(return_address_behind_the_function)
{
    begin();
    start.sp = stack.root - 48;
    frame(start.sp, 24, kit_after(KIT_SMALL));
    from_entry(start.sp + 24, 24);
    EXPECT(true, kit_in(KIT_SMALL), kit_after(KIT_SMALL), kit_after(KIT_REGS));
    frame(start.sp, 24, kit_after(KIT_FUNCTIONS * 2 - 1) + 1);
    EXPECT(false, kit_in(KIT_SMALL), kit_after(KIT_FUNCTIONS * 2 - 1) + 1);
}

TEST(code_that_is_not_known)
{
    begin();
    start.ip = kit_in(KIT_UNKNOWN);
    EXPECT(false, kit_in(KIT_UNKNOWN));
    start.ip = kit_in(KIT_SMALL);
    frame(start.sp, 24, kit_in(KIT_UNKNOWN));
    EXPECT(false, kit_in(KIT_SMALL), kit_in(KIT_UNKNOWN));
    /* The leaf is what was interrupted, so it is reported whatever it is. */
    start.ip = 0x1234;
    EXPECT(false, 0x1234);
    /* A word of the stack that is not an address of code is not. */
    start.ip = kit_in(KIT_SMALL);
    frame(start.sp, 24, 0x5ec7e7);
    EXPECT(false, kit_in(KIT_SMALL));
    frame(start.sp, 24, KIT_TEXT);
    EXPECT(false, kit_in(KIT_SMALL));
    frame(start.sp, 24, KIT_TEXT + 64 * KIT_FUNCTION + 1);
    EXPECT(false, kit_in(KIT_SMALL));
}

TEST(stack_pointer_that_is_elsewhere)
{
    const uint64_t pages[] = {0, 5, 8, -1ul};

    begin();
    for ( unsigned int i = 0; i < sizeof(pages) / sizeof(*pages); i++ )
    {
        start.sp = stack.start + pages[i] * KIT_PAGE + 64;
        EXPECT(false, kit_in(KIT_SMALL));
    }
    start.sp = 0;
    EXPECT(false, kit_in(KIT_SMALL));
    start.sp = ~0ul;
    EXPECT(false, kit_in(KIT_SMALL));
    start.sp = stack.root - 511;
    EXPECT(false, kit_in(KIT_SMALL));
}

/* Up to the very ends of each stack, and not one byte further. */
TEST(bounds_of_the_stacks)
{
    begin();
    for ( uint64_t sp = stack.start - 8; sp <= stack.start + KIT_STACK_SIZE;
          sp += 8 )
    {
        start.sp = sp;
        walk();
        CHECK_EQ(count, 1);
        /* One that was jumped to with an empty stack. */
        CHECK_EQ(whole, sp + 24 - 8 == stack.root);
    }
}

/* Its return address is the root's first word, or lies above. */
TEST(frame_across_the_root)
{
    begin();
    start.sp = stack.root - 8;
    frame(start.sp, 24, kit_in(KIT_SMALL));
    EXPECT(false, kit_in(KIT_SMALL));
    start.sp = stack.root + 8;
    frame(start.sp, 24, kit_in(KIT_SMALL));
    EXPECT(false, kit_in(KIT_SMALL));
}

TEST(room_that_is_used_up)
{
    uint64_t sp;

    begin();
    sp = start.sp = stack.root - 24 * ROOM;
    for ( int i = 1; i < ROOM; i++ )
        sp = frame(sp, 24, kit_in(KIT_SMALL));
    from_entry(sp, 24);
    walk();
    CHECK_EQ(count, ROOM);
    CHECK(!whole);
    start.sp += 24;
    walk();
    CHECK_EQ(count, ROOM);
    CHECK(whole);
    CHECK_EQ(xen_stack_walk(&checked, &start, frames, 0, &whole), 0);
    CHECK(!whole);
}

/* What was interrupted, as a frame that is not the leaf. */
static uint64_t was_in(unsigned int function)
{
    return kit_in(function) + 1;
}

/* Interrupts and exceptions ---------------------------------------------- */

/* Xen was interrupted in a small function, whose frame ends at the root. */
static void interrupt(uint64_t saved, uint64_t pad)
{
    uint64_t sp = saved + KIT_SAVED_SIZE + pad;

    kit_interrupted(saved, kit_in(KIT_SMALL), sp);
    kit_put(sp + 16, kit_in(KIT_SAVES));
    from_entry(sp + 24, stack.root - sp - 24);
    kit_put(sp + 24 + 32, kit_after(KIT_REGS));
}

TEST(interrupt_handler_on_the_same_stack)
{
    for ( uint64_t pad = 0; pad <= 8; pad += 8 )
    {
        begin();
        interrupt(stack.root - 64 - pad - KIT_SAVED_SIZE, pad);
        start.sp = stack.root - 64 - pad - KIT_SAVED_SIZE - 24;
        frame(start.sp, 24, kit_after(KIT_REGS));
        EXPECT(true, kit_in(KIT_SMALL), kit_after(KIT_REGS), was_in(KIT_SMALL),
               kit_in(KIT_SAVES), kit_after(KIT_REGS));
        start.ip = kit_in(KIT_REGS);
        start.sp += 24;
        EXPECT(true, kit_in(KIT_REGS), was_in(KIT_SMALL), kit_in(KIT_SAVES),
               kit_after(KIT_REGS));
    }
}

TEST(saved_registers_that_make_no_sense)
{
    struct kit_saved *saved;
    uint64_t at;

    begin();
    at = stack.root - 64 - KIT_SAVED_SIZE;
    saved = (struct kit_saved *)at;
    start.ip = kit_in(KIT_REGS);
    start.sp = at;
    interrupt(at, 0);
    saved->cs = 0xe033;
    EXPECT(false, kit_in(KIT_REGS));
    interrupt(at, 0);
    saved->cs = 0;
    EXPECT(false, kit_in(KIT_REGS));
    interrupt(at, 0);
    saved->sp -= 8; /* into the frame itself */
    EXPECT(false, kit_in(KIT_REGS));
    saved->sp += 8 + 16; /* further than the processor aligns */
    EXPECT(false, kit_in(KIT_REGS));
    saved->sp -= 16 - 4;
    EXPECT(false, kit_in(KIT_REGS));
    saved->sp = start.sp;
    EXPECT(false, kit_in(KIT_REGS));
    saved->sp = stack.start + 2 * KIT_PAGE - 64; /* where no code comes from */
    EXPECT(false, kit_in(KIT_REGS));
    saved->sp = 0x7ffff0001000;
    EXPECT(false, kit_in(KIT_REGS));
    interrupt(at, 0);
    saved->ip = 0x7ffff0001000;
    EXPECT(false, kit_in(KIT_REGS));
}

TEST(registers_that_would_end_above_the_stack)
{
    begin();
    start.ip = kit_in(KIT_REGS);
    for ( uint64_t sp = stack.root + 8; sp < stack.root + 264; sp += 8 )
    {
        start.sp = sp;
        EXPECT(false, kit_in(KIT_REGS));
    }
}

/* An exception of its own stack in Xen's code on the main one. */
TEST(change_of_stack)
{
    uint64_t saved;

    begin();
    saved = stack.start + 4 * KIT_PAGE - KIT_SAVED_SIZE;
    kit_interrupted(saved, kit_in(KIT_FRAME), stack.root - 200)->bp =
        stack.root - 104;
    kit_put(stack.root - 96, kit_in(KIT_SMALL));
    kit_put(stack.root - 88 + 16, kit_after(KIT_REGS));
    kit_put(stack.root - 64 + 64, 0);
    start.sp = saved - 24;
    frame(start.sp, 24, kit_after(KIT_REGS));
    EXPECT(false, kit_in(KIT_SMALL), kit_after(KIT_REGS), was_in(KIT_FRAME),
           kit_in(KIT_SMALL), kit_after(KIT_REGS));
    /* The same with a frame that ends at the root. */
    kit_interrupted(saved, kit_in(KIT_FRAME), stack.root - 200)->bp =
        stack.root - 40;
    kit_put(stack.root - 32, kit_in(KIT_SMALL));
    kit_put(stack.root - 8, kit_after(KIT_REGS));
    EXPECT(true, kit_in(KIT_SMALL), kit_after(KIT_REGS), was_in(KIT_FRAME),
           kit_in(KIT_SMALL), kit_after(KIT_REGS));
}

TEST(exception_during_an_exception)
{
    uint64_t first, second;

    begin();
    first = stack.start + 2 * KIT_PAGE - KIT_SAVED_SIZE;
    second = stack.start + 5 * KIT_PAGE - KIT_SAVED_SIZE;
    kit_interrupted(first, kit_in(KIT_REGS), second);
    kit_interrupted(second, kit_in(KIT_LEAF), stack.root - 8);
    kit_put(stack.root - 8, kit_after(KIT_REGS));
    start.ip = kit_in(KIT_REGS);
    start.sp = first;
    EXPECT(true, kit_in(KIT_REGS), was_in(KIT_REGS), was_in(KIT_LEAF),
           kit_after(KIT_REGS));
}

/* Two stacks that lead to each other: the room ends it. */
TEST(stacks_that_go_round)
{
    uint64_t first, second;

    begin();
    first = stack.start + 2 * KIT_PAGE - KIT_SAVED_SIZE;
    second = stack.start + 5 * KIT_PAGE - KIT_SAVED_SIZE;
    kit_interrupted(first, kit_in(KIT_REGS), second);
    kit_interrupted(second, kit_in(KIT_REGS), first);
    start.ip = kit_in(KIT_REGS);
    start.sp = first;
    walk();
    CHECK_EQ(count, ROOM);
    CHECK(!whole);
}

/* Entry code -------------------------------------------------------------- */

TEST(entry_code_of_a_guest)
{
    begin();
    start.ip = kit_in(KIT_ENTRY);
    start.sp = stack.root + 128; /* the processor's frame alone */
    EXPECT(true, kit_in(KIT_ENTRY));
    start.ip = kit_in(KIT_ENTRY_ANY);
    for ( uint64_t sp = stack.root - 64; sp < stack.root + 264; sp += 8 )
    {
        start.sp = sp;
        EXPECT(true, kit_in(KIT_ENTRY_ANY));
    }
    start.sp = stack.root - 72;
    EXPECT(false, kit_in(KIT_ENTRY_ANY));
}

/* No general register is saved yet: rbp is the interrupted function's. */
TEST(entry_code_that_interrupted_xen)
{
    uint64_t saved;

    begin();
    saved = stack.root - 64 - KIT_SAVED_SIZE;
    kit_interrupted(saved, kit_in(KIT_FRAME), saved + KIT_SAVED_SIZE);
    kit_put(stack.root - 24 - 8, kit_in(KIT_SMALL));
    kit_put(stack.root - 8, kit_after(KIT_REGS));
    start.ip = kit_in(KIT_ENTRY);
    start.sp = saved + 128;
    start.bp = stack.root - 40;
    EXPECT(true, kit_in(KIT_ENTRY), was_in(KIT_FRAME), kit_in(KIT_SMALL),
           kit_after(KIT_REGS));
    /* The same with room for the registers, which are not there yet. */
    start.ip = kit_in(KIT_REGS_LATE);
    start.sp = saved;
    EXPECT(true, kit_in(KIT_REGS_LATE), was_in(KIT_FRAME), kit_in(KIT_SMALL),
           kit_after(KIT_REGS));
    /* Only r14 and r15 are missing, or gone already. */
    kit_interrupted(saved, kit_in(KIT_FRAME), saved + KIT_SAVED_SIZE)->bp =
        stack.root - 40;
    start.ip = kit_in(KIT_ENTRY_LATE);
    start.sp = saved + 16;
    start.bp = 0;
    EXPECT(true, kit_in(KIT_ENTRY_LATE), was_in(KIT_FRAME), kit_in(KIT_SMALL),
           kit_after(KIT_REGS));
    /* Found by looking: how many of the registers are there is not known. */
    start.ip = kit_in(KIT_ENTRY_ANY);
    EXPECT(false, kit_in(KIT_ENTRY_ANY), was_in(KIT_FRAME));
}

TEST(entry_code_that_is_searched)
{
    uint64_t saved;

    begin();
    saved = stack.root - 256 - KIT_SAVED_SIZE;
    kit_interrupted(saved, kit_in(KIT_SMALL), saved + KIT_SAVED_SIZE);
    kit_put(stack.root - 256 + 16, kit_after(KIT_SMALL));
    start.ip = kit_in(KIT_ENTRY_ANY);
    for ( uint64_t sp = saved - 48; sp <= saved + 128; sp += 8 )
    {
        start.sp = sp;
        EXPECT(false, kit_in(KIT_ENTRY_ANY), was_in(KIT_SMALL),
               kit_after(KIT_SMALL));
    }
    start.sp = saved - 56;
    EXPECT(false, kit_in(KIT_ENTRY_ANY));
    start.sp = saved + 136;
    EXPECT(false, kit_in(KIT_ENTRY_ANY));
}

TEST(call_from_entry_code_that_is_searched)
{
    uint64_t saved;

    begin();
    saved = stack.root - 64 - KIT_SAVED_SIZE;
    interrupt(saved, 0);
    start.sp = saved - 24;
    kit_put(saved - 8, kit_after(KIT_ENTRY_ANY));
    EXPECT(true, kit_in(KIT_SMALL), kit_after(KIT_ENTRY_ANY), was_in(KIT_SMALL),
           kit_in(KIT_SAVES), kit_after(KIT_REGS));
}

TEST(entry_code_on_a_stack_of_its_own)
{
    struct kit_saved *saved;
    uint64_t at;

    begin();
    at = stack.start + 3 * KIT_PAGE - KIT_SAVED_SIZE;
    saved = kit_interrupted(at, kit_in(KIT_LEAF), stack.root - 8);
    kit_put(stack.root - 8, kit_after(KIT_REGS));
    for ( unsigned int kind = KIT_ENTRY; kind <= KIT_ENTRY_ANY; kind++ )
    {
        saved->cs = KIT_XEN_CS;
        start.ip = kit_in(kind);
        start.sp = at + 128;
        EXPECT(true, kit_in(kind), was_in(KIT_LEAF), kit_after(KIT_REGS));
        saved->cs = 0xe033; /* it was a guest */
        EXPECT(true, kit_in(kind));
        start.sp = at + 136; /* its frame is gone */
        EXPECT(false, kit_in(kind));
    }
}

TEST(return_stack_buffer_that_is_being_filled)
{
    uint64_t saved;

    begin();
    start.ip = kit_in(KIT_FILLING);
    start.sp = stack.root - 16;
    start.ax = stack.root;
    EXPECT(true, kit_in(KIT_FILLING));
    start.sp = stack.root - 256;
    EXPECT(true, kit_in(KIT_FILLING));
    start.sp = stack.root - 272;
    EXPECT(false, kit_in(KIT_FILLING));
    start.sp = stack.root;
    EXPECT(false, kit_in(KIT_FILLING));
    start.ax = 0;
    EXPECT(false, kit_in(KIT_FILLING));
    saved = stack.root - 64 - KIT_SAVED_SIZE;
    interrupt(saved, 0);
    start.ax = saved;
    start.sp = saved - 64;
    EXPECT(true, kit_in(KIT_FILLING), was_in(KIT_SMALL), kit_in(KIT_SAVES),
           kit_after(KIT_REGS));
    /* Nobody but a leaf has its rax. */
    start.ip = kit_in(KIT_SMALL);
    frame(start.sp, 24, kit_in(KIT_FILLING));
    EXPECT(false, kit_in(KIT_SMALL), kit_in(KIT_FILLING));
}

/*
 * Another livepatch has replaced KIT_SMALL: its first instruction is a jump to
 * text that the table does not have.  What was called before that goes on in
 * the old code, by rows that are as right as ever.
 */
#define PATCH (KIT_TEXT + 0x300000)

TEST(functions_that_a_livepatch_replaced)
{
    uint64_t cfa;

    /* At the jump nothing is on the stack but the return address. */
    begin();
    start.ip = kit_in(KIT_LEAF);
    start.sp = stack.root - 32;
    from_entry(frame(start.sp, 8, kit_after(KIT_SMALL)), 24);
    EXPECT(true, kit_in(KIT_LEAF), kit_after(KIT_SMALL), kit_after(KIT_REGS));
    /* In the new code, which may keep its frame in any way. */
    begin();
    start.ip = PATCH;
    start.sp = stack.root - 24;
    from_entry(start.sp, 24);
    EXPECT(false, PATCH);
    /* Called from there: the chain is what is certain, and ends. */
    begin();
    start.sp = stack.root - 64;
    cfa = frame(start.sp, 24, PATCH + 5);
    from_entry(cfa, 24);
    EXPECT(false, kit_in(KIT_SMALL));
    /* In the old code, which was entered before. */
    begin();
    start.sp = stack.root - 48;
    from_entry(frame(start.sp, 24, kit_in(KIT_SMALL)), 24);
    EXPECT(true, kit_in(KIT_SMALL), kit_in(KIT_SMALL), kit_after(KIT_REGS));
}
