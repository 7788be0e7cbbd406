/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start of a recording: options are checked while nothing is changed yet,
 * then each step that touches the module or the disk can be undone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/scope.h"
#include "control/event-requests.h"
#include "control/guest-roots.h"
#include "control/lacks.h"
#include "control/session-folders.h"
#include "disk.h"
#include "recording.h"
#include "recording-attributes.h"
#include "recording-work.h"

#define SECOND   1000000000ull
#define PATIENCE (3 * SECOND) /* ns until the first sample must be there */

/* While guests' kernels are looked for before Xen samples: ns between two looks
 * for more of them, and ns of work at once. */
#define SEEK_EVERY (SECOND / 4)
#define SEEK_WORK  (SECOND / 20)

/* What a failure of a later step must give back. */
struct attempt {
    struct recording *recording;
    const struct xen *xen;
    struct start_options *options;
    size_t rings; /* of the session, at its start */
    uint32_t pcpus;
    bool reserved;
    bool created;
};

static int check_free(const struct xen *xen, uint32_t *pcpus,
                      struct failure *failure)
{
    struct xenoprof_door_state state;
    int code = door_client_state(&xen->door, &state);

    if ( code == -EPROTO )
        return fail(failure, STATUS_REFUSED,
                    "the module that is loaded is of another version; "
                    "xenopctl --deinit unloads it");
    if ( code )
        return recording_refused(xen, "to show its state", code, failure);
    *pcpus = state.pcpus;
    if ( state.state == XENOPROF_STATE_RUNNING )
        return fail(failure, STATUS_BUSY,
                    "another program samples through the module already; "
                    "xenopctl --stop ends that");
    return 0;
}

static int choose_pcpus(struct attempt *attempt, uint32_t limit,
                        struct failure *failure)
{
    struct start_options *options = attempt->options;
    const struct xen *xen = attempt->xen;
    int code;

    if ( options->cpupool[0] )
    {
        code = xen->calls->pool_pcpus(xen->self, options->cpupool,
                                      &options->pcpus);
        if ( code )
            return fail(failure, STATUS_RANGE,
                        "--cpupool=%s cannot be used: %s; xl cpupool-list "
                        "shows those that exist",
                        options->cpupool,
                        code == -ENOENT ? "there is no such pool"
                                        : strerror(-code));
    }
    for ( unsigned int i = limit; i < NUMBER_SET_MAX; i++ )
        if ( number_set_has(&options->pcpus, i) )
            return fail(failure, STATUS_RANGE,
                        "--pcpus names pCPU %u; this host has 0 to %u", i,
                        limit - 1);
    return 0;
}

/* What all rings together may take. */
static uint64_t room_for_rings(const struct attempt *attempt)
{
    const struct xen *xen = attempt->xen;
    uint64_t most = xenoprof_ring_ceiling(attempt->pcpus);
    uint64_t left = xen->calls->memory_free(xen->self);

    left = left > XENOPROF_MEMORY_FLOOR ? left - XENOPROF_MEMORY_FLOOR : 0;
    return left < most ? left : most;
}

static int reserve_rings(struct attempt *attempt, struct failure *failure)
{
    const struct start_options *options = attempt->options;
    const struct door_client *door = &attempt->xen->door;
    unsigned int pages = start_options_ring_pages(options, attempt->rings,
                                                  room_for_rings(attempt));
    char pcpus[XENOPROF_COMMAND_MAX];
    int code;

    code = door_client_command(
        door,
        "reserve sampler=%s frequency=%u mask=%u pages=%u "
        "queue=0 lease=%u budget=%u window=%u user-window=%u%s%s%s",
        xenoprof_sampler_name(options->events.count ? XENOPROF_SAMPLER_PMU
                                                    : options->sampler),
        options->frequency, start_options_parts(options), pages, options->lease,
        options->budget * 10, start_options_window(options, pages),
        start_options_user_window(options, pages),
        options->sampler == XENOPROF_SAMPLER_NMI ? " insist=1" : "",
        options->force & FORCE_NMIS ? " fatal=1" : "",
        options->waiting ? " waiting=1" : "");
    if ( code )
        return recording_refused(attempt->xen, "the session", code, failure);
    attempt->reserved = true;
    attempt->recording->ring_pages = pages;
    if ( number_set_empty(&options->pcpus) )
        return 0;
    if ( !number_set_format(&options->pcpus, pcpus, sizeof(pcpus)) )
        return fail(failure, STATUS_RANGE, "--pcpus is too long a list");
    code = door_client_command(door, "pcpus set=%s", pcpus);
    return code ? recording_refused(attempt->xen, "the pCPUs", code, failure)
                : 0;
}

static int open_reserved_rings(struct attempt *attempt, struct failure *failure)
{
    struct recording *recording = attempt->recording;
    const struct xen *xen = attempt->xen;
    struct xenoprof_door_state state;
    enum xenoprof_status code;

    if ( door_client_state(&xen->door, &state) )
        return recording_refused(xen, "to show its state", -EIO, failure);
    code = xen->calls->open_source(xen->self, recording->handle,
                                   state.status_mfn, &recording->source);
    if ( !code )
        code = xenoprof_source_status(recording->source, &recording->status);
    return code ? recording_fail(recording, code, failure) : 0;
}

static int profile_domains(struct attempt *attempt,
                           const struct domain_list *domains,
                           struct failure *failure)
{
    struct recording *recording = attempt->recording;

    domain_names_learn(&recording->names, domains, &attempt->options->domains);
    if ( follow_update(&recording->follow, &attempt->xen->door, domains,
                       attempt->options) )
        return fail(failure, STATUS_REFUSED, "the module refused a domain: %s",
                    recording->follow.refusal);
    return 0;
}

static int create_session(struct attempt *attempt, struct failure *failure)
{
    struct recording *recording = attempt->recording;
    const char *dir = attempt->options->session_dir;
    char *folder SCOPE_FREE = NULL;
    enum xenoprof_status code;

    if ( session_delete(dir, SESSION_STARTING, failure) )
        return failure->status;
    if ( asprintf(&folder, "%s/%s", dir, SESSION_STARTING) < 0 )
    {
        folder = NULL;
        return fail_memory(failure);
    }
    code = xenoprof_writer_create(recording->handle, folder,
                                  &recording->writer);
    if ( code )
        return recording_fail(recording, code, failure);
    attempt->created = true;
    code = event_requests_declare(attempt->options, recording->writer);
    if ( code )
        return recording_fail(recording, code, failure);
    xenoprof_writer_time_unit(recording->writer, SESSION_TIME_UNIT);
    recording_limit(recording->writer, attempt->options);
    places_reset(&recording->places);
    return recording_open_drain(recording)
               ? 0
               : recording_fail(recording, XENOPROF_NO_MEMORY, failure);
}

static int begin_traces(struct recording *recording, struct failure *failure)
{
    if ( traces_begin(&recording->traces, recording->xen, &recording->options,
                      false, failure) )
        return failure->status;
    if ( recording->options.trace )
        traces_record(&recording->traces, recording->writer, &recording->names);
    return 0;
}

static int begin_sampling(const struct recording *recording,
                          struct failure *failure)
{
    const struct xen *xen = recording->xen;
    int code = door_client_command(&xen->door, "start");

    return code ? recording_refused(xen, "to sample", code, failure) : 0;
}

/* Before the first sample: a daemon that finds the module sampling can go on
 * with what an earlier one began. */
static int store_identity(struct recording *recording, struct failure *failure)
{
    enum xenoprof_status code = recording_put_identity(recording);

    if ( !code )
        code = xenoprof_writer_flush(recording->writer);
    return code ? recording_fail(recording, code, failure) : 0;
}

/* It is due at once, but the first samples may wait: their guests' kernels are
 * not known yet. */
static int first_block(struct recording *recording, struct failure *failure)
{
    enum xenoprof_status code = recording_put_attributes(recording);

    recording->next_block = 0;
    if ( !code )
        code = recording_work(recording, false);
    return code ? recording_fail(recording, code, failure) : 0;
}

static int open_places(struct recording *recording, const char *xen_syms,
                       struct failure *failure)
{
    int status;

    if ( recording->places_ready &&
         strcmp(recording->places_syms, xen_syms) == 0 )
        return 0;
    if ( recording->places_ready )
        places_close(&recording->places);
    recording->places_ready = false;
    status = places_open(&recording->places, recording->xen, recording->handle,
                         xen_syms, failure);
    strcpy(recording->places_syms, xen_syms);
    recording->places_ready = status == 0;
    return status;
}

static int look_up_domains(struct attempt *attempt, struct domain_list *domains,
                           struct failure *failure)
{
    const struct xen *xen = attempt->xen;
    struct start_options *options = attempt->options;
    int code = xen->calls->list_domains(xen->self, domains);

    if ( code )
        return fail(failure, STATUS_FAILED, "Xen does not list its domains: %s",
                    strerror(-code));
    if ( asked_domains_resolve(&options->domains, domains, failure) )
        return failure->status;
    return guest_roots_check_domains(&options->roots, &options->domains,
                                     domains, failure);
}

/* Returns why the timer was chosen, if the module chose it, or "". */
static const char *why_timer(const struct recording *recording,
                             const struct xen *xen)
{
    struct xenoprof_door_state state = {0};

    if ( recording->status.sampler != XENOPROF_SAMPLER_TIMER ||
         recording->options.sampler == XENOPROF_SAMPLER_TIMER )
        return "";
    if ( door_client_state(&xen->door, &state) )
        state = (struct xenoprof_door_state){0};
    if ( state.together > 1 )
        return "the timer is the sampler, since Xen schedules several pCPUs as "
               "one (sched-gran), which NMIs would stall: Xen's own time has "
               "no addresses. ";
    if ( state.lacks & XENOPROF_LACK_EXITS )
        return "the timer is the sampler, since where this Xen leaves AMD's "
               "guests is not known, and NMIs would take them for Xen: Xen's "
               "own time has no addresses; please report this build. ";
    if ( state.lacks & XENOPROF_LACK_SAFE_NMIS )
        return "the timer is the sampler, since an NMI that nobody claims "
               "stops this host, or may (nmi=fatal): Xen's own time has no "
               "addresses; --force=nmis allows NMIs. ";
    return "the timer is the sampler, since Xen's NMI callback is taken or its "
           "watchdog runs: Xen's own time has no addresses; --sampler=nmi "
           "insists. ";
}

/* Writes what each pCPU gets, if that is less than was asked for, and why. */
static void why_slower(const struct recording *recording, char *text,
                       size_t size)
{
    uint32_t all = xenoprof_host_rate(recording->status.mask);
    uint32_t pcpus = recording->status.pcpus;
    uint32_t each = pcpus ? all / pcpus : all;

    text[0] = '\0';
    if ( each < recording->options.frequency )
        snprintf(text, size,
                 "each of %u pCPUs is sampled %u times a second, not %u: all "
                 "of them together are at most %u times; --pcpus chooses "
                 "fewer. ",
                 (unsigned int)pcpus, (unsigned int)each,
                 recording->options.frequency, (unsigned int)all);
}

/* Says so if rings are too small for the stacks of processes that were asked
 * for. */
static void why_shorter(const struct recording *recording, char *text,
                        size_t size)
{
    const struct start_options *options = &recording->options;
    unsigned int bytes = start_options_user_window(options,
                                                   recording->ring_pages);

    *text = '\0';
    if ( bytes && bytes < options->user_window * 1024 )
        snprintf(text, size,
                 "samples have %u bytes of a process's stack, and not %u KiB, "
                 "which is all that a ring has room for; a larger --ring-size "
                 "has more. ",
                 bytes, options->user_window);
}

/* Of what the module lacks, what was asked for of these domains. */
static uint32_t lacks_of(const struct recording *recording,
                         const struct domain_list *domains)
{
    const struct start_options *options = &recording->options;
    struct xenoprof_door_state state;
    uint32_t asked = XENOPROF_LACK_WAITS | XENOPROF_LACK_REASONS |
                     XENOPROF_LACK_ENTRIES;

    if ( door_client_state(&recording->xen->door, &state) )
        return 0;
    if ( options->waiting )
        asked |= XENOPROF_LACK_WAITING;
    if ( options->stacks & STACKS_XEN )
        asked |= XENOPROF_LACK_XEN_STACKS;
    for ( size_t i = 0; i < domains->count; i++ )
        if ( options->stacks & STACKS_KERNEL &&
             asked_domains_match(&options->domains, &domains->items[i]) !=
                 ROLE_OTHER )
            asked |= domains->items[i].hardware ? XENOPROF_LACK_HVM_STACKS
                                                : XENOPROF_LACK_PV_STACKS;
    return state.lacks & asked;
}

/* Says so if kernels are still looked for. */
static void why_later(const struct recording *recording, char *text,
                      size_t size)
{
    *text = '\0';
    if ( recording->unfound )
        snprintf(
            text, size,
            "sampling began after %llu s, while the kernels of domains are "
            "still looked for (%u): their samples wait for names. ",
            RECORDING_SEEK_PATIENCE / SECOND, recording->unfound);
}

/* Warns of what this session will not show. */
static void warn(struct recording *recording, const struct domain_list *domains)
{
    bool timer = recording->status.sampler == XENOPROF_SAMPLER_TIMER;
    char lacks[LACKS_TEXT_MAX], slower[200], shorter[200], later[160];

    lacks_text(lacks_of(recording, domains), lacks, sizeof(lacks));
    why_slower(recording, slower, sizeof(slower));
    why_shorter(recording, shorter, sizeof(shorter));
    why_later(recording, later, sizeof(later));
    snprintf(recording->warning, sizeof(recording->warning), "%s%s%s%s%s%s%s",
             why_timer(recording, recording->xen), slower, shorter, lacks,
             later,
             recording->status.pcpus == 1 && !timer
                 ? "one pCPU samples itself: guests are exact, Xen's own time "
                   "has no addresses. "
                 : "",
             recording->places.xen_symbols
                 ? ""
                 : "Xen's functions have no names: "
                   "/proc/xen/xensyms cannot be read (mount "
                   "xenfs), and no --xen-syms was given. ");
}

static void adopt_options(struct recording *recording,
                          struct start_options *options, const char *by)
{
    start_options_free(&recording->options);
    free(recording->options_text);
    recording->options = *options;
    recording->options_text = start_options_text(options);
    *options = (struct start_options){0};
    snprintf(recording->by, sizeof(recording->by), "%s", by);
    recording->since = utc_now();
    recording->until = 0;
    recording->trouble[0] = recording->warning[0] = '\0';
    recording->stored_frequency = recording->stored_sampler = 0;
    recording->paces = 0;
    recording->lowered = (struct lowered){0};
    recording->expired = 0;
    recording->stored_stop = recording->cannot_store = false;
    recording->next_block = recording->next_utc = 0;
    recording->unfound = 0;
    recording_look_at_domains(recording);
}

static void undo(struct attempt *attempt)
{
    struct recording *recording = attempt->recording;
    struct failure ignored = {0};

    recording_let_go(recording);
    drain_free(&recording->drain);
    if ( attempt->reserved )
        door_client_command(&attempt->xen->door, "reset");
    if ( attempt->created )
        session_delete(recording->options.session_dir, SESSION_STARTING,
                       &ignored);
    recording->state = RECORDING_NONE;
}

/* Checks the options; nothing is changed yet. */
static int prepare_attempt(struct attempt *attempt, struct domain_list *domains,
                           struct failure *failure)
{
    const struct start_options *options = attempt->options;
    uint32_t pcpus = 0;
    int status = session_dir_prepare(options->session_dir, failure);

    if ( !status )
        status = disk_check(options->session_dir, failure);
    if ( !status )
        status = look_up_domains(attempt, domains, failure);
    if ( !status )
        status = check_free(attempt->xen, &pcpus, failure);
    if ( !status )
        status = choose_pcpus(attempt, pcpus, failure);
    attempt->pcpus = pcpus;
    attempt->rings = pcpus;
    for ( size_t i = 0; i < domains->count; i++ )
        if ( asked_domains_match(&options->domains, &domains->items[i]) !=
             ROLE_OTHER )
            attempt->rings += domains->items[i].vcpus;
    if ( !status )
        status = open_places(attempt->recording, options->xen_syms, failure);
    return status;
}

/* The last steps: Xen samples from now on. */
static int begin_recording(struct recording *recording,
                           const struct domain_list *domains,
                           struct failure *failure)
{
    int status;

    recording->since = utc_now();
    status = store_identity(recording, failure);
    if ( !status )
        status = begin_traces(recording, failure);
    if ( !status )
        status = begin_sampling(recording, failure);
    recording->seek_end = 0;
    recording->deadline = monotonic_now() + PATIENCE +
                          20 * SECOND / recording->options.frequency;
    if ( status )
        return status;
    xenoprof_source_status(recording->source, &recording->status);
    warn(recording, domains);
    return first_block(recording, failure);
}

static int seek_kernels(struct recording *recording,
                        const struct domain_list *domains,
                        struct failure *failure)
{
    uint64_t now = monotonic_now();
    enum xenoprof_status code = guests_seek(recording->guests,
                                            recording->writer, domains,
                                            recording_time(recording));

    if ( code )
        return recording_fail(recording, code, failure);
    recording->next_seek = now + SEEK_EVERY;
    recording->unfound = guests_sought(recording->guests);
    return recording->unfound && now < recording->seek_end
               ? 0
               : begin_recording(recording, domains, failure);
}

int recording_seek(struct recording *recording, struct failure *failure)
{
    const struct xen *xen = recording->xen;
    enum xenoprof_status result = guests_work(recording->guests,
                                              recording->writer, SEEK_WORK);
    struct domain_list domains;
    int code, status;

    if ( result )
        return recording_fail(recording, result, failure);
    if ( guests_sought(recording->guests) &&
         monotonic_now() < recording->next_seek &&
         monotonic_now() < recording->seek_end )
        return 0;
    code = xen->calls->list_domains(xen->self, &domains);
    if ( code )
        return fail(failure, STATUS_FAILED, "Xen does not list its domains: %s",
                    strerror(-code));
    guests_keep(recording->guests, &domains);
    status = seek_kernels(recording, &domains, failure);
    domain_list_free(&domains);
    return status;
}

/* The steps that touch the module or the disk. */
static int run_attempt(struct attempt *attempt,
                       const struct domain_list *domains,
                       struct failure *failure)
{
    const struct door_client *door = &attempt->xen->door;
    /* What is left is of a session that is closed, or whose data is gone. */
    int status, code = door_client_command(door, "reset");

    if ( code )
        return recording_refused(attempt->xen, "to end the last session", code,
                                 failure);
    status = reserve_rings(attempt, failure);
    if ( !status && attempt->options->events.count )
        status = event_requests_ask(attempt->options, domains, door, failure);
    if ( !status )
        status = open_reserved_rings(attempt, failure);
    if ( !status )
        status = create_session(attempt, failure);
    if ( !status )
        status = profile_domains(attempt, domains, failure);
    if ( status )
        return status;
    /* Where dom0 has little of a processor, samples would have no names for
     * long, and more of them would wait than there is room for. */
    attempt->recording->seek_end = monotonic_now() + RECORDING_SEEK_PATIENCE;
    return seek_kernels(attempt->recording, domains, failure);
}

int recording_start(struct recording *recording, struct start_options *options,
                    const char *by, struct failure *failure)
{
    struct attempt attempt = {
        .recording = recording,
        .xen = recording->xen,
        .options = options,
    };
    struct domain_list domains = {0};
    int status = prepare_attempt(&attempt, &domains, failure);

    if ( !status )
    {
        recording_let_go(recording);
        drain_free(&recording->drain);
        adopt_options(recording, options, by);
        attempt.options = &recording->options;
        status = run_attempt(&attempt, &domains, failure);
        if ( status )
            undo(&attempt);
        else
            recording->state = RECORDING_STARTING;
    }
    domain_list_free(&domains);
    return status;
}

void recording_abandon_start(struct recording *recording)
{
    struct attempt attempt = {
        .recording = recording,
        .xen = recording->xen,
        .options = &recording->options,
        .reserved = true,
        .created = true,
    };

    door_client_command(&recording->xen->door, "stop");
    undo(&attempt);
}
