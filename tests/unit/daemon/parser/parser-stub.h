/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In the place of guest/ (guest/kernel.h, guest/unwind.h): a kernel is a
 * letter in the guest's memory at the address that is asked about.
 *
 *   K  a kernel from there on, 1 MiB, whose functions are 256 bytes
 *   P  the same, found after some time
 *   L  looking at it never ends
 *   C  looking at it crashes
 *   F  the process that looks makes another one
 *   D  contradicts itself
 *   S  a kernel whose stacks crash the walk
 *   B  a kernel whose stacks never end
 *   N  a kernel that is another one when it is looked at again
 *
 * Its functions are function_0 and so on; or, if there is a word 16 bytes after
 * the letter, of at most 15 letters, that_0 and so on.
 *
 * A stack is words, each of which is a frame while it is code.
 */
#ifndef XENOPROF_TESTS_UNIT_DAEMON_PARSER_PARSER_STUB_H
#define XENOPROF_TESTS_UNIT_DAEMON_PARSER_PARSER_STUB_H

#include <stdbool.h>
#include <stdint.h>

/* The first bytes of a kernel's first page. */
struct stub_page {
    char letter;
    char unused[15];
    char prefix[16]; /* of its functions' names */
};

/* What the stub's kernel tables say, behind the two words of
 * kernel_put_image(). */
struct stub_image {
    uint64_t symbols;
    struct stub_page page;
};

/* Nothing crashes or loops: for tests without a process of its own. */
extern bool parser_stub_tame;

#endif
