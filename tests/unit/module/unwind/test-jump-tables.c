/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Switch statements as compilers write them, and what only looks like one. */
#include "tests/harness.h"
#include "xen-unwind-kit.h"

/* As gcc: the offset is added to. */
KIT_FUNCTION("switches", "push %rbx\n"
                         "cmp $2, %edi\n"
                         "ja nine\n"
                         "lea table_one(%rip), %rdx\n"
                         "movslq (%rdx,%rdi,4), %rax\n"
                         "add %rdx, %rax\n"
                         "notrack jmp *%rax\n"
                         "one_a: push %rcx\n"
                         "pop %rcx\n"
                         "one_b: pop %rbx\n"
                         "ret\n"
                         "one_c: sub $16, %rsp\n"
                         "add $16, %rsp\n"
                         "nine: pop %rbx\n"
                         "ret\n")
/* As clang, with other registers: the base is, much later. */
KIT_FUNCTION("switches_late", "sub $8, %rsp\n"
                              "lea table_two(%rip), %r13\n"
                              "2: call switches\n"
                              "movslq 0(%r13,%r12,4), %rbx\n"
                              "mov %rdi, %rsi\n"
                              "add %rbx, %r13\n"
                              "nop\n"
                              "jmp *%r13\n"
                              "two_a: push %rcx\n"
                              "pop %rcx\n"
                              "jmp 2b\n"
                              "two_b: add $8, %rsp\n"
                              "ret\n")
/* What is rare lies elsewhere. */
KIT_FUNCTION("switches.cold", "one_d: push %rdx\n"
                              "pop %rdx\n"
                              "jmp nine\n")
KIT_TABLE("table_one",
          ".long one_a - table_one\n"
          ".long one_b - table_one\n"
          ".long one_c - table_one\n"
          ".long one_d - table_one\n",
          "table_one_end")
/* Another begins where one ends; this one ends where no code of it is. */
KIT_TABLE("table_two",
          ".long two_a - table_two\n"
          ".long two_b - table_two\n"
          ".long one_a - table_two\n"
          ".long no_case - table_two\n",
          "table_two_end")

TEST(cases_are_reached)
{
    CHECK_TEXT(kit_rows("switches"), "0: rsp+8\n"
                                     "1: rsp+16\n"
                                     "8: rsp+24\n"
                                     "9: rsp+16\n"
                                     "10: rsp+8\n"
                                     "11: rsp+16\n"
                                     "12: rsp+32\n"
                                     "13: rsp+16\n"
                                     "14: rsp+8\n");
    CHECK_TEXT(kit_rows("switches.cold"), "0: rsp+16\n"
                                          "1: rsp+24\n"
                                          "2: rsp+16\n");
    CHECK_TEXT(kit_rows("switches_late"), "0: rsp+8\n"
                                          "1: rsp+16\n"
                                          "9: rsp+24\n"
                                          "10: rsp+16\n"
                                          "12: rsp+8\n");
}

/* Tables of other functions, words of another size, a register that something
 * else is in by then: a call through a pointer, which returns. */
#define NOT_A_SWITCH(name, to, load, after)                                    \
    KIT_FUNCTION(name, "push %rbx\n"                                           \
                       "lea table_" name "(%rip), %rdx\n" load "\n"            \
                       "add %rdx, %rax\n" after "\n"                           \
                       "jmp *%rax\n" name "_case: push %rcx\n"                 \
                       "pop %rcx\n"                                            \
                       "pop %rbx\n"                                            \
                       "ret\n")                                                \
    KIT_TABLE("table_" name, ".long " to " - table_" name "\n", name "_end")
NOT_A_SWITCH("foreign", "no_case", "movslq (%rdx,%rdi,4), %rax", "nop")
NOT_A_SWITCH("wide", "wide_case", "movslq (%rdx,%rdi,8), %rax", "nop")
NOT_A_SWITCH("other_base", "other_base_case", "movslq (%rcx,%rdi,4), %rax",
             "nop")
NOT_A_SWITCH("changed", "changed_case", "movslq (%rdx,%rdi,4), %rax",
             "mov %rsi, %rax")
KIT_FUNCTION("no_case", "ret\n")
TEST(others_are_not_followed)
{
    static const char *const names[] = {"foreign", "wide", "other_base",
                                        "changed"};

    for ( unsigned int i = 0; i < 4; i++ )
        CHECK_TEXT(kit_rows(names[i]), "0: rsp+8\n"
                                       "1: rsp+16\n"
                                       "6: none\n");
}
