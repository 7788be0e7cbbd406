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
 *   T  a kernel with tasks, of as many processors as the next byte says, 0: not
 *      yet, and with isolated page tables; its threads run /bin/pPID in
 *      /tTID.service, but for process 13, which crashes who looks, and 14,
 *      which is gone; its processes have 4096 bytes of /bin/pPID mapped at
 *      0x400000, and as many of no file behind them.  If the byte behind that
 *      is 1, /bin/pPID is a file in memory, the same for all even numbers and
 *      for all odd ones: its code from offset 0x100 on is function leaf_OFFSET,
 *      from 0x800 on there is no symbol, and pages are missing; before 0x100
 *      it crashes who looks
 *   E  says its tasks, as T, while it is looked at, which never ends
 *   G  says its tasks, and then contradicts itself
 *   N  a kernel that is another one when it is looked at again
 *
 * A kernel begins on the page that was asked about, or, if the page says so,
 * where an address has as many zeroes at its end.
 *
 * Its functions are function_0 and so on; or, if there is a word 16 bytes after
 * the letter, of at most 15 letters, that_0 and so on.
 *
 * A stack is words, each of which is a frame while it is code; STUB_ENTERED is
 * where a process has entered the kernel.
 */
#ifndef XENOPROF_TESTS_UNIT_DAEMON_PARSER_PARSER_STUB_H
#define XENOPROF_TESTS_UNIT_DAEMON_PARSER_PARSER_STUB_H

#include <stdbool.h>
#include <stdint.h>

/* The first bytes of a kernel's first page. */
struct stub_page {
    char letter;
    uint8_t processors;
    uint8_t cached; /* 1: files of its processes are in memory */
    uint8_t zeroes; /* of the address where the kernel begins; 0: any page */
    char unused[12];
    char prefix[16]; /* of its functions' names */
};

/* What the stub's kernel tables say, behind the two words of
 * kernel_put_image(). */
struct stub_image {
    uint64_t symbols;
    struct stub_page page;
};

/* Where processor 0 of T has its word; others behind it, 4 KiB each. */
#define STUB_WORDS 0xffff888000001000ull

/* The id of the file of even numbers' programs; odd ones have the next. */
#define STUB_FILE 7u

/* r15 of a process, the first word of what an entry saves. */
#define STUB_ENTERED 0x6465726574e5ull

/* Nothing crashes or loops: for tests without a process of its own. */
extern bool parser_stub_tame;

#endif
