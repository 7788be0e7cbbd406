/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the flow goes: functions that never return, tail calls, Xen's bug
 * frames and exceptions, and what Xen patches at boot. */
#include "tests/harness.h"
#include "xen-unwind-kit.h"

/* Code after a call that never returns belongs to something else, here to
 * nothing. */
KIT_FUNCTION("dies", "1: jmp 1b\n")
KIT_FUNCTION("dies_too", "sub $0x18, %rsp\n"
                         "call dies\n")
KIT_FUNCTION("maybe", "test %edi, %edi\n"
                      "je 1f\n"
                      "ret\n"
                      "1: jmp dies\n")
KIT_FUNCTION("calls_dead", "push %rbx\n"
                           "call dies_too\n"
                           "pop %rcx\n"
                           "pop %rcx\n"
                           "ret\n")
KIT_FUNCTION("calls_maybe", "push %rbx\n"
                            "call maybe\n"
                            "pop %rbx\n"
                            "ret\n")

TEST(a_function_that_never_returns)
{
    CHECK_TEXT(kit_rows("calls_dead"), "0: rsp+8\n"
                                       "1: rsp+16\n"
                                       "2: none\n");
    CHECK_TEXT(kit_rows("calls_maybe"), "0: rsp+8\n"
                                        "1: rsp+16\n"
                                        "3: rsp+8\n");
}

/* Two functions that return only if the other does: neither, or both. */
KIT_FUNCTION("ping", "jmp pong\n")
KIT_FUNCTION("pong", "jmp ping\n")
KIT_FUNCTION("ding", "test %edi, %edi\n"
                     "je dong\n"
                     "ret\n")
KIT_FUNCTION("dong", "jmp ding\n")
KIT_FUNCTION("calls_ping", "push %rbx\n"
                           "call ping\n"
                           "pop %rbx\n"
                           "ret\n")
KIT_FUNCTION("calls_dong", "push %rbx\n"
                           "call dong\n"
                           "pop %rbx\n"
                           "ret\n")

TEST(functions_that_return_for_each_other)
{
    CHECK_TEXT(kit_rows("calls_ping"), "0: rsp+8\n"
                                       "1: rsp+16\n"
                                       "2: none\n");
    CHECK_TEXT(kit_rows("calls_dong"), "0: rsp+8\n"
                                       "1: rsp+16\n"
                                       "3: rsp+8\n");
}

KIT_FUNCTION("itself", "push %rbx\n"
                       "test %edi, %edi\n"
                       "je 1f\n"
                       "call itself\n"
                       "1: "
                       "pop %rbx\n"
                       "ret\n")

TEST(recursion)
{
    CHECK_TEXT(kit_rows("itself"), "0: rsp+8\n"
                                   "1: rsp+16\n"
                                   "5: rsp+8\n");
}

/* A tail call has another depth than the start of the function. */
KIT_FUNCTION("tail", "push %rbx\n"
                     "test %edi, %edi\n"
                     "je 1f\n"
                     "jmp *%rax\n"
                     "1: pop %rbx\n"
                     "jmp aligned\n")
KIT_FUNCTION("wrong_tail", "push %rbx\n"
                           "jmp aligned\n")
KIT_FUNCTION("aligned", "ret\n")

TEST(a_tail_call)
{
    CHECK_TEXT(kit_rows("aligned"), "0: rsp+8\n");
    CHECK_TEXT(kit_rows("tail"), "0: rsp+8\n"
                                 "1: rsp+16\n"
                                 "5: rsp+8\n");
}

/* A symbol inside a function is not a function; a symbol that a function runs
 * into with an empty frame may be one. */
KIT_FUNCTION(
    "has_labels",
    "push %rbx\n"
    "test %edi, %edi\n"
    "je a_label\n" KIT_NAMED(
        "another_label") "push %rcx\n"
                         "pop %rcx\n" KIT_NAMED("a_label") "pop %rbx\n" KIT_NAMED(
                             "falls_into") "xor %eax, %eax\n"
                                           "ret\n")

TEST(labels_are_not_functions)
{
    CHECK_TEXT(kit_rows("has_labels"), "0: rsp+8\n"
                                       "1: rsp+16\n");
    CHECK_TEXT(kit_rows("another_label"), "0: rsp+16\n"
                                          "1: rsp+24\n");
    CHECK_TEXT(kit_rows("a_label"), "0: rsp+16\n");
    CHECK_TEXT(kit_rows("falls_into"), "0: rsp+8\n");
}

/* A part of a function, far away from it. */
KIT_FUNCTION("hot", "push %rbx\n"
                    "test %edi, %edi\n"
                    "jne hot.cold\n"
                    "hot_again: "
                    "pop %rbx\n"
                    "ret\n")
KIT_FUNCTION("hot.cold", "push %rdi\n"
                         "pop %rdi\n"
                         "jmp hot_again\n")
KIT_FUNCTION("somewhere.o.unlikely", "ud2\n")

TEST(cold_parts)
{
    CHECK_TEXT(kit_rows("hot.cold"), "0: rsp+16\n"
                                     "1: rsp+24\n"
                                     "2: rsp+16\n");
    CHECK_TEXT(kit_rows("somewhere.o.unlikely"), "0: none\n");
}

/* A call of the next instruction only pushes. */
KIT_FUNCTION("local_call", "call 1f\n"
                           "1: pop %rax\n"
                           "ret\n")
KIT_FUNCTION("__x86_indirect_thunk_rax", "call 1f\n"
                                         "int3\n"
                                         "1: mov %rax, (%rsp)\n"
                                         "ret\n")
KIT_FUNCTION("calls_thunk", "push %rbx\n"
                            "call __x86_indirect_thunk_rax\n"
                            "pop %rbx\n"
                            "ret\n")

TEST(a_call_of_the_next_instruction)
{
    CHECK_TEXT(kit_rows("local_call"), "0: rsp+8\n"
                                       "1: rsp+16\n"
                                       "2: rsp+8\n");
    CHECK_TEXT(kit_rows("__x86_indirect_thunk_rax"), "0: rsp+8\n"
                                                     "2: rsp+16\n");
    CHECK_TEXT(kit_rows("calls_thunk"), "0: rsp+8\n"
                                        "1: rsp+16\n"
                                        "3: rsp+8\n");
}

/* reset_stack_and_jump(), and the same with an indirect call. */
KIT_FUNCTION("resets", "push %rbx\n"
                       "mov %rax, %rsp\n"
                       "call maybe\n"
                       "jmp aligned\n")
KIT_FUNCTION("resets_and_calls", "push %rbx\n"
                                 "mov %rdx, %rsp\n"
                                 "call __x86_indirect_thunk_rax\n"
                                 "pop %rcx\n"
                                 "ret\n")
/* With frame pointers (debug=y). */
KIT_FUNCTION("resets_a_frame", "push %rbp\n"
                               "mov %rsp, %rbp\n"
                               "push %rbx\n"
                               "mov %rax, %rsp\n"
                               "call maybe\n"
                               "call __x86_indirect_thunk_rax\n")

TEST(a_stack_that_is_emptied)
{
    CHECK_TEXT(kit_rows("resets_a_frame"), "0: rsp+8\n"
                                           "1: rsp+16, rbp -16\n"
                                           "3: rsp+24, rbp -16\n"
                                           "4: regs, rbp lost\n");
    CHECK_TEXT(kit_rows("resets"), "0: rsp+8\n"
                                   "1: rsp+16\n"
                                   "2: regs, rbp lost\n");
    CHECK_TEXT(kit_rows("resets_and_calls"), "0: rsp+8\n"
                                             "1: rsp+16\n"
                                             "2: regs, rbp lost\n"
                                             "3: none\n");
}

/* An unknown depth does not spread into another function. */
KIT_FUNCTION("switches", "mov %rdi, %rsp\n"
                         "jmp within\n")
KIT_FUNCTION("switched_to", "push %rbx\n"
                            "within: nop\n"
                            "pop %rbx\n"
                            "ret\n")

TEST(another_stack)
{
    CHECK_TEXT(kit_rows("switched_to"), "0: rsp+8\n"
                                        "1: rsp+16\n"
                                        "3: rsp+8\n");
}

/* Xen makes indirect calls direct, past the endbr64 or its poison, and replaces
 * a call of NULL by a trap. */
KIT_FUNCTION("landing", "endbr64\n"
                        "pop %rbx\n"
                        "ret\n")
KIT_FUNCTION("poisoned", "nopw (%rax)\n"
                         "1: jmp 1b\n")
KIT_FUNCTION("made_direct", "push %rbx\n"
                            "call landing + 4\n"
                            "nop\n"
                            "push %rcx\n"
                            "call poisoned + 4\n"
                            "pop %rcx\n")
KIT_FUNCTION("calls_nothing", "push %rbx\n"
                              ".byte 0x0f, 0x0b, 0x0f, 0xff, 0xff\n"
                              "nop\n"
                              "pop %rbx\n"
                              "ret\n")
KIT_FUNCTION("calls_nothing_since_4_21", "push %rbx\n"
                                         "ud2\n"
                                         "ud2\n"
                                         "ud2\n"
                                         "pop %rbx\n"
                                         "ret\n")
KIT_FUNCTION("jumps_over", "push %rbx\n"
                           ".byte 0xe9\n"
                           ".long 1f - . - 4\n"
                           "push %rcx\n"
                           "pop %rcx\n"
                           "1: pop %rbx\n"
                           "ret\n")
KIT_FUNCTION("jumps_by_itself", "push %rbx\n"
                                "jmp 1f\n"
                                "push %rcx\n"
                                "pop %rcx\n"
                                "1: pop %rbx\n"
                                "ret\n")
KIT_FUNCTION("jumps_away", ".byte 0xe9\n"
                           ".long jumps_by_itself - . - 4\n"
                           "push %rcx\n"
                           "ret\n")
/* With bug frames, below. */
KIT_FUNCTION("has_bugs", "push %rbx\n"
                         "ud2\n"
                         "ud2\n"
                         "its_bug: ud2\n"
                         "pop %rbx\n"
                         "ret\n")

TEST(calls_that_were_patched_at_boot)
{
    CHECK_TEXT(kit_rows("made_direct"), "0: rsp+8\n"
                                        "1: rsp+16\n"
                                        "4: rsp+24\n"
                                        "5: none\n");
    CHECK_TEXT(kit_rows("calls_nothing"), "0: rsp+8\n"
                                          "1: rsp+16\n"
                                          "5: rsp+8\n");
    CHECK_TEXT(kit_rows("calls_nothing_since_4_21"), "0: rsp+8\n"
                                                     "1: rsp+16\n"
                                                     "5: rsp+8\n");
    CHECK_TEXT(kit_rows("jumps_over"), "0: rsp+8\n"
                                       "1: rsp+16\n"
                                       "3: rsp+24\n"
                                       "4: rsp+16\n"
                                       "5: rsp+8\n");
    CHECK_TEXT(kit_rows("jumps_by_itself"), "0: rsp+8\n"
                                            "1: rsp+16\n"
                                            "2: none\n"
                                            "4: rsp+16\n"
                                            "5: rsp+8\n");
    CHECK_TEXT(kit_rows("jumps_away"), "0: rsp+8\n"
                                       "1: none\n");
    CHECK_TEXT(kit_rows("has_bugs"), "0: rsp+8\n"
                                     "1: rsp+16\n"
                                     "2: none\n");
}

/* A jump over a lock prefix. */
KIT_FUNCTION("locks", "push %rbx\n"
                      "jmp 1f + 1\n"
                      "1: lock incl (%rdi)\n"
                      "pop %rbx\n"
                      "ret\n")

TEST(a_jump_over_a_prefix)
{
    CHECK_TEXT(kit_rows("locks"), "0: rsp+8\n"
                                  "1: rsp+16\n"
                                  "4: rsp+8\n");
}

/* An iretq without an interrupt goes on at the next instruction. */
KIT_FUNCTION("unmasks", "mov %rsp, %rcx\n"
                        "push $0\n"
                        "push %rcx\n"
                        "pushfq\n"
                        "push $8\n"
                        "push %rdx\n"
                        "iretq\n"
                        "ret\n")
KIT_FUNCTION("unmasks_otherwise", "push %rcx\n"
                                  "push %rcx\n"
                                  "push %rcx\n"
                                  "push %rcx\n"
                                  "push %rdx\n"
                                  "iretq\n"
                                  "ret\n")

TEST(a_return_without_an_interrupt)
{
    CHECK_TEXT(kit_rows("unmasks"), "0: rsp+8\n"
                                    "2: rsp+16\n"
                                    "3: rsp+24\n"
                                    "4: rsp+32\n"
                                    "5: rsp+40\n"
                                    "6: rsp+48\n"
                                    "7: rsp+8\n");
    CHECK_TEXT(kit_rows("unmasks_otherwise"), "0: rsp+8\n"
                                              "1: rsp+16\n"
                                              "2: rsp+24\n"
                                              "3: rsp+32\n"
                                              "4: rsp+40\n"
                                              "5: rsp+48\n"
                                              "6: rsp+8\n");
}

/* WARN() goes on after its ud2 or udb, BUG() does not. */
KIT_FUNCTION("warns", "push %rbx\n"
                      "warns_here: ud2\n"
                      "pop %rbx\n"
                      "ret\n")
KIT_FUNCTION("warns_newly", "push %rbx\n"
                            "newly_here: .byte 0xd6\n"
                            "pop %rbx\n"
                            "ret\n")
KIT_FUNCTION("is_a_new_bug", "push %rbx\n"
                             ".byte 0xd6\n"
                             "pop %rbx\n"
                             "ret\n")
KIT_FUNCTION("is_a_bug", "push %rbx\n"
                         "ud2\n"
                         "pop %rbx\n"
                         "ret\n")
KIT_TABLE("__start_bug_frames_1",
          ".long warns_here - .\n"
          ".long 0\n"
          ".long newly_here - .\n"
          ".long 0\n",
          "__stop_bug_frames_1")
KIT_TABLE("__start_bug_frames_2",
          ".long its_bug - .\n"
          ".long 0\n",
          "__stop_bug_frames_2")

TEST(bug_frames)
{
    CHECK_TEXT(kit_rows("warns"), "0: rsp+8\n"
                                  "1: rsp+16\n"
                                  "3: rsp+8\n");
    CHECK_TEXT(kit_rows("warns_newly"), "0: rsp+8\n"
                                        "1: rsp+16\n"
                                        "3: rsp+8\n");
    CHECK_TEXT(kit_rows("is_a_new_bug"), "0: rsp+8\n"
                                         "1: rsp+16\n"
                                         "2: none\n");
    CHECK_TEXT(kit_rows("is_a_bug"), "0: rsp+8\n"
                                     "1: rsp+16\n"
                                     "2: none\n");
}

/* Only an exception leads there.  An exception in a stub that was called leaves
 * a word in place of the return address. */
KIT_FUNCTION("faults", "push %rbx\n"
                       "faults_here: mov (%rdi), %rax\n"
                       "pop %rbx\n"
                       "ret\n"
                       "fixed_up: mov $1, %ebx\n"
                       "pop %rbx\n"
                       "ret\n")
KIT_FUNCTION("calls_stub", "push %rbx\n"
                           "call *%rax\n"
                           "stub_returns: mov $1, %ebx\n"
                           "goes_on: "
                           "pop %rbx\n"
                           "ret\n"
                           "stub_faulted: pop %rdx\n"
                           "jmp goes_on\n")
KIT_TABLE("__start___ex_table",
          ".long faults_here - .\n"
          ".long fixed_up - .\n"
          ".long stub_returns - .\n"
          ".long stub_faulted - .\n",
          "__stop___ex_table")

TEST(exceptions)
{
    CHECK_TEXT(kit_rows("faults"), "0: rsp+8\n"
                                   "1: rsp+16\n"
                                   "3: rsp+8\n"
                                   "4: rsp+16\n"
                                   "6: rsp+8\n");
    CHECK_TEXT(kit_rows("calls_stub"), "0: rsp+8\n"
                                       "1: rsp+16\n"
                                       "4: rsp+8\n"
                                       "5: rsp+24\n"
                                       "6: rsp+16\n");
}
