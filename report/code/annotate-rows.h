/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function's code as rows of text: percent of the function's own time,
 * samples, offset, instruction; between them its source lines, where they are
 * known.
 */
#ifndef XENOPROF_REPORT_CODE_ANNOTATE_ROWS_H
#define XENOPROF_REPORT_CODE_ANNOTATE_ROWS_H

#include "code-rows.h"
#include "report/text/screen.h"

struct annotated {
    const struct screen *screen;
    size_t width; /* columns; 0: no limit */
    FILE *file;
    uint64_t inside;  /* result: samples inside an instruction */
    uint64_t outside; /* result: samples outside of all instructions */
};

/* Print the rows; without code, only the addresses with samples. */
void annotate_rows(struct annotated *rows, const struct function *function,
                   const struct code *code);

#endif
