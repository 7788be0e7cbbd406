/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's core on the process port: a fake host with two pCPUs, dom0 and
 * domain 5 at work, and a session directory of its own.
 */
#ifndef XENOPROF_TESTS_UNIT_DAEMON_RECORDING_KIT_H
#define XENOPROF_TESTS_UNIT_DAEMON_RECORDING_KIT_H

#include "daemon/recording.h"
#include "tests/host/host.h"
#include "tests/harness.h"

#define MILLISECONDS 1000000ul

struct recording_kit {
    struct xen xen;
    struct xenoprof_handle *handle;
    struct recording recording;
    struct failure failure;
    unsigned int pcpus;
    struct listed_domain domains[32]; /* what Xen would list */
    size_t domain_count;
    uint64_t dom0_ran;         /* 0: not known */
    const char *more_symbols;  /* dom0's, since it began; or NULL */
    unsigned int symbol_reads; /* dom0's */
    const char *payloads;      /* beside the module; NULL: none */
    unsigned int blocks_busy;  /* so many blocks take 50 ms of Xen's time */
    char dir[TEST_FOLDER_MAX];
};

/* A fresh host and an empty session directory; nothing is started. */
void kit_begin(struct recording_kit *kit);
/* The same with so many pCPUs, of which the others are idle. */
void kit_begin_on(struct recording_kit *kit, unsigned int pcpus);
/* Removes everything, directory included. */
void kit_end(struct recording_kit *kit);

/* Starts with these fields of a line (" frequency=100").  Returns the
 * status. */
int kit_start(struct recording_kit *kit, const char *options);
/* Starts, and runs until samples flow. */
void kit_run(struct recording_kit *kit, const char *options);
/* Of how many domains Xen knew how their stacks may be linked when it was
 * started last. */
unsigned int kit_links_at_start(void);
/* Stops as the daemon does, round by round.  Returns the status. */
int kit_finish(struct recording_kit *kit);
/* Lets time pass, and the daemon make its rounds. */
void kit_pass(struct recording_kit *kit, uint64_t ns);
/* The daemon dies as by kill -9, and another one begins. */
void kit_kill(struct recording_kit *kit);

/* From now on the kernel of domain 5 is being looked for, and it is always in
 * it: its samples wait until kit_search_ends().  Xen takes its stacks.
 * recording: the kit's, or a copy of it that was started. */
void kit_search_begins(struct recording *recording);
void kit_search_ends(struct recording *recording);

/* What is in a session on disk. */
struct kit_content {
    /* samples: of time. */
    uint64_t samples, made, read, lost, expired;
    uint64_t counted; /* made, as Xen's own counters have it */
    bool closed;
    uint64_t last_time;
    unsigned int domains;
    uint64_t ends[XENOPROF_ENDS]; /* of domain 5's chains */
    char symbol[64];              /* of the last place that has one */
};
void kit_read_session(const struct recording_kit *kit, const char *name,
                      struct kit_content *ret);
/* The accounts of all rings together. */
struct account_totals kit_totals(const struct recording_kit *kit);
/* made = read + lost, in memory and on disk; both the same. */
void kit_check_totals(const struct recording_kit *kit);

#endif
