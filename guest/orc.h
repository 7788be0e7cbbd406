/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux's ORC tables: for each instruction of a kernel, where its caller's
 * frame lies.  They come from a guest's memory or from a file, so nothing in
 * them is believed: every access is bounded, every value checked.
 */
#ifndef GUEST_ORC_H
#define GUEST_ORC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a value comes from. */
enum orc_base {
    ORC_BASE_NONE, /* not known here */
    ORC_BASE_SP,
    ORC_BASE_BP,
    ORC_BASE_PREVIOUS_SP, /* the caller's stack pointer */
    ORC_BASE_AX,
    ORC_BASE_DX,
    ORC_BASE_DI,
    ORC_BASE_R10,
    ORC_BASE_R13
};

enum orc_kind {
    ORC_UNDEFINED, /* no frame can be found here */
    ORC_END,       /* the stack's root */
    ORC_CALL,      /* a return address lies below the caller's stack pointer */
    ORC_REGISTERS, /* the CFA is where a whole pt_regs lies */
    ORC_INTERRUPT  /* the CFA is where only ip, cs, flags, sp, ss lie */
};

struct orc_row {
    enum orc_kind kind;
    enum orc_base cfa_base;
    bool cfa_indirect; /* the CFA is what lies at base + offset (BP), or at
                          base, plus offset (SP) */
    int16_t cfa_offset;
    enum orc_base bp_base; /* NONE: bp is unchanged */
    bool bp_indirect;
    int16_t bp_offset;
    bool signal; /* ip is where execution goes on, not behind a call */
};

/* How the flags of an entry are laid out; they changed with Linux's
 * versions (4.14, 6.3, 6.4, 7.1). */
enum orc_layout {
    ORC_LAYOUT_UNKNOWN = 0,
    ORC_LAYOUT_4_14,
    ORC_LAYOUT_6_3,
    ORC_LAYOUT_6_4,
    ORC_LAYOUT_7_1
};

/* The layout of kernel MAJOR.MINOR, or of a table with a header of 20 bytes
 * (NULL if there is none), which counts more.  orc_probe() decides by looking
 * at the rows themselves where version and header may be wrong. */
enum orc_layout orc_layout_of(unsigned int major, unsigned int minor,
                              const uint8_t *header);

struct orc_table;

/*
 * ips: count 32-bit offsets, each from its own place, the first of which is
 * at ips_address; rows: count entries of 6 bytes.  Both are copied.  NULL if
 * there is no memory or it is no such table: not sorted, or rows that are
 * none in any layout.
 */
struct orc_table *orc_open(const int32_t *ips, const void *rows, size_t count,
                           uint64_t ips_address, enum orc_layout layout);
void orc_close(struct orc_table *table);
/* The row of an address, which is relative to the same base as ips_address;
 * false if the table has none. */
bool orc_find(const struct orc_table *table, uint64_t address,
              struct orc_row *ret);
size_t orc_count(const struct orc_table *table);

#endif
