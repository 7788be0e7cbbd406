/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Domains of which a report shows no stack, since it sums up what has less than
 * a limit of all pCPUs' time.  On a large host most are such.  Their stacks are
 * pruned while a session is read (pruned-stacks.h), all others whole.
 *
 * Which domains these are is known at the end only.  Whenever a file begins it
 * is judged by what was read so far; at the end it is looked at whether one has
 * pruned stacks and reaches the limit.  Then the session is read once more, now
 * with what is known, so what is shown is the same in any case.
 */
#ifndef XENOPROF_REPORT_CELLS_PRUNED_DOMAINS_H
#define XENOPROF_REPORT_CELLS_PRUNED_DOMAINS_H

#include "pruned-stacks.h"

#define PRUNED_DOMAIN_NUMBERS 65536u

/* Domains that reach the limit, once they are known. */
struct shown_domains {
    VECTOR(struct domain_key);
};

/* What a report wants of this. */
struct pruned_domains_wanted {
    const struct prune_rules *rules;   /* what is asked of their stacks; NULL:
                                        all domains have whole stacks */
    double limit;                      /* percent of all pCPUs' time */
    const struct shown_domains *shown; /* NULL: not known yet */
    size_t from; /* nodes of whole stacks up to which none is pruned; 0: as many
                    as is usual */
};

struct pruned_domains {
    const struct pruned_domains_wanted *wanted;
    bool *now;     /* by number, of the file that is read */
    bool any;      /* of these */
    bool all;      /* of those that a domain has now; others are, too */
    uint32_t file; /* the session's number of it and 1; 0: none yet */
    struct {
        VECTOR(uint64_t);
    } seen;           /* samples so far, some of them, by index of domain */
    uint64_t samples; /* all of these */
};

/* Freed in any case. */
void pruned_domains_init(struct pruned_domains *domains,
                         const struct pruned_domains_wanted *wanted);
void pruned_domains_free(struct pruned_domains *domains);

/* Counts samples of a domain, an index. */
void pruned_domains_saw(struct pruned_domains *domains, uint32_t domain,
                        uint64_t count);

/* Judges the domains that have numbers now (index + 1 each), if that was not
 * done for this file yet. */
void pruned_domains_begin(struct pruned_domains *domains,
                          const struct loaded *loaded, const uint32_t *numbers,
                          uint32_t file);

/* Whether what is of this number's domain is to be pruned. */
static inline bool pruned_domains_has(const struct pruned_domains *domains,
                                      uint32_t number)
{
    return domains->any && domains->now[number];
}

/* Once all have their time: sets *again if a domain has pruned stacks and is
 * shown.  *ret are all that are, then. */
void pruned_domains_check(const struct loaded *loaded, double limit,
                          struct shown_domains *ret, bool *again);

#endif
