/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one instruction does to the stack pointer, to rbp and to the flow. */
#ifndef XENOPROF_MODULE_UNWIND_UNWIND_INSN_H
#define XENOPROF_MODULE_UNWIND_UNWIND_INSN_H

#include <capstone/capstone.h>

#include "unwind-code.h"

/* Fills in all but text, to and marks. */
void unwind_insn_read(const cs_insn *decoded, struct unwind_insn *insn);

#endif
