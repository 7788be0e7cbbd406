/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of Xen's stack from function to function: each kind of row, code
 * that is not known, and stacks that make no sense.
 */
#include <string.h>

#include "walk-kit.h"

TEST(functions_up_to_the_root)
{
    walk_begin();
    walk_start.sp = walk_stack.root - 24 - 40 - 24;
    walk_from_entry(walk_frame(walk_frame(walk_start.sp, 24, kit_in(KIT_SAVES)),
                               40, kit_after(KIT_SMALL)),
                    24);
    EXPECT(true, kit_in(KIT_SMALL), kit_in(KIT_SAVES), kit_after(KIT_SMALL),
           kit_after(KIT_REGS));
}

TEST(leaf_in_entry_code_at_the_root)
{
    walk_begin();
    walk_start.ip = kit_in(KIT_REGS);
    walk_start.sp = walk_stack.root;
    EXPECT(true, kit_in(KIT_REGS));
}

/* Jumped to with an empty stack: no call, nothing to return to. */
TEST(stack_that_was_emptied)
{
    walk_begin();
    walk_start.ip = kit_in(KIT_LEAF);
    walk_start.sp = walk_stack.root;
    EXPECT(true, kit_in(KIT_LEAF));
    walk_start.sp = walk_stack.root - 24;
    walk_frame(walk_start.sp, 8, kit_in(KIT_SMALL));
    EXPECT(true, kit_in(KIT_LEAF), kit_in(KIT_SMALL));
}

/* The caller has a frame pointer, which the leaf has saved. */
TEST(frame_pointer_that_was_saved)
{
    uint64_t cfa, bp;

    walk_begin();
    walk_start.ip = kit_in(KIT_SAVES);
    walk_start.sp = walk_stack.root - 128;
    walk_start.bp = 1;
    cfa = walk_frame(walk_start.sp, 40, kit_in(KIT_FRAME));
    bp = cfa + 48;
    kit_put(cfa - 16, bp);
    kit_put(bp + 8, kit_in(KIT_SMALL));
    walk_from_entry(bp + 16, 24);
    EXPECT(true, kit_in(KIT_SAVES), kit_in(KIT_FRAME), kit_in(KIT_SMALL),
           kit_after(KIT_REGS));
}

TEST(frame_pointer_that_is_kept)
{
    walk_begin();
    walk_start.sp = walk_stack.root - 24 - 32 - 24;
    walk_start.bp = walk_start.sp + 24 + 16;
    walk_frame(walk_start.sp, 24, kit_in(KIT_FRAME));
    kit_put(walk_start.bp + 8, kit_in(KIT_SMALL));
    walk_from_entry(walk_stack.root - 24, 24);
    EXPECT(true, kit_in(KIT_SMALL), kit_in(KIT_FRAME), kit_in(KIT_SMALL),
           kit_after(KIT_REGS));
    walk_start.ip = kit_in(KIT_FRAME);
    EXPECT(true, kit_in(KIT_FRAME), kit_in(KIT_SMALL), kit_after(KIT_REGS));
}

/* The right value is still in the register; the row says not to use it. */
TEST(frame_pointer_that_is_lost)
{
    walk_begin();
    walk_start.ip = kit_in(KIT_LOSES);
    walk_start.bp = walk_start.sp + 40;
    walk_frame(walk_start.sp, 16, kit_in(KIT_FRAME));
    kit_put(walk_start.bp + 8, kit_in(KIT_SMALL));
    EXPECT(false, kit_in(KIT_LOSES), kit_in(KIT_FRAME));
}

TEST(frame_pointers_that_are_garbage)
{
    uint64_t values[] = {
        0, 1, 7, ~0ul, walk_stack.root, 0x8000000000000000, KIT_TEXT, -16ul};

    walk_begin();
    walk_start.ip = kit_in(KIT_FRAME);
    for ( unsigned int i = 0; i < sizeof(values) / sizeof(*values); i++ )
    {
        walk_start.bp = values[i];
        EXPECT(false, kit_in(KIT_FRAME));
    }
    for ( uint64_t bp = walk_start.sp - 64; bp < walk_start.sp + 64; bp++ )
    {
        walk_start.bp = bp;
        /* Below sp, or no multiple of 8, or no return address there. */
        EXPECT(false, kit_in(KIT_FRAME));
    }
    for ( uint64_t bp = walk_stack.root - 64; bp < walk_stack.root + 512; bp++ )
    {
        walk_start.bp = bp;
        walk(WALK_ROOM);
        CHECK_EQ(walk_count, 1);
        CHECK_EQ(walk_whole, bp + 8 == walk_stack.root);
    }
    walk_start.ip = kit_in(KIT_ALIGNED);
    for ( uint64_t bp = walk_start.sp - 64; bp < walk_start.sp + 64; bp++ )
    {
        walk_start.bp = bp;
        EXPECT(false, kit_in(KIT_ALIGNED));
    }
}

/* What looks like a return address, but between two words of the stack. */
TEST(frame_pointer_that_is_no_multiple_of_8)
{
    uint64_t caller = kit_in(KIT_SMALL);

    walk_begin();
    walk_start.ip = kit_in(KIT_FRAME);
    walk_start.bp = walk_start.sp + 3;
    memcpy((void *)(walk_start.bp + 8), &caller, sizeof(caller));
    EXPECT(false, kit_in(KIT_FRAME));
}

/* lea 8(%rsp), %r10; and $-32, %rsp; push -8(%r10); push %rbp; mov %rsp, %rbp;
 * push %r10 */
TEST(aligned_frame)
{
    uint64_t cfa, bp;

    walk_begin();
    cfa = walk_stack.root - 24;
    bp = cfa - 56;
    walk_start.ip = kit_in(KIT_ALIGNED);
    walk_start.sp = bp - 40;
    walk_start.bp = bp;
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
    walk_begin();
    walk_start.ip = kit_in(KIT_ALIGNING);
    walk_start.r10 = walk_stack.root - 24;
    kit_put(walk_start.r10 - 8, kit_in(KIT_SMALL));
    walk_from_entry(walk_start.r10, 24);
    EXPECT(true, kit_in(KIT_ALIGNING), kit_in(KIT_SMALL), kit_after(KIT_REGS));
    /* Only a leaf has its r10. */
    walk_start.ip = kit_in(KIT_SMALL);
    walk_frame(walk_start.sp, 24, kit_in(KIT_ALIGNING));
    EXPECT(false, kit_in(KIT_SMALL), kit_in(KIT_ALIGNING));
}

/* The caller is where the call is, even if that is a function's last
 * instruction: what follows is unknown. */
TEST(return_address_after_the_function)
{
    walk_begin();
    walk_start.sp = walk_stack.root - 48;
    walk_frame(walk_start.sp, 24, kit_after(KIT_SMALL));
    walk_from_entry(walk_start.sp + 24, 24);
    EXPECT(true, kit_in(KIT_SMALL), kit_after(KIT_SMALL), kit_after(KIT_REGS));
    walk_frame(walk_start.sp, 24, kit_after(KIT_FUNCTIONS * 2 - 1) + 1);
    EXPECT(false, kit_in(KIT_SMALL), kit_after(KIT_FUNCTIONS * 2 - 1) + 1);
}

TEST(code_that_is_not_known)
{
    walk_begin();
    walk_start.ip = kit_in(KIT_UNKNOWN);
    EXPECT(false, kit_in(KIT_UNKNOWN));
    walk_start.ip = kit_in(KIT_SMALL);
    walk_frame(walk_start.sp, 24, kit_in(KIT_UNKNOWN));
    EXPECT(false, kit_in(KIT_SMALL), kit_in(KIT_UNKNOWN));
    /* The leaf is the interrupted address, so it is reported in any case. */
    walk_start.ip = 0x1234;
    EXPECT(false, 0x1234);
    /* A word of the stack that is not an address of code is not reported. */
    walk_start.ip = kit_in(KIT_SMALL);
    walk_frame(walk_start.sp, 24, 0x5ec7e7);
    EXPECT(false, kit_in(KIT_SMALL));
    walk_frame(walk_start.sp, 24, KIT_TEXT);
    EXPECT(false, kit_in(KIT_SMALL));
    walk_frame(walk_start.sp, 24, KIT_TEXT + 64 * KIT_FUNCTION + 1);
    EXPECT(false, kit_in(KIT_SMALL));
}

TEST(stack_pointer_that_is_elsewhere)
{
    const uint64_t pages[] = {0, 5, 8, -1ul};

    walk_begin();
    for ( unsigned int i = 0; i < sizeof(pages) / sizeof(*pages); i++ )
    {
        walk_start.sp = walk_stack.start + pages[i] * KIT_PAGE + 64;
        EXPECT(false, kit_in(KIT_SMALL));
    }
    walk_start.sp = 0;
    EXPECT(false, kit_in(KIT_SMALL));
    walk_start.sp = ~0ul;
    EXPECT(false, kit_in(KIT_SMALL));
    walk_start.sp = walk_stack.root - 511;
    EXPECT(false, kit_in(KIT_SMALL));
}

/* Up to the very ends of each stack, and not one byte further. */
TEST(bounds_of_the_stacks)
{
    walk_begin();
    for ( uint64_t sp = walk_stack.start - 8;
          sp <= walk_stack.start + KIT_STACK_SIZE; sp += 8 )
    {
        walk_start.sp = sp;
        walk(WALK_ROOM);
        CHECK_EQ(walk_count, 1);
        /* A function that was jumped to with an empty stack. */
        CHECK_EQ(walk_whole, sp + 24 - 8 == walk_stack.root);
    }
}

/* Its return address is the root's first word, or lies above. */
TEST(frame_across_the_root)
{
    walk_begin();
    walk_start.sp = walk_stack.root - 8;
    walk_frame(walk_start.sp, 24, kit_in(KIT_SMALL));
    EXPECT(false, kit_in(KIT_SMALL));
    walk_start.sp = walk_stack.root + 8;
    walk_frame(walk_start.sp, 24, kit_in(KIT_SMALL));
    EXPECT(false, kit_in(KIT_SMALL));
}

TEST(room_that_is_used_up)
{
    uint64_t sp;

    walk_begin();
    sp = walk_start.sp = walk_stack.root - 24 * WALK_ROOM;
    for ( int i = 1; i < WALK_ROOM; i++ )
        sp = walk_frame(sp, 24, kit_in(KIT_SMALL));
    walk_from_entry(sp, 24);
    walk(WALK_ROOM);
    CHECK_EQ(walk_count, WALK_ROOM);
    CHECK(!walk_whole);
    walk_start.sp += 24;
    walk(WALK_ROOM);
    CHECK_EQ(walk_count, WALK_ROOM);
    CHECK(walk_whole);
    walk(0);
    CHECK_EQ(walk_count, 0);
    CHECK(!walk_whole);
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
    walk_begin();
    walk_start.ip = kit_in(KIT_LEAF);
    walk_start.sp = walk_stack.root - 32;
    walk_from_entry(walk_frame(walk_start.sp, 8, kit_after(KIT_SMALL)), 24);
    EXPECT(true, kit_in(KIT_LEAF), kit_after(KIT_SMALL), kit_after(KIT_REGS));
    /* In the new code, which may keep its frame in any way. */
    walk_begin();
    walk_start.ip = PATCH;
    walk_start.sp = walk_stack.root - 24;
    walk_from_entry(walk_start.sp, 24);
    EXPECT(false, PATCH);
    /* Called from there: the chain is what is certain, and ends. */
    walk_begin();
    walk_start.sp = walk_stack.root - 64;
    cfa = walk_frame(walk_start.sp, 24, PATCH + 5);
    walk_from_entry(cfa, 24);
    EXPECT(false, kit_in(KIT_SMALL));
    /* In the old code, which was entered before. */
    walk_begin();
    walk_start.sp = walk_stack.root - 48;
    walk_from_entry(walk_frame(walk_start.sp, 24, kit_in(KIT_SMALL)), 24);
    EXPECT(true, kit_in(KIT_SMALL), kit_in(KIT_SMALL), kit_after(KIT_REGS));
}
