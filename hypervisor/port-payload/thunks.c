/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every function of ours returns through __x86_return_thunk, as Xen's do since
 * commit afcb4a06c7 ("x86/thunk: Build Xen with Return Thunks") (4.21, 4.17.6),
 * and calls through pointers by __x86_indirect_thunk_*, as Xen's do since
 * commit 858cba0d4c ("x86: Introduce alternative indirect thunks") (4.11).
 * Older hypervisors, and those built without (CONFIG_RETURN_THUNK=n,
 * CONFIG_INDIRECT_THUNK=n), lack these symbols and return and call plainly;
 * there xenopctl resolves them to these functions.
 */
asm(".macro xenoprof_own_thunk name, instruction:vararg\n"
    ".type xenoprof_\\name, @function\n"
    "xenoprof_\\name:\n"
    "    \\instruction\n"
    "    int3\n"
    ".size xenoprof_\\name, . - xenoprof_\\name\n"
    ".endm\n"
    ".pushsection .text, \"ax\", @progbits\n"
    "xenoprof_own_thunk return_thunk, ret\n"
    ".irp reg, ax, bx, cx, dx, si, di, bp, 8, 9, 10, 11, 12, 13, 14, 15\n"
    "xenoprof_own_thunk indirect_thunk_r\\reg, jmp *%r\\reg\n"
    ".endr\n"
    ".popsection\n"
    ".purgem xenoprof_own_thunk");
