/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Xen traces beside a recording. */
#include <inttypes.h>
#include <stdio.h>

#include "libxenoprof/session/session-attributes.h"
#include "trace/processor.h"
#include "traces.h"

int traces_begin(struct traces *traces, const struct xen *xen,
                 const struct start_options *options, bool again,
                 struct failure *failure)
{
    uint32_t khz = 0;

    *traces = (struct traces){.xen = xen};
    if ( !options->trace )
        return 0;
    if ( !xen->tracing )
        return fail(failure, STATUS_REFUSED, "Xen's traces cannot be read");
    if ( xen->tracing->begin(xen->self, options->trace & TRACE_CHOICE_EXITS,
                             again, &khz, failure) )
        return failure->status;
    trace_session_init(&traces->session, NULL, khz, processor_is_svm());
    traces->on = true;
    return 0;
}

void traces_record(struct traces *traces, struct xenoprof_writer *writer,
                   struct domain_names *names)
{
    traces->session.writer = writer;
    traces->names = names;
}

static int take_trace_record(void *to, const struct trace_event *event)
{
    struct traces *traces = to;

    return trace_session_add(&traces->session, event) ? 0 : STATUS_FAILED;
}

static void switch_off(struct traces *traces)
{
    if ( traces->on )
        traces->xen->tracing->end(traces->xen->self);
    traces->on = false;
}

static void end_early(struct traces *traces, const char *why)
{
    snprintf(traces->ended, sizeof(traces->ended), "%.250s", why);
    switch_off(traces);
}

static void read_trace_records(struct traces *traces, bool last)
{
    struct failure failure = {0};
    int code;

    if ( !traces->on )
        return;
    code = traces->xen->tracing->read(traces->xen->self, take_trace_record,
                                      traces, &failure);
    if ( code )
        end_early(traces, failure.status ? failure.text : "out of memory");
    if ( !trace_session_count(&traces->session, last || code) )
        end_early(traces, "out of memory");
}

void traces_read(struct traces *traces)
{
    read_trace_records(traces, false);
}

void traces_stop(struct traces *traces)
{
    read_trace_records(traces, true);
    switch_off(traces);
}

static enum xenoprof_status name(void *self, uint64_t time, uint16_t domain,
                                 bool *known)
{
    struct traces *traces = self;
    const struct domain_name *found = domain_names_find(traces->names, domain,
                                                        NULL);
    enum xenoprof_status status;

    *known = found;
    if ( !found )
        return XENOPROF_OK;
    domain_names_next_ring(traces->names);
    status = domain_names_store(traces->names, traces->session.writer, time,
                                domain, found->uuid);
    domain_names_next_ring(traces->names);
    return status;
}

enum xenoprof_status traces_say(struct traces *traces, uint64_t time)
{
    if ( !traces->session.writer || !time )
        return XENOPROF_OK;
    return trace_session_say_each(&traces->session, time, name, traces);
}

enum xenoprof_status traces_say_end(struct traces *traces, uint64_t time)
{
    char text[512];

    if ( !traces->session.writer )
        return XENOPROF_OK;
    trace_session_missing(&traces->session, text, sizeof(text));
    if ( traces->ended[0] )
        snprintf(text, sizeof(text), "ended early: %.250s", traces->ended);
    return xenoprof_writer_attribute(traces->session.writer, time,
                                     SESSION_ATTRIBUTE_TRACE, text);
}

void traces_end(struct traces *traces)
{
    switch_off(traces);
    trace_session_free(&traces->session);
    *traces = (struct traces){.xen = traces->xen};
}
