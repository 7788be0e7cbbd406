/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rule: how to find the caller's frame from a place in user code.  The code
 * of an image needs some hundreds of them (doc/rows.md).
 *
 * The CFA is the caller's stack pointer behind the call; the return address
 * lies below it.
 */
#ifndef XENOPROF_ROWS_ROW_RULE_H
#define XENOPROF_ROWS_ROW_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum row_rule_kind {
    RULE_NONE,     /* nothing is said of this code */
    RULE_UNKNOWN,  /* what is said of it does not fit any other kind */
    RULE_ROOT,     /* nobody called it */
    RULE_SP,       /* CFA: sp + offset */
    RULE_BP,       /* bp + offset */
    RULE_REGISTER, /* the register `extra` + offset */
    RULE_AT_SP,    /* the word at sp + offset, plus `extra` */
    RULE_AT_BP,    /* the word at bp + offset, plus `extra` */
    RULE_PLT,      /* sp + 8; sp + 16 from byte `extra` of 16 on */
    RULE_SIGNAL,   /* a signal's frame: sp was saved at sp + offset */
    RULE_KINDS
};

/* Where the caller's bp and bx are. */
enum row_saved {
    SAVED_NOT,    /* still in their register */
    SAVED_AT_CFA, /* at CFA + offset, unless that lies below sp */
    SAVED_AT_BP,  /* at bp + offset, if that is in the frame */
    SAVED_LOST,   /* nobody knows */
    SAVED_WAYS
};

/* Offsets are words: stacks are made of them. */
#define ROW_WORD 8

/* As it is stored and sent: no padding, and what a kind does not use is 0. */
struct row_rule {
    uint8_t kind;
    uint8_t extra;
    uint8_t bp, bx; /* enum row_saved */
    int16_t offset; /* in words, as the next two */
    int8_t bp_offset, bx_offset;
};

/* Registers by DWARF's numbers, which is also their order in
 * struct xenoprof_registers. */
enum {
    ROW_BX = 3,
    ROW_BP = 6,
    ROW_SP = 7,
    ROW_REGISTER_COUNT = 16,
    ROW_IP = 16
};

/* Whether a rule that somebody else made is one that a table may have. */
bool row_rule_sound(const struct row_rule *rule);

#endif
