/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each place said of each fact, and what follows from that. */
#ifndef XENOPROF_MODULE_FACTS_EVIDENCE_H
#define XENOPROF_MODULE_FACTS_EVIDENCE_H

#include "facts-list.h"

#include <stdbool.h>

#include "base/vector.h"

struct facts_statement {
    enum xenoprof_fact fact;
    uint32_t value;
    const struct xen_symbol *function; /* NULL: the debug information */
    uint64_t address;
};

struct facts_evidence {
    VECTOR(struct facts_statement);
};

/* What all statements on one fact come to. */
struct facts_verdict {
    unsigned int sources; /* that agree with the first one */
    bool disagree;
    uint32_t value; /* of the first statement, if there is one */
};

/*
 * Adds what a place says.  A function counts once for a fact, however often
 * it says the same.  Returns 0 or -ENOMEM.
 */
int facts_evidence_add(struct facts_evidence *evidence,
                       const struct facts_statement *statement);

void facts_evidence_free(struct facts_evidence *evidence);

void facts_evidence_judge(const struct facts_evidence *evidence,
                          enum xenoprof_fact fact,
                          struct facts_verdict *verdict);

/* Writes facts that two places agree on, and absent for all others. */
void facts_evidence_settle(const struct facts_evidence *evidence,
                           struct xenoprof_facts *facts);

/*
 * Adds the places to a line: each value that was said, with where.  All is cut
 * off that does not fit.
 */
void facts_evidence_print(const struct facts_evidence *evidence,
                          enum xenoprof_fact fact, char *line, size_t size);

#endif /* XENOPROF_MODULE_FACTS_EVIDENCE_H */
