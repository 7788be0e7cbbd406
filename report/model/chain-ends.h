/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the call chains of a domain ended: what a user needs to know how true
 * they are. */
#ifndef XENOPROF_REPORT_MODEL_CHAIN_ENDS_H
#define XENOPROF_REPORT_MODEL_CHAIN_ENDS_H

#include "loaded.h"

/* Whose chains are walked.  Those of processes are where somebody knows their
 * code: samples in others have no chain, and are not counted.  A sample below
 * whose kernel somebody looked for the process counts as two: as a whole chain
 * of its own mode, and as a process's. */
extern const enum xenoprof_mode chain_modes[CHAIN_MODES];

/* Of which modes chains were recorded: some have callers, or say why not. */
void chain_ends_recorded(const struct loaded *loaded, bool ret[CHAIN_MODES]);

/* Counts the ends of each domain's chains, once, when all samples are there. */
void chain_ends_count(struct loaded *loaded);

/* How many chains were recorded, and how many of these reached their root. */
struct chain_sums {
    uint64_t whole, all;
};

struct chain_sums chain_ends_sum(const struct loaded *loaded);

/* Returns what can be done about a domain's chains that ended so, or NULL.  An
 * agent that ran there need not be started: *ran says so. */
const char *chain_ends_remedy(const struct loaded_domain *domain,
                              const struct chain_ends *ends,
                              enum xenoprof_ended ended, bool *ran);

/* The ends that there are, from the most frequent on, but whole chains first;
 * returns how many. */
unsigned int chain_ends_sort(const struct chain_ends *ends,
                             enum xenoprof_ended order[XENOPROF_ENDS]);

#endif
