/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording: the session that is being made, from --start to --stop, and
 * what is left of it afterwards.  recording.h has the events that change it.
 */
#ifndef XENOPROF_DAEMON_RECORDING_STATE_H
#define XENOPROF_DAEMON_RECORDING_STATE_H

#include "control/start-options.h"
#include "drain.h"
#include "follow.h"
#include "daemon/waits/traces.h"

/* ns: samples are no more exact than an interrupt's delay, and each digit of
 * their times is stored as it is. */
#define SESSION_TIME_UNIT 1000u

enum recording_state {
    RECORDING_NONE,
    RECORDING_STARTING, /* kernels are looked for, or Xen samples and no sample
                           came yet */
    RECORDING_RUNNING,
    RECORDING_STOPPING, /* Xen does not sample; samples may wait */
    RECORDING_STOPPED   /* the counters are still here */
};

/* The last time that the frequency was lower than was asked for. */
struct lowered {
    uint64_t since; /* Xen's system time, ns; 0: never */
    uint64_t until; /* the same; 0: it still is */
    uint32_t by;    /* enum xenoprof_lowered: all reasons since then */
};

/* How far a stop was when it was last seen to come forth. */
struct stop_progress {
    uint64_t samples; /* that waited, */
    uint64_t step;    /* as many fewer of which are progress */
    uint64_t worked;  /* guests_stop_work() */
    uint64_t end;     /* our clock: it waits no longer, whatever happens */
};

struct recording {
    const struct xen *xen;
    struct xenoprof_handle *handle;
    enum recording_state state;

    struct start_options options;
    char *options_text; /* malloc'ed */
    char by[128];       /* the user who asked for it */
    uint64_t since;     /* ns since 1970 */
    uint64_t until;     /* the same; 0: it is not stopped */

    struct xenoprof_source *source;
    struct xenoprof_writer *writer;
    struct drain drain;
    struct followed_domains follow;
    struct domain_names names;
    struct places places;
    struct traces traces;  /* of --trace */
    struct guests *guests; /* NULL: guests' code has no names */
    bool places_ready;
    char places_syms[PATH_MAX]; /* the --xen-syms that places is of */

    struct xenoprof_status_page status;        /* as last seen */
    uint32_t stored_frequency, stored_sampler; /* in the attributes */
    uint64_t paces; /* changes of the frequency that were followed */
    struct lowered lowered;
    uint64_t expired;        /* samples that --max-size or --max-age dropped */
    unsigned int ring_pages; /* of each ring */
    unsigned int unfound; /* kernels that were not found before Xen sampled */
    bool stored_stop;
    bool cannot_store; /* the disk is full, or worse */

    struct xenoprof_cost cost; /* as last stored */
    uint64_t time; /* Xen's, the last that is known; STOPPING, of the end */
    struct idle_times idle; /* of pCPUs, as last read */
    bool idle_is_due;       /* STOPPING: it is to be stored */
    uint64_t next_block, next_look, next_work; /* monotonic ns */
    uint64_t next_list, next_utc;              /* the same */
    uint64_t deadline;  /* STARTING: give up; RUNNING: end of --duration, or 0;
                          STOPPING: what waits is stored */
    uint64_t seek_end;  /* STARTING: Xen samples from then on, or when guests'
                           kernels are found; 0: it does */
    uint64_t next_seek; /* the same: when more are looked for */
    struct stop_progress stop_progress; /* STOPPING: moves the deadline */
    uint64_t commit_deadline; /* STOPPING: no more samples reach their rings */
    uint64_t
        stop_end; /* STOPPING: the last round waits for answers until then */
    char trouble[512];  /* what is wrong with it; "": nothing */
    char warning[1600]; /* what the user should know about it */
};

#endif
