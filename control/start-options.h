/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session is started with.  One table serves the options of xenopctl
 * --start, the request to the daemon, and the text that the session keeps.
 */
#ifndef XENOPROF_CONTROL_START_OPTIONS_H
#define XENOPROF_CONTROL_START_OPTIONS_H

#include <limits.h>

#include "asked-domains.h"
#include "base/failure.h"
#include "domain-pairs.h"
#include "guest-roots.h"
#include "number-set.h"
#include "option-value.h"

#define FREQUENCY_DEFAULT   97u
#define FREQUENCY_UNFORCED  1000u
#define LEASE_DEFAULT       30u
#define BUDGET_DEFAULT      25u /* percent: as much as perf allows itself */
#define MAX_SIZE_MIN        8u
#define MAX_SIZE_MAX        (16u << 20) /* MiB */
#define MAX_AGE_MIN         60u         /* seconds */
#define SPOOL_DEFAULT       64u         /* MiB */
#define SPOOL_MAX           1024u       /* MiB */
#define DURATION_MAX        (366u * 24 * 3600)
#define SESSION_DIR_DEFAULT "/var/lib/xenoprof/sessions"

/* Which stacks a session records: bits of start_options.stacks. */
enum stack_choice {
    STACKS_NONE = 0,
    STACKS_XEN = 1u << 0,    /* the hypervisor's own */
    STACKS_KERNEL = 1u << 1, /* of guests' kernels */
    STACKS_USER = 1u << 2,   /* of dom0's and active domains' processes */
    STACKS_UNSAID = 1u << 3, /* user and below as well if there are active
                                 domains */
    STACKS_BELOW = 1u << 4   /* of the process that a kernel works for */
};

/* Guards that are lifted: bits of start_options.force.  Each has its own word,
 * so that who lifts one keeps the others. */
enum force_choice {
    FORCE_NONE = 0,
    FORCE_FREQUENCY = 1u << 0, /* more than FREQUENCY_UNFORCED */
    FORCE_READERS = 1u << 1,   /* events beside guests that read counters */
    FORCE_PERIODS = 1u << 2,   /* fewer events from sample to sample */
    FORCE_NMIS = 1u << 3 /* NMIs where one that is nobody's stops the host */
};

/* What is read of Xen's trace buffers: bits of start_options.trace. */
enum trace_choice {
    TRACE_CHOICE_NONE = 0,
    TRACE_CHOICE_RUNSTATES = 1u << 0, /* how long each wait for a pCPU was */
    TRACE_CHOICE_EXITS = 1u << 1      /* why guests left the processor */
};

#define STACKS_DEFAULT (STACKS_XEN | STACKS_KERNEL | STACKS_UNSAID)

struct start_options {
    struct asked_domains domains;
    struct number_set pcpus; /* empty: not given */
    char cpupool[64];        /* name or number; "": not given */
    unsigned int sampler;    /* enum xenoprof_sampler; 0: the module chooses */
    unsigned int frequency;
    unsigned int force;       /* enum force_choice */
    unsigned int no_agent;    /* 1: given */
    char push[1024];          /* where windows are sent; "": nowhere */
    unsigned int stacks;      /* enum stack_choice */
    unsigned int trace;       /* enum trace_choice */
    unsigned int waiting;     /* 1: vCPUs that wait are sampled, too */
    unsigned int ring_size;   /* KiB; 0: by frequency */
    unsigned int duration;    /* seconds; 0: until stopped */
    unsigned int max_size;    /* MiB; 0: none */
    unsigned int user_window; /* KiB of a process's stack in a sample */
    unsigned int max_age;     /* seconds; 0: none */
    unsigned int keep;        /* days; 0: not given */
    unsigned int spool;       /* MiB of samples that wait; 0: none can */
    unsigned int budget;      /* percent of a pCPU; 0: never slow down */
    unsigned int lease;       /* seconds; 0: none */
    char session_dir[PATH_MAX];
    char xen_syms[PATH_MAX];     /* "": /proc/xen/xensyms */
    struct domain_pairs kernels; /* files of guests' */
    struct domain_pairs roots;   /* guest-roots.h */
    struct root_folders folders; /* of roots; none: nobody opened them */
    struct domain_pairs labels;  /* label-choices.h */
    struct domain_pairs events;  /* event-sets.h; none: by time */
};

/* At most so many options. */
#define START_OPTIONS_MAX 32u

/* Returns the help of option number index, or NULL behind the last one. */
const struct option_help *start_options_help(size_t index);
/* Returns false if commands other than --start use the option too. */
bool start_options_need_start(size_t index);
/* Returns whether the option's value is a path, which must begin with '/'. */
bool start_options_take_path(size_t index);

void start_options_init(struct start_options *options);
void start_options_free(struct start_options *options);

/* Sets one option by its long name; the value of an option that takes none is
 * "1".  Returns 0, STATUS_USAGE or STATUS_RANGE. */
int start_options_set(struct start_options *options, const char *name,
                      const char *value, struct failure *failure);

/* Sets every KEY=VALUE of a request; "by" is not an option but the asker.
 * Returns 0, STATUS_USAGE or STATUS_RANGE. */
int start_options_parse(struct start_options *options, const char *line,
                        struct failure *failure);

/* Checks what depends on more than one option.  Returns 0, STATUS_USAGE or
 * STATUS_RANGE. */
int start_options_check(const struct start_options *options,
                        struct failure *failure);

/* Returns how old samples may become, in seconds; 0: as old as they are. */
unsigned int start_options_max_age(const struct start_options *options);

/*
 * Returns the options as fields of a line (protocol.h), in a fixed order and
 * spelling and without defaults, or NULL if there is no memory.  Two sessions
 * have the same options if the texts are equal.  The caller frees the text.
 */
char *start_options_text(const struct start_options *options);

/* Returns the parts of a sample (enum xenoprof_part) to ask for: those that
 * hold the chosen stacks, and those that each session has. */
uint32_t start_options_parts(const struct start_options *options);

/* Returns the pages of each of so many rings: as asked, or what holds such
 * samples of four seconds, less where all rings together would leave too little
 * of so many bytes for domains that come later. */
unsigned int start_options_ring_pages(const struct start_options *options,
                                      size_t rings, uint64_t room);

/* Returns how many bytes of a guest kernel's stack a sample may carry in rings
 * of so many pages: two records always fit into a ring. */
unsigned int start_options_window(const struct start_options *options,
                                  unsigned int pages);
/* The same of a process's, as asked for or less; 0 if they are not asked
 * for. */
unsigned int start_options_user_window(const struct start_options *options,
                                       unsigned int pages);

#endif
