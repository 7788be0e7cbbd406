/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_REPORT_CODE_CODE_BYTES_H
#define XENOPROF_REPORT_CODE_CODE_BYTES_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

/* The code at an address of a file, up to the end of its section, or of its
 * segment in a file without sections; returns how many bytes that are, 0:
 * none.  *ret is elf's. */
size_t code_bytes(Elf *elf, uint64_t address, const uint8_t **ret);

#endif
