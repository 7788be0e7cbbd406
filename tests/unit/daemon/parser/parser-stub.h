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
 *
 * A stack is words, each of which is a frame while it is code.
 */
#ifndef XENOPROF_TESTS_UNIT_DAEMON_PARSER_PARSER_STUB_H
#define XENOPROF_TESTS_UNIT_DAEMON_PARSER_PARSER_STUB_H

#include <stdbool.h>

/* Nothing crashes or loops: for tests without a process of its own. */
extern bool parser_stub_tame;

#endif
