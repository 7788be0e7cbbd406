/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --list-domains, --list-sessions and --list-events. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json-writer.h"
#include "base/memory-limit.h"
#include "base/scope.h"
#include "base/text.h"
#include "commands.h"
#include "control/event-codes.h"
#include "control/event-names.h"
#include "control/session-folders.h"
#include "control/xen-access.h"
#include "control/xen-domains.h"
#include "libxenoprof.h"
#include "libxenoprof/session/session-attributes.h"
#include "status-print.h"

/* --list-domains: what --passive-domains can name. */
int command_list_domains(const struct arguments *arguments,
                         struct failure *failure)
{
    struct xen_domains xen;
    struct domain_list list;
    int error;

    (void)arguments;
    if ( xen_access_check(failure) || xen_domains_open(&xen, failure) )
        return failure->status;
    error = xen_domains_list(&xen, &list);
    xen_domains_close(&xen);
    if ( error )
        return fail(failure, STATUS_FAILED, "Xen does not list its domains: %s",
                    strerror(-error));
    printf("   id  type  vcpus  %-36s  name\n", "uuid");
    for ( size_t i = 0; i < list.count; i++ )
    {
        const struct listed_domain *domain = &list.items[i];
        char uuid[UUID_TEXT_SIZE];

        uuid_format(domain->uuid, uuid);
        printf("%5u  %-4s  %5u  %s  ", domain->id,
               domain->id == 0    ? "dom0"
               : domain->hardware ? "hvm"
                                  : "pv",
               domain->vcpus, uuid);
        text_print(stdout, domain->name[0] ? domain->name : "-", 0);
        putchar('\n');
    }
    domain_list_free(&list);
    return 0;
}

struct summary {
    uint64_t began;       /* ns since 1970 */
    uint64_t first, last; /* Xen's time */
    uint64_t samples;
    bool closed;
    enum xenoprof_status status; /* XENOPROF_END: read to its end */
};

static void take_item(struct summary *summary, const struct xenoprof_item *item)
{
    uint64_t time = item->time;

    switch ( item->kind )
    {
    case XENOPROF_ITEM_SAMPLE:
        summary->samples++;
        time = item->u.sample.time;
        break;
    case XENOPROF_ITEM_CLOSED: summary->closed = true; break;
    case XENOPROF_ITEM_ATTRIBUTE:
        if ( strcmp(item->u.attribute.key, SESSION_ATTRIBUTE_BEGAN) == 0 )
            summary->began = strtoull(item->u.attribute.value, NULL, 10);
        if ( !summary->first )
            summary->first = time;
        break;
    default: break;
    }
    if ( time > summary->last )
        summary->last = time;
}

static void read_summary(struct xenoprof_handle *handle, const char *path,
                         struct summary *ret)
{
    struct xenoprof_session *session = NULL;
    struct xenoprof_item item;

    *ret = (struct summary){0};
    memory_limit(MEMORY_LIMIT_DEFAULT);
    ret->status = xenoprof_session_open(handle, path, &session);
    while ( !ret->status )
    {
        ret->status = xenoprof_session_next(session, &item);
        if ( !ret->status )
            take_item(ret, &item);
    }
    xenoprof_session_close(session);
    memory_limit(0);
}

static const char *state_text(const struct summary *summary)
{
    switch ( summary->status )
    {
    case XENOPROF_END: return summary->closed ? "closed" : "open";
    case XENOPROF_DAMAGED: return "damaged";
    case XENOPROF_NEWER: return "newer";
    default: return "unreadable";
    }
}

static void print_listed_session(struct xenoprof_handle *handle,
                                 const char *dir, const char *name)
{
    char *path SCOPE_FREE = NULL;
    struct summary summary;
    char began[32];

    if ( asprintf(&path, "%s/%s", dir, name) < 0 )
        return;
    read_summary(handle, path, &summary);
    status_format_time(summary.began, began, sizeof(began));
    text_print(stdout, name, 24);
    printf("  %-10s  %-23s  %8" PRIu64 "  %10" PRIu64 "\n",
           state_text(&summary), summary.began ? began : "-",
           summary.first && summary.last > summary.first
               ? (summary.last - summary.first) / 1000000000u
               : 0,
           summary.samples);
}

static void put_session(struct json *json, struct xenoprof_handle *handle,
                        const char *dir, const char *name)
{
    char *path SCOPE_FREE = NULL;
    struct summary summary;
    bool timed;

    if ( asprintf(&path, "%s/%s", dir, name) < 0 )
        return;
    read_summary(handle, path, &summary);
    timed = summary.first && summary.last > summary.first;
    json_object_begin_flat(json);
    json_key(json, "name");
    json_string(json, name);
    json_key(json, "state");
    json_string(json, state_text(&summary));
    json_key(json, "began_ns");
    summary.began ? json_u64(json, summary.began) : json_null(json);
    json_key(json, "duration_ns");
    json_u64(json, timed ? summary.last - summary.first : 0);
    json_key(json, "samples");
    json_u64(json, summary.samples);
    json_object_end(json);
}

/* {"version": 1, "sessions": [...]} */
static void print_sessions_json(struct xenoprof_handle *handle, const char *dir,
                                char **names)
{
    struct json json;

    json_init(&json, stdout);
    json_object_begin(&json);
    json_key(&json, "version");
    json_u64(&json, 1);
    json_key(&json, "sessions");
    json_array_begin(&json);
    for ( char **name = names; *name; name++ )
        put_session(&json, handle, dir, *name);
    json_array_end(&json);
    json_object_end(&json);
    json_finish(&json);
}

/* --list-sessions: what --session can name. */
int command_list_sessions(const struct arguments *arguments,
                          struct failure *failure)
{
    const char *dir = arguments->start->session_dir;
    struct xenoprof_handle *handle = xenoprof_open();
    char **names = handle ? session_names(dir, failure) : NULL;

    if ( names && arguments->json )
        print_sessions_json(handle, dir, names);
    else if ( names )
    {
        printf("%-24s  %-10s  %-23s  %8s  %10s\n", "name", "state", "began",
               "seconds", "samples");
        for ( char **name = names; *name; name++ )
            print_listed_session(handle, dir, *name);
    }
    session_names_free(names);
    xenoprof_close(handle);
    return failure->status;
}

/* --list-events[=TEXT]: what --event can name. */
int command_list_events(const struct arguments *arguments,
                        struct failure *failure)
{
    const struct processor processor = processor_here();

    if ( processor.maker == MAKER_OTHER )
        return fail(failure, STATUS_FAILED,
                    "this processor is neither Intel's nor AMD's: its events "
                    "are not known");
    if ( event_codes_list(&processor, arguments->name, stdout) )
        return 0;
    return fail(failure, STATUS_RANGE,
                "no event has '%s' in its name or description%s",
                arguments->name, event_names_hint());
}
