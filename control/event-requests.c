/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <xenoprof/door.h>

#include "event-codes.h"
#include "event-requests.h"
#include "event-spec.h"

/* Returns whether there is an event that can be read. */
static bool is_readable(const struct start_options *options)
{
    for ( unsigned int set = 0; set < options->events.count; set++ )
    {
        const char *text = options->events.texts[set];
        struct event_spec event;

        while ( event_spec_next(&text, &event) )
            if ( event_is_readable(event.base) )
                return true;
    }
    return false;
}

/* An HVM guest executes RDPMC without Xen, so it reads what a counter counts,
 * while others run on its pCPU too (SECURITY.md). */
static int check_readers(const struct start_options *options,
                         const struct domain_list *domains,
                         struct failure *failure)
{
    for ( size_t i = 0; i < domains->count; i++ )
        if ( domains->items[i].hardware && !(options->force & FORCE_READERS) &&
             is_readable(options) )
            return fail(failure, STATUS_REFUSED,
                        "domain %u is an HVM or PVH guest, which can read the "
                        "counters (RDPMC) and learn from them what others do; "
                        "add --force=readers to count all the same",
                        domains->items[i].id);
    return 0;
}

void event_request_line(char ret[EVENT_LINE_MAX],
                        const struct event_spec *event,
                        const struct event_code *code,
                        const struct event_request *request)
{
    char fixed[24] = "";

    if ( code->ibs )
        snprintf(fixed, sizeof(fixed), " ibs=%s",
                 code->ibs == XENOPROF_IBS_OP ? "op" : "fetch");
    else if ( code->fixed )
        snprintf(fixed, sizeof(fixed), " fixed=%u", code->fixed - 1);
    snprintf(ret, EVENT_LINE_MAX, "event id=%u select=%llx count=%u set=%u%s%s",
             request->number, (unsigned long long)code->select, event->count,
             request->set, fixed, request->insist ? " insist=1" : "");
}

static int ask_one(const struct door_client *door,
                   const struct event_spec *event,
                   const struct event_code *code,
                   const struct event_request *request, struct failure *failure)
{
    struct xenoprof_door_state state;
    char line[EVENT_LINE_MAX];

    event_request_line(line, event, code, request);
    if ( !door_client_command(door, "%s", line) )
        return 0;
    if ( door_client_state(door, &state) )
        state.message[0] = '\0';
    return fail(failure, STATUS_REFUSED, "the module refused --event=%s: %s",
                event->name, state.message);
}

int event_requests_ask(const struct start_options *options,
                       const struct domain_list *domains,
                       const struct door_client *door, struct failure *failure)
{
    const struct processor processor = processor_here();
    int status = check_readers(options, domains, failure);
    struct event_request request = {.insist = options->force & FORCE_PERIODS};

    for ( ; request.set < options->events.count; request.set++ )
    {
        const char *text = options->events.texts[request.set];
        struct event_spec event;

        while ( !status && event_spec_next(&text, &event) )
        {
            struct event_code code;

            status = event_code_find(&processor, &event, &code, failure);
            if ( !status )
                status = ask_one(door, &event, &code, &request, failure);
            request.number++;
        }
    }
    return status;
}

enum xenoprof_status event_requests_declare(const struct start_options *options,
                                            struct xenoprof_writer *writer)
{
    const struct processor processor = processor_here();
    enum xenoprof_status status = XENOPROF_OK;
    uint16_t number = XENOPROF_TYPE_EVENT;

    for ( unsigned int set = 0; set < options->events.count; set++ )
    {
        const char *text = options->events.texts[set];
        struct event_spec event;

        while ( !status && event_spec_next(&text, &event) )
        {
            struct event_code code;
            struct failure ignored = {0};

            if ( event_code_find(&processor, &event, &code, &ignored) )
                return XENOPROF_INVALID;
            status = xenoprof_writer_type(
                writer, number++,
                &(struct xenoprof_type){
                    .name = event.name,
                    .unit = code.unit,
                    .select = code.select,
                    .period = event.count,
                    .turns = (uint32_t)options->events.count});
        }
    }
    return status;
}
