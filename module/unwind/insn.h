/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one instruction does to the stack pointer, to rbp and to the flow. */
#ifndef XENOPROF_MODULE_UNWIND_INSN_H
#define XENOPROF_MODULE_UNWIND_INSN_H

#include "listing.h"
#include "module/disassembler.h"

/* Fills in all but text, to and marks. */
void unwind_insn_read(const cs_insn *decoded, struct unwind_insn *insn);

/* Length of the instruction at bytes, and the general registers that it may
 * write; 0: it is none of these, or does not end within size. */
size_t unwind_newer(const uint8_t *bytes, size_t size, uint16_t *written);

#endif
