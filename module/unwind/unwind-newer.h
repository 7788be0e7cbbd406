/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that the disassembler may be too old for: shadow stacks,
 * protection keys, direct stores.  None of them touches the stack pointer or
 * the flow, so only their length matters, and what they write.
 */
#ifndef XENOPROF_MODULE_UNWIND_UNWIND_NEWER_H
#define XENOPROF_MODULE_UNWIND_UNWIND_NEWER_H

#include "unwind-code.h"

/* Length of the instruction at bytes, and the general registers that it may
 * write; 0: it is none of these, or does not end within size. */
size_t unwind_newer(const uint8_t *bytes, size_t size, uint16_t *written);

#endif
