/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether code was compiled with frame pointers, told from its bytes. */
#ifndef XENOPROF_GUEST_LINUX_CODE_FRAMES_H
#define XENOPROF_GUEST_LINUX_CODE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#define PROLOGUE_BYTES 16u

/* A function that begins with these bytes makes a frame pointer. */
bool code_makes_frame(const uint8_t code[PROLOGUE_BYTES]);

#endif
