/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the events of a recording share: rounds of the drain that end in blocks
 * on disk, and what a round needs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "daemon/parser/kept-kernels.h"
#include "disk.h"
#include "recording-work.h"

#define SECOND      1000000000ull
#define BLOCK_EVERY SECOND

/* ns in which the last names come. */
#define LAST_NAMES (SECOND / 2)

/* ns in which walkers that answer are asked for the last stacks. */
#define LAST_ANSWERS (3 * SECOND)

void recording_limit(struct xenoprof_writer *writer,
                     const struct start_options *options)
{
    uint64_t size = (uint64_t)options->max_size << 20;

    if ( !size && options->keep )
        size = disk_share(options->session_dir);
    xenoprof_writer_max_size(writer, size);
    xenoprof_writer_max_age(writer, start_options_max_age(options) * SECOND);
}

void recording_let_go(struct recording *recording)
{
    traces_end(&recording->traces);
    xenoprof_source_close(recording->source);
    recording->source = NULL;
    xenoprof_writer_destroy(recording->writer);
    recording->writer = NULL;
    drain_close(&recording->drain);
    guests_close(recording->guests);
    recording->guests = recording->drain.guests = NULL;
    follow_free(&recording->follow);
    domain_names_forget_stored(&recording->names);
}

static bool name_dom0_sample(void *self, const struct xenoprof_sample *at,
                             struct xenoprof_symbol *ret)
{
    return places_symbol(self, at, ret);
}

static enum xenoprof_status make_owner(void *self,
                                       struct xenoprof_writer *writer,
                                       uint64_t time, uint16_t domain,
                                       const uint8_t uuid[16])
{
    struct domain_names *names = self;
    enum xenoprof_status code;

    domain_names_next_ring(names);
    code = domain_names_store(names, writer, time, domain, uuid);
    domain_names_next_ring(names);
    return code;
}

/* What this process and those that it has made have worked. */
static struct xenoprof_cost cost_now(const struct recording *recording)
{
    const struct process_maker *maker = recording->xen->maker;

    return (struct xenoprof_cost){
        .daemon = clock_read(CLOCK_PROCESS_CPUTIME_ID),
        .children = maker && maker->work ? maker->work->spent : 0,
    };
}

bool recording_open_drain(struct recording *recording)
{
    struct drain *drain = &recording->drain;

    recording->guests = guests_open(recording->xen);
    if ( !recording->guests )
        return false;
    snprintf(recording->guests->kept, sizeof(recording->guests->kept),
             "%.4000s/" KEPT_FOLDER, recording->options.session_dir);
    recording->guests->files = &recording->options.kernels;
    recording->guests->roots = &recording->options.roots;
    recording->guests->folders = &recording->options.folders;
    recording->guests->labels = &recording->options.labels;
    recording->guests->asked = &recording->options.domains;
    recording->guests->name_dom0 = name_dom0_sample;
    recording->guests->namer = &recording->places;
    recording->guests->make_owner = make_owner;
    recording->guests->owners = &recording->names;
    recording->guests->below_kernels = start_options_parts(
                                           &recording->options) &
                                       XENOPROF_PART_USER_WINDOW;
    drain_open(drain, recording->source, recording->writer,
               (uint64_t)recording->options.spool << 20);
    drain->places = &recording->places;
    drain->names = &recording->names;
    drain->guests = recording->guests;
    drain->below_xen = recording->options.stacks & STACKS_KERNEL;
    drain->hurried = false;
    drain->waiters.asked = recording->options.waiting;
    recording->cost = cost_now(recording);
    return true;
}

uint64_t recording_time(struct recording *recording)
{
    uint64_t now;

    if ( recording->state == RECORDING_STOPPING && recording->time )
        return recording->time;
    now = xen_time(recording->xen);
    if ( now )
        recording->time = now;
    return recording->time;
}

static bool read_recorded_idle(struct recording *recording)
{
    const struct xen *xen = recording->xen;

    return xen->calls->read_idle(xen->self, &recording->idle) == 0;
}

void recording_end_time(struct recording *recording)
{
    recording_time(recording);
    recording->idle_is_due = read_recorded_idle(recording);
    if ( recording->idle_is_due )
        recording->time = recording->idle.now;
}

/* A session has what recording took since the block before. */
static enum xenoprof_status put_cost(struct recording *recording)
{
    struct xenoprof_cost now = cost_now(recording);
    const struct xenoprof_cost more = {
        .daemon = now.daemon - recording->cost.daemon,
        .children = now.children - recording->cost.children,
    };

    if ( !recording->time )
        return XENOPROF_OK;
    recording->cost = now;
    return xenoprof_writer_cost(recording->writer, recording->time, &more);
}

/* What the last round of sampling took is stored with the first one after it;
 * what is done later took none of the session's time. */
static enum xenoprof_status flush(struct recording *recording)
{
    bool ended = recording->state == RECORDING_STOPPING;
    bool has_idle = ended ? recording->idle_is_due
                          : read_recorded_idle(recording);
    enum xenoprof_status code = XENOPROF_OK;

    if ( has_idle || !ended )
        code = put_cost(recording);
    if ( !code )
        code = traces_say(&recording->traces, recording_time(recording));
    if ( !code )
        code = drain_flush(&recording->drain,
                           has_idle ? &recording->idle : NULL);
    if ( !code )
        recording->idle_is_due = false;
    recording->next_block = monotonic_now() + BLOCK_EVERY;
    return code;
}

static void begin_hurry(struct recording *recording, bool now)
{
    bool stops = recording->state == RECORDING_STOPPING;

    recording->drain.hurried = now;
    recording->drain.hurry_end = stops ? recording->stop_end
                                       : monotonic_now() + LAST_ANSWERS;
    /* No sample comes that a batch could wait for. */
    recording->drain.gathers = !stops;
}

/* Names of what was stored last. */
static enum xenoprof_status take_last_names(struct recording *recording)
{
    uint64_t now = monotonic_now(), left = LAST_NAMES;

    if ( recording->state == RECORDING_STOPPING )
        left = recording->stop_end > now ? recording->stop_end - now : 0;
    return recording->guests ? guests_exchange(recording->guests,
                                               recording->writer, true, left)
                             : XENOPROF_OK;
}

enum xenoprof_status recording_work(struct recording *recording, bool now)
{
    uint64_t end = monotonic_now() + SECOND;
    enum xenoprof_status code;
    size_t index = 0;
    uint32_t ring;
    bool more;

    begin_hurry(recording, now);
    traces_read(&recording->traces);
    /* Samples may come as fast as they are read. */
    if ( now )
        drain_mark(&recording->drain);
    do
    {
        code = drain_read(&recording->drain, &more);
        if ( !code && (now || more || drain_pressed(&recording->drain)) )
            code = flush(recording);
        xenoprof_source_heartbeat(recording->source);
    } while ( !code && more &&
              (now ? !drain_reached_mark(&recording->drain)
                   : monotonic_now() < end) );
    if ( !code && now )
        code = take_last_names(recording);
    if ( !code && (now || monotonic_now() >= recording->next_block) )
        code = flush(recording);
    /* Rings of domains that are gone go back to Xen, once drained. */
    while ( !code && drain_next_finished(&recording->drain, &index, &ring) )
        door_client_command(&recording->xen->door, "release ring=%u", ring);
    return code;
}

int recording_fail(struct recording *recording, enum xenoprof_status code,
                   struct failure *failure)
{
    int error = xenoprof_errno(recording->handle);

    if ( code == XENOPROF_SYSTEM && (error == ENOSPC || error == EDQUOT) )
        return fail(failure, STATUS_DISK_FULL,
                    "the disk of %s is full; what was recorded up to here is "
                    "kept",
                    recording->options.session_dir);
    if ( code == XENOPROF_SYSTEM && (error == EACCES || error == EROFS) )
        return fail(failure, STATUS_SESSION_DIR, "%s",
                    xenoprof_message(recording->handle));
    if ( code == XENOPROF_NO_MEMORY )
        return fail_memory(failure);
    return fail(failure, STATUS_FAILED, "%s",
                xenoprof_message(recording->handle));
}

int recording_refused(const struct xen *xen, const char *what, int code,
                      struct failure *failure)
{
    struct xenoprof_door_state state;

    if ( door_client_state(&xen->door, &state) == 0 && state.message[0] )
        return fail(failure, code == -EBUSY ? STATUS_BUSY : STATUS_REFUSED,
                    "the module refused %s: %s", what, state.message);
    if ( code == -ENOENT )
        return fail(failure, STATUS_NOT_LOADED,
                    "the module is not loaded; xenopctl --setup loads it");
    return fail(failure, STATUS_REFUSED, "the module refused %s: %s", what,
                strerror(-code));
}

void recording_cannot_store(struct recording *recording,
                            enum xenoprof_status code)
{
    struct failure failure;

    recording->cannot_store = true;
    recording_fail(recording, code, &failure);
    snprintf(recording->trouble, sizeof(recording->trouble),
             "sampling was stopped: %.400s", failure.text);
    door_client_command(&recording->xen->door, "stop");
}
