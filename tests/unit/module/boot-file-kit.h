/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A boot file of our making: a little code, constants with a build-id, and the
 * table of symbols packed as Xen's build packs it.
 */
#ifndef XENOPROF_TESTS_UNIT_MODULE_BOOT_FILE_KIT_H
#define XENOPROF_TESTS_UNIT_MODULE_BOOT_FILE_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOOT_HEADS     0x100u /* bytes of the file before the piece */
#define BOOT_PIECE     0x8000u
#define BOOT_RODATA    0x1000u /* in the piece */
#define BOOT_NOTE      0x1010u
#define BOOT_NOTE_SIZE 36u
#define BOOT_TABLE     0x2000u
#define BOOT_FUNCTIONS 600u

extern uint8_t boot_piece[BOOT_PIECE];
extern size_t boot_used;            /* of the piece */
extern unsigned int boot_note_size; /* that the symbols say: BOOT_NOTE_SIZE */

/* Makes the piece.  natural: parts are aligned as their type needs, and ends
 * of functions are in the table. */
void boot_piece_make(bool natural);

/* Makes what lies before the piece in an ELF file, as Xen's build does. */
void boot_heads_make(uint8_t heads[BOOT_HEADS]);

#endif
