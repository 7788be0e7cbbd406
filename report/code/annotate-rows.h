/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function's code as rows: percent of what the function took itself,
 * samples, offset, instruction; between them the lines of its source, where
 * these are known.
 */
#ifndef XENOPROF_REPORT_CODE_ANNOTATE_ROWS_H
#define XENOPROF_REPORT_CODE_ANNOTATE_ROWS_H

#include "instructions.h"
#include "report/text/screen.h"

struct annotated {
    const struct screen *screen;
    size_t width; /* columns; 0: as wide as it takes */
    FILE *file;
    uint64_t inside;  /* found: samples not at the first byte of one */
    uint64_t outside; /* found: samples at no instruction that is shown */
};

/* Without code: only the addresses with samples.  False if there is no
 * memory. */
bool annotate_rows(struct annotated *rows, const struct function *function,
                   const struct code *code);

#endif
