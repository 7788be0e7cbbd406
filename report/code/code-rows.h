/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function's code, row after row: its instructions with their samples, and
 * between them its lines of source, where they are known.  Without code, its
 * addresses that have samples.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_ROWS_H
#define XENOPROF_REPORT_CODE_CODE_ROWS_H

#include "instructions.h"

enum code_row_kind {
    CODE_ROW_LINE,        /* of source: text */
    CODE_ROW_INSTRUCTION, /* or an address, if there is no code */
    CODE_ROW_QUIET,       /* instructions without samples, left out: quiet */
};

struct code_row {
    enum code_row_kind kind;
    const char *text; /* not fit for a terminal before text_clean() */
    uint64_t offset;  /* from the function's first byte */
    uint8_t size;     /* bytes */
    uint64_t samples;
    uint64_t time;   /* ns */
    uint64_t inside; /* of samples: not at the instruction's first byte */
    size_t quiet;
};

struct code_rows {
    void (*put)(void *context, const struct code_row *row);
    void *context;
    /* Others will read them: without text of source files that not all users of
     * this host may read. */
    bool shared;
    uint64_t inside;  /* result: samples inside an instruction */
    uint64_t outside; /* result: samples outside of all instructions */
};

/* Put the rows in their order; texts are good until put() returns. */
void code_rows_put(struct code_rows *rows, const struct function *function,
                   const struct code *code);

#endif
