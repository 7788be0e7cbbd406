/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One session from --start to --stop, and what is left of it afterwards.
 *
 * Functions that return int give 0, or an exit status with a sentence.
 */
#ifndef XENOPROF_DAEMON_RECORDING_H
#define XENOPROF_DAEMON_RECORDING_H

#include "base/clock.h"
#include "drain.h"
#include "follow.h"
#include "control/start-options.h"

enum recording_state {
    RECORDING_NONE,
    RECORDING_STARTING, /* samples were asked for, none came yet */
    RECORDING_RUNNING,
    RECORDING_STOPPED /* counters are still here */
};

struct recording {
    const struct xen *xen;
    struct xenoprof_handle *handle;
    enum recording_state state;

    struct start_options options;
    char *options_text; /* malloc'ed */
    char by[128];       /* who asked for it */
    uint64_t since;     /* ns since 1970 */
    uint64_t until;     /* the same; 0: it goes on */

    struct xenoprof_source *source;
    struct xenoprof_writer *writer;
    struct drain drain;
    struct followed_domains follow;
    struct domain_names names;
    struct places places;
    struct guests *guests; /* NULL: they have addresses only */
    bool places_ready;
    char places_syms[PATH_MAX]; /* --xen-syms that places was opened with */

    struct xenoprof_status_page status;    /* as last seen */
    uint32_t told_frequency, told_sampler; /* in the session's info */
    bool told_stop;
    bool cannot_store; /* the disk is full, or worse */

    uint64_t time; /* Xen's, when it was last known */
    uint64_t next_block, next_look, next_list, next_utc; /* monotonic ns */
    uint64_t deadline;  /* of STARTING: give up; of RUNNING: --duration; or 0 */
    char trouble[512];  /* why it is not as it should be; "": nothing */
    char warning[1024]; /* what the user should know of this session */
};

/* handle and xen outlive it. */
void recording_init(struct recording *recording, const struct xen *xen,
                    struct xenoprof_handle *handle);
void recording_free(struct recording *recording);

/*
 * Begin: reserve, create the session, sample.  Takes options over (what is
 * left in them may be freed as ever).  Afterwards the state is STARTING;
 * recording_poll() brings it to RUNNING, or says why not.  A failure leaves
 * Xen and the sessions on disk as they were.
 */
int recording_start(struct recording *recording, struct start_options *options,
                    const char *by, struct failure *failure);

/*
 * The daemon before us died: go on with its session if the module still has
 * it and `current` in session_dir is its.  True if so; then the state is
 * RUNNING.
 */
bool recording_adopt(struct recording *recording, const char *session_dir);

/* Work that is due, while STARTING or RUNNING.  A failure ended the session
 * (STARTING) or is in trouble (RUNNING). */
int recording_poll(struct recording *recording, struct failure *failure);

/* There is more to do at once: a round of a search takes its time, and the next
 * one should follow. */
bool recording_has_work(const struct recording *recording);

/* The list of domains changed, or may have. */
void recording_look_at_domains(struct recording *recording);

/* Stop, drain, close; the state is STOPPED, also if something failed. */
int recording_stop(struct recording *recording, struct failure *failure);

/* Write what is there; on return it is on disk. */
int recording_dump(struct recording *recording, struct failure *failure);

/* A copy of the session under name. */
int recording_save(struct recording *recording, const char *name,
                   struct failure *failure);

/* Drop data and counters; a session that runs begins anew. */
int recording_reset(struct recording *recording, struct failure *failure);

/* For recording-*.c only ------------------------------------------------- */

/* A start that brought no sample: Xen and the disk as they were. */
void recording_abandon_start(struct recording *recording);
/* Everything but the module's and the disk's part is let go. */
void recording_let_go(struct recording *recording);
/* Xen's time now; the last that was known if the module is gone. */
uint64_t recording_time(struct recording *recording);
/* Facts that stand for the whole session, and those that change. */
enum xenoprof_status recording_put_attributes(struct recording *recording);
enum xenoprof_status recording_put_changes(struct recording *recording);
/* Which other livepatches there are, if that has changed. */
enum xenoprof_status recording_put_payloads(struct recording *recording);
/* What the drain needs; after places.  False: no memory. */
bool recording_open_drain(struct recording *recording);
/* Read until kernels that are being looked for are found, or it takes too
 * long; what may not wait for them is read. */
enum xenoprof_status recording_finish_search(struct recording *recording);
/* The pair of clocks, now. */
enum xenoprof_status recording_put_utc(struct recording *recording);
/* Read rings and write whole blocks as needed; now: all that is there when it
 * is called, at least. */
enum xenoprof_status recording_work(struct recording *recording, bool now);
/* Sampling must end since nothing can be stored; says so in trouble. */
void recording_cannot_store(struct recording *recording,
                            enum xenoprof_status code);
/* A sentence for a code of the library. */
int recording_fail(struct recording *recording, enum xenoprof_status code,
                   struct failure *failure);
/* A refusal by the module, in its own words. */
int recording_refused(const struct xen *xen, const char *what, int code,
                      struct failure *failure);

#endif
