/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hypervisor of functions in assembly, for tests of the unwind table.  The
 * code lies in the test program, in a section of its own; it never runs.
 *
 *   KIT_FUNCTION("pushes", "push %rbx\n ret\n")
 *
 * KIT_NAMED() is a symbol within.  KIT_TABLE() is for Xen's constants, bug
 * frames and exceptions, with the symbols that they lie between.
 */
#ifndef XENOPROF_TESTS_UNIT_MODULE_UNWIND_XEN_UNWIND_KIT_H
#define XENOPROF_TESTS_UNIT_MODULE_UNWIND_XEN_UNWIND_KIT_H

#define KIT_ADDRESS 0xffff82d040200000ull

#define KIT_NAMED(name)                                                        \
    name ":\n"                                                                 \
         ".pushsection kit_names, \"aw\", @progbits\n"                         \
         ".balign 64\n"                                                        \
         ".quad " name "\n"                                                    \
         ".asciz \"" name "\"\n"                                               \
         ".balign 64\n"                                                        \
         ".popsection\n"
#define KIT_FUNCTION(name, text)                                               \
    asm(".pushsection kit_code, \"ax\", @progbits\n"                           \
        ".p2align 4, 0xcc\n" KIT_NAMED(name) text                              \
        ".p2align 4, 0xcc\n.popsection\n");
#define KIT_TABLE(start, text, stop)                                           \
    asm(".pushsection kit_tables, \"a\", @progbits\n" KIT_NAMED(start)         \
            text KIT_NAMED(stop) ".popsection\n");

/*
 * Returns the rows of a function, "0: rsp+8\n1: rsp+16, rbp -16\n": the number
 * of each instruction before which something changes, and what holds there.
 * The rows come from a table that the module's check accepts.
 */
const char *kit_rows(const char *function);

#endif
