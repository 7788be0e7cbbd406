/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of functions: what each instruction does to the stack. */
#include "tests/harness.h"
#include "xen-unwind-kit.h"

KIT_FUNCTION("pushes", "push %rbp\n"
                       "push %rbx\n"
                       "sub $0x18, %rsp\n"
                       "xor %ebp, %ebp\n"
                       "mov %rbx, 8(%rsp)\n"
                       "add $0x18, %rsp\n"
                       "pop %rbx\n"
                       "pop %rbp\n"
                       "ret\n")

TEST(pushes_and_pops)
{
    CHECK_TEXT(kit_rows("pushes"), "0: rsp+8\n"
                                   "1: rsp+16, rbp -16\n"
                                   "2: rsp+24, rbp -16\n"
                                   "3: rsp+48, rbp -16\n"
                                   "6: rsp+24, rbp -16\n"
                                   "7: rsp+16, rbp -16\n"
                                   "8: rsp+8\n");
}

KIT_FUNCTION("flags", "pushfq\n"
                      "popq %rax\n"
                      "push $5\n"
                      "popfq\n"
                      "ret\n")

TEST(pushes_of_other_things)
{
    CHECK_TEXT(kit_rows("flags"), "0: rsp+8\n"
                                  "1: rsp+16\n"
                                  "2: rsp+8\n"
                                  "3: rsp+16\n"
                                  "4: rsp+8\n");
}

KIT_FUNCTION("framed", "push %rbp\n"
                       "mov %rsp, %rbp\n"
                       "push %rbx\n"
                       "sub %rax, %rsp\n"
                       "push %rcx\n"
                       "lea -8(%rbp), %rsp\n"
                       "pop %rbx\n"
                       "leave\n"
                       "ret\n")

TEST(a_frame_pointer_where_rsp_is_not_known)
{
    CHECK_TEXT(kit_rows("framed"), "0: rsp+8\n"
                                   "1: rsp+16, rbp -16\n"
                                   "3: rsp+24, rbp -16\n"
                                   "4: rbp+16, rbp -16\n"
                                   "6: rsp+24, rbp -16\n"
                                   "7: rsp+16, rbp -16\n"
                                   "8: rsp+8\n");
}

KIT_FUNCTION("stored", "sub $0x18, %rsp\n"
                       "mov %rbp, 0x10(%rsp)\n"
                       "xor %ebp, %ebp\n"
                       "mov 0x10(%rsp), %rbp\n"
                       "add $0x18, %rsp\n"
                       "ret\n")

TEST(rbp_stored_instead_of_pushed)
{
    CHECK_TEXT(kit_rows("stored"), "0: rsp+8\n"
                                   "1: rsp+32\n"
                                   "2: rsp+32, rbp -16\n"
                                   "4: rsp+32\n"
                                   "5: rsp+8\n");
}

KIT_FUNCTION("careless", "xor %ebp, %ebp\n"
                         "1: jmp 1b\n")

TEST(rbp_that_is_overwritten)
{
    CHECK_TEXT(kit_rows("careless"), "0: rsp+8\n"
                                     "1: rsp+8, rbp lost\n");
}

KIT_FUNCTION("drap", "lea 8(%rsp), %r10\n"
                     "and $-16, %rsp\n"
                     "pushq -8(%r10)\n"
                     "push %rbp\n"
                     "mov %rsp, %rbp\n"
                     "push %r14\n"
                     "push %r10\n"
                     "push %rbx\n"
                     "sub $0x40, %rsp\n"
                     "xor %r10d, %r10d\n"
                     "add $0x40, %rsp\n"
                     "pop %rbx\n"
                     "pop %r10\n"
                     "pop %r14\n"
                     "pop %rbp\n"
                     "lea -8(%r10), %rsp\n"
                     "ret\n")

TEST(a_stack_that_is_rounded_down)
{
    CHECK_TEXT(kit_rows("drap"), "0: rsp+8\n"
                                 "2: r10\n"
                                 "5: r10, rbp saved\n"
                                 "7: *rbp-16, rbp saved\n"
                                 "13: r10, rbp saved\n"
                                 "15: r10\n"
                                 "16: rsp+8\n");
}

KIT_FUNCTION("drap_leave", "lea 8(%rsp), %r10\n"
                           "and $-32, %rsp\n"
                           "pushq -8(%r10)\n"
                           "push %rbp\n"
                           "mov %rsp, %rbp\n"
                           "push %r10\n"
                           "sub $0x48, %rsp\n"
                           "mov -8(%rbp), %r10\n"
                           "leave\n"
                           "lea -8(%r10), %rsp\n"
                           "ret\n")

TEST(a_stack_that_is_rounded_down_and_left)
{
    CHECK_TEXT(kit_rows("drap_leave"), "0: rsp+8\n"
                                       "2: r10\n"
                                       "5: r10, rbp saved\n"
                                       "6: *rbp-8, rbp saved\n"
                                       "8: r10, rbp saved\n"
                                       "9: r10\n"
                                       "10: rsp+8\n");
}

KIT_FUNCTION("copied", "mov %rsp, %rax\n"
                       "push %rcx\n"
                       "push %rdx\n"
                       "and $-64, %rsp\n"
                       "mov %rax, %rsp\n"
                       "mov %rsp, %rcx\n"
                       "xor %ecx, %ecx\n"
                       "mov %rcx, %rsp\n"
                       "1: jmp 1b\n")

TEST(a_copy_of_rsp_comes_back)
{
    CHECK_TEXT(kit_rows("copied"), "0: rsp+8\n"
                                   "2: rsp+16\n"
                                   "3: rsp+24\n"
                                   "4: none\n"
                                   "5: rsp+8\n"
                                   "8: regs, rbp lost\n");
}

/* Paths with different depths meet. */
KIT_FUNCTION("conflict", "test %edi, %edi\n"
                         "je 1f\n"
                         "push %rbx\n"
                         "1: xor %eax, %eax\n"
                         "ret\n")
KIT_FUNCTION("conflict_framed", "push %rbp\n"
                                "mov %rsp, %rbp\n"
                                "test %edi, %edi\n"
                                "je 1f\n"
                                "push %rbx\n"
                                "1: leave\n"
                                "ret\n")

TEST(where_depths_differ_nothing_is_guessed)
{
    CHECK_TEXT(kit_rows("conflict"), "0: rsp+8\n"
                                     "3: none\n");
    CHECK_TEXT(kit_rows("conflict_framed"), "0: rsp+8\n"
                                            "1: rsp+16, rbp -16\n"
                                            "5: rbp+16, rbp -16\n"
                                            "6: rsp+8\n");
}

KIT_FUNCTION("loops", "push %rbx\n"
                      "1: dec %edi\n"
                      "push %rcx\n"
                      "pop %rcx\n"
                      "jne 1b\n"
                      "pop %rbx\n"
                      "ret\n")

TEST(a_loop_that_keeps_the_stack)
{
    CHECK_TEXT(kit_rows("loops"), "0: rsp+8\n"
                                  "1: rsp+16\n"
                                  "3: rsp+24\n"
                                  "4: rsp+16\n"
                                  "6: rsp+8\n");
}

KIT_FUNCTION("grows", "1: push %rbx\n"
                      "jmp 1b\n")

TEST(a_loop_that_does_not)
{
    CHECK_TEXT(kit_rows("grows"), "0: none\n");
}

/*
 * A function longer than a block, with an instruction across the block's end.
 */
KIT_FUNCTION("long_one", "push %rbx\n"
                         ".rept 60\n"
                         "movabs $0x1122334455667788, %rax\n"
                         ".endr\n"
                         "pop %rbx\n"
                         "ret\n")

TEST(blocks_begin_with_the_state_before)
{
    CHECK_TEXT(kit_rows("long_one"), "0: rsp+8\n"
                                     "1: rsp+16\n"
                                     "62: rsp+8\n");
}

/* Shadow stacks, direct stores, protection keys: an old capstone does not know
 * these, or takes them for something else. */
KIT_FUNCTION("newer", "push %rbx\n"
                      ".byte 0xf3, 0x48, 0x0f, 0x1e, 0xce\n"
                      ".byte 0x48, 0x0f, 0x38, 0xf6, 0x46, 0xf8\n"
                      ".byte 0xf3, 0x0f, 0xae, 0xe9\n"
                      ".byte 0x48, 0x0f, 0x38, 0xf9, 0x84, 0x24\n"
                      ".long 0x100\n"
                      ".byte 0x0f, 0x01, 0xef\n"
                      "pop %rbx\n"
                      "ret\n")

TEST(newer_instructions)
{
    CHECK_TEXT(kit_rows("newer"), "0: rsp+8\n"
                                  "1: rsp+16\n"
                                  "7: rsp+8\n");
}

KIT_FUNCTION("junk", "push %rbx\n"
                     ".byte 0x06, 0x27\n"
                     "pop %rbx\n"
                     "ret\n")

TEST(what_cannot_be_decoded_is_not_followed)
{
    CHECK_TEXT(kit_rows("junk"), "0: rsp+8\n"
                                 "1: rsp+16\n"
                                 "2: none\n");
}
