/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row: how to find the caller's frame from one range of code, in the words
 * of no particular kernel or table.
 *
 * The CFA is the caller's stack pointer before the call or, for an
 * interrupted frame, the address of its saved registers.
 */
#ifndef XENOPROF_GUEST_UNWIND_ROW_H
#define XENOPROF_GUEST_UNWIND_ROW_H

#include <stdbool.h>
#include <stdint.h>

enum row_base {
    ROW_BASE_NONE, /* not known here */
    ROW_BASE_SP,
    ROW_BASE_BP,
    ROW_BASE_CFA,
    ROW_BASE_AX,
    ROW_BASE_DX,
    ROW_BASE_DI,
    ROW_BASE_R10,
    ROW_BASE_R13,
    ROW_BASES
} __attribute__((packed));

enum row_kind {
    ROW_UNDEFINED, /* no frame can be found here */
    ROW_END,       /* the root of the stack */
    ROW_CALL,      /* a return address lies below the CFA */
    ROW_REGISTERS, /* a whole pt_regs lies at the CFA */
    ROW_INTERRUPT  /* only ip, cs, flags, sp and ss lie at the CFA */
} __attribute__((packed));

/* How base and offset make the CFA. */
enum row_way {
    ROW_SUM,    /* their sum */
    ROW_AT_SUM, /* the word at their sum */
    ROW_AT_BASE /* the word at base, plus offset */
} __attribute__((packed));

struct unwind_row {
    enum row_kind kind;
    enum row_base cfa_base; /* not CFA; NONE only if there is no frame */
    enum row_way cfa_way;
    int16_t cfa_offset;
    enum row_base bp_base; /* CFA or BP: the caller's bp lies there, plus
                              bp_offset; NONE: bp is unchanged */
    int16_t bp_offset;
    bool signal; /* the caller was interrupted: its ip is exact, not behind a
                    call */
    bool usual;  /* a table may say so of a row of which unwind_row_usual() is
                    true; it is walked faster */
};

/* Most rows: called, the CFA is sp or bp plus something, and bp is unchanged or
 * lies at the CFA plus something. */
static inline bool unwind_row_usual(const struct unwind_row *row)
{
    return row->kind == ROW_CALL && row->cfa_way == ROW_SUM &&
           (row->cfa_base == ROW_BASE_SP || row->cfa_base == ROW_BASE_BP) &&
           (row->bp_base == ROW_BASE_NONE || row->bp_base == ROW_BASE_CFA);
}

#endif
