/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples of one domain in a session, with what their processes ran as
 * addresses: what a guest's own recording may name. */
#ifndef XENOPROF_REPORT_MERGE_MERGE_HOST_H
#define XENOPROF_REPORT_MERGE_MERGE_HOST_H

#include "base/failure.h"
#include "base/names.h"
#include "merge-clock.h"
#include "merge-stacks.h"

#define MERGE_DOMAINS 32768u

struct merge_sample {
    uint64_t time;
    uint32_t pid, tid;
    uint32_t comm;  /* in merge_host.names; 0: not said */
    uint32_t half;  /* ns: of its period */
    uint32_t chain; /* of merge_host.chains: code that has no name; 0: none */
    uint32_t named; /* the same chain as places of merge_guest's; 0: nothing is
                       known */
    uint32_t callers; /* of its leaf, likewise, that were borrowed; 0: none */
    uint16_t domain, vcpu;
    bool runs;     /* it was on a pCPU, and its thread is known */
    bool leaf;     /* a process's code ran, and has no caller */
    bool borrowed; /* callers reach their root */
};

/* Code of a process that has no name. */
struct merge_code {
    struct {
        uint64_t address;
        uint32_t file; /* in merge_host.names, that address is of; 0: none is
                          known, and it is the process's */
        uint32_t zero;
    } key;
};

/* All zeroes but what merge_host_init() sets. */
struct merge_host {
    const char *wanted; /* domain, as a user names it */
    bool of[MERGE_DOMAINS];
    struct {
        VECTOR(struct merge_sample);
    } samples;          /* as they come; merge_host_has() says which they are */
    struct table codes; /* struct merge_code, by number less 1 */
    struct merge_chains chains;  /* of numbers of codes */
    struct names names, domains; /* all that the session has */
    uint32_t places, stacks;     /* numbers up to these are the session's */
    uint64_t position;           /* up to which it was read */
    uint64_t utc, utc_at;        /* ns since 1970 at a time; utc 0: not said */
};

void merge_host_init(struct merge_host *host, const char *wanted);
void merge_host_free(struct merge_host *host);

/* Takes a domain, so that of[] is right for what comes after it. */
void merge_host_domain(struct merge_host *host,
                       const struct xenoprof_item *item);
/* Whether a sample is one of them. */
static inline bool merge_host_has(const struct merge_host *host,
                                  const struct xenoprof_stored *sample)
{
    return sample->domain < MERGE_DOMAINS && host->of[sample->domain];
}

/* Reads a session.  Returns STATUS_DONE, or a failure if it cannot be read, or
 * has no such domain, or no sample of it with a thread. */
enum exit_status merge_host_read(struct merge_host *host, const char *path,
                                 struct failure *failure);

/* Returns when which thread ran; malloc'ed. */
struct clock_moments merge_host_moments(const struct merge_host *host);

#endif
