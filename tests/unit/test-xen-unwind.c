/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of functions: what each instruction does to the stack.  An offset is
 * that of the first byte behind the instruction that changed something.
 */
#include "tests/harness.h"
#include "xen-unwind-kit.h"

KIT_CODE(KIT_FUNCTION("pushes") "push %rbp\n"         /* 1 byte */
                                "push %rbx\n"         /* 1 */
                                "sub $0x18, %rsp\n"   /* 4 */
                                "xor %ebp, %ebp\n"    /* 2 */
                                "mov %rbx, 8(%rsp)\n" /* 5 */
                                "add $0x18, %rsp\n"   /* 4 */
                                "pop %rbx\n"
                                "pop %rbp\n"
                                "ret\n")

TEST(pushes_and_pops)
{
    CHECK_TEXT(kit_rows("pushes"), "+0 rsp+8\n"
                                   "+1 rsp+16, rbp -16\n"
                                   "+2 rsp+24, rbp -16\n"
                                   "+6 rsp+48, rbp -16\n"
                                   "+17 rsp+24, rbp -16\n"
                                   "+18 rsp+16, rbp -16\n"
                                   "+19 rsp+8\n");
}

KIT_CODE(KIT_FUNCTION("flags") "pushfq\n"
                               "popq %rax\n"
                               "push $5\n"
                               "popfq\n"
                               "ret\n")

TEST(pushes_of_other_things)
{
    CHECK_TEXT(kit_rows("flags"), "+0 rsp+8\n"
                                  "+1 rsp+16\n"
                                  "+2 rsp+8\n"
                                  "+4 rsp+16\n"
                                  "+5 rsp+8\n");
}

KIT_CODE(KIT_FUNCTION("framed") "push %rbp\n"
                                "mov %rsp, %rbp\n" /* 3 */
                                "push %rbx\n"
                                "sub %rax, %rsp\n" /* 3: not known */
                                "push %rcx\n"
                                "lea -8(%rbp), %rsp\n" /* 4 */
                                "pop %rbx\n"
                                "leave\n"
                                "ret\n")

TEST(a_frame_pointer_where_rsp_is_not_known)
{
    CHECK_TEXT(kit_rows("framed"), "+0 rsp+8\n"
                                   "+1 rsp+16, rbp -16\n"
                                   "+5 rsp+24, rbp -16\n"
                                   "+8 rbp+16, rbp -16\n"
                                   "+13 rsp+24, rbp -16\n"
                                   "+14 rsp+16, rbp -16\n"
                                   "+15 rsp+8\n");
}

KIT_CODE(KIT_FUNCTION("stored") "sub $0x18, %rsp\n"      /* 4 */
                                "mov %rbp, 0x10(%rsp)\n" /* 5 */
                                "xor %ebp, %ebp\n"       /* 2 */
                                "mov 0x10(%rsp), %rbp\n" /* 5 */
                                "add $0x18, %rsp\n"
                                "ret\n")

TEST(rbp_stored_instead_of_pushed)
{
    CHECK_TEXT(kit_rows("stored"), "+0 rsp+8\n"
                                   "+4 rsp+32\n"
                                   "+9 rsp+32, rbp -16\n"
                                   "+16 rsp+32\n"
                                   "+20 rsp+8\n");
}

KIT_CODE(KIT_FUNCTION("careless") "xor %ebp, %ebp\n"
                                  "1: jmp 1b\n")

TEST(rbp_that_is_overwritten)
{
    CHECK_TEXT(kit_rows("careless"), "+0 rsp+8\n"
                                     "+2 rsp+8, rbp lost\n");
}

KIT_CODE(KIT_FUNCTION("drap") "lea 8(%rsp), %r10\n" /* 5 */
                              "and $-16, %rsp\n"    /* 4 */
                              "pushq -8(%r10)\n"    /* 4 */
                              "push %rbp\n"         /* 1 */
                              "mov %rsp, %rbp\n"    /* 3 */
                              "push %r14\n"         /* 2 */
                              "push %r10\n"         /* 2 */
                              "push %rbx\n"
                              "sub $0x40, %rsp\n"  /* 4 */
                              "xor %r10d, %r10d\n" /* 3 */
                              "add $0x40, %rsp\n"  /* 4 */
                              "pop %rbx\n"
                              "pop %r10\n" /* 2 */
                              "pop %r14\n" /* 2 */
                              "pop %rbp\n"
                              "lea -8(%r10), %rsp\n" /* 4 */
                              "ret\n")

TEST(a_stack_that_is_rounded_down)
{
    CHECK_TEXT(kit_rows("drap"), "+0 rsp+8\n"
                                 "+9 r10\n"
                                 "+17 r10, rbp saved\n"
                                 "+21 *rbp-16, rbp saved\n"
                                 "+36 r10, rbp saved\n"
                                 "+39 r10\n"
                                 "+43 rsp+8\n");
}

KIT_CODE(KIT_FUNCTION("drap_leave") "lea 8(%rsp), %r10\n"  /* 5 */
                                    "and $-32, %rsp\n"     /* 4 */
                                    "pushq -8(%r10)\n"     /* 4 */
                                    "push %rbp\n"          /* 1 */
                                    "mov %rsp, %rbp\n"     /* 3 */
                                    "push %r10\n"          /* 2 */
                                    "sub $0x48, %rsp\n"    /* 4 */
                                    "mov -8(%rbp), %r10\n" /* 4 */
                                    "leave\n"
                                    "lea -8(%r10), %rsp\n" /* 4 */
                                    "ret\n")

TEST(a_stack_that_is_rounded_down_and_left)
{
    CHECK_TEXT(kit_rows("drap_leave"), "+0 rsp+8\n"
                                       "+9 r10\n"
                                       "+17 r10, rbp saved\n"
                                       "+19 *rbp-8, rbp saved\n"
                                       "+27 r10, rbp saved\n"
                                       "+28 r10\n"
                                       "+32 rsp+8\n");
}

KIT_CODE(KIT_FUNCTION("copied") "mov %rsp, %rax\n" /* 3 */
                                "push %rcx\n"
                                "push %rdx\n"
                                "and $-64, %rsp\n" /* 4 */
                                "mov %rax, %rsp\n" /* 3 */
                                "mov %rsp, %rcx\n" /* 3 */
                                "xor %ecx, %ecx\n" /* 2 */
                                "mov %rcx, %rsp\n" /* 3 */
                                "1: jmp 1b\n")

TEST(a_copy_of_rsp_comes_back)
{
    CHECK_TEXT(kit_rows("copied"), "+0 rsp+8\n"
                                   "+4 rsp+16\n"
                                   "+5 rsp+24\n"
                                   "+9 none\n"
                                   "+12 rsp+8\n"
                                   "+20 regs, rbp lost\n");
}

/* Ways with different depths come together. */
KIT_CODE(
    KIT_FUNCTION("conflict") "test %edi, %edi\n" /* 2 */
                             "je 1f\n"           /* 2 */
                             "push %rbx\n"
                             "1: xor %eax, %eax\n" /* 2 */
                             "ret\n" KIT_FUNCTION(
                                 "conflict_framed") "push %rbp\n"
                                                    "mov %rsp, %rbp\n"  /* 3 */
                                                    "test %edi, %edi\n" /* 2 */
                                                    "je 1f\n"           /* 2 */
                                                    "push %rbx\n"
                                                    "1: leave\n"
                                                    "ret\n")

TEST(where_depths_differ_nothing_is_guessed)
{
    CHECK_TEXT(kit_rows("conflict"), "+0 rsp+8\n"
                                     "+5 none\n");
    CHECK_TEXT(kit_rows("conflict_framed"), "+0 rsp+8\n"
                                            "+1 rsp+16, rbp -16\n"
                                            "+9 rbp+16, rbp -16\n"
                                            "+10 rsp+8\n");
}

KIT_CODE(KIT_FUNCTION("loops") "push %rbx\n"
                               "1: dec %edi\n" /* 2 */
                               "push %rcx\n"
                               "pop %rcx\n"
                               "jne 1b\n" /* 2 */
                               "pop %rbx\n"
                               "ret\n")

TEST(a_loop_that_keeps_the_stack)
{
    CHECK_TEXT(kit_rows("loops"), "+0 rsp+8\n"
                                  "+1 rsp+16\n"
                                  "+4 rsp+24\n"
                                  "+5 rsp+16\n"
                                  "+8 rsp+8\n");
}

KIT_CODE(KIT_FUNCTION("grows") "1: push %rbx\n"
                               "jmp 1b\n")

TEST(a_loop_that_does_not)
{
    CHECK_TEXT(kit_rows("grows"), "+0 none\n");
}

/* Longer than a block, with an instruction across its end. */
KIT_CODE(KIT_FUNCTION("long_one") "push %rbx\n"
                                  ".rept 60\n"
                                  "movabs $0x1122334455667788, %rax\n"
                                  ".endr\n"
                                  "pop %rbx\n"
                                  "ret\n")

TEST(blocks_begin_with_the_state_before)
{
    CHECK_TEXT(kit_rows("long_one"), "+0 rsp+8\n"
                                     "+1 rsp+16\n"
                                     "+602 rsp+8\n");
}

/* Shadow stacks, direct stores, protection keys: an old disassembler does not
 * know them, or takes them for something else. */
KIT_CODE(KIT_FUNCTION("newer") "push %rbx\n"
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
    CHECK_TEXT(kit_rows("newer"), "+0 rsp+8\n"
                                  "+1 rsp+16\n"
                                  "+30 rsp+8\n");
}

KIT_CODE(KIT_FUNCTION("junk") "push %rbx\n"
                              ".byte 0xd6, 0x06, 0x27\n"
                              "pop %rbx\n"
                              "ret\n")

TEST(what_cannot_be_decoded_is_not_followed)
{
    CHECK_TEXT(kit_rows("junk"), "+0 rsp+8\n"
                                 "+1 rsp+16\n"
                                 "+2 none\n");
}
