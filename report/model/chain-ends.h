/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the call chains of a domain ended: what a user needs to know how true
 * they are. */
#ifndef XENOPROF_REPORT_MODEL_CHAIN_ENDS_H
#define XENOPROF_REPORT_MODEL_CHAIN_ENDS_H

#include "loaded.h"

struct chain_ends {
    uint64_t samples; /* of the domain, in that mode */
    uint64_t ended[XENOPROF_ENDS];
};

/* Xen and kernel: whose chains are walked. */
#define CHAIN_MODES 2u
extern const enum xenoprof_mode chain_modes[CHAIN_MODES];

/* Of which modes chains were recorded: some have callers, or say why not. */
void chain_ends_recorded(const struct loaded *loaded, bool ret[CHAIN_MODES]);

/* domain is an index into loaded.domains. */
struct chain_ends chain_ends_count(const struct loaded *loaded, uint32_t domain,
                                   enum xenoprof_mode mode);

/* The ends that there are, from the most frequent on, but whole chains first;
 * returns how many. */
unsigned int chain_ends_sort(const struct chain_ends *ends,
                             enum xenoprof_ended order[XENOPROF_ENDS]);

#endif
