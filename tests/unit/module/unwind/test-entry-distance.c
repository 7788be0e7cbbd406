/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of entry code: the distance from the cpu_user_regs. */
#include "tests/harness.h"
#include "xen-unwind-kit.h"

KIT_FUNCTION("handler", "ret\n")

/* An exception: the processor pushes 40 bytes, and this code an error code.
 * Without a name in Xen's list it would be a function. */
KIT_FUNCTION("continue_pv_domain", "push $0\n"
                                   "add $-0x78, %rsp\n"
                                   "mov %rdi, 0x70(%rsp)\n"
                                   "mov %rbp, 0x20(%rsp)\n"
                                   "xor %ebp, %ebp\n"
                                   "mov %rsp, %rdi\n"
                                   "call handler\n"
                                   "mov 0x20(%rsp), %rbp\n"
                                   "add $0x80, %rsp\n"
                                   "iretq\n")

TEST(an_exception_comes_in_and_goes)
{
    CHECK_TEXT(kit_rows("continue_pv_domain"), "0: entry-128\n"
                                               "1: entry-120\n"
                                               "2: regs\n"
                                               "4: regs, rbp saved\n"
                                               "9: entry-128\n");
}

/* Jumps carry the distance on; an unknown distance stays unknown. */
KIT_FUNCTION("process_trap", "jmp ret_from_intr\n")
KIT_FUNCTION("ret_from_intr", "push %rax\n"
                              "pop %rax\n"
                              "call handler\n"
                              "mov 0x20(%rsp), %rsp\n"
                              "sysretq\n")
KIT_FUNCTION("process_nmi", "push %rax\n"
                            "jmp *%rax\n")

TEST(jumps_between_entry_code)
{
    CHECK_TEXT(kit_rows("process_trap"), "0: regs, rbp saved\n");
    CHECK_TEXT(kit_rows("ret_from_intr"), "0: regs, rbp saved\n"
                                          "1: entry+8, rbp saved\n"
                                          "2: regs, rbp saved\n"
                                          "4: entry, rbp lost\n");
    CHECK_TEXT(kit_rows("process_nmi"), "0: entry, rbp lost\n");
}

/* The return stack is filled by calls that do not return. */
KIT_FUNCTION("process_mce", "mov $16, %ecx\n"
                            "mov %rsp, %rax\n"
                            "1: call 2f\n"
                            "int3\n"
                            "2: call 3f\n"
                            "int3\n"
                            "3: sub $1, %ecx\n"
                            "jne 1b\n"
                            "mov %rax, %rsp\n"
                            "call handler\n"
                            "ud2\n")

TEST(filling_the_return_stack)
{
    CHECK_TEXT(kit_rows("process_mce"), "0: regs, rbp saved\n"
                                        "2: rax, rbp saved\n"
                                        "9: regs, rbp saved\n");
}

/* Most calls of C have rsp at the cpu_user_regs; a call with something pushed
 * does not outvote them. */
KIT_FUNCTION("svm_asm_do_resume", "call handler\n"
                                  "sub $8, %rsp\n"
                                  "call handler\n"
                                  "add $8, %rsp\n"
                                  "call handler\n"
                                  "jmp *%rax\n")

TEST(the_majority_of_calls_says_it)
{
    CHECK_TEXT(kit_rows("svm_asm_do_resume"), "0: regs, rbp saved\n"
                                              "2: entry+8, rbp saved\n"
                                              "4: regs, rbp saved\n");
}

/* Entry code has functions of its own. */
KIT_FUNCTION("create_bounce_frame", "push %rbx\n"
                                    "pop %rbx\n"
                                    "ret\n")
KIT_FUNCTION("test_guest_events", "call create_bounce_frame\n"
                                  "call handler\n"
                                  "jmp ret_from_intr\n")

TEST(functions_of_entry_code)
{
    CHECK_TEXT(kit_rows("create_bounce_frame"), "0: rsp+8\n"
                                                "1: rsp+16\n"
                                                "2: rsp+8\n");
    CHECK_TEXT(kit_rows("test_guest_events"), "0: regs, rbp saved\n");
}

/* Everything between these two symbols is entry code, except Xen's thunks. */
KIT_FUNCTION("_stextentry", "")
KIT_FUNCTION("common_interrupt", "add $-0x78, %rsp\n"
                                 "call handler\n"
                                 "jmp ret_from_intr\n")
KIT_FUNCTION("__x86_return_thunk", "ret\n")
KIT_FUNCTION("_etextentry", "ret\n")

TEST(the_text_of_entry_code)
{
    CHECK_TEXT(kit_rows("common_interrupt"), "0: entry-120\n"
                                             "1: regs, rbp saved\n");
    CHECK_TEXT(kit_rows("__x86_return_thunk"), "0: rsp+8\n");
}

/* This code does not run on a stack of Xen's. */
KIT_FUNCTION("s3_resume", "push %rbx\n"
                          "call handler\n"
                          "ret\n")

TEST(code_on_other_stacks)
{
    CHECK_TEXT(kit_rows("s3_resume"), "0: none\n");
}

/* The first jump ends the entry code; functions follow. */
KIT_FUNCTION("faulting", "push %rbx\n"
                         "faulting_here: mov (%rdi), %rax\n"
                         "faulting_on: pop %rbx\n"
                         "ret\n")
KIT_FUNCTION("dom_crash_sync_extable", "xor %edi, %edi\n"
                                       "jmp ret_from_intr\n"
                                       "faulting_fixup: push %rcx\n"
                                       "pop %rcx\n"
                                       "jmp faulting_on\n")
KIT_TABLE("__start___ex_table",
          ".long faulting_here - .\n"
          ".long faulting_fixup - .\n",
          "__stop___ex_table")

TEST(fixups_after_entry_code)
{
    CHECK_TEXT(kit_rows("dom_crash_sync_extable"), "0: regs, rbp saved\n"
                                                   "2: rsp+16\n"
                                                   "3: rsp+24\n"
                                                   "4: rsp+16\n");
}
