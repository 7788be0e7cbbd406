/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session is started with: the options of xenopctl --start, the
 * request to the daemon, and what the session keeps, in one table.
 */
#ifndef XENOPROF_CONTROL_START_OPTIONS_H
#define XENOPROF_CONTROL_START_OPTIONS_H

#include <limits.h>

#include "asked-domains.h"
#include "base/failure.h"
#include "kernel-files.h"
#include "number-set.h"
#include "stack-choice.h"

#define FREQUENCY_DEFAULT   97u
#define FREQUENCY_UNFORCED  1000u
#define LEASE_DEFAULT       10u
#define BUDGET_DEFAULT      25u /* percent: as much as perf allows itself */
#define DURATION_MAX        (366u * 24 * 3600)
#define SESSION_DIR_DEFAULT "/var/lib/xenoprof/sessions"

struct start_options {
    struct asked_domains domains;
    struct number_set pcpus; /* empty: not given */
    char cpupool[64];        /* name or number; "": not given */
    unsigned int sampler;    /* enum xenoprof_sampler; 0: the module chooses */
    unsigned int frequency;
    bool force;
    unsigned int stacks;     /* enum stack_choice */
    unsigned int ring_pages; /* 0: by frequency */
    unsigned int duration;   /* seconds; 0: until stopped */
    unsigned int budget;     /* percent of a pCPU; 0: never slow down */
    unsigned int lease;      /* seconds; 0: none */
    char session_dir[PATH_MAX];
    char xen_syms[PATH_MAX];     /* "": /proc/xen/xensyms */
    struct kernel_files kernels; /* of guests */
};

void start_options_init(struct start_options *options);
void start_options_free(struct start_options *options);

/* One option by its long name without dashes.  0, or a status with its
 * sentence. */
int start_options_set(struct start_options *options, const char *key,
                      const char *value, struct failure *failure);

/* All KEY=VALUE of a request line; "by" is not an option, but who asks. */
int start_options_parse(struct start_options *options, const char *line,
                        struct failure *failure);

/* What cannot be said of one option alone: 0, or a status and a sentence. */
int start_options_check(const struct start_options *options,
                        struct failure *failure);

/*
 * The options as fields of a line (protocol.h), always in the same order and
 * spelling, defaults left out: two sessions have the same options if the
 * texts are equal.  malloc'ed; NULL if there is no memory.
 */
char *start_options_text(const struct start_options *options);

/* Pages of each of so many rings: as asked, or what holds a second of such
 * samples, less where all of them would be too large. */
unsigned int start_options_ring_pages(const struct start_options *options,
                                      size_t rings);

/* Bytes of a guest kernel's stack that a sample may carry: what is usual, less
 * where rings are small; two records fit into a ring. */
unsigned int start_options_window(unsigned int pages);

#endif
