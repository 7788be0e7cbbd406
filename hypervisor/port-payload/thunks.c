/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every function of ours returns through __x86_return_thunk, as Xen's do since
 * commit afcb4a06c7 ("x86/thunk: Build Xen with Return Thunks") (4.21, 4.17.6).
 * Older hypervisors lack that symbol and return plainly; there xenopctl
 * resolves it to this function.
 */
asm(".pushsection .text, \"ax\", @progbits\n"
    ".type xenoprof_return_thunk, @function\n"
    "xenoprof_return_thunk:\n"
    "    ret\n"
    "    int3\n"
    ".size xenoprof_return_thunk, . - xenoprof_return_thunk\n"
    ".popsection");
