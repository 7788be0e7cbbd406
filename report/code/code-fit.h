/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of a file's symbols is a function of the session.  Kernels, modules and
 * libraries are loaded elsewhere at each start, and a file may be of another
 * build.  So most functions of that image with samples must agree on the shift
 * from the file's addresses to the session's.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_FIT_H
#define XENOPROF_REPORT_CODE_CODE_FIT_H

#include "code-symbols.h"
#include "hits.h"

enum code_fit {
    FIT_FOUND,
    FIT_NO_SYMBOL, /* the file has no such function */
    FIT_ELSEWHERE, /* most others lie where this file would not put them */
};

/* Find the function's symbol in the file's. */
enum code_fit code_fit(const struct loaded *loaded,
                       const struct function *function,
                       const struct code_symbols *symbols,
                       const struct code_symbol **ret);

#endif
