/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux's ORC tables: for each instruction of a kernel, where its caller's
 * frame lies.  They come from a guest's memory or from a file, so nothing in
 * them is believed: every access is bounded, every value checked.
 *
 * The CFA is the caller's stack pointer as it was before the call; or, of an
 * interrupted frame, where its saved registers lie.
 */
#ifndef XENOPROF_GUEST_LINUX_ORC_H
#define XENOPROF_GUEST_LINUX_ORC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a value comes from. */
enum orc_base {
    ORC_BASE_NONE, /* not known here */
    ORC_BASE_SP,
    ORC_BASE_BP,
    ORC_BASE_CFA,
    ORC_BASE_AX,
    ORC_BASE_DX,
    ORC_BASE_DI,
    ORC_BASE_R10,
    ORC_BASE_R13,
    ORC_BASES
} __attribute__((packed));

enum orc_kind {
    ORC_UNDEFINED, /* no frame can be found here */
    ORC_END,       /* the stack's root */
    ORC_CALL,      /* a return address lies below the CFA */
    ORC_REGISTERS, /* a whole pt_regs lies at the CFA */
    ORC_INTERRUPT  /* only ip, cs, flags, sp and ss lie at the CFA */
} __attribute__((packed));

/* What the CFA is, of base and offset. */
enum orc_way {
    ORC_SUM,    /* their sum */
    ORC_AT_SUM, /* the word that lies at their sum */
    ORC_AT_BASE /* the word that lies at base, plus offset */
} __attribute__((packed));

struct orc_row {
    enum orc_kind kind;
    enum orc_base cfa_base; /* not CFA; NONE only if there is no frame */
    enum orc_way cfa_way;
    int16_t cfa_offset;
    enum orc_base bp_base; /* NONE: bp is unchanged; CFA or BP: the caller's
                              lies there, plus bp_offset */
    int16_t bp_offset;
    bool signal; /* the caller was interrupted: its ip is where it goes on,
                    not behind a call */
};

/* How the flags of an entry are laid out; they changed with Linux's
 * versions (4.14, 6.3, 6.4, 7.1). */
enum orc_layout {
    ORC_LAYOUT_UNKNOWN = 0,
    ORC_LAYOUT_4_14,
    ORC_LAYOUT_6_3,
    ORC_LAYOUT_6_4,
    ORC_LAYOUT_7_1,
    ORC_LAYOUTS
};

/* The layout of kernel MAJOR.MINOR, or of a table with a header of 20 bytes
 * (NULL if there is none), which counts more.  UNKNOWN: a header that no
 * known kernel has, or a kernel that had no ORC. */
enum orc_layout orc_layout_of(unsigned int major, unsigned int minor,
                              const uint8_t *header);

struct orc_table;

/*
 * ips: count 32-bit offsets, each from its own place, the first of which is
 * at ips_address; rows: count entries of 6 bytes.  What is needed of both is
 * copied.  If it is not sorted (kernels before 5.6 sort theirs when they
 * boot, every kernel a module's when it loads), it is sorted.
 *
 * layout is what the version or the header says; if the rows contradict it
 * (vendors take newer code into older kernels), or it is UNKNOWN, the rows
 * decide.  A module's table has too few of them: give its kernel's layout,
 * orc_layout().
 *
 * NULL if there is no memory or it is no such table: empty, far too long, or
 * one of 64 rows is none in any layout.  A smaller part of bad rows is taken
 * as ORC_UNDEFINED.
 */
struct orc_table *orc_open(const int32_t *ips, const void *rows, size_t count,
                           uint64_t ips_address, enum orc_layout layout);
void orc_close(struct orc_table *table);
/* The row of an address, which is relative to the same base as ips_address;
 * false if the table has none. */
bool orc_find(const struct orc_table *table, uint64_t address,
              struct orc_row *ret);
/* Rows that it was made of. */
size_t orc_count(const struct orc_table *table);
/* The layout that was found right. */
enum orc_layout orc_layout(const struct orc_table *table);
/* Bytes of memory that it takes. */
size_t orc_size(const struct orc_table *table);

#endif
