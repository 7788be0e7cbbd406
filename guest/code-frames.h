/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether code was compiled with frame pointers, judged by its bytes. */
#ifndef XENOPROF_GUEST_CODE_FRAMES_H
#define XENOPROF_GUEST_CODE_FRAMES_H

#include "memory.h"

#define PROLOGUE_BYTES 16u

/* Returns whether a function that begins with these bytes makes a frame
 * pointer. */
bool code_makes_frame(const uint8_t code[PROLOGUE_BYTES]);

/* Returns whether most functions that are called in the 64 KiB of code around
 * address make a frame pointer: for a kernel that was not found. */
bool code_uses_frames(struct guest_memory *memory, uint64_t address);

#endif
