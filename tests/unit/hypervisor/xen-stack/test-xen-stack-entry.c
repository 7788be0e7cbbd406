/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of Xen's stack across what was interrupted: saved registers, a
 * change of stack, and entry code.
 */
#include "walk-kit.h"

/* Xen was interrupted in a small function, whose frame ends at the root. */
static void interrupt(uint64_t saved, uint64_t pad)
{
    uint64_t sp = saved + KIT_SAVED_SIZE + pad;

    kit_interrupted(saved, kit_in(KIT_SMALL), sp);
    kit_put(sp + 16, kit_in(KIT_SAVES));
    walk_from_entry(sp + 24, walk_stack.root - sp - 24);
    kit_put(sp + 24 + 32, kit_after(KIT_REGS));
}

TEST(interrupt_handler_on_the_same_stack)
{
    for ( uint64_t pad = 0; pad <= 8; pad += 8 )
    {
        walk_begin();
        interrupt(walk_stack.root - 64 - pad - KIT_SAVED_SIZE, pad);
        walk_start.sp = walk_stack.root - 64 - pad - KIT_SAVED_SIZE - 24;
        walk_frame(walk_start.sp, 24, kit_after(KIT_REGS));
        EXPECT(true, kit_in(KIT_SMALL), kit_after(KIT_REGS),
               walk_was_in(KIT_SMALL), kit_in(KIT_SAVES), kit_after(KIT_REGS));
        walk_start.ip = kit_in(KIT_REGS);
        walk_start.sp += 24;
        EXPECT(true, kit_in(KIT_REGS), walk_was_in(KIT_SMALL),
               kit_in(KIT_SAVES), kit_after(KIT_REGS));
    }
}

TEST(saved_registers_that_make_no_sense)
{
    struct kit_saved *saved;
    uint64_t at;

    walk_begin();
    at = walk_stack.root - 64 - KIT_SAVED_SIZE;
    saved = (struct kit_saved *)at;
    walk_start.ip = kit_in(KIT_REGS);
    walk_start.sp = at;
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
    saved->sp = walk_start.sp;
    EXPECT(false, kit_in(KIT_REGS));
    saved->sp = walk_stack.start + 2 * KIT_PAGE -
                64; /* where no code comes from */
    EXPECT(false, kit_in(KIT_REGS));
    saved->sp = 0x7ffff0001000;
    EXPECT(false, kit_in(KIT_REGS));
    interrupt(at, 0);
    saved->ip = 0x7ffff0001000;
    EXPECT(false, kit_in(KIT_REGS));
}

TEST(registers_that_would_end_above_the_stack)
{
    walk_begin();
    walk_start.ip = kit_in(KIT_REGS);
    for ( uint64_t sp = walk_stack.root + 8; sp < walk_stack.root + 264;
          sp += 8 )
    {
        walk_start.sp = sp;
        EXPECT(false, kit_in(KIT_REGS));
    }
}

/* An exception of its own stack in Xen's code on the main one. */
TEST(change_of_stack)
{
    uint64_t saved;

    walk_begin();
    saved = walk_stack.start + 4 * KIT_PAGE - KIT_SAVED_SIZE;
    kit_interrupted(saved, kit_in(KIT_FRAME), walk_stack.root - 200)->bp =
        walk_stack.root - 104;
    kit_put(walk_stack.root - 96, kit_in(KIT_SMALL));
    kit_put(walk_stack.root - 88 + 16, kit_after(KIT_REGS));
    kit_put(walk_stack.root - 64 + 64, 0);
    walk_start.sp = saved - 24;
    walk_frame(walk_start.sp, 24, kit_after(KIT_REGS));
    EXPECT(false, kit_in(KIT_SMALL), kit_after(KIT_REGS),
           walk_was_in(KIT_FRAME), kit_in(KIT_SMALL), kit_after(KIT_REGS));
    /* The same with a frame that ends at the root. */
    kit_interrupted(saved, kit_in(KIT_FRAME), walk_stack.root - 200)->bp =
        walk_stack.root - 40;
    kit_put(walk_stack.root - 32, kit_in(KIT_SMALL));
    kit_put(walk_stack.root - 8, kit_after(KIT_REGS));
    EXPECT(true, kit_in(KIT_SMALL), kit_after(KIT_REGS), walk_was_in(KIT_FRAME),
           kit_in(KIT_SMALL), kit_after(KIT_REGS));
}

TEST(exception_during_an_exception)
{
    uint64_t first, second;

    walk_begin();
    first = walk_stack.start + 2 * KIT_PAGE - KIT_SAVED_SIZE;
    second = walk_stack.start + 5 * KIT_PAGE - KIT_SAVED_SIZE;
    kit_interrupted(first, kit_in(KIT_REGS), second);
    kit_interrupted(second, kit_in(KIT_LEAF), walk_stack.root - 8);
    kit_put(walk_stack.root - 8, kit_after(KIT_REGS));
    walk_start.ip = kit_in(KIT_REGS);
    walk_start.sp = first;
    EXPECT(true, kit_in(KIT_REGS), walk_was_in(KIT_REGS), walk_was_in(KIT_LEAF),
           kit_after(KIT_REGS));
}

/* Two stacks that lead to each other: the room ends it. */
TEST(stacks_that_go_round)
{
    uint64_t first, second;

    walk_begin();
    first = walk_stack.start + 2 * KIT_PAGE - KIT_SAVED_SIZE;
    second = walk_stack.start + 5 * KIT_PAGE - KIT_SAVED_SIZE;
    kit_interrupted(first, kit_in(KIT_REGS), second);
    kit_interrupted(second, kit_in(KIT_REGS), first);
    walk_start.ip = kit_in(KIT_REGS);
    walk_start.sp = first;
    walk(WALK_ROOM);
    CHECK_EQ(walk_count, WALK_ROOM);
    CHECK(!walk_whole);
}

TEST(entry_code_of_a_guest)
{
    walk_begin();
    walk_start.ip = kit_in(KIT_ENTRY);
    walk_start.sp = walk_stack.root + 128; /* the processor's frame alone */
    EXPECT(true, kit_in(KIT_ENTRY));
    walk_start.ip = kit_in(KIT_ENTRY_ANY);
    for ( uint64_t sp = walk_stack.root - 64; sp < walk_stack.root + 264;
          sp += 8 )
    {
        walk_start.sp = sp;
        EXPECT(true, kit_in(KIT_ENTRY_ANY));
    }
    walk_start.sp = walk_stack.root - 72;
    EXPECT(false, kit_in(KIT_ENTRY_ANY));
}

/* No general register is saved yet: rbp is the interrupted function's. */
TEST(entry_code_that_interrupted_xen)
{
    uint64_t saved;

    walk_begin();
    saved = walk_stack.root - 64 - KIT_SAVED_SIZE;
    kit_interrupted(saved, kit_in(KIT_FRAME), saved + KIT_SAVED_SIZE);
    kit_put(walk_stack.root - 24 - 8, kit_in(KIT_SMALL));
    kit_put(walk_stack.root - 8, kit_after(KIT_REGS));
    walk_start.ip = kit_in(KIT_ENTRY);
    walk_start.sp = saved + 128;
    walk_start.bp = walk_stack.root - 40;
    EXPECT(true, kit_in(KIT_ENTRY), walk_was_in(KIT_FRAME), kit_in(KIT_SMALL),
           kit_after(KIT_REGS));
    /* The same with room for the registers, which are not there yet. */
    walk_start.ip = kit_in(KIT_REGS_LATE);
    walk_start.sp = saved;
    EXPECT(true, kit_in(KIT_REGS_LATE), walk_was_in(KIT_FRAME),
           kit_in(KIT_SMALL), kit_after(KIT_REGS));
    /* Only r14 and r15 are missing, or gone already. */
    kit_interrupted(saved, kit_in(KIT_FRAME), saved + KIT_SAVED_SIZE)->bp =
        walk_stack.root - 40;
    walk_start.ip = kit_in(KIT_ENTRY_LATE);
    walk_start.sp = saved + 16;
    walk_start.bp = 0;
    EXPECT(true, kit_in(KIT_ENTRY_LATE), walk_was_in(KIT_FRAME),
           kit_in(KIT_SMALL), kit_after(KIT_REGS));
    /* How many registers are saved is not known; the walk searches for the
     * frame. */
    walk_start.ip = kit_in(KIT_ENTRY_ANY);
    EXPECT(false, kit_in(KIT_ENTRY_ANY), walk_was_in(KIT_FRAME));
}

TEST(entry_code_that_is_searched)
{
    uint64_t saved;

    walk_begin();
    saved = walk_stack.root - 256 - KIT_SAVED_SIZE;
    kit_interrupted(saved, kit_in(KIT_SMALL), saved + KIT_SAVED_SIZE);
    kit_put(walk_stack.root - 256 + 16, kit_after(KIT_SMALL));
    walk_start.ip = kit_in(KIT_ENTRY_ANY);
    for ( uint64_t sp = saved - 48; sp <= saved + 128; sp += 8 )
    {
        walk_start.sp = sp;
        EXPECT(false, kit_in(KIT_ENTRY_ANY), walk_was_in(KIT_SMALL),
               kit_after(KIT_SMALL));
    }
    walk_start.sp = saved - 56;
    EXPECT(false, kit_in(KIT_ENTRY_ANY));
    walk_start.sp = saved + 136;
    EXPECT(false, kit_in(KIT_ENTRY_ANY));
}

TEST(call_from_entry_code_that_is_searched)
{
    uint64_t saved;

    walk_begin();
    saved = walk_stack.root - 64 - KIT_SAVED_SIZE;
    interrupt(saved, 0);
    walk_start.sp = saved - 24;
    kit_put(saved - 8, kit_after(KIT_ENTRY_ANY));
    EXPECT(true, kit_in(KIT_SMALL), kit_after(KIT_ENTRY_ANY),
           walk_was_in(KIT_SMALL), kit_in(KIT_SAVES), kit_after(KIT_REGS));
}

TEST(entry_code_on_a_stack_of_its_own)
{
    struct kit_saved *saved;
    uint64_t at;

    walk_begin();
    at = walk_stack.start + 3 * KIT_PAGE - KIT_SAVED_SIZE;
    saved = kit_interrupted(at, kit_in(KIT_LEAF), walk_stack.root - 8);
    kit_put(walk_stack.root - 8, kit_after(KIT_REGS));
    for ( unsigned int kind = KIT_ENTRY; kind <= KIT_ENTRY_ANY; kind++ )
    {
        saved->cs = KIT_XEN_CS;
        walk_start.ip = kit_in(kind);
        walk_start.sp = at + 128;
        EXPECT(true, kit_in(kind), walk_was_in(KIT_LEAF), kit_after(KIT_REGS));
        saved->cs = 0xe033; /* it was a guest */
        EXPECT(true, kit_in(kind));
        walk_start.sp = at + 136; /* its frame is gone */
        EXPECT(false, kit_in(kind));
    }
}

TEST(return_stack_buffer_that_is_being_filled)
{
    uint64_t saved;

    walk_begin();
    walk_start.ip = kit_in(KIT_FILLING);
    walk_start.sp = walk_stack.root - 16;
    walk_start.ax = walk_stack.root;
    EXPECT(true, kit_in(KIT_FILLING));
    walk_start.sp = walk_stack.root - 256;
    EXPECT(true, kit_in(KIT_FILLING));
    walk_start.sp = walk_stack.root - 272;
    EXPECT(false, kit_in(KIT_FILLING));
    walk_start.sp = walk_stack.root; /* before the first call */
    EXPECT(true, kit_in(KIT_FILLING));
    walk_start.sp = walk_stack.root + 8;
    EXPECT(false, kit_in(KIT_FILLING));
    walk_start.ax = 0;
    EXPECT(false, kit_in(KIT_FILLING));
    saved = walk_stack.root - 64 - KIT_SAVED_SIZE;
    interrupt(saved, 0);
    walk_start.ax = saved;
    walk_start.sp = saved - 64;
    EXPECT(true, kit_in(KIT_FILLING), walk_was_in(KIT_SMALL), kit_in(KIT_SAVES),
           kit_after(KIT_REGS));
    /* Only a leaf has its rax. */
    walk_start.ip = kit_in(KIT_SMALL);
    walk_frame(walk_start.sp, 24, kit_in(KIT_FILLING));
    EXPECT(false, kit_in(KIT_SMALL), kit_in(KIT_FILLING));
}

/* The stub of SYSCALL is outside of Xen's text: it enters the stack at its end,
 * less a word, and pushes one. */
TEST(system_call_that_has_just_come_to_the_stack)
{
    walk_begin();
    walk_start.ip = 0xffff82d07fffe017;
    for ( uint64_t above = 152; above <= 160; above += 8 )
    {
        walk_start.sp = walk_stack.root + above;
        EXPECT(true, walk_start.ip);
    }
    walk_start.sp = walk_stack.root;
    EXPECT(true, walk_start.ip);
    walk_start.sp = walk_stack.root - 8;
    EXPECT(false, walk_start.ip);
}
