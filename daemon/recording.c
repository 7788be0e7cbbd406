/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording.h"

void recording_init(struct recording *recording, const struct xen *xen,
                    struct xenoprof_handle *handle)
{
    memset(recording, 0, sizeof(*recording));
    recording->xen = xen;
    recording->handle = handle;
    start_options_init(&recording->options);
}

void recording_let_go(struct recording *recording)
{
    xenoprof_source_close(recording->source);
    recording->source = NULL;
    xenoprof_writer_destroy(recording->writer);
    recording->writer = NULL;
    guests_close(recording->guests);
    recording->guests = recording->drain.guests = NULL;
    follow_free(&recording->follow);
    domain_names_forget_told(&recording->names);
}

static bool name_dom0(void *self, const struct xenoprof_sample *at,
                      struct xenoprof_symbol *ret)
{
    return places_symbol(self, at, ret);
}

bool recording_open_drain(struct recording *recording)
{
    struct drain *drain = &recording->drain;

    recording->guests = guests_open(recording->xen, recording->xen->maker);
    if ( !recording->guests )
        return false;
    recording->guests->files = &recording->options.kernels;
    recording->guests->name_dom0 = name_dom0;
    recording->guests->namer = &recording->places;
    drain_open(drain, recording->source, recording->writer);
    drain->places = &recording->places;
    drain->names = &recording->names;
    drain->guests = recording->guests;
    drain->below_xen = recording->options.stacks & STACKS_KERNEL;
    drain->hurried = false;
    return true;
}

void recording_free(struct recording *recording)
{
    recording_let_go(recording);
    drain_free(&recording->drain);
    domain_names_free(&recording->names);
    if ( recording->places_ready )
        places_close(&recording->places);
    start_options_free(&recording->options);
    free(recording->options_text);
    recording->options_text = NULL;
}

uint64_t recording_time(struct recording *recording)
{
    uint64_t now = xen_time(recording->xen);

    if ( now )
        recording->time = now;
    return recording->time;
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

void recording_look_at_domains(struct recording *recording)
{
    recording->next_look = recording->next_list = 0;
}

int recording_dump(struct recording *recording, struct failure *failure)
{
    enum xenoprof_status code;

    if ( recording->state != RECORDING_RUNNING )
        return 0;
    code = recording_finish_search(recording);
    if ( !code )
        code = recording_work(recording, true);
    return code ? recording_fail(recording, code, failure) : 0;
}
