/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a sample is stored: who it is of, its stack, then the sample itself.
 * When a domain has ended, none of its samples is to come: the session's writer
 * and the caches of places let go of it.  Who is declared to have ended too
 * early is only stored again.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "drain.h"
#include "daemon/guests/guest-thread.h"
#include "libxenoprof/session/session-attributes.h"

void drain_check_file(struct drain *drain)
{
    uint32_t files_ended = xenoprof_writer_epoch(drain->writer);

    if ( drain->files_ended == files_ended )
        return;
    drain->files_ended = files_ended;
    spool_counts_begin_file(&drain->spool_counts);
    places_reset(drain->places);
    if ( drain->guests )
        guests_forget_places(drain->guests);
    for ( size_t i = 0; i < drain->accounts.count; i++ )
        *drain->accounts.items[i].last = (struct stack_last){.ip = 0};
}

/* A vCPU's ring is of one domain; in a pCPU's ring it is the domain with that
 * number now. */
const uint8_t *drain_uuid(const struct drain *drain,
                          const struct account *account,
                          const struct xenoprof_sample *sample)
{
    const struct domain_name *named;

    if ( account->info.kind == XENOPROF_RING_VCPU )
        return account->info.uuid;
    named = domain_names_find(drain->names, sample->domain, NULL);
    return named ? named->uuid : NULL;
}

struct stack_sources drain_sources(const struct drain *drain, uint64_t tag,
                                   enum xenoprof_ended cut)
{
    return (struct stack_sources){
        .places = drain->places,
        .guests = drain->guests,
        .below_xen = drain->below_xen,
        .tag = tag,
        .cut = cut,
    };
}

static enum xenoprof_status store_sample(struct drain *drain,
                                         struct account *account,
                                         const struct xenoprof_view *view,
                                         const struct stack_sources *sources)
{
    const struct xenoprof_sample *sample = view->sample;
    struct xenoprof_stored stored = {
        .time = sample->time,
        .period = sample->period,
        .marks = sample->marks,
        .domain = sample->domain,
        .vcpu = sample->vcpu,
        .pcpu = sample->pcpu,
        .mode = sample->mode,
        .weight = sample->weight,
        .entry = view->entry ? *view->entry
                             : (struct xenoprof_entry){.kind = 0},
        .thread = guest_thread(view->task),
    };
    bool own = account->info.kind == XENOPROF_RING_VCPU;
    /* Others of its vCPU go on with the stack of the last that was running. */
    struct stack_last waited, *last = account->last;
    enum xenoprof_status result;

    if ( drain_is_of_waiter(sample) )
    {
        waited = (struct stack_last){.ip = 0};
        last = &waited;
        stored.type = XENOPROF_TYPE_WAITING;
        stored.marks &= ~(uint32_t)XENOPROF_MARK_WAITING;
    }
    if ( view->event )
    {
        stored.type = XENOPROF_TYPE_EVENT + view->event->event;
        stored.count = view->event->count;
    }
    result = domain_names_store(drain->names, drain->writer, sample->time,
                                sample->domain,
                                own ? account->info.uuid : NULL);
    if ( !result )
        result = sample_stack_store(sources, drain->writer, view,
                                    drain_uuid(drain, account, sample), last,
                                    &stored);
    if ( !result )
        chain_counts_add(&drain->chains, &stored);
    return result;
}

enum xenoprof_status drain_store(struct drain *drain, struct account *account,
                                 const struct xenoprof_view *view, uint64_t tag,
                                 enum xenoprof_ended cut)
{
    const struct stack_sources sources = drain_sources(drain, tag, cut);
    enum xenoprof_status result = store_sample(drain, account, view, &sources);

    account->changed = true;
    if ( result == XENOPROF_INVALID )
        drain_drop(drain, account, view->sample);
    else if ( !result && drain_is_of_waiter(view->sample) )
        drain->waiters.pending++;
    else if ( !result )
        account->pending++;
    /* One bad sample is counted; a writer that fails ends the session. */
    return result == XENOPROF_INVALID ? XENOPROF_OK : result;
}

/* ns after which the guest's processes and its last samples are gone as well:
 * a little more than guests_keep() gives them. */
#define END_GRACE 2000000000ull

/* Rows of --status that stay apart, of domains that live or have ended.  They
 * are for people, who read no more; a report has those of all domains. */
#define CHAIN_ROWS_USUAL 256u

static bool has_ring(const struct accounts *accounts,
                     const struct domain_name *named)
{
    for ( size_t i = 0; i < accounts->count; i++ )
    {
        const struct xenoprof_ring_info *info = &accounts->items[i].info;

        if ( info->kind == XENOPROF_RING_VCPU &&
             info->domain == named->domain &&
             memcmp(info->uuid, named->uuid, sizeof(info->uuid)) == 0 )
            return true;
    }
    return false;
}

static bool domain_has_ended(const struct drain *drain,
                             const struct domain_name *named, uint64_t now)
{
    uint64_t grace = END_GRACE + (drain->guests ? drain->guests->grace : 0);

    return named->domain != DOMAIN_ID_IDLE && named->gone &&
           now - named->gone >= grace && !has_ring(&drain->accounts, named) &&
           !(drain->guests &&
             guests_has(drain->guests, named->domain, named->uuid));
}

static void end_domain(struct drain *drain, struct domain_name *named)
{
    char key[sizeof(SESSION_ATTRIBUTE_GUEST_KERNEL) + 8];

    snprintf(key, sizeof(key), SESSION_ATTRIBUTE_GUEST_KERNEL "%u",
             named->domain);
    /* Else the number is another domain's by now. */
    if ( domain_names_find(drain->names, named->domain, NULL) == named )
        xenoprof_writer_attribute_ended(drain->writer, key);
    xenoprof_writer_domain_ended(drain->writer, named->domain, named->uuid);
    /* The places of its number's stacks mean nothing any more. */
    for ( size_t i = 0; i < drain->accounts.count; i++ )
        if ( drain->accounts.items[i].last->domain == named->domain )
            *drain->accounts.items[i].last = (struct stack_last){.ip = 0};
    if ( drain->chains.count > CHAIN_ROWS_USUAL )
        chain_counts_end(&drain->chains, named->domain, XENOPROF_OTHERS);
    named->stored = false;
    named->ended = true;
}

void drain_end_domains(struct drain *drain)
{
    uint64_t now = monotonic_now();

    for ( size_t i = 0; i < drain->names->count; i++ )
    {
        struct domain_name *named = &drain->names->items[i];

        if ( !named->ended && domain_has_ended(drain, named, now) )
            end_domain(drain, named);
    }
    domain_names_next_ring(drain->names);
}
