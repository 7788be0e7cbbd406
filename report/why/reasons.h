/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why Xen ran, of each chain: from the functions of Xen in it that reasons.def
 * knows.  Nothing of a guest's counts but whether it was in its kernel or in a
 * process, which Xen said.
 */
#ifndef XENOPROF_REPORT_WHY_REASONS_H
#define XENOPROF_REPORT_WHY_REASONS_H

#include "report/model/select.h"
#include "report/model/stacks.h"

enum xen_reason {
    REASON_none, /* no function that is known, or no stack */
#define REASON(name, words, whom, advice) REASON_##name,
#define ENTRY(symbol, reason)
#define ENTRY_BY(symbol, kernel, user)
#define WORK(symbol, reason)
#define WORK_OF(caller, symbol, reason)
#include "reasons.def"
#undef REASON
#undef ENTRY
#undef ENTRY_BY
#undef WORK
#undef WORK_OF
    REASONS
};

/* What Xen did on a reason's way. */
enum xen_part {
    PART_none,
#define PART(name, words, advice) PART_##name,
#define DURING(symbol, part)
#include "parts.def"
#undef PART
#undef DURING
    PARTS
};

struct reason_text {
    const char *name;   /* for data */
    const char *words;  /* for people */
    const char *advice; /* what to do about it; NULL: nothing */
    bool guests;        /* the advice is for guests, not for dom0 */
};

const struct reason_text *reason_text(enum xen_reason reason);
const struct reason_text *part_text(enum xen_part part);

/* Whether a guest could do without what Xen ran for. */
static inline bool reason_is_avoidable(enum xen_reason reason)
{
    return reason_text(reason)->guests && reason_text(reason)->advice;
}

/* What a function of Xen's says of why Xen ran, in whichever mode its guest was
 * and whoever called it. */
struct symbol_reasons {
    bool of_reason[REASONS];
    bool work;      /* that counts, and what called it does not */
    bool by_caller; /* it is another one if some function called it */
    bool part;      /* a part of any reason, and none itself */
};
/* Returns false if it says nothing. */
bool symbol_reasons(const char *symbol, struct symbol_reasons *ret);

/* Whether it says what Xen ran for, and not just that it ran. */
static inline bool reason_is_known(enum xen_reason reason)
{
    return reason != REASON_none && reason != REASON_leave;
}

/* Why Xen ran for a guest that entered it so, which may say no more than that
 * it did. */
enum xen_reason reason_of_entry(const struct xenoprof_entry *entry);

/* Whether nothing but a way into Xen is known, or not even that: then the
 * guest's entry says more. */
bool reason_is_way(enum xen_reason reason);

/* What the functions of Xen's on a stack say. */
struct chain_reason {
    uint8_t reason; /* enum xen_reason */
    uint8_t part;   /* enum xen_part, of whatever reason it is */
};

/* The reason of each chain that a cell in Xen has, by its number; malloc'ed.
 * Chains without a function of Xen's, and all others, have REASON_none and
 * PART_none. */
struct chain_reason *reasons_find(const struct loaded *loaded,
                                  const struct stacks *stacks);

/* Why Xen ran in a cell: by the functions on its stack, of which reasons has
 * what reasons_find() found, or else by how its guest came in, which is what
 * the way back to it is for, too. */
enum xen_reason reason_of_cell(const struct loaded *loaded,
                               const struct chain_reason *reasons,
                               const struct cell *cell);

/* Whether a value of FILTER_REASON means any reason: by its name or words, or a
 * pattern for these, or "outside", which is what was not in Xen. */
bool reason_is_meant(const char *value);
/* query.mark_reasons. */
void mark_reasons(const struct filter *filter, struct loaded *loaded,
                  const struct stacks *stacks);

#endif
