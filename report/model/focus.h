/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --focus, --ignore and --filter=stack=: stacks by the names in them.  A name
 * is a symbol, with or without the file that Xen spells before a static, or
 * what stands in its place (an address, "[truncated]").
 */
#ifndef XENOPROF_REPORT_MODEL_FOCUS_H
#define XENOPROF_REPORT_MODEL_FOCUS_H

#include "base/failure.h"
#include "base/vector.h"
#include "select.h"
#include "stacks.h"

#include <regex.h>

enum focus_kind { FOCUS_ON, FOCUS_IGNORE };

struct focus_pattern {
    char *text;
    regex_t regex;
    enum focus_kind kind;
};

struct focus {
    VECTOR(struct focus_pattern);
};

void focus_free(struct focus *focus);

/* Add a POSIX extended regular expression. */
enum exit_status focus_add(struct focus *focus, enum focus_kind kind,
                           const char *text, struct failure *failure);

/* Fails with STATUS_NO_SYMBOL if it left nothing of a session that has
 * samples. */
enum exit_status focus_expect(const struct focus *focus,
                              const struct loaded *loaded,
                              struct failure *failure);

/* Drop the cells whose stack has no frame that a --focus matches (for any of
 * them), or has one that an --ignore matches. */
void focus_apply(const struct focus *focus, struct loaded *loaded,
                 const struct stacks *stacks);

/* Marks the cells whose stack begins, at its root, with the functions of one of
 * the values: patterns with ';' between them. */
void focus_beneath(const struct filter *filter, struct loaded *loaded,
                   const struct stacks *stacks);

#endif
