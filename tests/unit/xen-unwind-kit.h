/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hypervisor of functions in assembly, for tests of the unwind table.  The
 * code lies in the test program, in a section of its own; it never runs.
 *
 *   KIT_CODE(KIT_FUNCTION("pushes") "push %rbx\n ret\n")
 *
 * KIT_TABLE() is for Xen's constants: bug frames and exceptions.
 */
#ifndef XENOPROF_TESTS_XEN_UNWIND_KIT_H
#define XENOPROF_TESTS_XEN_UNWIND_KIT_H

#define KIT_ADDRESS 0xffff82d040200000ull

#define KIT_NAMED(name)                                                        \
    name ":\n"                                                                 \
         ".pushsection kit_names, \"aw\", @progbits\n"                         \
         ".balign 64\n"                                                        \
         ".quad " name "\n"                                                    \
         ".asciz \"" name "\"\n"                                               \
         ".balign 64\n"                                                        \
         ".popsection\n"
#define KIT_FUNCTION(name) ".p2align 4, 0xcc\n" KIT_NAMED(name)

#define KIT_CODE(text)                                                         \
    asm(".pushsection kit_code, \"ax\", @progbits\n" text                      \
        ".p2align 4, 0xcc\n.popsection\n");
#define KIT_TABLE(text)                                                        \
    asm(".pushsection kit_tables, \"a\", @progbits\n" text ".popsection\n");

/* Rows of a function, "+0 rsp+8\n+1 rsp+16 rbp-16\n", from the bytes of a
 * table that the validator of the module has taken. */
const char *kit_rows(const char *function);

#endif
