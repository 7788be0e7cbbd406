/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Room for the unwind table, which xenopctl fills in, and the symbol at the
 * start of our own text, which its rows count from: this object is linked
 * first.
 */
#include <xenoprof/unwind.h>

__attribute__((section(".xenoprof.unwind"), used, aligned(8)))
const struct xenoprof_unwind unwind_table = {0};

asm(".pushsection .text, \"ax\", @progbits\n"
    ".globl module_text_start\n"
    ".hidden module_text_start\n"
    "module_text_start:\n"
    ".popsection");
