/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording by events: what the module is asked to count, and what the
 * session says of it.
 */
#ifndef XENOPROF_CONTROL_EVENT_REQUESTS_H
#define XENOPROF_CONTROL_EVENT_REQUESTS_H

#include "domain-list.h"
#include "door-client.h"
#include "libxenoprof.h"
#include "start-options.h"
#include "base/failure.h"

struct event_spec;
struct event_code;

#define EVENT_LINE_MAX 128u

struct event_request {
    unsigned int number, set;
    bool insist;
};

/* Writes the line by which the door is asked for an event. */
void event_request_line(char ret[EVENT_LINE_MAX],
                        const struct event_spec *event,
                        const struct event_code *code,
                        const struct event_request *request);

/*
 * Asks for the events; the module has a session by events.  Returns 0, or a
 * status: guests could read the counters and that was not forced, this
 * processor does not count such an event, or the module refused with
 * its reason.
 */
int event_requests_ask(const struct start_options *options,
                       const struct domain_list *domains,
                       const struct door_client *door, struct failure *failure);

/* Declares them to a session's writer, once it is open. */
enum xenoprof_status event_requests_declare(const struct start_options *options,
                                            struct xenoprof_writer *writer);

#endif
