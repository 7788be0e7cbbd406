/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every function of ours returns through __x86_return_thunk, as Xen's do.
 * Hypervisors from before that mitigation (4.17 up to 4.17.5) have no such
 * symbol and return plainly; there xenopctl has us do the same.
 */
asm(".pushsection .text, \"ax\", @progbits\n"
    ".type xenoprof_return_thunk, @function\n"
    "xenoprof_return_thunk:\n"
    "    ret\n"
    "    int3\n"
    ".size xenoprof_return_thunk, . - xenoprof_return_thunk\n"
    ".popsection");
