/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a file's code ran: kernels, modules and libraries are put elsewhere at
 * each start, and a file may be another build's.  All functions of the same
 * image that the session has samples in must agree on that.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_PLACE_H
#define XENOPROF_REPORT_CODE_CODE_PLACE_H

#include "code-symbols.h"
#include "hits.h"

enum place_found {
    PLACE_FOUND,
    PLACE_NO_SYMBOL, /* the file has no such function */
    PLACE_ELSEWHERE, /* most others say that it is not where it ran */
    PLACE_NO_MEMORY,
};

/* Which of the file's symbols is the function. */
enum place_found code_place(const struct loaded *loaded,
                            const struct function *function,
                            const struct code_symbols *symbols,
                            const struct code_symbol **ret);

#endif
