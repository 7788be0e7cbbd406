/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rule that a state of call frame information comes to. */
#ifndef XENOPROF_ROWS_CFI_RULE_H
#define XENOPROF_ROWS_CFI_RULE_H

#include "cfi-run.h"
#include "rows/row-rule.h"

/*
 * signal: the CIE says that the code is a signal frame.  The rule is
 * RULE_UNKNOWN if a walk cannot follow what is said.  Of expressions there are
 * four that it can, which are those that compilers, linkers and libraries in
 * assembly write (doc/rows.md).
 */
struct row_rule cfi_rule(const struct cfi_state *state, bool signal);

#endif
