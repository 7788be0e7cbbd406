/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the instructions of call frame information: where the CFA and those
 * registers are that a walk needs, for each place in a function.
 */
#ifndef XENOPROF_ROWS_CFI_RUN_H
#define XENOPROF_ROWS_CFI_RUN_H

#include "cfi-entry.h"

enum cfi_saved_way {
    CFI_SAME,
    CFI_UNDEFINED,
    CFI_AT_CFA,        /* at CFA + offset */
    CFI_AT_EXPRESSION, /* at what the expression gives */
    CFI_OTHER          /* its value is something else */
};

struct cfi_saved {
    enum cfi_saved_way way;
    int64_t offset;
    struct cursor expression;
};

/* Registers that are followed. */
enum { CFI_IP, CFI_BP, CFI_BX, CFI_FOLLOWED };

struct cfi_state {
    uint64_t cfa_register;
    int64_t cfa_offset;
    bool by_expression; /* instead of those two */
    struct cursor cfa_expression;
    struct cfi_saved saved[CFI_FOLLOWED];
};

#define CFI_STACK 16u /* compilers nest states twice, at most */

struct cfi_run {
    const struct cfi_cie *cie;
    const struct cfi_section *section;
    struct cursor at;
    uint64_t location, end;
    struct cfi_state state, initial;
    struct cfi_state stack[CFI_STACK];
    unsigned int depth;
    bool done;
    bool bad; /* from location on nothing is known */
};

/* Runs the CIE.  Returns false if it cannot be run. */
bool cfi_run_cie(struct cfi_run *run, const struct cfi_section *section,
                 const struct cfi_cie *cie);
/* Begins a function of this CIE. */
void cfi_run_fde(struct cfi_run *run, const struct cfi_fde *fde);
/* Returns whether there is another row: run->state holds from *address on.
 * Addresses rise, in the function. */
bool cfi_run_next(struct cfi_run *run, uint64_t *address);

#endif
