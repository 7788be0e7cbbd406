/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge-host.h"

#include "base/must.h"
#include "libxenoprof/session/session-attributes.h"
#include "report/model/domain-text.h"
#include "report/model/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX 512u

/* What a session is read with. */
struct host_reader {
    struct merge_host *host;
    struct merge_stacks stacks;
};

void merge_host_init(struct merge_host *host, const char *wanted)
{
    host->wanted = wanted;
    table_init(&host->codes, sizeof(((struct merge_code *)0)->key),
               sizeof(struct merge_code));
    merge_chains_init(&host->chains);
    names_init(&host->names);
    names_init(&host->domains);
}

void merge_host_free(struct merge_host *host)
{
    vector_free(&host->samples);
    table_free(&host->codes);
    merge_chains_free(&host->chains);
    names_free(&host->names);
    names_free(&host->domains);
}

void merge_host_domain(struct merge_host *host,
                       const struct xenoprof_item *item)
{
    const char *name = item->u.domain.name;
    const uint16_t number = item->u.domain.domain;
    uint32_t known;

    must_do(names_add(&host->domains, name, &known));
    if ( number < MERGE_DOMAINS )
        host->of[number] = domain_called(number, item->u.domain.uuid, name,
                                         host->wanted);
}

/* Returns the number of what has no name. */
static uint32_t take_code(struct host_reader *reader,
                          const struct merge_frame *frame)
{
    struct merge_host *host = reader->host;
    struct merge_code code;

    memset(&code, 0, sizeof(code));
    code.key.address = frame->address;
    must_do(names_add(&host->names,
                      names_text(&reader->stacks.files, frame->file),
                      &code.key.file));
    return (uint32_t)table_index(&host->codes,
                                 must(table_put(&host->codes, &code.key))) +
           1;
}

/* Takes the code of a process that has no name; other frames stay as they are.
 * Sets *leaf to whether there is one frame of the process's alone. */
static uint32_t take_chain(struct host_reader *reader,
                           const struct xenoprof_stored *sample, bool *leaf)
{
    size_t count, user = 0;
    const uint32_t *places = merge_stacks_of(&reader->stacks, sample, &count);
    uint32_t chain = 0;

    for ( size_t i = count; i-- > 0; )
    {
        const struct merge_frame frame = merge_stacks_place(&reader->stacks,
                                                            places[i]);

        if ( frame.mode != XENOPROF_MODE_USER ||
             frame.domain != sample->domain )
            continue;
        user++;
        if ( !frame.named )
            chain = merge_chains_add(&reader->host->chains, chain,
                                     take_code(reader, &frame));
    }
    *leaf = sample->mode == XENOPROF_MODE_USER && count == 1 && user == 1;
    return chain;
}

/* What stands in place of a name is none. */
static uint32_t take_comm(struct merge_host *host,
                          const struct xenoprof_thread *thread)
{
    char comm[sizeof(thread->comm) + 1] = "";
    uint32_t number = 0;

    memcpy(comm, thread->comm, sizeof(thread->comm));
    if ( strcmp(comm, XENOPROF_THREAD_UNREAD) &&
         strcmp(comm, XENOPROF_THREAD_MANY) )
        must_do(names_add(&host->names, *comm ? comm : NULL, &number));
    return number;
}

static void take_host_sample(struct host_reader *reader,
                             const struct xenoprof_stored *stored)
{
    struct merge_host *host = reader->host;
    struct merge_sample *sample = must(vector_add(&host->samples));

    sample->time = stored->time;
    sample->pid = stored->thread.pid;
    sample->tid = stored->thread.tid;
    sample->comm = take_comm(host, &stored->thread);
    sample->half = stored->period / 2;
    sample->domain = stored->domain;
    sample->vcpu = stored->vcpu;
    sample->runs = sample->tid && stored->time < CLOCK_TIME_MAX &&
                   stored->type != XENOPROF_TYPE_WAITING &&
                   !(stored->marks & XENOPROF_MARK_WAITING);
    sample->chain = take_chain(reader, stored, &sample->leaf);
}

static void take_host_item(struct host_reader *reader,
                           const struct xenoprof_item *item)
{
    struct merge_host *host = reader->host;

    merge_stacks_take(&reader->stacks, item);
    if ( item->kind == XENOPROF_ITEM_DOMAIN )
        merge_host_domain(host, item);
    else if ( item->kind == XENOPROF_ITEM_SAMPLE &&
              merge_host_has(host, &item->u.sample) )
        take_host_sample(reader, &item->u.sample);
    else if ( item->kind == XENOPROF_ITEM_ATTRIBUTE && !host->utc &&
              !strcmp(item->u.attribute.key, SESSION_ATTRIBUTE_UTC) )
    {
        host->utc = strtoull(item->u.attribute.value, NULL, 10);
        host->utc_at = item->time;
    }
}

static enum exit_status refuse_domain(const struct merge_host *host,
                                      struct failure *failure)
{
    char list[LIST_MAX] = "";
    size_t used = 0;

    for ( size_t i = 0; i < host->domains.count && used < LIST_MAX; i++ )
        used += (size_t)snprintf(list + used, LIST_MAX - used, "%s%s",
                                 i ? ", " : "", host->domains.items[i]);
    return fail(failure, STATUS_NO_DOMAIN,
                "--merge: the session has no sample of a domain \"%s\": it has "
                "%s",
                host->wanted, *list ? list : "none at all");
}

static enum exit_status check_threads(const struct merge_host *host,
                                      struct failure *failure)
{
    if ( !host->samples.count )
        return refuse_domain(host, failure);
    for ( size_t i = 0; i < host->samples.count; i++ )
        if ( host->samples.items[i].runs )
            return STATUS_DONE;
    return fail(failure, STATUS_NO_SYMBOL,
                "--merge: no sample of %s says which thread ran, so that none "
                "can be found in the guest's file: xenopctl --status says why "
                "its kernel was not found",
                host->wanted);
}

enum exit_status merge_host_read(struct merge_host *host, const char *path,
                                 struct failure *failure)
{
    struct xenoprof_handle *handle = must(xenoprof_open());
    struct host_reader reader = {.host = host};
    struct xenoprof_session *session = NULL;
    struct xenoprof_item item;
    enum xenoprof_status code = xenoprof_session_open(handle, path, &session);

    merge_stacks_init(&reader.stacks);
    while ( !code || code == XENOPROF_DAMAGED )
    {
        code = xenoprof_session_next(session, &item);
        if ( !code )
            take_host_item(&reader, &item);
    }
    if ( code != XENOPROF_END )
        load_failed(handle, code, path, failure);
    else
        host->position = xenoprof_session_position(session);
    host->places = (uint32_t)reader.stacks.places.count;
    host->stacks = (uint32_t)reader.stacks.stacks.count;
    merge_stacks_free(&reader.stacks);
    xenoprof_session_close(session);
    xenoprof_close(handle);
    if ( !failure->status )
        check_threads(host, failure);
    return failure->status;
}

struct clock_moments merge_host_moments(const struct merge_host *host)
{
    struct clock_moments moments = {
        .items = must(calloc(host->samples.count + 1, sizeof(*moments.items)))};

    for ( size_t i = 0; i < host->samples.count; i++ )
    {
        const struct merge_sample *sample = &host->samples.items[i];

        if ( sample->runs )
            moments.items[moments.count++] = (struct clock_moment){
                sample->time, sample->tid, sample->half};
    }
    return moments;
}
