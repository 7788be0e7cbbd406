/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each source states about each fact, and what follows from it. */
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

/* What all statements on one fact add up to. */
struct facts_verdict {
    /* Of those that agree with the first one: 1 for each function, 2 for the
     * debug information; 0 if nobody states anything. */
    unsigned int weight;
    bool disagree;
    uint32_t value; /* of the first statement, if there is one */
};

/* Adds a statement.  A function counts once for a fact, however often it states
 * the same.  Returns 0 or -ENOMEM. */
int facts_evidence_add(struct facts_evidence *evidence,
                       const struct facts_statement *statement);

/* Adds a statement for each fact that the file has, none if it has no DWARF.
 * Returns 0, -errno of opening it, or -ENOMEM. */
int facts_read_dwarf(const char *path, struct facts_evidence *evidence);

void facts_evidence_free(struct facts_evidence *evidence);

void facts_evidence_judge(const struct facts_evidence *evidence,
                          enum xenoprof_fact fact,
                          struct facts_verdict *verdict);

/* Sets the facts that two functions, or the debug information, state and nobody
 * contradicts, and all others to absent. */
void facts_evidence_settle(const struct facts_evidence *evidence,
                           struct xenoprof_facts *facts);

/* Appends each value that was stated and its sources to a line, cut to size. */
void facts_evidence_print(const struct facts_evidence *evidence,
                          enum xenoprof_fact fact, char *line, size_t size);

#endif /* XENOPROF_MODULE_FACTS_EVIDENCE_H */
